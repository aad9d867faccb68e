--- Reports that a worker is alive, what it serves and how many of its slots are free. A worker reports every ten
--   seconds. A worker that was forgotten is registered again.
-- @args now listener slots free count queue*count
-- @role worker
-- @options has name version draining methods failed trouble patterns
-- @reply for each queue `continue`, or `drain` if the worker is ordered to drain it
-- @errors TOOBIG
local meta = namespace.open_with('settings')
local listener, slots, free, count = contract.arguments()
if free > slots then
  reply.fail('BADARG', string.format('free must be a whole number from 0 to %.0f', slots))
end
local queues = args.different_queues(count)
local options = args.options()
if count == 0 and not options.patterns then
  reply.fail('BADARG', 'count must be at least 1 without patterns: a worker serves a queue')
end

local key, all = workers.key(listener), namespace.prefix .. 'workers'
local v = redis.call('HMGET', key, 'since', 'at')
local alive = v[1] and v[2] and namespace.now_us - workers.moment(v[2]) <= workers.DEAD
namespace.declare(key)
namespace.probe('ZCARD', all)
local answer, fresh, changed = {}, {}, {}
for i, queue in ipairs(queues) do
  fresh[i] = redis.call('SISMEMBER', namespace.declare(namespace.key('listeners', queue)), listener) == 0
  namespace.probe('ZCARD', namespace.key('seen', queue))
  if fresh[i] then
    namespace.probe('ZCARD', namespace.prefix .. 'queues')
  end
  local own = options.has and (redis.call('HGET', namespace.declare(namespace.key('has', queue)), listener) or '')
  changed[i] = own and own ~= options.has
  answer[i] = redis.call('HEXISTS', namespace.key('orders', queue), 'l:' .. listener) == 1 and 'drain' or 'continue'
end
local keep = tonumber(settings.value(nil, meta[2], 'forget_after')) * 1000000
namespace.begin()

-- The first write is a removal, so that a worker can report even when memory is full.
redis.call('ZREM', all, '')
redis.call('ZADD', all, namespace.decimal(namespace.now_us + keep), listener)
redis.call('HSET', key, 'queues', table.concat(queues, ','), 'slots', slots, 'free', free, 'has', options.has or '',
  'name', options.name or '', 'version', options.version or '', 'draining', options.draining and '1' or '0',
  'methods', options.methods or '', 'trouble', options.trouble or '', 'failed', options.failed or '',
  'patterns', options.patterns or '', 'since', alive and v[1] or namespace.now, 'at', namespace.now)
for i, queue in ipairs(queues) do
  listeners.seen(queue, listener)
  if fresh[i] then
    redis.call('SADD', namespace.key('listeners', queue), listener)
    redis.call('ZINCRBY', namespace.prefix .. 'queues', 1, queue)
  end
  if changed[i] then
    listeners.equip(queue, listener, options.has)
  end
end
return answer
