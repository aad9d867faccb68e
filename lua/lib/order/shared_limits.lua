-- Shared limits: named limits of the namespace. Tasks of any queue take places of them. A task may need places of
-- several limits; it takes either all of them at once or no place. The tasks of a queue with the same needs and the
-- same places are in one order, their class. This file has the keys, the text of a task's shared limits, and the room
-- in a limit; `shared_turns` decides which class is next, `shared_count` counts the users of a limit, and
-- `shared_define` sets and removes limits.
local shared_limits = {}

-- Returns the key `ns_shared_KIND` of all limits, or `ns_shared_KIND_NAME` of one limit.
function shared_limits.key(kind, name)
  return namespace.prefix .. 'shared_' .. kind .. (name and '_' .. name or '')
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
    local own = redis.call('HGET', shared_limits.key('limits'), name)
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
  local own = redis.call('HMGET', shared_limits.key('limits'), unpack(names))
  local used = redis.call('HMGET', shared_limits.key('places'), unpack(names))
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
    local at = limits.allowed_at(shared_limits.key('rate', part.name), limit.rate, 0, 0)
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
