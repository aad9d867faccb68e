--- Deletes a finished task with its log and history.
-- @args now id
-- @options request
-- @reply `deleted`
-- @errors NOTASK STATE
namespace.open()
local id = contract.arguments()
local request = args.options().request
local done, answer = requests.find('delete', request)
if done then
  return answer
end

actions.one(id, actions.delete, actions.do_delete, {})
return requests.keep('deleted')
