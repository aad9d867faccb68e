--- Tracks a task: until `untrack`, or until the task is deleted, `changes` returns each of its changes, in every queue.
-- @args now id
-- @role client
-- @options by
-- @reply `tracked`
-- @errors NOTASK TOOMANY
namespace.open()
local id = contract.arguments()
local by = args.options().by
local task = record.get(id)
tracks.plan()
if tracks.has(task) and redis.call('ZSCORE', tracks.all(), id) then
  return 'tracked'
end
local gone = {}
if redis.call('ZCARD', tracks.all()) >= tracks.MOST then
  gone = tracks.stale()
  if not gone[1] then
    reply.fail('TOOMANY', tracks.MOST .. ' tasks are tracked already: untrack some, also of those that have ended')
  end
end
namespace.begin()
redis.call('ZADD', tracks.all(), namespace.now, id)
if gone[1] then
  redis.call('ZREM', tracks.all(), unpack(gone))
end
if not tracks.has(task) then
  task.ties = (task.ties or '') .. 'o'
  redis.call('HSET', task.key, 'ties', task.ties)
end
tracks.note(task, 'track', by)
return 'tracked'
