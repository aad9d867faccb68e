-- Steps: a task that has done its work in one queue continues in another queue, as the same task. The field `steps` of
-- the record has the remaining queues. A task without steps has no `s` in its flags.
local steps = {}

-- Checks the queues of a chain. Returns their text.
function steps.check(value, what)
  local number = 0
  for name in string.gmatch(value .. ',', '([^,]*),') do
    number = number + 1
    if number > contract.STEP_COUNT_HIGH then
      reply.fail('BADARG', what .. ' must be at most ' .. contract.STEP_COUNT_HIGH .. ' queues')
    end
    args.plain(name, what)
  end
  return value
end

-- Returns the arguments of `complete` for the next step, or nil. `given`: new options of the task; `unset`: options
-- that it loses.
function steps.asked(options)
  local asked = { next = options.next, parameters = options.parameters, eta = options.eta, unset = options.unset }
  if asked.parameters then
    args.bytes(asked.parameters, options.max_bytes or contract.PAYLOAD_HIGH, 'parameters')
  end
  for _, name in ipairs({ 'max_bytes', 'cost', 'next', 'parameters', 'eta', 'unset' }) do
    options[name] = nil
  end
  asked.given = next(options) and options or asked.unset and {}
  asked.compare = asked.given and steps.compare -- not in the script of `finish_and_reserve`, which accepts only a queue
  if asked.next == '' and (asked.parameters or asked.eta or asked.given) then
    reply.fail('BADARG', 'with an empty next there is no next step that could have parameters, an eta or options')
  elseif asked.unset and asked.unset.eta and asked.eta then
    reply.fail('BADARG', 'unset names an option that is given, too')
  end
  return next(asked) and asked
end

-- Compares the options of a task with the options for its next step, and sets `task.edit`. Returns the queues after
-- that step.
function steps.compare(task, asked, rest)
  local given, unset = asked.given, asked.unset or {}
  task.key = task.key or namespace.key('task', task.id)
  edits.read(task)
  if unset.steps and given.steps then
    reply.fail('BADARG', 'unset names an option that is given, too')
  end
  rest = given.steps or not unset.steps and rest or ''
  given.steps, unset.steps, task.had.steps = nil, nil, nil
  edits.compare(task, creation.spec(edits.options(task, given, unset)), {})
  if task.edit and task.edit.changed.deadline and task.edit.fresh.end_by then
    deadlines.require_ahead(task.edit.fresh.end_by)
  end
  return rest
end

-- Returns the task as it enters another queue. `unknown`: the queue does not exist yet.
function steps.other(task, queue, created)
  local other = holdings.elsewhere(task, queue, created)
  other.unknown = not redis.call('ZSCORE', namespace.declare(namespace.prefix .. 'queues'), queue)
  return other
end

function steps.plan(task, other, to)
  state.plan(task, 'moved')
  state.plan(other, to)
  if other.queue == task.queue then
    namespace.require_settled_slot() -- the task leaves indexes and enters them again
  end
end

-- Moves a task to another queue. `why` and `came`: the reasons in the events of the old and of the new queue; `fields`:
-- names and values for the record.
function steps.move(task, other, to, why, came, fields)
  state.move(task, 'moved', why, task.node, unpack(fields))
  state.move(other, to, came, '', 'queue', other.queue, 'attempt', other.attempt, 'ended', task.token, unpack(fields))
  if other.unknown then
    redis.call('ZADD', namespace.prefix .. 'queues', 0, other.queue)
  end
  if to == 'pending' then
    task.readied = true
    wakeups.wake(other.queue)
  end
end

-- Returns the fields that the record loses with the attempt, and the names `...`.
function steps.forgotten(...)
  local names = { 'token', 'lease', 'request', 'front', 'promoted', 'readied', record.attempt_fields() }
  reply.add(names, ...)
  return names
end

-- Plans the move of a task without holdings, with fewer checks of permissions than `plan`. This halves the cost of a
-- step.
function steps.plan_plain(task, other, to)
  local prefix, waits = namespace.prefix, '_tasks_' .. other.queue
  local may, role = redis.acl_check_cmd, prefix .. rights.ROLE
  local tasks, history_key = '_tasks_' .. task.queue, namespace.prefix .. 'history_' .. task.id
  local held = prefix .. 'reserved' .. tasks .. '_' .. task.node
  local started = task.status == 'started' and prefix .. 'started' .. tasks
  state.read_left(task, held, started)
  redis.call('XLEN', prefix .. 'events_' .. task.queue)
  redis.call('XLEN', history_key)
  redis.call('ZCARD', prefix .. 'tasks_' .. task.queue)
  redis.call('ZCARD', prefix .. 'tasks_' .. other.queue)
  state.read_entered(prefix .. 'events_' .. other.queue, to == 'pending' and 'LLEN' or 'ZCARD', prefix .. to .. waits)
  if to == 'pending' then
    wakeups.plan(other.queue)
  end
  if may and not (may('HSET', role, '', '') and may('HDEL', namespace.meta, '') and may('XADD', history_key,
    '*', '', '') and may('UNLINK', history_key) and may('SREM', prefix .. 'started' .. tasks, '')
    and may('LREM', held, '', '') and may('ZREM', prefix .. 'tasks_' .. task.queue, '')
    and may('ZADD', prefix .. 'tasks_' .. other.queue, '1', '')
    and may('LPUSH', prefix .. 'wake_' .. other.queue, '')) then
    rights.require()
  end
end

-- Ends a step of a task and begins its next step. Returns the outcome, or nil if the task has no next step. `limited`:
-- see `ending.complete`; `asked`: see `steps.asked`.
function steps.go_on(task, result, cost, limited, asked)
  local v = redis.call('HMGET', namespace.key('task', task.id), 'steps', 'step', 'created')
  local first, rest = string.match(v[1] or '', '^([^,]+),?(.*)$')
  local queue = asked and asked.next or first or ''
  if queue == '' then
    if asked and not asked.next then
      reply.fail('BADARG', 'the task has no next step that could have parameters, an eta or options: name its queue'
        .. ' with next')
    end
    task.skips = first and 'steps'
    return nil
  elseif task.cancel then
    task.cost = cost
    return fence.finish(task, 'cancelled', 'cancelled', 'complete')
  end
  if task.flags == 's' then
    task.flags = nil -- the task has no holdings
  end
  asked, rest = asked or {}, rest or ''
  if asked.compare then
    rest = asked.compare(task, asked, rest)
  end
  local other = steps.next(task, queue, v[3], rest, asked.eta)
  local fields = { 'outcome', 'complete', 'step', (v[2] or 0) + 1 }
  steps.tell(other, fields, rest, task.edit)
  local parameters = asked.parameters or result ~= '' and result ~= 'null' and result
  if parameters then
    reply.add(fields, 'parameters', parameters)
    other.forget[#other.forget + 1] = 'slots'
  end
  if cost then
    reply.add(fields, 'cost', cost, 'cost_of', task.token)
  end
  local to = other.eta and 'scheduled' or 'pending'
  local undated = task.edit and task.edit.changed.deadline and not other.end_by
  if undated then
    namespace.probe('ZCARD', holdings.deadlines())
  end
  if not (task.flags or task.requeue or limited or namespace.declared or task.edit) then
    steps.plan_plain(task, other, to)
  else
    steps.plan(task, other, to)
    namespace.begin()
  end
  steps.move(task, other, to, 'next', 'next', fields)
  if undated then
    redis.call('ZREM', holdings.deadlines(), task.id)
  end
  return 'complete'
end

-- Returns the task in the queue of its next step. If another task there has its unique name, the task continues without
-- the name, because its owner has no other place for the result.
function steps.next(task, queue, created, rest, eta)
  local other = steps.other(task, queue, created)
  if task.edit then
    edits.alter(task, other)
  end
  local flags = string.gsub(other.flags or '', '[sc]', '') .. (rest ~= '' and 's' or '')
  if other.unique and holdings.name_conflict(other) then
    other.unique, other.nameless, flags = nil, true, string.gsub(flags, 'u', '')
  end
  other.flags, other.ranked = flags ~= '' and flags or nil, string.find(flags, 'r', 1, true) and true
  if other.flags and not other.bound then
    holdings.mark(other)
  end
  other.eta = eta and eta > namespace.now_us and namespace.decimal(eta) or nil
  return other
end

-- Adds the values of the next step to `fields`, and sets `other.forget`: the fields of this step that the record loses.
function steps.tell(other, fields, rest, edit)
  local told = { steps = rest, flags = other.flags or '', eta = other.eta or '' }
  other.forget = steps.forgotten('failures', 'losses', 'releases', 'uncounted', 'stalled_losses', 'last_error',
    'last_group', 'checkpoint', 'checkpointed', 'retry_eta')
  if other.nameless then
    told.unique, told.unique_until = '', ''
  end
  for i = 1, edit and #edit.set or 0, 2 do
    told[edit.set[i]] = told[edit.set[i]] or edit.set[i + 1]
  end
  for _, name in ipairs(edit and edit.forget or {}) do
    told[name] = told[name] or ''
  end
  for name, value in pairs(told) do
    if value == '' then
      other.forget[#other.forget + 1] = name
    else
      reply.add(fields, name, value)
    end
  end
end

-- Gives a task back into another queue, but not to its front, because the task has had no turn there.
function steps.give_back(task, options, why, counter, count)
  local other = steps.other(task, options.into, redis.call('HGET', namespace.key('task', task.id), 'created'))
  if settings.get(other.queue, 'closed') == '1' then
    reply.fail('CLOSED', moving.CLOSED)
  elseif other.unique and holdings.name_conflict(other) then
    reply.fail('DUPLICATE', holdings.TAKEN_THERE)
  elseif needs.class(other) then
    creation.require_few_needs(other.queue, needs.class(other))
  end
  local to = options.again and options.again > 0 and retries.plan(other, options.again) or 'pending'
  local fields = { 'outcome', 'released', counter, count }
  if task.cost then
    reply.add(fields, 'cost', task.cost, 'cost_of', task.token)
  end
  if to == 'scheduled' then
    reply.add(fields, 'eta', other.eta, other.own_eta and 'retry_eta' or nil, '1')
  end
  other.forget = steps.forgotten()
  steps.plan(task, other, to)
  namespace.begin()
  steps.move(task, other, to, why, 'move', fields)
  return 'released'
end
