--- Keeps what the next attempt needs to go on from here.
-- @args now id token checkpoint
-- @options max_bytes
-- @reply `kept`
-- @errors LOST TOOBIG
owner.open()
local checkpoint = args.next('checkpoint')
args.bytes(checkpoint, args.max_bytes(), 'checkpoint')
local task = owner.task()
space.begin()
redis.call('HSET', task.key, 'checkpoint', checkpoint, 'checkpointed', space.now)
return 'kept'
