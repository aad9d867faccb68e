--- Lists the tracked tasks of the namespace, newest first.
-- @args now cursor limit
-- @reply next cursor (0 at the end), then for each task: its id, its queue, its state and when tracking began
-- @errors
namespace.open()
local cursor, limit = contract.arguments()
local page, after = search.page(tracking.all(), { backwards = true, cursor = cursor, score = '+inf' }, limit)
local answer = { after }
for i = 1, #page, 2 do
  local task = record.find(page[i])
  if task and tracking.has(task) then
    reply.add(answer, page[i], task.queue, task.status, page[i + 1])
  end
end
return answer
