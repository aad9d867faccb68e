--- Deletes a finished task with its log and history.
-- @args now id
-- @role client
-- @options by request
-- @reply `deleted`
-- @errors NOTASK STATE
namespace.open()
local id = contract.arguments()
local options = args.options()
requests.replay('delete', options.request)

actions.one(id, deleting.plan, deleting.delete, { by = options.by, what = 'delete' })
return requests.keep('deleted')
