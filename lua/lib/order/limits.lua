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

-- Returns true if a key has enough free places for a task of this weight, or `exclusive`, and its rate allows a start.
-- If only the rate forbids a start, also returns when the rate will allow it. A task that weighs more than all places
-- runs alone.
function limits.fits(queue, key, weight)
  local most, rate, since = limits.of_key(queue, key)
  if weight == 'exclusive' then
    most, weight = 1, 1
  end
  if most then
    local used = tonumber(redis.call('HGET', namespace.key('places', queue), 'k:' .. key) or 0)
    if used + math.min(tonumber(weight), most) > most then
      return false
    end
  end
  return limits.rate_allows(limits.starts_key(queue, key), rate, since)
end

-- Returns the time at which the start at index `back` leaves the window of a rate, or nil. Starts before the rate was
-- set do not count. Starts in the future do not count either: they were recorded before the clock was set back.
function limits.start_expires(starts, back, seconds, since)
  local last = tonumber(redis.call('LINDEX', starts, back) or nil)
  if last and last >= since and tonumber(redis.call('LINDEX', starts, 0)) <= namespace.now_us then
    return last + seconds * 1000000
  end
end

-- Returns true if a rate, in effect since `since`, allows a start now. If not, also returns when it will.
function limits.rate_allows(starts, rate, since)
  if not rate then
    return true
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local free = limits.start_expires(starts, number - 1, seconds, since)
  if free and free > namespace.now_us then
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

-- Records a start for a rate.
function limits.record_start(starts, rate, us)
  if rate then
    redis.call('LPUSH', starts, us)
    local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
    redis.call('LTRIM', starts, 0, number - 1)
    redis.call('EXPIRE', starts, 2 * seconds + 60) -- keys come and go; an older start has no effect
  end
end

-- Returns true if the limits of a queue allow a task of this weight to start. If only the rate forbids a start, also
-- returns when the rate will allow it.
function limits.queue_allows(queue, weight)
  local most = tonumber(settings.get(queue, 'concurrency'))
  if most then
    local used = redis.call('ZCARD', namespace.key('leases', queue))
      + tonumber(redis.call('HGET', namespace.key('places', queue), 'extra') or 0)
    if used + math.min(weight, most) > most then
      return false
    end
  end
  local rate = settings.get(queue, 'rate')
  if not rate then
    return true
  end
  return limits.rate_allows(limits.starts_key(queue), rate, settings.since(queue, 'rate'))
end
