-- Limits during a look at a queue: why tasks may not run now, given the places and starts of the tasks that `peeking`
-- has chosen so far. `look` is the table of `peeking`.
local peek_limits = {}

-- Returns the known state of the limits of a key, with the places and starts that the chosen tasks use.
function peek_limits.key(look, key)
  local known = look.keys[key]
  if not known then
    known = limits.key_state(look.queue, key, true)
    known.heads, look.keys[key] = {}, known
  end
  return known
end

-- Counts the places and the start of a chosen task.
function peek_limits.take(known, weight)
  known.used, known.starts = known.used + weight, known.starts + 1
end

-- Returns the reason why limits forbid a start now, or nil; and when the reason ends, or nil. `of`: `key` or `queue`.
function peek_limits.refuses(known, weight, of)
  local allows, free = limits.allows(known, weight)
  return not allows and of .. (free and '_rate' or '_full') or nil, free
end

-- Returns the reason why the shared limits of a class forbid a start now, or nil; and when the reason ends, or nil. A
-- class that could not get its places holds back the classes that ask later.
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
