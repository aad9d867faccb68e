-- Ends of attempts by their owners. Each function handles one end, from its checks to its last write, and returns the
-- outcome; and true if the end was made before, so that the call is a repetition.
local ending = {}

-- Maximum bytes of all bodies of one call: the size of the largest body.
ending.BYTES = 8388608

-- Completes a task with a result. `limited`: a queue of the namespace has limits, so the end may free places. `asked`:
-- the arguments for the next step. `ends`: the ends of a call that can have several ends. Sets `ends.written`, which
-- `reserving` uses, and `ends.back` if a task may be pending now.
-- @hot
-- @inline
function ending.complete(id, token, result, cost, limited, asked, ends)
  local task, stored = fence.task(id, token, 'complete cancelled discarded', 'outcome')
  local answer = not task and stored or nil
  if task and task.cancel then
    fence.alive(task)
    answer = ending.discard(task, cost)
  end
  if task and not answer and (asked or task.flags and string.find(task.flags, 's', 1, true)) then
    answer = steps.go_on(task, result, cost, limited, asked)
  end
  if task and not answer then
    ending.complete_task(task, stored, result, cost, limited, ends)
  end
  if ends and task and task.readied then
    ends.back = true
  end
  return answer or 'complete', not task
end

-- Ends an attempt whose result is no longer wanted. Returns the outcome, or nil if the result counts.
function ending.discard(task, cost)
  if redis.call('HGET', namespace.key('task', task.id), 'discard') then
    task.cost = cost
    return fence.finish(task, 'cancelled', 'cancelled', 'complete')
  elseif deadlines.decided(task) then
    task.cost = cost
    return deadlines.finish(task, 'complete')
  end
end

-- `stored`: the outcome of an earlier attempt, if the record has one.
-- @inline
function ending.complete_task(task, stored, result, cost, limited, ends)
  local id, token = task.id, task.token
  local prefix, tasks = namespace.prefix, '_tasks_' .. task.queue
  if task.attempt ~= '1' and (redis.call('HGET', prefix .. 'task_' .. id, 'failures') or '0') ~= '0' then
    task.forget = { 'error', 'group', 'last_error', 'last_group', 'cancel', 'requeue', task.skips }
  elseif task.skips then
    task.forget = { 'cancel', 'requeue', task.skips }
  end
  -- The leases are written first: if that key has another type, this write fails and nothing is changed.
  local held, ended, events = prefix .. 'reserved' .. tasks .. '_' .. task.node, prefix .. 'complete' .. tasks,
    prefix .. 'events_' .. task.queue
  local started = task.status == 'started' and prefix .. 'started' .. tasks
  state.read_left(task, held, started)
  state.read_entered(events, 'LLEN', ended)
  if task.flags and string.find(task.flags, '[pudgeoacn]') then -- all but ranks, tags, leases, upstreams and steps
    task.result = result
    state.plan_flags(task, 'complete')
  end
  if limited or task.limited then
    state.plan_free(task)
  end
  if task.cancel or task.requeue then
    orders.plan(task.queue)
  end
  local may, role = redis.acl_check_cmd, namespace.prefix .. rights.ROLE
  if task.flags or task.cancel or task.requeue or task.forget then
    rights.require()
  elseif may and not (may('HSET', role, '', '') and may('HDEL', namespace.meta, '')
    and may('XADD', events, '*', '', '') and (not started or may('SREM', started, ''))
    and (not task.last or may('RPOPLPUSH', held, ended))
    and (task.last or may('LREM', held, '', '') and may('LPUSH', ended, ''))
    and (not task.wakes or may('LPUSH', prefix .. 'wake_' .. task.queue, ''))) then
    rights.require()
  end
  if namespace.declared then
    namespace.begin_declared(prefix .. 'leases_' .. task.queue, held, events, ended, started or held)
  end
  if cost then
    state.move(task, 'complete', 'complete', task.node,
      'ended', token, 'outcome', 'complete', 'result', result, 'cost', cost, 'cost_of', token)
  elseif stored then
    state.move(task, 'complete', 'complete', task.node, 'ended', token, 'outcome', 'complete', 'result', result)
  else -- the outcome follows from the state: see `record.outcome`
    state.move(task, 'complete', 'complete', task.node, 'ended', token, 'result', result)
  end
  if ends and started then
    ends.written = task
  end
end

-- Ends an attempt with an error. The task is retried after its backoff while its failures are within its cap.
-- `options`: the options of `fail`.
-- @hot
function ending.fail(id, token, text, options)
  if options.again and options.final then
    reply.fail('BADARG', 'again and final contradict each other')
  end
  args.bytes(text, options.max_bytes or contract.PAYLOAD_HIGH, 'error')

  local task, failures = fence.task(id, token, 'failed retrying cancelled ', 'failures')
  if not task then
    return failures, true -- the first reply
  end
  fence.alive(task)
  failures, task.group, task.cost = tonumber(failures or 0) + 1, options.group, options.cost
  local to, outcome = 'failed', 'failed'
  if deadlines.decided(task) then
    return deadlines.finish(task, 'fail',
      'last_error', text, 'last_group', options.group or '', 'failures', failures)
  elseif task.cancel then
    to, outcome, task.forget = 'cancelled', 'cancelled', { 'cancel', 'requeue', 'error', 'group' }
  elseif not options.final then
    local pause = retries.pause(task, failures, options.again)
    if pause then
      outcome, task.forget = 'retrying', { 'error', 'group', 'front', record.attempt_fields() }
      to = holdings.state_after_release(task, retries.plan(task, pause))
      if to == 'cancelled' then
        outcome, task.forget = 'cancelled', nil
      end
    end
  end
  if to == 'failed' then
    if failures > 1 then
      task.forget = { 'last_error', 'last_group', 'requeue' }
    end
    return retries.finish(task, to, outcome, 'fail', 'error', text, 'group', options.group or '', 'failures', failures)
  end
  -- Blueque has the field `error` only for a failed task.
  return retries.finish(task, to, outcome, 'fail',
    'last_error', text, 'last_group', options.group or '', 'failures', failures, holdings.cancel_reason(task))
end

-- Gives the task back. `options`: the options of `release`, and `suspend`, a function, if the task may wait for
-- `inputs`.
-- @hot
function ending.release(id, token, options)
  if options.lost and (options.reason or options.again or options.uncounted or options.cost or options.inputs
    or options.into) then
    reply.fail('BADARG', 'lost cannot be combined with other options: it has its own count and delays')
  elseif options.inputs and options.again then
    reply.fail('BADARG', 'again and inputs contradict each other: the task comes back when it is ready')
  elseif options.into and (options.inputs or options.reason == 'next') then
    reply.fail('BADARG', 'into goes neither with inputs nor with the reason next: that is how a step ends')
  end
  local why = options.reason or 'release'

  local task, releases = fence.task(id, token, options.lost and 'lost ' or 'released cancelled failed ', 'releases')
  if not task then
    return releases, true -- the first reply
  elseif options.lost then
    return lost_attempts.died(task, options.lost)
  end
  task.cost = options.cost
  if task.requeue and why == 'drain' then
    why = 'requeue' -- owners stop in the same way for both orders, and report a drain
  end
  local counter, cap = 'releases', 'max_releases'
  if options.uncounted then -- a problem of the owner, not of the task
    counter, cap = 'uncounted', 'max_uncounted'
  end
  local v = redis.call('HMGET', namespace.prefix .. 'task_' .. id, counter, cap)
  local count = tonumber(v[1] or 0) + 1
  if deadlines.decided(task) then
    return deadlines.finish(task, why, counter, count)
  elseif task.cancel then
    return fence.finish(task, 'cancelled', 'cancelled', why, counter, count)
  elseif count > tonumber(v[2] or settings.get(task.queue, cap)) then
    task.group = 'released'
    return fence.finish(task, 'failed', 'failed', why, 'group', 'released',
      'error', 'given back ' .. count .. ' times' .. (options.uncounted and ' by owners that could not run it' or '')
        .. ', more than ' .. cap .. ' allows',
      counter, count)
  end
  if holdings.state_after_release(task, 'pending', options.reason or 'release') == 'cancelled' then
    return fence.finish(task, 'cancelled', 'cancelled', why, counter, count, holdings.cancel_reason(task))
  end
  if options.suspend then
    return options.suspend(task, options.inputs, why, counter, count)
  elseif options.elsewhere and options.into ~= task.queue then
    return options.elsewhere(task, options, why, counter, count)
  end
  task.front, task.forget = true, { record.attempt_fields() }
  if options.again and options.again > 0 then
    task.front = nil
    return retries.finish(task, retries.plan(task, options.again), 'released', why, counter, count, 'front', '1')
  end
  fence.finish(task, 'pending', 'released', why, counter, count, 'front', '1')
  wakeups.wake(task.queue)
  return 'released'
end

-- Reads and checks the ends of a call; each end has seven arguments. Sets `back` if a task may be pending again.
-- @hot
function ending.read(count, most)
  local ends, bytes = {}, 0
  for n = 1, count do
    local at = 7 * n - 1
    local one = { how = ARGV[at], id = ARGV[at + 1], token = ARGV[at + 2], body = ARGV[at + 3], cost = ARGV[at + 6] }
    local group, again = ARGV[at + 4], ARGV[at + 5]
    if one.how ~= 'complete' or group ~= '' or again ~= '' or one.cost ~= '' then
      ending.check(one, group, again)
      ends.back = ends.back or one.how ~= 'complete'
    else
      one.cost = nil
    end
    bytes = bytes + #one.body
    if #one.body > most then
      args.bytes(one.body, most, 'body')
    end
    ends[n] = one
  end
  if bytes > ending.BYTES then
    reply.fail('TOOBIG', 'the bodies of this call are over 8388608 bytes: end the attempts by several calls')
  end
  return ends
end

-- Reads the arguments of an end, except its body, as the options of its own command.
function ending.check(one, group, again)
  args.word(one.how, ' complete fail final release uncounted ', 'ending')
  one.cost = one.cost ~= '' and args.bytes(one.cost, contract.SHORT_TEXT_HIGH, 'cost') or nil
  local gives_back = one.how == 'release' or one.how == 'uncounted'
  if gives_back and one.body ~= '' then
    reply.fail('BADARG', 'the body must be empty: a release has none')
  elseif (one.how == 'complete' or one.how == 'final') and again ~= '' then
    reply.fail('BADARG', 'again must be empty: it is for attempts that fail and are retried, or are released')
  elseif one.how == 'complete' and group ~= '' then
    one.asked = { next = args.plain(group, 'group') }
    return
  end
  again = args.delay_or_none(again, 'again')
  if gives_back then
    one.options = { reason = group ~= '' and args.cause(group, 'group') or nil, again = again, cost = one.cost,
      uncounted = one.how == 'uncounted' }
  else
    one.options = { group = groups.name(group, 'group'), again = again, cost = one.cost,
      final = one.how == 'final', max_bytes = #one.body }
  end
end

-- Makes all ends of a call. Returns the verdict of each. `limited`: see `complete`. Sets `ends.stale` if an end was
-- made before or is refused: then the call may be a repetition.
-- @hot
function ending.all(ends, listener, limited)
  local verdicts = {}
  if ends[2] then
    ending.complete_plain(ends, listener, verdicts, limited)
  end
  for n = 1, #ends do
    if not verdicts[n] then
      local ok, answer, stale = pcall(ending.one, ends[n], limited, ends)
      verdicts[n], ends.stale = answer, ends.stale or stale or not ok
      if not ok then
        verdicts[n] = reply.code(answer)
        if not ends[2] and verdicts[n] ~= 'LOST' then
          error(answer, 0) -- the call has no second end that the error could spoil
        end
      end
    end
  end
  return verdicts
end

-- @hot
function ending.one(one, limited, ends)
  if one.how == 'complete' then
    return ending.complete(one.id, one.token, one.body, one.cost, limited, one.asked, ends)
  elseif one.how == 'fail' or one.how == 'final' then
    return ending.fail(one.id, one.token, one.body, one.options)
  end
  return ending.release(one.id, one.token, one.options)
end

-- Completes at once all tasks of one queue that have no holdings and no fields to remove.
function ending.complete_plain(ends, listener, verdicts, limited)
  local prefix, plain, seen = namespace.prefix, {}, {}
  for n = 1, #ends do
    local one = ends[n]
    local id = one.id
    local v = redis.pcall('HMGET', prefix .. 'task_' .. id, 'status', 'token', 'node', 'attempt', 'queue', 'pid',
      'cancel', 'updated', 'flags', 'requeue', 'failures', 'outcome')
    if v.err or v[2] ~= one.token then
      args.plain(id, 'id')
      args.integer(one.token, contract.TOKEN_LOW, contract.TOKEN_HIGH, 'token')
    elseif one.how == 'complete' and not one.asked and (v[1] == 'started' or v[1] == 'reserved')
      and v[3] == listener and not seen[id]
      and not (v[7] or v[9] or v[10]) and (v[11] or '0') == '0' and (not plain[1] or plain[1].queue == v[5]) then
      plain[#plain + 1] = { id = id, status = v[1], token = v[2], node = v[3], attempt = v[4], queue = v[5],
        pid = v[6] or '', since = v[8], at = n, stored = v[12] }
    end
    seen[id] = true
  end
  if not plain[2] then
    return
  end
  ending.plan_plain(plain, limited)
  batch.complete(plain)
  local write = state.record
  ends.written = plain[1]
  for _, task in ipairs(plain) do
    local one = ends[task.at]
    verdicts[task.at] = 'complete'
    if one.cost then
      write(task, 'complete', 'complete', listener, 'ended', task.token, 'outcome', 'complete',
        'result', one.body, 'cost', one.cost, 'cost_of', task.token)
    elseif task.stored then
      write(task, 'complete', 'complete', listener, 'ended', task.token, 'outcome', 'complete',
        'result', one.body)
    else
      write(task, 'complete', 'complete', listener, 'ended', task.token, 'result', one.body)
    end
  end
end

-- Plans `complete_plain`. The leases need no check, because they are written first.
function ending.plan_plain(plain, limited)
  local prefix, tasks = namespace.prefix, '_tasks_' .. plain[1].queue
  local held, started = prefix .. 'reserved' .. tasks .. '_' .. plain[1].node, prefix .. 'started' .. tasks
  local ended, events = prefix .. 'complete' .. tasks, prefix .. 'events_' .. plain[1].queue
  redis.call('LLEN', held)
  redis.call('SCARD', started)
  state.read_entered(events, 'LLEN', ended)
  if limited then
    state.plan_free(plain[1])
  end
  local may, role = redis.acl_check_cmd, namespace.prefix .. rights.ROLE
  if plain[1].wakes then
    rights.require()
  elseif may and not (may('HSET', role, '', '') and may('HDEL', namespace.meta, '')
    and may('XADD', events, '*', '', '') and may('SREM', started, '') and may('LREM', held, '', '')
    and may('LPUSH', ended, '')) then
    rights.require()
  end
  if namespace.declared then
    for _, task in ipairs(plain) do
      namespace.declare(prefix .. 'task_' .. task.id)
    end
    namespace.begin_declared(prefix .. 'leases_' .. plain[1].queue, held, started, ended, events)
  end
end
