--- Lets a paused queue give out tasks again.
-- @args now queue
-- @role administrator
-- @options by
-- @reply `resumed`
-- @errors
namespace.open()
local queue = contract.arguments()
local by = args.options().by
orders.plan(queue)
wakeups.plan(queue)
local before = audit.flow(queue)
audit.plan()
namespace.begin()
redis.call('HDEL', namespace.meta, 'paused:' .. queue)
orders.take_back(queue, 'q')
wakeups.wake(queue)
if before ~= 'open' then
  audit.add(by, 'resume', 'queue', queue, before, 'open')
end
return 'resumed'
