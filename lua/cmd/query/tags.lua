--- Lists the tags of a queue's tasks, most used first.
-- @args now queue cursor limit
-- @reply next cursor (0 at the end), then for each tag: its name and its number of tasks
-- @errors
namespace.open()
local queue, cursor, limit = contract.arguments()
local page, after = search.page(
  namespace.key('tags', queue), { backwards = true, cursor = cursor, score = '+inf' }, limit)
local answer = { after }
for i = 1, #page, 2 do
  reply.add(answer, page[i], tonumber(page[i + 1]))
end
return answer
