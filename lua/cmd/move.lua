--- Moves a waiting task to another queue, behind those that wait there. It keeps its time, priority, key, needs,
--   tags and unique name.
-- @args now id queue
-- @options request
-- @reply `moved`
-- @errors NOTASK STATE CLOSED DUPLICATE TOOMANY
namespace.open()
local spec = {}
local id
id, spec.queue = contract.arguments()
local request = args.options().request
local done, answer = requests.find('move', request)
if done then
  return answer
end

actions.one(id, actions.move, actions.do_move, spec)
return requests.keep('moved')
