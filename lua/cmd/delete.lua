--- Removes a finished task with all that belongs to it.
-- @args now id
-- @reply `deleted`
-- @errors NOTASK STATE
space.open()
local id = args.next('id')
args.none()

local task, wish = actions.get(id), {}
local code, text = actions.delete(task, wish)
if code then
  reply.fail(code, text)
end
actions.run(actions.do_delete, { task }, wish)
return 'deleted'
