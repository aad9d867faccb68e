--- Stores the progress of an attempt, for people to read.
-- @args now id token progress
-- @role worker
-- @reply `kept`
-- @errors LOST TOOBIG
namespace.open()
local id, token, progress = contract.arguments()
local task, fruitless = owner.task(id, token, '', 'fruitless')
local told = tracks.plan_value(task, 'progress', progress)
namespace.begin()
redis.call('HSET', namespace.prefix .. 'task_' .. id, 'progress', progress, 'progressed', namespace.now)
if fruitless then
  redis.call('HDEL', namespace.prefix .. 'task_' .. id, 'fruitless')
end
if told then
  tracks.note(task, 'progress', task.node, progress)
end
return 'kept'
