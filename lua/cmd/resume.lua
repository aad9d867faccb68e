--- Lets a paused queue give out tasks again.
-- @args now queue
-- @reply `resumed`
-- @errors
space.open()
local queue = contract.arguments()
orders.plan(queue)
state.plan_wake(queue)
space.begin()
redis.call('HDEL', space.meta, 'paused:' .. queue)
orders.take_back(queue, 'q')
state.wake(queue)
return 'resumed'
