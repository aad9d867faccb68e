-- Requests to the owner of a running task: to suspend its program, to continue it, to send it a signal, or to describe
-- it.
local controlling = {}

-- The kinds of requests: `doing` and `done`, the words for a request that waits and for one that was carried out;
-- `instead`, what to do with a task that waits; `silent` for a request that changes nothing, so the history does not
-- have it.
controlling.KINDS = {
  suspend = { doing = 'suspending', done = 'suspended', instead = ': it does not run, so hold it instead' },
  unsuspend = { doing = 'continuing', done = 'unsuspended' },
  signal = { doing = 'signalling', done = 'signalled' },
  describe = { doing = 'describing', silent = true },
}

function controlling.refuse(task, what)
  if contract.is_waiting(task.status) then
    local instead = controlling.KINDS[what].instead or ': it has no program that runs'
    return 'STATE', 'the task is ' .. task.status .. instead
  end
  return actions.refuse(task, contract.OWNED)
end

-- Plans the request `spec.what`. A task that already is as requested gets no request.
function controlling.plan(task, spec)
  local what = spec.what
  if not record.held(task) then
    return controlling.refuse(task, what)
  elseif task.token == '' then
    return 'STATE', 'a client without scripts holds the task and gets no orders'
  elseif task.cancel or task.requeue then
    return 'STATE', 'the task is being stopped: wait until its program has ended'
  end
  local found = controls.load(task)
  if what == 'suspend' and found.wanted or what == 'unsuspend' and not found.wanted then
    return
  elseif #found.list >= contract.CONTROLS then
    return 'TOOMANY', 'the worker has not answered the last requests to this task: wait until it has'
  end
  local kind = controlling.KINDS[what]
  task.to = kind.doing
  task.controls = found
  found.last = found.last + 1
  found.list[#found.list + 1] = { number = found.last, what = what, detail = spec.detail or '' }
  orders.plan(task.queue)
  if not kind.silent then
    history.plan(task)
    tracking.plan_note(task)
  end
end

function controlling.ask(task, spec)
  local what, fields = spec.what, { 'controls', controls.text(task.controls.list) }
  if not controls.has(task) then
    reply.add(fields, 'flags', (task.flags or '') .. 'c')
  end
  if what == 'suspend' then
    reply.add(fields, 'suspended_by', spec.by or '')
  end
  redis.call('HSET', task.key, unpack(fields))
  orders.give(task.queue, 't:' .. task.id, 'attend')
  if not controlling.KINDS[what].silent then
    controlling.tell(task, what, spec.by or '', spec.detail)
  end
end

-- Adds a request or an answer to the history of a task.
function controlling.tell(task, why, by, text)
  local note = text and text ~= '' and { 'note', text } or nil
  history.add(task, { to = task.status, why = why, by = by, at = record.time(task), note = note }, '', '', '', '')
  tracking.note(task, why, by, text)
end

function controlling.plan_answer(task, what)
  orders.plan(task.queue)
  if controlling.KINDS[what].silent then
    namespace.probe('HLEN', controls.described(task.id))
  else
    history.plan(task)
    tracking.plan_note(task)
  end
end

-- Stores the owner's answer to its earliest request. `refused`: the reason why it cannot be done, or nil.
-- `text`: the answer to a request to describe the program.
function controlling.answer(task, found, refused, text)
  local key, request = namespace.prefix .. 'task_' .. task.id, table.remove(found.list, 1)
  local number = string.format('%.0f', request.number)
  local fields, gone = { 'controlled', number }, {}
  if refused then
    reply.add(fields, 'control_refused', number .. ' ' .. refused)
  elseif request.what == 'suspend' then
    reply.add(fields, 'suspended', namespace.now)
  elseif request.what == 'unsuspend' then
    gone = { 'suspended', 'suspended_by' }
    if found.suspended then
      reply.add(fields, 'continued', namespace.now)
    end
  end
  if found.list[1] then
    reply.add(fields, 'controls', controls.text(found.list))
  else
    gone[#gone + 1] = 'controls'
    if not task.cancel and not task.requeue then
      orders.take_back(task.queue, 't:' .. task.id)
    end
  end
  if refused and request.what == 'suspend' then
    gone[#gone + 1] = 'suspended_by'
  end
  redis.call('HSET', key, unpack(fields))
  if gone[1] then
    redis.call('HDEL', key, unpack(gone))
  end
  local kind = controlling.KINDS[request.what]
  if kind.silent then
    if text and not refused then
      local described = controls.described(task.id)
      redis.call('HSET', described, controls.place(request.number),
        string.format('%.0f', task.token) .. ' ' .. number .. ' ' .. text)
      redis.call('EXPIRE', described, controls.DESCRIBED)
    end
    return
  end
  controlling.tell(task, refused and 'refused' or kind.done, task.node, refused or request.detail)
end
