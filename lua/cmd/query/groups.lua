--- Lists the groups of a queue's failures, largest first.
-- @args now queue cursor limit
-- @reply next cursor (0 at the end), then for each group: its name, its number of failed tasks, the task that failed
--   last, and the time of that failure
-- @errors
namespace.open()
local queue, cursor, limit = contract.arguments()
local page, after = search.page(
  namespace.key('groups', queue), { backwards = true, cursor = cursor, score = '+inf' }, limit)
local answer = { after }
for i = 1, #page, 2 do
  local last = redis.call('ZREVRANGE', groups.key(queue, page[i]), 0, 0, 'WITHSCORES')
  reply.add(answer, page[i], tonumber(page[i + 1]), last[1] or '', last[2] or '')
end
return answer
