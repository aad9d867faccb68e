--- Gives a task back to the front of its queue: at once, after a delay, or when other tasks such as its children have
--   ended. With `into`, puts the task into another queue, behind the tasks that already wait there. A release does not
--   count as a failure. After too many releases the task fails. The task is cancelled if its cancel was requested, or
--   if a newer task has replaced it by the policy `latest`.
-- @args now id token
-- @role worker
-- @options reason again uncounted inputs into lost cost
-- @reply `released`, `cancelled` or `failed`; with `lost` always `lost`
-- @errors LOST TOOBIG TOOMANY CYCLE CLOSED DUPLICATE
-- @noted UPSTREAM
namespace.open()
local id, token = contract.arguments()
local options = args.options()
if options.inputs then
  options.suspend = edit_edges.suspend
elseif options.into then
  options.elsewhere = steps.give_back
end
return ending.release(id, token, options)
