-- Late edges: the upstreams of a task may change after its submit, while no attempt holds it.
local edit_edges = {}

-- Maximum numbers of tasks and edges above new upstreams that the search for a circle examines.
edit_edges.TASKS = 2000
edit_edges.EDGES = 10000

-- Maximum number of tasks of a circle that a message names.
edit_edges.SHOWN = 20

-- Maximum number of upstreams of a task, and of bytes of the text of all its inputs.
edit_edges.MOST = 10000
edit_edges.TEXT = 1048576

function edit_edges.parse(text, what)
  local found = edge_inputs.parse(text, what, true)
  if #found.values > 0 then
    reply.fail('BADARG', what .. ' must not have values: those are given at submit')
  end
  return found
end

-- Fails if the graph of a task is not released yet: until then the task cannot be changed.
function edit_edges.require_released(id)
  local graph, status = unpack(redis.call('HMGET', namespace.key('task', id), 'graph', 'status'))
  if graph and not status and graphs.is_created(graph) then
    reply.fail('STATE', 'its graph has just been submitted and is being released: repeat the call in a moment')
  end
end

-- Returns the task whose inputs change, with the known facts about its inputs.
function edit_edges.task(id)
  edit_edges.require_released(id)
  local task = record.get(id, edges.fields())
  if not contract.is_waiting(task.status) then
    record.refuse(task.status, contract.WAITING)
  elseif task.status == 'held' then
    reply.fail('STATE', 'the task is held: release it with unhold before its upstreams change')
  end
  namespace.declare(edges.upstreams(id))
  task.inputs = redis.call('HGET', task.key, 'inputs') or ''
  task.slots, task.bytes = edges.input_size(id)
  task.slots, task.set = task.slots or 0, at_least.has(task) and at_least.read(id) or nil
  return task
end

-- Returns the text of all inputs, including the added inputs.
function edit_edges.text(task)
  return task.inputs .. (task.inputs ~= '' and task.text ~= '' and ' ' or '') .. task.text
end

-- Returns the entries of an upstream in the text of inputs.
function edit_edges.entries(wish)
  local entries = {}
  for i, slot in ipairs(wish.slots) do
    entries[i] = wish.kind .. '/' .. slot .. '=' .. wish.id
  end
  return entries[1] and entries or { wish.kind .. '=' .. wish.id }
end

-- Returns true if the task has all these entries. In this case they were added before.
function edit_edges.has(task, entries)
  for _, entry in ipairs(entries) do
    if not string.find(' ' .. task.inputs .. ' ', ' ' .. entry .. ' ', 1, true) then
      return false
    end
  end
  return true
end

-- Resolves further inputs. Sets the open `edges`, the results (`filled`) and the new `text`. `look_at` reads an
-- upstream; its argument `had` is true if the task has waited for this upstream before; the upstream may run again now.
function edit_edges.look(task, wanted, look_at)
  task.edges, task.filled = {}, {}
  local text, slots = {}, {}
  local sets = wanted.some > 0 or wanted.least
  if sets then
    task.set = at_least.begin({ set = task.set, text = task.inputs }, wanted)
  end
  for _, wish in ipairs(wanted.upstreams) do
    local entries = edit_edges.entries(wish)
    if wish.id == task.id then
      reply.fail('BADARG', 'a task cannot wait for itself')
    elseif edit_edges.has(task, entries) then
      if not wish.slots[1] and wish.kind ~= 'some' then
        look_at(task, wish, true)
      end
    else
      if sets and task.set.named[wish.id] then
        edit_edges.refuse_twice()
      end
      look_at(task, wish)
      for _, entry in ipairs(entries) do
        text[#text + 1] = entry
      end
      for _, slot in ipairs(wish.slots) do
        slots[#slots + 1] = slot
      end
    end
  end
  edit_edges.check_slots(task, slots)
  if sets then
    task.code, task.refusal = at_least.count(task)
  end
  if wanted.least and wanted.least ~= at_least.wanted(task.inputs) then
    task.inputs, text[#text + 1] = at_least.without(task.inputs), 'least/' .. wanted.least
  end
  task.text = table.concat(text, ' ')
  if redis.call('HLEN', namespace.declare(edges.upstreams(task.id))) + #task.edges > edit_edges.MOST
    or #task.inputs + #task.text >= edit_edges.TEXT then
    reply.fail('TOOMANY', 'a task waits for ' .. edit_edges.MOST .. ' others at most')
  end
  edge_submit.require_room(task)
end

function edit_edges.refuse_twice()
  reply.fail('BADARG', 'the task waits for one of these already, in another way: end that with undepend first')
end

function edit_edges.look_at(task, wish, had)
  if redis.call('HEXISTS', namespace.declare(edges.upstreams(task.id)), wish.id) == 1 then
    return had or edit_edges.refuse_twice()
  end
  edit_edges.require_released(wish.id)
  local up = record.find(wish.id)
  if had and (not up or contract.is_final(up.status)) then
    return -- repeated after a lost reply
  elseif not up or up.queue == '' then
    edge_submit.refuse_missing(task, wish)
  end
  if not contract.is_final(up.status) then
    edit_edges.add_open(task, wish, up)
  else
    local left = edge_submit.look_at_ended(task, wish, up)
    task.edges[#task.edges + 1] = left
  end
end

-- Reads an upstream of a task that gives itself back to wait. If the upstream has not ended as needed, the task also
-- ends, as if it had already waited.
function edit_edges.look_for_child(task, wish, had)
  local up = graphs.upstream(wish.id)
  if not edges.is_over(up.status) then
    edit_edges.add_open(task, wish, up)
  elseif had and up.status == 'deleted' then
    return -- the task has already waited for it
  elseif wish.kind == 'some' then
    task.lacking = not at_least.look_at_ended(task, wish, up) and up or task.lacking
  elseif not edges.is_met(wish.kind, up.status, up.flags) then
    task.broken = task.broken or up
  end
end

function edit_edges.add_open(task, wish, up)
  namespace.probe('ZCARD', edges.dependents(up.id))
  task.edges[#task.edges + 1] = { up = up, kind = wish.kind, slots = wish.slots }
end

-- Plans that a held task is given back, and then waits for further upstreams.
function edit_edges.plan_suspension(task, wanted)
  task.key = namespace.key('task', task.id)
  namespace.declare(edges.upstreams(task.id))
  namespace.declare(edges.inputs(task.id))
  task.inputs, task.slots, task.bytes = redis.call('HGET', task.key, 'inputs') or '', 0, 0
  if wanted.some > 0 then
    task.inputs = at_least.without(string.gsub(task.inputs, ' ?some/?%d*=%S+', '')) -- the old set was satisfied
  end
  edit_edges.look(task, wanted, edit_edges.look_for_child)
  if task.code and not task.lacking then
    reply.fail(task.code, task.refusal)
  elseif task.code then
    task.broken = task.broken or task.lacking
  end
  edit_edges.refuse_circles(task)
  edit_edges.flag(task)
  if task.set and at_least.is_ready(task.set, #task.edges) then
    task.edges, task.set = {}, nil
  end
end

function edit_edges.flag(task)
  if not string.find(task.flags or '', 'w', 1, true) then
    task.flags = (task.flags or '') .. 'w'
  end
  if task.set then
    at_least.flag(task)
  end
end

-- Gives a held task back. The task waits, or is pending at once if all upstreams have ended as needed, or fails because
-- of the first upstream that has not. `...`: further fields for the record.
function edit_edges.suspend(task, wanted, why, ...)
  edit_edges.plan_suspension(task, wanted)
  if task.broken then
    local told = redis.call('HMGET', namespace.key('task', task.broken.id), 'status', 'error', 'cause')
    task.group = 'upstream'
    return fence.finish(task, 'failed', 'failed', why, 'group', 'upstream', 'cause', told[3] or task.broken.id,
      'error', edge_end.error_of(task.broken.id, told), ...)
  end
  local to = task.edges[1] and 'waiting' or 'pending'
  task.front, task.forget = true, { 'readied', 'promoted', record.attempt_fields() }
  fence.finish(task, to, 'released', why, 'inputs', edit_edges.text(task), 'flags', task.flags, 'front', '1', ...)
  edge_submit.enter({ task })
  if to == 'pending' then
    wakeups.wake(task.queue)
  end
  return 'released'
end

-- Checks that new slots follow the slots of the task. After its parameters are assembled, a task takes no more slots.
function edit_edges.check_slots(task, slots)
  if #slots > 0 and task.slots == 0 then
    reply.fail('BADARG', 'results are added only to a task that waits for results: its parameters are whole')
  end
  table.sort(slots)
  for i, slot in ipairs(slots) do
    if slot ~= task.slots + i - 1 then
      reply.fail('BADARG', 'the next slot of the task is ' .. task.slots .. ': the new ones follow without a gap')
    end
  end
  task.slots = task.slots + #slots
end

-- Fails if a new upstream waits for this task, directly or indirectly.
function edit_edges.refuse_circles(task)
  if not task.flags or not string.find(task.flags, 'd', 1, true) then
    return -- no task waits for this task
  end
  local ids, below, number = {}, {}, 0
  for _, edge in ipairs(task.edges) do
    ids[#ids + 1], below[edge.up.id] = edge.up.id, task.id
  end
  local at = 1
  while ids[at] do
    local id = ids[at]
    local key = namespace.declare(edges.upstreams(id))
    number = number + redis.call('HLEN', key)
    if at > edit_edges.TASKS or number > edit_edges.EDGES then
      reply.fail('TOOBIG', 'the new upstreams wait for over ' .. edit_edges.TASKS .. ' tasks, or in over '
        .. edit_edges.EDGES .. ' ways: too many to look for a circle. Submit a new task that waits for them')
    end
    for _, up in ipairs(redis.call('HKEYS', key)) do
      if up == task.id then
        reply.fail('CYCLE', 'these tasks would wait for one another: ' .. edit_edges.way(task.id, id, below))
      elseif not below[up] then
        ids[#ids + 1], below[up] = up, id
      end
    end
    at = at + 1
  end
end

-- Returns a circle as text: each task waits for the task before it.
function edit_edges.way(first, id, below)
  local names, number = { first }, 1
  while id ~= first do
    number = number + 1
    if number <= edit_edges.SHOWN then
      names[number] = id
    end
    id = below[id]
  end
  if number > edit_edges.SHOWN then
    names[#names + 1] = number - edit_edges.SHOWN .. ' more'
  end
  names[#names + 1] = first
  return table.concat(names, ' -> ')
end

function edit_edges.plan(task)
  if task.code then
    reply.fail(task.code, task.refusal)
  end
  edit_edges.flag(task)
  local open = redis.call('HLEN', namespace.declare(edges.upstreams(task.id))) + #task.edges
  if task.set and at_least.is_ready(task.set, open) then
    task.edges = {}
    if task.status == 'waiting' then
      task.ready = { id = task.id, task = task, set = task.set, filled = task.filled }
      edge_end.plan_ready(task.ready, task.slots, task.bytes)
      state.plan_follow(task.ready)
    end
    task.set = nil
  elseif task.edges[1] and task.status ~= 'waiting' then
    task.to, task.forget = 'waiting', { 'readied', 'promoted' }
    state.plan(task, 'waiting')
  end
end

-- Adds the planned edges. Returns the state of the task.
function edit_edges.run(task)
  redis.call('HSET', task.key, 'inputs', edit_edges.text(task), 'flags', task.flags)
  if task.to then
    state.move(task, 'waiting', 'depend', '')
  end
  if task.ready and not task.ready.joins then
    edge_end.meet(nil, task.ready)
    state.follow(task.ready)
    return task.ready.to
  end
  edge_submit.enter({ task })
  if task.ready then
    edge_end.meet(nil, task.ready)
  end
  return task.to or task.status
end

-- Returns the text of inputs without the entries of an upstream.
function edit_edges.without(text, id)
  local kept = {}
  for entry in string.gmatch(text, '%S+') do
    if string.match(entry, '=(.+)$') ~= id then
      kept[#kept + 1] = entry
    end
  end
  return table.concat(kept, ' ')
end
