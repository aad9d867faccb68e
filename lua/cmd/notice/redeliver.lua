--- Makes notices of tasks and graphs for a target due at once, if they wait for their next try or were given up. A
--   notice that was given up gets one more try. A notice that a worker is delivering stays as it is.
-- @args now target count owner*count
-- @role client
-- @again `0`
-- @reply number of notices that are due now
-- @errors
namespace.open()
local target, count = contract.arguments()
local outbox, failed, plans, number = notices.outbox(target), notices.given_up(target), {}, 0
namespace.probe('ZCARD', outbox)
namespace.probe('ZCARD', failed)
namespace.probe('SCARD', notices.all())
for i = 1, count do
  plans[i] = notices.plan_redelivery(notices.check_owner(args.next('owner'), 'owner'), target)
end
args.none()
namespace.begin()
for _, plan in ipairs(plans) do
  number = number + notices.redeliver(plan, target)
end
return number
