--- Gives a task that waits another priority; in its queue it goes behind those that have it already.
-- @args now id priority
-- @reply `prioritised`
-- @errors NOTASK STATE
space.open()
local id = args.next('id')
local wish = { priority = birth.priority(args.next('priority'), 'priority') }
args.none()

actions.one(id, actions.prioritise, actions.do_prioritise, wish)
return 'prioritised'
