--- Puts a task that waits into another queue, behind those that wait there. It keeps its time, priority, key, needs, tags and unique key.
-- @args now id queue
-- @reply `moved`
-- @errors NOTASK STATE CLOSED DUPLICATE TOOMANY
space.open()
local id = args.next('id')
local wish = { queue = args.plain(args.next('queue'), 'queue') }
args.none()

local task = actions.get(id)
local code, text = actions.move(task, wish)
if code then
  reply.fail(code, text)
end
if task.to then
  actions.run(actions.do_move, { task }, wish)
end
return 'moved'
