--- Lets a paused schedule make tasks again, from its next slot on.
-- @args now name
-- @reply `resumed`
-- @errors NOSCHEDULE
space.open()
local name = contract.arguments()
local schedule = schedules.get(name)
if not schedule.paused then
  return 'resumed'
end
schedule.paused = nil
if tonumber(schedule.done) > tonumber(space.now) then
  schedule.list, schedule.final = {}, nil -- the clock ran ahead, and slots of cron were told for then
end
schedule.done = space.now
schedules.settle(schedule)
schedules.probe()
space.begin()
schedules.write(schedule, 'paused')
return 'resumed'
