-- Orders: requests to the owners of tasks. An order is a field of one hash, which heartbeats read: `t:ID` for a task,
-- `l:LISTENER` for a listener, `q` for all tasks of the queue.
local orders = {}

function orders.key(queue)
  return namespace.key('orders', queue)
end

-- Returns the order for a task, `cancel`, `kill` or `stop`, or false if there is no order.
function orders.of(task)
  return redis.call('HGET', namespace.declare(orders.key(task.queue)), 't:' .. task.id)
end

function orders.plan(queue)
  namespace.probe('HLEN', orders.key(queue))
end

-- Stores and announces an order, even when memory is full.
function orders.give(queue, to, order)
  local key = orders.key(queue)
  namespace.write_when_full(key)
  redis.call('HSET', key, to, order)
  orders.announce(queue)
end

-- Announces an order, or the loss of an attempt by its owner, so that owners notice it before their next heartbeat.
function orders.announce(queue)
  redis.pcall('PUBLISH', orders.key(queue), '') -- only a hint: the next heartbeat also returns the order
end

function orders.take_back(queue, to)
  redis.call('HDEL', orders.key(queue), to)
end
