--- Removes a finished task with all that belongs to it.
-- @args now id
-- @reply `deleted`
-- @errors NOTASK STATE
space.open()
local id = args.next('id')
args.none()

local task = record.get(id)
if not state.finished(task.status) then
  record.refuse(task.status)
end
state.plan(task, 'deleted')
space.begin()
state.move(task, 'deleted', 'delete', '')
return 'deleted'
