--- Gives a task back to the front of its queue, at once or after a delay, or once other tasks have ended, such as its children; or into another queue, behind those that wait there. This does not count as a failure. After too many releases the task fails; if its cancel was asked for, or a newer task has replaced it by the policy `latest`, it is cancelled.
-- @args now id token
-- @role worker
-- @options reason again uncounted inputs into lost cost
-- @reply `released`, `cancelled` or `failed`; with `lost` always `lost`
-- @errors LOST TOOBIG TOOMANY CYCLE CLOSED DUPLICATE
-- @noted UPSTREAM

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(186)('BADARG', 'missing argument: ' .. what)
end

local edges_readied = false

local namespace_meta = KEYS[1] or ''

local namespace_prefix = string.sub(namespace_meta, 1, -5)

local namespace_declared = not string.find(namespace_meta, '^[^_{]*_meta$') and {}

local namespace_shared_tables = false

local function owner_task(id, token, endings, ...)
  local key = namespace_prefix .. 'task_' .. id
  local v = redis.call('HMGET', key, 'status', 'token', 'node', 'attempt', 'queue', 'pid', 'cancel', 'updated', 'ties',
    'recall', ...)
  local status = v[1]
  if v[2] ~= token or not (status == 'started' or status == 'reserved') then
    return cold(151)(id, token, endings)
  end
  if namespace_declared then
    cold(137)(key)
  end
  local task = {
    id = id, status = status, token = token, node = v[3], attempt = v[4], queue = v[5], pid = v[6] or '', last = false,
    since = v[8],
  }
  if v[7] then
    task.cancel = v[7]
  end
  if v[9] then
    task.ties = v[9]
  end
  if v[10] then
    task.recall = v[10]
  end
  return task, v[11]
end

local state_asleep = false

local state_roams = false

local function ending_release(id, token, options)
  if options.lost and (options.reason or options.again or options.uncounted or options.cost or options.inputs
    or options.into) then
    cold(186)('BADARG', 'lost cannot be combined with other options: it has its own count and delays')
  elseif options.inputs and options.again then
    cold(186)('BADARG', 'again and inputs contradict each other: the task comes back when it is ready')
  elseif options.into and (options.inputs or options.reason == 'next') then
    cold(186)('BADARG', 'into goes neither with inputs nor with the reason next: that is how a step ends')
  end
  local why = options.reason or 'release'

  local task, releases = owner_task(id, token, options.lost and 'lost ' or 'released cancelled failed ', 'releases')
  if not task then
    return releases
  elseif options.lost then
    return cold(100)(task, options.lost)
  end
  task.cost = options.cost
  local counter, cap = 'releases', 'max_releases'
  if options.uncounted then
    counter, cap = 'uncounted', 'max_uncounted'
  end
  local v = redis.call('HMGET', namespace_prefix .. 'task_' .. id, counter, cap)
  local count = tonumber(v[1] or 0) + 1
  if cold(31)(task) then
    return cold(33)(task, why, counter, count)
  elseif task.cancel then
    return cold(152)(task, 'cancelled', 'cancelled', why, counter, count)
  elseif count > tonumber(v[2] or cold(197)(task.queue, cap)) then
    task.group = 'released'
    return cold(152)(task, 'failed', 'failed', why, 'group', 'released',
      'error', 'given back ' .. count .. ' times' .. (options.uncounted and ' by owners that could not run it' or ''),
      counter, count)
  end
  if cold(15)(task, 'pending', why) == 'cancelled' then
    return cold(152)(task, 'cancelled', 'cancelled', why, counter, count, cold(16)(task))
  end
  if options.suspend then
    return options.suspend(task, options.inputs, why, counter, count)
  elseif options.elsewhere and options.into ~= task.queue then
    return options.elsewhere(task, options, why, counter, count)
  end
  task.front, task.forget = true, { cold(217)() }
  if options.again and options.again > 0 then
    task.front = nil
    return cold(191)(task, cold(190)(task, options.again), 'released', why, counter, count, 'front', '1')
  end
  cold(152)(task, 'pending', 'released', why, counter, count, 'front', '1')
  do
    local queue = task.queue
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
        if not namespace_declared or cold(141)(ready) then
          redis.pcall('ZADD', ready, '0', queue)
        end
      end
      if state_roams ~= '' then
        cold(221)(queue)
      end
    end
    redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
  end
  return 'released'
end

local namespace_gap = false

local namespace_now_us = 0

local namespace_now = ''

local function namespace_open()
  do
    local clock = redis.call('HGET', namespace_meta, 'clock:1')
    if not clock or #KEYS ~= 1 or namespace_declared and not string.find(namespace_meta, '^[^_]*_meta$') then
      clock = cold(131)()
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
      cold(132)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(133)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(134)(floor)
    end
  end
end

local owner_found_stale = false

local function contract_arguments()
  local id = args_next('id')
  local token = args_next('token')
  return id, token
end

function cold(number)
if number < 124 then
if number < 62 then
if number < 31 then
if number < 16 then
if number < 8 then
if number < 4 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(186)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
if number < 3 then
-- 2 args.flag
return function(value, what)
  if value ~= '0' and value ~= '1' then
    cold(186)('BADARG', what .. ' must be 0 or 1')
  end
  return value == '1'
end
else
-- 3 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(186)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
end
end
else
if number < 6 then
if number < 5 then
-- 4 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(186)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
-- 5 args.bytes
return function(value, most, what)
  if #value > most then
    cold(186)('TOOBIG', string.format('%s is %d bytes, over the limit of %d: store it elsewhere and pass a reference',
      what, #value, most))
  end
  return value
end
end
else
if number < 7 then
-- 6 args.cause
return function(value, what)
  if value == 'fail' then
    cold(186)('BADARG', what .. ' must be another word than fail: that call is for failures')
  end
  return cold(1)(value, what)
end
else
-- 7 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(186)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(186)('BADARG', 'an option is given twice')
    end
    found[name] = cold(247)(name, value)
    if found[name] == nil then
      cold(186)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
end
end
end
else
if number < 12 then
if number < 10 then
if number < 9 then
-- 8 cascades.plan_begin
return function(task)
  local known = task.broken and 1 or 0
  if cold(76)(task.graph) == 'cancel' and redis.call('HLEN', cold(34)(task.id)) > known then
    cold(138)('ZCARD', cold(37)())
    task.unsettled, task.cascades = true, true
  end
end
else
-- 9 claims.load
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
if number < 11 then
-- 10 claims.name_holders
return function(queue, name)
  local v = redis.call('HMGET', cold(137)(cold(135)('unique', queue)), name, '/' .. name)
  local id, till = string.match(v[1] or '', '^(%S+) (%S+)$')
  return id, till, string.match(v[2] or '', '^(%S+) ')
end
else
-- 11 claims.has_latest_policy
return function(task)
  return task.solo and task.unique and task.unique == task.fair_key
end
end
end
else
if number < 14 then
if number < 13 then
-- 12 claims.still_holds_name
return function(queue, id, name, till)
  local status, where, own, solo, key = unpack(redis.call('HMGET', namespace_prefix .. 'task_' .. id,
    'status', 'queue', 'unique', 'solo', 'key'))
  if where ~= queue or own ~= (till == 'kept' and string.sub(name, 2) or name) then
    return false
  end
  local latest = solo and key == own
  return cold(245)(status)
    or till ~= 'kept' and (status == 'reserved' and not latest or status == 'started' and till ~= 'start')
end
else
-- 13 claims.name_conflict
return function(task)
  local id, till = cold(10)(task.queue, task.unique)
  if not id or id == task.id then
    return nil
  elseif tonumber(till) then
    return tonumber(till) > namespace_now_us and id or nil
  end
  return cold(12)(task.queue, id, task.unique, till) and id or nil
end
end
else
if number < 15 then
-- 14 claims.drained_at_checkpoint
return function(task, reason)
  if reason ~= 'drain' then
    local given = redis.call('HMGET', cold(135)('orders', task.queue), 'q', 'l:' .. task.node, 't:' .. task.id)
    if not given[1] and not given[2] and given[3] ~= 'stop' then
      return false
    end
  end
  return redis.call('HEXISTS', namespace_prefix .. 'task_' .. task.id, 'checkpoint') == 1
end
else
-- 15 claims.state_after_release
return function(task, to, reason)
  if not task.ties or not string.find(task.ties, 'u') then
    return to
  end
  cold(9)(task)
  if not cold(11)(task) then
    return to
  end
  local field = task.queue .. ' ' .. task.unique
  local claimed = cold(136)('claimed')
  local _, _, kept = cold(10)(task.queue, task.unique)
  if reason and not cold(17)(task, kept) and cold(14)(task, reason) then
    task.keeps = true
    return to
  end
  task.replaced = claimed[field] or cold(13)(task)
  claimed[field] = claimed[field] or task.id
  return task.replaced and 'cancelled' or to
end
end
end
end
end
else
if number < 23 then
if number < 19 then
if number < 17 then
-- 16 claims.cancel_reason
return function(task)
  if task.replaced then
    return 'reason', 'replaced by ' .. task.replaced
  end
end
else
if number < 18 then
-- 17 claims.waiting_attempt
return function(task, id)
  local other = id and id ~= task.id and cold(184)(id)
  if other and other.queue == task.queue and cold(245)(other.status) then
    cold(9)(other)
    return other.unique == task.unique and other or nil
  end
end
else
-- 18 claims.elsewhere
return function(task, queue, created)
  local other = { id = task.id, key = task.key or cold(135)('task', task.id), queue = queue,
    attempt = task.attempt, since = task.since, ties = task.ties, foreign = true, created = created or '0' }
  if other.ties then
    cold(9)(other)
    other.rank = nil
    cold(19)(task, other)
  end
  return other
end
end
end
else
if number < 21 then
if number < 20 then
-- 19 claims.transfer_name
return function(task, other)
  if not other.unique then
    return
  end
  local id, till = cold(10)(task.queue, other.unique)
  local holds = id == task.id
  if tonumber(other.till) then
    other.ends = holds and tonumber(till) and tonumber(till) > namespace_now_us and till or nil
    holds = other.ends ~= nil
  else
    holds = holds or other.till == 'end' or cold(11)(other) or cold(246)(task.status)
  end
  other.unique = holds and other.unique or nil
end
else
-- 20 claims.opens_or_closes
return function(task, to)
  return not task.status or cold(246)(task.status) or cold(246)(to) or to == 'deleted'
end
end
else
if number < 22 then
-- 21 claims.plan
return function(task, to, taker)
  cold(9)(task)
  local held = task.status == 'reserved' or task.status == 'started'
  if task.ranked and (task.rank or to == 'pending') or task.limited and (held or taker) then
    cold(179)(task)
  end
  if task.limited and held and taker then
    cold(139)()
  end
  if task.shared and (taker or held and to ~= 'started') then
    cold(207)(task.shared, not taker and task.queue)
  end
  if task.shared and (cold(20)(task, to) or to == 'moved') then
    cold(22)(to)
  end
  if task.unique then
    cold(23)(task, to)
  end
  if task.tags and (not task.status or to == 'deleted' or to == 'moved') then
    cold(235)(task.queue, task.tags)
  end
  if to == 'deleted' and string.find(task.ties, '[wd]') then
    cold(51)(task)
  end
  if task.graph and task.status and cold(20)(task, to) then
    cold(138)('HLEN', cold(71)(task.graph))
    cold(138)('ZCARD', cold(75)())
    cold(137)(cold(72)(task.graph))
    task.bounds = to == 'deleted' and cold(85)(task.graph) or nil
  end
  if task.graph and task.status == 'waiting' and (to == 'failed' or to == 'cancelled') then
    cold(8)(task)
  end
  if task.end_by and cold(20)(task, to) then
    cold(138)('ZCARD', cold(29)())
  end
  if string.find(task.ties, 'd', 1, true) and task.status and not cold(246)(task.status)
    and (cold(246)(to) or to == 'deleted') then
    cold(49)(task, to)
  end
  if task.tracked then
    cold(241)()
  end
  if string.find(task.ties, 'a', 1, true) and task.status and (cold(246)(to) or to == 'deleted') then
    cold(63)(task, to)
  end
end
else
-- 22 claims.plan_shared
return function(to)
  if to == 'moved' then
    cold(139)()
  end
  cold(212)()
end
end
end
end
else
if number < 27 then
if number < 25 then
if number < 24 then
-- 23 claims.plan_name
return function(task, to)
  local taken = cold(218)(task, to) and cold(11)(task)
  if (to == 'reserved' or to == 'started') and not taken and not (to == 'started' and task.till == 'start') then
    return
  end
  cold(138)('HLEN', cold(135)('unique', task.queue))
  if tonumber(task.till) then
    cold(138)('ZCARD', cold(135)('timed', task.queue))
  end
  task.holder, task.held_till, task.kept = cold(10)(task.queue, task.unique)
  if taken and task.status == 'pending' then
    task.older = cold(17)(task, task.kept)
    if task.older then
      cold(223)(task.older, 'cancelled')
    end
  end
end
else
-- 24 claims.take_name
return function(task)
  local unique, till = cold(135)('unique', task.queue), task.till
  if task.keeps then
    redis.call('HSET', unique, '/' .. task.unique, task.id .. ' kept')
    return
  elseif tonumber(till) then
    till = task.ends or string.format('%.0f', namespace_now_us + tonumber(till) * 1000000)
    redis.call('ZADD', cold(135)('timed', task.queue), till, task.unique)
  end
  redis.call('HSET', unique, task.unique, task.id .. ' ' .. till)
end
end
else
if number < 26 then
-- 25 claims.release_name
return function(task, to)
  local unique, timed = cold(135)('unique', task.queue), tonumber(task.held_till)
  if task.holder == task.id and (not timed or to == 'moved') then
    redis.call('HDEL', unique, task.unique)
    if timed then
      redis.call('ZREM', cold(135)('timed', task.queue), task.unique)
    end
  end
  if task.kept == task.id then
    redis.call('HDEL', unique, '/' .. task.unique)
  end
end
else
-- 26 claims.move_name
return function(task, to)
  local from, latest = task.status, cold(11)(task)
  local back = (from == 'reserved' or from == 'started') and cold(245)(to)
  local ends = cold(246)(to) or to == 'deleted' or to == 'moved'
  if ends or to == 'started' and task.till == 'start' or latest and cold(218)(task, to) then
    cold(25)(task, to)
  elseif not from or task.restarts or (from == 'failed' or from == 'cancelled') and not tonumber(task.till)
    or latest and back then
    cold(24)(task)
  end
  if task.older then
    cold(226)(task.older, 'cancelled', 'replaced', '', 'reason', 'replaced by ' .. task.id)
  end
end
end
end
else
if number < 29 then
if number < 28 then
-- 27 claims.move
return function(task, to)
  if not task.bound then
    return
  end
  local from = task.status
  local held = from == 'reserved' or from == 'started'
  local back = held and task.ranked and to == 'pending'
  if back then
    cold(181)(task)
  end
  if task.limited and held and to ~= 'started' then
    cold(126)(task.queue, task.id, task.token)
  end
  if task.rank and not back then
    cold(183)(task, to)
    task.rank = nil
  elseif task.limited and cold(218)(task, to) then
    cold(124)(task)
    if task.fair_key then
      cold(70)(task.queue, task.fair_key)
    end
  end
  if task.ranked and to == 'pending' and not back then
    cold(181)(task)
  end
  if task.shared then
    cold(216)(task, to)
  end
  if task.further_shared then
    cold(213)(task.further_shared, -1)
  end
  if task.tags and not from then
    cold(236)(task.queue, task.id, task.created, task.tags)
  elseif task.tags and (to == 'deleted' or to == 'moved') then
    cold(238)(task.queue, task.id, task.tags)
  end
  if task.unique then
    cold(26)(task, to)
  end
  if task.end_by and cold(20)(task, to) then
    if cold(246)(to) or to == 'deleted' or to == 'moved' then
      redis.call('ZREM', cold(29)(), task.id)
    else
      redis.call('ZADD', cold(29)(), task.end_by, task.id)
    end
  end
  if task.graph then
    cold(86)(task, to)
  end
end
else
-- 28 creation.require_few_needs
return function(queue, wanted)
  if not cold(146)(queue, wanted) and redis.call('HLEN', cold(135)('needs', queue)) >= 64 then
    cold(186)('TOOMANY', 'the tasks that wait in this queue have 64 different needs and sets of shared limits'
      .. ' already: `why` and doctor name needs that no listener has: cancel such tasks, or start a listener for them')
  end
end
end
else
if number < 30 then
-- 29 deadlines.key
return function()
  return namespace_prefix .. 'deadlines'
end
else
-- 30 deadlines.has
return function(task)
  return task.ties and string.find(task.ties, 'e', 1, true)
end
end
end
end
end
end
else
if number < 46 then
if number < 38 then
if number < 34 then
if number < 32 then
-- 31 deadlines.decided
return function(task)
  if not task.cancel or not cold(30)(task) then
    return false
  end
  cold(9)(task)
  return task.end_by ~= nil and tonumber(task.cancel) >= tonumber(task.end_by)
end
else
if number < 33 then
-- 32 deadlines.forgotten
return function()
  return { 'cancel', 'recall', 'reason' }
end
else
-- 33 deadlines.finish
return function(task, why, ...)
  task.group, task.forget = 'deadline', cold(32)()
  return cold(152)(task, 'failed', 'failed', why, 'group', 'deadline', 'error', 'its deadline has passed', ...)
end
end
end
else
if number < 36 then
if number < 35 then
-- 34 edges.upstreams
return function(id)
  return namespace_prefix .. 'upstreams_' .. id
end
else
-- 35 edges.dependents
return function(id)
  return namespace_prefix .. 'dependents_' .. id
end
end
else
if number < 37 then
-- 36 edges.inputs
return function(id)
  return namespace_prefix .. 'inputs_' .. id
end
else
-- 37 edges.unsettled
return function()
  return namespace_prefix .. 'unsettled'
end
end
end
end
else
if number < 42 then
if number < 40 then
if number < 39 then
-- 38 edges.parse
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
      cold(186)('BADARG', what .. ' must be entries like success=ID, after=ID, failure=ID, some=ID, least/NUMBER,'
        .. ' result/SLOT=ID, optional/SLOT=ID and value/SLOT=BYTES, separated by spaces')
    end
    if slot then
      slot = tonumber(slot)
      taken = taken or {}
      if taken[slot] then
        cold(186)('BADARG', what .. ' must give each slot once')
      end
      taken[slot], highest, found.slots = true, math.max(highest, slot), found.slots + 1
    end
    if least then
      found.least = cold(3)(least, 1, 10000, what)
    elseif kind == 'value' then
      found.values[#found.values + 1] = { slot, cold(3)(rest, 0, 1048576, what) }
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
        cold(186)('BADARG', what .. ' must name each upstream once, or several times for its result')
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
    cold(186)('BADARG', what .. ' must give the slots from 0 on without a gap')
  elseif number == 0 and not (partial and found.least) or number + #found.values > 1000 then
    cold(186)('BADARG', what .. ' must name 1 to ' .. 1000 .. ' upstreams and values')
  elseif not partial and (found.least or 0) > found.some then
    cold(186)('BADARG', what .. ' must have as many upstreams with some as least/NUMBER says, or more')
  end
  return found
end
else
-- 39 edges.slots
return function(text)
  local slots = {}
  for slot in string.gmatch(text or '', '%d+') do
    slots[#slots + 1] = tonumber(slot)
  end
  return slots
end
end
else
if number < 41 then
-- 40 edges.is_met
return function(kind, to)
  if kind == 'after' or kind == 'optional' then
    return true
  end
  return (kind == 'failure') ~= (to == 'complete')
end
else
-- 41 edges.is_repairable
return function(kind, to)
  return cold(42)(kind) and (to == 'failed' or to == 'cancelled')
end
end
end
else
if number < 44 then
if number < 43 then
-- 42 edges.needs_success
return function(kind)
  return kind == 'success' or kind == 'result' or kind == 'some'
end
else
-- 43 edges.element
return function(result)
  return result == '' and 'null' or result
end
end
else
if number < 45 then
-- 44 edges.require_room
return function(task)
  local over = cold(45)(task.queue, task.bytes)
  if over then
    cold(186)('TOOBIG', 'the inputs of the task are ' .. over)
  end
end
else
-- 45 edges.over
return function(queue, bytes)
  local most = bytes > 1024 and cold(197)(queue, 'input_bytes')
  if most and bytes > tonumber(most) then
    return 'over ' .. most .. ' bytes, the setting input_bytes'
  end
end
end
end
end
end
else
if number < 54 then
if number < 50 then
if number < 48 then
if number < 47 then
-- 46 edges.tie
return function(up)
  if not string.find(up.ties or '', 'd', 1, true) then
    up.ties = (up.ties or '') .. 'd'
    redis.call('HSET', up.key, 'ties', up.ties)
  end
end
else
-- 47 edges.waiting
return function(id)
  local key = cold(137)(cold(35)(id))
  local waiting, staged = redis.call('ZCOUNT', key, '(0', '+inf'), redis.call('ZCOUNT', key, '-inf', '-inf')
  return waiting + staged, waiting
end
end
else
if number < 49 then
-- 48 edges.enter
return function(tasks, graph)
  local own, waits, number, prefix, now = {}, {}, 0, namespace_prefix, namespace_now
  local tie = cold(46)
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
        redis.call('RPUSH', cold(73)(graph), up.id .. ' ' .. task.id)
      elseif edge.asks then
        redis.call('ZADD', cold(37)(), now, up.id)
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
      redis.call('HSET', cold(36)(task.id), unpack(known))
    end
    if task.set then
      cold(167)(task.id, task.set)
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
else
-- 49 edges.plan_end
return function(task, to)
  local key = cold(137)(cold(35)(task.id))
  local ids = redis.call('ZRANGEBYSCORE', key, '(0', '+inf', 'LIMIT', 0, 100 + 1 + (task.knowing or 0))
  local number = #ids - (task.knowing or 0)
  if number <= 0 then
    return
  elseif task.later or number > 100 or cold(50)(task.id, ids, #(task.result or ''))
    or to ~= 'complete' and task.graph and cold(78)(task.graph, task.id) then
    cold(138)('ZCARD', cold(37)())
    task.unsettled = true
    return
  end
  cold(52)(task, to, ids)
end
end
end
else
if number < 52 then
if number < 51 then
-- 50 edges.is_much
return function(id, ids, length)
  local told = cold(136)('told')
  local looked, copied = (told.looked or 0) + length, (told.copied or 0) + #ids * length
  if length <= 131072 and looked <= 262144 and copied <= 1048576 then
    told.looked, told.copied = looked, copied
    return false
  end
  for _, other in ipairs(ids) do
    if string.find(redis.call('HGET', cold(34)(other), id) or '', '/', 1, true) then
      return true
    end
  end
  return false
end
else
-- 51 edges.plan_removal
return function(task)
  local dependents = cold(137)(cold(35)(task.id))
  task.edge_keys = { cold(137)(cold(34)(task.id)), cold(137)(cold(36)(task.id)),
    cold(137)(cold(101)(task.id)) }
  local all, waiting = cold(47)(task.id)
  if all == 0 then
    task.edge_keys[4] = dependents
  elseif waiting > 0 and cold(246)(task.status) then
    cold(138)('ZCARD', cold(37)())
    task.unsettled = true
  end
end
end
else
if number < 53 then
-- 52 edges.plan_page
return function(task, to, ids)
  task.dependents = {}
  for i, id in ipairs(ids) do
    task.dependents[i] = cold(53)(task, to, id)
  end
end
else
-- 53 edges.plan_one
return function(up, to, id)
  local task = cold(184)(id, cold(54)())
  local key = cold(137)(cold(34)(id))
  local kind, mark, slots = string.match(redis.call('HGET', key, up.id) or '', '^(%l+)(%d*)/?(.*)$')
  local plan = { id = id, met = not kind or cold(40)(kind, to) }
  if not task or task.status ~= 'waiting' or not kind then
    plan.kept = task and kind and cold(246)(task.status)
    return plan
  end
  if cold(162)(task) then
    plan.set = cold(166)(id)
  end
  if kind == 'some' then
    cold(175)(plan, task, up, to, mark, slots)
    if plan.missed then
      return plan
    end
  elseif not plan.met and cold(41)(kind, to) and cold(76)(task.extra[5]) == 'hold' then
    plan.held = true
    return plan
  end
  plan.task = task
  task.later = true
  if not plan.met then
    plan.to, task.group, task.broken = kind == 'failure' and 'cancelled' or 'failed', 'upstream', true
    cold(223)(task, plan.to)
    return plan
  end
  local open = redis.call('HLEN', key)
  plan.last = plan.ready or open == 1
  if plan.set and not plan.ready then
    plan.last = cold(169)(plan.set, open - 1)
  end
  local own = cold(137)(cold(36)(id))
  local known = (plan.last or slots ~= '') and redis.call('HMGET', own, 'slots', 'bytes')
  if slots ~= '' and not plan.ready then
    cold(56)(plan, up, to, slots, tonumber(known[2] or 0))
  end
  if plan.wrong then
    cold(223)(task, plan.to)
  elseif plan.last then
    cold(55)(plan, tonumber(known[1] or 0), plan.bytes or tonumber(known[2] or 0))
  end
  return plan
end
end
end
end
else
if number < 58 then
if number < 56 then
if number < 55 then
-- 54 edges.fields
return function()
  return 'eta', 'front', 'ended', 'retry_eta', 'graph'
end
else
-- 55 edges.plan_ready
return function(plan, slots, bytes)
  local task = plan.task
  plan.joins = cold(104)(plan.id, slots, bytes)
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
    plan.joined, plan.lengths = cold(102)(cold(103)(cold(36)(plan.id), slots, plan), slots)
  end
  cold(223)(task, plan.to)
end
end
else
if number < 57 then
-- 56 edges.plan_input
return function(plan, up, to, slots, bytes)
  local result = to == 'complete' and up.result or ''
  plan.slots, plan.text = cold(39)(slots), cold(43)(result)
  plan.bytes = bytes + #plan.text * #plan.slots
  if up.json == nil then
    up.json = result == '' or cold(106)(result)
  end
  local over = cold(45)(plan.task.queue, plan.bytes)
  if not up.json then
    plan.wrong = 'is not JSON'
  elseif over then
    plan.wrong = 'brings the inputs of this task ' .. over
  elseif cold(81)(#plan.text) > 0 and plan.task.extra[5] then
    plan.graph, plan.grows = plan.task.extra[5], #plan.text * #plan.slots
    if not cold(83)(plan.graph, plan.grows) then
      plan.wrong = 'brings the inputs of its graph over ' .. cold(82)() .. ' bytes, the setting graph_bytes'
    end
  end
  if plan.wrong then
    plan.to, plan.task.group, plan.task.broken = 'failed', 'input', true
  end
end
else
-- 57 edges.settle
return function(task)
  if task.unsettled then
    redis.call('ZADD', cold(37)(), namespace_now, task.id)
  end
  if task.cascades then
    redis.call('HSET', task.key or cold(135)('task', task.id), 'cascade', '0')
  end
  local told
  for _, plan in ipairs(task.dependents or {}) do
    if plan.kept then
      redis.call('ZADD', cold(35)(task.id), '-' .. namespace_now, plan.id)
    elseif plan.held then
      redis.call('ZADD', cold(35)(task.id), 'inf', plan.id)
    elseif plan.missed then
      cold(177)(task, plan)
    elseif plan.task and not plan.met then
      told = told or redis.call('HMGET', task.key or cold(135)('task', task.id), 'status', 'error', 'cause')
      cold(58)(task, plan, told)
    elseif plan.wrong then
      redis.call('ZADD', cold(35)(task.id), '-' .. namespace_now, plan.id)
      cold(226)(plan.task, 'failed', 'input', '', 'cause', task.id, 'group', 'input',
        'error', 'the result of ' .. task.id .. ' ' .. plan.wrong)
    else
      cold(61)(task, plan)
    end
  end
end
end
end
else
if number < 60 then
if number < 59 then
-- 58 edges.fail_with
return function(up, plan, told)
  local cause = told[3] or up.id
  redis.call('ZADD', cold(35)(up.id), '-' .. namespace_now, plan.id)
  if plan.to == 'cancelled' then
    cold(226)(plan.task, 'cancelled', 'upstream', '', 'cause', cause,
      'reason', 'not needed: ' .. up.id .. ' is complete')
    return
  end
  cold(226)(plan.task, 'failed', 'upstream', '', 'cause', cause, 'group', 'upstream',
    'error', (plan.short and 'too few of its set can still be complete: ' or '') .. cold(59)(up.id, told))
end
else
-- 59 edges.error_of
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
else
if number < 61 then
-- 60 edges.fill
return function(id, slots)
  for _, slot in ipairs(slots) do
    redis.call('HSET', cold(36)(id), slot, 'null')
  end
  if slots[1] then
    redis.call('HINCRBY', cold(36)(id), 'bytes', 4 * #slots)
  end
end
else
-- 61 edges.meet
return function(up, plan)
  if up then
    redis.call('ZREM', cold(35)(up.id), plan.id)
    redis.call('HDEL', cold(34)(plan.id), up.id)
  end
  if plan.grows then
    redis.call('HINCRBY', cold(71)(plan.graph), 'bytes', plan.grows)
  end
  if not plan.task then
    return
  elseif plan.set and plan.to then
    cold(178)(plan.id)
  elseif plan.set and not plan.joins then
    cold(167)(plan.id, plan.set)
  end
  if plan.joined then
    redis.call('UNLINK', cold(36)(plan.id))
    cold(226)(plan.task, plan.to, 'ready', '', 'readied', cold(225)(plan.task), 'parameters', plan.joined,
      'slots', plan.lengths)
  elseif plan.to then
    cold(226)(plan.task, plan.to, 'ready', '', 'readied', cold(225)(plan.task))
  elseif plan.slots then
    for _, slot in ipairs(plan.slots) do
      redis.call('HSET', cold(36)(plan.id), slot, plan.text)
    end
    redis.call('HSET', cold(36)(plan.id), 'bytes', plan.bytes)
  end
  if plan.joins then
    cold(105)(plan.id)
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
          if not namespace_declared or cold(141)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(221)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
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
if number < 93 then
if number < 77 then
if number < 69 then
if number < 65 then
if number < 63 then
-- 62 encore.key
return function(id)
  return namespace_prefix .. 'further_' .. id
end
else
if number < 64 then
-- 63 encore.plan_end
return function(task, to)
  if to == 'deleted' then
    local key = cold(137)(cold(62)(task.id))
    task.edge_keys = task.edge_keys or {}
    task.edge_keys[#task.edge_keys + 1] = key
    task.further_shared = redis.call('HGET', key, '/limits') or nil
    if task.further_shared then
      cold(212)()
    end
  elseif not cold(246)(task.status) then
    cold(138)('ZCARD', cold(37)())
    task.unsettled = true
  end
end
else
-- 64 fairness.ranked_key
return function(queue, number)
  return namespace_prefix .. 'ranked_tasks_' .. queue .. (number == '' and '' or '/' .. number)
end
end
end
else
if number < 67 then
if number < 66 then
-- 65 fairness.tasks_key
return function(queue, key, number)
  return namespace_prefix .. 'key_tasks_' .. queue .. '/' .. key .. (number == '' and '' or '/' .. number)
end
else
-- 66 fairness.rank
return function(us)
  return string.format('%016.0f', us)
end
end
else
if number < 68 then
-- 67 fairness.front_rank
return function(us)
  return '-' .. cold(66)(9007199254740991 - us)
end
else
-- 68 fairness.sort_value
return function(rank)
  if string.sub(rank, 1, 1) == '-' then
    return tonumber(string.sub(rank, 2)) - 9007199254740992
  end
  return tonumber(rank)
end
end
end
end
else
if number < 73 then
if number < 71 then
if number < 70 then
-- 69 fairness.refresh
return function(queue, key, number)
  local entries, field = cold(135)('turns', queue), key .. '/' .. number
  local first = redis.call('ZRANGE', cold(65)(queue, key, number), 0, 0, 'WITHSCORES')
  local current, wanted = redis.call('HGET', entries, field) or nil, nil
  if first[1] then
    local rank, weight = string.match(first[1], '^(%S+) %S+ (%S+)$')
    local fits, free = cold(121)(queue, key, weight)
    if fits then
      local served = redis.call('HGET', entries, key)
      if served and cold(68)(served) > cold(68)(rank) then
        rank = served
      end
      wanted = first[2] .. ' ' .. rank
    elseif free then
      redis.call('ZADD', cold(135)('delayed', queue), string.format('%.0f', free), key)
    end
  end
  if current == wanted then
    return
  end
  local ranked, rank = cold(64)(queue, number), nil
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
else
-- 70 fairness.refresh_all
return function(queue, key)
  local waits = false
  for _, number in ipairs(cold(145)(queue)) do
    cold(69)(queue, key, number)
    waits = waits or redis.call('EXISTS', cold(65)(queue, key, number)) == 1
  end
  if not waits and not redis.call('HGET', cold(135)('places', queue), 'k:' .. key) then
    redis.call('HDEL', cold(135)('turns', queue), key)
    redis.call('ZREM', cold(135)('delayed', queue), key)
  end
end
end
else
if number < 72 then
-- 71 graphs.key
return function(graph)
  return cold(135)('graph', graph)
end
else
-- 72 graphs.tasks
return function(graph)
  return cold(135)('members', graph)
end
end
end
else
if number < 75 then
if number < 74 then
-- 73 graphs.outside
return function(graph)
  return cold(135)('outside', graph)
end
else
-- 74 graphs.chosen
return function(graph)
  return cold(135)('chosen', graph)
end
end
else
if number < 76 then
-- 75 graphs.all
return function()
  return namespace_prefix .. 'graphs'
end
else
-- 76 graphs.on_failure
return function(id)
  if not id then
    return false
  end
  local known = cold(136)('on_failure')
  known[id] = known[id] or redis.call('HGET', cold(71)(id), 'on_failure') or 'cancel'
  return known[id]
end
end
end
end
end
else
if number < 85 then
if number < 81 then
if number < 79 then
if number < 78 then
-- 77 graphs.is_created
return function(id)
  return redis.call('HGET', cold(71)(id), 'state') == 'created'
end
else
-- 78 graphs.runs_anew
return function(graph, id)
  local doing = redis.call('HGET', cold(71)(graph), 'doing')
  return (doing == 'anew' or doing == 'mark_anew')
    and tonumber(redis.call('ZSCORE', cold(74)(graph), id) or 0) > 0
end
end
else
if number < 80 then
-- 79 graphs.staged
return function(id, graph)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(137)(key)
  end
  local v = redis.call('HMGET', key, 'status', 'graph', 'queue', 'ties', 'eta')
  if v[1] or not v[2] or graph and v[2] ~= graph then
    return nil
  end
  return { id = id, key = key, status = 'staged', queue = v[3], ties = v[4] or '', eta = v[5] or nil, extra = {} }
end
else
-- 80 graphs.coming
return function(id)
  local graph = redis.call('HGET', cold(135)('task', id), 'graph')
  return graph and cold(77)(graph) and cold(79)(id, graph) or nil
end
end
end
else
if number < 83 then
if number < 82 then
-- 81 graphs.counted
return function(length)
  return length >= 256 and length or 0
end
else
-- 82 graphs.most
return function()
  return cold(197)('*', 'graph_bytes')
end
end
else
if number < 84 then
-- 83 graphs.has_room
return function(id, bytes)
  local known = cold(136)('graph_bytes')
  local all = (known[id] or tonumber(redis.call('HGET', cold(137)(cold(71)(id)), 'bytes') or 0)) + bytes
  if all > tonumber(cold(82)()) then
    return false
  end
  known[id] = all
  return true
end
else
-- 84 graphs.unlimit
return function(bounds)
  for _, bound in ipairs(bounds) do
    redis.call('HDEL', bound.limits, bound.key)
  end
end
end
end
end
else
if number < 89 then
if number < 87 then
if number < 86 then
-- 85 graphs.plan_unlimit
return function(graph)
  local bounds = {}
  for queue, key in string.gmatch(redis.call('HGET', cold(71)(graph), 'bounds') or '', '([^/ ]+)/([^= ]+)=') do
    bounds[#bounds + 1] = { limits = cold(135)('limits', queue), key = key }
    cold(138)('HLEN', bounds[#bounds].limits)
  end
  return bounds
end
else
-- 86 graphs.count
return function(task, to)
  local key = cold(71)(task.graph)
  if cold(246)(to) then
    redis.call('HINCRBY', key, to, 1)
  end
  if task.status and cold(246)(task.status) then
    redis.call('HINCRBY', key, task.status, -1)
  end
  if to == 'deleted' and redis.call('HINCRBY', key, 'left', -1) == 0 then
    cold(84)(task.bounds)
    redis.call('UNLINK', key, cold(72)(task.graph))
    redis.call('ZREM', cold(75)(), task.graph)
  end
end
end
else
if number < 88 then
-- 87 groups.key
return function(queue, group)
  if #group > 128 or string.find(group, '[^%w._:@-]') then
    group = '~' .. redis.sha1hex(group)
  end
  return namespace_prefix .. 'group_' .. queue .. '/' .. group
end
else
-- 88 groups.plan
return function(task, to)
  if to ~= 'failed' then
    task.group = redis.call('HGET', namespace_prefix .. 'task_' .. task.id, 'group') or ''
  end
  local key = cold(87)(task.queue, task.group or '')
  cold(138)('ZCARD', cold(135)('groups', task.queue))
  cold(138)('ZCARD', key)
  if to ~= 'failed' and not redis.call('ZSCORE', key, task.id) then
    task.group = nil
  end
end
end
end
else
if number < 91 then
if number < 90 then
-- 89 groups.enter
return function(task, now)
  local group = task.group or ''
  local key = cold(87)(task.queue, group)
  redis.call('ZADD', key, now, task.id)
  redis.call('ZADD', cold(135)('groups', task.queue), redis.call('ZCARD', key), group)
end
else
-- 90 groups.leave
return function(task)
  if task.group then
    cold(237)(cold(87)(task.queue, task.group), cold(135)('groups', task.queue), task.group, task.id)
  end
end
end
else
if number < 92 then
-- 91 history.fields
return function()
  return 'status', 'created', 'promoted', 'reserved', 'started', 'updated', 'node', 'attempt', 'outcome', 'group',
    'error', 'schedule', 'slot',
    'ended', 'cost', 'cost_of', 'readied'
end
else
-- 92 history.last
return function(key, created)
  local entry = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
  local v = entry and entry[2]
  if not v or tonumber(v[2]) < (tonumber(created) or 0) then
    return 0, 0, '', 0, v ~= nil, ''
  end
  return tonumber(string.match(entry[1], '^%d+')), tonumber(v[2]) or 0, v[6], tonumber(v[8]) or 0, false, v[12]
end
end
end
end
end
end
else
if number < 108 then
if number < 100 then
if number < 96 then
if number < 94 then
-- 93 history.derive
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
    step(moved and cold(130)(since * 1000000) or created,
      readied and 'waiting' or promoted and 'scheduled' or cold(245)(status) and status or 'pending',
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
if number < 95 then
-- 94 history.plan
return function(task, to)
  if to == 'deleted' then
    cold(137)(cold(135)('history', task.id))
  elseif task.status then
    local key = cold(135)('history', task.id)
    cold(138)('XLEN', key)
    if namespace_declared and select(5, cold(92)(key, cold(185)(task.id))) then
      cold(139)()
    end
  end
end
else
-- 95 history.archive
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
  cold(96)(task, event, outcome, group, text, cost)
end
end
end
else
if number < 98 then
if number < 97 then
-- 96 history.add
return function(task, event, outcome, group, text, cost)
  local key = cold(135)('history', task.id)
  local told = redis.call('HMGET', cold(135)('task', task.id), cold(91)())
  local number, since, reached, nth, stale, cause = cold(92)(key, told[2])
  if stale then
    redis.call('UNLINK', key)
  end
  local kept = cold(93)(told, since, reached, nth, cause)
  kept[#kept + 1] = { event.at, task.status, event.to, task.attempt, event.by, event.why, outcome, group, text, cost,
    unpack(event.note or {}) }
  local most = cold(197)(task.queue, 'history')
  for i, v in ipairs(kept) do
    redis.call('XADD', key, 'MAXLEN', most, string.format('%.0f-0', number + i),
      'at', v[1], 'from', v[2], 'to', v[3], 'attempt', v[4], 'by', v[5], 'why', v[6], 'outcome', v[7], 'group', v[8],
      'error', v[9], 'cost', v[10], unpack(v, 11))
  end
end
else
-- 97 interruption.target
return function(task, back, known)
  task.losses, task.fruitless = tonumber(known.losses or 0) + 1, tonumber(known.fruitless or 0) + 1
  if task.cancel then
    task.overdue = cold(31)(task)
    task.group = task.overdue and 'deadline' or nil
    return task.overdue and 'failed' or 'cancelled'
  end
  task.group = 'lost'
  if task.losses > tonumber(known.max_losses or cold(197)(task.queue, 'max_losses')) then
    return 'failed'
  end
  if back ~= 'pending' then
    return back
  end
  local to = cold(15)(task, back)
  return to == 'pending' and cold(190)(task, cold(98)(task, known)) or to
end
end
else
if number < 99 then
-- 98 interruption.pause
return function(task, known)
  local pause = tonumber(known.lost_delay or cold(197)(task.queue, 'lost_delay'))
  if known.grows and task.fruitless > 1 then
    pause = math.max(pause, math.min(2 ^ (task.fruitless - 2), 300))
  end
  return math.floor(pause * 1000000)
end
else
-- 99 interruption.move
return function(task, to, why, text)
  local more = {}
  if task.overdue then
    task.forget, more = cold(32)(), { 'group', 'deadline', 'error', 'its deadline has passed' }
  elseif to == 'failed' then
    more = { 'group', 'lost', 'error', 'lost ' .. task.losses .. ' times: '
      .. (text or 'its owners stopped reporting') }
  elseif to == 'pending' then
    task.front, task.forget, more = true, { cold(217)() }, { 'front', '1' }
  elseif to == 'scheduled' then
    task.forget, more = { cold(217)() }, { 'front', '1', 'eta', task.eta }
    if task.own_eta then
      more[5], more[6] = 'retry_eta', '1'
    end
  elseif task.replaced then
    more = { cold(16)(task) }
  end
  cold(226)(task, to, why, '',
    'ended', task.token, 'outcome', 'lost', 'losses', task.losses,
    'fruitless', task.fruitless, unpack(more))
  cold(150)(task.queue)
end
end
end
end
else
if number < 104 then
if number < 102 then
if number < 101 then
-- 100 interruption.died
return function(task, text)
  local v = redis.call('HMGET', namespace_prefix .. 'task_' .. task.id, 'max_losses', 'losses', 'fruitless',
    'lost_delay')
  local to = cold(97)(task, 'pending',
    { max_losses = v[1], losses = v[2], fruitless = v[3], lost_delay = v[4], grows = true })
  cold(223)(task, to)
  cold(142)()
  cold(99)(task, to, 'lost', text)
  if to == 'pending' then
    do
      local queue = task.queue
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
          if not namespace_declared or cold(141)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(221)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
  return 'lost'
end
else
-- 101 joins.key
return function(id)
  return namespace_prefix .. 'joined_' .. id
end
end
else
if number < 103 then
-- 102 joins.list
return function(filled, slots)
  local lengths = {}
  for slot = 0, slots - 1 do
    filled[slot] = filled[slot] or 'null'
    lengths[slot + 1] = #filled[slot]
  end
  return '[' .. table.concat(filled, ',', 0, slots - 1) .. ']', table.concat(lengths, ',')
end
else
-- 103 joins.collect
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
end
end
else
if number < 106 then
if number < 105 then
-- 104 joins.is_long
return function(id, slots, bytes)
  local joined = cold(136)('joined')
  local all = (joined.bytes or 0) + bytes
  if slots == 0 or bytes <= 262144 and all <= 1048576 then
    joined.bytes = slots > 0 and all or joined.bytes
    return false
  end
  cold(138)('ZCARD', cold(37)())
  cold(137)(cold(101)(id))
  cold(137)(cold(135)('task', id))
  return true
end
else
-- 105 joins.begin
return function(id)
  redis.call('UNLINK', cold(34)(id), cold(101)(id))
  redis.call('HDEL', cold(36)(id), 'joined', 'lengths', cold(165)())
  redis.call('HSET', cold(135)('task', id), 'cascade', 'join')
  redis.call('ZADD', cold(37)(), namespace_now, id)
end
end
else
if number < 107 then
-- 106 json.decodes
return function(text)
  return (pcall(cjson.decode, text))
end
else
-- 107 late.parse
return function(text, what)
  local found = cold(38)(text, what, true)
  if #found.values > 0 then
    cold(186)('BADARG', what .. ' must not have values: those are given at submit')
  end
  return found
end
end
end
end
end
else
if number < 116 then
if number < 112 then
if number < 110 then
if number < 109 then
-- 108 late.entries
return function(wish)
  local entries = {}
  for i, slot in ipairs(wish.slots) do
    entries[i] = wish.kind .. '/' .. slot .. '=' .. wish.id
  end
  return entries[1] and entries or { wish.kind .. '=' .. wish.id }
end
else
-- 109 late.has
return function(task, entries)
  for _, entry in ipairs(entries) do
    if not string.find(' ' .. task.inputs .. ' ', ' ' .. entry .. ' ', 1, true) then
      return false
    end
  end
  return true
end
end
else
if number < 111 then
-- 110 late.look
return function(task, wanted, look_at)
  task.edges, task.filled = {}, {}
  local text, slots = {}, {}
  local sets = wanted.some > 0 or wanted.least
  if sets then
    task.set = cold(171)({ set = task.set, text = task.inputs }, wanted)
  end
  for _, wish in ipairs(wanted.upstreams) do
    local entries = cold(108)(wish)
    if wish.id == task.id then
      cold(186)('BADARG', 'a task cannot wait for itself')
    elseif not cold(109)(task, entries) then
      if sets and task.set.named[wish.id] then
        cold(111)()
      end
      look_at(task, wish)
      for _, entry in ipairs(entries) do
        text[#text + 1] = entry
      end
      for _, slot in ipairs(wish.slots) do
        slots[#slots + 1] = slot
      end
    end
  end
  cold(116)(task, slots)
  if sets then
    task.code, task.refusal = cold(173)(task)
  end
  if wanted.least and wanted.least ~= cold(159)(task.inputs) then
    task.inputs, text[#text + 1] = cold(160)(task.inputs), 'least/' .. wanted.least
  end
  task.text = table.concat(text, ' ')
  if redis.call('HLEN', cold(34)(task.id)) + #task.edges > 10000
    or #task.inputs + #task.text >= 1048576 then
    cold(186)('TOOMANY', 'a task waits for ' .. 10000 .. ' others at most')
  end
  cold(44)(task)
end
else
-- 111 late.refuse_twice
return function()
  cold(186)('BADARG', 'the task waits for one of these already, in another way: end that with undepend first')
end
end
end
else
if number < 114 then
if number < 113 then
-- 112 late.look_for_child
return function(task, wish)
  local up = cold(184)(wish.id) or cold(80)(wish.id) or { id = wish.id, status = 'deleted' }
  if wish.kind == 'some' and (up.status == 'deleted' or cold(246)(up.status)) then
    if not cold(172)(task, wish, up) then
      task.lacking = up
    end
    return
  elseif up.status == 'deleted' or cold(246)(up.status) then
    if not cold(40)(wish.kind, up.status) then
      task.broken = task.broken or up
    end
    return
  end
  cold(138)('ZCARD', cold(35)(up.id))
  task.edges[#task.edges + 1] = { up = up, kind = wish.kind, slots = wish.slots }
end
else
-- 113 late.plan_suspension
return function(task, wanted)
  task.key = cold(135)('task', task.id)
  cold(137)(cold(34)(task.id))
  cold(137)(cold(36)(task.id))
  task.inputs, task.slots, task.bytes = redis.call('HGET', task.key, 'inputs') or '', 0, 0
  if wanted.some > 0 then
    task.inputs = cold(160)(string.gsub(task.inputs, ' ?some/?%d*=%S+', ''))
  end
  cold(110)(task, wanted, cold(112))
  if task.code and not task.lacking then
    cold(186)(task.code, task.refusal)
  elseif task.code then
    task.broken = task.broken or task.lacking
  end
  cold(117)(task)
  cold(114)(task)
  if task.set and cold(169)(task.set, #task.edges) then
    task.edges, task.set = {}, nil
  end
end
end
else
if number < 115 then
-- 114 late.tie
return function(task)
  if not string.find(task.ties or '', 'w', 1, true) then
    task.ties = (task.ties or '') .. 'w'
  end
  if task.set then
    cold(163)(task)
  end
end
else
-- 115 late.suspend
return function(task, wanted, why, ...)
  cold(113)(task, wanted)
  local text = task.inputs .. (task.inputs ~= '' and task.text ~= '' and ' ' or '') .. task.text
  if task.broken then
    local told = redis.call('HMGET', cold(135)('task', task.broken.id), 'status', 'error', 'cause')
    task.group = 'upstream'
    return cold(152)(task, 'failed', 'failed', why, 'group', 'upstream', 'cause', told[3] or task.broken.id,
      'error', cold(59)(task.broken.id, told), ...)
  end
  local to = task.edges[1] and 'waiting' or 'pending'
  task.front, task.forget = true, { 'readied', 'promoted', cold(217)() }
  cold(152)(task, to, 'released', why, 'inputs', text, 'ties', task.ties, 'front', '1', ...)
  cold(48)({ task })
  if to == 'pending' then
    do
      local queue = task.queue
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
          if not namespace_declared or cold(141)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(221)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
  return 'released'
end
end
end
end
else
if number < 120 then
if number < 118 then
if number < 117 then
-- 116 late.check_slots
return function(task, slots)
  if #slots > 0 and task.slots == 0 then
    cold(186)('BADARG', 'results are added only to a task that waits for results: its parameters are whole')
  end
  table.sort(slots)
  for i, slot in ipairs(slots) do
    if slot ~= task.slots + i - 1 then
      cold(186)('BADARG', 'the next slot of the task is ' .. task.slots .. ': the new ones follow without a gap')
    end
  end
  task.slots = task.slots + #slots
end
else
-- 117 late.refuse_circles
return function(task)
  if not task.ties or not string.find(task.ties, 'd', 1, true) then
    return
  end
  local ids, below, number = {}, {}, 0
  for _, edge in ipairs(task.edges) do
    ids[#ids + 1], below[edge.up.id] = edge.up.id, task.id
  end
  local at = 1
  while ids[at] do
    local id = ids[at]
    local key = cold(34)(id)
    number = number + redis.call('HLEN', key)
    if at > 2000 or number > 10000 then
      cold(186)('TOOBIG', 'the new upstreams wait for over ' .. 2000 .. ' tasks, or in over ' .. 10000
        .. ' ways: too many to look for a circle. Submit a new task that waits for them')
    end
    for _, up in ipairs(redis.call('HKEYS', key)) do
      if up == task.id then
        cold(186)('CYCLE', 'these tasks would wait for one another: ' .. cold(118)(task.id, id, below))
      elseif not below[up] then
        ids[#ids + 1], below[up] = up, id
      end
    end
    at = at + 1
  end
end
end
else
if number < 119 then
-- 118 late.way
return function(first, id, below)
  local names, number = { first }, 1
  while id ~= first do
    number = number + 1
    if number <= 20 then
      names[number] = id
    end
    id = below[id]
  end
  if number > 20 then
    names[#names + 1] = number - 20 .. ' more'
  end
  names[#names + 1] = first
  return table.concat(names, ' -> ')
end
else
-- 119 limits.starts_key
return function(queue, key)
  return namespace_prefix .. 'rate_' .. queue .. (key and '/' .. key or '')
end
end
end
else
if number < 122 then
if number < 121 then
-- 120 limits.of_key
return function(queue, key)
  local own, rate = string.match(redis.call('HGET', cold(135)('limits', queue), key) or '- -', '^(%S+) (%S+)$')
  own = tonumber(own ~= '-' and own or cold(197)(queue, 'key_concurrency'))
  if rate ~= '-' then
    return own, rate, 0
  end
  return own, cold(197)(queue, 'key_rate'), cold(198)(queue, 'key_rate')
end
else
-- 121 limits.fits
return function(queue, key, weight)
  local most, rate, since = cold(120)(queue, key)
  if weight == 'solo' then
    most, weight = 1, 1
  end
  if most then
    local used = tonumber(redis.call('HGET', cold(135)('places', queue), 'k:' .. key) or 0)
    if used + math.min(tonumber(weight), most) > most then
      return false
    end
  end
  return cold(123)(cold(119)(queue, key), rate, since)
end
end
else
if number < 123 then
-- 122 limits.start_expires
return function(starts, back, seconds, since)
  local last = tonumber(redis.call('LINDEX', starts, back) or nil)
  if last and last >= since and tonumber(redis.call('LINDEX', starts, 0)) <= namespace_now_us then
    return last + seconds * 1000000
  end
end
else
-- 123 limits.rate_allows
return function(starts, rate, since)
  if not rate then
    return true
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local free = cold(122)(starts, number - 1, seconds, since)
  if free and free > namespace_now_us then
    return false, free
  end
  return true
end
end
end
end
end
end
end
end
else
if number < 186 then
if number < 155 then
if number < 139 then
if number < 131 then
if number < 127 then
if number < 125 then
-- 124 limits.take
return function(task)
  local queue, key, weight = task.queue, task.fair_key, tonumber(task.weight or 1)
  local held = cold(135)('places', queue)
  redis.call('HSET', held, 'a:' .. task.id .. ' ' .. task.issue,
    weight .. ' ' .. (key or '') .. (task.shared and ' ' .. task.shared or ''))
  if task.shared then
    cold(210)(task.shared)
  end
  if weight > 1 then
    redis.call('HINCRBY', held, 'extra', weight - 1)
  end
  if key then
    local _, rate = cold(120)(queue, key)
    redis.call('HINCRBY', held, 'k:' .. key, weight)
    redis.call('HSET', cold(135)('turns', queue), key, cold(66)(namespace_now_us))
    cold(125)(cold(119)(queue, key), rate, string.format('%.0f', namespace_now_us))
  end
end
else
if number < 126 then
-- 125 limits.record_start
return function(starts, rate, us)
  if rate then
    redis.call('LPUSH', starts, us)
    local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
    redis.call('LTRIM', starts, 0, number - 1)
    redis.call('EXPIRE', starts, 2 * seconds + 60)
  end
end
else
-- 126 limits.release
return function(queue, id, token)
  local held, member = cold(135)('places', queue), 'a:' .. id .. ' ' .. token
  local weight, key, shared = string.match(redis.call('HGET', held, member) or '', '^(%d+) (%S*) ?(%S*)$')
  if not weight then
    return
  end
  redis.call('HDEL', held, member)
  if shared ~= '' then
    cold(211)(shared, queue)
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
    cold(70)(queue, key)
  end
end
end
end
else
if number < 129 then
if number < 128 then
-- 127 logs.index
return function()
  return namespace_prefix .. 'logs'
end
else
-- 128 logs.size
return function(id)
  local v = redis.call('HMGET', cold(137)(cold(135)('logged', id)), 'head', 'tail')
  if v[1] then
    cold(138)('ZCARD', cold(127)())
    return v[1] + v[2]
  end
end
end
else
if number < 130 then
-- 129 logs.forget
return function(id, size)
  redis.call('UNLINK', cold(135)('logged', id))
  redis.call('ZREM', cold(127)(), id)
  redis.call('HINCRBY', namespace_meta, 'logs', -size)
end
else
-- 130 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
end
end
end
else
if number < 135 then
if number < 133 then
if number < 132 then
-- 131 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(186)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(186)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
-- 132 namespace.use_test_time
return function(now)
  namespace_now_us = cold(4)(now or cold(186)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(186)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(130)(namespace_now_us)
end
end
else
if number < 134 then
-- 133 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(130)(namespace_now_us)
end
else
-- 134 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
end
end
else
if number < 137 then
if number < 136 then
-- 135 namespace.key
return function(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end
else
-- 136 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
end
else
if number < 138 then
-- 137 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
else
-- 138 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(137)(key)
  end
  return redis.call(command, key)
end
end
end
end
end
else
if number < 147 then
if number < 143 then
if number < 141 then
if number < 140 then
-- 139 namespace.require_settled_slot
return function()
  cold(137)(namespace_prefix .. 'unmoved')
end
else
-- 140 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(186)(cold(188)())
  end
end
end
else
if number < 142 then
-- 141 namespace.is_here
return function(key)
  return type(redis.pcall('EXISTS', namespace_meta, key)) == 'number'
end
else
-- 142 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(195)()
  if namespace_declared then
    cold(143)(first, ...)
  end
end
end
end
else
if number < 145 then
if number < 144 then
-- 143 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(140)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(195)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
else
-- 144 needs.class
return function(task)
  if task.shared then
    return (task.needs or '') .. '|' .. task.shared
  end
  return task.needs
end
end
else
if number < 146 then
-- 145 needs.numbers
return function(queue)
  local numbers = { '' }
  for _, known in ipairs(redis.call('HVALS', cold(135)('needs', queue))) do
    numbers[#numbers + 1] = string.match(known, '^%d+')
  end
  return numbers
end
else
-- 146 needs.number
return function(queue, wanted)
  if not wanted then
    return ''
  end
  return string.match(redis.call('HGET', cold(135)('needs', queue), wanted) or '', '^%d+')
end
end
end
end
else
if number < 151 then
if number < 149 then
if number < 148 then
-- 147 needs.plan
return function(queue, wanted)
  local number, given = cold(146)(queue, wanted), cold(136)('needs')[queue] or {}
  if number or given[wanted] then
    return number or given[wanted]
  end
  local taken = {}
  for _, other in ipairs(cold(145)(queue)) do
    taken[other] = true
  end
  for _, other in pairs(given) do
    taken[other] = true
  end
  number = 1
  while taken[tostring(number)] do
    number = number + 1
  end
  given[wanted], cold(136)('needs')[queue] = tostring(number), given
  return given[wanted]
end
else
-- 148 needs.count
return function(queue, wanted, by)
  if not wanted then
    return ''
  end
  local known = cold(135)('needs', queue)
  local number, count = string.match(redis.call('HGET', known, wanted) or '', '^(%d+) (%d+)$')
  if not number then
    number, count = cold(147)(queue, wanted), 0
  end
  count = count + by
  if count > 0 then
    redis.call('HSET', known, wanted, number .. ' ' .. count)
  else
    redis.call('HDEL', known, wanted)
  end
  return number
end
end
else
if number < 150 then
-- 149 orders.key
return function(queue)
  return cold(135)('orders', queue)
end
else
-- 150 orders.announce
return function(queue)
  redis.pcall('PUBLISH', cold(149)(queue), '')
end
end
end
else
if number < 153 then
if number < 152 then
-- 151 owner.stale
return function(id, token, endings)
  owner_found_stale = true
  cold(1)(id, 'id')
  cold(3)(token, 1, 9007199254740991, 'token')
  cold(140)(namespace_prefix .. 'task_' .. id)
  local last = redis.call('HMGET', namespace_prefix .. 'task_' .. id, 'ended', 'outcome', 'group')
  local discarded = last[2] == 'failed' and last[3] == 'deadline'
  if last[1] == token and last[2] and (string.find(endings, last[2] .. ' ', 1, true)
    or discarded and string.find(endings, 'discarded', 1, true)) then
    return nil, last[2]
  end
  cold(186)('LOST', 'this attempt no longer holds the task: stop the work and discard its result')
end
else
-- 152 owner.finish
return function(task, to, outcome, why, ...)
  local cost = task.cost
  if cost then
    task.cost = nil
    return cold(152)(task, to, outcome, why, 'cost', cost, 'cost_of', task.token, ...)
  end
  cold(223)(task, to)
  cold(142)()
  cold(226)(task, to, why, task.node, 'ended', task.token, 'outcome', outcome, ...)
  return outcome
end
end
else
if number < 154 then
-- 153 patterns.parse
return function(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end
else
-- 154 patterns.set
return function(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = cold(153)(one)
  end
  return set
end
end
end
end
end
end
else
if number < 170 then
if number < 162 then
if number < 158 then
if number < 156 then
-- 155 patterns.matches
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
if number < 157 then
-- 156 patterns.chooser
return function(set)
  local matches, out, wanted = cold(155), set.out, set.wanted
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
else
-- 157 patterns.list
return function(text)
  return namespace_prefix .. 'wakes_' .. string.sub(redis.sha1hex(text), 1, 16)
end
end
end
else
if number < 160 then
if number < 159 then
-- 158 patterns.rouse
return function(sets, queue)
  local left = {}
  for text in string.gmatch(sets, '%S+') do
    local list = cold(157)(text)
    if cold(156)(cold(154)(text))(queue) and (not namespace_declared or cold(141)(list)) then
      redis.pcall('LPUSH', list, '1')
    else
      left[#left + 1] = text
    end
  end
  return table.concat(left, ' ')
end
else
-- 159 quorum.wanted
return function(text)
  return tonumber(string.match(text or '', 'least/(%d+)') or 1)
end
end
else
if number < 161 then
-- 160 quorum.without
return function(text)
  return (string.gsub(string.gsub(text, ' ?least/%d+', ''), '^ ', ''))
end
else
-- 161 quorum.named
return function(text)
  local named = {}
  for id in string.gmatch(text or '', 'some/?%d*=(%S+)') do
    named[id] = true
  end
  return named
end
end
end
end
else
if number < 166 then
if number < 164 then
if number < 163 then
-- 162 quorum.has
return function(task)
  return task.ties and string.find(task.ties, 'k', 1, true)
end
else
-- 163 quorum.tie
return function(task)
  if not cold(162)(task) then
    task.ties = (task.ties or '') .. 'k'
  end
end
end
else
if number < 165 then
-- 164 quorum.new
return function(least)
  return { least = least, left = 0, missed = 0, turn = 1, owed = 0 }
end
else
-- 165 quorum.fields
return function()
  return 'least', 'some', 'missed', 'turn', 'owed'
end
end
end
else
if number < 168 then
if number < 167 then
-- 166 quorum.read
return function(id)
  local v = redis.call('HMGET', cold(137)(cold(36)(id)), cold(165)())
  return { least = tonumber(v[1] or 0), left = tonumber(v[2] or 0), missed = tonumber(v[3] or 0),
    turn = tonumber(v[4] or 1), owed = tonumber(v[5] or 0) }
end
else
-- 167 quorum.write
return function(id, set)
  redis.call('HSET', cold(36)(id), 'least', set.least, 'some', set.left, 'missed', set.missed, 'turn', set.turn,
    'owed', set.owed)
end
end
else
if number < 169 then
-- 168 quorum.chances
return function(set)
  return set.left - set.missed + set.owed
end
else
-- 169 quorum.is_ready
return function(set, open)
  return set.least <= 0 and open == set.left
end
end
end
end
end
else
if number < 178 then
if number < 174 then
if number < 172 then
if number < 171 then
-- 170 quorum.text
return function(slots, turn)
  return 'some' .. (turn or '') .. (slots ~= '' and '/' .. slots or '')
end
else
-- 171 quorum.begin
return function(before, wanted)
  local named = cold(161)(before.text)
  local set = next(named) and before.set or cold(164)(1)
  local had = next(named) and cold(159)(before.text) or 1
  set.named, set.least = named, set.least + (wanted.least or had) - had
  return set
end
end
else
if number < 173 then
-- 172 quorum.look_at_ended
return function(task, wish, up, named)
  if up.status == 'complete' then
    task.set.least = task.set.least - (named and 0 or 1)
    return true
  elseif not named and up.status ~= 'deleted' then
    task.edges[#task.edges + 1] = { up = up, kind = 'some', slots = wish.slots, missed = true }
  end
end
else
-- 173 quorum.count
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
  elseif set.least > cold(168)(set) then
    return 'UPSTREAM', 'too few of the upstreams can still be complete, so this task would never run: retry those that'
      .. ' failed first'
  end
end
end
end
else
if number < 176 then
if number < 175 then
-- 174 quorum.take
return function(set, mark)
  if mark == '0' then
    set.owed = set.owed - 1
  else
    set.left, set.missed = set.left - 1, set.missed - (tonumber(mark) == set.turn and 1 or 0)
  end
end
else
-- 175 quorum.plan_end
return function(plan, task, up, to, mark, slots)
  local set, open = plan.set, redis.call('HLEN', cold(34)(plan.id))
  cold(174)(set, mark)
  plan.met = to == 'complete'
  if plan.met then
    set.least = set.least - 1
    return
  elseif to == 'deleted' then
    plan.gone, open = cold(39)(slots), open - 1
  else
    set.left, set.missed = set.left + 1, set.missed + 1
  end
  if cold(169)(set, open) then
    plan.met, plan.ready = true, true
    return
  end
  local may_wait = cold(76)(task.extra[5]) == 'hold' and set.least <= set.left + set.owed
  if set.least > cold(168)(set) and not may_wait then
    cold(176)(plan, up, open)
    plan.short = set.least > cold(168)(set)
  end
  plan.missed = not plan.short and cold(170)(slots, set.turn)
end
end
else
if number < 177 then
-- 176 quorum.plan_again
return function(plan, up, open)
  local set = plan.set
  plan.again = {}
  local found = open <= 300 and redis.call('HGETALL', cold(34)(plan.id)) or {}
  for i = 1, #found, 2 do
    local mark, slots = string.match(found[i + 1], '^some(%d+)/?(.*)$')
    if found[i] ~= up.id and tonumber(mark) == set.turn then
      local other = cold(184)(found[i])
      if other and not cold(246)(other.status) then
        cold(138)('ZCARD', cold(35)(found[i]))
        plan.again[found[i]], set.missed = { up = other, text = cold(170)(slots) }, set.missed - 1
      end
    end
  end
end
else
-- 177 quorum.miss
return function(up, plan)
  if plan.gone then
    redis.call('ZREM', cold(35)(up.id), plan.id)
    redis.call('HDEL', cold(34)(plan.id), up.id)
    cold(60)(plan.id, plan.gone)
  else
    redis.call('ZADD', cold(35)(up.id), 'inf', plan.id)
    redis.call('HSET', cold(34)(plan.id), up.id, plan.missed)
  end
  for id, edge in pairs(plan.again or {}) do
    redis.call('ZADD', cold(35)(id), namespace_now, plan.id)
    redis.call('HSET', cold(34)(plan.id), id, edge.text)
    cold(46)(edge.up)
  end
  cold(167)(plan.id, plan.set)
end
end
end
end
else
if number < 182 then
if number < 180 then
if number < 179 then
-- 178 quorum.drop
return function(id)
  redis.call('UNLINK', cold(34)(id), cold(36)(id))
end
else
-- 179 ranking.plan
return function(task)
  local queue, probe = task.queue, cold(138)
  if task.limited then
    probe('HLEN', cold(135)('places', queue))
  end
  if task.ranked then
    cold(139)()
    probe('ZCARD', cold(135)('lane_tasks', queue))
    local numbers = task.fair_key and cold(145)(queue) or {}
    local class = cold(144)(task)
    numbers[#numbers + 1] = class and cold(147)(queue, class) or ''
    for _, number in ipairs(numbers) do
      probe('ZCARD', cold(64)(queue, number))
      if task.fair_key then
        probe('ZCARD', cold(65)(queue, task.fair_key, number))
      end
    end
  end
  if task.fair_key then
    probe('HLEN', cold(135)('turns', queue))
    probe('HLEN', cold(135)('limits', queue))
    probe('ZCARD', cold(135)('delayed', queue))
    probe('LLEN', cold(119)(queue, task.fair_key))
    cold(197)(queue, 'key_rate')
  end
end
end
else
if number < 181 then
-- 180 ranking.member
return function(task)
  return task.rank .. ' ' .. task.id .. ' ' .. (task.solo and 'solo' or task.weight or '1')
end
else
-- 181 ranking.add
return function(task)
  local queue = task.queue
  local field = 'lanes:' .. queue
  local last = math.max(tonumber(redis.call('HGET', namespace_meta, field) or 0) + 1, namespace_now_us)
  redis.call('HSET', namespace_meta, field, string.format('%.0f', last))
  task.rank = task.place or task.front and cold(67)(last) or cold(66)(last)
  redis.call('ZADD', cold(135)('lane_tasks', queue), -tonumber(task.priority or 0), task.rank .. ' ' .. task.id)
  do
    local task = task
    local queue, score = task.queue, -tonumber(task.priority or 0)
    local number = cold(148)(queue, cold(144)(task), 1)
    if task.fair_key then
      if task.turn then
        redis.call('HSETNX', cold(135)('turns', queue), task.fair_key,
          cold(66)(math.min(task.turn, namespace_now_us)))
      end
      redis.call('ZADD', cold(65)(queue, task.fair_key, number), score, cold(180)(task))
      cold(69)(queue, task.fair_key, number)
    else
      redis.call('ZADD', cold(64)(queue, number), score, task.rank .. ' ' .. task.id)
    end
  end
  redis.call('HSET', namespace_prefix .. 'task_' .. task.id, 'rank', task.rank)
end
end
end
else
if number < 184 then
if number < 183 then
-- 182 ranking.remove_from_index
return function(queue, member)
  local all = cold(135)('lane_tasks', queue)
  if redis.call('ZCARD', all) - redis.call('ZREM', all, member) == 0 then
    redis.call('HDEL', namespace_meta, 'lanes:' .. queue)
  end
end
else
-- 183 ranking.remove
return function(task, to)
  cold(182)(task.queue, task.rank .. ' ' .. task.id)
  do
    local task, to = task, to
    local queue = task.queue
    local class = cold(144)(task)
    local number = cold(146)(queue, class)
    if task.fair_key then
      redis.call('ZREM', cold(65)(queue, task.fair_key, number), cold(180)(task))
      if cold(218)(task, to) then
        cold(124)(task)
      end
      cold(70)(queue, task.fair_key)
    else
      redis.call('ZREM', cold(64)(queue, number), task.rank .. ' ' .. task.id)
      if task.limited and cold(218)(task, to) then
        cold(124)(task)
      end
    end
    cold(148)(queue, class, -1)
  end
  redis.call('HDEL', namespace_prefix .. 'task_' .. task.id, 'rank')
end
end
else
if number < 185 then
-- 184 record.find
return function(id, ...)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(137)(key)
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
else
-- 185 record.created
return function(id)
  return tonumber(redis.call('HGET', namespace_prefix .. 'task_' .. id, 'created') or 0)
end
end
end
end
end
end
end
else
if number < 217 then
if number < 201 then
if number < 193 then
if number < 189 then
if number < 187 then
-- 186 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(187)() then
    code, text = cold(188)()
  end
  error({ err = code .. ' ' .. text })
end
else
if number < 188 then
-- 187 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
-- 188 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
end
end
else
if number < 191 then
if number < 190 then
-- 189 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(188)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
else
-- 190 retries.plan
return function(task, pause)
  if pause == 0 then
    return 'pending'
  end
  task.eta = cold(130)(namespace_now_us + pause)
  task.own_eta = redis.call('HEXISTS', namespace_prefix .. 'task_' .. task.id, 'eta') == 0
  return 'scheduled'
end
end
else
if number < 192 then
-- 191 retries.finish
return function(task, to, outcome, why, ...)
  if to == 'scheduled' and task.own_eta then
    return cold(152)(task, to, outcome, why, 'eta', task.eta, 'retry_eta', '1', ...)
  elseif to == 'scheduled' then
    return cold(152)(task, to, outcome, why, 'eta', task.eta, ...)
  end
  cold(152)(task, to, outcome, why, ...)
  if to == 'pending' then
    do
      local queue = task.queue
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
          if not namespace_declared or cold(141)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(221)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
  return outcome
end
else
-- 192 rights.denied
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
end
else
if number < 197 then
if number < 195 then
if number < 194 then
-- 193 rights.refuse
return function(name)
  local role = string.match('WORKER', '^%u+$')
  if role and not cold(192)({ name }, 'meta') then
    cold(186)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(186)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
-- 194 rights.check
return function(names)
  local name = cold(192)(names, 'WORKER')
  if name then
    cold(193)(name)
  end
end
end
else
if number < 196 then
-- 195 rights.require
return function()
  cold(194)({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HGETALL', 'HINCRBY', 'HMGET', 'HSET', 'HSETNX', 'HVALS', 'LINDEX', 'LPUSH', 'LREM', 'LTRIM', 'RPOPLPUSH', 'RPUSH', 'SADD', 'SREM', 'UNLINK', 'XADD', 'XREVRANGE', 'ZADD', 'ZCARD', 'ZRANGE', 'ZREM' })
end
else
-- 196 settings.find
return function(text, name)
  return text and string.match(' ' .. text, ' ' .. name .. '=(%S+)')
end
end
end
else
if number < 199 then
if number < 198 then
-- 197 settings.get
return function(queue, name)
  local texts = cold(136)('settings')
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
-- 198 settings.since
return function(queue, name)
  cold(197)(queue, name)
  local own, common = unpack(cold(136)('settings')[queue], 1, 2)
  local since = cold(196)(cold(196)(own, name) and own or common, name .. '_since')
  return tonumber(since or 0)
end
end
else
if number < 200 then
-- 199 shares.limits_key
return function()
  return namespace_prefix .. 'shared_limits'
end
else
-- 200 shares.places_key
return function()
  return namespace_prefix .. 'shared_places'
end
end
end
end
end
else
if number < 209 then
if number < 205 then
if number < 203 then
if number < 202 then
-- 201 shares.tasks_key
return function()
  return namespace_prefix .. 'shared_tasks'
end
else
-- 202 shares.expires_key
return function()
  return namespace_prefix .. 'shared_expires'
end
end
else
if number < 204 then
-- 203 shares.idle_key
return function()
  return namespace_prefix .. 'shared_idle'
end
else
-- 204 shares.turns_key
return function(name)
  return namespace_prefix .. 'shared_turns_' .. name
end
end
end
else
if number < 207 then
if number < 206 then
-- 205 shares.starts_key
return function(name)
  return namespace_prefix .. 'shared_rate_' .. name
end
else
-- 206 shares.parts
return function(set)
  local parts = {}
  for name, weight in string.gmatch(set, '([%w_.-]+):?(%d*)') do
    parts[#parts + 1] = { name = name, weight = tonumber(weight) or 1 }
  end
  return parts
end
end
else
if number < 208 then
-- 207 shares.plan
return function(set, queue)
  cold(138)('HLEN', cold(200)())
  cold(138)('HLEN', cold(199)())
  for _, part in ipairs(cold(206)(set)) do
    if queue then
      cold(208)(part.name, queue, 4)
    else
      cold(138)('LLEN', cold(205)(part.name))
    end
  end
end
else
-- 208 shares.plan_wakes
return function(name, queue, most)
  local woken, key = cold(136)('woken'), name .. ' ' .. queue
  if woken[key] then
    return
  end
  woken[key] = {}
  local seen = { [queue] = true }
  for _, member in ipairs(redis.call('ZRANGE', cold(204)(name), 0, math.max(most, 16) - 1)) do
    local other = string.match(member, '^%S+')
    if #woken[key] < most and not seen[other] and redis.call('HEXISTS', namespace_meta, 'paused:' .. other) == 0 then
      seen[other] = true
      cold(220)(other)
      table.insert(woken[key], other)
    end
  end
end
end
end
end
else
if number < 213 then
if number < 211 then
if number < 210 then
-- 209 shares.wake
return function(name, queue)
  for _, other in ipairs(cold(136)('woken')[name .. ' ' .. queue] or {}) do
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
          if not namespace_declared or cold(141)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(221)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
else
-- 210 shares.take
return function(set)
  local now = string.format('%.0f', namespace_now_us)
  for _, part in ipairs(cold(206)(set)) do
    redis.call('HINCRBY', cold(200)(), part.name, part.weight)
    local rate = string.match(redis.call('HGET', cold(199)(), part.name) or '', ' (%d+/%d+)$')
    cold(125)(cold(205)(part.name), rate, now)
  end
end
end
else
if number < 212 then
-- 211 shares.release
return function(set, queue)
  for _, part in ipairs(cold(206)(set)) do
    if redis.call('HINCRBY', cold(200)(), part.name, -part.weight) <= 0 then
      redis.call('HDEL', cold(200)(), part.name)
    end
    cold(209)(part.name, queue)
  end
end
else
-- 212 shares.plan_count
return function()
  cold(138)('HLEN', cold(201)())
  cold(138)('HLEN', cold(202)())
  cold(138)('ZCARD', cold(203)())
end
end
end
else
if number < 215 then
if number < 214 then
-- 213 shares.count
return function(set, change)
  for _, part in ipairs(cold(206)(set)) do
    cold(214)(part.name, redis.call('HINCRBY', cold(201)(), part.name, change), change)
  end
end
else
-- 214 shares.note_tasks
return function(name, number, change)
  if number <= 0 then
    redis.call('HDEL', cold(201)(), name)
    cold(215)(name)
  elseif number == change then
    redis.call('ZREM', cold(203)(), name)
  end
end
end
else
if number < 216 then
-- 215 shares.begin_idle
return function(name)
  local expires = tonumber(redis.call('HGET', cold(202)(), name) or nil)
  if expires then
    redis.call('ZADD', cold(203)(), string.format('%.0f', namespace_now_us + expires * 1000000), name)
  end
end
else
-- 216 shares.count_task
return function(task, to)
  local open = task.status and not cold(246)(task.status)
  local opens = not cold(246)(to) and to ~= 'deleted' and to ~= 'moved'
  if opens and not open then
    cold(213)(task.shared, 1)
  elseif open and not opens then
    cold(213)(task.shared, -1)
  end
end
end
end
end
end
end
else
if number < 232 then
if number < 224 then
if number < 220 then
if number < 218 then
-- 217 state.attempt_fields
return function()
  return 'node', 'pid', 'reclaimed_node', 'cancel', 'recall', 'reserved', 'started', 'progress', 'progressed'
end
else
if number < 219 then
-- 218 state.takes
return function(task, to)
  return to == 'reserved' or to == 'started' and task.status == 'pending'
end
else
-- 219 state.probe_list
return function(list, task)
  if cold(138)('LLEN', list) <= 100 or task.from_end then
    return
  end
  local tail = redis.call('LINDEX', list, -1)
  if tail ~= task.id then
    local first = cold(185)(redis.call('LINDEX', list, 0))
    local last, own = cold(185)(tail), cold(185)(task.id)
    task.from_end = own - last < first - own and -1 or 1
  end
end
end
end
else
if number < 222 then
if number < 221 then
-- 220 state.plan_wake
return function(queue)
  local asleep = cold(136)('asleep')
  asleep[queue] = cold(138)('LLEN', namespace_prefix .. 'wake_' .. queue) == 0
  if not asleep['*'] then
    asleep['*'], state_roams = true, redis.call('HGET', namespace_meta, 'roams')
  end
end
else
-- 221 state.rouse
return function(queue)
  local left = cold(158)(state_roams, queue)
  if left ~= state_roams then
    state_roams = left
    redis.pcall('HSET', namespace_meta, 'roams', left)
  end
end
end
else
if number < 223 then
-- 222 state.plan_left
return function(task)
  local queue = task.queue
  if cold(138)('LLEN', cold(135)('pending_tasks', queue))
    + cold(138)('ZCARD', cold(135)('lane_tasks', queue)) > 1 then
    cold(220)(queue)
    task.wakes = true
  end
end
else
-- 223 state.plan
return function(task, to, taker)
  local probe, touch = cold(138), cold(137)
  local from, queue, prefix = task.status, task.queue, namespace_prefix
  local tasks, events = '_tasks_' .. queue, touch(prefix .. 'events_' .. queue)
  if task.ties then
    cold(21)(task, to, taker)
    if from == 'pending' and not taker and (task.weight or task.solo) then
      cold(222)(task)
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
        if (task.limited or cold(197)(queue, 'concurrency'))
          and (redis.call('LLEN', prefix .. 'pending_tasks_' .. queue) > 0
          or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1) then
          cold(220)(queue)
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
    cold(219)(prefix .. from .. tasks, task)
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
      cold(220)(queue)
      if task.ranked then
        task.last = false
      end
    end
  end
  if task.foreign or to == 'deleted' or to == 'moved' then
    probe('ZCARD', prefix .. 'tasks_' .. queue)
  end
  cold(224)(task, to)
end
end
end
end
else
if number < 228 then
if number < 226 then
if number < 225 then
-- 224 state.plan_own
return function(task, to)
  if to == 'deleted' then
    cold(137)(namespace_prefix .. 'log_' .. task.id)
    task.logged = cold(128)(task.id)
  end
  cold(94)(task, to)
  if to == 'failed' or task.status == 'failed' then
    cold(88)(task, to)
  end
end
else
-- 225 state.time
return function(task)
  local since, now = task.since, namespace_now
  if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
    now = since
  end
  return now
end
end
else
if number < 227 then
-- 226 state.move
return function(task, to, why, by, ...)
  local id, queue, from, prefix = task.id, task.queue, task.status, namespace_prefix
  local tasks = '_tasks_' .. queue
  if task.deadline then
    redis.call('ZADD', prefix .. 'leases_' .. queue, task.deadline, id .. ' ' .. (task.issue or task.token))
  end
  if task.foreign and to ~= 'deleted' and to ~= 'moved' then
    redis.call('ZADD', prefix .. 'tasks_' .. queue, task.created or cold(185)(id), id)
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
      cold(95)(task, { to = to, why = why, by = by, at = now }, ...)
    end
    if to == 'deleted' or to == 'moved' then
      if to == 'deleted' then
        redis.call('UNLINK', key, prefix .. 'log_' .. id, prefix .. 'history_' .. id)
        if task.edge_keys then
          redis.call('UNLINK', unpack(task.edge_keys))
        end
        if task.logged then
          cold(129)(id, task.logged)
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
      cold(27)(task, to)
      if task.tracked then
        cold(243)(task, to, why, by, ...)
      end
    end
    if to == 'failed' then
      cold(89)(task, now)
    elseif from == 'failed' then
      cold(90)(task)
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
            if not namespace_declared or cold(141)(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if state_roams ~= '' then
            cold(221)(queue)
          end
        end
        redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
      end
    end
    if task.dependents or task.unsettled then
      cold(57)(task)
    end
  end
end
else
-- 227 steps.other
return function(task, queue, created)
  local other = cold(18)(task, queue, created)
  other.unknown = not redis.call('ZSCORE', cold(137)(namespace_prefix .. 'queues'), queue)
  return other
end
end
end
else
if number < 230 then
if number < 229 then
-- 228 steps.add
return function(list, ...)
  for _, value in ipairs({ ... }) do
    list[#list + 1] = value
  end
end
else
-- 229 steps.plan
return function(task, other, to)
  cold(223)(task, 'moved')
  cold(223)(other, to)
  if other.queue == task.queue then
    cold(139)()
  end
end
end
else
if number < 231 then
-- 230 steps.move
return function(task, other, to, why, came, fields)
  cold(226)(task, 'moved', why, task.node, unpack(fields))
  cold(226)(other, to, came, '', 'queue', other.queue, 'attempt', other.attempt, 'ended', task.token, unpack(fields))
  if other.unknown then
    redis.call('ZADD', namespace_prefix .. 'queues', 0, other.queue)
  end
  if to == 'pending' then
    edges_readied = true
    do
      local queue = other.queue
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
          if not namespace_declared or cold(141)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(221)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
else
-- 231 steps.forgotten
return function(...)
  local names = { 'token', 'lease', 'request', 'front', 'promoted', 'readied', cold(217)() }
  cold(228)(names, ...)
  return names
end
end
end
end
end
else
if number < 240 then
if number < 236 then
if number < 234 then
if number < 233 then
-- 232 steps.give_back
return function(task, options, why, counter, count)
  local other = cold(227)(task, options.into, redis.call('HGET', cold(135)('task', task.id), 'created'))
  if cold(197)(other.queue, 'closed') == '1' then
    cold(186)('CLOSED', 'the other queue is closed: set its setting closed to 0')
  elseif other.unique and cold(13)(other) then
    cold(186)('DUPLICATE', 'another task of the other queue has this unique name')
  elseif cold(144)(other) then
    cold(28)(other.queue, cold(144)(other))
  end
  local to = options.again and options.again > 0 and cold(190)(other, options.again) or 'pending'
  local fields = { 'outcome', 'released', counter, count }
  if task.cost then
    cold(228)(fields, 'cost', task.cost, 'cost_of', task.token)
  end
  if to == 'scheduled' then
    cold(228)(fields, 'eta', other.eta)
  end
  if to == 'scheduled' and other.own_eta then
    cold(228)(fields, 'retry_eta', '1')
  end
  other.forget = cold(231)()
  cold(229)(task, other, to)
  cold(142)()
  cold(230)(task, other, to, why, 'move', fields)
  return 'released'
end
else
-- 233 tags.key
return function(queue, tag)
  return namespace_prefix .. 'tag_' .. queue .. '/' .. tag
end
end
else
if number < 235 then
-- 234 tags.names
return function(text)
  local names = {}
  for tag in string.gmatch(text or '', '[^,]+') do
    names[#names + 1] = tag
  end
  return names
end
else
-- 235 tags.plan
return function(queue, text)
  cold(138)('ZCARD', cold(135)('tags', queue))
  for _, tag in ipairs(cold(234)(text)) do
    cold(138)('ZCARD', cold(233)(queue, tag))
  end
end
end
end
else
if number < 238 then
if number < 237 then
-- 236 tags.enter
return function(queue, id, created, text)
  for _, tag in ipairs(cold(234)(text)) do
    local key = cold(233)(queue, tag)
    redis.call('ZADD', key, created, id)
    redis.call('ZADD', cold(135)('tags', queue), redis.call('ZCARD', key), tag)
  end
end
else
-- 237 tags.remove
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
if number < 239 then
-- 238 tags.leave
return function(queue, id, text)
  for _, tag in ipairs(cold(234)(text)) do
    cold(237)(cold(233)(queue, tag), cold(135)('tags', queue), tag, id)
  end
end
else
-- 239 tracks.all
return function()
  return namespace_prefix .. 'tracked'
end
end
end
end
else
if number < 244 then
if number < 242 then
if number < 241 then
-- 240 tracks.key
return function()
  return namespace_prefix .. 'changes'
end
else
-- 241 tracks.plan
return function()
  cold(138)('XLEN', cold(240)())
  cold(138)('ZCARD', cold(239)())
end
end
else
if number < 243 then
-- 242 tracks.add
return function(task, at, what, from, to, by, why, text)
  redis.call('XADD', cold(240)(), 'MAXLEN', '~', '10000', '*', 'id', task.id, 'queue', task.queue, 'what', what,
    'from', from or '', 'to', to, 'attempt', task.attempt, 'at', at, 'by', by or '', 'why', why,
    'text', string.sub(text or '', 1, 1024))
  redis.pcall('PUBLISH', cold(240)(), '')
end
else
-- 243 tracks.transition
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
  cold(242)(task, cold(225)(task), 'state', task.status, to, by, why, text)
  if to == 'deleted' then
    cold(244)(task.id)
  end
end
end
end
else
if number < 246 then
if number < 245 then
-- 244 tracks.forget
return function(id)
  redis.call('ZREM', cold(239)(), id)
end
else
-- 245 contract.is_waiting
return function(status)
  return status == 'waiting' or status == 'scheduled' or status == 'pending'
end
end
else
if number < 247 then
-- 246 contract.is_final
return function(status)
  return status == 'complete' or status == 'failed' or status == 'cancelled'
end
else
-- 247 contract.option
return function(name, value)
  if name == 'reason' then
    return cold(6)(value, name)
  elseif name == 'again' then
    return cold(4)(value, 0, 31536000, name)
  elseif name == 'uncounted' then
    return cold(2)(value, name)
  elseif name == 'inputs' then
    return cold(107)(value, name)
  elseif name == 'into' then
    return cold(1)(value, name)
  elseif name == 'lost' then
    return cold(5)(value, 1024, name)
  elseif name == 'cost' then
    return cold(5)(value, 1024, name)
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
  local id, token = contract_arguments()
  local options = cold(7)()
  if options.inputs then
    options.suspend = cold(115)
  elseif options.into then
    options.elsewhere = cold(232)
  end
  return ending_release(id, token, options)
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(189)(answer)
