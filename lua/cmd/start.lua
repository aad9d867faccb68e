--- Says that a process works on the reserved task, and renews its lease.
-- @args now id token pid
-- @options lease
-- @reply deadline
-- @errors LOST CANCELLED
owner.open()
local pid = args.integer(args.next('pid'), 1, 4194304, 'pid')
local lease = #ARGV > args.at and args.options({ lease = args.lease }).lease

local task = owner.task(nil, 'lease')
if task.cancel then
  reply.fail('CANCELLED', 'the task was cancelled before it started: release it')
end
lease = lease or tonumber(task.extra)
local deadline = space.us + lease
if task.status == 'started' and tonumber(task.pid) ~= pid then
  record.refuse(task)
end
if task.status == 'started' then
  space.begin()
  redis.call('ZADD', space.key('leases', task.queue), deadline, record.lease(task))
  return deadline
end

state.plan(task, 'started')
space.begin()
state.move(task, 'started', {
  deadline = deadline, pid = pid, by = task.node, why = 'start',
  fields = { 'pid', pid, 'lease', lease, 'started', space.now },
})
return deadline
