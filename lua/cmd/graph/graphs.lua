--- Lists the graphs of the namespace, newest first.
-- @args now cursor limit
-- @reply next cursor (0 at the end), then for each graph: its id, `staging` or `created`, the time of its last
--   submission, its number of tasks, the number of tasks that are not deleted, how many of these are complete, failed,
--   cancelled and skipped, its name and its tags
-- @errors
namespace.open()
local cursor, limit = contract.arguments()
local page, after = search.page(graphs.all(), { backwards = true, cursor = cursor, score = '+inf' }, limit)
local answer = { after }
for i = 1, #page, 2 do
  local v = redis.call('HMGET', graphs.key(page[i]), 'state', 'created', 'total', 'left', 'complete', 'failed',
    'cancelled', 'skipped', 'name', 'tags')
  if v[1] then
    reply.add(answer, page[i], v[1], v[2], v[3], v[4] or '0', v[5] or '0', v[6] or '0', v[7] or '0', v[8] or '0',
      v[9] or '', v[10] or '')
  end
end
return answer
