--- Gives a task back, uncounted, to the front of its queue. A task whose cancel was asked for becomes cancelled.
-- @args now id token
-- @options reason
-- @reply `released` or `cancelled`
-- @errors LOST TOOBIG
owner.open()
local options = args.options({ reason = args.plain })

local task, answer = owner.task({ released = true, cancelled = true }, 'releases')
if answer then
  return answer
end
local change = {
  why = options.reason or 'release', front = true,
  fields = { 'releases', tonumber(task.extra or 0) + 1 },
}
if task.cancel then
  return owner.finish(task, 'cancelled', 'cancelled', change)
end
change.forget = state.ATTEMPT
owner.finish(task, 'pending', 'released', change)
state.wake(task.queue)
return 'released'
