-- Settings of a namespace and of its queues: two texts in the meta hash, each
-- `name=value name=value`. Every value was checked when it was set.
local settings = {}

-- @cold
function settings.rate(value, what)
  local number, seconds = string.match(value, '^(%d+)/(%d+)$')
  if not number or #number > 4 or #seconds > 6 or tonumber(number) < 1 or tonumber(number) > 1000
    or tonumber(seconds) < 1 or tonumber(seconds) > 604800 then
    reply.fail('BADARG', what .. ' must be NUMBER/SECONDS: 1 to 1000 starts in 1 to 604800 seconds')
  end
  return value
end

-- @cold
function settings.backoff(value, what)
  if value ~= 'exponential' and value ~= 'fixed' then
    reply.fail('BADARG', what .. ' must be exponential or fixed')
  end
  return value
end

-- How each setting is checked, and what holds where it is not set.
-- @cold
function settings.known(name)
  local function whole(low, high, default)
    return { default, function(value, what)
      args.integer(value, low, high, what)
      return value
    end }
  end
  local function seconds(low, high, default)
    return { default, function(value, what)
      args.seconds(value, low, high, what)
      return value
    end }
  end
  local known = {
    lease = seconds(1, 604800, '60'),
    grace = seconds(0, 86400, '30'),
    keep = whole(0, 10000000, '50000'),
    retain = seconds(0, 100000000000, '604800'),
    max_losses = whole(0, 1000, '10'),
    max_failures = whole(0, 1000, '0'),
    max_releases = whole(0, 1000000, '1000'),
    backoff = { 'exponential', settings.backoff },
    delay = seconds(0, 31536000, '10'),
    max_delay = seconds(0, 31536000, '3600'),
    jitter = whole(0, 100, '20'),
    max_bytes = whole(0, 8388608, '1048576'),
    concurrency = whole(1, 1000000, ''),
    key_concurrency = whole(1, 1000000, ''),
    rate = { '', settings.rate },
    key_rate = { '', settings.rate },
    ageing = seconds(1, 604800, ''),
    statistics = whole(0, 400, '30'),
    events = whole(100, 100000, '10000'),
    history = whole(1, 1000, '100'),
    closed = whole(0, 1, '0'),
  }
  return known[name]
end

-- The names, in their order.
-- @cold
function settings.names()
  return { 'ageing', 'backoff', 'closed', 'concurrency', 'delay', 'events', 'grace', 'history', 'jitter', 'keep', 'key_concurrency',
    'key_rate', 'lease', 'max_bytes', 'max_delay', 'max_failures', 'max_losses', 'max_releases', 'rate', 'retain', 'statistics' }
end

-- What a text sets, or nil.
-- @cold
function settings.find(text, name)
  return text and string.match(' ' .. text, ' ' .. name .. '=(%S+)')
end

-- The value that holds, from the texts of the queue and of the namespace; nil
-- for a limit that nobody set.
-- @cold
function settings.value(own, common, name)
  local value = settings.find(own, name) or settings.find(common, name) or settings.known(name)[1]
  return value ~= '' and value or nil
end

-- The value that holds for a queue. Reads the meta hash: before the first write.
-- @cold
function settings.get(queue, name)
  local texts = redis.call('HMGET', space.meta, 'settings:' .. queue, 'settings')
  return settings.value(texts[1], texts[2], name)
end
