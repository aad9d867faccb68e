-- What binds a task to more than the index of its state: its lane, its places, its
-- unique name, its tags, a lease of its own. The field `ties` of the record has a
-- letter for each, so that a task without any costs nothing.
local bonds = {}

-- The fields that stand behind the letters, for `load`.
-- @cold
function bonds.fields()
  return 'priority', 'key', 'weight', 'needs', 'rank', 'unique', 'unique_until', 'tags', 'own_lease', 'solo'
end

-- Reads what a planned task is bound to.
-- @cold
function bonds.load(task)
  if task.bound then
    return
  end
  local v = redis.call('HMGET', space.prefix .. 'task_' .. task.id, bonds.fields())
  bonds.set(task, unpack(v, 1, 10))
end

-- @cold
function bonds.set(task, priority, key, weight, wanted, rank, unique, till, names, lease, solo)
  local function has(letter)
    return string.find(task.ties, letter, 1, true) ~= nil
  end
  task.bound, task.lane, task.places = true, has('r'), has('p')
  task.priority, task.lane_key, task.weight, task.needs, task.rank = priority, key, weight, wanted, rank
  task.unique, task.till, task.tags, task.own_lease = unique, till, names, lease
  task.solo = solo
end

-- The other task that holds the unique name of this one, or nil. One that a client
-- without scripts ended or deleted holds it no more.
-- @cold
function bonds.taken(task)
  local id, till = string.match(redis.call('HGET', space.key('unique', task.queue), task.unique) or '', '^(%S+) (%S+)$')
  if not id or id == task.id then
    return nil
  elseif tonumber(till) then
    return tonumber(till) > space.us and id or nil
  end
  local status = redis.call('HGET', space.prefix .. 'task_' .. id, 'status')
  local held = status == 'scheduled' or status == 'pending' or status == 'reserved' or status == 'started' and till ~= 'start'
  return held and id or nil
end

-- Reads every key that `move` will write.
-- @cold
function bonds.plan(task, to, taker)
  bonds.load(task)
  local held = task.status == 'reserved' or task.status == 'started'
  if task.lane and (task.rank or to == 'pending') or task.places and (held or taker) then
    lanes.plan(task)
  end
  if task.places and held and taker then
    space.unmoved() -- its places are freed and taken again
  end
  if task.unique and not (to == 'reserved' or to == 'started' and task.till ~= 'start') then
    space.probe('HLEN', space.key('unique', task.queue))
    if tonumber(task.till) then
      space.probe('ZCARD', space.key('timed', task.queue))
    end
  end
  if task.tags and (not task.status or to == 'deleted' or to == 'moved') then
    tags.plan(task.queue, task.tags)
  end
end

-- Takes the unique name of a task.
-- @cold
function bonds.claim(task)
  local till = task.till
  if tonumber(till) then
    till = string.format('%.0f', space.us + tonumber(till) * 1000000)
    redis.call('ZADD', space.key('timed', task.queue), till, task.unique)
  end
  redis.call('HSET', space.key('unique', task.queue), task.unique, task.id .. ' ' .. till)
end

-- Gives the unique name of a task back, where this task has it, and not for a time.
-- @cold
function bonds.disclaim(task)
  local unique = space.key('unique', task.queue)
  local id, till = string.match(redis.call('HGET', unique, task.unique) or '', '^(%S+) (%S+)$')
  if id == task.id and not tonumber(till) then
    redis.call('HDEL', unique, task.unique)
  end
end

-- Unique names that were held for a time which has passed.
-- @cold
function bonds.expired(queue, limit)
  space.probe('HLEN', space.key('unique', queue))
  local timed = space.touch(space.key('timed', queue))
  return redis.call('ZRANGEBYSCORE', timed, '-inf', string.format('%.0f', space.us), 'LIMIT', 0, limit)
end

-- Gives them back. Another task may have taken one since.
-- @cold
function bonds.expire(queue, expired)
  local unique = space.key('unique', queue)
  for _, name in ipairs(expired) do
    local till = tonumber(string.match(redis.call('HGET', unique, name) or '', ' (%S+)$'))
    if till and till <= space.us then
      redis.call('HDEL', unique, name)
    end
    redis.call('ZREM', space.key('timed', queue), name)
  end
end

-- What a transition means for all that the task is bound to.
-- @cold
function bonds.move(task, to)
  if not task.bound then
    return
  end
  local from = task.status
  local held = from == 'reserved' or from == 'started'
  if task.places and held and to ~= 'started' then
    places.free(task.queue, task.id, task.token)
  end
  if task.rank then
    lanes.leave(task, to)
    task.rank = nil
  elseif task.places and to == 'reserved' then
    places.take(task)
    if task.lane_key then
      turns.settle_all(task.queue, task.lane_key)
    end
  end
  if task.lane and to == 'pending' then
    lanes.enter(task)
  end
  if task.tags and not from then
    tags.enter(task.queue, task.id, task.created, task.tags)
  elseif task.tags and (to == 'deleted' or to == 'moved') then
    tags.leave(task.queue, task.id, task.tags)
  end
  local ends = state.finished(to) or to == 'deleted' or to == 'moved'
  if task.unique and (ends or to == 'started' and task.till == 'start') then
    bonds.disclaim(task)
  elseif task.unique and (not from or (from == 'failed' or from == 'cancelled') and not tonumber(task.till)) then
    bonds.claim(task)
  end
end
