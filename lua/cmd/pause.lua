--- Stops a queue from giving out tasks. Running tasks go on; with `stop`, heartbeats order their owners to give
--   them back.
-- @args now queue by reason
-- @options stop
-- @reply `paused`
-- @errors TOOBIG
namespace.open()
local queue, by, reason = contract.arguments()
local stop = args.options().stop
orders.plan(queue)
namespace.begin()
namespace.write_when_full(namespace.meta)
redis.call('HSET', namespace.meta, 'paused:' .. queue, namespace.now .. ' ' .. by .. ' ' .. reason)
if stop then
  orders.give(queue, 'q', 'stop')
else
  orders.take_back(queue, 'q')
end
return 'paused'
