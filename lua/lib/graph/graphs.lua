-- Graphs: tasks that are submitted together, as one document.
--
-- Until the last task of a graph has arrived they are staged: records without a status, which no index has and no
-- other command finds. Then the graph is created at once, and `settle` releases its tasks in bounded steps, the last
-- first: so whoever waits for a task is there before that task can end.
local graphs = {}

-- A graph whose tasks do not arrive within this time is removed, in microseconds.
graphs.STAGED = 600000000

-- Results that come later and are shorter do not count as bytes of their graph: their edges take as much.
graphs.SMALL = 256

-- Keys of one graph that have bounds.
graphs.BOUNDS = 100

function graphs.key(graph)
  return namespace.key('graph', graph)
end

-- The ids of its tasks, in the order in which they were submitted.
function graphs.tasks(graph)
  return namespace.key('members', graph)
end

-- `UPSTREAM DEPENDENT` of the edges whose upstream was there before the graph. They are open, but not yet seen by the
-- end of that task.
function graphs.outside(graph)
  return namespace.key('outside', graph)
end

-- Graphs with tasks to release, or to remove if they are not complete by then, by that time.
function graphs.due()
  return namespace.prefix .. 'graphs_due'
end

-- The tasks that a walk is about, unless it is about all (see `walks`): 1 while it has yet to come to them, then 0. 2
-- while it has yet to come to one that runs anew by itself, and not because of another.
function graphs.chosen(graph)
  return namespace.key('chosen', graph)
end

-- All graphs by the time at which they were created.
function graphs.all()
  return namespace.prefix .. 'graphs'
end

-- The graph, or nil.
function graphs.find(id)
  local v = redis.call('HMGET', namespace.declare(graphs.key(id)), 'state', 'created', 'total', 'name', 'released')
  return v[1] and { id = id, state = v[1], created = v[2], total = tonumber(v[3]), name = v[4] or '',
    released = tonumber(v[5] or 0) } or nil
end

-- What the failure of a task does to those of this graph that need it: `cancel`, `continue` or `hold`; false without a
-- graph.
function graphs.on_failure(id)
  if not id then
    return false
  end
  local known = namespace.shared('on_failure')
  known[id] = known[id] or redis.call('HGET', graphs.key(id), 'on_failure') or 'cancel'
  return known[id]
end

function graphs.is_created(id)
  return redis.call('HGET', graphs.key(id), 'state') == 'created'
end

-- Fails unless all tasks of a graph have arrived, and these tasks, if any are meant, are some of them.
function graphs.require(id, tasks)
  if not graphs.is_created(id) then
    namespace.check_slot(graphs.key(id))
    reply.fail('NOTASK', 'no graph has this id: it was never submitted, or all its tasks were deleted')
  end
  for _, task in ipairs(tasks or {}) do
    if redis.call('HGET', namespace.key('task', task), 'graph') ~= id then
      reply.fail('NOTASK', 'the graph has no such task, or it was deleted')
    end
  end
end

-- What the record of a graph has while a walk is under way.
function graphs.walk_fields()
  return 'doing', 'at', 'task', 'reason', 'force', 'changed', 'refused', 'part', 'end_by'
end

-- Reads what `begin_walk` writes.
function graphs.plan_walk(id)
  namespace.probe('HLEN', graphs.key(id))
  namespace.probe('ZCARD', graphs.due())
  namespace.probe('ZCARD', graphs.chosen(id))
end

-- Begins a walk, in place of one that may be under way. `...`: further fields.
function graphs.begin_walk(id, doing, ...)
  graphs.set_walk(id, doing, ...)
  redis.call('UNLINK', graphs.chosen(id))
end

-- The same, with the tasks that the former one was about.
function graphs.set_walk(id, doing, ...)
  redis.call('HDEL', graphs.key(id), graphs.walk_fields())
  redis.call('HSET', graphs.key(id), 'doing', doing, 'at', '0', ...)
  redis.call('ZADD', graphs.due(), namespace.now, id)
end

-- Begins to run tasks anew. Others that are being run anew in this graph, and may have to stop first, are so all the
-- same: one call does not undo another. `known`: what is under way, and with which deadline; `end_by`: a new one.
function graphs.begin_anew(id, tasks, known, end_by)
  local merges = known[1] == 'mark_anew' or known[1] == 'anew'
  if not merges then
    redis.call('UNLINK', graphs.chosen(id))
  end
  local last = end_by or merges and known[2]
  graphs.set_walk(id, 'mark_anew', unpack(last and { 'end_by', last } or {}))
  for _, task in ipairs(tasks) do
    redis.call('ZADD', graphs.chosen(id), '2', task)
  end
end

-- Reads whether other tasks may have ended because of one that is to run again. Sets `repairs`.
function graphs.plan_repair(task)
  local known = redis.call('HMGET', graphs.key(task.graph), 'doing', 'failed', 'cancelled')
  if (not known[1] or known[1] == 'repair') and (known[2] or 0) + (known[3] or 0) > 1 then
    graphs.plan_walk(task.graph)
    task.repairs = true
  end
end

-- Whether a task is to run anew, and its end is of no account.
function graphs.runs_anew(graph, id)
  local doing = redis.call('HGET', graphs.key(graph), 'doing')
  return (doing == 'anew' or doing == 'mark_anew')
    and tonumber(redis.call('ZSCORE', graphs.chosen(graph), id) or 0) > 0
end

-- A staged task, or nil: of this graph, or of any.
function graphs.staged(id, graph)
  local key = namespace.prefix .. 'task_' .. id
  if namespace.declared then
    namespace.declare(key)
  end
  local v = redis.call('HMGET', key, 'status', 'graph', 'queue', 'ties', 'eta')
  if v[1] or not v[2] or graph and v[2] ~= graph then
    return nil
  end
  return { id = id, key = key, status = 'staged', queue = v[3], ties = v[4] or '', eta = v[5] or nil, extra = {} }
end

-- A task that has yet to begin, as its graph is being released, or nil.
function graphs.coming(id)
  local graph = redis.call('HGET', namespace.key('task', id), 'graph')
  return graph and graphs.is_created(graph) and graphs.staged(id, graph) or nil
end

-- What a graph has only if it was given, as fields and values.
function graphs.facts(options)
  local facts = {}
  for _, name in ipairs({ 'name', 'on_failure', 'tags', 'deadline', 'digest' }) do
    if options[name] then
      facts[#facts + 1], facts[#facts + 2] = name, options[name]
    end
  end
  if options.bounds then
    facts[#facts + 1], facts[#facts + 2] = 'bounds', options.bounds.text
  end
  return facts
end

-- Refuses a document that has another digest than the one that came first with this id.
function graphs.refuse_other(how)
  reply.fail('DUPLICATE', how == 'created' and 'another document was submitted with this id: choose another one'
    or 'another document is being submitted with this id, or was left unfinished: choose another id, or repeat the call'
      .. ' in ten minutes')
end

-- The bytes that a result counts.
function graphs.counted(length)
  return length >= graphs.SMALL and length or 0
end

-- Bytes of the parameters, values, results and texts of inputs of all tasks of a graph, as text.
function graphs.most()
  return settings.get('*', 'graph_bytes')
end

-- Reads whether a graph has room for so many bytes of a result.
function graphs.has_room(id, bytes)
  local known = namespace.shared('graph_bytes')
  local all = (known[id] or tonumber(redis.call('HGET', namespace.declare(graphs.key(id)), 'bytes') or 0)) + bytes
  if all > tonumber(graphs.most()) then
    return false
  end
  known[id] = all
  return true
end

-- Whether all tasks of a graph have begun.
function graphs.is_released(id)
  local v = redis.call('HMGET', graphs.key(id), 'released', 'total')
  return v[1] == v[2]
end

-- What the options of a task say, `name=value name=value`, and its label. `known`: what the options of others
-- said. `common`: the deadline of the graph.
function graphs.spec(text, known, common)
  local label, rest = string.match(text, '^label=(%S*) ?(.*)$')
  if not label then
    label = string.match(' ' .. text, ' label=(%S*)')
    rest = label and string.gsub(' ' .. text, ' label=%S*', '') or text
  end
  local spec = known[rest]
  if not spec then
    local options = graphs.options(rest)
    if common and not (options.deadline and tonumber(options.deadline) < tonumber(common)) then
      options.deadline = common
    end
    spec = creation.spec(options)
    known[rest] = spec
  end
  if label and (#label > contract.SHORT_TEXT_HIGH or string.find(label, '%', 1, true)) then
    label = args.bytes(schedules.plain(label), contract.SHORT_TEXT_HIGH, 'label')
  end
  return spec, label
end

-- Writes the records of staged tasks. One table has the fields of each in turn.
function graphs.stage(tasks, graph)
  local now = namespace.now
  local row = { 'queue', '', 'parameters', '', 'created', now, 'updated', now, 'attempt', '0', 'graph', graph }
  for t = 1, #tasks do
    local task = tasks[t]
    local n, fields = 12, task.spec.fields
    row[2], row[4] = task.queue, task.parameters
    for i = 1, #fields do
      row[n + i] = fields[i]
    end
    n = n + #fields + 2
    row[n - 1], row[n] = 'ties', task.ties -- in place of those of the spec
    if task.label then
      row[n + 1], row[n + 2], n = 'label', task.label, n + 2
    end
    if task.inputs then
      row[n + 1], row[n + 2], n = 'inputs', task.inputs, n + 2
    end
    if task.eta then
      row[n + 1], row[n + 2], n = 'eta', task.eta, n + 2
    end
    redis.call('HSET', task.key, unpack(row, 1, n))
  end
end

-- How many of a set must be complete is said once.
function graphs.check_least(text, wanted)
  local known = wanted.least and string.match(text or '', 'least/(%d+)')
  if known and tonumber(known) ~= wanted.least then
    reply.fail('BADARG', 'an earlier call had another least/NUMBER for this task')
  end
end

-- Runs of a graph that may be noted.
graphs.RUNS = 100

-- How the tasks of a graph begin that have arrived, as runs of those that follow one another: the state, how many, and
-- their queue, such as `pending/1/q waiting/499/q`. With it their release needs no look at each. `?`: that has to look,
-- as it claims something, or may be scheduled, or all that it waits for has come. Returns the runs, or nil unless they
-- are known of `number` tasks.
function graphs.runs(text, number)
  local runs, all = {}, 0
  for to, count, queue in string.gmatch(text or '', '(%S+)/(%d+)/(%S+)') do
    runs[#runs + 1] = { to = to, count = tonumber(count), queue = queue }
    all = all + runs[#runs].count
  end
  return all == number and runs or nil
end

-- The same with further tasks, as text; empty if that is not known.
function graphs.runs_with(runs, tasks)
  if not runs then
    return ''
  end
  local last = runs[#runs] or {}
  for i = 1, #tasks do
    local task = tasks[i]
    local to = task.inputs and 'waiting' or 'pending'
    if task.eta or task.set or task.spec.ties or task.inputs and not task.edges[1] then
      to = '?'
    end
    if last.to == to and last.queue == task.queue then
      last.count = last.count + 1
    else
      last = { to = to, count = 1, queue = task.queue }
      runs[#runs + 1] = last
    end
  end
  local texts = {}
  for i, run in ipairs(runs) do
    texts[i] = run.to .. '/' .. run.count .. '/' .. run.queue
  end
  return #texts <= graphs.RUNS and table.concat(texts, ' ') or ''
end

-- The text of inputs, which may be long, with those entries of `more` that it does not have. `open`: the edges that
-- these mean.
function graphs.merged(text, more, open)
  local padded, all, fresh = ' ' .. (text or '') .. ' ', { text or nil }, {}
  if string.find(padded, ' ' .. more .. ' ', 1, true) then
    return text -- a repeated call
  end
  for _, edge in ipairs(open) do
    fresh[edge.up.id] = not edge.known
  end
  for entry in string.gmatch(more, '%S+') do
    if fresh[string.match(entry, '=(.+)$')] or not string.find(padded, ' ' .. entry .. ' ', 1, true) then
      all[#all + 1] = entry
    end
  end
  return table.concat(all, ' ')
end

function graphs.options(text)
  local options = {}
  for name, value in pairs(schedules.values(text)) do
    options[name] = contract.task_option(name, value)
      or reply.fail('BADARG', 'unknown option of a task: the contract lists them')
  end
  if options.unique then
    reply.fail('BADARG', 'a task of a graph has no unique name: give the graph an id of your own instead')
  end
  return options
end

-- Checks a text of bounds. Returns the queue, the key and the places of each, and the text.
function graphs.bounds(text, what)
  local bounds = { text = text }
  for entry in string.gmatch(text .. ' ', '([^ ]*) ') do
    local queue, key, places = string.match(entry, '^([^/=]+)/([^/=]+)=(%d+)$')
    if not places or #bounds >= graphs.BOUNDS then
      reply.fail('BADARG', what .. ' must be 1 to ' .. graphs.BOUNDS
        .. ' entries like QUEUE/KEY=PLACES, separated by spaces')
    end
    bounds[#bounds + 1] = { limits = namespace.key('limits', args.plain(queue, what)), key = args.plain(key, what),
      places = args.integer(places, 1, contract.PLACES_HIGH, what) }
  end
  return bounds
end

-- Reads what a submit writes for them.
function graphs.plan_bounds(bounds)
  for _, bound in ipairs(bounds or {}) do
    if namespace.probe('HLEN', bound.limits) >= limits.KEYS then
      reply.fail('TOOMANY', 'a queue has ' .. limits.KEYS .. ' keys with limits of their own already')
    end
  end
end

-- Reads a step of the release. Returns the tasks, and the outside edges of the last step.
function graphs.plan_release(graph, limit)
  local left = graph.total - graph.released
  local tasks, outside = {}, {}
  if left > 0 then
    namespace.probe('ZCARD', namespace.prefix .. 'queues')
    local ids = redis.call('LRANGE', graphs.tasks(graph.id), math.max(0, left - limit), left - 1)
    local starts = graphs.starts(graph, ids, left - #ids)
    local staged, plan, planned, prefix = graphs.staged, graphs.plan_task, {}, namespace.prefix
    local plan_kind, declared = graphs.plan_kind, namespace.declared
    for i, id in ipairs(ids) do
      local run = starts[i]
      if run then
        local task = { id = id, key = prefix .. 'task_' .. id, begins = run.to, queue = run.queue, kind = run.kind }
        tasks[#tasks + 1] = task
        if declared or not planned[run.kind] then
          plan_kind(task, planned)
        end
      else
        local task = staged(id, graph.id)
        tasks[#tasks + 1] = task and plan(task, planned)
      end
    end
    graph.released = graph.released + #ids
  else
    outside = graphs.plan_outside(graph.id, limit)
  end
  return tasks, outside
end

-- How those of these tasks begin of which that is known, by their place. `from`: how many come before them.
function graphs.starts(graph, ids, from)
  local starts, keys, at = {}, {}, 0
  local runs = graphs.runs(redis.call('HGET', graphs.key(graph.id), 'runs'), graph.total)
  for i, id in ipairs(runs and ids or {}) do
    keys[i] = namespace.prefix .. 'task_' .. id
  end
  if not keys[1] or redis.call('EXISTS', unpack(keys)) < #keys then
    return starts -- a client without scripts has deleted some
  end
  for _, run in ipairs(runs) do
    run.kind = run.to .. ' ' .. run.queue
    for i = math.max(1, at - from + 1), math.min(#ids, at - from + run.count) do
      starts[i] = run.to ~= '?' and run
    end
    at = at + run.count
  end
  return starts
end

-- Reads what the first task of a kind writes, for all of them.
function graphs.plan_kind(task, planned)
  if namespace.declared then
    namespace.declare(task.key)
  end
  if not planned[task.kind] then
    planned[task.kind] = true
    state.plan({ queue = task.queue, foreign = true }, task.begins)
  end
end

-- A staged task as one that begins. `planned`: by queue and state, a task that claims nothing and begins there, too.
function graphs.plan_task(staged, planned)
  local task = { id = staged.id, key = staged.key, queue = staged.queue, ties = staged.ties, attempt = '0',
    foreign = true, created = namespace.now }
  local open = 0
  if string.find(task.ties, 'w', 1, true) then
    open = redis.call('HLEN', namespace.declare(edges.upstreams(task.id)))
    if quorum.has(task) and quorum.is_ready(quorum.read(task.id), open) then
      open, task.drops = 0, true
    end
    local own = namespace.declare(edges.inputs(task.id))
    local known = open == 0 and redis.call('HMGET', own, 'slots', 'bytes') or {}
    local slots = tonumber(known[1] or nil)
    task.joins = slots and joins.is_long(task.id, slots, tonumber(known[2]))
    if slots and not task.joins then
      task.joined, task.lengths = joins.list(joins.collect(own, slots, {}), slots)
    end
  end
  local later = staged.eta and tonumber(staged.eta) * 1000000 > namespace.now_us
  task.eta = staged.eta
  task.begins = (open > 0 or task.joins) and 'waiting' or later and 'scheduled' or 'pending'
  if string.find(task.ties, '[^gwd]') then
    claims.load(task)
    task.rank = nil
    state.plan(task, task.begins)
    return task
  end
  task.kind = task.begins .. ' ' .. task.queue
  graphs.plan_kind(task, planned)
  return task
end

-- The next edges to tasks that were there before the graph.
function graphs.plan_outside(graph, limit)
  local pairs_of = redis.call('LRANGE', namespace.declare(graphs.outside(graph)), 0, limit - 1)
  local found = {}
  for i, pair in ipairs(pairs_of) do
    local up, id = string.match(pair, '^(%S+) (%S+)$')
    local key = namespace.declare(namespace.key('task', up))
    local v = redis.call('HMGET', key, 'status', 'ties')
    namespace.probe('ZCARD', edges.dependents(up))
    found[i] = { up = up, id = id, there = v[1], ended = not v[1] or contract.is_final(v[1]), key = key,
      ties = v[2] or nil }
  end
  namespace.probe('ZCARD', edges.unsettled())
  return found
end

-- Removes the limits of a graph that goes.
function graphs.unlimit(bounds)
  for _, bound in ipairs(bounds) do
    redis.call('HDEL', bound.limits, bound.key)
  end
end

-- Makes what was planned.
function graphs.release(graph, tasks, outside)
  local kinds, queues = {}, {}
  for _, task in ipairs(tasks) do
    local same = kinds[task.kind or task.id] or { to = task.begins, queue = task.queue }
    if not same[1] then
      kinds[task.kind or task.id], kinds[#kinds + 1] = same, same
    end
    same[#same + 1] = task
  end
  for _, same in ipairs(kinds) do
    if not queues[same.queue] then
      queues[same.queue] = true
      redis.call('ZADD', namespace.prefix .. 'queues', 'NX', 0, same.queue) -- it may have been forgotten
    end
    for _, task in ipairs(same) do
      if task.joins then
        joins.begin(task.id)
      elseif task.drops then
        quorum.drop(task.id)
      end
      if task.joined then
        redis.call('UNLINK', edges.inputs(task.id))
        redis.call('HSET', task.key, 'parameters', task.joined, 'slots', task.lengths)
      end
    end
    if same[1].kind then
      state.enter_all(same, same.to, 'submit')
    else
      state.move(same[1], same.to, 'submit', '', 'created', namespace.now)
    end
    if same.to == 'pending' then
      state.wake(same.queue)
    end
  end
  for _, edge in ipairs(outside) do
    redis.call('ZADD', edges.dependents(edge.up), edges.since(edge.id), edge.id)
    if edge.ended then
      redis.call('ZADD', edges.unsettled(), namespace.now, edge.up)
    end
    if edge.there then
      edges.tie(edge)
    end
  end
  if #tasks + #outside > 0 then
    redis.call('LTRIM', graphs.outside(graph.id), #outside, -1)
    redis.call('HSET', graphs.key(graph.id), 'released', graph.released)
    if tasks[1] and graph.released == graph.total then
      redis.call('HDEL', graphs.key(graph.id), 'runs')
    end
  end
end

-- The bounds of a graph that may go.
function graphs.plan_unlimit(graph)
  local bounds = {}
  for queue, key in string.gmatch(redis.call('HGET', graphs.key(graph), 'bounds') or '', '([^/ ]+)/([^= ]+)=') do
    bounds[#bounds + 1] = { limits = namespace.key('limits', queue), key = key }
    namespace.probe('HLEN', bounds[#bounds].limits)
  end
  return bounds
end

-- Reads a step of the removal of a graph whose tasks did not all arrive.
function graphs.plan_removal(graph, limit)
  namespace.declare(graphs.outside(graph))
  namespace.declare(graphs.chosen(graph))
  local ids = redis.call('LRANGE', graphs.tasks(graph), -limit, -1)
  ids.bytes, ids.untold = 0, {}
  for _, id in ipairs(ids) do
    ids.bytes = ids.bytes + graphs.size(id)
    namespace.declare(namespace.key('task', id))
    namespace.declare(edges.upstreams(id))
    namespace.declare(edges.inputs(id))
    namespace.declare(edges.dependents(id))
    ids.untold[id] = redis.call('ZSCORE', namespace.declare(edges.unsettled()), id)
  end
  local outside = #ids == 0 and graphs.plan_outside(graph, limit) or {}
  return ids, outside, graphs.plan_unlimit(graph)
end

-- What a staged task adds to the bytes of its graph.
function graphs.size(id)
  local key = namespace.key('task', id)
  return redis.call('HSTRLEN', key, 'parameters') + redis.call('HSTRLEN', key, 'inputs')
    + tonumber(redis.call('HGET', edges.inputs(id), 'bytes') or 0)
end

function graphs.remove(graph, ids, outside, bounds)
  for _, id in ipairs(ids) do
    redis.call('UNLINK', namespace.key('task', id), edges.upstreams(id), edges.inputs(id))
    if not ids.untold[id] then -- others may wait for another task of this id
      redis.call('ZREMRANGEBYSCORE', edges.dependents(id), '(0', '(inf')
    end
    redis.call('RPOP', graphs.tasks(graph))
  end
  if ids[1] then
    redis.call('HINCRBY', graphs.key(graph), 'staged', -#ids) -- its submitter may come back
    redis.call('HINCRBY', graphs.key(graph), 'bytes', 0 - ids.bytes) -- not -0
  end
  for _, edge in ipairs(outside) do
    if redis.call('ZSCORE', edges.dependents(edge.up), edge.id) == '-inf' then -- no later task has this id
      redis.call('ZREM', edges.dependents(edge.up), edge.id)
    end
  end
  redis.call('LTRIM', graphs.outside(graph), #outside, -1)
  if #ids + #outside == 0 then
    graphs.unlimit(bounds)
    redis.call('UNLINK', graphs.key(graph), graphs.chosen(graph))
    redis.call('ZREM', graphs.due(), graph)
    redis.call('ZREM', graphs.all(), graph)
  end
end

-- Counts a task of a graph that ends, or leaves its end. With its last task the graph goes.
function graphs.count(task, to)
  local key = graphs.key(task.graph)
  if contract.is_final(to) then
    redis.call('HINCRBY', key, to, 1)
  end
  if task.status and contract.is_final(task.status) then
    redis.call('HINCRBY', key, task.status, -1)
  end
  if to == 'deleted' and redis.call('HINCRBY', key, 'left', -1) == 0 then
    graphs.unlimit(task.bounds)
    redis.call('UNLINK', key, graphs.tasks(task.graph), graphs.chosen(task.graph))
    redis.call('ZREM', graphs.all(), task.graph)
  end
end
