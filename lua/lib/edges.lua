-- Edges of task graphs: what a task waits for (`upstreams_ID`), who waits for a task (`dependents_ID`), and the results
-- that have come so far (`inputs_ID`).
--
-- An open edge is in both keys. The end of the upstream settles it: if it is met, both entries go; if it is broken,
-- the dependent ends too, and the edge stays, with a negative score in `dependents_ID`, as do those of other tasks that
-- have ended: a retry looks at them again. In a graph that holds what needs a failed task, the dependent goes on
-- waiting, and the edge has an infinite score: it is open again when that task is retried.
local edges = {}

-- Edges that the end of a task settles in its own call. More are left to `settle`.
edges.INLINE = 100

-- Bytes of results that one call copies to dependents, and that one looks at which ends attempts.
edges.COPIES = 1048576
edges.AT_END = 262144

-- Edges that a retry looks at in its own call. More are left to `settle`.
edges.RETRIED = 300

-- Whether this call has made a task pending.
edges.readied = false

-- Bytes of the error of an upstream in that of its dependents.
edges.ERROR = 256

-- The last task for which `edges.since` was called.
edges.waiter = ''

-- Number of tasks for which `edges.since` was called earlier.
edges.earlier = -1

function edges.upstreams(id)
  return namespace.prefix .. 'upstreams_' .. id
end

function edges.dependents(id)
  return namespace.prefix .. 'dependents_' .. id
end

function edges.inputs(id)
  return namespace.prefix .. 'inputs_' .. id
end

-- Returns the time at which a task begins to wait. Tasks of one call get times a microsecond apart, which keeps the
-- dependents of a task in order.
function edges.since(id)
  if id ~= edges.waiter then
    edges.waiter, edges.earlier = id, edges.earlier + 1
  end
  return edges.earlier == 0 and namespace.now or namespace.decimal(namespace.now_us + edges.earlier)
end

-- Ended tasks whose dependents are not all settled, by the time of their end.
function edges.unsettled()
  return namespace.prefix .. 'unsettled'
end

-- How many upstreams a task still waits for, and one of them, if there is any.
function edges.open(id, ties)
  local key = edges.upstreams(id)
  local open = redis.call('HLEN', key)
  if ties and string.find(ties, 'k', 1, true) then
    return quorum.open(id, open)
  end
  return open, redis.call('HSCAN', key, '0', 'COUNT', 1)[2][1]
end

-- An upstream that has failed or was cancelled and is waited for all the same, or nil. Of very many the first ones are
-- looked at.
function edges.holding(id)
  local found = redis.call('HSCAN', edges.upstreams(id), '0', 'COUNT', edges.INLINE)[2]
  for i = 1, math.min(#found, 2 * edges.INLINE), 2 do
    if string.match(found[i + 1], '^%l+') ~= 'some' and redis.call('ZSCORE', edges.dependents(found[i]), id) == 'inf'
      and contract.is_final(redis.call('HGET', namespace.key('task', found[i]), 'status')) then
      return found[i]
    end
  end
end

-- Checks a text of inputs. Returns the upstreams, each with its `kind` and the slots of its result; the lengths of the
-- values by their slots; the number of slots; and the text without the values. `partial`: further calls may bring other
-- slots. `known`: ids that were checked, and `start`, what others often begin with.
function edges.parse(text, what, partial, known, start)
  local alone, only = string.match(text, '^(%l+)=([^= ]+)$') -- as most tasks have it
  if (alone == 'success' or alone == 'after' or alone == 'failure' or alone == 'some')
    and (known and known[only] or #only <= contract.NAME_HIGH
    and string.find(only, args.PLAIN, start and string.sub(only, 1, #start) == start and #start + 1 or 1)) then
    return { upstreams = { { id = only, kind = alone, slots = {} } }, values = {}, slots = 0, text = text,
      some = alone == 'some' and 1 or 0 }
  end
  local found = { upstreams = nil, values = {}, slots = 0, text = text, some = 0, least = nil }
  local number, ups, by_id, taken, highest, from = 0, nil, nil, nil, -1, 1
  repeat
    local till, at = string.find(text, ' ', from, true) or #text + 1, string.find(text, '=', from, true)
    local kind, rest, slot = string.sub(text, from, (at or 0) - 1), string.sub(text, (at or 0) + 1, till - 1), nil
    local least
    if kind ~= 'success' and kind ~= 'after' and kind ~= 'failure' and kind ~= 'some' then
      kind, slot = string.match(kind, '^(%l+)/(%d%d?%d?%d?)$')
    end
    if not at or at > till then
      least = not found.least and string.match(string.sub(text, from, till - 1), '^least/(%d%d?%d?%d?%d?)$')
      slot, kind = nil, least and 'least'
    end
    if not kind or not least and (rest == '' or slot and kind ~= 'result' and kind ~= 'value' and kind ~= 'some'
      and kind ~= 'optional') then
      reply.fail('BADARG', what .. ' must be entries like success=ID, after=ID, failure=ID, some=ID, least/NUMBER,'
        .. ' result/SLOT=ID, optional/SLOT=ID and value/SLOT=BYTES, separated by spaces')
    end
    if slot then
      slot = tonumber(slot)
      taken = taken or {}
      if taken[slot] then
        reply.fail('BADARG', what .. ' must give each slot once')
      end
      taken[slot], highest, found.slots = true, math.max(highest, slot), found.slots + 1
    end
    if least then
      found.least = args.integer(least, 1, contract.GRAPH_SIZE_HIGH, what)
    elseif kind == 'value' then
      found.values[#found.values + 1] = { slot, args.integer(rest, 0, contract.PAYLOAD_HIGH, what) }
    else
      if not (known and known[rest]) then
        local begin = start and string.sub(rest, 1, #start) == start and #start + 1 or 1
        if #rest > contract.NAME_HIGH or not string.find(rest, args.PLAIN, begin) then
          args.plain(rest, what)
        end
      end
      by_id = by_id or ups and { [ups[1].id] = ups[1] } -- one alone needs none
      local up = by_id and by_id[rest]
      if up and not (slot and up.kind == kind and up.slots[1]) then
        reply.fail('BADARG', what .. ' must name each upstream once, or several times for its result')
      elseif up then
        up.slots[#up.slots + 1] = slot
      else
        up, number = { id = rest, kind = kind, slots = slot and { slot } or {} }, number + 1
        if kind == 'some' then
          found.some = found.some + 1
        end
        if ups then
          ups[number], by_id[rest] = up, up
        else
          ups = { up }
        end
      end
    end
    from = till + 1
  until till > #text
  found.upstreams = ups or {}
  if found.values[1] then
    found.text = string.sub(string.gsub(' ' .. text, ' value/%d+=%d+', ''), 2)
  end
  if partial then
    found.slots = highest + 1
  end
  if highest + 1 ~= found.slots then
    reply.fail('BADARG', what .. ' must give the slots from 0 on without a gap')
  elseif number == 0 and not (partial and found.least) or number + #found.values > contract.EDGES_HIGH then
    reply.fail('BADARG', what .. ' must name 1 to ' .. contract.EDGES_HIGH .. ' upstreams and values')
  elseif not partial and (found.least or 0) > found.some then
    reply.fail('BADARG', what .. ' must have as many upstreams with some as least/NUMBER says, or more')
  end
  return found
end

-- The slots in the text of an edge, `0,2`.
function edges.slots(text)
  local slots = {}
  for slot in string.gmatch(text or '', '%d+') do
    slots[#slots + 1] = tonumber(slot)
  end
  return slots
end

-- What an upstream that ended so means for an edge of this kind.
function edges.is_met(kind, to)
  if kind == 'after' or kind == 'optional' then
    return true
  end
  return (kind == 'failure') ~= (to == 'complete')
end

-- Whether a task that needs the success of one that ended so can still wait for a retry of that one.
function edges.is_repairable(kind, to)
  return edges.needs_success(kind) and (to == 'failed' or to == 'cancelled')
end

-- Whether a task with an edge of this kind fails without the success of the upstream.
function edges.needs_success(kind)
  return kind == 'success' or kind == 'result' or kind == 'some'
end

-- Whether an edge of this kind is a reason for the upstream to run. One that is optional takes its result, if there is
-- one, and `null` otherwise.
function edges.wants(kind)
  return kind == 'optional' or edges.needs_success(kind)
end

-- The result of a task that has ended as an element of a JSON list: only a complete one has any.
function edges.result_of(up)
  return edges.element(up.status == 'complete' and redis.call('HGET', up.key, 'result') or '')
end

-- A result as an element of a JSON list.
function edges.element(result)
  return result == '' and 'null' or result
end

-- The open edges of a task to some upstreams, each as text, or false.
function edges.among(task, ups)
  local ids = {}
  for i = 1, #ups do
    ids[i] = ups[i].id
  end
  return ids[1] and redis.call('HMGET', edges.upstreams(task.id), unpack(ids))
end

-- Reads what a new task waits for. Sets its open `edges`, and what is known of its input: `filled`, by slot. `find`
-- finds an upstream; without it every task may be one, and the input is joined if nothing is open. `had`: the text of
-- the inputs that earlier calls brought.
function edges.look(task, wanted, find, had)
  local open, at = nil, 1
  if wanted.slots > 0 or task.continues then
    task.filled, task.slots, task.bytes = {}, wanted.slots, 0
  end
  if wanted.some > 0 or wanted.least then
    local set = task.continues and quorum.has(task) and quorum.read(task.id)
    task.set, open = quorum.begin({ set = set, text = had }, wanted), {}
    task.edges = open
  end
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
  local get, before = find or record.find, task.continues and edges.among(task, wanted.upstreams)
  local dependents, fresh = namespace.prefix .. 'dependents_', nil
  for i = 1, #wanted.upstreams do
    local wish = wanted.upstreams[i]
    if wish.id == task.id then
      reply.fail('BADARG', 'a task cannot wait for itself')
    end
    local up = get(wish.id)
    if not up or up.queue == '' then
      edges.refuse_missing(task, wish)
    end
    local earlier = before and before[i]
    if earlier and edges.differ(wish.kind, string.match(earlier, '^%l+')) then
      reply.fail('BADARG', edges.place(task, wish) .. 'an earlier call has it wait for ' .. wish.id
        .. ' in another way: say the same each time')
    end
    local named = wish.kind == 'some' and task.set.named[wish.id]
    if (up.status == 'staged' or not contract.is_final(up.status)) and not (named and not earlier) then
      if not earlier then
        if task.waited_for ~= 0 then
          edges.require_free(task)
        end
      else
        edges.add_slots(wish.slots, earlier)
      end
      local edge = { up = up, kind = wish.kind, slots = wish.slots, known = earlier }
      if open then
        open[#open + 1] = edge
      else
        open = { edge }
      end
      if not up.probed then
        fresh = fresh or {}
        fresh[#fresh + 1], up.probed = dependents .. up.id, true
      end
    elseif not (named and earlier) then -- else its end is yet to be told
      if earlier then
        wish = edges.further(wish, earlier) -- so it is of the slots that the edge has
      end
      local left = edges.look_at_ended(task, wish, up, named)
      if left then
        if earlier then
          edges.add_slots(left.slots, earlier)
          left.known = earlier
        end
        open = open or {}
        open[#open + 1] = left
      end
    end
  end
  task.edges = open or {}
  if fresh then
    edges.probe_all(fresh)
  end
  if task.continues then
    local known = redis.call('HMGET', edges.inputs(task.id), 'slots', 'bytes')
    task.had = tonumber(known[2] or 0)
    task.slots, task.bytes = math.max(task.slots, tonumber(known[1] or 0)), task.bytes + task.had
    for slot in pairs(task.filled) do
      -- it was given before
      task.bytes = task.bytes - #(redis.call('HGET', edges.inputs(task.id), slot) or '')
    end
  end
  if task.slots then
    edges.require_room(task)
  end
  if namespace.declared then
    namespace.declare(edges.upstreams(task.id))
    namespace.declare(edges.inputs(task.id))
  end
  if task.set then
    quorum.require(task, wanted, find)
  end
  if wanted.slots > 0 then
    task.joins = not (find or task.edges[1]) and joins.is_long(task.id, wanted.slots, task.bytes)
    task.parameters = (find or task.edges[1] or task.joins) and '' or (joins.list(task.filled, wanted.slots))
  end
end

-- Adds the slots of an edge, given as text, to those that do not have them.
function edges.add_slots(slots, edge)
  local own = ',' .. table.concat(slots, ',') .. ','
  for _, slot in ipairs(edges.slots(string.match(edge, '/(.*)$'))) do
    if not string.find(own, ',' .. slot .. ',', 1, true) then
      slots[#slots + 1] = slot
    end
  end
end

-- The same wish without the slots that an edge, given as text, has already.
function edges.further(wish, edge)
  local known, slots = ',' .. (string.match(edge, '/(.*)$') or '') .. ',', {}
  for _, slot in ipairs(wish.slots) do
    if not string.find(known, ',' .. slot .. ',', 1, true) then
      slots[#slots + 1] = slot
    end
  end
  return { id = wish.id, kind = wish.kind, slots = slots, said = wish.slots }
end

-- Whether two calls that name an upstream contradict each other: a success is a part of a result.
function edges.differ(kind, other)
  return kind ~= other and (kind == 'some' or other == 'some' or kind == 'optional' or other == 'optional')
end

-- Reads the types of keys that may be zsets. Nearly always none of them exists: that is one question for all.
function edges.probe_all(keys)
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

-- Where it stands for whom a task waits, for a message: for a task of a graph its name and the field of a document.
function edges.place(task, wish)
  local fields = { success = 'needs', after = 'after', failure = 'after_failure', some = 'at_least' }
  local slot = (wish.said or wish.slots)[1]
  local field = slot and 'args[' .. slot .. ']' or fields[wish.kind]
  return 'task ' .. task.id .. (task.label and ' "' .. task.label .. '"' or '') .. ', ' .. field .. ': '
end

function edges.refuse_missing(task, wish)
  namespace.check_slot(namespace.key('task', wish.id))
  reply.fail('NOTASK', edges.place(task, wish) .. 'no task has the id ' .. wish.id
    .. ': it was never submitted, or was deleted, or removed by retention')
end

-- Reads what an upstream that has ended means: its result fills slots of the task, or the task is refused. Returns an
-- edge if this call does not read the result: then that one is asked to tell it. `named`: it is of a set, and counts
-- already.
function edges.look_at_ended(task, wish, up, named)
  local length = wish.slots[1] and up.status == 'complete' and redis.call('HSTRLEN', up.key, 'result')
  if length and not joins.may_read(length) then
    if task.continues and redis.call('HEXISTS', edges.inputs(task.id), wish.slots[1]) == 1 then
      return -- an earlier call has read it
    end
    namespace.probe('ZCARD', edges.dependents(up.id))
    namespace.probe('ZCARD', edges.unsettled())
    return { up = up, kind = wish.kind, slots = wish.slots, asks = true }
  elseif wish.kind == 'some' and not quorum.look_at_ended(task, wish, up, named) then
    return
  elseif not edges.is_met(wish.kind, up.status) then
    reply.fail('UPSTREAM', edges.place(task, wish) .. wish.id .. ' is ' .. up.status
      .. ', so this task would never run: retry that one first')
  elseif wish.slots[1] then
    local result = edges.result_of(up)
    if not json.decodes(result) then
      reply.fail('UPSTREAM', edges.place(task, wish) .. 'the result of ' .. wish.id .. ' is not JSON')
    end
    for _, slot in ipairs(wish.slots) do
      task.filled[slot], task.bytes = result, task.bytes + #result
    end
  end
end

function edges.require_room(task)
  local over = edges.over(task.queue, task.bytes)
  if over then
    reply.fail('TOOBIG', 'the inputs of the task are ' .. over)
  end
end

-- What is said of results and values that are too much for the parameters of a task of this queue, or nil. As many as
-- every setting allows need no look at it.
function edges.over(queue, bytes)
  local most = bytes > contract.INPUT_SIZE_LOW and settings.get(queue, 'input_bytes')
  if most and bytes > tonumber(most) then
    return 'over ' .. most .. ' bytes, the setting input_bytes'
  end
end

-- Notes in the record of a task that others wait for it: else its end does not look for them.
function edges.tie(up)
  if not string.find(up.ties or '', 'd', 1, true) then
    up.ties = (up.ties or '') .. 'd'
    redis.call('HSET', up.key, 'ties', up.ties)
  end
end

-- How many tasks wait for this one, and how many of these are no tasks of a graph that is not released.
function edges.waiting(id)
  local key = namespace.declare(edges.dependents(id))
  local waiting, staged = redis.call('ZCOUNT', key, '(0', '+inf'), redis.call('ZCOUNT', key, '-inf', '-inf')
  return waiting + staged, waiting
end

-- Fails if others wait for a task of this id already: it might wait for one of those.
function edges.require_free(task)
  task.waited_for = task.waited_for or edges.waiting(task.id)
  if task.waited_for > 0 then
    reply.fail('BADARG', 'tasks wait for one of this id already: give it another id, or let it wait for nothing')
  end
end

-- Whether a complete task is to be kept, as not all that wait for it have its result; and whether some of these have
-- yet to be told of its end.
function edges.is_needed(task)
  if task.status ~= 'complete' or not task.ties or not string.find(task.ties, 'd', 1, true) then
    return false
  end
  local all, waiting = edges.waiting(task.id)
  return all > 0, waiting > 0
end

-- Writes the edges of tasks that begin to wait, or of staged ones of a graph: those are seen by the ends of earlier
-- tasks only when all of the graph is released.
function edges.enter(tasks, graph)
  -- One table has the edges of each task in turn. `waits`: those whose upstreams others of the call wait for, too.
  local own, waits, number, prefix, now = {}, {}, 0, namespace.prefix, namespace.now
  local tie, since_of = edges.tie, edges.since
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
        redis.call('ZADD', edges.unsettled(), now, up.id)
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
      quorum.write(task.id, task.set)
    end
  end
  for i = 1, number do
    local up = waits[i]
    redis.call('ZADD', prefix .. 'dependents_' .. up.id, unpack(up.waiting))
    up.waiting = nil
    if not up.tied then
      tie(up)
    end
  end
end

-- Reads what the end of a task does to its dependents. `task.result`: its result, if it is complete.
function edges.plan_end(task, to)
  local key = namespace.declare(edges.dependents(task.id))
  local ids = redis.call('ZRANGEBYSCORE', key, '(0', '+inf', 'LIMIT', 0, edges.INLINE + 1 + (task.knowing or 0))
  local number = #ids - (task.knowing or 0)
  if number <= 0 then
    return
  elseif task.later or number > edges.INLINE or edges.is_much(task.id, ids, #(task.result or ''))
    or to ~= 'complete' and task.graph and graphs.runs_anew(task.graph, task.id) then
    namespace.probe('ZCARD', edges.unsettled())
    task.unsettled = true
    return
  end
  edges.plan_page(task, to, ids)
end

-- Whether the call that ends an attempt leaves it to `settle` to pass its result on: these dependents, or others of the
-- same call, get too much.
function edges.is_much(id, ids, length)
  local told = namespace.shared('told')
  local looked, copied = (told.looked or 0) + length, (told.copied or 0) + #ids * length
  if length <= json.SHORT and looked <= edges.AT_END and copied <= edges.COPIES then
    told.looked, told.copied = looked, copied
    return false
  end
  for _, other in ipairs(ids) do
    if string.find(redis.call('HGET', edges.upstreams(other), id) or '', '/', 1, true) then
      return true -- others need no more than its end
    end
  end
  return false
end

-- The next dependents that have yet to learn of the end of a task. What a failed one holds knows of it.
function edges.untold(id, to, limit)
  local most = (to == 'failed' or to == 'cancelled') and '(inf' or 'inf'
  return redis.call('ZRANGEBYSCORE', namespace.declare(edges.dependents(id)), '(0', most, 'LIMIT', 0, limit)
end

-- Finds what is kept of the edges of a task that is deleted. Its dependents are told before their index goes.
function edges.plan_removal(task)
  local dependents = namespace.declare(edges.dependents(task.id))
  task.edge_keys = { namespace.declare(edges.upstreams(task.id)), namespace.declare(edges.inputs(task.id)),
    namespace.declare(joins.key(task.id)) }
  local all, waiting = edges.waiting(task.id)
  if all == 0 then
    task.edge_keys[4] = dependents
  elseif waiting > 0 and contract.is_final(task.status) then
    namespace.probe('ZCARD', edges.unsettled())
    task.unsettled = true -- those that it held, or that have yet to learn of its end
  end
end

-- Reads what the end of a task does to some of its dependents.
function edges.plan_page(task, to, ids)
  task.dependents = {}
  for i, id in ipairs(ids) do
    task.dependents[i] = edges.plan_one(task, to, id)
  end
end

function edges.plan_one(up, to, id)
  local task = record.find(id, edges.fields())
  local key = namespace.declare(edges.upstreams(id))
  local kind, mark, slots = string.match(redis.call('HGET', key, up.id) or '', '^(%l+)(%d*)/?(.*)$')
  local plan = { id = id, met = not kind or edges.is_met(kind, to) }
  if not task or task.status ~= 'waiting' or not kind then
    plan.kept = task and kind and contract.is_final(task.status) -- it may be retried
    plan.staged = not task and kind and redis.call('HGET', namespace.key('task', id), 'graph')
    if plan.staged then
      up.awaited = true
      namespace.probe('ZCARD', edges.unsettled())
      namespace.declare(graphs.outside(plan.staged))
    end
    return plan
  end
  if quorum.has(task) then
    plan.set = quorum.read(id)
  end
  if kind == 'some' then
    quorum.plan_end(plan, task, up, to, mark, slots)
    if plan.missed then
      return plan
    end
  elseif not plan.met and edges.is_repairable(kind, to) and graphs.on_failure(task.extra[5]) == 'hold' then
    plan.held = true
    return plan
  end
  plan.task = task
  task.later = true -- whoever waits for it is left to `settle`: the chain may be long
  if not plan.met then
    plan.to, task.group, task.broken = kind == 'failure' and 'cancelled' or 'failed', 'upstream', true
    state.plan(task, plan.to)
    return plan
  end
  local open = redis.call('HLEN', key)
  plan.last = plan.ready or open == 1
  if plan.set and not plan.ready then
    plan.last = quorum.is_ready(plan.set, open - 1)
  end
  local own = namespace.declare(edges.inputs(id))
  local known = (plan.last or slots ~= '') and redis.call('HMGET', own, 'slots', 'bytes')
  if slots ~= '' and not plan.ready then
    edges.plan_input(plan, up, to, slots, tonumber(known[2] or 0))
  end
  if plan.wrong then
    state.plan(task, plan.to)
  elseif plan.last then
    edges.plan_ready(plan, tonumber(known[1] or 0), plan.bytes or tonumber(known[2] or 0))
  end
  return plan
end

-- The fields of the record that decide how a task is ready.
function edges.fields()
  return 'eta', 'front', 'ended', 'retry_eta', 'graph'
end

-- Reads how a task is ready. `slots`: how many its input has; `bytes`: those of its results.
function edges.plan_ready(plan, slots, bytes)
  local task = plan.task
  plan.joins = joins.is_long(plan.id, slots, bytes)
  if plan.joins then
    return
  end
  local eta, front, ended, retry_eta = unpack(task.extra, 1, 4)
  plan.to = tonumber(eta or 0) * 1000000 > namespace.now_us and 'scheduled' or 'pending'
  task.eta = eta
  if plan.to == 'pending' then
    task.front, task.turn = front and true, front and tonumber(ended) -- it had its turn then
    task.forget = retry_eta and { 'eta', 'retry_eta' } or nil
  end
  if slots > 0 then
    plan.joined, plan.lengths = joins.list(joins.collect(edges.inputs(plan.id), slots, plan), slots)
  end
  state.plan(task, plan.to)
end

-- Reads what the end of its upstream adds to the input of a task: its result, or `null` if it is not complete.
function edges.plan_input(plan, up, to, slots, bytes)
  local result = to == 'complete' and up.result or ''
  plan.slots, plan.text = edges.slots(slots), edges.element(result)
  plan.bytes = bytes + #plan.text * #plan.slots
  if up.json == nil then
    up.json = result == '' or json.decodes(result)
  end
  local over = edges.over(plan.task.queue, plan.bytes)
  if not up.json then
    plan.wrong = 'is not JSON'
  elseif over then
    plan.wrong = 'brings the inputs of this task ' .. over
  elseif graphs.counted(#plan.text) > 0 and plan.task.extra[5] then
    plan.graph, plan.grows = plan.task.extra[5], #plan.text * #plan.slots
    if not graphs.has_room(plan.graph, plan.grows) then
      plan.wrong = 'brings the inputs of its graph over ' .. graphs.most() .. ' bytes, the setting graph_bytes'
    end
  end
  if plan.wrong then
    plan.to, plan.task.group, plan.task.broken = 'failed', 'input', true
  end
end

-- Makes what `plan_end` has planned. The task has ended.
function edges.settle(task)
  if task.unsettled then
    redis.call('ZADD', edges.unsettled(), namespace.now, task.id)
  end
  if task.cascades then
    redis.call('HSET', task.key or namespace.key('task', task.id), 'cascade', '0')
  end
  local told
  for _, plan in ipairs(task.dependents or {}) do
    if plan.kept then
      redis.call('ZADD', edges.dependents(task.id), '-' .. namespace.now, plan.id)
    elseif plan.staged then
      edges.postpone(task, plan)
    elseif plan.held then
      redis.call('ZADD', edges.dependents(task.id), 'inf', plan.id)
    elseif plan.missed then
      quorum.miss(task, plan)
    elseif plan.task and not plan.met then
      told = told or redis.call('HMGET', task.key or namespace.key('task', task.id), 'status', 'error', 'cause')
      edges.fail_with(task, plan, told)
    elseif plan.wrong then
      redis.call('ZADD', edges.dependents(task.id), '-' .. namespace.now, plan.id)
      state.move(plan.task, 'failed', 'input', '', 'cause', task.id, 'group', 'input',
        'error', 'the result of ' .. task.id .. ' ' .. plan.wrong)
    else
      edges.meet(task, plan)
    end
  end
end

-- Defers the notification of a dependent that is not released yet: the release of its graph looks at the edge again.
function edges.postpone(up, plan)
  if not up.is_settled then
    redis.call('ZADD', edges.unsettled(), namespace.now, up.id)
    return
  end
  redis.call('ZADD', edges.dependents(up.id), '-inf', plan.id)
  redis.call('RPUSH', graphs.outside(plan.staged), up.id .. ' ' .. plan.id)
end

-- Ends a task whose upstream ended otherwise than it needs. `told`: status, error and cause of that one.
function edges.fail_with(up, plan, told)
  local cause = told[3] or up.id
  redis.call('ZADD', edges.dependents(up.id), '-' .. namespace.now, plan.id)
  if plan.to == 'cancelled' then
    state.move(plan.task, 'cancelled', 'upstream', '', 'cause', cause,
      'reason', 'not needed: ' .. up.id .. ' is complete')
    return
  end
  state.move(plan.task, 'failed', 'upstream', '', 'cause', cause, 'group', 'upstream',
    'error', (plan.short and quorum.SHORT or '') .. edges.error_of(up.id, told))
end

-- The error of a task that ends with its upstream. `told`: status, error and cause of that one.
function edges.error_of(id, told)
  local status = told[1] or 'deleted'
  local text = id .. (status == 'failed' and ' failed' or ' was ' .. status)
  if told[3] then -- it did not fail by itself: its error names the cause
    return told[2] or text
  elseif told[2] and told[2] ~= '' then
    return text .. ': ' .. string.sub(told[2], 1, edges.ERROR)
  end
  return text
end

-- Elements that nothing will fill.
function edges.fill(id, slots)
  for _, slot in ipairs(slots) do
    redis.call('HSET', edges.inputs(id), slot, 'null')
  end
  if slots[1] then
    redis.call('HINCRBY', edges.inputs(id), 'bytes', 4 * #slots)
  end
end

-- Removes an edge that is met, if `up` is given; the last one makes the task ready.
function edges.meet(up, plan)
  if up then
    redis.call('ZREM', edges.dependents(up.id), plan.id)
    redis.call('HDEL', edges.upstreams(plan.id), up.id)
  end
  if plan.grows then
    redis.call('HINCRBY', graphs.key(plan.graph), 'bytes', plan.grows)
  end
  if not plan.task then
    return
  elseif plan.set and plan.to then
    quorum.drop(plan.id)
  elseif plan.set and not plan.joins then
    quorum.write(plan.id, plan.set)
  end
  if plan.joined then
    redis.call('UNLINK', edges.inputs(plan.id))
    state.move(plan.task, plan.to, 'ready', '', 'readied', state.time(plan.task), 'parameters', plan.joined,
      'slots', plan.lengths)
  elseif plan.to then
    state.move(plan.task, plan.to, 'ready', '', 'readied', state.time(plan.task))
  elseif plan.slots then
    for _, slot in ipairs(plan.slots) do
      redis.call('HSET', edges.inputs(plan.id), slot, plan.text)
    end
    redis.call('HSET', edges.inputs(plan.id), 'bytes', plan.bytes)
  end
  if plan.joins then
    joins.begin(plan.id)
  end
  if plan.to == 'pending' then
    edges.readied = true
    state.wake(plan.task.queue)
  end
end

-- Looks again at what a task waited for that is to run once more. Sets `again_edges`, with the state in which it
-- begins, or returns the code and text of a refusal. `spec.begun`: others that the same step lets run again, by id.
function edges.plan_retry(task, spec)
  local key, own = namespace.declare(edges.upstreams(task.id)), namespace.declare(edges.inputs(task.id))
  if redis.call('HLEN', key) > edges.RETRIED then
    namespace.probe('ZCARD', edges.unsettled())
    task.again_edges = { to = 'waiting', later = true }
    return
  end
  local known = redis.call('HMGET', own, 'slots', 'bytes')
  local again = { met = {}, open = {}, slots = tonumber(known[1] or 0), bytes = tonumber(known[2] or 0), texts = {},
    some = {}, set = quorum.has(task) and quorum.new(quorum.read(task.id).least) or nil }
  local found = redis.call('HGETALL', key)
  spec.entries = (spec.entries or 0) + 15 * #found -- looking at each takes as long
  for i = 1, #found, 2 do
    local up = record.find(found[i]) or graphs.coming(found[i]) or { status = 'deleted' }
    local kind, slots = string.match(found[i + 1], '^(%l+)%d*/?(.*)$')
    local over = not (spec.begun and spec.begun[found[i]]) and (contract.is_final(up.status) or up.status == 'deleted')
    local is_met = edges.is_met(kind, up.status)
    if over and is_met and slots ~= '' and up.key and not joins.may_read(redis.call('HSTRLEN', up.key, 'result')) then
      over, again.asked = false, again.asked or {}
      again.asked[#again.asked + 1] = found[i]
      namespace.probe('ZCARD', edges.unsettled())
    end
    if kind == 'some' then
      quorum.plan_retry(again, found[i], up, slots, over)
      over = over and is_met
    elseif over and not is_met then
      return 'UPSTREAM', 'a task that it waits for is ' .. up.status .. ': retry that one first'
    end
    namespace.probe('ZCARD', edges.dependents(found[i]))
    if over then
      again.met[#again.met + 1] = found[i]
    elseif kind ~= 'some' then
      again.open[#again.open + 1] = up
    end
    if over and slots ~= '' then
      local result = edges.result_of(up)
      if not json.decodes(result) then
        return 'UPSTREAM', 'the result of an upstream is not JSON: retry that one first'
      end
      for _, slot in ipairs(edges.slots(slots)) do
        again.texts[slot], again.bytes = result, again.bytes + #result
      end
    end
  end
  local over = edges.over(task.queue, again.bytes)
  if over then
    return 'UPSTREAM', 'the results of its upstreams are ' .. over
  end
  if again.set and again.set.least > quorum.chances(again.set) then
    return 'UPSTREAM', 'too few of its set can still be complete: retry those that failed first'
  end
  local waits = again.open[1] or again.set and again.set.least > 0
  again.joins = not waits and joins.is_long(task.id, again.slots, again.bytes)
  task.again_edges, again.to = again, (waits or again.joins) and 'waiting' or 'pending'
  if again.to == 'pending' and again.slots > 0 then
    again.joined, again.lengths = joins.list(joins.collect(own, again.slots, { filled = again.texts }), again.slots)
  end
end

-- Leaves it to `settle` to look at what a task waits for that has begun again.
function edges.look_later(task)
  redis.call('HSET', task.key, 'cascade', '0')
  redis.call('ZADD', edges.unsettled(), namespace.now, task.id)
  if quorum.has(task) then
    quorum.count_anew(task.id)
  end
end

-- Makes what `plan_retry` has planned. The task has begun again.
function edges.retry(task)
  local again = task.again_edges
  if again.later then
    return edges.look_later(task)
  end
  for _, id in ipairs(again.met) do
    redis.call('ZREM', edges.dependents(id), task.id)
    redis.call('HDEL', edges.upstreams(task.id), id)
  end
  for _, up in ipairs(again.open) do
    redis.call('ZADD', edges.dependents(up.id), edges.since(task.id), task.id)
    edges.tie(up) -- one of this id may be another than before
  end
  if again.set and not again.joins then
    quorum.retry(task, again)
  end
  if again.joined then
    redis.call('UNLINK', edges.inputs(task.id))
    redis.call('HSET', task.key, 'parameters', again.joined, 'slots', again.lengths)
  elseif next(again.texts) then
    for slot, text in pairs(again.texts) do
      redis.call('HSET', edges.inputs(task.id), slot, text)
    end
    redis.call('HSET', edges.inputs(task.id), 'bytes', again.bytes)
  end
  if again.joins then
    joins.begin(task.id)
  end
  edges.ask_again(task, again.asked or {})
end

-- Reads a step through the many edges of a task that waits again. `from`: how far that is.
function edges.plan_look(task, from)
  local found = task.status == 'waiting' and redis.call('HSCAN', edges.upstreams(task.id),
    string.match(from, '^%d+'), 'COUNT', edges.RETRIED) or { '0', {} }
  local step = { after = found[1] ~= '0' and found[1], open = {}, ended = {} }
  for i = 1, #found[2], 2 do
    local id = found[2][i]
    local up = record.find(id)
    namespace.probe('ZCARD', edges.dependents(id))
    if up and not contract.is_final(up.status) then
      step.open[#step.open + 1] = up
    else
      step.ended[#step.ended + 1] = id
    end
  end
  return step
end

-- Makes what `plan_look` has planned: those that have ended tell it in steps of their own.
function edges.look_again(task, step)
  for _, up in ipairs(step.open) do
    redis.call('ZADD', edges.dependents(up.id), edges.since(task.id), task.id)
    edges.tie(up)
  end
  edges.ask_again(task, step.ended)
  edges.keep_place(task, step.after)
end

-- Has upstreams that have ended tell this task so once more.
function edges.ask_again(task, ended)
  for _, id in ipairs(ended) do
    redis.call('ZADD', edges.dependents(id), edges.since(task.id), task.id)
    redis.call('ZADD', edges.unsettled(), namespace.now, id)
  end
end

-- Keeps how far a pass over the upstreams of a task is; `after` is nil at its end.
function edges.keep_place(task, after)
  if after then
    redis.call('HSET', task.key, 'cascade', after)
  else
    redis.call('HDEL', task.key, 'cascade')
  end
end

-- The next inputs in a text, from a byte on, each with its kind, slot and upstream; and where the rest begins, or nil.
function edges.page(inputs, from, limit)
  local found = {}
  while #found < limit do
    local _, last, kind, slot, id = string.find(inputs, '(%l+)/?(%d*)=(%S+)', from)
    if not last then
      return found
    end
    found[#found + 1] = { kind = kind, slot = slot, id = id }
    from = last + 1
  end
  return found, from <= #inputs and from or nil
end

-- What a task waits for as submitted: upstreams in order, and for each the text of its edge, such as `result/0,2`. Calls
-- may have named one in several ways: one of a set is that in any case, and else a way that takes a result counts.
function edges.submitted(inputs)
  local order, texts = {}, {}
  for kind, slot, id in string.gmatch(inputs or '', '(%l+)/?(%d*)=(%S+)') do
    local known = texts[id]
    if not known then
      order[#order + 1], texts[id] = id, kind .. (slot ~= '' and '/' .. slot or '')
    else
      local had, slots = string.match(known, '^(%l+)(.*)$')
      had = (kind == 'some' or slot ~= '' and had ~= 'some') and kind or had
      texts[id] = had .. slots .. (slot ~= '' and (slots ~= '' and ',' or '/') .. slot or '')
    end
  end
  return order, texts
end

-- Those of many tasks that are to run anew: 1 or 2 if that is still to come, 0 if they have begun.
function edges.marks(chosen, ids)
  local found = {}
  for from = 1, #ids, 1000 do
    local page = { unpack(ids, from, math.min(#ids, from + 999)) }
    for i, mark in ipairs(redis.call('ZMSCORE', chosen, unpack(page))) do
      found[page[i]] = mark
    end
  end
  return found
end

-- Reads what a task waits for that is to run anew: those that are to do so too, by `spec.chosen`, whose results no
-- longer count, and those that it waited for anyway. Sets `again_edges`.
function edges.plan_anew(task, spec)
  local key, own = namespace.declare(edges.upstreams(task.id)), namespace.declare(edges.inputs(task.id))
  if task.prepared or task.first and redis.call('HLEN', key) > edges.RETRIED then
    namespace.probe('ZCARD', edges.unsettled())
    task.again_edges = { to = 'waiting', later = true }
    return
  end
  local v = redis.call('HMGET', task.key, 'inputs', 'slots')
  -- nothing runs anew that one of the first waits for
  local order, texts = edges.submitted((not task.first or quorum.has(task)) and v[1])
  spec.entries = (spec.entries or 0) + 15 * #order -- looking at each takes as long
  local marks = edges.marks(spec.chosen, order)
  local again = { open = {}, texts = texts, ended = {}, still = {}, forget = {}, kept = {} }
  if quorum.has(task) then
    quorum.plan_anew(task, again, v[1], order, marks)
  end
  for _, id in ipairs(order) do
    if marks[id] then
      again.open[#again.open + 1] = id
      namespace.probe('ZCARD', edges.dependents(id))
      local up = record.find(id)
      if not spec.begins[id] and edges.note_ended(again, id) then
        up = nil -- it has yet to begin, if the walk comes to that: else it tells its end
      end
      if up and not string.find(up.ties or '', 'd', 1, true) then
        again.still[#again.still + 1] = up -- it had ended before, or another task has its id by now
      end
      for _, slot in ipairs(edges.slots(string.match(texts[id], '/(.*)$'))) do
        again.forget[slot] = true
      end
    end
  end
  local found = redis.call('HGETALL', key)
  for i = 1, #found, 2 do
    local id = found[i]
    again.waits = true
    if not marks[id] then
      namespace.probe('ZCARD', edges.dependents(id))
      if not edges.note_ended(again, id) and contract.is_final(task.status) then
        again.still[#again.still + 1] = record.find(id)
      end
    end
  end
  namespace.probe('ZCARD', edges.unsettled())
  again.graph, again.frees = spec.graph, 0
  again.slots, again.bytes = unpack(redis.call('HMGET', own, 'slots', 'bytes'))
  if again.slots then
    for slot in pairs(again.forget) do
      local length = redis.call('HSTRLEN', own, slot)
      again.bytes, again.frees = again.bytes - length, again.frees + graphs.counted(length)
    end
  elseif v[2] and again.open[1] then
    edges.split(again, redis.call('HGET', task.key, 'parameters') or '', v[2])
  end
  local waits = again.open[1] or again.waits
  again.joins = not waits and again.slots and joins.is_long(task.id, tonumber(again.slots), tonumber(again.bytes))
  task.again_edges, again.to = again, (waits or again.joins) and 'waiting' or 'pending'
end

-- Those that have ended by now are told to tell it. Returns whether this one has.
function edges.note_ended(again, id)
  local status = redis.call('HGET', namespace.key('task', id), 'status')
  local ended = not status or contract.is_final(status)
  again.ended[#again.ended + 1] = ended and id or nil
  return ended
end

-- Takes a joined list apart, without what is to come anew.
function edges.split(again, joined, lengths)
  local at, slot = 2, 0
  again.split, again.bytes = true, 0
  for length in string.gmatch(lengths, '%d+') do
    if not again.forget[slot] then
      again.kept[slot], again.bytes = string.sub(joined, at, at + length - 1), again.bytes + length
    else
      again.frees = again.frees + graphs.counted(tonumber(length))
    end
    at, slot = at + length + 1, slot + 1
  end
  again.slots = slot
end

-- Makes what `plan_anew` has planned.
function edges.anew(task)
  local again, own = task.again_edges, edges.inputs(task.id)
  if again.later then
    return edges.look_later(task)
  end
  for _, id in ipairs(again.open) do
    redis.call('HSET', edges.upstreams(task.id), id, again.texts[id])
    redis.call('ZADD', edges.dependents(id), edges.since(task.id), task.id)
  end
  for _, up in ipairs(again.still) do -- they may have left it, as it had ended
    redis.call('ZADD', edges.dependents(up.id), edges.since(task.id), task.id)
    edges.tie(up)
  end
  edges.ask_again(task, again.ended)
  if again.frees > 0 then
    redis.call('HINCRBY', graphs.key(again.graph), 'bytes', -again.frees)
  end
  if again.set then
    quorum.write(task.id, again.set)
  end
  if again.split then
    redis.call('HSET', own, 'slots', again.slots, 'bytes', again.bytes)
    redis.call('HSET', task.key, 'parameters', '')
    redis.call('HDEL', task.key, 'slots')
    for slot, text in pairs(again.kept) do
      redis.call('HSET', own, slot, text)
    end
  elseif again.slots then
    redis.call('HSET', own, 'bytes', again.bytes)
    for slot in pairs(again.forget) do
      redis.call('HDEL', own, slot)
    end
  end
  if again.joins then
    joins.begin(task.id)
  end
end
