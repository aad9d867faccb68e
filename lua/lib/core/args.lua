-- Argument checks. A value is checked here before it becomes part of a new key, a score or a field. Hot commands check
-- their arguments in place and call these functions only for errors and rare options.
local args = {}

-- Pattern of queue names, task ids, groups and request ids.
args.PLAIN = '^[%w._:@-]+$'

-- Position of the last argument read; ARGV[1] is always `now`.
args.at = 1

-- Returns the next positional argument.
-- @hot
function args.next(what)
  args.at = args.at + 1
  return ARGV[args.at] or reply.fail('BADARG', 'missing argument: ' .. what)
end

-- Checks a queue name, task id, group or request id.
function args.plain(value, what)
  if #value > contract.NAME_HIGH or not string.find(value, args.PLAIN) then
    reply.fail('BADNAME', what .. ' must be 1 to ' .. contract.NAME_HIGH .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end

-- Reads the next `count` arguments as queues. Fails if a queue is named twice.
function args.different_queues(count)
  local queues, named = {}, {}
  for i = 1, count do
    local queue = args.plain(args.next('queue'), 'queue')
    if named[queue] then
      reply.fail('BADARG', 'a queue is named twice in one call')
    end
    queues[i], named[queue] = queue, true
  end
  return queues
end

-- Checks names of queues, separated by commas. An empty value gives an empty list.
function args.queues_or_none(value, what)
  local names = {}
  for name in string.gmatch(value ~= '' and value .. ',' or '', '([^,]*),') do
    names[#names + 1] = args.plain(name, what)
  end
  if #names > contract.QUEUE_COUNT_HIGH then
    reply.fail('BADARG', string.format('%s must be at most %d names', what, contract.QUEUE_COUNT_HIGH))
  end
  return names
end

-- Pattern of listener ids: HOSTNAME_PID. The hostname has no underscore, so the key of a listener's list is
-- unambiguous.
args.LISTENER = '^[%w.:-]+_%d+$'

function args.listener(value)
  if #value > contract.LISTENER_HIGH or not string.find(value, args.LISTENER) then
    reply.fail('BADNAME', 'a listener must be HOSTNAME_PID: letters, digits, . : - then _ and digits')
  end
  return value
end

function args.host(value, what)
  if #value > contract.HOST_HIGH or not string.find(value, '^[%w.:-]+$') then
    reply.fail('BADNAME', what .. ' must be the host of a listener: letters, digits, . : -')
  end
  return value
end

-- Checks that a value is a word of `words`, a list that begins and ends with a space.
function args.word(value, words, what)
  if not args.among(value, words) then
    reply.fail('BADARG', what .. ' must be ' .. args.listed(words, 'or'))
  end
  return value
end

-- Formats a list that begins and ends with a space as part of a sentence: `one, two or three`.
function args.listed(words, last)
  local list = string.gsub(string.sub(words, 2, -2), ' ', ', ')
  return (string.gsub(list, ', (%S+)$', ' ' .. last .. ' %1'))
end

-- Returns true if a value is exactly one word of a list that begins and ends with a space.
function args.among(value, words)
  return string.find(value, '^[%w_]+$') and string.find(words, ' ' .. value .. ' ') ~= nil
end

function args.flag(value, what)
  if value ~= '0' and value ~= '1' then
    reply.fail('BADARG', what .. ' must be 0 or 1')
  end
  return value == '1'
end

function args.integer(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    reply.fail('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end

-- Checks decimal seconds. Returns microseconds.
function args.seconds(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    reply.fail('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end

-- Checks the start of a page: 0, or the cursor that the previous call returned.
function args.cursor(value)
  if #value > 16 or value ~= '0' and not string.find(value, '^[1-9]%d*$') then
    reply.fail('BADARG', 'the cursor must be 0 or what the previous call returned')
  end
  return value
end

-- Checks the entry after which a log or the events are read: 0, or the entry that the previous call returned.
function args.entry(value)
  local ms, number = string.match(value, '^(%d+)%-(%d+)$')
  if value ~= '0' and (not ms or #ms > 19 or #number > 19) then -- both are 64-bit numbers
    reply.fail('BADARG', 'the entry must be 0 or what the previous call returned')
  end
  return value
end

-- Checks a time in decimal seconds. Returns microseconds, or nil for an empty value.
function args.time_or_none(value, what)
  return value ~= '' and args.seconds(value, contract.TIME_LOW, contract.TIME_HIGH, what) or nil
end

-- Checks a delay in decimal seconds. Returns microseconds, or nil for an empty value.
function args.delay_or_none(value, what)
  return value ~= '' and args.seconds(value, contract.DELAY_LOW, contract.DELAY_HIGH, what) or nil
end

function args.queue_or_all(value, what)
  return value == '*' and value or args.plain(value, what)
end

-- Reports the first missing argument of `names`, which are in the order of the arguments. Commands that check their
-- arguments in place call this.
function args.missing(names)
  local i = 1
  for name in string.gmatch(names, '%S+') do
    i = i + 1
    if not ARGV[i] then
      reply.fail('BADARG', 'missing argument: ' .. name)
    end
  end
end

function args.bytes(value, most, what)
  if #value > most then
    reply.fail('TOOBIG', string.format('%s is %d bytes, over the limit of %d: store it elsewhere and pass a reference',
      what, #value, most))
  end
  return value
end

-- Checks the reason why an attempt is given back. It must not be `fail`: events and statistics recognise failures by
-- that word.
function args.cause(value, what)
  if value == 'fail' then
    reply.fail('BADARG', what .. ' must be another word than fail: that call is for failures')
  end
  return args.plain(value, what)
end

-- Returns the text with a name that a caller gave, in parentheses. A value that is not like a name may be a secret, or
-- change a terminal, and is left out.
function args.named(text, name)
  return #name <= 64 and string.find(name, '^[%a_][%w_]*$') and text .. ' (' .. name .. ')' or text
end

-- Reads the options after the positional arguments, as pairs of name and value, and checks them against the contract.
-- `last`: the index of the last positional argument.
function args.options(last)
  local found = {}
  for i = (last or args.at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      reply.fail('BADARG', args.named('an option has no value', name) .. ': options come in pairs')
    elseif found[name] ~= nil then
      reply.fail('BADARG', 'the option ' .. name .. ' is given twice')
    end
    found[name] = contract.option(name, value)
    if found[name] == nil then
      reply.fail('BADARG', args.named('unknown option or extra argument', name)
        .. ': the contract lists the options of this command')
    end
  end
  return found
end

function args.none()
  if #ARGV > args.at then
    reply.fail('BADARG', 'too many arguments: this command takes no options')
  end
end

-- Returns true if a name comes before another name in an index. Names are compared by bytes, independent of the locale.
function args.before(one, other)
  for i = 1, math.min(#one, #other) do
    local a, b = string.byte(one, i), string.byte(other, i)
    if a ~= b then
      return a < b
    end
  end
  return #one < #other
end

function args.priority(value, what)
  if #value > 5 or not string.find(value, '^%-?%d+$') or math.abs(tonumber(value)) > contract.PRIORITY_HIGH then
    reply.fail('BADARG', what .. ' must be a whole number from ' .. contract.PRIORITY_LOW .. ' to '
      .. contract.PRIORITY_HIGH)
  end
  return string.format('%d', tonumber(value))
end

-- Checks needs, separated by commas: NAME, or NAME OPERATOR NUMBER without spaces. Equal needs give equal text.
function args.needs(value, what)
  local wanted = {}
  for need in string.gmatch(#value <= contract.NEEDS_HIGH and value .. ',' or '', '([^,]*),') do
    local name, operator, number = string.match(need, '^([%w_.-]+)([<>=]*)(.*)$')
    local fits = name and #name <= contract.NEED_HIGH and (operator == '' and number == ''
      or string.find(' >= <= > < = ', ' ' .. operator .. ' ') and #number <= 16 and string.find(number, '^%d+%.?%d*$'))
    if not fits then
      reply.fail('BADARG', what .. ' must be names, each with an operator (>= <= > < =) and a number or without,'
        .. ' separated by commas')
    end
    wanted[#wanted + 1] = need
  end
  if #wanted > contract.NEEDS_COUNT_HIGH or #value > contract.NEEDS_HIGH then
    reply.fail('BADARG', what .. ' may be ' .. contract.NEEDS_COUNT_HIGH .. ' at most, in ' .. contract.NEEDS_HIGH
      .. ' characters')
  end
  table.sort(wanted, args.before)
  return table.concat(wanted, ',')
end

-- Checks a context of the W3C Trace Context: traceparent, and after a space tracestate.
function args.trace(value, what)
  local trace, span, flags, rest = string.match(value, '^00%-([%da-f]+)%-([%da-f]+)%-([%da-f]+)(.*)$')
  if #value > contract.TRACE_HIGH or not trace or #trace ~= 32 or #span ~= 16 or #flags ~= 2
    or not (string.find(trace, '[^0]') and string.find(span, '[^0]'))
    or rest ~= '' and not string.find(rest, '^ [!-~][ -~]*$') then
    reply.fail('BADARG', what .. ' must be a traceparent, such as'
      .. ' 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01, and optionally a space and a tracestate, in at most'
      .. ' ' .. contract.TRACE_HIGH .. ' characters')
  end
  return value
end

-- Returns true if a value is a text without a zero byte.
function args.is_text(value)
  return type(value) == 'string' and not string.find(value, '%z')
end

-- Checks the command line of a task, as JSON.
function args.command(value, what)
  args.bytes(value, contract.COMMAND_HIGH, what)
  local read, command = pcall(cjson.decode, value)
  local wrong = (not read or type(command) ~= 'table') and 'be a JSON object'
  for name in pairs(wrong and {} or command) do
    if not args.among(tostring(name), ' argv cwd env script user proof ') then
      wrong = 'have no other field than argv, cwd, env, script, user and proof'
    end
  end
  wrong = wrong or args.wrong_command(command)
  if wrong then
    reply.fail('BADARG', what .. ' must ' .. wrong)
  end
  return value
end

-- Returns the arguments of a command line as JSON, or nil. Its environment may contain secrets, so it is not shown.
function args.argv(command)
  local read, decoded = pcall(cjson.decode, command or '')
  return read and cjson.encode(type(decoded) == 'table' and decoded.argv) or nil
end

-- Returns what is wrong with a decoded command line.
function args.wrong_command(command)
  local argv, env, is_text = command.argv, command.env or {}, args.is_text
  local number, most = type(argv) == 'table' and #argv or 0, contract.ARGUMENT_COUNT_HIGH
  if number < contract.ARGUMENT_COUNT_LOW or number > most or argv[1] == '' then
    return string.format('have argv: a list of 1 to %d texts, the program and its arguments', most)
  end
  for i = 1, number do
    if not is_text(argv[i]) then
      return 'have only texts without zero bytes in argv'
    end
  end
  for name, text in pairs(type(env) == 'table' and env or { '' }) do
    if not is_text(text) or not string.find(name, '^[%a_][%w_]*$') or string.find(name, '^BLUEQUE_') then
      return 'have in env an object of texts, by names of letters, digits and _ that do not begin with BLUEQUE_'
    end
  end
  if command.cwd and not (is_text(command.cwd) and string.find(command.cwd, '^/')) then
    return 'have an absolute path in cwd'
  elseif command.script and not (is_text(command.script) and string.find(command.script, '^#!')) then
    return 'have a script that begins with #! and the path of its interpreter'
  elseif not (is_text(command.user or '') and is_text(command.proof or '')) then
    return 'have texts in user and proof'
  end
end

function args.unique_until(value, what)
  if value ~= 'start' and value ~= 'end' then
    args.seconds(value, contract.UNIQUE_TIME_LOW, contract.UNIQUE_TIME_HIGH, what)
  end
  return value
end

-- Checks 1 to 16 tags, separated by commas. Duplicates are dropped.
function args.tags(value, what)
  local names, seen, number = {}, {}, 0
  for tag in string.gmatch(value .. ',', '([^,]*),') do
    args.plain(tag, what)
    number = number + 1
    if number > contract.TAG_COUNT_HIGH then
      reply.fail('TOOMANY', 'a task has ' .. contract.TAG_COUNT_HIGH .. ' tags at most')
    elseif not seen[tag] then
      names[#names + 1], seen[tag] = tag, true
    end
  end
  table.sort(names, args.before)
  return table.concat(names, ',')
end

-- Checks the offer of a listener: NAME or NAME=NUMBER, separated by commas. The offer may be empty.
function args.has(value, what)
  local number = 0
  for one in string.gmatch((value == '' or #value > contract.HAS_HIGH) and '' or value .. ',', '([^,]*),') do
    local name, amount = string.match(one, '^([%w_.-]+)(.*)$')
    number = number + 1
    if not name or #name > contract.NEED_HIGH or #amount > 17
      or amount ~= '' and not string.find(amount, '^=%d+%.?%d*$') then
      reply.fail('BADARG', what .. ' must be names, each with = and a number or without, separated by commas')
    end
  end
  if number > contract.HAS_COUNT_HIGH or #value > contract.HAS_HIGH then
    reply.fail('BADARG', what .. ' may be ' .. contract.HAS_COUNT_HIGH .. ' at most, in '
      .. contract.HAS_HIGH .. ' characters')
  end
  return value
end

-- Checks the methods for which a worker has programs, as the worker reports them.
function args.methods(value, what)
  if #value > contract.METHODS_HIGH or not string.find(value, '^[%w._:@%-,*]*$') then
    reply.fail('BADARG', what .. ' must be names separated by commas, at most '
      .. contract.METHODS_HIGH .. ' bytes, or *')
  end
  return value
end

function args.fraction(value, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$') or tonumber(value) > contract.FRACTION_HIGH then
    reply.fail('BADARG', what .. ' must be a decimal number from 0 to 1')
  end
  return tonumber(value)
end

function args.weights(value, what)
  local weights = {}
  for weight in string.gmatch(#value <= 200 and value .. ',' or '', '([^,]*),') do
    weights[#weights + 1] = args.integer(weight, contract.WEIGHT_LOW, contract.WEIGHT_HIGH, what)
  end
  return weights
end

-- Maximum number of names in one call.
args.NAMES = 100

function args.names(value, what)
  local names = {}
  for name in string.gmatch(value .. ',', '([^,]*),') do
    names[#names + 1] = args.plain(name, what)
    if #names > args.NAMES then
      reply.fail('BADNAME', what .. ' may be ' .. args.NAMES .. ' names at most')
    end
  end
  return names
end

function args.name_or_none(value, what)
  return value == '' and value or args.plain(value, what)
end
