--- Tells the next slots of a cron schedule, those after a time that `tick` or this command named. With a count of 0 there are no more.
-- @args now name rhythm after count (slot)*count
-- @reply `told`, or `stale` where the schedule is another by now
-- @errors NOSCHEDULE
space.open()
local name = schedules.name(args.next('name'))
local rhythm, every = schedules.rhythm(args.next('rhythm'))
if every then
  reply.fail('BADARG', 'only the slots of cron are told')
end
local after = args.integer(args.next('after'), 0, 100000000000, 'after')
local slots = schedules.slots()
args.none()
local schedule = schedules.get(name)
local tail = schedules.tail(schedule)
if schedule.rhythm ~= rhythm or after > tail then
  return 'stale'
end
local list = schedule.list
for _, slot in ipairs(slots) do
  if slot > tail and #list < schedules.AHEAD then
    list[#list + 1] = slot
  end
end
if #slots == 0 and after == math.floor(tail) then
  schedule.final = '1'
end
schedules.settle(schedule)
schedules.probe()
space.begin()
schedules.write(schedule)
return 'told'
