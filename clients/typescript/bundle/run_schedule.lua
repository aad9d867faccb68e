--- Creates a task of a schedule at once, in addition to its slots, even if the schedule is paused or has ended.
-- @args now name id
-- @role administrator
-- @options overlap by request
-- @reply `created` or `existing`, and the id of the task
-- @errors NOSCHEDULE STATE OTHERQUEUE CLOSED DUPLICATE OVERDUE NOLIMIT TOOMANY

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(176)('BADARG', 'missing argument: ' .. what)
end

local edges_readied = false

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
      clock = cold(127)()
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
      cold(128)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(129)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(130)(floor)
    end
  end
end

local function namespace_key(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end

local state_asleep = false

local state_roams = false

local function contract_arguments()
  local name = cold(189)(args_next('name'), 'name')
  local id = cold(9)(args_next('id'), 'id')
  return name, id
end

function cold(number)
if number < 127 then
if number < 64 then
if number < 32 then
if number < 16 then
if number < 8 then
if number < 4 then
if number < 2 then
-- 1 actions.find
return function(id)
  return cold(173)(id, 'outcome', 'created', 'eta', 'front', 'retry_eta', 'schedule')
end
else
if number < 3 then
-- 2 actions.refuse
return function(task, allowed)
  return 'STATE', 'the task is ' .. task.status .. '; this is for one that is ' .. allowed
end
else
-- 3 actions.plan
return function(task, to, spec)
  task.to = to
  task.later = spec.planned ~= nil
  local kind = task.status .. ' ' .. to
  if not cold(174)(task) then
    cold(5)(task, spec)
    local plain = spec.planned and not task.ties and not task.foreign
    if plain and spec.planned[kind] then
      return cold(231)(task, to)
    elseif plain then
      spec.planned[kind] = true
    end
  end
  cold(230)(task, to)
end
end
end
else
if number < 6 then
if number < 5 then
-- 4 actions.entered
return function(status, updated, front)
  return not (status == 'pending' and front) and tonumber(updated) or 0
end
else
-- 5 actions.seek
return function(task, spec)
  spec.lists, spec.entries = spec.lists or {}, spec.entries or 0
  if task.ties then
    cold(25)(task)
    spec.entries = spec.entries + 400 + 100 * #cold(236)(task.tags)
  end
  if task.status == 'scheduled' or task.status == 'waiting' or task.rank then
    return
  end
  local list = namespace_key(task.status .. '_tasks', task.queue)
  local known = spec.lists[list] or { length = redis.call('LLEN', list) }
  spec.lists[list] = known
  if known.length <= 100 then
    spec.entries = spec.entries + known.length
    return
  end
  for direction = -1, 1, 2 do
    local at = redis.call('LPOS', list, task.id, 'RANK', direction, 'MAXLEN', 500)
    if at then
      task.from_end = direction
      spec.entries = spec.entries + (direction == 1 and at or known.length - at)
      return
    end
  end
  if not known.middle then
    local middle = redis.call('LINDEX', list, math.floor(known.length / 2))
    known.middle = cold(4)(
      unpack(redis.call('HMGET', namespace_key('task', middle), 'status', 'updated', 'front')))
  end
  local own = cold(4)(task.status, task.since, task.extra[4])
  task.from_end = own <= known.middle and -1 or 1
  spec.entries = spec.entries + known.length / 2
end
end
else
if number < 7 then
-- 6 actions.cancel
return function(task, spec)
  if task.status == 'cancelled' then
    return
  elseif cold(251)(task.status) then
    return cold(2)(task, 'waiting, scheduled, pending, reserved or started')
  elseif cold(174)(task) and not cold(7)(task, spec) then
    local order = spec.force and 'lost' or 'cancel'
    local given = cold(146)(task)
    task.to = given ~= 'lost' and (given ~= order or spec.discard) and 'cancelling'
    task.order = order
    cold(147)(task.queue)
    cold(245)(task)
    return
  end
  cold(3)(task, 'cancelled', spec)
end
else
-- 7 actions.frees
return function(task, spec)
  return spec.at_once or spec.force and task.token == ''
end
end
end
end
else
if number < 12 then
if number < 10 then
if number < 9 then
-- 8 actions.do_cancel
return function(task, spec)
  if task.to == 'cancelling' then
    cold(148)(task.queue, 't:' .. task.id, task.order)
    redis.call('HSET', task.key, 'cancel', task.cancel or namespace_now,
      unpack(task.cancel and spec.reason == '' and {} or { 'reason', spec.reason }))
    if spec.discard then
      redis.call('HSET', task.key, 'discard', '1', unpack(spec.cause and { 'cause', spec.cause } or {}))
    end
    cold(247)(task, 'cancel', spec.by, spec.reason)
  elseif cold(174)(task) then
    cold(233)(task, 'cancelled', 'cancel', '', 'reason', spec.reason, 'ended', task.token, 'outcome', 'lost')
    cold(149)(task.queue)
  elseif spec.cause then
    cold(233)(task, 'cancelled', 'cancel', '', 'reason', spec.reason, 'cause', spec.cause)
  else
    cold(233)(task, 'cancelled', 'cancel', '', 'reason', spec.reason)
  end
end
else
-- 9 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(176)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
end
else
if number < 11 then
-- 10 args.word
return function(value, words, what)
  if not cold(12)(value, words) then
    cold(176)('BADARG', what .. ' must be ' .. cold(11)(words, 'or'))
  end
  return value
end
else
-- 11 args.listed
return function(words, last)
  local list = string.gsub(string.sub(words, 2, -2), ' ', ', ')
  return (string.gsub(list, ', (%S+)$', ' ' .. last .. ' %1'))
end
end
end
else
if number < 14 then
if number < 13 then
-- 12 args.among
return function(value, words)
  return string.find(value, '^[%l_]+$') and string.find(words, ' ' .. value .. ' ') ~= nil
end
else
-- 13 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(176)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
end
else
if number < 15 then
-- 14 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(176)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
-- 15 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(176)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(176)('BADARG', 'an option is given twice')
    end
    found[name] = cold(252)(name, value)
    if found[name] == nil then
      cold(176)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
end
end
end
end
else
if number < 24 then
if number < 20 then
if number < 18 then
if number < 17 then
-- 16 args.before
return function(one, other)
  for i = 1, math.min(#one, #other) do
    local a, b = string.byte(one, i), string.byte(other, i)
    if a ~= b then
      return a < b
    end
  end
  return #one < #other
end
else
-- 17 args.priority
return function(value, what)
  if #value > 5 or not string.find(value, '^%-?%d+$') or math.abs(tonumber(value)) > 1000 then
    cold(176)('BADARG', what .. ' must be a whole number from ' .. (-1000) .. ' to '
      .. 1000)
  end
  return string.format('%d', tonumber(value))
end
end
else
if number < 19 then
-- 18 args.needs
return function(value, what)
  local wanted = {}
  for need in string.gmatch(#value <= 256 and value .. ',' or '', '([^,]*),') do
    local name, operator, number = string.match(need, '^([%w_.-]+)([<>=]*)(.*)$')
    local fits = name and #name <= 64 and (operator == '' and number == ''
      or string.find(' >= <= > < = ', ' ' .. operator .. ' ') and #number <= 16 and string.find(number, '^%d+%.?%d*$'))
    if not fits then
      cold(176)('BADARG', what .. ' must be names, each with an operator (>= <= > < =) and a number or without,'
        .. ' separated by commas')
    end
    wanted[#wanted + 1] = need
  end
  if #wanted > 8 or #value > 256 then
    cold(176)('BADARG', what .. ' may be ' .. 8 .. ' at most, in ' .. 256
      .. ' characters')
  end
  table.sort(wanted, cold(16))
  return table.concat(wanted, ',')
end
else
-- 19 args.unique_until
return function(value, what)
  if value ~= 'start' and value ~= 'end' then
    cold(14)(value, 1, 31536000, what)
  end
  return value
end
end
end
else
if number < 22 then
if number < 21 then
-- 20 args.tags
return function(value, what)
  local names, seen, number = {}, {}, 0
  for tag in string.gmatch(value .. ',', '([^,]*),') do
    cold(9)(tag, what)
    number = number + 1
    if number > 16 then
      cold(176)('TOOMANY', 'a task has ' .. 16 .. ' tags at most')
    elseif not seen[tag] then
      names[#names + 1], seen[tag] = tag, true
    end
  end
  table.sort(names, cold(16))
  return table.concat(names, ',')
end
else
-- 21 audit.key
return function()
  return namespace_prefix .. 'audit'
end
end
else
if number < 23 then
-- 22 audit.plan
return function()
  cold(133)('XLEN', cold(21)())
end
else
-- 23 audit.add
return function(by, what, of, on, before, after, detail)
  local function cut(text)
    return string.sub(text or '', 1, 256)
  end
  redis.call('XADD', cold(21)(), 'MAXLEN', '~', cold(204)('*', 'audit'), '*', 'at', namespace_now, 'by', by or '',
    'what', what, 'of', of, 'on', on, 'before', cut(before), 'after', cut(after), 'detail', cut(detail))
end
end
end
end
else
if number < 28 then
if number < 26 then
if number < 25 then
-- 24 cascades.plan_begin
return function(task)
  local known = task.broken and 1 or 0
  if cold(91)(task.graph) == 'cancel' and redis.call('HLEN', cold(51)(task.id)) > known then
    cold(133)('ZCARD', cold(54)())
    task.unsettled, task.cascades = true, true
  end
end
else
-- 25 claims.load
return function(task)
  if task.bound then
    return
  end
  if not string.find(task.ties, '[^wdgoa]') then
    task.bound, task.tracked = true, string.find(task.ties, 'o', 1, true)
    task.graph = string.find(task.ties, 'g', 1, true)
      and redis.call('HGET', namespace_prefix .. 'task_' .. task.id, 'graph') or nil
    return
  end
  local names = { 'priority', 'fair_key', 'weight', 'needs', 'rank', 'unique', 'till', 'tags', 'own_lease', 'solo',
    'graph', 'end_by', 'shared' }
  local v = redis.call('HMGET', namespace_prefix .. 'task_' .. task.id,
    'priority', 'key', 'weight', 'needs', 'rank', 'unique', 'unique_until', 'tags', 'own_lease', 'solo',
    'graph', 'deadline', 'limits')
  do
    local task = task
    task.bound = true
    task.ranked = string.find(task.ties, 'r', 1, true) and true
    task.limited = string.find(task.ties, 'p', 1, true) and true
    task.tracked = string.find(task.ties, 'o', 1, true)
  end
  for i = 1, #names do
    if v[i] then
      task[names[i]] = v[i]
    end
  end
end
end
else
if number < 27 then
-- 26 claims.assign
return function(task, bound)
  do
    local task = task
    task.bound = true
    task.ranked = string.find(task.ties, 'r', 1, true) and true
    task.limited = string.find(task.ties, 'p', 1, true) and true
    task.tracked = string.find(task.ties, 'o', 1, true)
  end
  for name, value in pairs(bound) do
    task[name] = value
  end
end
else
-- 27 claims.name_holders
return function(queue, name)
  local v = redis.call('HMGET', cold(132)(namespace_key('unique', queue)), name, '/' .. name)
  local id, till = string.match(v[1] or '', '^(%S+) (%S+)$')
  return id, till, string.match(v[2] or '', '^(%S+) ')
end
end
end
else
if number < 30 then
if number < 29 then
-- 28 claims.has_latest_policy
return function(task)
  return task.solo and task.unique and task.unique == task.fair_key
end
else
-- 29 claims.still_holds_name
return function(queue, id, name, till)
  local status, where, own, solo, key = unpack(redis.call('HMGET', namespace_prefix .. 'task_' .. id,
    'status', 'queue', 'unique', 'solo', 'key'))
  if where ~= queue or own ~= (till == 'kept' and string.sub(name, 2) or name) then
    return false
  end
  local latest = solo and key == own
  return cold(250)(status)
    or till ~= 'kept' and (status == 'reserved' and not latest or status == 'started' and till ~= 'start')
end
end
else
if number < 31 then
-- 30 claims.name_conflict
return function(task)
  local id, till = cold(27)(task.queue, task.unique)
  if not id or id == task.id then
    return nil
  elseif tonumber(till) then
    return tonumber(till) > namespace_now_us and id or nil
  end
  return cold(29)(task.queue, id, task.unique, till) and id or nil
end
else
-- 31 claims.waiting_attempt
return function(task, id)
  local other = id and id ~= task.id and cold(173)(id)
  if other and other.queue == task.queue and cold(250)(other.status) then
    cold(25)(other)
    return other.unique == task.unique and other or nil
  end
end
end
end
end
end
end
else
if number < 48 then
if number < 40 then
if number < 36 then
if number < 34 then
if number < 33 then
-- 32 claims.opens_or_closes
return function(task, to)
  return not task.status or cold(251)(task.status) or cold(251)(to) or to == 'deleted'
end
else
-- 33 claims.plan
return function(task, to, taker)
  cold(25)(task)
  local held = task.status == 'reserved' or task.status == 'started'
  if task.ranked and (task.rank or to == 'pending') or task.limited and (held or taker) then
    cold(168)(task)
  end
  if task.limited and held and taker then
    cold(134)()
  end
  if task.shared and (taker or held and to ~= 'started') then
    cold(215)(task.shared, not taker and task.queue)
  end
  if task.shared and (cold(32)(task, to) or to == 'moved') then
    cold(34)(to)
  end
  if task.unique then
    cold(35)(task, to)
  end
  if task.tags and (not task.status or to == 'deleted' or to == 'moved') then
    cold(237)(task.queue, task.tags)
  end
  if to == 'deleted' and string.find(task.ties, '[wd]') then
    cold(66)(task)
  end
  if task.graph and task.status and cold(32)(task, to) then
    cold(133)('HLEN', cold(86)(task.graph))
    cold(133)('ZCARD', cold(90)())
    cold(132)(cold(87)(task.graph))
    task.bounds = to == 'deleted' and cold(97)(task.graph) or nil
  end
  if task.graph and task.status == 'waiting' and (to == 'failed' or to == 'cancelled') then
    cold(24)(task)
  end
  if task.end_by and cold(32)(task, to) then
    cold(133)('ZCARD', cold(47)())
  end
  if string.find(task.ties, 'd', 1, true) and task.status and not cold(251)(task.status)
    and (cold(251)(to) or to == 'deleted') then
    cold(64)(task, to)
  end
  if task.tracked then
    cold(244)()
  end
  if string.find(task.ties, 'a', 1, true) and task.status and (cold(251)(to) or to == 'deleted') then
    cold(78)(task, to)
  end
end
end
else
if number < 35 then
-- 34 claims.plan_shared
return function(to)
  if to == 'moved' then
    cold(134)()
  end
  cold(220)()
end
else
-- 35 claims.plan_name
return function(task, to)
  local taken = cold(225)(task, to) and cold(28)(task)
  if (to == 'reserved' or to == 'started') and not taken and not (to == 'started' and task.till == 'start') then
    return
  end
  cold(133)('HLEN', namespace_key('unique', task.queue))
  if tonumber(task.till) then
    cold(133)('ZCARD', namespace_key('timed', task.queue))
  end
  task.holder, task.held_till, task.kept = cold(27)(task.queue, task.unique)
  if taken and task.status == 'pending' then
    task.older = cold(31)(task, task.kept)
    if task.older then
      cold(230)(task.older, 'cancelled')
    end
  end
end
end
end
else
if number < 38 then
if number < 37 then
-- 36 claims.take_name
return function(task)
  local unique, till = namespace_key('unique', task.queue), task.till
  if task.keeps then
    redis.call('HSET', unique, '/' .. task.unique, task.id .. ' kept')
    return
  elseif tonumber(till) then
    till = task.ends or string.format('%.0f', namespace_now_us + tonumber(till) * 1000000)
    redis.call('ZADD', namespace_key('timed', task.queue), till, task.unique)
  end
  redis.call('HSET', unique, task.unique, task.id .. ' ' .. till)
end
else
-- 37 claims.release_name
return function(task, to)
  local unique, timed = namespace_key('unique', task.queue), tonumber(task.held_till)
  if task.holder == task.id and (not timed or to == 'moved') then
    redis.call('HDEL', unique, task.unique)
    if timed then
      redis.call('ZREM', namespace_key('timed', task.queue), task.unique)
    end
  end
  if task.kept == task.id then
    redis.call('HDEL', unique, '/' .. task.unique)
  end
end
end
else
if number < 39 then
-- 38 claims.move_name
return function(task, to)
  local from, latest = task.status, cold(28)(task)
  local back = (from == 'reserved' or from == 'started') and cold(250)(to)
  local ends = cold(251)(to) or to == 'deleted' or to == 'moved'
  if ends or to == 'started' and task.till == 'start' or latest and cold(225)(task, to) then
    cold(37)(task, to)
  elseif not from or task.restarts or (from == 'failed' or from == 'cancelled') and not tonumber(task.till)
    or latest and back then
    cold(36)(task)
  end
  if task.older then
    cold(233)(task.older, 'cancelled', 'replaced', '', 'reason', 'replaced by ' .. task.id)
  end
end
else
-- 39 claims.move
return function(task, to)
  if not task.bound then
    return
  end
  local from = task.status
  local held = from == 'reserved' or from == 'started'
  local back = held and task.ranked and to == 'pending'
  if back then
    cold(170)(task)
  end
  if task.limited and held and to ~= 'started' then
    cold(122)(task.queue, task.id, task.token)
  end
  if task.rank and not back then
    cold(172)(task, to)
    task.rank = nil
  elseif task.limited and cold(225)(task, to) then
    cold(120)(task)
    if task.fair_key then
      cold(85)(task.queue, task.fair_key)
    end
  end
  if task.ranked and to == 'pending' and not back then
    cold(170)(task)
  end
  if task.shared then
    cold(224)(task, to)
  end
  if task.further_shared then
    cold(221)(task.further_shared, -1)
  end
  if task.tags and not from then
    cold(238)(task.queue, task.id, task.created, task.tags)
  elseif task.tags and (to == 'deleted' or to == 'moved') then
    cold(240)(task.queue, task.id, task.tags)
  end
  if task.unique then
    cold(38)(task, to)
  end
  if task.end_by and cold(32)(task, to) then
    if cold(251)(to) or to == 'deleted' or to == 'moved' then
      redis.call('ZREM', cold(47)(), task.id)
    else
      redis.call('ZADD', cold(47)(), task.end_by, task.id)
    end
  end
  if task.graph then
    cold(98)(task, to)
  end
end
end
end
end
else
if number < 44 then
if number < 42 then
if number < 41 then
-- 40 creation.spec
return function(options)
  local fields = {}
  local spec = { fields = fields, max_bytes = options.max_bytes, policy = options.unique_policy,
    unique = options.unique }
  if not options.unique and (options.unique_until or options.unique_policy) then
    cold(176)('BADARG', 'unique_until and unique_policy need the option unique')
  end
  local priority, key, till = options.priority ~= '0' and options.priority or nil, options.key,
    options.unique_until or 'end'
  if options.unique_policy == 'latest' then
    if key or options.unique_until then
      cold(176)('BADARG', 'the policy latest sets key and unique_until: leave them out')
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
-- 41 creation.apply
return function(task, spec)
  task.ties = spec.ties
  task.begins = task.edges and (task.edges[1] or task.joins) and 'waiting' or task.eta and 'scheduled' or 'pending'
  if spec.ties then
    cold(26)(task, spec.claims)
  end
  if task.end_by then
    cold(50)(task.end_by)
  end
  return task.begins
end
end
else
if number < 43 then
-- 42 creation.conflict
return function(task, spec)
  local id = cold(30)(task)
  if not id then
    return nil
  end
  local rival = cold(173)(id, 'unique')
  local here = rival and rival.queue == task.queue and rival.extra[1] == task.unique
  local policy = spec.policy or 'reject'
  local waits = here and cold(250)(rival.status)
  if not here and policy ~= 'reject' then
    return nil
  elseif policy == 'existing' then
    return id
  elseif waits and (policy == 'replace' or policy == 'latest') then
    cold(134)()
    return id, rival
  end
  cold(176)('DUPLICATE', 'another task has this unique name; get its id with the policy existing, or wait until it ends, starts, or its time passes')
end
else
-- 43 creation.plan
return function(task)
  if task.needs or task.shared then
    cold(44)(task.queue, cold(140)(task))
  end
  cold(33)(task, task.begins)
end
end
end
else
if number < 46 then
if number < 45 then
-- 44 creation.require_few_needs
return function(queue, wanted)
  if not cold(142)(queue, wanted) and redis.call('HLEN', namespace_key('needs', queue)) >= 64 then
    cold(176)('TOOMANY', 'the tasks that wait in this queue have 64 different needs and sets of shared limits'
      .. ' already: `why` and doctor name needs that no listener has: cancel such tasks, or start a listener for them')
  end
end
else
-- 45 creation.insert
return function(task, spec, why)
  local more = spec.fields
  if task.eta then
    more = { 'eta', task.eta, unpack(spec.fields) }
  end
  cold(233)(task, task.begins, why, '',
    'queue', task.queue, 'parameters', task.parameters, 'created', task.created, 'attempt', '0', unpack(more))
  if task.begins == 'waiting' then
    cold(63)({ task })
  end
  if task.joins then
    cold(113)(task.id)
  end
end
end
else
if number < 47 then
-- 46 creation.require_open
return function(own, common)
  if cold(203)(own, common, 'closed') == '1' then
    cold(176)('CLOSED', 'this queue is closed: set its setting closed to 0')
  end
end
else
-- 47 deadlines.key
return function()
  return namespace_prefix .. 'deadlines'
end
end
end
end
end
else
if number < 56 then
if number < 52 then
if number < 50 then
if number < 49 then
-- 48 deadlines.is_past
return function(end_by)
  return tonumber(end_by) * 1000000 <= namespace_now_us
end
else
-- 49 deadlines.refusal
return function()
  return 'OVERDUE', 'the deadline of the task has passed: give it a later one with the option deadline'
end
end
else
if number < 51 then
-- 50 deadlines.require_ahead
return function(end_by)
  if cold(48)(end_by) then
    cold(176)(cold(49)())
  end
end
else
-- 51 edges.upstreams
return function(id)
  return namespace_prefix .. 'upstreams_' .. id
end
end
end
else
if number < 54 then
if number < 53 then
-- 52 edges.dependents
return function(id)
  return namespace_prefix .. 'dependents_' .. id
end
else
-- 53 edges.inputs
return function(id)
  return namespace_prefix .. 'inputs_' .. id
end
end
else
if number < 55 then
-- 54 edges.unsettled
return function()
  return namespace_prefix .. 'unsettled'
end
else
-- 55 edges.slots
return function(text)
  local slots = {}
  for slot in string.gmatch(text or '', '%d+') do
    slots[#slots + 1] = tonumber(slot)
  end
  return slots
end
end
end
end
else
if number < 60 then
if number < 58 then
if number < 57 then
-- 56 edges.is_met
return function(kind, to)
  if kind == 'after' or kind == 'optional' then
    return true
  end
  return (kind == 'failure') ~= (to == 'complete')
end
else
-- 57 edges.is_repairable
return function(kind, to)
  return cold(58)(kind) and (to == 'failed' or to == 'cancelled')
end
end
else
if number < 59 then
-- 58 edges.needs_success
return function(kind)
  return kind == 'success' or kind == 'result' or kind == 'some'
end
else
-- 59 edges.element
return function(result)
  return result == '' and 'null' or result
end
end
end
else
if number < 62 then
if number < 61 then
-- 60 edges.over
return function(queue, bytes)
  local most = bytes > 1024 and cold(204)(queue, 'input_bytes')
  if most and bytes > tonumber(most) then
    return 'over ' .. most .. ' bytes, the setting input_bytes'
  end
end
else
-- 61 edges.tie
return function(up)
  if not string.find(up.ties or '', 'd', 1, true) then
    up.ties = (up.ties or '') .. 'd'
    redis.call('HSET', up.key, 'ties', up.ties)
  end
end
end
else
if number < 63 then
-- 62 edges.waiting
return function(id)
  local key = cold(132)(cold(52)(id))
  local waiting, staged = redis.call('ZCOUNT', key, '(0', '+inf'), redis.call('ZCOUNT', key, '-inf', '-inf')
  return waiting + staged, waiting
end
else
-- 63 edges.enter
return function(tasks, graph)
  local own, waits, number, prefix, now = {}, {}, 0, namespace_prefix, namespace_now
  local tie = cold(61)
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
        redis.call('RPUSH', cold(88)(graph), up.id .. ' ' .. task.id)
      elseif edge.asks then
        redis.call('ZADD', cold(54)(), now, up.id)
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
      redis.call('HSET', cold(53)(task.id), unpack(known))
    end
    if task.set then
      cold(159)(task.id, task.set)
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
end
end
else
if number < 95 then
if number < 79 then
if number < 71 then
if number < 67 then
if number < 65 then
-- 64 edges.plan_end
return function(task, to)
  local key = cold(132)(cold(52)(task.id))
  local ids = redis.call('ZRANGEBYSCORE', key, '(0', '+inf', 'LIMIT', 0, 100 + 1 + (task.knowing or 0))
  local number = #ids - (task.knowing or 0)
  if number <= 0 then
    return
  elseif task.later or number > 100 or cold(65)(task.id, ids, #(task.result or ''))
    or to ~= 'complete' and task.graph and cold(92)(task.graph, task.id) then
    cold(133)('ZCARD', cold(54)())
    task.unsettled = true
    return
  end
  cold(67)(task, to, ids)
end
else
if number < 66 then
-- 65 edges.is_much
return function(id, ids, length)
  local told = cold(131)('told')
  local looked, copied = (told.looked or 0) + length, (told.copied or 0) + #ids * length
  if length <= 131072 and looked <= 262144 and copied <= 1048576 then
    told.looked, told.copied = looked, copied
    return false
  end
  for _, other in ipairs(ids) do
    if string.find(redis.call('HGET', cold(51)(other), id) or '', '/', 1, true) then
      return true
    end
  end
  return false
end
else
-- 66 edges.plan_removal
return function(task)
  local dependents = cold(132)(cold(52)(task.id))
  task.edge_keys = { cold(132)(cold(51)(task.id)), cold(132)(cold(53)(task.id)),
    cold(132)(cold(109)(task.id)) }
  local all, waiting = cold(62)(task.id)
  if all == 0 then
    task.edge_keys[4] = dependents
  elseif waiting > 0 and cold(251)(task.status) then
    cold(133)('ZCARD', cold(54)())
    task.unsettled = true
  end
end
end
end
else
if number < 69 then
if number < 68 then
-- 67 edges.plan_page
return function(task, to, ids)
  task.dependents = {}
  for i, id in ipairs(ids) do
    task.dependents[i] = cold(68)(task, to, id)
  end
end
else
-- 68 edges.plan_one
return function(up, to, id)
  local task = cold(173)(id, cold(69)())
  local key = cold(132)(cold(51)(id))
  local kind, mark, slots = string.match(redis.call('HGET', key, up.id) or '', '^(%l+)(%d*)/?(.*)$')
  local plan = { id = id, met = not kind or cold(56)(kind, to) }
  if not task or task.status ~= 'waiting' or not kind then
    plan.kept = task and kind and cold(251)(task.status)
    return plan
  end
  if cold(156)(task) then
    plan.set = cold(158)(id)
  end
  if kind == 'some' then
    cold(164)(plan, task, up, to, mark, slots)
    if plan.missed then
      return plan
    end
  elseif not plan.met and cold(57)(kind, to) and cold(91)(task.extra[5]) == 'hold' then
    plan.held = true
    return plan
  end
  plan.task = task
  task.later = true
  if not plan.met then
    plan.to, task.group, task.broken = kind == 'failure' and 'cancelled' or 'failed', 'upstream', true
    cold(230)(task, plan.to)
    return plan
  end
  local open = redis.call('HLEN', key)
  plan.last = plan.ready or open == 1
  if plan.set and not plan.ready then
    plan.last = cold(161)(plan.set, open - 1)
  end
  local own = cold(132)(cold(53)(id))
  local known = (plan.last or slots ~= '') and redis.call('HMGET', own, 'slots', 'bytes')
  if slots ~= '' and not plan.ready then
    cold(71)(plan, up, to, slots, tonumber(known[2] or 0))
  end
  if plan.wrong then
    cold(230)(task, plan.to)
  elseif plan.last then
    cold(70)(plan, tonumber(known[1] or 0), plan.bytes or tonumber(known[2] or 0))
  end
  return plan
end
end
else
if number < 70 then
-- 69 edges.fields
return function()
  return 'eta', 'front', 'ended', 'retry_eta', 'graph'
end
else
-- 70 edges.plan_ready
return function(plan, slots, bytes)
  local task = plan.task
  plan.joins = cold(112)(plan.id, slots, bytes)
  if plan.joins then
    return
  end
  local eta, front, ended, retry_eta = unpack(task.extra, 1, 4)
  plan.to = tonumber(eta or 0) * 1000000 > namespace_now_us and 'scheduled' or 'pending'
  task.eta = eta
  if plan.to == 'pending' then
    task.front, task.turn = front and true, front and tonumber(ended)
    task.forget = retry_eta and { 'eta', 'retry_eta' } or nil
  end
  if slots > 0 then
    plan.joined, plan.lengths = cold(110)(cold(111)(cold(53)(plan.id), slots, plan), slots)
  end
  cold(230)(task, plan.to)
end
end
end
end
else
if number < 75 then
if number < 73 then
if number < 72 then
-- 71 edges.plan_input
return function(plan, up, to, slots, bytes)
  local result = to == 'complete' and up.result or ''
  plan.slots, plan.text = cold(55)(slots), cold(59)(result)
  plan.bytes = bytes + #plan.text * #plan.slots
  if up.json == nil then
    up.json = result == '' or cold(114)(result)
  end
  local over = cold(60)(plan.task.queue, plan.bytes)
  if not up.json then
    plan.wrong = 'is not JSON'
  elseif over then
    plan.wrong = 'brings the inputs of this task ' .. over
  elseif cold(93)(#plan.text) > 0 and plan.task.extra[5] then
    plan.graph, plan.grows = plan.task.extra[5], #plan.text * #plan.slots
    if not cold(95)(plan.graph, plan.grows) then
      plan.wrong = 'brings the inputs of its graph over ' .. cold(94)() .. ' bytes, the setting graph_bytes'
    end
  end
  if plan.wrong then
    plan.to, plan.task.group, plan.task.broken = 'failed', 'input', true
  end
end
else
-- 72 edges.settle
return function(task)
  if task.unsettled then
    redis.call('ZADD', cold(54)(), namespace_now, task.id)
  end
  if task.cascades then
    redis.call('HSET', task.key or namespace_key('task', task.id), 'cascade', '0')
  end
  local told
  for _, plan in ipairs(task.dependents or {}) do
    if plan.kept then
      redis.call('ZADD', cold(52)(task.id), '-' .. namespace_now, plan.id)
    elseif plan.held then
      redis.call('ZADD', cold(52)(task.id), 'inf', plan.id)
    elseif plan.missed then
      cold(166)(task, plan)
    elseif plan.task and not plan.met then
      told = told or redis.call('HMGET', task.key or namespace_key('task', task.id), 'status', 'error', 'cause')
      cold(73)(task, plan, told)
    elseif plan.wrong then
      redis.call('ZADD', cold(52)(task.id), '-' .. namespace_now, plan.id)
      cold(233)(plan.task, 'failed', 'input', '', 'cause', task.id, 'group', 'input',
        'error', 'the result of ' .. task.id .. ' ' .. plan.wrong)
    else
      cold(76)(task, plan)
    end
  end
end
end
else
if number < 74 then
-- 73 edges.fail_with
return function(up, plan, told)
  local cause = told[3] or up.id
  redis.call('ZADD', cold(52)(up.id), '-' .. namespace_now, plan.id)
  if plan.to == 'cancelled' then
    cold(233)(plan.task, 'cancelled', 'upstream', '', 'cause', cause,
      'reason', 'not needed: ' .. up.id .. ' is complete')
    return
  end
  cold(233)(plan.task, 'failed', 'upstream', '', 'cause', cause, 'group', 'upstream',
    'error', (plan.short and 'too few of its set can still be complete: ' or '') .. cold(74)(up.id, told))
end
else
-- 74 edges.error_of
return function(id, told)
  local status = told[1] or 'deleted'
  local text = id .. (status == 'failed' and ' failed' or ' was ' .. status)
  if told[3] then
    return told[2] or text
  elseif told[2] and told[2] ~= '' then
    return text .. ': ' .. string.sub(told[2], 1, 256)
  end
  return text
end
end
end
else
if number < 77 then
if number < 76 then
-- 75 edges.fill
return function(id, slots)
  for _, slot in ipairs(slots) do
    redis.call('HSET', cold(53)(id), slot, 'null')
  end
  if slots[1] then
    redis.call('HINCRBY', cold(53)(id), 'bytes', 4 * #slots)
  end
end
else
-- 76 edges.meet
return function(up, plan)
  if up then
    redis.call('ZREM', cold(52)(up.id), plan.id)
    redis.call('HDEL', cold(51)(plan.id), up.id)
  end
  if plan.grows then
    redis.call('HINCRBY', cold(86)(plan.graph), 'bytes', plan.grows)
  end
  if not plan.task then
    return
  elseif plan.set and plan.to then
    cold(167)(plan.id)
  elseif plan.set and not plan.joins then
    cold(159)(plan.id, plan.set)
  end
  if plan.joined then
    redis.call('UNLINK', cold(53)(plan.id))
    cold(233)(plan.task, plan.to, 'ready', '', 'readied', cold(232)(plan.task), 'parameters', plan.joined,
      'slots', plan.lengths)
  elseif plan.to then
    cold(233)(plan.task, plan.to, 'ready', '', 'readied', cold(232)(plan.task))
  elseif plan.slots then
    for _, slot in ipairs(plan.slots) do
      redis.call('HSET', cold(53)(plan.id), slot, plan.text)
    end
    redis.call('HSET', cold(53)(plan.id), 'bytes', plan.bytes)
  end
  if plan.joins then
    cold(113)(plan.id)
  end
  if plan.to == 'pending' then
    edges_readied = true
    do
      local queue = plan.task.queue
      local others = namespace_shared_tables and namespace_shared_tables.asleep
      if state_asleep == queue or others and others[queue] then
        redis.call('LPUSH', namespace_prefix .. 'wake_' .. queue, '1')
        state_asleep = false
        if others then
          others[queue] = nil
        end
      end
      if state_roams then
        do
          local queue = queue
          local ready = namespace_prefix .. 'ready'
          if not namespace_declared or cold(136)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(228)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
end
else
if number < 78 then
-- 77 encore.key
return function(id)
  return namespace_prefix .. 'further_' .. id
end
else
-- 78 encore.plan_end
return function(task, to)
  if to == 'deleted' then
    local key = cold(132)(cold(77)(task.id))
    task.edge_keys = task.edge_keys or {}
    task.edge_keys[#task.edge_keys + 1] = key
    task.further_shared = redis.call('HGET', key, '/limits') or nil
    if task.further_shared then
      cold(220)()
    end
  elseif not cold(251)(task.status) then
    cold(133)('ZCARD', cold(54)())
    task.unsettled = true
  end
end
end
end
end
end
else
if number < 87 then
if number < 83 then
if number < 81 then
if number < 80 then
-- 79 fairness.ranked_key
return function(queue, number)
  return namespace_prefix .. 'ranked_tasks_' .. queue .. (number == '' and '' or '/' .. number)
end
else
-- 80 fairness.tasks_key
return function(queue, key, number)
  return namespace_prefix .. 'key_tasks_' .. queue .. '/' .. key .. (number == '' and '' or '/' .. number)
end
end
else
if number < 82 then
-- 81 fairness.rank
return function(us)
  return string.format('%016.0f', us)
end
else
-- 82 fairness.front_rank
return function(us)
  return '-' .. cold(81)(9007199254740991 - us)
end
end
end
else
if number < 85 then
if number < 84 then
-- 83 fairness.sort_value
return function(rank)
  if string.sub(rank, 1, 1) == '-' then
    return tonumber(string.sub(rank, 2)) - 9007199254740992
  end
  return tonumber(rank)
end
else
-- 84 fairness.refresh
return function(queue, key, number)
  local entries, field = namespace_key('turns', queue), key .. '/' .. number
  local first = redis.call('ZRANGE', cold(80)(queue, key, number), 0, 0, 'WITHSCORES')
  local current, wanted = redis.call('HGET', entries, field) or nil, nil
  if first[1] then
    local rank, weight = string.match(first[1], '^(%S+) %S+ (%S+)$')
    local fits, free = cold(117)(queue, key, weight)
    if fits then
      local served = redis.call('HGET', entries, key)
      if served and cold(83)(served) > cold(83)(rank) then
        rank = served
      end
      wanted = first[2] .. ' ' .. rank
    elseif free then
      redis.call('ZADD', namespace_key('delayed', queue), string.format('%.0f', free), key)
    end
  end
  if current == wanted then
    return
  end
  local ranked, rank = cold(79)(queue, number), nil
  if wanted then
    local score
    score, rank = string.match(wanted, '^(%S+) (%S+)$')
    redis.call('ZADD', ranked, score, rank .. ' /' .. key)
    redis.call('HSET', entries, field, wanted)
  else
    redis.call('HDEL', entries, field)
  end
  local former = current and string.match(current, ' (%S+)$')
  if former and former ~= rank then
    redis.call('ZREM', ranked, former .. ' /' .. key)
  end
end
end
else
if number < 86 then
-- 85 fairness.refresh_all
return function(queue, key)
  local waits = false
  for _, number in ipairs(cold(141)(queue)) do
    cold(84)(queue, key, number)
    waits = waits or redis.call('EXISTS', cold(80)(queue, key, number)) == 1
  end
  if not waits and not redis.call('HGET', namespace_key('places', queue), 'k:' .. key) then
    redis.call('HDEL', namespace_key('turns', queue), key)
    redis.call('ZREM', namespace_key('delayed', queue), key)
  end
end
else
-- 86 graphs.key
return function(graph)
  return namespace_key('graph', graph)
end
end
end
end
else
if number < 91 then
if number < 89 then
if number < 88 then
-- 87 graphs.tasks
return function(graph)
  return namespace_key('members', graph)
end
else
-- 88 graphs.outside
return function(graph)
  return namespace_key('outside', graph)
end
end
else
if number < 90 then
-- 89 graphs.chosen
return function(graph)
  return namespace_key('chosen', graph)
end
else
-- 90 graphs.all
return function()
  return namespace_prefix .. 'graphs'
end
end
end
else
if number < 93 then
if number < 92 then
-- 91 graphs.on_failure
return function(id)
  if not id then
    return false
  end
  local known = cold(131)('on_failure')
  known[id] = known[id] or redis.call('HGET', cold(86)(id), 'on_failure') or 'cancel'
  return known[id]
end
else
-- 92 graphs.runs_anew
return function(graph, id)
  local doing = redis.call('HGET', cold(86)(graph), 'doing')
  return (doing == 'anew' or doing == 'mark_anew')
    and tonumber(redis.call('ZSCORE', cold(89)(graph), id) or 0) > 0
end
end
else
if number < 94 then
-- 93 graphs.counted
return function(length)
  return length >= 256 and length or 0
end
else
-- 94 graphs.most
return function()
  return cold(204)('*', 'graph_bytes')
end
end
end
end
end
end
else
if number < 111 then
if number < 103 then
if number < 99 then
if number < 97 then
if number < 96 then
-- 95 graphs.has_room
return function(id, bytes)
  local known = cold(131)('graph_bytes')
  local all = (known[id] or tonumber(redis.call('HGET', cold(132)(cold(86)(id)), 'bytes') or 0)) + bytes
  if all > tonumber(cold(94)()) then
    return false
  end
  known[id] = all
  return true
end
else
-- 96 graphs.unlimit
return function(bounds)
  for _, bound in ipairs(bounds) do
    redis.call('HDEL', bound.limits, bound.key)
  end
end
end
else
if number < 98 then
-- 97 graphs.plan_unlimit
return function(graph)
  local bounds = {}
  for queue, key in string.gmatch(redis.call('HGET', cold(86)(graph), 'bounds') or '', '([^/ ]+)/([^= ]+)=') do
    bounds[#bounds + 1] = { limits = namespace_key('limits', queue), key = key }
    cold(133)('HLEN', bounds[#bounds].limits)
  end
  return bounds
end
else
-- 98 graphs.count
return function(task, to)
  local key = cold(86)(task.graph)
  if cold(251)(to) then
    redis.call('HINCRBY', key, to, 1)
  end
  if task.status and cold(251)(task.status) then
    redis.call('HINCRBY', key, task.status, -1)
  end
  if to == 'deleted' and redis.call('HINCRBY', key, 'left', -1) == 0 then
    cold(96)(task.bounds)
    redis.call('UNLINK', key, cold(87)(task.graph))
    redis.call('ZREM', cold(90)(), task.graph)
  end
end
end
end
else
if number < 101 then
if number < 100 then
-- 99 groups.key
return function(queue, group)
  if #group > 128 or string.find(group, '[^%w._:@-]') then
    group = '~' .. redis.sha1hex(group)
  end
  return namespace_prefix .. 'group_' .. queue .. '/' .. group
end
else
-- 100 groups.plan
return function(task, to)
  if to ~= 'failed' then
    task.group = redis.call('HGET', namespace_prefix .. 'task_' .. task.id, 'group') or ''
  end
  local key = cold(99)(task.queue, task.group or '')
  cold(133)('ZCARD', namespace_key('groups', task.queue))
  cold(133)('ZCARD', key)
  if to ~= 'failed' and not redis.call('ZSCORE', key, task.id) then
    task.group = nil
  end
end
end
else
if number < 102 then
-- 101 groups.enter
return function(task, now)
  local group = task.group or ''
  local key = cold(99)(task.queue, group)
  redis.call('ZADD', key, now, task.id)
  redis.call('ZADD', namespace_key('groups', task.queue), redis.call('ZCARD', key), group)
end
else
-- 102 groups.leave
return function(task)
  if task.group then
    cold(239)(cold(99)(task.queue, task.group), namespace_key('groups', task.queue), task.group, task.id)
  end
end
end
end
end
else
if number < 107 then
if number < 105 then
if number < 104 then
-- 103 history.fields
return function()
  return 'status', 'created', 'promoted', 'reserved', 'started', 'updated', 'node', 'attempt', 'outcome', 'group',
    'error', 'schedule', 'slot',
    'ended', 'cost', 'cost_of', 'readied'
end
else
-- 104 history.last
return function(key, created)
  local entry = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
  local v = entry and entry[2]
  if not v or tonumber(v[2]) < (tonumber(created) or 0) then
    return 0, 0, '', 0, v ~= nil, ''
  end
  return tonumber(string.match(entry[1], '^%d+')), tonumber(v[2]) or 0, v[6], tonumber(v[8]) or 0, false, v[12]
end
end
else
if number < 106 then
-- 105 history.derive
return function(v, since, reached, nth, cause)
  local status, created, promoted, reserved, started, updated, node, number, outcome, group, text, schedule, slot,
    ended, cost, cost_of, readied = unpack(v, 1, 17)
  local found = {}
  cost = ended and ended == cost_of and cost or ''
  promoted = promoted and tonumber(promoted) >= since and promoted
  readied = readied and tonumber(readied) >= since and readied
  number, node = number or '0', node or ''
  local function step(at, to, by, why, ...)
    found[#found + 1] = { at or '', reached, to, (reached == '' or reached == 'moved') and tostring(nth) or number,
      by, why, ... }
    reached = to
  end
  if reached == '' or reached == 'moved' then
    local moved = reached == 'moved'
    local why = moved and ((cause == 'next' or cause == 'again') and cause or 'move')
      or schedule and (slot and 'schedule' or 'run_schedule') or 'submit'
    step(moved and cold(126)(since * 1000000) or created,
      readied and 'waiting' or promoted and 'scheduled' or cold(250)(status) and status or 'pending',
      '', why, '', '', '', '')
  end
  if reached == 'waiting' and readied then
    reached = (promoted or status == 'scheduled') and 'scheduled' or 'pending'
    found[#found + 1] = { readied, 'waiting', reached, tostring(nth), '', 'ready', '', '', '', '' }
  end
  if reached == 'scheduled' and status ~= 'scheduled' and promoted then
    found[#found + 1] = { promoted, reached, 'pending', tostring(nth), '', 'promote', '', '', '', '' }
    reached = 'pending'
  end
  if reached == 'pending' and tonumber(number) > nth then
    if reserved or not started then
      step(reserved, 'reserved', node, 'reserve', '', '', '', '')
    else
      step(started, 'started', node, 'reserve', '', '', '', '')
    end
  end
  if reached == 'reserved' and started then
    step(started, 'started', node, 'start', '', '', '', '')
  end
  if reached == status then
    return found
  end
  if (reached == 'reserved' or reached == 'started') and status == outcome then
    step(updated, status, node, status == 'failed' and 'fail' or status, outcome,
      status == 'failed' and group or '', status == 'failed' and string.sub(text or '', 1, 256) or '', cost)
  elseif reached == 'pending' and status == 'cancelled' then
    step(updated, status, '', 'cancel', '', '', '', '')
  else
    step(updated, status, '', '', '', '', '', '')
  end
  return found
end
else
-- 106 history.plan
return function(task, to)
  if to == 'deleted' then
    cold(132)(namespace_key('history', task.id))
  elseif task.status then
    local key = namespace_key('history', task.id)
    cold(133)('XLEN', key)
    if namespace_declared and select(5, cold(104)(key, cold(175)(task.id))) then
      cold(134)()
    end
  end
end
end
end
else
if number < 109 then
if number < 108 then
-- 107 history.archive
return function(task, event, ...)
  local from, to, why = task.status, event.to, event.why
  if (why == 'fail' and to == 'failed') or (why == 'promote' and from == 'scheduled') or why == 'ready'
    or (why == 'cancel' and from == 'pending') then
    return
  end
  local outcome, group, text, cost = to == 'reserved' and 'lost' or '', '', '', ''
  local fields = { ... }
  for i = 1, #fields, 2 do
    if fields[i] == 'outcome' then
      outcome = fields[i + 1]
    elseif fields[i] == 'group' or fields[i] == 'last_group' then
      group = fields[i + 1]
    elseif fields[i] == 'error' or fields[i] == 'last_error' then
      text = string.sub(fields[i + 1], 1, 256)
    elseif fields[i] == 'cost' then
      cost = fields[i + 1]
    end
  end
  if from ~= 'reserved' and from ~= 'started' then
    outcome, group, text, cost = '', '', '', ''
  end
  event.note = task.note
  cold(108)(task, event, outcome, group, text, cost)
end
else
-- 108 history.add
return function(task, event, outcome, group, text, cost)
  local key = namespace_key('history', task.id)
  local told = redis.call('HMGET', namespace_key('task', task.id), cold(103)())
  local number, since, reached, nth, stale, cause = cold(104)(key, told[2])
  if stale then
    redis.call('UNLINK', key)
  end
  local kept = cold(105)(told, since, reached, nth, cause)
  kept[#kept + 1] = { event.at, task.status, event.to, task.attempt, event.by, event.why, outcome, group, text, cost,
    unpack(event.note or {}) }
  local most = cold(204)(task.queue, 'history')
  for i, v in ipairs(kept) do
    redis.call('XADD', key, 'MAXLEN', most, string.format('%.0f-0', number + i),
      'at', v[1], 'from', v[2], 'to', v[3], 'attempt', v[4], 'by', v[5], 'why', v[6], 'outcome', v[7], 'group', v[8],
      'error', v[9], 'cost', v[10], unpack(v, 11))
  end
end
end
else
if number < 110 then
-- 109 joins.key
return function(id)
  return namespace_prefix .. 'joined_' .. id
end
else
-- 110 joins.list
return function(filled, slots)
  local lengths = {}
  for slot = 0, slots - 1 do
    filled[slot] = filled[slot] or 'null'
    lengths[slot + 1] = #filled[slot]
  end
  return '[' .. table.concat(filled, ',', 0, slots - 1) .. ']', table.concat(lengths, ',')
end
end
end
end
end
else
if number < 119 then
if number < 115 then
if number < 113 then
if number < 112 then
-- 111 joins.collect
return function(key, number, plan)
  local filled, brought = {}, plan.slots and #plan.slots or 0
  for from = 0, brought < number and number - 1 or -1, 1000 do
    local slots = {}
    for slot = from, math.min(number, from + 1000) - 1 do
      slots[#slots + 1] = slot
    end
    for i, text in ipairs(redis.call('HMGET', key, unpack(slots))) do
      filled[slots[i]] = text or 'null'
    end
  end
  for _, slot in ipairs(plan.slots or {}) do
    filled[slot] = plan.text
  end
  for slot, text in pairs(plan.filled or {}) do
    filled[slot] = text
  end
  return filled
end
else
-- 112 joins.is_long
return function(id, slots, bytes)
  local joined = cold(131)('joined')
  local all = (joined.bytes or 0) + bytes
  if slots == 0 or bytes <= 262144 and all <= 1048576 then
    joined.bytes = slots > 0 and all or joined.bytes
    return false
  end
  cold(133)('ZCARD', cold(54)())
  cold(132)(cold(109)(id))
  cold(132)(namespace_key('task', id))
  return true
end
end
else
if number < 114 then
-- 113 joins.begin
return function(id)
  redis.call('UNLINK', cold(51)(id), cold(109)(id))
  redis.call('HDEL', cold(53)(id), 'joined', 'lengths', cold(157)())
  redis.call('HSET', namespace_key('task', id), 'cascade', 'join')
  redis.call('ZADD', cold(54)(), namespace_now, id)
end
else
-- 114 json.decodes
return function(text)
  return (pcall(cjson.decode, text))
end
end
end
else
if number < 117 then
if number < 116 then
-- 115 limits.starts_key
return function(queue, key)
  return namespace_prefix .. 'rate_' .. queue .. (key and '/' .. key or '')
end
else
-- 116 limits.of_key
return function(queue, key)
  local own, rate = string.match(redis.call('HGET', namespace_key('limits', queue), key) or '- -', '^(%S+) (%S+)$')
  own = tonumber(own ~= '-' and own or cold(204)(queue, 'key_concurrency'))
  if rate ~= '-' then
    return own, rate, 0
  end
  return own, cold(204)(queue, 'key_rate'), cold(205)(queue, 'key_rate')
end
end
else
if number < 118 then
-- 117 limits.fits
return function(queue, key, weight)
  local most, rate, since = cold(116)(queue, key)
  if weight == 'solo' then
    most, weight = 1, 1
  end
  if most then
    local used = tonumber(redis.call('HGET', namespace_key('places', queue), 'k:' .. key) or 0)
    if used + math.min(tonumber(weight), most) > most then
      return false
    end
  end
  return cold(119)(cold(115)(queue, key), rate, since)
end
else
-- 118 limits.start_expires
return function(starts, back, seconds, since)
  local last = tonumber(redis.call('LINDEX', starts, back) or nil)
  if last and last >= since and tonumber(redis.call('LINDEX', starts, 0)) <= namespace_now_us then
    return last + seconds * 1000000
  end
end
end
end
end
else
if number < 123 then
if number < 121 then
if number < 120 then
-- 119 limits.rate_allows
return function(starts, rate, since)
  if not rate then
    return true
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local free = cold(118)(starts, number - 1, seconds, since)
  if free and free > namespace_now_us then
    return false, free
  end
  return true
end
else
-- 120 limits.take
return function(task)
  local queue, key, weight = task.queue, task.fair_key, tonumber(task.weight or 1)
  local held = namespace_key('places', queue)
  redis.call('HSET', held, 'a:' .. task.id .. ' ' .. task.issue,
    weight .. ' ' .. (key or '') .. (task.shared and ' ' .. task.shared or ''))
  if task.shared then
    cold(218)(task.shared)
  end
  if weight > 1 then
    redis.call('HINCRBY', held, 'extra', weight - 1)
  end
  if key then
    local _, rate = cold(116)(queue, key)
    redis.call('HINCRBY', held, 'k:' .. key, weight)
    redis.call('HSET', namespace_key('turns', queue), key, cold(81)(namespace_now_us))
    cold(121)(cold(115)(queue, key), rate, string.format('%.0f', namespace_now_us))
  end
end
end
else
if number < 122 then
-- 121 limits.record_start
return function(starts, rate, us)
  if rate then
    redis.call('LPUSH', starts, us)
    local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
    redis.call('LTRIM', starts, 0, number - 1)
    redis.call('EXPIRE', starts, 2 * seconds + 60)
  end
end
else
-- 122 limits.release
return function(queue, id, token)
  local held, member = namespace_key('places', queue), 'a:' .. id .. ' ' .. token
  local weight, key, shared = string.match(redis.call('HGET', held, member) or '', '^(%d+) (%S*) ?(%S*)$')
  if not weight then
    return
  end
  redis.call('HDEL', held, member)
  if shared ~= '' then
    cold(219)(shared, queue)
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
    cold(85)(queue, key)
  end
end
end
end
else
if number < 125 then
if number < 124 then
-- 123 logs.index
return function()
  return namespace_prefix .. 'logs'
end
else
-- 124 logs.size
return function(id)
  local v = redis.call('HMGET', cold(132)(namespace_key('logged', id)), 'head', 'tail')
  if v[1] then
    cold(133)('ZCARD', cold(123)())
    return v[1] + v[2]
  end
end
end
else
if number < 126 then
-- 125 logs.forget
return function(id, size)
  redis.call('UNLINK', namespace_key('logged', id))
  redis.call('ZREM', cold(123)(), id)
  redis.call('HINCRBY', namespace_meta, 'logs', -size)
end
else
-- 126 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
end
end
end
end
end
end
end
else
if number < 190 then
if number < 158 then
if number < 142 then
if number < 134 then
if number < 130 then
if number < 128 then
-- 127 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(176)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(176)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
if number < 129 then
-- 128 namespace.use_test_time
return function(now)
  namespace_now_us = cold(14)(now or cold(176)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(176)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(126)(namespace_now_us)
end
else
-- 129 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(126)(namespace_now_us)
end
end
end
else
if number < 132 then
if number < 131 then
-- 130 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
-- 131 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
end
else
if number < 133 then
-- 132 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
else
-- 133 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(132)(key)
  end
  return redis.call(command, key)
end
end
end
end
else
if number < 138 then
if number < 136 then
if number < 135 then
-- 134 namespace.require_settled_slot
return function()
  cold(132)(namespace_prefix .. 'unmoved')
end
else
-- 135 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(176)(cold(178)())
  end
end
end
else
if number < 137 then
-- 136 namespace.is_here
return function(key)
  return type(redis.pcall('EXISTS', namespace_meta, key)) == 'number'
end
else
-- 137 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(188)()
  if namespace_declared then
    cold(138)(first, ...)
  end
end
end
end
else
if number < 140 then
if number < 139 then
-- 138 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(135)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(188)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
else
-- 139 namespace.write_when_full
return function(key)
  redis.call('HDEL', key, '')
end
end
else
if number < 141 then
-- 140 needs.class
return function(task)
  if task.shared then
    return (task.needs or '') .. '|' .. task.shared
  end
  return task.needs
end
else
-- 141 needs.numbers
return function(queue)
  local numbers = { '' }
  for _, known in ipairs(redis.call('HVALS', namespace_key('needs', queue))) do
    numbers[#numbers + 1] = string.match(known, '^%d+')
  end
  return numbers
end
end
end
end
end
else
if number < 150 then
if number < 146 then
if number < 144 then
if number < 143 then
-- 142 needs.number
return function(queue, wanted)
  if not wanted then
    return ''
  end
  return string.match(redis.call('HGET', namespace_key('needs', queue), wanted) or '', '^%d+')
end
else
-- 143 needs.plan
return function(queue, wanted)
  local number, given = cold(142)(queue, wanted), cold(131)('needs')[queue] or {}
  if number or given[wanted] then
    return number or given[wanted]
  end
  local taken = {}
  for _, other in ipairs(cold(141)(queue)) do
    taken[other] = true
  end
  for _, other in pairs(given) do
    taken[other] = true
  end
  number = 1
  while taken[tostring(number)] do
    number = number + 1
  end
  given[wanted], cold(131)('needs')[queue] = tostring(number), given
  return given[wanted]
end
end
else
if number < 145 then
-- 144 needs.count
return function(queue, wanted, by)
  if not wanted then
    return ''
  end
  local known = namespace_key('needs', queue)
  local number, count = string.match(redis.call('HGET', known, wanted) or '', '^(%d+) (%d+)$')
  if not number then
    number, count = cold(143)(queue, wanted), 0
  end
  count = count + by
  if count > 0 then
    redis.call('HSET', known, wanted, number .. ' ' .. count)
  else
    redis.call('HDEL', known, wanted)
  end
  return number
end
else
-- 145 orders.key
return function(queue)
  return namespace_key('orders', queue)
end
end
end
else
if number < 148 then
if number < 147 then
-- 146 orders.of
return function(task)
  return redis.call('HGET', cold(145)(task.queue), 't:' .. task.id)
end
else
-- 147 orders.plan
return function(queue)
  cold(133)('HLEN', cold(145)(queue))
end
end
else
if number < 149 then
-- 148 orders.give
return function(queue, to, order)
  local key = cold(145)(queue)
  cold(139)(key)
  redis.call('HSET', key, to, order)
  cold(149)(queue)
end
else
-- 149 orders.announce
return function(queue)
  redis.pcall('PUBLISH', cold(145)(queue), '')
end
end
end
end
else
if number < 154 then
if number < 152 then
if number < 151 then
-- 150 patterns.parse
return function(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end
else
-- 151 patterns.set
return function(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = cold(150)(one)
  end
  return set
end
end
else
if number < 153 then
-- 152 patterns.matches
return function(one, name)
  if one.text then
    return one.text == name
  end
  local parts = one.parts
  local first, last = parts[1], parts[#parts]
  local at, stop = #first + 1, #name - #last
  if stop < #first or string.sub(name, 1, #first) ~= first or string.sub(name, stop + 1) ~= last then
    return false
  end
  for i = 2, #parts - 1 do
    local _, to = string.find(name, parts[i], at, true)
    if not to or to > stop then
      return false
    end
    at = to + 1
  end
  return true
end
else
-- 153 patterns.chooser
return function(set)
  local matches, out, wanted = cold(152), set.out, set.wanted
  return function(queue)
    for i = 1, #out do
      if matches(out[i], queue) then
        return nil
      end
    end
    for nth = 1, #wanted do
      if matches(wanted[nth], queue) then
        return nth
      end
    end
  end
end
end
end
else
if number < 156 then
if number < 155 then
-- 154 patterns.list
return function(text)
  return namespace_prefix .. 'wakes_' .. string.sub(redis.sha1hex(text), 1, 16)
end
else
-- 155 patterns.rouse
return function(sets, queue)
  local left = {}
  for text in string.gmatch(sets, '%S+') do
    local list = cold(154)(text)
    if cold(153)(cold(151)(text))(queue) and (not namespace_declared or cold(136)(list)) then
      redis.pcall('LPUSH', list, '1')
    else
      left[#left + 1] = text
    end
  end
  return table.concat(left, ' ')
end
end
else
if number < 157 then
-- 156 quorum.has
return function(task)
  return task.ties and string.find(task.ties, 'k', 1, true)
end
else
-- 157 quorum.fields
return function()
  return 'least', 'some', 'missed', 'turn', 'owed'
end
end
end
end
end
end
else
if number < 174 then
if number < 166 then
if number < 162 then
if number < 160 then
if number < 159 then
-- 158 quorum.read
return function(id)
  local v = redis.call('HMGET', cold(132)(cold(53)(id)), cold(157)())
  return { least = tonumber(v[1] or 0), left = tonumber(v[2] or 0), missed = tonumber(v[3] or 0),
    turn = tonumber(v[4] or 1), owed = tonumber(v[5] or 0) }
end
else
-- 159 quorum.write
return function(id, set)
  redis.call('HSET', cold(53)(id), 'least', set.least, 'some', set.left, 'missed', set.missed, 'turn', set.turn,
    'owed', set.owed)
end
end
else
if number < 161 then
-- 160 quorum.chances
return function(set)
  return set.left - set.missed + set.owed
end
else
-- 161 quorum.is_ready
return function(set, open)
  return set.least <= 0 and open == set.left
end
end
end
else
if number < 164 then
if number < 163 then
-- 162 quorum.text
return function(slots, turn)
  return 'some' .. (turn or '') .. (slots ~= '' and '/' .. slots or '')
end
else
-- 163 quorum.take
return function(set, mark)
  if mark == '0' then
    set.owed = set.owed - 1
  else
    set.left, set.missed = set.left - 1, set.missed - (tonumber(mark) == set.turn and 1 or 0)
  end
end
end
else
if number < 165 then
-- 164 quorum.plan_end
return function(plan, task, up, to, mark, slots)
  local set, open = plan.set, redis.call('HLEN', cold(51)(plan.id))
  cold(163)(set, mark)
  plan.met = to == 'complete'
  if plan.met then
    set.least = set.least - 1
    return
  elseif to == 'deleted' then
    plan.gone, open = cold(55)(slots), open - 1
  else
    set.left, set.missed = set.left + 1, set.missed + 1
  end
  if cold(161)(set, open) then
    plan.met, plan.ready = true, true
    return
  end
  local may_wait = cold(91)(task.extra[5]) == 'hold' and set.least <= set.left + set.owed
  if set.least > cold(160)(set) and not may_wait then
    cold(165)(plan, up, open)
    plan.short = set.least > cold(160)(set)
  end
  plan.missed = not plan.short and cold(162)(slots, set.turn)
end
else
-- 165 quorum.plan_again
return function(plan, up, open)
  local set = plan.set
  plan.again = {}
  local found = open <= 300 and redis.call('HGETALL', cold(51)(plan.id)) or {}
  for i = 1, #found, 2 do
    local mark, slots = string.match(found[i + 1], '^some(%d+)/?(.*)$')
    if found[i] ~= up.id and tonumber(mark) == set.turn then
      local other = cold(173)(found[i])
      if other and not cold(251)(other.status) then
        cold(133)('ZCARD', cold(52)(found[i]))
        plan.again[found[i]], set.missed = { up = other, text = cold(162)(slots) }, set.missed - 1
      end
    end
  end
end
end
end
end
else
if number < 170 then
if number < 168 then
if number < 167 then
-- 166 quorum.miss
return function(up, plan)
  if plan.gone then
    redis.call('ZREM', cold(52)(up.id), plan.id)
    redis.call('HDEL', cold(51)(plan.id), up.id)
    cold(75)(plan.id, plan.gone)
  else
    redis.call('ZADD', cold(52)(up.id), 'inf', plan.id)
    redis.call('HSET', cold(51)(plan.id), up.id, plan.missed)
  end
  for id, edge in pairs(plan.again or {}) do
    redis.call('ZADD', cold(52)(id), namespace_now, plan.id)
    redis.call('HSET', cold(51)(plan.id), id, edge.text)
    cold(61)(edge.up)
  end
  cold(159)(plan.id, plan.set)
end
else
-- 167 quorum.drop
return function(id)
  redis.call('UNLINK', cold(51)(id), cold(53)(id))
end
end
else
if number < 169 then
-- 168 ranking.plan
return function(task)
  local queue, probe = task.queue, cold(133)
  if task.limited then
    probe('HLEN', namespace_key('places', queue))
  end
  if task.ranked then
    cold(134)()
    probe('ZCARD', namespace_key('lane_tasks', queue))
    local numbers = task.fair_key and cold(141)(queue) or {}
    local class = cold(140)(task)
    numbers[#numbers + 1] = class and cold(143)(queue, class) or ''
    for _, number in ipairs(numbers) do
      probe('ZCARD', cold(79)(queue, number))
      if task.fair_key then
        probe('ZCARD', cold(80)(queue, task.fair_key, number))
      end
    end
  end
  if task.fair_key then
    probe('HLEN', namespace_key('turns', queue))
    probe('HLEN', namespace_key('limits', queue))
    probe('ZCARD', namespace_key('delayed', queue))
    probe('LLEN', cold(115)(queue, task.fair_key))
    cold(204)(queue, 'key_rate')
  end
end
else
-- 169 ranking.member
return function(task)
  return task.rank .. ' ' .. task.id .. ' ' .. (task.solo and 'solo' or task.weight or '1')
end
end
end
else
if number < 172 then
if number < 171 then
-- 170 ranking.add
return function(task)
  local queue = task.queue
  local field = 'lanes:' .. queue
  local last = math.max(tonumber(redis.call('HGET', namespace_meta, field) or 0) + 1, namespace_now_us)
  redis.call('HSET', namespace_meta, field, string.format('%.0f', last))
  task.rank = task.place or task.front and cold(82)(last) or cold(81)(last)
  redis.call('ZADD', namespace_key('lane_tasks', queue), -tonumber(task.priority or 0), task.rank .. ' ' .. task.id)
  do
    local task = task
    local queue, score = task.queue, -tonumber(task.priority or 0)
    local number = cold(144)(queue, cold(140)(task), 1)
    if task.fair_key then
      if task.turn then
        redis.call('HSETNX', namespace_key('turns', queue), task.fair_key,
          cold(81)(math.min(task.turn, namespace_now_us)))
      end
      redis.call('ZADD', cold(80)(queue, task.fair_key, number), score, cold(169)(task))
      cold(84)(queue, task.fair_key, number)
    else
      redis.call('ZADD', cold(79)(queue, number), score, task.rank .. ' ' .. task.id)
    end
  end
  redis.call('HSET', namespace_prefix .. 'task_' .. task.id, 'rank', task.rank)
end
else
-- 171 ranking.remove_from_index
return function(queue, member)
  local all = namespace_key('lane_tasks', queue)
  if redis.call('ZCARD', all) - redis.call('ZREM', all, member) == 0 then
    redis.call('HDEL', namespace_meta, 'lanes:' .. queue)
  end
end
end
else
if number < 173 then
-- 172 ranking.remove
return function(task, to)
  cold(171)(task.queue, task.rank .. ' ' .. task.id)
  do
    local task, to = task, to
    local queue = task.queue
    local class = cold(140)(task)
    local number = cold(142)(queue, class)
    if task.fair_key then
      redis.call('ZREM', cold(80)(queue, task.fair_key, number), cold(169)(task))
      if cold(225)(task, to) then
        cold(120)(task)
      end
      cold(85)(queue, task.fair_key)
    else
      redis.call('ZREM', cold(79)(queue, number), task.rank .. ' ' .. task.id)
      if task.limited and cold(225)(task, to) then
        cold(120)(task)
      end
    end
    cold(144)(queue, class, -1)
  end
  redis.call('HDEL', namespace_prefix .. 'task_' .. task.id, 'rank')
end
else
-- 173 record.find
return function(id, ...)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(132)(key)
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
end
end
end
end
else
if number < 182 then
if number < 178 then
if number < 176 then
if number < 175 then
-- 174 record.held
return function(task)
  return task.status == 'reserved' or task.status == 'started'
end
else
-- 175 record.created
return function(id)
  return tonumber(redis.call('HGET', namespace_prefix .. 'task_' .. id, 'created') or 0)
end
end
else
if number < 177 then
-- 176 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(177)() then
    code, text = cold(178)()
  end
  error({ err = code .. ' ' .. text })
end
else
-- 177 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
end
end
else
if number < 180 then
if number < 179 then
-- 178 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
-- 179 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(178)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
end
else
if number < 181 then
-- 180 requests.key
return function()
  return namespace_prefix .. 'requests'
end
else
-- 181 requests.find
return function(command, request)
  if not request then
    return false
  end
  local own = cold(131)('request')
  own.field = command .. ' ' .. request
  local found = redis.call('HMGET', cold(132)(cold(180)()), own.field, 'first', 'last')
  own.first, own.last = tonumber(found[2]) or 1, tonumber(found[3]) or 0
  if found[1] then
    return true, cold(184)(found[1])
  end
  return false
end
end
end
end
else
if number < 186 then
if number < 184 then
if number < 183 then
-- 182 requests.keep
return function(answer)
  local own = cold(131)('request')
  if not own.begun then
    return answer
  end
  local key, first, last = cold(180)(), own.first, own.last + 1
  local known = last > 1 and first
  cold(139)(key)
  redis.call('HSET', key, own.field, cold(183)(answer), 'last', string.format('%.0f', last),
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
-- 183 requests.text
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
else
if number < 185 then
-- 184 requests.read
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
-- 185 rights.denied
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
end
end
else
if number < 188 then
if number < 187 then
-- 186 rights.refuse
return function(name)
  local role = string.match('ADMINISTRATOR', '^%u+$')
  if role and not cold(185)({ name }, 'meta') then
    cold(176)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(176)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
-- 187 rights.check
return function(names)
  local name = cold(185)(names, 'ADMINISTRATOR')
  if name then
    cold(186)(name)
  end
end
end
else
if number < 189 then
-- 188 rights.require
return function()
  cold(187)({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HGETALL', 'HINCRBY', 'HMGET', 'HSET', 'HSETNX', 'HVALS', 'LINDEX', 'LPUSH', 'LREM', 'LTRIM', 'RPOPLPUSH', 'RPUSH', 'SADD', 'SREM', 'UNLINK', 'XADD', 'XREVRANGE', 'ZADD', 'ZCARD', 'ZRANGE', 'ZREM' })
end
else
-- 189 schedules.name
return function(value)
  if #value > 100 or not string.find(value, '^[%w._:@-]+$') then
    cold(176)('BADNAME', 'name must be 1 to ' .. 100 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
end
end
end
end
end
end
else
if number < 222 then
if number < 206 then
if number < 198 then
if number < 194 then
if number < 192 then
if number < 191 then
-- 190 schedules.rhythm
return function(value)
  local every, offset = string.match(value, '^every (%d+) ?(%d*)$')
  if every and #every <= 9 and #offset <= 9 and (offset ~= '' or string.sub(value, -1) ~= ' ') then
    every, offset = tonumber(every), tonumber(offset ~= '' and offset or 0)
    if every <= 315360000 and offset < every then
      return string.format('every %d %d', every, offset), every, offset
    end
  end
  if #value <= 256 and string.find(value,
    '^cron [%w/_+-]+ [%w*,/#?+-]+ [%w*,/#?+-]+ [%w*,/#?+-]+ [%w*,/#?+-]+ [%w*,/#?+-]+$') then
    return value
  end
  cold(176)('BADARG', 'the rhythm must be `every SECONDS OFFSET` (1 to ' .. 315360000
    .. ' seconds, an offset below that), or `cron ZONE` and five fields, in ' .. 256 .. ' characters')
end
else
-- 191 schedules.find
return function(name)
  local key = cold(132)(namespace_key('schedule', name))
  local flat, found = redis.call('HGETALL', key), {}
  for i = 1, #flat, 2 do
    found[flat[i]] = flat[i + 1]
  end
  if not found.rhythm then
    return nil
  end
  found.name, found.key = name, key
  return cold(192)(found)
end
end
else
if number < 193 then
-- 192 schedules.read
return function(schedule)
  schedule.every, schedule.offset = select(2, cold(190)(schedule.rhythm))
  schedule.list = {}
  for slot in string.gmatch(schedule.slots or '', '%d+') do
    schedule.list[#schedule.list + 1] = tonumber(slot)
  end
  schedule.unfinished = {}
  for id in string.gmatch(schedule.tasks or schedule.last_task or '', '%S+') do
    schedule.unfinished[#schedule.unfinished + 1] = id
  end
  return schedule
end
else
-- 193 schedules.get
return function(name)
  local schedule = cold(191)(name)
  if not schedule then
    cold(135)(namespace_key('schedule', name))
    cold(176)('NOSCHEDULE', 'no schedule has this name: it never existed, or was removed')
  end
  return schedule
end
end
end
else
if number < 196 then
if number < 195 then
-- 194 schedules.plain
return function(text)
  return (string.gsub(text, '%%(%x%x)', function(code)
    return string.char(tonumber(code, 16))
  end))
end
else
-- 195 schedules.values
return function(text)
  local values = {}
  for word in string.gmatch(text, '%S+') do
    local name, value = string.match(word, '^([^=]+)=(.*)$')
    if name then
      values[name] = cold(194)(value)
    end
  end
  return values
end
end
else
if number < 197 then
-- 196 schedules.options
return function(schedule)
  local options = { schedule = schedule.name }
  for name, value in pairs(cold(195)(schedule.options)) do
    options[name] = cold(253)(name, value)
  end
  if (schedule.overlap == 'queue' or schedule.overlap == 'cancel') and options.unique_policy ~= 'latest' then
    options.solo = 'schedule:' .. schedule.name
  end
  return options
end
else
-- 197 schedules.solo
return function(schedule, overlap)
  if overlap ~= 'queue' and overlap ~= 'cancel' then
    return nil
  end
  local options = ' ' .. schedule.options
  local latest = string.find(options, ' unique_policy=latest')
  return latest and string.match(options, ' unique=(%S+)') or 'schedule:' .. schedule.name
end
end
end
end
else
if number < 202 then
if number < 200 then
if number < 199 then
-- 198 schedules.live
return function(schedule, overlap)
  local solo, last, beside = cold(197)(schedule, overlap), nil, nil
  local unfinished = {}
  for _, id in ipairs(schedule.unfinished) do
    local task = cold(1)(id)
    local maker, key, alone = unpack(redis.call('HMGET', namespace_key('task', id), 'schedule', 'key', 'solo'))
    if task and maker == schedule.name and not cold(251)(task.status) then
      unfinished[#unfinished + 1] = id
      last = id == schedule.last_task and task or last
      local stops = id == schedule.last_task and overlap == 'cancel' and not cold(174)(task)
      if solo and not stops and not (task.queue == schedule.queue and key == solo and alone) then
        beside = task
      end
    end
  end
  schedule.unfinished = unfinished
  return last, beside
end
else
-- 199 schedules.note
return function(schedule, id)
  local unfinished = schedule.unfinished
  for i, other in ipairs(unfinished) do
    if other == id then
      table.remove(unfinished, i)
      break
    end
  end
  unfinished[#unfinished + 1] = id
  if #unfinished > 64 then
    table.remove(unfinished, 1)
  end
  schedule.last_task, schedule.tasks = id, unfinished[2] and table.concat(unfinished, ' ')
end
end
else
if number < 201 then
-- 200 schedules.plan
return function(plan, taken)
  local schedule, id, old = plan.schedule, plan.id, plan.old
  local queue = schedule.queue
  cold(46)(unpack(redis.call('HMGET', namespace_meta, 'settings:' .. queue, 'settings'), 1, 2))
  local options = cold(196)(schedule)
  local claiming = (options.unique or options.needs) and queue
  if old and taken[old.id] or claiming and taken['/' .. queue] then
    return nil
  end
  options.slot = plan.slot
  local spec = cold(40)(options)
  local task = { id = id, queue = queue, parameters = schedule.parameters, attempt = '0', created = namespace_now,
    foreign = true }
  cold(41)(task, spec)
  if old then
    old.reason = 'a later slot of the schedule ' .. schedule.name
    cold(6)(old, old)
  end
  if spec.unique and not (old and old.to == 'cancelled' and cold(30)(task) == old.id) then
    local other, rival = cold(42)(task, spec)
    if rival and taken[rival.id] then
      return nil
    elseif rival then
      cold(230)(rival, 'cancelled')
      plan.rival = rival
    elseif other then
      plan.other = other
      return plan
    end
  end
  cold(132)(namespace_key('task', id))
  plan.unknown = not redis.call('ZSCORE', cold(132)(namespace_prefix .. 'queues'), queue)
  if task.ties then
    cold(43)(task)
  end
  cold(230)(task, task.begins)
  plan.task, plan.spec = task, spec
  taken[old and old.id or ''], taken[plan.rival and plan.rival.id or ''],
    taken[claiming and '/' .. queue or ''] = true, true, true
  return plan
end
else
-- 201 schedules.make
return function(plan, why)
  local queue = plan.schedule.queue
  if plan.old and plan.old.to then
    cold(8)(plan.old, plan.old)
  end
  if plan.rival then
    cold(233)(plan.rival, 'cancelled', 'replaced', '', 'reason', 'replaced by ' .. plan.id)
  end
  cold(45)(plan.task, plan.spec, why)
  if plan.unknown then
    redis.call('ZADD', namespace_prefix .. 'queues', 0, queue)
  end
end
end
end
else
if number < 204 then
if number < 203 then
-- 202 settings.find
return function(text, name)
  return text and string.match(' ' .. text, ' ' .. name .. '=(%S+)')
end
else
-- 203 settings.value
return function(own, common, name)
  local pattern = ' ' .. name .. '=(%S+)'
  return own and string.match(' ' .. own, pattern) or common and string.match(' ' .. common, pattern)
    or string.match(' ' .. 'lease=60 grace=30 max_failures=0 backoff=exponential delay=10 max_delay=3600 jitter=20 max_losses=10 lost_delay=0 max_releases=1000 max_uncounted=10000 max_bytes=1048576 log_bytes=163840 logs_bytes=1073741824 input_bytes=8388608 graph_bytes=536870912 forget_after=300 closed=0 keep=50000 retain=604800 events=10000 audit=10000 history=100 statistics=30', pattern)
end
end
else
if number < 205 then
-- 204 settings.get
return function(queue, name)
  local texts = cold(131)('settings')
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
else
-- 205 settings.since
return function(queue, name)
  cold(204)(queue, name)
  local own, common = unpack(cold(131)('settings')[queue], 1, 2)
  local since = cold(202)(cold(202)(own, name) and own or common, name .. '_since')
  return tonumber(since or 0)
end
end
end
end
end
else
if number < 214 then
if number < 210 then
if number < 208 then
if number < 207 then
-- 206 shares.limits_key
return function()
  return namespace_prefix .. 'shared_limits'
end
else
-- 207 shares.places_key
return function()
  return namespace_prefix .. 'shared_places'
end
end
else
if number < 209 then
-- 208 shares.tasks_key
return function()
  return namespace_prefix .. 'shared_tasks'
end
else
-- 209 shares.expires_key
return function()
  return namespace_prefix .. 'shared_expires'
end
end
end
else
if number < 212 then
if number < 211 then
-- 210 shares.idle_key
return function()
  return namespace_prefix .. 'shared_idle'
end
else
-- 211 shares.turns_key
return function(name)
  return namespace_prefix .. 'shared_turns_' .. name
end
end
else
if number < 213 then
-- 212 shares.starts_key
return function(name)
  return namespace_prefix .. 'shared_rate_' .. name
end
else
-- 213 shares.check
return function(value, what)
  local wanted, seen = {}, {}
  for one in string.gmatch(#value <= 600 and value .. ',' or ',', '([^,]*),') do
    local name, places = string.match(one, '^([%w_.-]+)(.*)$')
    local weight = places == '' and 1 or #(places or '') <= 5 and tonumber(string.match(places or '', '^:(%d+)$'))
    if not name or #name > 64 or not weight or weight < 1 or weight > 1000
      or seen[name] then
      cold(176)('BADARG', what .. ' must be names of shared limits, each once, with a colon and 1 to '
        .. 1000 .. ' places or without, separated by commas')
    end
    seen[name] = weight
    wanted[#wanted + 1] = weight > 1 and name .. ':' .. string.format('%d', weight) or name
  end
  if #wanted > 8 then
    cold(176)('BADARG', what .. ' may be ' .. 8 .. ' at most')
  end
  for name, weight in pairs(seen) do
    local own = redis.call('HGET', cold(206)(), name)
    local most = own and tonumber(string.match(own, '^%d+'))
    if not own then
      cold(176)('NOLIMIT', 'there is no shared limit ' .. name .. ': set it with limit, then repeat the call')
    elseif most and weight > most then
      cold(176)('NOLIMIT', 'the shared limit ' .. name .. ' has ' .. most .. ' places, fewer than ' .. weight
        .. ': such a task would never run')
    end
  end
  table.sort(wanted, cold(16))
  return table.concat(wanted, ',')
end
end
end
end
else
if number < 218 then
if number < 216 then
if number < 215 then
-- 214 shares.parts
return function(set)
  local parts = {}
  for name, weight in string.gmatch(set, '([%w_.-]+):?(%d*)') do
    parts[#parts + 1] = { name = name, weight = tonumber(weight) or 1 }
  end
  return parts
end
else
-- 215 shares.plan
return function(set, queue)
  cold(133)('HLEN', cold(207)())
  cold(133)('HLEN', cold(206)())
  for _, part in ipairs(cold(214)(set)) do
    if queue then
      cold(216)(part.name, queue, 4)
    else
      cold(133)('LLEN', cold(212)(part.name))
    end
  end
end
end
else
if number < 217 then
-- 216 shares.plan_wakes
return function(name, queue, most)
  local woken, key = cold(131)('woken'), name .. ' ' .. queue
  if woken[key] then
    return
  end
  woken[key] = {}
  local seen = { [queue] = true }
  for _, member in ipairs(redis.call('ZRANGE', cold(211)(name), 0, math.max(most, 16) - 1)) do
    local other = string.match(member, '^%S+')
    if #woken[key] < most and not seen[other] and redis.call('HEXISTS', namespace_meta, 'paused:' .. other) == 0 then
      seen[other] = true
      cold(227)(other)
      table.insert(woken[key], other)
    end
  end
end
else
-- 217 shares.wake
return function(name, queue)
  for _, other in ipairs(cold(131)('woken')[name .. ' ' .. queue] or {}) do
    do
      local queue = other
      local others = namespace_shared_tables and namespace_shared_tables.asleep
      if state_asleep == queue or others and others[queue] then
        redis.call('LPUSH', namespace_prefix .. 'wake_' .. queue, '1')
        state_asleep = false
        if others then
          others[queue] = nil
        end
      end
      if state_roams then
        do
          local queue = queue
          local ready = namespace_prefix .. 'ready'
          if not namespace_declared or cold(136)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(228)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
end
end
else
if number < 220 then
if number < 219 then
-- 218 shares.take
return function(set)
  local now = string.format('%.0f', namespace_now_us)
  for _, part in ipairs(cold(214)(set)) do
    redis.call('HINCRBY', cold(207)(), part.name, part.weight)
    local rate = string.match(redis.call('HGET', cold(206)(), part.name) or '', ' (%d+/%d+)$')
    cold(121)(cold(212)(part.name), rate, now)
  end
end
else
-- 219 shares.release
return function(set, queue)
  for _, part in ipairs(cold(214)(set)) do
    if redis.call('HINCRBY', cold(207)(), part.name, -part.weight) <= 0 then
      redis.call('HDEL', cold(207)(), part.name)
    end
    cold(217)(part.name, queue)
  end
end
end
else
if number < 221 then
-- 220 shares.plan_count
return function()
  cold(133)('HLEN', cold(208)())
  cold(133)('HLEN', cold(209)())
  cold(133)('ZCARD', cold(210)())
end
else
-- 221 shares.count
return function(set, change)
  for _, part in ipairs(cold(214)(set)) do
    cold(222)(part.name, redis.call('HINCRBY', cold(208)(), part.name, change), change)
  end
end
end
end
end
end
end
else
if number < 238 then
if number < 230 then
if number < 226 then
if number < 224 then
if number < 223 then
-- 222 shares.note_tasks
return function(name, number, change)
  if number <= 0 then
    redis.call('HDEL', cold(208)(), name)
    cold(223)(name)
  elseif number == change then
    redis.call('ZREM', cold(210)(), name)
  end
end
else
-- 223 shares.begin_idle
return function(name)
  local expires = tonumber(redis.call('HGET', cold(209)(), name) or nil)
  if expires then
    redis.call('ZADD', cold(210)(), string.format('%.0f', namespace_now_us + expires * 1000000), name)
  end
end
end
else
if number < 225 then
-- 224 shares.count_task
return function(task, to)
  local open = task.status and not cold(251)(task.status)
  local opens = not cold(251)(to) and to ~= 'deleted' and to ~= 'moved'
  if opens and not open then
    cold(221)(task.shared, 1)
  elseif open and not opens then
    cold(221)(task.shared, -1)
  end
end
else
-- 225 state.takes
return function(task, to)
  return to == 'reserved' or to == 'started' and task.status == 'pending'
end
end
end
else
if number < 228 then
if number < 227 then
-- 226 state.probe_list
return function(list, task)
  if cold(133)('LLEN', list) <= 100 or task.from_end then
    return
  end
  local tail = redis.call('LINDEX', list, -1)
  if tail ~= task.id then
    local first = cold(175)(redis.call('LINDEX', list, 0))
    local last, own = cold(175)(tail), cold(175)(task.id)
    task.from_end = own - last < first - own and -1 or 1
  end
end
else
-- 227 state.plan_wake
return function(queue)
  local asleep = cold(131)('asleep')
  asleep[queue] = cold(133)('LLEN', namespace_prefix .. 'wake_' .. queue) == 0
  if not asleep['*'] then
    asleep['*'], state_roams = true, redis.call('HGET', namespace_meta, 'roams')
  end
end
end
else
if number < 229 then
-- 228 state.rouse
return function(queue)
  local left = cold(155)(state_roams, queue)
  if left ~= state_roams then
    state_roams = left
    redis.pcall('HSET', namespace_meta, 'roams', left)
  end
end
else
-- 229 state.plan_left
return function(task)
  local queue = task.queue
  if cold(133)('LLEN', namespace_key('pending_tasks', queue))
    + cold(133)('ZCARD', namespace_key('lane_tasks', queue)) > 1 then
    cold(227)(queue)
    task.wakes = true
  end
end
end
end
end
else
if number < 234 then
if number < 232 then
if number < 231 then
-- 230 state.plan
return function(task, to, taker)
  local probe, touch = cold(133), cold(132)
  local from, queue, prefix = task.status, task.queue, namespace_prefix
  local tasks, events = '_tasks_' .. queue, touch(prefix .. 'events_' .. queue)
  if task.ties then
    cold(33)(task, to, taker)
    if from == 'pending' and not taker and (task.weight or task.solo) then
      cold(229)(task)
    end
  end
  if from == 'reserved' or from == 'started' then
    probe('ZCARD', prefix .. 'leases_' .. queue)
    local held = touch(prefix .. 'reserved' .. tasks .. '_' .. task.node)
    do
      local task, held, started = task, held, from == 'started' and touch(prefix .. 'started' .. tasks)
      task.last = redis.call('LINDEX', held, '-1') == task.id
      if started then
        redis.call('SCARD', started)
      end
    end
    if task.cancel or task.recall then
      probe('HLEN', prefix .. 'orders_' .. queue)
    end
    if not taker then
      do
        local task = task
        local queue, prefix = task.queue, namespace_prefix
        if (task.limited or cold(204)(queue, 'concurrency'))
          and (redis.call('LLEN', prefix .. 'pending_tasks_' .. queue) > 0
          or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1) then
          cold(227)(queue)
          task.wakes = true
        end
      end
    end
  elseif from == 'scheduled' then
    probe('ZCARD', prefix .. from .. tasks)
    if task.ranked then
      probe('ZCARD', prefix .. 'scheduled_lane' .. tasks)
    end
  elseif from == 'waiting' then
    probe('ZCARD', prefix .. from .. tasks)
  elseif from and not task.rank and not (from == 'pending' and taker) then
    cold(226)(prefix .. from .. tasks, task)
  end

  if taker then
    do
      local events, count, index = events, 'LLEN', touch(prefix .. 'reserved' .. tasks .. '_' .. taker)
      redis.call('XLEN', events)
      redis.call(count, index)
    end
    probe('ZCARD', prefix .. 'leases_' .. queue)
  elseif to == 'scheduled' then
    do
      local events, count, index = events, 'ZCARD', touch(prefix .. (task.ranked and 'scheduled_lane' or to) .. tasks)
      redis.call('XLEN', events)
      redis.call(count, index)
    end
  elseif to == 'waiting' then
    do
      local events, count, index = events, 'ZCARD', touch(prefix .. to .. tasks)
      redis.call('XLEN', events)
      redis.call(count, index)
    end
  elseif to == 'deleted' or to == 'moved' then
    redis.call('XLEN', events)
  else
    do
      local events, count, index = events, 'LLEN', touch(prefix .. to .. tasks)
      redis.call('XLEN', events)
      redis.call(count, index)
    end
    if to == 'pending' then
      cold(227)(queue)
      if task.ranked then
        task.last = false
      end
    end
  end
  if task.foreign or to == 'deleted' or to == 'moved' then
    probe('ZCARD', prefix .. 'tasks_' .. queue)
  end
  cold(231)(task, to)
end
else
-- 231 state.plan_own
return function(task, to)
  if to == 'deleted' then
    cold(132)(namespace_prefix .. 'log_' .. task.id)
    task.logged = cold(124)(task.id)
  end
  cold(106)(task, to)
  if to == 'failed' or task.status == 'failed' then
    cold(100)(task, to)
  end
end
end
else
if number < 233 then
-- 232 state.time
return function(task)
  local since, now = task.since, namespace_now
  if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
    now = since
  end
  return now
end
else
-- 233 state.move
return function(task, to, why, by, ...)
  local id, queue, from, prefix = task.id, task.queue, task.status, namespace_prefix
  local tasks = '_tasks_' .. queue
  if task.deadline then
    redis.call('ZADD', prefix .. 'leases_' .. queue, task.deadline, id .. ' ' .. (task.issue or task.token))
  end
  if task.foreign and to ~= 'deleted' and to ~= 'moved' then
    redis.call('ZADD', prefix .. 'tasks_' .. queue, task.created or cold(175)(id), id)
  end

  if to == 'started' then
    redis.call('SADD', prefix .. 'started' .. tasks, task.node .. ' ' .. task.pid .. ' ' .. id)
  end
  if to ~= 'started' or from == 'pending' then
    local old = from and prefix .. from .. tasks
    if from == 'reserved' or from == 'started' then
      old = prefix .. 'reserved' .. tasks .. '_' .. task.node
      if task.token ~= '' then
        redis.call('ZREM', prefix .. 'leases_' .. queue, id .. ' ' .. task.token)
      end
      if from == 'started' then
        redis.call('SREM', prefix .. 'started' .. tasks, task.node .. ' ' .. task.pid .. ' ' .. id)
      end
      if task.cancel or task.recall then
        redis.call('HDEL', prefix .. 'orders_' .. queue, 't:' .. id)
      end
    end
    local new = prefix .. to .. tasks
    if task.taker then
      new = prefix .. 'reserved' .. tasks .. '_' .. task.taker
    end
    if task.last and to ~= 'scheduled' and to ~= 'waiting' and to ~= 'deleted' and to ~= 'moved' and not task.front then
      redis.call('RPOPLPUSH', old, new)
    else
      if from == 'scheduled' or from == 'waiting' then
        redis.call('ZREM', old, id)
        if task.ranked and from == 'scheduled' then
          redis.call('ZREM', prefix .. 'scheduled_lane' .. tasks, id)
        end
      elseif task.rank then
        redis.call('ZREM', prefix .. 'lane' .. tasks, task.rank .. ' ' .. id)
      elseif from then
        redis.call('LREM', task.astray or old, task.from_end or '-1', id)
      end
      if to == 'scheduled' then
        redis.call('ZADD', task.ranked and prefix .. 'scheduled_lane' .. tasks or new, task.eta, id)
      elseif to == 'waiting' then
        local value_1_1
        do
          local task = task
          local since, now = task.since, namespace_now
          if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
            now = since
          end
          value_1_1 = now
        end
        local at = value_1_1
        redis.call('ZADD', new, at, id)
      elseif to ~= 'deleted' and to ~= 'moved' and not (task.ranked and to == 'pending') then
        redis.call(task.front and 'RPUSH' or 'LPUSH', new, id)
      end
    end
  end

  do
    local task, to, why, by = task, to, why, by
    local id, queue, from, prefix = task.id, task.queue, task.status, namespace_prefix
    local value_2_1
    do
      local task = task
      local since, now = task.since, namespace_now
      if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
        now = since
      end
      value_2_1 = now
    end
    local now = value_2_1
    local key = prefix .. 'task_' .. id
    if from and to ~= 'started' and to ~= 'complete' and to ~= 'deleted'
      and not (from == 'pending' and why == 'reserve') then
      cold(107)(task, { to = to, why = why, by = by, at = now }, ...)
    end
    if to == 'deleted' or to == 'moved' then
      if to == 'deleted' then
        redis.call('UNLINK', key, prefix .. 'log_' .. id, prefix .. 'history_' .. id)
        if task.edge_keys then
          redis.call('UNLINK', unpack(task.edge_keys))
        end
        if task.logged then
          cold(125)(id, task.logged)
        end
      end
      redis.call('ZREM', prefix .. 'tasks_' .. queue, id)
    else
      redis.call('HSET', key, 'status', to, 'updated', now, ...)
      local forget = task.forget or (task.cancel or task.recall) and to ~= 'started' and { 'cancel', 'recall' }
      if to ~= 'started' and not task.taker and (from == 'started' or from == 'reserved') then
        if forget then
          redis.call('HDEL', key, 'token', 'lease', 'request', unpack(forget))
        else
          redis.call('HDEL', key, 'token', 'lease', 'request')
        end
      elseif forget then
        redis.call('HDEL', key, unpack(forget))
      end
    end
    if task.ties then
      cold(39)(task, to)
      if task.tracked then
        cold(248)(task, to, why, by, ...)
      end
    end
    if to == 'failed' then
      cold(101)(task, now)
    elseif from == 'failed' then
      cold(102)(task)
    end
    if (from == 'started' or from == 'reserved') and by ~= task.node and to ~= 'started' then
      redis.call('XADD', prefix .. 'events_' .. queue, 'MAXLEN', '~', '100000', '*',
        'id', id, 'from', from, 'to', to, 'attempt', task.attempt, 'at', now, 'by', by, 'why', why,
        'since', task.since or '', 'node', task.node)
    elseif from == 'started' or to == 'started' and from == 'reserved' then
      redis.call('XADD', prefix .. 'events_' .. queue, '*', 'id', id, 'from', from, 'to', to, 'attempt', task.attempt,
        'at', now, 'by', by, 'why', why, 'since', task.since or '')
    else
      redis.call('XADD', prefix .. 'events_' .. queue, 'MAXLEN', '~', '100000', '*',
        'id', id, 'from', from or '', 'to', to, 'attempt', task.attempt, 'at', now, 'by', by, 'why', why,
        'since', from and task.since or '')
    end
    if task.wakes then
      do
        local queue = queue
        local others = namespace_shared_tables and namespace_shared_tables.asleep
        if state_asleep == queue or others and others[queue] then
          redis.call('LPUSH', namespace_prefix .. 'wake_' .. queue, '1')
          state_asleep = false
          if others then
            others[queue] = nil
          end
        end
        if state_roams then
          do
            local queue = queue
            local ready = namespace_prefix .. 'ready'
            if not namespace_declared or cold(136)(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if state_roams ~= '' then
            cold(228)(queue)
          end
        end
        redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
      end
    end
    if task.dependents or task.unsettled then
      cold(72)(task)
    end
  end
end
end
end
else
if number < 236 then
if number < 235 then
-- 234 steps.check
return function(value, what)
  local number = 0
  for name in string.gmatch(value .. ',', '([^,]*),') do
    number = number + 1
    if number > 100 then
      cold(176)('BADARG', what .. ' must be at most ' .. 100 .. ' queues')
    end
    cold(9)(name, what)
  end
  return value
end
else
-- 235 tags.key
return function(queue, tag)
  return namespace_prefix .. 'tag_' .. queue .. '/' .. tag
end
end
else
if number < 237 then
-- 236 tags.names
return function(text)
  local names = {}
  for tag in string.gmatch(text or '', '[^,]+') do
    names[#names + 1] = tag
  end
  return names
end
else
-- 237 tags.plan
return function(queue, text)
  cold(133)('ZCARD', namespace_key('tags', queue))
  for _, tag in ipairs(cold(236)(text)) do
    cold(133)('ZCARD', cold(235)(queue, tag))
  end
end
end
end
end
end
else
if number < 246 then
if number < 242 then
if number < 240 then
if number < 239 then
-- 238 tags.enter
return function(queue, id, created, text)
  for _, tag in ipairs(cold(236)(text)) do
    local key = cold(235)(queue, tag)
    redis.call('ZADD', key, created, id)
    redis.call('ZADD', namespace_key('tags', queue), redis.call('ZCARD', key), tag)
  end
end
else
-- 239 tags.remove
return function(key, counts, name, id)
  local left = redis.call('ZCARD', key)
  left = left - redis.call('ZREM', key, id)
  if left > 0 then
    redis.call('ZADD', counts, left, name)
  else
    redis.call('ZREM', counts, name)
  end
end
end
else
if number < 241 then
-- 240 tags.leave
return function(queue, id, text)
  for _, tag in ipairs(cold(236)(text)) do
    cold(239)(cold(235)(queue, tag), namespace_key('tags', queue), tag, id)
  end
end
else
-- 241 tracks.all
return function()
  return namespace_prefix .. 'tracked'
end
end
end
else
if number < 244 then
if number < 243 then
-- 242 tracks.key
return function()
  return namespace_prefix .. 'changes'
end
else
-- 243 tracks.has
return function(task)
  return task.ties and string.find(task.ties, 'o', 1, true)
end
end
else
if number < 245 then
-- 244 tracks.plan
return function()
  cold(133)('XLEN', cold(242)())
  cold(133)('ZCARD', cold(241)())
end
else
-- 245 tracks.plan_note
return function(task)
  if cold(243)(task) then
    cold(244)()
  end
end
end
end
end
else
if number < 250 then
if number < 248 then
if number < 247 then
-- 246 tracks.add
return function(task, at, what, from, to, by, why, text)
  redis.call('XADD', cold(242)(), 'MAXLEN', '~', '10000', '*', 'id', task.id, 'queue', task.queue, 'what', what,
    'from', from or '', 'to', to, 'attempt', task.attempt, 'at', at, 'by', by or '', 'why', why,
    'text', string.sub(text or '', 1, 1024))
  redis.pcall('PUBLISH', cold(242)(), '')
end
else
-- 247 tracks.note
return function(task, what, by, text, why)
  if cold(243)(task) then
    cold(246)(task, namespace_now, what, task.status, task.status, by, why or what, text)
  end
end
end
else
if number < 249 then
-- 248 tracks.transition
return function(task, to, why, by, ...)
  local fields, text = { ... }, nil
  for i = 1, #fields, 2 do
    local name = fields[i]
    if name == 'error' or name == 'last_error' then
      text = string.sub(fields[i + 1], 1, 256)
    elseif name == 'reason' then
      text = fields[i + 1]
    end
  end
  cold(246)(task, cold(232)(task), 'state', task.status, to, by, why, text)
  if to == 'deleted' then
    cold(249)(task.id)
  end
end
else
-- 249 tracks.forget
return function(id)
  redis.call('ZREM', cold(241)(), id)
end
end
end
else
if number < 252 then
if number < 251 then
-- 250 contract.is_waiting
return function(status)
  return status == 'waiting' or status == 'scheduled' or status == 'pending'
end
else
-- 251 contract.is_final
return function(status)
  return status == 'complete' or status == 'failed' or status == 'cancelled'
end
end
else
if number < 253 then
-- 252 contract.option
return function(name, value)
  if name == 'overlap' then
    return cold(10)(value, ' skip queue cancel allow ', name)
  elseif name == 'by' or name == 'request' then
    return cold(9)(value, name)
  end
end
else
-- 253 contract.task_option
return function(name, value)
  if name == 'method' or name == 'key' or name == 'unique' then
    return cold(9)(value, name)
  elseif name == 'priority' then
    return cold(17)(value, name)
  elseif name == 'max_failures' then
    return cold(13)(value, 0, 1000, name) and value
  elseif name == 'backoff' then
    return cold(10)(value, ' exponential fixed ', name)
  elseif name == 'delay' or name == 'max_delay' or name == 'lost_delay' then
    return cold(14)(value, 0, 31536000, name) and value
  elseif name == 'jitter' then
    return cold(13)(value, 0, 100, name) and value
  elseif name == 'max_losses' then
    return cold(13)(value, 0, 1000000000, name) and value
  elseif name == 'max_releases' then
    return cold(13)(value, 0, 1000000, name) and value
  elseif name == 'lease' then
    return cold(14)(value, 1, 604800, name) and value
  elseif name == 'weight' then
    return cold(13)(value, 1, 1000, name) and value
  elseif name == 'needs' then
    return cold(18)(value, name)
  elseif name == 'limits' then
    return cold(213)(value, name)
  elseif name == 'unique_until' then
    return cold(19)(value, name)
  elseif name == 'unique_policy' then
    return cold(10)(value, ' reject existing replace latest ', name)
  elseif name == 'tags' then
    return cold(20)(value, name)
  elseif name == 'deadline' then
    return cold(14)(value, 0, 100000000000, name) and value
  elseif name == 'max_bytes' then
    return cold(13)(value, 0, 8388608, name)
  elseif name == 'log_bytes' then
    return cold(13)(value, 0, 268435456, name) and value
  elseif name == 'steps' then
    return cold(234)(value, name)
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
end

local function command()
  namespace_open()
  local name, id = contract_arguments()
  local options = cold(15)()
  local done, answer = cold(181)('run_schedule', options.request)
  if done then
    return answer
  end
  local schedule = cold(193)(name)
  local found = redis.call('HMGET', namespace_key('task', id), 'queue', 'schedule')
  if found[1] and found[2] == name then
    return { 'existing', id }
  elseif found[1] == schedule.queue then
    cold(176)('STATE', 'this id is a task that the schedule did not create')
  elseif found[1] then
    cold(176)('OTHERQUEUE', 'this id is a task of another queue; ids are unique in a namespace')
  end
  local overlap = options.overlap or schedule.overlap
  local old, beside = cold(198)(schedule, overlap)
  if old and overlap == 'skip' then
    cold(176)('STATE', 'its task ' .. old.id .. ' is ' .. old.status .. ': wait for its end, or allow both to run')
  elseif beside and (old and beside.id == old.id or cold(197)(schedule, schedule.overlap)) then
    cold(176)('STATE', 'its task ' .. beside.id .. ' is ' .. beside.status
      .. (beside.queue == schedule.queue and '' or ' in another queue')
      .. ' and would run at the same time: wait for its end, or allow both to run')
  end
  local template = { name = name, queue = schedule.queue, parameters = schedule.parameters, options = schedule.options,
    overlap = overlap }
  local plan = cold(200)({ schedule = template, id = id, old = overlap == 'cancel' and old or nil }, {})
  if plan.other then
    return { 'existing', plan.other }
  end
  cold(22)()
  cold(137)()
  redis.call('HSET', schedule.key, 'last_at', namespace_now)
  cold(201)(plan, 'run_schedule')
  cold(199)(schedule, id)
  redis.call('HSET', schedule.key, 'last_task', id, 'tasks', schedule.tasks or id)
  do
    local queue = schedule.queue
    local others = namespace_shared_tables and namespace_shared_tables.asleep
    if state_asleep == queue or others and others[queue] then
      redis.call('LPUSH', namespace_prefix .. 'wake_' .. queue, '1')
      state_asleep = false
      if others then
        others[queue] = nil
      end
    end
    if state_roams then
      do
        local queue = queue
        local ready = namespace_prefix .. 'ready'
        if not namespace_declared or cold(136)(ready) then
          redis.pcall('ZADD', ready, '0', queue)
        end
      end
      if state_roams ~= '' then
        cold(228)(queue)
      end
    end
    redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
  end
  cold(23)(options.by, 'run_schedule', 'schedule', name, '', id)
  return cold(182)({ 'created', id })
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(179)(answer)
