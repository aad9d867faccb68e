-- Tracked tasks: each change of a tracked task is announced, and is an entry in one stream of the namespace, for all
-- queues. A tracked task has the tie `o`. Other tasks have no extra cost.
local tracks = {}

-- Maximum number of tasks that are tracked at the same time.
tracks.MOST = 1000

-- Number of entries of the stream that are kept.
tracks.KEPT = '10000'

-- Bytes of a text that are kept: `TEXT` of a progress or a note, `ERROR` of an error.
tracks.TEXT = 1024
tracks.ERROR = 256

-- Returns the key of the tracked tasks, ordered by the time since when they are tracked.
function tracks.all()
  return namespace.prefix .. 'tracked'
end

-- Returns the name of the stream and of the channel.
function tracks.key()
  return namespace.prefix .. 'changes'
end

function tracks.has(task)
  return task.ties and string.find(task.ties, 'o', 1, true)
end

function tracks.plan()
  namespace.probe('XLEN', tracks.key())
  namespace.probe('ZCARD', tracks.all())
end

function tracks.plan_note(task)
  if tracks.has(task) then
    tracks.plan()
  end
end

-- Returns true if the task is tracked and a field gets a new value. The value may be unchanged, because the call may be
-- sent again.
function tracks.plan_value(task, field, value)
  if tracks.has(task) then
    tracks.plan()
    return redis.call('HGET', namespace.prefix .. 'task_' .. task.id, field) ~= value
  end
end

-- Adds an entry, after all other writes of a change. `what`: the kind of the change; `at`: its time in seconds.
function tracks.add(task, at, what, from, to, by, why, text)
  redis.call('XADD', tracks.key(), 'MAXLEN', '~', tracks.KEPT, '*', 'id', task.id, 'queue', task.queue, 'what', what,
    'from', from or '', 'to', to, 'attempt', task.attempt, 'at', at, 'by', by or '', 'why', why,
    'text', string.sub(text or '', 1, tracks.TEXT))
  redis.pcall('PUBLISH', tracks.key(), '') -- only a hint: the stream has it
end

-- Adds a change within a state, if the task is tracked. `what`: the kind of the change, which is also its cause if
-- `why` is nil.
function tracks.note(task, what, by, text, why)
  if tracks.has(task) then
    tracks.add(task, namespace.now, what, task.status, task.status, by, why or what, text)
  end
end

-- Adds a transition. `...`: fields and values that the transition has written to the record.
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

-- Returns the tracked tasks that a client without scripts deleted.
function tracks.stale()
  local gone = {}
  for _, id in ipairs(redis.call('ZRANGE', tracks.all(), 0, tracks.MOST)) do
    if not record.find(id) then
      gone[#gone + 1] = id
    end
  end
  return gone
end
