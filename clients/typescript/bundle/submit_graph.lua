--- Submits tasks of a graph, which wait for one another: all that it has, up to 500 in a call. With the last one the graph is created; before, nobody sees anything of it. A task comes after those that it waits for.
-- @args now graph total count (id queue eta parameters inputs options)*count
-- @role client
-- @options name on_failure tags bounds deadline digest request
-- @reply `staged` while tasks are missing, `created`, or `existing` if this graph was created before
-- @errors TOOBIG OTHERQUEUE CLOSED NOTASK UPSTREAM OVERDUE DUPLICATE NOLIMIT TOOMANY
-- @since 0.2.0

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(96)('BADARG', 'missing argument: ' .. what)
end

local namespace_meta = KEYS[1] or ''

local namespace_prefix = string.sub(namespace_meta, 1, -5)

local namespace_declared = not string.find(namespace_meta, '^[^_{]*_meta$') and {}

local namespace_shared_tables = false

local namespace_gap = false

local namespace_now_us = 0

local namespace_now = ''

local function namespace_open()
  do
    local clock = redis.call('HGET', namespace_meta, 'clock:1')
    if not clock or #KEYS ~= 1 or namespace_declared and not string.find(namespace_meta, '^[^_]*_meta$') then
      clock = cold(69)()
    end
    if ARGV[1] == '' then
      local time = redis.call('TIME')
      local seconds, micros = time[1], time[2]
      if #micros < 6 then
        micros = string.format('%06d', micros)
      end
      namespace_now_us = seconds * 1000000 + micros
      namespace_now = seconds .. '.' .. micros
    else
      cold(70)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(71)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(72)(floor)
    end
  end
end

local function record_find(id, ...)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(75)(key)
  end
  local v = redis.call('HMGET', key, 'status', 'queue', 'attempt', 'token', 'node', 'pid', 'cancel', 'updated', 'ties',
    'recall', ...)
  if not v[1] then
    return nil
  end
  return {
    id = id, key = key, status = v[1], queue = v[2] or '', attempt = v[3] or '0', foreign = not v[3],
    token = v[4] or '', node = v[5] or '', pid = v[6] or '', cancel = v[7], since = v[8], ties = v[9] or nil,
    recall = v[10], extra = { unpack(v, 11, 10 + select('#', ...)) },
  }
end

function cold(number)
if number < 60 then
if number < 30 then
if number < 15 then
if number < 8 then
if number < 4 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(96)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
if number < 3 then
-- 2 args.word
return function(value, words, what)
  if not cold(4)(value, words) then
    cold(96)('BADARG', what .. ' must be ' .. cold(3)(words, 'or'))
  end
  return value
end
else
-- 3 args.listed
return function(words, last)
  local list = string.gsub(string.sub(words, 2, -2), ' ', ', ')
  return (string.gsub(list, ', (%S+)$', ' ' .. last .. ' %1'))
end
end
end
else
if number < 6 then
if number < 5 then
-- 4 args.among
return function(value, words)
  return string.find(value, '^[%l_]+$') and string.find(words, ' ' .. value .. ' ') ~= nil
end
else
-- 5 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(96)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
end
else
if number < 7 then
-- 6 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(96)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
-- 7 args.time_or_none
return function(value, what)
  return value ~= '' and cold(6)(value, 0, 100000000000, what) or nil
end
end
end
end
else
if number < 11 then
if number < 9 then
-- 8 args.bytes
return function(value, most, what)
  if #value > most then
    cold(96)('TOOBIG', string.format('%s is %d bytes, over the limit of %d: store it elsewhere and pass a reference',
      what, #value, most))
  end
  return value
end
else
if number < 10 then
-- 9 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(96)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(96)('BADARG', 'an option is given twice')
    end
    found[name] = cold(117)(name, value)
    if found[name] == nil then
      cold(96)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
else
-- 10 args.before
return function(one, other)
  for i = 1, math.min(#one, #other) do
    local a, b = string.byte(one, i), string.byte(other, i)
    if a ~= b then
      return a < b
    end
  end
  return #one < #other
end
end
end
else
if number < 13 then
if number < 12 then
-- 11 args.priority
return function(value, what)
  if #value > 5 or not string.find(value, '^%-?%d+$') or math.abs(tonumber(value)) > 1000 then
    cold(96)('BADARG', what .. ' must be a whole number from ' .. (-1000) .. ' to '
      .. 1000)
  end
  return string.format('%d', tonumber(value))
end
else
-- 12 args.needs
return function(value, what)
  local wanted = {}
  for need in string.gmatch(#value <= 256 and value .. ',' or '', '([^,]*),') do
    local name, operator, number = string.match(need, '^([%w_.-]+)([<>=]*)(.*)$')
    local fits = name and #name <= 64 and (operator == '' and number == ''
      or string.find(' >= <= > < = ', ' ' .. operator .. ' ') and #number <= 16 and string.find(number, '^%d+%.?%d*$'))
    if not fits then
      cold(96)('BADARG', what .. ' must be names, each with an operator (>= <= > < =) and a number or without,'
        .. ' separated by commas')
    end
    wanted[#wanted + 1] = need
  end
  if #wanted > 8 or #value > 256 then
    cold(96)('BADARG', what .. ' may be ' .. 8 .. ' at most, in ' .. 256
      .. ' characters')
  end
  table.sort(wanted, cold(10))
  return table.concat(wanted, ',')
end
end
else
if number < 14 then
-- 13 args.unique_until
return function(value, what)
  if value ~= 'start' and value ~= 'end' then
    cold(6)(value, 1, 31536000, what)
  end
  return value
end
else
-- 14 args.tags
return function(value, what)
  local names, seen, number = {}, {}, 0
  for tag in string.gmatch(value .. ',', '([^,]*),') do
    cold(1)(tag, what)
    number = number + 1
    if number > 16 then
      cold(96)('TOOMANY', 'a task has ' .. 16 .. ' tags at most')
    elseif not seen[tag] then
      names[#names + 1], seen[tag] = tag, true
    end
  end
  table.sort(names, cold(10))
  return table.concat(names, ',')
end
end
end
end
end
else
if number < 22 then
if number < 18 then
if number < 16 then
-- 15 creation.spec
return function(options)
  local fields = {}
  local spec = { fields = fields, max_bytes = options.max_bytes, policy = options.unique_policy,
    unique = options.unique }
  if not options.unique and (options.unique_until or options.unique_policy) then
    cold(96)('BADARG', 'unique_until and unique_policy need the option unique')
  end
  local priority, key, till = options.priority ~= '0' and options.priority or nil, options.key,
    options.unique_until or 'end'
  if options.unique_policy == 'latest' then
    if key or options.unique_until then
      cold(96)('BADARG', 'the policy latest sets key and unique_until: leave them out')
    end
    key, till, spec.solo = options.unique, 'start', '1'
  elseif options.solo then
    key, spec.solo = options.solo, '1'
  end
  local weight = options.weight and tonumber(options.weight) > 1 and string.format('%d', options.weight) or nil
  local lease = options.lease and string.format('%.0f', options.lease * 1000000)
  local ties = ((priority or key or options.needs or options.limits) and 'r' or '')
    .. ((key or weight or options.limits) and 'p' or '')
    .. (options.unique and 'u' or '') .. (options.tags and 't' or '') .. (lease and 'l' or '')
    .. (options.inputs and (options.inputs.some > 0 and 'wk' or 'w') or '') .. (options.deadline and 'e' or '')
    .. (options.steps and 's' or '')
  options.priority, options.key, options.weight, options.solo, options.lease = priority, key, weight, spec.solo, nil
  options.unique_until, options.own_lease = options.unique and till, lease
  options.max_bytes, options.unique_policy = nil, nil
  if options.inputs then
    spec.inputs, options.inputs = options.inputs, options.inputs.text
  end
  if ties ~= '' then
    options.ties, spec.ties = ties, ties
    spec.claims = {
      priority = priority, fair_key = key, weight = weight, needs = options.needs, unique = options.unique, till = till,
      tags = options.tags, own_lease = lease, solo = spec.solo, end_by = options.deadline, shared = options.limits,
    }
  end
  for name, value in pairs(options) do
    if value then
      fields[#fields + 1], fields[#fields + 2] = name, value
    end
  end
  return spec
end
else
if number < 17 then
-- 16 creation.require_few_needs
return function(queue, wanted)
  if not cold(81)(queue, wanted) and redis.call('HLEN', cold(73)('needs', queue)) >= 64 then
    cold(96)('TOOMANY', 'the tasks that wait in this queue have 64 different needs and sets of shared limits'
      .. ' already: `why` and doctor name needs that no listener has: cancel such tasks, or start a listener for them')
  end
end
else
-- 17 creation.require_open
return function(own, common)
  if cold(111)(own, common, 'closed') == '1' then
    cold(96)('CLOSED', 'this queue is closed: set its setting closed to 0')
  end
end
end
end
else
if number < 20 then
if number < 19 then
-- 18 deadlines.is_past
return function(end_by)
  return tonumber(end_by) * 1000000 <= namespace_now_us
end
else
-- 19 deadlines.refusal
return function()
  return 'OVERDUE', 'the deadline of the task has passed: give it a later one with the option deadline'
end
end
else
if number < 21 then
-- 20 deadlines.require_ahead
return function(end_by)
  if cold(18)(end_by) then
    cold(96)(cold(19)())
  end
end
else
-- 21 edges.upstreams
return function(id)
  return namespace_prefix .. 'upstreams_' .. id
end
end
end
end
else
if number < 26 then
if number < 24 then
if number < 23 then
-- 22 edges.dependents
return function(id)
  return namespace_prefix .. 'dependents_' .. id
end
else
-- 23 edges.inputs
return function(id)
  return namespace_prefix .. 'inputs_' .. id
end
end
else
if number < 25 then
-- 24 edges.unsettled
return function()
  return namespace_prefix .. 'unsettled'
end
else
-- 25 edges.parse
return function(text, what, partial, known, start)
  local alone, only = string.match(text, '^(%l+)=([^= ]+)$')
  if (alone == 'success' or alone == 'after' or alone == 'failure' or alone == 'some')
    and (known and known[only] or #only <= 128
    and string.find(only, '^[%w._:@-]+$', start and string.sub(only, 1, #start) == start and #start + 1 or 1)) then
    return { upstreams = { { id = only, kind = alone, slots = {} } }, values = {}, slots = 0, text = text,
      some = alone == 'some' and 1 or 0 }
  end
  local found = { upstreams = nil, values = {}, slots = 0, text = text, some = 0, least = nil }
  local number, ups, by_id, taken, highest, from = 0, nil, nil, nil, -1, 1
  repeat
    local till, at = string.find(text, ' ', from, true) or #text + 1, string.find(text, '=', from, true)
    local kind, rest, slot = string.sub(text, from, (at or 0) - 1), string.sub(text, (at or 0) + 1, till - 1), nil
    local least
    if kind ~= 'success' and kind ~= 'after' and kind ~= 'failure' and kind ~= 'some' then
      kind, slot = string.match(kind, '^(%l+)/(%d%d?%d?%d?)$')
    end
    if not at or at > till then
      least = not found.least and string.match(string.sub(text, from, till - 1), '^least/(%d%d?%d?%d?%d?)$')
      slot, kind = nil, least and 'least'
    end
    if not kind or not least and (rest == '' or slot and kind ~= 'result' and kind ~= 'value' and kind ~= 'some'
      and kind ~= 'optional') then
      cold(96)('BADARG', what .. ' must be entries like success=ID, after=ID, failure=ID, some=ID, least/NUMBER,'
        .. ' result/SLOT=ID, optional/SLOT=ID and value/SLOT=BYTES, separated by spaces')
    end
    if slot then
      slot = tonumber(slot)
      taken = taken or {}
      if taken[slot] then
        cold(96)('BADARG', what .. ' must give each slot once')
      end
      taken[slot], highest, found.slots = true, math.max(highest, slot), found.slots + 1
    end
    if least then
      found.least = cold(5)(least, 1, 10000, what)
    elseif kind == 'value' then
      found.values[#found.values + 1] = { slot, cold(5)(rest, 0, 1048576, what) }
    else
      if not (known and known[rest]) then
        local begin = start and string.sub(rest, 1, #start) == start and #start + 1 or 1
        if #rest > 128 or not string.find(rest, '^[%w._:@-]+$', begin) then
          cold(1)(rest, what)
        end
      end
      by_id = by_id or ups and { [ups[1].id] = ups[1] }
      local up = by_id and by_id[rest]
      if up and not (slot and up.kind == kind and up.slots[1]) then
        cold(96)('BADARG', what .. ' must name each upstream once, or several times for its result')
      elseif up then
        up.slots[#up.slots + 1] = slot
      else
        up, number = { id = rest, kind = kind, slots = slot and { slot } or {} }, number + 1
        if kind == 'some' then
          found.some = found.some + 1
        end
        if ups then
          ups[number], by_id[rest] = up, up
        else
          ups = { up }
        end
      end
    end
    from = till + 1
  until till > #text
  found.upstreams = ups or {}
  if found.values[1] then
    found.text = string.sub(string.gsub(' ' .. text, ' value/%d+=%d+', ''), 2)
  end
  if partial then
    found.slots = highest + 1
  end
  if highest + 1 ~= found.slots then
    cold(96)('BADARG', what .. ' must give the slots from 0 on without a gap')
  elseif number == 0 and not (partial and found.least) or number + #found.values > 1000 then
    cold(96)('BADARG', what .. ' must name 1 to ' .. 1000 .. ' upstreams and values')
  elseif not partial and (found.least or 0) > found.some then
    cold(96)('BADARG', what .. ' must have as many upstreams with some as least/NUMBER says, or more')
  end
  return found
end
end
end
else
if number < 28 then
if number < 27 then
-- 26 edges.slots
return function(text)
  local slots = {}
  for slot in string.gmatch(text or '', '%d+') do
    slots[#slots + 1] = tonumber(slot)
  end
  return slots
end
else
-- 27 edges.is_met
return function(kind, to)
  if kind == 'after' or kind == 'optional' then
    return true
  end
  return (kind == 'failure') ~= (to == 'complete')
end
end
else
if number < 29 then
-- 28 edges.result_of
return function(up)
  return cold(29)(up.status == 'complete' and redis.call('HGET', up.key, 'result') or '')
end
else
-- 29 edges.element
return function(result)
  return result == '' and 'null' or result
end
end
end
end
end
end
else
if number < 45 then
if number < 37 then
if number < 33 then
if number < 31 then
-- 30 edges.among
return function(task, ups)
  local ids = {}
  for i = 1, #ups do
    ids[i] = ups[i].id
  end
  return ids[1] and redis.call('HMGET', cold(21)(task.id), unpack(ids))
end
else
if number < 32 then
-- 31 edges.look
return function(task, wanted, find, had)
  local open, at = nil, 1
  if wanted.slots > 0 or task.continues then
    task.filled, task.slots, task.bytes = {}, wanted.slots, 0
  end
  if wanted.some > 0 or wanted.least then
    local set = task.continues and cold(84)(task) and cold(88)(task.id)
    task.set, open = cold(92)({ set = set, text = had }, wanted), {}
    task.edges = open
  end
  for i = 1, #wanted.values do
    local slot, length = unpack(wanted.values[i])
    local text = string.sub(task.parameters, at, at + length - 1)
    if #text < length or not cold(67)(text) then
      cold(96)('BADARG', 'the value of slot ' .. slot .. ' must be JSON, as long as the inputs say')
    end
    task.filled[slot], at, task.bytes = text, at + length, task.bytes + length
  end
  if wanted.slots > 0 and at <= #task.parameters then
    cold(96)('BADARG', 'the parameters must be the values of the inputs, nothing else')
  end
  local get, before = find or record_find, task.continues and cold(30)(task, wanted.upstreams)
  local dependents, fresh = namespace_prefix .. 'dependents_', nil
  for i = 1, #wanted.upstreams do
    local wish = wanted.upstreams[i]
    if wish.id == task.id then
      cold(96)('BADARG', 'a task cannot wait for itself')
    end
    local up = get(wish.id)
    if not up or up.queue == '' then
      cold(37)(task, wish)
    end
    local earlier = before and before[i]
    if earlier and cold(34)(wish.kind, string.match(earlier, '^%l+')) then
      cold(96)('BADARG', cold(36)(task, wish) .. 'an earlier call has it wait for ' .. wish.id
        .. ' in another way: say the same each time')
    end
    local named = wish.kind == 'some' and task.set.named[wish.id]
    if (up.status == 'staged' or not cold(116)(up.status)) and not (named and not earlier) then
      if not earlier then
        if task.waited_for ~= 0 then
          cold(43)(task)
        end
      else
        cold(32)(wish.slots, earlier)
      end
      local edge = { up = up, kind = wish.kind, slots = wish.slots, known = earlier }
      if open then
        open[#open + 1] = edge
      else
        open = { edge }
      end
      if not up.probed then
        fresh = fresh or {}
        fresh[#fresh + 1], up.probed = dependents .. up.id, true
      end
    elseif not (named and earlier) then
      if earlier then
        wish = cold(33)(wish, earlier)
      end
      local left = cold(38)(task, wish, up, named)
      if left then
        if earlier then
          cold(32)(left.slots, earlier)
          left.known = earlier
        end
        open = open or {}
        open[#open + 1] = left
      end
    end
  end
  task.edges = open or {}
  if fresh then
    cold(35)(fresh)
  end
  if task.continues then
    local known = redis.call('HMGET', cold(23)(task.id), 'slots', 'bytes')
    task.had = tonumber(known[2] or 0)
    task.slots, task.bytes = math.max(task.slots, tonumber(known[1] or 0)), task.bytes + task.had
    for slot in pairs(task.filled) do
      task.bytes = task.bytes - #(redis.call('HGET', cold(23)(task.id), slot) or '')
    end
  end
  if task.slots then
    cold(39)(task)
  end
  if namespace_declared then
    cold(75)(cold(21)(task.id))
    cold(75)(cold(23)(task.id))
  end
  if task.set then
    cold(95)(task, wanted, find)
  end
  if wanted.slots > 0 then
    task.joins = not (find or task.edges[1]) and cold(66)(task.id, wanted.slots, task.bytes)
    task.parameters = (find or task.edges[1] or task.joins) and '' or (cold(64)(task.filled, wanted.slots))
  end
end
else
-- 32 edges.add_slots
return function(slots, edge)
  local own = ',' .. table.concat(slots, ',') .. ','
  for _, slot in ipairs(cold(26)(string.match(edge, '/(.*)$'))) do
    if not string.find(own, ',' .. slot .. ',', 1, true) then
      slots[#slots + 1] = slot
    end
  end
end
end
end
else
if number < 35 then
if number < 34 then
-- 33 edges.further
return function(wish, edge)
  local known, slots = ',' .. (string.match(edge, '/(.*)$') or '') .. ',', {}
  for _, slot in ipairs(wish.slots) do
    if not string.find(known, ',' .. slot .. ',', 1, true) then
      slots[#slots + 1] = slot
    end
  end
  return { id = wish.id, kind = wish.kind, slots = slots, said = wish.slots }
end
else
-- 34 edges.differ
return function(kind, other)
  return kind ~= other and (kind == 'some' or other == 'some' or kind == 'optional' or other == 'optional')
end
end
else
if number < 36 then
-- 35 edges.probe_all
return function(keys)
  for i = 1, #keys do
    if namespace_declared then
      cold(75)(keys[i])
    end
  end
  if redis.call('EXISTS', unpack(keys)) > 0 then
    for i = 1, #keys do
      redis.call('ZCARD', keys[i])
    end
  end
end
else
-- 36 edges.place
return function(task, wish)
  local fields = { success = 'needs', after = 'after', failure = 'after_failure', some = 'at_least' }
  local slot = (wish.said or wish.slots)[1]
  local field = slot and 'args[' .. slot .. ']' or fields[wish.kind]
  return 'task ' .. task.id .. (task.label and ' "' .. task.label .. '"' or '') .. ', ' .. field .. ': '
end
end
end
end
else
if number < 41 then
if number < 39 then
if number < 38 then
-- 37 edges.refuse_missing
return function(task, wish)
  cold(77)(cold(73)('task', wish.id))
  cold(96)('NOTASK', cold(36)(task, wish) .. 'no task has the id ' .. wish.id
    .. ': it was never submitted, or was deleted, or removed by retention')
end
else
-- 38 edges.look_at_ended
return function(task, wish, up, named)
  local length = wish.slots[1] and up.status == 'complete' and redis.call('HSTRLEN', up.key, 'result')
  if length and not cold(65)(length) then
    if task.continues and redis.call('HEXISTS', cold(23)(task.id), wish.slots[1]) == 1 then
      return
    end
    cold(76)('ZCARD', cold(22)(up.id))
    cold(76)('ZCARD', cold(24)())
    return { up = up, kind = wish.kind, slots = wish.slots, asks = true }
  elseif wish.kind == 'some' and not cold(93)(task, wish, up, named) then
    return
  elseif not cold(27)(wish.kind, up.status) then
    cold(96)('UPSTREAM', cold(36)(task, wish) .. wish.id .. ' is ' .. up.status
      .. ', so this task would never run: retry that one first')
  elseif wish.slots[1] then
    local result = cold(28)(up)
    if not cold(67)(result) then
      cold(96)('UPSTREAM', cold(36)(task, wish) .. 'the result of ' .. wish.id .. ' is not JSON')
    end
    for _, slot in ipairs(wish.slots) do
      task.filled[slot], task.bytes = result, task.bytes + #result
    end
  end
end
end
else
if number < 40 then
-- 39 edges.require_room
return function(task)
  local over = cold(40)(task.queue, task.bytes)
  if over then
    cold(96)('TOOBIG', 'the inputs of the task are ' .. over)
  end
end
else
-- 40 edges.over
return function(queue, bytes)
  local most = bytes > 1024 and cold(112)(queue, 'input_bytes')
  if most and bytes > tonumber(most) then
    return 'over ' .. most .. ' bytes, the setting input_bytes'
  end
end
end
end
else
if number < 43 then
if number < 42 then
-- 41 edges.tie
return function(up)
  if not string.find(up.ties or '', 'd', 1, true) then
    up.ties = (up.ties or '') .. 'd'
    redis.call('HSET', up.key, 'ties', up.ties)
  end
end
else
-- 42 edges.waiting
return function(id)
  local key = cold(75)(cold(22)(id))
  local waiting, staged = redis.call('ZCOUNT', key, '(0', '+inf'), redis.call('ZCOUNT', key, '-inf', '-inf')
  return waiting + staged, waiting
end
end
else
if number < 44 then
-- 43 edges.require_free
return function(task)
  task.waited_for = task.waited_for or cold(42)(task.id)
  if task.waited_for > 0 then
    cold(96)('BADARG', 'tasks wait for one of this id already: give it another id, or let it wait for nothing')
  end
end
else
-- 44 edges.enter
return function(tasks, graph)
  local own, waits, number, prefix, now = {}, {}, 0, namespace_prefix, namespace_now
  local tie = cold(41)
  for t = 1, #tasks do
    local task, n = tasks[t], 0
    for i = 1, task.edges and #task.edges or 0 do
      local edge = task.edges[i]
      local up = edge.up
      local outside = graph and up.status ~= 'staged'
      local kind = edge.missed and edge.kind .. task.set.turn or edge.kind
      local since = outside and '-inf' or edge.missed and 'inf' or now
      own[n + 1], own[n + 2] = up.id, edge.slots[1] and kind .. '/' .. table.concat(edge.slots, ',') or kind
      n = n + 2
      local waiting = up.waiting
      if waiting then
        waiting[#waiting + 1], waiting[#waiting + 2] = since, task.id
      else
        number, up.waiting = number + 1, { since, task.id }
        waits[number] = up
      end
      if outside and not edge.known then
        redis.call('RPUSH', cold(47)(graph), up.id .. ' ' .. task.id)
      elseif edge.asks then
        redis.call('ZADD', cold(24)(), now, up.id)
      end
    end
    if n > 0 then
      redis.call('HSET', prefix .. 'upstreams_' .. task.id, unpack(own, 1, n))
    end
    if (task.slots or 0) > 0 then
      local known = { 'slots', task.slots, 'bytes', task.bytes }
      for slot, text in pairs(task.filled) do
        known[#known + 1], known[#known + 2] = slot, text
      end
      redis.call('HSET', cold(23)(task.id), unpack(known))
    end
    if task.set then
      cold(89)(task.id, task.set)
    end
  end
  for i = 1, number do
    local up = waits[i]
    redis.call('ZADD', prefix .. 'dependents_' .. up.id, unpack(up.waiting))
    up.waiting = nil
    if not up.tied then
      tie(up)
    end
  end
end
end
end
end
end
else
if number < 52 then
if number < 48 then
if number < 46 then
-- 45 graphs.key
return function(graph)
  return cold(73)('graph', graph)
end
else
if number < 47 then
-- 46 graphs.tasks
return function(graph)
  return cold(73)('members', graph)
end
else
-- 47 graphs.outside
return function(graph)
  return cold(73)('outside', graph)
end
end
end
else
if number < 50 then
if number < 49 then
-- 48 graphs.due
return function()
  return namespace_prefix .. 'graphs_due'
end
else
-- 49 graphs.all
return function()
  return namespace_prefix .. 'graphs'
end
end
else
if number < 51 then
-- 50 graphs.staged
return function(id, graph)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(75)(key)
  end
  local v = redis.call('HMGET', key, 'status', 'graph', 'queue', 'ties', 'eta')
  if v[1] or not v[2] or graph and v[2] ~= graph then
    return nil
  end
  return { id = id, key = key, status = 'staged', queue = v[3], ties = v[4] or '', eta = v[5] or nil, extra = {} }
end
else
-- 51 graphs.facts
return function(options)
  local facts = {}
  for _, name in ipairs({ 'name', 'on_failure', 'tags', 'deadline', 'digest' }) do
    if options[name] then
      facts[#facts + 1], facts[#facts + 2] = name, options[name]
    end
  end
  if options.bounds then
    facts[#facts + 1], facts[#facts + 2] = 'bounds', options.bounds.text
  end
  return facts
end
end
end
end
else
if number < 56 then
if number < 54 then
if number < 53 then
-- 52 graphs.refuse_other
return function(how)
  cold(96)('DUPLICATE', how == 'created' and 'another document was submitted with this id: choose another one'
    or 'another document is being submitted with this id, or was left unfinished: choose another id, or repeat the call'
      .. ' in ten minutes')
end
else
-- 53 graphs.most
return function()
  return cold(112)('*', 'graph_bytes')
end
end
else
if number < 55 then
-- 54 graphs.spec
return function(text, known, common)
  local label, rest = string.match(text, '^label=(%S*) ?(.*)$')
  if not label then
    label = string.match(' ' .. text, ' label=(%S*)')
    rest = label and string.gsub(' ' .. text, ' label=%S*', '') or text
  end
  local spec = known[rest]
  if not spec then
    local options = cold(60)(rest)
    if common and not (options.deadline and tonumber(options.deadline) < tonumber(common)) then
      options.deadline = common
    end
    spec = cold(15)(options)
    known[rest] = spec
  end
  if label and (#label > 1024 or string.find(label, '%', 1, true)) then
    label = cold(8)(cold(109)(label), 1024, 'label')
  end
  return spec, label
end
else
-- 55 graphs.stage
return function(tasks, graph)
  local now = namespace_now
  local row = { 'queue', '', 'parameters', '', 'created', now, 'updated', now, 'attempt', '0', 'graph', graph }
  for t = 1, #tasks do
    local task = tasks[t]
    local n, fields = 12, task.spec.fields
    row[2], row[4] = task.queue, task.parameters
    for i = 1, #fields do
      row[n + i] = fields[i]
    end
    n = n + #fields + 2
    row[n - 1], row[n] = 'ties', task.ties
    if task.label then
      row[n + 1], row[n + 2], n = 'label', task.label, n + 2
    end
    if task.inputs then
      row[n + 1], row[n + 2], n = 'inputs', task.inputs, n + 2
    end
    if task.eta then
      row[n + 1], row[n + 2], n = 'eta', task.eta, n + 2
    end
    redis.call('HSET', task.key, unpack(row, 1, n))
  end
end
end
end
else
if number < 58 then
if number < 57 then
-- 56 graphs.check_least
return function(text, wanted)
  local known = wanted.least and string.match(text or '', 'least/(%d+)')
  if known and tonumber(known) ~= wanted.least then
    cold(96)('BADARG', 'an earlier call had another least/NUMBER for this task')
  end
end
else
-- 57 graphs.runs
return function(text, number)
  local runs, all = {}, 0
  for to, count, queue in string.gmatch(text or '', '(%S+)/(%d+)/(%S+)') do
    runs[#runs + 1] = { to = to, count = tonumber(count), queue = queue }
    all = all + runs[#runs].count
  end
  return all == number and runs or nil
end
end
else
if number < 59 then
-- 58 graphs.runs_with
return function(runs, tasks)
  if not runs then
    return ''
  end
  local last = runs[#runs] or {}
  for i = 1, #tasks do
    local task = tasks[i]
    local to = task.inputs and 'waiting' or 'pending'
    if task.eta or task.set or task.spec.ties or task.inputs and not task.edges[1] then
      to = '?'
    end
    if last.to == to and last.queue == task.queue then
      last.count = last.count + 1
    else
      last = { to = to, count = 1, queue = task.queue }
      runs[#runs + 1] = last
    end
  end
  local texts = {}
  for i, run in ipairs(runs) do
    texts[i] = run.to .. '/' .. run.count .. '/' .. run.queue
  end
  return #texts <= 100 and table.concat(texts, ' ') or ''
end
else
-- 59 graphs.merged
return function(text, more, open)
  local padded, all, fresh = ' ' .. (text or '') .. ' ', { text or nil }, {}
  if string.find(padded, ' ' .. more .. ' ', 1, true) then
    return text
  end
  for _, edge in ipairs(open) do
    fresh[edge.up.id] = not edge.known
  end
  for entry in string.gmatch(more, '%S+') do
    if fresh[string.match(entry, '=(.+)$')] or not string.find(padded, ' ' .. entry .. ' ', 1, true) then
      all[#all + 1] = entry
    end
  end
  return table.concat(all, ' ')
end
end
end
end
end
end
end
else
if number < 89 then
if number < 74 then
if number < 67 then
if number < 63 then
if number < 61 then
-- 60 graphs.options
return function(text)
  local options = {}
  for name, value in pairs(cold(110)(text)) do
    options[name] = cold(118)(name, value)
      or cold(96)('BADARG', 'unknown option of a task: the contract lists them')
  end
  if options.unique then
    cold(96)('BADARG', 'a task of a graph has no unique name: give the graph an id of your own instead')
  end
  return options
end
else
if number < 62 then
-- 61 graphs.bounds
return function(text, what)
  local bounds = { text = text }
  for entry in string.gmatch(text .. ' ', '([^ ]*) ') do
    local queue, key, places = string.match(entry, '^([^/=]+)/([^/=]+)=(%d+)$')
    if not places or #bounds >= 100 then
      cold(96)('BADARG', what .. ' must be 1 to ' .. 100
        .. ' entries like QUEUE/KEY=PLACES, separated by spaces')
    end
    bounds[#bounds + 1] = { limits = cold(73)('limits', cold(1)(queue, what)), key = cold(1)(key, what),
      places = cold(5)(places, 1, 1000000, what) }
  end
  return bounds
end
else
-- 62 graphs.plan_bounds
return function(bounds)
  for _, bound in ipairs(bounds or {}) do
    if cold(76)('HLEN', bound.limits) >= 100000 then
      cold(96)('TOOMANY', 'a queue has ' .. 100000 .. ' keys with limits of their own already')
    end
  end
end
end
end
else
if number < 65 then
if number < 64 then
-- 63 joins.key
return function(id)
  return namespace_prefix .. 'joined_' .. id
end
else
-- 64 joins.list
return function(filled, slots)
  local lengths = {}
  for slot = 0, slots - 1 do
    filled[slot] = filled[slot] or 'null'
    lengths[slot + 1] = #filled[slot]
  end
  return '[' .. table.concat(filled, ',', 0, slots - 1) .. ']', table.concat(lengths, ',')
end
end
else
if number < 66 then
-- 65 joins.may_read
return function(length)
  local read = cold(74)('results')
  read.bytes = (read.bytes or 0) + length
  return length <= 131072 and read.bytes <= 262144
end
else
-- 66 joins.is_long
return function(id, slots, bytes)
  local joined = cold(74)('joined')
  local all = (joined.bytes or 0) + bytes
  if slots == 0 or bytes <= 262144 and all <= 1048576 then
    joined.bytes = slots > 0 and all or joined.bytes
    return false
  end
  cold(76)('ZCARD', cold(24)())
  cold(75)(cold(63)(id))
  cold(75)(cold(73)('task', id))
  return true
end
end
end
end
else
if number < 70 then
if number < 68 then
-- 67 json.decodes
return function(text)
  return (pcall(cjson.decode, text))
end
else
if number < 69 then
-- 68 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
-- 69 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(96)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(96)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
end
end
else
if number < 72 then
if number < 71 then
-- 70 namespace.use_test_time
return function(now)
  namespace_now_us = cold(6)(now or cold(96)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(96)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(68)(namespace_now_us)
end
else
-- 71 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(68)(namespace_now_us)
end
end
else
if number < 73 then
-- 72 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
-- 73 namespace.key
return function(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end
end
end
end
end
else
if number < 81 then
if number < 77 then
if number < 75 then
-- 74 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
else
if number < 76 then
-- 75 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
else
-- 76 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(75)(key)
  end
  return redis.call(command, key)
end
end
end
else
if number < 79 then
if number < 78 then
-- 77 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(96)(cold(98)())
  end
end
else
-- 78 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(108)()
  if namespace_declared then
    cold(79)(first, ...)
  end
end
end
else
if number < 80 then
-- 79 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(77)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(108)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
else
-- 80 namespace.write_when_full
return function(key)
  redis.call('HDEL', key, '')
end
end
end
end
else
if number < 85 then
if number < 83 then
if number < 82 then
-- 81 needs.number
return function(queue, wanted)
  if not wanted then
    return ''
  end
  return string.match(redis.call('HGET', cold(73)('needs', queue), wanted) or '', '^%d+')
end
else
-- 82 quorum.wanted
return function(text)
  return tonumber(string.match(text or '', 'least/(%d+)') or 1)
end
end
else
if number < 84 then
-- 83 quorum.named
return function(text)
  local named = {}
  for id in string.gmatch(text or '', 'some/?%d*=(%S+)') do
    named[id] = true
  end
  return named
end
else
-- 84 quorum.has
return function(task)
  return task.ties and string.find(task.ties, 'k', 1, true)
end
end
end
else
if number < 87 then
if number < 86 then
-- 85 quorum.tie
return function(task)
  if not cold(84)(task) then
    task.ties = (task.ties or '') .. 'k'
  end
end
else
-- 86 quorum.new
return function(least)
  return { least = least, left = 0, missed = 0, turn = 1, owed = 0 }
end
end
else
if number < 88 then
-- 87 quorum.fields
return function()
  return 'least', 'some', 'missed', 'turn', 'owed'
end
else
-- 88 quorum.read
return function(id)
  local v = redis.call('HMGET', cold(75)(cold(23)(id)), cold(87)())
  return { least = tonumber(v[1] or 0), left = tonumber(v[2] or 0), missed = tonumber(v[3] or 0),
    turn = tonumber(v[4] or 1), owed = tonumber(v[5] or 0) }
end
end
end
end
end
end
else
if number < 104 then
if number < 96 then
if number < 92 then
if number < 90 then
-- 89 quorum.write
return function(id, set)
  redis.call('HSET', cold(23)(id), 'least', set.least, 'some', set.left, 'missed', set.missed, 'turn', set.turn,
    'owed', set.owed)
end
else
if number < 91 then
-- 90 quorum.chances
return function(set)
  return set.left - set.missed + set.owed
end
else
-- 91 quorum.is_ready
return function(set, open)
  return set.least <= 0 and open == set.left
end
end
end
else
if number < 94 then
if number < 93 then
-- 92 quorum.begin
return function(before, wanted)
  local named = cold(83)(before.text)
  local set = next(named) and before.set or cold(86)(1)
  local had = next(named) and cold(82)(before.text) or 1
  set.named, set.least = named, set.least + (wanted.least or had) - had
  return set
end
else
-- 93 quorum.look_at_ended
return function(task, wish, up, named)
  if up.status == 'complete' then
    task.set.least = task.set.least - (named and 0 or 1)
    return true
  elseif not named and up.status ~= 'deleted' then
    task.edges[#task.edges + 1] = { up = up, kind = 'some', slots = wish.slots, missed = true }
  end
end
end
else
if number < 95 then
-- 94 quorum.count
return function(task)
  local set = task.set
  for _, edge in ipairs(task.edges) do
    if edge.kind == 'some' and not edge.known then
      set.left, set.missed = set.left + 1, set.missed + (edge.missed and 1 or 0)
    elseif edge.kind == 'some' and tonumber(string.match(edge.known, '^some(%d+)')) == set.turn then
      set.missed = set.missed - 1
    end
  end
  if set.least > set.left + set.owed then
    return 'BADARG', 'at least so many are to be complete as are not there: least/NUMBER is at most the number of'
      .. ' upstreams with some'
  elseif set.least > cold(90)(set) then
    return 'UPSTREAM', 'too few of the upstreams can still be complete, so this task would never run: retry those that'
      .. ' failed first'
  end
end
else
-- 95 quorum.require
return function(task, wanted, find)
  local code, text = cold(94)(task)
  if code and (wanted.least or not find) then
    cold(96)(code, text)
  elseif not find and cold(91)(task.set, #task.edges) then
    task.edges, task.set = {}, nil
  end
end
end
end
end
else
if number < 100 then
if number < 98 then
if number < 97 then
-- 96 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(97)() then
    code, text = cold(98)()
  end
  error({ err = code .. ' ' .. text })
end
else
-- 97 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
end
else
if number < 99 then
-- 98 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
-- 99 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(98)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
end
end
else
if number < 102 then
if number < 101 then
-- 100 requests.key
return function()
  return namespace_prefix .. 'requests'
end
else
-- 101 requests.find
return function(command, request)
  if not request then
    return false
  end
  local own = cold(74)('request')
  own.field = command .. ' ' .. request
  local found = redis.call('HMGET', cold(75)(cold(100)()), own.field, 'first', 'last')
  own.first, own.last = tonumber(found[2]) or 1, tonumber(found[3]) or 0
  if found[1] then
    return true, cold(104)(found[1])
  end
  return false
end
end
else
if number < 103 then
-- 102 requests.keep
return function(answer)
  local own = cold(74)('request')
  if not own.begun then
    return answer
  end
  local key, first, last = cold(100)(), own.first, own.last + 1
  local known = last > 1 and first
  cold(80)(key)
  redis.call('HSET', key, own.field, cold(103)(answer), 'last', string.format('%.0f', last),
    string.format('#%.0f', last), namespace_now .. ' ' .. own.field)
  for _ = 1, 10 do
    local number = string.format('#%.0f', first)
    local at, field = string.match(redis.call('HGET', key, number) or '', '^(%S+) (.*)$')
    if first == last or at and first > last - 10000
      and tonumber(at) * 1000000 > namespace_now_us - 3600000000 then
      break
    end
    redis.call('HDEL', key, number, field or '')
    first = first + 1
  end
  if first ~= known then
    redis.call('HSET', key, 'first', string.format('%.0f', first))
  end
  redis.call('EXPIRE', key, 86400)
  return answer
end
else
-- 103 requests.text
return function(answer)
  if not answer then
    return ''
  elseif type(answer) == 'string' then
    return '"' .. answer
  end
  local parts, times = {}, 1
  for i, part in ipairs(answer) do
    if part == answer[i + 1] then
      times = times + 1
    else
      parts[#parts + 1] = (type(part) == 'number' and '#' or '') .. part .. (times > 1 and '*' .. times or '')
      times = 1
    end
  end
  return table.concat(parts, ' ')
end
end
end
end
end
else
if number < 111 then
if number < 107 then
if number < 105 then
-- 104 requests.read
return function(text)
  if text == '' then
    return false
  elseif string.sub(text, 1, 1) == '"' then
    return string.sub(text, 2)
  end
  local answer = {}
  for part, times in string.gmatch(text, '([^ *]+)%*?(%d*)') do
    local number = string.match(part, '^#(%d+)$')
    for _ = 1, tonumber(times) or 1 do
      answer[#answer + 1] = tonumber(number) or part
    end
  end
  return answer
end
else
if number < 106 then
-- 105 rights.denied
return function(names, role)
  local may, key = redis.acl_check_cmd, namespace_prefix .. role
  if not may then
    return nil
  end
  for _, name in ipairs(names) do
    if not may(name, name == 'XINFO' and 'STREAM' or key, key, key) then
      return name
    end
  end
end
else
-- 106 rights.refuse
return function(name)
  local role = string.match('CLIENT', '^%u+$')
  if role and not cold(105)({ name }, 'meta') then
    cold(96)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(96)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
end
end
else
if number < 109 then
if number < 108 then
-- 107 rights.check
return function(names)
  local name = cold(105)(names, 'CLIENT')
  if name then
    cold(106)(name)
  end
end
else
-- 108 rights.require
return function()
  cold(107)({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HMGET', 'HSET', 'RPUSH', 'ZADD', 'ZCARD' })
end
end
else
if number < 110 then
-- 109 schedules.plain
return function(text)
  return (string.gsub(text, '%%(%x%x)', function(code)
    return string.char(tonumber(code, 16))
  end))
end
else
-- 110 schedules.values
return function(text)
  local values = {}
  for word in string.gmatch(text, '%S+') do
    local name, value = string.match(word, '^([^=]+)=(.*)$')
    if name then
      values[name] = cold(109)(value)
    end
  end
  return values
end
end
end
end
else
if number < 115 then
if number < 113 then
if number < 112 then
-- 111 settings.value
return function(own, common, name)
  local pattern = ' ' .. name .. '=(%S+)'
  return own and string.match(' ' .. own, pattern) or common and string.match(' ' .. common, pattern)
    or string.match(' ' .. 'lease=60 grace=30 max_failures=0 backoff=exponential delay=10 max_delay=3600 jitter=20 max_losses=10 lost_delay=0 max_releases=1000 max_uncounted=10000 max_bytes=1048576 log_bytes=163840 logs_bytes=1073741824 input_bytes=8388608 graph_bytes=536870912 forget_after=300 closed=0 keep=50000 retain=604800 events=10000 audit=10000 history=100 statistics=30', pattern)
end
else
-- 112 settings.get
return function(queue, name)
  local texts = cold(74)('settings')
  local known = texts[queue] or redis.call('HMGET', namespace_meta, 'settings:' .. queue, 'settings')
  texts[queue] = known
  if known[name] == nil then
    local value_1_1
    do
      local own, common, name = known[1], known[2], name
      local pattern = ' ' .. name .. '=(%S+)'
      value_1_1 = own and string.match(' ' .. own, pattern) or common and string.match(' ' .. common, pattern)
        or string.match(' ' .. 'lease=60 grace=30 max_failures=0 backoff=exponential delay=10 max_delay=3600 jitter=20 max_losses=10 lost_delay=0 max_releases=1000 max_uncounted=10000 max_bytes=1048576 log_bytes=163840 logs_bytes=1073741824 input_bytes=8388608 graph_bytes=536870912 forget_after=300 closed=0 keep=50000 retain=604800 events=10000 audit=10000 history=100 statistics=30', pattern)
    end
    local value = value_1_1
    known[name] = value or false
  end
  return known[name] or nil
end
end
else
if number < 114 then
-- 113 shares.limits_key
return function()
  return namespace_prefix .. 'shared_limits'
end
else
-- 114 shares.check
return function(value, what)
  local wanted, seen = {}, {}
  for one in string.gmatch(#value <= 600 and value .. ',' or ',', '([^,]*),') do
    local name, places = string.match(one, '^([%w_.-]+)(.*)$')
    local weight = places == '' and 1 or #(places or '') <= 5 and tonumber(string.match(places or '', '^:(%d+)$'))
    if not name or #name > 64 or not weight or weight < 1 or weight > 1000
      or seen[name] then
      cold(96)('BADARG', what .. ' must be names of shared limits, each once, with a colon and 1 to '
        .. 1000 .. ' places or without, separated by commas')
    end
    seen[name] = weight
    wanted[#wanted + 1] = weight > 1 and name .. ':' .. string.format('%d', weight) or name
  end
  if #wanted > 8 then
    cold(96)('BADARG', what .. ' may be ' .. 8 .. ' at most')
  end
  for name, weight in pairs(seen) do
    local own = redis.call('HGET', cold(113)(), name)
    local most = own and tonumber(string.match(own, '^%d+'))
    if not own then
      cold(96)('NOLIMIT', 'there is no shared limit ' .. name .. ': set it with limit, then repeat the call')
    elseif most and weight > most then
      cold(96)('NOLIMIT', 'the shared limit ' .. name .. ' has ' .. most .. ' places, fewer than ' .. weight
        .. ': such a task would never run')
    end
  end
  table.sort(wanted, cold(10))
  return table.concat(wanted, ',')
end
end
end
else
if number < 117 then
if number < 116 then
-- 115 steps.check
return function(value, what)
  local number = 0
  for name in string.gmatch(value .. ',', '([^,]*),') do
    number = number + 1
    if number > 100 then
      cold(96)('BADARG', what .. ' must be at most ' .. 100 .. ' queues')
    end
    cold(1)(name, what)
  end
  return value
end
else
-- 116 contract.is_final
return function(status)
  return status == 'complete' or status == 'failed' or status == 'cancelled'
end
end
else
if number < 118 then
-- 117 contract.option
return function(name, value)
  if name == 'name' then
    return cold(8)(value, 1024, name)
  elseif name == 'on_failure' then
    return cold(2)(value, ' cancel continue hold ', name)
  elseif name == 'tags' then
    return cold(14)(value, name)
  elseif name == 'bounds' then
    return cold(61)(value, name)
  elseif name == 'deadline' then
    return cold(6)(value, 0, 100000000000, name) and value
  elseif name == 'digest' or name == 'request' then
    return cold(1)(value, name)
  end
end
else
-- 118 contract.task_option
return function(name, value)
  if name == 'method' or name == 'key' or name == 'unique' then
    return cold(1)(value, name)
  elseif name == 'priority' then
    return cold(11)(value, name)
  elseif name == 'max_failures' then
    return cold(5)(value, 0, 1000, name) and value
  elseif name == 'backoff' then
    return cold(2)(value, ' exponential fixed ', name)
  elseif name == 'delay' or name == 'max_delay' or name == 'lost_delay' then
    return cold(6)(value, 0, 31536000, name) and value
  elseif name == 'jitter' then
    return cold(5)(value, 0, 100, name) and value
  elseif name == 'max_losses' then
    return cold(5)(value, 0, 1000000000, name) and value
  elseif name == 'max_releases' then
    return cold(5)(value, 0, 1000000, name) and value
  elseif name == 'lease' then
    return cold(6)(value, 1, 604800, name) and value
  elseif name == 'weight' then
    return cold(5)(value, 1, 1000, name) and value
  elseif name == 'needs' then
    return cold(12)(value, name)
  elseif name == 'limits' then
    return cold(114)(value, name)
  elseif name == 'unique_until' then
    return cold(13)(value, name)
  elseif name == 'unique_policy' then
    return cold(2)(value, ' reject existing replace latest ', name)
  elseif name == 'tags' then
    return cold(14)(value, name)
  elseif name == 'deadline' then
    return cold(6)(value, 0, 100000000000, name) and value
  elseif name == 'max_bytes' then
    return cold(5)(value, 0, 8388608, name)
  elseif name == 'log_bytes' then
    return cold(5)(value, 0, 268435456, name) and value
  elseif name == 'steps' then
    return cold(115)(value, name)
  end
end
end
end
end
end
end
end
end
end

local function command()
  namespace_open()
  local id = cold(1)(args_next('graph'), 'graph')
  local total = cold(5)(args_next('total'), 1, 10000, 'total')
  local count = cold(5)(args_next('count'), 1, 500, 'count')
  local last = 4 + 6 * count
  if not ARGV[last] then
    cold(96)('BADARG', 'missing argument: id, queue, eta, parameters, inputs or options')
  end
  local options = cold(9)(last)
  local facts, request, bounds = cold(51)(options), options.request, options.bounds
  local common = options.deadline
  local replied, answer = cold(101)('submit_graph', request)
  if replied then
    return answer
  end

  local known = redis.call('HMGET', cold(75)(cold(45)(id)), 'state', 'total', 'staged', 'runs', 'bytes',
    'digest')
  if known[6] and options.digest and known[6] ~= options.digest then
    cold(52)(known[1])
  elseif known[1] == 'created' then
    return 'existing'
  elseif known[2] and tonumber(known[2]) ~= total then
    cold(96)('BADARG', 'the graph has another total: it is the same in all calls of a graph')
  end

  local prefix, plain, parse, look = namespace_prefix, cold(1), cold(25), cold(31)
  local spec_of, time, staged_of, find = cold(54), cold(7), cold(50), record_find
  local tasks, fresh, found, specs, sizes, new, keys, none = {}, {}, {}, {}, {}, {}, {}, {}
  local staged, bytes, number, size = tonumber(known[3] or 0), 0, 0, tonumber(known[5] or 0)
  local runs = cold(57)(known[4], staged)
  for at = 5, last, 6 do
    local own, n = ARGV[at], (at - 5) / 3
    local from = string.sub(own, 1, #id) == id and #id + 1 or 1
    if #own > 128 or not string.find(own, '^[%w._:@-]+$', from) then
      plain(own, 'id')
    end
    keys[n + 1], keys[n + 2] = prefix .. 'task_' .. own, prefix .. 'dependents_' .. own
    if namespace_declared then
      cold(75)(keys[n + 1])
      cold(75)(keys[n + 2])
    end
  end
  local unknown = redis.call('EXISTS', unpack(keys)) == 0
  local function upstream(wish)
    local up = fresh[wish] or found[wish]
    if not up then
      up = staged_of(wish, id) or find(wish)
      found[wish] = up
    elseif up.spec and not up.tied then
      up.ties, up.tied = up.ties .. 'd', true
    end
    return up
  end
  for at = 5, last, 6 do
    local queue = ARGV[at + 1]
    if not sizes[queue] then
      sizes[plain(queue, 'queue')] = tonumber(cold(112)(queue, 'max_bytes'))
      cold(17)(unpack(cold(74)('settings')[queue], 1, 2))
    end
    local task = { id = ARGV[at], key = keys[(at - 5) / 3 + 1], queue = queue, status = 'staged',
      parameters = ARGV[at + 3], probed = unknown, waited_for = unknown and 0 or nil, ties = nil, spec = nil,
      label = nil, eta = nil, inputs = nil, edges = nil, waiting = nil, tied = nil }
    local eta = ARGV[at + 2] ~= '' and time(ARGV[at + 2], 'eta')
    local spec, label = spec_of(ARGV[at + 5], specs, common)
    local wanted = ARGV[at + 4] ~= '' and parse(ARGV[at + 4], 'inputs', true, fresh, id)
    if #task.parameters > (spec.max_bytes or sizes[queue]) then
      cold(8)(task.parameters, spec.max_bytes or sizes[queue], 'parameters')
    end
    bytes = bytes + #task.parameters
    if fresh[task.id] then
      cold(96)('BADARG', 'an id is given twice in one call')
    end
    local before = unknown and none or redis.call('HMGET', task.key, 'status', 'graph', 'queue', 'ties', 'inputs')
    if before[3] and (before[1] or before[2] ~= id or before[3] ~= queue) then
      cold(96)('OTHERQUEUE', 'an id is a task already that is not of this graph; ids are unique in a namespace')
    end
    task.continues = before[3] and true
    if not task.continues then
      if not unknown then
        cold(43)(task)
      end
      if spec.claims and spec.claims.end_by then
        cold(20)(spec.claims.end_by)
      end
      task.ties = (spec.ties or '') .. (wanted and 'wg' or 'g')
      task.spec, task.label, task.eta = spec, label, eta and cold(68)(eta)
      new[#new + 1] = task
      if wanted and wanted.some > 0 then
        cold(85)(task)
      end
    else
      task.ties = before[4]
      if wanted then
        if not string.find(task.ties, 'w', 1, true) then
          task.ties, runs = task.ties .. 'w', nil
        end
        if wanted.some > 0 then
          cold(85)(task)
          runs = nil
        end
        cold(56)(before[5], wanted)
        if found[task.id] then
          found[task.id].ties = task.ties
        end
      end
    end
    if wanted then
      number = number + #wanted.upstreams + #wanted.values
      task.inputs = wanted.text
      look(task, wanted, upstream, before[5])
      if task.continues then
        task.fields = { 'inputs', cold(59)(before[5], wanted.text, task.edges), 'ties', task.ties }
      end
    end
    if not task.continues then
      size = size + #task.parameters + #(task.inputs or '')
    elseif wanted then
      size = size + #task.fields[2] - #(before[5] or '')
    end
    size = size + (task.bytes or 0) - (task.had or 0)
    if spec.claims and spec.claims.needs then
      cold(16)(queue, spec.claims.needs)
    end
    tasks[(at + 1) / 6], fresh[task.id] = task, task
  end
  staged = staged + #new
  if bytes > 8388608 then
    cold(96)('TOOBIG', 'the parameters of this call are over 8388608 bytes: submit the tasks by several calls')
  elseif size > 1024 and size > tonumber(cold(53)()) then
    cold(96)('TOOBIG', 'the parameters and results of this graph are over ' .. cold(53)() .. ' bytes, the setting'
      .. ' graph_bytes: pass references to them, or submit several graphs')
  elseif number > 1000 then
    cold(96)('TOOMANY', 'these tasks wait for too many others: submit them by several calls')
  elseif staged > total then
    cold(96)('BADARG', 'the graph has more tasks than its total')
  end
  local queues = {}
  for queue in pairs(sizes) do
    if not redis.call('ZSCORE', cold(75)(prefix .. 'queues'), queue) then
      queues[#queues + 1] = queue
    end
  end
  cold(62)(bounds)
  cold(76)('LLEN', cold(46)(id))
  cold(76)('LLEN', cold(47)(id))
  cold(76)('ZCARD', cold(49)())
  cold(78)(cold(48)())

  local done = staged == total
  redis.call('ZADD', cold(48)(), done and namespace_now or cold(68)(namespace_now_us + 600000000), id)
  redis.call('ZADD', cold(49)(), namespace_now, id)
  redis.call('HSET', cold(45)(id), 'state', done and 'created' or 'staging', 'created', namespace_now,
    'total', total, 'left', total, 'staged', staged, 'bytes', size, 'runs', cold(58)(runs, new), unpack(facts))
  for _, bound in ipairs(bounds or {}) do
    redis.call('HSET', bound.limits, bound.key, bound.places .. ' -')
  end
  for _, queue in ipairs(queues) do
    redis.call('ZADD', prefix .. 'queues', 0, queue)
  end
  cold(55)(new, id)
  local ids = {}
  for i, task in ipairs(new) do
    ids[i] = task.id
  end
  if ids[1] then
    redis.call('RPUSH', cold(46)(id), unpack(ids))
  end
  for _, task in ipairs(tasks) do
    if task.fields then
      redis.call('HSET', task.key, unpack(task.fields))
    end
  end
  cold(44)(tasks, id)
  return cold(102)(done and 'created' or 'staged')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(99)(answer)
