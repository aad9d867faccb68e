-- "Once more after this one": the round that a task begins when it has ended its present one, at most one. What the
-- call said of it is in a key of its own; the record has its request. `settle` begins it, after all that waited for the
-- task have been told of its end. A task without one has no `a` among its ties.
local encore = {}

function encore.key(id)
  return namespace.prefix .. 'further_' .. id
end

function encore.has(task)
  return task.ties and string.find(task.ties, 'a', 1, true)
end

-- Reads what the end of a task with a further round writes, or its removal. `further_shared`: the shared limits that
-- the round names.
function encore.plan_end(task, to)
  if to == 'deleted' then
    local key = namespace.declare(encore.key(task.id))
    task.edge_keys = task.edge_keys or {}
    task.edge_keys[#task.edge_keys + 1] = key
    task.further_shared = redis.call('HGET', key, '/limits') or nil
    if task.further_shared then
      shares.plan_count()
    end
  elseif not contract.is_final(task.status) then
    namespace.probe('ZCARD', edges.unsettled())
    task.unsettled = true
  end
end

-- The options of a submit as they were given, each after its name, but for those of the call itself.
function encore.options(last)
  local given = {}
  for i = last + 1, #ARGV, 2 do
    local name = ARGV[i]
    if not string.find(' again once_more by request max_bytes unique_policy ', ' ' .. name .. ' ', 1, true) then
      given[#given + 1], given[#given + 2] = '/' .. name, ARGV[i + 1]
    end
  end
  return given
end

-- Keeps a round for later. `call`: as for `resubmit.submit`, with the `options` as they were given; `number`: that of
-- the present round.
function encore.keep(task, call, spec, number)
  local code, text = resubmit.refusal(task)
  if not code then
    code, text = actions.destination({ queue = call.queue })
  end
  local end_by = spec.claims and spec.claims.end_by
  if not code and end_by and deadlines.is_past(end_by) then
    code, text = deadlines.refusal()
  end
  if code then
    reply.fail(code, text)
  end
  local key, shared = encore.key(task.id), spec.claims and spec.claims.shared
  namespace.probe('HLEN', key)
  if shared then
    shares.plan_count()
  end
  audit.plan()
  namespace.begin()
  redis.call('HSET', key, 'queue', call.queue, 'parameters', call.parameters,
    'eta', call.eta and string.format('%.0f', call.eta) or '', 'by', call.by or '', unpack(call.options))
  redis.call('HSET', task.key, 'further', call.request, 'ties', (task.ties or '') .. 'a')
  if shared then
    shares.count(shared, 1) -- a limit that a round waits with is in use
  end
  audit.add(call.by, 'submit', 'task', task.id, task.status, task.status,
    'once more, ' .. resubmit.told(number + 1, call))
  return { 'later', number + 1 }
end

-- Begins the round of a task that has ended. One that cannot begin is dropped, as is that of a task that was cancelled;
-- the history says why.
function encore.begin(id)
  local task = actions.find(id)
  local round, request = unpack(redis.call('HMGET', task.key, 'round', 'further'), 1, 2)
  local found = redis.call('HGETALL', namespace.declare(encore.key(id)))
  local call = { request = request }
  for i = 1, #found, 2 do
    call[found[i]] = found[i + 1]
  end
  if task.status == 'cancelled' then
    return encore.drop(task, call, 'the task was cancelled')
  elseif not (request and call.queue and call.parameters) then
    return encore.drop(task, call, 'somebody removed ' .. encore.key(id))
  end
  call.eta = tonumber(call.eta)
  local step = { queue = call.queue, by = call.by, reason = 'submitted again' }
  edits.read(task)
  local ok, code, text = pcall(encore.plan, task, call, step)
  if not ok then
    local verdict = reply.code(code)
    if verdict ~= 'TOOMANY' and verdict ~= 'NOLIMIT' then
      error(code, 0)
    end
    code, text = string.match(reply.refusal(code).err, '^%-?(%u+) (.*)$')
  end
  if code then
    return encore.drop(task, call, code .. ' ' .. text)
  end
  task.new.round = { 'round', string.format('%d', (round or 1) + 1), 'round_request', request }
  actions.run(resubmit.run, { task }, step)
  redis.call('UNLINK', encore.key(id))
  redis.call('ZREM', edges.unsettled(), id)
  encore.uncount(call)
end

-- A round waits no longer: what it names is counted for the task now, or not at all.
function encore.uncount(call)
  if call['/limits'] then
    shares.count(call['/limits'], -1)
  end
end

-- Reads what the round writes, as its submit would: its options are checked again. Returns the code and text of a
-- refusal, or fails with it.
function encore.plan(task, call, step)
  local options = {}
  if call['/limits'] then
    shares.plan_count()
  end
  for field, value in pairs(call) do
    local name = string.match(field, '^/(.*)')
    if name then
      options[name] = contract.task_option(name, value)
    end
  end
  return resubmit.plan(task, call, creation.spec(options), step)
end

-- Forgets the round, and says why in the history.
function encore.drop(task, call, why)
  local notes = redis.call('HGET', task.key, 'notes') or 0
  history.plan(task)
  tracks.plan_note(task)
  if call['/limits'] then
    shares.plan_count()
  end
  namespace.begin()
  redis.call('ZREM', edges.unsettled(), task.id)
  redis.call('UNLINK', encore.key(task.id))
  local ties = string.gsub(task.ties, 'a', '')
  redis.call('HSET', task.key, 'notes', string.format('%.0f', notes + 1), 'ties', ties)
  redis.call('HDEL', task.key, 'further', ties == '' and 'ties' or 'further')
  encore.uncount(call)
  local text = 'the round ' .. (call.request or '') .. ' does not begin: ' .. why
  history.add(task, { to = task.status, why = 'note', by = '', at = state.time(task),
    note = { 'note', text, 'data', '' } }, '', '', '', '')
  tracks.note(task, 'note', '', text)
end
