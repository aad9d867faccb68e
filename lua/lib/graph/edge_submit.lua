-- Edges of a submit: the states of the upstreams are read, and the edges to the open upstreams are written.
local edge_submit = {}

-- Returns the texts of the open edges of a task to the upstreams `ups`. The text is false for an upstream without an
-- edge.
function edge_submit.among(task, ups)
  local ids = {}
  for i = 1, #ups do
    ids[i] = ups[i].id
  end
  return ids[1] and redis.call('HMGET', edges.upstreams(task.id), unpack(ids))
end

-- Plans the edges of a new task. Sets its open `edges`, and the known elements of its input: `filled`, by slot. `find`:
-- a function that returns an upstream by its id. Without `find` every task can be an upstream, and the input is joined
-- if no edge is open. `had`: the text of the inputs of earlier calls.
function edge_submit.look(task, wanted, find, had)
  task.edges = {}
  if wanted.slots > 0 or task.continues then
    task.filled, task.slots, task.bytes = {}, wanted.slots, 0
  end
  if wanted.some > 0 or wanted.least then
    local set = task.continues and at_least.has(task) and at_least.read(task.id)
    task.set = at_least.begin({ set = set, text = had }, wanted)
  end
  edge_submit.take_values(task, wanted)
  local get, before, fresh = find or record.find, task.continues and edge_submit.among(task, wanted.upstreams), {}
  local look_at = edge_submit.look_at
  for i = 1, #wanted.upstreams do
    local wish = wanted.upstreams[i]
    look_at(task, wish, get(wish.id), before and before[i], fresh)
  end
  if fresh[1] then
    edge_submit.probe_all(fresh)
  end
  if task.continues then
    edge_submit.add_known(task)
  end
  if task.slots then
    edge_submit.require_room(task)
  end
  if namespace.declared then
    namespace.declare(edges.upstreams(task.id))
    namespace.declare(edges.inputs(task.id))
  end
  if task.set then
    at_least.require(task, wanted, find)
  end
  if wanted.slots > 0 then
    task.joins = not (find or task.edges[1]) and fan_in.is_long(task.id, wanted.slots, task.bytes)
    task.parameters = (find or task.edges[1] or task.joins) and '' or (fan_in.list(task.filled, wanted.slots))
  end
end

-- Fills slots with the values in the parameters of the task.
function edge_submit.take_values(task, wanted)
  local at = 1
  for i = 1, #wanted.values do
    local slot, length = unpack(wanted.values[i])
    local text = string.sub(task.parameters, at, at + length - 1)
    if #text < length or not json.decodes(text) then
      reply.fail('BADARG', 'the value of slot ' .. slot .. ' must be JSON, as long as the inputs say')
    end
    task.filled[slot], at, task.bytes = text, at + length, task.bytes + length
  end
  if wanted.slots > 0 and at <= #task.parameters then
    reply.fail('BADARG', 'the parameters must be the values of the inputs, nothing else')
  end
end

-- Plans the edge to an upstream. `earlier`: the text of the edge that an earlier call made. Adds the key of the
-- upstream's dependents to `fresh`, unless the key is there already.
function edge_submit.look_at(task, wish, up, earlier, fresh)
  if wish.id == task.id then
    reply.fail('BADARG', 'a task cannot wait for itself')
  elseif not up or up.queue == '' then
    edge_submit.refuse_missing(task, wish)
  elseif earlier and edge_submit.differ(wish.kind, string.match(earlier, '^%l+')) then
    reply.fail('BADARG', edge_submit.place(task, wish) .. 'an earlier call has it wait for ' .. wish.id
      .. ' in another way: say the same each time')
  end
  local named, edge = wish.kind == 'some' and task.set.named[wish.id], nil
  if (up.status == 'staged' or not contract.is_final(up.status)) and (earlier or not named) then
    if not earlier and task.waited_for ~= 0 then
      edge_submit.require_free(task)
    end
    if up.spec and not up.flagged then
      up.flags, up.flagged = up.flags .. 'd', true -- its record is not written yet
    end
    edge = { up = up, kind = wish.kind, slots = wish.slots, known = earlier }
    if not up.probed then
      fresh[#fresh + 1], up.probed = namespace.prefix .. 'dependents_' .. up.id, true
    end
  elseif not (named and earlier) then -- otherwise the task is notified of this end later
    if earlier then
      wish = edge_submit.added_slots(wish, earlier) -- the slots that the edge has get the result later
    end
    edge = edge_submit.look_at_ended(task, wish, up, named)
  end
  if edge and earlier then
    edge_submit.add_slots(edge.slots, earlier)
    edge.known = earlier
  end
  task.edges[#task.edges + 1] = edge
end

-- Adds the input that earlier calls brought.
function edge_submit.add_known(task)
  local slots, bytes = edges.input_size(task.id)
  task.had, task.slots, task.bytes = bytes, math.max(task.slots, slots or 0), task.bytes + bytes
  for slot in pairs(task.filled) do
    -- an earlier call filled this slot
    task.bytes = task.bytes - #(redis.call('HGET', edges.inputs(task.id), slot) or '')
  end
end

-- Adds the slots in the text of an edge to the list `slots`, without duplicates.
function edge_submit.add_slots(slots, edge)
  local own = ',' .. table.concat(slots, ',') .. ','
  for _, slot in ipairs(edges.slots(string.match(edge, '/(.*)$'))) do
    if not string.find(own, ',' .. slot .. ',', 1, true) then
      slots[#slots + 1] = slot
    end
  end
end

-- Returns a copy of a wish without the slots that the text of an edge already has.
function edge_submit.added_slots(wish, edge)
  local known, slots = ',' .. (string.match(edge, '/(.*)$') or '') .. ',', {}
  for _, slot in ipairs(wish.slots) do
    if not string.find(known, ',' .. slot .. ',', 1, true) then
      slots[#slots + 1] = slot
    end
  end
  return { id = wish.id, kind = wish.kind, slots = slots, said = wish.slots }
end

-- Returns true if two calls name an upstream with contradictory kinds: `some` or `optional`, and another kind.
-- `success` and `result` do not contradict each other, because a result includes the success.
function edge_submit.differ(kind, other)
  return kind ~= other and (kind == 'some' or other == 'some' or kind == 'optional' or other == 'optional')
end

-- Checks that keys are zsets, if they exist. Nearly always no key exists, which a single command finds out.
function edge_submit.probe_all(keys)
  for i = 1, #keys do
    if namespace.declared then
      namespace.declare(keys[i])
    end
  end
  if redis.call('EXISTS', unpack(keys)) > 0 then
    for i = 1, #keys do
      redis.call('ZCARD', keys[i])
    end
  end
end

-- Returns the name of the task and the document field of an edge, for error messages.
function edge_submit.place(task, wish)
  local fields = { success = 'needs', after = 'after', failure = 'after_failure', some = 'at_least' }
  local slot = (wish.said or wish.slots)[1]
  local field = slot and 'args[' .. slot .. ']' or fields[wish.kind]
  return 'task ' .. task.id .. (task.label and ' "' .. task.label .. '"' or '') .. ', ' .. field .. ': '
end

function edge_submit.refuse_missing(task, wish)
  namespace.check_slot(namespace.key('task', wish.id))
  reply.fail('NOTASK', edge_submit.place(task, wish) .. 'no task has the id ' .. wish.id
    .. ': it was never submitted, or was deleted, or removed by retention')
end

-- Plans the effect of an upstream that has ended: its result fills slots of the task, or the task is refused. Returns
-- an edge if the result is too long for this call: then the upstream reports its end again. `named`: the upstream
-- belongs to a set and is counted already.
function edge_submit.look_at_ended(task, wish, up, named)
  local length = wish.slots[1] and up.status == 'complete' and redis.call('HSTRLEN', up.key, 'result')
  if length and not fan_in.may_read(length) then
    if task.continues and redis.call('HEXISTS', edges.inputs(task.id), wish.slots[1]) == 1 then
      return -- an earlier call has read it
    end
    namespace.probe('ZCARD', edges.dependents(up.id))
    namespace.probe('ZCARD', edges.deferred())
    return { up = up, kind = wish.kind, slots = wish.slots, asks = true }
  elseif wish.kind == 'some' and not at_least.look_at_ended(task, wish, up, named) then
    return
  elseif not edges.is_met(wish.kind, up.status, up.flags, task.queue) then
    reply.fail('UPSTREAM', edge_submit.place(task, wish) .. wish.id .. ' is ' .. graphs.outcome(up.status, up.flags)
      .. ', so this task would never run: retry that one first')
  elseif wish.slots[1] then
    local result = edges.result_of(up)
    if not json.decodes(result) then
      reply.fail('UPSTREAM', edge_submit.place(task, wish) .. 'the result of ' .. wish.id .. ' is not JSON')
    end
    for _, slot in ipairs(wish.slots) do
      task.filled[slot], task.bytes = result, task.bytes + #result
    end
  end
end

function edge_submit.require_room(task)
  local over = edges.over(task.queue, task.bytes)
  if over then
    reply.fail('TOOBIG', 'the inputs of the task are ' .. over)
  end
end

-- Fails if tasks already wait for this id, because the new task may wait for one of them.
function edge_submit.require_free(task)
  task.waited_for = task.waited_for or edges.waiting(task.id)
  if task.waited_for > 0 then
    reply.fail('BADARG', 'tasks wait for one of this id already: give it another id, or let it wait for nothing')
  end
end

-- Writes the edges of tasks that begin to wait, or of staged tasks of a graph. The end of an earlier task ignores its
-- edges to staged tasks until the whole graph is released.
function edge_submit.enter(tasks, graph)
  -- `own` has the edges of one task at a time. `waits`: the upstreams of all tasks, each with its new dependents in
  -- `waiting`.
  local own, waits, number, prefix, now = {}, {}, 0, namespace.prefix, namespace.now
  local flag, since_of = edges.flag, edges.since
  for t = 1, #tasks do
    local task, n = tasks[t], 0
    for i = 1, task.edges and #task.edges or 0 do
      local edge = task.edges[i]
      local up = edge.up
      local outside = graph and up.status ~= 'staged'
      local kind = edge.missed and edge.kind .. task.set.turn or edge.kind
      local since = outside and '-inf' or edge.missed and 'inf' or since_of(task.id)
      own[n + 1], own[n + 2] = up.id, edge.slots[1] and kind .. '/' .. table.concat(edge.slots, ',') or kind
      n = n + 2
      local waiting = up.waiting
      if waiting then
        waiting[#waiting + 1], waiting[#waiting + 2] = since, task.id
      else
        number, up.waiting = number + 1, { since, task.id }
        waits[number] = up
      end
      if outside and not edge.known then
        redis.call('RPUSH', graphs.outside(graph), up.id .. ' ' .. task.id)
      elseif edge.asks then
        redis.call('ZADD', edges.deferred(), now, up.id)
      end
    end
    if n > 0 then
      redis.call('HSET', prefix .. 'upstreams_' .. task.id, unpack(own, 1, n))
    end
    if (task.slots or 0) > 0 then
      local known = { 'slots', task.slots, 'bytes', task.bytes }
      for slot, text in pairs(task.filled) do
        known[#known + 1], known[#known + 2] = slot, text
      end
      redis.call('HSET', edges.inputs(task.id), unpack(known))
    end
    if task.set then
      at_least.write(task.id, task.set)
    end
  end
  for i = 1, number do
    local up = waits[i]
    redis.call('ZADD', prefix .. 'dependents_' .. up.id, unpack(up.waiting))
    up.waiting = nil
    if not up.flagged then
      flag(up)
    end
  end
end
