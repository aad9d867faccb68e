--- Removes a schedule. The tasks that it has created remain.
-- @args now name
-- @options request
-- @reply `removed`
-- @errors NOSCHEDULE
namespace.open()
local name = contract.arguments()
local request = args.options().request
local done, answer = requests.find('unschedule', request)
if done then
  return answer
end
local schedule = schedules.get(name)
schedules.probe()
namespace.begin()
redis.call('ZREM', namespace.prefix .. 'schedules', name)
redis.call('ZREM', namespace.prefix .. 'low_schedules', name)
redis.call('UNLINK', schedule.key)
return requests.keep('removed')
