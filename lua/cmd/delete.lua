--- Removes a finished task with all that belongs to it.
-- @args now id
-- @reply `deleted`
-- @errors NOTASK STATE
space.open()
local id = args.next('id')
args.none()

actions.one(id, actions.delete, actions.do_delete, {})
return 'deleted'
