--- Changes the priority of a waiting task; it goes behind the tasks of its queue that have that priority already.
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
