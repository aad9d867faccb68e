--- Changes a task that has not ended: any part of its submission except its dependencies. While an attempt holds the
--   task, only parts that do not affect this attempt can change. The task keeps its place in the queue, unless its
--   queue, eta or priority changes. The history of the task records each edit.
-- @args now id
-- @role client
-- @options task.stored max_bytes parameters eta queue unset token by reason request
-- @reply its state: `pending`, `scheduled`, `held`, `waiting`, `reserved` or `started`
-- @errors NOTASK STATE LOST TOOBIG CLOSED DUPLICATE TOOMANY OVERDUE task.*
namespace.open()
local id = contract.arguments()
local given = args.options()
local call = {}
for _, name in ipairs({ 'max_bytes', 'parameters', 'eta', 'queue', 'unset', 'token', 'by', 'reason', 'request' }) do
  call[name], given[name] = given[name], nil
end
if not (next(given) or call.parameters or call.eta or call.queue or call.unset) then
  reply.fail('BADARG', 'name what is to change: parameters, eta, queue, an option of the task, or unset')
elseif call.unset and call.unset.eta then
  if call.eta then
    reply.fail('BADARG', 'unset names an option that is given, too')
  end
  call.eta = false
end
requests.replay('edit', call.request)

local task = edits.get(id, call.token and string.format('%.0f', call.token))
if call.parameters then
  args.bytes(call.parameters, call.max_bytes or tonumber(settings.get(call.queue or task.queue, 'max_bytes')),
    'parameters')
end
edits.compare(task, creation.spec(edits.options(task, given, call.unset or {})), call)
if not task.edit then
  return task.status -- repeated after a lost reply
end
local step = { queue = call.queue, by = call.by or call.token and task.node or '', reason = call.reason }
local code, text = edits.plan(task, step)
if code then
  reply.fail(code, text)
end
audit.plan()
actions.run(edits.run, { task }, step)
audit.add(step.by, 'edit', 'task', id, task.status, task.edit.to, edits.names_of(task.edit))
return requests.keep(task.edit.to)
