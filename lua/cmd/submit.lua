--- Puts tasks into a queue: pending, or scheduled where an eta lies ahead.
-- @args now queue count (id eta parameters)*count
-- @options max_losses method max_bytes
-- @reply for each task `created`, or `existing` where the id was submitted before
-- @errors TOOBIG OTHERQUEUE
space.time(redis.call('HGET', space.meta, space.CLOCK))
local queue, count = ARGV[2], ARGV[3]
if not count then
  args.missing('queue count')
end
if #queue > 128 or not string.find(queue, args.PLAIN) then
  args.plain(queue, 'queue')
end
count = count == '1' and 1 or args.integer(count, 1, 500, 'count')
local last = 3 + 3 * count
if not ARGV[last] then
  reply.fail('BADARG', 'missing argument: id, eta or parameters')
end
local most, common = 1048576, {}
if ARGV[last + 1] then
  local options = args.options({
    max_losses = function(value, what) return args.integer(value, 0, 1000, what) end,
    method = args.plain, max_bytes = args.size,
  }, last)
  most = options.max_bytes or most
  for _, name in ipairs({ 'max_losses', 'method' }) do
    if options[name] then
      common[#common + 1], common[#common + 2] = name, options[name]
    end
  end
end

local prefix, now = space.prefix, space.now
local fresh, answer, seen, pending, scheduled = {}, {}, count > 1 and {}, nil, nil
for at = 4, last, 3 do
  local id, eta, parameters = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  if #id > 128 or not string.find(id, args.PLAIN) then
    args.plain(id, 'id')
  end
  if seen then
    if seen[id] then
      reply.fail('BADARG', 'an id stands twice in one call')
    end
    seen[id] = true
  end
  if #parameters > most then
    args.bytes(parameters, most, 'parameters')
  end
  eta = eta ~= '' and args.moment(eta, 'eta') or nil
  local found = redis.call('HGET', prefix .. 'task_' .. id, 'queue')
  if not found then
    local task = { id = id, queue = queue, parameters = parameters, attempt = '0', created = now, foreign = true }
    if eta and eta > space.us then
      task.eta = space.decimal(eta)
      scheduled = task
    else
      pending = task
    end
    fresh[#fresh + 1] = task
    if space.touched then
      space.touch(prefix .. 'task_' .. id)
    end
    answer[#answer + 1] = 'created'
  elseif found == queue then
    answer[#answer + 1] = 'existing'
  else
    reply.fail('OTHERQUEUE', 'this id is a task of another queue; ids are unique in a namespace')
  end
end
if #fresh == 0 then
  return answer
end

-- What `state.plan` reads. The index of all tasks is written first, and that write proves it itself.
local pending_key, wake, events = prefix .. 'pending_tasks_' .. queue, prefix .. 'wake_' .. queue, prefix .. 'events_' .. queue
redis.call('XLEN', events)
redis.call('LLEN', pending_key)
local known = redis.call('ZSCORE', prefix .. 'queues', queue)
state.asleep = redis.call('LLEN', wake) == 0
if scheduled then
  state.plan(scheduled, 'scheduled')
end
if space.touched then
  space.begin(prefix .. 'tasks_' .. queue, prefix .. 'queues', pending_key, wake, events)
end

for i = 1, #fresh do
  local task, more = fresh[i], common
  if task.eta then
    more = { 'eta', task.eta, unpack(common) }
  end
  state.move(task, task.eta and 'scheduled' or 'pending', 'submit', '',
    'queue', queue, 'parameters', task.parameters, 'created', now, 'attempt', '0', unpack(more))
end
if not known then
  redis.call('ZADD', prefix .. 'queues', 0, queue)
end
if pending then
  state.wake(queue)
end
return answer
