--- Ends an attempt with an error. The task is retried after a growing delay, until it has failed too often.
-- @args now id token error
-- @role worker
-- @options group max_bytes again final cost
-- @reply `failed`, `retrying`, or `cancelled` if its cancel was requested, or if a newer task has replaced it
-- @errors LOST TOOBIG
namespace.open()
local id, token, text = contract.arguments()
local options = args.options()
return ending.fail(id, token, text, options)
