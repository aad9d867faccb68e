--- Returns the fields of a schedule.
-- @args now name
-- @reply field and value in turn, and its `state`: `active`, `paused`, `ended`, or `dry` (a client must supply its
--   next slots)
-- @errors NOSCHEDULE
namespace.open()
local name = contract.arguments()
local schedule = schedules.get(name)
local answer = redis.call('HGETALL', schedule.key)
answer[#answer + 1], answer[#answer + 2] = 'state', schedules.state(schedule.paused, schedule.ended, schedule.next)
return answer
