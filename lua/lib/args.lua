-- Checks of arguments. A value becomes part of a new key, a score or a field
-- only after one of these. The hot commands look at their arguments in place and
-- come here when something is wrong, or rare.
local args = {}

-- What a queue name, a task id, a group or a request id is made of.
args.PLAIN = '^[%w._:@-]+$'

-- Position of the last argument read; ARGV[1] is always `now`.
args.at = 1

-- The next positional argument.
function args.next(what)
  args.at = args.at + 1
  return ARGV[args.at] or reply.fail('BADARG', 'missing argument: ' .. what)
end

-- Queue names, task ids, groups, request ids.
-- @cold
function args.plain(value, what)
  if #value > 128 or not string.find(value, args.PLAIN) then
    reply.fail('BADNAME', what .. ' must be 1 to 128 characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end

-- Listener ids: HOSTNAME_PID. The hostname has no underscore, so that the key
-- of a listener's list can be read back in one way only.
-- @cold
function args.listener(value)
  if #value > 200 or not string.find(value, '^[%w.:-]+_%d+$') then
    reply.fail('BADNAME', 'a listener must be HOSTNAME_PID: letters, digits, . : - then _ and digits')
  end
  return value
end

-- Whether a value is one of the words of a list, which begins and ends with a space; not several of them.
-- @cold
function args.among(value, words)
  return string.find(value, '^[%l_]+$') and string.find(words, ' ' .. value .. ' ') ~= nil
end

-- @cold
function args.flag(value, what)
  if value ~= '0' and value ~= '1' then
    reply.fail('BADARG', what .. ' must be 0 or 1')
  end
  return value == '1'
end

-- @cold
function args.integer(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    reply.fail('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end

-- How many entries one call may read or change.
-- @cold
function args.limit()
  return args.integer(args.next('limit'), 1, 500, 'limit')
end

-- Seconds as decimals, returned in microseconds.
-- @cold
function args.seconds(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    reply.fail('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end

-- A point in time. Later than the year 5138 is taken for milliseconds by mistake.
-- @cold
function args.moment(value, what)
  return args.seconds(value, 0, 100000000000, what)
end

-- The length of a lease.
-- @cold
function args.lease(value, what)
  return args.seconds(value, 1, 604800, what)
end

-- How long a task is not given out again.
-- @cold
function args.pause(value, what)
  return args.seconds(value, 0, 31536000, what)
end

-- Where a page begins: 0, or what the page before answered.
-- @cold
function args.cursor(value)
  if #value > 16 or value ~= '0' and not string.find(value, '^[1-9]%d*$') then
    reply.fail('BADARG', 'the cursor must be 0 or what the call before answered')
  end
  return value
end

-- After which entry of a log or of the events: 0, or what the call before answered.
-- @cold
function args.entry(value)
  local ms, number = string.match(value, '^(%d+)%-(%d+)$')
  if value ~= '0' and (not ms or #ms > 19 or #number > 19) then -- both are 64 bits wide
    reply.fail('BADARG', 'the entry must be 0 or what the call before answered')
  end
  return value
end

-- The option `max_bytes`: how large a payload may be.
-- @cold
function args.size(value, what)
  return args.integer(value, 0, 8388608, what)
end

-- For commands that read their arguments in place: which of them, named in
-- order, is missing.
-- @cold
function args.missing(names)
  local i = 1
  for name in string.gmatch(names, '%S+') do
    i = i + 1
    if not ARGV[i] then
      reply.fail('BADARG', 'missing argument: ' .. name)
    end
  end
end

-- @cold
function args.unknown()
  reply.fail('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
end

-- What follows the positional arguments: pairs of an option and its value. `known`:
-- by name the functions that check them, or one for all that answers nil for a name
-- that it does not know. `last`: the last positional argument.
-- @cold
function args.options(known, last)
  local found, each = {}, type(known) == 'table'
  for i = (last or args.at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if each and not known[name] then
      args.unknown()
    elseif not value then
      reply.fail('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      reply.fail('BADARG', 'an option is given twice')
    end
    if each then
      found[name] = known[name](value, name)
    else
      found[name] = known(name, value)
      if found[name] == nil then
        args.unknown()
      end
    end
  end
  return found
end

-- The options of a command that takes only `max_bytes`.
-- @cold
function args.max_bytes()
  if #ARGV > args.at then
    return args.options({ max_bytes = args.size }).max_bytes
  end
end

-- Opaque bytes, at most 1 MiB unless the caller set another limit.
-- @cold
function args.bytes(value, most, what)
  most = most or 1048576
  if #value > most then
    reply.fail('TOOBIG', string.format('%s is %d bytes, over the limit of %d: store it elsewhere and pass a reference',
      what, #value, most))
  end
  return value
end

-- Why an attempt is given back. Events and statistics tell a failure by the word `fail`.
-- @cold
function args.cause(value, what)
  if value == 'fail' then
    reply.fail('BADARG', what .. ' must be another word than fail: that call is for failures')
  end
  return args.plain(value, what)
end

-- A short text for people.
-- @cold
function args.text(value, what)
  return args.bytes(value, 1024, what)
end

-- Nothing may follow the positional arguments.
-- @cold
function args.none()
  if #ARGV > args.at then
    reply.fail('BADARG', 'too many arguments: this command takes no options')
  end
end

-- Whether a name comes before another in an index: by its bytes, whatever the locale.
-- @cold
function args.before(one, other)
  for i = 1, math.min(#one, #other) do
    local a, b = string.byte(one, i), string.byte(other, i)
    if a ~= b then
      return a < b
    end
  end
  return #one < #other
end
