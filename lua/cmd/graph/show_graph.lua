--- The tasks of a graph, in the order in which they were submitted.
-- @args now graph cursor limit
-- @reply nil if there is no such graph; else next cursor (0 at the end), `staging` or `created`, when that was, number
--   of tasks, its name; how many are complete, failed and cancelled; what is under way: `cancel`, `retry`, `anew`, or
--   empty; then for each task its id, queue and status, how
--   many tasks it still waits for, the cause of its end if that is another task, its label, and what it waits for as
--   submitted. What was deleted has no queue
-- @errors
namespace.open()
local id, cursor, limit = contract.arguments()
local graph = graphs.find(id)
if not graph then
  namespace.check_slot(graphs.key(id))
  return false
end
local from = tonumber(cursor)
local ids = redis.call('LRANGE', graphs.tasks(id), from, from + limit - 1)
local counts = redis.call('HMGET', graphs.key(id), 'complete', 'failed', 'cancelled', 'doing')
local doing = string.gsub(counts[4] or '', '^mark_', '')
local answer = { #ids < limit and '0' or string.format('%.0f', from + limit), graph.state, graph.created, graph.total,
  graph.name, counts[1] or '0', counts[2] or '0', counts[3] or '0', doing == 'repair' and 'retry' or doing }
for _, task in ipairs(ids) do
  local v = redis.call('HMGET', namespace.key('task', task), 'queue', 'status', 'cause', 'label', 'inputs', 'graph',
    'ties')
  if v[6] ~= id then
    v = {} -- another task has its id by now
  end
  local status = v[2] or v[1] and 'waiting' or 'deleted'
  if doing == 'anew' and contract.is_final(status) and graphs.runs_anew(id, task) then
    status = 'waiting' -- it has stopped in order to
  end
  for _, fact in ipairs({ task, v[1] or '', status, status == 'waiting' and edge_end.open(task, v[7]) or 0, v[3] or '',
    v[4] or '', v[5] or '' }) do
    answer[#answer + 1] = fact
  end
end
return answer
