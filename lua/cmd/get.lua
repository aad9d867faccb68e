--- The whole record of a task.
-- @args now id
-- @reply nil, or field and value in turn
-- @errors
namespace.open()
local id = contract.arguments()
local fields = redis.call('HGETALL', namespace.prefix .. 'task_' .. id)
if #fields == 0 then
  namespace.check_slot(namespace.prefix .. 'task_' .. id)
  return false
end
return fields
