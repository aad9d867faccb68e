--- Returns the facts that decide whether and when a task runs.
-- @args now id
-- @reply name and value in turn: status queue eta paused ahead listeners node deadline cancel now priority key weight
--   needs able concurrency used rate_until key_concurrency key_used key_rate_until lacking failures losses releases
--   uncounted order full draining silent open upstream last slots least chances end_by shared limit limit_weight
--   limit_concurrency limit_used limit_rate_until limit_turn; values that do not apply are empty
-- @errors NOTASK
local FAR = 10000 -- further positions are not counted
local CHAIN = 100 -- tasks of a chain that a call follows

-- Returns an upstream task of a task, the number of its open upstream tasks, and its set.
local function waits_for(id, flags, graph)
  local open, upstream, set = edge_end.open(id, flags)
  return graph and edge_end.holding(id) or upstream, open, set
end

-- Follows a chain of upstream tasks to the first task that waits for no other task, or for CHAIN tasks.
local function last_of(id)
  for _ = 1, CHAIN do
    local v = redis.call('HMGET', namespace.key('task', id), 'status', 'flags', 'graph')
    local upstream = v[1] == 'waiting' and waits_for(id, v[2], v[3])
    if not upstream then
      break
    end
    id = upstream
  end
  return id
end

namespace.open()
local id = contract.arguments()
local task = record.get(id, 'eta', 'failures', 'losses', 'releases', 'uncounted')
local queue = task.queue
if task.flags then
  holdings.load(task)
end
local ahead, deadline = '', ''
if task.status == 'pending' then
  ahead = queue_positions.ahead(task, FAR) or ''
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
  reply.add(answer, unpack(ranking.facts(task)))
end
reply.add(answer, 'releases', task.extra[4] or '0', 'uncounted', task.extra[5] or '0',
  'order', record.held(task) and orders.of(task) or '',
  'full', stand.full, 'draining', stand.draining, 'silent', stand.silent)
if task.status == 'waiting' then
  local upstream, open, set = waits_for(id, task.flags, task.graph)
  local last = upstream and last_of(upstream)
  reply.add(answer, 'open', open, 'slots', redis.call('HGET', edges.inputs(id), 'slots') or '0',
    upstream and 'upstream', upstream, last ~= upstream and 'last' or nil, last)
  if set and set.least > 0 then
    reply.add(answer, 'least', set.least, 'chances', at_least.chances(set))
  end
end
if task.end_by then
  reply.add(answer, 'end_by', task.end_by)
end
return answer
