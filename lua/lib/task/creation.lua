-- Task creation: options, conflicts of unique names, and the first transition.
local creation = {}

-- Maximum bytes of all parameters of one call: the size of the largest task.
creation.BYTES = 8388608

-- Turns checked options into a `spec`. `fields`: the fields of the record, named like the options. All further values
-- are for `apply`, `conflict` and `plan`.
function creation.spec(options)
  local fields = {}
  local spec = { fields = fields, max_bytes = options.max_bytes, policy = options.unique_policy,
    unique = options.unique, hold = options.hold }
  if not options.unique and (options.unique_until or options.unique_policy) then
    reply.fail('BADARG', 'unique_until and unique_policy need the option unique')
  end
  local priority, key, till = options.priority ~= '0' and options.priority or nil, options.key,
    options.unique_until or 'end'
  if options.unique_policy == 'latest' then
    if key or options.unique_until then
      reply.fail('BADARG', 'the policy latest sets key and unique_until: leave them out')
    end
    key, till, spec.exclusive = options.unique, 'start', '1'
  elseif options.exclusive then
    key, spec.exclusive = options.exclusive, '1'
  end
  local weight = options.weight and tonumber(options.weight) > 1 and string.format('%d', options.weight) or nil
  local lease = options.lease and string.format('%.0f', options.lease * 1000000)
  local watch = watches.of(options.notify, options.deadline)
  local flags = ((priority or key or options.needs or options.limits) and 'r' or '')
    .. ((key or weight or options.limits) and 'p' or '')
    .. (options.unique and 'u' or '') .. (options.tags and 't' or '') .. (lease and 'l' or '')
    .. (options.inputs and (options.inputs.some > 0 and 'wk' or 'w') or '') .. (options.deadline and 'e' or '')
    .. (options.steps and 's' or '') .. (options.notify and 'n' or '') .. (watch and 'm' or '')
  options.priority, options.key, options.weight = priority, key, weight
  options.exclusive, options.lease = spec.exclusive, nil
  options.unique_until, options.own_lease = options.unique and till, lease
  options.max_bytes, options.unique_policy, options.hold = nil, nil, nil
  if options.inputs then
    spec.inputs, options.inputs = options.inputs, options.inputs.text
  end
  if flags ~= '' then
    options.flags, spec.flags = flags, flags
    spec.holds = {
      priority = priority, fair_key = key, weight = weight, needs = options.needs, unique = options.unique, till = till,
      tags = options.tags, own_lease = lease, exclusive = spec.exclusive, end_by = options.deadline,
      shared = options.limits, notify = options.notify, watch = watch,
    }
  end
  for name, value in pairs(options) do
    if value then
      fields[#fields + 1], fields[#fields + 2] = name, value
    end
  end
  return spec
end

-- Applies a spec to a task that does not exist yet. Returns the state in which it begins.
function creation.apply(task, spec)
  task.flags = spec.flags
  task.begins = task.edges and (task.edges[1] or task.joins) and 'waiting'
    or spec.hold and 'held' or task.eta and 'scheduled' or 'pending'
  if spec.flags then
    holdings.assign(task, spec.holds)
  end
  if task.end_by then
    deadlines.require_ahead(task.end_by)
  end
  return task.begins
end

-- Resolves a conflict of unique names. Returns nil if there is no conflict. Otherwise returns the id of the task that
-- holds the name, and also that task if it must be cancelled for the new task.
function creation.conflict(task, spec)
  local id = holdings.name_conflict(task)
  if not id then
    return nil
  end
  local rival = record.find(id, 'unique')
  local here = rival and rival.queue == task.queue and rival.extra[1] == task.unique
  local policy = spec.policy or 'reject'
  local waits = here and contract.is_waiting(rival.status)
  if not here and policy ~= 'reject' then
    return nil -- the name outlived its task: there is no task to return or to cancel
  elseif policy == 'existing' then
    return id
  elseif waits and (policy == 'replace' or policy == 'latest') then
    namespace.require_settled_slot() -- the name is released and taken again
    return id, rival
  end
  reply.fail('DUPLICATE', holdings.TAKEN)
end

-- Plans the holdings of a new task. The number of different needs in a queue is limited when tasks are created, not
-- when they return.
function creation.plan(task)
  if task.needs or task.shared then
    creation.require_few_needs(task.queue, needs.class(task))
  end
  state.plan_flags(task, task.begins)
end

function creation.require_few_needs(queue, wanted)
  local known = namespace.declare(namespace.key('needs', queue))
  if not needs.number(queue, wanted) and redis.call('HLEN', known) >= needs.MOST then
    reply.fail('TOOMANY', 'the tasks that wait in this queue have 64 different needs and sets of shared limits'
      .. ' already: `why` and doctor name needs that no listener has: cancel such tasks, or start a listener for them')
  end
end

-- Moves a planned task to its first state, and writes its edges.
function creation.insert(task, spec, why)
  local more = spec.fields
  if task.eta then
    more = { 'eta', task.eta, unpack(spec.fields) }
  end
  state.move(task, task.begins, why, '',
    'queue', task.queue, 'parameters', task.parameters, 'created', task.created, 'attempt', '0', unpack(more))
  if task.begins == 'waiting' then
    edge_submit.enter({ task })
  end
  if task.joins then
    fan_in.begin(task.id)
  end
end

-- Fails if the queue is closed. `own`, `common`: the settings of the queue and of the namespace, as text.
function creation.require_open(own, common)
  if settings.value(own, common, 'closed') == '1' then
    reply.fail('CLOSED', 'this queue is closed: open it with `blueque drain QUEUE --off`, or set closed to 0')
  end
end
