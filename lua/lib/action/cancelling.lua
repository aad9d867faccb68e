-- Cancels a task, or orders its owner to stop it.
local cancelling = {}

-- Cancels a task. While a program may still run, only its owner, or the end of its lease, releases the task: the
-- owner gets an order to cancel, or with `spec.force` to kill. With `spec.at_once` the task is cancelled
-- immediately, and its program may run on for a while.
function cancelling.plan(task, spec)
  if task.status == 'cancelled' then
    return
  elseif contract.is_final(task.status) then
    return actions.refuse(task, contract.NOT_FINAL)
  end
  if spec.skip and not task.cancel then
    task.skip = (task.flags or '') .. 'x'
    task.flags = task.skip
  end
  if record.held(task) and not cancelling.frees(task, spec) then
    local order = spec.force and 'kill' or 'cancel'
    local given = orders.of(task)
    task.to = given ~= 'kill' and (given ~= order or spec.discard) and 'cancelling'
    task.order = order
    orders.plan(task.queue)
    tracking.plan_note(task)
    return
  end
  actions.plan(task, 'cancelled', spec)
end

-- Returns true if a held task is taken from its owner at once. A client without scripts has no lease and gets no
-- orders.
function cancelling.frees(task, spec)
  return spec.at_once or spec.force and task.token == ''
end

function cancelling.cancel(task, spec)
  if task.to == 'cancelling' then
    orders.give(task.queue, 't:' .. task.id, task.order)
    redis.call('HSET', task.key, 'cancel', task.cancel or namespace.now,
      unpack(task.cancel and spec.reason == '' and {} or { 'reason', spec.reason })) -- an earlier reason is kept
    if task.skip then
      redis.call('HSET', task.key, 'flags', task.skip)
    end
    if spec.discard then
      redis.call('HSET', task.key, 'discard', '1', unpack(spec.cause and { 'cause', spec.cause } or {}))
    end
    tracking.note(task, 'cancel', spec.by, spec.reason)
  elseif record.held(task) then
    state.move(task, 'cancelled', 'cancel', '', 'reason', spec.reason, 'ended', task.token, 'outcome', 'lost',
      unpack(task.skip and { 'flags', task.skip } or {}))
    orders.announce(task.queue)
  else
    local fields = task.skip and { 'flags', task.skip } or {}
    if spec.cause then
      fields[#fields + 1], fields[#fields + 2] = 'cause', spec.cause
    end
    state.move(task, 'cancelled', 'cancel', '', 'reason', spec.reason, unpack(fields))
  end
end
