-- Calls of an attempt's owner: the first arguments are an id and the attempt's token.
local owner = {}

-- Why the token does not hold the task. The call that ended the attempt may
-- come again after a lost reply: `endings` names the outcomes that are its
-- first answer. Malformed arguments are told here and not before, since none
-- can equal what a record holds.
function owner.stale(id, token, endings)
  args.plain(id, 'id')
  args.integer(token, 1, 9007199254740991, 'token')
  namespace.check_slot(namespace.prefix .. 'task_' .. id)
  local last = redis.call('HMGET', namespace.prefix .. 'task_' .. id, 'ended', 'outcome')
  if last[1] == token and last[2] and string.find(endings, last[2] .. ' ', 1, true) then
    return nil, last[2]
  end
  reply.fail('LOST', 'this attempt no longer holds the task: stop the work and discard what it made')
end

-- The task, if this token holds it, and one more field of its record, `...`; else nil
-- and its first answer, one of `endings` (words with a space after each); else LOST.
-- @hot
function owner.task(id, token, endings, ...)
  local key = namespace.prefix .. 'task_' .. id
  local v = redis.call('HMGET', key, 'status', 'token', 'node', 'attempt', 'queue', 'pid', 'cancel', 'updated', 'ties',
    'recall', ...)
  local status = v[1]
  if v[2] ~= token or not (status == 'started' or status == 'reserved') then
    return owner.stale(id, token, endings)
  end
  if namespace.declared then
    namespace.declare(key)
  end
  local task = {
    id = id, status = status, token = token, node = v[3], attempt = v[4], queue = v[5], pid = v[6] or '', last = false,
    since = v[8],
  }
  if v[7] then
    task.cancel = v[7]
  end
  if v[9] then
    task.ties = v[9]
  end
  if v[10] then
    task.recall = v[10]
  end
  return task, v[11]
end

-- After a forced cancel an attempt may only be given back: what it makes is refused.
function owner.alive(task)
  if task.cancel and orders.of(task) == orders.KILL then
    reply.fail('LOST', 'this task was cancelled by force: stop the work, discard what it made, and release it')
  end
end

-- Ends the attempt; its outcome is the answer. `...`: more fields for the record.
function owner.finish(task, to, outcome, why, ...)
  local cost = task.cost
  if cost then
    task.cost = nil
    return owner.finish(task, to, outcome, why, 'cost', cost, 'cost_of', task.token, ...)
  end
  state.plan(task, to)
  namespace.begin()
  state.move(task, to, why, task.node, 'token', '', 'ended', task.token, 'outcome', outcome, ...)
  return outcome
end
