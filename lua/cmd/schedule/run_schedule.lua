--- Creates a task of a schedule at once, in addition to its slots, even if the schedule is paused or has ended.
-- @args now name id
-- @role administrator
-- @options overlap by request
-- @reply `created` or `existing`, and the id of the task
-- @errors NOSCHEDULE STATE OTHERQUEUE CLOSED DUPLICATE OVERDUE task.*
namespace.open()
local name, id = contract.arguments()
local options = args.options()
requests.replay('run_schedule', options.request)
local schedule = schedules.get(name)
local found = redis.call('HMGET', namespace.key('task', id), 'queue', 'schedule')
if found[1] and found[2] == name then
  return { 'existing', id }
elseif found[1] == schedule.queue then
  reply.fail('STATE', 'this id is a task that the schedule did not create')
elseif found[1] then
  reply.fail('OTHERQUEUE', 'this id is a task of another queue; ids are unique in a namespace')
end
local overlap = options.overlap or schedule.overlap
local old, beside = firing.live(schedule, overlap)
if old and overlap == 'skip' then
  reply.fail('STATE', 'its task ' .. old.id .. ' is ' .. old.status .. ': wait for its end, or allow both to run')
elseif beside and (old and beside.id == old.id or schedules.exclusive(schedule, schedule.overlap)) then
  reply.fail('STATE', 'its task ' .. beside.id .. ' is ' .. beside.status
    .. (beside.queue == schedule.queue and '' or ' in another queue')
    .. ' and would run at the same time: wait for its end, or allow both to run')
end
local template = { name = name, queue = schedule.queue, parameters = schedule.parameters, options = schedule.options,
  overlap = overlap }
local plan = firing.plan({ schedule = template, id = id, old = overlap == 'cancel' and old or nil }, {})
if plan.other then
  return { 'existing', plan.other }
end
audit.plan()
namespace.begin()
-- This write is refused when memory is full, before anything is created.
redis.call('HSET', schedule.key, 'last_at', namespace.now)
firing.make(plan, 'run_schedule')
schedules.note(schedule, id)
redis.call('HSET', schedule.key, 'last_task', id, 'tasks', schedule.tasks or id)
wakeups.wake(schedule.queue)
audit.add(options.by, 'run_schedule', 'schedule', name, '', id)
return requests.keep({ 'created', id })
