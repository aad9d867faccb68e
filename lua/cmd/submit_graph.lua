--- Submits tasks of a graph, which wait for one another: all that it has, up to 100 in a call. With the last one the
--   graph is created; before, nobody sees anything of it. A task comes after those that it waits for.
-- @args now graph total count (id queue eta parameters inputs options)*count
-- @options name on_failure tags bounds deadline request
-- @reply `staged` while tasks are missing, `created`, or `existing` if this graph was created before
-- @errors TOOBIG OTHERQUEUE CLOSED NOTASK UPSTREAM OVERDUE task.*
-- @since 0.2.0
namespace.open()
local id = args.plain(args.next('graph'), 'graph')
local total = args.integer(args.next('total'), contract.GRAPH_SIZE_LOW, contract.GRAPH_SIZE_HIGH, 'total')
local count = args.integer(args.next('count'), contract.GRAPH_COUNT_LOW, contract.GRAPH_COUNT_HIGH, 'count')
local last = 4 + 6 * count
if not ARGV[last] then
  reply.fail('BADARG', 'missing argument: id, queue, eta, parameters, inputs or options')
end
local options = args.options(last)
local facts, request, bounds = graphs.facts(options), options.request, options.bounds
local common = options.deadline
local replied, answer = requests.find('submit_graph', request)
if replied then
  return answer
end

local known = redis.call('HMGET', namespace.declare(graphs.key(id)), 'state', 'total', 'staged')
if known[1] == 'created' then
  return 'existing'
elseif known[2] and tonumber(known[2]) ~= total then
  reply.fail('BADARG', 'the graph has another total: it is the same in all calls of a graph')
end

local tasks, fresh, queues, staged, bytes, number = {}, {}, {}, tonumber(known[3] or 0), 0, 0
local function upstream(wish)
  return fresh[wish] or graphs.staged(wish, id) or record.get(wish)
end
for at = 5, last, 6 do
  local task = { id = args.plain(ARGV[at], 'id'), queue = args.plain(ARGV[at + 1], 'queue'), status = 'staged',
    parameters = ARGV[at + 3] }
  local eta = args.time_or_none(ARGV[at + 2], 'eta')
  local label
  options, label = graphs.options(ARGV[at + 5])
  local wanted = ARGV[at + 4] ~= '' and edges.parse(ARGV[at + 4], 'inputs', true)
  options.inputs = wanted or nil
  if common and not (options.deadline and tonumber(options.deadline) < tonumber(common)) then
    options.deadline = common
  end
  local most = options.max_bytes or tonumber(settings.get(task.queue, 'max_bytes'))
  args.bytes(task.parameters, most, 'parameters')
  bytes = bytes + #task.parameters
  if fresh[task.id] then
    reply.fail('BADARG', 'an id is given twice in one call')
  end
  creation.require_open(unpack(namespace.shared('settings')[task.queue], 1, 2)) -- `max_bytes` was found there
  task.key = namespace.declare(namespace.key('task', task.id))
  local before = redis.call('HMGET', task.key, 'status', 'graph', 'queue', 'ties', 'inputs')
  if before[3] and (before[1] or before[2] ~= id or before[3] ~= task.queue) then
    reply.fail('OTHERQUEUE', 'an id is a task already that is not of this graph; ids are unique in a namespace')
  end
  task.continues = before[3] and true
  if options.deadline and not task.continues then
    deadlines.require_ahead(options.deadline)
  end
  task.spec = creation.spec(options)
  task.ties = task.continues and before[4] or (task.spec.ties or '') .. 'g'
  task.eta = eta and namespace.decimal(eta)
  task.label = label
  if task.continues and wanted then
    local there, all = {}, { before[5] or nil }
    for entry in string.gmatch(before[5] or '', '%S+') do
      there[entry] = true
    end
    for _, entry in ipairs(wanted.text) do
      all[#all + 1] = not there[entry] and entry or nil
    end
    task.inputs = table.concat(all, ' ')
  end
  if wanted then
    number = number + #wanted.upstreams + #wanted.values
    edges.look(task, wanted, upstream)
  end
  if task.spec.claims and task.spec.claims.needs then
    creation.require_few_needs(task.queue, task.spec.claims.needs)
  end
  tasks[#tasks + 1], fresh[task.id] = task, task
  staged = staged + (task.continues and 0 or 1)
  queues[task.queue] = true
end
if bytes > creation.BYTES then
  reply.fail('TOOBIG', 'the parameters of this call are over 8388608 bytes: submit the tasks by several calls')
elseif number > contract.EDGES_HIGH then
  reply.fail('TOOMANY', 'these tasks wait for too many others: submit them by several calls')
elseif staged > total then
  reply.fail('BADARG', 'the graph has more tasks than its total')
end
for queue in pairs(queues) do
  queues[queue] = redis.call('ZSCORE', namespace.declare(namespace.prefix .. 'queues'), queue) and 'known' or 'new'
end
graphs.plan_bounds(bounds)
namespace.probe('LLEN', graphs.tasks(id))
namespace.probe('LLEN', graphs.outside(id))
namespace.probe('ZCARD', graphs.all())
namespace.begin(graphs.due())

local done = staged == total
redis.call('ZADD', graphs.due(), done and namespace.now or namespace.decimal(namespace.now_us + graphs.STAGED), id)
redis.call('ZADD', graphs.all(), namespace.now, id)
redis.call('HSET', graphs.key(id), 'state', done and 'created' or 'staging', 'created', namespace.now,
  'total', total, 'left', total, 'staged', staged, unpack(facts))
for _, bound in ipairs(bounds or {}) do
  redis.call('HSET', bound.limits, bound.key, bound.places .. ' -')
end
for queue, is in pairs(queues) do
  if is == 'new' then
    redis.call('ZADD', namespace.prefix .. 'queues', 0, queue)
  end
end
for _, task in ipairs(tasks) do
  if not task.continues then
    redis.call('HSET', task.key, 'queue', task.queue, 'parameters', task.parameters,
      'created', namespace.now, 'updated', namespace.now, 'attempt', '0', 'graph', id, unpack(task.spec.fields))
    redis.call('HSET', task.key, 'ties', task.ties)
    if task.label then
      redis.call('HSET', task.key, 'label', task.label)
    end
    if task.eta then
      redis.call('HSET', task.key, 'eta', task.eta)
    end
    redis.call('RPUSH', graphs.tasks(id), task.id)
  elseif task.inputs then
    redis.call('HSET', task.key, 'inputs', task.inputs)
    local ties = redis.call('HGET', task.key, 'ties')
    if not string.find(ties, 'w', 1, true) then
      redis.call('HSET', task.key, 'ties', ties .. 'w')
    end
  end
  if task.edges then
    edges.enter(task, id)
  end
end
return requests.keep(done and 'created' or 'staged')
