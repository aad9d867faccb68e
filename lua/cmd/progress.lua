--- Keeps the latest word on how far an attempt is, for people.
-- @args now id token progress
-- @reply `kept`
-- @errors LOST TOOBIG
owner.open()
local progress = args.bytes(args.next('progress'), 4096, 'progress')
args.none()
local task = owner.task()
space.begin()
redis.call('HSET', task.key, 'progress', progress, 'progressed', space.now)
return 'kept'
