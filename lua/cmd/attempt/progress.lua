--- Stores the progress of an attempt, for people to read.
-- @args now id token progress
-- @role worker
-- @reply `kept`
-- @errors LOST TOOBIG
namespace.open()
local id, token, progress = contract.arguments()
local task, stalled_losses = fence.task(id, token, '', 'stalled_losses')
local told = tracking.plan_value(task, 'progress', progress)
namespace.begin()
redis.call('HSET', namespace.prefix .. 'task_' .. id, 'progress', progress, 'progressed', namespace.now)
if stalled_losses then
  redis.call('HDEL', namespace.prefix .. 'task_' .. id, 'stalled_losses')
end
if told then
  tracking.note(task, 'progress', task.node, progress)
end
return 'kept'
