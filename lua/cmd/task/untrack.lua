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
if not tracks.has(task) then
  return 'untracked'
end
tracks.plan()
namespace.begin()
local left = string.gsub(task.ties, 'o', '')
tracks.forget(id)
if left == '' then
  redis.call('HDEL', task.key, 'ties')
else
  redis.call('HSET', task.key, 'ties', left)
end
tracks.note(task, 'untrack', by)
return 'untracked'
