--- Puts a task that waits into another queue, behind those that wait there. It keeps its time, priority, key, needs,
--   tags and unique name.
-- @args now id queue
-- @options request
-- @reply `moved`
-- @errors NOTASK STATE CLOSED DUPLICATE TOOMANY
space.open()
local wish = {}
local id
id, wish.queue = contract.arguments()
local request = args.options().request
local done, answer = requests.find('move', request)
if done then
  return answer
end

actions.one(id, actions.move, actions.do_move, wish)
return requests.keep('moved')
