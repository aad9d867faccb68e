--- Gives a task that waits another priority; in its queue it goes behind those that have it already.
-- @args now id priority
-- @reply `prioritised`
-- @errors NOTASK STATE
space.open()
local id = args.next('id')
local wish = { priority = birth.priority(args.next('priority'), 'priority') }
args.none()

local task = actions.get(id)
local code, text = actions.prioritise(task, wish)
if code then
  reply.fail(code, text)
end
if task.to then
  actions.run(actions.do_prioritise, { task }, wish)
end
return 'prioritised'
