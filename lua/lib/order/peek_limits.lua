-- Limits during a look at a queue: why tasks may not run now, given the places and starts of the tasks that `peeking`
-- has chosen so far. `look` is the table of `peeking`.
local peek_limits = {}

-- Returns the known state of a key, with the places and starts that the chosen tasks use.
function peek_limits.key(look, key)
  local known = look.keys[key]
  if not known then
    local most, rate, since = limits.of_key(look.queue, key)
    known = { most = most, rate = rate, since = since, starts = 0, heads = {},
      used = tonumber(redis.call('HGET', namespace.key('places', look.queue), 'k:' .. key) or 0) }
    look.keys[key] = known
  end
  return known
end

-- Returns true if a rate allows one more start now, after `number` other starts. If not, also returns when it will.
function peek_limits.rate_allows(starts, rate, since, number)
  if not rate or number == 0 then
    return limits.rate_allows(starts, rate, since)
  end
  local most, seconds = string.match(rate, '^(%d+)/(%d+)$')
  if number >= tonumber(most) then
    return false, namespace.now_us + seconds * 1000000
  end
  local free = limits.start_expires(starts, most - 1 - number, seconds, since)
  if free and free > namespace.now_us then
    return false, free
  end
  return true
end

-- Returns the reason why a task of a key may not run now, or nil. Also returns when the reason ends, if known.
function peek_limits.key_refuses(look, key, weight)
  local known = peek_limits.key(look, key)
  local most = known.most
  if weight == 'exclusive' then
    most, weight = 1, 1
  end
  if most and known.used + math.min(tonumber(weight), most) > most then
    return 'key_full'
  elseif not known.rate then
    return nil
  end
  local allows, free = peek_limits.rate_allows(limits.starts_key(look.queue, key), known.rate, known.since,
    known.starts)
  return not allows and 'key_rate' or nil, free
end

-- Returns the reason why the limits of the queue forbid a start now, or nil. Also returns when it ends, if known.
function peek_limits.queue_refuses(look, weight)
  if look.most and look.used + math.min(weight, look.most) > look.most then
    return 'queue_full'
  elseif not look.rate then
    return nil
  end
  local allows, free = peek_limits.rate_allows(limits.starts_key(look.queue), look.rate,
    settings.since(look.queue, 'rate'), look.starts)
  return not allows and 'queue_rate' or nil, free
end

-- Returns the reason why the shared limits of a class forbid a start now, or nil. Also returns when it ends, if known.
-- A class that could not get its places holds back the classes that ask later.
function peek_limits.class_refuses(look, class)
  local pool, member = look.pool, look.queue .. ' ' .. class
  for _, part in ipairs(pool.parts[class]) do
    local limit = pool.known[part.name]
    if limit.missing or limit.most and limit.used + part.weight > limit.most then
      return 'limit_full'
    end
    local free = limits.allowed_at(shared_limits.key('rate', part.name), limit.rate, 0, look.shared[part.name] or 0)
    if free > namespace.now_us then
      return 'limit_rate', free
    elseif not shared_turns.leaves(pool, part, member) or not peek_limits.leaves(look, part, class) then
      return 'limit_turn'
    end
  end
end

-- Returns true if the classes that asked without success during this look leave enough of a limit for a class. They
-- come after the classes that asked before this look.
function peek_limits.leaves(look, part, class)
  local limit, waits = look.pool.known[part.name], look.waits[part.name] or {}
  local places, first = 0, true
  if look.pool.asked[class] and not look.pool.left[look.queue .. ' ' .. class] then
    return true
  end
  for _, other in ipairs(limit.most and waits or {}) do
    if other.class == class then
      return true
    elseif first or limit.used + places + other.weight <= limit.most then
      places = places + other.weight
    end
    first = false
    if limit.used + places + part.weight > limit.most then
      return false
    end
  end
  return true
end

-- Returns the results of `key_refuses` after all tasks are chosen. They are computed once for each key and weight.
function peek_limits.refuses_now(look, key, weight)
  look.said = look.said or {}
  local name = key .. ' ' .. weight
  local said = look.said[name]
  if not said then
    said = { peek_limits.key_refuses(look, key, weight) }
    look.said[name] = said
  end
  return said[1], said[2]
end
