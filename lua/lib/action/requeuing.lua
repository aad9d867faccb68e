-- Takes a task back from its owner, and puts it at the front of its queue.
local requeuing = {}

-- Asks the owner of a task to give it back, or with `spec.at_once` takes it from its owner.
function requeuing.plan(task, spec)
  if task.status == 'pending' and task.extra[1] == 'released' then
    return -- repeated after a lost reply
  elseif not record.held(task) then
    return actions.refuse(task, contract.OWNED)
  elseif spec.at_once then
    actions.plan(task, task.cancel and 'cancelled' or holdings.state_after_release(task, 'pending', 'drain'), spec)
  elseif task.token == '' then
    return 'STATE', 'a client without scripts holds the task and gets no orders: take it back with at_once, or wait'
  elseif not task.cancel and not task.requeue then
    task.to = 'requeuing'
    orders.plan(task.queue)
    tracking.plan_note(task)
  end
end

function requeuing.requeue(task, spec)
  if task.to == 'requeuing' then
    orders.give(task.queue, 't:' .. task.id, 'stop')
    redis.call('HSET', task.key, 'requeue', namespace.now)
    tracking.note(task, 'requeue', spec.by)
    return
  end
  local more = { holdings.cancel_reason(task) }
  if task.to == 'pending' then
    task.front, task.forget, more = true, { record.attempt_fields() }, { 'front', '1' }
    spec.wakes = task.queue
  end
  state.move(task, task.to, 'requeue', '', 'ended', task.token,
    'outcome', task.to == 'pending' and 'released' or 'cancelled', unpack(more))
  orders.announce(task.queue)
end
