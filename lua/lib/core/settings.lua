-- Settings of a namespace and of its queues: two texts in the meta hash, each `name=value name=value`. Every value
-- was checked when it was set.
local settings = {}

function settings.rate(value, what)
  local number, seconds = string.match(value, '^(%d+)/(%d+)$')
  if not number or #number > 4 or #seconds > 6 or tonumber(number) < contract.STARTS_LOW
    or tonumber(number) > contract.STARTS_HIGH or tonumber(seconds) < contract.STARTS_TIME_LOW
    or tonumber(seconds) > contract.STARTS_TIME_HIGH then
    reply.fail('BADARG', string.format('%s must be NUMBER/SECONDS: %d to %d starts in %d to %d seconds', what,
      contract.STARTS_LOW, contract.STARTS_HIGH, contract.STARTS_TIME_LOW, contract.STARTS_TIME_HIGH))
  end
  return value
end

function settings.find(text, name)
  return text and string.match(' ' .. text, ' ' .. name .. '=(%S+)')
end

-- Returns the value in effect, from the text of the queue (`own`) and the text of the namespace (`common`). Returns nil
-- for a limit that is not set.
-- @inline
function settings.value(own, common, name)
  local pattern = ' ' .. name .. '=(%S+)'
  return own and string.match(' ' .. own, pattern) or common and string.match(' ' .. common, pattern)
    or string.match(' ' .. contract.DEFAULTS, pattern)
end

-- Returns the value in effect for a queue, or nil for a limit that is not set.
function settings.get(queue, name)
  local texts = namespace.shared('settings')
  local known = texts[queue] or redis.call('HMGET', namespace.meta, 'settings:' .. queue, 'settings')
  texts[queue] = known
  if known[name] == nil then
    local value = settings.value(known[1], known[2], name)
    known[name] = value or false
  end
  return known[name] or nil
end

-- Returns a setting that is a duration, in microseconds.
function settings.micros(queue, name)
  return contract.setting(name, settings.get(queue, name), name)
end

-- Returns the time since when a rate of the settings is in effect, in microseconds; 0 if unknown.
function settings.since(queue, name)
  settings.get(queue, name)
  local own, common = unpack(namespace.shared('settings')[queue], 1, 2)
  local since = settings.find(settings.find(own, name) and own or common, name .. '_since')
  return tonumber(since or 0)
end
