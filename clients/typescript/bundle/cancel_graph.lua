--- Cancels all tasks of a graph that have not ended, or with `task` that one and those that need it, directly or through others: `settle` does it, in steps. What their owners report then is discarded.
-- @args now graph reason
-- @role client
-- @options task force by request
-- @reply `cancelling`
-- @errors NOTASK TOOBIG
-- @since 0.2.0

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(31)('BADARG', 'missing argument: ' .. what)
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
      clock = cold(19)()
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
      cold(20)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(21)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(22)(floor)
    end
  end
end

local function contract_arguments()
  local graph = cold(1)(args_next('graph'), 'graph')
  local reason = cold(4)(args_next('reason'), 1024, 'reason')
  return graph, reason
end

function cold(number)
if number < 23 then
if number < 12 then
if number < 6 then
if number < 3 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(31)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 2 args.flag
return function(value, what)
  if value ~= '0' and value ~= '1' then
    cold(31)('BADARG', what .. ' must be 0 or 1')
  end
  return value == '1'
end
end
else
if number < 4 then
-- 3 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(31)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
if number < 5 then
-- 4 args.bytes
return function(value, most, what)
  if #value > most then
    cold(31)('TOOBIG', string.format('%s is %d bytes, over the limit of %d: store it elsewhere and pass a reference',
      what, #value, most))
  end
  return value
end
else
-- 5 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(31)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(31)('BADARG', 'an option is given twice')
    end
    found[name] = cold(45)(name, value)
    if found[name] == nil then
      cold(31)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
end
end
end
else
if number < 9 then
if number < 7 then
-- 6 audit.key
return function()
  return namespace_prefix .. 'audit'
end
else
if number < 8 then
-- 7 audit.plan
return function()
  cold(26)('XLEN', cold(6)())
end
else
-- 8 audit.add
return function(by, what, of, on, before, after, detail)
  local function cut(text)
    return string.sub(text or '', 1, 256)
  end
  redis.call('XADD', cold(6)(), 'MAXLEN', '~', cold(44)('*', 'audit'), '*', 'at', namespace_now, 'by', by or '',
    'what', what, 'of', of, 'on', on, 'before', cut(before), 'after', cut(after), 'detail', cut(detail))
end
end
end
else
if number < 10 then
-- 9 graphs.key
return function(graph)
  return cold(23)('graph', graph)
end
else
if number < 11 then
-- 10 graphs.due
return function()
  return namespace_prefix .. 'graphs_due'
end
else
-- 11 graphs.chosen
return function(graph)
  return cold(23)('chosen', graph)
end
end
end
end
end
else
if number < 17 then
if number < 14 then
if number < 13 then
-- 12 graphs.is_created
return function(id)
  return redis.call('HGET', cold(9)(id), 'state') == 'created'
end
else
-- 13 graphs.require
return function(id, tasks)
  if not cold(12)(id) then
    cold(27)(cold(9)(id))
    cold(31)('NOTASK', 'no graph has this id: it was never submitted, or all its tasks were deleted')
  end
  for _, task in ipairs(tasks or {}) do
    if redis.call('HGET', cold(23)('task', task), 'graph') ~= id then
      cold(31)('NOTASK', 'the graph has no such task, or it was deleted')
    end
  end
end
end
else
if number < 15 then
-- 14 graphs.walk_fields
return function()
  return 'doing', 'at', 'task', 'reason', 'force', 'changed', 'refused', 'part', 'end_by'
end
else
if number < 16 then
-- 15 graphs.plan_walk
return function(id)
  cold(26)('HLEN', cold(9)(id))
  cold(26)('ZCARD', cold(10)())
  cold(26)('ZCARD', cold(11)(id))
end
else
-- 16 graphs.begin_walk
return function(id, doing, ...)
  cold(17)(id, doing, ...)
  redis.call('UNLINK', cold(11)(id))
end
end
end
end
else
if number < 20 then
if number < 18 then
-- 17 graphs.set_walk
return function(id, doing, ...)
  redis.call('HDEL', cold(9)(id), cold(14)())
  redis.call('HSET', cold(9)(id), 'doing', doing, 'at', '0', ...)
  redis.call('ZADD', cold(10)(), namespace_now, id)
end
else
if number < 19 then
-- 18 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
-- 19 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(31)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(31)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
end
end
else
if number < 21 then
-- 20 namespace.use_test_time
return function(now)
  namespace_now_us = cold(3)(now or cold(31)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(31)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(18)(namespace_now_us)
end
else
if number < 22 then
-- 21 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(18)(namespace_now_us)
end
else
-- 22 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
end
end
end
end
end
else
if number < 34 then
if number < 28 then
if number < 25 then
if number < 24 then
-- 23 namespace.key
return function(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end
else
-- 24 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
end
else
if number < 26 then
-- 25 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
else
if number < 27 then
-- 26 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(25)(key)
  end
  return redis.call(command, key)
end
else
-- 27 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(31)(cold(33)())
  end
end
end
end
end
else
if number < 31 then
if number < 29 then
-- 28 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(43)()
  if namespace_declared then
    cold(29)(first, ...)
  end
end
else
if number < 30 then
-- 29 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(27)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(43)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
else
-- 30 namespace.write_when_full
return function(key)
  redis.call('HDEL', key, '')
end
end
end
else
if number < 32 then
-- 31 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(32)() then
    code, text = cold(33)()
  end
  error({ err = code .. ' ' .. text })
end
else
if number < 33 then
-- 32 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
-- 33 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
end
end
end
end
else
if number < 40 then
if number < 37 then
if number < 35 then
-- 34 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(33)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
else
if number < 36 then
-- 35 requests.key
return function()
  return namespace_prefix .. 'requests'
end
else
-- 36 requests.find
return function(command, request)
  if not request then
    return false
  end
  local own = cold(24)('request')
  own.field = command .. ' ' .. request
  local found = redis.call('HMGET', cold(25)(cold(35)()), own.field, 'first', 'last')
  own.first, own.last = tonumber(found[2]) or 1, tonumber(found[3]) or 0
  if found[1] then
    return true, cold(39)(found[1])
  end
  return false
end
end
end
else
if number < 38 then
-- 37 requests.keep
return function(answer)
  local own = cold(24)('request')
  if not own.begun then
    return answer
  end
  local key, first, last = cold(35)(), own.first, own.last + 1
  local known = last > 1 and first
  cold(30)(key)
  redis.call('HSET', key, own.field, cold(38)(answer), 'last', string.format('%.0f', last),
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
if number < 39 then
-- 38 requests.text
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
-- 39 requests.read
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
end
else
if number < 43 then
if number < 41 then
-- 40 rights.denied
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
if number < 42 then
-- 41 rights.refuse
return function(name)
  local role = string.match('CLIENT', '^%u+$')
  if role and not cold(40)({ name }, 'meta') then
    cold(31)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(31)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
-- 42 rights.check
return function(names)
  local name = cold(40)(names, 'CLIENT')
  if name then
    cold(41)(name)
  end
end
end
end
else
if number < 44 then
-- 43 rights.require
return function()
  cold(42)({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HMGET', 'HSET', 'UNLINK', 'XADD', 'ZADD', 'ZCARD' })
end
else
if number < 45 then
-- 44 settings.get
return function(queue, name)
  local texts = cold(24)('settings')
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
-- 45 contract.option
return function(name, value)
  if name == 'task' or name == 'by' or name == 'request' then
    return cold(1)(value, name)
  elseif name == 'force' then
    return cold(2)(value, name)
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
  local id, reason = contract_arguments()
  local options = cold(5)()
  local done, answer = cold(36)('cancel_graph', options.request)
  if done then
    return answer
  end
  cold(13)(id, { options.task })
  cold(15)(id)
  cold(7)()
  cold(28)()
  local more = {}
  if options.task then
    more = { 'task', options.task }
  end
  if options.force then
    more[#more + 1], more[#more + 2] = 'force', '1'
  end
  cold(16)(id, options.task and 'mark_cancel' or 'cancel', 'reason', reason, unpack(more))
  cold(8)(options.by, 'cancel_graph', 'graph', id, '', 'cancelling', reason)
  return cold(37)('cancelling')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(34)(answer)
