--- Keeps the latest word on how far an attempt is, for people.
-- @args now id token progress
-- @reply `kept`
-- @errors LOST TOOBIG
space.open()
local id, token, progress = contract.arguments()
local _, fruitless = owner.task(id, token, '', 'fruitless')
space.begin()
redis.call('HSET', space.prefix .. 'task_' .. id, 'progress', progress, 'progressed', space.now)
if fruitless then
  redis.call('HDEL', space.prefix .. 'task_' .. id, 'fruitless')
end
return 'kept'
