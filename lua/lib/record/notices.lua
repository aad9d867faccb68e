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

-- Seconds for which the open notices of a deleted task are kept: more than a notice is tried.
notices.LEFT = '345600'

-- Bytes of an error, and of the answer of a target, that are kept.
notices.TEXT = 1024

-- Word for no notices, even if the queue has the setting `notify`.
notices.NONE = 'none'

-- Returns the key of the notices of a task: `last`, the number of the last notice; for each notice its number →
-- `TARGET EVENT AT ATTEMPT FROM WHY BY TEXT`, and `NUMBER:` → `STATE TRIES AT ANSWER`; `/TARGET` → token and number of
-- the notice that a worker is delivering.
function notices.key(id)
  return namespace.key('notices', id)
end

-- Returns the key of the tasks with open notices for a target, by the time at which the next notice is due.
function notices.outbox(target)
  return namespace.key('outbox', target)
end

-- Checks targets, separated by commas: NAME, or NAME:EVENT+EVENT. Equal targets give equal text.
function notices.check(value, what)
  if value == notices.NONE then
    return value
  end
  local wanted, seen = {}, {}
  for one in string.gmatch(#value <= contract.NOTIFY_HIGH and value .. ',' or ',', '([^,]*),') do
    local target, events = string.match(one, '^([%w_.-]+)(.*)$')
    events = events and (events == '' and events or string.match(events, '^:(.+)$'))
    local named = events and notices.events(events)
    if not named or #target > contract.NEED_HIGH or target == notices.NONE or seen[target] then
      reply.fail('BADARG', what .. ' must be none, or names of targets, each once, with a colon and the states '
        .. 'complete, failed and cancelled joined by + or without, separated by commas')
    end
    seen[target] = true
    wanted[#wanted + 1] = named == '' and target or target .. ':' .. named
  end
  if #wanted > contract.TARGETS_HIGH then
    reply.fail('BADARG', what .. ' may name ' .. contract.TARGETS_HIGH .. ' targets at most')
  end
  table.sort(wanted, args.before)
  return table.concat(wanted, ',')
end

-- Returns the events of a target in their order, `''` for all, or nil if they are malformed.
function notices.events(text)
  local named = {}
  for event in string.gmatch(text ~= '' and text .. '+' or '', '([^+]*)%+') do
    if named[event] or not string.find(' complete failed cancelled ', ' ' .. event .. ' ', 1, true) or event == '' then
      return nil
    end
    named[event], named[#named + 1] = true, event
  end
  table.sort(named, args.before)
  return #named < 3 and table.concat(named, '+') or ''
end

-- Returns the targets that get a notice of an event.
function notices.targets(text, event)
  local targets = {}
  for target, events in string.gmatch(text ~= notices.NONE and text or '', '([%w_.-]+):?([%w+]*)') do
    if events == '' or string.find('+' .. events .. '+', '+' .. event .. '+', 1, true) then
      targets[#targets + 1] = target
    end
  end
  return targets
end

-- Plans the notices of a transition, or of a removal.
function notices.plan(task, to)
  local key = namespace.declare(notices.key(task.id))
  if to == 'deleted' then
    task.unsent = notices.any_open(key)
    return
  end
  task.notices = { last = tonumber(redis.call('HGET', key, 'last') or 0) }
  for _, target in ipairs(notices.targets(task.notify or notices.NONE, to)) do
    local full = namespace.probe('ZCARD', notices.outbox(target)) >= notices.MOST
    task.notices[#task.notices + 1] = { target = target, full = full }
  end
end

-- Appends the notices of a transition. `...`: fields and values that the transition has written to the record.
function notices.add(task, to, why, by, ...)
  local key, number, fields, text = notices.key(task.id), task.notices.last, { ... }, ''
  for i = 1, #fields, 2 do
    local name = fields[i]
    if name == 'error' or name == 'reason' then
      text = string.sub(fields[i + 1], 1, notices.TEXT)
    end
  end
  local what = table.concat({ to, record.time(task), task.attempt, task.status or '-', why, by == '' and '-' or by,
    text }, ' ')
  for _, notice in ipairs(task.notices) do
    number = number + 1
    local name, old = string.format('%d', number), string.format('%d', number - notices.KEPT)
    redis.call('HSET', key, 'last', name, name, notice.target .. ' ' .. what,
      name .. ':', notice.full and 'dropped 0 - the outbox of the target was full' or 'open 0 - ')
    redis.call('HDEL', key, old, old .. ':')
    if not notice.full then
      redis.call('ZADD', notices.outbox(notice.target), 'NX', string.format('%.0f', namespace.now_us), task.id)
    end
  end
  if number > task.notices.last then
    redis.call('PERSIST', key) -- an earlier task of this id may have been deleted
  end
end

-- Removes the notices of a deleted task, unless some are not delivered.
function notices.forget(task)
  if task.unsent then
    redis.call('EXPIRE', notices.key(task.id), notices.LEFT)
  else
    redis.call('UNLINK', notices.key(task.id))
  end
end

function notices.any_open(key)
  local fields = redis.call('HGETALL', key)
  for i = 2, #fields, 2 do
    if string.find(fields[i - 1], ':', 1, true) and string.find(fields[i], '^open ') then
      return true
    end
  end
  return false
end

-- Returns the notices of a task by their fields, and the lowest and the highest number.
function notices.read(id)
  local fields, found = redis.call('HGETALL', namespace.declare(notices.key(id))), {}
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

-- Takes up to `limit` due notices of a target, the next one of each task. Returns the taken notices, and the tasks that
-- have no open notice for the target any more.
function notices.due(target, limit, taken)
  local outbox, gone = notices.outbox(target), {}
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', namespace.declare(outbox), '-inf',
    string.format('%.0f', namespace.now_us), 'LIMIT', 0, limit)) do
    local found, low, high = notices.read(id)
    local notice = notices.first_open(found, low, high, target)
    if notice then
      notice.id, notice.outbox = id, outbox
      local v = redis.call('HMGET', namespace.key('task', id), 'queue', 'title', 'method')
      notice.queue, notice.title, notice.method = v[1] or '', v[2] or '', v[3] or ''
      taken[#taken + 1] = notice
    else
      gone[#gone + 1] = { outbox = outbox, id = id }
    end
  end
  return gone
end

-- Returns the delay before the next attempt to deliver a notice.
function notices.delay(tries)
  return math.min(notices.LONGEST_DELAY, notices.FIRST_DELAY * 2 ^ math.min(tries - 1, 20))
end
