--- Deletes a finished task with its log and history.
-- @args now id
-- @role client
-- @options by request
-- @reply `deleted`
-- @errors NOTASK STATE

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(151)('BADARG', 'missing argument: ' .. what)
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
      clock = cold(105)()
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
      cold(106)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(107)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(108)(floor)
    end
  end
end

local state_asleep = false

local state_roams = false

local function contract_arguments()
  local id = cold(10)(args_next('id'), 'id')
  return id
end

function cold(number)
if number < 105 then
if number < 53 then
if number < 27 then
if number < 14 then
if number < 7 then
if number < 4 then
if number < 2 then
-- 1 actions.get
return function(id)
  return cold(148)(id, 'outcome', 'created', 'eta', 'front', 'retry_eta', 'schedule')
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
  if not cold(149)(task) then
    cold(5)(task, spec)
    local plain = spec.planned and not task.ties and not task.foreign
    if plain and spec.planned[kind] then
      return cold(191)(task, to)
    elseif plain then
      spec.planned[kind] = true
    end
  end
  cold(190)(task, to)
end
end
end
else
if number < 5 then
-- 4 actions.entered
return function(status, updated, front)
  return not (status == 'pending' and front) and tonumber(updated) or 0
end
else
if number < 6 then
-- 5 actions.seek
return function(task, spec)
  spec.lists, spec.entries = spec.lists or {}, spec.entries or 0
  if task.ties then
    cold(17)(task)
    spec.entries = spec.entries + 400 + 100 * #cold(195)(task.tags)
  end
  if task.status == 'scheduled' or task.status == 'waiting' or task.rank then
    return
  end
  local list = cold(109)(task.status .. '_tasks', task.queue)
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
      unpack(redis.call('HMGET', cold(109)('task', middle), 'status', 'updated', 'front')))
  end
  local own = cold(4)(task.status, task.since, task.extra[4])
  task.from_end = own <= known.middle and -1 or 1
  spec.entries = spec.entries + known.length / 2
end
else
-- 6 actions.delete
return function(task, spec)
  if cold(149)(task) or not (spec.waiting or cold(207)(task.status)) then
    return cold(2)(task, spec.waiting and 'waiting, scheduled, pending, complete, failed or cancelled' or 'complete, failed or cancelled')
  elseif cold(42)(task) then
    return 'STATE', 'tasks that wait for this one do not have its result yet: a worker gives it to them soon'
  end
  cold(3)(task, 'deleted', spec)
end
end
end
end
else
if number < 10 then
if number < 8 then
-- 7 actions.do_delete
return function(task, spec)
  cold(193)(task, 'deleted', spec.waiting and 'purge' or 'delete', '')
end
else
if number < 9 then
-- 8 actions.run
return function(act, tasks, spec)
  cold(116)()
  for _, task in ipairs(tasks) do
    act(task, spec)
  end
  if spec.wakes then
    do
      local queue = spec.wakes
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
          if not namespace_declared or cold(115)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(188)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
else
-- 9 actions.one
return function(id, plan, act, spec)
  local task = cold(1)(id)
  local code, text = plan(task, spec)
  if code then
    cold(151)(code, text)
  end
  if task.to then
    cold(14)()
    local before, after = task.status, task.to
    if after == 'prioritised' then
      before, after = task.priority or '0', spec.priority
    elseif after == 'moved' then
      before, after = task.queue, spec.queue
    end
    cold(8)(act, { task }, spec)
    cold(15)(spec.by, spec.what, 'task', id, before, after, spec.reason)
  end
  return task
end
end
end
else
if number < 12 then
if number < 11 then
-- 10 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(151)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 11 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(151)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
else
if number < 13 then
-- 12 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(151)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(151)('BADARG', 'an option is given twice')
    end
    found[name] = cold(208)(name, value)
    if found[name] == nil then
      cold(151)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
else
-- 13 audit.key
return function()
  return namespace_prefix .. 'audit'
end
end
end
end
end
else
if number < 20 then
if number < 17 then
if number < 15 then
-- 14 audit.plan
return function()
  cold(112)('XLEN', cold(13)())
end
else
if number < 16 then
-- 15 audit.add
return function(by, what, of, on, before, after, detail)
  local function cut(text)
    return string.sub(text or '', 1, 256)
  end
  redis.call('XADD', cold(13)(), 'MAXLEN', '~', cold(165)('*', 'audit'), '*', 'at', namespace_now, 'by', by or '',
    'what', what, 'of', of, 'on', on, 'before', cut(before), 'after', cut(after), 'detail', cut(detail))
end
else
-- 16 cascades.plan_begin
return function(task)
  local known = task.broken and 1 or 0
  if cold(69)(task.graph) == 'cancel' and redis.call('HLEN', cold(30)(task.id)) > known then
    cold(112)('ZCARD', cold(33)())
    task.unsettled, task.cascades = true, true
  end
end
end
end
else
if number < 18 then
-- 17 claims.load
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
else
if number < 19 then
-- 18 claims.name_holders
return function(queue, name)
  local v = redis.call('HMGET', cold(111)(cold(109)('unique', queue)), name, '/' .. name)
  local id, till = string.match(v[1] or '', '^(%S+) (%S+)$')
  return id, till, string.match(v[2] or '', '^(%S+) ')
end
else
-- 19 claims.has_latest_policy
return function(task)
  return task.solo and task.unique and task.unique == task.fair_key
end
end
end
end
else
if number < 23 then
if number < 21 then
-- 20 claims.waiting_attempt
return function(task, id)
  local other = id and id ~= task.id and cold(147)(id)
  if other and other.queue == task.queue and cold(206)(other.status) then
    cold(17)(other)
    return other.unique == task.unique and other or nil
  end
end
else
if number < 22 then
-- 21 claims.opens_or_closes
return function(task, to)
  return not task.status or cold(207)(task.status) or cold(207)(to) or to == 'deleted'
end
else
-- 22 claims.plan
return function(task, to, taker)
  cold(17)(task)
  local held = task.status == 'reserved' or task.status == 'started'
  if task.ranked and (task.rank or to == 'pending') or task.limited and (held or taker) then
    cold(142)(task)
  end
  if task.limited and held and taker then
    cold(113)()
  end
  if task.shared and (taker or held and to ~= 'started') then
    cold(175)(task.shared, not taker and task.queue)
  end
  if task.shared and (cold(21)(task, to) or to == 'moved') then
    cold(23)(to)
  end
  if task.unique then
    cold(24)(task, to)
  end
  if task.tags and (not task.status or to == 'deleted' or to == 'moved') then
    cold(196)(task.queue, task.tags)
  end
  if to == 'deleted' and string.find(task.ties, '[wd]') then
    cold(45)(task)
  end
  if task.graph and task.status and cold(21)(task, to) then
    cold(112)('HLEN', cold(65)(task.graph))
    cold(112)('ZCARD', cold(68)())
    cold(111)(cold(66)(task.graph))
    task.bounds = to == 'deleted' and cold(75)(task.graph) or nil
  end
  if task.graph and task.status == 'waiting' and (to == 'failed' or to == 'cancelled') then
    cold(16)(task)
  end
  if task.end_by and cold(21)(task, to) then
    cold(112)('ZCARD', cold(29)())
  end
  if string.find(task.ties, 'd', 1, true) and task.status and not cold(207)(task.status)
    and (cold(207)(to) or to == 'deleted') then
    cold(43)(task, to)
  end
  if task.tracked then
    cold(202)()
  end
  if string.find(task.ties, 'a', 1, true) and task.status and (cold(207)(to) or to == 'deleted') then
    cold(57)(task, to)
  end
end
end
end
else
if number < 25 then
if number < 24 then
-- 23 claims.plan_shared
return function(to)
  if to == 'moved' then
    cold(113)()
  end
  cold(180)()
end
else
-- 24 claims.plan_name
return function(task, to)
  local taken = cold(185)(task, to) and cold(19)(task)
  if (to == 'reserved' or to == 'started') and not taken and not (to == 'started' and task.till == 'start') then
    return
  end
  cold(112)('HLEN', cold(109)('unique', task.queue))
  if tonumber(task.till) then
    cold(112)('ZCARD', cold(109)('timed', task.queue))
  end
  task.holder, task.held_till, task.kept = cold(18)(task.queue, task.unique)
  if taken and task.status == 'pending' then
    task.older = cold(20)(task, task.kept)
    if task.older then
      cold(190)(task.older, 'cancelled')
    end
  end
end
end
else
if number < 26 then
-- 25 claims.take_name
return function(task)
  local unique, till = cold(109)('unique', task.queue), task.till
  if task.keeps then
    redis.call('HSET', unique, '/' .. task.unique, task.id .. ' kept')
    return
  elseif tonumber(till) then
    till = task.ends or string.format('%.0f', namespace_now_us + tonumber(till) * 1000000)
    redis.call('ZADD', cold(109)('timed', task.queue), till, task.unique)
  end
  redis.call('HSET', unique, task.unique, task.id .. ' ' .. till)
end
else
-- 26 claims.release_name
return function(task, to)
  local unique, timed = cold(109)('unique', task.queue), tonumber(task.held_till)
  if task.holder == task.id and (not timed or to == 'moved') then
    redis.call('HDEL', unique, task.unique)
    if timed then
      redis.call('ZREM', cold(109)('timed', task.queue), task.unique)
    end
  end
  if task.kept == task.id then
    redis.call('HDEL', unique, '/' .. task.unique)
  end
end
end
end
end
end
end
else
if number < 40 then
if number < 33 then
if number < 30 then
if number < 28 then
-- 27 claims.move_name
return function(task, to)
  local from, latest = task.status, cold(19)(task)
  local back = (from == 'reserved' or from == 'started') and cold(206)(to)
  local ends = cold(207)(to) or to == 'deleted' or to == 'moved'
  if ends or to == 'started' and task.till == 'start' or latest and cold(185)(task, to) then
    cold(26)(task, to)
  elseif not from or task.restarts or (from == 'failed' or from == 'cancelled') and not tonumber(task.till)
    or latest and back then
    cold(25)(task)
  end
  if task.older then
    cold(193)(task.older, 'cancelled', 'replaced', '', 'reason', 'replaced by ' .. task.id)
  end
end
else
if number < 29 then
-- 28 claims.move
return function(task, to)
  if not task.bound then
    return
  end
  local from = task.status
  local held = from == 'reserved' or from == 'started'
  local back = held and task.ranked and to == 'pending'
  if back then
    cold(144)(task)
  end
  if task.limited and held and to ~= 'started' then
    cold(100)(task.queue, task.id, task.token)
  end
  if task.rank and not back then
    cold(146)(task, to)
    task.rank = nil
  elseif task.limited and cold(185)(task, to) then
    cold(98)(task)
    if task.fair_key then
      cold(64)(task.queue, task.fair_key)
    end
  end
  if task.ranked and to == 'pending' and not back then
    cold(144)(task)
  end
  if task.shared then
    cold(184)(task, to)
  end
  if task.further_shared then
    cold(181)(task.further_shared, -1)
  end
  if task.tags and not from then
    cold(197)(task.queue, task.id, task.created, task.tags)
  elseif task.tags and (to == 'deleted' or to == 'moved') then
    cold(199)(task.queue, task.id, task.tags)
  end
  if task.unique then
    cold(27)(task, to)
  end
  if task.end_by and cold(21)(task, to) then
    if cold(207)(to) or to == 'deleted' or to == 'moved' then
      redis.call('ZREM', cold(29)(), task.id)
    else
      redis.call('ZADD', cold(29)(), task.end_by, task.id)
    end
  end
  if task.graph then
    cold(76)(task, to)
  end
end
else
-- 29 deadlines.key
return function()
  return namespace_prefix .. 'deadlines'
end
end
end
else
if number < 31 then
-- 30 edges.upstreams
return function(id)
  return namespace_prefix .. 'upstreams_' .. id
end
else
if number < 32 then
-- 31 edges.dependents
return function(id)
  return namespace_prefix .. 'dependents_' .. id
end
else
-- 32 edges.inputs
return function(id)
  return namespace_prefix .. 'inputs_' .. id
end
end
end
end
else
if number < 36 then
if number < 34 then
-- 33 edges.unsettled
return function()
  return namespace_prefix .. 'unsettled'
end
else
if number < 35 then
-- 34 edges.slots
return function(text)
  local slots = {}
  for slot in string.gmatch(text or '', '%d+') do
    slots[#slots + 1] = tonumber(slot)
  end
  return slots
end
else
-- 35 edges.is_met
return function(kind, to)
  if kind == 'after' or kind == 'optional' then
    return true
  end
  return (kind == 'failure') ~= (to == 'complete')
end
end
end
else
if number < 38 then
if number < 37 then
-- 36 edges.is_repairable
return function(kind, to)
  return cold(37)(kind) and (to == 'failed' or to == 'cancelled')
end
else
-- 37 edges.needs_success
return function(kind)
  return kind == 'success' or kind == 'result' or kind == 'some'
end
end
else
if number < 39 then
-- 38 edges.element
return function(result)
  return result == '' and 'null' or result
end
else
-- 39 edges.over
return function(queue, bytes)
  local most = bytes > 1024 and cold(165)(queue, 'input_bytes')
  if most and bytes > tonumber(most) then
    return 'over ' .. most .. ' bytes, the setting input_bytes'
  end
end
end
end
end
end
else
if number < 46 then
if number < 43 then
if number < 41 then
-- 40 edges.tie
return function(up)
  if not string.find(up.ties or '', 'd', 1, true) then
    up.ties = (up.ties or '') .. 'd'
    redis.call('HSET', up.key, 'ties', up.ties)
  end
end
else
if number < 42 then
-- 41 edges.waiting
return function(id)
  local key = cold(111)(cold(31)(id))
  local waiting, staged = redis.call('ZCOUNT', key, '(0', '+inf'), redis.call('ZCOUNT', key, '-inf', '-inf')
  return waiting + staged, waiting
end
else
-- 42 edges.is_needed
return function(task)
  if task.status ~= 'complete' or not task.ties or not string.find(task.ties, 'd', 1, true) then
    return false
  end
  local all, waiting = cold(41)(task.id)
  return all > 0, waiting > 0
end
end
end
else
if number < 44 then
-- 43 edges.plan_end
return function(task, to)
  local key = cold(111)(cold(31)(task.id))
  local ids = redis.call('ZRANGEBYSCORE', key, '(0', '+inf', 'LIMIT', 0, 100 + 1 + (task.knowing or 0))
  local number = #ids - (task.knowing or 0)
  if number <= 0 then
    return
  elseif task.later or number > 100 or cold(44)(task.id, ids, #(task.result or ''))
    or to ~= 'complete' and task.graph and cold(70)(task.graph, task.id) then
    cold(112)('ZCARD', cold(33)())
    task.unsettled = true
    return
  end
  cold(46)(task, to, ids)
end
else
if number < 45 then
-- 44 edges.is_much
return function(id, ids, length)
  local told = cold(110)('told')
  local looked, copied = (told.looked or 0) + length, (told.copied or 0) + #ids * length
  if length <= 131072 and looked <= 262144 and copied <= 1048576 then
    told.looked, told.copied = looked, copied
    return false
  end
  for _, other in ipairs(ids) do
    if string.find(redis.call('HGET', cold(30)(other), id) or '', '/', 1, true) then
      return true
    end
  end
  return false
end
else
-- 45 edges.plan_removal
return function(task)
  local dependents = cold(111)(cold(31)(task.id))
  task.edge_keys = { cold(111)(cold(30)(task.id)), cold(111)(cold(32)(task.id)),
    cold(111)(cold(87)(task.id)) }
  local all, waiting = cold(41)(task.id)
  if all == 0 then
    task.edge_keys[4] = dependents
  elseif waiting > 0 and cold(207)(task.status) then
    cold(112)('ZCARD', cold(33)())
    task.unsettled = true
  end
end
end
end
end
else
if number < 49 then
if number < 47 then
-- 46 edges.plan_page
return function(task, to, ids)
  task.dependents = {}
  for i, id in ipairs(ids) do
    task.dependents[i] = cold(47)(task, to, id)
  end
end
else
if number < 48 then
-- 47 edges.plan_one
return function(up, to, id)
  local task = cold(147)(id, cold(48)())
  local key = cold(111)(cold(30)(id))
  local kind, mark, slots = string.match(redis.call('HGET', key, up.id) or '', '^(%l+)(%d*)/?(.*)$')
  local plan = { id = id, met = not kind or cold(35)(kind, to) }
  if not task or task.status ~= 'waiting' or not kind then
    plan.kept = task and kind and cold(207)(task.status)
    return plan
  end
  if cold(130)(task) then
    plan.set = cold(132)(id)
  end
  if kind == 'some' then
    cold(138)(plan, task, up, to, mark, slots)
    if plan.missed then
      return plan
    end
  elseif not plan.met and cold(36)(kind, to) and cold(69)(task.extra[5]) == 'hold' then
    plan.held = true
    return plan
  end
  plan.task = task
  task.later = true
  if not plan.met then
    plan.to, task.group, task.broken = kind == 'failure' and 'cancelled' or 'failed', 'upstream', true
    cold(190)(task, plan.to)
    return plan
  end
  local open = redis.call('HLEN', key)
  plan.last = plan.ready or open == 1
  if plan.set and not plan.ready then
    plan.last = cold(135)(plan.set, open - 1)
  end
  local own = cold(111)(cold(32)(id))
  local known = (plan.last or slots ~= '') and redis.call('HMGET', own, 'slots', 'bytes')
  if slots ~= '' and not plan.ready then
    cold(50)(plan, up, to, slots, tonumber(known[2] or 0))
  end
  if plan.wrong then
    cold(190)(task, plan.to)
  elseif plan.last then
    cold(49)(plan, tonumber(known[1] or 0), plan.bytes or tonumber(known[2] or 0))
  end
  return plan
end
else
-- 48 edges.fields
return function()
  return 'eta', 'front', 'ended', 'retry_eta', 'graph'
end
end
end
else
if number < 51 then
if number < 50 then
-- 49 edges.plan_ready
return function(plan, slots, bytes)
  local task = plan.task
  plan.joins = cold(90)(plan.id, slots, bytes)
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
    plan.joined, plan.lengths = cold(88)(cold(89)(cold(32)(plan.id), slots, plan), slots)
  end
  cold(190)(task, plan.to)
end
else
-- 50 edges.plan_input
return function(plan, up, to, slots, bytes)
  local result = to == 'complete' and up.result or ''
  plan.slots, plan.text = cold(34)(slots), cold(38)(result)
  plan.bytes = bytes + #plan.text * #plan.slots
  if up.json == nil then
    up.json = result == '' or cold(92)(result)
  end
  local over = cold(39)(plan.task.queue, plan.bytes)
  if not up.json then
    plan.wrong = 'is not JSON'
  elseif over then
    plan.wrong = 'brings the inputs of this task ' .. over
  elseif cold(71)(#plan.text) > 0 and plan.task.extra[5] then
    plan.graph, plan.grows = plan.task.extra[5], #plan.text * #plan.slots
    if not cold(73)(plan.graph, plan.grows) then
      plan.wrong = 'brings the inputs of its graph over ' .. cold(72)() .. ' bytes, the setting graph_bytes'
    end
  end
  if plan.wrong then
    plan.to, plan.task.group, plan.task.broken = 'failed', 'input', true
  end
end
end
else
if number < 52 then
-- 51 edges.settle
return function(task)
  if task.unsettled then
    redis.call('ZADD', cold(33)(), namespace_now, task.id)
  end
  if task.cascades then
    redis.call('HSET', task.key or cold(109)('task', task.id), 'cascade', '0')
  end
  local told
  for _, plan in ipairs(task.dependents or {}) do
    if plan.kept then
      redis.call('ZADD', cold(31)(task.id), '-' .. namespace_now, plan.id)
    elseif plan.held then
      redis.call('ZADD', cold(31)(task.id), 'inf', plan.id)
    elseif plan.missed then
      cold(140)(task, plan)
    elseif plan.task and not plan.met then
      told = told or redis.call('HMGET', task.key or cold(109)('task', task.id), 'status', 'error', 'cause')
      cold(52)(task, plan, told)
    elseif plan.wrong then
      redis.call('ZADD', cold(31)(task.id), '-' .. namespace_now, plan.id)
      cold(193)(plan.task, 'failed', 'input', '', 'cause', task.id, 'group', 'input',
        'error', 'the result of ' .. task.id .. ' ' .. plan.wrong)
    else
      cold(55)(task, plan)
    end
  end
end
else
-- 52 edges.fail_with
return function(up, plan, told)
  local cause = told[3] or up.id
  redis.call('ZADD', cold(31)(up.id), '-' .. namespace_now, plan.id)
  if plan.to == 'cancelled' then
    cold(193)(plan.task, 'cancelled', 'upstream', '', 'cause', cause,
      'reason', 'not needed: ' .. up.id .. ' is complete')
    return
  end
  cold(193)(plan.task, 'failed', 'upstream', '', 'cause', cause, 'group', 'upstream',
    'error', (plan.short and 'too few of its set can still be complete: ' or '') .. cold(53)(up.id, told))
end
end
end
end
end
end
end
else
if number < 79 then
if number < 66 then
if number < 59 then
if number < 56 then
if number < 54 then
-- 53 edges.error_of
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
else
if number < 55 then
-- 54 edges.fill
return function(id, slots)
  for _, slot in ipairs(slots) do
    redis.call('HSET', cold(32)(id), slot, 'null')
  end
  if slots[1] then
    redis.call('HINCRBY', cold(32)(id), 'bytes', 4 * #slots)
  end
end
else
-- 55 edges.meet
return function(up, plan)
  if up then
    redis.call('ZREM', cold(31)(up.id), plan.id)
    redis.call('HDEL', cold(30)(plan.id), up.id)
  end
  if plan.grows then
    redis.call('HINCRBY', cold(65)(plan.graph), 'bytes', plan.grows)
  end
  if not plan.task then
    return
  elseif plan.set and plan.to then
    cold(141)(plan.id)
  elseif plan.set and not plan.joins then
    cold(133)(plan.id, plan.set)
  end
  if plan.joined then
    redis.call('UNLINK', cold(32)(plan.id))
    cold(193)(plan.task, plan.to, 'ready', '', 'readied', cold(192)(plan.task), 'parameters', plan.joined,
      'slots', plan.lengths)
  elseif plan.to then
    cold(193)(plan.task, plan.to, 'ready', '', 'readied', cold(192)(plan.task))
  elseif plan.slots then
    for _, slot in ipairs(plan.slots) do
      redis.call('HSET', cold(32)(plan.id), slot, plan.text)
    end
    redis.call('HSET', cold(32)(plan.id), 'bytes', plan.bytes)
  end
  if plan.joins then
    cold(91)(plan.id)
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
          if not namespace_declared or cold(115)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(188)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
end
end
else
if number < 57 then
-- 56 encore.key
return function(id)
  return namespace_prefix .. 'further_' .. id
end
else
if number < 58 then
-- 57 encore.plan_end
return function(task, to)
  if to == 'deleted' then
    local key = cold(111)(cold(56)(task.id))
    task.edge_keys = task.edge_keys or {}
    task.edge_keys[#task.edge_keys + 1] = key
    task.further_shared = redis.call('HGET', key, '/limits') or nil
    if task.further_shared then
      cold(180)()
    end
  elseif not cold(207)(task.status) then
    cold(112)('ZCARD', cold(33)())
    task.unsettled = true
  end
end
else
-- 58 fairness.ranked_key
return function(queue, number)
  return namespace_prefix .. 'ranked_tasks_' .. queue .. (number == '' and '' or '/' .. number)
end
end
end
end
else
if number < 62 then
if number < 60 then
-- 59 fairness.tasks_key
return function(queue, key, number)
  return namespace_prefix .. 'key_tasks_' .. queue .. '/' .. key .. (number == '' and '' or '/' .. number)
end
else
if number < 61 then
-- 60 fairness.rank
return function(us)
  return string.format('%016.0f', us)
end
else
-- 61 fairness.front_rank
return function(us)
  return '-' .. cold(60)(9007199254740991 - us)
end
end
end
else
if number < 64 then
if number < 63 then
-- 62 fairness.sort_value
return function(rank)
  if string.sub(rank, 1, 1) == '-' then
    return tonumber(string.sub(rank, 2)) - 9007199254740992
  end
  return tonumber(rank)
end
else
-- 63 fairness.refresh
return function(queue, key, number)
  local entries, field = cold(109)('turns', queue), key .. '/' .. number
  local first = redis.call('ZRANGE', cold(59)(queue, key, number), 0, 0, 'WITHSCORES')
  local current, wanted = redis.call('HGET', entries, field) or nil, nil
  if first[1] then
    local rank, weight = string.match(first[1], '^(%S+) %S+ (%S+)$')
    local fits, free = cold(95)(queue, key, weight)
    if fits then
      local served = redis.call('HGET', entries, key)
      if served and cold(62)(served) > cold(62)(rank) then
        rank = served
      end
      wanted = first[2] .. ' ' .. rank
    elseif free then
      redis.call('ZADD', cold(109)('delayed', queue), string.format('%.0f', free), key)
    end
  end
  if current == wanted then
    return
  end
  local ranked, rank = cold(58)(queue, number), nil
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
if number < 65 then
-- 64 fairness.refresh_all
return function(queue, key)
  local waits = false
  for _, number in ipairs(cold(120)(queue)) do
    cold(63)(queue, key, number)
    waits = waits or redis.call('EXISTS', cold(59)(queue, key, number)) == 1
  end
  if not waits and not redis.call('HGET', cold(109)('places', queue), 'k:' .. key) then
    redis.call('HDEL', cold(109)('turns', queue), key)
    redis.call('ZREM', cold(109)('delayed', queue), key)
  end
end
else
-- 65 graphs.key
return function(graph)
  return cold(109)('graph', graph)
end
end
end
end
end
else
if number < 72 then
if number < 69 then
if number < 67 then
-- 66 graphs.tasks
return function(graph)
  return cold(109)('members', graph)
end
else
if number < 68 then
-- 67 graphs.chosen
return function(graph)
  return cold(109)('chosen', graph)
end
else
-- 68 graphs.all
return function()
  return namespace_prefix .. 'graphs'
end
end
end
else
if number < 70 then
-- 69 graphs.on_failure
return function(id)
  if not id then
    return false
  end
  local known = cold(110)('on_failure')
  known[id] = known[id] or redis.call('HGET', cold(65)(id), 'on_failure') or 'cancel'
  return known[id]
end
else
if number < 71 then
-- 70 graphs.runs_anew
return function(graph, id)
  local doing = redis.call('HGET', cold(65)(graph), 'doing')
  return (doing == 'anew' or doing == 'mark_anew')
    and tonumber(redis.call('ZSCORE', cold(67)(graph), id) or 0) > 0
end
else
-- 71 graphs.counted
return function(length)
  return length >= 256 and length or 0
end
end
end
end
else
if number < 75 then
if number < 73 then
-- 72 graphs.most
return function()
  return cold(165)('*', 'graph_bytes')
end
else
if number < 74 then
-- 73 graphs.has_room
return function(id, bytes)
  local known = cold(110)('graph_bytes')
  local all = (known[id] or tonumber(redis.call('HGET', cold(111)(cold(65)(id)), 'bytes') or 0)) + bytes
  if all > tonumber(cold(72)()) then
    return false
  end
  known[id] = all
  return true
end
else
-- 74 graphs.unlimit
return function(bounds)
  for _, bound in ipairs(bounds) do
    redis.call('HDEL', bound.limits, bound.key)
  end
end
end
end
else
if number < 77 then
if number < 76 then
-- 75 graphs.plan_unlimit
return function(graph)
  local bounds = {}
  for queue, key in string.gmatch(redis.call('HGET', cold(65)(graph), 'bounds') or '', '([^/ ]+)/([^= ]+)=') do
    bounds[#bounds + 1] = { limits = cold(109)('limits', queue), key = key }
    cold(112)('HLEN', bounds[#bounds].limits)
  end
  return bounds
end
else
-- 76 graphs.count
return function(task, to)
  local key = cold(65)(task.graph)
  if cold(207)(to) then
    redis.call('HINCRBY', key, to, 1)
  end
  if task.status and cold(207)(task.status) then
    redis.call('HINCRBY', key, task.status, -1)
  end
  if to == 'deleted' and redis.call('HINCRBY', key, 'left', -1) == 0 then
    cold(74)(task.bounds)
    redis.call('UNLINK', key, cold(66)(task.graph))
    redis.call('ZREM', cold(68)(), task.graph)
  end
end
end
else
if number < 78 then
-- 77 groups.key
return function(queue, group)
  if #group > 128 or string.find(group, '[^%w._:@-]') then
    group = '~' .. redis.sha1hex(group)
  end
  return namespace_prefix .. 'group_' .. queue .. '/' .. group
end
else
-- 78 groups.plan
return function(task, to)
  if to ~= 'failed' then
    task.group = redis.call('HGET', namespace_prefix .. 'task_' .. task.id, 'group') or ''
  end
  local key = cold(77)(task.queue, task.group or '')
  cold(112)('ZCARD', cold(109)('groups', task.queue))
  cold(112)('ZCARD', key)
  if to ~= 'failed' and not redis.call('ZSCORE', key, task.id) then
    task.group = nil
  end
end
end
end
end
end
end
else
if number < 92 then
if number < 85 then
if number < 82 then
if number < 80 then
-- 79 groups.enter
return function(task, now)
  local group = task.group or ''
  local key = cold(77)(task.queue, group)
  redis.call('ZADD', key, now, task.id)
  redis.call('ZADD', cold(109)('groups', task.queue), redis.call('ZCARD', key), group)
end
else
if number < 81 then
-- 80 groups.leave
return function(task)
  if task.group then
    cold(198)(cold(77)(task.queue, task.group), cold(109)('groups', task.queue), task.group, task.id)
  end
end
else
-- 81 history.fields
return function()
  return 'status', 'created', 'promoted', 'reserved', 'started', 'updated', 'node', 'attempt', 'outcome', 'group',
    'error', 'schedule', 'slot',
    'ended', 'cost', 'cost_of', 'readied'
end
end
end
else
if number < 83 then
-- 82 history.last
return function(key, created)
  local entry = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
  local v = entry and entry[2]
  if not v or tonumber(v[2]) < (tonumber(created) or 0) then
    return 0, 0, '', 0, v ~= nil, ''
  end
  return tonumber(string.match(entry[1], '^%d+')), tonumber(v[2]) or 0, v[6], tonumber(v[8]) or 0, false, v[12]
end
else
if number < 84 then
-- 83 history.derive
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
    step(moved and cold(104)(since * 1000000) or created,
      readied and 'waiting' or promoted and 'scheduled' or cold(206)(status) and status or 'pending',
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
-- 84 history.plan
return function(task, to)
  if to == 'deleted' then
    cold(111)(cold(109)('history', task.id))
  elseif task.status then
    local key = cold(109)('history', task.id)
    cold(112)('XLEN', key)
    if namespace_declared and select(5, cold(82)(key, cold(150)(task.id))) then
      cold(113)()
    end
  end
end
end
end
end
else
if number < 88 then
if number < 86 then
-- 85 history.archive
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
  cold(86)(task, event, outcome, group, text, cost)
end
else
if number < 87 then
-- 86 history.add
return function(task, event, outcome, group, text, cost)
  local key = cold(109)('history', task.id)
  local told = redis.call('HMGET', cold(109)('task', task.id), cold(81)())
  local number, since, reached, nth, stale, cause = cold(82)(key, told[2])
  if stale then
    redis.call('UNLINK', key)
  end
  local kept = cold(83)(told, since, reached, nth, cause)
  kept[#kept + 1] = { event.at, task.status, event.to, task.attempt, event.by, event.why, outcome, group, text, cost,
    unpack(event.note or {}) }
  local most = cold(165)(task.queue, 'history')
  for i, v in ipairs(kept) do
    redis.call('XADD', key, 'MAXLEN', most, string.format('%.0f-0', number + i),
      'at', v[1], 'from', v[2], 'to', v[3], 'attempt', v[4], 'by', v[5], 'why', v[6], 'outcome', v[7], 'group', v[8],
      'error', v[9], 'cost', v[10], unpack(v, 11))
  end
end
else
-- 87 joins.key
return function(id)
  return namespace_prefix .. 'joined_' .. id
end
end
end
else
if number < 90 then
if number < 89 then
-- 88 joins.list
return function(filled, slots)
  local lengths = {}
  for slot = 0, slots - 1 do
    filled[slot] = filled[slot] or 'null'
    lengths[slot + 1] = #filled[slot]
  end
  return '[' .. table.concat(filled, ',', 0, slots - 1) .. ']', table.concat(lengths, ',')
end
else
-- 89 joins.collect
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
else
if number < 91 then
-- 90 joins.is_long
return function(id, slots, bytes)
  local joined = cold(110)('joined')
  local all = (joined.bytes or 0) + bytes
  if slots == 0 or bytes <= 262144 and all <= 1048576 then
    joined.bytes = slots > 0 and all or joined.bytes
    return false
  end
  cold(112)('ZCARD', cold(33)())
  cold(111)(cold(87)(id))
  cold(111)(cold(109)('task', id))
  return true
end
else
-- 91 joins.begin
return function(id)
  redis.call('UNLINK', cold(30)(id), cold(87)(id))
  redis.call('HDEL', cold(32)(id), 'joined', 'lengths', cold(131)())
  redis.call('HSET', cold(109)('task', id), 'cascade', 'join')
  redis.call('ZADD', cold(33)(), namespace_now, id)
end
end
end
end
end
else
if number < 98 then
if number < 95 then
if number < 93 then
-- 92 json.decodes
return function(text)
  return (pcall(cjson.decode, text))
end
else
if number < 94 then
-- 93 limits.starts_key
return function(queue, key)
  return namespace_prefix .. 'rate_' .. queue .. (key and '/' .. key or '')
end
else
-- 94 limits.of_key
return function(queue, key)
  local own, rate = string.match(redis.call('HGET', cold(109)('limits', queue), key) or '- -', '^(%S+) (%S+)$')
  own = tonumber(own ~= '-' and own or cold(165)(queue, 'key_concurrency'))
  if rate ~= '-' then
    return own, rate, 0
  end
  return own, cold(165)(queue, 'key_rate'), cold(166)(queue, 'key_rate')
end
end
end
else
if number < 96 then
-- 95 limits.fits
return function(queue, key, weight)
  local most, rate, since = cold(94)(queue, key)
  if weight == 'solo' then
    most, weight = 1, 1
  end
  if most then
    local used = tonumber(redis.call('HGET', cold(109)('places', queue), 'k:' .. key) or 0)
    if used + math.min(tonumber(weight), most) > most then
      return false
    end
  end
  return cold(97)(cold(93)(queue, key), rate, since)
end
else
if number < 97 then
-- 96 limits.start_expires
return function(starts, back, seconds, since)
  local last = tonumber(redis.call('LINDEX', starts, back) or nil)
  if last and last >= since and tonumber(redis.call('LINDEX', starts, 0)) <= namespace_now_us then
    return last + seconds * 1000000
  end
end
else
-- 97 limits.rate_allows
return function(starts, rate, since)
  if not rate then
    return true
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local free = cold(96)(starts, number - 1, seconds, since)
  if free and free > namespace_now_us then
    return false, free
  end
  return true
end
end
end
end
else
if number < 101 then
if number < 99 then
-- 98 limits.take
return function(task)
  local queue, key, weight = task.queue, task.fair_key, tonumber(task.weight or 1)
  local held = cold(109)('places', queue)
  redis.call('HSET', held, 'a:' .. task.id .. ' ' .. task.issue,
    weight .. ' ' .. (key or '') .. (task.shared and ' ' .. task.shared or ''))
  if task.shared then
    cold(178)(task.shared)
  end
  if weight > 1 then
    redis.call('HINCRBY', held, 'extra', weight - 1)
  end
  if key then
    local _, rate = cold(94)(queue, key)
    redis.call('HINCRBY', held, 'k:' .. key, weight)
    redis.call('HSET', cold(109)('turns', queue), key, cold(60)(namespace_now_us))
    cold(99)(cold(93)(queue, key), rate, string.format('%.0f', namespace_now_us))
  end
end
else
if number < 100 then
-- 99 limits.record_start
return function(starts, rate, us)
  if rate then
    redis.call('LPUSH', starts, us)
    local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
    redis.call('LTRIM', starts, 0, number - 1)
    redis.call('EXPIRE', starts, 2 * seconds + 60)
  end
end
else
-- 100 limits.release
return function(queue, id, token)
  local held, member = cold(109)('places', queue), 'a:' .. id .. ' ' .. token
  local weight, key, shared = string.match(redis.call('HGET', held, member) or '', '^(%d+) (%S*) ?(%S*)$')
  if not weight then
    return
  end
  redis.call('HDEL', held, member)
  if shared ~= '' then
    cold(179)(shared, queue)
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
    cold(64)(queue, key)
  end
end
end
end
else
if number < 103 then
if number < 102 then
-- 101 logs.index
return function()
  return namespace_prefix .. 'logs'
end
else
-- 102 logs.size
return function(id)
  local v = redis.call('HMGET', cold(111)(cold(109)('logged', id)), 'head', 'tail')
  if v[1] then
    cold(112)('ZCARD', cold(101)())
    return v[1] + v[2]
  end
end
end
else
if number < 104 then
-- 103 logs.forget
return function(id, size)
  redis.call('UNLINK', cold(109)('logged', id))
  redis.call('ZREM', cold(101)(), id)
  redis.call('HINCRBY', namespace_meta, 'logs', -size)
end
else
-- 104 namespace.decimal
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
if number < 157 then
if number < 131 then
if number < 118 then
if number < 111 then
if number < 108 then
if number < 106 then
-- 105 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(151)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(151)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
if number < 107 then
-- 106 namespace.use_test_time
return function(now)
  namespace_now_us = cold(11)(now or cold(151)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(151)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(104)(namespace_now_us)
end
else
-- 107 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(104)(namespace_now_us)
end
end
end
else
if number < 109 then
-- 108 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
if number < 110 then
-- 109 namespace.key
return function(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end
else
-- 110 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
end
end
end
else
if number < 114 then
if number < 112 then
-- 111 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
else
if number < 113 then
-- 112 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(111)(key)
  end
  return redis.call(command, key)
end
else
-- 113 namespace.require_settled_slot
return function()
  cold(111)(namespace_prefix .. 'unmoved')
end
end
end
else
if number < 116 then
if number < 115 then
-- 114 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(151)(cold(153)())
  end
end
else
-- 115 namespace.is_here
return function(key)
  return type(redis.pcall('EXISTS', namespace_meta, key)) == 'number'
end
end
else
if number < 117 then
-- 116 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(163)()
  if namespace_declared then
    cold(117)(first, ...)
  end
end
else
-- 117 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(114)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(163)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
end
end
end
end
else
if number < 124 then
if number < 121 then
if number < 119 then
-- 118 namespace.write_when_full
return function(key)
  redis.call('HDEL', key, '')
end
else
if number < 120 then
-- 119 needs.class
return function(task)
  if task.shared then
    return (task.needs or '') .. '|' .. task.shared
  end
  return task.needs
end
else
-- 120 needs.numbers
return function(queue)
  local numbers = { '' }
  for _, known in ipairs(redis.call('HVALS', cold(109)('needs', queue))) do
    numbers[#numbers + 1] = string.match(known, '^%d+')
  end
  return numbers
end
end
end
else
if number < 122 then
-- 121 needs.number
return function(queue, wanted)
  if not wanted then
    return ''
  end
  return string.match(redis.call('HGET', cold(109)('needs', queue), wanted) or '', '^%d+')
end
else
if number < 123 then
-- 122 needs.plan
return function(queue, wanted)
  local number, given = cold(121)(queue, wanted), cold(110)('needs')[queue] or {}
  if number or given[wanted] then
    return number or given[wanted]
  end
  local taken = {}
  for _, other in ipairs(cold(120)(queue)) do
    taken[other] = true
  end
  for _, other in pairs(given) do
    taken[other] = true
  end
  number = 1
  while taken[tostring(number)] do
    number = number + 1
  end
  given[wanted], cold(110)('needs')[queue] = tostring(number), given
  return given[wanted]
end
else
-- 123 needs.count
return function(queue, wanted, by)
  if not wanted then
    return ''
  end
  local known = cold(109)('needs', queue)
  local number, count = string.match(redis.call('HGET', known, wanted) or '', '^(%d+) (%d+)$')
  if not number then
    number, count = cold(122)(queue, wanted), 0
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
end
end
else
if number < 127 then
if number < 125 then
-- 124 patterns.parse
return function(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end
else
if number < 126 then
-- 125 patterns.set
return function(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = cold(124)(one)
  end
  return set
end
else
-- 126 patterns.matches
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
end
end
else
if number < 129 then
if number < 128 then
-- 127 patterns.chooser
return function(set)
  local matches, out, wanted = cold(126), set.out, set.wanted
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
-- 128 patterns.list
return function(text)
  return namespace_prefix .. 'wakes_' .. string.sub(redis.sha1hex(text), 1, 16)
end
end
else
if number < 130 then
-- 129 patterns.rouse
return function(sets, queue)
  local left = {}
  for text in string.gmatch(sets, '%S+') do
    local list = cold(128)(text)
    if cold(127)(cold(125)(text))(queue) and (not namespace_declared or cold(115)(list)) then
      redis.pcall('LPUSH', list, '1')
    else
      left[#left + 1] = text
    end
  end
  return table.concat(left, ' ')
end
else
-- 130 quorum.has
return function(task)
  return task.ties and string.find(task.ties, 'k', 1, true)
end
end
end
end
end
end
else
if number < 144 then
if number < 137 then
if number < 134 then
if number < 132 then
-- 131 quorum.fields
return function()
  return 'least', 'some', 'missed', 'turn', 'owed'
end
else
if number < 133 then
-- 132 quorum.read
return function(id)
  local v = redis.call('HMGET', cold(111)(cold(32)(id)), cold(131)())
  return { least = tonumber(v[1] or 0), left = tonumber(v[2] or 0), missed = tonumber(v[3] or 0),
    turn = tonumber(v[4] or 1), owed = tonumber(v[5] or 0) }
end
else
-- 133 quorum.write
return function(id, set)
  redis.call('HSET', cold(32)(id), 'least', set.least, 'some', set.left, 'missed', set.missed, 'turn', set.turn,
    'owed', set.owed)
end
end
end
else
if number < 135 then
-- 134 quorum.chances
return function(set)
  return set.left - set.missed + set.owed
end
else
if number < 136 then
-- 135 quorum.is_ready
return function(set, open)
  return set.least <= 0 and open == set.left
end
else
-- 136 quorum.text
return function(slots, turn)
  return 'some' .. (turn or '') .. (slots ~= '' and '/' .. slots or '')
end
end
end
end
else
if number < 140 then
if number < 138 then
-- 137 quorum.take
return function(set, mark)
  if mark == '0' then
    set.owed = set.owed - 1
  else
    set.left, set.missed = set.left - 1, set.missed - (tonumber(mark) == set.turn and 1 or 0)
  end
end
else
if number < 139 then
-- 138 quorum.plan_end
return function(plan, task, up, to, mark, slots)
  local set, open = plan.set, redis.call('HLEN', cold(30)(plan.id))
  cold(137)(set, mark)
  plan.met = to == 'complete'
  if plan.met then
    set.least = set.least - 1
    return
  elseif to == 'deleted' then
    plan.gone, open = cold(34)(slots), open - 1
  else
    set.left, set.missed = set.left + 1, set.missed + 1
  end
  if cold(135)(set, open) then
    plan.met, plan.ready = true, true
    return
  end
  local may_wait = cold(69)(task.extra[5]) == 'hold' and set.least <= set.left + set.owed
  if set.least > cold(134)(set) and not may_wait then
    cold(139)(plan, up, open)
    plan.short = set.least > cold(134)(set)
  end
  plan.missed = not plan.short and cold(136)(slots, set.turn)
end
else
-- 139 quorum.plan_again
return function(plan, up, open)
  local set = plan.set
  plan.again = {}
  local found = open <= 300 and redis.call('HGETALL', cold(30)(plan.id)) or {}
  for i = 1, #found, 2 do
    local mark, slots = string.match(found[i + 1], '^some(%d+)/?(.*)$')
    if found[i] ~= up.id and tonumber(mark) == set.turn then
      local other = cold(147)(found[i])
      if other and not cold(207)(other.status) then
        cold(112)('ZCARD', cold(31)(found[i]))
        plan.again[found[i]], set.missed = { up = other, text = cold(136)(slots) }, set.missed - 1
      end
    end
  end
end
end
end
else
if number < 142 then
if number < 141 then
-- 140 quorum.miss
return function(up, plan)
  if plan.gone then
    redis.call('ZREM', cold(31)(up.id), plan.id)
    redis.call('HDEL', cold(30)(plan.id), up.id)
    cold(54)(plan.id, plan.gone)
  else
    redis.call('ZADD', cold(31)(up.id), 'inf', plan.id)
    redis.call('HSET', cold(30)(plan.id), up.id, plan.missed)
  end
  for id, edge in pairs(plan.again or {}) do
    redis.call('ZADD', cold(31)(id), namespace_now, plan.id)
    redis.call('HSET', cold(30)(plan.id), id, edge.text)
    cold(40)(edge.up)
  end
  cold(133)(plan.id, plan.set)
end
else
-- 141 quorum.drop
return function(id)
  redis.call('UNLINK', cold(30)(id), cold(32)(id))
end
end
else
if number < 143 then
-- 142 ranking.plan
return function(task)
  local queue, probe = task.queue, cold(112)
  if task.limited then
    probe('HLEN', cold(109)('places', queue))
  end
  if task.ranked then
    cold(113)()
    probe('ZCARD', cold(109)('lane_tasks', queue))
    local numbers = task.fair_key and cold(120)(queue) or {}
    local class = cold(119)(task)
    numbers[#numbers + 1] = class and cold(122)(queue, class) or ''
    for _, number in ipairs(numbers) do
      probe('ZCARD', cold(58)(queue, number))
      if task.fair_key then
        probe('ZCARD', cold(59)(queue, task.fair_key, number))
      end
    end
  end
  if task.fair_key then
    probe('HLEN', cold(109)('turns', queue))
    probe('HLEN', cold(109)('limits', queue))
    probe('ZCARD', cold(109)('delayed', queue))
    probe('LLEN', cold(93)(queue, task.fair_key))
    cold(165)(queue, 'key_rate')
  end
end
else
-- 143 ranking.member
return function(task)
  return task.rank .. ' ' .. task.id .. ' ' .. (task.solo and 'solo' or task.weight or '1')
end
end
end
end
end
else
if number < 150 then
if number < 147 then
if number < 145 then
-- 144 ranking.add
return function(task)
  local queue = task.queue
  local field = 'lanes:' .. queue
  local last = math.max(tonumber(redis.call('HGET', namespace_meta, field) or 0) + 1, namespace_now_us)
  redis.call('HSET', namespace_meta, field, string.format('%.0f', last))
  task.rank = task.place or task.front and cold(61)(last) or cold(60)(last)
  redis.call('ZADD', cold(109)('lane_tasks', queue), -tonumber(task.priority or 0), task.rank .. ' ' .. task.id)
  do
    local task = task
    local queue, score = task.queue, -tonumber(task.priority or 0)
    local number = cold(123)(queue, cold(119)(task), 1)
    if task.fair_key then
      if task.turn then
        redis.call('HSETNX', cold(109)('turns', queue), task.fair_key,
          cold(60)(math.min(task.turn, namespace_now_us)))
      end
      redis.call('ZADD', cold(59)(queue, task.fair_key, number), score, cold(143)(task))
      cold(63)(queue, task.fair_key, number)
    else
      redis.call('ZADD', cold(58)(queue, number), score, task.rank .. ' ' .. task.id)
    end
  end
  redis.call('HSET', namespace_prefix .. 'task_' .. task.id, 'rank', task.rank)
end
else
if number < 146 then
-- 145 ranking.remove_from_index
return function(queue, member)
  local all = cold(109)('lane_tasks', queue)
  if redis.call('ZCARD', all) - redis.call('ZREM', all, member) == 0 then
    redis.call('HDEL', namespace_meta, 'lanes:' .. queue)
  end
end
else
-- 146 ranking.remove
return function(task, to)
  cold(145)(task.queue, task.rank .. ' ' .. task.id)
  do
    local task, to = task, to
    local queue = task.queue
    local class = cold(119)(task)
    local number = cold(121)(queue, class)
    if task.fair_key then
      redis.call('ZREM', cold(59)(queue, task.fair_key, number), cold(143)(task))
      if cold(185)(task, to) then
        cold(98)(task)
      end
      cold(64)(queue, task.fair_key)
    else
      redis.call('ZREM', cold(58)(queue, number), task.rank .. ' ' .. task.id)
      if task.limited and cold(185)(task, to) then
        cold(98)(task)
      end
    end
    cold(123)(queue, class, -1)
  end
  redis.call('HDEL', namespace_prefix .. 'task_' .. task.id, 'rank')
end
end
end
else
if number < 148 then
-- 147 record.find
return function(id, ...)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(111)(key)
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
if number < 149 then
-- 148 record.get
return function(id, ...)
  local task = cold(147)(id, ...)
  if not task or task.queue == '' then
    cold(114)(namespace_prefix .. 'task_' .. id)
    cold(151)('NOTASK', 'no task has this id: it was never submitted, or was deleted, or removed by retention')
  end
  return task
end
else
-- 149 record.held
return function(task)
  return task.status == 'reserved' or task.status == 'started'
end
end
end
end
else
if number < 153 then
if number < 151 then
-- 150 record.created
return function(id)
  return tonumber(redis.call('HGET', namespace_prefix .. 'task_' .. id, 'created') or 0)
end
else
if number < 152 then
-- 151 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(152)() then
    code, text = cold(153)()
  end
  error({ err = code .. ' ' .. text })
end
else
-- 152 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
end
end
else
if number < 155 then
if number < 154 then
-- 153 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
-- 154 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(153)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
end
else
if number < 156 then
-- 155 requests.key
return function()
  return namespace_prefix .. 'requests'
end
else
-- 156 requests.find
return function(command, request)
  if not request then
    return false
  end
  local own = cold(110)('request')
  own.field = command .. ' ' .. request
  local found = redis.call('HMGET', cold(111)(cold(155)()), own.field, 'first', 'last')
  own.first, own.last = tonumber(found[2]) or 1, tonumber(found[3]) or 0
  if found[1] then
    return true, cold(159)(found[1])
  end
  return false
end
end
end
end
end
end
end
else
if number < 183 then
if number < 170 then
if number < 163 then
if number < 160 then
if number < 158 then
-- 157 requests.keep
return function(answer)
  local own = cold(110)('request')
  if not own.begun then
    return answer
  end
  local key, first, last = cold(155)(), own.first, own.last + 1
  local known = last > 1 and first
  cold(118)(key)
  redis.call('HSET', key, own.field, cold(158)(answer), 'last', string.format('%.0f', last),
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
if number < 159 then
-- 158 requests.text
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
else
-- 159 requests.read
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
end
end
else
if number < 161 then
-- 160 rights.denied
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
if number < 162 then
-- 161 rights.refuse
return function(name)
  local role = string.match('CLIENT', '^%u+$')
  if role and not cold(160)({ name }, 'meta') then
    cold(151)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(151)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
-- 162 rights.check
return function(names)
  local name = cold(160)(names, 'CLIENT')
  if name then
    cold(161)(name)
  end
end
end
end
end
else
if number < 166 then
if number < 164 then
-- 163 rights.require
return function()
  cold(162)({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HGETALL', 'HINCRBY', 'HMGET', 'HSET', 'HSETNX', 'HVALS', 'LINDEX', 'LPUSH', 'LREM', 'LTRIM', 'RPOPLPUSH', 'RPUSH', 'SADD', 'SREM', 'UNLINK', 'XADD', 'XREVRANGE', 'ZADD', 'ZCARD', 'ZRANGE', 'ZREM' })
end
else
if number < 165 then
-- 164 settings.find
return function(text, name)
  return text and string.match(' ' .. text, ' ' .. name .. '=(%S+)')
end
else
-- 165 settings.get
return function(queue, name)
  local texts = cold(110)('settings')
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
end
else
if number < 168 then
if number < 167 then
-- 166 settings.since
return function(queue, name)
  cold(165)(queue, name)
  local own, common = unpack(cold(110)('settings')[queue], 1, 2)
  local since = cold(164)(cold(164)(own, name) and own or common, name .. '_since')
  return tonumber(since or 0)
end
else
-- 167 shares.limits_key
return function()
  return namespace_prefix .. 'shared_limits'
end
end
else
if number < 169 then
-- 168 shares.places_key
return function()
  return namespace_prefix .. 'shared_places'
end
else
-- 169 shares.tasks_key
return function()
  return namespace_prefix .. 'shared_tasks'
end
end
end
end
end
else
if number < 176 then
if number < 173 then
if number < 171 then
-- 170 shares.expires_key
return function()
  return namespace_prefix .. 'shared_expires'
end
else
if number < 172 then
-- 171 shares.idle_key
return function()
  return namespace_prefix .. 'shared_idle'
end
else
-- 172 shares.turns_key
return function(name)
  return namespace_prefix .. 'shared_turns_' .. name
end
end
end
else
if number < 174 then
-- 173 shares.starts_key
return function(name)
  return namespace_prefix .. 'shared_rate_' .. name
end
else
if number < 175 then
-- 174 shares.parts
return function(set)
  local parts = {}
  for name, weight in string.gmatch(set, '([%w_.-]+):?(%d*)') do
    parts[#parts + 1] = { name = name, weight = tonumber(weight) or 1 }
  end
  return parts
end
else
-- 175 shares.plan
return function(set, queue)
  cold(112)('HLEN', cold(168)())
  cold(112)('HLEN', cold(167)())
  for _, part in ipairs(cold(174)(set)) do
    if queue then
      cold(176)(part.name, queue, 4)
    else
      cold(112)('LLEN', cold(173)(part.name))
    end
  end
end
end
end
end
else
if number < 179 then
if number < 177 then
-- 176 shares.plan_wakes
return function(name, queue, most)
  local woken, key = cold(110)('woken'), name .. ' ' .. queue
  if woken[key] then
    return
  end
  woken[key] = {}
  local seen = { [queue] = true }
  for _, member in ipairs(redis.call('ZRANGE', cold(172)(name), 0, math.max(most, 16) - 1)) do
    local other = string.match(member, '^%S+')
    if #woken[key] < most and not seen[other] and redis.call('HEXISTS', namespace_meta, 'paused:' .. other) == 0 then
      seen[other] = true
      cold(187)(other)
      table.insert(woken[key], other)
    end
  end
end
else
if number < 178 then
-- 177 shares.wake
return function(name, queue)
  for _, other in ipairs(cold(110)('woken')[name .. ' ' .. queue] or {}) do
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
          if not namespace_declared or cold(115)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(188)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
else
-- 178 shares.take
return function(set)
  local now = string.format('%.0f', namespace_now_us)
  for _, part in ipairs(cold(174)(set)) do
    redis.call('HINCRBY', cold(168)(), part.name, part.weight)
    local rate = string.match(redis.call('HGET', cold(167)(), part.name) or '', ' (%d+/%d+)$')
    cold(99)(cold(173)(part.name), rate, now)
  end
end
end
end
else
if number < 181 then
if number < 180 then
-- 179 shares.release
return function(set, queue)
  for _, part in ipairs(cold(174)(set)) do
    if redis.call('HINCRBY', cold(168)(), part.name, -part.weight) <= 0 then
      redis.call('HDEL', cold(168)(), part.name)
    end
    cold(177)(part.name, queue)
  end
end
else
-- 180 shares.plan_count
return function()
  cold(112)('HLEN', cold(169)())
  cold(112)('HLEN', cold(170)())
  cold(112)('ZCARD', cold(171)())
end
end
else
if number < 182 then
-- 181 shares.count
return function(set, change)
  for _, part in ipairs(cold(174)(set)) do
    cold(182)(part.name, redis.call('HINCRBY', cold(169)(), part.name, change), change)
  end
end
else
-- 182 shares.note_tasks
return function(name, number, change)
  if number <= 0 then
    redis.call('HDEL', cold(169)(), name)
    cold(183)(name)
  elseif number == change then
    redis.call('ZREM', cold(171)(), name)
  end
end
end
end
end
end
end
else
if number < 196 then
if number < 189 then
if number < 186 then
if number < 184 then
-- 183 shares.begin_idle
return function(name)
  local expires = tonumber(redis.call('HGET', cold(170)(), name) or nil)
  if expires then
    redis.call('ZADD', cold(171)(), string.format('%.0f', namespace_now_us + expires * 1000000), name)
  end
end
else
if number < 185 then
-- 184 shares.count_task
return function(task, to)
  local open = task.status and not cold(207)(task.status)
  local opens = not cold(207)(to) and to ~= 'deleted' and to ~= 'moved'
  if opens and not open then
    cold(181)(task.shared, 1)
  elseif open and not opens then
    cold(181)(task.shared, -1)
  end
end
else
-- 185 state.takes
return function(task, to)
  return to == 'reserved' or to == 'started' and task.status == 'pending'
end
end
end
else
if number < 187 then
-- 186 state.probe_list
return function(list, task)
  if cold(112)('LLEN', list) <= 100 or task.from_end then
    return
  end
  local tail = redis.call('LINDEX', list, -1)
  if tail ~= task.id then
    local first = cold(150)(redis.call('LINDEX', list, 0))
    local last, own = cold(150)(tail), cold(150)(task.id)
    task.from_end = own - last < first - own and -1 or 1
  end
end
else
if number < 188 then
-- 187 state.plan_wake
return function(queue)
  local asleep = cold(110)('asleep')
  asleep[queue] = cold(112)('LLEN', namespace_prefix .. 'wake_' .. queue) == 0
  if not asleep['*'] then
    asleep['*'], state_roams = true, redis.call('HGET', namespace_meta, 'roams')
  end
end
else
-- 188 state.rouse
return function(queue)
  local left = cold(129)(state_roams, queue)
  if left ~= state_roams then
    state_roams = left
    redis.pcall('HSET', namespace_meta, 'roams', left)
  end
end
end
end
end
else
if number < 192 then
if number < 190 then
-- 189 state.plan_left
return function(task)
  local queue = task.queue
  if cold(112)('LLEN', cold(109)('pending_tasks', queue))
    + cold(112)('ZCARD', cold(109)('lane_tasks', queue)) > 1 then
    cold(187)(queue)
    task.wakes = true
  end
end
else
if number < 191 then
-- 190 state.plan
return function(task, to, taker)
  local probe, touch = cold(112), cold(111)
  local from, queue, prefix = task.status, task.queue, namespace_prefix
  local tasks, events = '_tasks_' .. queue, touch(prefix .. 'events_' .. queue)
  if task.ties then
    cold(22)(task, to, taker)
    if from == 'pending' and not taker and (task.weight or task.solo) then
      cold(189)(task)
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
        if (task.limited or cold(165)(queue, 'concurrency'))
          and (redis.call('LLEN', prefix .. 'pending_tasks_' .. queue) > 0
          or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1) then
          cold(187)(queue)
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
    cold(186)(prefix .. from .. tasks, task)
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
      cold(187)(queue)
      if task.ranked then
        task.last = false
      end
    end
  end
  if task.foreign or to == 'deleted' or to == 'moved' then
    probe('ZCARD', prefix .. 'tasks_' .. queue)
  end
  cold(191)(task, to)
end
else
-- 191 state.plan_own
return function(task, to)
  if to == 'deleted' then
    cold(111)(namespace_prefix .. 'log_' .. task.id)
    task.logged = cold(102)(task.id)
  end
  cold(84)(task, to)
  if to == 'failed' or task.status == 'failed' then
    cold(78)(task, to)
  end
end
end
end
else
if number < 194 then
if number < 193 then
-- 192 state.time
return function(task)
  local since, now = task.since, namespace_now
  if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
    now = since
  end
  return now
end
else
-- 193 state.move
return function(task, to, why, by, ...)
  local id, queue, from, prefix = task.id, task.queue, task.status, namespace_prefix
  local tasks = '_tasks_' .. queue
  if task.deadline then
    redis.call('ZADD', prefix .. 'leases_' .. queue, task.deadline, id .. ' ' .. (task.issue or task.token))
  end
  if task.foreign and to ~= 'deleted' and to ~= 'moved' then
    redis.call('ZADD', prefix .. 'tasks_' .. queue, task.created or cold(150)(id), id)
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
      cold(85)(task, { to = to, why = why, by = by, at = now }, ...)
    end
    if to == 'deleted' or to == 'moved' then
      if to == 'deleted' then
        redis.call('UNLINK', key, prefix .. 'log_' .. id, prefix .. 'history_' .. id)
        if task.edge_keys then
          redis.call('UNLINK', unpack(task.edge_keys))
        end
        if task.logged then
          cold(103)(id, task.logged)
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
      cold(28)(task, to)
      if task.tracked then
        cold(204)(task, to, why, by, ...)
      end
    end
    if to == 'failed' then
      cold(79)(task, now)
    elseif from == 'failed' then
      cold(80)(task)
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
            if not namespace_declared or cold(115)(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if state_roams ~= '' then
            cold(188)(queue)
          end
        end
        redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
      end
    end
    if task.dependents or task.unsettled then
      cold(51)(task)
    end
  end
end
end
else
if number < 195 then
-- 194 tags.key
return function(queue, tag)
  return namespace_prefix .. 'tag_' .. queue .. '/' .. tag
end
else
-- 195 tags.names
return function(text)
  local names = {}
  for tag in string.gmatch(text or '', '[^,]+') do
    names[#names + 1] = tag
  end
  return names
end
end
end
end
end
else
if number < 202 then
if number < 199 then
if number < 197 then
-- 196 tags.plan
return function(queue, text)
  cold(112)('ZCARD', cold(109)('tags', queue))
  for _, tag in ipairs(cold(195)(text)) do
    cold(112)('ZCARD', cold(194)(queue, tag))
  end
end
else
if number < 198 then
-- 197 tags.enter
return function(queue, id, created, text)
  for _, tag in ipairs(cold(195)(text)) do
    local key = cold(194)(queue, tag)
    redis.call('ZADD', key, created, id)
    redis.call('ZADD', cold(109)('tags', queue), redis.call('ZCARD', key), tag)
  end
end
else
-- 198 tags.remove
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
end
else
if number < 200 then
-- 199 tags.leave
return function(queue, id, text)
  for _, tag in ipairs(cold(195)(text)) do
    cold(198)(cold(194)(queue, tag), cold(109)('tags', queue), tag, id)
  end
end
else
if number < 201 then
-- 200 tracks.all
return function()
  return namespace_prefix .. 'tracked'
end
else
-- 201 tracks.key
return function()
  return namespace_prefix .. 'changes'
end
end
end
end
else
if number < 205 then
if number < 203 then
-- 202 tracks.plan
return function()
  cold(112)('XLEN', cold(201)())
  cold(112)('ZCARD', cold(200)())
end
else
if number < 204 then
-- 203 tracks.add
return function(task, at, what, from, to, by, why, text)
  redis.call('XADD', cold(201)(), 'MAXLEN', '~', '10000', '*', 'id', task.id, 'queue', task.queue, 'what', what,
    'from', from or '', 'to', to, 'attempt', task.attempt, 'at', at, 'by', by or '', 'why', why,
    'text', string.sub(text or '', 1, 1024))
  redis.pcall('PUBLISH', cold(201)(), '')
end
else
-- 204 tracks.transition
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
  cold(203)(task, cold(192)(task), 'state', task.status, to, by, why, text)
  if to == 'deleted' then
    cold(205)(task.id)
  end
end
end
end
else
if number < 207 then
if number < 206 then
-- 205 tracks.forget
return function(id)
  redis.call('ZREM', cold(200)(), id)
end
else
-- 206 contract.is_waiting
return function(status)
  return status == 'waiting' or status == 'scheduled' or status == 'pending'
end
end
else
if number < 208 then
-- 207 contract.is_final
return function(status)
  return status == 'complete' or status == 'failed' or status == 'cancelled'
end
else
-- 208 contract.option
return function(name, value)
  if name == 'by' or name == 'request' then
    return cold(10)(value, name)
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
  local id = contract_arguments()
  local options = cold(12)()
  local done, answer = cold(156)('delete', options.request)
  if done then
    return answer
  end

  cold(9)(id, cold(6), cold(7), { by = options.by, what = 'delete' })
  return cold(157)('deleted')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(154)(answer)
