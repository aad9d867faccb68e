--- Adds tasks to a queue. A new task is pending, scheduled if its eta is in the future, or waiting if it waits for
--   other tasks. With `again`, a finished task begins a new round, and a waiting task is changed. With `once_more` as
--   well, a task that an attempt holds begins a new round when the current round has ended.
-- @args now queue count (id eta parameters)*count
-- @role client
-- @options task.* inputs again once_more hold by request
-- @reply for each task `created`, or `existing` if the id was submitted before; with a unique name `existing` or
--   `replaced`, and the id of the other task; with `again` the word `created`, `again`, `changed`, `existing` or
--   `later`, and the number of the round
-- @errors TOOBIG OTHERQUEUE CLOSED DUPLICATE NOTASK UPSTREAM OVERDUE STATE TOOMANY task.*
local queue, count = ARGV[2], ARGV[3]
if not count then
  args.missing('queue count')
end
if #queue > contract.NAME_HIGH or not string.find(queue, args.PLAIN) then
  args.plain(queue, 'queue')
end
local meta = redis.call('HMGET', namespace.meta, namespace.CLOCK, 'settings:' .. queue, 'settings', 'patterns')
namespace.open_at(meta[1])
count = count == '1' and 1 or args.integer(count, 1, contract.COUNT_HIGH, 'count')
local last = 3 + 3 * count
if not ARGV[last] then
  reply.fail('BADARG', 'missing argument: id, eta or parameters')
end
local most, spec, request, again, once_more, by = contract.PAYLOAD_HIGH, nil, nil, nil, nil, nil
local notify = (meta[2] or meta[3]) and settings.value(meta[2], meta[3], 'notify')
if ARGV[last + 1] then
  local options = args.options(last)
  request, options.request = options.request, nil
  again, options.again = options.again, nil
  once_more, options.once_more = options.once_more, nil
  by, options.by = options.by, nil
  -- Without options other than a request id, the tasks are plain.
  if next(options) or again then
    options.notify = options.notify or notify or nil
    spec = creation.spec(options)
    if spec.hold then
      if spec.inputs or again then
        reply.fail('BADARG', 'hold goes without inputs and again: hold the task when it is pending')
      end
      spec.fields[#spec.fields + 1], spec.fields[#spec.fields + 2] = 'held_by', by or ''
    end
    if spec.unique and count > 1 then
      reply.fail('BADARG', 'a unique name is for one task: count must be 1')
    elseif spec.inputs and count * #spec.inputs.upstreams > contract.EDGES_HIGH then
      reply.fail('TOOMANY', 'these tasks wait for too many others: submit them by several calls')
    elseif again then
      rerun.check(count, spec, request)
    end
  end
  if once_more and not again then
    reply.fail('BADARG', 'once_more goes with again')
  end
end
if notify and not spec then
  spec = creation.spec({ notify = notify })
end
if meta[2] or meta[3] then
  most = tonumber(settings.value(meta[2], meta[3], 'max_bytes'))
end
most = spec and spec.max_bytes or most

if request then
  requests.replay('submit', request)
end

local prefix, now = namespace.prefix, namespace.now
local fresh, answer, seen, pending, later, begins, size = {}, {}, count > 1 and {}, nil, nil, nil, 0
for at = 4, last, 3 do
  local id, eta, parameters = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  if #id > contract.NAME_HIGH or not string.find(id, args.PLAIN) then
    args.plain(id, 'id')
  end
  if seen then
    if seen[id] then
      reply.fail('BADARG', 'an id is given twice in one call')
    end
    seen[id] = true
    size = size + #parameters
    if size > creation.BYTES then
      reply.fail('TOOBIG', 'the parameters of this call are over 8388608 bytes: submit the tasks in several calls')
    end
  end
  if #parameters > most then
    args.bytes(parameters, most, 'parameters')
  end
  eta = eta ~= '' and args.time_or_none(eta, 'eta') or nil
  local found = redis.call('HGET', prefix .. 'task_' .. id, 'queue')
  if not found then
    local task = { id = id, queue = queue, parameters = parameters, attempt = '0', created = now, foreign = true }
    if eta and eta > namespace.now_us then
      task.eta = namespace.decimal(eta)
    end
    if spec and spec.inputs then
      edge_submit.look(task, spec.inputs)
    end
    local to = spec and creation.apply(task, spec) or task.eta and 'scheduled' or 'pending'
    if to == 'pending' then
      pending = task
    else
      later, begins = task, to
    end
    fresh[#fresh + 1] = task
    if namespace.declared then
      namespace.declare(prefix .. 'task_' .. id)
    end
    answer[#answer + 1] = 'created'
  elseif again then
    return requests.keep(rerun.submit(id, { queue = queue, parameters = parameters, eta = eta or false,
      request = request, by = by, options = once_more and queued_round.options(last) or nil }, spec))
  elseif found == queue then
    answer[#answer + 1] = 'existing'
  else
    reply.fail('OTHERQUEUE', 'this id is a task of another queue; ids are unique in a namespace')
  end
end
if #fresh == 0 then
  return answer
end
if meta[2] or meta[3] then
  creation.require_open(meta[2], meta[3])
end
local rival
if spec and spec.unique then
  local other
  other, rival = creation.conflict(fresh[1], spec)
  if other then
    answer = { rival and 'replaced' or 'existing', other }
  end
  if other and not rival then
    return answer
  end
  for _, edge in ipairs(rival and fresh[1].edges or {}) do
    if edge.up.id == rival.id then
      reply.fail('BADARG', 'a task cannot wait for the one that it replaces')
    end
  end
end

-- The index of all tasks is written first: if that key has another type, this write fails and nothing is changed.
local pending_key, wake, events = prefix .. 'pending_tasks_' .. queue, prefix .. 'wake_' .. queue,
  prefix .. 'events_' .. queue
state.read_entered(events, 'LLEN', pending_key)
local known = redis.call('ZSCORE', prefix .. 'queues', queue)
local idle, sets = redis.call('LLEN', wake) == 0, meta[4]
if later then
  namespace.probe(begins == 'held' and 'LLEN' or 'ZCARD',
    prefix .. (begins == 'scheduled' and later.ranked and 'scheduled_ranked' or begins) .. '_tasks_' .. queue)
end
if spec and spec.flags then
  creation.plan(pending or later)
end
if rival then
  rival.later = fresh[1].edges and fresh[1].edges[1] and true -- the new task may wait for the rival's dependents
  state.plan(rival, 'cancelled')
end
local may, role = redis.acl_check_cmd, namespace.prefix .. rights.ROLE
if spec then
  rights.require()
elseif may and not (may('HSET', role, '', '') and may('LPUSH', pending_key, '')
  and may('XADD', events, '*', '', '')
  and (not request or may('HDEL', namespace.meta, '') and may('EXPIRE', namespace.meta, '1'))) then
  rights.require()
end
if namespace.declared then
  namespace.begin_declared(prefix .. 'tasks_' .. queue, prefix .. 'queues', pending_key, wake, events)
end

if rival then
  -- This write is refused when memory is full, before anything is lost.
  redis.call('ZADD', prefix .. 'tasks_' .. queue, now, fresh[1].id)
  state.move(rival, 'cancelled', 'replaced', '', 'reason', 'replaced by ' .. fresh[1].id)
  -- The end of the rival may have woken listeners: both values are read again.
  idle, sets = redis.call('LLEN', wake) == 0, redis.call('HGET', namespace.meta, 'patterns')
end
for i = 1, #fresh do
  local task = fresh[i]
  if spec then
    creation.insert(task, spec, 'submit')
  elseif task.eta then
    state.move(task, 'scheduled', 'submit', '',
      'queue', queue, 'parameters', task.parameters, 'created', now, 'attempt', '0', 'eta', task.eta)
  else
    state.move(task, 'pending', 'submit', '',
      'queue', queue, 'parameters', task.parameters, 'created', now, 'attempt', '0')
  end
end
if not known then
  redis.call('ZADD', prefix .. 'queues', 0, queue)
end
if pending then
  wakeups.send(queue, idle, sets)
elseif sets then
  wakeups.list_ready(queue)
end
if request then
  namespace.shared('request').begun = true
  answer[2] = again and 1 or answer[2]
  return requests.keep(answer)
end
return answer
