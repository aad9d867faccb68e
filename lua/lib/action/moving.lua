-- Moves a waiting task to another queue.
local moving = {}

-- Refusal of a move into a closed queue.
moving.CLOSED = 'the other queue is closed: open it with `blueque drain QUEUE --off`, or set closed to 0'

-- Reads the settings and counts of the queue that tasks are moved to. Returns a refusal if it is closed.
function moving.destination(spec)
  if not spec.known then
    spec.known = redis.call('ZSCORE', namespace.declare(namespace.prefix .. 'queues'), spec.queue) and 'old' or 'new'
    spec.closed = settings.get(spec.queue, 'closed') == '1'
    spec.needs, spec.different = {}, redis.call('HLEN', namespace.declare(namespace.key('needs', spec.queue)))
  end
  if spec.closed then
    return 'CLOSED', moving.CLOSED
  end
end

-- Moves a waiting task to another queue, behind the tasks that wait there. `spec.alter` changes the holdings of the
-- task in the other queue, and the state in which it waits.
function moving.plan(task, spec)
  if task.queue == spec.queue then
    return -- repeated after a lost reply
  elseif not contract.is_waiting(task.status) then
    return actions.refuse(task, contract.WAITING)
  end
  local code, text = moving.destination(spec)
  if code then
    return code, text
  end
  return moving.plan_entry(task, task.status, spec)
end

-- Plans that a task leaves its queue and enters `spec.queue` in the state `to`. Returns the code and text of a
-- refusal.
function moving.plan_entry(task, to, spec)
  local other = holdings.elsewhere(task, spec.queue, task.extra[2])
  other.to, other.eta = to, to == 'scheduled' and task.extra[3] or nil
  if spec.alter then
    spec.alter(task, other)
  end
  if not actions.unique(other, spec) then
    return 'DUPLICATE', holdings.TAKEN_THERE
  end
  local class = needs.class(other)
  if class and not spec.needs[class] and not needs.number(other.queue, class) then
    if spec.different >= needs.MOST then
      return 'TOOMANY', 'the tasks that wait in the other queue have 64 different needs already: `why` and doctor name'
        .. ' those that no listener has'
    end
    spec.needs[class], spec.different = true, spec.different + 1
  end
  actions.plan(task, 'moved', spec)
  state.plan(other, other.to)
  task.other = other
end

function moving.move(task, spec)
  local other = task.other
  other.forget = {}
  if other.to == 'scheduled' then
    moving.arrive(task, spec, 'move', 'eta', other.eta)
  else
    moving.arrive(task, spec, 'move')
  end
end

-- Moves a task as planned. `why`: the reason of the event in the queue that it leaves; `...`: fields and values for the
-- record.
function moving.arrive(task, spec, why, ...)
  local other = task.other
  state.move(task, 'moved', why, spec.by or '')
  -- The task has had no turn in the new queue. In its record these times would seem to follow the move.
  reply.add(other.forget, 'front', 'readied', task.status ~= 'scheduled' and 'promoted' or nil)
  state.move(other, other.to, 'move', '', 'queue', other.queue, 'attempt', other.attempt, ...)
  spec.wakes = other.to == 'pending' and other.queue or spec.wakes
  if spec.known == 'new' then
    redis.call('ZADD', namespace.prefix .. 'queues', 0, other.queue)
    spec.known = 'old'
  end
end
