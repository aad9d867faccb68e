--- Gives a task back to the front of its queue, at once or after a delay, or once other tasks have ended, such as its
--   children; or into another queue, behind those that wait there. This does not count as a failure. After too many
--   releases the task fails; if its cancel was asked for, or a newer task has replaced it by the policy `latest`, it is
--   cancelled.
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
  options.suspend = late.suspend
elseif options.into then
  options.elsewhere = steps.give_back
end
return ending.release(id, token, options)
