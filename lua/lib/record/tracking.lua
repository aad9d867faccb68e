-- Tracked tasks: each change of a tracked task is announced, and is an entry in one stream of the namespace, for all
-- queues. A tracked task has the flag `o`. Other tasks have no extra cost.
local tracking = {}

-- Maximum number of tasks that are tracked at the same time.
tracking.MOST = 1000

-- Number of entries of the stream that are kept.
tracking.KEPT = '10000'

-- Bytes of a text that are kept: `TEXT` of a progress or a note, `ERROR` of an error.
tracking.TEXT = 1024
tracking.ERROR = 256

-- Returns the key of the tracked tasks, ordered by the time since when they are tracked.
function tracking.all()
  return namespace.prefix .. 'tracked'
end

-- Returns the name of the stream and of the channel.
function tracking.key()
  return namespace.prefix .. 'changes'
end

function tracking.has(task)
  return task.flags and string.find(task.flags, 'o', 1, true)
end

function tracking.plan()
  namespace.probe('XLEN', tracking.key())
  namespace.probe('ZCARD', tracking.all())
end

function tracking.plan_note(task)
  if tracking.has(task) then
    tracking.plan()
  end
end

-- Returns true if the task is tracked and a field gets a new value. The value may be unchanged, because the call may be
-- sent again.
function tracking.plan_value(task, field, value)
  if tracking.has(task) then
    tracking.plan()
    return redis.call('HGET', namespace.prefix .. 'task_' .. task.id, field) ~= value
  end
end

-- Adds an entry, after all other writes of a change. `what`: the kind of the change; `at`: its time in seconds.
function tracking.add(task, at, what, from, to, by, why, text)
  redis.call('XADD', tracking.key(), 'MAXLEN', '~', tracking.KEPT, '*', 'id', task.id, 'queue', task.queue,
    'what', what, 'from', from or '', 'to', to, 'attempt', task.attempt, 'at', at, 'by', by or '', 'why', why,
    'text', string.sub(text or '', 1, tracking.TEXT))
  redis.pcall('PUBLISH', tracking.key(), '') -- only a hint: the stream has it
end

-- Adds a change within a state, if the task is tracked. `what`: the kind of the change, which is also its cause if
-- `why` is nil.
function tracking.note(task, what, by, text, why)
  if tracking.has(task) then
    tracking.add(task, namespace.now, what, task.status, task.status, by, why or what, text)
  end
end

-- Adds a transition. `...`: fields and values that the transition has written to the record.
function tracking.transition(task, to, why, by, ...)
  local fields, text = { ... }, nil
  for i = 1, #fields, 2 do
    local name = fields[i]
    if name == 'error' or name == 'last_error' then
      text = string.sub(fields[i + 1], 1, tracking.ERROR)
    elseif name == 'reason' then
      text = fields[i + 1]
    end
  end
  tracking.add(task, record.time(task), 'state', task.status, to, by, why, text)
  if to == 'deleted' then
    tracking.forget(task.id)
  end
end

function tracking.forget(id)
  redis.call('ZREM', tracking.all(), id)
end

-- Returns the tracked tasks that a client without scripts deleted.
function tracking.stale()
  local gone = {}
  for _, id in ipairs(redis.call('ZRANGE', tracking.all(), 0, tracking.MOST)) do
    if not record.find(id) then
      gone[#gone + 1] = id
    end
  end
  return gone
end
