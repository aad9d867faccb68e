--- Reports that a process works on the reserved task, and renews its lease.
-- @args now id token pid
-- @role worker
-- @options lease
-- @again a later deadline
-- @reply deadline
-- @errors LOST CANCELLED STATE

local cold

local args_at = 1

local edges_readied = false

local namespace_meta = KEYS[1] or ''

local namespace_prefix = string.sub(namespace_meta, 1, -5)

local namespace_declared = not string.find(namespace_meta, '^[^_{]*_meta$') and {}

local namespace_shared_tables = false

local namespace_gap = false

local namespace_now_us = 0

local namespace_now = ''

local owner_found_stale = false

local function owner_task(id, token, endings, ...)
  local key = namespace_prefix .. 'task_' .. id
  local v = redis.call('HMGET', key, 'status', 'token', 'node', 'attempt', 'queue', 'pid', 'cancel', 'updated', 'ties',
    'recall', ...)
  local status = v[1]
  if v[2] ~= token or not (status == 'started' or status == 'reserved') then
    return cold(111)(id, token, endings)
  end
  if namespace_declared then
    cold(100)(key)
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

local function state_move(task, to, why, by, ...)
  local id, queue, from, prefix = task.id, task.queue, task.status, namespace_prefix
  local tasks = '_tasks_' .. queue
  if task.deadline then
    redis.call('ZADD', prefix .. 'leases_' .. queue, task.deadline, id .. ' ' .. (task.issue or task.token))
  end
  if task.foreign and to ~= 'deleted' and to ~= 'moved' then
    redis.call('ZADD', prefix .. 'tasks_' .. queue, task.created or cold(136)(id), id)
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
      cold(74)(task, { to = to, why = why, by = by, at = now }, ...)
    end
    if to == 'deleted' or to == 'moved' then
      if to == 'deleted' then
        redis.call('UNLINK', key, prefix .. 'log_' .. id, prefix .. 'history_' .. id)
        if task.edge_keys then
          redis.call('UNLINK', unpack(task.edge_keys))
        end
        if task.logged then
          cold(92)(id, task.logged)
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
      cold(18)(task, to)
      if task.tracked then
        cold(185)(task, to, why, by, ...)
      end
    end
    if to == 'failed' then
      cold(68)(task, now)
    elseif from == 'failed' then
      cold(69)(task)
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
            if not namespace_declared or cold(104)(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if state_roams ~= '' then
            cold(170)(queue)
          end
        end
        redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
      end
    end
    if task.dependents or task.unsettled then
      cold(40)(task)
    end
  end
end

function cold(number)
if number < 95 then
if number < 48 then
if number < 24 then
if number < 12 then
if number < 6 then
if number < 3 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(138)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 2 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(138)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
end
else
if number < 4 then
-- 3 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(138)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
if number < 5 then
-- 4 args.missing
return function(names)
  local i = 1
  for name in string.gmatch(names, '%S+') do
    i = i + 1
    if not ARGV[i] then
      cold(138)('BADARG', 'missing argument: ' .. name)
    end
  end
end
else
-- 5 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(138)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(138)('BADARG', 'an option is given twice')
    end
    found[name] = cold(189)(name, value)
    if found[name] == nil then
      cold(138)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
end
end
end
else
if number < 9 then
if number < 7 then
-- 6 cascades.plan_begin
return function(task)
  local known = task.broken and 1 or 0
  if cold(58)(task.graph) == 'cancel' and redis.call('HLEN', cold(20)(task.id)) > known then
    cold(101)('ZCARD', cold(23)())
    task.unsettled, task.cascades = true, true
  end
end
else
if number < 8 then
-- 7 claims.load
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
-- 8 claims.name_holders
return function(queue, name)
  local v = redis.call('HMGET', cold(100)(cold(98)('unique', queue)), name, '/' .. name)
  local id, till = string.match(v[1] or '', '^(%S+) (%S+)$')
  return id, till, string.match(v[2] or '', '^(%S+) ')
end
end
end
else
if number < 10 then
-- 9 claims.has_latest_policy
return function(task)
  return task.solo and task.unique and task.unique == task.fair_key
end
else
if number < 11 then
-- 10 claims.waiting_attempt
return function(task, id)
  local other = id and id ~= task.id and cold(135)(id)
  if other and other.queue == task.queue and cold(187)(other.status) then
    cold(7)(other)
    return other.unique == task.unique and other or nil
  end
end
else
-- 11 claims.opens_or_closes
return function(task, to)
  return not task.status or cold(188)(task.status) or cold(188)(to) or to == 'deleted'
end
end
end
end
end
else
if number < 18 then
if number < 15 then
if number < 13 then
-- 12 claims.plan
return function(task, to, taker)
  cold(7)(task)
  local held = task.status == 'reserved' or task.status == 'started'
  if task.ranked and (task.rank or to == 'pending') or task.limited and (held or taker) then
    cold(130)(task)
  end
  if task.limited and held and taker then
    cold(102)()
  end
  if task.shared and (taker or held and to ~= 'started') then
    cold(157)(task.shared, not taker and task.queue)
  end
  if task.shared and (cold(11)(task, to) or to == 'moved') then
    cold(13)(to)
  end
  if task.unique then
    cold(14)(task, to)
  end
  if task.tags and (not task.status or to == 'deleted' or to == 'moved') then
    cold(177)(task.queue, task.tags)
  end
  if to == 'deleted' and string.find(task.ties, '[wd]') then
    cold(34)(task)
  end
  if task.graph and task.status and cold(11)(task, to) then
    cold(101)('HLEN', cold(54)(task.graph))
    cold(101)('ZCARD', cold(57)())
    cold(100)(cold(55)(task.graph))
    task.bounds = to == 'deleted' and cold(64)(task.graph) or nil
  end
  if task.graph and task.status == 'waiting' and (to == 'failed' or to == 'cancelled') then
    cold(6)(task)
  end
  if task.end_by and cold(11)(task, to) then
    cold(101)('ZCARD', cold(19)())
  end
  if string.find(task.ties, 'd', 1, true) and task.status and not cold(188)(task.status)
    and (cold(188)(to) or to == 'deleted') then
    cold(32)(task, to)
  end
  if task.tracked then
    cold(183)()
  end
  if string.find(task.ties, 'a', 1, true) and task.status and (cold(188)(to) or to == 'deleted') then
    cold(46)(task, to)
  end
end
else
if number < 14 then
-- 13 claims.plan_shared
return function(to)
  if to == 'moved' then
    cold(102)()
  end
  cold(162)()
end
else
-- 14 claims.plan_name
return function(task, to)
  local taken = cold(167)(task, to) and cold(9)(task)
  if (to == 'reserved' or to == 'started') and not taken and not (to == 'started' and task.till == 'start') then
    return
  end
  cold(101)('HLEN', cold(98)('unique', task.queue))
  if tonumber(task.till) then
    cold(101)('ZCARD', cold(98)('timed', task.queue))
  end
  task.holder, task.held_till, task.kept = cold(8)(task.queue, task.unique)
  if taken and task.status == 'pending' then
    task.older = cold(10)(task, task.kept)
    if task.older then
      cold(172)(task.older, 'cancelled')
    end
  end
end
end
end
else
if number < 16 then
-- 15 claims.take_name
return function(task)
  local unique, till = cold(98)('unique', task.queue), task.till
  if task.keeps then
    redis.call('HSET', unique, '/' .. task.unique, task.id .. ' kept')
    return
  elseif tonumber(till) then
    till = task.ends or string.format('%.0f', namespace_now_us + tonumber(till) * 1000000)
    redis.call('ZADD', cold(98)('timed', task.queue), till, task.unique)
  end
  redis.call('HSET', unique, task.unique, task.id .. ' ' .. till)
end
else
if number < 17 then
-- 16 claims.release_name
return function(task, to)
  local unique, timed = cold(98)('unique', task.queue), tonumber(task.held_till)
  if task.holder == task.id and (not timed or to == 'moved') then
    redis.call('HDEL', unique, task.unique)
    if timed then
      redis.call('ZREM', cold(98)('timed', task.queue), task.unique)
    end
  end
  if task.kept == task.id then
    redis.call('HDEL', unique, '/' .. task.unique)
  end
end
else
-- 17 claims.move_name
return function(task, to)
  local from, latest = task.status, cold(9)(task)
  local back = (from == 'reserved' or from == 'started') and cold(187)(to)
  local ends = cold(188)(to) or to == 'deleted' or to == 'moved'
  if ends or to == 'started' and task.till == 'start' or latest and cold(167)(task, to) then
    cold(16)(task, to)
  elseif not from or task.restarts or (from == 'failed' or from == 'cancelled') and not tonumber(task.till)
    or latest and back then
    cold(15)(task)
  end
  if task.older then
    state_move(task.older, 'cancelled', 'replaced', '', 'reason', 'replaced by ' .. task.id)
  end
end
end
end
end
else
if number < 21 then
if number < 19 then
-- 18 claims.move
return function(task, to)
  if not task.bound then
    return
  end
  local from = task.status
  local held = from == 'reserved' or from == 'started'
  local back = held and task.ranked and to == 'pending'
  if back then
    cold(132)(task)
  end
  if task.limited and held and to ~= 'started' then
    cold(89)(task.queue, task.id, task.token)
  end
  if task.rank and not back then
    cold(134)(task, to)
    task.rank = nil
  elseif task.limited and cold(167)(task, to) then
    cold(87)(task)
    if task.fair_key then
      cold(53)(task.queue, task.fair_key)
    end
  end
  if task.ranked and to == 'pending' and not back then
    cold(132)(task)
  end
  if task.shared then
    cold(166)(task, to)
  end
  if task.further_shared then
    cold(163)(task.further_shared, -1)
  end
  if task.tags and not from then
    cold(178)(task.queue, task.id, task.created, task.tags)
  elseif task.tags and (to == 'deleted' or to == 'moved') then
    cold(180)(task.queue, task.id, task.tags)
  end
  if task.unique then
    cold(17)(task, to)
  end
  if task.end_by and cold(11)(task, to) then
    if cold(188)(to) or to == 'deleted' or to == 'moved' then
      redis.call('ZREM', cold(19)(), task.id)
    else
      redis.call('ZADD', cold(19)(), task.end_by, task.id)
    end
  end
  if task.graph then
    cold(65)(task, to)
  end
end
else
if number < 20 then
-- 19 deadlines.key
return function()
  return namespace_prefix .. 'deadlines'
end
else
-- 20 edges.upstreams
return function(id)
  return namespace_prefix .. 'upstreams_' .. id
end
end
end
else
if number < 22 then
-- 21 edges.dependents
return function(id)
  return namespace_prefix .. 'dependents_' .. id
end
else
if number < 23 then
-- 22 edges.inputs
return function(id)
  return namespace_prefix .. 'inputs_' .. id
end
else
-- 23 edges.unsettled
return function()
  return namespace_prefix .. 'unsettled'
end
end
end
end
end
end
else
if number < 36 then
if number < 30 then
if number < 27 then
if number < 25 then
-- 24 edges.slots
return function(text)
  local slots = {}
  for slot in string.gmatch(text or '', '%d+') do
    slots[#slots + 1] = tonumber(slot)
  end
  return slots
end
else
if number < 26 then
-- 25 edges.is_met
return function(kind, to)
  if kind == 'after' or kind == 'optional' then
    return true
  end
  return (kind == 'failure') ~= (to == 'complete')
end
else
-- 26 edges.is_repairable
return function(kind, to)
  return cold(27)(kind) and (to == 'failed' or to == 'cancelled')
end
end
end
else
if number < 28 then
-- 27 edges.needs_success
return function(kind)
  return kind == 'success' or kind == 'result' or kind == 'some'
end
else
if number < 29 then
-- 28 edges.element
return function(result)
  return result == '' and 'null' or result
end
else
-- 29 edges.over
return function(queue, bytes)
  local most = bytes > 1024 and cold(147)(queue, 'input_bytes')
  if most and bytes > tonumber(most) then
    return 'over ' .. most .. ' bytes, the setting input_bytes'
  end
end
end
end
end
else
if number < 33 then
if number < 31 then
-- 30 edges.tie
return function(up)
  if not string.find(up.ties or '', 'd', 1, true) then
    up.ties = (up.ties or '') .. 'd'
    redis.call('HSET', up.key, 'ties', up.ties)
  end
end
else
if number < 32 then
-- 31 edges.waiting
return function(id)
  local key = cold(100)(cold(21)(id))
  local waiting, staged = redis.call('ZCOUNT', key, '(0', '+inf'), redis.call('ZCOUNT', key, '-inf', '-inf')
  return waiting + staged, waiting
end
else
-- 32 edges.plan_end
return function(task, to)
  local key = cold(100)(cold(21)(task.id))
  local ids = redis.call('ZRANGEBYSCORE', key, '(0', '+inf', 'LIMIT', 0, 100 + 1 + (task.knowing or 0))
  local number = #ids - (task.knowing or 0)
  if number <= 0 then
    return
  elseif task.later or number > 100 or cold(33)(task.id, ids, #(task.result or ''))
    or to ~= 'complete' and task.graph and cold(59)(task.graph, task.id) then
    cold(101)('ZCARD', cold(23)())
    task.unsettled = true
    return
  end
  cold(35)(task, to, ids)
end
end
end
else
if number < 34 then
-- 33 edges.is_much
return function(id, ids, length)
  local told = cold(99)('told')
  local looked, copied = (told.looked or 0) + length, (told.copied or 0) + #ids * length
  if length <= 131072 and looked <= 262144 and copied <= 1048576 then
    told.looked, told.copied = looked, copied
    return false
  end
  for _, other in ipairs(ids) do
    if string.find(redis.call('HGET', cold(20)(other), id) or '', '/', 1, true) then
      return true
    end
  end
  return false
end
else
if number < 35 then
-- 34 edges.plan_removal
return function(task)
  local dependents = cold(100)(cold(21)(task.id))
  task.edge_keys = { cold(100)(cold(20)(task.id)), cold(100)(cold(22)(task.id)),
    cold(100)(cold(76)(task.id)) }
  local all, waiting = cold(31)(task.id)
  if all == 0 then
    task.edge_keys[4] = dependents
  elseif waiting > 0 and cold(188)(task.status) then
    cold(101)('ZCARD', cold(23)())
    task.unsettled = true
  end
end
else
-- 35 edges.plan_page
return function(task, to, ids)
  task.dependents = {}
  for i, id in ipairs(ids) do
    task.dependents[i] = cold(36)(task, to, id)
  end
end
end
end
end
end
else
if number < 42 then
if number < 39 then
if number < 37 then
-- 36 edges.plan_one
return function(up, to, id)
  local task = cold(135)(id, cold(37)())
  local key = cold(100)(cold(20)(id))
  local kind, mark, slots = string.match(redis.call('HGET', key, up.id) or '', '^(%l+)(%d*)/?(.*)$')
  local plan = { id = id, met = not kind or cold(25)(kind, to) }
  if not task or task.status ~= 'waiting' or not kind then
    plan.kept = task and kind and cold(188)(task.status)
    return plan
  end
  if cold(118)(task) then
    plan.set = cold(120)(id)
  end
  if kind == 'some' then
    cold(126)(plan, task, up, to, mark, slots)
    if plan.missed then
      return plan
    end
  elseif not plan.met and cold(26)(kind, to) and cold(58)(task.extra[5]) == 'hold' then
    plan.held = true
    return plan
  end
  plan.task = task
  task.later = true
  if not plan.met then
    plan.to, task.group, task.broken = kind == 'failure' and 'cancelled' or 'failed', 'upstream', true
    cold(172)(task, plan.to)
    return plan
  end
  local open = redis.call('HLEN', key)
  plan.last = plan.ready or open == 1
  if plan.set and not plan.ready then
    plan.last = cold(123)(plan.set, open - 1)
  end
  local own = cold(100)(cold(22)(id))
  local known = (plan.last or slots ~= '') and redis.call('HMGET', own, 'slots', 'bytes')
  if slots ~= '' and not plan.ready then
    cold(39)(plan, up, to, slots, tonumber(known[2] or 0))
  end
  if plan.wrong then
    cold(172)(task, plan.to)
  elseif plan.last then
    cold(38)(plan, tonumber(known[1] or 0), plan.bytes or tonumber(known[2] or 0))
  end
  return plan
end
else
if number < 38 then
-- 37 edges.fields
return function()
  return 'eta', 'front', 'ended', 'retry_eta', 'graph'
end
else
-- 38 edges.plan_ready
return function(plan, slots, bytes)
  local task = plan.task
  plan.joins = cold(79)(plan.id, slots, bytes)
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
    plan.joined, plan.lengths = cold(77)(cold(78)(cold(22)(plan.id), slots, plan), slots)
  end
  cold(172)(task, plan.to)
end
end
end
else
if number < 40 then
-- 39 edges.plan_input
return function(plan, up, to, slots, bytes)
  local result = to == 'complete' and up.result or ''
  plan.slots, plan.text = cold(24)(slots), cold(28)(result)
  plan.bytes = bytes + #plan.text * #plan.slots
  if up.json == nil then
    up.json = result == '' or cold(81)(result)
  end
  local over = cold(29)(plan.task.queue, plan.bytes)
  if not up.json then
    plan.wrong = 'is not JSON'
  elseif over then
    plan.wrong = 'brings the inputs of this task ' .. over
  elseif cold(60)(#plan.text) > 0 and plan.task.extra[5] then
    plan.graph, plan.grows = plan.task.extra[5], #plan.text * #plan.slots
    if not cold(62)(plan.graph, plan.grows) then
      plan.wrong = 'brings the inputs of its graph over ' .. cold(61)() .. ' bytes, the setting graph_bytes'
    end
  end
  if plan.wrong then
    plan.to, plan.task.group, plan.task.broken = 'failed', 'input', true
  end
end
else
if number < 41 then
-- 40 edges.settle
return function(task)
  if task.unsettled then
    redis.call('ZADD', cold(23)(), namespace_now, task.id)
  end
  if task.cascades then
    redis.call('HSET', task.key or cold(98)('task', task.id), 'cascade', '0')
  end
  local told
  for _, plan in ipairs(task.dependents or {}) do
    if plan.kept then
      redis.call('ZADD', cold(21)(task.id), '-' .. namespace_now, plan.id)
    elseif plan.held then
      redis.call('ZADD', cold(21)(task.id), 'inf', plan.id)
    elseif plan.missed then
      cold(128)(task, plan)
    elseif plan.task and not plan.met then
      told = told or redis.call('HMGET', task.key or cold(98)('task', task.id), 'status', 'error', 'cause')
      cold(41)(task, plan, told)
    elseif plan.wrong then
      redis.call('ZADD', cold(21)(task.id), '-' .. namespace_now, plan.id)
      state_move(plan.task, 'failed', 'input', '', 'cause', task.id, 'group', 'input',
        'error', 'the result of ' .. task.id .. ' ' .. plan.wrong)
    else
      cold(44)(task, plan)
    end
  end
end
else
-- 41 edges.fail_with
return function(up, plan, told)
  local cause = told[3] or up.id
  redis.call('ZADD', cold(21)(up.id), '-' .. namespace_now, plan.id)
  if plan.to == 'cancelled' then
    state_move(plan.task, 'cancelled', 'upstream', '', 'cause', cause,
      'reason', 'not needed: ' .. up.id .. ' is complete')
    return
  end
  state_move(plan.task, 'failed', 'upstream', '', 'cause', cause, 'group', 'upstream',
    'error', (plan.short and 'too few of its set can still be complete: ' or '') .. cold(42)(up.id, told))
end
end
end
end
else
if number < 45 then
if number < 43 then
-- 42 edges.error_of
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
if number < 44 then
-- 43 edges.fill
return function(id, slots)
  for _, slot in ipairs(slots) do
    redis.call('HSET', cold(22)(id), slot, 'null')
  end
  if slots[1] then
    redis.call('HINCRBY', cold(22)(id), 'bytes', 4 * #slots)
  end
end
else
-- 44 edges.meet
return function(up, plan)
  if up then
    redis.call('ZREM', cold(21)(up.id), plan.id)
    redis.call('HDEL', cold(20)(plan.id), up.id)
  end
  if plan.grows then
    redis.call('HINCRBY', cold(54)(plan.graph), 'bytes', plan.grows)
  end
  if not plan.task then
    return
  elseif plan.set and plan.to then
    cold(129)(plan.id)
  elseif plan.set and not plan.joins then
    cold(121)(plan.id, plan.set)
  end
  if plan.joined then
    redis.call('UNLINK', cold(22)(plan.id))
    state_move(plan.task, plan.to, 'ready', '', 'readied', cold(174)(plan.task), 'parameters', plan.joined,
      'slots', plan.lengths)
  elseif plan.to then
    state_move(plan.task, plan.to, 'ready', '', 'readied', cold(174)(plan.task))
  elseif plan.slots then
    for _, slot in ipairs(plan.slots) do
      redis.call('HSET', cold(22)(plan.id), slot, plan.text)
    end
    redis.call('HSET', cold(22)(plan.id), 'bytes', plan.bytes)
  end
  if plan.joins then
    cold(80)(plan.id)
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
          if not namespace_declared or cold(104)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(170)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
end
end
else
if number < 46 then
-- 45 encore.key
return function(id)
  return namespace_prefix .. 'further_' .. id
end
else
if number < 47 then
-- 46 encore.plan_end
return function(task, to)
  if to == 'deleted' then
    local key = cold(100)(cold(45)(task.id))
    task.edge_keys = task.edge_keys or {}
    task.edge_keys[#task.edge_keys + 1] = key
    task.further_shared = redis.call('HGET', key, '/limits') or nil
    if task.further_shared then
      cold(162)()
    end
  elseif not cold(188)(task.status) then
    cold(101)('ZCARD', cold(23)())
    task.unsettled = true
  end
end
else
-- 47 fairness.ranked_key
return function(queue, number)
  return namespace_prefix .. 'ranked_tasks_' .. queue .. (number == '' and '' or '/' .. number)
end
end
end
end
end
end
end
else
if number < 71 then
if number < 59 then
if number < 53 then
if number < 50 then
if number < 49 then
-- 48 fairness.tasks_key
return function(queue, key, number)
  return namespace_prefix .. 'key_tasks_' .. queue .. '/' .. key .. (number == '' and '' or '/' .. number)
end
else
-- 49 fairness.rank
return function(us)
  return string.format('%016.0f', us)
end
end
else
if number < 51 then
-- 50 fairness.front_rank
return function(us)
  return '-' .. cold(49)(9007199254740991 - us)
end
else
if number < 52 then
-- 51 fairness.sort_value
return function(rank)
  if string.sub(rank, 1, 1) == '-' then
    return tonumber(string.sub(rank, 2)) - 9007199254740992
  end
  return tonumber(rank)
end
else
-- 52 fairness.refresh
return function(queue, key, number)
  local entries, field = cold(98)('turns', queue), key .. '/' .. number
  local first = redis.call('ZRANGE', cold(48)(queue, key, number), 0, 0, 'WITHSCORES')
  local current, wanted = redis.call('HGET', entries, field) or nil, nil
  if first[1] then
    local rank, weight = string.match(first[1], '^(%S+) %S+ (%S+)$')
    local fits, free = cold(84)(queue, key, weight)
    if fits then
      local served = redis.call('HGET', entries, key)
      if served and cold(51)(served) > cold(51)(rank) then
        rank = served
      end
      wanted = first[2] .. ' ' .. rank
    elseif free then
      redis.call('ZADD', cold(98)('delayed', queue), string.format('%.0f', free), key)
    end
  end
  if current == wanted then
    return
  end
  local ranked, rank = cold(47)(queue, number), nil
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
end
end
else
if number < 56 then
if number < 54 then
-- 53 fairness.refresh_all
return function(queue, key)
  local waits = false
  for _, number in ipairs(cold(107)(queue)) do
    cold(52)(queue, key, number)
    waits = waits or redis.call('EXISTS', cold(48)(queue, key, number)) == 1
  end
  if not waits and not redis.call('HGET', cold(98)('places', queue), 'k:' .. key) then
    redis.call('HDEL', cold(98)('turns', queue), key)
    redis.call('ZREM', cold(98)('delayed', queue), key)
  end
end
else
if number < 55 then
-- 54 graphs.key
return function(graph)
  return cold(98)('graph', graph)
end
else
-- 55 graphs.tasks
return function(graph)
  return cold(98)('members', graph)
end
end
end
else
if number < 57 then
-- 56 graphs.chosen
return function(graph)
  return cold(98)('chosen', graph)
end
else
if number < 58 then
-- 57 graphs.all
return function()
  return namespace_prefix .. 'graphs'
end
else
-- 58 graphs.on_failure
return function(id)
  if not id then
    return false
  end
  local known = cold(99)('on_failure')
  known[id] = known[id] or redis.call('HGET', cold(54)(id), 'on_failure') or 'cancel'
  return known[id]
end
end
end
end
end
else
if number < 65 then
if number < 62 then
if number < 60 then
-- 59 graphs.runs_anew
return function(graph, id)
  local doing = redis.call('HGET', cold(54)(graph), 'doing')
  return (doing == 'anew' or doing == 'mark_anew')
    and tonumber(redis.call('ZSCORE', cold(56)(graph), id) or 0) > 0
end
else
if number < 61 then
-- 60 graphs.counted
return function(length)
  return length >= 256 and length or 0
end
else
-- 61 graphs.most
return function()
  return cold(147)('*', 'graph_bytes')
end
end
end
else
if number < 63 then
-- 62 graphs.has_room
return function(id, bytes)
  local known = cold(99)('graph_bytes')
  local all = (known[id] or tonumber(redis.call('HGET', cold(100)(cold(54)(id)), 'bytes') or 0)) + bytes
  if all > tonumber(cold(61)()) then
    return false
  end
  known[id] = all
  return true
end
else
if number < 64 then
-- 63 graphs.unlimit
return function(bounds)
  for _, bound in ipairs(bounds) do
    redis.call('HDEL', bound.limits, bound.key)
  end
end
else
-- 64 graphs.plan_unlimit
return function(graph)
  local bounds = {}
  for queue, key in string.gmatch(redis.call('HGET', cold(54)(graph), 'bounds') or '', '([^/ ]+)/([^= ]+)=') do
    bounds[#bounds + 1] = { limits = cold(98)('limits', queue), key = key }
    cold(101)('HLEN', bounds[#bounds].limits)
  end
  return bounds
end
end
end
end
else
if number < 68 then
if number < 66 then
-- 65 graphs.count
return function(task, to)
  local key = cold(54)(task.graph)
  if cold(188)(to) then
    redis.call('HINCRBY', key, to, 1)
  end
  if task.status and cold(188)(task.status) then
    redis.call('HINCRBY', key, task.status, -1)
  end
  if to == 'deleted' and redis.call('HINCRBY', key, 'left', -1) == 0 then
    cold(63)(task.bounds)
    redis.call('UNLINK', key, cold(55)(task.graph))
    redis.call('ZREM', cold(57)(), task.graph)
  end
end
else
if number < 67 then
-- 66 groups.key
return function(queue, group)
  if #group > 128 or string.find(group, '[^%w._:@-]') then
    group = '~' .. redis.sha1hex(group)
  end
  return namespace_prefix .. 'group_' .. queue .. '/' .. group
end
else
-- 67 groups.plan
return function(task, to)
  if to ~= 'failed' then
    task.group = redis.call('HGET', namespace_prefix .. 'task_' .. task.id, 'group') or ''
  end
  local key = cold(66)(task.queue, task.group or '')
  cold(101)('ZCARD', cold(98)('groups', task.queue))
  cold(101)('ZCARD', key)
  if to ~= 'failed' and not redis.call('ZSCORE', key, task.id) then
    task.group = nil
  end
end
end
end
else
if number < 69 then
-- 68 groups.enter
return function(task, now)
  local group = task.group or ''
  local key = cold(66)(task.queue, group)
  redis.call('ZADD', key, now, task.id)
  redis.call('ZADD', cold(98)('groups', task.queue), redis.call('ZCARD', key), group)
end
else
if number < 70 then
-- 69 groups.leave
return function(task)
  if task.group then
    cold(179)(cold(66)(task.queue, task.group), cold(98)('groups', task.queue), task.group, task.id)
  end
end
else
-- 70 history.fields
return function()
  return 'status', 'created', 'promoted', 'reserved', 'started', 'updated', 'node', 'attempt', 'outcome', 'group',
    'error', 'schedule', 'slot',
    'ended', 'cost', 'cost_of', 'readied'
end
end
end
end
end
end
else
if number < 83 then
if number < 77 then
if number < 74 then
if number < 72 then
-- 71 history.last
return function(key, created)
  local entry = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
  local v = entry and entry[2]
  if not v or tonumber(v[2]) < (tonumber(created) or 0) then
    return 0, 0, '', 0, v ~= nil, ''
  end
  return tonumber(string.match(entry[1], '^%d+')), tonumber(v[2]) or 0, v[6], tonumber(v[8]) or 0, false, v[12]
end
else
if number < 73 then
-- 72 history.derive
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
    step(moved and cold(93)(since * 1000000) or created,
      readied and 'waiting' or promoted and 'scheduled' or cold(187)(status) and status or 'pending',
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
-- 73 history.plan
return function(task, to)
  if to == 'deleted' then
    cold(100)(cold(98)('history', task.id))
  elseif task.status then
    local key = cold(98)('history', task.id)
    cold(101)('XLEN', key)
    if namespace_declared and select(5, cold(71)(key, cold(136)(task.id))) then
      cold(102)()
    end
  end
end
end
end
else
if number < 75 then
-- 74 history.archive
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
  cold(75)(task, event, outcome, group, text, cost)
end
else
if number < 76 then
-- 75 history.add
return function(task, event, outcome, group, text, cost)
  local key = cold(98)('history', task.id)
  local told = redis.call('HMGET', cold(98)('task', task.id), cold(70)())
  local number, since, reached, nth, stale, cause = cold(71)(key, told[2])
  if stale then
    redis.call('UNLINK', key)
  end
  local kept = cold(72)(told, since, reached, nth, cause)
  kept[#kept + 1] = { event.at, task.status, event.to, task.attempt, event.by, event.why, outcome, group, text, cost,
    unpack(event.note or {}) }
  local most = cold(147)(task.queue, 'history')
  for i, v in ipairs(kept) do
    redis.call('XADD', key, 'MAXLEN', most, string.format('%.0f-0', number + i),
      'at', v[1], 'from', v[2], 'to', v[3], 'attempt', v[4], 'by', v[5], 'why', v[6], 'outcome', v[7], 'group', v[8],
      'error', v[9], 'cost', v[10], unpack(v, 11))
  end
end
else
-- 76 joins.key
return function(id)
  return namespace_prefix .. 'joined_' .. id
end
end
end
end
else
if number < 80 then
if number < 78 then
-- 77 joins.list
return function(filled, slots)
  local lengths = {}
  for slot = 0, slots - 1 do
    filled[slot] = filled[slot] or 'null'
    lengths[slot + 1] = #filled[slot]
  end
  return '[' .. table.concat(filled, ',', 0, slots - 1) .. ']', table.concat(lengths, ',')
end
else
if number < 79 then
-- 78 joins.collect
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
-- 79 joins.is_long
return function(id, slots, bytes)
  local joined = cold(99)('joined')
  local all = (joined.bytes or 0) + bytes
  if slots == 0 or bytes <= 262144 and all <= 1048576 then
    joined.bytes = slots > 0 and all or joined.bytes
    return false
  end
  cold(101)('ZCARD', cold(23)())
  cold(100)(cold(76)(id))
  cold(100)(cold(98)('task', id))
  return true
end
end
end
else
if number < 81 then
-- 80 joins.begin
return function(id)
  redis.call('UNLINK', cold(20)(id), cold(76)(id))
  redis.call('HDEL', cold(22)(id), 'joined', 'lengths', cold(119)())
  redis.call('HSET', cold(98)('task', id), 'cascade', 'join')
  redis.call('ZADD', cold(23)(), namespace_now, id)
end
else
if number < 82 then
-- 81 json.decodes
return function(text)
  return (pcall(cjson.decode, text))
end
else
-- 82 limits.starts_key
return function(queue, key)
  return namespace_prefix .. 'rate_' .. queue .. (key and '/' .. key or '')
end
end
end
end
end
else
if number < 89 then
if number < 86 then
if number < 84 then
-- 83 limits.of_key
return function(queue, key)
  local own, rate = string.match(redis.call('HGET', cold(98)('limits', queue), key) or '- -', '^(%S+) (%S+)$')
  own = tonumber(own ~= '-' and own or cold(147)(queue, 'key_concurrency'))
  if rate ~= '-' then
    return own, rate, 0
  end
  return own, cold(147)(queue, 'key_rate'), cold(148)(queue, 'key_rate')
end
else
if number < 85 then
-- 84 limits.fits
return function(queue, key, weight)
  local most, rate, since = cold(83)(queue, key)
  if weight == 'solo' then
    most, weight = 1, 1
  end
  if most then
    local used = tonumber(redis.call('HGET', cold(98)('places', queue), 'k:' .. key) or 0)
    if used + math.min(tonumber(weight), most) > most then
      return false
    end
  end
  return cold(86)(cold(82)(queue, key), rate, since)
end
else
-- 85 limits.start_expires
return function(starts, back, seconds, since)
  local last = tonumber(redis.call('LINDEX', starts, back) or nil)
  if last and last >= since and tonumber(redis.call('LINDEX', starts, 0)) <= namespace_now_us then
    return last + seconds * 1000000
  end
end
end
end
else
if number < 87 then
-- 86 limits.rate_allows
return function(starts, rate, since)
  if not rate then
    return true
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local free = cold(85)(starts, number - 1, seconds, since)
  if free and free > namespace_now_us then
    return false, free
  end
  return true
end
else
if number < 88 then
-- 87 limits.take
return function(task)
  local queue, key, weight = task.queue, task.fair_key, tonumber(task.weight or 1)
  local held = cold(98)('places', queue)
  redis.call('HSET', held, 'a:' .. task.id .. ' ' .. task.issue,
    weight .. ' ' .. (key or '') .. (task.shared and ' ' .. task.shared or ''))
  if task.shared then
    cold(160)(task.shared)
  end
  if weight > 1 then
    redis.call('HINCRBY', held, 'extra', weight - 1)
  end
  if key then
    local _, rate = cold(83)(queue, key)
    redis.call('HINCRBY', held, 'k:' .. key, weight)
    redis.call('HSET', cold(98)('turns', queue), key, cold(49)(namespace_now_us))
    cold(88)(cold(82)(queue, key), rate, string.format('%.0f', namespace_now_us))
  end
end
else
-- 88 limits.record_start
return function(starts, rate, us)
  if rate then
    redis.call('LPUSH', starts, us)
    local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
    redis.call('LTRIM', starts, 0, number - 1)
    redis.call('EXPIRE', starts, 2 * seconds + 60)
  end
end
end
end
end
else
if number < 92 then
if number < 90 then
-- 89 limits.release
return function(queue, id, token)
  local held, member = cold(98)('places', queue), 'a:' .. id .. ' ' .. token
  local weight, key, shared = string.match(redis.call('HGET', held, member) or '', '^(%d+) (%S*) ?(%S*)$')
  if not weight then
    return
  end
  redis.call('HDEL', held, member)
  if shared ~= '' then
    cold(161)(shared, queue)
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
    cold(53)(queue, key)
  end
end
else
if number < 91 then
-- 90 logs.index
return function()
  return namespace_prefix .. 'logs'
end
else
-- 91 logs.size
return function(id)
  local v = redis.call('HMGET', cold(100)(cold(98)('logged', id)), 'head', 'tail')
  if v[1] then
    cold(101)('ZCARD', cold(90)())
    return v[1] + v[2]
  end
end
end
end
else
if number < 93 then
-- 92 logs.forget
return function(id, size)
  redis.call('UNLINK', cold(98)('logged', id))
  redis.call('ZREM', cold(90)(), id)
  redis.call('HINCRBY', namespace_meta, 'logs', -size)
end
else
if number < 94 then
-- 93 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
-- 94 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(138)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(138)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
end
end
end
end
end
end
end
else
if number < 142 then
if number < 118 then
if number < 106 then
if number < 100 then
if number < 97 then
if number < 96 then
-- 95 namespace.use_test_time
return function(now)
  namespace_now_us = cold(3)(now or cold(138)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(138)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(93)(namespace_now_us)
end
else
-- 96 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(93)(namespace_now_us)
end
end
else
if number < 98 then
-- 97 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
if number < 99 then
-- 98 namespace.key
return function(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end
else
-- 99 namespace.shared
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
if number < 103 then
if number < 101 then
-- 100 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
else
if number < 102 then
-- 101 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(100)(key)
  end
  return redis.call(command, key)
end
else
-- 102 namespace.require_settled_slot
return function()
  cold(100)(namespace_prefix .. 'unmoved')
end
end
end
else
if number < 104 then
-- 103 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(138)(cold(140)())
  end
end
else
if number < 105 then
-- 104 namespace.is_here
return function(key)
  return type(redis.pcall('EXISTS', namespace_meta, key)) == 'number'
end
else
-- 105 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(103)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(145)()
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
if number < 112 then
if number < 109 then
if number < 107 then
-- 106 needs.class
return function(task)
  if task.shared then
    return (task.needs or '') .. '|' .. task.shared
  end
  return task.needs
end
else
if number < 108 then
-- 107 needs.numbers
return function(queue)
  local numbers = { '' }
  for _, known in ipairs(redis.call('HVALS', cold(98)('needs', queue))) do
    numbers[#numbers + 1] = string.match(known, '^%d+')
  end
  return numbers
end
else
-- 108 needs.number
return function(queue, wanted)
  if not wanted then
    return ''
  end
  return string.match(redis.call('HGET', cold(98)('needs', queue), wanted) or '', '^%d+')
end
end
end
else
if number < 110 then
-- 109 needs.plan
return function(queue, wanted)
  local number, given = cold(108)(queue, wanted), cold(99)('needs')[queue] or {}
  if number or given[wanted] then
    return number or given[wanted]
  end
  local taken = {}
  for _, other in ipairs(cold(107)(queue)) do
    taken[other] = true
  end
  for _, other in pairs(given) do
    taken[other] = true
  end
  number = 1
  while taken[tostring(number)] do
    number = number + 1
  end
  given[wanted], cold(99)('needs')[queue] = tostring(number), given
  return given[wanted]
end
else
if number < 111 then
-- 110 needs.count
return function(queue, wanted, by)
  if not wanted then
    return ''
  end
  local known = cold(98)('needs', queue)
  local number, count = string.match(redis.call('HGET', known, wanted) or '', '^(%d+) (%d+)$')
  if not number then
    number, count = cold(109)(queue, wanted), 0
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
-- 111 owner.stale
return function(id, token, endings)
  owner_found_stale = true
  cold(1)(id, 'id')
  cold(2)(token, 1, 9007199254740991, 'token')
  cold(103)(namespace_prefix .. 'task_' .. id)
  local last = redis.call('HMGET', namespace_prefix .. 'task_' .. id, 'ended', 'outcome', 'group')
  local discarded = last[2] == 'failed' and last[3] == 'deadline'
  if last[1] == token and last[2] and (string.find(endings, last[2] .. ' ', 1, true)
    or discarded and string.find(endings, 'discarded', 1, true)) then
    return nil, last[2]
  end
  cold(138)('LOST', 'this attempt no longer holds the task: stop the work and discard its result')
end
end
end
end
else
if number < 115 then
if number < 113 then
-- 112 patterns.parse
return function(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end
else
if number < 114 then
-- 113 patterns.set
return function(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = cold(112)(one)
  end
  return set
end
else
-- 114 patterns.matches
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
if number < 116 then
-- 115 patterns.chooser
return function(set)
  local matches, out, wanted = cold(114), set.out, set.wanted
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
if number < 117 then
-- 116 patterns.list
return function(text)
  return namespace_prefix .. 'wakes_' .. string.sub(redis.sha1hex(text), 1, 16)
end
else
-- 117 patterns.rouse
return function(sets, queue)
  local left = {}
  for text in string.gmatch(sets, '%S+') do
    local list = cold(116)(text)
    if cold(115)(cold(113)(text))(queue) and (not namespace_declared or cold(104)(list)) then
      redis.pcall('LPUSH', list, '1')
    else
      left[#left + 1] = text
    end
  end
  return table.concat(left, ' ')
end
end
end
end
end
end
else
if number < 130 then
if number < 124 then
if number < 121 then
if number < 119 then
-- 118 quorum.has
return function(task)
  return task.ties and string.find(task.ties, 'k', 1, true)
end
else
if number < 120 then
-- 119 quorum.fields
return function()
  return 'least', 'some', 'missed', 'turn', 'owed'
end
else
-- 120 quorum.read
return function(id)
  local v = redis.call('HMGET', cold(100)(cold(22)(id)), cold(119)())
  return { least = tonumber(v[1] or 0), left = tonumber(v[2] or 0), missed = tonumber(v[3] or 0),
    turn = tonumber(v[4] or 1), owed = tonumber(v[5] or 0) }
end
end
end
else
if number < 122 then
-- 121 quorum.write
return function(id, set)
  redis.call('HSET', cold(22)(id), 'least', set.least, 'some', set.left, 'missed', set.missed, 'turn', set.turn,
    'owed', set.owed)
end
else
if number < 123 then
-- 122 quorum.chances
return function(set)
  return set.left - set.missed + set.owed
end
else
-- 123 quorum.is_ready
return function(set, open)
  return set.least <= 0 and open == set.left
end
end
end
end
else
if number < 127 then
if number < 125 then
-- 124 quorum.text
return function(slots, turn)
  return 'some' .. (turn or '') .. (slots ~= '' and '/' .. slots or '')
end
else
if number < 126 then
-- 125 quorum.take
return function(set, mark)
  if mark == '0' then
    set.owed = set.owed - 1
  else
    set.left, set.missed = set.left - 1, set.missed - (tonumber(mark) == set.turn and 1 or 0)
  end
end
else
-- 126 quorum.plan_end
return function(plan, task, up, to, mark, slots)
  local set, open = plan.set, redis.call('HLEN', cold(20)(plan.id))
  cold(125)(set, mark)
  plan.met = to == 'complete'
  if plan.met then
    set.least = set.least - 1
    return
  elseif to == 'deleted' then
    plan.gone, open = cold(24)(slots), open - 1
  else
    set.left, set.missed = set.left + 1, set.missed + 1
  end
  if cold(123)(set, open) then
    plan.met, plan.ready = true, true
    return
  end
  local may_wait = cold(58)(task.extra[5]) == 'hold' and set.least <= set.left + set.owed
  if set.least > cold(122)(set) and not may_wait then
    cold(127)(plan, up, open)
    plan.short = set.least > cold(122)(set)
  end
  plan.missed = not plan.short and cold(124)(slots, set.turn)
end
end
end
else
if number < 128 then
-- 127 quorum.plan_again
return function(plan, up, open)
  local set = plan.set
  plan.again = {}
  local found = open <= 300 and redis.call('HGETALL', cold(20)(plan.id)) or {}
  for i = 1, #found, 2 do
    local mark, slots = string.match(found[i + 1], '^some(%d+)/?(.*)$')
    if found[i] ~= up.id and tonumber(mark) == set.turn then
      local other = cold(135)(found[i])
      if other and not cold(188)(other.status) then
        cold(101)('ZCARD', cold(21)(found[i]))
        plan.again[found[i]], set.missed = { up = other, text = cold(124)(slots) }, set.missed - 1
      end
    end
  end
end
else
if number < 129 then
-- 128 quorum.miss
return function(up, plan)
  if plan.gone then
    redis.call('ZREM', cold(21)(up.id), plan.id)
    redis.call('HDEL', cold(20)(plan.id), up.id)
    cold(43)(plan.id, plan.gone)
  else
    redis.call('ZADD', cold(21)(up.id), 'inf', plan.id)
    redis.call('HSET', cold(20)(plan.id), up.id, plan.missed)
  end
  for id, edge in pairs(plan.again or {}) do
    redis.call('ZADD', cold(21)(id), namespace_now, plan.id)
    redis.call('HSET', cold(20)(plan.id), id, edge.text)
    cold(30)(edge.up)
  end
  cold(121)(plan.id, plan.set)
end
else
-- 129 quorum.drop
return function(id)
  redis.call('UNLINK', cold(20)(id), cold(22)(id))
end
end
end
end
end
else
if number < 136 then
if number < 133 then
if number < 131 then
-- 130 ranking.plan
return function(task)
  local queue, probe = task.queue, cold(101)
  if task.limited then
    probe('HLEN', cold(98)('places', queue))
  end
  if task.ranked then
    cold(102)()
    probe('ZCARD', cold(98)('lane_tasks', queue))
    local numbers = task.fair_key and cold(107)(queue) or {}
    local class = cold(106)(task)
    numbers[#numbers + 1] = class and cold(109)(queue, class) or ''
    for _, number in ipairs(numbers) do
      probe('ZCARD', cold(47)(queue, number))
      if task.fair_key then
        probe('ZCARD', cold(48)(queue, task.fair_key, number))
      end
    end
  end
  if task.fair_key then
    probe('HLEN', cold(98)('turns', queue))
    probe('HLEN', cold(98)('limits', queue))
    probe('ZCARD', cold(98)('delayed', queue))
    probe('LLEN', cold(82)(queue, task.fair_key))
    cold(147)(queue, 'key_rate')
  end
end
else
if number < 132 then
-- 131 ranking.member
return function(task)
  return task.rank .. ' ' .. task.id .. ' ' .. (task.solo and 'solo' or task.weight or '1')
end
else
-- 132 ranking.add
return function(task)
  local queue = task.queue
  local field = 'lanes:' .. queue
  local last = math.max(tonumber(redis.call('HGET', namespace_meta, field) or 0) + 1, namespace_now_us)
  redis.call('HSET', namespace_meta, field, string.format('%.0f', last))
  task.rank = task.place or task.front and cold(50)(last) or cold(49)(last)
  redis.call('ZADD', cold(98)('lane_tasks', queue), -tonumber(task.priority or 0), task.rank .. ' ' .. task.id)
  do
    local task = task
    local queue, score = task.queue, -tonumber(task.priority or 0)
    local number = cold(110)(queue, cold(106)(task), 1)
    if task.fair_key then
      if task.turn then
        redis.call('HSETNX', cold(98)('turns', queue), task.fair_key,
          cold(49)(math.min(task.turn, namespace_now_us)))
      end
      redis.call('ZADD', cold(48)(queue, task.fair_key, number), score, cold(131)(task))
      cold(52)(queue, task.fair_key, number)
    else
      redis.call('ZADD', cold(47)(queue, number), score, task.rank .. ' ' .. task.id)
    end
  end
  redis.call('HSET', namespace_prefix .. 'task_' .. task.id, 'rank', task.rank)
end
end
end
else
if number < 134 then
-- 133 ranking.remove_from_index
return function(queue, member)
  local all = cold(98)('lane_tasks', queue)
  if redis.call('ZCARD', all) - redis.call('ZREM', all, member) == 0 then
    redis.call('HDEL', namespace_meta, 'lanes:' .. queue)
  end
end
else
if number < 135 then
-- 134 ranking.remove
return function(task, to)
  cold(133)(task.queue, task.rank .. ' ' .. task.id)
  do
    local task, to = task, to
    local queue = task.queue
    local class = cold(106)(task)
    local number = cold(108)(queue, class)
    if task.fair_key then
      redis.call('ZREM', cold(48)(queue, task.fair_key, number), cold(131)(task))
      if cold(167)(task, to) then
        cold(87)(task)
      end
      cold(53)(queue, task.fair_key)
    else
      redis.call('ZREM', cold(47)(queue, number), task.rank .. ' ' .. task.id)
      if task.limited and cold(167)(task, to) then
        cold(87)(task)
      end
    end
    cold(110)(queue, class, -1)
  end
  redis.call('HDEL', namespace_prefix .. 'task_' .. task.id, 'rank')
end
else
-- 135 record.find
return function(id, ...)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(100)(key)
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
else
if number < 139 then
if number < 137 then
-- 136 record.created
return function(id)
  return tonumber(redis.call('HGET', namespace_prefix .. 'task_' .. id, 'created') or 0)
end
else
if number < 138 then
-- 137 record.refuse
return function(status, allowed)
  cold(138)('STATE', 'the task is ' .. status .. '; this is for one that is ' .. allowed)
end
else
-- 138 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(139)() then
    code, text = cold(140)()
  end
  error({ err = code .. ' ' .. text })
end
end
end
else
if number < 140 then
-- 139 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
if number < 141 then
-- 140 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
-- 141 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(140)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
end
end
end
end
end
end
else
if number < 166 then
if number < 154 then
if number < 148 then
if number < 145 then
if number < 143 then
-- 142 rights.denied
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
if number < 144 then
-- 143 rights.refuse
return function(name)
  local role = string.match('WORKER', '^%u+$')
  if role and not cold(142)({ name }, 'meta') then
    cold(138)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(138)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
-- 144 rights.check
return function(names)
  local name = cold(142)(names, 'WORKER')
  if name then
    cold(143)(name)
  end
end
end
end
else
if number < 146 then
-- 145 rights.require
return function()
  cold(144)({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HGETALL', 'HINCRBY', 'HMGET', 'HSET', 'HSETNX', 'HVALS', 'LINDEX', 'LPUSH', 'LREM', 'LTRIM', 'RPOPLPUSH', 'RPUSH', 'SADD', 'SREM', 'UNLINK', 'XADD', 'XREVRANGE', 'ZADD', 'ZCARD', 'ZRANGE', 'ZREM' })
end
else
if number < 147 then
-- 146 settings.find
return function(text, name)
  return text and string.match(' ' .. text, ' ' .. name .. '=(%S+)')
end
else
-- 147 settings.get
return function(queue, name)
  local texts = cold(99)('settings')
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
end
else
if number < 151 then
if number < 149 then
-- 148 settings.since
return function(queue, name)
  cold(147)(queue, name)
  local own, common = unpack(cold(99)('settings')[queue], 1, 2)
  local since = cold(146)(cold(146)(own, name) and own or common, name .. '_since')
  return tonumber(since or 0)
end
else
if number < 150 then
-- 149 shares.limits_key
return function()
  return namespace_prefix .. 'shared_limits'
end
else
-- 150 shares.places_key
return function()
  return namespace_prefix .. 'shared_places'
end
end
end
else
if number < 152 then
-- 151 shares.tasks_key
return function()
  return namespace_prefix .. 'shared_tasks'
end
else
if number < 153 then
-- 152 shares.expires_key
return function()
  return namespace_prefix .. 'shared_expires'
end
else
-- 153 shares.idle_key
return function()
  return namespace_prefix .. 'shared_idle'
end
end
end
end
end
else
if number < 160 then
if number < 157 then
if number < 155 then
-- 154 shares.turns_key
return function(name)
  return namespace_prefix .. 'shared_turns_' .. name
end
else
if number < 156 then
-- 155 shares.starts_key
return function(name)
  return namespace_prefix .. 'shared_rate_' .. name
end
else
-- 156 shares.parts
return function(set)
  local parts = {}
  for name, weight in string.gmatch(set, '([%w_.-]+):?(%d*)') do
    parts[#parts + 1] = { name = name, weight = tonumber(weight) or 1 }
  end
  return parts
end
end
end
else
if number < 158 then
-- 157 shares.plan
return function(set, queue)
  cold(101)('HLEN', cold(150)())
  cold(101)('HLEN', cold(149)())
  for _, part in ipairs(cold(156)(set)) do
    if queue then
      cold(158)(part.name, queue, 4)
    else
      cold(101)('LLEN', cold(155)(part.name))
    end
  end
end
else
if number < 159 then
-- 158 shares.plan_wakes
return function(name, queue, most)
  local woken, key = cold(99)('woken'), name .. ' ' .. queue
  if woken[key] then
    return
  end
  woken[key] = {}
  local seen = { [queue] = true }
  for _, member in ipairs(redis.call('ZRANGE', cold(154)(name), 0, math.max(most, 16) - 1)) do
    local other = string.match(member, '^%S+')
    if #woken[key] < most and not seen[other] and redis.call('HEXISTS', namespace_meta, 'paused:' .. other) == 0 then
      seen[other] = true
      cold(169)(other)
      table.insert(woken[key], other)
    end
  end
end
else
-- 159 shares.wake
return function(name, queue)
  for _, other in ipairs(cold(99)('woken')[name .. ' ' .. queue] or {}) do
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
          if not namespace_declared or cold(104)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(170)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
end
end
end
else
if number < 163 then
if number < 161 then
-- 160 shares.take
return function(set)
  local now = string.format('%.0f', namespace_now_us)
  for _, part in ipairs(cold(156)(set)) do
    redis.call('HINCRBY', cold(150)(), part.name, part.weight)
    local rate = string.match(redis.call('HGET', cold(149)(), part.name) or '', ' (%d+/%d+)$')
    cold(88)(cold(155)(part.name), rate, now)
  end
end
else
if number < 162 then
-- 161 shares.release
return function(set, queue)
  for _, part in ipairs(cold(156)(set)) do
    if redis.call('HINCRBY', cold(150)(), part.name, -part.weight) <= 0 then
      redis.call('HDEL', cold(150)(), part.name)
    end
    cold(159)(part.name, queue)
  end
end
else
-- 162 shares.plan_count
return function()
  cold(101)('HLEN', cold(151)())
  cold(101)('HLEN', cold(152)())
  cold(101)('ZCARD', cold(153)())
end
end
end
else
if number < 164 then
-- 163 shares.count
return function(set, change)
  for _, part in ipairs(cold(156)(set)) do
    cold(164)(part.name, redis.call('HINCRBY', cold(151)(), part.name, change), change)
  end
end
else
if number < 165 then
-- 164 shares.note_tasks
return function(name, number, change)
  if number <= 0 then
    redis.call('HDEL', cold(151)(), name)
    cold(165)(name)
  elseif number == change then
    redis.call('ZREM', cold(153)(), name)
  end
end
else
-- 165 shares.begin_idle
return function(name)
  local expires = tonumber(redis.call('HGET', cold(152)(), name) or nil)
  if expires then
    redis.call('ZADD', cold(153)(), string.format('%.0f', namespace_now_us + expires * 1000000), name)
  end
end
end
end
end
end
end
else
if number < 178 then
if number < 172 then
if number < 169 then
if number < 167 then
-- 166 shares.count_task
return function(task, to)
  local open = task.status and not cold(188)(task.status)
  local opens = not cold(188)(to) and to ~= 'deleted' and to ~= 'moved'
  if opens and not open then
    cold(163)(task.shared, 1)
  elseif open and not opens then
    cold(163)(task.shared, -1)
  end
end
else
if number < 168 then
-- 167 state.takes
return function(task, to)
  return to == 'reserved' or to == 'started' and task.status == 'pending'
end
else
-- 168 state.probe_list
return function(list, task)
  if cold(101)('LLEN', list) <= 100 or task.from_end then
    return
  end
  local tail = redis.call('LINDEX', list, -1)
  if tail ~= task.id then
    local first = cold(136)(redis.call('LINDEX', list, 0))
    local last, own = cold(136)(tail), cold(136)(task.id)
    task.from_end = own - last < first - own and -1 or 1
  end
end
end
end
else
if number < 170 then
-- 169 state.plan_wake
return function(queue)
  local asleep = cold(99)('asleep')
  asleep[queue] = cold(101)('LLEN', namespace_prefix .. 'wake_' .. queue) == 0
  if not asleep['*'] then
    asleep['*'], state_roams = true, redis.call('HGET', namespace_meta, 'roams')
  end
end
else
if number < 171 then
-- 170 state.rouse
return function(queue)
  local left = cold(117)(state_roams, queue)
  if left ~= state_roams then
    state_roams = left
    redis.pcall('HSET', namespace_meta, 'roams', left)
  end
end
else
-- 171 state.plan_left
return function(task)
  local queue = task.queue
  if cold(101)('LLEN', cold(98)('pending_tasks', queue))
    + cold(101)('ZCARD', cold(98)('lane_tasks', queue)) > 1 then
    cold(169)(queue)
    task.wakes = true
  end
end
end
end
end
else
if number < 175 then
if number < 173 then
-- 172 state.plan
return function(task, to, taker)
  local probe, touch = cold(101), cold(100)
  local from, queue, prefix = task.status, task.queue, namespace_prefix
  local tasks, events = '_tasks_' .. queue, touch(prefix .. 'events_' .. queue)
  if task.ties then
    cold(12)(task, to, taker)
    if from == 'pending' and not taker and (task.weight or task.solo) then
      cold(171)(task)
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
        if (task.limited or cold(147)(queue, 'concurrency'))
          and (redis.call('LLEN', prefix .. 'pending_tasks_' .. queue) > 0
          or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1) then
          cold(169)(queue)
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
    cold(168)(prefix .. from .. tasks, task)
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
      cold(169)(queue)
      if task.ranked then
        task.last = false
      end
    end
  end
  if task.foreign or to == 'deleted' or to == 'moved' then
    probe('ZCARD', prefix .. 'tasks_' .. queue)
  end
  cold(173)(task, to)
end
else
if number < 174 then
-- 173 state.plan_own
return function(task, to)
  if to == 'deleted' then
    cold(100)(namespace_prefix .. 'log_' .. task.id)
    task.logged = cold(91)(task.id)
  end
  cold(73)(task, to)
  if to == 'failed' or task.status == 'failed' then
    cold(67)(task, to)
  end
end
else
-- 174 state.time
return function(task)
  local since, now = task.since, namespace_now
  if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
    now = since
  end
  return now
end
end
end
else
if number < 176 then
-- 175 tags.key
return function(queue, tag)
  return namespace_prefix .. 'tag_' .. queue .. '/' .. tag
end
else
if number < 177 then
-- 176 tags.names
return function(text)
  local names = {}
  for tag in string.gmatch(text or '', '[^,]+') do
    names[#names + 1] = tag
  end
  return names
end
else
-- 177 tags.plan
return function(queue, text)
  cold(101)('ZCARD', cold(98)('tags', queue))
  for _, tag in ipairs(cold(176)(text)) do
    cold(101)('ZCARD', cold(175)(queue, tag))
  end
end
end
end
end
end
else
if number < 184 then
if number < 181 then
if number < 179 then
-- 178 tags.enter
return function(queue, id, created, text)
  for _, tag in ipairs(cold(176)(text)) do
    local key = cold(175)(queue, tag)
    redis.call('ZADD', key, created, id)
    redis.call('ZADD', cold(98)('tags', queue), redis.call('ZCARD', key), tag)
  end
end
else
if number < 180 then
-- 179 tags.remove
return function(key, counts, name, id)
  local left = redis.call('ZCARD', key)
  left = left - redis.call('ZREM', key, id)
  if left > 0 then
    redis.call('ZADD', counts, left, name)
  else
    redis.call('ZREM', counts, name)
  end
end
else
-- 180 tags.leave
return function(queue, id, text)
  for _, tag in ipairs(cold(176)(text)) do
    cold(179)(cold(175)(queue, tag), cold(98)('tags', queue), tag, id)
  end
end
end
end
else
if number < 182 then
-- 181 tracks.all
return function()
  return namespace_prefix .. 'tracked'
end
else
if number < 183 then
-- 182 tracks.key
return function()
  return namespace_prefix .. 'changes'
end
else
-- 183 tracks.plan
return function()
  cold(101)('XLEN', cold(182)())
  cold(101)('ZCARD', cold(181)())
end
end
end
end
else
if number < 187 then
if number < 185 then
-- 184 tracks.add
return function(task, at, what, from, to, by, why, text)
  redis.call('XADD', cold(182)(), 'MAXLEN', '~', '10000', '*', 'id', task.id, 'queue', task.queue, 'what', what,
    'from', from or '', 'to', to, 'attempt', task.attempt, 'at', at, 'by', by or '', 'why', why,
    'text', string.sub(text or '', 1, 1024))
  redis.pcall('PUBLISH', cold(182)(), '')
end
else
if number < 186 then
-- 185 tracks.transition
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
  cold(184)(task, cold(174)(task), 'state', task.status, to, by, why, text)
  if to == 'deleted' then
    cold(186)(task.id)
  end
end
else
-- 186 tracks.forget
return function(id)
  redis.call('ZREM', cold(181)(), id)
end
end
end
else
if number < 188 then
-- 187 contract.is_waiting
return function(status)
  return status == 'waiting' or status == 'scheduled' or status == 'pending'
end
else
if number < 189 then
-- 188 contract.is_final
return function(status)
  return status == 'complete' or status == 'failed' or status == 'cancelled'
end
else
-- 189 contract.option
return function(name, value)
  if name == 'lease' then
    return cold(3)(value, 1, 604800, name)
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
  do
    local clock = redis.call('HGET', namespace_meta, 'clock:1')
    if not clock or #KEYS ~= 1 or namespace_declared and not string.find(namespace_meta, '^[^_]*_meta$') then
      clock = cold(94)()
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
      cold(95)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(96)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(97)(floor)
    end
  end
  local id, token, pid = ARGV[2], ARGV[3], ARGV[4]
  if not pid then
    cold(4)('id token pid')
  end
  if not string.find(pid, '^[1-9]%d?%d?%d?%d?%d?$') then
    pid = string.format('%d', cold(2)(pid, 1, 4194304, 'pid'))
  end
  local lease = ARGV[5] and cold(5)(4).lease

  local task, given = owner_task(id, token, '', 'lease')
  if task.cancel then
    cold(138)('CANCELLED', 'the task was cancelled before it started: release it')
  end
  lease = lease and string.format('%.0f', lease) or given
  local prefix, queue, deadline = namespace_prefix, task.queue, namespace_now_us + lease
  local leases = prefix .. 'leases_' .. queue
  local value_1_1
  do
    local us = deadline
    local micros = us % 1000000
    value_1_1 = string.format('%d%06d', (us - micros) / 1000000, micros)
  end
  local digits = value_1_1
  task.deadline = digits
  local may, role = redis.acl_check_cmd, prefix .. 'WORKER'
  if task.status == 'started' then
    if task.pid ~= pid then
      cold(137)('started by another process', 'reserved')
    end
    if may and not may('ZADD', role, '', '') then
      cold(145)()
    end
    if namespace_declared then
      cold(105)(leases)
    end
    local value_1_1
    do
      local task = task

      value_1_1 = task.id .. ' ' .. task.token
    end
    local member = value_1_1
    redis.call('ZADD', leases, task.deadline, member)
    return deadline
  end

  local events, started = prefix .. 'events_' .. queue, prefix .. 'started_tasks_' .. queue
  do
    local events, count, index = events, 'SCARD', started
    redis.call('XLEN', events)
    redis.call(count, index)
  end
  if task.ties and string.find(task.ties, '[uo]') then
    cold(12)(task, 'started')
  end
  if may and not (may('SADD', started, '') and may('HSET', role, '', '') and may('XADD', events, '*', '', ''))
    or task.ties and string.find(task.ties, '[uo]') then
    cold(145)()
  end
  if namespace_declared then
    cold(105)(leases, events, started)
  end
  task.pid = pid
  local value_1_1
  do
    local task = task
    local since, now = task.since, namespace_now
    if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
      now = since
    end
    value_1_1 = now
  end
  local now = value_1_1
  state_move(task, 'started', 'start', task.node, 'pid', pid, 'lease', lease, 'started', now)
  return deadline
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(141)(answer)
