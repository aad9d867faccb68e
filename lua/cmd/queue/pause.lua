--- Stops a queue from giving out tasks. Running tasks continue; with `stop`, heartbeats order their owners to give them
--   back.
-- @args now queue by reason
-- @role administrator
-- @options stop
-- @reply `paused`
-- @errors TOOBIG
namespace.open()
local queue, by, reason = contract.arguments()
local stop = args.options().stop
orders.plan(queue)
local former = string.match(redis.call('HGET', namespace.meta, 'paused:' .. queue) or '', '^%S+ (.*)$')
local before, after = audit.flow(queue), stop and 'stopped' or 'paused'
audit.plan()
namespace.begin()
namespace.write_when_full(namespace.meta)
redis.call('HSET', namespace.meta, 'paused:' .. queue, namespace.now .. ' ' .. by .. ' ' .. reason)
if stop then
  orders.give(queue, 'q', 'stop')
else
  orders.take_back(queue, 'q')
end
if before ~= after or former ~= by .. ' ' .. reason then
  audit.add(by, 'pause', 'queue', queue, before, after, reason)
end
return 'paused'
