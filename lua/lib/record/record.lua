-- The record of a task: a hash. Each call reads some of its fields.
local record = {}

-- Maximum bytes of records in a reply. Once a reply exceeds this size, no further record is added.
record.BYTES = 8388608

-- Returns the task with this id, or nil. `extra` has the fields named in `...`, in order.
-- @hot
function record.find(id, ...)
  local key = namespace.prefix .. 'task_' .. id
  if namespace.declared then
    namespace.declare(key)
  end
  local v = redis.call('HMGET', key, 'status', 'queue', 'attempt', 'token', 'node', 'pid', 'cancel', 'updated', 'flags',
    'requeue', ...)
  if not v[1] then
    return nil
  end
  return {
    id = id, key = key, status = v[1], queue = v[2] or '', attempt = v[3] or '0', foreign = not v[3],
    token = v[4] or '', node = v[5] or '', pid = v[6] or '', cancel = v[7], since = v[8], flags = v[9] or nil,
    requeue = v[10], extra = { unpack(v, 11, 10 + select('#', ...)) },
  }
end

-- Returns the task with this id, or fails. A record without a queue is no task: a client without scripts updated the
-- task after it was deleted.
-- @hot
function record.get(id, ...)
  local task = record.find(id, ...)
  if not task or task.queue == '' then
    namespace.check_slot(namespace.prefix .. 'task_' .. id)
    reply.fail('NOTASK', 'no task has this id: it was never submitted, or was deleted, or removed by retention')
  end
  return task
end

-- @hot
function record.held(task)
  return task.status == 'reserved' or task.status == 'started'
end

function record.created(id)
  return tonumber(redis.call('HGET', namespace.prefix .. 'task_' .. id, 'created') or 0)
end

function record.refuse(status, allowed)
  reply.fail('STATE', 'the task is ' .. status .. '; this is for one that is ' .. allowed)
end

-- Returns the member of the set of leases for a held task. The member contains the token.
-- @inline
function record.lease(task)
  return task.id .. ' ' .. task.token
end

-- Returns the fields of an attempt that the next attempt must not find in the record. The fields of the lease are not
-- among them. They end with every attempt, whatever its outcome: see `state.record`.
function record.attempt_fields()
  return 'node', 'pid', 'reclaimed_node', 'cancel', 'requeue', 'reserved', 'started', 'progress', 'progressed'
end

-- Returns the outcome of the attempt that ended last. Most tasks complete in their first attempt: their records
-- never have the field.
-- @inline
function record.outcome(stored, ended)
  local outcome = stored or ended and 'complete'
  return outcome
end

-- Returns true if this transition begins an attempt: the task is reserved, or reserved and started at once.
-- @hot
function record.takes(task, to)
  return to == 'reserved' or to == 'started' and task.status == 'pending'
end

-- Returns the time of this call, or the time of the task's last transition if the clock was set back since. So the
-- transitions of a task are in order.
-- @inline
function record.time(task)
  local since, now = task.since, namespace.now -- not namespace.now_us, which a new token has advanced
  if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
    now = since
  end
  return now
end
