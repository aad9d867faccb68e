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
if fields[1] ~= 'status' then -- a script writes it first
  local status, graph = unpack(redis.call('HMGET', namespace.prefix .. 'task_' .. id, 'status', 'graph'))
  if graph and not status then -- its graph is not there yet, or it has yet to be released
    fields[#fields + 1], fields[#fields + 2] = 'status', 'waiting'
    return graphs.is_created(graph) and fields or false
  end
end
return fields
