-- What binds a task to more than the index of its state: its lane, its places, its
-- unique name, its tags, a lease of its own. The field `ties` of the record has a
-- letter for each, so that a task without any costs nothing.
local bonds = {}

-- Reads what a planned task is bound to.
function bonds.load(task)
  if task.bound then
    return
  end
  local v = redis.call('HMGET', space.prefix .. 'task_' .. task.id,
    'priority', 'key', 'weight', 'needs', 'rank', 'unique', 'unique_until', 'tags', 'own_lease', 'solo')
  bonds.set(task, {
    priority = v[1], key = v[2], weight = v[3], needs = v[4], rank = v[5],
    unique = v[6], till = v[7], tags = v[8], own_lease = v[9], solo = v[10],
  })
end

-- Notes in the task what it is bound to: what its record says, or a new one is to say.
function bonds.set(task, bound)
  local function has(letter)
    return string.find(task.ties, letter) ~= nil
  end
  task.bound, task.lane, task.places = true, has('r'), has('p')
  task.priority, task.lane_key, task.weight, task.needs = bound.priority, bound.key, bound.weight, bound.needs
  task.rank, task.unique, task.till, task.tags = bound.rank, bound.unique, bound.till, bound.tags
  task.own_lease, task.solo = bound.own_lease, bound.solo
end

-- Who holds a unique name of a queue, and until what; then the interrupted attempt that
-- goes on before the next task of this name, see `back`.
function bonds.holders(queue, name)
  local v = redis.call('HMGET', space.touch(space.key('unique', queue)), name, '/' .. name)
  local id, till = string.match(v[1] or '', '^(%S+) (%S+)$')
  return id, till, string.match(v[2] or '', '^(%S+) ')
end

-- Whether a task has the policy `latest`: its key is its unique name.
function bonds.latest(task)
  return task.solo and task.unique and task.unique == task.lane_key
end

-- Whether a task of a queue still has a unique name that is not held for a time, or with
-- `kept` its turn beside the name. One that a client without scripts ended or deleted has
-- not, nor has a later one with its id.
function bonds.keeps(queue, id, name, till)
  local status, where, own, solo, key = unpack(redis.call('HMGET', space.prefix .. 'task_' .. id,
    'status', 'queue', 'unique', 'solo', 'key'))
  if where ~= queue or own ~= (till == 'kept' and string.sub(name, 2) or name) then
    return false
  end
  local latest = solo and key == own -- free while it is reserved, but by scripts that freed it at the start
  return status == 'scheduled' or status == 'pending'
    or till ~= 'kept' and (status == 'reserved' and not latest or status == 'started' and till ~= 'start')
end

-- The other task that holds the unique name of this one, or nil. One that a client
-- without scripts ended or deleted no longer holds it, nor does a task of that id which
-- is in another queue by now. A time holds it by itself, whoever had it.
function bonds.taken(task)
  local id, till = bonds.holders(task.queue, task.unique)
  if not id or id == task.id then
    return nil
  elseif tonumber(till) then
    return tonumber(till) > space.us and id or nil
  end
  return bonds.keeps(task.queue, id, task.unique, till) and id or nil
end

-- Whether an attempt that is given back was drained and has a checkpoint.
function bonds.drained(task, reason)
  if reason ~= 'drain' then
    local given = redis.call('HMGET', space.key('orders', task.queue), 'q', 'l:' .. task.node, 't:' .. task.id)
    if not given[1] and not given[2] and given[3] ~= 'stop' then
      return false
    end
  end
  return redis.call('HEXISTS', space.prefix .. 'task_' .. task.id, 'checkpoint') == 1
end

-- Where an attempt that did not end its task goes: back, to `to`, or with the policy
-- `latest` to `cancelled` where a newer task has its name by now. `reason`: why it is
-- given back. Drained with a checkpoint it keeps its turn: it stands beside the name, and
-- the task that has the name waits for it.
function bonds.back(task, to, reason)
  if not task.ties or not string.find(task.ties, 'u') then
    return to
  end
  bonds.load(task)
  if not bonds.latest(task) then
    return to
  end
  local field = task.queue .. ' ' .. task.unique
  local claimed = space.note('claimed') -- by this call
  local _, _, kept = bonds.holders(task.queue, task.unique)
  if reason and not bonds.interrupted(task, kept) and bonds.drained(task, reason) then
    task.keeps = true
    return to
  end
  task.replaced = claimed[field] or bonds.taken(task)
  claimed[field] = claimed[field] or task.id
  return task.replaced and 'cancelled' or to
end

-- The fields that say why `back` cancelled a task, if it did.
function bonds.because(task)
  if task.replaced then
    return 'reason', 'replaced by ' .. task.replaced
  end
end

-- The interrupted attempt of this id, where it is another one than this task and still waits.
function bonds.interrupted(task, id)
  local other = id and id ~= task.id and record.find(id)
  if other and other.queue == task.queue and (other.status == 'pending' or other.status == 'scheduled') then
    bonds.load(other)
    return other.unique == task.unique and other or nil
  end
end

-- What a task takes along of its unique name to another queue, as `other`: a name that it
-- holds, and for a time until its end. With the policy `latest` it holds it while it waits.
function bonds.carry(task, other)
  if not other.unique then
    return
  end
  local id, till = bonds.holders(task.queue, other.unique)
  local holds = id == task.id
  if tonumber(other.till) then
    other.ends = holds and tonumber(till) and tonumber(till) > space.us and till or nil
    holds = other.ends ~= nil
  else
    holds = holds or other.till == 'end' or bonds.latest(other)
  end
  other.unique = holds and other.unique or nil
end

-- Reads every key that `move` will write.
function bonds.plan(task, to, taker)
  bonds.load(task)
  local held = task.status == 'reserved' or task.status == 'started'
  if task.lane and (task.rank or to == 'pending') or task.places and (held or taker) then
    lanes.plan(task)
  end
  if task.places and held and taker then
    space.unmoved() -- its places are freed and taken again
  end
  if task.unique then
    bonds.plan_name(task, to)
  end
  if task.tags and (not task.status or to == 'deleted' or to == 'moved') then
    tags.plan(task.queue, task.tags)
  end
end

-- The same for its unique name. `move` reads nothing of it again.
function bonds.plan_name(task, to)
  local latest = bonds.latest(task)
  if to == 'reserved' and not latest or to == 'started' and task.till ~= 'start' then
    return
  end
  space.probe('HLEN', space.key('unique', task.queue))
  if tonumber(task.till) then
    space.probe('ZCARD', space.key('timed', task.queue))
  end
  task.holder, task.held_till, task.kept = bonds.holders(task.queue, task.unique)
  if to == 'reserved' and task.status == 'pending' then
    task.older = bonds.interrupted(task, task.kept)
    if task.older then
      state.plan(task.older, 'cancelled')
    end
  end
end

-- Takes the unique name of a task; `ends`: until when, where that is not reckoned from now.
function bonds.claim(task)
  local unique, till = space.key('unique', task.queue), task.till
  if task.keeps then
    redis.call('HSET', unique, '/' .. task.unique, task.id .. ' kept')
    return
  elseif tonumber(till) then
    till = task.ends or string.format('%.0f', space.us + tonumber(till) * 1000000)
    redis.call('ZADD', space.key('timed', task.queue), till, task.unique)
  end
  redis.call('HSET', unique, task.unique, task.id .. ' ' .. till)
end

-- Gives the unique name of a task back, where this task has it. One for a time is given
-- back only where the task goes to another queue.
function bonds.disclaim(task, to)
  local unique, timed = space.key('unique', task.queue), tonumber(task.held_till)
  if task.holder == task.id and (not timed or to == 'moved') then
    redis.call('HDEL', unique, task.unique)
    if timed then
      redis.call('ZREM', space.key('timed', task.queue), task.unique)
    end
  end
  if task.kept == task.id then
    redis.call('HDEL', unique, '/' .. task.unique)
  end
end

-- Unique names that were held for a time which has passed; `free`: not taken by another task since.
function bonds.expired(queue, limit)
  space.probe('HLEN', space.key('unique', queue))
  local timed = space.touch(space.key('timed', queue))
  local expired = {}
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', timed, '-inf', string.format('%.0f', space.us),
    'LIMIT', 0, limit)) do
    local _, till = bonds.holders(queue, name)
    expired[#expired + 1] = { name = name, free = tonumber(till) and tonumber(till) <= space.us }
  end
  return expired
end

-- Gives them back.
function bonds.expire(queue, expired)
  for _, held in ipairs(expired) do
    if held.free then
      redis.call('HDEL', space.key('unique', queue), held.name)
    end
    redis.call('ZREM', space.key('timed', queue), held.name)
  end
end

-- What a transition means for the unique name of a task. It is free while a task with the
-- policy `latest` runs.
function bonds.move_name(task, to)
  local from, latest = task.status, bonds.latest(task)
  local back = (from == 'reserved' or from == 'started') and (to == 'pending' or to == 'scheduled')
  local ends = state.finished(to) or to == 'deleted' or to == 'moved'
  if ends or to == 'started' and task.till == 'start' or to == 'reserved' and latest then
    bonds.disclaim(task, to)
  elseif not from or (from == 'failed' or from == 'cancelled') and not tonumber(task.till) or latest and back then
    bonds.claim(task)
  end
  if task.older then
    state.move(task.older, 'cancelled', 'replaced', '', 'reason', 'replaced by ' .. task.id)
  end
end

-- What a transition means for all that the task is bound to.
function bonds.move(task, to)
  if not task.bound then
    return
  end
  local from = task.status
  local held = from == 'reserved' or from == 'started'
  local back = held and task.lane and to == 'pending'
  if back then
    lanes.enter(task) -- before its places are free: the turn of its key stays known
  end
  if task.places and held and to ~= 'started' then
    places.free(task.queue, task.id, task.token)
  end
  if task.rank and not back then
    lanes.leave(task, to)
    task.rank = nil
  elseif task.places and to == 'reserved' then
    places.take(task)
    if task.lane_key then
      turns.settle_all(task.queue, task.lane_key)
    end
  end
  if task.lane and to == 'pending' and not back then
    lanes.enter(task)
  end
  if task.tags and not from then
    tags.enter(task.queue, task.id, task.created, task.tags)
  elseif task.tags and (to == 'deleted' or to == 'moved') then
    tags.leave(task.queue, task.id, task.tags)
  end
  if task.unique then
    bonds.move_name(task, to)
  end
end
