--- Gives a task back, uncounted as a failure, to the front of its queue. Past its cap of releases it fails; if its cancel was asked for, it becomes cancelled.
-- @args now id token
-- @options reason
-- @reply `released`, `cancelled` or `failed`
-- @errors LOST
space.open()
local id, token = args.next('id'), args.next('token')
local why = args.options({ reason = args.cause }).reason or 'release'

local task, releases = owner.task(id, token, 'released cancelled failed ', 'releases')
if not task then
  return releases -- the first answer
end
releases = tonumber(releases or 0) + 1
if task.cancel then
  return owner.finish(task, 'cancelled', 'cancelled', why, 'releases', releases)
end
local most = redis.call('HGET', space.prefix .. 'task_' .. id, 'max_releases') or settings.get(task.queue, 'max_releases')
if releases > tonumber(most) then
  task.group = 'released'
  return owner.finish(task, 'failed', 'failed', why,
    'group', 'released', 'error', 'given back ' .. releases .. ' times', 'releases', releases)
end
task.front, task.forget = true, { state.attempt_fields() }
owner.finish(task, 'pending', 'released', why, 'releases', releases)
state.wake(task.queue)
return 'released'
