-- Positions of waiting tasks. Pending tasks are ordered by priority, then by rank. Blueque's plain list and the ranked
-- tasks of priority 0 are merged.
local queue_positions = {}

-- Up to this position, entries are compared one by one. Later entries are found by binary search on the rank.
queue_positions.NEAR = 100

-- Returns the order of the plain list. An order is read in pages. `number` is the number of its entries. `read(first,
-- last, bare)` returns their ids and, unless `bare`, their positions as ascending numbers.
function queue_positions.list_order(queue)
  local list = namespace.key('pending_tasks', queue)
  return { number = redis.call('LLEN', list), read = function(first, last, bare)
    local ids, ranks = {}, {}
    local page = redis.call('LRANGE', list, -last - 1, -first - 1)
    for i = #page, 1, -1 do
      ids[#ids + 1] = page[i]
      local v = bare and {} or redis.call('HMGET', namespace.prefix .. 'task_' .. page[i], 'updated', 'front')
      ranks[#ranks + 1] = not bare and fairness.sort_value(fairness.list_rank(v[1], v[2])) or nil
    end
    return ids, ranks
  end }
end

-- Returns the order of the ranked tasks with these scores. `before`: the number of tasks ahead of them.
function queue_positions.ranked_order(queue, low, high, before)
  local all = namespace.key('pending_ranked_tasks', queue)
  return { number = redis.call('ZCOUNT', all, low, high), read = function(first, last)
    local ids, ranks = {}, {}
    for _, member in ipairs(redis.call('ZRANGE', all, before + first, before + last)) do
      local rank, id = string.match(member, '^(%S+) (%S+)$')
      ids[#ids + 1], ranks[#ranks + 1] = id, fairness.sort_value(rank)
    end
    return ids, ranks
  end }
end

-- Returns the order of tasks that are sorted by a time, such as their eta.
function queue_positions.scheduled_order(kind, queue)
  local set = namespace.key(kind, queue)
  return { number = redis.call('ZCARD', set), read = function(first, last)
    local ids, spots = {}, {}
    local page = redis.call('ZRANGE', set, first, last, 'WITHSCORES')
    for i = 1, #page, 2 do
      ids[#ids + 1], spots[#spots + 1] = page[i], tonumber(page[i + 1])
    end
    return ids, spots
  end }
end

-- Returns the number of entries of an order up to `place`. With `below`, entries at `place` do not count.
function queue_positions.count(order, place, below)
  local function passed(other)
    return other < place or other == place and not below
  end
  local near = math.min(order.number, queue_positions.NEAR)
  local _, ranks = order.read(0, near - 1)
  for i, other in ipairs(near > 0 and ranks or {}) do
    if not passed(other) then
      return i - 1
    end
  end
  local low, high = near, order.number
  while low < high do
    local middle = math.floor((low + high) / 2)
    local _, found = order.read(middle, middle)
    if found[1] and passed(found[1]) then
      low = middle + 1
    else
      high = middle
    end
  end
  return low
end

-- Returns the number of entries of each order that are among the first `from` entries of both orders. Near the front,
-- returns 0 and 0 instead, and `page` merges from the start.
function queue_positions.split(one, other, from)
  local low, high = math.max(0, from - other.number), math.min(one.number, from)
  if low < high and from <= queue_positions.NEAR then
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

-- Returns a page of ids of two merged orders. If two entries are equal, the entry of `one` comes first.
function queue_positions.page(one, other, from, limit)
  local at, by = queue_positions.split(one, other, from)
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

-- Returns a page of ids of the pending tasks of a queue.
function queue_positions.list(queue, from, limit)
  local plain = queue_positions.list_order(queue)
  if redis.call('EXISTS', namespace.key('pending_ranked_tasks', queue)) == 0 then
    return (plain.read(from, from + limit - 1, true))
  end
  local ids = {}
  local urgent = queue_positions.ranked_order(queue, '-inf', '(0', 0)
  local level = queue_positions.ranked_order(queue, 0, 0, urgent.number)
  local low = queue_positions.ranked_order(queue, '(0', '+inf', urgent.number + level.number)
  local before, last = 0, from + limit - 1
  for _, part in ipairs({ { urgent }, { plain, level }, { low } }) do
    local number = part[1].number + (part[2] and part[2].number or 0)
    local first = math.max(0, from - before)
    local most = math.min(number, last - before + 1) - first
    local page = {}
    if most > 0 and part[2] then
      page = queue_positions.page(part[1], part[2], first, most)
    elseif most > 0 then
      page = part[1].read(first, first + most - 1)
    end
    reply.add(ids, unpack(page))
    before = before + number
  end
  return ids
end

-- Returns the number of tasks ahead of a pending task in the order of `list`, up to `far`. Returns nil if the task is
-- in no list: a client without scripts has popped it and has not updated its record.
function queue_positions.ahead(task, far)
  local queue, priority = task.queue, tonumber(task.priority or 0)
  local all = namespace.key('pending_ranked_tasks', queue)
  if task.rank then
    local ahead = redis.call('ZRANK', all, task.rank .. ' ' .. task.id) or 0
    if priority <= 0 and ahead < far then
      local plain = queue_positions.list_order(queue)
      ahead = ahead + (priority < 0 and plain.number or queue_positions.count(plain, fairness.sort_value(task.rank)))
    end
    return math.min(ahead, far)
  end
  local list = namespace.key('pending_tasks', queue)
  local at = redis.call('LPOS', list, task.id, 'RANK', -1, 'MAXLEN', far)
  local number = redis.call('LLEN', list)
  if not at then
    return number > far and far or nil
  end
  at = number - 1 - at
  local urgent = redis.call('ZCOUNT', all, '-inf', '(0')
  local level = queue_positions.ranked_order(queue, 0, 0, urgent)
  if level.number > 0 then
    -- If a ranked task is ahead of an earlier task in the list, it is also ahead of this task.
    local plain = queue_positions.list_order(queue)
    local _, ranks = plain.read(0, math.min(at, queue_positions.NEAR))
    local _, own = plain.read(at, at)
    level.number = queue_positions.count(level, math.max(own[1], unpack(ranks)), true)
  end
  return math.min(at + urgent + level.number, far)
end
