--- Adds a note to the history of a task, in any state. The setting `history` bounds notes and transitions together.
-- @args now id text
-- @role client
-- @options by data request
-- @reply `noted`
-- @errors NOTASK TOOBIG

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(25)('BADARG', 'missing argument: ' .. what)
end

local namespace_meta = KEYS[1] or ''

local namespace_prefix = string.sub(namespace_meta, 1, -5)

local namespace_declared = not string.find(namespace_meta, '^[^_{]*_meta$') and {}

local namespace_shared_tables = false

local namespace_gap = false

local namespace_now_us = 0

local namespace_now = ''

local function namespace_open()
  do
    local clock = redis.call('HGET', namespace_meta, 'clock:1')
    if not clock or #KEYS ~= 1 or namespace_declared and not string.find(namespace_meta, '^[^_]*_meta$') then
      clock = cold(11)()
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
      cold(12)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(13)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(14)(floor)
    end
  end
end

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

local function record_get(id, ...)
  local task = record_find(id, ...)
  if not task or task.queue == '' then
    cold(20)(namespace_prefix .. 'task_' .. id)
    cold(25)('NOTASK', 'no task has this id: it was never submitted, or was deleted, or removed by retention')
  end
  return task
end

local function contract_arguments()
  local id = cold(1)(args_next('id'), 'id')
  local text = cold(3)(args_next('text'), 1024, 'text')
  return id, text
end

function cold(number)
if number < 25 then
if number < 13 then
if number < 7 then
if number < 4 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(25)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
if number < 3 then
-- 2 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(25)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
-- 3 args.bytes
return function(value, most, what)
  if #value > most then
    cold(25)('TOOBIG', string.format('%s is %d bytes, over the limit of %d: store it elsewhere and pass a reference',
      what, #value, most))
  end
  return value
end
end
end
else
if number < 5 then
-- 4 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(25)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(25)('BADARG', 'an option is given twice')
    end
    found[name] = cold(48)(name, value)
    if found[name] == nil then
      cold(25)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
else
if number < 6 then
-- 5 history.fields
return function()
  return 'status', 'created', 'promoted', 'reserved', 'started', 'updated', 'node', 'attempt', 'outcome', 'group',
    'error', 'schedule', 'slot',
    'ended', 'cost', 'cost_of', 'readied'
end
else
-- 6 history.last
return function(key, created)
  local entry = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
  local v = entry and entry[2]
  if not v or tonumber(v[2]) < (tonumber(created) or 0) then
    return 0, 0, '', 0, v ~= nil, ''
  end
  return tonumber(string.match(entry[1], '^%d+')), tonumber(v[2]) or 0, v[6], tonumber(v[8]) or 0, false, v[12]
end
end
end
end
else
if number < 10 then
if number < 8 then
-- 7 history.derive
return function(v, since, reached, nth, cause)
  local status, created, promoted, reserved, started, updated, node, number, outcome, group, text, schedule, slot,
    ended, cost, cost_of, readied = unpack(v, 1, 17)
  local found = {}
  cost = ended and ended == cost_of and cost or ''
  promoted = promoted and tonumber(promoted) >= since and promoted
  readied = readied and tonumber(readied) >= since and readied
  number, node = number or '0', node or ''
  local function step(at, to, by, why, ...)
    found[#found + 1] = { at or '', reached, to, (reached == '' or reached == 'moved') and tostring(nth) or number,
      by, why, ... }
    reached = to
  end
  if reached == '' or reached == 'moved' then
    local moved = reached == 'moved'
    local why = moved and ((cause == 'next' or cause == 'again') and cause or 'move')
      or schedule and (slot and 'schedule' or 'run_schedule') or 'submit'
    step(moved and cold(10)(since * 1000000) or created,
      readied and 'waiting' or promoted and 'scheduled' or cold(47)(status) and status or 'pending',
      '', why, '', '', '', '')
  end
  if reached == 'waiting' and readied then
    reached = (promoted or status == 'scheduled') and 'scheduled' or 'pending'
    found[#found + 1] = { readied, 'waiting', reached, tostring(nth), '', 'ready', '', '', '', '' }
  end
  if reached == 'scheduled' and status ~= 'scheduled' and promoted then
    found[#found + 1] = { promoted, reached, 'pending', tostring(nth), '', 'promote', '', '', '', '' }
    reached = 'pending'
  end
  if reached == 'pending' and tonumber(number) > nth then
    if reserved or not started then
      step(reserved, 'reserved', node, 'reserve', '', '', '', '')
    else
      step(started, 'started', node, 'reserve', '', '', '', '')
    end
  end
  if reached == 'reserved' and started then
    step(started, 'started', node, 'start', '', '', '', '')
  end
  if reached == status then
    return found
  end
  if (reached == 'reserved' or reached == 'started') and status == outcome then
    step(updated, status, node, status == 'failed' and 'fail' or status, outcome,
      status == 'failed' and group or '', status == 'failed' and string.sub(text or '', 1, 256) or '', cost)
  elseif reached == 'pending' and status == 'cancelled' then
    step(updated, status, '', 'cancel', '', '', '', '')
  else
    step(updated, status, '', '', '', '', '', '')
  end
  return found
end
else
if number < 9 then
-- 8 history.plan
return function(task, to)
  if to == 'deleted' then
    cold(17)(cold(15)('history', task.id))
  elseif task.status then
    local key = cold(15)('history', task.id)
    cold(18)('XLEN', key)
    if namespace_declared and select(5, cold(6)(key, cold(24)(task.id))) then
      cold(19)()
    end
  end
end
else
-- 9 history.add
return function(task, event, outcome, group, text, cost)
  local key = cold(15)('history', task.id)
  local told = redis.call('HMGET', cold(15)('task', task.id), cold(5)())
  local number, since, reached, nth, stale, cause = cold(6)(key, told[2])
  if stale then
    redis.call('UNLINK', key)
  end
  local kept = cold(7)(told, since, reached, nth, cause)
  kept[#kept + 1] = { event.at, task.status, event.to, task.attempt, event.by, event.why, outcome, group, text, cost,
    unpack(event.note or {}) }
  local most = cold(38)(task.queue, 'history')
  for i, v in ipairs(kept) do
    redis.call('XADD', key, 'MAXLEN', most, string.format('%.0f-0', number + i),
      'at', v[1], 'from', v[2], 'to', v[3], 'attempt', v[4], 'by', v[5], 'why', v[6], 'outcome', v[7], 'group', v[8],
      'error', v[9], 'cost', v[10], unpack(v, 11))
  end
end
end
end
else
if number < 11 then
-- 10 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
if number < 12 then
-- 11 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(25)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(25)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
-- 12 namespace.use_test_time
return function(now)
  namespace_now_us = cold(2)(now or cold(25)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(25)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(10)(namespace_now_us)
end
end
end
end
end
else
if number < 19 then
if number < 16 then
if number < 14 then
-- 13 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(10)(namespace_now_us)
end
else
if number < 15 then
-- 14 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
-- 15 namespace.key
return function(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end
end
end
else
if number < 17 then
-- 16 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
else
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
end
end
else
if number < 22 then
if number < 20 then
-- 19 namespace.require_settled_slot
return function()
  cold(17)(namespace_prefix .. 'unmoved')
end
else
if number < 21 then
-- 20 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(25)(cold(27)())
  end
end
else
-- 21 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(37)()
  if namespace_declared then
    cold(22)(first, ...)
  end
end
end
end
else
if number < 23 then
-- 22 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(20)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(37)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
else
if number < 24 then
-- 23 namespace.write_when_full
return function(key)
  redis.call('HDEL', key, '')
end
else
-- 24 record.created
return function(id)
  return tonumber(redis.call('HGET', namespace_prefix .. 'task_' .. id, 'created') or 0)
end
end
end
end
end
end
else
if number < 37 then
if number < 31 then
if number < 28 then
if number < 26 then
-- 25 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(26)() then
    code, text = cold(27)()
  end
  error({ err = code .. ' ' .. text })
end
else
if number < 27 then
-- 26 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
-- 27 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
end
end
else
if number < 29 then
-- 28 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(27)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
else
if number < 30 then
-- 29 requests.key
return function()
  return namespace_prefix .. 'requests'
end
else
-- 30 requests.find
return function(command, request)
  if not request then
    return false
  end
  local own = cold(16)('request')
  own.field = command .. ' ' .. request
  local found = redis.call('HMGET', cold(17)(cold(29)()), own.field, 'first', 'last')
  own.first, own.last = tonumber(found[2]) or 1, tonumber(found[3]) or 0
  if found[1] then
    return true, cold(33)(found[1])
  end
  return false
end
end
end
end
else
if number < 34 then
if number < 32 then
-- 31 requests.keep
return function(answer)
  local own = cold(16)('request')
  if not own.begun then
    return answer
  end
  local key, first, last = cold(29)(), own.first, own.last + 1
  local known = last > 1 and first
  cold(23)(key)
  redis.call('HSET', key, own.field, cold(32)(answer), 'last', string.format('%.0f', last),
    string.format('#%.0f', last), namespace_now .. ' ' .. own.field)
  for _ = 1, 10 do
    local number = string.format('#%.0f', first)
    local at, field = string.match(redis.call('HGET', key, number) or '', '^(%S+) (.*)$')
    if first == last or at and first > last - 10000
      and tonumber(at) * 1000000 > namespace_now_us - 3600000000 then
      break
    end
    redis.call('HDEL', key, number, field or '')
    first = first + 1
  end
  if first ~= known then
    redis.call('HSET', key, 'first', string.format('%.0f', first))
  end
  redis.call('EXPIRE', key, 86400)
  return answer
end
else
if number < 33 then
-- 32 requests.text
return function(answer)
  if not answer then
    return ''
  elseif type(answer) == 'string' then
    return '"' .. answer
  end
  local parts, times = {}, 1
  for i, part in ipairs(answer) do
    if part == answer[i + 1] then
      times = times + 1
    else
      parts[#parts + 1] = (type(part) == 'number' and '#' or '') .. part .. (times > 1 and '*' .. times or '')
      times = 1
    end
  end
  return table.concat(parts, ' ')
end
else
-- 33 requests.read
return function(text)
  if text == '' then
    return false
  elseif string.sub(text, 1, 1) == '"' then
    return string.sub(text, 2)
  end
  local answer = {}
  for part, times in string.gmatch(text, '([^ *]+)%*?(%d*)') do
    local number = string.match(part, '^#(%d+)$')
    for _ = 1, tonumber(times) or 1 do
      answer[#answer + 1] = tonumber(number) or part
    end
  end
  return answer
end
end
end
else
if number < 35 then
-- 34 rights.denied
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
if number < 36 then
-- 35 rights.refuse
return function(name)
  local role = string.match('CLIENT', '^%u+$')
  if role and not cold(34)({ name }, 'meta') then
    cold(25)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(25)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
-- 36 rights.check
return function(names)
  local name = cold(34)(names, 'CLIENT')
  if name then
    cold(35)(name)
  end
end
end
end
end
end
else
if number < 43 then
if number < 40 then
if number < 38 then
-- 37 rights.require
return function()
  cold(36)({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HMGET', 'HSET', 'UNLINK', 'XADD', 'XREVRANGE', 'ZCARD' })
end
else
if number < 39 then
-- 38 settings.get
return function(queue, name)
  local texts = cold(16)('settings')
  local known = texts[queue] or redis.call('HMGET', namespace_meta, 'settings:' .. queue, 'settings')
  texts[queue] = known
  if known[name] == nil then
    local value_1_1
    do
      local own, common, name = known[1], known[2], name
      local pattern = ' ' .. name .. '=(%S+)'
      value_1_1 = own and string.match(' ' .. own, pattern) or common and string.match(' ' .. common, pattern)
        or string.match(' ' .. 'lease=60 grace=30 max_failures=0 backoff=exponential delay=10 max_delay=3600 jitter=20 max_losses=10 lost_delay=0 max_releases=1000 max_uncounted=10000 max_bytes=1048576 log_bytes=163840 logs_bytes=1073741824 input_bytes=8388608 graph_bytes=536870912 forget_after=300 closed=0 keep=50000 retain=604800 events=10000 audit=10000 history=100 statistics=30', pattern)
    end
    local value = value_1_1
    known[name] = value or false
  end
  return known[name] or nil
end
else
-- 39 state.time
return function(task)
  local since, now = task.since, namespace_now
  if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
    now = since
  end
  return now
end
end
end
else
if number < 41 then
-- 40 tracks.all
return function()
  return namespace_prefix .. 'tracked'
end
else
if number < 42 then
-- 41 tracks.key
return function()
  return namespace_prefix .. 'changes'
end
else
-- 42 tracks.has
return function(task)
  return task.ties and string.find(task.ties, 'o', 1, true)
end
end
end
end
else
if number < 46 then
if number < 44 then
-- 43 tracks.plan
return function()
  cold(18)('XLEN', cold(41)())
  cold(18)('ZCARD', cold(40)())
end
else
if number < 45 then
-- 44 tracks.plan_note
return function(task)
  if cold(42)(task) then
    cold(43)()
  end
end
else
-- 45 tracks.add
return function(task, at, what, from, to, by, why, text)
  redis.call('XADD', cold(41)(), 'MAXLEN', '~', '10000', '*', 'id', task.id, 'queue', task.queue, 'what', what,
    'from', from or '', 'to', to, 'attempt', task.attempt, 'at', at, 'by', by or '', 'why', why,
    'text', string.sub(text or '', 1, 1024))
  redis.pcall('PUBLISH', cold(41)(), '')
end
end
end
else
if number < 47 then
-- 46 tracks.note
return function(task, what, by, text, why)
  if cold(42)(task) then
    cold(45)(task, namespace_now, what, task.status, task.status, by, why or what, text)
  end
end
else
if number < 48 then
-- 47 contract.is_waiting
return function(status)
  return status == 'waiting' or status == 'scheduled' or status == 'pending'
end
else
-- 48 contract.option
return function(name, value)
  if name == 'by' or name == 'request' then
    return cold(1)(value, name)
  elseif name == 'data' then
    return cold(3)(value, 1024, name)
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
  namespace_open()
  local id, text = contract_arguments()
  local options = cold(4)()
  local done, answer = cold(30)('note', options.request)
  if done then
    return answer
  end

  local task = record_get(id, 'notes')
  cold(8)(task)
  cold(44)(task)
  cold(21)()
  redis.call('HSET', task.key, 'notes', string.format('%.0f', tonumber(task.extra[1] or 0) + 1))
  local event = { to = task.status, why = 'note', by = options.by or '', at = cold(39)(task),
    note = { 'note', text, 'data', options.data or '' } }
  cold(9)(task, event, '', '', '', '')
  cold(46)(task, 'note', options.by, text)
  return cold(31)('noted')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(28)(answer)
