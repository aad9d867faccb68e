--- The graphs of the namespace, the latest first.
-- @args now cursor limit
-- @reply next cursor (0 at the end), then for each graph its id, `staging` or `created`, when that was, number of tasks, how many of those are not deleted, and how many of these are complete, failed and cancelled, its name and its tags
-- @errors
-- @since 0.2.0

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(13)('BADARG', 'missing argument: ' .. what)
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
      clock = cold(8)()
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
      cold(9)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(10)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(11)(floor)
    end
  end
end

local function contract_arguments()
  local cursor = cold(17)(args_next('cursor'), 'cursor')
  local limit = cold(1)(args_next('limit'), 1, 500, 'limit')
  cold(3)()
  return cursor, limit
end

function cold(number)
if number < 11 then
if number < 6 then
if number < 3 then
if number < 2 then
-- 1 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(13)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
else
-- 2 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(13)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
else
if number < 4 then
-- 3 args.none
return function()
  if #ARGV > args_at then
    cold(13)('BADARG', 'too many arguments: this command takes no options')
  end
end
else
if number < 5 then
-- 4 args.before
return function(one, other)
  for i = 1, math.min(#one, #other) do
    local a, b = string.byte(one, i), string.byte(other, i)
    if a ~= b then
      return a < b
    end
  end
  return #one < #other
end
else
-- 5 graphs.key
return function(graph)
  return cold(12)('graph', graph)
end
end
end
end
else
if number < 8 then
if number < 7 then
-- 6 graphs.all
return function()
  return namespace_prefix .. 'graphs'
end
else
-- 7 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
end
else
if number < 9 then
-- 8 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(13)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(13)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
if number < 10 then
-- 9 namespace.use_test_time
return function(now)
  namespace_now_us = cold(2)(now or cold(13)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(13)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(7)(namespace_now_us)
end
else
-- 10 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(7)(namespace_now_us)
end
end
end
end
end
else
if number < 16 then
if number < 13 then
if number < 12 then
-- 11 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
-- 12 namespace.key
return function(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end
end
else
if number < 14 then
-- 13 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(14)() then
    code, text = cold(15)()
  end
  error({ err = code .. ' ' .. text })
end
else
if number < 15 then
-- 14 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
-- 15 reply.elsewhere
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
else
if number < 19 then
if number < 17 then
-- 16 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(15)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
else
if number < 18 then
-- 17 search.cursor
return function(text)
  return cold(18)(text, '^([%d.e+-]+)/(.*)$')
end
else
-- 18 search.place
return function(text, pattern)
  if text == '0' then
    return nil
  end
  local score, name, till = string.match(text, pattern)
  if not score or #text > 1024 or not tonumber(score) or till and not tonumber(till) then
    cold(13)('BADARG', 'the cursor must be 0 or what the previous call returned')
  end
  return { score = string.format('%.17g', tonumber(score)), name = name, till = till }
end
end
end
else
if number < 20 then
-- 19 search.rank
return function(index, cursor)
  local score, name = cursor.score, cursor.name
  local found = redis.call('ZSCORE', index, name)
  if found and tonumber(found) == tonumber(score) then
    return redis.call('ZRANK', index, name), 1
  end
  local low, high = redis.call('ZCOUNT', index, '-inf', '(' .. score), redis.call('ZCOUNT', index, '-inf', score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if cold(4)(redis.call('ZRANGE', index, middle, middle)[1], name) then
      low = middle + 1
    else
      high = middle
    end
  end
  return low, 0
end
else
if number < 21 then
-- 20 search.page
return function(index, from, limit)
  local cursor, first = from.cursor, from.score
  local rank, here
  if cursor then
    rank, here = cold(19)(index, cursor)
  end
  local page
  if from.backwards then
    local start = redis.call('ZCARD', index) - (rank or redis.call('ZCOUNT', index, '-inf', first))
    page = redis.call('ZREVRANGE', index, start, start + limit - 1, 'WITHSCORES')
  else
    local start = rank and rank + here or redis.call('ZCOUNT', index, '-inf', '(' .. first)
    page = redis.call('ZRANGE', index, start, start + limit - 1, 'WITHSCORES')
  end
  return page, #page < 2 * limit and '0' or cold(21)(page, #page - 1)
end
else
-- 21 search.after
return function(page, i)
  return page[i + 1] .. '/' .. page[i]
end
end
end
end
end
end
end

local function command()
  namespace_open()
  local cursor, limit = contract_arguments()
  local page, after = cold(20)(cold(6)(), { backwards = true, cursor = cursor, score = '+inf' }, limit)
  local answer = { after }
  for i = 1, #page, 2 do
    local v = redis.call('HMGET', cold(5)(page[i]), 'state', 'created', 'total', 'left', 'complete', 'failed',
      'cancelled', 'name', 'tags')
    if v[1] then
      for _, fact in ipairs({ page[i], v[1], v[2], v[3], v[4] or '0', v[5] or '0', v[6] or '0', v[7] or '0', v[8] or '',
        v[9] or '' }) do
        answer[#answer + 1] = fact
      end
    end
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(16)(answer)
