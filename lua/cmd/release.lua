--- Gives a task back, uncounted, to the front of its queue. A task whose cancel was asked for becomes cancelled.
-- @args now id token
-- @options reason
-- @reply `released` or `cancelled`
-- @errors LOST
space.open()
local id, token = args.next('id'), args.next('token')
local why = args.options({ reason = args.plain }).reason or 'release'

local task, releases = owner.task(id, token, 'released cancelled ', 'releases')
if not task then
  return releases -- the first answer
end
releases = tonumber(releases or 0) + 1
if task.cancel then
  return owner.finish(task, 'cancelled', 'cancelled', why, 'releases', releases)
end
task.front, task.forget = true, { state.attempt_fields() }
owner.finish(task, 'pending', 'released', why, 'releases', releases)
state.wake(task.queue)
return 'released'
