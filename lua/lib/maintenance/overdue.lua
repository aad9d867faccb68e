-- Overdue tasks: a task past its deadline fails; if an attempt holds the task, its owner is ordered to stop.
local overdue = {}

-- Plans a step; returns nil if no task is past its deadline.
function overdue.plan(limit)
  local ids = redis.call('ZRANGEBYSCORE', namespace.declare(holdings.deadlines()), '-inf', namespace.now, 'LIMIT', 0,
    limit)
  if not ids[1] then
    return nil
  end
  local step = { ids = {}, tasks = {} }
  local spec = { planned = {}, entries = 0 }
  for i, id in ipairs(ids) do
    local task = actions.find(id)
    step.ids[i] = id
    if task then
      overdue.plan_one(task, spec)
      step.tasks[#step.tasks + 1] = task.to and task
    end
    if spec.entries > actions.ENTRIES then
      break
    end
  end
  return step
end

function overdue.plan_one(task, spec)
  if contract.is_final(task.status) or not deadlines.has(task) then
    return -- ended or created again by a client without scripts
  end
  holdings.load(task)
  if not task.end_by or not deadlines.is_past(task.end_by) then
    return
  elseif not record.held(task) then
    task.group = 'deadline'
    actions.plan(task, 'failed', spec)
  elseif not task.cancel then
    task.to = 'stopping'
    orders.plan(task.queue)
    tracking.plan_note(task)
  end
end

function overdue.run(step)
  redis.call('ZREM', holdings.deadlines(), unpack(step.ids))
  for _, task in ipairs(step.tasks) do
    if task.to == 'stopping' then
      orders.give(task.queue, 't:' .. task.id, 'cancel')
      redis.call('HSET', task.key, 'cancel', namespace.now)
      tracking.note(task, 'cancel', '', deadlines.ERROR, 'deadline')
    else
      state.move(task, 'failed', 'deadline', '', 'group', 'deadline', 'error', deadlines.ERROR)
    end
  end
end
