--- Submits the tasks of a graph, which wait for one another, up to 500 in a call. The call that submits the last task
--   creates the graph; until then no other command finds the tasks. A task must come after all tasks that it waits for.
-- @args now graph total count (id queue eta parameters inputs options)*count
-- @role client
-- @options name on_failure tags bounds deadline notify trace submitter digest request
-- @reply `staged` while tasks are missing, `created`, or `existing` if this graph was created before
-- @errors TOOBIG OTHERQUEUE CLOSED NOTASK UPSTREAM OVERDUE DUPLICATE task.*
namespace.open()
local id = args.plain(args.next('graph'), 'graph')
local total = args.integer(args.next('total'), contract.GRAPH_SIZE_LOW, contract.GRAPH_SIZE_HIGH, 'total')
local count = args.integer(args.next('count'), contract.GRAPH_COUNT_LOW, contract.GRAPH_COUNT_HIGH, 'count')
local last = 4 + 6 * count
if not ARGV[last] then
  reply.fail('BADARG', 'missing argument: id, queue, eta, parameters, inputs or options')
end
local options = args.options(last)
local facts, request, bounds = staging.facts(options), options.request, options.bounds
requests.replay('submit_graph', request)

local known = redis.call('HMGET', namespace.declare(graphs.key(id)), 'state', 'total', 'staged', 'runs', 'bytes',
  'digest')
if known[6] and options.digest and known[6] ~= options.digest then
  staging.refuse_other(known[1])
elseif known[1] == 'created' then
  return 'existing'
elseif known[2] and tonumber(known[2]) ~= total then
  reply.fail('BADARG', 'the graph has another total: it is the same in all calls of a graph')
end

local prefix, plain, parse, look = namespace.prefix, args.plain, edge_inputs.parse, edge_submit.look
local spec_of, time, staged_of, find = staging.spec, args.time_or_none, graphs.staged, record.find
local tasks, fresh, found, specs, sizes, new, keys, none, notify = {}, {}, {}, {}, {}, {}, {}, {}, {}
local staged, bytes, number, size = tonumber(known[3] or 0), 0, 0, tonumber(known[5] or 0)
local runs = graphs.runs(known[4], staged)
for at = 5, last, 6 do
  local own, n = ARGV[at], (at - 5) / 3
  local from = string.sub(own, 1, #id) == id and #id + 1 or 1 -- ids of tasks often begin with the id of the graph
  if #own > contract.NAME_HIGH or not string.find(own, args.PLAIN, from) then
    plain(own, 'id')
  end
  keys[n + 1], keys[n + 2] = prefix .. 'task_' .. own, prefix .. 'dependents_' .. own
  if namespace.declared then
    namespace.declare(keys[n + 1])
    namespace.declare(keys[n + 2])
  end
end
-- In nearly every call no id is known and no task waits for an id. Then no id needs a look-up of its own.
local unknown = redis.call('EXISTS', unpack(keys)) == 0
local function upstream(wish)
  local up = fresh[wish] or found[wish]
  if not up then
    up = staged_of(wish, id) or find(wish)
    found[wish] = up
  end
  return up
end
for at = 5, last, 6 do
  local queue = ARGV[at + 1]
  if not sizes[queue] then
    sizes[plain(queue, 'queue')] = tonumber(settings.get(queue, 'max_bytes'))
    creation.require_open(unpack(namespace.shared('settings')[queue], 1, 2))
    notify[queue] = settings.get(queue, 'notify')
  end
  -- All fields that the task may get: the table does not grow later.
  local task = { id = ARGV[at], key = keys[(at - 5) / 3 + 1], queue = queue, status = 'staged',
    parameters = ARGV[at + 3], probed = unknown, waited_for = unknown and 0 or nil, flags = nil, spec = nil,
    label = nil, eta = nil, inputs = nil, edges = nil, waiting = nil, flagged = nil }
  local eta = ARGV[at + 2] ~= '' and time(ARGV[at + 2], 'eta')
  local spec, label = spec_of(ARGV[at + 5], specs, options, notify[queue])
  local wanted = ARGV[at + 4] ~= '' and parse(ARGV[at + 4], 'inputs', true, fresh, id)
  if #task.parameters > (spec.max_bytes or sizes[queue]) then
    args.bytes(task.parameters, spec.max_bytes or sizes[queue], 'parameters')
  end
  bytes = bytes + #task.parameters
  if fresh[task.id] then
    reply.fail('BADARG', 'an id is given twice in one call')
  end
  local before = unknown and none or redis.call('HMGET', task.key, 'status', 'graph', 'queue', 'flags', 'inputs')
  if before[3] and (before[1] or before[2] ~= id or before[3] ~= queue) then
    reply.fail('OTHERQUEUE', 'an id is a task already that is not of this graph; ids are unique in a namespace')
  end
  task.continues = before[3] and true
  if not task.continues then
    if not unknown then
      edge_submit.require_free(task)
    end
    if spec.holds and spec.holds.end_by then
      deadlines.require_ahead(spec.holds.end_by)
    end
    task.flags = (spec.flags or '') .. (wanted and 'wg' or 'g')
    task.spec, task.label, task.eta = spec, label, eta and namespace.decimal(eta)
    new[#new + 1] = task
    if wanted and wanted.some > 0 then
      at_least.flag(task)
    end
  else
    task.flags = before[4]
    if wanted then
      if not string.find(task.flags, 'w', 1, true) then
        task.flags, runs = task.flags .. 'w', nil -- the runs may count it as a task that waits for nothing
      end
      if wanted.some > 0 then
        at_least.flag(task)
        runs = nil
      end
      staging.check_least(before[5], wanted)
      if found[task.id] then
        found[task.id].flags = task.flags -- earlier tasks of this call wait for it
      end
    end
  end
  if wanted then
    number = number + #wanted.upstreams + #wanted.values
    task.inputs = wanted.text
    look(task, wanted, upstream, before[5])
    if task.continues then -- a further field would enlarge the table of every task
      task.fields = { 'inputs', staging.merged(before[5], wanted.text, task.edges), 'flags', task.flags }
    end
  end
  if not task.continues then
    size = size + #task.parameters + #(task.inputs or '')
  elseif wanted then
    size = size + #task.fields[2] - #(before[5] or '')
  end
  size = size + (task.bytes or 0) - (task.had or 0)
  if spec.holds and spec.holds.needs then
    creation.require_few_needs(queue, spec.holds.needs)
  end
  tasks[(at + 1) / 6], fresh[task.id] = task, task
end
staged = staged + #new
if bytes > creation.BYTES then
  reply.fail('TOOBIG', 'the parameters of this call are over 8388608 bytes: submit the tasks by several calls')
elseif size > contract.GRAPH_ROOM_LOW and size > tonumber(graphs.most()) then
  reply.fail('TOOBIG', 'the parameters and results of this graph are over ' .. graphs.most() .. ' bytes, the setting'
    .. ' graph_bytes: pass references to them, or submit several graphs')
elseif number > contract.EDGES_HIGH then
  reply.fail('TOOMANY', 'these tasks wait for too many others: submit them by several calls')
elseif staged > total then
  reply.fail('BADARG', 'the graph has more tasks than its total')
end
local queues = {}
for queue in pairs(sizes) do
  if not redis.call('ZSCORE', namespace.declare(prefix .. 'queues'), queue) then
    queues[#queues + 1] = queue
  end
end
staging.plan_bounds(bounds)
namespace.probe('LLEN', graphs.tasks(id))
namespace.probe('LLEN', graphs.outside(id))
namespace.probe('ZCARD', graphs.all())
namespace.begin(graphs.due())

local done = staged == total
redis.call('ZADD', graphs.due(), done and namespace.now or namespace.decimal(namespace.now_us + graphs.STAGED), id)
redis.call('ZADD', graphs.all(), namespace.now, id)
redis.call('HSET', graphs.key(id), 'state', done and 'created' or 'staging', 'created', namespace.now,
  'total', total, 'left', total, 'staged', staged, 'bytes', size, 'runs', staging.runs_with(runs, new), unpack(facts))
for _, bound in ipairs(bounds or {}) do
  redis.call('HSET', bound.limits, bound.key, bound.places .. ' -')
end
for _, queue in ipairs(queues) do
  redis.call('ZADD', prefix .. 'queues', 0, queue)
end
staging.stage(new, id)
local ids = {}
for i, task in ipairs(new) do
  ids[i] = task.id
end
if ids[1] then
  redis.call('RPUSH', graphs.tasks(id), unpack(ids))
end
for _, task in ipairs(tasks) do
  if task.fields then
    redis.call('HSET', task.key, unpack(task.fields))
  end
end
edge_submit.enter(tasks, id)
return requests.keep(done and 'created' or 'staged')
