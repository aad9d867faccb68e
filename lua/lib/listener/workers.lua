-- Workers: the report of each worker about itself, for all queues that it serves. A worker has one record, which every
-- report renews.
local workers = {}

-- Microseconds without a report after which a worker is dead: three reports of ten seconds.
workers.DEAD = 30 * 1000000

-- Maximum number of expired records that a search for orphans reads.
workers.LOOKS = 20

-- Converts a time from seconds to microseconds.
-- @hot
function workers.moment(seconds)
  return math.floor(tonumber(seconds) * 1000000 + 0.5)
end

-- @hot
function workers.key(listener)
  return namespace.prefix .. 'worker_' .. listener
end

-- Returns the record of a worker, or nil. Each record is read once in a call.
function workers.find(listener)
  local known = namespace.shared('workers')
  if known[listener] == nil then
    local v = redis.call('HMGET', workers.key(listener), 'queues', 'at', 'free', 'draining', 'patterns')
    known[listener] = v[1] and v[2] and {
      queues = v[1], at = workers.moment(v[2]), full = v[3] == '0', draining = v[4] == '1',
      set = v[5] and v[5] ~= '' and patterns.set(v[5]),
    }
  end
  return known[listener] or nil
end

-- Returns the record of a worker, if the worker serves the queue.
function workers.serves(listener, queue)
  local worker = workers.find(listener)
  return worker and (string.find(',' .. worker.queues .. ',', ',' .. queue .. ',', 1, true)
    or worker.set and patterns.chooser(worker.set)(queue)) and worker
end

function workers.plan_leave(listener)
  namespace.declare(workers.key(listener))
  if workers.find(listener) then
    namespace.probe('ZCARD', namespace.prefix .. 'workers')
  end
end

-- Removes a queue from a worker. The record of the worker is removed with its last queue.
function workers.leave(listener, queue)
  local worker = workers.find(listener)
  if not worker then
    return
  end
  local left = {}
  for other in string.gmatch(worker.queues, '[^,]+') do
    left[#left + 1] = other ~= queue and other or nil
  end
  worker.queues = table.concat(left, ',')
  if #left > 0 then
    redis.call('HSET', workers.key(listener), 'queues', worker.queues)
  else
    redis.call('UNLINK', workers.key(listener))
    redis.call('ZREM', namespace.prefix .. 'workers', listener)
  end
end

-- Finds expired records. A worker that is still registered keeps its record, which shows that the worker is dead.
function workers.plan_forget()
  local found = {}
  for _, listener in ipairs(redis.call('ZRANGEBYSCORE', namespace.declare(namespace.prefix .. 'workers'),
    '-inf', namespace.now,
    'LIMIT', 0, workers.LOOKS)) do
    local worker, registered = workers.find(listener), false
    for queue in string.gmatch(worker and worker.queues or '', '[^,]+') do
      local known = namespace.declare(namespace.prefix .. 'listeners_' .. queue)
      registered = registered or redis.call('SISMEMBER', known, listener) == 1
    end
    namespace.declare(workers.key(listener))
    found[#found + 1] = { listener = listener, registered = registered }
  end
  return found
end

function workers.forget(found, later)
  for _, worker in ipairs(found) do
    local left = workers.find(worker.listener)
    if worker.registered and left.queues ~= '' then
      redis.call('ZADD', namespace.prefix .. 'workers', later, worker.listener)
    else
      redis.call('UNLINK', workers.key(worker.listener))
      redis.call('ZREM', namespace.prefix .. 'workers', worker.listener)
    end
  end
end
