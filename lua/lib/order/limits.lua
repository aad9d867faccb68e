-- Limits of a queue and of its keys: concurrency, counted in places, and rate.
local limits = {}

-- Maximum number of keys of a queue that may have limits of their own.
limits.KEYS = 100000

function limits.starts_key(queue, key)
  return namespace.prefix .. 'rate_' .. queue .. (key and '/' .. key or '')
end

-- Returns the limits of a key: its places or nil, its rate, and the time since when the rate is in effect.
function limits.of_key(queue, key)
  local own, rate = string.match(redis.call('HGET', namespace.key('limits', queue), key) or '- -', '^(%S+) (%S+)$')
  own = tonumber(own ~= '-' and own or settings.get(queue, 'key_concurrency'))
  if rate ~= '-' then
    return own, rate, 0 -- `limit` removes earlier starts
  end
  return own, settings.get(queue, 'key_rate'), settings.since(queue, 'key_rate')
end

-- Returns the state of the limits of a key: the `most` places, the places `used`, the `rate` and since when, the `list`
-- of recorded starts, and the number of other `starts`. `counts`: reads the places in use even without a limit.
-- @inline
function limits.key_state(queue, key, counts)
  local most, rate, since = limits.of_key(queue, key)
  local used = (most or counts) and redis.call('HGET', namespace.key('places', queue), 'k:' .. key)
  return { most = most, used = tonumber(used or 0), rate = rate, since = since, list = limits.starts_key(queue, key),
    starts = 0 }
end

-- Returns the state of the limits of a queue, like `key_state`.
function limits.queue_state(queue, counts)
  local most, rate = tonumber(settings.get(queue, 'concurrency')), settings.get(queue, 'rate')
  return { most = most, used = (most or counts) and limits.used(queue) or 0, rate = rate,
    since = rate and settings.since(queue, 'rate'), list = limits.starts_key(queue), starts = 0 }
end

function limits.used(queue)
  return redis.call('ZCARD', namespace.key('leases', queue))
    + tonumber(redis.call('HGET', namespace.declare(namespace.key('places', queue)), 'extra') or 0)
end

-- Returns true if limits have enough free places for a task of this weight (a number or `exclusive`), and their rate
-- allows a start. If only the rate forbids a start, also returns when the rate will allow it. A task that weighs more
-- than all places runs alone.
function limits.allows(known, weight)
  local most = known.most
  if weight == 'exclusive' then
    most, weight = 1, 1
  end
  if most and known.used + math.min(tonumber(weight), most) > most then
    return false
  end
  return limits.rate_allows(known.list, known.rate, known.since, known.starts)
end

-- Returns the result of `allows` for a task of a key.
function limits.fits(queue, key, weight)
  local known = limits.key_state(queue, key, weight == 'exclusive')
  return limits.allows(known, weight)
end

-- Returns the time at which the start at index `back` leaves the window of a rate, or nil. Starts before the rate was
-- set do not count. Starts in the future do not count either: they were recorded before the clock was set back.
function limits.start_expires(starts, back, seconds, since)
  local last = tonumber(redis.call('LINDEX', starts, back) or nil)
  if last and last >= since and tonumber(redis.call('LINDEX', starts, 0)) <= namespace.now_us then
    return last + seconds * 1000000
  end
end

-- Returns true if a rate, in effect since `since`, allows a start now, after `others` further starts that are not
-- recorded. If not, also returns when the rate will allow it.
function limits.rate_allows(starts, rate, since, others)
  local free = rate and limits.allowed_at(starts, rate, since, others or 0) or 0
  if free > namespace.now_us then
    return false, free
  end
  return true
end

-- Returns the time at which a rate allows the start of a task that has `before` tasks ahead of it. Other limits are
-- ignored.
function limits.allowed_at(starts, rate, since, before)
  if not rate then
    return 0
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local rounds = math.floor(before / number)
  local free = limits.start_expires(starts, number - 1 - before % number, seconds, since) or namespace.now_us
  return math.max(free, namespace.now_us) + rounds * seconds * 1000000
end

function limits.record_start(starts, rate, us)
  if rate then
    redis.call('LPUSH', starts, us)
    local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
    redis.call('LTRIM', starts, 0, number - 1)
    redis.call('EXPIRE', starts, 2 * seconds + 60) -- keys come and go; an older start has no effect
  end
end
