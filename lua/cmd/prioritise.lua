--- Gives a task that waits another priority; in its queue it goes behind those that have it already.
-- @args now id priority
-- @options request
-- @reply `prioritised`
-- @errors NOTASK STATE
namespace.open()
local spec = {}
local id
id, spec.priority = contract.arguments()
local request = args.options().request
local done, answer = requests.find('prioritise', request)
if done then
  return answer
end

actions.one(id, actions.prioritise, actions.do_prioritise, spec)
return requests.keep('prioritised')
