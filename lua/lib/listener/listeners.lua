-- Listeners of a queue: Blueque's set of listeners, their number in the zset of queues, and the time when each listener
-- was last seen.
local listeners = {}

-- Maximum number of listeners that are checked in a call.
listeners.LOOKS = 2000

function listeners.require(queue, listener)
  if redis.call('SISMEMBER', namespace.prefix .. 'listeners_' .. queue, listener) == 0 then
    args.plain(queue, 'queue')
    args.listener(listener)
    namespace.check_slot(namespace.prefix .. 'listeners_' .. queue)
    reply.fail('NOLISTENER', 'this listener is not registered on the queue: register it, then repeat the call')
  end
end

-- Reads the number of listeners of a queue that are ordered to drain. `reserve` looks for an order only if the meta
-- hash has this number.
-- @hot
function listeners.plan_drain(queue)
  namespace.shared('drained')[queue] = tonumber(redis.call('HGET', namespace.meta, 'drained:' .. queue) or 0)
end

-- Adds `by` to the number of listeners that are ordered to drain.
-- @hot
function listeners.drained(queue, by)
  local numbers = namespace.shared('drained')
  numbers[queue] = math.max(0, numbers[queue] + by)
  if numbers[queue] > 0 then
    redis.call('HSET', namespace.meta, 'drained:' .. queue, numbers[queue])
  else
    redis.call('HDEL', namespace.meta, 'drained:' .. queue)
  end
end

-- @hot
function listeners.probe(queue)
  namespace.probe('SCARD', namespace.key('listeners', queue))
  namespace.probe('ZCARD', namespace.key('seen', queue))
  namespace.probe('HLEN', namespace.key('orders', queue))
  namespace.probe('HLEN', namespace.key('has', queue))
  listeners.plan_drain(queue)
  namespace.probe('ZCARD', namespace.prefix .. 'queues')
end

-- Stores the offer of a listener for tasks of a queue. An empty text removes the offer.
function listeners.equip(queue, listener, has)
  if has ~= '' then
    redis.call('HSET', namespace.key('has', queue), listener, has)
  else
    redis.call('HDEL', namespace.key('has', queue), listener)
  end
end

function listeners.seen(queue, listener)
  redis.call('ZADD', namespace.key('seen', queue), namespace.now, listener)
end

-- Fails if the listener is ordered to drain the queue.
function listeners.refuse(queue, listener)
  -- The key is declared because, in a slot that is being moved, an order may only seem absent.
  local key = namespace.declare(namespace.prefix .. 'orders_' .. queue)
  if redis.call('HEXISTS', key, 'l:' .. listener) == 1 then
    reply.fail('DRAINING', 'this listener was ordered to drain: finish its tasks and unregister it')
  end
end

-- Returns true if any listener of a queue is ordered to drain. The meta hash is read once in a call.
function listeners.drains(queue)
  local known = namespace.shared('drains')
  if known[queue] == nil then
    known[queue] = redis.call('HEXISTS', namespace.meta, 'drained:' .. queue) == 1
  end
  return known[queue]
end

-- Returns true if the listener is ordered to drain the queue, or its worker is ordered to drain another queue. An order
-- to drain one queue makes the worker drain all, but its record shows this only after its next report.
function listeners.ordered(queue, listener, worker)
  if redis.call('HEXISTS', namespace.key('orders', queue), 'l:' .. listener) == 1 then
    return true
  end
  for other in string.gmatch(worker and worker.queues or '', '[^,]+') do
    if other ~= queue and listeners.drains(other)
      and redis.call('HEXISTS', namespace.key('orders', other), 'l:' .. listener) == 1 then
      return true
    end
  end
  return false
end

-- Returns the status of a listener of a queue: `silent`, `draining`, `full`, or `listening`. A worker is `silent` if
-- its record shows that it is dead. Another listener is `silent` if it was last seen `keep` microseconds ago or
-- earlier, and holds no task.
function listeners.status(queue, listener, keep)
  local worker = workers.serves(listener, queue)
  local silent
  if worker then
    silent = namespace.now_us - worker.at > workers.DEAD
  else
    local seen = redis.call('ZSCORE', namespace.key('seen', queue), listener)
    silent = seen and namespace.now_us - workers.moment(seen) >= keep
      and redis.call('LLEN', namespace.key('reserved_tasks', queue .. '_' .. listener)) == 0
  end
  if silent then
    return 'silent'
  elseif worker and worker.draining or listeners.ordered(queue, listener, worker) then
    return 'draining'
  end
  return worker and worker.full and 'full' or 'listening'
end

-- Returns how long a listener of a queue is remembered without a sign of life, in microseconds.
function listeners.keep(queue)
  return tonumber(settings.get(queue, 'forget_after')) * 1000000
end

-- Returns the number of listeners of a queue by status. `present` is the number of listeners that take tasks now or
-- later. After `LOOKS` listeners in one call, the rest count as listening.
function listeners.count(queue)
  local numbers, looks = { silent = 0, draining = 0, full = 0, listening = 0 }, namespace.shared('looks')
  local all = redis.call('SCARD', namespace.key('listeners', queue))
  local left, keep = listeners.LOOKS - (looks.done or 0), all > 0 and listeners.keep(queue)
  local page = all > 0 and left > 0
    and redis.call('SSCAN', namespace.key('listeners', queue), 0, 'COUNT', left)[2] or {}
  for _, listener in ipairs(page) do
    local how = listeners.status(queue, listener, keep)
    numbers[how] = numbers[how] + 1
  end
  looks.done = (looks.done or 0) + #page
  numbers.listening = numbers.listening + math.max(0, all - #page)
  numbers.present = numbers.listening + numbers.full
  return numbers
end

-- @hot
function listeners.remove(queue, listener)
  workers.leave(listener, queue)
  redis.call('HDEL', namespace.key('has', queue), listener)
  redis.call('ZREM', namespace.key('seen', queue), listener)
  if redis.call('HDEL', namespace.key('orders', queue), 'l:' .. listener) == 1 then
    listeners.drained(queue, -1)
  end
  local removed = redis.call('SREM', namespace.key('listeners', queue), listener)
  if removed == 1 then
    redis.call('ZINCRBY', namespace.prefix .. 'queues', -1, queue)
  end
  return removed
end
