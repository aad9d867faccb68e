--- Cancels a task. One that is held is told by its next heartbeat, or with `force` cut off at once.
-- @args now id reason
-- @options force
-- @reply `cancelled`, or `cancelling` where its owner has yet to stop
-- @errors NOTASK STATE TOOBIG
space.open()
local id = args.next('id')
local reason = args.text(args.next('reason'), 'reason')
local wish = args.options({ force = args.flag })
wish.reason = reason

local task = actions.get(id)
local code, text = actions.cancel(task, wish)
if code then
  reply.fail(code, text)
end
if task.to then
  actions.run(actions.do_cancel, { task }, wish)
end
return record.held(task) and not wish.force and 'cancelling' or 'cancelled'
