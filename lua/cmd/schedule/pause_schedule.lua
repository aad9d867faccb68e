--- Stops a schedule from creating tasks. Slots that pass during the pause create no tasks.
-- @args now name by reason
-- @role administrator
-- @reply `paused`
-- @errors NOSCHEDULE TOOBIG
namespace.open()
local name, by, reason = contract.arguments()
local schedule = schedules.get(name)
local before, former = schedule.paused and 'paused' or 'active', string.match(schedule.paused or '', '^%S+ (.*)$')
schedule.paused = namespace.now .. ' ' .. by .. ' ' .. reason
schedules.plan_next(schedule)
schedules.probe()
audit.plan()
namespace.begin()
namespace.write_when_full(schedule.key)
schedules.write(schedule, 'paused')
if former ~= by .. ' ' .. reason then
  audit.add(by, 'pause_schedule', 'schedule', name, before, 'paused', reason)
end
return 'paused'
