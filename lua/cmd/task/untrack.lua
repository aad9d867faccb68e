--- Stops tracking a task. Its earlier changes stay in the stream.
-- @args now id
-- @role client
-- @options by
-- @reply `untracked`
-- @errors NOTASK
namespace.open()
local id = contract.arguments()
local by = args.options().by
local task = record.get(id)
if not tracking.has(task) then
  return 'untracked'
end
tracking.plan()
namespace.begin()
local left = string.gsub(task.flags, 'o', '')
tracking.forget(id)
if left == '' then
  redis.call('HDEL', task.key, 'flags')
else
  redis.call('HSET', task.key, 'flags', left)
end
tracking.note(task, 'untrack', by)
return 'untracked'
