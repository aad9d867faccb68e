-- Notices: messages about tasks to targets outside the server, such as a webhook. Workers know the targets by name. The
-- script of a transition appends its notices to the outbox of each target, and workers deliver them. A task without the
-- option `notify` has no `n` in its flags, and costs nothing.
local notices = {}

-- Number of notices of a task that are kept. A newer notice replaces the oldest one, even if that one is not delivered.
notices.KEPT = 64

-- Maximum number of tasks with open notices for one target. A further notice is kept with its task, but not delivered.
notices.MOST = 100000

-- Microseconds after which a notice that a worker has taken is given to another worker.
notices.LEASE = 60000000

-- Delays in microseconds before a notice is tried again, and the age from which a failed notice is given up.
notices.FIRST_DELAY = 5000000
notices.LONGEST_DELAY = 3600000000
notices.GIVE_UP = 259200000000

-- Seconds for which the open notices of a deleted task are kept, longer than a notice is tried; and a hundred years, if
-- another task gets its id. `PERSIST` would need a further right for every submit.
notices.LEFT = '345600'
notices.FOREVER = '3153600000'

-- Bytes of an error, and of the answer of a target, that are kept.
notices.TEXT = 1024

-- Word for no notices, even if the queue has the setting `notify`.
notices.NONE = 'none'

-- Word for every end of a task, which is also the meaning of a target without events.
notices.END = 'end'

-- Returns the key of the notices of an owner: `last`, the number of the last notice; for each notice its number →
-- `TARGET EVENT AT ATTEMPT FROM WHY BY TEXT`, and `NUMBER:` → `STAGE TRIES ANSWERED ANSWER`; `/TARGET` → token and
-- number of the notice that a worker is delivering. The owner is the id of a task, or `/` and the id of a graph.
function notices.key(owner)
  local graph = notices.graph(owner)
  return graph and namespace.key('endings', graph) or namespace.key('notices', owner)
end

-- Returns the owner of notices for a kind of object, `task` or `graph`, and its id.
function notices.owner(of, subject)
  return of == 'graph' and '/' .. subject or subject
end

-- Returns the id of the graph that is an owner, or nil for a task.
function notices.graph(owner)
  return string.match(owner, '^/(.*)$')
end

-- Returns the key of the record of an owner.
function notices.record(owner)
  local graph = notices.graph(owner)
  return graph and namespace.key('graph', graph) or namespace.key('task', owner)
end

-- Returns the key of the owners with open notices for a target, by the time at which the next notice is due.
function notices.outbox(target)
  return namespace.key('outbox', target)
end

-- Returns the key of the owners with notices for a target that were given up, by the time at which that happened.
function notices.given_up(target)
  return namespace.key('given_up', target)
end

-- Returns the key of the targets that may have notices.
function notices.all()
  return namespace.prefix .. 'targets'
end

function notices.check_owner(value, what)
  args.plain(notices.graph(value) or value, what)
  return value
end

-- Returns an iterator over targets and their events, `''` for every end.
function notices.each(text)
  return string.gmatch(text ~= notices.NONE and text or '', '([%w_.-]+):?([%w+=-]*)')
end

-- Checks targets, separated by commas: NAME, or NAME:EVENT+EVENT. Equal targets give equal text.
function notices.check(value, what)
  if value == notices.NONE then
    return value
  end
  local wanted, seen = {}, {}
  for one in string.gmatch(#value <= contract.NOTIFY_HIGH and value .. ',' or ',', '([^,]*),') do
    local target, events = string.match(one, '^([%w_.-]+)(.*)$')
    events = events and (events == '' and notices.END or string.match(events, '^:(.+)$'))
    local named = events and notices.events(events)
    if not named or #target > contract.NEED_HIGH or target == notices.NONE or seen[target] then
      reply.fail('BADARG', what .. ' must be none, or names of targets, each once, such as ops,chat:failed+pending=1h;'
        .. ' the events are complete, failed, cancelled or end for all three, and with a time in s, m, h or d'
        .. ' pending, no-progress and deadline')
    end
    seen[target] = true
    wanted[#wanted + 1] = named == notices.END and target or target .. ':' .. named
  end
  if #wanted > contract.TARGETS_HIGH then
    reply.fail('BADARG', what .. ' may name ' .. contract.TARGETS_HIGH .. ' targets at most')
  end
  table.sort(wanted, args.before)
  return table.concat(wanted, ',')
end

-- Checks the targets of a graph, which has only ends.
function notices.check_graph(value, what)
  if watches.of(value) then
    reply.fail('BADARG', what .. ' of a graph may name only ends: complete, failed and cancelled; give pending,'
      .. ' no-progress and deadline to its tasks')
  end
  return notices.check(value, what)
end

-- Returns the events of a target in their order, or nil if they are malformed.
function notices.events(text)
  local named, ends, wanted = {}, 0, {}
  for one in string.gmatch(text .. '+', '([^+]*)%+') do
    local event, time = string.match(one, '^([%l-]+)=(.*)$')
    local known = event and watches.check(event, time) or not event and notices.is_end(one) and one
    if not known or named[event or one] then
      return nil
    end
    named[event or one] = true
    ends = ends + (event and 0 or 1)
    wanted[#wanted + 1] = known
  end
  if named[notices.END] or ends == #contract.ENDS then
    local timed = { notices.END }
    for _, known in ipairs(wanted) do
      timed[#timed + 1] = not notices.is_end(known) and known or nil
    end
    wanted = timed
  end
  table.sort(wanted, args.before)
  return table.concat(wanted, '+')
end

-- Returns true for an end, and for the word for every end.
function notices.is_end(event)
  return event == notices.END or contract.is_final(event)
end

-- Returns the targets that get a notice of an event: of an end, or of `EVENT=TIME`.
function notices.targets(text, event)
  local targets, ends = {}, notices.is_end(event)
  for target, events in notices.each(text) do
    local named = '+' .. events .. '+'
    if ends and (events == '' or string.find(named, '+' .. notices.END .. '+', 1, true))
      or string.find(named, '+' .. event .. '+', 1, true) then
      targets[#targets + 1] = target
    end
  end
  return targets
end

-- Plans the notices of a transition, or of a removal.
function notices.plan(task, to)
  if to == 'deleted' then
    task.unsent = notices.plan_removal(task.id)
  elseif notices.targets(task.notify or notices.NONE, to)[1] then
    task.notices = notices.plan_for(task.id, task.notify)
  end
end

-- Plans notices of an owner to the targets in `text`.
function notices.plan_for(owner, text)
  local plan = { owner = owner, text = text, kept = namespace.probe('HLEN', notices.key(owner)) > 0 }
  namespace.probe('SCARD', notices.all())
  for target in notices.each(text) do
    plan[target] = namespace.probe('ZCARD', notices.outbox(target))
  end
  return plan
end

-- Appends the notices of a transition. `...`: fields and values that the transition has written to the record.
function notices.add(task, to, why, by, ...)
  local fields, text = { ... }, ''
  for i = 1, #fields, 2 do
    if fields[i] == 'error' or fields[i] == 'reason' then
      text = string.sub(fields[i + 1], 1, notices.TEXT)
    end
  end
  notices.append(task.notices, to, record.time(task), task.attempt, task.status or '-', why, by == '' and '-' or by,
    text)
end

-- Appends a notice for each target of an event. `...`: the facts after the event.
function notices.append(plan, event, ...)
  local key, named = notices.key(plan.owner), string.match(event, '^[^=]+')
  for _, target in ipairs(notices.targets(plan.text, event)) do
    local number = redis.call('HINCRBY', key, 'last', 1)
    local name, old = string.format('%d', number), string.format('%d', number - notices.KEPT)
    local full = plan[target] >= notices.MOST
    redis.call('HSET', key, name, table.concat({ target, named, ... }, ' '),
      name .. ':', full and 'dropped 0 - the outbox of the target was full' or 'open 0 - ')
    redis.call('HDEL', key, old, old .. ':')
    if plan[target] == 0 then
      redis.call('SADD', notices.all(), target)
    end
    if not full then
      redis.call('ZADD', notices.outbox(target), 'NX', string.format('%.0f', namespace.now_us), plan.owner)
    end
  end
  if plan.kept then
    redis.call('EXPIRE', key, notices.FOREVER) -- an earlier owner of this id may have been deleted
  end
end

-- Plans the notices that a task has been pending for too long, if maintenance has not written them when they were due.
function notices.plan_late(task)
  for event in pairs(watches.due(task.watch, 'pending')) do
    local due = redis.call('ZSCORE', watches.key(), event .. ' ' .. task.id)
    if string.find(event, '^pending') and due and tonumber(due) <= namespace.now_us then
      task.late = task.late or { plan = notices.plan_for(task.id, task.watch.targets) }
      task.late[#task.late + 1] = event
    end
  end
end

function notices.add_late(task)
  for _, event in ipairs(task.late) do
    notices.add_timed(task.late.plan, task, event)
  end
end

-- Appends the notices of an event that is due at a time, `EVENT=TIME`.
function notices.add_timed(plan, task, event)
  local named, time = string.match(event, '^(.+)=(.+)$')
  notices.append(plan, event, namespace.now, task.attempt, task.status, named, '-', time)
  if named == 'pending' then
    task.watch.waited = (task.watch.waited and task.watch.waited .. ' ' or '') .. time
    redis.call('HSET', namespace.prefix .. 'task_' .. task.id, 'waited', task.watch.waited)
  end
end

-- Removes the notices of a deleted owner, unless some are open.
function notices.forget(owner, unsent)
  for _, target in ipairs(unsent) do
    redis.call('ZREM', notices.given_up(target), owner)
  end
  if unsent.open then
    redis.call('EXPIRE', notices.key(owner), notices.LEFT)
  else
    redis.call('UNLINK', notices.key(owner))
  end
end

-- Plans the removal of an owner: returns the targets whose notices were given up, and `open`, true if a notice is open.
function notices.plan_removal(owner)
  local found, low, high = notices.read(owner)
  local unsent = { open = notices.first_open(found, low, high) ~= nil }
  for number = low, high do
    local notice = notices.parse(found, number)
    if notice and notice.stage == 'given_up' then
      namespace.probe('ZCARD', notices.given_up(notice.target))
      unsent[#unsent + 1] = notice.target
    end
  end
  return unsent
end

-- Returns the notices of an owner by their fields, and the lowest and the highest number.
function notices.read(owner)
  local fields, found = redis.call('HGETALL', namespace.declare(notices.key(owner))), {}
  for i = 1, #fields, 2 do
    found[fields[i]] = fields[i + 1]
  end
  local last = tonumber(found.last or 0)
  return found, math.max(1, last - notices.KEPT + 1), last
end

-- Parses a notice. Returns nil if it is not kept.
function notices.parse(found, number)
  local name = string.format('%d', number)
  local target, event, at, tried, from, why, by, text = string.match(found[name] or '',
    '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (.*)$')
  local stage, tries, answered, answer = string.match(found[name .. ':'] or '', '^(%S+) (%S+) (%S+) (.*)$')
  return target and stage and { number = name, target = target, event = event, at = at, attempt = tried,
    from = from ~= '-' and from or '', why = why, by = by ~= '-' and by or '', text = text, stage = stage,
    tries = tries, answered = answered ~= '-' and answered or '', answer = answer }
end

-- Returns the first open notice for a target, or for any target, or nil.
function notices.first_open(found, low, high, target)
  for number = low, high do
    local notice = notices.parse(found, number)
    if notice and notice.target == (target or notice.target) and notice.stage == 'open' then
      return notice
    end
  end
end

-- Takes up to `limit` due notices of a target, the next one of each owner. Adds them to `taken`, and the owners
-- without an open notice for the target to `gone`.
function notices.due(target, limit, taken, gone)
  local outbox = notices.outbox(target)
  for _, owner in ipairs(redis.call('ZRANGEBYSCORE', namespace.declare(outbox), '-inf',
    string.format('%.0f', namespace.now_us), 'LIMIT', 0, limit)) do
    local found, low, high = notices.read(owner)
    local notice = notices.first_open(found, low, high, target)
    if notice then
      local graph = notices.graph(owner)
      local v = redis.call('HMGET', notices.record(owner), 'queue', graph and 'name' or 'title', 'method')
      notice.of, notice.subject = graph and 'graph' or 'task', graph or owner
      notice.queue, notice.title, notice.method = v[1] or '', v[2] or '', v[3] or ''
      notice.owner, notice.outbox = owner, outbox
      taken[#taken + 1] = notice
    else
      gone[#gone + 1] = { outbox = outbox, owner = owner }
    end
  end
end

-- Plans to make the open and the given-up notices of an owner for a target due at once.
function notices.plan_redelivery(owner, target)
  local key, outbox = notices.key(owner), notices.outbox(target)
  namespace.probe('HLEN', key)
  local found, low, high = notices.read(owner)
  local due = tonumber(redis.call('ZSCORE', outbox, owner) or nil)
  local later = due and due > namespace.now_us
  local plan = { owner = owner, key = key, fields = {} }
  if found['/' .. target] and later then
    return plan -- a worker is delivering a notice
  end
  for number = low, high do
    local notice = notices.parse(found, number)
    if notice and notice.target == target and notice.stage == 'given_up' then
      reply.add(plan.fields, notice.number .. ':', 'open ' .. string.match(found[notice.number .. ':'], ' (.*)$'))
    end
  end
  plan.number = #plan.fields / 2 + (later and 1 or 0)
  return plan
end

-- Makes the planned notices due. Returns their number.
function notices.redeliver(plan, target)
  if (plan.number or 0) == 0 then
    return 0
  end
  redis.call('ZADD', notices.outbox(target), string.format('%.0f', namespace.now_us), plan.owner)
  if plan.fields[1] then
    redis.call('ZREM', notices.given_up(target), plan.owner)
    redis.call('HSET', plan.key, unpack(plan.fields))
  end
  return plan.number
end

-- Returns the delay before the next attempt to deliver a notice.
function notices.delay(tries)
  return math.min(notices.LONGEST_DELAY, notices.FIRST_DELAY * 2 ^ math.min(tries - 1, 20))
end
