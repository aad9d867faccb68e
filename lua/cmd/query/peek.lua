--- What `reserve` will give out of a queue, in this order, as things are now, and what it passes over meanwhile and
--   why. Takes nothing. With `listener` as that one is registered, or with `has` for one that offers that.
-- @args now queue limit
-- @options listener has
-- @reply for each task its id, why it is passed over, or an empty string if it is given out, and until when, if that is
--   known: first those that are given out
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
  answer[#answer + 1], answer[#answer + 2], answer[#answer + 3] = task.id, '', ''
end
peeking.passed(look, answer)
return answer
