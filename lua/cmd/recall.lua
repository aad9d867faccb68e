--- Asks the owner of a task to give it back: its heartbeats answer `stop`. With `at_once` the task is taken from it, whatever still runs.
-- @args now id
-- @options at_once
-- @reply `recalling`; `released` or `cancelled` where the task was taken at once, or given back already
-- @errors NOTASK STATE
space.open()
local id = args.next('id')
local wish = args.options({ at_once = args.flag })

local task = actions.one(id, actions.recall, actions.do_recall, wish)
if not record.held(task) then
  return 'released'
elseif not wish.at_once then
  return 'recalling'
end
return task.to == 'cancelled' and 'cancelled' or 'released'
