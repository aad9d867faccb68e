-- Calls of an attempt's owner. Their first arguments are an id and the token of the attempt.
local fence = {}

-- The default lease in microseconds.
fence.LEASE = 60000000

-- The default lease as text. The server formats a number argument with 17 digits, which takes as long as a read.
fence.LEASE_TEXT = '60000000'

-- Handles a token that does not hold the task. The call that ended the attempt may be repeated after a lost reply.
-- `endings`: the outcomes that its first reply can have; `discarded` stands for a failure because of the deadline.
-- Malformed arguments are reported here and not earlier, because no record can contain them.
function fence.stale(id, token, endings)
  args.plain(id, 'id')
  args.integer(token, 1, 9007199254740991, 'token')
  namespace.check_slot(namespace.prefix .. 'task_' .. id)
  local last = redis.call('HMGET', namespace.prefix .. 'task_' .. id, 'ended', 'outcome', 'group')
  local outcome = record.outcome(last[2], last[1])
  local discarded = outcome == 'failed' and last[3] == 'deadline'
  if last[1] == token and outcome and (string.find(endings, outcome .. ' ', 1, true)
    or discarded and string.find(endings, 'discarded', 1, true)) then
    return nil, outcome
  end
  reply.fail('LOST', 'this attempt no longer holds the task: stop the work and discard its result')
end

-- Returns the task if this token holds it, and one more field of its record, `...`. If the call is a repetition,
-- returns nil and the first reply, which is in `endings` (words, each with a space after it). Otherwise fails with
-- LOST.
-- @hot
function fence.task(id, token, endings, ...)
  local key = namespace.prefix .. 'task_' .. id
  local v = redis.call('HMGET', key, 'status', 'token', 'node', 'attempt', 'queue', 'pid', 'cancel', 'updated', 'flags',
    'requeue', ...)
  local status = v[1]
  if v[2] ~= token or not (status == 'started' or status == 'reserved') then
    return fence.stale(id, token, endings)
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
    task.flags = v[9]
  end
  if v[10] then
    task.requeue = v[10]
  end
  return task, v[11]
end

-- Fails after a forced cancel: the attempt may only be given back.
function fence.alive(task)
  if task.cancel and orders.of(task) == 'kill' then
    reply.fail('LOST', 'this task was cancelled by force: stop the work, discard its result, and release the task')
  end
end

-- Ends the attempt and returns its outcome. `...`: further fields for the record.
function fence.finish(task, to, outcome, why, ...)
  local cost = task.cost
  if cost then
    task.cost = nil
    return fence.finish(task, to, outcome, why, 'cost', cost, 'cost_of', task.token, ...)
  end
  state.plan(task, to)
  namespace.begin()
  state.move(task, to, why, task.node, 'ended', task.token, 'outcome', outcome, ...)
  return outcome
end
