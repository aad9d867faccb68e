--- Stores a checkpoint, from which the next attempt continues.
-- @args now id token checkpoint
-- @role worker
-- @options max_bytes
-- @reply `kept`
-- @errors LOST TOOBIG
namespace.open()
local id, token, checkpoint = contract.arguments()
args.bytes(checkpoint, args.options().max_bytes or contract.PAYLOAD_HIGH, 'checkpoint')
local task, fruitless = owner.task(id, token, '', 'fruitless')
owner.alive(task)
local told = tracks.plan_value(task, 'checkpoint', checkpoint)
namespace.begin()
redis.call('HSET', namespace.prefix .. 'task_' .. id, 'checkpoint', checkpoint, 'checkpointed', namespace.now)
if fruitless then
  redis.call('HDEL', namespace.prefix .. 'task_' .. id, 'fruitless')
end
if told then
  tracks.note(task, 'checkpoint', task.node)
end
return 'kept'
