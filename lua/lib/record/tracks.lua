-- Tracked tasks: each change of one is an entry in one stream of the namespace, over all queues, and is announced. Such
-- a task has the tie `o`; all others pay nothing.
local tracks = {}

-- Tasks that may be tracked at the same time.
tracks.MOST = 1000

-- Entries of the stream that are kept.
tracks.KEPT = '10000'

-- Bytes of a text that are kept: of a progress or a note, and of an error.
tracks.TEXT = 1024
tracks.ERROR = 256

-- The tracked tasks, by the time since when they are.
function tracks.all()
  return namespace.prefix .. 'tracked'
end

-- The stream, and the channel.
function tracks.key()
  return namespace.prefix .. 'changes'
end

function tracks.has(task)
  return task.ties and string.find(task.ties, 'o', 1, true)
end

-- Reads what `add` and `forget` write.
function tracks.plan()
  namespace.probe('XLEN', tracks.key())
  namespace.probe('ZCARD', tracks.all())
end

-- The same for a change within a state.
function tracks.plan_note(task)
  if tracks.has(task) then
    tracks.plan()
  end
end

-- The same for a new value of a field. Returns whether there is a change to tell of: the call may be sent again.
function tracks.plan_value(task, field, value)
  if tracks.has(task) then
    tracks.plan()
    return redis.call('HGET', namespace.prefix .. 'task_' .. task.id, field) ~= value
  end
end

-- Adds an entry, after the other writes of a change. `what`: its kind; `at`: in seconds.
function tracks.add(task, at, what, from, to, by, why, text)
  redis.call('XADD', tracks.key(), 'MAXLEN', '~', tracks.KEPT, '*', 'id', task.id, 'queue', task.queue, 'what', what,
    'from', from or '', 'to', to, 'attempt', task.attempt, 'at', at, 'by', by or '', 'why', why,
    'text', string.sub(text or '', 1, tracks.TEXT))
  redis.pcall('PUBLISH', tracks.key(), '') -- only a hint: the stream has it
end

-- Adds a change within a state, if the task is tracked. `what`: its kind, and its cause if there is no other.
function tracks.note(task, what, by, text, why)
  if tracks.has(task) then
    tracks.add(task, namespace.now, what, task.status, task.status, by, why or what, text)
  end
end

-- Adds a transition. `...`: fields and values that the record has got with it.
function tracks.transition(task, to, why, by, ...)
  local fields, text = { ... }, nil
  for i = 1, #fields, 2 do
    local name = fields[i]
    if name == 'error' or name == 'last_error' then
      text = string.sub(fields[i + 1], 1, tracks.ERROR)
    elseif name == 'reason' then
      text = fields[i + 1]
    end
  end
  tracks.add(task, record.time(task), 'state', task.status, to, by, why, text)
  if to == 'deleted' then
    tracks.forget(task.id)
  end
end

function tracks.forget(id)
  redis.call('ZREM', tracks.all(), id)
end

-- Those that a client without scripts deleted.
function tracks.stale()
  local gone = {}
  for _, id in ipairs(redis.call('ZRANGE', tracks.all(), 0, tracks.MOST)) do
    if not record.find(id) then
      gone[#gone + 1] = id
    end
  end
  return gone
end
