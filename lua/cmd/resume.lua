--- Lets a paused queue give out tasks again.
-- @args now queue
-- @reply `resumed`
-- @errors
namespace.open()
local queue = contract.arguments()
orders.plan(queue)
state.plan_wake(queue)
namespace.begin()
redis.call('HDEL', namespace.meta, 'paused:' .. queue)
orders.take_back(queue, 'q')
state.wake(queue)
return 'resumed'
