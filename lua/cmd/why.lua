--- What decides whether and when a task runs.
-- @args now id
-- @reply name and value in turn: status queue eta paused ahead listeners node deadline cancel now priority key weight
--   needs able concurrency used rate_until key_concurrency key_used key_rate_until lacking failures losses releases
--   uncounted order full draining silent open upstream slots least chances end_by shared
--   limit limit_weight limit_concurrency limit_used limit_rate_until limit_turn; what does not apply is empty
-- @errors NOTASK
local FAR = 10000 -- further positions are not counted

namespace.open()
local id = contract.arguments()
local task = record.get(id, 'eta', 'failures', 'losses', 'releases', 'uncounted')
local queue = task.queue
if task.ties then
  claims.load(task)
end
local ahead, deadline = '', ''
if task.status == 'pending' then
  ahead = positions.ahead(task, FAR)
elseif record.held(task) then
  deadline = redis.call('ZSCORE', namespace.key('leases', queue), record.lease(task)) or ''
end
local stand = listeners.count(queue)
local answer = {
  'status', task.status, 'queue', queue, 'eta', task.status == 'scheduled' and task.extra[1] or '',
  'paused', redis.call('HGET', namespace.meta, 'paused:' .. queue) or '', 'ahead', ahead,
  'listeners', stand.present,
  'node', task.node, 'deadline', deadline, 'cancel', task.cancel or '', 'now', namespace.now,
  'priority', task.priority or '0', 'key', task.fair_key or '', 'weight', task.weight or '1', 'needs', task.needs or '',
  'failures', task.extra[2] or '0', 'losses', task.extra[3] or '0',
}
if task.status == 'pending' then
  for _, fact in ipairs(ranking.facts(task)) do
    answer[#answer + 1] = fact
  end
end
for _, fact in ipairs({
  'releases', task.extra[4] or '0', 'uncounted', task.extra[5] or '0',
  'order', record.held(task) and orders.word(task) or '',
  'full', stand.full, 'draining', stand.draining, 'silent', stand.silent,
}) do
  answer[#answer + 1] = fact
end
if task.status == 'waiting' then
  local open, upstream, set = edges.open(id, task.ties)
  upstream = task.graph and edges.holding(id) or upstream
  for _, fact in ipairs({
    'open', open, 'slots', redis.call('HGET', edges.inputs(id), 'slots') or '0', upstream and 'upstream', upstream,
  }) do
    answer[#answer + 1] = fact
  end
  for _, fact in ipairs(set and set.least > 0 and { 'least', set.least, 'chances', quorum.chances(set) } or {}) do
    answer[#answer + 1] = fact
  end
end
if task.end_by then
  answer[#answer + 1], answer[#answer + 2] = 'end_by', task.end_by
end
return answer
