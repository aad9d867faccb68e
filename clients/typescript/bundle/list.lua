--- Ids of a queue's tasks in one state, or `all`. Pending: by priority, then in the order in which they became pending, without regard to limits, needs, turns of keys and ageing; scheduled: by eta; reserved and started: in no order; all: by creation; others: the latest first.
-- @args now queue status cursor limit
-- @reply next cursor (0 at the end), then ids
-- @errors

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(24)('BADARG', 'missing argument: ' .. what)
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
      clock = cold(14)()
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
      cold(15)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(16)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(17)(floor)
    end
  end
end

local function namespace_key(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end

local function contract_arguments()
  local queue = cold(1)(args_next('queue'), 'queue')
  local status = cold(2)(args_next('status'), ' waiting scheduled pending reserved started complete failed cancelled all ', 'status')
  local cursor = args_next('cursor')
  local limit = cold(5)(args_next('limit'), 1, 500, 'limit')
  cold(8)()
  return queue, status, cursor, limit
end

function cold(number)
if number < 16 then
if number < 8 then
if number < 4 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(24)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
if number < 3 then
-- 2 args.word
return function(value, words, what)
  if not cold(4)(value, words) then
    cold(24)('BADARG', what .. ' must be ' .. cold(3)(words, 'or'))
  end
  return value
end
else
-- 3 args.listed
return function(words, last)
  local list = string.gsub(string.sub(words, 2, -2), ' ', ', ')
  return (string.gsub(list, ', (%S+)$', ' ' .. last .. ' %1'))
end
end
end
else
if number < 6 then
if number < 5 then
-- 4 args.among
return function(value, words)
  return string.find(value, '^[%l_]+$') and string.find(words, ' ' .. value .. ' ') ~= nil
end
else
-- 5 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(24)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
end
else
if number < 7 then
-- 6 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(24)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
-- 7 args.cursor
return function(value)
  if #value > 16 or value ~= '0' and not string.find(value, '^[1-9]%d*$') then
    cold(24)('BADARG', 'the cursor must be 0 or what the previous call returned')
  end
  return value
end
end
end
end
else
if number < 12 then
if number < 10 then
if number < 9 then
-- 8 args.none
return function()
  if #ARGV > args_at then
    cold(24)('BADARG', 'too many arguments: this command takes no options')
  end
end
else
-- 9 fairness.rank
return function(us)
  return string.format('%016.0f', us)
end
end
else
if number < 11 then
-- 10 fairness.front_rank
return function(us)
  return '-' .. cold(9)(9007199254740991 - us)
end
else
-- 11 fairness.list_rank
return function(updated, front)
  local us = (tonumber(updated) or -1) * 1000000
  if not (us >= 0 and us <= namespace_now_us) then
    us = namespace_now_us
  end
  return front and cold(10)(us) or cold(9)(us)
end
end
end
else
if number < 14 then
if number < 13 then
-- 12 fairness.sort_value
return function(rank)
  if string.sub(rank, 1, 1) == '-' then
    return tonumber(string.sub(rank, 2)) - 9007199254740992
  end
  return tonumber(rank)
end
else
-- 13 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
end
else
if number < 15 then
-- 14 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(24)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(24)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
-- 15 namespace.use_test_time
return function(now)
  namespace_now_us = cold(6)(now or cold(24)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(24)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(13)(namespace_now_us)
end
end
end
end
end
else
if number < 24 then
if number < 20 then
if number < 18 then
if number < 17 then
-- 16 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(13)(namespace_now_us)
end
else
-- 17 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
end
else
if number < 19 then
-- 18 positions.list_order
return function(queue)
  local list = namespace_key('pending_tasks', queue)
  return { number = redis.call('LLEN', list), read = function(first, last, bare)
    local ids, ranks = {}, {}
    local page = redis.call('LRANGE', list, -last - 1, -first - 1)
    for i = #page, 1, -1 do
      ids[#ids + 1] = page[i]
      local v = bare and {} or redis.call('HMGET', namespace_prefix .. 'task_' .. page[i], 'updated', 'front')
      ranks[#ranks + 1] = not bare and cold(12)(cold(11)(v[1], v[2])) or nil
    end
    return ids, ranks
  end }
end
else
-- 19 positions.ranked_order
return function(queue, low, high, before)
  local lane = namespace_key('lane_tasks', queue)
  return { number = redis.call('ZCOUNT', lane, low, high), read = function(first, last)
    local ids, ranks = {}, {}
    for _, member in ipairs(redis.call('ZRANGE', lane, before + first, before + last)) do
      local rank, id = string.match(member, '^(%S+) (%S+)$')
      ids[#ids + 1], ranks[#ranks + 1] = id, cold(12)(rank)
    end
    return ids, ranks
  end }
end
end
end
else
if number < 22 then
if number < 21 then
-- 20 positions.scheduled_order
return function(kind, queue)
  local set = namespace_key(kind, queue)
  return { number = redis.call('ZCARD', set), read = function(first, last)
    local ids, spots = {}, {}
    local page = redis.call('ZRANGE', set, first, last, 'WITHSCORES')
    for i = 1, #page, 2 do
      ids[#ids + 1], spots[#spots + 1] = page[i], tonumber(page[i + 1])
    end
    return ids, spots
  end }
end
else
-- 21 positions.split
return function(one, other, from)
  local low, high = math.max(0, from - other.number), math.min(one.number, from)
  if low < high and from <= 100 then
    return 0, 0
  end
  while low < high do
    local middle = math.floor((low + high) / 2)
    local _, mine = one.read(middle, middle)
    local _, rival = other.read(from - middle - 1, from - middle - 1)
    if mine[1] and rival[1] and mine[1] <= rival[1] then
      low = middle + 1
    else
      high = middle
    end
  end
  return low, from - low
end
end
else
if number < 23 then
-- 22 positions.page
return function(one, other, from, limit)
  local at, by = cold(21)(one, other, from)
  local skipped = from - at - by
  local far = skipped + limit - 1
  local bare = at >= one.number or by >= other.number
  local mine, ranks = one.read(at, at + far, bare)
  local theirs, rivals = {}, {}
  if by < other.number then
    theirs, rivals = other.read(by, math.min(by + far, other.number - 1), bare)
  end
  local ids, i, j = {}, 1, 1
  for n = 1, math.min(far + 1, #mine + #theirs) do
    local id
    if not theirs[j] or mine[i] and ranks[i] <= rivals[j] then
      id, i = mine[i], i + 1
    else
      id, j = theirs[j], j + 1
    end
    if n > skipped then
      ids[#ids + 1] = id
    end
  end
  return ids
end
else
-- 23 positions.list
return function(queue, from, limit)
  local plain = cold(18)(queue)
  if redis.call('EXISTS', namespace_key('lane_tasks', queue)) == 0 then
    return (plain.read(from, from + limit - 1, true))
  end
  local ids = {}
  local urgent = cold(19)(queue, '-inf', '(0', 0)
  local level = cold(19)(queue, 0, 0, urgent.number)
  local low = cold(19)(queue, '(0', '+inf', urgent.number + level.number)
  local before, last = 0, from + limit - 1
  for _, part in ipairs({ { urgent }, { plain, level }, { low } }) do
    local number = part[1].number + (part[2] and part[2].number or 0)
    local first = math.max(0, from - before)
    local most = math.min(number, last - before + 1) - first
    local page = {}
    if most > 0 and part[2] then
      page = cold(22)(part[1], part[2], first, most)
    elseif most > 0 then
      page = part[1].read(first, first + most - 1)
    end
    for _, id in ipairs(page) do
      ids[#ids + 1] = id
    end
    before = before + number
  end
  return ids
end
end
end
end
else
if number < 28 then
if number < 26 then
if number < 25 then
-- 24 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(25)() then
    code, text = cold(26)()
  end
  error({ err = code .. ' ' .. text })
end
else
-- 25 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
end
else
if number < 27 then
-- 26 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
-- 27 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(26)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
end
end
else
if number < 30 then
if number < 29 then
-- 28 reservations.cursor
return function(value)
  if #value > 1024 or not string.find(value, '^lists/%d+/%d+/') then
    return cold(7)(value)
  end
  local at, offset = string.match(value, '^lists/(%d+)/(%d+)/')
  cold(7)(at)
  cold(7)(offset)
  return value
end
else
-- 29 reservations.list
return function(queue, at, limit, ids)
  local offset, looks = at.offset, at.looks
  local list = redis.call('LRANGE', namespace_key('reserved_tasks', queue .. '_' .. at.listener),
    offset, offset + looks)
  for i, id in ipairs(list) do
    if i > looks or #ids >= limit then
      return i - 1, true
    end
    local v = redis.call('HMGET', namespace_prefix .. 'task_' .. id, 'status', 'token')
    if v[1] == 'reserved'
      and not (v[2] and redis.call('ZSCORE', namespace_key('leases', queue), id .. ' ' .. v[2])) then
      ids[#ids + 1] = id
    end
  end
  return #list, false
end
end
else
if number < 31 then
-- 30 reservations.lists
return function(queue, cursor, limit, ids)
  local at, offset, first = string.match(cursor, '^lists/(%d+)/(%d+)/(.*)$')
  local looks = 500
  repeat
    local page = redis.call('SSCAN', namespace_key('listeners', queue), at, 'COUNT', 100)
    local start = 1
    for i, listener in ipairs(page[2]) do
      start = listener == first and i or start
    end
    offset = page[2][start] == first and tonumber(offset) or 0
    for i = start, #page[2] do
      local looked, more = cold(29)(queue, { listener = page[2][i], offset = offset, looks = looks },
        limit, ids)
      looks = looks - looked - 1
      if more or looks <= 0 and (i < #page[2] or page[1] ~= '0') then
        local next = more and page[2][i] or page[2][i + 1]
        return next and string.format('lists/%s/%.0f/%s', at, more and offset + looked or 0, next)
          or 'lists/' .. page[1] .. '/0/'
      end
      offset = 0
    end
    at, offset, first = page[1], '0', ''
  until at == '0'
  return '0'
end
else
-- 31 reservations.page
return function(queue, cursor, limit, ids)
  if string.sub(cursor, 1, 6) == 'lists/' then
    return cold(30)(queue, cursor, limit, ids)
  end
  local page = redis.call('ZSCAN', namespace_key('leases', queue), cursor, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local id = string.match(page[2][i], '^%S+')
    if redis.call('HGET', namespace_prefix .. 'task_' .. id, 'status') == 'reserved' then
      ids[#ids + 1] = id
    end
  end
  if page[1] ~= '0' then
    return page[1]
  end
  return #ids < limit and cold(30)(queue, 'lists/0/0/', limit, ids) or 'lists/0/0/'
end
end
end
end
end
end
end

local function command()
  namespace_open()
  local queue, status, cursor, limit = contract_arguments()
  cursor = status == 'reserved' and cold(28)(cursor) or cold(7)(cursor)
  local from = tonumber(cursor)

  local ids, after = {}, nil
  if status == 'pending' then
    ids = cold(23)(queue, from, limit)
  elseif status == 'scheduled' then
    ids = cold(22)(cold(20)('scheduled_tasks', queue),
      cold(20)('scheduled_lane_tasks', queue), from, limit)
  elseif status == 'waiting' then
    ids = redis.call('ZREVRANGE', namespace_key('waiting_tasks', queue), from, from + limit - 1)
  elseif status == 'all' then
    ids = redis.call('ZRANGE', namespace_key('tasks', queue), from, from + limit - 1)
  elseif status == 'started' then
    local page = redis.call('SSCAN', namespace_key('started_tasks', queue), cursor, 'COUNT', limit)
    after = page[1]
    for _, entry in ipairs(page[2]) do
      ids[#ids + 1] = string.match(entry, '(%S*)$')
    end
  elseif status == 'reserved' then
    after = cold(31)(queue, cursor, limit, ids)
  else
    ids = redis.call('LRANGE', namespace_key(status .. '_tasks', queue), from, from + limit - 1)
  end
  table.insert(ids, 1, after or (#ids < limit and '0' or string.format('%.0f', from + limit)))
  return ids
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(27)(answer)
