--- Lets a paused queue give out tasks again.
-- @args now queue
-- @reply `resumed`
-- @errors
space.open()
local queue = args.plain(args.next('queue'), 'queue')
args.none()
local orders = space.key('orders', queue)
space.probe('HLEN', orders)
state.plan_wake(queue)
space.begin()
redis.call('HDEL', space.meta, 'paused:' .. queue)
redis.call('HDEL', orders, 'q')
state.wake(queue)
return 'resumed'
