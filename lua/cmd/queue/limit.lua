--- Sets the concurrency and the rate of one key of a queue, in place of the queue's settings; `-` stands for the
--   queue's setting. With queue `*`, sets a shared limit: tasks of any queue count against it if they list it in their
--   option `limits`; `-` stands for no bound. A shared limit with neither bound is removed; an unused shared limit is
--   removed after `expires`.
-- @args now queue key concurrency rate
-- @role administrator
-- @options by expires
-- @reply `limited`
-- @errors TOOMANY NOTEMPTY
namespace.open()
local queue, key, concurrency, rate = contract.arguments()
local options = args.options()
local by, expires = options.by, options.expires
if concurrency ~= '-' then
  contract.setting('concurrency', concurrency, 'concurrency')
end
if rate ~= '-' then
  contract.setting('rate', rate, 'rate')
end
if queue == '*' then
  return shared_define.define(key, concurrency, rate, expires, by)
elseif expires then
  reply.fail('BADARG', 'expires is for a shared limit')
end
local own_limits, unset = namespace.key('limits', queue), concurrency == '-' and rate == '-'
if not unset and redis.call('HEXISTS', own_limits, key) == 0 and redis.call('HLEN', own_limits) >= limits.KEYS then
  reply.fail('TOOMANY', 'this queue has ' .. limits.KEYS .. ' keys with limits of their own already')
end
local before, after = redis.call('HGET', own_limits, key) or '- -', concurrency .. ' ' .. rate
local fresh = rate ~= '-' and string.match(before, '(%S+)$') == '-' and not settings.get(queue, 'key_rate')
fairness.plan_refresh(queue, { key })
wakeups.plan(queue)
audit.plan()
namespace.begin(nil, own_limits)
if unset then
  redis.call('HDEL', own_limits, key)
else
  redis.call('HSET', own_limits, key, after)
end
if fresh then
  redis.call('UNLINK', limits.starts_key(queue, key)) -- earlier starts do not count
end
fairness.refresh_all(queue, key)
wakeups.wake(queue)
if before ~= after then
  audit.add(by, 'limit', 'key', queue .. '/' .. key, before, after)
end
return 'limited'
