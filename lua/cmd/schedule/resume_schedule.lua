--- Lets a paused schedule create tasks again, starting with its next slot.
-- @args now name
-- @role administrator
-- @options by
-- @reply `resumed`
-- @errors NOSCHEDULE
namespace.open()
local name = contract.arguments()
local by = args.options().by
local schedule = schedules.get(name)
if not schedule.paused then
  return 'resumed'
end
schedule.paused = nil
if tonumber(schedule.done) > tonumber(namespace.now) then
  schedule.list, schedule.final = {}, nil -- the clock ran ahead, and clients supplied cron slots for that time
end
schedule.done = namespace.now
schedules.plan_next(schedule)
schedules.probe()
audit.plan()
namespace.begin()
schedules.write(schedule, 'paused')
audit.add(by, 'resume_schedule', 'schedule', name, 'paused', 'active')
return 'resumed'
