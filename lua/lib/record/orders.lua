-- Orders: what others ask of an owner. An order is a field of one hash, which heartbeats read: `t:ID` for a task,
-- `l:LISTENER` for a listener, `q` for all tasks of the queue.
local orders = {}

function orders.key(queue)
  return namespace.key('orders', queue)
end

-- The order for a task: `cancel`, `kill` or `stop`; false if there is none.
function orders.of(task)
  return redis.call('HGET', orders.key(task.queue), 't:' .. task.id)
end

-- Reads what `give` and `take_back` write.
function orders.plan(queue)
  namespace.probe('HLEN', orders.key(queue))
end

-- Gives an order.
function orders.give(queue, to, order)
  local key = orders.key(queue)
  namespace.write_when_full(key)
  redis.call('HSET', key, to, order)
  orders.announce(queue)
end

-- Announces an order, or that an attempt was taken from its owner, so that owners know before their next heartbeat.
function orders.announce(queue)
  redis.pcall('PUBLISH', orders.key(queue), '') -- only a hint: the next heartbeat brings it, too
end

function orders.take_back(queue, to)
  redis.call('HDEL', orders.key(queue), to)
end
