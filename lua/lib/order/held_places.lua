-- Places of limits that attempts hold. An attempt takes its places when it begins and releases them when it ends.
local held_places = {}

function held_places.take(task)
  local queue, key, weight = task.queue, task.fair_key, tonumber(task.weight or 1)
  local held = namespace.key('places', queue)
  redis.call('HSET', held, 'a:' .. task.id .. ' ' .. task.issue,
    weight .. ' ' .. (key or '') .. (task.shared and ' ' .. task.shared or ''))
  if task.shared then
    shared_turns.take(task.shared)
  end
  if weight > 1 then
    redis.call('HINCRBY', held, 'extra', weight - 1)
  end
  if key then
    local _, rate = limits.of_key(queue, key)
    redis.call('HINCRBY', held, 'k:' .. key, weight)
    redis.call('HSET', namespace.key('turns', queue), key, fairness.rank(namespace.now_us))
    limits.record_start(limits.starts_key(queue, key), rate, string.format('%.0f', namespace.now_us))
  end
end

-- Releases the places of an attempt that has ended.
function held_places.release(queue, id, token)
  local held, member = namespace.key('places', queue), 'a:' .. id .. ' ' .. token
  local weight, key, shared = string.match(redis.call('HGET', held, member) or '', '^(%d+) (%S*) ?(%S*)$')
  if not weight then
    return
  end
  redis.call('HDEL', held, member)
  if shared ~= '' then
    shared_turns.release(shared, queue)
  end
  local counts = { extra = weight - 1 }
  if key ~= '' then
    counts['k:' .. key] = tonumber(weight)
  end
  for field, count in pairs(counts) do
    if count > 0 and redis.call('HINCRBY', held, field, -count) <= 0 then
      redis.call('HDEL', held, field)
    end
  end
  if key ~= '' then
    fairness.refresh_all(queue, key)
  end
end

function held_places.plan_released(queue, attempts)
  local keys = {}
  for _, ended in ipairs(attempts) do
    local held = redis.call('HGET', namespace.key('places', queue), 'a:' .. ended.id .. ' ' .. ended.token)
    -- An attempt without places of its own has no key.
    local key, shared = string.match(held or '', '^%d+ (%S*) ?(%S*)$')
    keys[#keys + 1] = key ~= '' and key or nil
    if shared and shared ~= '' then
      shared_turns.plan(shared, queue)
    end
  end
  fairness.plan_refresh(queue, keys)
end
