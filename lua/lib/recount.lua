-- The places of shared limits, counted again from the attempts that have them: somebody deleted an entry by hand.
local recount = {}

-- Queues and attempts that one call looks at. Where there are more, `doctor` compares.
recount.QUEUES = 1000

recount.ATTEMPTS = 2000

-- Places that are noted otherwise than the attempts of all queues have them: name and right number in turn. It is asked
-- for in the repairs of each queue; of those that clients share, one queue's do: that with the most listeners.
function recount.wrong(queue, shared)
  local key, all = shares.places_key(), namespace.prefix .. 'queues'
  if redis.call('EXISTS', shares.limits_key()) == 0 and redis.call('EXISTS', key) == 0
    or redis.call('ZCARD', all) > recount.QUEUES or shared and redis.call('ZREVRANGE', all, 0, 0)[1] ~= queue then
    return {}
  end
  local queues, left = redis.call('ZRANGE', all, 0, -1), recount.ATTEMPTS
  for i = 1, #queues do
    local held = namespace.declare(namespace.prefix .. 'places_' .. queues[i])
    queues[i], left = held, left - redis.call('HLEN', held)
  end
  if left < 0 or redis.call('HLEN', key) > recount.ATTEMPTS then
    return {}
  end
  local taken = {}
  for i = 1, #queues do
    local places = redis.call('HGETALL', queues[i])
    for at = 1, #places, 2 do
      local set = string.find(places[at], '^a:') and string.match(places[at + 1], '^%d+ %S* (%S+)$')
      for _, part in ipairs(set and shares.parts(set) or {}) do
        taken[part.name] = (taken[part.name] or 0) + part.weight
      end
    end
  end
  local wrong, noted = {}, redis.call('HGETALL', key)
  for i = 1, #noted, 2 do
    local number = taken[noted[i]] or 0
    if tonumber(noted[i + 1]) ~= number then
      wrong[#wrong + 1], wrong[#wrong + 2] = noted[i], number
    end
    taken[noted[i]] = nil
  end
  for name, number in pairs(taken) do
    wrong[#wrong + 1], wrong[#wrong + 2] = name, number
  end
  return wrong
end
