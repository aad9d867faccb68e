-- Firing: creates the task of a fire time of a schedule, unless another task of the schedule prevents this.
local firing = {}

-- Returns the last task of a schedule if it is unfinished, and an unfinished task that would run at the same time as a
-- new task with this overlap, each nil if absent. The second task is in another queue, or was created without the key.
function firing.live(schedule, overlap)
  local exclusive, last, beside = schedules.exclusive(schedule, overlap), nil, nil
  local unfinished = {}
  for _, id in ipairs(schedule.unfinished) do
    local task = actions.find(id)
    local maker, key, alone = unpack(redis.call('HMGET', namespace.key('task', id), 'schedule', 'key', 'exclusive'))
    if task and maker == schedule.name and not contract.is_final(task.status) then
      unfinished[#unfinished + 1] = id
      last = id == schedule.last_task and task or last
      -- The last task is cancelled for the new task.
      local stops = id == schedule.last_task and overlap == 'cancel' and not record.held(task)
      if exclusive and not stops and not (task.queue == schedule.queue and key == exclusive and alone) then
        beside = task
      end
    end
  end
  schedule.unfinished = unfinished
  return last, beside
end

-- Plans a new task. `plan` has its `schedule`, `id` and `fire_time`, and `old`: the task to cancel for it. `taken`: the
-- tasks that earlier plans of this call change. Returns `plan`, or nil if a later call must create the task.
function firing.plan(plan, taken)
  local schedule, id, old = plan.schedule, plan.id, plan.old
  local queue = schedule.queue
  creation.require_open(unpack(redis.call('HMGET', namespace.meta, 'settings:' .. queue, 'settings'), 1, 2))
  local options = schedules.options(schedule)
  local guarded = (options.unique or options.needs) and queue
  if old and taken[old.id] or guarded and taken['/' .. queue] then
    return nil
  end
  options.slot, options.notify = plan.fire_time, options.notify or settings.get(queue, 'notify')
  local spec = creation.spec(options)
  local task = { id = id, queue = queue, parameters = schedule.parameters, attempt = '0', created = namespace.now,
    foreign = true }
  creation.apply(task, spec)
  if old then
    old.reason = 'a later slot of the schedule ' .. schedule.name
    cancelling.plan(old, old)
  end
  if spec.unique and not (old and old.to == 'cancelled' and holdings.name_conflict(task) == old.id) then
    local other, rival = creation.conflict(task, spec)
    if rival and taken[rival.id] then
      return nil
    elseif rival then
      state.plan(rival, 'cancelled')
      plan.rival = rival
    elseif other then
      plan.other = other
      return plan
    end
  end
  namespace.declare(namespace.key('task', id))
  plan.unknown = not redis.call('ZSCORE', namespace.declare(namespace.prefix .. 'queues'), queue)
  if task.flags then
    creation.plan(task)
  end
  state.plan(task, task.begins)
  plan.task, plan.spec = task, spec
  taken[old and old.id or ''], taken[plan.rival and plan.rival.id or ''],
    taken[guarded and '/' .. queue or ''] = true, true, true
  return plan
end

-- Creates a planned task. The caller wakes listeners after all writes.
function firing.make(plan, why)
  local queue = plan.schedule.queue
  if plan.old and plan.old.to then
    cancelling.cancel(plan.old, plan.old)
  end
  if plan.rival then
    state.move(plan.rival, 'cancelled', 'replaced', '', 'reason', 'replaced by ' .. plan.id)
  end
  creation.insert(plan.task, plan.spec, why)
  if plan.unknown then
    redis.call('ZADD', namespace.prefix .. 'queues', 0, queue)
  end
end
