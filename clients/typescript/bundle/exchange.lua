--- Ends attempts, each as `complete`, `fail` or `release` would, and takes the next tasks for the listener as `reserve` would, both in one call. An end that is refused spoils no other.
-- @args now listener queues limit count (ending id token body group again cost)*count
-- @role worker
-- @options pid lease request woken order weights max_bytes
-- @reply the verdicts on the ends, separated by spaces: what their own calls answer, or an error code; the code of the error that kept the call from taking tasks, else an empty string; then for each task what reserve answers
-- @errors TOOBIG NOLISTENER DRAINING
-- @noted LOST
-- @since 0.2.0

local cold

local args_at = 1

local attempt_strays = false

local attempt_updates = false

local edges_readied = false

local namespace_meta = KEYS[1] or ''

local namespace_prefix = string.sub(namespace_meta, 1, -5)

local namespace_declared = not string.find(namespace_meta, '^[^_{]*_meta$') and {}

local function owner_task(id, token, endings, ...)
  local key = namespace_prefix .. 'task_' .. id
  local v = redis.call('HMGET', key, 'status', 'token', 'node', 'attempt', 'queue', 'pid', 'cancel', 'updated', 'ties',
    'recall', ...)
  local status = v[1]
  if v[2] ~= token or not (status == 'started' or status == 'reserved') then
    return cold(175)(id, token, endings)
  end
  if namespace_declared then
    cold(157)(key)
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

local state_written = false

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
    redis.call('ZADD', prefix .. 'tasks_' .. queue, task.created or cold(208)(id), id)
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
      cold(121)(task, { to = to, why = why, by = by, at = now }, ...)
    end
    if to == 'deleted' or to == 'moved' then
      if to == 'deleted' then
        redis.call('UNLINK', key, prefix .. 'log_' .. id, prefix .. 'history_' .. id)
        if task.edge_keys then
          redis.call('UNLINK', unpack(task.edge_keys))
        end
        if task.logged then
          cold(148)(id, task.logged)
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
      cold(47)(task, to)
      if task.tracked then
        cold(301)(task, to, why, by, ...)
      end
    end
    if to == 'failed' then
      cold(115)(task, now)
    elseif from == 'failed' then
      cold(116)(task)
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
            if not namespace_declared or cold(161)(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if state_roams ~= '' then
            cold(262)(queue)
          end
        end
        redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
      end
    end
    if task.dependents or task.unsettled then
      cold(73)(task)
    end
  end
end

local function ending_complete(id, token, result, cost, limited, asked)
  local task, answer = owner_task(id, token, 'complete cancelled discarded')
  if task and task.cancel then
    cold(176)(task)
    answer = cold(82)(task, cost)
  end
  if task and not answer and (asked or task.ties and string.find(task.ties, 's', 1, true)) then
    answer = cold(276)(task, result, cost, limited, asked)
  end
  if task and not answer then
    do
      local task, result, cost, limited = task, result, cost, limited
      local id, token = task.id, task.token
      local prefix, tasks = namespace_prefix, '_tasks_' .. task.queue
      if task.attempt ~= '1' and (redis.call('HGET', prefix .. 'task_' .. id, 'failures') or '0') ~= '0' then
        task.forget = { 'error', 'group', 'last_error', 'last_group', 'cancel', 'recall', task.skips }
      elseif task.skips then
        task.forget = { 'cancel', 'recall', task.skips }
      end
      local held, ended, events = prefix .. 'reserved' .. tasks .. '_' .. task.node, prefix .. 'complete' .. tasks,
        prefix .. 'events_' .. task.queue
      local started = task.status == 'started' and prefix .. 'started' .. tasks
      do
        local task, held, started = task, held, started
        task.last = redis.call('LINDEX', held, '-1') == task.id
        if started then
          redis.call('SCARD', started)
        end
      end
      do
        local events, count, index = events, 'LLEN', ended
        redis.call('XLEN', events)
        redis.call(count, index)
      end
      if task.ties and string.find(task.ties, '[pudgeoa]') then
        task.result = result
        cold(41)(task, 'complete')
      end
      if limited or task.limited then
        do
          local task = task
          local queue, prefix = task.queue, namespace_prefix
          if (task.limited or cold(225)(queue, 'concurrency'))
            and (redis.call('LLEN', prefix .. 'pending_tasks_' .. queue) > 0
            or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1) then
            cold(261)(queue)
            task.wakes = true
          end
        end
      end
      if task.cancel or task.recall then
        cold(173)(task.queue)
      end
      local may, role = redis.acl_check_cmd, namespace_prefix .. 'WORKER'
      if task.ties or task.cancel or task.recall or task.forget then
        cold(222)()
      elseif may and not (may('HSET', role, '', '') and may('HDEL', namespace_meta, '')
        and may('XADD', events, '*', '', '') and (not started or may('SREM', started, ''))
        and (not task.last or may('RPOPLPUSH', held, ended))
        and (task.last or may('LREM', held, '', '') and may('LPUSH', ended, ''))
        and (not task.wakes or may('LPUSH', prefix .. 'wake_' .. task.queue, ''))) then
        cold(222)()
      end
      if namespace_declared then
        cold(163)(prefix .. 'leases_' .. task.queue, held, events, ended, started or held)
      end
      if cost then
        state_move(task, 'complete', 'complete', task.node,
          'ended', token, 'outcome', 'complete', 'result', result, 'cost', cost, 'cost_of', token)
      else
        state_move(task, 'complete', 'complete', task.node, 'ended', token, 'outcome', 'complete', 'result', result)
      end
      if started then
        state_written = task
      end
    end
  end
  return answer or 'complete'
end

local function ending_fail(id, token, text, options)
  if options.again and options.final then
    cold(209)('BADARG', 'again and final contradict each other')
  end
  cold(12)(text, options.max_bytes or 1048576, 'error')

  local task, failures = owner_task(id, token, 'failed retrying cancelled ', 'failures')
  if not task then
    return failures
  end
  cold(176)(task)
  failures, task.group, task.cost = tonumber(failures or 0) + 1, options.group, options.cost
  local to, outcome = 'failed', 'failed'
  if cold(50)(task) then
    return cold(52)(task, 'fail',
      'last_error', text, 'last_group', options.group or '', 'failures', failures)
  elseif task.cancel then
    to, outcome, task.forget = 'cancelled', 'cancelled', { 'cancel', 'recall', 'error', 'group' }
  elseif not options.final then
    local pause = cold(216)(task, failures, options.again)
    if pause then
      outcome, task.forget = 'retrying', { 'error', 'group', 'front', cold(258)() }
      to = cold(35)(task, cold(217)(task, pause))
      if to == 'cancelled' then
        outcome, task.forget = 'cancelled', nil
      end
    end
  end
  if to == 'failed' then
    if failures > 1 then
      task.forget = { 'last_error', 'last_group', 'recall' }
    end
    return cold(218)(task, to, outcome, 'fail', 'error', text, 'group', options.group or '', 'failures', failures)
  end
  return cold(218)(task, to, outcome, 'fail',
    'last_error', text, 'last_group', options.group or '', 'failures', failures, cold(36)(task))
end

local function ending_release(id, token, options)
  if options.lost and (options.reason or options.again or options.uncounted or options.cost or options.inputs
    or options.into) then
    cold(209)('BADARG', 'lost cannot be combined with other options: it has its own count and delays')
  elseif options.inputs and options.again then
    cold(209)('BADARG', 'again and inputs contradict each other: the task comes back when it is ready')
  elseif options.into and (options.inputs or options.reason == 'next') then
    cold(209)('BADARG', 'into goes neither with inputs nor with the reason next: that is how a step ends')
  end
  local why = options.reason or 'release'

  local task, releases = owner_task(id, token, options.lost and 'lost ' or 'released cancelled failed ', 'releases')
  if not task then
    return releases
  elseif options.lost then
    return cold(126)(task, options.lost)
  end
  task.cost = options.cost
  local counter, cap = 'releases', 'max_releases'
  if options.uncounted then
    counter, cap = 'uncounted', 'max_uncounted'
  end
  local v = redis.call('HMGET', namespace_prefix .. 'task_' .. id, counter, cap)
  local count = tonumber(v[1] or 0) + 1
  if cold(50)(task) then
    return cold(52)(task, why, counter, count)
  elseif task.cancel then
    return cold(177)(task, 'cancelled', 'cancelled', why, counter, count)
  elseif count > tonumber(v[2] or cold(225)(task.queue, cap)) then
    task.group = 'released'
    return cold(177)(task, 'failed', 'failed', why, 'group', 'released',
      'error', 'given back ' .. count .. ' times' .. (options.uncounted and ' by owners that could not run it' or ''),
      counter, count)
  end
  if cold(35)(task, 'pending', why) == 'cancelled' then
    return cold(177)(task, 'cancelled', 'cancelled', why, counter, count, cold(36)(task))
  end
  if options.suspend then
    return options.suspend(task, options.inputs, why, counter, count)
  elseif options.elsewhere and options.into ~= task.queue then
    return options.elsewhere(task, options, why, counter, count)
  end
  task.front, task.forget = true, { cold(258)() }
  if options.again and options.again > 0 then
    task.front = nil
    return cold(218)(task, cold(217)(task, options.again), 'released', why, counter, count, 'front', '1')
  end
  cold(177)(task, 'pending', 'released', why, counter, count, 'front', '1')
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
        if not namespace_declared or cold(161)(ready) then
          redis.pcall('ZADD', ready, '0', queue)
        end
      end
      if state_roams ~= '' then
        cold(262)(queue)
      end
    end
    redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
  end
  return 'released'
end

local function ending_read(count, most)
  local ends, bytes = {}, 0
  for n = 1, count do
    local at = 7 * n - 1
    local one = { how = ARGV[at], id = ARGV[at + 1], token = ARGV[at + 2], body = ARGV[at + 3], cost = ARGV[at + 6] }
    local group, again = ARGV[at + 4], ARGV[at + 5]
    if one.how ~= 'complete' or group ~= '' or again ~= '' or one.cost ~= '' then
      cold(83)(one, group, again)
      ends.back = ends.back or one.how ~= 'complete'
    else
      one.cost = nil
    end
    bytes = bytes + #one.body
    if #one.body > most then
      cold(12)(one.body, most, 'body')
    end
    ends[n] = one
  end
  if bytes > 8388608 then
    cold(209)('TOOBIG', 'the bodies of this call are over 8388608 bytes: end the attempts by several calls')
  end
  return ends
end

local function ending_one(one, limited)
  if one.how == 'complete' then
    return ending_complete(one.id, one.token, one.body, one.cost, limited, one.asked)
  elseif one.how == 'fail' or one.how == 'final' then
    return ending_fail(one.id, one.token, one.body, one.options)
  end
  return ending_release(one.id, one.token, one.options)
end

local owner_found_stale = false

local function ending_all(ends, listener, limited)
  local verdicts = {}
  if ends[2] then
    cold(84)(ends, listener, verdicts, limited)
  end
  for n = 1, #ends do
    if not verdicts[n] then
      local ok, answer = pcall(ending_one, ends[n], limited)
      verdicts[n] = answer
      if not ok then
        owner_found_stale = true
        verdicts[n] = cold(213)(answer)
        if not ends[2] and verdicts[n] ~= 'LOST' then
          error(answer, 0)
        end
      end
    end
  end
  return verdicts
end

local namespace_gap = false

local namespace_now_us = 0

local function taking_start(call)
  if call.request and (owner_found_stale or not call.ended) then
    do
      local call = call
      local queues, listener, request = call.queues, call.listener, call.request
      for i = 1, #queues do
        local id = redis.call('LINDEX', namespace_prefix .. 'reserved_tasks_' .. queues[i] .. '_' .. listener, '0')
        if id and redis.call('HGET', namespace_prefix .. 'task_' .. id, 'request') == request then
          call.found = cold(286)(call)
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
          cold(145)(queues[i], call.listener)
        end
      end
    end
    if call.full then
      call.refusal = call.full
      return
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
          local order = call.order and cold(25)(call)
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
                cold(19)({ id = id, queue = queue, status = 'pending', ties = v[7] })
              end
              skipped = skipped + 1
              cold(157)(prefix .. 'task_' .. id)
            end
            if skipped > 0 then
              ghosts = ghosts or {}
              ghosts[queue] = skipped
              cold(157)(pending)
            end
            if open and weighed then
              task, v = cold(22)(queue, task, v, {
                ranked = meta[at + 1], own = meta[at + 2], common = common, listener = listener, request = call.request,
              })
            elseif task and call.limit and not (order or skipped > 0 or task.ties or task.foreign) then
              cold(291)(call, task, v)
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
              cold(143)(queue, listener)
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
              cold(158)('ZCARD', prefix .. 'tasks_' .. queue)
            end
            if task.ties then
              cold(41)(task, pid and 'started' or 'reserved', listener)
            end
            if call.woken then
              local left = redis.call('LLEN', pending) - (call.run and #call.run or 1)
              call.wakes = (left > (ghosts and ghosts[queue] or 0) or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1)
                and queue
              if call.wakes then
                cold(261)(queue)
              end
              if call.queues[2] then
                cold(292)(call, queue)
              end
            end
            if attempt_updates then
              cold(23)()
            end
            if call.asked then
              cold(158)('HLEN', prefix .. 'rounds_' .. listener)
            end
            local may, role = redis.acl_check_cmd, namespace_prefix .. 'WORKER'
            if ghosts or call.asked or task.ties or task.foreign or attempt_updates or call.others then
              cold(222)()
            elseif may and not ((written or may('HSET', role, '', '') and may('XADD', events, '*', '', ''))
              and (call.run and may('LTRIM', pending, '', '') and may('LPUSH', held, '') or not call.run
                and may('RPOPLPUSH', pending, held))
              and (not pid or may('SADD', started, '')) and (not call.wakes or may('LPUSH', prefix .. 'wake_' .. queue, ''))) then
              cold(222)()
            end
            if namespace_declared then
              for _, taken in ipairs(call.run or { task }) do
                cold(157)(prefix .. 'task_' .. taken.id)
              end
              cold(163)(leases, pending, held, events, started or held)
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
            cold(294)(call)
          else
            if call.ghosts then
              redis.call('ZCARD', namespace_prefix .. 'leases_' .. task.queue)
              cold(20)(call.ghosts)
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
                local token, ends = cold(150)(us), us + lease
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
              cold(24)()
            end
            if call.asked then
              cold(27)(call.listener, call.asked, task.queue)
            end
            do
              local call, task, v = call, task, fields
              if call.found then
                cold(295)(call.found, task, v)
              else
                call.found = { task.id, task.queue, task.issue, tonumber(task.attempt), task.ends, task.lease,
                  v[4] or '', v[8] or '0', v[9] or '0', v[5] or '', v[10] or false }
              end
            end
          end
        end
        if call.limit then
          cold(287)(call, task, fields)
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
              if not namespace_declared or cold(161)(ready) then
                redis.pcall('ZADD', ready, '0', queue)
              end
            end
            if state_roams ~= '' then
              cold(262)(queue)
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
                if not namespace_declared or cold(161)(ready) then
                  redis.pcall('ZADD', ready, '0', queue)
                end
              end
              if state_roams ~= '' then
                cold(262)(queue)
              end
            end
            redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
          end
        end
      end
    end
    if not call.found then
      cold(296)(call)
    end
  end
end

local function taking_more(call)
  local ok, raised = pcall(taking_start, call)
  if not ok and not call.ended then
    error(raised, 0)
  elseif not ok then
    call.refusal = cold(213)(raised)
  end
end

local function taking_full(queue)
  local answer = redis.pcall('ZADD', namespace_prefix .. 'leases_' .. queue, 'XX', '0', '')
  return type(answer) == 'table' and cold(213)(answer)
end

function cold(number)
if number < 154 then
if number < 77 then
if number < 39 then
if number < 20 then
if number < 10 then
if number < 5 then
if number < 3 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(209)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 2 args.queues_or_none
return function(value, what)
  local names = {}
  for name in string.gmatch(value ~= '' and value .. ',' or '', '([^,]*),') do
    names[#names + 1] = cold(1)(name, what)
  end
  if #names > 32 then
    cold(209)('BADARG', string.format('%s must be at most %d names', what, 32))
  end
  return names
end
end
else
if number < 4 then
-- 3 args.listener
return function(value)
  if #value > 200 or not string.find(value, '^[%w.:-]+_%d+$') then
    cold(209)('BADNAME', 'a listener must be HOSTNAME_PID: letters, digits, . : - then _ and digits')
  end
  return value
end
else
-- 4 args.word
return function(value, words, what)
  if not cold(6)(value, words) then
    cold(209)('BADARG', what .. ' must be ' .. cold(5)(words, 'or'))
  end
  return value
end
end
end
else
if number < 7 then
if number < 6 then
-- 5 args.listed
return function(words, last)
  local list = string.gsub(string.sub(words, 2, -2), ' ', ', ')
  return (string.gsub(list, ', (%S+)$', ' ' .. last .. ' %1'))
end
else
-- 6 args.among
return function(value, words)
  return string.find(value, '^[%l_]+$') and string.find(words, ' ' .. value .. ' ') ~= nil
end
end
else
if number < 8 then
-- 7 args.flag
return function(value, what)
  if value ~= '0' and value ~= '1' then
    cold(209)('BADARG', what .. ' must be 0 or 1')
  end
  return value == '1'
end
else
if number < 9 then
-- 8 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(209)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
else
-- 9 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(209)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
end
end
end
else
if number < 15 then
if number < 12 then
if number < 11 then
-- 10 args.delay_or_none
return function(value, what)
  return value ~= '' and cold(9)(value, 0, 31536000, what) or nil
end
else
-- 11 args.missing
return function(names)
  local i = 1
  for name in string.gmatch(names, '%S+') do
    i = i + 1
    if not ARGV[i] then
      cold(209)('BADARG', 'missing argument: ' .. name)
    end
  end
end
end
else
if number < 13 then
-- 12 args.bytes
return function(value, most, what)
  if #value > most then
    cold(209)('TOOBIG', string.format('%s is %d bytes, over the limit of %d: store it elsewhere and pass a reference',
      what, #value, most))
  end
  return value
end
else
if number < 14 then
-- 13 args.cause
return function(value, what)
  if value == 'fail' then
    cold(209)('BADARG', what .. ' must be another word than fail: that call is for failures')
  end
  return cold(1)(value, what)
end
else
-- 14 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(209)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(209)('BADARG', 'an option is given twice')
    end
    found[name] = cold(305)(name, value)
    if found[name] == nil then
      cold(209)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
end
end
end
else
if number < 17 then
if number < 16 then
-- 15 args.weights
return function(value, what)
  local weights = {}
  for weight in string.gmatch(#value <= 200 and value .. ',' or '', '([^,]*),') do
    weights[#weights + 1] = cold(8)(weight, 1, 1000, what)
  end
  return weights
end
else
-- 16 attempt.fields
return function()
  return 'outcome', 'losses', 'failures', 'parameters', 'checkpoint'
end
end
else
if number < 18 then
-- 17 attempt.answer
return function(task, deadline, lease, told)
  return { task.id, task.queue, task.token, tonumber(task.attempt), deadline, lease,
    told[1] or '', told[2] or '0', told[3] or '0', told[4] or '', told[5] }
end
else
if number < 19 then
-- 18 attempt.repeated
return function(id, listener, request)
  local v = redis.call('HMGET', namespace_prefix .. 'task_' .. id,
    'status', 'queue', 'attempt', 'token', 'node', 'request', 'lease', cold(16)())
  if (v[1] ~= 'reserved' and v[1] ~= 'started') or v[5] ~= listener or v[6] ~= request then
    return nil
  end
  local deadline = redis.call('ZSCORE', namespace_prefix .. 'leases_' .. v[2], id .. ' ' .. (v[4] or ''))
  local task = { id = id, queue = v[2], token = v[4], attempt = v[3] }
  return deadline and cold(17)(task, tonumber(deadline), tonumber(v[7]), { unpack(v, 8, 12) })
end
else
-- 19 attempt.add_stray
return function(task)
  cold(29)(task)
  if not task.rank then
    attempt_strays = attempt_strays or {}
    attempt_strays[#attempt_strays + 1] = task
    cold(196)(task)
    cold(261)(task.queue)
  end
end
end
end
end
end
end
else
if number < 29 then
if number < 24 then
if number < 22 then
if number < 21 then
-- 20 attempt.clear
return function(ghosts)
  for queue, number in pairs(ghosts or {}) do
    for _ = 1, number do
      redis.call('RPOP', namespace_prefix .. 'pending_tasks_' .. queue)
    end
  end
  for _, task in ipairs(attempt_strays or {}) do
    cold(198)(task)
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
          if not namespace_declared or cold(161)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(262)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
  attempt_strays = false
end
else
-- 21 attempt.read
return function(id)
  local key = namespace_prefix .. 'task_' .. id
  local v = redis.call('HMGET', key, 'status', 'queue', 'attempt', 'outcome', 'parameters', 'updated', 'ties')
  if v[4] or v[3] ~= '0' then
    local ended = redis.call('HMGET', key, 'losses', 'failures', 'checkpoint')
    v[8], v[9], v[10] = ended[1], ended[2], ended[3]
  end
  return v
end
end
else
if number < 23 then
-- 22 attempt.select
return function(queue, task, v, known)
  local own, common = known.own, known.common
  local set, waits, open, free = own or common, { stale = {} }, true, nil
  if set then
    cold(156)('settings')[queue] = { own, common }
    waits.rate = cold(225)(queue, 'rate')
    open, free = cold(142)(queue, 1)
  end
  attempt_updates = attempt_updates or {}
  attempt_updates[queue] = waits
  local best = task and { plain = true, id = task.id }
  if open and known.ranked then
    if best then
      best.rank = cold(90)(v[6], redis.call('HGET', namespace_prefix .. 'task_' .. task.id, 'front'))
    end
    best = cold(206)(queue, known, best, waits.stale)
  end
  if best and not best.plain then
    v = cold(21)(best.id)
    if v[1] ~= 'pending' or v[2] ~= queue then
      waits.ghost = best
      cold(157)(namespace_prefix .. 'task_' .. best.id)
      return nil
    end
    task = { id = best.id, queue = queue, status = 'pending', attempt = v[3] or '0', since = v[6], ties = v[7] or 'r',
      taker = known.listener, request = known.request, foreign = not v[3] or nil }
  end
  if open and best and task.ties then
    cold(29)(task)
    if task.weight and set then
      open, free = cold(142)(queue, tonumber(task.weight))
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
    task.set_lease = cold(226)(queue, 'lease')
  end
  return task, v
end
else
-- 23 attempt.plan_updates
return function()
  for queue, waits in pairs(attempt_updates) do
    cold(95)(queue, waits.stale)
    if waits.free then
      cold(158)('ZCARD', cold(155)('delayed', queue))
    end
    if waits.chosen and waits.rate then
      cold(158)('LLEN', cold(133)(queue))
    end
    if waits.ghost then
      cold(202)(queue, waits.ghost)
    end
    if waits.pool then
      cold(246)(waits.pool)
    end
    waits.again = (waits.ghost or #waits.stale > 0) and not waits.chosen
    if waits.again then
      cold(261)(queue)
    end
  end
end
end
end
else
if number < 26 then
if number < 25 then
-- 24 attempt.write_updates
return function()
  for queue, waits in pairs(attempt_updates) do
    if waits.ghost then
      cold(203)(queue, waits.ghost)
    end
    for _, key in ipairs(waits.stale) do
      cold(94)(queue, key)
    end
    if waits.free then
      redis.call('ZADD', cold(155)('delayed', queue), string.format('%.0f', waits.free), '/')
    end
    if waits.chosen then
      cold(140)(cold(133)(queue), waits.rate, string.format('%.0f', namespace_now_us))
    end
    if waits.pool then
      cold(247)(waits.pool)
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
            if not namespace_declared or cold(161)(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if state_roams ~= '' then
            cold(262)(queue)
          end
        end
        redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
      end
    end
  end
end
else
-- 25 attempt.queue_order
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
end
else
if number < 27 then
-- 26 attempt.order
return function(queues, order, weights)
  if (weights ~= nil) ~= (order == 'weighted') or weights and #weights ~= #queues then
    cold(209)('BADARG', 'weights need the order weighted, with one weight for each queue')
  end
  return order ~= 'strict' and order or nil
end
else
if number < 28 then
-- 27 attempt.record_served
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
-- 28 cascades.plan_begin
return function(task)
  local known = task.broken and 1 or 0
  if cold(100)(task.graph) == 'cancel' and redis.call('HLEN', cold(53)(task.id)) > known then
    cold(158)('ZCARD', cold(56)())
    task.unsettled, task.cascades = true, true
  end
end
end
end
end
end
else
if number < 34 then
if number < 31 then
if number < 30 then
-- 29 claims.load
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
-- 30 claims.name_holders
return function(queue, name)
  local v = redis.call('HMGET', cold(157)(cold(155)('unique', queue)), name, '/' .. name)
  local id, till = string.match(v[1] or '', '^(%S+) (%S+)$')
  return id, till, string.match(v[2] or '', '^(%S+) ')
end
end
else
if number < 32 then
-- 31 claims.has_latest_policy
return function(task)
  return task.solo and task.unique and task.unique == task.fair_key
end
else
if number < 33 then
-- 32 claims.still_holds_name
return function(queue, id, name, till)
  local status, where, own, solo, key = unpack(redis.call('HMGET', namespace_prefix .. 'task_' .. id,
    'status', 'queue', 'unique', 'solo', 'key'))
  if where ~= queue or own ~= (till == 'kept' and string.sub(name, 2) or name) then
    return false
  end
  local latest = solo and key == own
  return cold(303)(status)
    or till ~= 'kept' and (status == 'reserved' and not latest or status == 'started' and till ~= 'start')
end
else
-- 33 claims.name_conflict
return function(task)
  local id, till = cold(30)(task.queue, task.unique)
  if not id or id == task.id then
    return nil
  elseif tonumber(till) then
    return tonumber(till) > namespace_now_us and id or nil
  end
  return cold(32)(task.queue, id, task.unique, till) and id or nil
end
end
end
end
else
if number < 36 then
if number < 35 then
-- 34 claims.drained_at_checkpoint
return function(task, reason)
  if reason ~= 'drain' then
    local given = redis.call('HMGET', cold(155)('orders', task.queue), 'q', 'l:' .. task.node, 't:' .. task.id)
    if not given[1] and not given[2] and given[3] ~= 'stop' then
      return false
    end
  end
  return redis.call('HEXISTS', namespace_prefix .. 'task_' .. task.id, 'checkpoint') == 1
end
else
-- 35 claims.state_after_release
return function(task, to, reason)
  if not task.ties or not string.find(task.ties, 'u') then
    return to
  end
  cold(29)(task)
  if not cold(31)(task) then
    return to
  end
  local field = task.queue .. ' ' .. task.unique
  local claimed = cold(156)('claimed')
  local _, _, kept = cold(30)(task.queue, task.unique)
  if reason and not cold(37)(task, kept) and cold(34)(task, reason) then
    task.keeps = true
    return to
  end
  task.replaced = claimed[field] or cold(33)(task)
  claimed[field] = claimed[field] or task.id
  return task.replaced and 'cancelled' or to
end
end
else
if number < 37 then
-- 36 claims.cancel_reason
return function(task)
  if task.replaced then
    return 'reason', 'replaced by ' .. task.replaced
  end
end
else
if number < 38 then
-- 37 claims.waiting_attempt
return function(task, id)
  local other = id and id ~= task.id and cold(207)(id)
  if other and other.queue == task.queue and cold(303)(other.status) then
    cold(29)(other)
    return other.unique == task.unique and other or nil
  end
end
else
-- 38 claims.elsewhere
return function(task, queue, created)
  local other = { id = task.id, key = task.key or cold(155)('task', task.id), queue = queue,
    attempt = task.attempt, since = task.since, ties = task.ties, foreign = true, created = created or '0' }
  if other.ties then
    cold(29)(other)
    other.rank = nil
    cold(39)(task, other)
  end
  return other
end
end
end
end
end
end
end
else
if number < 58 then
if number < 48 then
if number < 43 then
if number < 41 then
if number < 40 then
-- 39 claims.transfer_name
return function(task, other)
  if not other.unique then
    return
  end
  local id, till = cold(30)(task.queue, other.unique)
  local holds = id == task.id
  if tonumber(other.till) then
    other.ends = holds and tonumber(till) and tonumber(till) > namespace_now_us and till or nil
    holds = other.ends ~= nil
  else
    holds = holds or other.till == 'end' or cold(31)(other) or cold(304)(task.status)
  end
  other.unique = holds and other.unique or nil
end
else
-- 40 claims.opens_or_closes
return function(task, to)
  return not task.status or cold(304)(task.status) or cold(304)(to) or to == 'deleted'
end
end
else
if number < 42 then
-- 41 claims.plan
return function(task, to, taker)
  cold(29)(task)
  local held = task.status == 'reserved' or task.status == 'started'
  if task.ranked and (task.rank or to == 'pending') or task.limited and (held or taker) then
    cold(196)(task)
  end
  if task.limited and held and taker then
    cold(159)()
  end
  if task.shared and (taker or held and to ~= 'started') then
    cold(248)(task.shared, not taker and task.queue)
  end
  if task.shared and (cold(40)(task, to) or to == 'moved') then
    cold(42)(to)
  end
  if task.unique then
    cold(43)(task, to)
  end
  if task.tags and (not task.status or to == 'deleted' or to == 'moved') then
    cold(281)(task.queue, task.tags)
  end
  if to == 'deleted' and string.find(task.ties, '[wd]') then
    cold(67)(task)
  end
  if task.graph and task.status and cold(40)(task, to) then
    cold(158)('HLEN', cold(96)(task.graph))
    cold(158)('ZCARD', cold(99)())
    cold(157)(cold(97)(task.graph))
    task.bounds = to == 'deleted' and cold(106)(task.graph) or nil
  end
  if task.graph and task.status == 'waiting' and (to == 'failed' or to == 'cancelled') then
    cold(28)(task)
  end
  if task.end_by and cold(40)(task, to) then
    cold(158)('ZCARD', cold(48)())
  end
  if string.find(task.ties, 'd', 1, true) and task.status and not cold(304)(task.status)
    and (cold(304)(to) or to == 'deleted') then
    cold(65)(task, to)
  end
  if task.tracked then
    cold(299)()
  end
  if string.find(task.ties, 'a', 1, true) and task.status and (cold(304)(to) or to == 'deleted') then
    cold(81)(task, to)
  end
end
else
-- 42 claims.plan_shared
return function(to)
  if to == 'moved' then
    cold(159)()
  end
  cold(253)()
end
end
end
else
if number < 45 then
if number < 44 then
-- 43 claims.plan_name
return function(task, to)
  local taken = cold(259)(task, to) and cold(31)(task)
  if (to == 'reserved' or to == 'started') and not taken and not (to == 'started' and task.till == 'start') then
    return
  end
  cold(158)('HLEN', cold(155)('unique', task.queue))
  if tonumber(task.till) then
    cold(158)('ZCARD', cold(155)('timed', task.queue))
  end
  task.holder, task.held_till, task.kept = cold(30)(task.queue, task.unique)
  if taken and task.status == 'pending' then
    task.older = cold(37)(task, task.kept)
    if task.older then
      cold(264)(task.older, 'cancelled')
    end
  end
end
else
-- 44 claims.take_name
return function(task)
  local unique, till = cold(155)('unique', task.queue), task.till
  if task.keeps then
    redis.call('HSET', unique, '/' .. task.unique, task.id .. ' kept')
    return
  elseif tonumber(till) then
    till = task.ends or string.format('%.0f', namespace_now_us + tonumber(till) * 1000000)
    redis.call('ZADD', cold(155)('timed', task.queue), till, task.unique)
  end
  redis.call('HSET', unique, task.unique, task.id .. ' ' .. till)
end
end
else
if number < 46 then
-- 45 claims.release_name
return function(task, to)
  local unique, timed = cold(155)('unique', task.queue), tonumber(task.held_till)
  if task.holder == task.id and (not timed or to == 'moved') then
    redis.call('HDEL', unique, task.unique)
    if timed then
      redis.call('ZREM', cold(155)('timed', task.queue), task.unique)
    end
  end
  if task.kept == task.id then
    redis.call('HDEL', unique, '/' .. task.unique)
  end
end
else
if number < 47 then
-- 46 claims.move_name
return function(task, to)
  local from, latest = task.status, cold(31)(task)
  local back = (from == 'reserved' or from == 'started') and cold(303)(to)
  local ends = cold(304)(to) or to == 'deleted' or to == 'moved'
  if ends or to == 'started' and task.till == 'start' or latest and cold(259)(task, to) then
    cold(45)(task, to)
  elseif not from or task.restarts or (from == 'failed' or from == 'cancelled') and not tonumber(task.till)
    or latest and back then
    cold(44)(task)
  end
  if task.older then
    state_move(task.older, 'cancelled', 'replaced', '', 'reason', 'replaced by ' .. task.id)
  end
end
else
-- 47 claims.move
return function(task, to)
  if not task.bound then
    return
  end
  local from = task.status
  local held = from == 'reserved' or from == 'started'
  local back = held and task.ranked and to == 'pending'
  if back then
    cold(198)(task)
  end
  if task.limited and held and to ~= 'started' then
    cold(141)(task.queue, task.id, task.token)
  end
  if task.rank and not back then
    cold(200)(task, to)
    task.rank = nil
  elseif task.limited and cold(259)(task, to) then
    cold(139)(task)
    if task.fair_key then
      cold(94)(task.queue, task.fair_key)
    end
  end
  if task.ranked and to == 'pending' and not back then
    cold(198)(task)
  end
  if task.shared then
    cold(257)(task, to)
  end
  if task.further_shared then
    cold(254)(task.further_shared, -1)
  end
  if task.tags and not from then
    cold(282)(task.queue, task.id, task.created, task.tags)
  elseif task.tags and (to == 'deleted' or to == 'moved') then
    cold(284)(task.queue, task.id, task.tags)
  end
  if task.unique then
    cold(46)(task, to)
  end
  if task.end_by and cold(40)(task, to) then
    if cold(304)(to) or to == 'deleted' or to == 'moved' then
      redis.call('ZREM', cold(48)(), task.id)
    else
      redis.call('ZADD', cold(48)(), task.end_by, task.id)
    end
  end
  if task.graph then
    cold(107)(task, to)
  end
end
end
end
end
end
else
if number < 53 then
if number < 50 then
if number < 49 then
-- 48 deadlines.key
return function()
  return namespace_prefix .. 'deadlines'
end
else
-- 49 deadlines.has
return function(task)
  return task.ties and string.find(task.ties, 'e', 1, true)
end
end
else
if number < 51 then
-- 50 deadlines.decided
return function(task)
  if not task.cancel or not cold(49)(task) then
    return false
  end
  cold(29)(task)
  return task.end_by ~= nil and tonumber(task.cancel) >= tonumber(task.end_by)
end
else
if number < 52 then
-- 51 deadlines.forgotten
return function()
  return { 'cancel', 'recall', 'reason' }
end
else
-- 52 deadlines.finish
return function(task, why, ...)
  task.group, task.forget = 'deadline', cold(51)()
  return cold(177)(task, 'failed', 'failed', why, 'group', 'deadline', 'error', 'its deadline has passed', ...)
end
end
end
end
else
if number < 55 then
if number < 54 then
-- 53 edges.upstreams
return function(id)
  return namespace_prefix .. 'upstreams_' .. id
end
else
-- 54 edges.dependents
return function(id)
  return namespace_prefix .. 'dependents_' .. id
end
end
else
if number < 56 then
-- 55 edges.inputs
return function(id)
  return namespace_prefix .. 'inputs_' .. id
end
else
if number < 57 then
-- 56 edges.unsettled
return function()
  return namespace_prefix .. 'unsettled'
end
else
-- 57 edges.slots
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
end
end
else
if number < 67 then
if number < 62 then
if number < 60 then
if number < 59 then
-- 58 edges.is_met
return function(kind, to)
  if kind == 'after' or kind == 'optional' then
    return true
  end
  return (kind == 'failure') ~= (to == 'complete')
end
else
-- 59 edges.is_repairable
return function(kind, to)
  return cold(60)(kind) and (to == 'failed' or to == 'cancelled')
end
end
else
if number < 61 then
-- 60 edges.needs_success
return function(kind)
  return kind == 'success' or kind == 'result' or kind == 'some'
end
else
-- 61 edges.element
return function(result)
  return result == '' and 'null' or result
end
end
end
else
if number < 64 then
if number < 63 then
-- 62 edges.over
return function(queue, bytes)
  local most = bytes > 1024 and cold(225)(queue, 'input_bytes')
  if most and bytes > tonumber(most) then
    return 'over ' .. most .. ' bytes, the setting input_bytes'
  end
end
else
-- 63 edges.tie
return function(up)
  if not string.find(up.ties or '', 'd', 1, true) then
    up.ties = (up.ties or '') .. 'd'
    redis.call('HSET', up.key, 'ties', up.ties)
  end
end
end
else
if number < 65 then
-- 64 edges.waiting
return function(id)
  local key = cold(157)(cold(54)(id))
  local waiting, staged = redis.call('ZCOUNT', key, '(0', '+inf'), redis.call('ZCOUNT', key, '-inf', '-inf')
  return waiting + staged, waiting
end
else
if number < 66 then
-- 65 edges.plan_end
return function(task, to)
  local key = cold(157)(cold(54)(task.id))
  local ids = redis.call('ZRANGEBYSCORE', key, '(0', '+inf', 'LIMIT', 0, 100 + 1 + (task.knowing or 0))
  local number = #ids - (task.knowing or 0)
  if number <= 0 then
    return
  elseif task.later or number > 100 or cold(66)(task.id, ids, #(task.result or ''))
    or to ~= 'complete' and task.graph and cold(101)(task.graph, task.id) then
    cold(158)('ZCARD', cold(56)())
    task.unsettled = true
    return
  end
  cold(68)(task, to, ids)
end
else
-- 66 edges.is_much
return function(id, ids, length)
  local told = cold(156)('told')
  local looked, copied = (told.looked or 0) + length, (told.copied or 0) + #ids * length
  if length <= 131072 and looked <= 262144 and copied <= 1048576 then
    told.looked, told.copied = looked, copied
    return false
  end
  for _, other in ipairs(ids) do
    if string.find(redis.call('HGET', cold(53)(other), id) or '', '/', 1, true) then
      return true
    end
  end
  return false
end
end
end
end
end
else
if number < 72 then
if number < 69 then
if number < 68 then
-- 67 edges.plan_removal
return function(task)
  local dependents = cold(157)(cold(54)(task.id))
  task.edge_keys = { cold(157)(cold(53)(task.id)), cold(157)(cold(55)(task.id)),
    cold(157)(cold(127)(task.id)) }
  local all, waiting = cold(64)(task.id)
  if all == 0 then
    task.edge_keys[4] = dependents
  elseif waiting > 0 and cold(304)(task.status) then
    cold(158)('ZCARD', cold(56)())
    task.unsettled = true
  end
end
else
-- 68 edges.plan_page
return function(task, to, ids)
  task.dependents = {}
  for i, id in ipairs(ids) do
    task.dependents[i] = cold(69)(task, to, id)
  end
end
end
else
if number < 70 then
-- 69 edges.plan_one
return function(up, to, id)
  local task = cold(207)(id, cold(70)())
  local key = cold(157)(cold(53)(id))
  local kind, mark, slots = string.match(redis.call('HGET', key, up.id) or '', '^(%l+)(%d*)/?(.*)$')
  local plan = { id = id, met = not kind or cold(58)(kind, to) }
  if not task or task.status ~= 'waiting' or not kind then
    plan.kept = task and kind and cold(304)(task.status)
    return plan
  end
  if cold(184)(task) then
    plan.set = cold(186)(id)
  end
  if kind == 'some' then
    cold(192)(plan, task, up, to, mark, slots)
    if plan.missed then
      return plan
    end
  elseif not plan.met and cold(59)(kind, to) and cold(100)(task.extra[5]) == 'hold' then
    plan.held = true
    return plan
  end
  plan.task = task
  task.later = true
  if not plan.met then
    plan.to, task.group, task.broken = kind == 'failure' and 'cancelled' or 'failed', 'upstream', true
    cold(264)(task, plan.to)
    return plan
  end
  local open = redis.call('HLEN', key)
  plan.last = plan.ready or open == 1
  if plan.set and not plan.ready then
    plan.last = cold(189)(plan.set, open - 1)
  end
  local own = cold(157)(cold(55)(id))
  local known = (plan.last or slots ~= '') and redis.call('HMGET', own, 'slots', 'bytes')
  if slots ~= '' and not plan.ready then
    cold(72)(plan, up, to, slots, tonumber(known[2] or 0))
  end
  if plan.wrong then
    cold(264)(task, plan.to)
  elseif plan.last then
    cold(71)(plan, tonumber(known[1] or 0), plan.bytes or tonumber(known[2] or 0))
  end
  return plan
end
else
if number < 71 then
-- 70 edges.fields
return function()
  return 'eta', 'front', 'ended', 'retry_eta', 'graph'
end
else
-- 71 edges.plan_ready
return function(plan, slots, bytes)
  local task = plan.task
  plan.joins = cold(130)(plan.id, slots, bytes)
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
    plan.joined, plan.lengths = cold(128)(cold(129)(cold(55)(plan.id), slots, plan), slots)
  end
  cold(264)(task, plan.to)
end
end
end
end
else
if number < 74 then
if number < 73 then
-- 72 edges.plan_input
return function(plan, up, to, slots, bytes)
  local result = to == 'complete' and up.result or ''
  plan.slots, plan.text = cold(57)(slots), cold(61)(result)
  plan.bytes = bytes + #plan.text * #plan.slots
  if up.json == nil then
    up.json = result == '' or cold(132)(result)
  end
  local over = cold(62)(plan.task.queue, plan.bytes)
  if not up.json then
    plan.wrong = 'is not JSON'
  elseif over then
    plan.wrong = 'brings the inputs of this task ' .. over
  elseif cold(102)(#plan.text) > 0 and plan.task.extra[5] then
    plan.graph, plan.grows = plan.task.extra[5], #plan.text * #plan.slots
    if not cold(104)(plan.graph, plan.grows) then
      plan.wrong = 'brings the inputs of its graph over ' .. cold(103)() .. ' bytes, the setting graph_bytes'
    end
  end
  if plan.wrong then
    plan.to, plan.task.group, plan.task.broken = 'failed', 'input', true
  end
end
else
-- 73 edges.settle
return function(task)
  if task.unsettled then
    redis.call('ZADD', cold(56)(), namespace_now, task.id)
  end
  if task.cascades then
    redis.call('HSET', task.key or cold(155)('task', task.id), 'cascade', '0')
  end
  local told
  for _, plan in ipairs(task.dependents or {}) do
    if plan.kept then
      redis.call('ZADD', cold(54)(task.id), '-' .. namespace_now, plan.id)
    elseif plan.held then
      redis.call('ZADD', cold(54)(task.id), 'inf', plan.id)
    elseif plan.missed then
      cold(194)(task, plan)
    elseif plan.task and not plan.met then
      told = told or redis.call('HMGET', task.key or cold(155)('task', task.id), 'status', 'error', 'cause')
      cold(74)(task, plan, told)
    elseif plan.wrong then
      redis.call('ZADD', cold(54)(task.id), '-' .. namespace_now, plan.id)
      state_move(plan.task, 'failed', 'input', '', 'cause', task.id, 'group', 'input',
        'error', 'the result of ' .. task.id .. ' ' .. plan.wrong)
    else
      cold(77)(task, plan)
    end
  end
end
end
else
if number < 75 then
-- 74 edges.fail_with
return function(up, plan, told)
  local cause = told[3] or up.id
  redis.call('ZADD', cold(54)(up.id), '-' .. namespace_now, plan.id)
  if plan.to == 'cancelled' then
    state_move(plan.task, 'cancelled', 'upstream', '', 'cause', cause,
      'reason', 'not needed: ' .. up.id .. ' is complete')
    return
  end
  state_move(plan.task, 'failed', 'upstream', '', 'cause', cause, 'group', 'upstream',
    'error', (plan.short and 'too few of its set can still be complete: ' or '') .. cold(75)(up.id, told))
end
else
if number < 76 then
-- 75 edges.error_of
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
-- 76 edges.fill
return function(id, slots)
  for _, slot in ipairs(slots) do
    redis.call('HSET', cold(55)(id), slot, 'null')
  end
  if slots[1] then
    redis.call('HINCRBY', cold(55)(id), 'bytes', 4 * #slots)
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
if number < 115 then
if number < 96 then
if number < 86 then
if number < 81 then
if number < 79 then
if number < 78 then
-- 77 edges.meet
return function(up, plan)
  if up then
    redis.call('ZREM', cold(54)(up.id), plan.id)
    redis.call('HDEL', cold(53)(plan.id), up.id)
  end
  if plan.grows then
    redis.call('HINCRBY', cold(96)(plan.graph), 'bytes', plan.grows)
  end
  if not plan.task then
    return
  elseif plan.set and plan.to then
    cold(195)(plan.id)
  elseif plan.set and not plan.joins then
    cold(187)(plan.id, plan.set)
  end
  if plan.joined then
    redis.call('UNLINK', cold(55)(plan.id))
    state_move(plan.task, plan.to, 'ready', '', 'readied', cold(266)(plan.task), 'parameters', plan.joined,
      'slots', plan.lengths)
  elseif plan.to then
    state_move(plan.task, plan.to, 'ready', '', 'readied', cold(266)(plan.task))
  elseif plan.slots then
    for _, slot in ipairs(plan.slots) do
      redis.call('HSET', cold(55)(plan.id), slot, plan.text)
    end
    redis.call('HSET', cold(55)(plan.id), 'bytes', plan.bytes)
  end
  if plan.joins then
    cold(131)(plan.id)
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
          if not namespace_declared or cold(161)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(262)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
else
-- 78 edits.take_claims
return function(task, fresh)
  for claim in string.gmatch(' priority fair_key weight needs unique till tags own_lease solo end_by shared ', '%S+') do
    task[claim] = fresh[claim]
  end
end
end
else
if number < 80 then
-- 79 edits.alter
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
  cold(78)(other, edit.fresh)
  local same = not (edit.changed.unique or edit.changed.unique_until)
  other.unique, other.ends = same and name or not same and other.unique or nil, same and ends or nil
  other.to, other.eta = edit.to, edit.eta or other.eta
end
else
-- 80 encore.key
return function(id)
  return namespace_prefix .. 'further_' .. id
end
end
end
else
if number < 83 then
if number < 82 then
-- 81 encore.plan_end
return function(task, to)
  if to == 'deleted' then
    local key = cold(157)(cold(80)(task.id))
    task.edge_keys = task.edge_keys or {}
    task.edge_keys[#task.edge_keys + 1] = key
    task.further_shared = redis.call('HGET', key, '/limits') or nil
    if task.further_shared then
      cold(253)()
    end
  elseif not cold(304)(task.status) then
    cold(158)('ZCARD', cold(56)())
    task.unsettled = true
  end
end
else
-- 82 ending.discard
return function(task, cost)
  if redis.call('HGET', cold(155)('task', task.id), 'discard') then
    task.cost = cost
    return cold(177)(task, 'cancelled', 'cancelled', 'complete')
  elseif cold(50)(task) then
    task.cost = cost
    return cold(52)(task, 'complete')
  end
end
end
else
if number < 84 then
-- 83 ending.check
return function(one, group, again)
  cold(4)(one.how, ' complete fail final release uncounted ', 'ending')
  one.cost = one.cost ~= '' and cold(12)(one.cost, 1024, 'cost') or nil
  local gives_back = one.how == 'release' or one.how == 'uncounted'
  if gives_back and one.body ~= '' then
    cold(209)('BADARG', 'the body must be empty: a release has none')
  elseif (one.how == 'complete' or one.how == 'final') and again ~= '' then
    cold(209)('BADARG', 'again must be empty: it is for attempts that fail and are retried, or are released')
  elseif one.how == 'complete' and group ~= '' then
    one.asked = { next = cold(1)(group, 'group') }
    return
  end
  again = cold(10)(again, 'again')
  if gives_back then
    one.options = { reason = group ~= '' and cold(13)(group, 'group') or nil, again = again, cost = one.cost,
      uncounted = one.how == 'uncounted' }
  else
    one.options = { group = cold(108)(group, 'group'), again = again, cost = one.cost,
      final = one.how == 'final', max_bytes = #one.body }
  end
end
else
if number < 85 then
-- 84 ending.complete_plain
return function(ends, listener, verdicts, limited)
  local prefix, plain, seen = namespace_prefix, {}, {}
  for n = 1, #ends do
    local one = ends[n]
    local id = one.id
    local v = redis.pcall('HMGET', prefix .. 'task_' .. id, 'status', 'token', 'node', 'attempt', 'queue', 'pid',
      'cancel', 'updated', 'ties', 'recall', 'failures')
    if v.err or v[2] ~= one.token then
      cold(1)(id, 'id')
      cold(8)(one.token, 1, 9007199254740991, 'token')
    elseif one.how == 'complete' and not one.asked and (v[1] == 'started' or v[1] == 'reserved')
      and v[3] == listener and not seen[id]
      and not (v[7] or v[9] or v[10]) and (v[11] or '0') == '0' and (not plain[1] or plain[1].queue == v[5]) then
      plain[#plain + 1] = { id = id, status = v[1], token = v[2], node = v[3], attempt = v[4], queue = v[5],
        pid = v[6] or '', since = v[8], at = n }
    end
    seen[id] = true
  end
  if not plain[2] then
    return
  end
  cold(85)(plain, limited)
  cold(269)(plain)
  local write = cold(267)
  state_written = plain[1]
  for _, task in ipairs(plain) do
    local one = ends[task.at]
    verdicts[task.at] = 'complete'
    if one.cost then
      write(task, 'complete', 'complete', listener, 'ended', task.token, 'outcome', 'complete',
        'result', one.body, 'cost', one.cost, 'cost_of', task.token)
    else
      write(task, 'complete', 'complete', listener, 'ended', task.token, 'outcome', 'complete',
        'result', one.body)
    end
  end
end
else
-- 85 ending.plan_plain
return function(plain, limited)
  local prefix, tasks = namespace_prefix, '_tasks_' .. plain[1].queue
  local held, started = prefix .. 'reserved' .. tasks .. '_' .. plain[1].node, prefix .. 'started' .. tasks
  local ended, events = prefix .. 'complete' .. tasks, prefix .. 'events_' .. plain[1].queue
  redis.call('LLEN', held)
  redis.call('SCARD', started)
  do
    local events, count, index = events, 'LLEN', ended
    redis.call('XLEN', events)
    redis.call(count, index)
  end
  if limited then
    do
      local task = plain[1]
      local queue, prefix = task.queue, namespace_prefix
      if (task.limited or cold(225)(queue, 'concurrency'))
        and (redis.call('LLEN', prefix .. 'pending_tasks_' .. queue) > 0
        or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1) then
        cold(261)(queue)
        task.wakes = true
      end
    end
  end
  local may, role = redis.acl_check_cmd, namespace_prefix .. 'WORKER'
  if plain[1].wakes then
    cold(222)()
  elseif may and not (may('HSET', role, '', '') and may('HDEL', namespace_meta, '')
    and may('XADD', events, '*', '', '') and may('SREM', started, '') and may('LREM', held, '', '')
    and may('LPUSH', ended, '')) then
    cold(222)()
  end
  if namespace_declared then
    for _, task in ipairs(plain) do
      cold(157)(prefix .. 'task_' .. task.id)
    end
    cold(163)(prefix .. 'leases_' .. plain[1].queue, held, started, ended, events)
  end
end
end
end
end
end
else
if number < 91 then
if number < 88 then
if number < 87 then
-- 86 fairness.ranked_key
return function(queue, number)
  return namespace_prefix .. 'ranked_tasks_' .. queue .. (number == '' and '' or '/' .. number)
end
else
-- 87 fairness.tasks_key
return function(queue, key, number)
  return namespace_prefix .. 'key_tasks_' .. queue .. '/' .. key .. (number == '' and '' or '/' .. number)
end
end
else
if number < 89 then
-- 88 fairness.rank
return function(us)
  return string.format('%016.0f', us)
end
else
if number < 90 then
-- 89 fairness.front_rank
return function(us)
  return '-' .. cold(88)(9007199254740991 - us)
end
else
-- 90 fairness.list_rank
return function(updated, front)
  local us = (tonumber(updated) or -1) * 1000000
  if not (us >= 0 and us <= namespace_now_us) then
    us = namespace_now_us
  end
  return front and cold(89)(us) or cold(88)(us)
end
end
end
end
else
if number < 93 then
if number < 92 then
-- 91 fairness.sort_value
return function(rank)
  if string.sub(rank, 1, 1) == '-' then
    return tonumber(string.sub(rank, 2)) - 9007199254740992
  end
  return tonumber(rank)
end
else
-- 92 fairness.issued_at
return function(rank)
  local order = cold(91)(rank)
  return order < 0 and -order - 1 or order
end
end
else
if number < 94 then
-- 93 fairness.refresh
return function(queue, key, number)
  local entries, field = cold(155)('turns', queue), key .. '/' .. number
  local first = redis.call('ZRANGE', cold(87)(queue, key, number), 0, 0, 'WITHSCORES')
  local current, wanted = redis.call('HGET', entries, field) or nil, nil
  if first[1] then
    local rank, weight = string.match(first[1], '^(%S+) %S+ (%S+)$')
    local fits, free = cold(135)(queue, key, weight)
    if fits then
      local served = redis.call('HGET', entries, key)
      if served and cold(91)(served) > cold(91)(rank) then
        rank = served
      end
      wanted = first[2] .. ' ' .. rank
    elseif free then
      redis.call('ZADD', cold(155)('delayed', queue), string.format('%.0f', free), key)
    end
  end
  if current == wanted then
    return
  end
  local ranked, rank = cold(86)(queue, number), nil
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
if number < 95 then
-- 94 fairness.refresh_all
return function(queue, key)
  local waits = false
  for _, number in ipairs(cold(165)(queue)) do
    cold(93)(queue, key, number)
    waits = waits or redis.call('EXISTS', cold(87)(queue, key, number)) == 1
  end
  if not waits and not redis.call('HGET', cold(155)('places', queue), 'k:' .. key) then
    redis.call('HDEL', cold(155)('turns', queue), key)
    redis.call('ZREM', cold(155)('delayed', queue), key)
  end
end
else
-- 95 fairness.plan_refresh
return function(queue, keys)
  if #keys > 0 then
    cold(159)()
    cold(158)('HLEN', cold(155)('turns', queue))
    cold(158)('HLEN', cold(155)('limits', queue))
    cold(158)('HLEN', cold(155)('places', queue))
    cold(158)('ZCARD', cold(155)('delayed', queue))
    for _, key in ipairs(keys) do
      cold(158)('LLEN', cold(133)(queue, key))
    end
  end
  for _, number in ipairs(#keys > 0 and cold(165)(queue) or {}) do
    cold(158)('ZCARD', cold(86)(queue, number))
    for _, key in ipairs(keys) do
      cold(158)('ZCARD', cold(87)(queue, key, number))
    end
  end
end
end
end
end
end
end
else
if number < 105 then
if number < 100 then
if number < 98 then
if number < 97 then
-- 96 graphs.key
return function(graph)
  return cold(155)('graph', graph)
end
else
-- 97 graphs.tasks
return function(graph)
  return cold(155)('members', graph)
end
end
else
if number < 99 then
-- 98 graphs.chosen
return function(graph)
  return cold(155)('chosen', graph)
end
else
-- 99 graphs.all
return function()
  return namespace_prefix .. 'graphs'
end
end
end
else
if number < 102 then
if number < 101 then
-- 100 graphs.on_failure
return function(id)
  if not id then
    return false
  end
  local known = cold(156)('on_failure')
  known[id] = known[id] or redis.call('HGET', cold(96)(id), 'on_failure') or 'cancel'
  return known[id]
end
else
-- 101 graphs.runs_anew
return function(graph, id)
  local doing = redis.call('HGET', cold(96)(graph), 'doing')
  return (doing == 'anew' or doing == 'mark_anew')
    and tonumber(redis.call('ZSCORE', cold(98)(graph), id) or 0) > 0
end
end
else
if number < 103 then
-- 102 graphs.counted
return function(length)
  return length >= 256 and length or 0
end
else
if number < 104 then
-- 103 graphs.most
return function()
  return cold(225)('*', 'graph_bytes')
end
else
-- 104 graphs.has_room
return function(id, bytes)
  local known = cold(156)('graph_bytes')
  local all = (known[id] or tonumber(redis.call('HGET', cold(157)(cold(96)(id)), 'bytes') or 0)) + bytes
  if all > tonumber(cold(103)()) then
    return false
  end
  known[id] = all
  return true
end
end
end
end
end
else
if number < 110 then
if number < 107 then
if number < 106 then
-- 105 graphs.unlimit
return function(bounds)
  for _, bound in ipairs(bounds) do
    redis.call('HDEL', bound.limits, bound.key)
  end
end
else
-- 106 graphs.plan_unlimit
return function(graph)
  local bounds = {}
  for queue, key in string.gmatch(redis.call('HGET', cold(96)(graph), 'bounds') or '', '([^/ ]+)/([^= ]+)=') do
    bounds[#bounds + 1] = { limits = cold(155)('limits', queue), key = key }
    cold(158)('HLEN', bounds[#bounds].limits)
  end
  return bounds
end
end
else
if number < 108 then
-- 107 graphs.count
return function(task, to)
  local key = cold(96)(task.graph)
  if cold(304)(to) then
    redis.call('HINCRBY', key, to, 1)
  end
  if task.status and cold(304)(task.status) then
    redis.call('HINCRBY', key, task.status, -1)
  end
  if to == 'deleted' and redis.call('HINCRBY', key, 'left', -1) == 0 then
    cold(105)(task.bounds)
    redis.call('UNLINK', key, cold(97)(task.graph))
    redis.call('ZREM', cold(99)(), task.graph)
  end
end
else
if number < 109 then
-- 108 groups.name
return function(value, what)
  if value == '' or #value <= 128 and string.find(value, '^[%w._:@-]+$') then
    return value
  end
  cold(12)(value, 65536, what)
  local text = cold(109)(string.sub(value, 1, 4096))
  return #text > 512 and cold(109)(string.sub(text, 1, 512)) or text
end
else
-- 109 groups.common
return function(text)
  text = string.gsub(string.gsub(text, '[%z\1-\32\127]+', ' '), '[\128-\255]+', cold(110))
  for _ = 1, 8 do
    local last = text
    text = string.gsub(string.gsub(text, '[%w._:@+-]+', cold(111)), '#[#.,:+-]*#', '#')
    if text == last then
      break
    end
  end
  return (string.gsub(string.gsub(text, '^ ', ''), ' $', ''))
end
end
end
end
else
if number < 112 then
if number < 111 then
-- 110 groups.readable
return function(bytes)
  return (string.gsub(bytes, '([\192-\255]?)([\128-\191]*)', function(head, rest)
    local first = string.byte(head) or 0
    local size = (first < 194 or first > 244) and 0 or first < 224 and 1 or first < 240 and 2 or 3
    local second = string.byte(rest) or 0
    local low = first == 224 and 160 or first == 240 and 144 or 128
    local high = first == 237 and 159 or first == 244 and 143 or 191
    if head .. rest ~= '' and (size == 0 or #rest ~= size or second < low or second > high) then
      return '?'
    end
  end))
end
else
-- 111 groups.word
return function(word)
  if string.find(word, '%w@%w') or string.find(word, '%d') and string.find(word, '^[%x:][%x:.]*[%x:]$')
    and string.find(word, ':[%x.]*:') then
    return '#'
  elseif string.find(word, '%d') then
    return (string.gsub(string.gsub(word,
      '%x%x%x%x%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x', '#'), '%w+', cold(112)))
  end
end
end
else
if number < 113 then
-- 112 groups.part
return function(part)
  local unit = string.match(part, '^%d+(%a?%a?%a?)$')
  local _, digits = string.gsub(part, '%d', '')
  if digits == 0 then
    return nil
  elseif unit then
    return '#' .. unit
  elseif string.find(part, '^%d') or #part >= 8 and string.find(part, '^%x+$') or #part >= 16 and digits >= 4 then
    return '#'
  end
end
else
if number < 114 then
-- 113 groups.key
return function(queue, group)
  if #group > 128 or string.find(group, '[^%w._:@-]') then
    group = '~' .. redis.sha1hex(group)
  end
  return namespace_prefix .. 'group_' .. queue .. '/' .. group
end
else
-- 114 groups.plan
return function(task, to)
  if to ~= 'failed' then
    task.group = redis.call('HGET', namespace_prefix .. 'task_' .. task.id, 'group') or ''
  end
  local key = cold(113)(task.queue, task.group or '')
  cold(158)('ZCARD', cold(155)('groups', task.queue))
  cold(158)('ZCARD', key)
  if to ~= 'failed' and not redis.call('ZSCORE', key, task.id) then
    task.group = nil
  end
end
end
end
end
end
end
end
else
if number < 134 then
if number < 124 then
if number < 119 then
if number < 117 then
if number < 116 then
-- 115 groups.enter
return function(task, now)
  local group = task.group or ''
  local key = cold(113)(task.queue, group)
  redis.call('ZADD', key, now, task.id)
  redis.call('ZADD', cold(155)('groups', task.queue), redis.call('ZCARD', key), group)
end
else
-- 116 groups.leave
return function(task)
  if task.group then
    cold(283)(cold(113)(task.queue, task.group), cold(155)('groups', task.queue), task.group, task.id)
  end
end
end
else
if number < 118 then
-- 117 history.fields
return function()
  return 'status', 'created', 'promoted', 'reserved', 'started', 'updated', 'node', 'attempt', 'outcome', 'group',
    'error', 'schedule', 'slot',
    'ended', 'cost', 'cost_of', 'readied'
end
else
-- 118 history.last
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
if number < 121 then
if number < 120 then
-- 119 history.derive
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
    step(moved and cold(149)(since * 1000000) or created,
      readied and 'waiting' or promoted and 'scheduled' or cold(303)(status) and status or 'pending',
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
-- 120 history.plan
return function(task, to)
  if to == 'deleted' then
    cold(157)(cold(155)('history', task.id))
  elseif task.status then
    local key = cold(155)('history', task.id)
    cold(158)('XLEN', key)
    if namespace_declared and select(5, cold(118)(key, cold(208)(task.id))) then
      cold(159)()
    end
  end
end
end
else
if number < 122 then
-- 121 history.archive
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
  cold(122)(task, event, outcome, group, text, cost)
end
else
if number < 123 then
-- 122 history.add
return function(task, event, outcome, group, text, cost)
  local key = cold(155)('history', task.id)
  local told = redis.call('HMGET', cold(155)('task', task.id), cold(117)())
  local number, since, reached, nth, stale, cause = cold(118)(key, told[2])
  if stale then
    redis.call('UNLINK', key)
  end
  local kept = cold(119)(told, since, reached, nth, cause)
  kept[#kept + 1] = { event.at, task.status, event.to, task.attempt, event.by, event.why, outcome, group, text, cost,
    unpack(event.note or {}) }
  local most = cold(225)(task.queue, 'history')
  for i, v in ipairs(kept) do
    redis.call('XADD', key, 'MAXLEN', most, string.format('%.0f-0', number + i),
      'at', v[1], 'from', v[2], 'to', v[3], 'attempt', v[4], 'by', v[5], 'why', v[6], 'outcome', v[7], 'group', v[8],
      'error', v[9], 'cost', v[10], unpack(v, 11))
  end
end
else
-- 123 interruption.target
return function(task, back, known)
  task.losses, task.fruitless = tonumber(known.losses or 0) + 1, tonumber(known.fruitless or 0) + 1
  if task.cancel then
    task.overdue = cold(50)(task)
    task.group = task.overdue and 'deadline' or nil
    return task.overdue and 'failed' or 'cancelled'
  end
  task.group = 'lost'
  if task.losses > tonumber(known.max_losses or cold(225)(task.queue, 'max_losses')) then
    return 'failed'
  end
  if back ~= 'pending' then
    return back
  end
  local to = cold(35)(task, back)
  return to == 'pending' and cold(217)(task, cold(124)(task, known)) or to
end
end
end
end
end
else
if number < 129 then
if number < 126 then
if number < 125 then
-- 124 interruption.pause
return function(task, known)
  local pause = tonumber(known.lost_delay or cold(225)(task.queue, 'lost_delay'))
  if known.grows and task.fruitless > 1 then
    pause = math.max(pause, math.min(2 ^ (task.fruitless - 2), 300))
  end
  return math.floor(pause * 1000000)
end
else
-- 125 interruption.move
return function(task, to, why, text)
  local more = {}
  if task.overdue then
    task.forget, more = cold(51)(), { 'group', 'deadline', 'error', 'its deadline has passed' }
  elseif to == 'failed' then
    more = { 'group', 'lost', 'error', 'lost ' .. task.losses .. ' times: '
      .. (text or 'its owners stopped reporting') }
  elseif to == 'pending' then
    task.front, task.forget, more = true, { cold(258)() }, { 'front', '1' }
  elseif to == 'scheduled' then
    task.forget, more = { cold(258)() }, { 'front', '1', 'eta', task.eta }
    if task.own_eta then
      more[5], more[6] = 'retry_eta', '1'
    end
  elseif task.replaced then
    more = { cold(36)(task) }
  end
  state_move(task, to, why, '',
    'ended', task.token, 'outcome', 'lost', 'losses', task.losses,
    'fruitless', task.fruitless, unpack(more))
  cold(174)(task.queue)
end
end
else
if number < 127 then
-- 126 interruption.died
return function(task, text)
  local v = redis.call('HMGET', namespace_prefix .. 'task_' .. task.id, 'max_losses', 'losses', 'fruitless',
    'lost_delay')
  local to = cold(123)(task, 'pending',
    { max_losses = v[1], losses = v[2], fruitless = v[3], lost_delay = v[4], grows = true })
  cold(264)(task, to)
  cold(162)()
  cold(125)(task, to, 'lost', text)
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
          if not namespace_declared or cold(161)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(262)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
  return 'lost'
end
else
if number < 128 then
-- 127 joins.key
return function(id)
  return namespace_prefix .. 'joined_' .. id
end
else
-- 128 joins.list
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
else
if number < 131 then
if number < 130 then
-- 129 joins.collect
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
-- 130 joins.is_long
return function(id, slots, bytes)
  local joined = cold(156)('joined')
  local all = (joined.bytes or 0) + bytes
  if slots == 0 or bytes <= 262144 and all <= 1048576 then
    joined.bytes = slots > 0 and all or joined.bytes
    return false
  end
  cold(158)('ZCARD', cold(56)())
  cold(157)(cold(127)(id))
  cold(157)(cold(155)('task', id))
  return true
end
end
else
if number < 132 then
-- 131 joins.begin
return function(id)
  redis.call('UNLINK', cold(53)(id), cold(127)(id))
  redis.call('HDEL', cold(55)(id), 'joined', 'lengths', cold(185)())
  redis.call('HSET', cold(155)('task', id), 'cascade', 'join')
  redis.call('ZADD', cold(56)(), namespace_now, id)
end
else
if number < 133 then
-- 132 json.decodes
return function(text)
  return (pcall(cjson.decode, text))
end
else
-- 133 limits.starts_key
return function(queue, key)
  return namespace_prefix .. 'rate_' .. queue .. (key and '/' .. key or '')
end
end
end
end
end
end
else
if number < 144 then
if number < 139 then
if number < 136 then
if number < 135 then
-- 134 limits.of_key
return function(queue, key)
  local own, rate = string.match(redis.call('HGET', cold(155)('limits', queue), key) or '- -', '^(%S+) (%S+)$')
  own = tonumber(own ~= '-' and own or cold(225)(queue, 'key_concurrency'))
  if rate ~= '-' then
    return own, rate, 0
  end
  return own, cold(225)(queue, 'key_rate'), cold(227)(queue, 'key_rate')
end
else
-- 135 limits.fits
return function(queue, key, weight)
  local most, rate, since = cold(134)(queue, key)
  if weight == 'solo' then
    most, weight = 1, 1
  end
  if most then
    local used = tonumber(redis.call('HGET', cold(155)('places', queue), 'k:' .. key) or 0)
    if used + math.min(tonumber(weight), most) > most then
      return false
    end
  end
  return cold(137)(cold(133)(queue, key), rate, since)
end
end
else
if number < 137 then
-- 136 limits.start_expires
return function(starts, back, seconds, since)
  local last = tonumber(redis.call('LINDEX', starts, back) or nil)
  if last and last >= since and tonumber(redis.call('LINDEX', starts, 0)) <= namespace_now_us then
    return last + seconds * 1000000
  end
end
else
if number < 138 then
-- 137 limits.rate_allows
return function(starts, rate, since)
  if not rate then
    return true
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local free = cold(136)(starts, number - 1, seconds, since)
  if free and free > namespace_now_us then
    return false, free
  end
  return true
end
else
-- 138 limits.allowed_at
return function(starts, rate, since, before)
  if not rate then
    return 0
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local rounds = math.floor(before / number)
  local free = cold(136)(starts, number - 1 - before % number, seconds, since) or namespace_now_us
  return math.max(free, namespace_now_us) + rounds * seconds * 1000000
end
end
end
end
else
if number < 141 then
if number < 140 then
-- 139 limits.take
return function(task)
  local queue, key, weight = task.queue, task.fair_key, tonumber(task.weight or 1)
  local held = cold(155)('places', queue)
  redis.call('HSET', held, 'a:' .. task.id .. ' ' .. task.issue,
    weight .. ' ' .. (key or '') .. (task.shared and ' ' .. task.shared or ''))
  if task.shared then
    cold(251)(task.shared)
  end
  if weight > 1 then
    redis.call('HINCRBY', held, 'extra', weight - 1)
  end
  if key then
    local _, rate = cold(134)(queue, key)
    redis.call('HINCRBY', held, 'k:' .. key, weight)
    redis.call('HSET', cold(155)('turns', queue), key, cold(88)(namespace_now_us))
    cold(140)(cold(133)(queue, key), rate, string.format('%.0f', namespace_now_us))
  end
end
else
-- 140 limits.record_start
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
if number < 142 then
-- 141 limits.release
return function(queue, id, token)
  local held, member = cold(155)('places', queue), 'a:' .. id .. ' ' .. token
  local weight, key, shared = string.match(redis.call('HGET', held, member) or '', '^(%d+) (%S*) ?(%S*)$')
  if not weight then
    return
  end
  redis.call('HDEL', held, member)
  if shared ~= '' then
    cold(252)(shared, queue)
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
    cold(94)(queue, key)
  end
end
else
if number < 143 then
-- 142 limits.queue_allows
return function(queue, weight)
  local most = tonumber(cold(225)(queue, 'concurrency'))
  if most then
    local used = redis.call('ZCARD', cold(155)('leases', queue))
      + tonumber(redis.call('HGET', cold(155)('places', queue), 'extra') or 0)
    if used + math.min(weight, most) > most then
      return false
    end
  end
  local rate = cold(225)(queue, 'rate')
  if not rate then
    return true
  end
  return cold(137)(cold(133)(queue), rate, cold(227)(queue, 'rate'))
end
else
-- 143 listeners.require
return function(queue, listener)
  if redis.call('SISMEMBER', namespace_prefix .. 'listeners_' .. queue, listener) == 0 then
    cold(1)(queue, 'queue')
    cold(3)(listener)
    cold(160)(namespace_prefix .. 'listeners_' .. queue)
    cold(209)('NOLISTENER', 'this listener is not registered on the queue: register it, then repeat the call')
  end
end
end
end
end
end
else
if number < 149 then
if number < 146 then
if number < 145 then
-- 144 listeners.seen
return function(queue, listener)
  redis.call('ZADD', cold(155)('seen', queue), namespace_now, listener)
end
else
-- 145 listeners.refuse
return function(queue, listener)
  local key = cold(157)(namespace_prefix .. 'orders_' .. queue)
  if redis.call('HEXISTS', key, 'l:' .. listener) == 1 then
    cold(209)('DRAINING', 'this listener was ordered to drain: finish its tasks and unregister it')
  end
end
end
else
if number < 147 then
-- 146 logs.index
return function()
  return namespace_prefix .. 'logs'
end
else
if number < 148 then
-- 147 logs.size
return function(id)
  local v = redis.call('HMGET', cold(157)(cold(155)('logged', id)), 'head', 'tail')
  if v[1] then
    cold(158)('ZCARD', cold(146)())
    return v[1] + v[2]
  end
end
else
-- 148 logs.forget
return function(id, size)
  redis.call('UNLINK', cold(155)('logged', id))
  redis.call('ZREM', cold(146)(), id)
  redis.call('HINCRBY', namespace_meta, 'logs', -size)
end
end
end
end
else
if number < 151 then
if number < 150 then
-- 149 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
-- 150 namespace.digits
return function(us)
  local micros = us % 1000000
  return string.format('%d%06d', (us - micros) / 1000000, micros)
end
end
else
if number < 152 then
-- 151 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(209)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(209)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
if number < 153 then
-- 152 namespace.use_test_time
return function(now)
  namespace_now_us = cold(9)(now or cold(209)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(209)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(149)(namespace_now_us)
end
else
-- 153 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(149)(namespace_now_us)
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
if number < 230 then
if number < 192 then
if number < 173 then
if number < 163 then
if number < 158 then
if number < 156 then
if number < 155 then
-- 154 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
-- 155 namespace.key
return function(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end
end
else
if number < 157 then
-- 156 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
else
-- 157 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
end
end
else
if number < 160 then
if number < 159 then
-- 158 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(157)(key)
  end
  return redis.call(command, key)
end
else
-- 159 namespace.require_settled_slot
return function()
  cold(157)(namespace_prefix .. 'unmoved')
end
end
else
if number < 161 then
-- 160 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(209)(cold(211)())
  end
end
else
if number < 162 then
-- 161 namespace.is_here
return function(key)
  return type(redis.pcall('EXISTS', namespace_meta, key)) == 'number'
end
else
-- 162 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(222)()
  if namespace_declared then
    cold(163)(first, ...)
  end
end
end
end
end
end
else
if number < 168 then
if number < 165 then
if number < 164 then
-- 163 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(160)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(222)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
else
-- 164 needs.class
return function(task)
  if task.shared then
    return (task.needs or '') .. '|' .. task.shared
  end
  return task.needs
end
end
else
if number < 166 then
-- 165 needs.numbers
return function(queue)
  local numbers = { '' }
  for _, known in ipairs(redis.call('HVALS', cold(155)('needs', queue))) do
    numbers[#numbers + 1] = string.match(known, '^%d+')
  end
  return numbers
end
else
if number < 167 then
-- 166 needs.number
return function(queue, wanted)
  if not wanted then
    return ''
  end
  return string.match(redis.call('HGET', cold(155)('needs', queue), wanted) or '', '^%d+')
end
else
-- 167 needs.plan
return function(queue, wanted)
  local number, given = cold(166)(queue, wanted), cold(156)('needs')[queue] or {}
  if number or given[wanted] then
    return number or given[wanted]
  end
  local taken = {}
  for _, other in ipairs(cold(165)(queue)) do
    taken[other] = true
  end
  for _, other in pairs(given) do
    taken[other] = true
  end
  number = 1
  while taken[tostring(number)] do
    number = number + 1
  end
  given[wanted], cold(156)('needs')[queue] = tostring(number), given
  return given[wanted]
end
end
end
end
else
if number < 170 then
if number < 169 then
-- 168 needs.count
return function(queue, wanted, by)
  if not wanted then
    return ''
  end
  local known = cold(155)('needs', queue)
  local number, count = string.match(redis.call('HGET', known, wanted) or '', '^(%d+) (%d+)$')
  if not number then
    number, count = cold(167)(queue, wanted), 0
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
-- 169 needs.has
return function(text)
  local has = {}
  for name, number in string.gmatch(text or '', '([%w_.-]+)=?([%d.]*)') do
    has[name] = tonumber(number) or true
  end
  return has
end
end
else
if number < 171 then
-- 170 needs.suits
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
else
if number < 172 then
-- 171 orders.key
return function(queue)
  return cold(155)('orders', queue)
end
else
-- 172 orders.of
return function(task)
  return redis.call('HGET', cold(171)(task.queue), 't:' .. task.id)
end
end
end
end
end
end
else
if number < 182 then
if number < 177 then
if number < 175 then
if number < 174 then
-- 173 orders.plan
return function(queue)
  cold(158)('HLEN', cold(171)(queue))
end
else
-- 174 orders.announce
return function(queue)
  redis.pcall('PUBLISH', cold(171)(queue), '')
end
end
else
if number < 176 then
-- 175 owner.stale
return function(id, token, endings)
  owner_found_stale = true
  cold(1)(id, 'id')
  cold(8)(token, 1, 9007199254740991, 'token')
  cold(160)(namespace_prefix .. 'task_' .. id)
  local last = redis.call('HMGET', namespace_prefix .. 'task_' .. id, 'ended', 'outcome', 'group')
  local discarded = last[2] == 'failed' and last[3] == 'deadline'
  if last[1] == token and last[2] and (string.find(endings, last[2] .. ' ', 1, true)
    or discarded and string.find(endings, 'discarded', 1, true)) then
    return nil, last[2]
  end
  cold(209)('LOST', 'this attempt no longer holds the task: stop the work and discard its result')
end
else
-- 176 owner.alive
return function(task)
  if task.cancel and cold(172)(task) == 'lost' then
    cold(209)('LOST', 'this task was cancelled by force: stop the work, discard its result, and release the task')
  end
end
end
end
else
if number < 179 then
if number < 178 then
-- 177 owner.finish
return function(task, to, outcome, why, ...)
  local cost = task.cost
  if cost then
    task.cost = nil
    return cold(177)(task, to, outcome, why, 'cost', cost, 'cost_of', task.token, ...)
  end
  cold(264)(task, to)
  cold(162)()
  state_move(task, to, why, task.node, 'ended', task.token, 'outcome', outcome, ...)
  return outcome
end
else
-- 178 patterns.parse
return function(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end
end
else
if number < 180 then
-- 179 patterns.set
return function(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = cold(178)(one)
  end
  return set
end
else
if number < 181 then
-- 180 patterns.matches
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
-- 181 patterns.chooser
return function(set)
  local matches, out, wanted = cold(180), set.out, set.wanted
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
if number < 187 then
if number < 184 then
if number < 183 then
-- 182 patterns.list
return function(text)
  return namespace_prefix .. 'wakes_' .. string.sub(redis.sha1hex(text), 1, 16)
end
else
-- 183 patterns.rouse
return function(sets, queue)
  local left = {}
  for text in string.gmatch(sets, '%S+') do
    local list = cold(182)(text)
    if cold(181)(cold(179)(text))(queue) and (not namespace_declared or cold(161)(list)) then
      redis.pcall('LPUSH', list, '1')
    else
      left[#left + 1] = text
    end
  end
  return table.concat(left, ' ')
end
end
else
if number < 185 then
-- 184 quorum.has
return function(task)
  return task.ties and string.find(task.ties, 'k', 1, true)
end
else
if number < 186 then
-- 185 quorum.fields
return function()
  return 'least', 'some', 'missed', 'turn', 'owed'
end
else
-- 186 quorum.read
return function(id)
  local v = redis.call('HMGET', cold(157)(cold(55)(id)), cold(185)())
  return { least = tonumber(v[1] or 0), left = tonumber(v[2] or 0), missed = tonumber(v[3] or 0),
    turn = tonumber(v[4] or 1), owed = tonumber(v[5] or 0) }
end
end
end
end
else
if number < 189 then
if number < 188 then
-- 187 quorum.write
return function(id, set)
  redis.call('HSET', cold(55)(id), 'least', set.least, 'some', set.left, 'missed', set.missed, 'turn', set.turn,
    'owed', set.owed)
end
else
-- 188 quorum.chances
return function(set)
  return set.left - set.missed + set.owed
end
end
else
if number < 190 then
-- 189 quorum.is_ready
return function(set, open)
  return set.least <= 0 and open == set.left
end
else
if number < 191 then
-- 190 quorum.text
return function(slots, turn)
  return 'some' .. (turn or '') .. (slots ~= '' and '/' .. slots or '')
end
else
-- 191 quorum.take
return function(set, mark)
  if mark == '0' then
    set.owed = set.owed - 1
  else
    set.left, set.missed = set.left - 1, set.missed - (tonumber(mark) == set.turn and 1 or 0)
  end
end
end
end
end
end
end
end
else
if number < 211 then
if number < 201 then
if number < 196 then
if number < 194 then
if number < 193 then
-- 192 quorum.plan_end
return function(plan, task, up, to, mark, slots)
  local set, open = plan.set, redis.call('HLEN', cold(53)(plan.id))
  cold(191)(set, mark)
  plan.met = to == 'complete'
  if plan.met then
    set.least = set.least - 1
    return
  elseif to == 'deleted' then
    plan.gone, open = cold(57)(slots), open - 1
  else
    set.left, set.missed = set.left + 1, set.missed + 1
  end
  if cold(189)(set, open) then
    plan.met, plan.ready = true, true
    return
  end
  local may_wait = cold(100)(task.extra[5]) == 'hold' and set.least <= set.left + set.owed
  if set.least > cold(188)(set) and not may_wait then
    cold(193)(plan, up, open)
    plan.short = set.least > cold(188)(set)
  end
  plan.missed = not plan.short and cold(190)(slots, set.turn)
end
else
-- 193 quorum.plan_again
return function(plan, up, open)
  local set = plan.set
  plan.again = {}
  local found = open <= 300 and redis.call('HGETALL', cold(53)(plan.id)) or {}
  for i = 1, #found, 2 do
    local mark, slots = string.match(found[i + 1], '^some(%d+)/?(.*)$')
    if found[i] ~= up.id and tonumber(mark) == set.turn then
      local other = cold(207)(found[i])
      if other and not cold(304)(other.status) then
        cold(158)('ZCARD', cold(54)(found[i]))
        plan.again[found[i]], set.missed = { up = other, text = cold(190)(slots) }, set.missed - 1
      end
    end
  end
end
end
else
if number < 195 then
-- 194 quorum.miss
return function(up, plan)
  if plan.gone then
    redis.call('ZREM', cold(54)(up.id), plan.id)
    redis.call('HDEL', cold(53)(plan.id), up.id)
    cold(76)(plan.id, plan.gone)
  else
    redis.call('ZADD', cold(54)(up.id), 'inf', plan.id)
    redis.call('HSET', cold(53)(plan.id), up.id, plan.missed)
  end
  for id, edge in pairs(plan.again or {}) do
    redis.call('ZADD', cold(54)(id), namespace_now, plan.id)
    redis.call('HSET', cold(53)(plan.id), id, edge.text)
    cold(63)(edge.up)
  end
  cold(187)(plan.id, plan.set)
end
else
-- 195 quorum.drop
return function(id)
  redis.call('UNLINK', cold(53)(id), cold(55)(id))
end
end
end
else
if number < 198 then
if number < 197 then
-- 196 ranking.plan
return function(task)
  local queue, probe = task.queue, cold(158)
  if task.limited then
    probe('HLEN', cold(155)('places', queue))
  end
  if task.ranked then
    cold(159)()
    probe('ZCARD', cold(155)('lane_tasks', queue))
    local numbers = task.fair_key and cold(165)(queue) or {}
    local class = cold(164)(task)
    numbers[#numbers + 1] = class and cold(167)(queue, class) or ''
    for _, number in ipairs(numbers) do
      probe('ZCARD', cold(86)(queue, number))
      if task.fair_key then
        probe('ZCARD', cold(87)(queue, task.fair_key, number))
      end
    end
  end
  if task.fair_key then
    probe('HLEN', cold(155)('turns', queue))
    probe('HLEN', cold(155)('limits', queue))
    probe('ZCARD', cold(155)('delayed', queue))
    probe('LLEN', cold(133)(queue, task.fair_key))
    cold(225)(queue, 'key_rate')
  end
end
else
-- 197 ranking.member
return function(task)
  return task.rank .. ' ' .. task.id .. ' ' .. (task.solo and 'solo' or task.weight or '1')
end
end
else
if number < 199 then
-- 198 ranking.add
return function(task)
  local queue = task.queue
  local field = 'lanes:' .. queue
  local last = math.max(tonumber(redis.call('HGET', namespace_meta, field) or 0) + 1, namespace_now_us)
  redis.call('HSET', namespace_meta, field, string.format('%.0f', last))
  task.rank = task.place or task.front and cold(89)(last) or cold(88)(last)
  redis.call('ZADD', cold(155)('lane_tasks', queue), -tonumber(task.priority or 0), task.rank .. ' ' .. task.id)
  do
    local task = task
    local queue, score = task.queue, -tonumber(task.priority or 0)
    local number = cold(168)(queue, cold(164)(task), 1)
    if task.fair_key then
      if task.turn then
        redis.call('HSETNX', cold(155)('turns', queue), task.fair_key,
          cold(88)(math.min(task.turn, namespace_now_us)))
      end
      redis.call('ZADD', cold(87)(queue, task.fair_key, number), score, cold(197)(task))
      cold(93)(queue, task.fair_key, number)
    else
      redis.call('ZADD', cold(86)(queue, number), score, task.rank .. ' ' .. task.id)
    end
  end
  redis.call('HSET', namespace_prefix .. 'task_' .. task.id, 'rank', task.rank)
end
else
if number < 200 then
-- 199 ranking.remove_from_index
return function(queue, member)
  local all = cold(155)('lane_tasks', queue)
  if redis.call('ZCARD', all) - redis.call('ZREM', all, member) == 0 then
    redis.call('HDEL', namespace_meta, 'lanes:' .. queue)
  end
end
else
-- 200 ranking.remove
return function(task, to)
  cold(199)(task.queue, task.rank .. ' ' .. task.id)
  do
    local task, to = task, to
    local queue = task.queue
    local class = cold(164)(task)
    local number = cold(166)(queue, class)
    if task.fair_key then
      redis.call('ZREM', cold(87)(queue, task.fair_key, number), cold(197)(task))
      if cold(259)(task, to) then
        cold(139)(task)
      end
      cold(94)(queue, task.fair_key)
    else
      redis.call('ZREM', cold(86)(queue, number), task.rank .. ' ' .. task.id)
      if task.limited and cold(259)(task, to) then
        cold(139)(task)
      end
    end
    cold(168)(queue, class, -1)
  end
  redis.call('HDEL', namespace_prefix .. 'task_' .. task.id, 'rank')
end
end
end
end
end
else
if number < 206 then
if number < 203 then
if number < 202 then
-- 201 ranking.first
return function(queue, number, stale, low)
  local ranked = cold(86)(queue, number)
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
    local head = redis.call('ZRANGE', cold(87)(queue, key, number), 0, 0)[1]
    local weight
    found.member = head
    found.own, found.id, weight = string.match(head or '', '^(%S+) (%S+) (%S+)$')
    if found.id and cold(135)(queue, key, weight) then
      return found
    end
    stale[#stale + 1] = key
  end
end
else
-- 202 ranking.plan_discard
return function(queue, ghost)
  cold(158)('ZCARD', cold(155)('lane_tasks', queue))
  cold(158)('ZCARD', cold(86)(queue, ghost.number))
  cold(158)('HLEN', cold(155)('needs', queue))
  if ghost.key then
    cold(95)(queue, { ghost.key })
  end
end
end
else
if number < 204 then
-- 203 ranking.discard
return function(queue, ghost)
  local rank, id = string.match(ghost.member, '^(%S+) (%S+)')
  cold(199)(queue, rank .. ' ' .. id)
  if ghost.key then
    redis.call('ZREM', cold(87)(queue, ghost.key, ghost.number), ghost.member)
    cold(94)(queue, ghost.key)
  else
    redis.call('ZREM', cold(86)(queue, ghost.number), ghost.member)
  end
  local known = redis.call('HGETALL', cold(155)('needs', queue))
  for i = 1, #known, 2 do
    if string.match(known[i + 1], '^%d+') == ghost.number then
      cold(168)(queue, known[i], -1)
    end
  end
end
else
if number < 205 then
-- 204 ranking.precedes
return function(one, other)
  local rank, rival = cold(91)(one.rank), cold(91)(other.rank)
  return rank < rival or rank == rival and cold(91)(one.own) < cold(91)(other.own or other.rank)
end
else
-- 205 ranking.choose
return function(firsts, ageing)
  local best, least
  for score, first in pairs(firsts) do
    local value = ageing and score + cold(92)(first.rank) / ageing or score
    if not best or value < least
      or value == least and cold(91)(first.rank) < cold(91)(best.rank) then
      best, least = first, value
    end
  end
  return best
end
end
end
end
else
if number < 208 then
if number < 207 then
-- 206 ranking.next
return function(queue, known, best, stale)
  cold(159)()
  local ageing = (known.own or known.common) and tonumber(cold(225)(queue, 'ageing'))
  ageing = ageing and ageing * 1000000
  local waiting = redis.call('HGETALL', cold(155)('needs', queue))
  local has = #waiting > 0 and cold(169)(redis.call('HGET', cold(155)('has', queue), known.listener))
  waiting[#waiting + 1], waiting[#waiting + 2] = '', ''
  local levels, firsts, shut = 0, { [0] = best }, nil
  for i = 1, #waiting, 2 do
    local number = string.match(waiting[i + 1], '^%d*')
    local class = waiting[i]
    local bar = string.find(class, '|', 1, true)
    local wanted = bar and string.sub(class, 1, bar - 1) or class
    local low = wanted ~= '' and not cold(170)(has, wanted) and '+inf' or '-inf'
    if bar and low == '-inf' then
      if not shut then
        known.pool, shut = cold(241)(queue, waiting), cold(242)
      end
      low = shut(known.pool, class) and '+inf' or low
    end
    while low ~= '+inf' do
      local found = cold(201)(queue, number, stale, low)
      if bar and found then
        found = cold(245)(known.pool, class) and found
        if found then
          found.class = class
        end
      end
      if found and (not firsts[found.score] or cold(204)(found, firsts[found.score])) then
        firsts[found.score] = found
      end
      levels = levels + 1
      low = found and ageing and levels < 200 and '(' .. found.score or '+inf'
    end
  end
  return cold(205)(firsts, ageing)
end
else
-- 207 record.find
return function(id, ...)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(157)(key)
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
if number < 209 then
-- 208 record.created
return function(id)
  return tonumber(redis.call('HGET', namespace_prefix .. 'task_' .. id, 'created') or 0)
end
else
if number < 210 then
-- 209 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(210)() then
    code, text = cold(211)()
  end
  error({ err = code .. ' ' .. text })
end
else
-- 210 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
end
end
end
end
end
else
if number < 220 then
if number < 215 then
if number < 213 then
if number < 212 then
-- 211 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
-- 212 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(211)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
end
else
if number < 214 then
-- 213 reply.code
return function(raised)
  return string.match(cold(212)(raised).err, '^%-?(%u+)')
end
else
-- 214 retries.policy
return function(task)
  local names = { 'max_failures', 'backoff', 'delay', 'max_delay', 'jitter' }
  local own = redis.call('HMGET', namespace_prefix .. 'task_' .. task.id, unpack(names))
  local policy = {}
  for i, name in ipairs(names) do
    policy[name] = own[i] or cold(225)(task.queue, name)
  end
  return policy
end
end
end
else
if number < 217 then
if number < 216 then
-- 215 retries.fraction
return function(task, failures)
  return tonumber(string.sub(redis.sha1hex(task.id .. ' ' .. failures), 1, 8), 16) / 4294967296
end
else
-- 216 retries.pause
return function(task, failures, again)
  local policy = cold(214)(task)
  if failures > tonumber(policy.max_failures) then
    return nil
  elseif again then
    return again
  end
  local pause, most = tonumber(policy.delay), tonumber(policy.max_delay)
  if policy.backoff == 'exponential' then
    pause = pause * 2 ^ math.min(failures - 1, 40)
  end
  pause = math.min(pause, most)
  return math.floor(pause * (1 - policy.jitter / 100 * cold(215)(task, failures)) * 1000000)
end
end
else
if number < 218 then
-- 217 retries.plan
return function(task, pause)
  if pause == 0 then
    return 'pending'
  end
  task.eta = cold(149)(namespace_now_us + pause)
  task.own_eta = redis.call('HEXISTS', namespace_prefix .. 'task_' .. task.id, 'eta') == 0
  return 'scheduled'
end
else
if number < 219 then
-- 218 retries.finish
return function(task, to, outcome, why, ...)
  if to == 'scheduled' and task.own_eta then
    return cold(177)(task, to, outcome, why, 'eta', task.eta, 'retry_eta', '1', ...)
  elseif to == 'scheduled' then
    return cold(177)(task, to, outcome, why, 'eta', task.eta, ...)
  end
  cold(177)(task, to, outcome, why, ...)
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
          if not namespace_declared or cold(161)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(262)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
  return outcome
end
else
-- 219 rights.denied
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
if number < 225 then
if number < 222 then
if number < 221 then
-- 220 rights.refuse
return function(name)
  local role = string.match('WORKER', '^%u+$')
  if role and not cold(219)({ name }, 'meta') then
    cold(209)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(209)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
-- 221 rights.check
return function(names)
  local name = cold(219)(names, 'WORKER')
  if name then
    cold(220)(name)
  end
end
end
else
if number < 223 then
-- 222 rights.require
return function()
  cold(221)({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HGETALL', 'HINCRBY', 'HMGET', 'HSET', 'HSETNX', 'HVALS', 'LINDEX', 'LPUSH', 'LREM', 'LTRIM', 'RPOP', 'RPOPLPUSH', 'RPUSH', 'SADD', 'SREM', 'UNLINK', 'XADD', 'XREVRANGE', 'ZADD', 'ZCARD', 'ZRANGE', 'ZREM' })
end
else
if number < 224 then
-- 223 settings.rate
return function(value, what)
  local number, seconds = string.match(value, '^(%d+)/(%d+)$')
  if not number or #number > 4 or #seconds > 6 or tonumber(number) < 1
    or tonumber(number) > 1000 or tonumber(seconds) < 1
    or tonumber(seconds) > 604800 then
    cold(209)('BADARG', string.format('%s must be NUMBER/SECONDS: %d to %d starts in %d to %d seconds', what,
      1, 1000, 1, 604800))
  end
  return value
end
else
-- 224 settings.find
return function(text, name)
  return text and string.match(' ' .. text, ' ' .. name .. '=(%S+)')
end
end
end
end
else
if number < 227 then
if number < 226 then
-- 225 settings.get
return function(queue, name)
  local texts = cold(156)('settings')
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
-- 226 settings.micros
return function(queue, name)
  return cold(306)(name, cold(225)(queue, name), name)
end
end
else
if number < 228 then
-- 227 settings.since
return function(queue, name)
  cold(225)(queue, name)
  local own, common = unpack(cold(156)('settings')[queue], 1, 2)
  local since = cold(224)(cold(224)(own, name) and own or common, name .. '_since')
  return tonumber(since or 0)
end
else
if number < 229 then
-- 228 shares.limits_key
return function()
  return namespace_prefix .. 'shared_limits'
end
else
-- 229 shares.places_key
return function()
  return namespace_prefix .. 'shared_places'
end
end
end
end
end
end
end
end
else
if number < 268 then
if number < 249 then
if number < 239 then
if number < 234 then
if number < 232 then
if number < 231 then
-- 230 shares.waits_key
return function()
  return namespace_prefix .. 'shared_waits'
end
else
-- 231 shares.tasks_key
return function()
  return namespace_prefix .. 'shared_tasks'
end
end
else
if number < 233 then
-- 232 shares.expires_key
return function()
  return namespace_prefix .. 'shared_expires'
end
else
-- 233 shares.idle_key
return function()
  return namespace_prefix .. 'shared_idle'
end
end
end
else
if number < 236 then
if number < 235 then
-- 234 shares.turns_key
return function(name)
  return namespace_prefix .. 'shared_turns_' .. name
end
else
-- 235 shares.starts_key
return function(name)
  return namespace_prefix .. 'shared_rate_' .. name
end
end
else
if number < 237 then
-- 236 shares.of
return function(class)
  return string.match(class, '|(.+)$')
end
else
if number < 238 then
-- 237 shares.parts
return function(set)
  local parts = {}
  for name, weight in string.gmatch(set, '([%w_.-]+):?(%d*)') do
    parts[#parts + 1] = { name = name, weight = tonumber(weight) or 1 }
  end
  return parts
end
else
-- 238 shares.read
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
  local own = redis.call('HMGET', cold(228)(), unpack(names))
  local used = redis.call('HMGET', cold(229)(), unpack(names))
  for i, name in ipairs(names) do
    local most, rate = string.match(own[i] or '', '^(%S+) (%S+)$')
    known[name] = { missing = not most, most = tonumber(most), rate = rate ~= '-' and rate or nil,
      used = tonumber(used[i] or 0) }
  end
end
end
end
end
end
else
if number < 244 then
if number < 241 then
if number < 240 then
-- 239 shares.fits
return function(known, parts)
  local free
  for _, part in ipairs(parts) do
    local limit = known[part.name]
    if limit.missing or limit.most and limit.used + part.weight > limit.most then
      return false
    end
    local at = cold(138)(cold(235)(part.name), limit.rate, 0, 0)
    free = at > namespace_now_us and math.max(free or 0, at) or free
  end
  return not free, free
end
else
-- 240 shares.hopeless
return function(known, parts)
  for _, part in ipairs(parts) do
    local limit = known[part.name]
    if limit.missing or limit.most and part.weight > limit.most then
      return true
    end
  end
end
end
else
if number < 242 then
-- 241 shares.look
return function(queue, waiting)
  local pool = { queue = queue, known = {}, parts = {}, asked = {}, admitted = {}, asks = {}, offers = {}, gone = {} }
  local members, classes, all = {}, {}, {}
  local of, parse = cold(236), cold(237)
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
  cold(238)(pool.known, all)
  local asked = redis.call('HMGET', cold(230)(), unpack(members))
  for i, class in ipairs(classes) do
    pool.asked[class] = asked[i] or nil
  end
  return pool
end
else
if number < 243 then
-- 242 shares.is_shut
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
-- 243 shares.is_gone
return function(member, asked)
  local queue, class = string.match(member, '^(%S+) (%S+)$')
  local offered = tonumber(string.match(asked or '', ' (%d+)$'))
  return not asked or offered and offered + 5000000 <= namespace_now_us
    or redis.call('HEXISTS', namespace_meta, 'paused:' .. queue) == 1
    or redis.call('HEXISTS', cold(155)('needs', queue), class) == 0, offered
end
end
end
end
else
if number < 246 then
if number < 245 then
-- 244 shares.leaves
return function(pool, part, member)
  local limit, now = pool.known[part.name], namespace_now_us
  local places, starts, first, change = 0, 0, true, now + 10000000
  for _, other in ipairs(redis.call('ZRANGE', cold(234)(part.name), 0, 16 - 1)) do
    if other == member then
      return true
    end
    local gone, offered = cold(243)(other, redis.call('HGET', cold(230)(), other))
    if gone or pool.left and pool.left[other] then
      pool.gone[other] = true
    else
      local parts, weight = cold(237)(cold(236)(other)), 1
      cold(238)(pool.known, parts)
      for _, own in ipairs(parts) do
        weight = own.name == part.name and own.weight or weight
      end
      local fits = cold(239)(pool.known, parts) and not (limit.most and limit.used + places + weight > limit.most)
      if fits then
        pool.offers[other] = not offered or nil
        change = math.min(change, (offered or now) + 5000000)
      end
      if first or fits then
        places, starts = places + weight, starts + 1
      end
      first = false
      if limit.most and limit.used + places + part.weight > limit.most
        or cold(138)(cold(235)(part.name), limit.rate, 0, starts) > now then
        return false, change, other
      end
    end
  end
  return true
end
else
-- 245 shares.admits
return function(pool, class)
  if pool.admitted[class] ~= nil then
    return pool.admitted[class]
  end
  local parts, member = pool.parts[class], pool.queue .. ' ' .. class
  local may, free = cold(239)(pool.known, parts)
  for _, part in ipairs(may and parts or {}) do
    local leaves, change = cold(244)(pool, part, member)
    may = may and leaves
    free = change and math.min(free or math.huge, change) or free
  end
  if not may and not cold(240)(pool.known, parts) then
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
if number < 247 then
-- 246 shares.plan_write
return function(pool)
  local served = pool.served and pool.asked[pool.served] and pool.queue .. ' ' .. pool.served
  if served then
    pool.gone[served], pool.asks[served] = true, nil
  end
  if not (next(pool.asks) or next(pool.offers) or next(pool.gone)) then
    return
  end
  cold(158)('HLEN', cold(230)())
  for _, members in ipairs({ pool.asks, pool.gone }) do
    for member in pairs(members) do
      for _, part in ipairs(cold(237)(cold(236)(member))) do
        cold(158)('ZCARD', cold(234)(part.name))
      end
    end
  end
  for member in pairs(pool.offers) do
    cold(261)(string.match(member, '^%S+'))
  end
end
else
if number < 248 then
-- 247 shares.write
return function(pool)
  for member in pairs(pool.gone) do
    redis.call('HDEL', cold(230)(), member)
    for _, part in ipairs(cold(237)(cold(236)(member))) do
      redis.call('ZREM', cold(234)(part.name), member)
    end
  end
  for member, since in pairs(pool.asks) do
    redis.call('HSET', cold(230)(), member, since)
    for _, part in ipairs(cold(237)(cold(236)(member))) do
      redis.call('ZADD', cold(234)(part.name), since, member)
    end
  end
  for member in pairs(pool.offers) do
    local since = string.match(redis.call('HGET', cold(230)(), member) or '', '^%d+')
    if since then
      redis.call('HSET', cold(230)(), member, since .. ' ' .. string.format('%.0f', namespace_now_us))
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
            if not namespace_declared or cold(161)(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if state_roams ~= '' then
            cold(262)(queue)
          end
        end
        redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
      end
    end
  end
end
else
-- 248 shares.plan
return function(set, queue)
  cold(158)('HLEN', cold(229)())
  cold(158)('HLEN', cold(228)())
  for _, part in ipairs(cold(237)(set)) do
    if queue then
      cold(249)(part.name, queue, 4)
    else
      cold(158)('LLEN', cold(235)(part.name))
    end
  end
end
end
end
end
end
end
else
if number < 258 then
if number < 253 then
if number < 251 then
if number < 250 then
-- 249 shares.plan_wakes
return function(name, queue, most)
  local woken, key = cold(156)('woken'), name .. ' ' .. queue
  if woken[key] then
    return
  end
  woken[key] = {}
  local seen = { [queue] = true }
  for _, member in ipairs(redis.call('ZRANGE', cold(234)(name), 0, math.max(most, 16) - 1)) do
    local other = string.match(member, '^%S+')
    if #woken[key] < most and not seen[other] and redis.call('HEXISTS', namespace_meta, 'paused:' .. other) == 0 then
      seen[other] = true
      cold(261)(other)
      table.insert(woken[key], other)
    end
  end
end
else
-- 250 shares.wake
return function(name, queue)
  for _, other in ipairs(cold(156)('woken')[name .. ' ' .. queue] or {}) do
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
          if not namespace_declared or cold(161)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(262)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
end
else
if number < 252 then
-- 251 shares.take
return function(set)
  local now = string.format('%.0f', namespace_now_us)
  for _, part in ipairs(cold(237)(set)) do
    redis.call('HINCRBY', cold(229)(), part.name, part.weight)
    local rate = string.match(redis.call('HGET', cold(228)(), part.name) or '', ' (%d+/%d+)$')
    cold(140)(cold(235)(part.name), rate, now)
  end
end
else
-- 252 shares.release
return function(set, queue)
  for _, part in ipairs(cold(237)(set)) do
    if redis.call('HINCRBY', cold(229)(), part.name, -part.weight) <= 0 then
      redis.call('HDEL', cold(229)(), part.name)
    end
    cold(250)(part.name, queue)
  end
end
end
end
else
if number < 255 then
if number < 254 then
-- 253 shares.plan_count
return function()
  cold(158)('HLEN', cold(231)())
  cold(158)('HLEN', cold(232)())
  cold(158)('ZCARD', cold(233)())
end
else
-- 254 shares.count
return function(set, change)
  for _, part in ipairs(cold(237)(set)) do
    cold(255)(part.name, redis.call('HINCRBY', cold(231)(), part.name, change), change)
  end
end
end
else
if number < 256 then
-- 255 shares.note_tasks
return function(name, number, change)
  if number <= 0 then
    redis.call('HDEL', cold(231)(), name)
    cold(256)(name)
  elseif number == change then
    redis.call('ZREM', cold(233)(), name)
  end
end
else
if number < 257 then
-- 256 shares.begin_idle
return function(name)
  local expires = tonumber(redis.call('HGET', cold(232)(), name) or nil)
  if expires then
    redis.call('ZADD', cold(233)(), string.format('%.0f', namespace_now_us + expires * 1000000), name)
  end
end
else
-- 257 shares.count_task
return function(task, to)
  local open = task.status and not cold(304)(task.status)
  local opens = not cold(304)(to) and to ~= 'deleted' and to ~= 'moved'
  if opens and not open then
    cold(254)(task.shared, 1)
  elseif open and not opens then
    cold(254)(task.shared, -1)
  end
end
end
end
end
end
else
if number < 263 then
if number < 260 then
if number < 259 then
-- 258 state.attempt_fields
return function()
  return 'node', 'pid', 'reclaimed_node', 'cancel', 'recall', 'reserved', 'started', 'progress', 'progressed'
end
else
-- 259 state.takes
return function(task, to)
  return to == 'reserved' or to == 'started' and task.status == 'pending'
end
end
else
if number < 261 then
-- 260 state.probe_list
return function(list, task)
  if cold(158)('LLEN', list) <= 100 or task.from_end then
    return
  end
  local tail = redis.call('LINDEX', list, -1)
  if tail ~= task.id then
    local first = cold(208)(redis.call('LINDEX', list, 0))
    local last, own = cold(208)(tail), cold(208)(task.id)
    task.from_end = own - last < first - own and -1 or 1
  end
end
else
if number < 262 then
-- 261 state.plan_wake
return function(queue)
  local asleep = cold(156)('asleep')
  asleep[queue] = cold(158)('LLEN', namespace_prefix .. 'wake_' .. queue) == 0
  if not asleep['*'] then
    asleep['*'], state_roams = true, redis.call('HGET', namespace_meta, 'roams')
  end
end
else
-- 262 state.rouse
return function(queue)
  local left = cold(183)(state_roams, queue)
  if left ~= state_roams then
    state_roams = left
    redis.pcall('HSET', namespace_meta, 'roams', left)
  end
end
end
end
end
else
if number < 265 then
if number < 264 then
-- 263 state.plan_left
return function(task)
  local queue = task.queue
  if cold(158)('LLEN', cold(155)('pending_tasks', queue))
    + cold(158)('ZCARD', cold(155)('lane_tasks', queue)) > 1 then
    cold(261)(queue)
    task.wakes = true
  end
end
else
-- 264 state.plan
return function(task, to, taker)
  local probe, touch = cold(158), cold(157)
  local from, queue, prefix = task.status, task.queue, namespace_prefix
  local tasks, events = '_tasks_' .. queue, touch(prefix .. 'events_' .. queue)
  if task.ties then
    cold(41)(task, to, taker)
    if from == 'pending' and not taker and (task.weight or task.solo) then
      cold(263)(task)
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
        if (task.limited or cold(225)(queue, 'concurrency'))
          and (redis.call('LLEN', prefix .. 'pending_tasks_' .. queue) > 0
          or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1) then
          cold(261)(queue)
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
    cold(260)(prefix .. from .. tasks, task)
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
      cold(261)(queue)
      if task.ranked then
        task.last = false
      end
    end
  end
  if task.foreign or to == 'deleted' or to == 'moved' then
    probe('ZCARD', prefix .. 'tasks_' .. queue)
  end
  cold(265)(task, to)
end
end
else
if number < 266 then
-- 265 state.plan_own
return function(task, to)
  if to == 'deleted' then
    cold(157)(namespace_prefix .. 'log_' .. task.id)
    task.logged = cold(147)(task.id)
  end
  cold(120)(task, to)
  if to == 'failed' or task.status == 'failed' then
    cold(114)(task, to)
  end
end
else
if number < 267 then
-- 266 state.time
return function(task)
  local since, now = task.since, namespace_now
  if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
    now = since
  end
  return now
end
else
-- 267 state.record
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
    cold(121)(task, { to = to, why = why, by = by, at = now }, ...)
  end
  if to == 'deleted' or to == 'moved' then
    if to == 'deleted' then
      redis.call('UNLINK', key, prefix .. 'log_' .. id, prefix .. 'history_' .. id)
      if task.edge_keys then
        redis.call('UNLINK', unpack(task.edge_keys))
      end
      if task.logged then
        cold(148)(id, task.logged)
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
    cold(47)(task, to)
    if task.tracked then
      cold(301)(task, to, why, by, ...)
    end
  end
  if to == 'failed' then
    cold(115)(task, now)
  elseif from == 'failed' then
    cold(116)(task)
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
          if not namespace_declared or cold(161)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(262)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
  if task.dependents or task.unsettled then
    cold(73)(task)
  end
end
end
end
end
end
end
end
else
if number < 287 then
if number < 277 then
if number < 272 then
if number < 270 then
if number < 269 then
-- 268 state.take_all
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
else
-- 269 state.complete_all
return function(tasks)
  local first = tasks[1]
  local queue, prefix = first.queue, namespace_prefix
  local held = prefix .. 'reserved_tasks_' .. queue .. '_' .. first.node
  local leases, ids, started = {}, {}, {}
  for i = 1, #tasks do
    local task = tasks[i]
    leases[i], ids[i] = task.id .. ' ' .. task.token, task.id
    if task.status == 'started' then
      started[#started + 1] = task.node .. ' ' .. task.pid .. ' ' .. task.id
    end
  end
  redis.call('ZREM', prefix .. 'leases_' .. queue, unpack(leases))
  for i = 1, #ids do
    redis.call('LREM', held, '-1', ids[i])
  end
  if started[1] then
    redis.call('SREM', prefix .. 'started_tasks_' .. queue, unpack(started))
  end
  redis.call('LPUSH', prefix .. 'complete_tasks_' .. queue, unpack(ids))
end
end
else
if number < 271 then
-- 270 steps.other
return function(task, queue, created)
  local other = cold(38)(task, queue, created)
  other.unknown = not redis.call('ZSCORE', cold(157)(namespace_prefix .. 'queues'), queue)
  return other
end
else
-- 271 steps.add
return function(list, ...)
  for _, value in ipairs({ ... }) do
    list[#list + 1] = value
  end
end
end
end
else
if number < 274 then
if number < 273 then
-- 272 steps.plan
return function(task, other, to)
  cold(264)(task, 'moved')
  cold(264)(other, to)
  if other.queue == task.queue then
    cold(159)()
  end
end
else
-- 273 steps.move
return function(task, other, to, why, came, fields)
  state_move(task, 'moved', why, task.node, unpack(fields))
  state_move(other, to, came, '', 'queue', other.queue, 'attempt', other.attempt, 'ended', task.token, unpack(fields))
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
          if not namespace_declared or cold(161)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(262)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
end
else
if number < 275 then
-- 274 steps.forgotten
return function(...)
  local names = { 'token', 'lease', 'request', 'front', 'promoted', 'readied', cold(258)() }
  cold(271)(names, ...)
  return names
end
else
if number < 276 then
-- 275 steps.plan_plain
return function(task, other, to)
  local prefix, waits = namespace_prefix, '_tasks_' .. other.queue
  local may, role = redis.acl_check_cmd, prefix .. 'WORKER'
  local tasks, history_key = '_tasks_' .. task.queue, namespace_prefix .. 'history_' .. task.id
  local held = prefix .. 'reserved' .. tasks .. '_' .. task.node
  local started = task.status == 'started' and prefix .. 'started' .. tasks
  do
    local task, held, started = task, held, started
    task.last = redis.call('LINDEX', held, '-1') == task.id
    if started then
      redis.call('SCARD', started)
    end
  end
  redis.call('XLEN', prefix .. 'events_' .. task.queue)
  redis.call('XLEN', history_key)
  redis.call('ZCARD', prefix .. 'tasks_' .. task.queue)
  redis.call('ZCARD', prefix .. 'tasks_' .. other.queue)
  do
    local events, count, index = prefix .. 'events_' .. other.queue, to == 'pending' and 'LLEN' or 'ZCARD', prefix .. to .. waits
    redis.call('XLEN', events)
    redis.call(count, index)
  end
  if to == 'pending' then
    cold(261)(other.queue)
  end
  if may and not (may('HSET', role, '', '') and may('HDEL', namespace_meta, '') and may('XADD', history_key,
    '*', '', '') and may('UNLINK', history_key) and may('SREM', prefix .. 'started' .. tasks, '')
    and may('LREM', held, '', '') and may('ZREM', prefix .. 'tasks_' .. task.queue, '')
    and may('ZADD', prefix .. 'tasks_' .. other.queue, '1', '')
    and may('LPUSH', prefix .. 'wake_' .. other.queue, '')) then
    cold(222)()
  end
end
else
-- 276 steps.go_on
return function(task, result, cost, limited, asked)
  local v = redis.call('HMGET', cold(155)('task', task.id), 'steps', 'step', 'created')
  local first, rest = string.match(v[1] or '', '^([^,]+),?(.*)$')
  local queue = asked and asked.next or first or ''
  if queue == '' then
    if asked and not asked.next then
      cold(209)('BADARG', 'the task has no next step that could have parameters, an eta or options: name its queue'
        .. ' with next')
    end
    task.skips = first and 'steps'
    return nil
  elseif task.cancel then
    task.cost = cost
    return cold(177)(task, 'cancelled', 'cancelled', 'complete')
  end
  if task.ties == 's' then
    task.ties = nil
  end
  asked, rest = asked or {}, rest or ''
  if asked.compare then
    rest = asked.compare(task, asked, rest)
  end
  local other = cold(277)(task, queue, v[3], rest, asked.eta)
  local fields = { 'outcome', 'complete', 'step', (v[2] or 0) + 1 }
  cold(278)(other, fields, rest, task.edit)
  local parameters = asked.parameters or result ~= '' and result ~= 'null' and result
  if parameters then
    cold(271)(fields, 'parameters', parameters)
    other.forget[#other.forget + 1] = 'slots'
  end
  if cost then
    cold(271)(fields, 'cost', cost, 'cost_of', task.token)
  end
  local to = other.eta and 'scheduled' or 'pending'
  local undated = task.edit and task.edit.changed.deadline and not other.end_by
  if undated then
    cold(158)('ZCARD', cold(48)())
  end
  if not (task.ties or task.recall or limited or namespace_declared or task.edit) then
    cold(275)(task, other, to)
  else
    cold(272)(task, other, to)
    cold(162)()
  end
  cold(273)(task, other, to, 'next', 'next', fields)
  if undated then
    redis.call('ZREM', cold(48)(), task.id)
  end
  return 'complete'
end
end
end
end
end
else
if number < 282 then
if number < 279 then
if number < 278 then
-- 277 steps.next
return function(task, queue, created, rest, eta)
  local other = cold(270)(task, queue, created)
  if task.edit then
    cold(79)(task, other)
  end
  local ties = string.gsub(other.ties or '', 's', '') .. (rest ~= '' and 's' or '')
  if other.unique and cold(33)(other) then
    other.unique, other.nameless, ties = nil, true, string.gsub(ties, 'u', '')
  end
  other.ties, other.ranked = ties ~= '' and ties or nil, string.find(ties, 'r', 1, true) and true
  if other.ties and not other.bound then
    do
      local task = other
      task.bound = true
      task.ranked = string.find(task.ties, 'r', 1, true) and true
      task.limited = string.find(task.ties, 'p', 1, true) and true
      task.tracked = string.find(task.ties, 'o', 1, true)
    end
  end
  other.eta = eta and eta > namespace_now_us and cold(149)(eta) or nil
  return other
end
else
-- 278 steps.tell
return function(other, fields, rest, edit)
  local told = { steps = rest, ties = other.ties or '', eta = other.eta or '' }
  other.forget = cold(274)('failures', 'losses', 'releases', 'uncounted', 'fruitless', 'last_error', 'last_group',
    'checkpoint', 'checkpointed', 'retry_eta')
  if other.nameless then
    told.unique, told.unique_until = '', ''
  end
  for i = 1, edit and #edit.set or 0, 2 do
    told[edit.set[i]] = told[edit.set[i]] or edit.set[i + 1]
  end
  for _, name in ipairs(edit and edit.forget or {}) do
    told[name] = told[name] or ''
  end
  for name, value in pairs(told) do
    if value == '' then
      other.forget[#other.forget + 1] = name
    else
      cold(271)(fields, name, value)
    end
  end
end
end
else
if number < 280 then
-- 279 tags.key
return function(queue, tag)
  return namespace_prefix .. 'tag_' .. queue .. '/' .. tag
end
else
if number < 281 then
-- 280 tags.names
return function(text)
  local names = {}
  for tag in string.gmatch(text or '', '[^,]+') do
    names[#names + 1] = tag
  end
  return names
end
else
-- 281 tags.plan
return function(queue, text)
  cold(158)('ZCARD', cold(155)('tags', queue))
  for _, tag in ipairs(cold(280)(text)) do
    cold(158)('ZCARD', cold(279)(queue, tag))
  end
end
end
end
end
else
if number < 284 then
if number < 283 then
-- 282 tags.enter
return function(queue, id, created, text)
  for _, tag in ipairs(cold(280)(text)) do
    local key = cold(279)(queue, tag)
    redis.call('ZADD', key, created, id)
    redis.call('ZADD', cold(155)('tags', queue), redis.call('ZCARD', key), tag)
  end
end
else
-- 283 tags.remove
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
if number < 285 then
-- 284 tags.leave
return function(queue, id, text)
  for _, tag in ipairs(cold(280)(text)) do
    cold(283)(cold(279)(queue, tag), cold(155)('tags', queue), tag, id)
  end
end
else
if number < 286 then
-- 285 taking.fields
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
-- 286 taking.answer_again
return function(call)
  local answers, found, seen = {}, {}, {}
  for _, queue in ipairs(call.queues) do
    local held = cold(155)('reserved_tasks', queue .. '_' .. call.listener)
    for _, id in ipairs(redis.call('LRANGE', held, 0, (call.limit or 1) - 1)) do
      if not seen[id] then
        answers[#answers + 1] = cold(18)(id, call.listener, call.request)
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
end
end
else
if number < 297 then
if number < 292 then
if number < 289 then
if number < 288 then
-- 287 taking.take_more
return function(call, task, fields)
  cold(288)(call, task, fields)
  local prepare, commit = cold(290), cold(293)
  while task and call.number < call.limit and call.bytes <= 8388608 do
    local ok
    state_written, call.run, call.ghosts, call.asked = task, nil, nil, nil
    ok, task, fields = pcall(prepare, call)
    task = ok and task
    if task then
      commit(call, task, fields)
      cold(288)(call, task, fields)
    end
  end
end
else
-- 288 taking.count
return function(call, task, fields)
  for _, taken in ipairs(call.run or { task }) do
    call.number = (call.number or 0) + 1
    call.bytes = (call.bytes or 0) + cold(289)(taken.fields or fields)
  end
end
end
else
if number < 290 then
-- 289 taking.bytes
return function(fields)
  return #(fields[5] or '') + #(fields[10] or '')
end
else
if number < 291 then
-- 290 taking.prepare
return function(call)
  attempt_updates = false
  local value_1_1, value_1_2
  do
    local call = call
    local prefix, queues, meta, listener = namespace_prefix, call.queues, call.meta, call.listener
    local order = call.order and cold(25)(call)
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
          cold(19)({ id = id, queue = queue, status = 'pending', ties = v[7] })
        end
        skipped = skipped + 1
        cold(157)(prefix .. 'task_' .. id)
      end
      if skipped > 0 then
        ghosts = ghosts or {}
        ghosts[queue] = skipped
        cold(157)(pending)
      end
      if open and weighed then
        task, v = cold(22)(queue, task, v, {
          ranked = meta[at + 1], own = meta[at + 2], common = common, listener = listener, request = call.request,
        })
      elseif task and call.limit and not (order or skipped > 0 or task.ties or task.foreign) then
        cold(291)(call, task, v)
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
        cold(143)(queue, listener)
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
        cold(158)('ZCARD', prefix .. 'tasks_' .. queue)
      end
      if task.ties then
        cold(41)(task, pid and 'started' or 'reserved', listener)
      end
      if call.woken then
        local left = redis.call('LLEN', pending) - (call.run and #call.run or 1)
        call.wakes = (left > (ghosts and ghosts[queue] or 0) or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1)
          and queue
        if call.wakes then
          cold(261)(queue)
        end
        if call.queues[2] then
          cold(292)(call, queue)
        end
      end
      if attempt_updates then
        cold(23)()
      end
      if call.asked then
        cold(158)('HLEN', prefix .. 'rounds_' .. listener)
      end
      local may, role = redis.acl_check_cmd, namespace_prefix .. 'WORKER'
      if ghosts or call.asked or task.ties or task.foreign or attempt_updates or call.others then
        cold(222)()
      elseif may and not ((written or may('HSET', role, '', '') and may('XADD', events, '*', '', ''))
        and (call.run and may('LTRIM', pending, '', '') and may('LPUSH', held, '') or not call.run
          and may('RPOPLPUSH', pending, held))
        and (not pid or may('SADD', started, '')) and (not call.wakes or may('LPUSH', prefix .. 'wake_' .. queue, ''))) then
        cold(222)()
      end
      if namespace_declared then
        for _, taken in ipairs(call.run or { task }) do
          cold(157)(prefix .. 'task_' .. taken.id)
        end
        cold(163)(leases, pending, held, events, started or held)
      end
    end
  end
  return task, fields
end
else
-- 291 taking.look_behind
return function(call, first, fields)
  local prefix, queue, listener, number = namespace_prefix, first.queue, call.listener, call.number or 0
  local run, seen = { first }, { [first.id] = true }
  local bytes = (call.bytes or 0) + cold(289)(fields)
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
    bytes = bytes + cold(289)(v)
    run[#run + 1] = {
      id = id, queue = queue, status = 'pending', attempt = v[3], since = v[6], taker = listener, fields = v,
      issue = false, deadline = false, ends = false, lease = false,
    }
  end
  call.run = run[2] and run
end
end
end
end
else
if number < 294 then
if number < 293 then
-- 292 taking.plan_others
return function(call, taken)
  local prefix = namespace_prefix
  local others = {}
  for i, queue in ipairs(call.queues) do
    local waiting = redis.pcall('LLEN', prefix .. 'pending_tasks_' .. queue)
    if queue ~= taken and not call.meta[4 * i - 2] and type(waiting) == 'number'
      and (waiting > 0 or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1)
      and type(redis.pcall('LLEN', prefix .. 'wake_' .. queue)) == 'number' then
      cold(261)(queue)
      others[#others + 1] = queue
    end
  end
  call.others = others[1] and others
end
else
-- 293 taking.commit
return function(call, task, fields)
  if call.run then
    cold(294)(call)
  else
    if call.ghosts then
      redis.call('ZCARD', namespace_prefix .. 'leases_' .. task.queue)
      cold(20)(call.ghosts)
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
        local token, ends = cold(150)(us), us + lease
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
      cold(24)()
    end
    if call.asked then
      cold(27)(call.listener, call.asked, task.queue)
    end
    do
      local call, task, v = call, task, fields
      if call.found then
        cold(295)(call.found, task, v)
      else
        call.found = { task.id, task.queue, task.issue, tonumber(task.attempt), task.ends, task.lease,
          v[4] or '', v[8] or '0', v[9] or '0', v[5] or '', v[10] or false }
      end
    end
  end
end
end
else
if number < 295 then
-- 294 taking.commit_run
return function(call)
  local run, lease, pid, listener = call.run, call.lease or 60000000, call.pid, call.listener
  local apart, write, length = call.meta[#call.meta], cold(267), string.format('%.0f', lease)
  for i = 1, #run do
    do
      local task, lease, apart = run[i], lease, apart
      local us = namespace_now_us + 1
      namespace_now_us = us
      local token, ends = cold(150)(us), us + lease
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
  cold(268)(run, pid)
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
        cold(295)(call.found, task, v)
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
else
if number < 296 then
-- 295 taking.append
return function(found, task, v)
  local n = #found
  found[n + 1], found[n + 2], found[n + 3], found[n + 4] = task.id, task.queue, task.issue, tonumber(task.attempt)
  found[n + 5], found[n + 6] = task.ends, task.lease
  found[n + 7], found[n + 8], found[n + 9] = v[4] or '', v[8] or '0', v[9] or '0'
  found[n + 10], found[n + 11] = v[5] or '', v[10] or false
end
else
-- 296 taking.nothing
return function(call)
  local prefix, queues, listener = namespace_prefix, call.queues, call.listener
  for _, queue in ipairs(queues) do
    cold(143)(queue, listener)
    cold(158)('ZCARD', prefix .. 'seen_' .. queue)
    cold(157)(prefix .. 'pending_tasks_' .. queue)
    cold(145)(queue, listener)
  end
  if attempt_updates then
    cold(23)()
  end
  cold(162)()
  cold(20)(call.ghosts)
  for _, queue in ipairs(queues) do
    cold(144)(queue, listener)
  end
  if attempt_updates then
    cold(24)()
  end
end
end
end
end
end
else
if number < 302 then
if number < 299 then
if number < 298 then
-- 297 tracks.all
return function()
  return namespace_prefix .. 'tracked'
end
else
-- 298 tracks.key
return function()
  return namespace_prefix .. 'changes'
end
end
else
if number < 300 then
-- 299 tracks.plan
return function()
  cold(158)('XLEN', cold(298)())
  cold(158)('ZCARD', cold(297)())
end
else
if number < 301 then
-- 300 tracks.add
return function(task, at, what, from, to, by, why, text)
  redis.call('XADD', cold(298)(), 'MAXLEN', '~', '10000', '*', 'id', task.id, 'queue', task.queue, 'what', what,
    'from', from or '', 'to', to, 'attempt', task.attempt, 'at', at, 'by', by or '', 'why', why,
    'text', string.sub(text or '', 1, 1024))
  redis.pcall('PUBLISH', cold(298)(), '')
end
else
-- 301 tracks.transition
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
  cold(300)(task, cold(266)(task), 'state', task.status, to, by, why, text)
  if to == 'deleted' then
    cold(302)(task.id)
  end
end
end
end
end
else
if number < 304 then
if number < 303 then
-- 302 tracks.forget
return function(id)
  redis.call('ZREM', cold(297)(), id)
end
else
-- 303 contract.is_waiting
return function(status)
  return status == 'waiting' or status == 'scheduled' or status == 'pending'
end
end
else
if number < 305 then
-- 304 contract.is_final
return function(status)
  return status == 'complete' or status == 'failed' or status == 'cancelled'
end
else
if number < 306 then
-- 305 contract.option
return function(name, value)
  if name == 'pid' then
    return cold(8)(value, 1, 4194304, name)
  elseif name == 'lease' then
    return cold(9)(value, 1, 604800, name)
  elseif name == 'request' then
    return cold(1)(value, name)
  elseif name == 'woken' then
    return cold(7)(value, name)
  elseif name == 'order' then
    return cold(4)(value, ' strict round weighted ', name)
  elseif name == 'weights' then
    return cold(15)(value, name)
  elseif name == 'max_bytes' then
    return cold(8)(value, 0, 8388608, name)
  end
end
else
-- 306 contract.setting
return function(name, value, what)
  if name == 'lease' then
    return cold(9)(value, 1, 604800, what)
  elseif name == 'grace' then
    return cold(9)(value, 0, 86400, what)
  elseif name == 'max_failures' then
    return cold(8)(value, 0, 1000, what)
  elseif name == 'backoff' then
    return cold(4)(value, ' exponential fixed ', what)
  elseif name == 'delay' or name == 'max_delay' or name == 'lost_delay' then
    return cold(9)(value, 0, 31536000, what)
  elseif name == 'jitter' then
    return cold(8)(value, 0, 100, what)
  elseif name == 'max_losses' then
    return cold(8)(value, 0, 1000000000, what)
  elseif name == 'max_releases' or name == 'max_uncounted' then
    return cold(8)(value, 0, 1000000, what)
  elseif name == 'max_bytes' then
    return cold(8)(value, 0, 8388608, what)
  elseif name == 'log_bytes' then
    return cold(8)(value, 0, 268435456, what)
  elseif name == 'logs_bytes' then
    return cold(8)(value, 0, 1099511627776, what)
  elseif name == 'input_bytes' then
    return cold(8)(value, 1024, 16777216, what)
  elseif name == 'graph_bytes' then
    return cold(8)(value, 1024, 1099511627776, what)
  elseif name == 'forget_after' then
    return cold(9)(value, 60, 604800, what)
  elseif name == 'closed' then
    return cold(8)(value, 0, 1, what)
  elseif name == 'concurrency' or name == 'key_concurrency' then
    return cold(8)(value, 1, 1000000, what)
  elseif name == 'rate' or name == 'key_rate' then
    return cold(223)(value, what)
  elseif name == 'ageing' then
    return cold(9)(value, 1, 604800, what)
  elseif name == 'keep' then
    return cold(8)(value, 0, 10000000, what)
  elseif name == 'retain' then
    return cold(9)(value, 0, 100000000000, what)
  elseif name == 'events' then
    return cold(8)(value, 100, 100000, what)
  elseif name == 'audit' then
    return cold(8)(value, 100, 1000000, what)
  elseif name == 'history' then
    return cold(8)(value, 1, 1000, what)
  elseif name == 'statistics' then
    return cold(8)(value, 0, 400, what)
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
  local listener, names, limit, count = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
  if not count then
    cold(11)('listener queues limit count')
  end
  limit = limit == '1' and 1 or cold(8)(limit, 1, 100, 'limit')
  count = count == '1' and 1 or cold(8)(count, 0, 100, 'count')
  local last = 5 + 7 * count
  if not ARGV[last] then
    cold(209)('BADARG', 'missing argument: ending, id, token, body, group, again or cost')
  end
  local queues, meta
  if #names <= 128 and string.find(names, '^[%w._:@-]+$') then
    queues = { names }
    meta = redis.call('HMGET', namespace_meta, 'clock:1', 'paused:' .. names, 'lanes:' .. names,
      'settings:' .. names, 'drained:' .. names, 'limits', 'settings', 'token')
  else
    queues = cold(2)(names, 'queues')
    meta = redis.call('HMGET', namespace_meta, 'clock:1', cold(285)(queues))
  end
  do
    local clock = meta[1]
    if not clock or #KEYS ~= 1 or namespace_declared and not string.find(namespace_meta, '^[^_]*_meta$') then
      clock = cold(151)()
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
      cold(152)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(153)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(154)(floor)
    end
  end

  local call = {
    listener = listener, queues = queues, meta = meta, limit = limit > 1 and limit or nil, found = nil,
    lease = nil, request = nil, pid = nil, woken = nil, full = nil, refusal = nil, ended = false,
  }
  local most = 1048576
  for i = last + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if name == 'request' and value and not call.request and #value <= 128
      and string.find(value, '^[%w._:@-]+$') then
      call.request = value
    elseif name == 'pid' and value and not call.pid and string.find(value, '^[1-9]%d?%d?%d?%d?%d?$') then
      call.pid = value
    else
      local options = cold(14)(last)
      most = options.max_bytes or most
      call.lease, call.request, call.woken = options.lease, options.request, options.woken
      call.pid = options.pid and string.format('%d', options.pid)
      call.order, call.weights = cold(26)(queues, options.order, options.weights), options.weights
      break
    end
  end
  if #listener > 200 or not string.find(listener, '^[%w.:-]+_%d+$') then
    cold(3)(listener)
  end
  local ends = ending_read(count, most)

  call.ended = count > 0
  call.full = count > 0 and queues[1] and taking_full(queues[1])
  local verdicts = table.concat(ending_all(ends, listener, meta[#meta - 2]), ' ')
  if queues[1] then
    if ends.back or edges_readied then
      call.meta = redis.call('HMGET', namespace_meta, 'clock:1', cold(285)(queues))
    end
    taking_more(call)
  end
  return { verdicts, call.refusal or '', unpack(call.found or {}) }
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(212)(answer)
