-- Steps: a task that has done its work in one queue goes on in another, as the same task. The record has the queues
-- that are left in `steps`; a task without any has no `s` among its ties.
local steps = {}

-- Checks the queues of a chain.
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

-- What `complete` was told of the next step, or nil.
function steps.asked(options)
  local asked = { next = options.next, parameters = options.parameters, eta = options.eta, priority = options.priority,
    method = options.method, needs = options.needs }
  if asked.next == '' and (asked.parameters or asked.eta or asked.priority or asked.method or asked.needs) then
    reply.fail('BADARG', 'with an empty next there is no next step that could have parameters, an eta, a priority, a'
      .. ' method or needs')
  end
  if asked.parameters then
    args.bytes(asked.parameters, options.max_bytes or contract.PAYLOAD_HIGH, 'parameters')
  end
  return next(asked) and asked
end

-- The task in the other queue.
function steps.other(task, queue, created)
  local other = claims.elsewhere(task, queue, created)
  other.unknown = not redis.call('ZSCORE', namespace.declare(namespace.prefix .. 'queues'), queue)
  return other
end

-- Adds values to a list.
function steps.add(list, ...)
  for _, value in ipairs({ ... }) do
    list[#list + 1] = value
  end
end

-- Reads every key that the move to the other queue will write.
function steps.plan(task, other, to)
  state.plan(task, 'moved')
  state.plan(other, to)
  if other.queue == task.queue then
    namespace.require_settled_slot() -- it leaves indexes and enters them again
  end
end

-- Makes the move. `why` and `came`: the reasons in the events of the queue that it leaves, and of the other one;
-- `fields`: names and values for the record.
function steps.move(task, other, to, why, came, fields)
  state.move(task, 'moved', why, task.node, unpack(fields))
  state.move(other, to, came, '', 'queue', other.queue, 'attempt', other.attempt, 'ended', task.token, unpack(fields))
  if other.unknown then
    redis.call('ZADD', namespace.prefix .. 'queues', 0, other.queue)
  end
  if to == 'pending' then
    edges.readied = true
    state.wake(other.queue)
  end
end

-- The fields that the record loses with the attempt, and these.
function steps.forgotten(...)
  local names = { 'token', 'lease', 'request', 'front', 'promoted', 'readied', state.attempt_fields() }
  steps.add(names, ...)
  return names
end

-- The same as `plan` for a task that claims nothing, with fewer checks of rights: it halves the cost of a step.
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
    state.plan_wake(other.queue)
  end
  if may and not (may('HSET', role, '', '') and may('HDEL', namespace.meta, '') and may('XADD', history_key,
    '*', '', '') and may('UNLINK', history_key) and may('SREM', prefix .. 'started' .. tasks, '')
    and may('LREM', held, '', '') and may('ZREM', prefix .. 'tasks_' .. task.queue, '')
    and may('ZADD', prefix .. 'tasks_' .. other.queue, '1', '')
    and may('LPUSH', prefix .. 'wake_' .. other.queue, '')) then
    rights.require()
  end
end

-- Ends a step of a task, which goes on with the next one. Returns the outcome, or nil if it was the last one.
-- `limited`: see `ending.complete`; `asked`: see `asked`.
function steps.go_on(task, result, cost, limited, asked)
  local v = redis.call('HMGET', namespace.key('task', task.id), 'steps', 'step', 'created')
  local first, rest = string.match(v[1] or '', '^([^,]+),?(.*)$')
  local queue = asked and asked.next or first or ''
  if queue == '' then
    if asked and not asked.next then
      reply.fail('BADARG', 'the task has no next step that could have parameters, an eta, a priority, a method or'
        .. ' needs: name its queue with next')
    end
    task.skips = first and 'steps'
    return nil
  elseif task.cancel then
    task.cost = cost
    return owner.finish(task, 'cancelled', 'cancelled', 'complete')
  end
  if task.ties == 's' then
    task.ties = nil -- it claims nothing
  end
  asked = asked or {}
  local other = steps.next(task, queue, v[3], rest or '', asked)
  local fields = { 'outcome', 'complete', 'step', (v[2] or 0) + 1 }
  steps.tell(other, fields, rest or '', asked)
  local parameters = asked.parameters or result ~= '' and result ~= 'null' and result
  if parameters then
    steps.add(fields, 'parameters', parameters)
    other.forget[#other.forget + 1] = 'slots'
  end
  if cost then
    steps.add(fields, 'cost', cost, 'cost_of', task.token)
  end
  local to = other.eta and 'scheduled' or 'pending'
  if not (task.ties or task.recall or limited or namespace.declared or other.ranked) then
    steps.plan_plain(task, other, to)
  else
    steps.plan(task, other, to)
    namespace.begin()
  end
  steps.move(task, other, to, 'next', 'next', fields)
  return 'complete'
end

-- The task in the queue of its next step. Where another task has its unique name, it goes on without it: its owner has
-- nowhere else to bring the result.
function steps.next(task, queue, created, rest, asked)
  local other = steps.other(task, queue, created)
  local ties = string.gsub(task.ties or '', 's', '') .. (rest ~= '' and 's' or '')
  if (asked.needs or asked.priority and asked.priority ~= '0') and not string.find(ties, 'r', 1, true) then
    ties = ties .. 'r'
  end
  if other.unique and claims.name_conflict(other) then
    other.unique, other.nameless, ties = nil, true, string.gsub(ties, 'u', '')
  end
  other.ties, other.ranked = ties ~= '' and ties or nil, string.find(ties, 'r', 1, true) and true
  if other.ties and not other.bound then
    claims.mark(other)
  end
  other.priority, other.needs = asked.priority or other.priority, asked.needs or other.needs
  if asked.eta and asked.eta > namespace.now_us then
    other.eta = namespace.decimal(asked.eta)
  end
  return other
end

-- What the record is told of the next step, and what it forgets of this one.
function steps.tell(other, fields, rest, asked)
  other.forget = steps.forgotten('failures', 'losses', 'releases', 'uncounted', 'fruitless', 'last_error', 'last_group',
    'checkpoint', 'checkpointed', 'retry_eta', unpack(other.nameless and { 'unique', 'unique_until' } or {}))
  for name, value in pairs({ steps = rest, ties = other.ties or '', eta = other.eta or '',
    priority = asked.priority == '0' and '' or asked.priority, method = asked.method, needs = asked.needs }) do
    if value == '' then
      other.forget[#other.forget + 1] = name
    else
      steps.add(fields, name, value)
    end
  end
end

-- Gives a task back into another queue, where it has had no turn.
function steps.give_back(task, options, why, counter, count)
  local other = steps.other(task, options.into, redis.call('HGET', namespace.key('task', task.id), 'created'))
  if settings.get(other.queue, 'closed') == '1' then
    reply.fail('CLOSED', actions.CLOSED)
  elseif other.unique and claims.name_conflict(other) then
    reply.fail('DUPLICATE', claims.TAKEN_THERE)
  elseif needs.class(other) then
    creation.require_few_needs(other.queue, needs.class(other))
  end
  local to = options.again and options.again > 0 and retries.plan(other, options.again) or 'pending'
  local fields = { 'outcome', 'released', counter, count }
  if task.cost then
    steps.add(fields, 'cost', task.cost, 'cost_of', task.token)
  end
  if to == 'scheduled' then
    steps.add(fields, 'eta', other.eta)
  end
  if to == 'scheduled' and other.own_eta then
    steps.add(fields, 'retry_eta', '1')
  end
  other.forget = steps.forgotten()
  steps.plan(task, other, to)
  namespace.begin()
  steps.move(task, other, to, why, 'move', fields)
  return 'released'
end
