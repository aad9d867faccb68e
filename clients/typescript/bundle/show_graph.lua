--- The tasks of a graph, in the order in which they were submitted.
-- @args now graph cursor limit
-- @reply nil if there is no such graph; else next cursor (0 at the end), `staging` or `created`, when that was, number of tasks, its name; how many are complete, failed and cancelled; what is under way: `cancel`, `retry`, `anew`, or empty; then for each task its id, queue and status, how many tasks it still waits for, the cause of its end if that is another task, its label, and what it waits for as submitted. What was deleted has no queue
-- @errors
-- @since 0.2.0

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(25)('BADARG', 'missing argument: ' .. what)
end

local namespace_meta = KEYS[1] or ''

local namespace_prefix = string.sub(namespace_meta, 1, -5)

local namespace_declared = not string.find(namespace_meta, '^[^_{]*_meta$') and {}

local namespace_gap = false

local namespace_now_us = 0

local namespace_now = ''

local function namespace_open()
  do
    local clock = redis.call('HGET', namespace_meta, 'clock:1')
    if not clock or #KEYS ~= 1 or namespace_declared and not string.find(namespace_meta, '^[^_]*_meta$') then
      clock = cold(15)()
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
      cold(16)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(17)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(18)(floor)
    end
  end
end

local function namespace_key(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end

local function contract_arguments()
  local graph = cold(1)(args_next('graph'), 'graph')
  local cursor = cold(4)(args_next('cursor'), 'cursor')
  local limit = cold(2)(args_next('limit'), 1, 500, 'limit')
  cold(5)()
  return graph, cursor, limit
end

function cold(number)
if number < 15 then
if number < 8 then
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
-- 2 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(25)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
else
-- 3 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(25)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
end
else
if number < 6 then
if number < 5 then
-- 4 args.cursor
return function(value)
  if #value > 16 or value ~= '0' and not string.find(value, '^[1-9]%d*$') then
    cold(25)('BADARG', 'the cursor must be 0 or what the previous call returned')
  end
  return value
end
else
-- 5 args.none
return function()
  if #ARGV > args_at then
    cold(25)('BADARG', 'too many arguments: this command takes no options')
  end
end
end
else
if number < 7 then
-- 6 edges.upstreams
return function(id)
  return namespace_prefix .. 'upstreams_' .. id
end
else
-- 7 edges.inputs
return function(id)
  return namespace_prefix .. 'inputs_' .. id
end
end
end
end
else
if number < 11 then
if number < 9 then
-- 8 edges.open
return function(id, ties)
  local key = cold(6)(id)
  local open = redis.call('HLEN', key)
  if ties and string.find(ties, 'k', 1, true) then
    return cold(24)(id, open)
  end
  return open, redis.call('HSCAN', key, '0', 'COUNT', 1)[2][1]
end
else
if number < 10 then
-- 9 graphs.key
return function(graph)
  return namespace_key('graph', graph)
end
else
-- 10 graphs.tasks
return function(graph)
  return namespace_key('members', graph)
end
end
end
else
if number < 13 then
if number < 12 then
-- 11 graphs.chosen
return function(graph)
  return namespace_key('chosen', graph)
end
else
-- 12 graphs.find
return function(id)
  local v = redis.call('HMGET', cold(19)(cold(9)(id)), 'state', 'created', 'total', 'name', 'released')
  return v[1] and { id = id, state = v[1], created = v[2], total = tonumber(v[3]), name = v[4] or '',
    released = tonumber(v[5] or 0) } or nil
end
end
else
if number < 14 then
-- 13 graphs.runs_anew
return function(graph, id)
  local doing = redis.call('HGET', cold(9)(graph), 'doing')
  return (doing == 'anew' or doing == 'mark_anew')
    and tonumber(redis.call('ZSCORE', cold(11)(graph), id) or 0) > 0
end
else
-- 14 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
end
end
end
end
else
if number < 22 then
if number < 18 then
if number < 16 then
-- 15 namespace.check_new
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
if number < 17 then
-- 16 namespace.use_test_time
return function(now)
  namespace_now_us = cold(3)(now or cold(25)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(25)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(14)(namespace_now_us)
end
else
-- 17 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(14)(namespace_now_us)
end
end
end
else
if number < 20 then
if number < 19 then
-- 18 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
-- 19 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
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
-- 21 quorum.fields
return function()
  return 'least', 'some', 'missed', 'turn', 'owed'
end
end
end
end
else
if number < 26 then
if number < 24 then
if number < 23 then
-- 22 quorum.read
return function(id)
  local v = redis.call('HMGET', cold(19)(cold(7)(id)), cold(21)())
  return { least = tonumber(v[1] or 0), left = tonumber(v[2] or 0), missed = tonumber(v[3] or 0),
    turn = tonumber(v[4] or 1), owed = tonumber(v[5] or 0) }
end
else
-- 23 quorum.chances
return function(set)
  return set.left - set.missed + set.owed
end
end
else
if number < 25 then
-- 24 quorum.open
return function(id, open)
  local set, first = cold(22)(id), nil
  local is_short = set.least > cold(23)(set)
  open = open - set.left - set.owed + (set.least > 0 and cold(23)(set) or set.owed)
  local found = redis.call('HSCAN', cold(6)(id), '0', 'COUNT', 100)[2]
  for i = 1, #found, 2 do
    local kind, mark = string.match(found[i + 1], '^(%l+)(%d*)')
    if kind ~= 'some' or mark == '0' then
      return open, found[i], set
    elseif (tonumber(mark) == set.turn) == is_short then
      first = first or found[i]
    end
  end
  return open, first or found[1], set
end
else
-- 25 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(26)() then
    code, text = cold(27)()
  end
  error({ err = code .. ' ' .. text })
end
end
end
else
if number < 28 then
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
-- 29 contract.is_final
return function(status)
  return status == 'complete' or status == 'failed' or status == 'cancelled'
end
end
end
end
end
end
end

local function command()
  namespace_open()
  local id, cursor, limit = contract_arguments()
  local graph = cold(12)(id)
  if not graph then
    cold(20)(cold(9)(id))
    return false
  end
  local from = tonumber(cursor)
  local ids = redis.call('LRANGE', cold(10)(id), from, from + limit - 1)
  local counts = redis.call('HMGET', cold(9)(id), 'complete', 'failed', 'cancelled', 'doing')
  local doing = string.gsub(counts[4] or '', '^mark_', '')
  local answer = { #ids < limit and '0' or string.format('%.0f', from + limit), graph.state, graph.created, graph.total,
    graph.name, counts[1] or '0', counts[2] or '0', counts[3] or '0', doing == 'repair' and 'retry' or doing }
  for _, task in ipairs(ids) do
    local v = redis.call('HMGET', namespace_key('task', task), 'queue', 'status', 'cause', 'label', 'inputs', 'graph',
      'ties')
    if v[6] ~= id then
      v = {}
    end
    local status = v[2] or v[1] and 'waiting' or 'deleted'
    if doing == 'anew' and cold(29)(status) and cold(13)(id, task) then
      status = 'waiting'
    end
    for _, fact in ipairs({ task, v[1] or '', status, status == 'waiting' and cold(8)(task, v[7]) or 0, v[3] or '',
      v[4] or '', v[5] or '' }) do
      answer[#answer + 1] = fact
    end
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(28)(answer)
