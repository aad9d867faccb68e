--- Lists the notices of a task or a graph, oldest first: the last 64. The open notices of a deleted task are listed
--   until they are delivered.
-- @args now of subject
-- @reply for each notice its number, its target, the event, its time, the number of attempts of the task, its stage,
--   the number of tries, and the time and text of the last answer of its target
-- @errors
namespace.open()
local owner = notices.owner(contract.arguments())
local found, low, high = notices.read(owner)
local answer = {}
for number = low, high do
  local notice = notices.parse(found, number)
  if notice then
    reply.add(answer, notice.number, notice.target, notice.event, notice.at, notice.attempt, notice.stage,
      notice.tries, notice.answered, notice.answer)
  end
end
return answer
