-- A task's record: a hash, read in part.
local record = {}

-- The task with this id, or nil. The fields named in `...` are found in `extra`, in their order.
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

-- A record without a queue is what a late update of a client without scripts made of a deleted task.
-- @hot
function record.get(id, ...)
  local task = record.find(id, ...)
  if not task or task.queue == '' then
    namespace.check_slot(namespace.prefix .. 'task_' .. id)
    reply.fail('NOTASK', 'no task has this id; it was never submitted, or deleted, or retention removed it')
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

-- The member that stands for a held task in the set of leases: it proves the token too.
-- @hot
function record.lease(task)
  return task.id .. ' ' .. task.token
end
