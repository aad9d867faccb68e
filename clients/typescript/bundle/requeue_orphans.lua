--- Takes tasks whose lease has expired from their owners, and forgets silent listeners and workers. The tasks go to the front of their queue, or are scheduled if they have a `lost_delay`.
-- @args now queue limit
-- @role upkeep
-- @again goes on
-- @reply number requeued, failed, cancelled, postponed, 1 if more are expired, number of listeners
-- @errors

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(149)('BADARG', 'missing argument: ' .. what)
end

local edges_readied = false

local function interruption_target(task, back, known)
  task.losses, task.fruitless = tonumber(known.losses or 0) + 1, tonumber(known.fruitless or 0) + 1
  if task.cancel then
    task.overdue = cold(25)(task)
    task.group = task.overdue and 'deadline' or nil
    return task.overdue and 'failed' or 'cancelled'
  end
  task.group = 'lost'
  if task.losses > tonumber(known.max_losses or cold(159)(task.queue, 'max_losses')) then
    return 'failed'
  end
  if back ~= 'pending' then
    return back
  end
  local to = cold(12)(task, back)
  return to == 'pending' and cold(153)(task, cold(84)(task, known)) or to
end

local namespace_meta = KEYS[1] or ''

local namespace_prefix = string.sub(namespace_meta, 1, -5)

local namespace_declared = not string.find(namespace_meta, '^[^_{]*_meta$') and {}

local namespace_shared_tables = false

local namespace_now = ''

local state_asleep = false

local state_roams = false

local function state_move(task, to, why, by, ...)
  local id, queue, from, prefix = task.id, task.queue, task.status, namespace_prefix
  local tasks = '_tasks_' .. queue
  if task.deadline then
    redis.call('ZADD', prefix .. 'leases_' .. queue, task.deadline, id .. ' ' .. (task.issue or task.token))
  end
  if task.foreign and to ~= 'deleted' and to ~= 'moved' then
    redis.call('ZADD', prefix .. 'tasks_' .. queue, task.created or cold(147)(id), id)
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
      cold(82)(task, { to = to, why = why, by = by, at = now }, ...)
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
      cold(22)(task, to)
      if task.tracked then
        cold(198)(task, to, why, by, ...)
      end
    end
    if to == 'failed' then
      cold(76)(task, now)
    elseif from == 'failed' then
      cold(77)(task)
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
            if not namespace_declared or cold(114)(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if state_roams ~= '' then
            cold(183)(queue)
          end
        end
        redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
      end
    end
    if task.dependents or task.unsettled then
      cold(47)(task)
    end
  end
end

local function interruption_move(task, to, why, text)
  local more = {}
  if task.overdue then
    task.forget, more = cold(26)(), { 'group', 'deadline', 'error', 'its deadline has passed' }
  elseif to == 'failed' then
    more = { 'group', 'lost', 'error', 'lost ' .. task.losses .. ' times: '
      .. (text or 'its owners stopped reporting') }
  elseif to == 'pending' then
    task.front, task.forget, more = true, { cold(179)() }, { 'front', '1' }
  elseif to == 'scheduled' then
    task.forget, more = { cold(179)() }, { 'front', '1', 'eta', task.eta }
    if task.own_eta then
      more[5], more[6] = 'retry_eta', '1'
    end
  elseif task.replaced then
    more = { cold(13)(task) }
  end
  state_move(task, to, why, '',
    'ended', task.token, 'outcome', 'lost', 'losses', task.losses,
    'fruitless', task.fruitless, unpack(more))
  cold(123)(task.queue)
end

local function listeners_plan_drain(queue)
  cold(109)('drained')[queue] = tonumber(redis.call('HGET', namespace_meta, 'drained:' .. queue) or 0)
end

local function listeners_drained(queue, by)
  local numbers = cold(109)('drained')
  numbers[queue] = math.max(0, numbers[queue] + by)
  if numbers[queue] > 0 then
    redis.call('HSET', namespace_meta, 'drained:' .. queue, numbers[queue])
  else
    redis.call('HDEL', namespace_meta, 'drained:' .. queue)
  end
end

local function namespace_key(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end

local function listeners_probe(queue)
  cold(111)('SCARD', namespace_key('listeners', queue))
  cold(111)('ZCARD', namespace_key('seen', queue))
  cold(111)('HLEN', namespace_key('orders', queue))
  cold(111)('HLEN', namespace_key('has', queue))
  listeners_plan_drain(queue)
  cold(111)('ZCARD', namespace_prefix .. 'queues')
end

local function listeners_remove(queue, listener)
  cold(204)(listener, queue)
  redis.call('HDEL', namespace_key('has', queue), listener)
  redis.call('ZREM', namespace_key('seen', queue), listener)
  if redis.call('HDEL', namespace_key('orders', queue), 'l:' .. listener) == 1 then
    listeners_drained(queue, -1)
  end
  local removed = redis.call('SREM', namespace_key('listeners', queue), listener)
  if removed == 1 then
    redis.call('ZINCRBY', namespace_prefix .. 'queues', -1, queue)
  end
  return removed
end

local namespace_gap = false

local namespace_now_us = 0

local function namespace_open_with(...)
  local found = redis.call('HMGET', namespace_meta, 'clock:1', ...)
  do
    local clock = found[1]
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
  return found
end

local function record_find(id, ...)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(110)(key)
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

local function record_held(task)
  return task.status == 'reserved' or task.status == 'started'
end

local function server_info(section, field)
  local text = redis.pcall('INFO', section)
  if type(text) ~= 'string' then
    return nil
  end
  return string.match(text, '\n' .. field .. ':([^\r\n]*)')
end

local function orphans_requeue(queue, limit, run, gap)
  local here = server_info('server', 'run_id') or run
  local restarted = run and here ~= run
  gap = restarted and namespace_now_us or namespace_gap or tonumber(gap or 0)

  local leases = cold(110)(namespace_key('leases', queue))
  local placed = cold(111)('HLEN', namespace_key('places', queue)) > 0
  local expired = redis.call('ZRANGEBYSCORE', leases, '-inf', string.format('(%.0f', namespace_now_us),
    'WITHSCORES', 'LIMIT', 0, limit + 1)
  local more = #expired > 2 * limit and 1 or 0
  local stale, foreign, freed, postponed, lost = {}, {}, {}, {}, {}
  for i = 1, math.min(#expired, 2 * limit), 2 do
    local member, deadline = expired[i], tonumber(expired[i + 1])
    local id, token = string.match(member, '^(%S+) (%d+)$')
    local task = record_find(id, 'max_losses', 'losses', 'lease', 'postponed', 'reclaimed_node', 'started', 'fruitless',
      'lost_delay')
    if not task or task.token ~= token then
      stale[#stale + 1] = member
      freed[#freed + 1] = { id = id, token = token }
    elseif not record_held(task) or (task.extra[5] and not (task.status == 'started' and task.extra[6])) then
      stale[#stale + 1] = member
      freed[#freed + 1] = task
      foreign[#foreign + 1] = task
    else
      local lease = tonumber(task.extra[3] or 60000000)
      local waits = gap + lease > namespace_now_us and deadline - lease < gap
      local once = restarted or tonumber(task.extra[4] or 0) ~= deadline
      if waits and once then
        task.deadline = string.format('%.0f', gap + lease)
        postponed[#postponed + 1] = task
      else
        task.to = interruption_target(task, 'pending', {
          max_losses = task.extra[1], losses = task.extra[2], fruitless = task.extra[7], lost_delay = task.extra[8],
        })
        task.later = true
        cold(185)(task, task.to)
        lost[#lost + 1] = task
      end
    end
  end
  local silent = {}
  listeners_probe(queue)
  local present = redis.call('SCARD', namespace_key('listeners', queue))
  for _, listener in ipairs(redis.call('ZRANGEBYSCORE', namespace_key('seen', queue), '-inf',
    cold(104)(math.max(0, namespace_now_us - cold(100)(queue))), 'LIMIT', 0, limit)) do
    if redis.call('LLEN', cold(110)(namespace_key('reserved_tasks', queue .. '_' .. listener))) == 0 then
      cold(203)(listener)
      silent[#silent + 1] = listener
    end
  end
  local past = cold(205)()
  if placed then
    cold(99)(queue, freed)
  end
  cold(115)()

  redis.call('ZREM', leases, '', unpack(stale))
  do
    local us = namespace_now_us
    redis.call('HSET', namespace_meta, 'clock:1', us)
    if namespace_gap then
      redis.call('HSET', namespace_meta, 'gap', string.format('%.0f', namespace_gap))
    end
  end
  redis.call('HSET', namespace_meta, 'run', here or '', 'gap', string.format('%.0f', gap))
  for _, task in ipairs(postponed) do
    redis.call('ZADD', leases, task.deadline, cold(148)(task))
    redis.call('HSET', task.key, 'postponed', task.deadline)
  end
  for _, task in ipairs(placed and freed or {}) do
    cold(98)(queue, task.id, task.token)
  end
  for _, task in ipairs(foreign) do
    redis.call('HDEL', task.key, 'token', 'lease', 'request')
    redis.call('HSET', task.key, 'ended', task.token, 'outcome', 'lost')
  end
  local counts = { pending = 0, scheduled = 0, failed = 0, cancelled = 0 }
  for _, task in ipairs(lost) do
    counts[task.to] = counts[task.to] + 1
    interruption_move(task, task.to, 'lost')
  end
  for _, listener in ipairs(silent) do
    listeners_remove(queue, listener)
  end
  cold(206)(past, cold(104)(namespace_now_us + cold(100)(queue)))
  if counts.pending > 0 then
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
          if not namespace_declared or cold(114)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(183)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
  return { counts.pending + counts.scheduled, counts.failed, counts.cancelled, #postponed, more, present - #silent }
end

local function contract_arguments()
  local queue = cold(1)(args_next('queue'), 'queue')
  local limit = cold(2)(args_next('limit'), 1, 500, 'limit')
  cold(4)()
  return queue, limit
end

function cold(number)
if number < 105 then
if number < 53 then
if number < 27 then
if number < 14 then
if number < 7 then
if number < 4 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(149)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
if number < 3 then
-- 2 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(149)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
else
-- 3 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(149)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
end
else
if number < 5 then
-- 4 args.none
return function()
  if #ARGV > args_at then
    cold(149)('BADARG', 'too many arguments: this command takes no options')
  end
end
else
if number < 6 then
-- 5 cascades.plan_begin
return function(task)
  local known = task.broken and 1 or 0
  if cold(66)(task.graph) == 'cancel' and redis.call('HLEN', cold(27)(task.id)) > known then
    cold(111)('ZCARD', cold(30)())
    task.unsettled, task.cascades = true, true
  end
end
else
-- 6 claims.load
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
end
end
else
if number < 10 then
if number < 8 then
-- 7 claims.name_holders
return function(queue, name)
  local v = redis.call('HMGET', cold(110)(namespace_key('unique', queue)), name, '/' .. name)
  local id, till = string.match(v[1] or '', '^(%S+) (%S+)$')
  return id, till, string.match(v[2] or '', '^(%S+) ')
end
else
if number < 9 then
-- 8 claims.has_latest_policy
return function(task)
  return task.solo and task.unique and task.unique == task.fair_key
end
else
-- 9 claims.still_holds_name
return function(queue, id, name, till)
  local status, where, own, solo, key = unpack(redis.call('HMGET', namespace_prefix .. 'task_' .. id,
    'status', 'queue', 'unique', 'solo', 'key'))
  if where ~= queue or own ~= (till == 'kept' and string.sub(name, 2) or name) then
    return false
  end
  local latest = solo and key == own
  return cold(207)(status)
    or till ~= 'kept' and (status == 'reserved' and not latest or status == 'started' and till ~= 'start')
end
end
end
else
if number < 12 then
if number < 11 then
-- 10 claims.name_conflict
return function(task)
  local id, till = cold(7)(task.queue, task.unique)
  if not id or id == task.id then
    return nil
  elseif tonumber(till) then
    return tonumber(till) > namespace_now_us and id or nil
  end
  return cold(9)(task.queue, id, task.unique, till) and id or nil
end
else
-- 11 claims.drained_at_checkpoint
return function(task, reason)
  if reason ~= 'drain' then
    local given = redis.call('HMGET', namespace_key('orders', task.queue), 'q', 'l:' .. task.node, 't:' .. task.id)
    if not given[1] and not given[2] and given[3] ~= 'stop' then
      return false
    end
  end
  return redis.call('HEXISTS', namespace_prefix .. 'task_' .. task.id, 'checkpoint') == 1
end
end
else
if number < 13 then
-- 12 claims.state_after_release
return function(task, to, reason)
  if not task.ties or not string.find(task.ties, 'u') then
    return to
  end
  cold(6)(task)
  if not cold(8)(task) then
    return to
  end
  local field = task.queue .. ' ' .. task.unique
  local claimed = cold(109)('claimed')
  local _, _, kept = cold(7)(task.queue, task.unique)
  if reason and not cold(14)(task, kept) and cold(11)(task, reason) then
    task.keeps = true
    return to
  end
  task.replaced = claimed[field] or cold(10)(task)
  claimed[field] = claimed[field] or task.id
  return task.replaced and 'cancelled' or to
end
else
-- 13 claims.cancel_reason
return function(task)
  if task.replaced then
    return 'reason', 'replaced by ' .. task.replaced
  end
end
end
end
end
end
else
if number < 20 then
if number < 17 then
if number < 15 then
-- 14 claims.waiting_attempt
return function(task, id)
  local other = id and id ~= task.id and record_find(id)
  if other and other.queue == task.queue and cold(207)(other.status) then
    cold(6)(other)
    return other.unique == task.unique and other or nil
  end
end
else
if number < 16 then
-- 15 claims.opens_or_closes
return function(task, to)
  return not task.status or cold(208)(task.status) or cold(208)(to) or to == 'deleted'
end
else
-- 16 claims.plan
return function(task, to, taker)
  cold(6)(task)
  local held = task.status == 'reserved' or task.status == 'started'
  if task.ranked and (task.rank or to == 'pending') or task.limited and (held or taker) then
    cold(142)(task)
  end
  if task.limited and held and taker then
    cold(112)()
  end
  if task.shared and (taker or held and to ~= 'started') then
    cold(169)(task.shared, not taker and task.queue)
  end
  if task.shared and (cold(15)(task, to) or to == 'moved') then
    cold(17)(to)
  end
  if task.unique then
    cold(18)(task, to)
  end
  if task.tags and (not task.status or to == 'deleted' or to == 'moved') then
    cold(190)(task.queue, task.tags)
  end
  if to == 'deleted' and string.find(task.ties, '[wd]') then
    cold(41)(task)
  end
  if task.graph and task.status and cold(15)(task, to) then
    cold(111)('HLEN', cold(62)(task.graph))
    cold(111)('ZCARD', cold(65)())
    cold(110)(cold(63)(task.graph))
    task.bounds = to == 'deleted' and cold(72)(task.graph) or nil
  end
  if task.graph and task.status == 'waiting' and (to == 'failed' or to == 'cancelled') then
    cold(5)(task)
  end
  if task.end_by and cold(15)(task, to) then
    cold(111)('ZCARD', cold(23)())
  end
  if string.find(task.ties, 'd', 1, true) and task.status and not cold(208)(task.status)
    and (cold(208)(to) or to == 'deleted') then
    cold(39)(task, to)
  end
  if task.tracked then
    cold(196)()
  end
  if string.find(task.ties, 'a', 1, true) and task.status and (cold(208)(to) or to == 'deleted') then
    cold(53)(task, to)
  end
end
end
end
else
if number < 18 then
-- 17 claims.plan_shared
return function(to)
  if to == 'moved' then
    cold(112)()
  end
  cold(174)()
end
else
if number < 19 then
-- 18 claims.plan_name
return function(task, to)
  local taken = cold(180)(task, to) and cold(8)(task)
  if (to == 'reserved' or to == 'started') and not taken and not (to == 'started' and task.till == 'start') then
    return
  end
  cold(111)('HLEN', namespace_key('unique', task.queue))
  if tonumber(task.till) then
    cold(111)('ZCARD', namespace_key('timed', task.queue))
  end
  task.holder, task.held_till, task.kept = cold(7)(task.queue, task.unique)
  if taken and task.status == 'pending' then
    task.older = cold(14)(task, task.kept)
    if task.older then
      cold(185)(task.older, 'cancelled')
    end
  end
end
else
-- 19 claims.take_name
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
end
end
end
else
if number < 23 then
if number < 21 then
-- 20 claims.release_name
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
else
if number < 22 then
-- 21 claims.move_name
return function(task, to)
  local from, latest = task.status, cold(8)(task)
  local back = (from == 'reserved' or from == 'started') and cold(207)(to)
  local ends = cold(208)(to) or to == 'deleted' or to == 'moved'
  if ends or to == 'started' and task.till == 'start' or latest and cold(180)(task, to) then
    cold(20)(task, to)
  elseif not from or task.restarts or (from == 'failed' or from == 'cancelled') and not tonumber(task.till)
    or latest and back then
    cold(19)(task)
  end
  if task.older then
    state_move(task.older, 'cancelled', 'replaced', '', 'reason', 'replaced by ' .. task.id)
  end
end
else
-- 22 claims.move
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
    cold(98)(task.queue, task.id, task.token)
  end
  if task.rank and not back then
    cold(146)(task, to)
    task.rank = nil
  elseif task.limited and cold(180)(task, to) then
    cold(96)(task)
    if task.fair_key then
      cold(60)(task.queue, task.fair_key)
    end
  end
  if task.ranked and to == 'pending' and not back then
    cold(144)(task)
  end
  if task.shared then
    cold(178)(task, to)
  end
  if task.further_shared then
    cold(175)(task.further_shared, -1)
  end
  if task.tags and not from then
    cold(191)(task.queue, task.id, task.created, task.tags)
  elseif task.tags and (to == 'deleted' or to == 'moved') then
    cold(193)(task.queue, task.id, task.tags)
  end
  if task.unique then
    cold(21)(task, to)
  end
  if task.end_by and cold(15)(task, to) then
    if cold(208)(to) or to == 'deleted' or to == 'moved' then
      redis.call('ZREM', cold(23)(), task.id)
    else
      redis.call('ZADD', cold(23)(), task.end_by, task.id)
    end
  end
  if task.graph then
    cold(73)(task, to)
  end
end
end
end
else
if number < 25 then
if number < 24 then
-- 23 deadlines.key
return function()
  return namespace_prefix .. 'deadlines'
end
else
-- 24 deadlines.has
return function(task)
  return task.ties and string.find(task.ties, 'e', 1, true)
end
end
else
if number < 26 then
-- 25 deadlines.decided
return function(task)
  if not task.cancel or not cold(24)(task) then
    return false
  end
  cold(6)(task)
  return task.end_by ~= nil and tonumber(task.cancel) >= tonumber(task.end_by)
end
else
-- 26 deadlines.forgotten
return function()
  return { 'cancel', 'recall', 'reason' }
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
-- 27 edges.upstreams
return function(id)
  return namespace_prefix .. 'upstreams_' .. id
end
else
if number < 29 then
-- 28 edges.dependents
return function(id)
  return namespace_prefix .. 'dependents_' .. id
end
else
-- 29 edges.inputs
return function(id)
  return namespace_prefix .. 'inputs_' .. id
end
end
end
else
if number < 31 then
-- 30 edges.unsettled
return function()
  return namespace_prefix .. 'unsettled'
end
else
if number < 32 then
-- 31 edges.slots
return function(text)
  local slots = {}
  for slot in string.gmatch(text or '', '%d+') do
    slots[#slots + 1] = tonumber(slot)
  end
  return slots
end
else
-- 32 edges.is_met
return function(kind, to)
  if kind == 'after' or kind == 'optional' then
    return true
  end
  return (kind == 'failure') ~= (to == 'complete')
end
end
end
end
else
if number < 36 then
if number < 34 then
-- 33 edges.is_repairable
return function(kind, to)
  return cold(34)(kind) and (to == 'failed' or to == 'cancelled')
end
else
if number < 35 then
-- 34 edges.needs_success
return function(kind)
  return kind == 'success' or kind == 'result' or kind == 'some'
end
else
-- 35 edges.element
return function(result)
  return result == '' and 'null' or result
end
end
end
else
if number < 38 then
if number < 37 then
-- 36 edges.over
return function(queue, bytes)
  local most = bytes > 1024 and cold(159)(queue, 'input_bytes')
  if most and bytes > tonumber(most) then
    return 'over ' .. most .. ' bytes, the setting input_bytes'
  end
end
else
-- 37 edges.tie
return function(up)
  if not string.find(up.ties or '', 'd', 1, true) then
    up.ties = (up.ties or '') .. 'd'
    redis.call('HSET', up.key, 'ties', up.ties)
  end
end
end
else
if number < 39 then
-- 38 edges.waiting
return function(id)
  local key = cold(110)(cold(28)(id))
  local waiting, staged = redis.call('ZCOUNT', key, '(0', '+inf'), redis.call('ZCOUNT', key, '-inf', '-inf')
  return waiting + staged, waiting
end
else
-- 39 edges.plan_end
return function(task, to)
  local key = cold(110)(cold(28)(task.id))
  local ids = redis.call('ZRANGEBYSCORE', key, '(0', '+inf', 'LIMIT', 0, 100 + 1 + (task.knowing or 0))
  local number = #ids - (task.knowing or 0)
  if number <= 0 then
    return
  elseif task.later or number > 100 or cold(40)(task.id, ids, #(task.result or ''))
    or to ~= 'complete' and task.graph and cold(67)(task.graph, task.id) then
    cold(111)('ZCARD', cold(30)())
    task.unsettled = true
    return
  end
  cold(42)(task, to, ids)
end
end
end
end
end
else
if number < 46 then
if number < 43 then
if number < 41 then
-- 40 edges.is_much
return function(id, ids, length)
  local told = cold(109)('told')
  local looked, copied = (told.looked or 0) + length, (told.copied or 0) + #ids * length
  if length <= 131072 and looked <= 262144 and copied <= 1048576 then
    told.looked, told.copied = looked, copied
    return false
  end
  for _, other in ipairs(ids) do
    if string.find(redis.call('HGET', cold(27)(other), id) or '', '/', 1, true) then
      return true
    end
  end
  return false
end
else
if number < 42 then
-- 41 edges.plan_removal
return function(task)
  local dependents = cold(110)(cold(28)(task.id))
  task.edge_keys = { cold(110)(cold(27)(task.id)), cold(110)(cold(29)(task.id)),
    cold(110)(cold(85)(task.id)) }
  local all, waiting = cold(38)(task.id)
  if all == 0 then
    task.edge_keys[4] = dependents
  elseif waiting > 0 and cold(208)(task.status) then
    cold(111)('ZCARD', cold(30)())
    task.unsettled = true
  end
end
else
-- 42 edges.plan_page
return function(task, to, ids)
  task.dependents = {}
  for i, id in ipairs(ids) do
    task.dependents[i] = cold(43)(task, to, id)
  end
end
end
end
else
if number < 44 then
-- 43 edges.plan_one
return function(up, to, id)
  local task = record_find(id, cold(44)())
  local key = cold(110)(cold(27)(id))
  local kind, mark, slots = string.match(redis.call('HGET', key, up.id) or '', '^(%l+)(%d*)/?(.*)$')
  local plan = { id = id, met = not kind or cold(32)(kind, to) }
  if not task or task.status ~= 'waiting' or not kind then
    plan.kept = task and kind and cold(208)(task.status)
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
  elseif not plan.met and cold(33)(kind, to) and cold(66)(task.extra[5]) == 'hold' then
    plan.held = true
    return plan
  end
  plan.task = task
  task.later = true
  if not plan.met then
    plan.to, task.group, task.broken = kind == 'failure' and 'cancelled' or 'failed', 'upstream', true
    cold(185)(task, plan.to)
    return plan
  end
  local open = redis.call('HLEN', key)
  plan.last = plan.ready or open == 1
  if plan.set and not plan.ready then
    plan.last = cold(135)(plan.set, open - 1)
  end
  local own = cold(110)(cold(29)(id))
  local known = (plan.last or slots ~= '') and redis.call('HMGET', own, 'slots', 'bytes')
  if slots ~= '' and not plan.ready then
    cold(46)(plan, up, to, slots, tonumber(known[2] or 0))
  end
  if plan.wrong then
    cold(185)(task, plan.to)
  elseif plan.last then
    cold(45)(plan, tonumber(known[1] or 0), plan.bytes or tonumber(known[2] or 0))
  end
  return plan
end
else
if number < 45 then
-- 44 edges.fields
return function()
  return 'eta', 'front', 'ended', 'retry_eta', 'graph'
end
else
-- 45 edges.plan_ready
return function(plan, slots, bytes)
  local task = plan.task
  plan.joins = cold(88)(plan.id, slots, bytes)
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
    plan.joined, plan.lengths = cold(86)(cold(87)(cold(29)(plan.id), slots, plan), slots)
  end
  cold(185)(task, plan.to)
end
end
end
end
else
if number < 49 then
if number < 47 then
-- 46 edges.plan_input
return function(plan, up, to, slots, bytes)
  local result = to == 'complete' and up.result or ''
  plan.slots, plan.text = cold(31)(slots), cold(35)(result)
  plan.bytes = bytes + #plan.text * #plan.slots
  if up.json == nil then
    up.json = result == '' or cold(90)(result)
  end
  local over = cold(36)(plan.task.queue, plan.bytes)
  if not up.json then
    plan.wrong = 'is not JSON'
  elseif over then
    plan.wrong = 'brings the inputs of this task ' .. over
  elseif cold(68)(#plan.text) > 0 and plan.task.extra[5] then
    plan.graph, plan.grows = plan.task.extra[5], #plan.text * #plan.slots
    if not cold(70)(plan.graph, plan.grows) then
      plan.wrong = 'brings the inputs of its graph over ' .. cold(69)() .. ' bytes, the setting graph_bytes'
    end
  end
  if plan.wrong then
    plan.to, plan.task.group, plan.task.broken = 'failed', 'input', true
  end
end
else
if number < 48 then
-- 47 edges.settle
return function(task)
  if task.unsettled then
    redis.call('ZADD', cold(30)(), namespace_now, task.id)
  end
  if task.cascades then
    redis.call('HSET', task.key or namespace_key('task', task.id), 'cascade', '0')
  end
  local told
  for _, plan in ipairs(task.dependents or {}) do
    if plan.kept then
      redis.call('ZADD', cold(28)(task.id), '-' .. namespace_now, plan.id)
    elseif plan.held then
      redis.call('ZADD', cold(28)(task.id), 'inf', plan.id)
    elseif plan.missed then
      cold(140)(task, plan)
    elseif plan.task and not plan.met then
      told = told or redis.call('HMGET', task.key or namespace_key('task', task.id), 'status', 'error', 'cause')
      cold(48)(task, plan, told)
    elseif plan.wrong then
      redis.call('ZADD', cold(28)(task.id), '-' .. namespace_now, plan.id)
      state_move(plan.task, 'failed', 'input', '', 'cause', task.id, 'group', 'input',
        'error', 'the result of ' .. task.id .. ' ' .. plan.wrong)
    else
      cold(51)(task, plan)
    end
  end
end
else
-- 48 edges.fail_with
return function(up, plan, told)
  local cause = told[3] or up.id
  redis.call('ZADD', cold(28)(up.id), '-' .. namespace_now, plan.id)
  if plan.to == 'cancelled' then
    state_move(plan.task, 'cancelled', 'upstream', '', 'cause', cause,
      'reason', 'not needed: ' .. up.id .. ' is complete')
    return
  end
  state_move(plan.task, 'failed', 'upstream', '', 'cause', cause, 'group', 'upstream',
    'error', (plan.short and 'too few of its set can still be complete: ' or '') .. cold(49)(up.id, told))
end
end
end
else
if number < 51 then
if number < 50 then
-- 49 edges.error_of
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
-- 50 edges.fill
return function(id, slots)
  for _, slot in ipairs(slots) do
    redis.call('HSET', cold(29)(id), slot, 'null')
  end
  if slots[1] then
    redis.call('HINCRBY', cold(29)(id), 'bytes', 4 * #slots)
  end
end
end
else
if number < 52 then
-- 51 edges.meet
return function(up, plan)
  if up then
    redis.call('ZREM', cold(28)(up.id), plan.id)
    redis.call('HDEL', cold(27)(plan.id), up.id)
  end
  if plan.grows then
    redis.call('HINCRBY', cold(62)(plan.graph), 'bytes', plan.grows)
  end
  if not plan.task then
    return
  elseif plan.set and plan.to then
    cold(141)(plan.id)
  elseif plan.set and not plan.joins then
    cold(133)(plan.id, plan.set)
  end
  if plan.joined then
    redis.call('UNLINK', cold(29)(plan.id))
    state_move(plan.task, plan.to, 'ready', '', 'readied', cold(187)(plan.task), 'parameters', plan.joined,
      'slots', plan.lengths)
  elseif plan.to then
    state_move(plan.task, plan.to, 'ready', '', 'readied', cold(187)(plan.task))
  elseif plan.slots then
    for _, slot in ipairs(plan.slots) do
      redis.call('HSET', cold(29)(plan.id), slot, plan.text)
    end
    redis.call('HSET', cold(29)(plan.id), 'bytes', plan.bytes)
  end
  if plan.joins then
    cold(89)(plan.id)
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
          if not namespace_declared or cold(114)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(183)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
else
-- 52 encore.key
return function(id)
  return namespace_prefix .. 'further_' .. id
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
-- 53 encore.plan_end
return function(task, to)
  if to == 'deleted' then
    local key = cold(110)(cold(52)(task.id))
    task.edge_keys = task.edge_keys or {}
    task.edge_keys[#task.edge_keys + 1] = key
    task.further_shared = redis.call('HGET', key, '/limits') or nil
    if task.further_shared then
      cold(174)()
    end
  elseif not cold(208)(task.status) then
    cold(111)('ZCARD', cold(30)())
    task.unsettled = true
  end
end
else
if number < 55 then
-- 54 fairness.ranked_key
return function(queue, number)
  return namespace_prefix .. 'ranked_tasks_' .. queue .. (number == '' and '' or '/' .. number)
end
else
-- 55 fairness.tasks_key
return function(queue, key, number)
  return namespace_prefix .. 'key_tasks_' .. queue .. '/' .. key .. (number == '' and '' or '/' .. number)
end
end
end
else
if number < 57 then
-- 56 fairness.rank
return function(us)
  return string.format('%016.0f', us)
end
else
if number < 58 then
-- 57 fairness.front_rank
return function(us)
  return '-' .. cold(56)(9007199254740991 - us)
end
else
-- 58 fairness.sort_value
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
if number < 62 then
if number < 60 then
-- 59 fairness.refresh
return function(queue, key, number)
  local entries, field = namespace_key('turns', queue), key .. '/' .. number
  local first = redis.call('ZRANGE', cold(55)(queue, key, number), 0, 0, 'WITHSCORES')
  local current, wanted = redis.call('HGET', entries, field) or nil, nil
  if first[1] then
    local rank, weight = string.match(first[1], '^(%S+) %S+ (%S+)$')
    local fits, free = cold(93)(queue, key, weight)
    if fits then
      local served = redis.call('HGET', entries, key)
      if served and cold(58)(served) > cold(58)(rank) then
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
  local ranked, rank = cold(54)(queue, number), nil
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
if number < 61 then
-- 60 fairness.refresh_all
return function(queue, key)
  local waits = false
  for _, number in ipairs(cold(118)(queue)) do
    cold(59)(queue, key, number)
    waits = waits or redis.call('EXISTS', cold(55)(queue, key, number)) == 1
  end
  if not waits and not redis.call('HGET', namespace_key('places', queue), 'k:' .. key) then
    redis.call('HDEL', namespace_key('turns', queue), key)
    redis.call('ZREM', namespace_key('delayed', queue), key)
  end
end
else
-- 61 fairness.plan_refresh
return function(queue, keys)
  if #keys > 0 then
    cold(112)()
    cold(111)('HLEN', namespace_key('turns', queue))
    cold(111)('HLEN', namespace_key('limits', queue))
    cold(111)('HLEN', namespace_key('places', queue))
    cold(111)('ZCARD', namespace_key('delayed', queue))
    for _, key in ipairs(keys) do
      cold(111)('LLEN', cold(91)(queue, key))
    end
  end
  for _, number in ipairs(#keys > 0 and cold(118)(queue) or {}) do
    cold(111)('ZCARD', cold(54)(queue, number))
    for _, key in ipairs(keys) do
      cold(111)('ZCARD', cold(55)(queue, key, number))
    end
  end
end
end
end
else
if number < 64 then
if number < 63 then
-- 62 graphs.key
return function(graph)
  return namespace_key('graph', graph)
end
else
-- 63 graphs.tasks
return function(graph)
  return namespace_key('members', graph)
end
end
else
if number < 65 then
-- 64 graphs.chosen
return function(graph)
  return namespace_key('chosen', graph)
end
else
-- 65 graphs.all
return function()
  return namespace_prefix .. 'graphs'
end
end
end
end
end
else
if number < 72 then
if number < 69 then
if number < 67 then
-- 66 graphs.on_failure
return function(id)
  if not id then
    return false
  end
  local known = cold(109)('on_failure')
  known[id] = known[id] or redis.call('HGET', cold(62)(id), 'on_failure') or 'cancel'
  return known[id]
end
else
if number < 68 then
-- 67 graphs.runs_anew
return function(graph, id)
  local doing = redis.call('HGET', cold(62)(graph), 'doing')
  return (doing == 'anew' or doing == 'mark_anew')
    and tonumber(redis.call('ZSCORE', cold(64)(graph), id) or 0) > 0
end
else
-- 68 graphs.counted
return function(length)
  return length >= 256 and length or 0
end
end
end
else
if number < 70 then
-- 69 graphs.most
return function()
  return cold(159)('*', 'graph_bytes')
end
else
if number < 71 then
-- 70 graphs.has_room
return function(id, bytes)
  local known = cold(109)('graph_bytes')
  local all = (known[id] or tonumber(redis.call('HGET', cold(110)(cold(62)(id)), 'bytes') or 0)) + bytes
  if all > tonumber(cold(69)()) then
    return false
  end
  known[id] = all
  return true
end
else
-- 71 graphs.unlimit
return function(bounds)
  for _, bound in ipairs(bounds) do
    redis.call('HDEL', bound.limits, bound.key)
  end
end
end
end
end
else
if number < 75 then
if number < 73 then
-- 72 graphs.plan_unlimit
return function(graph)
  local bounds = {}
  for queue, key in string.gmatch(redis.call('HGET', cold(62)(graph), 'bounds') or '', '([^/ ]+)/([^= ]+)=') do
    bounds[#bounds + 1] = { limits = namespace_key('limits', queue), key = key }
    cold(111)('HLEN', bounds[#bounds].limits)
  end
  return bounds
end
else
if number < 74 then
-- 73 graphs.count
return function(task, to)
  local key = cold(62)(task.graph)
  if cold(208)(to) then
    redis.call('HINCRBY', key, to, 1)
  end
  if task.status and cold(208)(task.status) then
    redis.call('HINCRBY', key, task.status, -1)
  end
  if to == 'deleted' and redis.call('HINCRBY', key, 'left', -1) == 0 then
    cold(71)(task.bounds)
    redis.call('UNLINK', key, cold(63)(task.graph))
    redis.call('ZREM', cold(65)(), task.graph)
  end
end
else
-- 74 groups.key
return function(queue, group)
  if #group > 128 or string.find(group, '[^%w._:@-]') then
    group = '~' .. redis.sha1hex(group)
  end
  return namespace_prefix .. 'group_' .. queue .. '/' .. group
end
end
end
else
if number < 77 then
if number < 76 then
-- 75 groups.plan
return function(task, to)
  if to ~= 'failed' then
    task.group = redis.call('HGET', namespace_prefix .. 'task_' .. task.id, 'group') or ''
  end
  local key = cold(74)(task.queue, task.group or '')
  cold(111)('ZCARD', namespace_key('groups', task.queue))
  cold(111)('ZCARD', key)
  if to ~= 'failed' and not redis.call('ZSCORE', key, task.id) then
    task.group = nil
  end
end
else
-- 76 groups.enter
return function(task, now)
  local group = task.group or ''
  local key = cold(74)(task.queue, group)
  redis.call('ZADD', key, now, task.id)
  redis.call('ZADD', namespace_key('groups', task.queue), redis.call('ZCARD', key), group)
end
end
else
if number < 78 then
-- 77 groups.leave
return function(task)
  if task.group then
    cold(192)(cold(74)(task.queue, task.group), namespace_key('groups', task.queue), task.group, task.id)
  end
end
else
-- 78 history.fields
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
if number < 92 then
if number < 85 then
if number < 82 then
if number < 80 then
-- 79 history.last
return function(key, created)
  local entry = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
  local v = entry and entry[2]
  if not v or tonumber(v[2]) < (tonumber(created) or 0) then
    return 0, 0, '', 0, v ~= nil, ''
  end
  return tonumber(string.match(entry[1], '^%d+')), tonumber(v[2]) or 0, v[6], tonumber(v[8]) or 0, false, v[12]
end
else
if number < 81 then
-- 80 history.derive
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
      readied and 'waiting' or promoted and 'scheduled' or cold(207)(status) and status or 'pending',
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
-- 81 history.plan
return function(task, to)
  if to == 'deleted' then
    cold(110)(namespace_key('history', task.id))
  elseif task.status then
    local key = namespace_key('history', task.id)
    cold(111)('XLEN', key)
    if namespace_declared and select(5, cold(79)(key, cold(147)(task.id))) then
      cold(112)()
    end
  end
end
end
end
else
if number < 83 then
-- 82 history.archive
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
  cold(83)(task, event, outcome, group, text, cost)
end
else
if number < 84 then
-- 83 history.add
return function(task, event, outcome, group, text, cost)
  local key = namespace_key('history', task.id)
  local told = redis.call('HMGET', namespace_key('task', task.id), cold(78)())
  local number, since, reached, nth, stale, cause = cold(79)(key, told[2])
  if stale then
    redis.call('UNLINK', key)
  end
  local kept = cold(80)(told, since, reached, nth, cause)
  kept[#kept + 1] = { event.at, task.status, event.to, task.attempt, event.by, event.why, outcome, group, text, cost,
    unpack(event.note or {}) }
  local most = cold(159)(task.queue, 'history')
  for i, v in ipairs(kept) do
    redis.call('XADD', key, 'MAXLEN', most, string.format('%.0f-0', number + i),
      'at', v[1], 'from', v[2], 'to', v[3], 'attempt', v[4], 'by', v[5], 'why', v[6], 'outcome', v[7], 'group', v[8],
      'error', v[9], 'cost', v[10], unpack(v, 11))
  end
end
else
-- 84 interruption.pause
return function(task, known)
  local pause = tonumber(known.lost_delay or cold(159)(task.queue, 'lost_delay'))
  if known.grows and task.fruitless > 1 then
    pause = math.max(pause, math.min(2 ^ (task.fruitless - 2), 300))
  end
  return math.floor(pause * 1000000)
end
end
end
end
else
if number < 88 then
if number < 86 then
-- 85 joins.key
return function(id)
  return namespace_prefix .. 'joined_' .. id
end
else
if number < 87 then
-- 86 joins.list
return function(filled, slots)
  local lengths = {}
  for slot = 0, slots - 1 do
    filled[slot] = filled[slot] or 'null'
    lengths[slot + 1] = #filled[slot]
  end
  return '[' .. table.concat(filled, ',', 0, slots - 1) .. ']', table.concat(lengths, ',')
end
else
-- 87 joins.collect
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
if number < 90 then
if number < 89 then
-- 88 joins.is_long
return function(id, slots, bytes)
  local joined = cold(109)('joined')
  local all = (joined.bytes or 0) + bytes
  if slots == 0 or bytes <= 262144 and all <= 1048576 then
    joined.bytes = slots > 0 and all or joined.bytes
    return false
  end
  cold(111)('ZCARD', cold(30)())
  cold(110)(cold(85)(id))
  cold(110)(namespace_key('task', id))
  return true
end
else
-- 89 joins.begin
return function(id)
  redis.call('UNLINK', cold(27)(id), cold(85)(id))
  redis.call('HDEL', cold(29)(id), 'joined', 'lengths', cold(131)())
  redis.call('HSET', namespace_key('task', id), 'cascade', 'join')
  redis.call('ZADD', cold(30)(), namespace_now, id)
end
end
else
if number < 91 then
-- 90 json.decodes
return function(text)
  return (pcall(cjson.decode, text))
end
else
-- 91 limits.starts_key
return function(queue, key)
  return namespace_prefix .. 'rate_' .. queue .. (key and '/' .. key or '')
end
end
end
end
end
else
if number < 98 then
if number < 95 then
if number < 93 then
-- 92 limits.of_key
return function(queue, key)
  local own, rate = string.match(redis.call('HGET', namespace_key('limits', queue), key) or '- -', '^(%S+) (%S+)$')
  own = tonumber(own ~= '-' and own or cold(159)(queue, 'key_concurrency'))
  if rate ~= '-' then
    return own, rate, 0
  end
  return own, cold(159)(queue, 'key_rate'), cold(160)(queue, 'key_rate')
end
else
if number < 94 then
-- 93 limits.fits
return function(queue, key, weight)
  local most, rate, since = cold(92)(queue, key)
  if weight == 'solo' then
    most, weight = 1, 1
  end
  if most then
    local used = tonumber(redis.call('HGET', namespace_key('places', queue), 'k:' .. key) or 0)
    if used + math.min(tonumber(weight), most) > most then
      return false
    end
  end
  return cold(95)(cold(91)(queue, key), rate, since)
end
else
-- 94 limits.start_expires
return function(starts, back, seconds, since)
  local last = tonumber(redis.call('LINDEX', starts, back) or nil)
  if last and last >= since and tonumber(redis.call('LINDEX', starts, 0)) <= namespace_now_us then
    return last + seconds * 1000000
  end
end
end
end
else
if number < 96 then
-- 95 limits.rate_allows
return function(starts, rate, since)
  if not rate then
    return true
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local free = cold(94)(starts, number - 1, seconds, since)
  if free and free > namespace_now_us then
    return false, free
  end
  return true
end
else
if number < 97 then
-- 96 limits.take
return function(task)
  local queue, key, weight = task.queue, task.fair_key, tonumber(task.weight or 1)
  local held = namespace_key('places', queue)
  redis.call('HSET', held, 'a:' .. task.id .. ' ' .. task.issue,
    weight .. ' ' .. (key or '') .. (task.shared and ' ' .. task.shared or ''))
  if task.shared then
    cold(172)(task.shared)
  end
  if weight > 1 then
    redis.call('HINCRBY', held, 'extra', weight - 1)
  end
  if key then
    local _, rate = cold(92)(queue, key)
    redis.call('HINCRBY', held, 'k:' .. key, weight)
    redis.call('HSET', namespace_key('turns', queue), key, cold(56)(namespace_now_us))
    cold(97)(cold(91)(queue, key), rate, string.format('%.0f', namespace_now_us))
  end
end
else
-- 97 limits.record_start
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
if number < 101 then
if number < 99 then
-- 98 limits.release
return function(queue, id, token)
  local held, member = namespace_key('places', queue), 'a:' .. id .. ' ' .. token
  local weight, key, shared = string.match(redis.call('HGET', held, member) or '', '^(%d+) (%S*) ?(%S*)$')
  if not weight then
    return
  end
  redis.call('HDEL', held, member)
  if shared ~= '' then
    cold(173)(shared, queue)
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
    cold(60)(queue, key)
  end
end
else
if number < 100 then
-- 99 limits.plan_released
return function(queue, attempts)
  local keys = {}
  for _, ended in ipairs(attempts) do
    local held = redis.call('HGET', namespace_key('places', queue), 'a:' .. ended.id .. ' ' .. ended.token)
    local key, shared = string.match(held or '', '^%d+ (%S*) ?(%S*)$')
    keys[#keys + 1] = key ~= '' and key or nil
    if shared and shared ~= '' then
      cold(169)(shared, queue)
    end
  end
  cold(61)(queue, keys)
end
else
-- 100 listeners.keep
return function(queue)
  return tonumber(cold(159)(queue, 'forget_after')) * 1000000
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
  local v = redis.call('HMGET', cold(110)(namespace_key('logged', id)), 'head', 'tail')
  if v[1] then
    cold(111)('ZCARD', cold(101)())
    return v[1] + v[2]
  end
end
end
else
if number < 104 then
-- 103 logs.forget
return function(id, size)
  redis.call('UNLINK', namespace_key('logged', id))
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
    cold(149)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(149)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
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
  namespace_now_us = cold(3)(now or cold(149)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(149)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
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
-- 109 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
else
-- 110 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
end
end
end
else
if number < 114 then
if number < 112 then
-- 111 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(110)(key)
  end
  return redis.call(command, key)
end
else
if number < 113 then
-- 112 namespace.require_settled_slot
return function()
  cold(110)(namespace_prefix .. 'unmoved')
end
else
-- 113 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(149)(cold(151)())
  end
end
end
end
else
if number < 116 then
if number < 115 then
-- 114 namespace.is_here
return function(key)
  return type(redis.pcall('EXISTS', namespace_meta, key)) == 'number'
end
else
-- 115 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(157)()
  if namespace_declared then
    cold(116)(first, ...)
  end
end
end
else
if number < 117 then
-- 116 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(113)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(157)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
else
-- 117 needs.class
return function(task)
  if task.shared then
    return (task.needs or '') .. '|' .. task.shared
  end
  return task.needs
end
end
end
end
end
else
if number < 124 then
if number < 121 then
if number < 119 then
-- 118 needs.numbers
return function(queue)
  local numbers = { '' }
  for _, known in ipairs(redis.call('HVALS', namespace_key('needs', queue))) do
    numbers[#numbers + 1] = string.match(known, '^%d+')
  end
  return numbers
end
else
if number < 120 then
-- 119 needs.number
return function(queue, wanted)
  if not wanted then
    return ''
  end
  return string.match(redis.call('HGET', namespace_key('needs', queue), wanted) or '', '^%d+')
end
else
-- 120 needs.plan
return function(queue, wanted)
  local number, given = cold(119)(queue, wanted), cold(109)('needs')[queue] or {}
  if number or given[wanted] then
    return number or given[wanted]
  end
  local taken = {}
  for _, other in ipairs(cold(118)(queue)) do
    taken[other] = true
  end
  for _, other in pairs(given) do
    taken[other] = true
  end
  number = 1
  while taken[tostring(number)] do
    number = number + 1
  end
  given[wanted], cold(109)('needs')[queue] = tostring(number), given
  return given[wanted]
end
end
end
else
if number < 122 then
-- 121 needs.count
return function(queue, wanted, by)
  if not wanted then
    return ''
  end
  local known = namespace_key('needs', queue)
  local number, count = string.match(redis.call('HGET', known, wanted) or '', '^(%d+) (%d+)$')
  if not number then
    number, count = cold(120)(queue, wanted), 0
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
if number < 123 then
-- 122 orders.key
return function(queue)
  return namespace_key('orders', queue)
end
else
-- 123 orders.announce
return function(queue)
  redis.pcall('PUBLISH', cold(122)(queue), '')
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
    if cold(127)(cold(125)(text))(queue) and (not namespace_declared or cold(114)(list)) then
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
  local v = redis.call('HMGET', cold(110)(cold(29)(id)), cold(131)())
  return { least = tonumber(v[1] or 0), left = tonumber(v[2] or 0), missed = tonumber(v[3] or 0),
    turn = tonumber(v[4] or 1), owed = tonumber(v[5] or 0) }
end
else
-- 133 quorum.write
return function(id, set)
  redis.call('HSET', cold(29)(id), 'least', set.least, 'some', set.left, 'missed', set.missed, 'turn', set.turn,
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
  local set, open = plan.set, redis.call('HLEN', cold(27)(plan.id))
  cold(137)(set, mark)
  plan.met = to == 'complete'
  if plan.met then
    set.least = set.least - 1
    return
  elseif to == 'deleted' then
    plan.gone, open = cold(31)(slots), open - 1
  else
    set.left, set.missed = set.left + 1, set.missed + 1
  end
  if cold(135)(set, open) then
    plan.met, plan.ready = true, true
    return
  end
  local may_wait = cold(66)(task.extra[5]) == 'hold' and set.least <= set.left + set.owed
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
  local found = open <= 300 and redis.call('HGETALL', cold(27)(plan.id)) or {}
  for i = 1, #found, 2 do
    local mark, slots = string.match(found[i + 1], '^some(%d+)/?(.*)$')
    if found[i] ~= up.id and tonumber(mark) == set.turn then
      local other = record_find(found[i])
      if other and not cold(208)(other.status) then
        cold(111)('ZCARD', cold(28)(found[i]))
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
    redis.call('ZREM', cold(28)(up.id), plan.id)
    redis.call('HDEL', cold(27)(plan.id), up.id)
    cold(50)(plan.id, plan.gone)
  else
    redis.call('ZADD', cold(28)(up.id), 'inf', plan.id)
    redis.call('HSET', cold(27)(plan.id), up.id, plan.missed)
  end
  for id, edge in pairs(plan.again or {}) do
    redis.call('ZADD', cold(28)(id), namespace_now, plan.id)
    redis.call('HSET', cold(27)(plan.id), id, edge.text)
    cold(37)(edge.up)
  end
  cold(133)(plan.id, plan.set)
end
else
-- 141 quorum.drop
return function(id)
  redis.call('UNLINK', cold(27)(id), cold(29)(id))
end
end
else
if number < 143 then
-- 142 ranking.plan
return function(task)
  local queue, probe = task.queue, cold(111)
  if task.limited then
    probe('HLEN', namespace_key('places', queue))
  end
  if task.ranked then
    cold(112)()
    probe('ZCARD', namespace_key('lane_tasks', queue))
    local numbers = task.fair_key and cold(118)(queue) or {}
    local class = cold(117)(task)
    numbers[#numbers + 1] = class and cold(120)(queue, class) or ''
    for _, number in ipairs(numbers) do
      probe('ZCARD', cold(54)(queue, number))
      if task.fair_key then
        probe('ZCARD', cold(55)(queue, task.fair_key, number))
      end
    end
  end
  if task.fair_key then
    probe('HLEN', namespace_key('turns', queue))
    probe('HLEN', namespace_key('limits', queue))
    probe('ZCARD', namespace_key('delayed', queue))
    probe('LLEN', cold(91)(queue, task.fair_key))
    cold(159)(queue, 'key_rate')
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
  task.rank = task.place or task.front and cold(57)(last) or cold(56)(last)
  redis.call('ZADD', namespace_key('lane_tasks', queue), -tonumber(task.priority or 0), task.rank .. ' ' .. task.id)
  do
    local task = task
    local queue, score = task.queue, -tonumber(task.priority or 0)
    local number = cold(121)(queue, cold(117)(task), 1)
    if task.fair_key then
      if task.turn then
        redis.call('HSETNX', namespace_key('turns', queue), task.fair_key,
          cold(56)(math.min(task.turn, namespace_now_us)))
      end
      redis.call('ZADD', cold(55)(queue, task.fair_key, number), score, cold(143)(task))
      cold(59)(queue, task.fair_key, number)
    else
      redis.call('ZADD', cold(54)(queue, number), score, task.rank .. ' ' .. task.id)
    end
  end
  redis.call('HSET', namespace_prefix .. 'task_' .. task.id, 'rank', task.rank)
end
else
if number < 146 then
-- 145 ranking.remove_from_index
return function(queue, member)
  local all = namespace_key('lane_tasks', queue)
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
    local class = cold(117)(task)
    local number = cold(119)(queue, class)
    if task.fair_key then
      redis.call('ZREM', cold(55)(queue, task.fair_key, number), cold(143)(task))
      if cold(180)(task, to) then
        cold(96)(task)
      end
      cold(60)(queue, task.fair_key)
    else
      redis.call('ZREM', cold(54)(queue, number), task.rank .. ' ' .. task.id)
      if task.limited and cold(180)(task, to) then
        cold(96)(task)
      end
    end
    cold(121)(queue, class, -1)
  end
  redis.call('HDEL', namespace_prefix .. 'task_' .. task.id, 'rank')
end
end
end
else
if number < 148 then
-- 147 record.created
return function(id)
  return tonumber(redis.call('HGET', namespace_prefix .. 'task_' .. id, 'created') or 0)
end
else
if number < 149 then
-- 148 record.lease
return function(task)
  return task.id .. ' ' .. task.token
end
else
-- 149 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(150)() then
    code, text = cold(151)()
  end
  error({ err = code .. ' ' .. text })
end
end
end
end
else
if number < 153 then
if number < 151 then
-- 150 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
if number < 152 then
-- 151 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
-- 152 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(151)()
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
if number < 155 then
if number < 154 then
-- 153 retries.plan
return function(task, pause)
  if pause == 0 then
    return 'pending'
  end
  task.eta = cold(104)(namespace_now_us + pause)
  task.own_eta = redis.call('HEXISTS', namespace_prefix .. 'task_' .. task.id, 'eta') == 0
  return 'scheduled'
end
else
-- 154 rights.denied
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
else
if number < 156 then
-- 155 rights.refuse
return function(name)
  local role = string.match('UPKEEP', '^%u+$')
  if role and not cold(154)({ name }, 'meta') then
    cold(149)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(149)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
-- 156 rights.check
return function(names)
  local name = cold(154)(names, 'UPKEEP')
  if name then
    cold(155)(name)
  end
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
-- 157 rights.require
return function()
  cold(156)({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HGETALL', 'HINCRBY', 'HMGET', 'HSET', 'HSETNX', 'HVALS', 'LINDEX', 'LPUSH', 'LREM', 'LTRIM', 'RPOPLPUSH', 'RPUSH', 'SADD', 'SREM', 'UNLINK', 'XADD', 'XREVRANGE', 'ZADD', 'ZCARD', 'ZINCRBY', 'ZRANGE', 'ZREM' })
end
else
if number < 159 then
-- 158 settings.find
return function(text, name)
  return text and string.match(' ' .. text, ' ' .. name .. '=(%S+)')
end
else
-- 159 settings.get
return function(queue, name)
  local texts = cold(109)('settings')
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
if number < 161 then
-- 160 settings.since
return function(queue, name)
  cold(159)(queue, name)
  local own, common = unpack(cold(109)('settings')[queue], 1, 2)
  local since = cold(158)(cold(158)(own, name) and own or common, name .. '_since')
  return tonumber(since or 0)
end
else
if number < 162 then
-- 161 shares.limits_key
return function()
  return namespace_prefix .. 'shared_limits'
end
else
-- 162 shares.places_key
return function()
  return namespace_prefix .. 'shared_places'
end
end
end
end
else
if number < 166 then
if number < 164 then
-- 163 shares.tasks_key
return function()
  return namespace_prefix .. 'shared_tasks'
end
else
if number < 165 then
-- 164 shares.expires_key
return function()
  return namespace_prefix .. 'shared_expires'
end
else
-- 165 shares.idle_key
return function()
  return namespace_prefix .. 'shared_idle'
end
end
end
else
if number < 168 then
if number < 167 then
-- 166 shares.turns_key
return function(name)
  return namespace_prefix .. 'shared_turns_' .. name
end
else
-- 167 shares.starts_key
return function(name)
  return namespace_prefix .. 'shared_rate_' .. name
end
end
else
if number < 169 then
-- 168 shares.parts
return function(set)
  local parts = {}
  for name, weight in string.gmatch(set, '([%w_.-]+):?(%d*)') do
    parts[#parts + 1] = { name = name, weight = tonumber(weight) or 1 }
  end
  return parts
end
else
-- 169 shares.plan
return function(set, queue)
  cold(111)('HLEN', cold(162)())
  cold(111)('HLEN', cold(161)())
  for _, part in ipairs(cold(168)(set)) do
    if queue then
      cold(170)(part.name, queue, 4)
    else
      cold(111)('LLEN', cold(167)(part.name))
    end
  end
end
end
end
end
end
else
if number < 176 then
if number < 173 then
if number < 171 then
-- 170 shares.plan_wakes
return function(name, queue, most)
  local woken, key = cold(109)('woken'), name .. ' ' .. queue
  if woken[key] then
    return
  end
  woken[key] = {}
  local seen = { [queue] = true }
  for _, member in ipairs(redis.call('ZRANGE', cold(166)(name), 0, math.max(most, 16) - 1)) do
    local other = string.match(member, '^%S+')
    if #woken[key] < most and not seen[other] and redis.call('HEXISTS', namespace_meta, 'paused:' .. other) == 0 then
      seen[other] = true
      cold(182)(other)
      table.insert(woken[key], other)
    end
  end
end
else
if number < 172 then
-- 171 shares.wake
return function(name, queue)
  for _, other in ipairs(cold(109)('woken')[name .. ' ' .. queue] or {}) do
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
          if not namespace_declared or cold(114)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(183)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
else
-- 172 shares.take
return function(set)
  local now = string.format('%.0f', namespace_now_us)
  for _, part in ipairs(cold(168)(set)) do
    redis.call('HINCRBY', cold(162)(), part.name, part.weight)
    local rate = string.match(redis.call('HGET', cold(161)(), part.name) or '', ' (%d+/%d+)$')
    cold(97)(cold(167)(part.name), rate, now)
  end
end
end
end
else
if number < 174 then
-- 173 shares.release
return function(set, queue)
  for _, part in ipairs(cold(168)(set)) do
    if redis.call('HINCRBY', cold(162)(), part.name, -part.weight) <= 0 then
      redis.call('HDEL', cold(162)(), part.name)
    end
    cold(171)(part.name, queue)
  end
end
else
if number < 175 then
-- 174 shares.plan_count
return function()
  cold(111)('HLEN', cold(163)())
  cold(111)('HLEN', cold(164)())
  cold(111)('ZCARD', cold(165)())
end
else
-- 175 shares.count
return function(set, change)
  for _, part in ipairs(cold(168)(set)) do
    cold(176)(part.name, redis.call('HINCRBY', cold(163)(), part.name, change), change)
  end
end
end
end
end
else
if number < 179 then
if number < 177 then
-- 176 shares.note_tasks
return function(name, number, change)
  if number <= 0 then
    redis.call('HDEL', cold(163)(), name)
    cold(177)(name)
  elseif number == change then
    redis.call('ZREM', cold(165)(), name)
  end
end
else
if number < 178 then
-- 177 shares.begin_idle
return function(name)
  local expires = tonumber(redis.call('HGET', cold(164)(), name) or nil)
  if expires then
    redis.call('ZADD', cold(165)(), string.format('%.0f', namespace_now_us + expires * 1000000), name)
  end
end
else
-- 178 shares.count_task
return function(task, to)
  local open = task.status and not cold(208)(task.status)
  local opens = not cold(208)(to) and to ~= 'deleted' and to ~= 'moved'
  if opens and not open then
    cold(175)(task.shared, 1)
  elseif open and not opens then
    cold(175)(task.shared, -1)
  end
end
end
end
else
if number < 181 then
if number < 180 then
-- 179 state.attempt_fields
return function()
  return 'node', 'pid', 'reclaimed_node', 'cancel', 'recall', 'reserved', 'started', 'progress', 'progressed'
end
else
-- 180 state.takes
return function(task, to)
  return to == 'reserved' or to == 'started' and task.status == 'pending'
end
end
else
if number < 182 then
-- 181 state.probe_list
return function(list, task)
  if cold(111)('LLEN', list) <= 100 or task.from_end then
    return
  end
  local tail = redis.call('LINDEX', list, -1)
  if tail ~= task.id then
    local first = cold(147)(redis.call('LINDEX', list, 0))
    local last, own = cold(147)(tail), cold(147)(task.id)
    task.from_end = own - last < first - own and -1 or 1
  end
end
else
-- 182 state.plan_wake
return function(queue)
  local asleep = cold(109)('asleep')
  asleep[queue] = cold(111)('LLEN', namespace_prefix .. 'wake_' .. queue) == 0
  if not asleep['*'] then
    asleep['*'], state_roams = true, redis.call('HGET', namespace_meta, 'roams')
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
-- 183 state.rouse
return function(queue)
  local left = cold(129)(state_roams, queue)
  if left ~= state_roams then
    state_roams = left
    redis.pcall('HSET', namespace_meta, 'roams', left)
  end
end
else
if number < 185 then
-- 184 state.plan_left
return function(task)
  local queue = task.queue
  if cold(111)('LLEN', namespace_key('pending_tasks', queue))
    + cold(111)('ZCARD', namespace_key('lane_tasks', queue)) > 1 then
    cold(182)(queue)
    task.wakes = true
  end
end
else
-- 185 state.plan
return function(task, to, taker)
  local probe, touch = cold(111), cold(110)
  local from, queue, prefix = task.status, task.queue, namespace_prefix
  local tasks, events = '_tasks_' .. queue, touch(prefix .. 'events_' .. queue)
  if task.ties then
    cold(16)(task, to, taker)
    if from == 'pending' and not taker and (task.weight or task.solo) then
      cold(184)(task)
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
        if (task.limited or cold(159)(queue, 'concurrency'))
          and (redis.call('LLEN', prefix .. 'pending_tasks_' .. queue) > 0
          or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1) then
          cold(182)(queue)
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
    cold(181)(prefix .. from .. tasks, task)
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
      cold(182)(queue)
      if task.ranked then
        task.last = false
      end
    end
  end
  if task.foreign or to == 'deleted' or to == 'moved' then
    probe('ZCARD', prefix .. 'tasks_' .. queue)
  end
  cold(186)(task, to)
end
end
end
else
if number < 187 then
-- 186 state.plan_own
return function(task, to)
  if to == 'deleted' then
    cold(110)(namespace_prefix .. 'log_' .. task.id)
    task.logged = cold(102)(task.id)
  end
  cold(81)(task, to)
  if to == 'failed' or task.status == 'failed' then
    cold(75)(task, to)
  end
end
else
if number < 188 then
-- 187 state.time
return function(task)
  local since, now = task.since, namespace_now
  if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
    now = since
  end
  return now
end
else
-- 188 tags.key
return function(queue, tag)
  return namespace_prefix .. 'tag_' .. queue .. '/' .. tag
end
end
end
end
else
if number < 192 then
if number < 190 then
-- 189 tags.names
return function(text)
  local names = {}
  for tag in string.gmatch(text or '', '[^,]+') do
    names[#names + 1] = tag
  end
  return names
end
else
if number < 191 then
-- 190 tags.plan
return function(queue, text)
  cold(111)('ZCARD', namespace_key('tags', queue))
  for _, tag in ipairs(cold(189)(text)) do
    cold(111)('ZCARD', cold(188)(queue, tag))
  end
end
else
-- 191 tags.enter
return function(queue, id, created, text)
  for _, tag in ipairs(cold(189)(text)) do
    local key = cold(188)(queue, tag)
    redis.call('ZADD', key, created, id)
    redis.call('ZADD', namespace_key('tags', queue), redis.call('ZCARD', key), tag)
  end
end
end
end
else
if number < 194 then
if number < 193 then
-- 192 tags.remove
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
-- 193 tags.leave
return function(queue, id, text)
  for _, tag in ipairs(cold(189)(text)) do
    cold(192)(cold(188)(queue, tag), namespace_key('tags', queue), tag, id)
  end
end
end
else
if number < 195 then
-- 194 tracks.all
return function()
  return namespace_prefix .. 'tracked'
end
else
-- 195 tracks.key
return function()
  return namespace_prefix .. 'changes'
end
end
end
end
end
else
if number < 202 then
if number < 199 then
if number < 197 then
-- 196 tracks.plan
return function()
  cold(111)('XLEN', cold(195)())
  cold(111)('ZCARD', cold(194)())
end
else
if number < 198 then
-- 197 tracks.add
return function(task, at, what, from, to, by, why, text)
  redis.call('XADD', cold(195)(), 'MAXLEN', '~', '10000', '*', 'id', task.id, 'queue', task.queue, 'what', what,
    'from', from or '', 'to', to, 'attempt', task.attempt, 'at', at, 'by', by or '', 'why', why,
    'text', string.sub(text or '', 1, 1024))
  redis.pcall('PUBLISH', cold(195)(), '')
end
else
-- 198 tracks.transition
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
  cold(197)(task, cold(187)(task), 'state', task.status, to, by, why, text)
  if to == 'deleted' then
    cold(199)(task.id)
  end
end
end
end
else
if number < 200 then
-- 199 tracks.forget
return function(id)
  redis.call('ZREM', cold(194)(), id)
end
else
if number < 201 then
-- 200 workers.moment
return function(seconds)
  return math.floor(tonumber(seconds) * 1000000 + 0.5)
end
else
-- 201 workers.key
return function(listener)
  return namespace_prefix .. 'worker_' .. listener
end
end
end
end
else
if number < 205 then
if number < 203 then
-- 202 workers.find
return function(listener)
  local known = cold(109)('workers')
  if known[listener] == nil then
    local v = redis.call('HMGET', cold(201)(listener), 'queues', 'at', 'free', 'draining', 'patterns')
    known[listener] = v[1] and v[2] and {
      queues = v[1], at = cold(200)(v[2]), full = v[3] == '0', draining = v[4] == '1',
      set = v[5] and v[5] ~= '' and cold(125)(v[5]),
    }
  end
  return known[listener] or nil
end
else
if number < 204 then
-- 203 workers.plan_leave
return function(listener)
  if cold(202)(listener) then
    cold(110)(cold(201)(listener))
    cold(111)('ZCARD', namespace_prefix .. 'workers')
  end
end
else
-- 204 workers.leave
return function(listener, queue)
  local worker = cold(202)(listener)
  if not worker then
    return
  end
  local left = {}
  for other in string.gmatch(worker.queues, '[^,]+') do
    left[#left + 1] = other ~= queue and other or nil
  end
  worker.queues = table.concat(left, ',')
  if #left > 0 then
    redis.call('HSET', cold(201)(listener), 'queues', worker.queues)
  else
    redis.call('UNLINK', cold(201)(listener))
    redis.call('ZREM', namespace_prefix .. 'workers', listener)
  end
end
end
end
else
if number < 207 then
if number < 206 then
-- 205 workers.plan_forget
return function()
  local found = {}
  for _, listener in ipairs(redis.call('ZRANGEBYSCORE', cold(110)(namespace_prefix .. 'workers'),
    '-inf', namespace_now,
    'LIMIT', 0, 20)) do
    local worker, registered = cold(202)(listener), false
    for queue in string.gmatch(worker and worker.queues or '', '[^,]+') do
      registered = registered or redis.call('SISMEMBER', namespace_prefix .. 'listeners_' .. queue, listener) == 1
    end
    cold(110)(cold(201)(listener))
    found[#found + 1] = { listener = listener, registered = registered }
  end
  return found
end
else
-- 206 workers.forget
return function(found, later)
  for _, worker in ipairs(found) do
    local left = cold(202)(worker.listener)
    if worker.registered and left.queues ~= '' then
      redis.call('ZADD', namespace_prefix .. 'workers', later, worker.listener)
    else
      redis.call('UNLINK', cold(201)(worker.listener))
      redis.call('ZREM', namespace_prefix .. 'workers', worker.listener)
    end
  end
end
end
else
if number < 208 then
-- 207 contract.is_waiting
return function(status)
  return status == 'waiting' or status == 'scheduled' or status == 'pending'
end
else
-- 208 contract.is_final
return function(status)
  return status == 'complete' or status == 'failed' or status == 'cancelled'
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
  local meta = namespace_open_with('run', 'gap')
  local queue, limit = contract_arguments()
  return orphans_requeue(queue, limit, meta[2], meta[3])
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(152)(answer)
