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
for i = 1, #fields, 2 do
  if fields[i] == 'status' then
    return fields
  end
end
local graph = redis.call('HGET', namespace.prefix .. 'task_' .. id, 'graph')
if graph then -- it is not there yet, or has yet to release this task
  fields[#fields + 1], fields[#fields + 2] = 'status', 'waiting'
  return graphs.is_created(graph) and fields or false
end
return fields
