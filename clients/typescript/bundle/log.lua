--- Appends to a task's log. The log is kept until a day after the end of the task: its beginning, and of the rest the latest part.
-- @args now id token source text
-- @role worker
-- @options offset
-- @again another entry
-- @reply id of the last entry, or an empty string if none is kept
-- @errors LOST TOOBIG

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(23)('BADARG', 'missing argument: ' .. what)
end

local namespace_meta = KEYS[1] or ''

local namespace_prefix = string.sub(namespace_meta, 1, -5)

local function logs_index()
  return namespace_prefix .. 'logs'
end

local function namespace_key(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end

local function logs_open(id)
  local key, sizes = namespace_key('log', id), cold(17)(namespace_key('logged', id))
  local v = redis.call('HMGET', sizes, 'attempt', 'seen', 'head', 'till', 'tail', 'last')
  local log = {
    key = key, sizes = sizes, attempt = v[1], seen = tonumber(v[2] or 0), head = tonumber(v[3] or 0), till = v[4],
    tail = tonumber(v[5] or 0),
    last = v[6] or '', dropped = {},
  }
  log.size = log.head + log.tail
  if cold(18)('XLEN', key) == 0 then
    log.head, log.till, log.tail = 0, false, 0
  elseif not v[3] then
    log.till, log.tail = '0-0', cold(6)(redis.call('XREVRANGE', key, '+', '-', 'COUNT', 64))
  end
  return log
end

local function logs_plan(log, text, offset, most)
  local head = math.floor(most / 5)
  local tail, added = most - head, {}
  local function add(part, at)
    added[#added + 1] = { part, at }
    return #part + 100
  end
  if not log.till then
    local room = head - log.head - 100
    if #text <= room then
      log.headed = add(text, offset)
      return added
    elseif offset and room > 0 then
      local cut = cold(9)(text, room)
      log.headed = add(string.sub(text, 1, cut), offset)
      text, offset = string.sub(text, cut + 1), offset + cut
    end
  end
  local room = tail - 100
  if #text > room and offset and room > 0 then
    text, offset = string.sub(text, -room), offset + #text - room
  end
  if #text <= room then
    log.tailed = add(text, offset)
    cold(10)(log, log.tail + log.tailed - tail)
  end
  return added
end

local namespace_now_us = 0

local namespace_now = ''

local namespace_declared = not string.find(namespace_meta, '^[^_{]*_meta$') and {}

local function record_find(id, ...)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(17)(key)
  end
  local v = redis.call('HMGET', key, 'status', 'queue', 'attempt', 'token', 'node', 'pid', 'cancel', 'updated', 'ties',
    'recall', ...)
  if not v[1] then
    return nil
  end
  return {
    id = id, key = key, status = v[1], queue = v[2] or '', attempt = v[3] or '0', foreign = not v[3],
    token = v[4] or '', node = v[5] or '', pid = v[6] or '', cancel = v[7], since = v[8], ties = v[9] or nil,
    recall = v[10], extra = { unpack(v, 11, 10 + select('#', ...)) },
  }
end

local function logs_look(number, wanted, spared)
  local found, freed = {}, 0
  local old = namespace_now_us / 1000000 - 86400
  local all = redis.call('ZRANGE', cold(17)(logs_index()), 0, number - 1, 'WITHSCORES')
  for i = 1, #all, 2 do
    local id, heard = all[i], tonumber(all[i + 1])
    if not spared[id] and (heard <= old or freed < wanted) then
      local task = record_find(id, 'updated')
      local over = not task or task.queue == '' or cold(32)(task.status)
      local ended = task and tonumber(task.extra[1]) or 0
      local look = { id = id, log = cold(17)(namespace_key('log', id)), size = cold(7)(id) or 0 }
      if not over then
        look.heard = namespace_now
      elseif ended <= old or freed < wanted then
        freed = freed + look.size
      else
        look.heard = task.extra[1]
      end
      found[#found + 1] = look
    end
  end
  return found, freed
end

local namespace_shared_tables = false

local namespace_gap = false

local function namespace_open()
  do
    local clock = redis.call('HGET', namespace_meta, 'clock:1')
    if not clock or #KEYS ~= 1 or namespace_declared and not string.find(namespace_meta, '^[^_]*_meta$') then
      clock = cold(13)()
    end
    if ARGV[1] == '' then
      local time = redis.call('TIME')
      local seconds, micros = time[1], time[2]
      if #micros < 6 then
        micros = string.format('%06d', micros)
      end
      namespace_now_us = seconds * 1000000 + micros
      namespace_now = seconds .. '.' .. micros
    else
      cold(14)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(15)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(16)(floor)
    end
  end
end

local owner_found_stale = false

local function owner_task(id, token, endings, ...)
  local key = namespace_prefix .. 'task_' .. id
  local v = redis.call('HMGET', key, 'status', 'token', 'node', 'attempt', 'queue', 'pid', 'cancel', 'updated', 'ties',
    'recall', ...)
  local status = v[1]
  if v[2] ~= token or not (status == 'started' or status == 'reserved') then
    return cold(22)(id, token, endings)
  end
  if namespace_declared then
    cold(17)(key)
  end
  local task = {
    id = id, status = status, token = token, node = v[3], attempt = v[4], queue = v[5], pid = v[6] or '', last = false,
    since = v[8],
  }
  if v[7] then
    task.cancel = v[7]
  end
  if v[9] then
    task.ties = v[9]
  end
  if v[10] then
    task.recall = v[10]
  end
  return task, v[11]
end

local function contract_arguments()
  local id = args_next('id')
  local token = args_next('token')
  local source = cold(1)(args_next('source'), 'source')
  local text = cold(4)(args_next('text'), 65536, 'text')
  return id, token, source, text
end

function cold(number)
if number < 17 then
if number < 9 then
if number < 5 then
if number < 3 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(23)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 2 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(23)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
end
else
if number < 4 then
-- 3 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(23)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
-- 4 args.bytes
return function(value, most, what)
  if #value > most then
    cold(23)('TOOBIG', string.format('%s is %d bytes, over the limit of %d: store it elsewhere and pass a reference',
      what, #value, most))
  end
  return value
end
end
end
else
if number < 7 then
if number < 6 then
-- 5 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(23)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(23)('BADARG', 'an option is given twice')
    end
    found[name] = cold(33)(name, value)
    if found[name] == nil then
      cold(23)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
else
-- 6 logs.count
return function(entries)
  local size = 0
  for _, entry in ipairs(entries) do
    size = size + #entry[2][8] + 100
  end
  return size
end
end
else
if number < 8 then
-- 7 logs.size
return function(id)
  local v = redis.call('HMGET', cold(17)(namespace_key('logged', id)), 'head', 'tail')
  if v[1] then
    cold(18)('ZCARD', logs_index())
    return v[1] + v[2]
  end
end
else
-- 8 logs.forget
return function(id, size)
  redis.call('UNLINK', namespace_key('logged', id))
  redis.call('ZREM', logs_index(), id)
  redis.call('HINCRBY', namespace_meta, 'logs', -size)
end
end
end
end
else
if number < 13 then
if number < 11 then
if number < 10 then
-- 9 logs.cut
return function(text, room)
  local line = string.match(string.sub(text, 1, room), '^.*\n()')
  return line and line > room / 2 and line - 1 or room
end
else
-- 10 logs.drop
return function(log, bytes)
  local after, number = log.till, 1
  while bytes > 0 and #log.dropped < 1000 do
    local entries = log.tail > 0 and redis.call('XRANGE', log.key, '(' .. after, '+', 'COUNT', number) or {}
    if #entries == 0 then
      log.tail = 0
      return
    end
    for _, entry in ipairs(entries) do
      if bytes > 0 then
        local size = #entry[2][8] + 100
        bytes, log.tail, after = bytes - size, math.max(0, log.tail - size), entry[1]
        log.dropped[#log.dropped + 1] = after
      end
    end
    number = math.min(64, 2 * number, 1000 - #log.dropped)
  end
end
end
else
if number < 12 then
-- 11 logs.settle
return function(found)
  for _, look in ipairs(found) do
    if not look.heard then
      redis.call('UNLINK', look.log)
      cold(8)(look.id, look.size)
    end
  end
  for _, look in ipairs(found) do
    if look.heard then
      redis.call('ZADD', logs_index(), look.heard, look.id)
      redis.call('EXPIRE', look.log, 2592000)
    end
  end
end
else
-- 12 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
end
end
else
if number < 15 then
if number < 14 then
-- 13 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(23)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(23)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
-- 14 namespace.use_test_time
return function(now)
  namespace_now_us = cold(3)(now or cold(23)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(23)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(12)(namespace_now_us)
end
end
else
if number < 16 then
-- 15 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(12)(namespace_now_us)
end
else
-- 16 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
end
end
end
end
else
if number < 25 then
if number < 21 then
if number < 19 then
if number < 18 then
-- 17 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
else
-- 18 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(17)(key)
  end
  return redis.call(command, key)
end
end
else
if number < 20 then
-- 19 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(23)(cold(25)())
  end
end
else
-- 20 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(30)()
  if namespace_declared then
    cold(21)(first, ...)
  end
end
end
end
else
if number < 23 then
if number < 22 then
-- 21 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(19)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(30)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
else
-- 22 owner.stale
return function(id, token, endings)
  owner_found_stale = true
  cold(1)(id, 'id')
  cold(2)(token, 1, 9007199254740991, 'token')
  cold(19)(namespace_prefix .. 'task_' .. id)
  local last = redis.call('HMGET', namespace_prefix .. 'task_' .. id, 'ended', 'outcome', 'group')
  local discarded = last[2] == 'failed' and last[3] == 'deadline'
  if last[1] == token and last[2] and (string.find(endings, last[2] .. ' ', 1, true)
    or discarded and string.find(endings, 'discarded', 1, true)) then
    return nil, last[2]
  end
  cold(23)('LOST', 'this attempt no longer holds the task: stop the work and discard its result')
end
end
else
if number < 24 then
-- 23 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(24)() then
    code, text = cold(25)()
  end
  error({ err = code .. ' ' .. text })
end
else
-- 24 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
end
end
end
else
if number < 29 then
if number < 27 then
if number < 26 then
-- 25 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
-- 26 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(25)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
end
else
if number < 28 then
-- 27 rights.denied
return function(names, role)
  local may, key = redis.acl_check_cmd, namespace_prefix .. role
  if not may then
    return nil
  end
  for _, name in ipairs(names) do
    if not may(name, name == 'XINFO' and 'STREAM' or key, key, key) then
      return name
    end
  end
end
else
-- 28 rights.refuse
return function(name)
  local role = string.match('WORKER', '^%u+$')
  if role and not cold(27)({ name }, 'meta') then
    cold(23)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(23)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
end
end
else
if number < 31 then
if number < 30 then
-- 29 rights.check
return function(names)
  local name = cold(27)(names, 'WORKER')
  if name then
    cold(28)(name)
  end
end
else
-- 30 rights.require
return function()
  cold(29)({ 'EXISTS', 'EXPIRE', 'HGET', 'HINCRBY', 'HMGET', 'HSET', 'UNLINK', 'XADD', 'XDEL', 'XREVRANGE', 'ZADD', 'ZCARD', 'ZRANGE', 'ZREM' })
end
end
else
if number < 32 then
-- 31 settings.value
return function(own, common, name)
  local pattern = ' ' .. name .. '=(%S+)'
  return own and string.match(' ' .. own, pattern) or common and string.match(' ' .. common, pattern)
    or string.match(' ' .. 'lease=60 grace=30 max_failures=0 backoff=exponential delay=10 max_delay=3600 jitter=20 max_losses=10 lost_delay=0 max_releases=1000 max_uncounted=10000 max_bytes=1048576 log_bytes=163840 logs_bytes=1073741824 input_bytes=8388608 graph_bytes=536870912 forget_after=300 closed=0 keep=50000 retain=604800 events=10000 audit=10000 history=100 statistics=30', pattern)
end
else
if number < 33 then
-- 32 contract.is_final
return function(status)
  return status == 'complete' or status == 'failed' or status == 'cancelled'
end
else
-- 33 contract.option
return function(name, value)
  if name == 'offset' then
    return cold(2)(value, 0, 9007199254740991, name)
  end
end
end
end
end
end
end
end
end

local function command()
  local LOOKS, SEARCHED = 2, 10

  namespace_open()
  local id, token, source, text = contract_arguments()
  local offset = cold(5)().offset
  local task, own = owner_task(id, token, '', 'log_bytes')
  local meta = redis.call('HMGET', namespace_meta, 'settings:' .. task.queue, 'settings', 'logs')
  local most = tonumber(own or cold(31)(meta[1], meta[2], 'log_bytes'))
  local log = logs_open(id)
  local seen = offset and offset + #text
  if offset and log.attempt == task.attempt and offset <= log.seen then
    if seen <= log.seen then
      return log.last
    end
    text, offset = string.sub(text, log.seen - offset + 1), log.seen
  end

  local added = logs_plan(log, text, offset, most)
  local head, tail = log.head + (log.headed or 0), log.tail + (log.tailed or 0)
  local more = head + tail - log.size
  local wanted = more > 0 and (meta[3] or 0) + more - cold(31)(nil, meta[2], 'logs_bytes') or 0
  local found, freed = logs_look(wanted > 0 and SEARCHED or LOOKS, wanted, { [id] = true })
  local kept = #added > 0 and freed >= wanted
  if not kept and #found == 0 then
    return log.last
  end
  cold(20)()
  if kept then
    local last
    for i, piece in ipairs(added) do
      local name = piece[2] and string.format('text %.0f', piece[2]) or 'text'
      last = redis.call('XADD', log.key, '*', 'at', namespace_now, 'attempt', task.attempt, 'source', source,
        name, piece[1])
      if i == 1 and log.tailed and not log.till then
        log.till = log.headed and last or log.head > 0 and log.last or '0-0'
      end
    end
    if #log.dropped > 0 then
      redis.call('XDEL', log.key, unpack(log.dropped))
    end
    redis.call('HSET', log.sizes, 'head', head, 'tail', tail,
      'last', last, unpack(log.till and { 'till', log.till } or {}))
    if seen then
      redis.call('HSET', log.sizes, 'attempt', task.attempt, 'seen', string.format('%.0f', seen))
    end
    redis.call('ZADD', logs_index(), namespace_now, id)
    redis.call('EXPIRE', log.key, 2592000)
    redis.call('HINCRBY', namespace_meta, 'logs', more)
    log.last = last
  end
  cold(11)(found)
  return log.last
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(26)(answer)
