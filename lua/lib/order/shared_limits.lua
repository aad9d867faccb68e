-- Shared limits: named limits of the namespace. Tasks of any queue take places of them. A task may need places of
-- several limits; it takes either all of them at once or no place. The tasks of a queue with the same needs and the
-- same places are in one order, their class. `reserve` looks at the class, never at its tasks. If a listener asks for a
-- class without success, the class waits its turn in the order of each of its limits, from that time until one of its
-- tasks is taken. So queues take turns.
--
-- No task holds a place while it waits for another place, so there are no deadlocks. The first class in the order of a
-- limit holds back all classes that ask later, until it has its places. All further classes hold back only the places
-- that they could take now. So the class that has waited longest is served as soon as its places are free: light tasks
-- do not starve a heavy task, and tasks of one limit do not starve a task of several limits.
local shared_limits = {}

-- Maximum number of shared limits of a namespace.
shared_limits.MOST = 10000

-- Microseconds during which a place is kept for the class whose turn it is, once the class can take it.
shared_limits.TURN = 5000000

-- Microseconds after which a blocked class checks its limits again if no wake-up arrives.
shared_limits.AGAIN = 10000000

-- Maximum number of classes in the order of a limit that are checked in a call.
shared_limits.LOOKS = 16

-- Maximum number of unused limits that are removed in a call.
shared_limits.REMOVED = 16

-- Number of queues that are woken when a place is free. A queue that is woken before its turn only checks its limits,
-- and does not pass the wake-up on.
shared_limits.WOKEN = 4

function shared_limits.limits_key()
  return namespace.prefix .. 'shared_limits'
end

function shared_limits.places_key()
  return namespace.prefix .. 'shared_places'
end

function shared_limits.waits_key()
  return namespace.prefix .. 'shared_waits'
end

function shared_limits.tasks_key()
  return namespace.prefix .. 'shared_tasks'
end

function shared_limits.expires_key()
  return namespace.prefix .. 'shared_expires'
end

function shared_limits.idle_key()
  return namespace.prefix .. 'shared_idle'
end

function shared_limits.turns_key(name)
  return namespace.prefix .. 'shared_turns_' .. name
end

function shared_limits.starts_key(name)
  return namespace.prefix .. 'shared_rate_' .. name
end

-- Checks shared limits, separated by commas: NAME or NAME:PLACES. Each limit must exist and have at least this number
-- of places. Equal places give equal text.
function shared_limits.check(value, what)
  local wanted, seen = {}, {}
  for one in string.gmatch(#value <= contract.LIMITS_HIGH and value .. ',' or ',', '([^,]*),') do
    local name, places = string.match(one, '^([%w_.-]+)(.*)$')
    local weight = places == '' and 1 or #(places or '') <= 5 and tonumber(string.match(places or '', '^:(%d+)$'))
    if not name or #name > contract.NEED_HIGH or not weight or weight < 1 or weight > contract.WEIGHT_HIGH
      or seen[name] then
      reply.fail('BADARG', what .. ' must be names of shared limits, each once, with a colon and 1 to '
        .. contract.WEIGHT_HIGH .. ' places or without, separated by commas')
    end
    seen[name] = weight
    wanted[#wanted + 1] = weight > 1 and name .. ':' .. string.format('%d', weight) or name
  end
  if #wanted > contract.LIMITS_COUNT_HIGH then
    reply.fail('BADARG', what .. ' may be ' .. contract.LIMITS_COUNT_HIGH .. ' at most')
  end
  for name, weight in pairs(seen) do
    local own = redis.call('HGET', shared_limits.limits_key(), name)
    local most = own and tonumber(string.match(own, '^%d+'))
    if not own then
      reply.fail('NOLIMIT', 'there is no shared limit ' .. name .. ': set it with limit, then repeat the call')
    elseif most and weight > most then
      reply.fail('NOLIMIT', 'the shared limit ' .. name .. ' has ' .. most .. ' places, fewer than ' .. weight
        .. ': such a task would never run')
    end
  end
  table.sort(wanted, args.before)
  return table.concat(wanted, ',')
end

-- Returns the shared limits of a class as text, or nil.
function shared_limits.of(class)
  return string.match(class, '|(.+)$')
end

-- Parses the text of shared limits into a list.
function shared_limits.parts(set)
  local parts = {}
  for name, weight in string.gmatch(set, '([%w_.-]+):?(%d*)') do
    parts[#parts + 1] = { name = name, weight = tonumber(weight) or 1 }
  end
  return parts
end

-- Reads the limits that are not in `known` yet: the `most` places of each, its `rate`, the places `used`, and `missing`
-- if the limit does not exist.
function shared_limits.read(known, parts)
  local names = {}
  for _, part in ipairs(parts) do
    if not known[part.name] then
      known[part.name] = {}
      names[#names + 1] = part.name
    end
  end
  if not names[1] then
    return
  end
  local own = redis.call('HMGET', shared_limits.limits_key(), unpack(names))
  local used = redis.call('HMGET', shared_limits.places_key(), unpack(names))
  for i, name in ipairs(names) do
    local most, rate = string.match(own[i] or '', '^(%S+) (%S+)$')
    known[name] = { missing = not most, most = tonumber(most), rate = rate ~= '-' and rate or nil,
      used = tonumber(used[i] or 0) }
  end
end

-- Returns true if there is room for these places. If only rates forbid a start, also returns when they will allow it.
function shared_limits.fits(known, parts)
  local free
  for _, part in ipairs(parts) do
    local limit = known[part.name]
    if limit.missing or limit.most and limit.used + part.weight > limit.most then
      return false
    end
    local at = limits.allowed_at(shared_limits.starts_key(part.name), limit.rate, 0, 0)
    free = at > namespace.now_us and math.max(free or 0, at) or free
  end
  return not free, free
end

-- Returns true if these places can never be taken under the current limits.
function shared_limits.hopeless(known, parts)
  for _, part in ipairs(parts) do
    local limit = known[part.name]
    if limit.missing or limit.most and part.weight > limit.most then
      return true
    end
  end
end

-- Returns a `pool` for the classes of a queue that `waiting` lists, name and value in turn. `admits` adds the data that
-- the call must write.
--   known     the limits, by name
--   parts     the shared limits of each class
--   asked     when a listener asked for the class without success, and when the class was offered its places, as stored
--   asks      classes that wait from now on, or whose offer came too late
--   offers    classes of other queues that could take their places, and are notified
--   gone      classes that did not take their places, or have no task left
--   free      time of the next change without a notification
function shared_limits.look(queue, waiting)
  local pool = { queue = queue, known = {}, parts = {}, asked = {}, admitted = {}, asks = {}, offers = {}, gone = {} }
  local members, classes, all = {}, {}, {}
  local of, parse = shared_limits.of, shared_limits.parts
  for i = 1, #waiting, 2 do
    local set = of(waiting[i])
    if set then
      classes[#classes + 1], members[#members + 1] = waiting[i], queue .. ' ' .. waiting[i]
      pool.parts[waiting[i]] = parse(set)
      for _, part in ipairs(pool.parts[waiting[i]]) do
        all[#all + 1] = part
      end
    end
  end
  shared_limits.read(pool.known, all)
  local asked = redis.call('HMGET', shared_limits.waits_key(), unpack(members))
  for i, class in ipairs(classes) do
    pool.asked[class] = asked[i] or nil
  end
  return pool
end

-- Returns true if a class cannot get its places, and nothing new about the class needs to be stored.
function shared_limits.is_shut(pool, class)
  local asked = pool.asked[class]
  if asked and string.find(asked, ' ', 1, true) then
    return false
  end
  for _, part in ipairs(pool.parts[class]) do
    local limit = pool.known[part.name]
    if limit.missing
      or limit.most and (part.weight > limit.most or asked and limit.used + part.weight > limit.most) then
      return true
    end
  end
  return false
end

-- Returns true if a class of another queue has no task to take: it has no task at all, its queue is paused, or it was
-- offered its places and no listener came. Also returns the time of the offer.
function shared_limits.is_gone(member, asked)
  local queue, class = string.match(member, '^(%S+) (%S+)$')
  local offered = tonumber(string.match(asked or '', ' (%d+)$'))
  return not asked or offered and offered + shared_limits.TURN <= namespace.now_us
    or redis.call('HEXISTS', namespace.meta, 'paused:' .. queue) == 1
    or redis.call('HEXISTS', namespace.key('needs', queue), class) == 0, offered
end

-- Returns true if the classes whose turn comes earlier leave enough of a limit for a class. If not, also returns when
-- that may change without a notification, and the class whose turn it is.
function shared_limits.leaves(pool, part, member)
  local limit, now = pool.known[part.name], namespace.now_us
  local places, starts, first, change = 0, 0, true, now + shared_limits.AGAIN
  for _, other in ipairs(redis.call('ZRANGE', shared_limits.turns_key(part.name), 0, shared_limits.LOOKS - 1)) do
    if other == member then
      return true
    end
    local gone, offered = shared_limits.is_gone(other, redis.call('HGET', shared_limits.waits_key(), other))
    if gone or pool.left and pool.left[other] then -- `left`: in `peek`, classes that had their turn
      pool.gone[other] = true
    else
      local parts, weight = shared_limits.parts(shared_limits.of(other)), 1
      shared_limits.read(pool.known, parts)
      for _, own in ipairs(parts) do
        weight = own.name == part.name and own.weight or weight
      end
      local fits = shared_limits.fits(pool.known, parts)
        and not (limit.most and limit.used + places + weight > limit.most)
      if fits then
        pool.offers[other] = not offered or nil
        change = math.min(change, (offered or now) + shared_limits.TURN)
      end
      if first or fits then
        places, starts = places + weight, starts + 1
      end
      first = false
      if limit.most and limit.used + places + part.weight > limit.most
        or limits.allowed_at(shared_limits.starts_key(part.name), limit.rate, 0, starts) > now then
        return false, change, other
      end
    end
  end
  return true
end

-- Returns true if a class that has a task for this listener may have its places now.
function shared_limits.admits(pool, class)
  if pool.admitted[class] ~= nil then
    return pool.admitted[class]
  end
  local parts, member = pool.parts[class], pool.queue .. ' ' .. class
  local may, free = shared_limits.fits(pool.known, parts)
  for _, part in ipairs(may and parts or {}) do
    local leaves, change = shared_limits.leaves(pool, part, member)
    may = may and leaves
    free = change and math.min(free or math.huge, change) or free
  end
  if not may and not shared_limits.hopeless(pool.known, parts) then
    local since = string.match(pool.asked[class] or '', '^%d+')
    if not since or pool.asked[class] ~= since then
      pool.asks[member] = since or string.format('%.0f', namespace.now_us)
    end
    pool.free = free and math.min(pool.free or math.huge, free) or pool.free
  end
  pool.admitted[class] = may
  return may
end

-- Removes the class of the taken task from the waiting classes: it has had its turn.
function shared_limits.plan_write(pool)
  local served = pool.served and pool.asked[pool.served] and pool.queue .. ' ' .. pool.served
  if served then
    pool.gone[served], pool.asks[served] = true, nil
  end
  if not (next(pool.asks) or next(pool.offers) or next(pool.gone)) then
    return
  end
  namespace.probe('HLEN', shared_limits.waits_key())
  for _, members in ipairs({ pool.asks, pool.gone }) do
    for member in pairs(members) do
      for _, part in ipairs(shared_limits.parts(shared_limits.of(member))) do
        namespace.probe('ZCARD', shared_limits.turns_key(part.name))
      end
    end
  end
  for member in pairs(pool.offers) do
    wakeups.plan(string.match(member, '^%S+'))
  end
end

function shared_limits.write(pool)
  for member in pairs(pool.gone) do
    redis.call('HDEL', shared_limits.waits_key(), member)
    for _, part in ipairs(shared_limits.parts(shared_limits.of(member))) do
      redis.call('ZREM', shared_limits.turns_key(part.name), member)
    end
  end
  for member, since in pairs(pool.asks) do
    redis.call('HSET', shared_limits.waits_key(), member, since)
    for _, part in ipairs(shared_limits.parts(shared_limits.of(member))) do
      redis.call('ZADD', shared_limits.turns_key(part.name), since, member)
    end
  end
  for member in pairs(pool.offers) do
    local since = string.match(redis.call('HGET', shared_limits.waits_key(), member) or '', '^%d+')
    if since then
      redis.call('HSET', shared_limits.waits_key(), member, since .. ' ' .. string.format('%.0f', namespace.now_us))
      wakeups.wake(string.match(member, '^%S+'))
    end
  end
end

-- Plans to release these places, or to take them if `queue` is nil. `queue`: the queue of the task that holds them.
function shared_limits.plan(set, queue)
  namespace.probe('HLEN', shared_limits.places_key())
  namespace.probe('HLEN', shared_limits.limits_key())
  for _, part in ipairs(shared_limits.parts(set)) do
    if queue then
      shared_limits.plan_wakes(part.name, queue, shared_limits.WOKEN)
    else
      namespace.probe('LLEN', shared_limits.starts_key(part.name))
    end
  end
end

-- Plans wake-ups for at most `most` other queues that wait for a limit, in the order of their turns.
function shared_limits.plan_wakes(name, queue, most)
  local woken, key = namespace.shared('woken'), name .. ' ' .. queue
  if woken[key] then
    return
  end
  woken[key] = {}
  local seen = { [queue] = true }
  local first = redis.call('ZRANGE', shared_limits.turns_key(name), 0, math.max(most, shared_limits.LOOKS) - 1)
  for _, member in ipairs(first) do
    local other = string.match(member, '^%S+')
    if #woken[key] < most and not seen[other] and redis.call('HEXISTS', namespace.meta, 'paused:' .. other) == 0 then
      seen[other] = true
      wakeups.plan(other)
      table.insert(woken[key], other)
    end
  end
end

function shared_limits.wake(name, queue)
  for _, other in ipairs(namespace.shared('woken')[name .. ' ' .. queue] or {}) do
    wakeups.wake(other)
  end
end

-- Takes the shared places of an attempt that begins.
function shared_limits.take(set)
  local now = string.format('%.0f', namespace.now_us)
  for _, part in ipairs(shared_limits.parts(set)) do
    redis.call('HINCRBY', shared_limits.places_key(), part.name, part.weight)
    local rate = string.match(redis.call('HGET', shared_limits.limits_key(), part.name) or '', ' (%d+/%d+)$')
    limits.record_start(shared_limits.starts_key(part.name), rate, now)
  end
end

-- Releases the shared places of an attempt that has ended, and wakes queues that wait for them.
function shared_limits.release(set, queue)
  for _, part in ipairs(shared_limits.parts(set)) do
    if redis.call('HINCRBY', shared_limits.places_key(), part.name, -part.weight) <= 0 then
      redis.call('HDEL', shared_limits.places_key(), part.name)
    end
    shared_limits.wake(part.name, queue)
  end
end

function shared_limits.plan_count()
  namespace.probe('HLEN', shared_limits.tasks_key())
  namespace.probe('HLEN', shared_limits.expires_key())
  namespace.probe('ZCARD', shared_limits.idle_key())
end

-- Adds `change`, 1 or -1, to the number of users of these limits. Users are tasks that have not ended, and schedules.
function shared_limits.count(set, change)
  for _, part in ipairs(shared_limits.parts(set)) do
    shared_limits.note_tasks(part.name, redis.call('HINCRBY', shared_limits.tasks_key(), part.name, change), change)
  end
end

-- Handles a new number of users of a limit. When the number becomes 0, the time begins after which the limit is
-- removed.
function shared_limits.note_tasks(name, number, change)
  if number <= 0 then
    redis.call('HDEL', shared_limits.tasks_key(), name)
    shared_limits.begin_idle(name)
  elseif number == change then
    redis.call('ZREM', shared_limits.idle_key(), name)
  end
end

-- Corrects the number of users of a limit.
function shared_limits.set_tasks(name, number)
  redis.call('HSET', shared_limits.tasks_key(), name, number)
  shared_limits.note_tasks(name, number, number)
end

function shared_limits.begin_idle(name)
  local expires = tonumber(redis.call('HGET', shared_limits.expires_key(), name) or nil)
  if expires then
    redis.call('ZADD', shared_limits.idle_key(), string.format('%.0f', namespace.now_us + expires * 1000000), name)
  end
end

-- Updates the numbers of users for a user whose limits change. `after` and `before` are its limits; either may be nil.
function shared_limits.recount(after, before)
  if after then
    shared_limits.count(after, 1)
  end
  if before then
    shared_limits.count(before, -1)
  end
end

-- Updates the numbers of users when a task changes its state. A task uses its limits while it is in a queue and has not
-- ended.
function shared_limits.count_task(task, to)
  local open = task.status and not contract.is_final(task.status)
  local opens = not contract.is_final(to) and to ~= 'deleted' and to ~= 'moved'
  if opens and not open then
    shared_limits.count(task.shared, 1)
  elseif open and not opens then
    shared_limits.count(task.shared, -1)
  end
end

-- Returns the first classes that wait for a limit, and the queue of the first class among them that has a task, or nil.
function shared_limits.waiting(name)
  local waits = redis.call('ZRANGE', shared_limits.turns_key(name), 0, shared_limits.LOOKS - 1)
  for _, member in ipairs(waits) do
    if not shared_limits.is_gone(member, redis.call('HGET', shared_limits.waits_key(), member)) then
      return waits, string.match(member, '^%S+')
    end
  end
  return waits
end

function shared_limits.plan_remove(name, waits)
  for _, member in ipairs(waits) do
    for _, part in ipairs(shared_limits.parts(shared_limits.of(member))) do
      namespace.probe('ZCARD', shared_limits.turns_key(part.name))
    end
  end
  namespace.probe('HLEN', shared_limits.limits_key())
  namespace.probe('HLEN', shared_limits.waits_key())
  namespace.probe('ZCARD', shared_limits.turns_key(name))
  namespace.probe('LLEN', shared_limits.starts_key(name))
  shared_limits.plan_count()
  audit.plan()
end

-- Removes a limit. `waits`: classes in its order that have no task to take. They are removed from the orders of all
-- limits.
function shared_limits.remove(name, waits)
  redis.call('HDEL', shared_limits.limits_key(), name)
  redis.call('HDEL', shared_limits.expires_key(), name)
  redis.call('ZREM', shared_limits.idle_key(), name)
  shared_limits.forget(waits)
  redis.call('UNLINK', shared_limits.turns_key(name), shared_limits.starts_key(name))
end

-- Returns the waiting classes of a queue whose tasks are gone, for `delete_queue`.
function shared_limits.plan_forget(queue)
  local found, cursor = {}, '0'
  repeat
    local key = namespace.declare(shared_limits.waits_key())
    local page = redis.call('HSCAN', key, cursor, 'MATCH', queue .. ' *', 'COUNT', 1000)
    cursor = page[1]
    for i = 1, #page[2], 2 do
      found[#found + 1] = page[2][i]
      for _, part in ipairs(shared_limits.parts(shared_limits.of(page[2][i]))) do
        namespace.probe('ZCARD', shared_limits.turns_key(part.name))
      end
    end
  until cursor == '0'
  return found
end

-- Removes classes from the orders of all limits.
function shared_limits.forget(waits)
  redis.call('HDEL', shared_limits.waits_key(), '', unpack(waits))
  for _, member in ipairs(waits) do
    for _, part in ipairs(shared_limits.parts(shared_limits.of(member))) do
      redis.call('ZREM', shared_limits.turns_key(part.name), member)
    end
  end
end

-- Returns the limits whose time without use has passed. A limit is `used` if something uses it despite the stored
-- number of users, or if that number was `corrected`. Then its time without use begins again.
function shared_limits.plan_expired(corrected)
  local expired = {}
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', namespace.declare(shared_limits.idle_key()), '-inf',
    string.format('%.0f', namespace.now_us), 'LIMIT', 0, shared_limits.REMOVED)) do
    local waits, queue = shared_limits.waiting(name)
    local one = { name = name, waits = waits, before = redis.call('HGET', shared_limits.limits_key(), name) }
    one.used = queue or corrected[name] or redis.call('HGET', namespace.declare(shared_limits.places_key()), name)
      or redis.call('HGET', shared_limits.tasks_key(), name)
    shared_limits.plan_remove(name, waits)
    expired[#expired + 1] = one
  end
  return expired
end

function shared_limits.expire(expired)
  for _, one in ipairs(expired) do
    if one.used then
      redis.call('ZREM', shared_limits.idle_key(), one.name)
      shared_limits.begin_idle(one.name)
    else
      shared_limits.remove(one.name, one.waits)
      audit.add('', 'limit', 'shared', one.name, one.before or '', '- -', 'nobody used it')
    end
  end
end

-- Sets a shared limit, or removes it if it has neither places nor a rate. `expires`: seconds without use after which
-- the limit is removed.
function shared_limits.define(name, places, rate, expires, by)
  if not string.find(name, '^[%w_.-]+$') or #name > contract.NEED_HIGH then
    reply.fail('BADNAME', 'the name of a shared limit must be 1 to ' .. contract.NEED_HIGH
      .. ' characters of A-Z a-z 0-9 _ . -')
  end
  local own, unset = shared_limits.limits_key(), places == '-' and rate == '-'
  if unset and expires then
    reply.fail('BADARG', 'expires needs a concurrency or a rate: a limit without either is removed at once')
  end
  local before, after = redis.call('HGET', own, name) or '- -', places .. ' ' .. rate
  local kept = redis.call('HGET', shared_limits.expires_key(), name) or nil
  expires = expires and string.format('%d', expires)
  local waits, queue = {}, nil
  if unset then
    waits, queue = shared_limits.waiting(name)
  end
  if unset and (redis.call('HGET', namespace.declare(shared_limits.places_key()), name)) then
    reply.fail('NOTEMPTY', 'attempts have places of this limit: wait until they have ended')
  elseif queue then
    reply.fail('NOTEMPTY', 'tasks of the queue ' .. queue .. ' wait for this limit: edit or cancel them first')
  end
  if not unset and before == '- -' and redis.call('HLEN', own) >= shared_limits.MOST then
    reply.fail('TOOMANY', 'there are ' .. shared_limits.MOST .. ' shared limits already')
  end
  if not unset then
    shared_limits.plan_wakes(name, '', 100)
  end
  shared_limits.plan_remove(name, waits)
  local idle = not redis.call('HGET', shared_limits.tasks_key(), name)
  namespace.begin(nil, own)
  if unset then
    shared_limits.remove(name, waits)
  else
    redis.call('HSET', own, name, after)
    if rate ~= '-' and string.match(before, '(%S+)$') == '-' then
      redis.call('UNLINK', shared_limits.starts_key(name)) -- earlier starts do not count
    end
    shared_limits.keep(name, expires, idle)
    shared_limits.wake(name, '')
  end
  if before ~= after or kept ~= expires then
    audit.add(by, 'limit', 'shared', name, before .. shared_limits.told(kept), after .. shared_limits.told(expires))
  end
  return 'limited'
end

-- Stores how long an unused limit is kept. `idle`: true if the limit is unused now.
function shared_limits.keep(name, expires, idle)
  redis.call('ZREM', shared_limits.idle_key(), name)
  if not expires then
    redis.call('HDEL', shared_limits.expires_key(), name)
    return
  end
  redis.call('HSET', shared_limits.expires_key(), name, expires)
  if idle then
    shared_limits.begin_idle(name)
  end
end

-- Formats the expiry of a limit for the audit.
function shared_limits.told(expires)
  return expires and ' expires ' .. expires or ''
end

-- Returns the state of the shared limits of a pending task, for `why`: name and value in turn. Lists the limits of the
-- task, and details of the first limit that keeps the task waiting.
function shared_limits.facts(task)
  local class = needs.class(task)
  local pool = shared_limits.look(task.queue, { class, '' })
  local facts = { 'shared', task.shared }
  for _, part in ipairs(pool.parts[class]) do
    local limit = pool.known[part.name]
    local fits, free = shared_limits.fits(pool.known, { part })
    local leaves, _, other = true, nil, nil
    if fits then
      leaves, _, other = shared_limits.leaves(pool, part, task.queue .. ' ' .. class)
    end
    if not (fits and leaves) then
      for _, fact in ipairs({ 'limit', part.name, 'limit_weight', part.weight,
        'limit_concurrency', limit.most or '', 'limit_used', limit.missing and '' or limit.used,
        'limit_rate_until', free and namespace.decimal(free) or '',
        'limit_turn', other and string.match(other, '^%S+') or '' }) do
        facts[#facts + 1] = fact
      end
      break
    end
  end
  return facts
end
