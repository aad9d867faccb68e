--- Removes a schedule. The tasks that it has made stay.
-- @args now name
-- @reply `removed`
-- @errors NOSCHEDULE
space.open()
local name = schedules.name(args.next('name'))
args.none()
local schedule = schedules.get(name)
schedules.probe()
space.begin()
redis.call('ZREM', space.prefix .. 'schedules', name)
redis.call('ZREM', space.prefix .. 'low_schedules', name)
redis.call('UNLINK', schedule.key)
return 'removed'
