--- What `reserve` will give out of a queue, in this order, as things are now, and what it passes over meanwhile and why. Takes nothing. With `listener` as that one is registered, or with `has` for one that offers that.
-- @args now queue limit
-- @options listener has
-- @reply for each task its id, why it is passed over, or an empty string if it is given out, and until when, if that is known: first those that are given out
-- @errors
-- @since 0.2.0

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(53)('BADARG', 'missing argument: ' .. what)
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
      clock = cold(20)()
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
      cold(21)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(22)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(23)(floor)
    end
  end
end

local function contract_arguments()
  local queue = cold(1)(args_next('queue'), 'queue')
  local limit = cold(3)(args_next('limit'), 1, 100, 'limit')
  return queue, limit
end

function cold(number)
if number < 37 then
if number < 19 then
if number < 10 then
if number < 5 then
if number < 3 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(53)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 2 args.listener
return function(value)
  if #value > 200 or not string.find(value, '^[%w.:-]+_%d+$') then
    cold(53)('BADNAME', 'a listener must be HOSTNAME_PID: letters, digits, . : - then _ and digits')
  end
  return value
end
end
else
if number < 4 then
-- 3 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(53)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
else
-- 4 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(53)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
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
      cold(53)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(53)('BADARG', 'an option is given twice')
    end
    found[name] = cold(72)(name, value)
    if found[name] == nil then
      cold(53)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
else
-- 6 args.has
return function(value, what)
  local number = 0
  for one in string.gmatch((value == '' or #value > 1024) and '' or value .. ',', '([^,]*),') do
    local name, amount = string.match(one, '^([%w_.-]+)(.*)$')
    number = number + 1
    if not name or #name > 64 or #amount > 17
      or amount ~= '' and not string.find(amount, '^=%d+%.?%d*$') then
      cold(53)('BADARG', what .. ' must be names, each with = and a number or without, separated by commas')
    end
  end
  if number > 32 or #value > 1024 then
    cold(53)('BADARG', what .. ' may be ' .. 32 .. ' at most, in '
      .. 1024 .. ' characters')
  end
  return value
end
end
else
if number < 8 then
-- 7 fairness.ranked_key
return function(queue, number)
  return namespace_prefix .. 'ranked_tasks_' .. queue .. (number == '' and '' or '/' .. number)
end
else
if number < 9 then
-- 8 fairness.tasks_key
return function(queue, key, number)
  return namespace_prefix .. 'key_tasks_' .. queue .. '/' .. key .. (number == '' and '' or '/' .. number)
end
else
-- 9 fairness.rank
return function(us)
  return string.format('%016.0f', us)
end
end
end
end
end
else
if number < 14 then
if number < 12 then
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
else
if number < 13 then
-- 12 fairness.sort_value
return function(rank)
  if string.sub(rank, 1, 1) == '-' then
    return tonumber(string.sub(rank, 2)) - 9007199254740992
  end
  return tonumber(rank)
end
else
-- 13 fairness.issued_at
return function(rank)
  local order = cold(12)(rank)
  return order < 0 and -order - 1 or order
end
end
end
else
if number < 16 then
if number < 15 then
-- 14 limits.starts_key
return function(queue, key)
  return namespace_prefix .. 'rate_' .. queue .. (key and '/' .. key or '')
end
else
-- 15 limits.of_key
return function(queue, key)
  local own, rate = string.match(redis.call('HGET', cold(24)('limits', queue), key) or '- -', '^(%S+) (%S+)$')
  own = tonumber(own ~= '-' and own or cold(58)(queue, 'key_concurrency'))
  if rate ~= '-' then
    return own, rate, 0
  end
  return own, cold(58)(queue, 'key_rate'), cold(59)(queue, 'key_rate')
end
end
else
if number < 17 then
-- 16 limits.start_expires
return function(starts, back, seconds, since)
  local last = tonumber(redis.call('LINDEX', starts, back) or nil)
  if last and last >= since and tonumber(redis.call('LINDEX', starts, 0)) <= namespace_now_us then
    return last + seconds * 1000000
  end
end
else
if number < 18 then
-- 17 limits.rate_allows
return function(starts, rate, since)
  if not rate then
    return true
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local free = cold(16)(starts, number - 1, seconds, since)
  if free and free > namespace_now_us then
    return false, free
  end
  return true
end
else
-- 18 limits.allowed_at
return function(starts, rate, since, before)
  if not rate then
    return 0
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local rounds = math.floor(before / number)
  local free = cold(16)(starts, number - 1 - before % number, seconds, since) or namespace_now_us
  return math.max(free, namespace_now_us) + rounds * seconds * 1000000
end
end
end
end
end
end
else
if number < 28 then
if number < 23 then
if number < 21 then
if number < 20 then
-- 19 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
-- 20 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(53)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(53)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
end
else
if number < 22 then
-- 21 namespace.use_test_time
return function(now)
  namespace_now_us = cold(4)(now or cold(53)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(53)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(19)(namespace_now_us)
end
else
-- 22 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(19)(namespace_now_us)
end
end
end
else
if number < 25 then
if number < 24 then
-- 23 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
-- 24 namespace.key
return function(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end
end
else
if number < 26 then
-- 25 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
else
if number < 27 then
-- 26 needs.class
return function(task)
  if task.shared then
    return (task.needs or '') .. '|' .. task.shared
  end
  return task.needs
end
else
-- 27 needs.number
return function(queue, wanted)
  if not wanted then
    return ''
  end
  return string.match(redis.call('HGET', cold(24)('needs', queue), wanted) or '', '^%d+')
end
end
end
end
end
else
if number < 32 then
if number < 30 then
if number < 29 then
-- 28 needs.has
return function(text)
  local has = {}
  for name, number in string.gmatch(text or '', '([%w_.-]+)=?([%d.]*)') do
    has[name] = tonumber(number) or true
  end
  return has
end
else
-- 29 needs.suits
return function(has, wanted)
  for name, operator, number in string.gmatch(wanted, '([%w_.-]+)([<>=]*)([%d.]*)') do
    local own, asked = has[name], tonumber(number)
    local holds = own
    if operator ~= '' then
      holds = own and own ~= true and (operator == '>=' and own >= asked or operator == '<=' and own <= asked
        or operator == '>' and own > asked or operator == '<' and own < asked or operator == '=' and own == asked)
    end
    if not holds then
      return false
    end
  end
  return true
end
end
else
if number < 31 then
-- 30 orders.key
return function(queue)
  return cold(24)('orders', queue)
end
else
-- 31 peeking.begin
return function(queue, listener, has, limit)
  local meta = redis.call('HMGET', namespace_meta, 'paused:' .. queue, 'lanes:' .. queue)
  local held = cold(24)('places', queue)
  local look = { queue = queue, limit = limit, given = {}, gone = {}, keys = {}, orders = {}, unsuited = {}, waits = {},
    ghosts = {}, shared = {},
    has = cold(28)(has or listener and redis.call('HGET', cold(24)('has', queue), listener)),
    used = redis.call('ZCARD', cold(24)('leases', queue)) + tonumber(redis.call('HGET', held, 'extra') or 0),
    starts = 0, most = tonumber(cold(58)(queue, 'concurrency')), rate = cold(58)(queue, 'rate'),
    plain = redis.call('LRANGE', cold(24)('pending_tasks', queue), -limit - 10, -1) }
  look.ageing = meta[2] and tonumber(cold(58)(queue, 'ageing'))
  look.ageing = look.ageing and look.ageing * 1000000
  look.at = #look.plain
  if meta[1] then
    look.stop = 'paused'
  elseif listener and redis.call('HEXISTS', cold(30)(queue), 'l:' .. listener) == 1 then
    look.stop = 'draining'
  end
  local waiting = meta[2] and redis.call('HGETALL', cold(24)('needs', queue)) or {}
  if meta[2] then
    waiting[#waiting + 1], waiting[#waiting + 2] = '', ''
  end
  for i = 1, #waiting, 2 do
    local class, number = waiting[i], string.match(waiting[i + 1], '^%d*')
    local bar = string.find(class, '|', 1, true)
    local wanted = bar and string.sub(class, 1, bar - 1) or class
    if wanted ~= '' and not cold(29)(look.has, wanted) then
      look.unsuited[class] = true
    else
      if bar then
        look.pool = look.pool or cold(69)(queue, waiting)
        look.pool.left = look.pool.left or {}
      end
      look.orders[#look.orders + 1] = { class = class, number = number, bar = bar,
        entries = cold(32)(look, cold(7)(queue, number)) }
    end
  end
  return look
end
end
end
else
if number < 34 then
if number < 33 then
-- 32 peeking.load
return function(look, key)
  local entries, low, levels = {}, '-inf', 0
  repeat
    local page = redis.call('ZRANGEBYSCORE', key, low, '+inf', 'WITHSCORES', 'LIMIT', 0, look.limit + 10)
    for i = 1, #page, 2 do
      if not look.ageing or page[i + 1] == page[2] then
        local rank, what = string.match(page[i], '^(%S+) (%S+)$')
        local key_name = string.sub(what, 1, 1) == '/' and string.sub(what, 2) or nil
        entries[#entries + 1] = { score = tonumber(page[i + 1]), order = cold(12)(rank), rank = rank,
          own = rank, what = what, key = key_name, id = not key_name and what or nil }
      end
    end
    levels = levels + 1
    low = look.ageing and page[2] and levels < 200 and '(' .. page[2]
  until not low
  return entries
end
else
-- 33 peeking.key
return function(look, key)
  local known = look.keys[key]
  if not known then
    local most, rate, since = cold(15)(look.queue, key)
    known = { most = most, rate = rate, since = since, starts = 0, heads = {},
      used = tonumber(redis.call('HGET', cold(24)('places', look.queue), 'k:' .. key) or 0) }
    look.keys[key] = known
  end
  return known
end
end
else
if number < 35 then
-- 34 peeking.rate_allows
return function(starts, rate, since, number)
  if not rate or number == 0 then
    return cold(17)(starts, rate, since)
  end
  local most, seconds = string.match(rate, '^(%d+)/(%d+)$')
  if number >= tonumber(most) then
    return false, namespace_now_us + seconds * 1000000
  end
  local free = cold(16)(starts, most - 1 - number, seconds, since)
  if free and free > namespace_now_us then
    return false, free
  end
  return true
end
else
if number < 36 then
-- 35 peeking.key_refuses
return function(look, key, weight)
  local known = cold(33)(look, key)
  local most = known.most
  if weight == 'solo' then
    most, weight = 1, 1
  end
  if most and known.used + math.min(tonumber(weight), most) > most then
    return 'key_full'
  elseif not known.rate then
    return nil
  end
  local allows, free = cold(34)(cold(14)(look.queue, key), known.rate, known.since, known.starts)
  return not allows and 'key_rate' or nil, free
end
else
-- 36 peeking.queue_refuses
return function(look, weight)
  if look.most and look.used + math.min(weight, look.most) > look.most then
    return 'queue_full'
  elseif not look.rate then
    return nil
  end
  local allows, free = cold(34)(cold(14)(look.queue), look.rate, cold(59)(look.queue, 'rate'),
    look.starts)
  return not allows and 'queue_rate' or nil, free
end
end
end
end
end
end
end
else
if number < 55 then
if number < 46 then
if number < 41 then
if number < 39 then
if number < 38 then
-- 37 peeking.class_refuses
return function(look, class)
  local pool, member = look.pool, look.queue .. ' ' .. class
  for _, part in ipairs(pool.parts[class]) do
    local limit = pool.known[part.name]
    if limit.missing or limit.most and limit.used + part.weight > limit.most then
      return 'limit_full'
    end
    local free = cold(18)(cold(64)(part.name), limit.rate, 0, look.shared[part.name] or 0)
    if free > namespace_now_us then
      return 'limit_rate', free
    elseif not cold(71)(pool, part, member) or not cold(38)(look, part, class) then
      return 'limit_turn'
    end
  end
end
else
-- 38 peeking.leaves
return function(look, part, class)
  local limit, waits = look.pool.known[part.name], look.waits[part.name] or {}
  local places, first = 0, true
  if look.pool.asked[class] and not look.pool.left[look.queue .. ' ' .. class] then
    return true
  end
  for _, other in ipairs(limit.most and waits or {}) do
    if other.class == class then
      return true
    elseif first or limit.used + places + other.weight <= limit.most then
      places = places + other.weight
    end
    first = false
    if limit.used + places + part.weight > limit.most then
      return false
    end
  end
  return true
end
end
else
if number < 40 then
-- 39 peeking.head
return function(look, key, number)
  local heads, list = cold(33)(look, key).heads, cold(8)(look.queue, key, number)
  local known = heads[number] or { entries = redis.call('ZRANGE', list, 0, 0, 'WITHSCORES'), from = 0, at = 1 }
  heads[number] = known
  while known.entries[known.at] do
    local rank, id, weight = string.match(known.entries[known.at], '^(%S+) (%S+) (%S+)$')
    if not look.gone[id] then
      return { own = rank, id = id, weight = weight, score = tonumber(known.entries[known.at + 1]) }
    end
    known.at = known.at + 2
    if not known.entries[known.at] then
      known.from = known.from + known.at / 2 - 0.5
      known.entries, known.at = redis.call('ZRANGE', list, known.from, known.from + 10 - 1, 'WITHSCORES'), 1
    end
  end
end
else
-- 40 peeking.firsts
return function(look, order, firsts)
  local last
  if order.bar then
    order.refused, order.till = cold(37)(look, order.class)
  end
  for _, entry in ipairs(order.entries) do
    local head = entry.key and entry.score ~= last and cold(39)(look, entry.key, order.number)
    if entry.score ~= last and (not entry.key and not look.gone[entry.id]
      or head and not cold(35)(look, entry.key, head.weight)) then
      last = entry.score
      if order.refused then
        look.asks = look.asks or {}
        look.asks[#look.asks + 1] = order.class
        return
      end
      if head then
        entry.id, entry.own = head.id, head.own
      end
      entry.class = order.class
      if not firsts[last] or cold(51)(entry, firsts[last]) then
        firsts[last] = entry
      end
      if not look.ageing then
        return
      end
    end
  end
end
end
end
else
if number < 43 then
if number < 42 then
-- 41 peeking.next_plain
return function(look)
  while look.at > 0 do
    local id = look.plain[look.at]
    local v = redis.call('HMGET', cold(24)('task', id), 'status', 'queue', 'updated', 'ties', 'front')
    if look.gone[id] then
      look.at = look.at - 1
    elseif v[1] == 'pending' and v[2] == look.queue and not string.find(v[4] or '', 'r', 1, true) then
      return { plain = true, id = id, rank = cold(11)(v[3], v[5]), score = 0 }
    else
      look.gone[id], look.ghosts[#look.ghosts + 1] = true, id
    end
  end
end
else
-- 42 peeking.next
return function(look)
  look.stop, look.till = cold(36)(look, 1)
  if look.stop then
    return nil
  end
  local firsts = { [0] = cold(41)(look) }
  look.asks = nil
  for _, order in ipairs(look.orders) do
    cold(40)(look, order, firsts)
  end
  local best = cold(52)(firsts, look.ageing)
  if not best then
    return nil
  end
  local v = redis.call('HMGET', cold(24)('task', best.id), 'status', 'queue', 'weight', 'key')
  look.gone[best.id] = true
  if v[1] ~= 'pending' or v[2] ~= look.queue then
    look.ghosts[#look.ghosts + 1] = best.id
    cold(45)(look, best.key)
    return cold(42)(look)
  end
  best.weight = tonumber(v[3] or 1)
  look.stop, look.till = cold(36)(look, best.weight)
  if look.stop then
    look.gone[best.id], look.blocked = nil, best.id
    return nil
  end
  cold(43)(look, best)
  return best
end
end
else
if number < 44 then
-- 43 peeking.take
return function(look, task)
  namespace_now_us = namespace_now_us + 1
  look.given[#look.given + 1] = task
  look.used, look.starts = look.used + task.weight, look.starts + 1
  for _, class in ipairs(look.asks or {}) do
    if not look.pool.asked[class] or look.pool.left[look.queue .. ' ' .. class] then
      for _, part in ipairs(look.pool.parts[class]) do
        cold(44)(look, part, class)
      end
    end
  end
  for _, part in ipairs(task.class and look.pool and look.pool.parts[task.class] or {}) do
    local limit = look.pool.known[part.name]
    limit.used, look.shared[part.name] = limit.used + part.weight, (look.shared[part.name] or 0) + 1
    look.pool.left[look.queue .. ' ' .. task.class] = true
    for i, other in ipairs(look.waits[part.name] or {}) do
      if other.class == task.class then
        table.remove(look.waits[part.name], i)
        break
      end
    end
  end
  if task.key then
    local known = cold(33)(look, task.key)
    known.used, known.starts = known.used + task.weight, known.starts + 1
    known.served = cold(9)(namespace_now_us)
    cold(45)(look, task.key)
  end
end
else
if number < 45 then
-- 44 peeking.wait
return function(look, part, class)
  local waits = look.waits[part.name] or {}
  look.waits[part.name] = waits
  for _, other in ipairs(waits) do
    if other.class == class then
      return
    end
  end
  waits[#waits + 1] = { class = class, weight = part.weight }
end
else
-- 45 peeking.stand_again
return function(look, key)
  for _, order in ipairs(key and look.orders or {}) do
    for i = #order.entries, 1, -1 do
      if order.entries[i].key == key then
        table.remove(order.entries, i)
      end
    end
    local head, served = cold(39)(look, key, order.number), cold(33)(look, key).served
    if head then
      local rank = head.own
      if served and cold(12)(served) > cold(12)(rank) then
        rank = served
      end
      local at = 1
      local entries, score, value = order.entries, head.score, cold(12)(rank)
      while entries[at] and (entries[at].score < score or entries[at].score == score and entries[at].order <= value) do
        at = at + 1
      end
      table.insert(entries, at, { score = score, order = value, rank = rank, own = head.own, what = '/' .. key,
        key = key, id = head.id })
    end
  end
end
end
end
end
end
else
if number < 50 then
if number < 48 then
if number < 47 then
-- 46 peeking.refuses_now
return function(look, key, weight)
  look.said = look.said or {}
  local name = key .. ' ' .. weight
  local said = look.said[name]
  if not said then
    said = { cold(35)(look, key, weight) }
    look.said[name] = said
  end
  return said[1], said[2]
end
else
-- 47 peeking.reason
return function(look, id)
  local v = redis.call('HMGET', cold(24)('task', id), 'key', 'weight', 'solo', 'needs', 'limits')
  local class = cold(26)({ needs = v[4] or nil, shared = v[5] or nil }) or ''
  if look.unsuited[class] then
    return 'needs'
  elseif v[1] then
    local why, till = cold(46)(look, v[1], v[3] and 'solo' or v[2] or '1')
    local head = not why and cold(39)(look, v[1], cold(27)(look.queue, class ~= '' and class) or '')
    if why then
      return why, till
    elseif head and head.id ~= id and cold(46)(look, v[1], head.weight) then
      return 'behind'
    end
  end
  if string.find(class, '|', 1, true) and look.pool and look.pool.parts[class] then
    return cold(37)(look, class)
  end
end
end
else
if number < 49 then
-- 48 peeking.held_up
return function(look, id)
  local key = redis.call('HGET', cold(24)('task', id), 'key')
  local since = key and redis.call('ZSCORE', cold(24)('delayed', look.queue), key)
  return key and (since and 'key_rate' or 'key_full'), since and tonumber(since)
end
else
-- 49 peeking.value
return function(look, score, rank)
  return look.ageing and score + cold(13)(rank) / look.ageing or score
end
end
end
else
if number < 52 then
if number < 51 then
-- 50 peeking.passed
return function(look, answer)
  local last = #look.given == look.limit and look.given[look.limit]
  local room, value = look.limit, last and cold(49)(look, last.score, last.rank)
  local function add(id, why, till)
    if room > 0 then
      room = room - 1
      answer[#answer + 1], answer[#answer + 2], answer[#answer + 3] = id, why, till and cold(19)(till) or ''
    end
  end
  for _, id in ipairs(look.ghosts) do
    add(id, 'gone')
  end
  if look.blocked then
    add(look.blocked, look.stop, look.till)
  end
  local ranked = redis.call('ZRANGE', cold(24)('lane_tasks', look.queue), 0, 200 - 1, 'WITHSCORES')
  for i = 1, #ranked, 2 do
    local rank, id = string.match(ranked[i], '^(%S+) (%S+)$')
    local own = last and cold(49)(look, tonumber(ranked[i + 1]), rank)
    if room > 0 and not look.gone[id] and id ~= look.blocked and (not last or own < value
      or own == value and cold(12)(rank) < cold(12)(last.rank)) then
      local why, till = cold(47)(look, id)
      if not why and look.stop then
        why, till = look.blocked and 'behind' or look.stop, not look.blocked and look.till or nil
      elseif not why and not last then
        why, till = cold(48)(look, id)
      end
      if why then
        add(id, why, till)
      end
    end
  end
  for i = look.stop and look.at or 0, 1, -1 do
    local id = look.plain[i]
    if not look.gone[id] and id ~= look.blocked then
      add(id, look.blocked and 'behind' or look.stop, not look.blocked and look.till or nil)
    end
  end
end
else
-- 51 ranking.precedes
return function(one, other)
  local rank, rival = cold(12)(one.rank), cold(12)(other.rank)
  return rank < rival or rank == rival and cold(12)(one.own) < cold(12)(other.own or other.rank)
end
end
else
if number < 53 then
-- 52 ranking.choose
return function(firsts, ageing)
  local best, least
  for score, first in pairs(firsts) do
    local value = ageing and score + cold(13)(first.rank) / ageing or score
    if not best or value < least
      or value == least and cold(12)(first.rank) < cold(12)(best.rank) then
      best, least = first, value
    end
  end
  return best
end
else
if number < 54 then
-- 53 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(54)() then
    code, text = cold(55)()
  end
  error({ err = code .. ' ' .. text })
end
else
-- 54 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
end
end
end
end
end
else
if number < 64 then
if number < 59 then
if number < 57 then
if number < 56 then
-- 55 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
-- 56 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(55)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
end
else
if number < 58 then
-- 57 settings.find
return function(text, name)
  return text and string.match(' ' .. text, ' ' .. name .. '=(%S+)')
end
else
-- 58 settings.get
return function(queue, name)
  local texts = cold(25)('settings')
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
end
end
else
if number < 61 then
if number < 60 then
-- 59 settings.since
return function(queue, name)
  cold(58)(queue, name)
  local own, common = unpack(cold(25)('settings')[queue], 1, 2)
  local since = cold(57)(cold(57)(own, name) and own or common, name .. '_since')
  return tonumber(since or 0)
end
else
-- 60 shares.limits_key
return function()
  return namespace_prefix .. 'shared_limits'
end
end
else
if number < 62 then
-- 61 shares.places_key
return function()
  return namespace_prefix .. 'shared_places'
end
else
if number < 63 then
-- 62 shares.waits_key
return function()
  return namespace_prefix .. 'shared_waits'
end
else
-- 63 shares.turns_key
return function(name)
  return namespace_prefix .. 'shared_turns_' .. name
end
end
end
end
end
else
if number < 68 then
if number < 66 then
if number < 65 then
-- 64 shares.starts_key
return function(name)
  return namespace_prefix .. 'shared_rate_' .. name
end
else
-- 65 shares.of
return function(class)
  return string.match(class, '|(.+)$')
end
end
else
if number < 67 then
-- 66 shares.parts
return function(set)
  local parts = {}
  for name, weight in string.gmatch(set, '([%w_.-]+):?(%d*)') do
    parts[#parts + 1] = { name = name, weight = tonumber(weight) or 1 }
  end
  return parts
end
else
-- 67 shares.read
return function(known, parts)
  local names = {}
  for _, part in ipairs(parts) do
    if not known[part.name] then
      known[part.name] = {}
      names[#names + 1] = part.name
    end
  end
  if not names[1] then
    return
  end
  local own = redis.call('HMGET', cold(60)(), unpack(names))
  local used = redis.call('HMGET', cold(61)(), unpack(names))
  for i, name in ipairs(names) do
    local most, rate = string.match(own[i] or '', '^(%S+) (%S+)$')
    known[name] = { missing = not most, most = tonumber(most), rate = rate ~= '-' and rate or nil,
      used = tonumber(used[i] or 0) }
  end
end
end
end
else
if number < 70 then
if number < 69 then
-- 68 shares.fits
return function(known, parts)
  local free
  for _, part in ipairs(parts) do
    local limit = known[part.name]
    if limit.missing or limit.most and limit.used + part.weight > limit.most then
      return false
    end
    local at = cold(18)(cold(64)(part.name), limit.rate, 0, 0)
    free = at > namespace_now_us and math.max(free or 0, at) or free
  end
  return not free, free
end
else
-- 69 shares.look
return function(queue, waiting)
  local pool = { queue = queue, known = {}, parts = {}, asked = {}, admitted = {}, asks = {}, offers = {}, gone = {} }
  local members, classes, all = {}, {}, {}
  local of, parse = cold(65), cold(66)
  for i = 1, #waiting, 2 do
    local set = of(waiting[i])
    if set then
      classes[#classes + 1], members[#members + 1] = waiting[i], queue .. ' ' .. waiting[i]
      pool.parts[waiting[i]] = parse(set)
      for _, part in ipairs(pool.parts[waiting[i]]) do
        all[#all + 1] = part
      end
    end
  end
  cold(67)(pool.known, all)
  local asked = redis.call('HMGET', cold(62)(), unpack(members))
  for i, class in ipairs(classes) do
    pool.asked[class] = asked[i] or nil
  end
  return pool
end
end
else
if number < 71 then
-- 70 shares.is_gone
return function(member, asked)
  local queue, class = string.match(member, '^(%S+) (%S+)$')
  local offered = tonumber(string.match(asked or '', ' (%d+)$'))
  return not asked or offered and offered + 5000000 <= namespace_now_us
    or redis.call('HEXISTS', namespace_meta, 'paused:' .. queue) == 1
    or redis.call('HEXISTS', cold(24)('needs', queue), class) == 0, offered
end
else
if number < 72 then
-- 71 shares.leaves
return function(pool, part, member)
  local limit, now = pool.known[part.name], namespace_now_us
  local places, starts, first, change = 0, 0, true, now + 10000000
  for _, other in ipairs(redis.call('ZRANGE', cold(63)(part.name), 0, 16 - 1)) do
    if other == member then
      return true
    end
    local gone, offered = cold(70)(other, redis.call('HGET', cold(62)(), other))
    if gone or pool.left and pool.left[other] then
      pool.gone[other] = true
    else
      local parts, weight = cold(66)(cold(65)(other)), 1
      cold(67)(pool.known, parts)
      for _, own in ipairs(parts) do
        weight = own.name == part.name and own.weight or weight
      end
      local fits = cold(68)(pool.known, parts) and not (limit.most and limit.used + places + weight > limit.most)
      if fits then
        pool.offers[other] = not offered or nil
        change = math.min(change, (offered or now) + 5000000)
      end
      if first or fits then
        places, starts = places + weight, starts + 1
      end
      first = false
      if limit.most and limit.used + places + part.weight > limit.most
        or cold(18)(cold(64)(part.name), limit.rate, 0, starts) > now then
        return false, change, other
      end
    end
  end
  return true
end
else
-- 72 contract.option
return function(name, value)
  if name == 'listener' then
    return cold(2)(value, name)
  elseif name == 'has' then
    return cold(6)(value, name)
  end
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
  local queue, limit = contract_arguments()
  local options = cold(5)()
  local look = cold(31)(queue, options.listener, options.has, limit)
  local next_task = cold(42)
  local more = not look.stop
  while more and #look.given < limit do
    more = next_task(look)
  end
  local answer = {}
  for _, task in ipairs(look.given) do
    answer[#answer + 1], answer[#answer + 2], answer[#answer + 3] = task.id, '', ''
  end
  cold(50)(look, answer)
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(56)(answer)
