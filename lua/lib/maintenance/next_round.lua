-- Queued rounds: a round that was submitted before its task had ended begins (see `queued_round`).
local next_round = {}

-- Begins the queued round of a task that has ended. A round that cannot begin is dropped, as is the round of a
-- cancelled task; the history contains the reason.
function next_round.begin(id)
  local task = actions.find(id)
  local round, request = unpack(redis.call('HMGET', task.key, 'round', 'next_round'), 1, 2)
  local found = redis.call('HGETALL', namespace.declare(queued_round.key(id)))
  local call = { request = request }
  for i = 1, #found, 2 do
    call[found[i]] = found[i + 1]
  end
  if task.status == 'cancelled' then
    return next_round.drop(task, call, 'the task was cancelled')
  elseif not (request and call.queue and call.parameters) then
    return next_round.drop(task, call, 'somebody removed ' .. queued_round.key(id))
  end
  call.eta = tonumber(call.eta)
  local step = { queue = call.queue, by = call.by, reason = 'submitted again' }
  edits.read(task)
  local ok, code, text = pcall(next_round.plan, task, call, step)
  if not ok then
    local verdict = reply.code(code)
    if verdict ~= 'TOOMANY' and verdict ~= 'NOLIMIT' then
      error(code, 0)
    end
    code, text = string.match(reply.refusal(code).err, '^%-?(%u+) (.*)$')
  end
  if code then
    return next_round.drop(task, call, code .. ' ' .. text)
  end
  task.new.round = { 'round', string.format('%d', (round or 1) + 1), 'round_request', request }
  actions.run(rerun.run, { task }, step)
  redis.call('UNLINK', queued_round.key(id))
  redis.call('ZREM', edges.deferred(), id)
  next_round.uncount(call)
end

-- Subtracts a round that no longer waits from its shared limits: they now count the task itself, or nothing.
function next_round.uncount(call)
  if call['/limits'] then
    shared_count.count(call['/limits'], -1)
  end
end

-- Plans the round like a submit, and checks its options again. Returns the code and text of a refusal, or fails with
-- them.
function next_round.plan(task, call, step)
  local options = {}
  if call['/limits'] then
    shared_count.plan()
  end
  for field, value in pairs(call) do
    local name = string.match(field, '^/(.*)')
    if name then
      options[name] = contract.task_option(name, value)
    end
  end
  return rerun.plan(task, call, creation.spec(options), step)
end

-- Drops the round, and adds the reason to the history.
function next_round.drop(task, call, why)
  local notes = redis.call('HGET', task.key, 'notes') or 0
  history.plan(task)
  tracking.plan_note(task)
  if call['/limits'] then
    shared_count.plan()
  end
  namespace.begin()
  redis.call('ZREM', edges.deferred(), task.id)
  redis.call('UNLINK', queued_round.key(task.id))
  local flags = string.gsub(task.flags, 'a', '')
  redis.call('HSET', task.key, 'notes', string.format('%.0f', notes + 1), 'flags', flags)
  redis.call('HDEL', task.key, 'next_round', flags == '' and 'flags' or 'next_round')
  next_round.uncount(call)
  local text = 'the round ' .. (call.request or '') .. ' does not begin: ' .. why
  history.add(task, { to = task.status, why = 'note', by = '', at = record.time(task),
    note = { 'note', text, 'data', '' } }, '', '', '', '')
  tracking.note(task, 'note', '', text)
end
