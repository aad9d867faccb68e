--- Stores the progress of an attempt, for people.
-- @args now id token progress
-- @reply `kept`
-- @errors LOST TOOBIG
namespace.open()
local id, token, progress = contract.arguments()
local _, fruitless = owner.task(id, token, '', 'fruitless')
namespace.begin()
redis.call('HSET', namespace.prefix .. 'task_' .. id, 'progress', progress, 'progressed', namespace.now)
if fruitless then
  redis.call('HDEL', namespace.prefix .. 'task_' .. id, 'fruitless')
end
return 'kept'
