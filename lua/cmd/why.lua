--- What decides whether and when a task runs.
-- @args now id
-- @reply name and value in turn: status queue eta paused ahead listeners node deadline cancel now; what does not apply is empty
-- @errors NOTASK
local FAR = 10000 -- positions further back are only said to be so

space.open()
local task = record.get(args.next('id'), 'eta')
args.none()
local queue = task.queue
local ahead, deadline = '', ''
if task.status == 'pending' then
  ahead = redis.call('LPOS', space.key('pending_tasks', queue), task.id, 'RANK', -1, 'MAXLEN', FAR)
  ahead = ahead and redis.call('LLEN', space.key('pending_tasks', queue)) - 1 - ahead or FAR
elseif record.held(task) then
  deadline = redis.call('ZSCORE', space.key('leases', queue), record.lease(task)) or ''
end
return {
  'status', task.status, 'queue', queue, 'eta', task.status == 'scheduled' and task.extra[1] or '',
  'paused', redis.call('HGET', space.meta, 'paused:' .. queue) or '', 'ahead', ahead,
  'listeners', redis.call('SCARD', space.key('listeners', queue)),
  'node', task.node, 'deadline', deadline, 'cancel', task.cancel or '', 'now', space.now,
}
