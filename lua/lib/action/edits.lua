-- Edits: changes of a task before it ends. The task is described again, as in a submit, by the options of its record
-- together with the options of the call. Fields that differ are written, and indexes are updated.
local edits = {}

-- Options that belong to the present attempt of a task, or to its place in a queue.
edits.WAITING = ' queue eta key weight limits unique unique_until '

-- Maximum bytes of each value in the history.
edits.SHOWN = 128

-- Holdings of a task, named as in `creation.spec` and `holdings.load`.
edits.HOLDINGS = ' priority fair_key weight needs unique till tags own_lease exclusive end_by shared notify watch '

-- Returns the names of options that the record stores, or `eta`, as a set.
function edits.names(value, what)
  local names = {}
  for name in string.gmatch(#value <= contract.SHORT_TEXT_HIGH and value .. ',' or ',', '([^,]*),') do
    local known = string.find(name, '^[%l_]+$') and string.find(contract.STORED, ' ' .. name .. '=', 1, true)
    if name ~= 'eta' and not known then
      reply.fail('BADARG', what .. ' must be names of options of a task, or eta, separated by commas')
    end
    names[name] = true
  end
  return names
end

-- Returns the task, if it can be edited. `token`: the token of the attempt that must hold it.
function edits.get(id, token)
  local task = actions.get(id)
  if token and not (record.held(task) and task.token == token) then
    fence.stale(id, token, '')
  elseif contract.is_final(task.status) then
    record.refuse(task.status, contract.NOT_FINAL)
  end
  edits.read(task)
  return task
end

-- Reads the fields of a record that an edit compares, into `had`.
function edits.read(task)
  local fields = { 'eta', 'retry_eta', 'exclusive', 'slots', 'ended', 'waited' }
  for field in string.gmatch(contract.STORED, '=(%S+)') do
    fields[#fields + 1] = field
  end
  task.had = {}
  for i, value in ipairs(redis.call('HMGET', task.key, unpack(fields))) do
    task.had[fields[i]] = value or nil
  end
end

-- All options of a task after an edit: the options of its record except unset options, and the options of the call.
function edits.options(task, given, unset)
  local wanted, had = {}, task.had
  for name, field in string.gmatch(contract.STORED, '(%S+)=(%S+)') do
    if unset[name] and given[name] ~= nil then
      reply.fail('BADARG', 'unset names an option that is given, too')
    end
    wanted[name] = not unset[name] and had[field] or nil
  end
  wanted.lease = wanted.lease and wanted.lease / 1000000
  if unset.unique then
    wanted.unique_until = nil
  end
  for name, value in pairs(given) do
    wanted[name] = value
  end
  wanted.exclusive = had.exclusive and wanted.key -- set by its schedule, or by the policy `latest`
  return wanted
end

-- Adds a change to the note for the history.
function edits.tell(edit, name, before, after)
  edit.changed[name] = true
  edit.told[#edit.told + 1] = string.format('"%s":[%s,%s]', name, edits.json(before), edits.json(after))
end

function edits.json(value)
  if not value then
    return 'null'
  elseif type(value) == 'number' then
    return string.format('%.14g', value)
  end
  return cjson.encode(string.sub(value, 1, edits.SHOWN))
end

-- Plans a new value of a field, or its removal if there is no value.
function edits.write(edit, field, value)
  if value then
    edit.set[#edit.set + 1], edit.set[#edit.set + 2] = field, value
  else
    edit.forget[#edit.forget + 1] = field
  end
end

-- Compares a task with its new description, and sets `task.edit` if they differ. `spec`: the options, from
-- `creation.spec`; `call`: the `parameters`, the `eta` (false for none) and the `queue`, each if it is given.
function edits.compare(task, spec, call)
  local had, new = task.had, {}
  local edit = { set = {}, forget = {}, told = {}, changed = {}, to = task.status }
  for i = 1, #spec.fields, 2 do
    new[spec.fields[i]] = spec.fields[i + 1]
  end
  if had.exclusive and not (new.exclusive and new.key == had.key and new.unique == had.unique
    and new.unique_until == had.unique_until) then
    reply.fail('BADARG', 'one task of this key runs at a time, by its schedule or by the policy latest:'
      .. ' its key and its unique name cannot be changed')
  end
  for name, field in string.gmatch(contract.STORED, '(%S+)=(%S+)') do
    local before, after = had[field], new[field]
    if before ~= after then
      edits.write(edit, field, after)
      if name == 'lease' then
        before, after = before and before / 1000000, after and after / 1000000
      end
      if name == 'command' then
        before, after = args.argv(before), args.argv(after)
      end
      edits.tell(edit, name, before, after)
    end
  end
  edits.compare_parameters(task, edit, call.parameters)
  if call.eta ~= nil then
    edits.compare_eta(task, edit, call.eta)
  end
  if call.queue and call.queue ~= task.queue then
    edits.tell(edit, 'queue', task.queue, call.queue)
  end
  if not edit.told[1] then
    return
  end
  local flags = spec.flags or ''
  for letter in string.gmatch(task.flags or '', '[rwkdgoacnx]') do -- a ranked task stays ranked
    flags = string.find(flags, letter, 1, true) and flags or flags .. letter
  end
  if flags ~= (task.flags or '') then
    edits.write(edit, 'flags', flags ~= '' and flags)
  end
  local fresh = { id = task.id, queue = task.queue, flags = flags ~= '' and flags or nil }
  if fresh.flags then
    holdings.assign(fresh, spec.holds or {})
  end
  if fresh.watch then
    fresh.watch.waited = had.waited
  end
  edit.fresh, task.edit = fresh, edit
end

function edits.compare_parameters(task, edit, parameters)
  local before = parameters and redis.call('HGET', task.key, 'parameters') or ''
  if not parameters or parameters == before then
    return
  elseif task.had.slots or string.find(task.flags or '', 'w', 1, true)
    and redis.call('HEXISTS', namespace.declare(edges.inputs(task.id)), 'slots') == 1 then
    reply.fail('BADARG', 'the parameters of this task are made of the results of others: they cannot be edited')
  end
  edits.write(edit, 'parameters', parameters)
  edits.tell(edit, 'parameters', #before, #parameters)
end

-- Compares the eta. The eta of a pending task has passed; a task that waits for other tasks keeps its eta for later.
function edits.compare_eta(task, edit, eta)
  local had, at = task.had.eta, eta and namespace.decimal(eta)
  local later = eta and eta > namespace.now_us
  if task.status == 'pending' then
    if not later then
      return
    end
    edit.to = 'scheduled'
  elseif tonumber(had or nil) == tonumber(at or nil) then
    return
  elseif task.status == 'scheduled' and not later then
    edit.to = 'pending'
  end
  edit.eta = at
  edits.write(edit, 'eta', at)
  if task.had.retry_eta then
    edits.write(edit, 'retry_eta')
  end
  edits.tell(edit, 'eta', task.status ~= 'pending' and had, at)
end

-- Plans an edit. Returns the code and text of a refusal. `step`: the `queue` to move to, who edits (`by`), and the
-- `reason`.
function edits.plan(task, step)
  local edit, held = task.edit, record.held(task)
  local fresh, changed, moves = edit.fresh, edit.changed, edit.changed.queue
  for name in string.gmatch(held and edits.WAITING or '', '%S+') do
    if changed[name] then
      return 'STATE', 'the task is ' .. task.status .. ': its ' .. name .. ' is changed only while it waits'
    end
  end
  if task.flags then
    holdings.load(task)
  end
  if changed.deadline and held and deadlines.decided(task) then
    return 'STATE', 'its deadline has passed, and its owner was told to stop: retry it with another deadline then'
  elseif changed.deadline and fresh.end_by and deadlines.is_past(fresh.end_by) then
    return deadlines.refusal()
  end
  if changed.deadline then
    namespace.probe('ZCARD', holdings.deadlines())
  end
  edit.watch = task.watch
  if task.watch or fresh.watch then
    namespace.probe('ZCARD', watches.key())
  end
  if (changed.needs or changed.limits) and needs.class(fresh) and not moves then
    creation.require_few_needs(task.queue, needs.class(fresh))
  end
  if changed.limits then
    shared_count.plan()
  end
  if moves then
    step.alter = edits.alter
    return moving.plan(task, step)
  elseif changed.tags then
    tags.plan_swap(task, task.tags, fresh.tags)
  end
  if (changed.unique or changed.unique_until) and not edits.plan_name(task, step) then
    return 'DUPLICATE', holdings.TAKEN
  end
  edits.plan_index(task, step)
end

function edits.take_holdings(task, fresh)
  for name in string.gmatch(edits.HOLDINGS, '%S+') do
    task[name] = fresh[name]
  end
end

-- Sets the holdings of a task in the queue that it moves to. A unique name that the task no longer has is not moved.
function edits.alter(task, other)
  local edit = task.edit
  local name, ends = other.unique, other.ends
  other.flags = edit.fresh.flags
  if other.flags then
    holdings.mark(other)
  end
  edits.take_holdings(other, edit.fresh)
  local same = not (edit.changed.unique or edit.changed.unique_until)
  other.unique, other.ends = same and name or not same and other.unique or nil, same and ends or nil
  other.to, other.eta = edit.to, edit.eta or other.eta
end

-- Reads the old and the new unique name of a task. Returns true if the new name is free.
function edits.plan_name(task, step)
  local queue, fresh = task.queue, task.edit.fresh
  namespace.require_settled_slot() -- the old name may be the last field of its key
  namespace.probe('HLEN', namespace.key('unique', queue))
  namespace.probe('ZCARD', namespace.key('timed', queue))
  if task.unique then
    local old = { id = task.id, queue = queue, unique = task.unique }
    old.holder, old.held_till, old.kept = holdings.name_holders(queue, task.unique)
    task.edit.name = old
  end
  return actions.unique(fresh, step)
end

-- Plans the changes in the indexes of the task's state.
function edits.plan_index(task, step)
  local edit = task.edit
  local fresh, changed = edit.fresh, edit.changed
  if edit.to ~= task.status then
    task.ranked, task.eta = fresh.ranked or task.ranked, edit.eta
    task.note, task.forget = edits.note(task, step), { 'readied', 'promoted' }
    if edit.to == 'pending' then
      task.flags, task.front = fresh.flags, task.extra[4] and true
      task.turn = task.extra[4] and tonumber(task.had.ended)
      edits.take_holdings(task, fresh)
      if task.flags then
        holdings.mark(task)
      end
    end
    return actions.plan(task, edit.to, step)
  end
  history.plan(task)
  tracking.plan_note(task)
  if not contract.is_waiting(task.status) then
    return
  end
  local stands = changed.key or changed.weight or changed.needs or changed.limits or changed.priority
  if task.status == 'scheduled' and changed.eta then
    namespace.probe('ZCARD', namespace.key('scheduled_tasks', task.queue))
    namespace.probe('ZCARD', namespace.key('scheduled_ranked_tasks', task.queue))
    stands = stands or fresh.ranked
  end
  if stands and fresh.ranked and task.status ~= 'waiting' then
    fresh.place = not changed.priority and (task.rank or fairness.list_rank(task.since, task.extra[4]))
    prioritising.plan_place(task, fresh, step)
  end
  if stands and task.status == 'pending' then
    wakeups.plan(task.queue) -- a listener that could not take the task before may take it now
    step.wakes = task.queue
  end
end

-- Returns the note of an edit in the history: the reason and the changes.
function edits.note(task, step)
  return { 'note', step.reason or '', 'data', '{' .. table.concat(task.edit.told, ',') .. '}' }
end

function edits.run(task, step)
  local edit, key = task.edit, task.key
  if edit.set[1] then
    redis.call('HSET', key, unpack(edit.set)) -- refused if memory is full, before any other write
  end
  if edit.forget[1] then
    redis.call('HDEL', key, unpack(edit.forget))
  end
  if edit.changed.deadline and edit.fresh.end_by then
    redis.call('ZADD', holdings.deadlines(), edit.fresh.end_by, task.id)
  elseif edit.changed.deadline then
    redis.call('ZREM', holdings.deadlines(), task.id)
  end
  if (edit.watch or edit.fresh.watch) and not edit.changed.queue then
    watches.change(task.id, edit.watch, task.status, edit.fresh.watch, task.status)
    task.watch = edit.fresh.watch
  end
  if edit.changed.queue then
    task.note = edits.note(task, step)
    return moving.move(task, step)
  elseif edit.changed.tags then
    tags.swap(task)
  end
  if edit.changed.limits then
    shared_count.recount(edit.fresh.shared, task.had.limits)
  end
  if edit.name then
    holdings.release_name(edit.name, 'moved')
  end
  if (edit.changed.unique or edit.changed.unique_until) and edit.fresh.unique then
    holdings.take_name(edit.fresh)
  end
  if edit.to ~= task.status then
    state.move(task, edit.to, 'edit', step.by)
    step.wakes = edit.to == 'pending' and task.queue or step.wakes
    return
  end
  if task.fresh then
    prioritising.place(task, step)
  end
  if task.status == 'scheduled' and edit.changed.eta then
    redis.call('ZADD', namespace.key(edit.fresh.ranked and 'scheduled_ranked_tasks' or 'scheduled_tasks', task.queue),
      edit.eta, task.id)
  end
  history.add(task, { to = task.status, why = 'edit', by = step.by, at = record.time(task),
    note = edits.note(task, step) }, '', '', '', '')
  tracking.note(task, 'edit', step.by, edits.names_of(edit))
end

function edits.names_of(edit)
  local changed = {}
  for name in pairs(edit.changed) do
    changed[#changed + 1] = name
  end
  table.sort(changed, args.before)
  return table.concat(changed, ' ')
end
