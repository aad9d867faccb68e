--- Asks the owner of a task to send its program a signal, once.
-- @args now id signal
-- @role client
-- @options by request
-- @reply number of the request in this attempt; the owner has answered it when the field `controlled` has reached it
-- @errors NOTASK STATE TOOMANY
namespace.open()
local id, signal = contract.arguments()
local spec = args.options()
requests.replay('signal', spec.request)

spec.what, spec.detail, spec.reason = 'signal', signal, signal
local task = actions.one(id, controlling.plan, controlling.ask, spec)
return requests.keep(string.format('%.0f', task.controls.last))
