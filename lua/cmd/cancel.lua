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

local task = actions.one(id, actions.cancel, actions.do_cancel, wish)
return record.held(task) and not wish.force and 'cancelling' or 'cancelled'
