--- The whole record of a task.
-- @args now id
-- @reply nil, or field and value in turn
-- @errors
space.open()
local id = contract.arguments()
local fields = redis.call('HGETALL', space.prefix .. 'task_' .. id)
if #fields == 0 then
  space.here(space.prefix .. 'task_' .. id)
  return false
end
return fields
