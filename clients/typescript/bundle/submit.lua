--- Adds tasks to a queue: pending, or scheduled if the eta is in the future, or waiting for other tasks. With `again` a task that has ended begins a new round, and one that waits is changed; with `once_more` one that an attempt has begins a new round when it has ended this one.
-- @args now queue count (id eta parameters)*count
-- @role client
-- @options method priority max_failures backoff delay max_delay jitter max_losses lost_delay max_releases lease key weight needs limits unique unique_until unique_policy tags deadline max_bytes log_bytes steps inputs again once_more by request
-- @reply for each task `created`, or `existing` if the id was submitted before; with a unique name `existing` or `replaced`, and the id of the other task; with `again` one of `created`, `again`, `changed`, `existing` and `later`, and the number of the round
-- @errors TOOBIG OTHERQUEUE CLOSED DUPLICATE NOTASK UPSTREAM OVERDUE STATE TOOMANY NOLIMIT

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

local state_asleep = false

local state_roams = false

local function state_move(task, to, why, by, ...)
  local id, queue, from, prefix = task.id, task.queue, task.status, namespace_prefix
  local tasks = '_tasks_' .. queue
  if task.deadline then
    redis.call('ZADD', prefix .. 'leases_' .. queue, task.deadline, id .. ' ' .. (task.issue or task.token))
  end
  if task.foreign and to ~= 'deleted' and to ~= 'moved' then
    redis.call('ZADD', prefix .. 'tasks_' .. queue, task.created or cold(225)(id), id)
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
      cold(153)(task, { to = to, why = why, by = by, at = now }, ...)
    end
    if to == 'deleted' or to == 'moved' then
      if to == 'deleted' then
        redis.call('UNLINK', key, prefix .. 'log_' .. id, prefix .. 'history_' .. id)
        if task.edge_keys then
          redis.call('UNLINK', unpack(task.edge_keys))
        end
        if task.logged then
          cold(172)(id, task.logged)
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
      cold(52)(task, to)
      if task.tracked then
        cold(297)(task, to, why, by, ...)
      end
    end
    if to == 'failed' then
      cold(147)(task, now)
    elseif from == 'failed' then
      cold(148)(task)
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
            if not namespace_declared or cold(184)(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if state_roams ~= '' then
            cold(275)(queue)
          end
        end
        redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
      end
    end
    if task.dependents or task.unsettled then
      cold(100)(task)
    end
  end
end

function cold(number)
if number < 151 then
if number < 76 then
if number < 38 then
if number < 19 then
if number < 10 then
if number < 5 then
if number < 3 then
if number < 2 then
-- 1 actions.find
return function(id)
  return cold(223)(id, 'outcome', 'created', 'eta', 'front', 'retry_eta', 'schedule')
end
else
-- 2 actions.refuse
return function(task, allowed)
  return 'STATE', 'the task is ' .. task.status .. '; this is for one that is ' .. allowed
end
end
else
if number < 4 then
-- 3 actions.plan
return function(task, to, spec)
  task.to = to
  task.later = spec.planned ~= nil
  local kind = task.status .. ' ' .. to
  if not cold(224)(task) then
    cold(5)(task, spec)
    local plain = spec.planned and not task.ties and not task.foreign
    if plain and spec.planned[kind] then
      return cold(278)(task, to)
    elseif plain then
      spec.planned[kind] = true
    end
  end
  cold(277)(task, to)
end
else
-- 4 actions.entered
return function(status, updated, front)
  return not (status == 'pending' and front) and tonumber(updated) or 0
end
end
end
else
if number < 7 then
if number < 6 then
-- 5 actions.seek
return function(task, spec)
  spec.lists, spec.entries = spec.lists or {}, spec.entries or 0
  if task.ties then
    cold(36)(task)
    spec.entries = spec.entries + 400 + 100 * #cold(282)(task.tags)
  end
  if task.status == 'scheduled' or task.status == 'waiting' or task.rank then
    return
  end
  local list = cold(178)(task.status .. '_tasks', task.queue)
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
      unpack(redis.call('HMGET', cold(178)('task', middle), 'status', 'updated', 'front')))
  end
  local own = cold(4)(task.status, task.since, task.extra[4])
  task.from_end = own <= known.middle and -1 or 1
  spec.entries = spec.entries + known.length / 2
end
else
-- 6 actions.unique
return function(task, spec)
  if not task.ties then
    return true
  end
  cold(36)(task)
  if not task.unique then
    return true
  end
  spec.claimed = spec.claimed or {}
  if cold(41)(task) or spec.claimed[task.unique] then
    return false
  end
  spec.claimed[task.unique] = true
  return true
end
end
else
if number < 8 then
-- 7 actions.destination
return function(spec)
  if not spec.known then
    spec.known = redis.call('ZSCORE', cold(180)(namespace_prefix .. 'queues'), spec.queue) and 'old' or 'new'
    spec.closed = cold(249)(spec.queue, 'closed') == '1'
    spec.needs, spec.different = {}, redis.call('HLEN', cold(178)('needs', spec.queue))
  end
  if spec.closed then
    return 'CLOSED', 'the other queue is closed: set its setting closed to 0'
  end
end
else
if number < 9 then
-- 8 actions.move
return function(task, spec)
  if task.queue == spec.queue then
    return
  elseif not cold(299)(task.status) then
    return cold(2)(task, 'waiting, scheduled or pending')
  end
  local code, text = cold(7)(spec)
  if code then
    return code, text
  end
  return cold(9)(task, task.status, spec)
end
else
-- 9 actions.plan_move
return function(task, to, spec)
  local other = cold(43)(task, spec.queue, task.extra[2])
  other.to, other.eta = to, to == 'scheduled' and task.extra[3] or nil
  if spec.alter then
    spec.alter(task, other)
  end
  if not cold(6)(other, spec) then
    return 'DUPLICATE', 'another task of the other queue has this unique name'
  end
  local class = cold(188)(other)
  if class and not spec.needs[class] and not cold(190)(other.queue, class) then
    if spec.different >= 64 then
      return 'TOOMANY', 'the tasks that wait in the other queue have 64 different needs already: `why` and doctor name'
        .. ' those that no listener has'
    end
    spec.needs[class], spec.different = true, spec.different + 1
  end
  cold(3)(task, 'moved', spec)
  cold(277)(other, other.to)
  task.other = other
end
end
end
end
end
else
if number < 14 then
if number < 12 then
if number < 11 then
-- 10 actions.do_move
return function(task, spec)
  local other = task.other
  other.forget = {}
  if other.to == 'scheduled' then
    cold(11)(task, spec, 'move', 'eta', other.eta)
  else
    cold(11)(task, spec, 'move')
  end
end
else
-- 11 actions.arrive
return function(task, spec, why, ...)
  local other = task.other
  local forget = other.forget
  state_move(task, 'moved', why, spec.by or '')
  forget[#forget + 1] = 'front'
  forget[#forget + 1] = 'readied'
  if task.status ~= 'scheduled' then
    forget[#forget + 1] = 'promoted'
  end
  state_move(other, other.to, 'move', '', 'queue', other.queue, 'attempt', other.attempt, ...)
  spec.wakes = other.to == 'pending' and other.queue or spec.wakes
  if spec.known == 'new' then
    redis.call('ZADD', namespace_prefix .. 'queues', 0, other.queue)
    spec.known = 'old'
  end
end
end
else
if number < 13 then
-- 12 actions.plan_place
return function(task, fresh, spec)
  local queue = task.queue
  task.fresh, fresh.id, fresh.queue, fresh.ranked = fresh, task.id, queue, true
  if task.foreign then
    cold(181)('ZCARD', cold(178)('tasks', queue))
  end
  if task.status == 'scheduled' then
    task.at = redis.call('ZSCORE', cold(180)(cold(178)('scheduled_tasks', queue)), task.id)
    cold(181)('ZCARD', cold(178)('scheduled_lane_tasks', queue))
  elseif task.status == 'pending' then
    cold(5)(task, spec)
    if not task.rank then
      cold(181)('LLEN', cold(178)('pending_tasks', queue))
    end
    cold(218)(fresh)
    if task.rank and (task.fair_key ~= fresh.fair_key or cold(188)(task) ~= cold(188)(fresh)) then
      cold(218)(task)
      if task.fair_key then
        cold(181)('ZCARD', cold(125)(queue, task.fair_key, cold(191)(queue, cold(188)(fresh))))
      end
    end
    if task.fair_key or fresh.fair_key or cold(249)(queue, 'concurrency') then
      cold(276)(task)
    end
  end
end
else
-- 13 actions.do_place
return function(task, spec)
  local fresh = task.fresh
  if task.foreign then
    redis.call('ZADD', cold(178)('tasks', task.queue), task.extra[2] or '0', task.id)
  end
  if task.at then
    redis.call('ZADD', cold(178)('scheduled_lane_tasks', task.queue), task.at, task.id)
    redis.call('ZREM', cold(178)('scheduled_tasks', task.queue), task.id)
  end
  if task.status ~= 'pending' then
    return
  end
  if task.rank and fresh.place then
    fresh.rank = task.rank
    if task.fair_key ~= fresh.fair_key or cold(188)(task) ~= cold(188)(fresh)
      or task.fair_key and cold(219)(task) ~= cold(219)(fresh) then
      do
        local task = fresh
        local queue, score = task.queue, -tonumber(task.priority or 0)
        local number = cold(192)(queue, cold(188)(task), 1)
        if task.fair_key then
          if task.turn then
            redis.call('HSETNX', cold(178)('turns', queue), task.fair_key,
              cold(126)(math.min(task.turn, namespace_now_us)))
          end
          redis.call('ZADD', cold(125)(queue, task.fair_key, number), score, cold(219)(task))
          cold(130)(queue, task.fair_key, number)
        else
          redis.call('ZADD', cold(124)(queue, number), score, task.rank .. ' ' .. task.id)
        end
      end
      do
        local task, to = task, ''
        local queue = task.queue
        local class = cold(188)(task)
        local number = cold(190)(queue, class)
        if task.fair_key then
          redis.call('ZREM', cold(125)(queue, task.fair_key, number), cold(219)(task))
          if cold(272)(task, to) then
            cold(167)(task)
          end
          cold(131)(queue, task.fair_key)
        else
          redis.call('ZREM', cold(124)(queue, number), task.rank .. ' ' .. task.id)
          if task.limited and cold(272)(task, to) then
            cold(167)(task)
          end
        end
        cold(192)(queue, class, -1)
      end
    end
  else
    cold(220)(fresh)
    if task.rank then
      cold(222)(task, '')
      redis.call('HSET', task.key, 'rank', fresh.rank)
    else
      redis.call('LREM', cold(178)('pending_tasks', task.queue), task.from_end or -1, task.id)
    end
  end
  spec.wakes = task.wakes and task.queue or spec.wakes
end
end
end
else
if number < 16 then
if number < 15 then
-- 14 actions.run
return function(act, tasks, spec)
  cold(185)()
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
          if not namespace_declared or cold(184)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(275)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
else
-- 15 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(226)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
end
else
if number < 17 then
-- 16 args.word
return function(value, words, what)
  if not cold(18)(value, words) then
    cold(226)('BADARG', what .. ' must be ' .. cold(17)(words, 'or'))
  end
  return value
end
else
if number < 18 then
-- 17 args.listed
return function(words, last)
  local list = string.gsub(string.sub(words, 2, -2), ' ', ', ')
  return (string.gsub(list, ', (%S+)$', ' ' .. last .. ' %1'))
end
else
-- 18 args.among
return function(value, words)
  return string.find(value, '^[%l_]+$') and string.find(words, ' ' .. value .. ' ') ~= nil
end
end
end
end
end
end
else
if number < 28 then
if number < 23 then
if number < 21 then
if number < 20 then
-- 19 args.flag
return function(value, what)
  if value ~= '0' and value ~= '1' then
    cold(226)('BADARG', what .. ' must be 0 or 1')
  end
  return value == '1'
end
else
-- 20 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(226)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
end
else
if number < 22 then
-- 21 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(226)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
-- 22 args.time_or_none
return function(value, what)
  return value ~= '' and cold(21)(value, 0, 100000000000, what) or nil
end
end
end
else
if number < 25 then
if number < 24 then
-- 23 args.missing
return function(names)
  local i = 1
  for name in string.gmatch(names, '%S+') do
    i = i + 1
    if not ARGV[i] then
      cold(226)('BADARG', 'missing argument: ' .. name)
    end
  end
end
else
-- 24 args.bytes
return function(value, most, what)
  if #value > most then
    cold(226)('TOOBIG', string.format('%s is %d bytes, over the limit of %d: store it elsewhere and pass a reference',
      what, #value, most))
  end
  return value
end
end
else
if number < 26 then
-- 25 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(226)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(226)('BADARG', 'an option is given twice')
    end
    found[name] = cold(301)(name, value)
    if found[name] == nil then
      cold(226)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
else
if number < 27 then
-- 26 args.before
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
-- 27 args.priority
return function(value, what)
  if #value > 5 or not string.find(value, '^%-?%d+$') or math.abs(tonumber(value)) > 1000 then
    cold(226)('BADARG', what .. ' must be a whole number from ' .. (-1000) .. ' to '
      .. 1000)
  end
  return string.format('%d', tonumber(value))
end
end
end
end
end
else
if number < 33 then
if number < 30 then
if number < 29 then
-- 28 args.needs
return function(value, what)
  local wanted = {}
  for need in string.gmatch(#value <= 256 and value .. ',' or '', '([^,]*),') do
    local name, operator, number = string.match(need, '^([%w_.-]+)([<>=]*)(.*)$')
    local fits = name and #name <= 64 and (operator == '' and number == ''
      or string.find(' >= <= > < = ', ' ' .. operator .. ' ') and #number <= 16 and string.find(number, '^%d+%.?%d*$'))
    if not fits then
      cold(226)('BADARG', what .. ' must be names, each with an operator (>= <= > < =) and a number or without,'
        .. ' separated by commas')
    end
    wanted[#wanted + 1] = need
  end
  if #wanted > 8 or #value > 256 then
    cold(226)('BADARG', what .. ' may be ' .. 8 .. ' at most, in ' .. 256
      .. ' characters')
  end
  table.sort(wanted, cold(26))
  return table.concat(wanted, ',')
end
else
-- 29 args.unique_until
return function(value, what)
  if value ~= 'start' and value ~= 'end' then
    cold(21)(value, 1, 31536000, what)
  end
  return value
end
end
else
if number < 31 then
-- 30 args.tags
return function(value, what)
  local names, seen, number = {}, {}, 0
  for tag in string.gmatch(value .. ',', '([^,]*),') do
    cold(15)(tag, what)
    number = number + 1
    if number > 16 then
      cold(226)('TOOMANY', 'a task has ' .. 16 .. ' tags at most')
    elseif not seen[tag] then
      names[#names + 1], seen[tag] = tag, true
    end
  end
  table.sort(names, cold(26))
  return table.concat(names, ',')
end
else
if number < 32 then
-- 31 audit.key
return function()
  return namespace_prefix .. 'audit'
end
else
-- 32 audit.plan
return function()
  cold(181)('XLEN', cold(31)())
end
end
end
end
else
if number < 35 then
if number < 34 then
-- 33 audit.add
return function(by, what, of, on, before, after, detail)
  local function cut(text)
    return string.sub(text or '', 1, 256)
  end
  redis.call('XADD', cold(31)(), 'MAXLEN', '~', cold(249)('*', 'audit'), '*', 'at', namespace_now, 'by', by or '',
    'what', what, 'of', of, 'on', on, 'before', cut(before), 'after', cut(after), 'detail', cut(detail))
end
else
-- 34 audit.payload
return function(bytes)
  return #bytes .. ' bytes, sha1 ' .. string.sub(redis.sha1hex(bytes), 1, 12)
end
end
else
if number < 36 then
-- 35 cascades.plan_begin
return function(task)
  local known = task.broken and 1 or 0
  if cold(137)(task.graph) == 'cancel' and redis.call('HLEN', cold(66)(task.id)) > known then
    cold(181)('ZCARD', cold(69)())
    task.unsettled, task.cascades = true, true
  end
end
else
if number < 37 then
-- 36 claims.load
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
-- 37 claims.assign
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
end
end
end
end
end
end
else
if number < 57 then
if number < 47 then
if number < 42 then
if number < 40 then
if number < 39 then
-- 38 claims.name_holders
return function(queue, name)
  local v = redis.call('HMGET', cold(180)(cold(178)('unique', queue)), name, '/' .. name)
  local id, till = string.match(v[1] or '', '^(%S+) (%S+)$')
  return id, till, string.match(v[2] or '', '^(%S+) ')
end
else
-- 39 claims.has_latest_policy
return function(task)
  return task.solo and task.unique and task.unique == task.fair_key
end
end
else
if number < 41 then
-- 40 claims.still_holds_name
return function(queue, id, name, till)
  local status, where, own, solo, key = unpack(redis.call('HMGET', namespace_prefix .. 'task_' .. id,
    'status', 'queue', 'unique', 'solo', 'key'))
  if where ~= queue or own ~= (till == 'kept' and string.sub(name, 2) or name) then
    return false
  end
  local latest = solo and key == own
  return cold(299)(status)
    or till ~= 'kept' and (status == 'reserved' and not latest or status == 'started' and till ~= 'start')
end
else
-- 41 claims.name_conflict
return function(task)
  local id, till = cold(38)(task.queue, task.unique)
  if not id or id == task.id then
    return nil
  elseif tonumber(till) then
    return tonumber(till) > namespace_now_us and id or nil
  end
  return cold(40)(task.queue, id, task.unique, till) and id or nil
end
end
end
else
if number < 44 then
if number < 43 then
-- 42 claims.waiting_attempt
return function(task, id)
  local other = id and id ~= task.id and cold(223)(id)
  if other and other.queue == task.queue and cold(299)(other.status) then
    cold(36)(other)
    return other.unique == task.unique and other or nil
  end
end
else
-- 43 claims.elsewhere
return function(task, queue, created)
  local other = { id = task.id, key = task.key or cold(178)('task', task.id), queue = queue,
    attempt = task.attempt, since = task.since, ties = task.ties, foreign = true, created = created or '0' }
  if other.ties then
    cold(36)(other)
    other.rank = nil
    cold(44)(task, other)
  end
  return other
end
end
else
if number < 45 then
-- 44 claims.transfer_name
return function(task, other)
  if not other.unique then
    return
  end
  local id, till = cold(38)(task.queue, other.unique)
  local holds = id == task.id
  if tonumber(other.till) then
    other.ends = holds and tonumber(till) and tonumber(till) > namespace_now_us and till or nil
    holds = other.ends ~= nil
  else
    holds = holds or other.till == 'end' or cold(39)(other) or cold(300)(task.status)
  end
  other.unique = holds and other.unique or nil
end
else
if number < 46 then
-- 45 claims.opens_or_closes
return function(task, to)
  return not task.status or cold(300)(task.status) or cold(300)(to) or to == 'deleted'
end
else
-- 46 claims.plan
return function(task, to, taker)
  cold(36)(task)
  local held = task.status == 'reserved' or task.status == 'started'
  if task.ranked and (task.rank or to == 'pending') or task.limited and (held or taker) then
    cold(218)(task)
  end
  if task.limited and held and taker then
    cold(182)()
  end
  if task.shared and (taker or held and to ~= 'started') then
    cold(260)(task.shared, not taker and task.queue)
  end
  if task.shared and (cold(45)(task, to) or to == 'moved') then
    cold(47)(to)
  end
  if task.unique then
    cold(48)(task, to)
  end
  if task.tags and (not task.status or to == 'deleted' or to == 'moved') then
    cold(283)(task.queue, task.tags)
  end
  if to == 'deleted' and string.find(task.ties, '[wd]') then
    cold(94)(task)
  end
  if task.graph and task.status and cold(45)(task, to) then
    cold(181)('HLEN', cold(132)(task.graph))
    cold(181)('ZCARD', cold(136)())
    cold(180)(cold(133)(task.graph))
    task.bounds = to == 'deleted' and cold(143)(task.graph) or nil
  end
  if task.graph and task.status == 'waiting' and (to == 'failed' or to == 'cancelled') then
    cold(35)(task)
  end
  if task.end_by and cold(45)(task, to) then
    cold(181)('ZCARD', cold(60)())
  end
  if string.find(task.ties, 'd', 1, true) and task.status and not cold(300)(task.status)
    and (cold(300)(to) or to == 'deleted') then
    cold(92)(task, to)
  end
  if task.tracked then
    cold(293)()
  end
  if string.find(task.ties, 'a', 1, true) and task.status and (cold(300)(to) or to == 'deleted') then
    cold(121)(task, to)
  end
end
end
end
end
end
else
if number < 52 then
if number < 49 then
if number < 48 then
-- 47 claims.plan_shared
return function(to)
  if to == 'moved' then
    cold(182)()
  end
  cold(265)()
end
else
-- 48 claims.plan_name
return function(task, to)
  local taken = cold(272)(task, to) and cold(39)(task)
  if (to == 'reserved' or to == 'started') and not taken and not (to == 'started' and task.till == 'start') then
    return
  end
  cold(181)('HLEN', cold(178)('unique', task.queue))
  if tonumber(task.till) then
    cold(181)('ZCARD', cold(178)('timed', task.queue))
  end
  task.holder, task.held_till, task.kept = cold(38)(task.queue, task.unique)
  if taken and task.status == 'pending' then
    task.older = cold(42)(task, task.kept)
    if task.older then
      cold(277)(task.older, 'cancelled')
    end
  end
end
end
else
if number < 50 then
-- 49 claims.take_name
return function(task)
  local unique, till = cold(178)('unique', task.queue), task.till
  if task.keeps then
    redis.call('HSET', unique, '/' .. task.unique, task.id .. ' kept')
    return
  elseif tonumber(till) then
    till = task.ends or string.format('%.0f', namespace_now_us + tonumber(till) * 1000000)
    redis.call('ZADD', cold(178)('timed', task.queue), till, task.unique)
  end
  redis.call('HSET', unique, task.unique, task.id .. ' ' .. till)
end
else
if number < 51 then
-- 50 claims.release_name
return function(task, to)
  local unique, timed = cold(178)('unique', task.queue), tonumber(task.held_till)
  if task.holder == task.id and (not timed or to == 'moved') then
    redis.call('HDEL', unique, task.unique)
    if timed then
      redis.call('ZREM', cold(178)('timed', task.queue), task.unique)
    end
  end
  if task.kept == task.id then
    redis.call('HDEL', unique, '/' .. task.unique)
  end
end
else
-- 51 claims.move_name
return function(task, to)
  local from, latest = task.status, cold(39)(task)
  local back = (from == 'reserved' or from == 'started') and cold(299)(to)
  local ends = cold(300)(to) or to == 'deleted' or to == 'moved'
  if ends or to == 'started' and task.till == 'start' or latest and cold(272)(task, to) then
    cold(50)(task, to)
  elseif not from or task.restarts or (from == 'failed' or from == 'cancelled') and not tonumber(task.till)
    or latest and back then
    cold(49)(task)
  end
  if task.older then
    state_move(task.older, 'cancelled', 'replaced', '', 'reason', 'replaced by ' .. task.id)
  end
end
end
end
end
else
if number < 54 then
if number < 53 then
-- 52 claims.move
return function(task, to)
  if not task.bound then
    return
  end
  local from = task.status
  local held = from == 'reserved' or from == 'started'
  local back = held and task.ranked and to == 'pending'
  if back then
    cold(220)(task)
  end
  if task.limited and held and to ~= 'started' then
    cold(169)(task.queue, task.id, task.token)
  end
  if task.rank and not back then
    cold(222)(task, to)
    task.rank = nil
  elseif task.limited and cold(272)(task, to) then
    cold(167)(task)
    if task.fair_key then
      cold(131)(task.queue, task.fair_key)
    end
  end
  if task.ranked and to == 'pending' and not back then
    cold(220)(task)
  end
  if task.shared then
    cold(270)(task, to)
  end
  if task.further_shared then
    cold(266)(task.further_shared, -1)
  end
  if task.tags and not from then
    cold(284)(task.queue, task.id, task.created, task.tags)
  elseif task.tags and (to == 'deleted' or to == 'moved') then
    cold(286)(task.queue, task.id, task.tags)
  end
  if task.unique then
    cold(51)(task, to)
  end
  if task.end_by and cold(45)(task, to) then
    if cold(300)(to) or to == 'deleted' or to == 'moved' then
      redis.call('ZREM', cold(60)(), task.id)
    else
      redis.call('ZADD', cold(60)(), task.end_by, task.id)
    end
  end
  if task.graph then
    cold(144)(task, to)
  end
end
else
-- 53 creation.spec
return function(options)
  local fields = {}
  local spec = { fields = fields, max_bytes = options.max_bytes, policy = options.unique_policy,
    unique = options.unique }
  if not options.unique and (options.unique_until or options.unique_policy) then
    cold(226)('BADARG', 'unique_until and unique_policy need the option unique')
  end
  local priority, key, till = options.priority ~= '0' and options.priority or nil, options.key,
    options.unique_until or 'end'
  if options.unique_policy == 'latest' then
    if key or options.unique_until then
      cold(226)('BADARG', 'the policy latest sets key and unique_until: leave them out')
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
end
else
if number < 55 then
-- 54 creation.apply
return function(task, spec)
  task.ties = spec.ties
  task.begins = task.edges and (task.edges[1] or task.joins) and 'waiting' or task.eta and 'scheduled' or 'pending'
  if spec.ties then
    cold(37)(task, spec.claims)
  end
  if task.end_by then
    cold(64)(task.end_by)
  end
  return task.begins
end
else
if number < 56 then
-- 55 creation.conflict
return function(task, spec)
  local id = cold(41)(task)
  if not id then
    return nil
  end
  local rival = cold(223)(id, 'unique')
  local here = rival and rival.queue == task.queue and rival.extra[1] == task.unique
  local policy = spec.policy or 'reject'
  local waits = here and cold(299)(rival.status)
  if not here and policy ~= 'reject' then
    return nil
  elseif policy == 'existing' then
    return id
  elseif waits and (policy == 'replace' or policy == 'latest') then
    cold(182)()
    return id, rival
  end
  cold(226)('DUPLICATE', 'another task has this unique name; get its id with the policy existing, or wait until it ends, starts, or its time passes')
end
else
-- 56 creation.plan
return function(task)
  if task.needs or task.shared then
    cold(57)(task.queue, cold(188)(task))
  end
  cold(46)(task, task.begins)
end
end
end
end
end
end
else
if number < 66 then
if number < 61 then
if number < 59 then
if number < 58 then
-- 57 creation.require_few_needs
return function(queue, wanted)
  if not cold(190)(queue, wanted) and redis.call('HLEN', cold(178)('needs', queue)) >= 64 then
    cold(226)('TOOMANY', 'the tasks that wait in this queue have 64 different needs and sets of shared limits'
      .. ' already: `why` and doctor name needs that no listener has: cancel such tasks, or start a listener for them')
  end
end
else
-- 58 creation.insert
return function(task, spec, why)
  local more = spec.fields
  if task.eta then
    more = { 'eta', task.eta, unpack(spec.fields) }
  end
  state_move(task, task.begins, why, '',
    'queue', task.queue, 'parameters', task.parameters, 'created', task.created, 'attempt', '0', unpack(more))
  if task.begins == 'waiting' then
    cold(91)({ task })
  end
  if task.joins then
    cold(160)(task.id)
  end
end
end
else
if number < 60 then
-- 59 creation.require_open
return function(own, common)
  if cold(248)(own, common, 'closed') == '1' then
    cold(226)('CLOSED', 'this queue is closed: set its setting closed to 0')
  end
end
else
-- 60 deadlines.key
return function()
  return namespace_prefix .. 'deadlines'
end
end
end
else
if number < 63 then
if number < 62 then
-- 61 deadlines.has
return function(task)
  return task.ties and string.find(task.ties, 'e', 1, true)
end
else
-- 62 deadlines.is_past
return function(end_by)
  return tonumber(end_by) * 1000000 <= namespace_now_us
end
end
else
if number < 64 then
-- 63 deadlines.refusal
return function()
  return 'OVERDUE', 'the deadline of the task has passed: give it a later one with the option deadline'
end
else
if number < 65 then
-- 64 deadlines.require_ahead
return function(end_by)
  if cold(62)(end_by) then
    cold(226)(cold(63)())
  end
end
else
-- 65 deadlines.decided
return function(task)
  if not task.cancel or not cold(61)(task) then
    return false
  end
  cold(36)(task)
  return task.end_by ~= nil and tonumber(task.cancel) >= tonumber(task.end_by)
end
end
end
end
end
else
if number < 71 then
if number < 68 then
if number < 67 then
-- 66 edges.upstreams
return function(id)
  return namespace_prefix .. 'upstreams_' .. id
end
else
-- 67 edges.dependents
return function(id)
  return namespace_prefix .. 'dependents_' .. id
end
end
else
if number < 69 then
-- 68 edges.inputs
return function(id)
  return namespace_prefix .. 'inputs_' .. id
end
else
if number < 70 then
-- 69 edges.unsettled
return function()
  return namespace_prefix .. 'unsettled'
end
else
-- 70 edges.parse
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
      cold(226)('BADARG', what .. ' must be entries like success=ID, after=ID, failure=ID, some=ID, least/NUMBER,'
        .. ' result/SLOT=ID, optional/SLOT=ID and value/SLOT=BYTES, separated by spaces')
    end
    if slot then
      slot = tonumber(slot)
      taken = taken or {}
      if taken[slot] then
        cold(226)('BADARG', what .. ' must give each slot once')
      end
      taken[slot], highest, found.slots = true, math.max(highest, slot), found.slots + 1
    end
    if least then
      found.least = cold(20)(least, 1, 10000, what)
    elseif kind == 'value' then
      found.values[#found.values + 1] = { slot, cold(20)(rest, 0, 1048576, what) }
    else
      if not (known and known[rest]) then
        local begin = start and string.sub(rest, 1, #start) == start and #start + 1 or 1
        if #rest > 128 or not string.find(rest, '^[%w._:@-]+$', begin) then
          cold(15)(rest, what)
        end
      end
      by_id = by_id or ups and { [ups[1].id] = ups[1] }
      local up = by_id and by_id[rest]
      if up and not (slot and up.kind == kind and up.slots[1]) then
        cold(226)('BADARG', what .. ' must name each upstream once, or several times for its result')
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
    cold(226)('BADARG', what .. ' must give the slots from 0 on without a gap')
  elseif number == 0 and not (partial and found.least) or number + #found.values > 1000 then
    cold(226)('BADARG', what .. ' must name 1 to ' .. 1000 .. ' upstreams and values')
  elseif not partial and (found.least or 0) > found.some then
    cold(226)('BADARG', what .. ' must have as many upstreams with some as least/NUMBER says, or more')
  end
  return found
end
end
end
end
else
if number < 73 then
if number < 72 then
-- 71 edges.slots
return function(text)
  local slots = {}
  for slot in string.gmatch(text or '', '%d+') do
    slots[#slots + 1] = tonumber(slot)
  end
  return slots
end
else
-- 72 edges.is_met
return function(kind, to)
  if kind == 'after' or kind == 'optional' then
    return true
  end
  return (kind == 'failure') ~= (to == 'complete')
end
end
else
if number < 74 then
-- 73 edges.is_repairable
return function(kind, to)
  return cold(74)(kind) and (to == 'failed' or to == 'cancelled')
end
else
if number < 75 then
-- 74 edges.needs_success
return function(kind)
  return kind == 'success' or kind == 'result' or kind == 'some'
end
else
-- 75 edges.result_of
return function(up)
  return cold(76)(up.status == 'complete' and redis.call('HGET', up.key, 'result') or '')
end
end
end
end
end
end
end
end
else
if number < 113 then
if number < 94 then
if number < 85 then
if number < 80 then
if number < 78 then
if number < 77 then
-- 76 edges.element
return function(result)
  return result == '' and 'null' or result
end
else
-- 77 edges.among
return function(task, ups)
  local ids = {}
  for i = 1, #ups do
    ids[i] = ups[i].id
  end
  return ids[1] and redis.call('HMGET', cold(66)(task.id), unpack(ids))
end
end
else
if number < 79 then
-- 78 edges.look
return function(task, wanted, find, had)
  local open, at = nil, 1
  if wanted.slots > 0 or task.continues then
    task.filled, task.slots, task.bytes = {}, wanted.slots, 0
  end
  if wanted.some > 0 or wanted.least then
    local set = task.continues and cold(201)(task) and cold(204)(task.id)
    task.set, open = cold(209)({ set = set, text = had }, wanted), {}
    task.edges = open
  end
  for i = 1, #wanted.values do
    local slot, length = unpack(wanted.values[i])
    local text = string.sub(task.parameters, at, at + length - 1)
    if #text < length or not cold(161)(text) then
      cold(226)('BADARG', 'the value of slot ' .. slot .. ' must be JSON, as long as the inputs say')
    end
    task.filled[slot], at, task.bytes = text, at + length, task.bytes + length
  end
  if wanted.slots > 0 and at <= #task.parameters then
    cold(226)('BADARG', 'the parameters must be the values of the inputs, nothing else')
  end
  local get, before = find or cold(223), task.continues and cold(77)(task, wanted.upstreams)
  local dependents, fresh = namespace_prefix .. 'dependents_', nil
  for i = 1, #wanted.upstreams do
    local wish = wanted.upstreams[i]
    if wish.id == task.id then
      cold(226)('BADARG', 'a task cannot wait for itself')
    end
    local up = get(wish.id)
    if not up or up.queue == '' then
      cold(84)(task, wish)
    end
    local earlier = before and before[i]
    if earlier and cold(81)(wish.kind, string.match(earlier, '^%l+')) then
      cold(226)('BADARG', cold(83)(task, wish) .. 'an earlier call has it wait for ' .. wish.id
        .. ' in another way: say the same each time')
    end
    local named = wish.kind == 'some' and task.set.named[wish.id]
    if (up.status == 'staged' or not cold(300)(up.status)) and not (named and not earlier) then
      if not earlier then
        if task.waited_for ~= 0 then
          cold(90)(task)
        end
      else
        cold(79)(wish.slots, earlier)
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
        wish = cold(80)(wish, earlier)
      end
      local left = cold(85)(task, wish, up, named)
      if left then
        if earlier then
          cold(79)(left.slots, earlier)
          left.known = earlier
        end
        open = open or {}
        open[#open + 1] = left
      end
    end
  end
  task.edges = open or {}
  if fresh then
    cold(82)(fresh)
  end
  if task.continues then
    local known = redis.call('HMGET', cold(68)(task.id), 'slots', 'bytes')
    task.had = tonumber(known[2] or 0)
    task.slots, task.bytes = math.max(task.slots, tonumber(known[1] or 0)), task.bytes + task.had
    for slot in pairs(task.filled) do
      task.bytes = task.bytes - #(redis.call('HGET', cold(68)(task.id), slot) or '')
    end
  end
  if task.slots then
    cold(86)(task)
  end
  if namespace_declared then
    cold(180)(cold(66)(task.id))
    cold(180)(cold(68)(task.id))
  end
  if task.set then
    cold(217)(task, wanted, find)
  end
  if wanted.slots > 0 then
    task.joins = not (find or task.edges[1]) and cold(159)(task.id, wanted.slots, task.bytes)
    task.parameters = (find or task.edges[1] or task.joins) and '' or (cold(156)(task.filled, wanted.slots))
  end
end
else
-- 79 edges.add_slots
return function(slots, edge)
  local own = ',' .. table.concat(slots, ',') .. ','
  for _, slot in ipairs(cold(71)(string.match(edge, '/(.*)$'))) do
    if not string.find(own, ',' .. slot .. ',', 1, true) then
      slots[#slots + 1] = slot
    end
  end
end
end
end
else
if number < 82 then
if number < 81 then
-- 80 edges.further
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
-- 81 edges.differ
return function(kind, other)
  return kind ~= other and (kind == 'some' or other == 'some' or kind == 'optional' or other == 'optional')
end
end
else
if number < 83 then
-- 82 edges.probe_all
return function(keys)
  for i = 1, #keys do
    if namespace_declared then
      cold(180)(keys[i])
    end
  end
  if redis.call('EXISTS', unpack(keys)) > 0 then
    for i = 1, #keys do
      redis.call('ZCARD', keys[i])
    end
  end
end
else
if number < 84 then
-- 83 edges.place
return function(task, wish)
  local fields = { success = 'needs', after = 'after', failure = 'after_failure', some = 'at_least' }
  local slot = (wish.said or wish.slots)[1]
  local field = slot and 'args[' .. slot .. ']' or fields[wish.kind]
  return 'task ' .. task.id .. (task.label and ' "' .. task.label .. '"' or '') .. ', ' .. field .. ': '
end
else
-- 84 edges.refuse_missing
return function(task, wish)
  cold(183)(cold(178)('task', wish.id))
  cold(226)('NOTASK', cold(83)(task, wish) .. 'no task has the id ' .. wish.id
    .. ': it was never submitted, or was deleted, or removed by retention')
end
end
end
end
end
else
if number < 89 then
if number < 87 then
if number < 86 then
-- 85 edges.look_at_ended
return function(task, wish, up, named)
  local length = wish.slots[1] and up.status == 'complete' and redis.call('HSTRLEN', up.key, 'result')
  if length and not cold(158)(length) then
    if task.continues and redis.call('HEXISTS', cold(68)(task.id), wish.slots[1]) == 1 then
      return
    end
    cold(181)('ZCARD', cold(67)(up.id))
    cold(181)('ZCARD', cold(69)())
    return { up = up, kind = wish.kind, slots = wish.slots, asks = true }
  elseif wish.kind == 'some' and not cold(210)(task, wish, up, named) then
    return
  elseif not cold(72)(wish.kind, up.status) then
    cold(226)('UPSTREAM', cold(83)(task, wish) .. wish.id .. ' is ' .. up.status
      .. ', so this task would never run: retry that one first')
  elseif wish.slots[1] then
    local result = cold(75)(up)
    if not cold(161)(result) then
      cold(226)('UPSTREAM', cold(83)(task, wish) .. 'the result of ' .. wish.id .. ' is not JSON')
    end
    for _, slot in ipairs(wish.slots) do
      task.filled[slot], task.bytes = result, task.bytes + #result
    end
  end
end
else
-- 86 edges.require_room
return function(task)
  local over = cold(87)(task.queue, task.bytes)
  if over then
    cold(226)('TOOBIG', 'the inputs of the task are ' .. over)
  end
end
end
else
if number < 88 then
-- 87 edges.over
return function(queue, bytes)
  local most = bytes > 1024 and cold(249)(queue, 'input_bytes')
  if most and bytes > tonumber(most) then
    return 'over ' .. most .. ' bytes, the setting input_bytes'
  end
end
else
-- 88 edges.tie
return function(up)
  if not string.find(up.ties or '', 'd', 1, true) then
    up.ties = (up.ties or '') .. 'd'
    redis.call('HSET', up.key, 'ties', up.ties)
  end
end
end
end
else
if number < 91 then
if number < 90 then
-- 89 edges.waiting
return function(id)
  local key = cold(180)(cold(67)(id))
  local waiting, staged = redis.call('ZCOUNT', key, '(0', '+inf'), redis.call('ZCOUNT', key, '-inf', '-inf')
  return waiting + staged, waiting
end
else
-- 90 edges.require_free
return function(task)
  task.waited_for = task.waited_for or cold(89)(task.id)
  if task.waited_for > 0 then
    cold(226)('BADARG', 'tasks wait for one of this id already: give it another id, or let it wait for nothing')
  end
end
end
else
if number < 92 then
-- 91 edges.enter
return function(tasks, graph)
  local own, waits, number, prefix, now = {}, {}, 0, namespace_prefix, namespace_now
  local tie = cold(88)
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
        redis.call('RPUSH', cold(134)(graph), up.id .. ' ' .. task.id)
      elseif edge.asks then
        redis.call('ZADD', cold(69)(), now, up.id)
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
      redis.call('HSET', cold(68)(task.id), unpack(known))
    end
    if task.set then
      cold(205)(task.id, task.set)
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
if number < 93 then
-- 92 edges.plan_end
return function(task, to)
  local key = cold(180)(cold(67)(task.id))
  local ids = redis.call('ZRANGEBYSCORE', key, '(0', '+inf', 'LIMIT', 0, 100 + 1 + (task.knowing or 0))
  local number = #ids - (task.knowing or 0)
  if number <= 0 then
    return
  elseif task.later or number > 100 or cold(93)(task.id, ids, #(task.result or ''))
    or to ~= 'complete' and task.graph and cold(138)(task.graph, task.id) then
    cold(181)('ZCARD', cold(69)())
    task.unsettled = true
    return
  end
  cold(95)(task, to, ids)
end
else
-- 93 edges.is_much
return function(id, ids, length)
  local told = cold(179)('told')
  local looked, copied = (told.looked or 0) + length, (told.copied or 0) + #ids * length
  if length <= 131072 and looked <= 262144 and copied <= 1048576 then
    told.looked, told.copied = looked, copied
    return false
  end
  for _, other in ipairs(ids) do
    if string.find(redis.call('HGET', cold(66)(other), id) or '', '/', 1, true) then
      return true
    end
  end
  return false
end
end
end
end
end
end
else
if number < 103 then
if number < 98 then
if number < 96 then
if number < 95 then
-- 94 edges.plan_removal
return function(task)
  local dependents = cold(180)(cold(67)(task.id))
  task.edge_keys = { cold(180)(cold(66)(task.id)), cold(180)(cold(68)(task.id)),
    cold(180)(cold(155)(task.id)) }
  local all, waiting = cold(89)(task.id)
  if all == 0 then
    task.edge_keys[4] = dependents
  elseif waiting > 0 and cold(300)(task.status) then
    cold(181)('ZCARD', cold(69)())
    task.unsettled = true
  end
end
else
-- 95 edges.plan_page
return function(task, to, ids)
  task.dependents = {}
  for i, id in ipairs(ids) do
    task.dependents[i] = cold(96)(task, to, id)
  end
end
end
else
if number < 97 then
-- 96 edges.plan_one
return function(up, to, id)
  local task = cold(223)(id, cold(97)())
  local key = cold(180)(cold(66)(id))
  local kind, mark, slots = string.match(redis.call('HGET', key, up.id) or '', '^(%l+)(%d*)/?(.*)$')
  local plan = { id = id, met = not kind or cold(72)(kind, to) }
  if not task or task.status ~= 'waiting' or not kind then
    plan.kept = task and kind and cold(300)(task.status)
    return plan
  end
  if cold(201)(task) then
    plan.set = cold(204)(id)
  end
  if kind == 'some' then
    cold(213)(plan, task, up, to, mark, slots)
    if plan.missed then
      return plan
    end
  elseif not plan.met and cold(73)(kind, to) and cold(137)(task.extra[5]) == 'hold' then
    plan.held = true
    return plan
  end
  plan.task = task
  task.later = true
  if not plan.met then
    plan.to, task.group, task.broken = kind == 'failure' and 'cancelled' or 'failed', 'upstream', true
    cold(277)(task, plan.to)
    return plan
  end
  local open = redis.call('HLEN', key)
  plan.last = plan.ready or open == 1
  if plan.set and not plan.ready then
    plan.last = cold(207)(plan.set, open - 1)
  end
  local own = cold(180)(cold(68)(id))
  local known = (plan.last or slots ~= '') and redis.call('HMGET', own, 'slots', 'bytes')
  if slots ~= '' and not plan.ready then
    cold(99)(plan, up, to, slots, tonumber(known[2] or 0))
  end
  if plan.wrong then
    cold(277)(task, plan.to)
  elseif plan.last then
    cold(98)(plan, tonumber(known[1] or 0), plan.bytes or tonumber(known[2] or 0))
  end
  return plan
end
else
-- 97 edges.fields
return function()
  return 'eta', 'front', 'ended', 'retry_eta', 'graph'
end
end
end
else
if number < 100 then
if number < 99 then
-- 98 edges.plan_ready
return function(plan, slots, bytes)
  local task = plan.task
  plan.joins = cold(159)(plan.id, slots, bytes)
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
    plan.joined, plan.lengths = cold(156)(cold(157)(cold(68)(plan.id), slots, plan), slots)
  end
  cold(277)(task, plan.to)
end
else
-- 99 edges.plan_input
return function(plan, up, to, slots, bytes)
  local result = to == 'complete' and up.result or ''
  plan.slots, plan.text = cold(71)(slots), cold(76)(result)
  plan.bytes = bytes + #plan.text * #plan.slots
  if up.json == nil then
    up.json = result == '' or cold(161)(result)
  end
  local over = cold(87)(plan.task.queue, plan.bytes)
  if not up.json then
    plan.wrong = 'is not JSON'
  elseif over then
    plan.wrong = 'brings the inputs of this task ' .. over
  elseif cold(139)(#plan.text) > 0 and plan.task.extra[5] then
    plan.graph, plan.grows = plan.task.extra[5], #plan.text * #plan.slots
    if not cold(141)(plan.graph, plan.grows) then
      plan.wrong = 'brings the inputs of its graph over ' .. cold(140)() .. ' bytes, the setting graph_bytes'
    end
  end
  if plan.wrong then
    plan.to, plan.task.group, plan.task.broken = 'failed', 'input', true
  end
end
end
else
if number < 101 then
-- 100 edges.settle
return function(task)
  if task.unsettled then
    redis.call('ZADD', cold(69)(), namespace_now, task.id)
  end
  if task.cascades then
    redis.call('HSET', task.key or cold(178)('task', task.id), 'cascade', '0')
  end
  local told
  for _, plan in ipairs(task.dependents or {}) do
    if plan.kept then
      redis.call('ZADD', cold(67)(task.id), '-' .. namespace_now, plan.id)
    elseif plan.held then
      redis.call('ZADD', cold(67)(task.id), 'inf', plan.id)
    elseif plan.missed then
      cold(215)(task, plan)
    elseif plan.task and not plan.met then
      told = told or redis.call('HMGET', task.key or cold(178)('task', task.id), 'status', 'error', 'cause')
      cold(101)(task, plan, told)
    elseif plan.wrong then
      redis.call('ZADD', cold(67)(task.id), '-' .. namespace_now, plan.id)
      state_move(plan.task, 'failed', 'input', '', 'cause', task.id, 'group', 'input',
        'error', 'the result of ' .. task.id .. ' ' .. plan.wrong)
    else
      cold(104)(task, plan)
    end
  end
end
else
if number < 102 then
-- 101 edges.fail_with
return function(up, plan, told)
  local cause = told[3] or up.id
  redis.call('ZADD', cold(67)(up.id), '-' .. namespace_now, plan.id)
  if plan.to == 'cancelled' then
    state_move(plan.task, 'cancelled', 'upstream', '', 'cause', cause,
      'reason', 'not needed: ' .. up.id .. ' is complete')
    return
  end
  state_move(plan.task, 'failed', 'upstream', '', 'cause', cause, 'group', 'upstream',
    'error', (plan.short and 'too few of its set can still be complete: ' or '') .. cold(102)(up.id, told))
end
else
-- 102 edges.error_of
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
end
end
else
if number < 108 then
if number < 105 then
if number < 104 then
-- 103 edges.fill
return function(id, slots)
  for _, slot in ipairs(slots) do
    redis.call('HSET', cold(68)(id), slot, 'null')
  end
  if slots[1] then
    redis.call('HINCRBY', cold(68)(id), 'bytes', 4 * #slots)
  end
end
else
-- 104 edges.meet
return function(up, plan)
  if up then
    redis.call('ZREM', cold(67)(up.id), plan.id)
    redis.call('HDEL', cold(66)(plan.id), up.id)
  end
  if plan.grows then
    redis.call('HINCRBY', cold(132)(plan.graph), 'bytes', plan.grows)
  end
  if not plan.task then
    return
  elseif plan.set and plan.to then
    cold(216)(plan.id)
  elseif plan.set and not plan.joins then
    cold(205)(plan.id, plan.set)
  end
  if plan.joined then
    redis.call('UNLINK', cold(68)(plan.id))
    state_move(plan.task, plan.to, 'ready', '', 'readied', cold(279)(plan.task), 'parameters', plan.joined,
      'slots', plan.lengths)
  elseif plan.to then
    state_move(plan.task, plan.to, 'ready', '', 'readied', cold(279)(plan.task))
  elseif plan.slots then
    for _, slot in ipairs(plan.slots) do
      redis.call('HSET', cold(68)(plan.id), slot, plan.text)
    end
    redis.call('HSET', cold(68)(plan.id), 'bytes', plan.bytes)
  end
  if plan.joins then
    cold(160)(plan.id)
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
          if not namespace_declared or cold(184)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(275)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
end
else
if number < 106 then
-- 105 edits.read
return function(task)
  local fields = { 'eta', 'retry_eta', 'solo', 'slots', 'ended' }
  for field in string.gmatch(' method=method priority=priority max_failures=max_failures backoff=backoff delay=delay max_delay=max_delay jitter=jitter max_losses=max_losses lost_delay=lost_delay max_releases=max_releases lease=own_lease key=key weight=weight needs=needs limits=limits unique=unique unique_until=unique_until tags=tags deadline=deadline log_bytes=log_bytes steps=steps ', '=(%S+)') do
    fields[#fields + 1] = field
  end
  task.had = {}
  for i, value in ipairs(redis.call('HMGET', task.key, unpack(fields))) do
    task.had[fields[i]] = value or nil
  end
end
else
if number < 107 then
-- 106 edits.tell
return function(edit, name, before, after)
  edit.changed[name] = true
  edit.told[#edit.told + 1] = string.format('"%s":[%s,%s]', name, cold(107)(before), cold(107)(after))
end
else
-- 107 edits.json
return function(value)
  if not value then
    return 'null'
  elseif type(value) == 'number' then
    return string.format('%.14g', value)
  end
  return cjson.encode(string.sub(value, 1, 128))
end
end
end
end
else
if number < 110 then
if number < 109 then
-- 108 edits.write
return function(edit, field, value)
  if value then
    edit.set[#edit.set + 1], edit.set[#edit.set + 2] = field, value
  else
    edit.forget[#edit.forget + 1] = field
  end
end
else
-- 109 edits.compare
return function(task, spec, call)
  local had, new = task.had, {}
  local edit = { set = {}, forget = {}, told = {}, changed = {}, to = task.status }
  for i = 1, #spec.fields, 2 do
    new[spec.fields[i]] = spec.fields[i + 1]
  end
  if had.solo and not (new.solo and new.key == had.key and new.unique == had.unique
    and new.unique_until == had.unique_until) then
    cold(226)('BADARG', 'one task of this key runs at a time, by its schedule or by the policy latest:'
      .. ' its key and its unique name cannot be changed')
  end
  for name, field in string.gmatch(' method=method priority=priority max_failures=max_failures backoff=backoff delay=delay max_delay=max_delay jitter=jitter max_losses=max_losses lost_delay=lost_delay max_releases=max_releases lease=own_lease key=key weight=weight needs=needs limits=limits unique=unique unique_until=unique_until tags=tags deadline=deadline log_bytes=log_bytes steps=steps ', '(%S+)=(%S+)') do
    local before, after = had[field], new[field]
    if before ~= after then
      cold(108)(edit, field, after)
      if name == 'lease' then
        before, after = before and before / 1000000, after and after / 1000000
      end
      cold(106)(edit, name, before, after)
    end
  end
  cold(110)(task, edit, call.parameters)
  if call.eta ~= nil then
    cold(111)(task, edit, call.eta)
  end
  if call.queue and call.queue ~= task.queue then
    cold(106)(edit, 'queue', task.queue, call.queue)
  end
  if not edit.told[1] then
    return
  end
  local ties = spec.ties or ''
  for letter in string.gmatch(task.ties or '', '[rwkdgoa]') do
    ties = string.find(ties, letter, 1, true) and ties or ties .. letter
  end
  if ties ~= (task.ties or '') then
    cold(108)(edit, 'ties', ties ~= '' and ties)
  end
  local fresh = { id = task.id, queue = task.queue, ties = ties ~= '' and ties or nil }
  if fresh.ties then
    cold(37)(fresh, spec.claims or {})
  end
  edit.fresh, task.edit = fresh, edit
end
end
else
if number < 111 then
-- 110 edits.compare_parameters
return function(task, edit, parameters)
  local before = parameters and redis.call('HGET', task.key, 'parameters') or ''
  if not parameters or parameters == before then
    return
  elseif task.had.slots or string.find(task.ties or '', 'w', 1, true)
    and redis.call('HEXISTS', cold(68)(task.id), 'slots') == 1 then
    cold(226)('BADARG', 'the parameters of this task are made of the results of others: they cannot be edited')
  end
  cold(108)(edit, 'parameters', parameters)
  cold(106)(edit, 'parameters', #before, #parameters)
end
else
if number < 112 then
-- 111 edits.compare_eta
return function(task, edit, eta)
  local had, at = task.had.eta, eta and cold(173)(eta)
  local later = eta and eta > namespace_now_us
  if task.status == 'pending' then
    if not later then
      return
    end
    edit.to = 'scheduled'
  elseif tonumber(had or nil) == tonumber(at or nil) then
    return
  elseif task.status == 'scheduled' and not later then
    edit.to = 'pending'
  end
  edit.eta = at
  cold(108)(edit, 'eta', at)
  if task.had.retry_eta then
    cold(108)(edit, 'retry_eta')
  end
  cold(106)(edit, 'eta', task.status ~= 'pending' and had, at)
end
else
-- 112 edits.plan
return function(task, step)
  local edit, held = task.edit, cold(224)(task)
  local fresh, changed, moves = edit.fresh, edit.changed, edit.changed.queue
  for name in string.gmatch(held and ' queue eta key weight limits unique unique_until ' or '', '%S+') do
    if changed[name] then
      return 'STATE', 'the task is ' .. task.status .. ': its ' .. name .. ' is changed only while it waits'
    end
  end
  if task.ties then
    cold(36)(task)
  end
  if changed.deadline and held and cold(65)(task) then
    return 'STATE', 'its deadline has passed, and its owner was told to stop: retry it with another deadline then'
  elseif changed.deadline and fresh.end_by and cold(62)(fresh.end_by) then
    return cold(63)()
  end
  if changed.deadline then
    cold(181)('ZCARD', cold(60)())
  end
  if (changed.needs or changed.limits) and cold(188)(fresh) and not moves then
    cold(57)(task.queue, cold(188)(fresh))
  end
  if changed.limits then
    cold(265)()
  end
  if moves then
    step.alter = cold(114)
    return cold(8)(task, step)
  elseif changed.tags then
    cold(288)(task, task.tags, fresh.tags)
  end
  if (changed.unique or changed.unique_until) and not cold(115)(task, step) then
    return 'DUPLICATE', 'another task has this unique name; get its id with the policy existing, or wait until it ends, starts, or its time passes'
  end
  cold(116)(task, step)
end
end
end
end
end
end
end
else
if number < 132 then
if number < 122 then
if number < 117 then
if number < 115 then
if number < 114 then
-- 113 edits.take_claims
return function(task, fresh)
  for claim in string.gmatch(' priority fair_key weight needs unique till tags own_lease solo end_by shared ', '%S+') do
    task[claim] = fresh[claim]
  end
end
else
-- 114 edits.alter
return function(task, other)
  local edit = task.edit
  local name, ends = other.unique, other.ends
  other.ties = edit.fresh.ties
  if other.ties then
    do
      local task = other
      task.bound = true
      task.ranked = string.find(task.ties, 'r', 1, true) and true
      task.limited = string.find(task.ties, 'p', 1, true) and true
      task.tracked = string.find(task.ties, 'o', 1, true)
    end
  end
  cold(113)(other, edit.fresh)
  local same = not (edit.changed.unique or edit.changed.unique_until)
  other.unique, other.ends = same and name or not same and other.unique or nil, same and ends or nil
  other.to, other.eta = edit.to, edit.eta or other.eta
end
end
else
if number < 116 then
-- 115 edits.plan_name
return function(task, step)
  local queue, fresh = task.queue, task.edit.fresh
  cold(182)()
  cold(181)('HLEN', cold(178)('unique', queue))
  cold(181)('ZCARD', cold(178)('timed', queue))
  if task.unique then
    local old = { id = task.id, queue = queue, unique = task.unique }
    old.holder, old.held_till, old.kept = cold(38)(queue, task.unique)
    task.edit.name = old
  end
  return cold(6)(fresh, step)
end
else
-- 116 edits.plan_index
return function(task, step)
  local edit = task.edit
  local fresh, changed = edit.fresh, edit.changed
  if edit.to ~= task.status then
    task.ranked, task.eta = fresh.ranked or task.ranked, edit.eta
    task.note, task.forget = cold(117)(task, step), { 'readied', 'promoted' }
    if edit.to == 'pending' then
      task.ties, task.front, task.turn = fresh.ties, task.extra[4] and true, task.extra[4] and tonumber(task.had.ended)
      cold(113)(task, fresh)
      if task.ties then
        do
          local task = task
          task.bound = true
          task.ranked = string.find(task.ties, 'r', 1, true) and true
          task.limited = string.find(task.ties, 'p', 1, true) and true
          task.tracked = string.find(task.ties, 'o', 1, true)
        end
      end
    end
    return cold(3)(task, edit.to, step)
  end
  cold(152)(task)
  cold(294)(task)
  if not cold(299)(task.status) then
    return
  end
  local stands = changed.key or changed.weight or changed.needs or changed.limits or changed.priority
  if task.status == 'scheduled' and changed.eta then
    cold(181)('ZCARD', cold(178)('scheduled_tasks', task.queue))
    cold(181)('ZCARD', cold(178)('scheduled_lane_tasks', task.queue))
    stands = stands or fresh.ranked
  end
  if stands and fresh.ranked and task.status ~= 'waiting' then
    fresh.place = not changed.priority and (task.rank or cold(128)(task.since, task.extra[4]))
    cold(12)(task, fresh, step)
  end
  if stands and task.status == 'pending' then
    cold(274)(task.queue)
    step.wakes = task.queue
  end
end
end
end
else
if number < 119 then
if number < 118 then
-- 117 edits.note
return function(task, step)
  return { 'note', step.reason or '', 'data', '{' .. table.concat(task.edit.told, ',') .. '}' }
end
else
-- 118 edits.run
return function(task, step)
  local edit, key = task.edit, task.key
  if edit.set[1] then
    redis.call('HSET', key, unpack(edit.set))
  end
  if edit.forget[1] then
    redis.call('HDEL', key, unpack(edit.forget))
  end
  if edit.changed.deadline and edit.fresh.end_by then
    redis.call('ZADD', cold(60)(), edit.fresh.end_by, task.id)
  elseif edit.changed.deadline then
    redis.call('ZREM', cold(60)(), task.id)
  end
  if edit.changed.queue then
    task.note = cold(117)(task, step)
    return cold(10)(task, step)
  elseif edit.changed.tags then
    cold(289)(task)
  end
  if edit.changed.limits then
    cold(269)(edit.fresh.shared, task.had.limits)
  end
  if edit.name then
    cold(50)(edit.name, 'moved')
  end
  if (edit.changed.unique or edit.changed.unique_until) and edit.fresh.unique then
    cold(49)(edit.fresh)
  end
  if edit.to ~= task.status then
    state_move(task, edit.to, 'edit', step.by)
    step.wakes = edit.to == 'pending' and task.queue or step.wakes
    return
  end
  if task.fresh then
    cold(13)(task, step)
  end
  if task.status == 'scheduled' and edit.changed.eta then
    redis.call('ZADD', cold(178)(edit.fresh.ranked and 'scheduled_lane_tasks' or 'scheduled_tasks', task.queue),
      edit.eta, task.id)
  end
  cold(154)(task, { to = task.status, why = 'edit', by = step.by, at = cold(279)(task),
    note = cold(117)(task, step) }, '', '', '', '')
  cold(296)(task, 'edit', step.by, cold(119)(edit))
end
end
else
if number < 120 then
-- 119 edits.names_of
return function(edit)
  local changed = {}
  for name in pairs(edit.changed) do
    changed[#changed + 1] = name
  end
  table.sort(changed, cold(26))
  return table.concat(changed, ' ')
end
else
if number < 121 then
-- 120 encore.key
return function(id)
  return namespace_prefix .. 'further_' .. id
end
else
-- 121 encore.plan_end
return function(task, to)
  if to == 'deleted' then
    local key = cold(180)(cold(120)(task.id))
    task.edge_keys = task.edge_keys or {}
    task.edge_keys[#task.edge_keys + 1] = key
    task.further_shared = redis.call('HGET', key, '/limits') or nil
    if task.further_shared then
      cold(265)()
    end
  elseif not cold(300)(task.status) then
    cold(181)('ZCARD', cold(69)())
    task.unsettled = true
  end
end
end
end
end
end
else
if number < 127 then
if number < 124 then
if number < 123 then
-- 122 encore.options
return function(last)
  local given = {}
  for i = last + 1, #ARGV, 2 do
    local name = ARGV[i]
    if not string.find(' again once_more by request max_bytes unique_policy ', ' ' .. name .. ' ', 1, true) then
      given[#given + 1], given[#given + 2] = '/' .. name, ARGV[i + 1]
    end
  end
  return given
end
else
-- 123 encore.keep
return function(task, call, spec, number)
  local code, text = cold(239)(task)
  if not code then
    code, text = cold(7)({ queue = call.queue })
  end
  local end_by = spec.claims and spec.claims.end_by
  if not code and end_by and cold(62)(end_by) then
    code, text = cold(63)()
  end
  if code then
    cold(226)(code, text)
  end
  local key, shared = cold(120)(task.id), spec.claims and spec.claims.shared
  cold(181)('HLEN', key)
  if shared then
    cold(265)()
  end
  cold(32)()
  cold(185)()
  redis.call('HSET', key, 'queue', call.queue, 'parameters', call.parameters,
    'eta', call.eta and string.format('%.0f', call.eta) or '', 'by', call.by or '', unpack(call.options))
  redis.call('HSET', task.key, 'further', call.request, 'ties', (task.ties or '') .. 'a')
  if shared then
    cold(266)(shared, 1)
  end
  cold(33)(call.by, 'submit', 'task', task.id, task.status, task.status,
    'once more, ' .. cold(238)(number + 1, call))
  return { 'later', number + 1 }
end
end
else
if number < 125 then
-- 124 fairness.ranked_key
return function(queue, number)
  return namespace_prefix .. 'ranked_tasks_' .. queue .. (number == '' and '' or '/' .. number)
end
else
if number < 126 then
-- 125 fairness.tasks_key
return function(queue, key, number)
  return namespace_prefix .. 'key_tasks_' .. queue .. '/' .. key .. (number == '' and '' or '/' .. number)
end
else
-- 126 fairness.rank
return function(us)
  return string.format('%016.0f', us)
end
end
end
end
else
if number < 129 then
if number < 128 then
-- 127 fairness.front_rank
return function(us)
  return '-' .. cold(126)(9007199254740991 - us)
end
else
-- 128 fairness.list_rank
return function(updated, front)
  local us = (tonumber(updated) or -1) * 1000000
  if not (us >= 0 and us <= namespace_now_us) then
    us = namespace_now_us
  end
  return front and cold(127)(us) or cold(126)(us)
end
end
else
if number < 130 then
-- 129 fairness.sort_value
return function(rank)
  if string.sub(rank, 1, 1) == '-' then
    return tonumber(string.sub(rank, 2)) - 9007199254740992
  end
  return tonumber(rank)
end
else
if number < 131 then
-- 130 fairness.refresh
return function(queue, key, number)
  local entries, field = cold(178)('turns', queue), key .. '/' .. number
  local first = redis.call('ZRANGE', cold(125)(queue, key, number), 0, 0, 'WITHSCORES')
  local current, wanted = redis.call('HGET', entries, field) or nil, nil
  if first[1] then
    local rank, weight = string.match(first[1], '^(%S+) %S+ (%S+)$')
    local fits, free = cold(164)(queue, key, weight)
    if fits then
      local served = redis.call('HGET', entries, key)
      if served and cold(129)(served) > cold(129)(rank) then
        rank = served
      end
      wanted = first[2] .. ' ' .. rank
    elseif free then
      redis.call('ZADD', cold(178)('delayed', queue), string.format('%.0f', free), key)
    end
  end
  if current == wanted then
    return
  end
  local ranked, rank = cold(124)(queue, number), nil
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
-- 131 fairness.refresh_all
return function(queue, key)
  local waits = false
  for _, number in ipairs(cold(189)(queue)) do
    cold(130)(queue, key, number)
    waits = waits or redis.call('EXISTS', cold(125)(queue, key, number)) == 1
  end
  if not waits and not redis.call('HGET', cold(178)('places', queue), 'k:' .. key) then
    redis.call('HDEL', cold(178)('turns', queue), key)
    redis.call('ZREM', cold(178)('delayed', queue), key)
  end
end
end
end
end
end
end
else
if number < 141 then
if number < 136 then
if number < 134 then
if number < 133 then
-- 132 graphs.key
return function(graph)
  return cold(178)('graph', graph)
end
else
-- 133 graphs.tasks
return function(graph)
  return cold(178)('members', graph)
end
end
else
if number < 135 then
-- 134 graphs.outside
return function(graph)
  return cold(178)('outside', graph)
end
else
-- 135 graphs.chosen
return function(graph)
  return cold(178)('chosen', graph)
end
end
end
else
if number < 138 then
if number < 137 then
-- 136 graphs.all
return function()
  return namespace_prefix .. 'graphs'
end
else
-- 137 graphs.on_failure
return function(id)
  if not id then
    return false
  end
  local known = cold(179)('on_failure')
  known[id] = known[id] or redis.call('HGET', cold(132)(id), 'on_failure') or 'cancel'
  return known[id]
end
end
else
if number < 139 then
-- 138 graphs.runs_anew
return function(graph, id)
  local doing = redis.call('HGET', cold(132)(graph), 'doing')
  return (doing == 'anew' or doing == 'mark_anew')
    and tonumber(redis.call('ZSCORE', cold(135)(graph), id) or 0) > 0
end
else
if number < 140 then
-- 139 graphs.counted
return function(length)
  return length >= 256 and length or 0
end
else
-- 140 graphs.most
return function()
  return cold(249)('*', 'graph_bytes')
end
end
end
end
end
else
if number < 146 then
if number < 143 then
if number < 142 then
-- 141 graphs.has_room
return function(id, bytes)
  local known = cold(179)('graph_bytes')
  local all = (known[id] or tonumber(redis.call('HGET', cold(180)(cold(132)(id)), 'bytes') or 0)) + bytes
  if all > tonumber(cold(140)()) then
    return false
  end
  known[id] = all
  return true
end
else
-- 142 graphs.unlimit
return function(bounds)
  for _, bound in ipairs(bounds) do
    redis.call('HDEL', bound.limits, bound.key)
  end
end
end
else
if number < 144 then
-- 143 graphs.plan_unlimit
return function(graph)
  local bounds = {}
  for queue, key in string.gmatch(redis.call('HGET', cold(132)(graph), 'bounds') or '', '([^/ ]+)/([^= ]+)=') do
    bounds[#bounds + 1] = { limits = cold(178)('limits', queue), key = key }
    cold(181)('HLEN', bounds[#bounds].limits)
  end
  return bounds
end
else
if number < 145 then
-- 144 graphs.count
return function(task, to)
  local key = cold(132)(task.graph)
  if cold(300)(to) then
    redis.call('HINCRBY', key, to, 1)
  end
  if task.status and cold(300)(task.status) then
    redis.call('HINCRBY', key, task.status, -1)
  end
  if to == 'deleted' and redis.call('HINCRBY', key, 'left', -1) == 0 then
    cold(142)(task.bounds)
    redis.call('UNLINK', key, cold(133)(task.graph))
    redis.call('ZREM', cold(136)(), task.graph)
  end
end
else
-- 145 groups.key
return function(queue, group)
  if #group > 128 or string.find(group, '[^%w._:@-]') then
    group = '~' .. redis.sha1hex(group)
  end
  return namespace_prefix .. 'group_' .. queue .. '/' .. group
end
end
end
end
else
if number < 148 then
if number < 147 then
-- 146 groups.plan
return function(task, to)
  if to ~= 'failed' then
    task.group = redis.call('HGET', namespace_prefix .. 'task_' .. task.id, 'group') or ''
  end
  local key = cold(145)(task.queue, task.group or '')
  cold(181)('ZCARD', cold(178)('groups', task.queue))
  cold(181)('ZCARD', key)
  if to ~= 'failed' and not redis.call('ZSCORE', key, task.id) then
    task.group = nil
  end
end
else
-- 147 groups.enter
return function(task, now)
  local group = task.group or ''
  local key = cold(145)(task.queue, group)
  redis.call('ZADD', key, now, task.id)
  redis.call('ZADD', cold(178)('groups', task.queue), redis.call('ZCARD', key), group)
end
end
else
if number < 149 then
-- 148 groups.leave
return function(task)
  if task.group then
    cold(285)(cold(145)(task.queue, task.group), cold(178)('groups', task.queue), task.group, task.id)
  end
end
else
if number < 150 then
-- 149 history.fields
return function()
  return 'status', 'created', 'promoted', 'reserved', 'started', 'updated', 'node', 'attempt', 'outcome', 'group',
    'error', 'schedule', 'slot',
    'ended', 'cost', 'cost_of', 'readied'
end
else
-- 150 history.last
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
end
end
end
else
if number < 226 then
if number < 188 then
if number < 169 then
if number < 160 then
if number < 155 then
if number < 153 then
if number < 152 then
-- 151 history.derive
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
    step(moved and cold(173)(since * 1000000) or created,
      readied and 'waiting' or promoted and 'scheduled' or cold(299)(status) and status or 'pending',
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
-- 152 history.plan
return function(task, to)
  if to == 'deleted' then
    cold(180)(cold(178)('history', task.id))
  elseif task.status then
    local key = cold(178)('history', task.id)
    cold(181)('XLEN', key)
    if namespace_declared and select(5, cold(150)(key, cold(225)(task.id))) then
      cold(182)()
    end
  end
end
end
else
if number < 154 then
-- 153 history.archive
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
  cold(154)(task, event, outcome, group, text, cost)
end
else
-- 154 history.add
return function(task, event, outcome, group, text, cost)
  local key = cold(178)('history', task.id)
  local told = redis.call('HMGET', cold(178)('task', task.id), cold(149)())
  local number, since, reached, nth, stale, cause = cold(150)(key, told[2])
  if stale then
    redis.call('UNLINK', key)
  end
  local kept = cold(151)(told, since, reached, nth, cause)
  kept[#kept + 1] = { event.at, task.status, event.to, task.attempt, event.by, event.why, outcome, group, text, cost,
    unpack(event.note or {}) }
  local most = cold(249)(task.queue, 'history')
  for i, v in ipairs(kept) do
    redis.call('XADD', key, 'MAXLEN', most, string.format('%.0f-0', number + i),
      'at', v[1], 'from', v[2], 'to', v[3], 'attempt', v[4], 'by', v[5], 'why', v[6], 'outcome', v[7], 'group', v[8],
      'error', v[9], 'cost', v[10], unpack(v, 11))
  end
end
end
end
else
if number < 157 then
if number < 156 then
-- 155 joins.key
return function(id)
  return namespace_prefix .. 'joined_' .. id
end
else
-- 156 joins.list
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
if number < 158 then
-- 157 joins.collect
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
if number < 159 then
-- 158 joins.may_read
return function(length)
  local read = cold(179)('results')
  read.bytes = (read.bytes or 0) + length
  return length <= 131072 and read.bytes <= 262144
end
else
-- 159 joins.is_long
return function(id, slots, bytes)
  local joined = cold(179)('joined')
  local all = (joined.bytes or 0) + bytes
  if slots == 0 or bytes <= 262144 and all <= 1048576 then
    joined.bytes = slots > 0 and all or joined.bytes
    return false
  end
  cold(181)('ZCARD', cold(69)())
  cold(180)(cold(155)(id))
  cold(180)(cold(178)('task', id))
  return true
end
end
end
end
end
else
if number < 164 then
if number < 162 then
if number < 161 then
-- 160 joins.begin
return function(id)
  redis.call('UNLINK', cold(66)(id), cold(155)(id))
  redis.call('HDEL', cold(68)(id), 'joined', 'lengths', cold(203)())
  redis.call('HSET', cold(178)('task', id), 'cascade', 'join')
  redis.call('ZADD', cold(69)(), namespace_now, id)
end
else
-- 161 json.decodes
return function(text)
  return (pcall(cjson.decode, text))
end
end
else
if number < 163 then
-- 162 limits.starts_key
return function(queue, key)
  return namespace_prefix .. 'rate_' .. queue .. (key and '/' .. key or '')
end
else
-- 163 limits.of_key
return function(queue, key)
  local own, rate = string.match(redis.call('HGET', cold(178)('limits', queue), key) or '- -', '^(%S+) (%S+)$')
  own = tonumber(own ~= '-' and own or cold(249)(queue, 'key_concurrency'))
  if rate ~= '-' then
    return own, rate, 0
  end
  return own, cold(249)(queue, 'key_rate'), cold(250)(queue, 'key_rate')
end
end
end
else
if number < 166 then
if number < 165 then
-- 164 limits.fits
return function(queue, key, weight)
  local most, rate, since = cold(163)(queue, key)
  if weight == 'solo' then
    most, weight = 1, 1
  end
  if most then
    local used = tonumber(redis.call('HGET', cold(178)('places', queue), 'k:' .. key) or 0)
    if used + math.min(tonumber(weight), most) > most then
      return false
    end
  end
  return cold(166)(cold(162)(queue, key), rate, since)
end
else
-- 165 limits.start_expires
return function(starts, back, seconds, since)
  local last = tonumber(redis.call('LINDEX', starts, back) or nil)
  if last and last >= since and tonumber(redis.call('LINDEX', starts, 0)) <= namespace_now_us then
    return last + seconds * 1000000
  end
end
end
else
if number < 167 then
-- 166 limits.rate_allows
return function(starts, rate, since)
  if not rate then
    return true
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local free = cold(165)(starts, number - 1, seconds, since)
  if free and free > namespace_now_us then
    return false, free
  end
  return true
end
else
if number < 168 then
-- 167 limits.take
return function(task)
  local queue, key, weight = task.queue, task.fair_key, tonumber(task.weight or 1)
  local held = cold(178)('places', queue)
  redis.call('HSET', held, 'a:' .. task.id .. ' ' .. task.issue,
    weight .. ' ' .. (key or '') .. (task.shared and ' ' .. task.shared or ''))
  if task.shared then
    cold(263)(task.shared)
  end
  if weight > 1 then
    redis.call('HINCRBY', held, 'extra', weight - 1)
  end
  if key then
    local _, rate = cold(163)(queue, key)
    redis.call('HINCRBY', held, 'k:' .. key, weight)
    redis.call('HSET', cold(178)('turns', queue), key, cold(126)(namespace_now_us))
    cold(168)(cold(162)(queue, key), rate, string.format('%.0f', namespace_now_us))
  end
end
else
-- 168 limits.record_start
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
end
end
else
if number < 178 then
if number < 173 then
if number < 171 then
if number < 170 then
-- 169 limits.release
return function(queue, id, token)
  local held, member = cold(178)('places', queue), 'a:' .. id .. ' ' .. token
  local weight, key, shared = string.match(redis.call('HGET', held, member) or '', '^(%d+) (%S*) ?(%S*)$')
  if not weight then
    return
  end
  redis.call('HDEL', held, member)
  if shared ~= '' then
    cold(264)(shared, queue)
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
    cold(131)(queue, key)
  end
end
else
-- 170 logs.index
return function()
  return namespace_prefix .. 'logs'
end
end
else
if number < 172 then
-- 171 logs.size
return function(id)
  local v = redis.call('HMGET', cold(180)(cold(178)('logged', id)), 'head', 'tail')
  if v[1] then
    cold(181)('ZCARD', cold(170)())
    return v[1] + v[2]
  end
end
else
-- 172 logs.forget
return function(id, size)
  redis.call('UNLINK', cold(178)('logged', id))
  redis.call('ZREM', cold(170)(), id)
  redis.call('HINCRBY', namespace_meta, 'logs', -size)
end
end
end
else
if number < 175 then
if number < 174 then
-- 173 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
-- 174 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(226)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(226)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
end
else
if number < 176 then
-- 175 namespace.use_test_time
return function(now)
  namespace_now_us = cold(21)(now or cold(226)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(226)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(173)(namespace_now_us)
end
else
if number < 177 then
-- 176 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(173)(namespace_now_us)
end
else
-- 177 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
end
end
end
end
else
if number < 183 then
if number < 180 then
if number < 179 then
-- 178 namespace.key
return function(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end
else
-- 179 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
end
else
if number < 181 then
-- 180 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
else
if number < 182 then
-- 181 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(180)(key)
  end
  return redis.call(command, key)
end
else
-- 182 namespace.require_settled_slot
return function()
  cold(180)(namespace_prefix .. 'unmoved')
end
end
end
end
else
if number < 185 then
if number < 184 then
-- 183 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(226)(cold(228)())
  end
end
else
-- 184 namespace.is_here
return function(key)
  return type(redis.pcall('EXISTS', namespace_meta, key)) == 'number'
end
end
else
if number < 186 then
-- 185 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(246)()
  if namespace_declared then
    cold(186)(first, ...)
  end
end
else
if number < 187 then
-- 186 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(183)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(246)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
else
-- 187 namespace.write_when_full
return function(key)
  redis.call('HDEL', key, '')
end
end
end
end
end
end
end
else
if number < 207 then
if number < 197 then
if number < 192 then
if number < 190 then
if number < 189 then
-- 188 needs.class
return function(task)
  if task.shared then
    return (task.needs or '') .. '|' .. task.shared
  end
  return task.needs
end
else
-- 189 needs.numbers
return function(queue)
  local numbers = { '' }
  for _, known in ipairs(redis.call('HVALS', cold(178)('needs', queue))) do
    numbers[#numbers + 1] = string.match(known, '^%d+')
  end
  return numbers
end
end
else
if number < 191 then
-- 190 needs.number
return function(queue, wanted)
  if not wanted then
    return ''
  end
  return string.match(redis.call('HGET', cold(178)('needs', queue), wanted) or '', '^%d+')
end
else
-- 191 needs.plan
return function(queue, wanted)
  local number, given = cold(190)(queue, wanted), cold(179)('needs')[queue] or {}
  if number or given[wanted] then
    return number or given[wanted]
  end
  local taken = {}
  for _, other in ipairs(cold(189)(queue)) do
    taken[other] = true
  end
  for _, other in pairs(given) do
    taken[other] = true
  end
  number = 1
  while taken[tostring(number)] do
    number = number + 1
  end
  given[wanted], cold(179)('needs')[queue] = tostring(number), given
  return given[wanted]
end
end
end
else
if number < 194 then
if number < 193 then
-- 192 needs.count
return function(queue, wanted, by)
  if not wanted then
    return ''
  end
  local known = cold(178)('needs', queue)
  local number, count = string.match(redis.call('HGET', known, wanted) or '', '^(%d+) (%d+)$')
  if not number then
    number, count = cold(191)(queue, wanted), 0
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
-- 193 patterns.parse
return function(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end
end
else
if number < 195 then
-- 194 patterns.set
return function(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = cold(193)(one)
  end
  return set
end
else
if number < 196 then
-- 195 patterns.matches
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
-- 196 patterns.chooser
return function(set)
  local matches, out, wanted = cold(195), set.out, set.wanted
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
if number < 202 then
if number < 199 then
if number < 198 then
-- 197 patterns.list
return function(text)
  return namespace_prefix .. 'wakes_' .. string.sub(redis.sha1hex(text), 1, 16)
end
else
-- 198 patterns.rouse
return function(sets, queue)
  local left = {}
  for text in string.gmatch(sets, '%S+') do
    local list = cold(197)(text)
    if cold(196)(cold(194)(text))(queue) and (not namespace_declared or cold(184)(list)) then
      redis.pcall('LPUSH', list, '1')
    else
      left[#left + 1] = text
    end
  end
  return table.concat(left, ' ')
end
end
else
if number < 200 then
-- 199 quorum.wanted
return function(text)
  return tonumber(string.match(text or '', 'least/(%d+)') or 1)
end
else
if number < 201 then
-- 200 quorum.named
return function(text)
  local named = {}
  for id in string.gmatch(text or '', 'some/?%d*=(%S+)') do
    named[id] = true
  end
  return named
end
else
-- 201 quorum.has
return function(task)
  return task.ties and string.find(task.ties, 'k', 1, true)
end
end
end
end
else
if number < 204 then
if number < 203 then
-- 202 quorum.new
return function(least)
  return { least = least, left = 0, missed = 0, turn = 1, owed = 0 }
end
else
-- 203 quorum.fields
return function()
  return 'least', 'some', 'missed', 'turn', 'owed'
end
end
else
if number < 205 then
-- 204 quorum.read
return function(id)
  local v = redis.call('HMGET', cold(180)(cold(68)(id)), cold(203)())
  return { least = tonumber(v[1] or 0), left = tonumber(v[2] or 0), missed = tonumber(v[3] or 0),
    turn = tonumber(v[4] or 1), owed = tonumber(v[5] or 0) }
end
else
if number < 206 then
-- 205 quorum.write
return function(id, set)
  redis.call('HSET', cold(68)(id), 'least', set.least, 'some', set.left, 'missed', set.missed, 'turn', set.turn,
    'owed', set.owed)
end
else
-- 206 quorum.chances
return function(set)
  return set.left - set.missed + set.owed
end
end
end
end
end
end
else
if number < 216 then
if number < 211 then
if number < 209 then
if number < 208 then
-- 207 quorum.is_ready
return function(set, open)
  return set.least <= 0 and open == set.left
end
else
-- 208 quorum.text
return function(slots, turn)
  return 'some' .. (turn or '') .. (slots ~= '' and '/' .. slots or '')
end
end
else
if number < 210 then
-- 209 quorum.begin
return function(before, wanted)
  local named = cold(200)(before.text)
  local set = next(named) and before.set or cold(202)(1)
  local had = next(named) and cold(199)(before.text) or 1
  set.named, set.least = named, set.least + (wanted.least or had) - had
  return set
end
else
-- 210 quorum.look_at_ended
return function(task, wish, up, named)
  if up.status == 'complete' then
    task.set.least = task.set.least - (named and 0 or 1)
    return true
  elseif not named and up.status ~= 'deleted' then
    task.edges[#task.edges + 1] = { up = up, kind = 'some', slots = wish.slots, missed = true }
  end
end
end
end
else
if number < 213 then
if number < 212 then
-- 211 quorum.count
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
  elseif set.least > cold(206)(set) then
    return 'UPSTREAM', 'too few of the upstreams can still be complete, so this task would never run: retry those that'
      .. ' failed first'
  end
end
else
-- 212 quorum.take
return function(set, mark)
  if mark == '0' then
    set.owed = set.owed - 1
  else
    set.left, set.missed = set.left - 1, set.missed - (tonumber(mark) == set.turn and 1 or 0)
  end
end
end
else
if number < 214 then
-- 213 quorum.plan_end
return function(plan, task, up, to, mark, slots)
  local set, open = plan.set, redis.call('HLEN', cold(66)(plan.id))
  cold(212)(set, mark)
  plan.met = to == 'complete'
  if plan.met then
    set.least = set.least - 1
    return
  elseif to == 'deleted' then
    plan.gone, open = cold(71)(slots), open - 1
  else
    set.left, set.missed = set.left + 1, set.missed + 1
  end
  if cold(207)(set, open) then
    plan.met, plan.ready = true, true
    return
  end
  local may_wait = cold(137)(task.extra[5]) == 'hold' and set.least <= set.left + set.owed
  if set.least > cold(206)(set) and not may_wait then
    cold(214)(plan, up, open)
    plan.short = set.least > cold(206)(set)
  end
  plan.missed = not plan.short and cold(208)(slots, set.turn)
end
else
if number < 215 then
-- 214 quorum.plan_again
return function(plan, up, open)
  local set = plan.set
  plan.again = {}
  local found = open <= 300 and redis.call('HGETALL', cold(66)(plan.id)) or {}
  for i = 1, #found, 2 do
    local mark, slots = string.match(found[i + 1], '^some(%d+)/?(.*)$')
    if found[i] ~= up.id and tonumber(mark) == set.turn then
      local other = cold(223)(found[i])
      if other and not cold(300)(other.status) then
        cold(181)('ZCARD', cold(67)(found[i]))
        plan.again[found[i]], set.missed = { up = other, text = cold(208)(slots) }, set.missed - 1
      end
    end
  end
end
else
-- 215 quorum.miss
return function(up, plan)
  if plan.gone then
    redis.call('ZREM', cold(67)(up.id), plan.id)
    redis.call('HDEL', cold(66)(plan.id), up.id)
    cold(103)(plan.id, plan.gone)
  else
    redis.call('ZADD', cold(67)(up.id), 'inf', plan.id)
    redis.call('HSET', cold(66)(plan.id), up.id, plan.missed)
  end
  for id, edge in pairs(plan.again or {}) do
    redis.call('ZADD', cold(67)(id), namespace_now, plan.id)
    redis.call('HSET', cold(66)(plan.id), id, edge.text)
    cold(88)(edge.up)
  end
  cold(205)(plan.id, plan.set)
end
end
end
end
end
else
if number < 221 then
if number < 218 then
if number < 217 then
-- 216 quorum.drop
return function(id)
  redis.call('UNLINK', cold(66)(id), cold(68)(id))
end
else
-- 217 quorum.require
return function(task, wanted, find)
  local code, text = cold(211)(task)
  if code and (wanted.least or not find) then
    cold(226)(code, text)
  elseif not find and cold(207)(task.set, #task.edges) then
    task.edges, task.set = {}, nil
  end
end
end
else
if number < 219 then
-- 218 ranking.plan
return function(task)
  local queue, probe = task.queue, cold(181)
  if task.limited then
    probe('HLEN', cold(178)('places', queue))
  end
  if task.ranked then
    cold(182)()
    probe('ZCARD', cold(178)('lane_tasks', queue))
    local numbers = task.fair_key and cold(189)(queue) or {}
    local class = cold(188)(task)
    numbers[#numbers + 1] = class and cold(191)(queue, class) or ''
    for _, number in ipairs(numbers) do
      probe('ZCARD', cold(124)(queue, number))
      if task.fair_key then
        probe('ZCARD', cold(125)(queue, task.fair_key, number))
      end
    end
  end
  if task.fair_key then
    probe('HLEN', cold(178)('turns', queue))
    probe('HLEN', cold(178)('limits', queue))
    probe('ZCARD', cold(178)('delayed', queue))
    probe('LLEN', cold(162)(queue, task.fair_key))
    cold(249)(queue, 'key_rate')
  end
end
else
if number < 220 then
-- 219 ranking.member
return function(task)
  return task.rank .. ' ' .. task.id .. ' ' .. (task.solo and 'solo' or task.weight or '1')
end
else
-- 220 ranking.add
return function(task)
  local queue = task.queue
  local field = 'lanes:' .. queue
  local last = math.max(tonumber(redis.call('HGET', namespace_meta, field) or 0) + 1, namespace_now_us)
  redis.call('HSET', namespace_meta, field, string.format('%.0f', last))
  task.rank = task.place or task.front and cold(127)(last) or cold(126)(last)
  redis.call('ZADD', cold(178)('lane_tasks', queue), -tonumber(task.priority or 0), task.rank .. ' ' .. task.id)
  do
    local task = task
    local queue, score = task.queue, -tonumber(task.priority or 0)
    local number = cold(192)(queue, cold(188)(task), 1)
    if task.fair_key then
      if task.turn then
        redis.call('HSETNX', cold(178)('turns', queue), task.fair_key,
          cold(126)(math.min(task.turn, namespace_now_us)))
      end
      redis.call('ZADD', cold(125)(queue, task.fair_key, number), score, cold(219)(task))
      cold(130)(queue, task.fair_key, number)
    else
      redis.call('ZADD', cold(124)(queue, number), score, task.rank .. ' ' .. task.id)
    end
  end
  redis.call('HSET', namespace_prefix .. 'task_' .. task.id, 'rank', task.rank)
end
end
end
end
else
if number < 223 then
if number < 222 then
-- 221 ranking.remove_from_index
return function(queue, member)
  local all = cold(178)('lane_tasks', queue)
  if redis.call('ZCARD', all) - redis.call('ZREM', all, member) == 0 then
    redis.call('HDEL', namespace_meta, 'lanes:' .. queue)
  end
end
else
-- 222 ranking.remove
return function(task, to)
  cold(221)(task.queue, task.rank .. ' ' .. task.id)
  do
    local task, to = task, to
    local queue = task.queue
    local class = cold(188)(task)
    local number = cold(190)(queue, class)
    if task.fair_key then
      redis.call('ZREM', cold(125)(queue, task.fair_key, number), cold(219)(task))
      if cold(272)(task, to) then
        cold(167)(task)
      end
      cold(131)(queue, task.fair_key)
    else
      redis.call('ZREM', cold(124)(queue, number), task.rank .. ' ' .. task.id)
      if task.limited and cold(272)(task, to) then
        cold(167)(task)
      end
    end
    cold(192)(queue, class, -1)
  end
  redis.call('HDEL', namespace_prefix .. 'task_' .. task.id, 'rank')
end
end
else
if number < 224 then
-- 223 record.find
return function(id, ...)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(180)(key)
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
if number < 225 then
-- 224 record.held
return function(task)
  return task.status == 'reserved' or task.status == 'started'
end
else
-- 225 record.created
return function(id)
  return tonumber(redis.call('HGET', namespace_prefix .. 'task_' .. id, 'created') or 0)
end
end
end
end
end
end
end
end
else
if number < 264 then
if number < 245 then
if number < 235 then
if number < 230 then
if number < 228 then
if number < 227 then
-- 226 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(227)() then
    code, text = cold(228)()
  end
  error({ err = code .. ' ' .. text })
end
else
-- 227 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
end
else
if number < 229 then
-- 228 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
-- 229 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(228)()
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
if number < 232 then
if number < 231 then
-- 230 requests.key
return function()
  return namespace_prefix .. 'requests'
end
else
-- 231 requests.find
return function(command, request)
  if not request then
    return false
  end
  local own = cold(179)('request')
  own.field = command .. ' ' .. request
  local found = redis.call('HMGET', cold(180)(cold(230)()), own.field, 'first', 'last')
  own.first, own.last = tonumber(found[2]) or 1, tonumber(found[3]) or 0
  if found[1] then
    return true, cold(234)(found[1])
  end
  return false
end
end
else
if number < 233 then
-- 232 requests.keep
return function(answer)
  local own = cold(179)('request')
  if not own.begun then
    return answer
  end
  local key, first, last = cold(230)(), own.first, own.last + 1
  local known = last > 1 and first
  cold(187)(key)
  redis.call('HSET', key, own.field, cold(233)(answer), 'last', string.format('%.0f', last),
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
if number < 234 then
-- 233 requests.text
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
-- 234 requests.read
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
end
end
else
if number < 240 then
if number < 237 then
if number < 236 then
-- 235 resubmit.forgotten
return function()
  return 'result', 'error', 'group', 'last_error', 'last_group', 'reason', 'cause', 'discard', 'cascade', 'eta', 'ties',
    'front', 'retry_eta', 'promoted', 'readied', 'inputs', 'slots', 'schedule', 'slot', 'step', 'postponed', 'failures',
    'losses', 'releases', 'uncounted', 'fruitless', 'checkpoint', 'checkpointed', 'ended', 'cost', 'cost_of', 'token',
    'lease', 'request', 'solo', 'further', 'checked'
end
else
-- 236 resubmit.check
return function(count, spec, request)
  if count > 1 then
    cold(226)('BADARG', 'again is for one task: count must be 1')
  elseif not request then
    cold(226)('BADARG', 'again needs the option request: the same request answers the round that it made')
  elseif spec.inputs or spec.policy and spec.policy ~= 'reject' then
    cold(226)('BADARG', 'again goes without inputs, and with no unique_policy but reject')
  end
end
end
else
if number < 238 then
-- 237 resubmit.submit
return function(id, call, spec)
  local task = cold(1)(id)
  if not task then
    cold(226)('STATE', 'its graph has just been submitted and is being released: repeat the call in a moment')
  end
  local round, request, further = unpack(redis.call('HMGET', task.key, 'round', 'round_request', 'further'), 1, 3)
  round = tonumber(round or 1)
  if request == call.request then
    return { 'again', round }
  elseif further == call.request then
    return { 'later', round + 1 }
  elseif cold(224)(task) and not call.options then
    cold(226)('STATE', 'the task is ' .. task.status .. ': wait for its end, edit what its next attempt has, or let it'
      .. ' begin once more after this round')
  elseif further and (cold(224)(task) or cold(300)(task.status)) then
    cold(226)('STATE', 'the task is to begin once more after this round already: wait until it has, or cancel it')
  elseif cold(224)(task) then
    return cold(123)(task, call, spec, round)
  end
  cold(105)(task)
  local step = { queue = call.queue, by = '', reason = 'submitted again' }
  local code, text
  if cold(299)(task.status) then
    cold(109)(task, spec, call)
    if not task.edit then
      return { 'existing', round }
    end
    code, text = cold(112)(task, step)
  else
    code, text = cold(240)(task, call, spec, step)
  end
  if code then
    cold(226)(code, text)
  end
  cold(32)()
  if task.edit then
    cold(14)(cold(118), { task }, step)
    cold(33)(call.by, 'submit', 'task', id, task.status, task.edit.to, 'changed, ' .. cold(238)(round, call))
    return { 'changed', round }
  end
  task.new.round = { 'round', string.format('%d', round + 1), 'round_request', call.request }
  cold(14)(cold(242), { task }, step)
  cold(33)(call.by, 'submit', 'task', id, task.status, task.new.begins, 'again, ' .. cold(238)(round + 1, call))
  return { 'again', round + 1 }
end
else
if number < 239 then
-- 238 resubmit.told
return function(number, call)
  return string.format('round %d, request %s, queue %s, parameters %s', number, call.request, call.queue,
    cold(34)(call.parameters))
end
else
-- 239 resubmit.refusal
return function(task)
  if string.find(task.ties or '', 'g', 1, true) then
    return 'STATE', 'the task is a part of a graph: retry it, or submit one of another id'
  end
end
end
end
end
else
if number < 242 then
if number < 241 then
-- 240 resubmit.plan
return function(task, call, spec, step)
  local ties = task.ties or ''
  local code, text = cold(239)(task)
  if code then
    return code, text
  elseif string.find(ties, 'd', 1, true) and cold(89)(task.id) > 0 then
    return 'STATE', 'others wait for this task: retry it, or submit one of another id'
  elseif string.find(ties, 'w', 1, true) and redis.call('HLEN', cold(66)(task.id)) > 0 then
    return 'STATE', 'the task still needs what it waited for: retry it, or submit one of another id'
  end
  local new = cold(241)(task, call, spec)
  code, text = cold(7)(step)
  if code then
    return code, text
  elseif new.end_by and cold(62)(new.end_by) then
    return cold(63)()
  elseif not cold(6)(new, step) then
    return 'DUPLICATE', 'another task has this unique name; get its id with the policy existing, or wait until it ends, starts, or its time passes'
  elseif new.needs then
    cold(57)(new.queue, new.needs)
  end
  task.new = new
  if new.queue ~= task.queue then
    cold(3)(task, 'moved', step)
  else
    cold(5)(task, step)
    new.status, new.from_end, new.restarts = task.status, task.from_end, true
    cold(288)(new, task.had.tags, new.tags)
  end
  cold(182)()
  cold(277)(new, new.begins)
end
else
-- 241 resubmit.fresh
return function(task, call, spec)
  local new = { id = task.id, key = task.key, queue = call.queue, attempt = task.attempt, since = task.since,
    created = task.extra[2] or '0', foreign = true, parameters = call.parameters, fields = spec.fields,
    begins = 'pending' }
  if call.eta and call.eta > namespace_now_us then
    new.begins, new.eta = 'scheduled', cold(173)(call.eta)
  end
  local ties = (spec.ties or '') .. string.gsub(task.ties or '', '[^do]', '')
  if ties ~= '' then
    new.ties = ties
    cold(37)(new, spec.claims or {})
  end
  return new
end
end
else
if number < 243 then
-- 242 resubmit.run
return function(task, step)
  local new = task.new
  local set, kept = { 'parameters', new.parameters, 'outcome', 'retry', unpack(new.round) }, {}
  for i = 1, #new.fields, 2 do
    if new.fields[i] ~= 'ties' then
      set[#set + 1], set[#set + 2] = new.fields[i], new.fields[i + 1]
    end
  end
  for name, value in pairs({ ties = new.ties, eta = new.eta }) do
    set[#set + 1], set[#set + 2] = name, value
  end
  for i = 1, #set, 2 do
    kept[set[i]] = true
  end
  new.forget = { cold(271)() }
  local gone = { cold(235)() }
  for field in string.gmatch(' method=method priority=priority max_failures=max_failures backoff=backoff delay=delay max_delay=max_delay jitter=jitter max_losses=max_losses lost_delay=lost_delay max_releases=max_releases lease=own_lease key=key weight=weight needs=needs limits=limits unique=unique unique_until=unique_until tags=tags deadline=deadline log_bytes=log_bytes steps=steps ', '=(%S+)') do
    gone[#gone + 1] = field
  end
  for _, field in ipairs(gone) do
    new.forget[#new.forget + 1] = not kept[field] and field or nil
  end
  new.note = { 'note', '', 'data', '{"round":' .. new.round[2] .. '}' }
  if new.restarts then
    cold(289)(new)
  else
    task.note = new.note
    state_move(task, 'moved', 'again', '')
  end
  state_move(new, new.begins, 'again', '', 'queue', new.queue, 'attempt', new.attempt, unpack(set))
  if step.known == 'new' then
    redis.call('ZADD', namespace_prefix .. 'queues', 0, new.queue)
  end
  step.wakes = new.begins == 'pending' and new.queue or nil
end
else
if number < 244 then
-- 243 rights.denied
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
-- 244 rights.refuse
return function(name)
  local role = string.match('CLIENT', '^%u+$')
  if role and not cold(243)({ name }, 'meta') then
    cold(226)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(226)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
end
end
end
end
end
else
if number < 254 then
if number < 249 then
if number < 247 then
if number < 246 then
-- 245 rights.check
return function(names)
  local name = cold(243)(names, 'CLIENT')
  if name then
    cold(244)(name)
  end
end
else
-- 246 rights.require
return function()
  cold(245)({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HGETALL', 'HINCRBY', 'HMGET', 'HSET', 'HSETNX', 'HVALS', 'LINDEX', 'LPUSH', 'LREM', 'LTRIM', 'RPOPLPUSH', 'RPUSH', 'SADD', 'SREM', 'UNLINK', 'XADD', 'XREVRANGE', 'ZADD', 'ZCARD', 'ZRANGE', 'ZREM' })
end
end
else
if number < 248 then
-- 247 settings.find
return function(text, name)
  return text and string.match(' ' .. text, ' ' .. name .. '=(%S+)')
end
else
-- 248 settings.value
return function(own, common, name)
  local pattern = ' ' .. name .. '=(%S+)'
  return own and string.match(' ' .. own, pattern) or common and string.match(' ' .. common, pattern)
    or string.match(' ' .. 'lease=60 grace=30 max_failures=0 backoff=exponential delay=10 max_delay=3600 jitter=20 max_losses=10 lost_delay=0 max_releases=1000 max_uncounted=10000 max_bytes=1048576 log_bytes=163840 logs_bytes=1073741824 input_bytes=8388608 graph_bytes=536870912 forget_after=300 closed=0 keep=50000 retain=604800 events=10000 audit=10000 history=100 statistics=30', pattern)
end
end
end
else
if number < 251 then
if number < 250 then
-- 249 settings.get
return function(queue, name)
  local texts = cold(179)('settings')
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
-- 250 settings.since
return function(queue, name)
  cold(249)(queue, name)
  local own, common = unpack(cold(179)('settings')[queue], 1, 2)
  local since = cold(247)(cold(247)(own, name) and own or common, name .. '_since')
  return tonumber(since or 0)
end
end
else
if number < 252 then
-- 251 shares.limits_key
return function()
  return namespace_prefix .. 'shared_limits'
end
else
if number < 253 then
-- 252 shares.places_key
return function()
  return namespace_prefix .. 'shared_places'
end
else
-- 253 shares.tasks_key
return function()
  return namespace_prefix .. 'shared_tasks'
end
end
end
end
end
else
if number < 259 then
if number < 256 then
if number < 255 then
-- 254 shares.expires_key
return function()
  return namespace_prefix .. 'shared_expires'
end
else
-- 255 shares.idle_key
return function()
  return namespace_prefix .. 'shared_idle'
end
end
else
if number < 257 then
-- 256 shares.turns_key
return function(name)
  return namespace_prefix .. 'shared_turns_' .. name
end
else
if number < 258 then
-- 257 shares.starts_key
return function(name)
  return namespace_prefix .. 'shared_rate_' .. name
end
else
-- 258 shares.check
return function(value, what)
  local wanted, seen = {}, {}
  for one in string.gmatch(#value <= 600 and value .. ',' or ',', '([^,]*),') do
    local name, places = string.match(one, '^([%w_.-]+)(.*)$')
    local weight = places == '' and 1 or #(places or '') <= 5 and tonumber(string.match(places or '', '^:(%d+)$'))
    if not name or #name > 64 or not weight or weight < 1 or weight > 1000
      or seen[name] then
      cold(226)('BADARG', what .. ' must be names of shared limits, each once, with a colon and 1 to '
        .. 1000 .. ' places or without, separated by commas')
    end
    seen[name] = weight
    wanted[#wanted + 1] = weight > 1 and name .. ':' .. string.format('%d', weight) or name
  end
  if #wanted > 8 then
    cold(226)('BADARG', what .. ' may be ' .. 8 .. ' at most')
  end
  for name, weight in pairs(seen) do
    local own = redis.call('HGET', cold(251)(), name)
    local most = own and tonumber(string.match(own, '^%d+'))
    if not own then
      cold(226)('NOLIMIT', 'there is no shared limit ' .. name .. ': set it with limit, then repeat the call')
    elseif most and weight > most then
      cold(226)('NOLIMIT', 'the shared limit ' .. name .. ' has ' .. most .. ' places, fewer than ' .. weight
        .. ': such a task would never run')
    end
  end
  table.sort(wanted, cold(26))
  return table.concat(wanted, ',')
end
end
end
end
else
if number < 261 then
if number < 260 then
-- 259 shares.parts
return function(set)
  local parts = {}
  for name, weight in string.gmatch(set, '([%w_.-]+):?(%d*)') do
    parts[#parts + 1] = { name = name, weight = tonumber(weight) or 1 }
  end
  return parts
end
else
-- 260 shares.plan
return function(set, queue)
  cold(181)('HLEN', cold(252)())
  cold(181)('HLEN', cold(251)())
  for _, part in ipairs(cold(259)(set)) do
    if queue then
      cold(261)(part.name, queue, 4)
    else
      cold(181)('LLEN', cold(257)(part.name))
    end
  end
end
end
else
if number < 262 then
-- 261 shares.plan_wakes
return function(name, queue, most)
  local woken, key = cold(179)('woken'), name .. ' ' .. queue
  if woken[key] then
    return
  end
  woken[key] = {}
  local seen = { [queue] = true }
  for _, member in ipairs(redis.call('ZRANGE', cold(256)(name), 0, math.max(most, 16) - 1)) do
    local other = string.match(member, '^%S+')
    if #woken[key] < most and not seen[other] and redis.call('HEXISTS', namespace_meta, 'paused:' .. other) == 0 then
      seen[other] = true
      cold(274)(other)
      table.insert(woken[key], other)
    end
  end
end
else
if number < 263 then
-- 262 shares.wake
return function(name, queue)
  for _, other in ipairs(cold(179)('woken')[name .. ' ' .. queue] or {}) do
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
          if not namespace_declared or cold(184)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(275)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
else
-- 263 shares.take
return function(set)
  local now = string.format('%.0f', namespace_now_us)
  for _, part in ipairs(cold(259)(set)) do
    redis.call('HINCRBY', cold(252)(), part.name, part.weight)
    local rate = string.match(redis.call('HGET', cold(251)(), part.name) or '', ' (%d+/%d+)$')
    cold(168)(cold(257)(part.name), rate, now)
  end
end
end
end
end
end
end
end
else
if number < 283 then
if number < 273 then
if number < 268 then
if number < 266 then
if number < 265 then
-- 264 shares.release
return function(set, queue)
  for _, part in ipairs(cold(259)(set)) do
    if redis.call('HINCRBY', cold(252)(), part.name, -part.weight) <= 0 then
      redis.call('HDEL', cold(252)(), part.name)
    end
    cold(262)(part.name, queue)
  end
end
else
-- 265 shares.plan_count
return function()
  cold(181)('HLEN', cold(253)())
  cold(181)('HLEN', cold(254)())
  cold(181)('ZCARD', cold(255)())
end
end
else
if number < 267 then
-- 266 shares.count
return function(set, change)
  for _, part in ipairs(cold(259)(set)) do
    cold(267)(part.name, redis.call('HINCRBY', cold(253)(), part.name, change), change)
  end
end
else
-- 267 shares.note_tasks
return function(name, number, change)
  if number <= 0 then
    redis.call('HDEL', cold(253)(), name)
    cold(268)(name)
  elseif number == change then
    redis.call('ZREM', cold(255)(), name)
  end
end
end
end
else
if number < 270 then
if number < 269 then
-- 268 shares.begin_idle
return function(name)
  local expires = tonumber(redis.call('HGET', cold(254)(), name) or nil)
  if expires then
    redis.call('ZADD', cold(255)(), string.format('%.0f', namespace_now_us + expires * 1000000), name)
  end
end
else
-- 269 shares.recount
return function(after, before)
  if after then
    cold(266)(after, 1)
  end
  if before then
    cold(266)(before, -1)
  end
end
end
else
if number < 271 then
-- 270 shares.count_task
return function(task, to)
  local open = task.status and not cold(300)(task.status)
  local opens = not cold(300)(to) and to ~= 'deleted' and to ~= 'moved'
  if opens and not open then
    cold(266)(task.shared, 1)
  elseif open and not opens then
    cold(266)(task.shared, -1)
  end
end
else
if number < 272 then
-- 271 state.attempt_fields
return function()
  return 'node', 'pid', 'reclaimed_node', 'cancel', 'recall', 'reserved', 'started', 'progress', 'progressed'
end
else
-- 272 state.takes
return function(task, to)
  return to == 'reserved' or to == 'started' and task.status == 'pending'
end
end
end
end
end
else
if number < 278 then
if number < 275 then
if number < 274 then
-- 273 state.probe_list
return function(list, task)
  if cold(181)('LLEN', list) <= 100 or task.from_end then
    return
  end
  local tail = redis.call('LINDEX', list, -1)
  if tail ~= task.id then
    local first = cold(225)(redis.call('LINDEX', list, 0))
    local last, own = cold(225)(tail), cold(225)(task.id)
    task.from_end = own - last < first - own and -1 or 1
  end
end
else
-- 274 state.plan_wake
return function(queue)
  local asleep = cold(179)('asleep')
  asleep[queue] = cold(181)('LLEN', namespace_prefix .. 'wake_' .. queue) == 0
  if not asleep['*'] then
    asleep['*'], state_roams = true, redis.call('HGET', namespace_meta, 'roams')
  end
end
end
else
if number < 276 then
-- 275 state.rouse
return function(queue)
  local left = cold(198)(state_roams, queue)
  if left ~= state_roams then
    state_roams = left
    redis.pcall('HSET', namespace_meta, 'roams', left)
  end
end
else
if number < 277 then
-- 276 state.plan_left
return function(task)
  local queue = task.queue
  if cold(181)('LLEN', cold(178)('pending_tasks', queue))
    + cold(181)('ZCARD', cold(178)('lane_tasks', queue)) > 1 then
    cold(274)(queue)
    task.wakes = true
  end
end
else
-- 277 state.plan
return function(task, to, taker)
  local probe, touch = cold(181), cold(180)
  local from, queue, prefix = task.status, task.queue, namespace_prefix
  local tasks, events = '_tasks_' .. queue, touch(prefix .. 'events_' .. queue)
  if task.ties then
    cold(46)(task, to, taker)
    if from == 'pending' and not taker and (task.weight or task.solo) then
      cold(276)(task)
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
        if (task.limited or cold(249)(queue, 'concurrency'))
          and (redis.call('LLEN', prefix .. 'pending_tasks_' .. queue) > 0
          or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1) then
          cold(274)(queue)
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
    cold(273)(prefix .. from .. tasks, task)
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
      cold(274)(queue)
      if task.ranked then
        task.last = false
      end
    end
  end
  if task.foreign or to == 'deleted' or to == 'moved' then
    probe('ZCARD', prefix .. 'tasks_' .. queue)
  end
  cold(278)(task, to)
end
end
end
end
else
if number < 280 then
if number < 279 then
-- 278 state.plan_own
return function(task, to)
  if to == 'deleted' then
    cold(180)(namespace_prefix .. 'log_' .. task.id)
    task.logged = cold(171)(task.id)
  end
  cold(152)(task, to)
  if to == 'failed' or task.status == 'failed' then
    cold(146)(task, to)
  end
end
else
-- 279 state.time
return function(task)
  local since, now = task.since, namespace_now
  if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
    now = since
  end
  return now
end
end
else
if number < 281 then
-- 280 steps.check
return function(value, what)
  local number = 0
  for name in string.gmatch(value .. ',', '([^,]*),') do
    number = number + 1
    if number > 100 then
      cold(226)('BADARG', what .. ' must be at most ' .. 100 .. ' queues')
    end
    cold(15)(name, what)
  end
  return value
end
else
if number < 282 then
-- 281 tags.key
return function(queue, tag)
  return namespace_prefix .. 'tag_' .. queue .. '/' .. tag
end
else
-- 282 tags.names
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
end
else
if number < 292 then
if number < 287 then
if number < 285 then
if number < 284 then
-- 283 tags.plan
return function(queue, text)
  cold(181)('ZCARD', cold(178)('tags', queue))
  for _, tag in ipairs(cold(282)(text)) do
    cold(181)('ZCARD', cold(281)(queue, tag))
  end
end
else
-- 284 tags.enter
return function(queue, id, created, text)
  for _, tag in ipairs(cold(282)(text)) do
    local key = cold(281)(queue, tag)
    redis.call('ZADD', key, created, id)
    redis.call('ZADD', cold(178)('tags', queue), redis.call('ZCARD', key), tag)
  end
end
end
else
if number < 286 then
-- 285 tags.remove
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
-- 286 tags.leave
return function(queue, id, text)
  for _, tag in ipairs(cold(282)(text)) do
    cold(285)(cold(281)(queue, tag), cold(178)('tags', queue), tag, id)
  end
end
end
end
else
if number < 289 then
if number < 288 then
-- 287 tags.without
return function(text, other)
  local names, others = {}, ',' .. (other or '') .. ','
  for tag in string.gmatch(text or '', '[^,]+') do
    if not string.find(others, ',' .. tag .. ',', 1, true) then
      names[#names + 1] = tag
    end
  end
  return table.concat(names, ',')
end
else
-- 288 tags.plan_swap
return function(task, had, wanted)
  task.tags_gone, task.tags_come = cold(287)(had, wanted), cold(287)(wanted, had)
  task.created = task.created or cold(225)(task.id)
  cold(283)(task.queue, task.tags_gone)
  cold(283)(task.queue, task.tags_come)
end
end
else
if number < 290 then
-- 289 tags.swap
return function(task)
  cold(286)(task.queue, task.id, task.tags_gone)
  cold(284)(task.queue, task.id, task.created, task.tags_come)
end
else
if number < 291 then
-- 290 tracks.all
return function()
  return namespace_prefix .. 'tracked'
end
else
-- 291 tracks.key
return function()
  return namespace_prefix .. 'changes'
end
end
end
end
end
else
if number < 297 then
if number < 294 then
if number < 293 then
-- 292 tracks.has
return function(task)
  return task.ties and string.find(task.ties, 'o', 1, true)
end
else
-- 293 tracks.plan
return function()
  cold(181)('XLEN', cold(291)())
  cold(181)('ZCARD', cold(290)())
end
end
else
if number < 295 then
-- 294 tracks.plan_note
return function(task)
  if cold(292)(task) then
    cold(293)()
  end
end
else
if number < 296 then
-- 295 tracks.add
return function(task, at, what, from, to, by, why, text)
  redis.call('XADD', cold(291)(), 'MAXLEN', '~', '10000', '*', 'id', task.id, 'queue', task.queue, 'what', what,
    'from', from or '', 'to', to, 'attempt', task.attempt, 'at', at, 'by', by or '', 'why', why,
    'text', string.sub(text or '', 1, 1024))
  redis.pcall('PUBLISH', cold(291)(), '')
end
else
-- 296 tracks.note
return function(task, what, by, text, why)
  if cold(292)(task) then
    cold(295)(task, namespace_now, what, task.status, task.status, by, why or what, text)
  end
end
end
end
end
else
if number < 299 then
if number < 298 then
-- 297 tracks.transition
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
  cold(295)(task, cold(279)(task), 'state', task.status, to, by, why, text)
  if to == 'deleted' then
    cold(298)(task.id)
  end
end
else
-- 298 tracks.forget
return function(id)
  redis.call('ZREM', cold(290)(), id)
end
end
else
if number < 300 then
-- 299 contract.is_waiting
return function(status)
  return status == 'waiting' or status == 'scheduled' or status == 'pending'
end
else
if number < 301 then
-- 300 contract.is_final
return function(status)
  return status == 'complete' or status == 'failed' or status == 'cancelled'
end
else
-- 301 contract.option
return function(name, value)
  if name == 'method' or name == 'key' or name == 'unique' then
    return cold(15)(value, name)
  elseif name == 'priority' then
    return cold(27)(value, name)
  elseif name == 'max_failures' then
    return cold(20)(value, 0, 1000, name) and value
  elseif name == 'backoff' then
    return cold(16)(value, ' exponential fixed ', name)
  elseif name == 'delay' or name == 'max_delay' or name == 'lost_delay' then
    return cold(21)(value, 0, 31536000, name) and value
  elseif name == 'jitter' then
    return cold(20)(value, 0, 100, name) and value
  elseif name == 'max_losses' then
    return cold(20)(value, 0, 1000000000, name) and value
  elseif name == 'max_releases' then
    return cold(20)(value, 0, 1000000, name) and value
  elseif name == 'lease' then
    return cold(21)(value, 1, 604800, name) and value
  elseif name == 'weight' then
    return cold(20)(value, 1, 1000, name) and value
  elseif name == 'needs' then
    return cold(28)(value, name)
  elseif name == 'limits' then
    return cold(258)(value, name)
  elseif name == 'unique_until' then
    return cold(29)(value, name)
  elseif name == 'unique_policy' then
    return cold(16)(value, ' reject existing replace latest ', name)
  elseif name == 'tags' then
    return cold(30)(value, name)
  elseif name == 'deadline' then
    return cold(21)(value, 0, 100000000000, name) and value
  elseif name == 'max_bytes' then
    return cold(20)(value, 0, 8388608, name)
  elseif name == 'log_bytes' then
    return cold(20)(value, 0, 268435456, name) and value
  elseif name == 'steps' then
    return cold(280)(value, name)
  elseif name == 'inputs' then
    return cold(70)(value, name)
  elseif name == 'again' or name == 'once_more' then
    return cold(19)(value, name)
  elseif name == 'by' or name == 'request' then
    return cold(15)(value, name)
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
end

local function command()
  local queue, count = ARGV[2], ARGV[3]
  if not count then
    cold(23)('queue count')
  end
  if #queue > 128 or not string.find(queue, '^[%w._:@-]+$') then
    cold(15)(queue, 'queue')
  end
  local meta = redis.call('HMGET', namespace_meta, 'clock:1', 'settings:' .. queue, 'settings', 'roams')
  do
    local clock = meta[1]
    if not clock or #KEYS ~= 1 or namespace_declared and not string.find(namespace_meta, '^[^_]*_meta$') then
      clock = cold(174)()
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
      cold(175)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(176)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(177)(floor)
    end
  end
  count = count == '1' and 1 or cold(20)(count, 1, 500, 'count')
  local last = 3 + 3 * count
  if not ARGV[last] then
    cold(226)('BADARG', 'missing argument: id, eta or parameters')
  end
  local most, spec, request, again, once_more, by = 1048576, nil, nil, nil, nil, nil
  if ARGV[last + 1] then
    local options = cold(25)(last)
    request, options.request = options.request, nil
    again, options.again = options.again, nil
    once_more, options.once_more = options.once_more, nil
    by, options.by = options.by, nil
    if next(options) or again then
      spec = cold(53)(options)
      if spec.unique and count > 1 then
        cold(226)('BADARG', 'a unique name is for one task: count must be 1')
      elseif spec.inputs and count * #spec.inputs.upstreams > 1000 then
        cold(226)('TOOMANY', 'these tasks wait for too many others: submit them by several calls')
      elseif again then
        cold(236)(count, spec, request)
      end
    end
    if once_more and not again then
      cold(226)('BADARG', 'once_more goes with again')
    end
  end
  if meta[2] or meta[3] then
    most = tonumber(cold(248)(meta[2], meta[3], 'max_bytes'))
  end
  most = spec and spec.max_bytes or most

  if request then
    local done, answer = cold(231)('submit', request)
    if done then
      return answer
    end
  end

  local prefix, now = namespace_prefix, namespace_now
  local fresh, answer, seen, pending, later, begins, size = {}, {}, count > 1 and {}, nil, nil, nil, 0
  for at = 4, last, 3 do
    local id, eta, parameters = ARGV[at], ARGV[at + 1], ARGV[at + 2]
    if #id > 128 or not string.find(id, '^[%w._:@-]+$') then
      cold(15)(id, 'id')
    end
    if seen then
      if seen[id] then
        cold(226)('BADARG', 'an id is given twice in one call')
      end
      seen[id] = true
      size = size + #parameters
      if size > 8388608 then
        cold(226)('TOOBIG', 'the parameters of this call are over 8388608 bytes: submit the tasks in several calls')
      end
    end
    if #parameters > most then
      cold(24)(parameters, most, 'parameters')
    end
    eta = eta ~= '' and cold(22)(eta, 'eta') or nil
    local found = redis.call('HGET', prefix .. 'task_' .. id, 'queue')
    if not found then
      local task = { id = id, queue = queue, parameters = parameters, attempt = '0', created = now, foreign = true }
      if eta and eta > namespace_now_us then
        task.eta = cold(173)(eta)
      end
      if spec and spec.inputs then
        cold(78)(task, spec.inputs)
      end
      local to = spec and cold(54)(task, spec) or task.eta and 'scheduled' or 'pending'
      if to == 'pending' then
        pending = task
      else
        later, begins = task, to
      end
      fresh[#fresh + 1] = task
      if namespace_declared then
        cold(180)(prefix .. 'task_' .. id)
      end
      answer[#answer + 1] = 'created'
    elseif again then
      return cold(232)(cold(237)(id, { queue = queue, parameters = parameters, eta = eta or false,
        request = request, by = by, options = once_more and cold(122)(last) or nil }, spec))
    elseif found == queue then
      answer[#answer + 1] = 'existing'
    else
      cold(226)('OTHERQUEUE', 'this id is a task of another queue; ids are unique in a namespace')
    end
  end
  if #fresh == 0 then
    return answer
  end
  if meta[2] or meta[3] then
    cold(59)(meta[2], meta[3])
  end
  local rival
  if spec and spec.unique then
    local other
    other, rival = cold(55)(fresh[1], spec)
    if other then
      answer = { rival and 'replaced' or 'existing', other }
    end
    if other and not rival then
      return answer
    end
    for _, edge in ipairs(rival and fresh[1].edges or {}) do
      if edge.up.id == rival.id then
        cold(226)('BADARG', 'a task cannot wait for the one that it replaces')
      end
    end
  end

  local pending_key, wake, events = prefix .. 'pending_tasks_' .. queue, prefix .. 'wake_' .. queue,
    prefix .. 'events_' .. queue
  do
    local events, count, index = events, 'LLEN', pending_key
    redis.call('XLEN', events)
    redis.call(count, index)
  end
  local known = redis.call('ZSCORE', prefix .. 'queues', queue)
  state_asleep, state_roams = redis.call('LLEN', wake) == 0 and queue, meta[4]
  if later then
    cold(181)('ZCARD',
      prefix .. (begins == 'scheduled' and later.ranked and 'scheduled_lane' or begins) .. '_tasks_' .. queue)
  end
  if spec and spec.ties then
    cold(56)(pending or later)
  end
  if rival then
    rival.later = fresh[1].edges and fresh[1].edges[1] and true
    cold(277)(rival, 'cancelled')
  end
  local may, role = redis.acl_check_cmd, namespace_prefix .. 'CLIENT'
  if spec then
    cold(246)()
  elseif may and not (may('HSET', role, '', '') and may('LPUSH', pending_key, '')
    and may('XADD', events, '*', '', '')
    and (not request or may('HDEL', namespace_meta, '') and may('EXPIRE', namespace_meta, '1'))) then
    cold(246)()
  end
  if namespace_declared then
    cold(186)(prefix .. 'tasks_' .. queue, prefix .. 'queues', pending_key, wake, events)
  end

  if rival then
    redis.call('ZADD', prefix .. 'tasks_' .. queue, now, fresh[1].id)
    state_move(rival, 'cancelled', 'replaced', '', 'reason', 'replaced by ' .. fresh[1].id)
  end
  for i = 1, #fresh do
    local task = fresh[i]
    if spec then
      cold(58)(task, spec, 'submit')
    elseif task.eta then
      state_move(task, 'scheduled', 'submit', '',
        'queue', queue, 'parameters', task.parameters, 'created', now, 'attempt', '0', 'eta', task.eta)
    else
      state_move(task, 'pending', 'submit', '',
        'queue', queue, 'parameters', task.parameters, 'created', now, 'attempt', '0')
    end
  end
  if not known then
    redis.call('ZADD', prefix .. 'queues', 0, queue)
  end
  if pending then
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
          if not namespace_declared or cold(184)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(275)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  elseif state_roams then
    do
      local queue = queue
      local ready = namespace_prefix .. 'ready'
      if not namespace_declared or cold(184)(ready) then
        redis.pcall('ZADD', ready, '0', queue)
      end
    end
  end
  if request then
    cold(179)('request').begun = true
    answer[2] = again and 1 or answer[2]
    return cold(232)(answer)
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(229)(answer)
