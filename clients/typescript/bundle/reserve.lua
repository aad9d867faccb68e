--- Gives the next task of the first queue that has one to a listener, or up to `limit` tasks as if one by one; with `pid` they are started at once.
-- @args now listener count queue*count
-- @role worker
-- @options limit pid lease request woken order weights due
-- @reply nil, or for each task id queue token attempt deadline lease outcome losses failures parameters checkpoint; with `due` first when `upkeep` of these queues is due, in seconds, if there is no task, else an empty string
-- @errors NOLISTENER DRAINING

local cold

local args_at = 1

local attempt_strays = false

local attempt_updates = false

local edges_readied = false

local namespace_meta = KEYS[1] or ''

local namespace_prefix = string.sub(namespace_meta, 1, -5)

local namespace_declared = not string.find(namespace_meta, '^[^_{]*_meta$') and {}

local namespace_shared_tables = false

local namespace_gap = false

local namespace_now_us = 0

local namespace_now = ''

local state_asleep = false

local state_roams = false

local state_written = false

local function state_move(task, to, why, by, ...)
  local id, queue, from, prefix = task.id, task.queue, task.status, namespace_prefix
  local tasks = '_tasks_' .. queue
  if task.deadline then
    redis.call('ZADD', prefix .. 'leases_' .. queue, task.deadline, id .. ' ' .. (task.issue or task.token))
  end
  if task.foreign and to ~= 'deleted' and to ~= 'moved' then
    redis.call('ZADD', prefix .. 'tasks_' .. queue, task.created or cold(171)(id), id)
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
          cold(118)(id, task.logged)
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
      cold(36)(task, to)
      if task.tracked then
        cold(248)(task, to, why, by, ...)
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
            if not namespace_declared or cold(131)(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if state_roams ~= '' then
            cold(218)(queue)
          end
        end
        redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
      end
    end
    if task.dependents or task.unsettled then
      cold(58)(task)
    end
  end
end

function cold(number)
if number < 129 then
if number < 65 then
if number < 33 then
if number < 17 then
if number < 9 then
if number < 5 then
if number < 3 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(172)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 2 args.listener
return function(value)
  if #value > 200 or not string.find(value, '^[%w.:-]+_%d+$') then
    cold(172)('BADNAME', 'a listener must be HOSTNAME_PID: letters, digits, . : - then _ and digits')
  end
  return value
end
end
else
if number < 4 then
-- 3 args.word
return function(value, words, what)
  if not cold(5)(value, words) then
    cold(172)('BADARG', what .. ' must be ' .. cold(4)(words, 'or'))
  end
  return value
end
else
-- 4 args.listed
return function(words, last)
  local list = string.gsub(string.sub(words, 2, -2), ' ', ', ')
  return (string.gsub(list, ', (%S+)$', ' ' .. last .. ' %1'))
end
end
end
else
if number < 7 then
if number < 6 then
-- 5 args.among
return function(value, words)
  return string.find(value, '^[%l_]+$') and string.find(words, ' ' .. value .. ' ') ~= nil
end
else
-- 6 args.flag
return function(value, what)
  if value ~= '0' and value ~= '1' then
    cold(172)('BADARG', what .. ' must be 0 or 1')
  end
  return value == '1'
end
end
else
if number < 8 then
-- 7 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(172)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
else
-- 8 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(172)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
end
end
else
if number < 13 then
if number < 11 then
if number < 10 then
-- 9 args.missing
return function(names)
  local i = 1
  for name in string.gmatch(names, '%S+') do
    i = i + 1
    if not ARGV[i] then
      cold(172)('BADARG', 'missing argument: ' .. name)
    end
  end
end
else
-- 10 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(172)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(172)('BADARG', 'an option is given twice')
    end
    found[name] = cold(255)(name, value)
    if found[name] == nil then
      cold(172)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
end
else
if number < 12 then
-- 11 args.weights
return function(value, what)
  local weights = {}
  for weight in string.gmatch(#value <= 200 and value .. ',' or '', '([^,]*),') do
    weights[#weights + 1] = cold(7)(weight, 1, 1000, what)
  end
  return weights
end
else
-- 12 attempt.fields
return function()
  return 'outcome', 'losses', 'failures', 'parameters', 'checkpoint'
end
end
end
else
if number < 15 then
if number < 14 then
-- 13 attempt.answer
return function(task, deadline, lease, told)
  return { task.id, task.queue, task.token, tonumber(task.attempt), deadline, lease,
    told[1] or '', told[2] or '0', told[3] or '0', told[4] or '', told[5] }
end
else
-- 14 attempt.repeated
return function(id, listener, request)
  local v = redis.call('HMGET', namespace_prefix .. 'task_' .. id,
    'status', 'queue', 'attempt', 'token', 'node', 'request', 'lease', cold(12)())
  if (v[1] ~= 'reserved' and v[1] ~= 'started') or v[5] ~= listener or v[6] ~= request then
    return nil
  end
  local deadline = redis.call('ZSCORE', namespace_prefix .. 'leases_' .. v[2], id .. ' ' .. (v[4] or ''))
  local task = { id = id, queue = v[2], token = v[4], attempt = v[3] }
  return deadline and cold(13)(task, tonumber(deadline), tonumber(v[7]), { unpack(v, 8, 12) })
end
end
else
if number < 16 then
-- 15 attempt.add_stray
return function(task)
  cold(25)(task)
  if not task.rank then
    attempt_strays = attempt_strays or {}
    attempt_strays[#attempt_strays + 1] = task
    cold(159)(task)
    cold(217)(task.queue)
  end
end
else
-- 16 attempt.clear
return function(ghosts)
  for queue, number in pairs(ghosts or {}) do
    for _ = 1, number do
      redis.call('RPOP', namespace_prefix .. 'pending_tasks_' .. queue)
    end
  end
  for _, task in ipairs(attempt_strays or {}) do
    cold(161)(task)
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
          if not namespace_declared or cold(131)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(218)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
  attempt_strays = false
end
end
end
end
end
else
if number < 25 then
if number < 21 then
if number < 19 then
if number < 18 then
-- 17 attempt.read
return function(id)
  local key = namespace_prefix .. 'task_' .. id
  local v = redis.call('HMGET', key, 'status', 'queue', 'attempt', 'outcome', 'parameters', 'updated', 'ties')
  if v[4] or v[3] ~= '0' then
    local ended = redis.call('HMGET', key, 'losses', 'failures', 'checkpoint')
    v[8], v[9], v[10] = ended[1], ended[2], ended[3]
  end
  return v
end
else
-- 18 attempt.select
return function(queue, task, v, known)
  local own, common = known.own, known.common
  local set, waits, open, free = own or common, { stale = {} }, true, nil
  if set then
    cold(126)('settings')[queue] = { own, common }
    waits.rate = cold(182)(queue, 'rate')
    open, free = cold(112)(queue, 1)
  end
  attempt_updates = attempt_updates or {}
  attempt_updates[queue] = waits
  local best = task and { plain = true, id = task.id }
  if open and known.ranked then
    if best then
      best.rank = cold(69)(v[6], redis.call('HGET', namespace_prefix .. 'task_' .. task.id, 'front'))
    end
    best = cold(169)(queue, known, best, waits.stale)
  end
  if best and not best.plain then
    v = cold(17)(best.id)
    if v[1] ~= 'pending' or v[2] ~= queue then
      waits.ghost = best
      cold(127)(namespace_prefix .. 'task_' .. best.id)
      return nil
    end
    task = { id = best.id, queue = queue, status = 'pending', attempt = v[3] or '0', since = v[6], ties = v[7] or 'r',
      taker = known.listener, request = known.request, foreign = not v[3] or nil }
  end
  if open and best and task.ties then
    cold(25)(task)
    if task.weight and set then
      open, free = cold(112)(queue, tonumber(task.weight))
    end
  end
  waits.pool = known.pool
  if waits.pool and waits.pool.free then
    free = math.min(free or math.huge, waits.pool.free)
  end
  waits.free = free
  if not open or not best then
    return nil
  end
  waits.chosen = true
  if waits.pool then
    waits.pool.served = best.class
  end
  if set then
    task.set_lease = cold(183)(queue, 'lease')
  end
  return task, v
end
end
else
if number < 20 then
-- 19 attempt.plan_updates
return function()
  for queue, waits in pairs(attempt_updates) do
    cold(74)(queue, waits.stale)
    if waits.free then
      cold(128)('ZCARD', cold(125)('delayed', queue))
    end
    if waits.chosen and waits.rate then
      cold(128)('LLEN', cold(103)(queue))
    end
    if waits.ghost then
      cold(165)(queue, waits.ghost)
    end
    if waits.pool then
      cold(203)(waits.pool)
    end
    waits.again = (waits.ghost or #waits.stale > 0) and not waits.chosen
    if waits.again then
      cold(217)(queue)
    end
  end
end
else
-- 20 attempt.write_updates
return function()
  for queue, waits in pairs(attempt_updates) do
    if waits.ghost then
      cold(166)(queue, waits.ghost)
    end
    for _, key in ipairs(waits.stale) do
      cold(73)(queue, key)
    end
    if waits.free then
      redis.call('ZADD', cold(125)('delayed', queue), string.format('%.0f', waits.free), '/')
    end
    if waits.chosen then
      cold(110)(cold(103)(queue), waits.rate, string.format('%.0f', namespace_now_us))
    end
    if waits.pool then
      cold(204)(waits.pool)
    end
    if waits.again then
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
            if not namespace_declared or cold(131)(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if state_roams ~= '' then
            cold(218)(queue)
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
if number < 23 then
if number < 22 then
-- 21 attempt.queue_order
return function(call)
  local passes = redis.call('HMGET', namespace_prefix .. 'rounds_' .. call.listener, '*', unpack(call.queues))
  local queues, weights, last = {}, call.weights, tonumber(passes[1] or 0)
  for i, queue in ipairs(call.queues) do
    queues[i] = { at = i, queue = queue,
      pass = math.max(tonumber(passes[i + 1] or 0), last), step = 1000000 / (weights and weights[i] or 1) }
  end
  table.sort(queues, function(one, other)
    return one.pass < other.pass or one.pass == other.pass and one.at < other.at
  end)
  return queues
end
else
-- 22 attempt.order
return function(queues, order, weights)
  if (weights ~= nil) ~= (order == 'weighted') or weights and #weights ~= #queues then
    cold(172)('BADARG', 'weights need the order weighted, with one weight for each queue')
  end
  return order ~= 'strict' and order or nil
end
end
else
if number < 24 then
-- 23 attempt.record_served
return function(listener, order, queue)
  local changes, pass = {}, 0
  for _, asked in ipairs(order) do
    if asked.queue == queue then
      pass = asked.pass
    end
  end
  for _, asked in ipairs(order) do
    changes[#changes + 1] = asked.queue
    changes[#changes + 1] = string.format('%.0f',
      asked.queue == queue and pass + asked.step or math.max(asked.pass, pass))
  end
  local rounds = namespace_prefix .. 'rounds_' .. listener
  redis.call('HSET', rounds, '*', string.format('%.0f', pass), unpack(changes))
  redis.call('EXPIRE', rounds, 86400)
end
else
-- 24 cascades.plan_begin
return function(task)
  local known = task.broken and 1 or 0
  if cold(79)(task.graph) == 'cancel' and redis.call('HLEN', cold(38)(task.id)) > known then
    cold(128)('ZCARD', cold(41)())
    task.unsettled, task.cascades = true, true
  end
end
end
end
end
else
if number < 29 then
if number < 27 then
if number < 26 then
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
else
-- 26 claims.name_holders
return function(queue, name)
  local v = redis.call('HMGET', cold(127)(cold(125)('unique', queue)), name, '/' .. name)
  local id, till = string.match(v[1] or '', '^(%S+) (%S+)$')
  return id, till, string.match(v[2] or '', '^(%S+) ')
end
end
else
if number < 28 then
-- 27 claims.has_latest_policy
return function(task)
  return task.solo and task.unique and task.unique == task.fair_key
end
else
-- 28 claims.waiting_attempt
return function(task, id)
  local other = id and id ~= task.id and cold(170)(id)
  if other and other.queue == task.queue and cold(253)(other.status) then
    cold(25)(other)
    return other.unique == task.unique and other or nil
  end
end
end
end
else
if number < 31 then
if number < 30 then
-- 29 claims.opens_or_closes
return function(task, to)
  return not task.status or cold(254)(task.status) or cold(254)(to) or to == 'deleted'
end
else
-- 30 claims.plan
return function(task, to, taker)
  cold(25)(task)
  local held = task.status == 'reserved' or task.status == 'started'
  if task.ranked and (task.rank or to == 'pending') or task.limited and (held or taker) then
    cold(159)(task)
  end
  if task.limited and held and taker then
    cold(129)()
  end
  if task.shared and (taker or held and to ~= 'started') then
    cold(205)(task.shared, not taker and task.queue)
  end
  if task.shared and (cold(29)(task, to) or to == 'moved') then
    cold(31)(to)
  end
  if task.unique then
    cold(32)(task, to)
  end
  if task.tags and (not task.status or to == 'deleted' or to == 'moved') then
    cold(227)(task.queue, task.tags)
  end
  if to == 'deleted' and string.find(task.ties, '[wd]') then
    cold(52)(task)
  end
  if task.graph and task.status and cold(29)(task, to) then
    cold(128)('HLEN', cold(75)(task.graph))
    cold(128)('ZCARD', cold(78)())
    cold(127)(cold(76)(task.graph))
    task.bounds = to == 'deleted' and cold(85)(task.graph) or nil
  end
  if task.graph and task.status == 'waiting' and (to == 'failed' or to == 'cancelled') then
    cold(24)(task)
  end
  if task.end_by and cold(29)(task, to) then
    cold(128)('ZCARD', cold(37)())
  end
  if string.find(task.ties, 'd', 1, true) and task.status and not cold(254)(task.status)
    and (cold(254)(to) or to == 'deleted') then
    cold(50)(task, to)
  end
  if task.tracked then
    cold(246)()
  end
  if string.find(task.ties, 'a', 1, true) and task.status and (cold(254)(to) or to == 'deleted') then
    cold(64)(task, to)
  end
end
end
else
if number < 32 then
-- 31 claims.plan_shared
return function(to)
  if to == 'moved' then
    cold(129)()
  end
  cold(210)()
end
else
-- 32 claims.plan_name
return function(task, to)
  local taken = cold(215)(task, to) and cold(27)(task)
  if (to == 'reserved' or to == 'started') and not taken and not (to == 'started' and task.till == 'start') then
    return
  end
  cold(128)('HLEN', cold(125)('unique', task.queue))
  if tonumber(task.till) then
    cold(128)('ZCARD', cold(125)('timed', task.queue))
  end
  task.holder, task.held_till, task.kept = cold(26)(task.queue, task.unique)
  if taken and task.status == 'pending' then
    task.older = cold(28)(task, task.kept)
    if task.older then
      cold(220)(task.older, 'cancelled')
    end
  end
end
end
end
end
end
end
else
if number < 49 then
if number < 41 then
if number < 37 then
if number < 35 then
if number < 34 then
-- 33 claims.take_name
return function(task)
  local unique, till = cold(125)('unique', task.queue), task.till
  if task.keeps then
    redis.call('HSET', unique, '/' .. task.unique, task.id .. ' kept')
    return
  elseif tonumber(till) then
    till = task.ends or string.format('%.0f', namespace_now_us + tonumber(till) * 1000000)
    redis.call('ZADD', cold(125)('timed', task.queue), till, task.unique)
  end
  redis.call('HSET', unique, task.unique, task.id .. ' ' .. till)
end
else
-- 34 claims.release_name
return function(task, to)
  local unique, timed = cold(125)('unique', task.queue), tonumber(task.held_till)
  if task.holder == task.id and (not timed or to == 'moved') then
    redis.call('HDEL', unique, task.unique)
    if timed then
      redis.call('ZREM', cold(125)('timed', task.queue), task.unique)
    end
  end
  if task.kept == task.id then
    redis.call('HDEL', unique, '/' .. task.unique)
  end
end
end
else
if number < 36 then
-- 35 claims.move_name
return function(task, to)
  local from, latest = task.status, cold(27)(task)
  local back = (from == 'reserved' or from == 'started') and cold(253)(to)
  local ends = cold(254)(to) or to == 'deleted' or to == 'moved'
  if ends or to == 'started' and task.till == 'start' or latest and cold(215)(task, to) then
    cold(34)(task, to)
  elseif not from or task.restarts or (from == 'failed' or from == 'cancelled') and not tonumber(task.till)
    or latest and back then
    cold(33)(task)
  end
  if task.older then
    state_move(task.older, 'cancelled', 'replaced', '', 'reason', 'replaced by ' .. task.id)
  end
end
else
-- 36 claims.move
return function(task, to)
  if not task.bound then
    return
  end
  local from = task.status
  local held = from == 'reserved' or from == 'started'
  local back = held and task.ranked and to == 'pending'
  if back then
    cold(161)(task)
  end
  if task.limited and held and to ~= 'started' then
    cold(111)(task.queue, task.id, task.token)
  end
  if task.rank and not back then
    cold(163)(task, to)
    task.rank = nil
  elseif task.limited and cold(215)(task, to) then
    cold(109)(task)
    if task.fair_key then
      cold(73)(task.queue, task.fair_key)
    end
  end
  if task.ranked and to == 'pending' and not back then
    cold(161)(task)
  end
  if task.shared then
    cold(214)(task, to)
  end
  if task.further_shared then
    cold(211)(task.further_shared, -1)
  end
  if task.tags and not from then
    cold(228)(task.queue, task.id, task.created, task.tags)
  elseif task.tags and (to == 'deleted' or to == 'moved') then
    cold(230)(task.queue, task.id, task.tags)
  end
  if task.unique then
    cold(35)(task, to)
  end
  if task.end_by and cold(29)(task, to) then
    if cold(254)(to) or to == 'deleted' or to == 'moved' then
      redis.call('ZREM', cold(37)(), task.id)
    else
      redis.call('ZADD', cold(37)(), task.end_by, task.id)
    end
  end
  if task.graph then
    cold(86)(task, to)
  end
end
end
end
else
if number < 39 then
if number < 38 then
-- 37 deadlines.key
return function()
  return namespace_prefix .. 'deadlines'
end
else
-- 38 edges.upstreams
return function(id)
  return namespace_prefix .. 'upstreams_' .. id
end
end
else
if number < 40 then
-- 39 edges.dependents
return function(id)
  return namespace_prefix .. 'dependents_' .. id
end
else
-- 40 edges.inputs
return function(id)
  return namespace_prefix .. 'inputs_' .. id
end
end
end
end
else
if number < 45 then
if number < 43 then
if number < 42 then
-- 41 edges.unsettled
return function()
  return namespace_prefix .. 'unsettled'
end
else
-- 42 edges.slots
return function(text)
  local slots = {}
  for slot in string.gmatch(text or '', '%d+') do
    slots[#slots + 1] = tonumber(slot)
  end
  return slots
end
end
else
if number < 44 then
-- 43 edges.is_met
return function(kind, to)
  if kind == 'after' or kind == 'optional' then
    return true
  end
  return (kind == 'failure') ~= (to == 'complete')
end
else
-- 44 edges.is_repairable
return function(kind, to)
  return cold(45)(kind) and (to == 'failed' or to == 'cancelled')
end
end
end
else
if number < 47 then
if number < 46 then
-- 45 edges.needs_success
return function(kind)
  return kind == 'success' or kind == 'result' or kind == 'some'
end
else
-- 46 edges.element
return function(result)
  return result == '' and 'null' or result
end
end
else
if number < 48 then
-- 47 edges.over
return function(queue, bytes)
  local most = bytes > 1024 and cold(182)(queue, 'input_bytes')
  if most and bytes > tonumber(most) then
    return 'over ' .. most .. ' bytes, the setting input_bytes'
  end
end
else
-- 48 edges.tie
return function(up)
  if not string.find(up.ties or '', 'd', 1, true) then
    up.ties = (up.ties or '') .. 'd'
    redis.call('HSET', up.key, 'ties', up.ties)
  end
end
end
end
end
end
else
if number < 57 then
if number < 53 then
if number < 51 then
if number < 50 then
-- 49 edges.waiting
return function(id)
  local key = cold(127)(cold(39)(id))
  local waiting, staged = redis.call('ZCOUNT', key, '(0', '+inf'), redis.call('ZCOUNT', key, '-inf', '-inf')
  return waiting + staged, waiting
end
else
-- 50 edges.plan_end
return function(task, to)
  local key = cold(127)(cold(39)(task.id))
  local ids = redis.call('ZRANGEBYSCORE', key, '(0', '+inf', 'LIMIT', 0, 100 + 1 + (task.knowing or 0))
  local number = #ids - (task.knowing or 0)
  if number <= 0 then
    return
  elseif task.later or number > 100 or cold(51)(task.id, ids, #(task.result or ''))
    or to ~= 'complete' and task.graph and cold(80)(task.graph, task.id) then
    cold(128)('ZCARD', cold(41)())
    task.unsettled = true
    return
  end
  cold(53)(task, to, ids)
end
end
else
if number < 52 then
-- 51 edges.is_much
return function(id, ids, length)
  local told = cold(126)('told')
  local looked, copied = (told.looked or 0) + length, (told.copied or 0) + #ids * length
  if length <= 131072 and looked <= 262144 and copied <= 1048576 then
    told.looked, told.copied = looked, copied
    return false
  end
  for _, other in ipairs(ids) do
    if string.find(redis.call('HGET', cold(38)(other), id) or '', '/', 1, true) then
      return true
    end
  end
  return false
end
else
-- 52 edges.plan_removal
return function(task)
  local dependents = cold(127)(cold(39)(task.id))
  task.edge_keys = { cold(127)(cold(38)(task.id)), cold(127)(cold(40)(task.id)),
    cold(127)(cold(97)(task.id)) }
  local all, waiting = cold(49)(task.id)
  if all == 0 then
    task.edge_keys[4] = dependents
  elseif waiting > 0 and cold(254)(task.status) then
    cold(128)('ZCARD', cold(41)())
    task.unsettled = true
  end
end
end
end
else
if number < 55 then
if number < 54 then
-- 53 edges.plan_page
return function(task, to, ids)
  task.dependents = {}
  for i, id in ipairs(ids) do
    task.dependents[i] = cold(54)(task, to, id)
  end
end
else
-- 54 edges.plan_one
return function(up, to, id)
  local task = cold(170)(id, cold(55)())
  local key = cold(127)(cold(38)(id))
  local kind, mark, slots = string.match(redis.call('HGET', key, up.id) or '', '^(%l+)(%d*)/?(.*)$')
  local plan = { id = id, met = not kind or cold(43)(kind, to) }
  if not task or task.status ~= 'waiting' or not kind then
    plan.kept = task and kind and cold(254)(task.status)
    return plan
  end
  if cold(147)(task) then
    plan.set = cold(149)(id)
  end
  if kind == 'some' then
    cold(155)(plan, task, up, to, mark, slots)
    if plan.missed then
      return plan
    end
  elseif not plan.met and cold(44)(kind, to) and cold(79)(task.extra[5]) == 'hold' then
    plan.held = true
    return plan
  end
  plan.task = task
  task.later = true
  if not plan.met then
    plan.to, task.group, task.broken = kind == 'failure' and 'cancelled' or 'failed', 'upstream', true
    cold(220)(task, plan.to)
    return plan
  end
  local open = redis.call('HLEN', key)
  plan.last = plan.ready or open == 1
  if plan.set and not plan.ready then
    plan.last = cold(152)(plan.set, open - 1)
  end
  local own = cold(127)(cold(40)(id))
  local known = (plan.last or slots ~= '') and redis.call('HMGET', own, 'slots', 'bytes')
  if slots ~= '' and not plan.ready then
    cold(57)(plan, up, to, slots, tonumber(known[2] or 0))
  end
  if plan.wrong then
    cold(220)(task, plan.to)
  elseif plan.last then
    cold(56)(plan, tonumber(known[1] or 0), plan.bytes or tonumber(known[2] or 0))
  end
  return plan
end
end
else
if number < 56 then
-- 55 edges.fields
return function()
  return 'eta', 'front', 'ended', 'retry_eta', 'graph'
end
else
-- 56 edges.plan_ready
return function(plan, slots, bytes)
  local task = plan.task
  plan.joins = cold(100)(plan.id, slots, bytes)
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
    plan.joined, plan.lengths = cold(98)(cold(99)(cold(40)(plan.id), slots, plan), slots)
  end
  cold(220)(task, plan.to)
end
end
end
end
else
if number < 61 then
if number < 59 then
if number < 58 then
-- 57 edges.plan_input
return function(plan, up, to, slots, bytes)
  local result = to == 'complete' and up.result or ''
  plan.slots, plan.text = cold(42)(slots), cold(46)(result)
  plan.bytes = bytes + #plan.text * #plan.slots
  if up.json == nil then
    up.json = result == '' or cold(102)(result)
  end
  local over = cold(47)(plan.task.queue, plan.bytes)
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
-- 58 edges.settle
return function(task)
  if task.unsettled then
    redis.call('ZADD', cold(41)(), namespace_now, task.id)
  end
  if task.cascades then
    redis.call('HSET', task.key or cold(125)('task', task.id), 'cascade', '0')
  end
  local told
  for _, plan in ipairs(task.dependents or {}) do
    if plan.kept then
      redis.call('ZADD', cold(39)(task.id), '-' .. namespace_now, plan.id)
    elseif plan.held then
      redis.call('ZADD', cold(39)(task.id), 'inf', plan.id)
    elseif plan.missed then
      cold(157)(task, plan)
    elseif plan.task and not plan.met then
      told = told or redis.call('HMGET', task.key or cold(125)('task', task.id), 'status', 'error', 'cause')
      cold(59)(task, plan, told)
    elseif plan.wrong then
      redis.call('ZADD', cold(39)(task.id), '-' .. namespace_now, plan.id)
      state_move(plan.task, 'failed', 'input', '', 'cause', task.id, 'group', 'input',
        'error', 'the result of ' .. task.id .. ' ' .. plan.wrong)
    else
      cold(62)(task, plan)
    end
  end
end
end
else
if number < 60 then
-- 59 edges.fail_with
return function(up, plan, told)
  local cause = told[3] or up.id
  redis.call('ZADD', cold(39)(up.id), '-' .. namespace_now, plan.id)
  if plan.to == 'cancelled' then
    state_move(plan.task, 'cancelled', 'upstream', '', 'cause', cause,
      'reason', 'not needed: ' .. up.id .. ' is complete')
    return
  end
  state_move(plan.task, 'failed', 'upstream', '', 'cause', cause, 'group', 'upstream',
    'error', (plan.short and 'too few of its set can still be complete: ' or '') .. cold(60)(up.id, told))
end
else
-- 60 edges.error_of
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
if number < 63 then
if number < 62 then
-- 61 edges.fill
return function(id, slots)
  for _, slot in ipairs(slots) do
    redis.call('HSET', cold(40)(id), slot, 'null')
  end
  if slots[1] then
    redis.call('HINCRBY', cold(40)(id), 'bytes', 4 * #slots)
  end
end
else
-- 62 edges.meet
return function(up, plan)
  if up then
    redis.call('ZREM', cold(39)(up.id), plan.id)
    redis.call('HDEL', cold(38)(plan.id), up.id)
  end
  if plan.grows then
    redis.call('HINCRBY', cold(75)(plan.graph), 'bytes', plan.grows)
  end
  if not plan.task then
    return
  elseif plan.set and plan.to then
    cold(158)(plan.id)
  elseif plan.set and not plan.joins then
    cold(150)(plan.id, plan.set)
  end
  if plan.joined then
    redis.call('UNLINK', cold(40)(plan.id))
    state_move(plan.task, plan.to, 'ready', '', 'readied', cold(222)(plan.task), 'parameters', plan.joined,
      'slots', plan.lengths)
  elseif plan.to then
    state_move(plan.task, plan.to, 'ready', '', 'readied', cold(222)(plan.task))
  elseif plan.slots then
    for _, slot in ipairs(plan.slots) do
      redis.call('HSET', cold(40)(plan.id), slot, plan.text)
    end
    redis.call('HSET', cold(40)(plan.id), 'bytes', plan.bytes)
  end
  if plan.joins then
    cold(101)(plan.id)
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
          if not namespace_declared or cold(131)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(218)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
end
else
if number < 64 then
-- 63 encore.key
return function(id)
  return namespace_prefix .. 'further_' .. id
end
else
-- 64 encore.plan_end
return function(task, to)
  if to == 'deleted' then
    local key = cold(127)(cold(63)(task.id))
    task.edge_keys = task.edge_keys or {}
    task.edge_keys[#task.edge_keys + 1] = key
    task.further_shared = redis.call('HGET', key, '/limits') or nil
    if task.further_shared then
      cold(210)()
    end
  elseif not cold(254)(task.status) then
    cold(128)('ZCARD', cold(41)())
    task.unsettled = true
  end
end
end
end
end
end
end
end
else
if number < 97 then
if number < 81 then
if number < 73 then
if number < 69 then
if number < 67 then
if number < 66 then
-- 65 fairness.ranked_key
return function(queue, number)
  return namespace_prefix .. 'ranked_tasks_' .. queue .. (number == '' and '' or '/' .. number)
end
else
-- 66 fairness.tasks_key
return function(queue, key, number)
  return namespace_prefix .. 'key_tasks_' .. queue .. '/' .. key .. (number == '' and '' or '/' .. number)
end
end
else
if number < 68 then
-- 67 fairness.rank
return function(us)
  return string.format('%016.0f', us)
end
else
-- 68 fairness.front_rank
return function(us)
  return '-' .. cold(67)(9007199254740991 - us)
end
end
end
else
if number < 71 then
if number < 70 then
-- 69 fairness.list_rank
return function(updated, front)
  local us = (tonumber(updated) or -1) * 1000000
  if not (us >= 0 and us <= namespace_now_us) then
    us = namespace_now_us
  end
  return front and cold(68)(us) or cold(67)(us)
end
else
-- 70 fairness.sort_value
return function(rank)
  if string.sub(rank, 1, 1) == '-' then
    return tonumber(string.sub(rank, 2)) - 9007199254740992
  end
  return tonumber(rank)
end
end
else
if number < 72 then
-- 71 fairness.issued_at
return function(rank)
  local order = cold(70)(rank)
  return order < 0 and -order - 1 or order
end
else
-- 72 fairness.refresh
return function(queue, key, number)
  local entries, field = cold(125)('turns', queue), key .. '/' .. number
  local first = redis.call('ZRANGE', cold(66)(queue, key, number), 0, 0, 'WITHSCORES')
  local current, wanted = redis.call('HGET', entries, field) or nil, nil
  if first[1] then
    local rank, weight = string.match(first[1], '^(%S+) %S+ (%S+)$')
    local fits, free = cold(105)(queue, key, weight)
    if fits then
      local served = redis.call('HGET', entries, key)
      if served and cold(70)(served) > cold(70)(rank) then
        rank = served
      end
      wanted = first[2] .. ' ' .. rank
    elseif free then
      redis.call('ZADD', cold(125)('delayed', queue), string.format('%.0f', free), key)
    end
  end
  if current == wanted then
    return
  end
  local ranked, rank = cold(65)(queue, number), nil
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
if number < 77 then
if number < 75 then
if number < 74 then
-- 73 fairness.refresh_all
return function(queue, key)
  local waits = false
  for _, number in ipairs(cold(135)(queue)) do
    cold(72)(queue, key, number)
    waits = waits or redis.call('EXISTS', cold(66)(queue, key, number)) == 1
  end
  if not waits and not redis.call('HGET', cold(125)('places', queue), 'k:' .. key) then
    redis.call('HDEL', cold(125)('turns', queue), key)
    redis.call('ZREM', cold(125)('delayed', queue), key)
  end
end
else
-- 74 fairness.plan_refresh
return function(queue, keys)
  if #keys > 0 then
    cold(129)()
    cold(128)('HLEN', cold(125)('turns', queue))
    cold(128)('HLEN', cold(125)('limits', queue))
    cold(128)('HLEN', cold(125)('places', queue))
    cold(128)('ZCARD', cold(125)('delayed', queue))
    for _, key in ipairs(keys) do
      cold(128)('LLEN', cold(103)(queue, key))
    end
  end
  for _, number in ipairs(#keys > 0 and cold(135)(queue) or {}) do
    cold(128)('ZCARD', cold(65)(queue, number))
    for _, key in ipairs(keys) do
      cold(128)('ZCARD', cold(66)(queue, key, number))
    end
  end
end
end
else
if number < 76 then
-- 75 graphs.key
return function(graph)
  return cold(125)('graph', graph)
end
else
-- 76 graphs.tasks
return function(graph)
  return cold(125)('members', graph)
end
end
end
else
if number < 79 then
if number < 78 then
-- 77 graphs.chosen
return function(graph)
  return cold(125)('chosen', graph)
end
else
-- 78 graphs.all
return function()
  return namespace_prefix .. 'graphs'
end
end
else
if number < 80 then
-- 79 graphs.on_failure
return function(id)
  if not id then
    return false
  end
  local known = cold(126)('on_failure')
  known[id] = known[id] or redis.call('HGET', cold(75)(id), 'on_failure') or 'cancel'
  return known[id]
end
else
-- 80 graphs.runs_anew
return function(graph, id)
  local doing = redis.call('HGET', cold(75)(graph), 'doing')
  return (doing == 'anew' or doing == 'mark_anew')
    and tonumber(redis.call('ZSCORE', cold(77)(graph), id) or 0) > 0
end
end
end
end
end
else
if number < 89 then
if number < 85 then
if number < 83 then
if number < 82 then
-- 81 graphs.counted
return function(length)
  return length >= 256 and length or 0
end
else
-- 82 graphs.most
return function()
  return cold(182)('*', 'graph_bytes')
end
end
else
if number < 84 then
-- 83 graphs.has_room
return function(id, bytes)
  local known = cold(126)('graph_bytes')
  local all = (known[id] or tonumber(redis.call('HGET', cold(127)(cold(75)(id)), 'bytes') or 0)) + bytes
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
else
if number < 87 then
if number < 86 then
-- 85 graphs.plan_unlimit
return function(graph)
  local bounds = {}
  for queue, key in string.gmatch(redis.call('HGET', cold(75)(graph), 'bounds') or '', '([^/ ]+)/([^= ]+)=') do
    bounds[#bounds + 1] = { limits = cold(125)('limits', queue), key = key }
    cold(128)('HLEN', bounds[#bounds].limits)
  end
  return bounds
end
else
-- 86 graphs.count
return function(task, to)
  local key = cold(75)(task.graph)
  if cold(254)(to) then
    redis.call('HINCRBY', key, to, 1)
  end
  if task.status and cold(254)(task.status) then
    redis.call('HINCRBY', key, task.status, -1)
  end
  if to == 'deleted' and redis.call('HINCRBY', key, 'left', -1) == 0 then
    cold(84)(task.bounds)
    redis.call('UNLINK', key, cold(76)(task.graph))
    redis.call('ZREM', cold(78)(), task.graph)
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
  cold(128)('ZCARD', cold(125)('groups', task.queue))
  cold(128)('ZCARD', key)
  if to ~= 'failed' and not redis.call('ZSCORE', key, task.id) then
    task.group = nil
  end
end
end
end
end
else
if number < 93 then
if number < 91 then
if number < 90 then
-- 89 groups.enter
return function(task, now)
  local group = task.group or ''
  local key = cold(87)(task.queue, group)
  redis.call('ZADD', key, now, task.id)
  redis.call('ZADD', cold(125)('groups', task.queue), redis.call('ZCARD', key), group)
end
else
-- 90 groups.leave
return function(task)
  if task.group then
    cold(229)(cold(87)(task.queue, task.group), cold(125)('groups', task.queue), task.group, task.id)
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
else
if number < 95 then
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
    step(moved and cold(119)(since * 1000000) or created,
      readied and 'waiting' or promoted and 'scheduled' or cold(253)(status) and status or 'pending',
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
-- 94 history.plan
return function(task, to)
  if to == 'deleted' then
    cold(127)(cold(125)('history', task.id))
  elseif task.status then
    local key = cold(125)('history', task.id)
    cold(128)('XLEN', key)
    if namespace_declared and select(5, cold(92)(key, cold(171)(task.id))) then
      cold(129)()
    end
  end
end
end
else
if number < 96 then
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
else
-- 96 history.add
return function(task, event, outcome, group, text, cost)
  local key = cold(125)('history', task.id)
  local told = redis.call('HMGET', cold(125)('task', task.id), cold(91)())
  local number, since, reached, nth, stale, cause = cold(92)(key, told[2])
  if stale then
    redis.call('UNLINK', key)
  end
  local kept = cold(93)(told, since, reached, nth, cause)
  kept[#kept + 1] = { event.at, task.status, event.to, task.attempt, event.by, event.why, outcome, group, text, cost,
    unpack(event.note or {}) }
  local most = cold(182)(task.queue, 'history')
  for i, v in ipairs(kept) do
    redis.call('XADD', key, 'MAXLEN', most, string.format('%.0f-0', number + i),
      'at', v[1], 'from', v[2], 'to', v[3], 'attempt', v[4], 'by', v[5], 'why', v[6], 'outcome', v[7], 'group', v[8],
      'error', v[9], 'cost', v[10], unpack(v, 11))
  end
end
end
end
end
end
end
else
if number < 113 then
if number < 105 then
if number < 101 then
if number < 99 then
if number < 98 then
-- 97 joins.key
return function(id)
  return namespace_prefix .. 'joined_' .. id
end
else
-- 98 joins.list
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
if number < 100 then
-- 99 joins.collect
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
-- 100 joins.is_long
return function(id, slots, bytes)
  local joined = cold(126)('joined')
  local all = (joined.bytes or 0) + bytes
  if slots == 0 or bytes <= 262144 and all <= 1048576 then
    joined.bytes = slots > 0 and all or joined.bytes
    return false
  end
  cold(128)('ZCARD', cold(41)())
  cold(127)(cold(97)(id))
  cold(127)(cold(125)('task', id))
  return true
end
end
end
else
if number < 103 then
if number < 102 then
-- 101 joins.begin
return function(id)
  redis.call('UNLINK', cold(38)(id), cold(97)(id))
  redis.call('HDEL', cold(40)(id), 'joined', 'lengths', cold(148)())
  redis.call('HSET', cold(125)('task', id), 'cascade', 'join')
  redis.call('ZADD', cold(41)(), namespace_now, id)
end
else
-- 102 json.decodes
return function(text)
  return (pcall(cjson.decode, text))
end
end
else
if number < 104 then
-- 103 limits.starts_key
return function(queue, key)
  return namespace_prefix .. 'rate_' .. queue .. (key and '/' .. key or '')
end
else
-- 104 limits.of_key
return function(queue, key)
  local own, rate = string.match(redis.call('HGET', cold(125)('limits', queue), key) or '- -', '^(%S+) (%S+)$')
  own = tonumber(own ~= '-' and own or cold(182)(queue, 'key_concurrency'))
  if rate ~= '-' then
    return own, rate, 0
  end
  return own, cold(182)(queue, 'key_rate'), cold(184)(queue, 'key_rate')
end
end
end
end
else
if number < 109 then
if number < 107 then
if number < 106 then
-- 105 limits.fits
return function(queue, key, weight)
  local most, rate, since = cold(104)(queue, key)
  if weight == 'solo' then
    most, weight = 1, 1
  end
  if most then
    local used = tonumber(redis.call('HGET', cold(125)('places', queue), 'k:' .. key) or 0)
    if used + math.min(tonumber(weight), most) > most then
      return false
    end
  end
  return cold(107)(cold(103)(queue, key), rate, since)
end
else
-- 106 limits.start_expires
return function(starts, back, seconds, since)
  local last = tonumber(redis.call('LINDEX', starts, back) or nil)
  if last and last >= since and tonumber(redis.call('LINDEX', starts, 0)) <= namespace_now_us then
    return last + seconds * 1000000
  end
end
end
else
if number < 108 then
-- 107 limits.rate_allows
return function(starts, rate, since)
  if not rate then
    return true
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local free = cold(106)(starts, number - 1, seconds, since)
  if free and free > namespace_now_us then
    return false, free
  end
  return true
end
else
-- 108 limits.allowed_at
return function(starts, rate, since, before)
  if not rate then
    return 0
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local rounds = math.floor(before / number)
  local free = cold(106)(starts, number - 1 - before % number, seconds, since) or namespace_now_us
  return math.max(free, namespace_now_us) + rounds * seconds * 1000000
end
end
end
else
if number < 111 then
if number < 110 then
-- 109 limits.take
return function(task)
  local queue, key, weight = task.queue, task.fair_key, tonumber(task.weight or 1)
  local held = cold(125)('places', queue)
  redis.call('HSET', held, 'a:' .. task.id .. ' ' .. task.issue,
    weight .. ' ' .. (key or '') .. (task.shared and ' ' .. task.shared or ''))
  if task.shared then
    cold(208)(task.shared)
  end
  if weight > 1 then
    redis.call('HINCRBY', held, 'extra', weight - 1)
  end
  if key then
    local _, rate = cold(104)(queue, key)
    redis.call('HINCRBY', held, 'k:' .. key, weight)
    redis.call('HSET', cold(125)('turns', queue), key, cold(67)(namespace_now_us))
    cold(110)(cold(103)(queue, key), rate, string.format('%.0f', namespace_now_us))
  end
end
else
-- 110 limits.record_start
return function(starts, rate, us)
  if rate then
    redis.call('LPUSH', starts, us)
    local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
    redis.call('LTRIM', starts, 0, number - 1)
    redis.call('EXPIRE', starts, 2 * seconds + 60)
  end
end
end
else
if number < 112 then
-- 111 limits.release
return function(queue, id, token)
  local held, member = cold(125)('places', queue), 'a:' .. id .. ' ' .. token
  local weight, key, shared = string.match(redis.call('HGET', held, member) or '', '^(%d+) (%S*) ?(%S*)$')
  if not weight then
    return
  end
  redis.call('HDEL', held, member)
  if shared ~= '' then
    cold(209)(shared, queue)
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
    cold(73)(queue, key)
  end
end
else
-- 112 limits.queue_allows
return function(queue, weight)
  local most = tonumber(cold(182)(queue, 'concurrency'))
  if most then
    local used = redis.call('ZCARD', cold(125)('leases', queue))
      + tonumber(redis.call('HGET', cold(125)('places', queue), 'extra') or 0)
    if used + math.min(weight, most) > most then
      return false
    end
  end
  local rate = cold(182)(queue, 'rate')
  if not rate then
    return true
  end
  return cold(107)(cold(103)(queue), rate, cold(184)(queue, 'rate'))
end
end
end
end
end
else
if number < 121 then
if number < 117 then
if number < 115 then
if number < 114 then
-- 113 listeners.require
return function(queue, listener)
  if redis.call('SISMEMBER', namespace_prefix .. 'listeners_' .. queue, listener) == 0 then
    cold(1)(queue, 'queue')
    cold(2)(listener)
    cold(130)(namespace_prefix .. 'listeners_' .. queue)
    cold(172)('NOLISTENER', 'this listener is not registered on the queue: register it, then repeat the call')
  end
end
else
-- 114 listeners.seen
return function(queue, listener)
  redis.call('ZADD', cold(125)('seen', queue), namespace_now, listener)
end
end
else
if number < 116 then
-- 115 listeners.refuse
return function(queue, listener)
  local key = cold(127)(namespace_prefix .. 'orders_' .. queue)
  if redis.call('HEXISTS', key, 'l:' .. listener) == 1 then
    cold(172)('DRAINING', 'this listener was ordered to drain: finish its tasks and unregister it')
  end
end
else
-- 116 logs.index
return function()
  return namespace_prefix .. 'logs'
end
end
end
else
if number < 119 then
if number < 118 then
-- 117 logs.size
return function(id)
  local v = redis.call('HMGET', cold(127)(cold(125)('logged', id)), 'head', 'tail')
  if v[1] then
    cold(128)('ZCARD', cold(116)())
    return v[1] + v[2]
  end
end
else
-- 118 logs.forget
return function(id, size)
  redis.call('UNLINK', cold(125)('logged', id))
  redis.call('ZREM', cold(116)(), id)
  redis.call('HINCRBY', namespace_meta, 'logs', -size)
end
end
else
if number < 120 then
-- 119 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
-- 120 namespace.digits
return function(us)
  local micros = us % 1000000
  return string.format('%d%06d', (us - micros) / 1000000, micros)
end
end
end
end
else
if number < 125 then
if number < 123 then
if number < 122 then
-- 121 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(172)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(172)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
-- 122 namespace.use_test_time
return function(now)
  namespace_now_us = cold(8)(now or cold(172)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(172)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(119)(namespace_now_us)
end
end
else
if number < 124 then
-- 123 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(119)(namespace_now_us)
end
else
-- 124 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
end
end
else
if number < 127 then
if number < 126 then
-- 125 namespace.key
return function(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end
else
-- 126 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
end
else
if number < 128 then
-- 127 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
else
-- 128 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(127)(key)
  end
  return redis.call(command, key)
end
end
end
end
end
end
end
end
else
if number < 193 then
if number < 161 then
if number < 145 then
if number < 137 then
if number < 133 then
if number < 131 then
if number < 130 then
-- 129 namespace.require_settled_slot
return function()
  cold(127)(namespace_prefix .. 'unmoved')
end
else
-- 130 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(172)(cold(174)())
  end
end
end
else
if number < 132 then
-- 131 namespace.is_here
return function(key)
  return type(redis.pcall('EXISTS', namespace_meta, key)) == 'number'
end
else
-- 132 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(179)()
  if namespace_declared then
    cold(133)(first, ...)
  end
end
end
end
else
if number < 135 then
if number < 134 then
-- 133 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(130)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(179)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
else
-- 134 needs.class
return function(task)
  if task.shared then
    return (task.needs or '') .. '|' .. task.shared
  end
  return task.needs
end
end
else
if number < 136 then
-- 135 needs.numbers
return function(queue)
  local numbers = { '' }
  for _, known in ipairs(redis.call('HVALS', cold(125)('needs', queue))) do
    numbers[#numbers + 1] = string.match(known, '^%d+')
  end
  return numbers
end
else
-- 136 needs.number
return function(queue, wanted)
  if not wanted then
    return ''
  end
  return string.match(redis.call('HGET', cold(125)('needs', queue), wanted) or '', '^%d+')
end
end
end
end
else
if number < 141 then
if number < 139 then
if number < 138 then
-- 137 needs.plan
return function(queue, wanted)
  local number, given = cold(136)(queue, wanted), cold(126)('needs')[queue] or {}
  if number or given[wanted] then
    return number or given[wanted]
  end
  local taken = {}
  for _, other in ipairs(cold(135)(queue)) do
    taken[other] = true
  end
  for _, other in pairs(given) do
    taken[other] = true
  end
  number = 1
  while taken[tostring(number)] do
    number = number + 1
  end
  given[wanted], cold(126)('needs')[queue] = tostring(number), given
  return given[wanted]
end
else
-- 138 needs.count
return function(queue, wanted, by)
  if not wanted then
    return ''
  end
  local known = cold(125)('needs', queue)
  local number, count = string.match(redis.call('HGET', known, wanted) or '', '^(%d+) (%d+)$')
  if not number then
    number, count = cold(137)(queue, wanted), 0
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
if number < 140 then
-- 139 needs.has
return function(text)
  local has = {}
  for name, number in string.gmatch(text or '', '([%w_.-]+)=?([%d.]*)') do
    has[name] = tonumber(number) or true
  end
  return has
end
else
-- 140 needs.suits
return function(has, wanted)
  for name, operator, number in string.gmatch(wanted, '([%w_.-]+)([<>=]*)([%d.]*)') do
    local own, asked = has[name], tonumber(number)
    local holds = own
    if operator ~= '' then
      holds = own and own ~= true and (operator == '>=' and own >= asked or operator == '<=' and own <= asked
        or operator == '>' and own > asked or operator == '<' and own < asked or operator == '=' and own == asked)
    end
    if not holds then
      return false
    end
  end
  return true
end
end
end
else
if number < 143 then
if number < 142 then
-- 141 patterns.parse
return function(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end
else
-- 142 patterns.set
return function(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = cold(141)(one)
  end
  return set
end
end
else
if number < 144 then
-- 143 patterns.matches
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
-- 144 patterns.chooser
return function(set)
  local matches, out, wanted = cold(143), set.out, set.wanted
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
end
end
else
if number < 153 then
if number < 149 then
if number < 147 then
if number < 146 then
-- 145 patterns.list
return function(text)
  return namespace_prefix .. 'wakes_' .. string.sub(redis.sha1hex(text), 1, 16)
end
else
-- 146 patterns.rouse
return function(sets, queue)
  local left = {}
  for text in string.gmatch(sets, '%S+') do
    local list = cold(145)(text)
    if cold(144)(cold(142)(text))(queue) and (not namespace_declared or cold(131)(list)) then
      redis.pcall('LPUSH', list, '1')
    else
      left[#left + 1] = text
    end
  end
  return table.concat(left, ' ')
end
end
else
if number < 148 then
-- 147 quorum.has
return function(task)
  return task.ties and string.find(task.ties, 'k', 1, true)
end
else
-- 148 quorum.fields
return function()
  return 'least', 'some', 'missed', 'turn', 'owed'
end
end
end
else
if number < 151 then
if number < 150 then
-- 149 quorum.read
return function(id)
  local v = redis.call('HMGET', cold(127)(cold(40)(id)), cold(148)())
  return { least = tonumber(v[1] or 0), left = tonumber(v[2] or 0), missed = tonumber(v[3] or 0),
    turn = tonumber(v[4] or 1), owed = tonumber(v[5] or 0) }
end
else
-- 150 quorum.write
return function(id, set)
  redis.call('HSET', cold(40)(id), 'least', set.least, 'some', set.left, 'missed', set.missed, 'turn', set.turn,
    'owed', set.owed)
end
end
else
if number < 152 then
-- 151 quorum.chances
return function(set)
  return set.left - set.missed + set.owed
end
else
-- 152 quorum.is_ready
return function(set, open)
  return set.least <= 0 and open == set.left
end
end
end
end
else
if number < 157 then
if number < 155 then
if number < 154 then
-- 153 quorum.text
return function(slots, turn)
  return 'some' .. (turn or '') .. (slots ~= '' and '/' .. slots or '')
end
else
-- 154 quorum.take
return function(set, mark)
  if mark == '0' then
    set.owed = set.owed - 1
  else
    set.left, set.missed = set.left - 1, set.missed - (tonumber(mark) == set.turn and 1 or 0)
  end
end
end
else
if number < 156 then
-- 155 quorum.plan_end
return function(plan, task, up, to, mark, slots)
  local set, open = plan.set, redis.call('HLEN', cold(38)(plan.id))
  cold(154)(set, mark)
  plan.met = to == 'complete'
  if plan.met then
    set.least = set.least - 1
    return
  elseif to == 'deleted' then
    plan.gone, open = cold(42)(slots), open - 1
  else
    set.left, set.missed = set.left + 1, set.missed + 1
  end
  if cold(152)(set, open) then
    plan.met, plan.ready = true, true
    return
  end
  local may_wait = cold(79)(task.extra[5]) == 'hold' and set.least <= set.left + set.owed
  if set.least > cold(151)(set) and not may_wait then
    cold(156)(plan, up, open)
    plan.short = set.least > cold(151)(set)
  end
  plan.missed = not plan.short and cold(153)(slots, set.turn)
end
else
-- 156 quorum.plan_again
return function(plan, up, open)
  local set = plan.set
  plan.again = {}
  local found = open <= 300 and redis.call('HGETALL', cold(38)(plan.id)) or {}
  for i = 1, #found, 2 do
    local mark, slots = string.match(found[i + 1], '^some(%d+)/?(.*)$')
    if found[i] ~= up.id and tonumber(mark) == set.turn then
      local other = cold(170)(found[i])
      if other and not cold(254)(other.status) then
        cold(128)('ZCARD', cold(39)(found[i]))
        plan.again[found[i]], set.missed = { up = other, text = cold(153)(slots) }, set.missed - 1
      end
    end
  end
end
end
end
else
if number < 159 then
if number < 158 then
-- 157 quorum.miss
return function(up, plan)
  if plan.gone then
    redis.call('ZREM', cold(39)(up.id), plan.id)
    redis.call('HDEL', cold(38)(plan.id), up.id)
    cold(61)(plan.id, plan.gone)
  else
    redis.call('ZADD', cold(39)(up.id), 'inf', plan.id)
    redis.call('HSET', cold(38)(plan.id), up.id, plan.missed)
  end
  for id, edge in pairs(plan.again or {}) do
    redis.call('ZADD', cold(39)(id), namespace_now, plan.id)
    redis.call('HSET', cold(38)(plan.id), id, edge.text)
    cold(48)(edge.up)
  end
  cold(150)(plan.id, plan.set)
end
else
-- 158 quorum.drop
return function(id)
  redis.call('UNLINK', cold(38)(id), cold(40)(id))
end
end
else
if number < 160 then
-- 159 ranking.plan
return function(task)
  local queue, probe = task.queue, cold(128)
  if task.limited then
    probe('HLEN', cold(125)('places', queue))
  end
  if task.ranked then
    cold(129)()
    probe('ZCARD', cold(125)('lane_tasks', queue))
    local numbers = task.fair_key and cold(135)(queue) or {}
    local class = cold(134)(task)
    numbers[#numbers + 1] = class and cold(137)(queue, class) or ''
    for _, number in ipairs(numbers) do
      probe('ZCARD', cold(65)(queue, number))
      if task.fair_key then
        probe('ZCARD', cold(66)(queue, task.fair_key, number))
      end
    end
  end
  if task.fair_key then
    probe('HLEN', cold(125)('turns', queue))
    probe('HLEN', cold(125)('limits', queue))
    probe('ZCARD', cold(125)('delayed', queue))
    probe('LLEN', cold(103)(queue, task.fair_key))
    cold(182)(queue, 'key_rate')
  end
end
else
-- 160 ranking.member
return function(task)
  return task.rank .. ' ' .. task.id .. ' ' .. (task.solo and 'solo' or task.weight or '1')
end
end
end
end
end
end
else
if number < 177 then
if number < 169 then
if number < 165 then
if number < 163 then
if number < 162 then
-- 161 ranking.add
return function(task)
  local queue = task.queue
  local field = 'lanes:' .. queue
  local last = math.max(tonumber(redis.call('HGET', namespace_meta, field) or 0) + 1, namespace_now_us)
  redis.call('HSET', namespace_meta, field, string.format('%.0f', last))
  task.rank = task.place or task.front and cold(68)(last) or cold(67)(last)
  redis.call('ZADD', cold(125)('lane_tasks', queue), -tonumber(task.priority or 0), task.rank .. ' ' .. task.id)
  do
    local task = task
    local queue, score = task.queue, -tonumber(task.priority or 0)
    local number = cold(138)(queue, cold(134)(task), 1)
    if task.fair_key then
      if task.turn then
        redis.call('HSETNX', cold(125)('turns', queue), task.fair_key,
          cold(67)(math.min(task.turn, namespace_now_us)))
      end
      redis.call('ZADD', cold(66)(queue, task.fair_key, number), score, cold(160)(task))
      cold(72)(queue, task.fair_key, number)
    else
      redis.call('ZADD', cold(65)(queue, number), score, task.rank .. ' ' .. task.id)
    end
  end
  redis.call('HSET', namespace_prefix .. 'task_' .. task.id, 'rank', task.rank)
end
else
-- 162 ranking.remove_from_index
return function(queue, member)
  local all = cold(125)('lane_tasks', queue)
  if redis.call('ZCARD', all) - redis.call('ZREM', all, member) == 0 then
    redis.call('HDEL', namespace_meta, 'lanes:' .. queue)
  end
end
end
else
if number < 164 then
-- 163 ranking.remove
return function(task, to)
  cold(162)(task.queue, task.rank .. ' ' .. task.id)
  do
    local task, to = task, to
    local queue = task.queue
    local class = cold(134)(task)
    local number = cold(136)(queue, class)
    if task.fair_key then
      redis.call('ZREM', cold(66)(queue, task.fair_key, number), cold(160)(task))
      if cold(215)(task, to) then
        cold(109)(task)
      end
      cold(73)(queue, task.fair_key)
    else
      redis.call('ZREM', cold(65)(queue, number), task.rank .. ' ' .. task.id)
      if task.limited and cold(215)(task, to) then
        cold(109)(task)
      end
    end
    cold(138)(queue, class, -1)
  end
  redis.call('HDEL', namespace_prefix .. 'task_' .. task.id, 'rank')
end
else
-- 164 ranking.first
return function(queue, number, stale, low)
  local ranked = cold(65)(queue, number)
  for i = 0, 10 - 1 do
    local entry = redis.call('ZRANGEBYSCORE', ranked, low, '+inf', 'WITHSCORES', 'LIMIT', i, 1)
    if not entry[1] then
      return nil
    end
    local rank, what = string.match(entry[1], '^(%S+) (%S+)$')
    local found = { rank = rank, own = rank, score = tonumber(entry[2]), id = what, number = number, member = entry[1] }
    if string.sub(what, 1, 1) ~= '/' then
      return found
    end
    local key = string.sub(what, 2)
    found.key = key
    local head = redis.call('ZRANGE', cold(66)(queue, key, number), 0, 0)[1]
    local weight
    found.member = head
    found.own, found.id, weight = string.match(head or '', '^(%S+) (%S+) (%S+)$')
    if found.id and cold(105)(queue, key, weight) then
      return found
    end
    stale[#stale + 1] = key
  end
end
end
end
else
if number < 167 then
if number < 166 then
-- 165 ranking.plan_discard
return function(queue, ghost)
  cold(128)('ZCARD', cold(125)('lane_tasks', queue))
  cold(128)('ZCARD', cold(65)(queue, ghost.number))
  cold(128)('HLEN', cold(125)('needs', queue))
  if ghost.key then
    cold(74)(queue, { ghost.key })
  end
end
else
-- 166 ranking.discard
return function(queue, ghost)
  local rank, id = string.match(ghost.member, '^(%S+) (%S+)')
  cold(162)(queue, rank .. ' ' .. id)
  if ghost.key then
    redis.call('ZREM', cold(66)(queue, ghost.key, ghost.number), ghost.member)
    cold(73)(queue, ghost.key)
  else
    redis.call('ZREM', cold(65)(queue, ghost.number), ghost.member)
  end
  local known = redis.call('HGETALL', cold(125)('needs', queue))
  for i = 1, #known, 2 do
    if string.match(known[i + 1], '^%d+') == ghost.number then
      cold(138)(queue, known[i], -1)
    end
  end
end
end
else
if number < 168 then
-- 167 ranking.precedes
return function(one, other)
  local rank, rival = cold(70)(one.rank), cold(70)(other.rank)
  return rank < rival or rank == rival and cold(70)(one.own) < cold(70)(other.own or other.rank)
end
else
-- 168 ranking.choose
return function(firsts, ageing)
  local best, least
  for score, first in pairs(firsts) do
    local value = ageing and score + cold(71)(first.rank) / ageing or score
    if not best or value < least
      or value == least and cold(70)(first.rank) < cold(70)(best.rank) then
      best, least = first, value
    end
  end
  return best
end
end
end
end
else
if number < 173 then
if number < 171 then
if number < 170 then
-- 169 ranking.next
return function(queue, known, best, stale)
  cold(129)()
  local ageing = (known.own or known.common) and tonumber(cold(182)(queue, 'ageing'))
  ageing = ageing and ageing * 1000000
  local waiting = redis.call('HGETALL', cold(125)('needs', queue))
  local has = #waiting > 0 and cold(139)(redis.call('HGET', cold(125)('has', queue), known.listener))
  waiting[#waiting + 1], waiting[#waiting + 2] = '', ''
  local levels, firsts, shut = 0, { [0] = best }, nil
  for i = 1, #waiting, 2 do
    local number = string.match(waiting[i + 1], '^%d*')
    local class = waiting[i]
    local bar = string.find(class, '|', 1, true)
    local wanted = bar and string.sub(class, 1, bar - 1) or class
    local low = wanted ~= '' and not cold(140)(has, wanted) and '+inf' or '-inf'
    if bar and low == '-inf' then
      if not shut then
        known.pool, shut = cold(198)(queue, waiting), cold(199)
      end
      low = shut(known.pool, class) and '+inf' or low
    end
    while low ~= '+inf' do
      local found = cold(164)(queue, number, stale, low)
      if bar and found then
        found = cold(202)(known.pool, class) and found
        if found then
          found.class = class
        end
      end
      if found and (not firsts[found.score] or cold(167)(found, firsts[found.score])) then
        firsts[found.score] = found
      end
      levels = levels + 1
      low = found and ageing and levels < 200 and '(' .. found.score or '+inf'
    end
  end
  return cold(168)(firsts, ageing)
end
else
-- 170 record.find
return function(id, ...)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(127)(key)
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
else
if number < 172 then
-- 171 record.created
return function(id)
  return tonumber(redis.call('HGET', namespace_prefix .. 'task_' .. id, 'created') or 0)
end
else
-- 172 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(173)() then
    code, text = cold(174)()
  end
  error({ err = code .. ' ' .. text })
end
end
end
else
if number < 175 then
if number < 174 then
-- 173 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
-- 174 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
end
else
if number < 176 then
-- 175 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(174)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
else
-- 176 rights.denied
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
end
else
if number < 185 then
if number < 181 then
if number < 179 then
if number < 178 then
-- 177 rights.refuse
return function(name)
  local role = string.match('WORKER', '^%u+$')
  if role and not cold(176)({ name }, 'meta') then
    cold(172)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(172)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
-- 178 rights.check
return function(names)
  local name = cold(176)(names, 'WORKER')
  if name then
    cold(177)(name)
  end
end
end
else
if number < 180 then
-- 179 rights.require
return function()
  cold(178)({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HGETALL', 'HINCRBY', 'HMGET', 'HSET', 'HSETNX', 'HVALS', 'LINDEX', 'LPUSH', 'LREM', 'LTRIM', 'RPOP', 'RPOPLPUSH', 'RPUSH', 'SADD', 'SREM', 'UNLINK', 'XADD', 'XREVRANGE', 'ZADD', 'ZCARD', 'ZRANGE', 'ZREM' })
end
else
-- 180 settings.rate
return function(value, what)
  local number, seconds = string.match(value, '^(%d+)/(%d+)$')
  if not number or #number > 4 or #seconds > 6 or tonumber(number) < 1
    or tonumber(number) > 1000 or tonumber(seconds) < 1
    or tonumber(seconds) > 604800 then
    cold(172)('BADARG', string.format('%s must be NUMBER/SECONDS: %d to %d starts in %d to %d seconds', what,
      1, 1000, 1, 604800))
  end
  return value
end
end
end
else
if number < 183 then
if number < 182 then
-- 181 settings.find
return function(text, name)
  return text and string.match(' ' .. text, ' ' .. name .. '=(%S+)')
end
else
-- 182 settings.get
return function(queue, name)
  local texts = cold(126)('settings')
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
if number < 184 then
-- 183 settings.micros
return function(queue, name)
  return cold(256)(name, cold(182)(queue, name), name)
end
else
-- 184 settings.since
return function(queue, name)
  cold(182)(queue, name)
  local own, common = unpack(cold(126)('settings')[queue], 1, 2)
  local since = cold(181)(cold(181)(own, name) and own or common, name .. '_since')
  return tonumber(since or 0)
end
end
end
end
else
if number < 189 then
if number < 187 then
if number < 186 then
-- 185 shares.limits_key
return function()
  return namespace_prefix .. 'shared_limits'
end
else
-- 186 shares.places_key
return function()
  return namespace_prefix .. 'shared_places'
end
end
else
if number < 188 then
-- 187 shares.waits_key
return function()
  return namespace_prefix .. 'shared_waits'
end
else
-- 188 shares.tasks_key
return function()
  return namespace_prefix .. 'shared_tasks'
end
end
end
else
if number < 191 then
if number < 190 then
-- 189 shares.expires_key
return function()
  return namespace_prefix .. 'shared_expires'
end
else
-- 190 shares.idle_key
return function()
  return namespace_prefix .. 'shared_idle'
end
end
else
if number < 192 then
-- 191 shares.turns_key
return function(name)
  return namespace_prefix .. 'shared_turns_' .. name
end
else
-- 192 shares.starts_key
return function(name)
  return namespace_prefix .. 'shared_rate_' .. name
end
end
end
end
end
end
end
else
if number < 225 then
if number < 209 then
if number < 201 then
if number < 197 then
if number < 195 then
if number < 194 then
-- 193 shares.of
return function(class)
  return string.match(class, '|(.+)$')
end
else
-- 194 shares.parts
return function(set)
  local parts = {}
  for name, weight in string.gmatch(set, '([%w_.-]+):?(%d*)') do
    parts[#parts + 1] = { name = name, weight = tonumber(weight) or 1 }
  end
  return parts
end
end
else
if number < 196 then
-- 195 shares.read
return function(known, parts)
  local names = {}
  for _, part in ipairs(parts) do
    if not known[part.name] then
      known[part.name] = {}
      names[#names + 1] = part.name
    end
  end
  if not names[1] then
    return
  end
  local own = redis.call('HMGET', cold(185)(), unpack(names))
  local used = redis.call('HMGET', cold(186)(), unpack(names))
  for i, name in ipairs(names) do
    local most, rate = string.match(own[i] or '', '^(%S+) (%S+)$')
    known[name] = { missing = not most, most = tonumber(most), rate = rate ~= '-' and rate or nil,
      used = tonumber(used[i] or 0) }
  end
end
else
-- 196 shares.fits
return function(known, parts)
  local free
  for _, part in ipairs(parts) do
    local limit = known[part.name]
    if limit.missing or limit.most and limit.used + part.weight > limit.most then
      return false
    end
    local at = cold(108)(cold(192)(part.name), limit.rate, 0, 0)
    free = at > namespace_now_us and math.max(free or 0, at) or free
  end
  return not free, free
end
end
end
else
if number < 199 then
if number < 198 then
-- 197 shares.hopeless
return function(known, parts)
  for _, part in ipairs(parts) do
    local limit = known[part.name]
    if limit.missing or limit.most and part.weight > limit.most then
      return true
    end
  end
end
else
-- 198 shares.look
return function(queue, waiting)
  local pool = { queue = queue, known = {}, parts = {}, asked = {}, admitted = {}, asks = {}, offers = {}, gone = {} }
  local members, classes, all = {}, {}, {}
  local of, parse = cold(193), cold(194)
  for i = 1, #waiting, 2 do
    local set = of(waiting[i])
    if set then
      classes[#classes + 1], members[#members + 1] = waiting[i], queue .. ' ' .. waiting[i]
      pool.parts[waiting[i]] = parse(set)
      for _, part in ipairs(pool.parts[waiting[i]]) do
        all[#all + 1] = part
      end
    end
  end
  cold(195)(pool.known, all)
  local asked = redis.call('HMGET', cold(187)(), unpack(members))
  for i, class in ipairs(classes) do
    pool.asked[class] = asked[i] or nil
  end
  return pool
end
end
else
if number < 200 then
-- 199 shares.is_shut
return function(pool, class)
  local asked = pool.asked[class]
  if asked and string.find(asked, ' ', 1, true) then
    return false
  end
  for _, part in ipairs(pool.parts[class]) do
    local limit = pool.known[part.name]
    if limit.missing
      or limit.most and (part.weight > limit.most or asked and limit.used + part.weight > limit.most) then
      return true
    end
  end
  return false
end
else
-- 200 shares.is_gone
return function(member, asked)
  local queue, class = string.match(member, '^(%S+) (%S+)$')
  local offered = tonumber(string.match(asked or '', ' (%d+)$'))
  return not asked or offered and offered + 5000000 <= namespace_now_us
    or redis.call('HEXISTS', namespace_meta, 'paused:' .. queue) == 1
    or redis.call('HEXISTS', cold(125)('needs', queue), class) == 0, offered
end
end
end
end
else
if number < 205 then
if number < 203 then
if number < 202 then
-- 201 shares.leaves
return function(pool, part, member)
  local limit, now = pool.known[part.name], namespace_now_us
  local places, starts, first, change = 0, 0, true, now + 10000000
  for _, other in ipairs(redis.call('ZRANGE', cold(191)(part.name), 0, 16 - 1)) do
    if other == member then
      return true
    end
    local gone, offered = cold(200)(other, redis.call('HGET', cold(187)(), other))
    if gone or pool.left and pool.left[other] then
      pool.gone[other] = true
    else
      local parts, weight = cold(194)(cold(193)(other)), 1
      cold(195)(pool.known, parts)
      for _, own in ipairs(parts) do
        weight = own.name == part.name and own.weight or weight
      end
      local fits = cold(196)(pool.known, parts) and not (limit.most and limit.used + places + weight > limit.most)
      if fits then
        pool.offers[other] = not offered or nil
        change = math.min(change, (offered or now) + 5000000)
      end
      if first or fits then
        places, starts = places + weight, starts + 1
      end
      first = false
      if limit.most and limit.used + places + part.weight > limit.most
        or cold(108)(cold(192)(part.name), limit.rate, 0, starts) > now then
        return false, change, other
      end
    end
  end
  return true
end
else
-- 202 shares.admits
return function(pool, class)
  if pool.admitted[class] ~= nil then
    return pool.admitted[class]
  end
  local parts, member = pool.parts[class], pool.queue .. ' ' .. class
  local may, free = cold(196)(pool.known, parts)
  for _, part in ipairs(may and parts or {}) do
    local leaves, change = cold(201)(pool, part, member)
    may = may and leaves
    free = change and math.min(free or math.huge, change) or free
  end
  if not may and not cold(197)(pool.known, parts) then
    local since = string.match(pool.asked[class] or '', '^%d+')
    if not since or pool.asked[class] ~= since then
      pool.asks[member] = since or string.format('%.0f', namespace_now_us)
    end
    pool.free = free and math.min(pool.free or math.huge, free) or pool.free
  end
  pool.admitted[class] = may
  return may
end
end
else
if number < 204 then
-- 203 shares.plan_write
return function(pool)
  local served = pool.served and pool.asked[pool.served] and pool.queue .. ' ' .. pool.served
  if served then
    pool.gone[served], pool.asks[served] = true, nil
  end
  if not (next(pool.asks) or next(pool.offers) or next(pool.gone)) then
    return
  end
  cold(128)('HLEN', cold(187)())
  for _, members in ipairs({ pool.asks, pool.gone }) do
    for member in pairs(members) do
      for _, part in ipairs(cold(194)(cold(193)(member))) do
        cold(128)('ZCARD', cold(191)(part.name))
      end
    end
  end
  for member in pairs(pool.offers) do
    cold(217)(string.match(member, '^%S+'))
  end
end
else
-- 204 shares.write
return function(pool)
  for member in pairs(pool.gone) do
    redis.call('HDEL', cold(187)(), member)
    for _, part in ipairs(cold(194)(cold(193)(member))) do
      redis.call('ZREM', cold(191)(part.name), member)
    end
  end
  for member, since in pairs(pool.asks) do
    redis.call('HSET', cold(187)(), member, since)
    for _, part in ipairs(cold(194)(cold(193)(member))) do
      redis.call('ZADD', cold(191)(part.name), since, member)
    end
  end
  for member in pairs(pool.offers) do
    local since = string.match(redis.call('HGET', cold(187)(), member) or '', '^%d+')
    if since then
      redis.call('HSET', cold(187)(), member, since .. ' ' .. string.format('%.0f', namespace_now_us))
      do
        local queue = string.match(member, '^%S+')
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
            if not namespace_declared or cold(131)(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if state_roams ~= '' then
            cold(218)(queue)
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
if number < 207 then
if number < 206 then
-- 205 shares.plan
return function(set, queue)
  cold(128)('HLEN', cold(186)())
  cold(128)('HLEN', cold(185)())
  for _, part in ipairs(cold(194)(set)) do
    if queue then
      cold(206)(part.name, queue, 4)
    else
      cold(128)('LLEN', cold(192)(part.name))
    end
  end
end
else
-- 206 shares.plan_wakes
return function(name, queue, most)
  local woken, key = cold(126)('woken'), name .. ' ' .. queue
  if woken[key] then
    return
  end
  woken[key] = {}
  local seen = { [queue] = true }
  for _, member in ipairs(redis.call('ZRANGE', cold(191)(name), 0, math.max(most, 16) - 1)) do
    local other = string.match(member, '^%S+')
    if #woken[key] < most and not seen[other] and redis.call('HEXISTS', namespace_meta, 'paused:' .. other) == 0 then
      seen[other] = true
      cold(217)(other)
      table.insert(woken[key], other)
    end
  end
end
end
else
if number < 208 then
-- 207 shares.wake
return function(name, queue)
  for _, other in ipairs(cold(126)('woken')[name .. ' ' .. queue] or {}) do
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
          if not namespace_declared or cold(131)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(218)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
else
-- 208 shares.take
return function(set)
  local now = string.format('%.0f', namespace_now_us)
  for _, part in ipairs(cold(194)(set)) do
    redis.call('HINCRBY', cold(186)(), part.name, part.weight)
    local rate = string.match(redis.call('HGET', cold(185)(), part.name) or '', ' (%d+/%d+)$')
    cold(110)(cold(192)(part.name), rate, now)
  end
end
end
end
end
end
else
if number < 217 then
if number < 213 then
if number < 211 then
if number < 210 then
-- 209 shares.release
return function(set, queue)
  for _, part in ipairs(cold(194)(set)) do
    if redis.call('HINCRBY', cold(186)(), part.name, -part.weight) <= 0 then
      redis.call('HDEL', cold(186)(), part.name)
    end
    cold(207)(part.name, queue)
  end
end
else
-- 210 shares.plan_count
return function()
  cold(128)('HLEN', cold(188)())
  cold(128)('HLEN', cold(189)())
  cold(128)('ZCARD', cold(190)())
end
end
else
if number < 212 then
-- 211 shares.count
return function(set, change)
  for _, part in ipairs(cold(194)(set)) do
    cold(212)(part.name, redis.call('HINCRBY', cold(188)(), part.name, change), change)
  end
end
else
-- 212 shares.note_tasks
return function(name, number, change)
  if number <= 0 then
    redis.call('HDEL', cold(188)(), name)
    cold(213)(name)
  elseif number == change then
    redis.call('ZREM', cold(190)(), name)
  end
end
end
end
else
if number < 215 then
if number < 214 then
-- 213 shares.begin_idle
return function(name)
  local expires = tonumber(redis.call('HGET', cold(189)(), name) or nil)
  if expires then
    redis.call('ZADD', cold(190)(), string.format('%.0f', namespace_now_us + expires * 1000000), name)
  end
end
else
-- 214 shares.count_task
return function(task, to)
  local open = task.status and not cold(254)(task.status)
  local opens = not cold(254)(to) and to ~= 'deleted' and to ~= 'moved'
  if opens and not open then
    cold(211)(task.shared, 1)
  elseif open and not opens then
    cold(211)(task.shared, -1)
  end
end
end
else
if number < 216 then
-- 215 state.takes
return function(task, to)
  return to == 'reserved' or to == 'started' and task.status == 'pending'
end
else
-- 216 state.probe_list
return function(list, task)
  if cold(128)('LLEN', list) <= 100 or task.from_end then
    return
  end
  local tail = redis.call('LINDEX', list, -1)
  if tail ~= task.id then
    local first = cold(171)(redis.call('LINDEX', list, 0))
    local last, own = cold(171)(tail), cold(171)(task.id)
    task.from_end = own - last < first - own and -1 or 1
  end
end
end
end
end
else
if number < 221 then
if number < 219 then
if number < 218 then
-- 217 state.plan_wake
return function(queue)
  local asleep = cold(126)('asleep')
  asleep[queue] = cold(128)('LLEN', namespace_prefix .. 'wake_' .. queue) == 0
  if not asleep['*'] then
    asleep['*'], state_roams = true, redis.call('HGET', namespace_meta, 'roams')
  end
end
else
-- 218 state.rouse
return function(queue)
  local left = cold(146)(state_roams, queue)
  if left ~= state_roams then
    state_roams = left
    redis.pcall('HSET', namespace_meta, 'roams', left)
  end
end
end
else
if number < 220 then
-- 219 state.plan_left
return function(task)
  local queue = task.queue
  if cold(128)('LLEN', cold(125)('pending_tasks', queue))
    + cold(128)('ZCARD', cold(125)('lane_tasks', queue)) > 1 then
    cold(217)(queue)
    task.wakes = true
  end
end
else
-- 220 state.plan
return function(task, to, taker)
  local probe, touch = cold(128), cold(127)
  local from, queue, prefix = task.status, task.queue, namespace_prefix
  local tasks, events = '_tasks_' .. queue, touch(prefix .. 'events_' .. queue)
  if task.ties then
    cold(30)(task, to, taker)
    if from == 'pending' and not taker and (task.weight or task.solo) then
      cold(219)(task)
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
        if (task.limited or cold(182)(queue, 'concurrency'))
          and (redis.call('LLEN', prefix .. 'pending_tasks_' .. queue) > 0
          or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1) then
          cold(217)(queue)
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
    cold(216)(prefix .. from .. tasks, task)
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
      cold(217)(queue)
      if task.ranked then
        task.last = false
      end
    end
  end
  if task.foreign or to == 'deleted' or to == 'moved' then
    probe('ZCARD', prefix .. 'tasks_' .. queue)
  end
  cold(221)(task, to)
end
end
end
else
if number < 223 then
if number < 222 then
-- 221 state.plan_own
return function(task, to)
  if to == 'deleted' then
    cold(127)(namespace_prefix .. 'log_' .. task.id)
    task.logged = cold(117)(task.id)
  end
  cold(94)(task, to)
  if to == 'failed' or task.status == 'failed' then
    cold(88)(task, to)
  end
end
else
-- 222 state.time
return function(task)
  local since, now = task.since, namespace_now
  if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
    now = since
  end
  return now
end
end
else
if number < 224 then
-- 223 state.record
return function(task, to, why, by, ...)
  local id, queue, from, prefix = task.id, task.queue, task.status, namespace_prefix
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
        cold(118)(id, task.logged)
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
    cold(36)(task, to)
    if task.tracked then
      cold(248)(task, to, why, by, ...)
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
          if not namespace_declared or cold(131)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(218)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
  if task.dependents or task.unsettled then
    cold(58)(task)
  end
end
else
-- 224 state.take_all
return function(tasks, pid)
  local first = tasks[1]
  local queue, listener, prefix = first.queue, first.taker, namespace_prefix
  local leases, ids, started = {}, {}, {}
  for i = 1, #tasks do
    local task = tasks[i]
    leases[2 * i - 1], leases[2 * i], ids[i] = task.deadline, task.id .. ' ' .. task.issue, task.id
    started[i] = pid and listener .. ' ' .. pid .. ' ' .. task.id or nil
  end
  redis.call('ZADD', prefix .. 'leases_' .. queue, unpack(leases))
  redis.call('LTRIM', prefix .. 'pending_tasks_' .. queue, 0, -1 - #tasks)
  redis.call('LPUSH', prefix .. 'reserved_tasks_' .. queue .. '_' .. listener, unpack(ids))
  if pid then
    redis.call('SADD', prefix .. 'started_tasks_' .. queue, unpack(started))
  end
end
end
end
end
end
end
else
if number < 241 then
if number < 233 then
if number < 229 then
if number < 227 then
if number < 226 then
-- 225 tags.key
return function(queue, tag)
  return namespace_prefix .. 'tag_' .. queue .. '/' .. tag
end
else
-- 226 tags.names
return function(text)
  local names = {}
  for tag in string.gmatch(text or '', '[^,]+') do
    names[#names + 1] = tag
  end
  return names
end
end
else
if number < 228 then
-- 227 tags.plan
return function(queue, text)
  cold(128)('ZCARD', cold(125)('tags', queue))
  for _, tag in ipairs(cold(226)(text)) do
    cold(128)('ZCARD', cold(225)(queue, tag))
  end
end
else
-- 228 tags.enter
return function(queue, id, created, text)
  for _, tag in ipairs(cold(226)(text)) do
    local key = cold(225)(queue, tag)
    redis.call('ZADD', key, created, id)
    redis.call('ZADD', cold(125)('tags', queue), redis.call('ZCARD', key), tag)
  end
end
end
end
else
if number < 231 then
if number < 230 then
-- 229 tags.remove
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
-- 230 tags.leave
return function(queue, id, text)
  for _, tag in ipairs(cold(226)(text)) do
    cold(229)(cold(225)(queue, tag), cold(125)('tags', queue), tag, id)
  end
end
end
else
if number < 232 then
-- 231 taking.fields
return function(queues)
  local fields = {}
  for _, queue in ipairs(queues) do
    cold(1)(queue, 'queue')
    fields[#fields + 1] = 'paused:' .. queue
    fields[#fields + 1] = 'lanes:' .. queue
    fields[#fields + 1] = 'settings:' .. queue
    fields[#fields + 1] = 'drained:' .. queue
  end
  fields[#fields + 1] = 'limits'
  fields[#fields + 1] = 'settings'
  fields[#fields + 1] = 'token'
  return unpack(fields)
end
else
-- 232 taking.answer_again
return function(call)
  local answers, found, seen = {}, {}, {}
  for _, queue in ipairs(call.queues) do
    local held = cold(125)('reserved_tasks', queue .. '_' .. call.listener)
    for _, id in ipairs(redis.call('LRANGE', held, 0, (call.limit or 1) - 1)) do
      if not seen[id] then
        answers[#answers + 1] = cold(14)(id, call.listener, call.request)
      end
      seen[id] = true
    end
  end
  table.sort(answers, function(one, other) return tonumber(one[3]) < tonumber(other[3]) end)
  for _, answer in ipairs(answers) do
    for i = 1, 11 do
      found[#found + 1] = answer[i]
    end
  end
  return answers[1] and found
end
end
end
end
else
if number < 237 then
if number < 235 then
if number < 234 then
-- 233 taking.take_more
return function(call, task, fields)
  cold(234)(call, task, fields)
  local prepare, commit = cold(236), cold(239)
  while task and call.number < call.limit and call.bytes <= 8388608 do
    local ok
    state_written, call.run, call.ghosts, call.asked = task, nil, nil, nil
    ok, task, fields = pcall(prepare, call)
    task = ok and task
    if task then
      commit(call, task, fields)
      cold(234)(call, task, fields)
    end
  end
end
else
-- 234 taking.count
return function(call, task, fields)
  for _, taken in ipairs(call.run or { task }) do
    call.number = (call.number or 0) + 1
    call.bytes = (call.bytes or 0) + cold(235)(taken.fields or fields)
  end
end
end
else
if number < 236 then
-- 235 taking.bytes
return function(fields)
  return #(fields[5] or '') + #(fields[10] or '')
end
else
-- 236 taking.prepare
return function(call)
  attempt_updates = false
  local value_1_1, value_1_2
  do
    local call = call
    local prefix, queues, meta, listener = namespace_prefix, call.queues, call.meta, call.listener
    local order = call.order and cold(21)(call)
    local common, task, v, ghosts = meta[#meta - 1], nil, nil, nil
    if order then
      call.asked = order
    end
    for nth = 1, #queues do
      local i = order and order[nth].at or nth
      local queue, skipped, at = queues[i], 0, 4 * i - 2
      local open, weighed = not meta[at], meta[at + 1] or meta[at + 2] or common
      local pending = prefix .. 'pending_tasks_' .. queue
      while open and skipped < 100 do
        local id = redis.call('LINDEX', pending, skipped == 0 and '-1' or -1 - skipped)
        if not id then
          break
        end
        local value_2_1
        do
          local id = id
          local key = namespace_prefix .. 'task_' .. id
          local v = redis.call('HMGET', key, 'status', 'queue', 'attempt', 'outcome', 'parameters', 'updated', 'ties')
          if v[4] or v[3] ~= '0' then
            local ended = redis.call('HMGET', key, 'losses', 'failures', 'checkpoint')
            v[8], v[9], v[10] = ended[1], ended[2], ended[3]
          end
          value_2_1 = v
        end
        local read = value_2_1
        v = read
        if v[1] == 'pending' and v[2] == queue and not (v[7] and string.find(v[7], 'r')) then
          task = {
            id = id, queue = queue, status = 'pending', attempt = v[3] or '0', last = true, since = v[6],
            taker = listener, request = call.request,
            issue = false, deadline = false, ends = false, lease = false,
          }
          if not v[3] then
            task.foreign = true
          end
          if v[7] then
            task.ties = v[7]
          end
          break
        end
        if v[1] == 'pending' and v[2] == queue then
          cold(15)({ id = id, queue = queue, status = 'pending', ties = v[7] })
        end
        skipped = skipped + 1
        cold(127)(prefix .. 'task_' .. id)
      end
      if skipped > 0 then
        ghosts = ghosts or {}
        ghosts[queue] = skipped
        cold(127)(pending)
      end
      if open and weighed then
        task, v = cold(18)(queue, task, v, {
          ranked = meta[at + 1], own = meta[at + 2], common = common, listener = listener, request = call.request,
        })
      elseif task and call.limit and not (order or skipped > 0 or task.ties or task.foreign) then
        cold(237)(call, task, v)
      end
      if task then
        break
      end
    end
    if ghosts then
      call.ghosts = ghosts
    end
    value_1_1, value_1_2 = task, v
  end
  local task, fields = value_1_1, value_1_2
  if task then
    do
      local call, task = call, task
      local listener, pid, prefix = call.listener, call.pid, namespace_prefix
      local queue, ghosts = task.queue, call.ghosts
      local pending, held = prefix .. 'pending_tasks_' .. queue, prefix .. 'reserved_tasks_' .. queue .. '_' .. listener
      local leases, events = prefix .. 'leases_' .. queue, prefix .. 'events_' .. queue
      local started = pid and prefix .. 'started_tasks_' .. queue
      if redis.call('SISMEMBER', prefix .. 'listeners_' .. queue, listener) == 0 then
        cold(113)(queue, listener)
      end
      local last = state_written
      local written = last and last.queue == queue and (last.taker or last.node) == listener
      if not written then
        redis.call('XLEN', events)
        if not call.request or call.ended then
          redis.call('LLEN', held)
        end
        if pid then
          redis.call('SCARD', started)
        end
        if last or call.ended then
          redis.call('ZCARD', leases)
        end
      end
      if task.foreign then
        cold(128)('ZCARD', prefix .. 'tasks_' .. queue)
      end
      if task.ties then
        cold(30)(task, pid and 'started' or 'reserved', listener)
      end
      if call.woken then
        local left = redis.call('LLEN', pending) - (call.run and #call.run or 1)
        call.wakes = (left > (ghosts and ghosts[queue] or 0) or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1)
          and queue
        if call.wakes then
          cold(217)(queue)
        end
        if call.queues[2] then
          cold(238)(call, queue)
        end
      end
      if attempt_updates then
        cold(19)()
      end
      if call.asked then
        cold(128)('HLEN', prefix .. 'rounds_' .. listener)
      end
      local may, role = redis.acl_check_cmd, namespace_prefix .. 'WORKER'
      if ghosts or call.asked or task.ties or task.foreign or attempt_updates or call.others then
        cold(179)()
      elseif may and not ((written or may('HSET', role, '', '') and may('XADD', events, '*', '', ''))
        and (call.run and may('LTRIM', pending, '', '') and may('LPUSH', held, '') or not call.run
          and may('RPOPLPUSH', pending, held))
        and (not pid or may('SADD', started, '')) and (not call.wakes or may('LPUSH', prefix .. 'wake_' .. queue, ''))) then
        cold(179)()
      end
      if namespace_declared then
        for _, taken in ipairs(call.run or { task }) do
          cold(127)(prefix .. 'task_' .. taken.id)
        end
        cold(133)(leases, pending, held, events, started or held)
      end
    end
  end
  return task, fields
end
end
end
else
if number < 239 then
if number < 238 then
-- 237 taking.look_behind
return function(call, first, fields)
  local prefix, queue, listener, number = namespace_prefix, first.queue, call.listener, call.number or 0
  local run, seen = { first }, { [first.id] = true }
  local bytes = (call.bytes or 0) + cold(235)(fields)
  first.fields = fields
  local ids = number + 1 < call.limit
    and redis.call('LRANGE', prefix .. 'pending_tasks_' .. queue, number - call.limit, -2) or {}
  for i = #ids, 1, -1 do
    local id = ids[i]
    local value_1_1
    do
      local id = id
      local key = namespace_prefix .. 'task_' .. id
      local v = redis.call('HMGET', key, 'status', 'queue', 'attempt', 'outcome', 'parameters', 'updated', 'ties')
      if v[4] or v[3] ~= '0' then
        local ended = redis.call('HMGET', key, 'losses', 'failures', 'checkpoint')
        v[8], v[9], v[10] = ended[1], ended[2], ended[3]
      end
      value_1_1 = v
    end
    local v = value_1_1
    if v[1] ~= 'pending' or v[2] ~= queue or not v[3] or v[7] or seen[id] or bytes > 8388608 then
      break
    end
    seen[id] = true
    bytes = bytes + cold(235)(v)
    run[#run + 1] = {
      id = id, queue = queue, status = 'pending', attempt = v[3], since = v[6], taker = listener, fields = v,
      issue = false, deadline = false, ends = false, lease = false,
    }
  end
  call.run = run[2] and run
end
else
-- 238 taking.plan_others
return function(call, taken)
  local prefix = namespace_prefix
  local others = {}
  for i, queue in ipairs(call.queues) do
    local waiting = redis.pcall('LLEN', prefix .. 'pending_tasks_' .. queue)
    if queue ~= taken and not call.meta[4 * i - 2] and type(waiting) == 'number'
      and (waiting > 0 or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1)
      and type(redis.pcall('LLEN', prefix .. 'wake_' .. queue)) == 'number' then
      cold(217)(queue)
      others[#others + 1] = queue
    end
  end
  call.others = others[1] and others
end
end
else
if number < 240 then
-- 239 taking.commit
return function(call, task, fields)
  if call.run then
    cold(240)(call)
  else
    if call.ghosts then
      redis.call('ZCARD', namespace_prefix .. 'leases_' .. task.queue)
      cold(16)(call.ghosts)
    end
    local lease = call.lease
    if task.ties then
      lease = tonumber(task.own_lease) or lease
    end
    lease = lease or task.set_lease or 60000000
    do
      local task, lease, why, apart, pid = task, lease, 'reserve', call.meta[#call.meta], call.pid
      local listener, length = task.taker, lease == 60000000 and '60000000' or lease
      do
        local task, lease, apart = task, lease, apart
        local us = namespace_now_us + 1
        namespace_now_us = us
        local token, ends = cold(120)(us), us + lease
        local value_3_1
        do
          local us = ends
          local micros = us % 1000000
          value_3_1 = string.format('%d%06d', (us - micros) / 1000000, micros)
        end
        local deadline = value_3_1
        if apart then
          token = string.format('%.0f', math.max(us, tonumber(apart) + 1))
        end
        task.lease, task.issue, task.ends, task.deadline = lease, token, ends, deadline
        task.attempt = task.attempt == '0' and '1' or string.format('%d', task.attempt + 1)
      end
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
      if pid then
        task.node, task.pid = listener, pid
        state_move(task, 'started', why, listener,
          'node', listener, 'token', task.issue, 'attempt', task.attempt, 'lease', length, 'request', task.request or '',
          'pid', pid, 'started', now)
      else
        state_move(task, 'reserved', why, listener,
          'node', listener, 'token', task.issue, 'attempt', task.attempt, 'lease', length, 'request', task.request or '',
          'reserved', now)
      end
      do
        local token, apart = task.issue, apart
        if apart then
          redis.call('HSET', namespace_meta, 'token', token)
          token = string.format('%.0f', namespace_now_us)
        end
        do
          local us = token
          redis.call('HSET', namespace_meta, 'clock:1', us)
          if namespace_gap then
            redis.call('HSET', namespace_meta, 'gap', string.format('%.0f', namespace_gap))
          end
        end
      end
    end
    if attempt_updates then
      cold(20)()
    end
    if call.asked then
      cold(23)(call.listener, call.asked, task.queue)
    end
    do
      local call, task, v = call, task, fields
      if call.found then
        cold(241)(call.found, task, v)
      else
        call.found = { task.id, task.queue, task.issue, tonumber(task.attempt), task.ends, task.lease,
          v[4] or '', v[8] or '0', v[9] or '0', v[5] or '', v[10] or false }
      end
    end
  end
end
else
-- 240 taking.commit_run
return function(call)
  local run, lease, pid, listener = call.run, call.lease or 60000000, call.pid, call.listener
  local apart, write, length = call.meta[#call.meta], cold(223), string.format('%.0f', lease)
  for i = 1, #run do
    do
      local task, lease, apart = run[i], lease, apart
      local us = namespace_now_us + 1
      namespace_now_us = us
      local token, ends = cold(120)(us), us + lease
      local value_2_1
      do
        local us = ends
        local micros = us % 1000000
        value_2_1 = string.format('%d%06d', (us - micros) / 1000000, micros)
      end
      local deadline = value_2_1
      if apart then
        token = string.format('%.0f', math.max(us, tonumber(apart) + 1))
      end
      task.lease, task.issue, task.ends, task.deadline = lease, token, ends, deadline
      task.attempt = task.attempt == '0' and '1' or string.format('%d', task.attempt + 1)
    end
    apart = apart and run[i].issue
  end
  cold(224)(run, pid)
  for i = 1, #run do
    local task = run[i]
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
    if pid then
      write(task, 'started', 'reserve', listener,
        'node', listener, 'token', task.issue, 'attempt', task.attempt, 'lease', length,
        'request', call.request or '', 'pid', pid, 'started', now)
    else
      write(task, 'reserved', 'reserve', listener,
        'node', listener, 'token', task.issue, 'attempt', task.attempt, 'lease', length,
        'request', call.request or '', 'reserved', now)
    end
    do
      local call, task, v = call, task, task.fields
      if call.found then
        cold(241)(call.found, task, v)
      else
        call.found = { task.id, task.queue, task.issue, tonumber(task.attempt), task.ends, task.lease,
          v[4] or '', v[8] or '0', v[9] or '0', v[5] or '', v[10] or false }
      end
    end
  end
  do
    local token, apart = run[#run].issue, apart
    if apart then
      redis.call('HSET', namespace_meta, 'token', token)
      token = string.format('%.0f', namespace_now_us)
    end
    do
      local us = token
      redis.call('HSET', namespace_meta, 'clock:1', us)
      if namespace_gap then
        redis.call('HSET', namespace_meta, 'gap', string.format('%.0f', namespace_gap))
      end
    end
  end
end
end
end
end
end
else
if number < 249 then
if number < 245 then
if number < 243 then
if number < 242 then
-- 241 taking.append
return function(found, task, v)
  local n = #found
  found[n + 1], found[n + 2], found[n + 3], found[n + 4] = task.id, task.queue, task.issue, tonumber(task.attempt)
  found[n + 5], found[n + 6] = task.ends, task.lease
  found[n + 7], found[n + 8], found[n + 9] = v[4] or '', v[8] or '0', v[9] or '0'
  found[n + 10], found[n + 11] = v[5] or '', v[10] or false
end
else
-- 242 taking.nothing
return function(call)
  local prefix, queues, listener = namespace_prefix, call.queues, call.listener
  for _, queue in ipairs(queues) do
    cold(113)(queue, listener)
    cold(128)('ZCARD', prefix .. 'seen_' .. queue)
    cold(127)(prefix .. 'pending_tasks_' .. queue)
    cold(115)(queue, listener)
  end
  if attempt_updates then
    cold(19)()
  end
  cold(132)()
  cold(16)(call.ghosts)
  for _, queue in ipairs(queues) do
    cold(114)(queue, listener)
  end
  if attempt_updates then
    cold(20)()
  end
end
end
else
if number < 244 then
-- 243 taking.or_due
return function(call)
  if call.found then
    return { '', unpack(call.found) }
  end
  local first = call.due and cold(119)(cold(252)(cold(251)(call.queues)))
  cold(242)(call)
  return { first or '' }
end
else
-- 244 tracks.all
return function()
  return namespace_prefix .. 'tracked'
end
end
end
else
if number < 247 then
if number < 246 then
-- 245 tracks.key
return function()
  return namespace_prefix .. 'changes'
end
else
-- 246 tracks.plan
return function()
  cold(128)('XLEN', cold(245)())
  cold(128)('ZCARD', cold(244)())
end
end
else
if number < 248 then
-- 247 tracks.add
return function(task, at, what, from, to, by, why, text)
  redis.call('XADD', cold(245)(), 'MAXLEN', '~', '10000', '*', 'id', task.id, 'queue', task.queue, 'what', what,
    'from', from or '', 'to', to, 'attempt', task.attempt, 'at', at, 'by', by or '', 'why', why,
    'text', string.sub(text or '', 1, 1024))
  redis.pcall('PUBLISH', cold(245)(), '')
end
else
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
  cold(247)(task, cold(222)(task), 'state', task.status, to, by, why, text)
  if to == 'deleted' then
    cold(249)(task.id)
  end
end
end
end
end
else
if number < 253 then
if number < 251 then
if number < 250 then
-- 249 tracks.forget
return function(id)
  redis.call('ZREM', cold(244)(), id)
end
else
-- 250 upkeep.key
return function()
  return namespace_prefix .. 'upkeep'
end
end
else
if number < 252 then
-- 251 upkeep.read
return function(queues)
  local all, now = {}, namespace_now_us
  local function time(text, most)
    local us = tonumber(text) or 0
    return us <= now + most and us or 0
  end
  for i, text in ipairs(redis.call('HMGET', cold(127)(cold(250)()), '*', unpack(queues))) do
    local due, part, after, retained = string.match(text or '', '^(%d+) (%d+) (%d+) (%d+)$')
    all[i] = { name = queues[i - 1] or '*', nth = i, due = time(due, 2000000), part = tonumber(part) or 1,
      after = time(after, 2000000), retained = time(retained, 0) }
  end
  return all
end
else
-- 252 upkeep.first
return function(all)
  local first = all[1].due
  for _, one in ipairs(all) do
    first = math.min(first, one.due)
  end
  return math.max(first, namespace_now_us)
end
end
end
else
if number < 255 then
if number < 254 then
-- 253 contract.is_waiting
return function(status)
  return status == 'waiting' or status == 'scheduled' or status == 'pending'
end
else
-- 254 contract.is_final
return function(status)
  return status == 'complete' or status == 'failed' or status == 'cancelled'
end
end
else
if number < 256 then
-- 255 contract.option
return function(name, value)
  if name == 'limit' then
    return cold(7)(value, 1, 100, name)
  elseif name == 'pid' then
    return cold(7)(value, 1, 4194304, name)
  elseif name == 'lease' then
    return cold(8)(value, 1, 604800, name)
  elseif name == 'request' then
    return cold(1)(value, name)
  elseif name == 'woken' or name == 'due' then
    return cold(6)(value, name)
  elseif name == 'order' then
    return cold(3)(value, ' strict round weighted ', name)
  elseif name == 'weights' then
    return cold(11)(value, name)
  end
end
else
-- 256 contract.setting
return function(name, value, what)
  if name == 'lease' then
    return cold(8)(value, 1, 604800, what)
  elseif name == 'grace' then
    return cold(8)(value, 0, 86400, what)
  elseif name == 'max_failures' then
    return cold(7)(value, 0, 1000, what)
  elseif name == 'backoff' then
    return cold(3)(value, ' exponential fixed ', what)
  elseif name == 'delay' or name == 'max_delay' or name == 'lost_delay' then
    return cold(8)(value, 0, 31536000, what)
  elseif name == 'jitter' then
    return cold(7)(value, 0, 100, what)
  elseif name == 'max_losses' then
    return cold(7)(value, 0, 1000000000, what)
  elseif name == 'max_releases' or name == 'max_uncounted' then
    return cold(7)(value, 0, 1000000, what)
  elseif name == 'max_bytes' then
    return cold(7)(value, 0, 8388608, what)
  elseif name == 'log_bytes' then
    return cold(7)(value, 0, 268435456, what)
  elseif name == 'logs_bytes' then
    return cold(7)(value, 0, 1099511627776, what)
  elseif name == 'input_bytes' then
    return cold(7)(value, 1024, 16777216, what)
  elseif name == 'graph_bytes' then
    return cold(7)(value, 1024, 1099511627776, what)
  elseif name == 'forget_after' then
    return cold(8)(value, 60, 604800, what)
  elseif name == 'closed' then
    return cold(7)(value, 0, 1, what)
  elseif name == 'concurrency' or name == 'key_concurrency' then
    return cold(7)(value, 1, 1000000, what)
  elseif name == 'rate' or name == 'key_rate' then
    return cold(180)(value, what)
  elseif name == 'ageing' then
    return cold(8)(value, 1, 604800, what)
  elseif name == 'keep' then
    return cold(7)(value, 0, 10000000, what)
  elseif name == 'retain' then
    return cold(8)(value, 0, 100000000000, what)
  elseif name == 'events' then
    return cold(7)(value, 100, 100000, what)
  elseif name == 'audit' then
    return cold(7)(value, 100, 1000000, what)
  elseif name == 'history' then
    return cold(7)(value, 1, 1000, what)
  elseif name == 'statistics' then
    return cold(7)(value, 0, 400, what)
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
  local listener, count = ARGV[2], ARGV[3]
  if not ARGV[4] then
    cold(9)('listener count queue')
  end
  count = count == '1' and 1 or cold(7)(count, 1, 32, 'count')
  local last = 3 + count
  local meta, queues
  if count == 1 then
    local queue = ARGV[4]
    queues = { queue }
    meta = redis.call('HMGET', namespace_meta, 'clock:1', 'paused:' .. queue, 'lanes:' .. queue,
      'settings:' .. queue, 'drained:' .. queue, 'settings', 'token')
  else
    if not ARGV[last] then
      cold(172)('BADARG', 'missing argument: queue')
    end
    queues = { unpack(ARGV, 4, last) }
    meta = redis.call('HMGET', namespace_meta, 'clock:1', cold(231)(queues))
  end
  do
    local clock = meta[1]
    if not clock or #KEYS ~= 1 or namespace_declared and not string.find(namespace_meta, '^[^_]*_meta$') then
      clock = cold(121)()
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
      cold(122)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(123)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(124)(floor)
    end
  end

  local call = {
    listener = listener, queues = queues, meta = meta,
    request = nil, pid = nil, woken = nil, wakes = nil, found = nil, due = nil,
  }
  for i = last + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if name == 'request' and value and not call.request and #value <= 128
      and string.find(value, '^[%w._:@-]+$') then
      call.request = value
    elseif name == 'woken' and value == '1' and not call.woken then
      call.woken = true
    else
      local options = cold(10)(last)
      call.lease, call.request, call.woken = options.lease, options.request, options.woken
      call.limit = options.limit ~= 1 and options.limit or nil
      call.pid = options.pid and string.format('%d', options.pid)
      call.order, call.weights = cold(22)(queues, options.order, options.weights), options.weights
      call.due = options.due
      break
    end
  end

  if call.request then
    do
      local call = call
      local queues, listener, request = call.queues, call.listener, call.request
      for i = 1, #queues do
        local id = redis.call('LINDEX', namespace_prefix .. 'reserved_tasks_' .. queues[i] .. '_' .. listener, '0')
        if id and redis.call('HGET', namespace_prefix .. 'task_' .. id, 'request') == request then
          call.found = cold(232)(call)
          break
        end
      end
    end
  end
  if not call.found then
    do
      local call = call
      local queues, meta = call.queues, call.meta
      for i = 1, #queues do
        if meta[4 * i + 1] then
          cold(115)(queues[i], call.listener)
        end
      end
    end
    do
      local call = call
      local value_2_1, value_2_2
      do
        local call = call
        attempt_updates = false
        local value_3_1, value_3_2
        do
          local call = call
          local prefix, queues, meta, listener = namespace_prefix, call.queues, call.meta, call.listener
          local order = call.order and cold(21)(call)
          local common, task, v, ghosts = meta[#meta - 1], nil, nil, nil
          if order then
            call.asked = order
          end
          for nth = 1, #queues do
            local i = order and order[nth].at or nth
            local queue, skipped, at = queues[i], 0, 4 * i - 2
            local open, weighed = not meta[at], meta[at + 1] or meta[at + 2] or common
            local pending = prefix .. 'pending_tasks_' .. queue
            while open and skipped < 100 do
              local id = redis.call('LINDEX', pending, skipped == 0 and '-1' or -1 - skipped)
              if not id then
                break
              end
              local value_4_1
              do
                local id = id
                local key = namespace_prefix .. 'task_' .. id
                local v = redis.call('HMGET', key, 'status', 'queue', 'attempt', 'outcome', 'parameters', 'updated', 'ties')
                if v[4] or v[3] ~= '0' then
                  local ended = redis.call('HMGET', key, 'losses', 'failures', 'checkpoint')
                  v[8], v[9], v[10] = ended[1], ended[2], ended[3]
                end
                value_4_1 = v
              end
              local read = value_4_1
              v = read
              if v[1] == 'pending' and v[2] == queue and not (v[7] and string.find(v[7], 'r')) then
                task = {
                  id = id, queue = queue, status = 'pending', attempt = v[3] or '0', last = true, since = v[6],
                  taker = listener, request = call.request,
                  issue = false, deadline = false, ends = false, lease = false,
                }
                if not v[3] then
                  task.foreign = true
                end
                if v[7] then
                  task.ties = v[7]
                end
                break
              end
              if v[1] == 'pending' and v[2] == queue then
                cold(15)({ id = id, queue = queue, status = 'pending', ties = v[7] })
              end
              skipped = skipped + 1
              cold(127)(prefix .. 'task_' .. id)
            end
            if skipped > 0 then
              ghosts = ghosts or {}
              ghosts[queue] = skipped
              cold(127)(pending)
            end
            if open and weighed then
              task, v = cold(18)(queue, task, v, {
                ranked = meta[at + 1], own = meta[at + 2], common = common, listener = listener, request = call.request,
              })
            elseif task and call.limit and not (order or skipped > 0 or task.ties or task.foreign) then
              cold(237)(call, task, v)
            end
            if task then
              break
            end
          end
          if ghosts then
            call.ghosts = ghosts
          end
          value_3_1, value_3_2 = task, v
        end
        local task, fields = value_3_1, value_3_2
        if task then
          do
            local call, task = call, task
            local listener, pid, prefix = call.listener, call.pid, namespace_prefix
            local queue, ghosts = task.queue, call.ghosts
            local pending, held = prefix .. 'pending_tasks_' .. queue, prefix .. 'reserved_tasks_' .. queue .. '_' .. listener
            local leases, events = prefix .. 'leases_' .. queue, prefix .. 'events_' .. queue
            local started = pid and prefix .. 'started_tasks_' .. queue
            if redis.call('SISMEMBER', prefix .. 'listeners_' .. queue, listener) == 0 then
              cold(113)(queue, listener)
            end
            local last = state_written
            local written = last and last.queue == queue and (last.taker or last.node) == listener
            if not written then
              redis.call('XLEN', events)
              if not call.request or call.ended then
                redis.call('LLEN', held)
              end
              if pid then
                redis.call('SCARD', started)
              end
              if last or call.ended then
                redis.call('ZCARD', leases)
              end
            end
            if task.foreign then
              cold(128)('ZCARD', prefix .. 'tasks_' .. queue)
            end
            if task.ties then
              cold(30)(task, pid and 'started' or 'reserved', listener)
            end
            if call.woken then
              local left = redis.call('LLEN', pending) - (call.run and #call.run or 1)
              call.wakes = (left > (ghosts and ghosts[queue] or 0) or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1)
                and queue
              if call.wakes then
                cold(217)(queue)
              end
              if call.queues[2] then
                cold(238)(call, queue)
              end
            end
            if attempt_updates then
              cold(19)()
            end
            if call.asked then
              cold(128)('HLEN', prefix .. 'rounds_' .. listener)
            end
            local may, role = redis.acl_check_cmd, namespace_prefix .. 'WORKER'
            if ghosts or call.asked or task.ties or task.foreign or attempt_updates or call.others then
              cold(179)()
            elseif may and not ((written or may('HSET', role, '', '') and may('XADD', events, '*', '', ''))
              and (call.run and may('LTRIM', pending, '', '') and may('LPUSH', held, '') or not call.run
                and may('RPOPLPUSH', pending, held))
              and (not pid or may('SADD', started, '')) and (not call.wakes or may('LPUSH', prefix .. 'wake_' .. queue, ''))) then
              cold(179)()
            end
            if namespace_declared then
              for _, taken in ipairs(call.run or { task }) do
                cold(127)(prefix .. 'task_' .. taken.id)
              end
              cold(133)(leases, pending, held, events, started or held)
            end
          end
        end
        value_2_1, value_2_2 = task, fields
      end
      local task, fields = value_2_1, value_2_2
      if task then
        do
          local call, task, fields = call, task, fields
          if call.run then
            cold(240)(call)
          else
            if call.ghosts then
              redis.call('ZCARD', namespace_prefix .. 'leases_' .. task.queue)
              cold(16)(call.ghosts)
            end
            local lease = call.lease
            if task.ties then
              lease = tonumber(task.own_lease) or lease
            end
            lease = lease or task.set_lease or 60000000
            do
              local task, lease, why, apart, pid = task, lease, 'reserve', call.meta[#call.meta], call.pid
              local listener, length = task.taker, lease == 60000000 and '60000000' or lease
              do
                local task, lease, apart = task, lease, apart
                local us = namespace_now_us + 1
                namespace_now_us = us
                local token, ends = cold(120)(us), us + lease
                local value_5_1
                do
                  local us = ends
                  local micros = us % 1000000
                  value_5_1 = string.format('%d%06d', (us - micros) / 1000000, micros)
                end
                local deadline = value_5_1
                if apart then
                  token = string.format('%.0f', math.max(us, tonumber(apart) + 1))
                end
                task.lease, task.issue, task.ends, task.deadline = lease, token, ends, deadline
                task.attempt = task.attempt == '0' and '1' or string.format('%d', task.attempt + 1)
              end
              local value_4_1
              do
                local task = task
                local since, now = task.since, namespace_now
                if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
                  now = since
                end
                value_4_1 = now
              end
              local now = value_4_1
              if pid then
                task.node, task.pid = listener, pid
                state_move(task, 'started', why, listener,
                  'node', listener, 'token', task.issue, 'attempt', task.attempt, 'lease', length, 'request', task.request or '',
                  'pid', pid, 'started', now)
              else
                state_move(task, 'reserved', why, listener,
                  'node', listener, 'token', task.issue, 'attempt', task.attempt, 'lease', length, 'request', task.request or '',
                  'reserved', now)
              end
              do
                local token, apart = task.issue, apart
                if apart then
                  redis.call('HSET', namespace_meta, 'token', token)
                  token = string.format('%.0f', namespace_now_us)
                end
                do
                  local us = token
                  redis.call('HSET', namespace_meta, 'clock:1', us)
                  if namespace_gap then
                    redis.call('HSET', namespace_meta, 'gap', string.format('%.0f', namespace_gap))
                  end
                end
              end
            end
            if attempt_updates then
              cold(20)()
            end
            if call.asked then
              cold(23)(call.listener, call.asked, task.queue)
            end
            do
              local call, task, v = call, task, fields
              if call.found then
                cold(241)(call.found, task, v)
              else
                call.found = { task.id, task.queue, task.issue, tonumber(task.attempt), task.ends, task.lease,
                  v[4] or '', v[8] or '0', v[9] or '0', v[5] or '', v[10] or false }
              end
            end
          end
        end
        if call.limit then
          cold(233)(call, task, fields)
        end
      end
      if call.wakes then
        do
          local queue = call.wakes
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
              if not namespace_declared or cold(131)(ready) then
                redis.pcall('ZADD', ready, '0', queue)
              end
            end
            if state_roams ~= '' then
              cold(218)(queue)
            end
          end
          redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
        end
      end
      if call.others then
        for _, queue in ipairs(call.others) do
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
                if not namespace_declared or cold(131)(ready) then
                  redis.pcall('ZADD', ready, '0', queue)
                end
              end
              if state_roams ~= '' then
                cold(218)(queue)
              end
            end
            redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
          end
        end
      end
    end
  end
  if call.due ~= nil then
    return cold(243)(call)
  elseif not call.found then
    cold(242)(call)
    return false
  end
  return call.found
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(175)(answer)
