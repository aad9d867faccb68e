-- Settings of a namespace and of its queues: two texts in the meta hash, each
-- `name=value name=value`. Every value was checked when it was set.
local settings = {}

settings.NAMES = ' ageing backoff closed concurrency delay events forget_after grace history jitter keep key_concurrency key_rate lease log_bytes logs_bytes max_bytes max_delay max_failures max_losses max_releases max_uncounted rate retain statistics '

-- What holds where nobody sets anything; nothing for limits.
settings.DEFAULTS = 'lease=60 grace=30 keep=50000 retain=604800 max_losses=10 max_failures=0 max_releases=1000 max_uncounted=10000 backoff=exponential delay=10 max_delay=3600 jitter=20 max_bytes=1048576 log_bytes=163840 logs_bytes=1073741824 statistics=30 events=10000 history=100 forget_after=300 closed=0'

-- Of those that are numbers: whole ones or seconds, the least, the most.
settings.BOUNDS = ' lease=seconds:1:604800 grace=seconds:0:86400 keep=whole:0:10000000 retain=seconds:0:100000000000 max_losses=whole:0:1000 max_failures=whole:0:1000 max_releases=whole:0:1000000 max_uncounted=whole:0:1000000 delay=seconds:0:31536000 max_delay=seconds:0:31536000 jitter=whole:0:100 max_bytes=whole:0:8388608 log_bytes=whole:0:268435456 logs_bytes=whole:0:1099511627776 concurrency=whole:1:1000000 key_concurrency=whole:1:1000000 ageing=seconds:1:604800 statistics=whole:0:400 events=whole:100:100000 history=whole:1:1000 forget_after=seconds:60:604800 closed=whole:0:1 '

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

-- Whether there is a setting of this name.
-- @cold
function settings.known(name)
  return args.among(name, settings.NAMES)
end

-- Checks the value of a known setting.
-- @cold
function settings.check(name, value, what)
  if name == 'backoff' then
    return settings.backoff(value, what)
  elseif name == 'rate' or name == 'key_rate' then
    return settings.rate(value, what)
  end
  local kind, low, high = string.match(settings.BOUNDS, ' ' .. name .. '=(%l+):(%d+):(%d+) ')
  local check = kind == 'seconds' and args.seconds or args.integer
  check(value, tonumber(low), tonumber(high), what)
  return value
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
  local pattern = ' ' .. name .. '=(%S+)'
  return own and string.match(' ' .. own, pattern) or common and string.match(' ' .. common, pattern)
    or string.match(' ' .. settings.DEFAULTS, pattern)
end

-- The value that holds for a queue, or nil for a limit that nobody set.
-- @cold
function settings.get(queue, name)
  local texts = space.note('settings')
  local known = texts[queue] or redis.call('HMGET', space.meta, 'settings:' .. queue, 'settings')
  texts[queue] = known
  if known[name] == nil then
    known[name] = settings.value(known[1], known[2], name) or false
  end
  return known[name] or nil
end

-- Since when a rate of the settings holds, in microseconds; 0 where that was not noted.
-- @cold
function settings.since(queue, name)
  settings.get(queue, name)
  local own, common = unpack(space.note('settings')[queue], 1, 2)
  local since = settings.find(settings.find(own, name) and own or common, name .. '_since')
  return tonumber(since or 0)
end
