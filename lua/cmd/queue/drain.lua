--- Orders a listener to finish the tasks that it holds and to take no more tasks. The replies to the listener's
--   heartbeats and reserves carry the order.
-- @args now queue listener on
-- @role administrator
-- @options by
-- @reply `draining`, or `listening`
-- @errors NOLISTENER
namespace.open()
local queue, listener, on = contract.arguments()
local by = args.options().by
listeners.require(queue, listener)
orders.plan(queue)
local known = redis.call('HEXISTS', orders.key(queue), 'l:' .. listener) == 1
listeners.plan_drain(queue)
audit.plan()
namespace.begin()
namespace.write_when_full(namespace.meta)
if on ~= known then
  listeners.drained(queue, on and 1 or -1)
end
if on then
  orders.give(queue, 'l:' .. listener, 'drain')
else
  orders.take_back(queue, 'l:' .. listener)
end
local before, after = known and 'draining' or 'listening', on and 'draining' or 'listening'
if before ~= after then
  audit.add(by, 'drain', 'listener', listener, before, after, queue)
end
return after
