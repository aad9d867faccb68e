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

-- All fields of a task and their values in turn, or false.
function record.whole(id)
  local key = namespace.prefix .. 'task_' .. id
  local fields = redis.call('HGETALL', key)
  if #fields == 0 then
    namespace.check_slot(key)
    return false
  end
  for i = 1, #fields, 2 do
    if fields[i] == 'status' then
      return fields
    end
  end
  local graph = redis.call('HGET', key, 'graph')
  if graph then -- it is not there yet, or has yet to release this task
    fields[#fields + 1], fields[#fields + 2] = 'status', 'waiting'
    return graphs.is_created(graph) and fields or false
  end
  return fields
end
