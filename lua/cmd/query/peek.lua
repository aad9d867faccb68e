--- Lists the tasks of a queue that `reserve` would give out now, in this order, and the tasks that it would pass over,
--   with the reason. Changes nothing. With `listener`, the reply is for this registered listener; with `has`, for a
--   listener that offers this.
-- @args now queue limit
-- @options listener has
-- @reply for each task: its id; an empty string if it is given out, else the reason why it is passed over; and until
--   when, if this is known. Tasks that are given out come first
-- @errors
namespace.open()
local queue, limit = contract.arguments()
local options = args.options()
local look = peeking.begin(queue, options.listener, options.has, limit)
local next_task = peeking.next
local more = not look.stop
while more and #look.given < limit do
  more = next_task(look)
end
local answer = {}
for _, task in ipairs(look.given) do
  reply.add(answer, task.id, '', '')
end
peeking.passed(look, answer)
return answer
