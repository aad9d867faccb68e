-- The record of a task: a hash, of which each call reads some fields.
local record = {}

-- Bytes of records after which a call returns no further one.
record.BYTES = 8388608

-- The task with this id, or nil. `extra` has the fields named in `...`, in order.
-- @hot
function record.find(id, ...)
  local key = namespace.prefix .. 'task_' .. id
  if namespace.declared then
    namespace.declare(key)
  end
  local v = redis.call('HMGET', key, 'status', 'queue', 'attempt', 'token', 'node', 'pid', 'cancel', 'updated', 'ties',
    'recall', ...)
  if not v[1] then
    return nil
  end
  return {
    id = id, key = key, status = v[1], queue = v[2] or '', attempt = v[3] or '0', foreign = not v[3],
    token = v[4] or '', node = v[5] or '', pid = v[6] or '', cancel = v[7], since = v[8], ties = v[9] or nil,
    recall = v[10], extra = { unpack(v, 11, 10 + select('#', ...)) },
  }
end

-- A record without a queue was left by a late update of a deleted task, by a client without scripts.
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

-- The member of the set of leases for a held task. It contains the token.
-- @inline
function record.lease(task)
  return task.id .. ' ' .. task.token
end

-- Fields of an attempt that the next attempt must not find in the record. Those of the lease end with the attempt,
-- whatever its outcome: see `state.record`.
function record.attempt_fields()
  return 'node', 'pid', 'reclaimed_node', 'cancel', 'recall', 'reserved', 'started', 'progress', 'progressed'
end

-- Whether this transition begins an attempt: a task may be reserved, or reserved and started at once.
-- @hot
function record.takes(task, to)
  return to == 'reserved' or to == 'started' and task.status == 'pending'
end

-- The time of this call, or of the task's last transition if the clock was set back since: transitions of a task
-- are in order.
-- @inline
function record.time(task)
  local since, now = task.since, namespace.now -- not namespace.now_us, which a new token has advanced
  if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
    now = since
  end
  return now
end
