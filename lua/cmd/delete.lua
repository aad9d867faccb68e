--- Removes a finished task with all that belongs to it.
-- @args now id
-- @reply `deleted`
-- @errors NOTASK STATE
space.open()
local id = args.next('id')
args.none()

local task = record.get(id)
if not state.FINISHED[task.status] then
  record.refuse(task)
end
state.plan(task, 'deleted')
space.begin()
state.move(task, 'deleted', { why = 'delete' })
return 'deleted'
