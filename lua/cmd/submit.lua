--- Puts tasks into a queue: pending, or scheduled where an eta lies ahead.
-- @args now queue count (id eta parameters)*count
-- @options max_losses max_bytes
-- @reply for each task `created`, or `existing` where the id was submitted before
-- @errors TOOBIG OTHERQUEUE
local function losses(value, what)
  return args.integer(value, 0, 1000, what)
end

space.open()
local queue = args.plain(args.next('queue'), 'queue')
local count = args.integer(args.next('count'), 1, 500, 'count')
local tasks, seen = {}, {}
for i = 1, count do
  local id = args.plain(args.next('id'), 'id')
  local eta = args.next('eta')
  if seen[id] then
    reply.fail('BADARG', 'an id stands twice in one call')
  end
  seen[id] = true
  tasks[i] = { id = id, eta = eta ~= '' and args.moment(eta, 'eta') or 0, parameters = args.next('parameters') }
end
local options = args.options({ max_losses = losses, max_bytes = args.size })

local answer, fresh, kinds = {}, {}, {}
for i = 1, count do
  local task = tasks[i]
  args.bytes(task.parameters, options.max_bytes, 'parameters')
  local found = record.find(task.id)
  if not found then
    task.key, task.queue, task.attempt = space.prefix .. 'task_' .. task.id, queue, '0'
    task.foreign, task.created = true, space.now
    task.to = task.eta > space.us and 'scheduled' or 'pending'
    kinds[task.to] = task
    fresh[#fresh + 1] = task
    answer[i] = 'created'
  elseif found.queue == queue then
    answer[i] = 'existing'
  else
    reply.fail('OTHERQUEUE', 'this id is a task of another queue; ids are unique in a namespace')
  end
end
if #fresh == 0 then
  return answer
end

for to, task in pairs(kinds) do
  state.plan(task, to)
end
local known = redis.call('ZSCORE', space.touch(space.prefix .. 'queues'), queue)
space.begin()

for i = 1, #fresh do
  local task = fresh[i]
  local fields = { 'queue', queue, 'parameters', task.parameters, 'created', task.created, 'attempt', '0' }
  local change = { fields = fields, why = 'submit' }
  if task.to == 'scheduled' then
    change.eta = space.decimal(task.eta)
    fields[9], fields[10] = 'eta', change.eta
  end
  if options.max_losses then
    fields[#fields + 1], fields[#fields + 2] = 'max_losses', options.max_losses
  end
  state.move(task, task.to, change)
end
if not known then
  redis.call('ZADD', space.prefix .. 'queues', 0, queue)
end
if kinds.pending then
  state.wake(queue)
end
return answer
