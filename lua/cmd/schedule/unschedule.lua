--- Removes a schedule. The tasks that it has created remain.
-- @args now name
-- @role administrator
-- @options by request
-- @reply `removed`
-- @errors NOSCHEDULE
namespace.open()
local name = contract.arguments()
local options = args.options()
requests.replay('unschedule', options.request)
local schedule = schedules.get(name)
local named = schedules.values(redis.call('HGET', schedule.key, 'options') or '').limits
if named then
  shared_count.plan()
end
schedules.probe()
audit.plan()
namespace.begin()
shared_count.recount(nil, named)
redis.call('ZREM', namespace.prefix .. 'schedules', name)
redis.call('ZREM', namespace.prefix .. 'low_schedules', name)
redis.call('UNLINK', schedule.key)
audit.add(options.by, 'unschedule', 'schedule', name, schedule.recurrence, '')
return requests.keep('removed')
