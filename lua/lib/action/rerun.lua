-- Rounds: a task that has ended is submitted again. The task keeps its id, its history and its number of attempts.
-- Nothing else of the earlier round is left in its record.
local rerun = {}

-- Returns the fields that a new round removes, in addition to the fields of options and of attempts.
function rerun.forgotten()
  return 'result', 'error', 'group', 'last_error', 'last_group', 'reason', 'cause', 'discard', 'cascade', 'eta',
    'flags', 'front', 'retry_eta', 'promoted', 'readied', 'inputs', 'slots', 'schedule', 'slot', 'step', 'postponed',
    'waited', 'failures', 'losses', 'releases', 'uncounted', 'stalled_losses', 'checkpoint', 'checkpointed', 'ended',
    'cost', 'cost_of', 'span', 'token', 'lease', 'request', 'exclusive', 'next_round', 'checked', 'held_by'
end

-- Checks that a call with `again` is valid. `spec`: its options, from `creation.spec`.
function rerun.check(count, spec, request)
  if count > 1 then
    reply.fail('BADARG', 'again is for one task: count must be 1')
  elseif not request then
    reply.fail('BADARG', 'again needs the option request: the same request answers the round that it made')
  elseif spec.inputs or spec.policy and spec.policy ~= 'reject' then
    reply.fail('BADARG', 'again goes without inputs, and with no unique_policy but reject')
  end
end

-- Submits an existing task. `call`: its `queue`, `parameters`, `eta` in microseconds (or false), `request`, who submits
-- (`by`), and with `once_more` its `options`; `spec`: its options, from `creation.spec`. Returns the outcome, and the
-- number of the round.
function rerun.submit(id, call, spec)
  local task = actions.find(id)
  if not task then
    reply.fail('STATE', 'its graph has just been submitted and is being released: repeat the call in a moment')
  end
  local round, request, queued = unpack(redis.call('HMGET', task.key, 'round', 'round_request', 'next_round'), 1, 3)
  round = tonumber(round or 1)
  if request == call.request then
    return { 'again', round }
  elseif queued == call.request then
    return { 'later', round + 1 }
  elseif record.held(task) and not call.options then
    reply.fail('STATE', 'the task is ' .. task.status .. ': wait for its end, edit what its next attempt has, or let it'
      .. ' begin once more after this round')
  elseif queued and (record.held(task) or contract.is_final(task.status)) then
    reply.fail('STATE', 'the task is to begin once more after this round already: wait until it has, or cancel it')
  elseif record.held(task) then
    return rerun.keep(task, call, spec, round)
  end
  edits.read(task)
  local step = { queue = call.queue, by = '', reason = 'submitted again' }
  local code, text
  if contract.is_waiting(task.status) then
    edits.compare(task, spec, call)
    if not task.edit then
      return { 'existing', round }
    end
    code, text = edits.plan(task, step)
  else
    code, text = rerun.plan(task, call, spec, step)
  end
  if code then
    reply.fail(code, text)
  end
  audit.plan()
  if task.edit then
    actions.run(edits.run, { task }, step)
    audit.add(call.by, 'submit', 'task', id, task.status, task.edit.to, 'changed, ' .. rerun.told(round, call))
    return { 'changed', round }
  end
  task.new.round = { 'round', string.format('%d', round + 1), 'round_request', call.request }
  actions.run(rerun.run, { task }, step)
  audit.add(call.by, 'submit', 'task', id, task.status, task.new.begins, 'again, ' .. rerun.told(round + 1, call))
  return { 'again', round + 1 }
end

function rerun.told(number, call)
  return string.format('round %d, request %s, queue %s, parameters %s', number, call.request, call.queue,
    audit.payload(call.parameters))
end

-- Returns the code and text of a refusal, if a task can never begin another round.
function rerun.refusal(task)
  if string.find(task.flags or '', 'g', 1, true) then
    return 'STATE', 'the task is a part of a graph: retry it, or submit one of another id'
  end
end

-- Plans a new round of a task that has ended. Returns the code and text of a refusal.
function rerun.plan(task, call, spec, step)
  local flags = task.flags or ''
  local code, text = rerun.refusal(task)
  if code then
    return code, text
  elseif string.find(flags, 'd', 1, true) and edges.waiting(task.id) > 0 then
    return 'STATE', 'others wait for this task: retry it, or submit one of another id'
  elseif string.find(flags, 'w', 1, true) and redis.call('HLEN', namespace.declare(edges.upstreams(task.id))) > 0 then
    return 'STATE', 'the task still needs what it waited for: retry it, or submit one of another id'
  end
  local new = rerun.fresh(task, call, spec)
  code, text = moving.destination(step)
  if code then
    return code, text
  elseif new.end_by and deadlines.is_past(new.end_by) then
    return deadlines.refusal()
  elseif not actions.unique(new, step) then
    return 'DUPLICATE', holdings.TAKEN
  elseif new.needs then
    creation.require_few_needs(new.queue, new.needs)
  end
  task.new = new
  if new.queue ~= task.queue then
    actions.plan(task, 'moved', step)
  else
    actions.seek(task, step)
    new.status, new.from_end, new.restarts = task.status, task.from_end, true
    tags.plan_swap(new, task.had.tags, new.tags)
  end
  namespace.require_settled_slot() -- the task leaves keys and enters them again
  state.plan(new, new.begins)
end

-- The task at the beginning of a new round. A dependent that has ended reads the new outcome when it is retried.
function rerun.fresh(task, call, spec)
  local new = { id = task.id, key = task.key, queue = call.queue, attempt = task.attempt, since = task.since,
    created = task.extra[2] or '0', foreign = true, parameters = call.parameters, fields = spec.fields,
    begins = 'pending' }
  if call.eta and call.eta > namespace.now_us then
    new.begins, new.eta = 'scheduled', namespace.decimal(call.eta)
  end
  local flags = (spec.flags or '') .. string.gsub(task.flags or '', '[^don]', '')
  if flags ~= '' then
    new.flags = flags
    holdings.assign(new, spec.holds or {})
  end
  return new
end

function rerun.run(task, step)
  local new = task.new
  local set, kept = { 'parameters', new.parameters, 'outcome', 'retry', unpack(new.round) }, {}
  for i = 1, #new.fields, 2 do
    if new.fields[i] ~= 'flags' then
      set[#set + 1], set[#set + 2] = new.fields[i], new.fields[i + 1]
    end
  end
  for name, value in pairs({ flags = new.flags, eta = new.eta }) do
    set[#set + 1], set[#set + 2] = name, value
  end
  for i = 1, #set, 2 do
    kept[set[i]] = true
  end
  new.forget = { record.attempt_fields() }
  local gone = { rerun.forgotten() }
  for field in string.gmatch(contract.STORED, '=(%S+)') do
    gone[#gone + 1] = field
  end
  for _, field in ipairs(gone) do
    new.forget[#new.forget + 1] = not kept[field] and field or nil
  end
  new.note = { 'note', '', 'data', '{"round":' .. new.round[2] .. '}' }
  if new.restarts then
    tags.swap(new)
  else
    task.note = new.note
    state.move(task, 'moved', 'again', '')
  end
  state.move(new, new.begins, 'again', '', 'queue', new.queue, 'attempt', new.attempt, unpack(set))
  if step.known == 'new' then
    redis.call('ZADD', namespace.prefix .. 'queues', 0, new.queue)
  end
  step.wakes = new.begins == 'pending' and new.queue or nil
end

-- Stores a round that begins when the task has ended. `call`: as for `submit`, with the `options` as they were given;
-- `number`: the number of the present round.
function rerun.keep(task, call, spec, number)
  local code, text = rerun.refusal(task)
  if not code then
    code, text = moving.destination({ queue = call.queue })
  end
  local end_by = spec.holds and spec.holds.end_by
  if not code and end_by and deadlines.is_past(end_by) then
    code, text = deadlines.refusal()
  end
  if code then
    reply.fail(code, text)
  end
  local key, shared = queued_round.key(task.id), spec.holds and spec.holds.shared
  namespace.probe('HLEN', key)
  if shared then
    shared_count.plan()
  end
  audit.plan()
  namespace.begin()
  redis.call('HSET', key, 'queue', call.queue, 'parameters', call.parameters,
    'eta', call.eta and string.format('%.0f', call.eta) or '', 'by', call.by or '', unpack(call.options))
  redis.call('HSET', task.key, 'next_round', call.request, 'flags', (task.flags or '') .. 'a')
  if shared then
    shared_count.count(shared, 1) -- a waiting round uses its shared limits
  end
  audit.add(call.by, 'submit', 'task', task.id, task.status, task.status,
    'once more, ' .. rerun.told(number + 1, call))
  return { 'later', number + 1 }
end
