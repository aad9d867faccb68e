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
tracking.plan()
if tracking.has(task) and redis.call('ZSCORE', tracking.all(), id) then
  return 'tracked'
end
local gone = {}
if redis.call('ZCARD', tracking.all()) >= tracking.MOST then
  gone = tracking.stale()
  if not gone[1] then
    reply.fail('TOOMANY', tracking.MOST .. ' tasks are tracked already: untrack some, also of those that have ended')
  end
end
namespace.begin()
redis.call('ZADD', tracking.all(), namespace.now, id)
if gone[1] then
  redis.call('ZREM', tracking.all(), unpack(gone))
end
if not tracking.has(task) then
  task.flags = (task.flags or '') .. 'o'
  redis.call('HSET', task.key, 'flags', task.flags)
end
tracking.note(task, 'track', by)
return 'tracked'
