--- Stops a queue from giving out tasks. What runs goes on, or with `stop` is told by its heartbeats to be given back.
-- @args now queue by reason
-- @options stop
-- @reply `paused`
-- @errors TOOBIG
space.open()
local queue, by, reason = contract.arguments()
local stop = args.options().stop
orders.plan(queue)
space.begin()
space.make_way(space.meta)
redis.call('HSET', space.meta, 'paused:' .. queue, space.now .. ' ' .. by .. ' ' .. reason)
if stop then
  orders.give(queue, 'q', 'stop')
else
  orders.take_back(queue, 'q')
end
return 'paused'
