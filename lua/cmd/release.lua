--- Gives a task back to the front of its queue, at once or after a delay; this does not count as a failure. After
--   too many releases the task fails; if its cancel was asked for, or a newer task has replaced it by the policy
--   `latest`, it is cancelled.
-- @args now id token
-- @options reason again uncounted lost cost
-- @reply `released`, `cancelled` or `failed`; with `lost` always `lost`
-- @errors LOST TOOBIG
namespace.open()
local id, token = contract.arguments()
local options = args.options()
if options.lost and (options.reason or options.again or options.uncounted or options.cost) then
  reply.fail('BADARG', 'lost cannot be combined with other options: it has its own count and delays')
end
local why = options.reason or 'release'

local task, releases = owner.task(id, token, options.lost and 'lost ' or 'released cancelled failed ', 'releases')
if not task then
  return releases -- the first reply
elseif options.lost then
  return interruption.died(task, options.lost)
end
task.cost = options.cost
local counter, cap = 'releases', 'max_releases'
if options.uncounted then -- a problem of the owner, not of the task
  counter, cap = 'uncounted', 'max_uncounted'
end
local v = redis.call('HMGET', namespace.prefix .. 'task_' .. id, counter, cap)
local count = tonumber(v[1] or 0) + 1
if task.cancel then
  return owner.finish(task, 'cancelled', 'cancelled', why, counter, count)
elseif count > tonumber(v[2] or settings.get(task.queue, cap)) then
  task.group = 'released'
  return owner.finish(task, 'failed', 'failed', why, 'group', 'released',
    'error', 'given back ' .. count .. ' times' .. (options.uncounted and ' by owners that could not run it' or ''),
    counter, count)
end
if claims.state_after_release(task, 'pending', why) == 'cancelled' then
  return owner.finish(task, 'cancelled', 'cancelled', why, counter, count, claims.cancel_reason(task))
end
task.front, task.forget = true, { state.attempt_fields() }
if options.again and options.again > 0 then
  task.front = nil
  return retries.finish(task, retries.plan(task, options.again), 'released', why, counter, count, 'front', '1')
end
owner.finish(task, 'pending', 'released', why, counter, count, 'front', '1')
state.wake(task.queue)
return 'released'
