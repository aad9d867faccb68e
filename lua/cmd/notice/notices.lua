--- Lists the notices of a task, oldest first: the last 64.
-- @args now id
-- @reply for each notice its number, its target, the event, its time, the number of attempts of the task, its stage, the
--   number of tries, and the time and text of the last answer of its target
-- @errors NOTASK
namespace.open()
local id = contract.arguments()
local found, low, high = notices.read(args.plain(id, 'id'))
if not found.last then
  record.get(id)
end
local answer = {}
for number = low, high do
  local notice = notices.parse(found, number)
  if notice then
    reply.add(answer, notice.number, notice.target, notice.event, notice.at, notice.attempt, notice.stage,
      notice.tries, notice.answered, notice.answer)
  end
end
return answer
