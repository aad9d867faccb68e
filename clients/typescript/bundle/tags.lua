--- The tags of a queue's tasks, the most used first.
-- @args now queue cursor limit
-- @reply next cursor (0 at the end), then for each tag its name and its number of tasks
-- @errors

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(11)('BADARG', 'missing argument: ' .. what)
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
      clock = cold(7)()
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
      cold(8)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(9)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(10)(floor)
    end
  end
end

local function namespace_key(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end

local function contract_arguments()
  local queue = cold(1)(args_next('queue'), 'queue')
  local cursor = cold(15)(args_next('cursor'), 'cursor')
  local limit = cold(2)(args_next('limit'), 1, 500, 'limit')
  cold(4)()
  return queue, cursor, limit
end

function cold(number)
if number < 10 then
if number < 5 then
if number < 3 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(11)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 2 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(11)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
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
    cold(11)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
-- 4 args.none
return function()
  if #ARGV > args_at then
    cold(11)('BADARG', 'too many arguments: this command takes no options')
  end
end
end
end
else
if number < 7 then
if number < 6 then
-- 5 args.before
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
-- 6 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
end
else
if number < 8 then
-- 7 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(11)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(11)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
if number < 9 then
-- 8 namespace.use_test_time
return function(now)
  namespace_now_us = cold(3)(now or cold(11)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(11)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(6)(namespace_now_us)
end
else
-- 9 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(6)(namespace_now_us)
end
end
end
end
end
else
if number < 15 then
if number < 12 then
if number < 11 then
-- 10 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
-- 11 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(12)() then
    code, text = cold(13)()
  end
  error({ err = code .. ' ' .. text })
end
end
else
if number < 13 then
-- 12 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
if number < 14 then
-- 13 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
-- 14 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(13)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
end
end
end
else
if number < 17 then
if number < 16 then
-- 15 search.cursor
return function(text)
  return cold(16)(text, '^([%d.e+-]+)/(.*)$')
end
else
-- 16 search.place
return function(text, pattern)
  if text == '0' then
    return nil
  end
  local score, name, till = string.match(text, pattern)
  if not score or #text > 1024 or not tonumber(score) or till and not tonumber(till) then
    cold(11)('BADARG', 'the cursor must be 0 or what the previous call returned')
  end
  return { score = string.format('%.17g', tonumber(score)), name = name, till = till }
end
end
else
if number < 18 then
-- 17 search.rank
return function(index, cursor)
  local score, name = cursor.score, cursor.name
  local found = redis.call('ZSCORE', index, name)
  if found and tonumber(found) == tonumber(score) then
    return redis.call('ZRANK', index, name), 1
  end
  local low, high = redis.call('ZCOUNT', index, '-inf', '(' .. score), redis.call('ZCOUNT', index, '-inf', score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if cold(5)(redis.call('ZRANGE', index, middle, middle)[1], name) then
      low = middle + 1
    else
      high = middle
    end
  end
  return low, 0
end
else
if number < 19 then
-- 18 search.page
return function(index, from, limit)
  local cursor, first = from.cursor, from.score
  local rank, here
  if cursor then
    rank, here = cold(17)(index, cursor)
  end
  local page
  if from.backwards then
    local start = redis.call('ZCARD', index) - (rank or redis.call('ZCOUNT', index, '-inf', first))
    page = redis.call('ZREVRANGE', index, start, start + limit - 1, 'WITHSCORES')
  else
    local start = rank and rank + here or redis.call('ZCOUNT', index, '-inf', '(' .. first)
    page = redis.call('ZRANGE', index, start, start + limit - 1, 'WITHSCORES')
  end
  return page, #page < 2 * limit and '0' or cold(19)(page, #page - 1)
end
else
-- 19 search.after
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
  local queue, cursor, limit = contract_arguments()
  local page, after = cold(18)(
    namespace_key('tags', queue), { backwards = true, cursor = cursor, score = '+inf' }, limit)
  local answer = { after }
  for i = 1, #page, 2 do
    answer[#answer + 1] = page[i]
    answer[#answer + 1] = tonumber(page[i + 1])
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(14)(answer)
