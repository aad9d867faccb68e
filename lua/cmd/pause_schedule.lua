--- Stops a schedule from making tasks. Slots that pass meanwhile make none.
-- @args now name by reason
-- @reply `paused`
-- @errors NOSCHEDULE TOOBIG
space.open()
local name, by, reason = contract.arguments()
local schedule = schedules.get(name)
schedule.paused = space.now .. ' ' .. by .. ' ' .. reason
schedules.settle(schedule)
schedules.probe()
space.begin()
space.make_way(schedule.key)
schedules.write(schedule, 'paused')
return 'paused'
