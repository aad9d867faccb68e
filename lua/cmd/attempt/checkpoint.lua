--- Stores a checkpoint, from which the next attempt continues.
-- @args now id token checkpoint
-- @role worker
-- @options max_bytes
-- @reply `kept`
-- @errors LOST TOOBIG
namespace.open()
local id, token, checkpoint = contract.arguments()
args.bytes(checkpoint, args.options().max_bytes or contract.PAYLOAD_HIGH, 'checkpoint')
local task, stalled_losses = fence.task(id, token, '', 'stalled_losses')
fence.alive(task)
local told = tracking.plan_value(task, 'checkpoint', checkpoint)
namespace.begin()
redis.call('HSET', namespace.prefix .. 'task_' .. id, 'checkpoint', checkpoint, 'checkpointed', namespace.now)
if stalled_losses then
  redis.call('HDEL', namespace.prefix .. 'task_' .. id, 'stalled_losses')
end
if told then
  tracking.note(task, 'checkpoint', task.node)
end
return 'kept'
