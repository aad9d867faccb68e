--- What decides whether and when a task runs.
-- @args now id
-- @reply name and value in turn: status queue eta paused ahead listeners node deadline cancel now priority key weight needs able concurrency used rate_until key_concurrency key_used key_rate_until failures losses; what does not apply is empty
-- @errors NOTASK
local FAR = 10000 -- positions further back are only said to be so

space.open()
local task = record.get(args.next('id'), 'eta', 'failures', 'losses')
args.none()
local queue = task.queue
if task.ties then
  bonds.load(task)
end
local ahead, deadline = '', ''
if task.rank then
  local lane = space.key('lane_tasks', queue)
  ahead = redis.call('ZRANK', lane, task.rank .. ' ' .. task.id) or 0
  if tonumber(task.priority or 0) <= 0 then
    ahead = ahead + redis.call('LLEN', space.key('pending_tasks', queue))
  end
  ahead = math.min(ahead, FAR)
elseif task.status == 'pending' then
  ahead = redis.call('LPOS', space.key('pending_tasks', queue), task.id, 'RANK', -1, 'MAXLEN', FAR)
  ahead = ahead and redis.call('LLEN', space.key('pending_tasks', queue)) - 1 - ahead or FAR
  ahead = math.min(ahead + redis.call('ZCOUNT', space.key('lane_tasks', queue), '-inf', '(0'), FAR)
elseif record.held(task) then
  deadline = redis.call('ZSCORE', space.key('leases', queue), record.lease(task)) or ''
end
local answer = {
  'status', task.status, 'queue', queue, 'eta', task.status == 'scheduled' and task.extra[1] or '',
  'paused', redis.call('HGET', space.meta, 'paused:' .. queue) or '', 'ahead', ahead,
  'listeners', redis.call('SCARD', space.key('listeners', queue)),
  'node', task.node, 'deadline', deadline, 'cancel', task.cancel or '', 'now', space.now,
  'priority', task.priority or '0', 'key', task.lane_key or '', 'weight', task.weight or '1', 'needs', task.needs or '',
  'failures', task.extra[2] or '0', 'losses', task.extra[3] or '0',
}
if task.status == 'pending' then
  for _, fact in ipairs(lanes.facts(task)) do
    answer[#answer + 1] = fact
  end
end
return answer
