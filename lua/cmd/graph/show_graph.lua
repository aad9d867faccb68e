--- Returns the tasks of a graph, in the order in which they were submitted.
-- @args now graph cursor limit
-- @reply nil if there is no such graph; else next cursor (0 at the end), `staging` or `created`, the time of its last
--   submission, its number of tasks, its name; how many tasks are complete, failed, cancelled and skipped; the
--   action in progress: `cancel`, `retry`, `rerun`, or empty; then for each task: its id, its queue (empty if the task
--   was deleted), its status, the number of tasks that it still waits for, the task that caused its end (empty if
--   there is none), its label, its inputs as submitted, and 1 if it was skipped
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
local counts = redis.call('HMGET', graphs.key(id), 'complete', 'failed', 'cancelled', 'skipped', 'doing')
local doing = string.gsub(counts[5] or '', '^mark_', '')
local answer = { #ids < limit and '0' or string.format('%.0f', from + limit), graph.state, graph.created, graph.total,
  graph.name, counts[1] or '0', counts[2] or '0', counts[3] or '0', counts[4] or '0',
  doing == 'repair' and 'retry' or doing }
for _, task in ipairs(ids) do
  local v = redis.call('HMGET', namespace.key('task', task), 'queue', 'status', 'cause', 'label', 'inputs', 'graph',
    'flags')
  if v[6] ~= id then
    v = {} -- the id now belongs to another task
  end
  local status = v[2] or v[1] and 'waiting' or 'deleted'
  if doing == 'rerun' and contract.is_final(status) and graphs.is_rerun(id, task) then
    status = 'waiting' -- the task has stopped for its rerun, which has not begun
  end
  reply.add(answer, task, v[1] or '', status, status == 'waiting' and edge_end.open(task, v[7]) or 0, v[3] or '',
    v[4] or '', v[5] or '', graphs.outcome(status, v[7]) == 'skipped' and 1 or 0)
end
return answer
