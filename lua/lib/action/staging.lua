-- Staging: the tasks of a graph arrive, by one call or several, and wait for the last one.
local staging = {}

-- Returns the optional facts of a graph, as fields and values.
function staging.facts(options)
  local facts = {}
  for _, name in ipairs({ 'name', 'on_failure', 'tags', 'deadline', 'notify', 'digest' }) do
    if options[name] then
      facts[#facts + 1], facts[#facts + 2] = name, options[name]
    end
  end
  if options.bounds then
    facts[#facts + 1], facts[#facts + 2] = 'bounds', options.bounds.text
  end
  return facts
end

-- Refuses a document whose digest differs from the digest of the first document with this id.
function staging.refuse_other(how)
  reply.fail('DUPLICATE', how == 'created' and 'another document was submitted with this id: choose another one'
    or 'another document is being submitted with this id, or was left unfinished: choose another id, or repeat the call'
      .. ' in ten minutes')
end

-- Parses the options of a task, `name=value name=value`. Returns its spec and its label. `known`: the specs of earlier
-- options, by their text. `common`: the options of the graph. `notify`: the targets that the queue notifies.
function staging.spec(text, known, common, notify)
  local label, rest = string.match(text, '^label=(%S*) ?(.*)$')
  if not label then
    label = string.match(' ' .. text, ' label=(%S*)')
    rest = label and string.gsub(' ' .. text, ' label=%S*', '') or text
  end
  if notify and not string.find(' ' .. rest, ' notify=', 1, true) then
    rest = rest .. ' notify=' .. notify
  end
  local spec = known[rest]
  if not spec then
    local options = staging.options(rest)
    local deadline = common.deadline
    if deadline and not (options.deadline and tonumber(options.deadline) < tonumber(deadline)) then
      options.deadline = deadline
    end
    options.trace = options.trace or common.trace
    options.submitter = options.submitter or common.submitter
    spec = creation.spec(options)
    known[rest] = spec
  end
  if label and (#label > contract.SHORT_TEXT_HIGH or string.find(label, '%', 1, true)) then
    label = args.bytes(schedules.plain(label), contract.SHORT_TEXT_HIGH, 'label')
  end
  return spec, label
end

-- Writes the records of staged tasks. All tasks use the same table for their fields, one after another.
function staging.stage(tasks, graph)
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
    row[n - 1], row[n] = 'flags', task.flags -- in place of the flags of the spec
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

-- Fails if an earlier call gave the set of the task another minimum of complete upstreams.
function staging.check_least(text, wanted)
  local known = wanted.least and string.match(text or '', 'least/(%d+)')
  if known and tonumber(known) ~= wanted.least then
    reply.fail('BADARG', 'an earlier call had another least/NUMBER for this task')
  end
end

-- Maximum number of runs that a graph stores.
staging.RUNS = 100

-- Returns the text of runs (see `graphs.runs`) with further tasks; empty if the runs are unknown or too many.
function staging.runs_with(runs, tasks)
  if not runs then
    return ''
  end
  local last = runs[#runs] or {}
  for i = 1, #tasks do
    local task = tasks[i]
    local to = task.inputs and 'waiting' or 'pending'
    if task.eta or task.set or task.spec.flags or task.inputs and not task.edges[1] then
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
  return #texts <= staging.RUNS and table.concat(texts, ' ') or ''
end

-- Returns the text of inputs, which may be long, with the entries of `more` that it does not contain. `open`: the open
-- edges of `more`.
function staging.merged(text, more, open)
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

function staging.options(text)
  local options = {}
  for name, value in pairs(schedules.values(text)) do
    options[name] = contract.task_option(name, value)
      or reply.fail('BADARG', args.named('unknown option of a task', name) .. ': the contract lists them')
  end
  if options.unique then
    reply.fail('BADARG', 'a task of a graph has no unique name: give the graph an id of your own instead')
  end
  return options
end

-- Maximum number of keys with bounds in a graph.
staging.BOUNDS = 100

-- Parses a text of bounds. Returns the queue, the key and the places of each bound, and the text.
function staging.bounds(text, what)
  local bounds = { text = text }
  for entry in string.gmatch(text .. ' ', '([^ ]*) ') do
    local queue, key, places = string.match(entry, '^([^/=]+)/([^/=]+)=(%d+)$')
    if not places or #bounds >= staging.BOUNDS then
      reply.fail('BADARG', what .. ' must be 1 to ' .. staging.BOUNDS
        .. ' entries like QUEUE/KEY=PLACES, separated by spaces')
    end
    bounds[#bounds + 1] = { limits = namespace.key('limits', args.plain(queue, what)), key = args.plain(key, what),
      places = args.integer(places, 1, contract.PLACES_HIGH, what) }
  end
  return bounds
end

function staging.plan_bounds(bounds)
  for _, bound in ipairs(bounds or {}) do
    if namespace.probe('HLEN', bound.limits) >= limits.KEYS then
      reply.fail('TOOMANY', 'a queue has ' .. limits.KEYS .. ' keys with limits of their own already')
    end
  end
end
