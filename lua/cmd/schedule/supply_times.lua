--- Supplies the next slots of a cron schedule: the slots after a time that `tick` returned, or after the last slot of
--   an earlier call. A count of 0 means that there are no further slots.
-- @args now name recurrence after count (slot)*count
-- @role maintenance
-- @reply `told`, or `stale` if the schedule has changed since
-- @errors NOSCHEDULE
namespace.open()
local name, text, after, count = contract.arguments()
local recurrence, every = schedules.recurrence(text)
if every then
  reply.fail('BADARG', 'only cron schedules take slots')
end
local fire_times = schedules.fire_times(count)
args.none()
local schedule = schedules.get(name)
local tail = schedules.tail(schedule)
if schedule.recurrence ~= recurrence or after > tail then
  return 'stale'
end
local list = schedule.list
for _, fire_time in ipairs(fire_times) do
  if fire_time > tail and #list < contract.SLOTS_AHEAD then
    list[#list + 1] = fire_time
  end
end
if #fire_times == 0 and after == math.floor(tail) then
  schedule.final = '1'
end
schedules.plan_next(schedule)
schedules.probe()
namespace.begin()
schedules.write(schedule)
return 'told'
