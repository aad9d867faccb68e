--- Stops a schedule from creating tasks. Slots that pass meanwhile create none.
-- @args now name by reason
-- @reply `paused`
-- @errors NOSCHEDULE TOOBIG
namespace.open()
local name, by, reason = contract.arguments()
local schedule = schedules.get(name)
schedule.paused = namespace.now .. ' ' .. by .. ' ' .. reason
schedules.settle(schedule)
schedules.probe()
namespace.begin()
namespace.write_when_full(schedule.key)
schedules.write(schedule, 'paused')
return 'paused'
