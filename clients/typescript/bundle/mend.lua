--- Finds and repairs what clients without scripts leave behind, and what was deleted by hand, one part of the queue at each call.
-- @args now queue cursor limit
-- @role upkeep
-- @options grace shared
-- @again goes on
-- @reply next cursor (empty at the end), number mended, number under suspicion, then for each held task whose listener was removed from the queue who is responsible for it, its id, status, holder and pid
-- @errors

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(156)('BADARG', 'missing argument: ' .. what)
end

local edges_readied = false

local namespace_meta = KEYS[1] or ''

local namespace_prefix = string.sub(namespace_meta, 1, -5)

local function logs_index()
  return namespace_prefix .. 'logs'
end

local mending_queue = ''

local mending_mended = 0

local mending_suspected = 0

local mending_leased = false

local mending_valid_claims = {}

local mending_writes = {}

local mending_moves = {}

local mending_entering = {}

local mending_noted = {}

local mending_moved = {}

local mending_freed = {}

local mending_recounted = {}

local mending_named = {}

local mending_expired = {}

local mending_unlogged = {}

local function mending_write(command, key, ...)
  if not mending_noted[key] then
    mending_noted[key] = cold(111)(key)
  end
  mending_writes[#mending_writes + 1] = { command, key, ... }
end

local function mending_mend(...)
  mending_write(...)
  mending_mended = mending_mended + 1
end

local namespace_declared = not string.find(namespace_meta, '^[^_{]*_meta$') and {}

local function record_find(id, ...)
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

local function mending_find(id)
  local task = record_find(id, 'updated', 'group', 'tags', 'reclaimed_node', 'lease', 'eta')
  if task and task.queue == '' then
    mending_write('UNLINK', task.key)
    return nil
  end
  return task
end

local function mending_no_deadline(id)
  if redis.call('ZSCORE', cold(23)(), id) then
    mending_mend('ZREM', cold(23)(), id)
  end
end

local function namespace_key(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end

local function mending_gone(id)
  mending_write('UNLINK', namespace_key('history', id), cold(111)(namespace_key('log', id)),
    cold(111)(cold(25)(id)), cold(111)(cold(27)(id)), cold(111)(cold(83)(id)))
  mending_no_deadline(id)
  if redis.call('ZSCORE', cold(211)(), id) then
    mending_write('ZREM', cold(211)(), id)
  end
  local size = not mending_unlogged[id] and cold(98)(id)
  if size then
    mending_unlogged[id] = true
    mending_write('UNLINK', namespace_key('logged', id))
    mending_write('ZREM', logs_index(), id)
    mending_write('HINCRBY', namespace_meta, 'logs', -size)
  end
end

local function mending_index(task)
  local tasks = namespace_key('tasks', mending_queue)
  if not redis.call('ZSCORE', tasks, task.id) then
    mending_mend('ZADD', tasks, cold(147)(task.id), task.id)
  end
end

local function mending_deadline(task)
  if not cold(24)(task) or cold(220)(task.status) or task.cancel then
    return
  end
  local end_by = redis.call('HGET', task.key, 'deadline')
  if end_by and tonumber(redis.call('ZSCORE', cold(23)(), task.id) or -1) ~= tonumber(end_by) then
    mending_mend('ZADD', cold(23)(), end_by, task.id)
  end
end

local namespace_now_us = 0

local function mending_attempt(task)
  if task.token == '' or task.extra[4] then
    return
  end
  local leases = namespace_key('leases', mending_queue)
  if not redis.call('ZSCORE', leases, cold(148)(task)) then
    mending_leased = true
    mending_mend('ZADD', leases, string.format('%.0f', namespace_now_us + (task.extra[5] or 60000000)),
      cold(148)(task))
  end
  local set, entry = namespace_key('started_tasks', mending_queue), task.node .. ' ' .. task.pid .. ' ' .. task.id
  if task.status == 'started' and redis.call('SISMEMBER', set, entry) == 0 then
    mending_mend('SADD', set, entry)
  end
end

local namespace_now = ''

local function mending_overdue(field, mark, grace)
  local suspects = namespace_key('suspects', mending_queue)
  local since, before = string.match(redis.call('HGET', suspects, field) or '', '^(%S+) (.*)$')
  if before == mark and tonumber(since) * 1000000 + grace <= namespace_now_us then
    mending_write('HDEL', suspects, field)
    return true
  end
  if before ~= mark then
    mending_write('HSET', suspects, field, namespace_now .. ' ' .. mark)
  end
  mending_suspected = mending_suspected + 1
  return false
end

local function record_held(task)
  return task.status == 'reserved' or task.status == 'started'
end

local function mending_confirmed(task, listener)
  return record_held(task) and task.node == listener
end

local function mending_registered(listener)
  return redis.call('SISMEMBER', namespace_key('listeners', mending_queue), listener) == 1
end

local function mending_claim(task, listener, grace)
  local claimer = task.extra[4]
  local who = claimer or listener
  if not claimer and mending_registered(listener) or #who > 200 or not string.find(who, '^[%w.:-]+_%d+$') then
    return
  end
  local known, member = namespace_key('claims', mending_queue), who .. ' ' .. task.id
  if not redis.call('ZSCORE', known, member)
    and (claimer or mending_overdue('claim ' .. listener .. ' ' .. task.id, task.status, grace)) then
    mending_write('ZADD', known, 0, member)
  end
end

local function mending_entry(list, listener, id, grace)
  local task = mending_find(id)
  if not task then
    mending_mend('LREM', list, 1, id)
    return
  elseif task.queue ~= mending_queue then
    return
  end
  mending_index(task)
  if mending_confirmed(task, listener) then
    mending_attempt(task)
    return mending_claim(task, listener, grace)
  elseif not mending_overdue(listener .. ' ' .. id, task.status .. ' ' .. string.sub(task.extra[1] or '', 1, 32),
    grace) then
    return
  end
  if task.status == 'pending' and not mending_moved[id] then
    mending_mended = mending_mended + 1
    mending_moved[id] = true
    task.astray, task.from_end = list, -1
    mending_moves[#mending_moves + 1] = task
  else
    mending_mend('LREM', list, 1, id)
  end
end

local function mending_held(cursor, limit, grace)
  local head = namespace_key('reserved_tasks', mending_queue .. '_')
  local page = redis.call('SCAN', cursor, 'MATCH', head .. '*', 'COUNT', 4 * limit)
  local most = math.min(500, math.ceil(2500 / math.max(1, #page[2])))
  for _, list in ipairs(page[2]) do
    local listener = string.sub(list, #head + 1)
    local seen = {}
    for _, id in ipairs(redis.call('LRANGE', cold(111)(list), -most, -1)) do
      if seen[id] then
        mending_mend('LREM', list, 1, id)
      else
        seen[id] = true
        mending_entry(list, listener, id, grace)
      end
    end
  end
  return page[1]
end

local function mending_started(cursor, limit)
  local set = namespace_key('started_tasks', mending_queue)
  local page = redis.call('SSCAN', set, cursor, 'COUNT', limit)
  for _, entry in ipairs(page[2]) do
    local node, pid, id = string.match(entry, '^(%S+) (%S*) (%S+)$')
    local task = id and record_find(id)
    if not task or task.status ~= 'started' or task.node ~= node or task.pid ~= pid then
      mending_mend('SREM', set, entry)
    end
  end
  return page[1]
end

local function mending_go_on(position)
  return position == 0 and '00' or string.format('%.0f', position)
end

local function mending_page(key, command, position, limit)
  local from = tonumber(position)
  local ids = redis.call(command, key, from, from + limit - 1)
  return ids, function(removed)
    return #ids < limit and '0' or mending_go_on(from + limit - removed)
  end
end

local function mending_group(task)
  local group = task.extra[2] or ''
  local key = cold(73)(mending_queue, group)
  if not redis.call('ZSCORE', key, task.id) then
    local counts = namespace_key('groups', mending_queue)
    cold(112)('ZCARD', counts)
    mending_mend('ZADD', key, tonumber(task.extra[1]) or 0, task.id)
    mending_write('ZADD', counts, 'NX', 1, group)
  end
end

local function mending_labelled(task, kind, name)
  if not task or task.queue ~= mending_queue then
    return false
  elseif kind == 'groups' then
    return task.status == 'failed' and (task.extra[2] or '') == name
  end
  return string.find(',' .. (task.extra[3] or '') .. ',', ',' .. name .. ',', 1, true) ~= nil
end

local function mending_labels(kind, position, limit)
  local counts = namespace_key(kind, mending_queue)
  local at, from = math.floor(position / 1000000000), position % 1000000000
  local gone = 0
  while limit > 0 do
    local name, count = unpack(redis.call('ZRANGE', counts, at, at, 'WITHSCORES'))
    if not name then
      return '0'
    end
    local key = (kind == 'tags' and cold(205) or cold(73))(mending_queue, name)
    local ids, removed = redis.call('ZRANGE', key, from, from + limit - 1), 0
    for _, id in ipairs(ids) do
      if not mending_labelled(mending_find(id), kind, name) then
        mending_mend('ZREM', key, id)
        removed = removed + 1
      end
    end
    if #ids == limit then
      from = from + limit - removed
    else
      local left = redis.call('ZCARD', key) - removed
      if left == 0 then
        mending_mend('ZREM', counts, name)
        gone = gone + 1
      elseif left ~= tonumber(count) then
        mending_mend('ZADD', counts, left, name)
      end
      at, from = at + 1, 0
    end
    limit = limit - #ids - 1
  end
  return mending_go_on((at - gone) * 1000000000 + from)
end

local function mending_strayed(task, key, status)
  if not task.ties or not string.find(task.ties, 'r') then
    return false
  elseif status == 'scheduled' then
    mending_mend('ZADD', namespace_key('scheduled_lane_tasks', mending_queue),
      redis.call('ZSCORE', key, task.id), task.id)
    mending_write('ZREM', key, task.id)
    return true
  elseif status ~= 'pending' then
    return false
  end
  cold(10)(task)
  mending_mend('LREM', key, 1, task.id)
  if not task.rank then
    cold(142)(task)
    mending_entering[#mending_entering + 1] = task
  end
  return true
end

local function mending_upstream(task, id, since)
  local key = namespace_key('task', id)
  local v = redis.call('HMGET', key, 'status', 'graph', 'ties')
  local ended = not (v[1] or v[2]) or v[1] and cold(220)(v[1])
  if redis.call('ZSCORE', cold(28)(), id) then
    return
  elseif ended then
    mending_mend('ZADD', cold(28)(), namespace_now, id)
    if not since then
      mending_write('ZADD', cold(26)(id), namespace_now, task.id)
    end
  elseif v[1] then
    if not since then
      mending_mend('ZADD', cold(26)(id), namespace_now, task.id)
    end
    if not string.find(v[3] or '', 'd', 1, true) then
      mending_mend('HSET', key, 'ties', (v[3] or '') .. 'd')
    end
  end
end

local function mending_upstreams(task)
  if redis.call('EXISTS', cold(25)(task.id)) == 0 and not redis.call('ZSCORE', cold(28)(), task.id)
    and redis.call('HEXISTS', cold(27)(task.id), 'slots') == 1 then
    mending_mend('ZADD', cold(28)(), namespace_now, task.id)
    mending_write('HSET', task.key, 'cascade', 'join')
  end
  local found = redis.call('HSCAN', cold(25)(task.id), '0', 'COUNT', 100)[2]
  for i = 1, math.min(#found, 2 * 100), 2 do
    local since = redis.call('ZSCORE', cold(26)(found[i]), task.id)
    if since ~= 'inf' then
      mending_upstream(task, found[i], since)
    end
  end
end

local function mending_list(status, position, limit)
  local key = namespace_key(status .. '_tasks', mending_queue)
  local ranked = status == 'scheduled_lane'
  local zset = ranked or status == 'scheduled' or status == 'waiting'
  status = ranked and 'scheduled' or status
  local ids, after = mending_page(key, zset and 'ZRANGE' or 'LRANGE', position, limit)
  local removed, seen = 0, {}
  for _, id in ipairs(ids) do
    local task = mending_find(id)
    if task and not seen[id] and task.status == status and task.queue == mending_queue then
      seen[id] = true
      mending_index(task)
      if not ranked and mending_strayed(task, key, status) then
        removed = removed + 1
      end
      if task.cancel and cold(220)(status) then
        mending_mend('HDEL', task.key, 'cancel')
      end
      if cold(220)(status) and cold(24)(task) then
        mending_no_deadline(id)
      end
      if cold(220)(status) and cold(51)(task) and not redis.call('ZSCORE', cold(28)(), id) then
        mending_mend('ZADD', cold(28)(), namespace_now, id)
      end
      if status == 'failed' then
        mending_group(task)
      elseif status == 'waiting' then
        mending_upstreams(task)
      end
    else
      removed = removed + 1
      if not task then
        mending_gone(id)
      end
      if zset then
        mending_mend('ZREM', key, id)
      else
        mending_mend('LREM', key, 1, id)
      end
    end
  end
  return after(removed)
end

local function mending_due(task, grace)
  local plain = namespace_key('scheduled_tasks', mending_queue)
  local set = plain
  if task.ties and string.find(task.ties, 'r', 1, true) then
    set = namespace_key('scheduled_lane_tasks', mending_queue)
  end
  if not redis.call('ZSCORE', set, task.id) and not redis.call('ZSCORE', plain, task.id)
    and mending_overdue('due ' .. task.id, task.extra[1] or '', grace) then
    mending_mend('ZADD', set, task.extra[6] or namespace_now, task.id)
  end
end

local function mending_tasks(position, limit, grace)
  local key = namespace_key('tasks', mending_queue)
  local ids, after = mending_page(key, 'ZRANGE', position, limit)
  local removed = 0
  for _, id in ipairs(ids) do
    local task = mending_find(id)
    if task and task.queue == mending_queue then
      mending_deadline(task)
    end
    if not task then
      removed = removed + 1
      mending_mend('ZREM', key, id)
      mending_gone(id)
    elseif task.queue ~= mending_queue then
      removed = removed + 1
      mending_mend('ZREM', key, id)
    elseif task.node ~= '' and record_held(task) then
      local list = namespace_key('reserved_tasks', task.queue .. '_' .. task.node)
      if not redis.call('LPOS', list, id) then
        mending_mend('LPUSH', list, id)
      end
    elseif task.status == 'scheduled' then
      mending_due(task, grace)
    elseif task.status == 'waiting' and not redis.call('ZSCORE', namespace_key('waiting_tasks', task.queue), id) then
      mending_mend('ZADD', namespace_key('waiting_tasks', task.queue), namespace_now, id)
    end
  end
  return after(removed)
end

local function mending_orders(cursor, limit)
  local given = cold(123)(mending_queue)
  local page = redis.call('HSCAN', given, cursor, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local kind, name = string.match(page[2][i], '^(%l):(.+)$')
    local valid
    if page[2][i] == 'q' then
      valid = redis.call('HEXISTS', namespace_meta, 'paused:' .. mending_queue) == 1
    elseif kind == 't' then
      local task = record_find(name)
      valid = task and record_held(task) and (task.cancel or task.recall)
    else
      valid = name and redis.call('SISMEMBER', namespace_key('listeners', mending_queue), name) == 1
    end
    if not valid then
      mending_mend('HDEL', given, page[2][i])
    end
  end
  return page[1]
end

local function mending_score(grace)
  local queues = namespace_prefix .. 'queues'
  local score = redis.call('ZSCORE', queues, mending_queue) or '0'
  local number = redis.call('SCARD', namespace_key('listeners', mending_queue))
  if tonumber(score) ~= number and mending_overdue('listeners', score .. ' ' .. number, grace) then
    mending_mend('ZADD', queues, number, mending_queue)
  end
  return tonumber(score) == number
end

local function mending_lanes(position, limit)
  local members, after = mending_page(namespace_key('lane_tasks', mending_queue), 'ZRANGE', position, limit)
  for _, member in ipairs(members) do
    local task = mending_find(string.match(member, ' (%S+)$') or '')
    if task and task.queue == mending_queue then
      mending_index(task)
    end
  end
  return after(0)
end

local function mending_places(cursor, limit, shared)
  local queue, held = mending_queue, namespace_key('places', mending_queue)
  cold(112)('HLEN', held)
  local page = redis.call('HSCAN', held, cursor, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local id, token = string.match(page[2][i], '^a:(%S+) (%d+)$')
    local task = id and record_find(id)
    if id and not (task and task.queue == queue and record_held(task) and task.token == token)
      and not redis.call('ZSCORE', namespace_key('leases', queue), id .. ' ' .. token) then
      mending_freed[#mending_freed + 1] = { id = id, token = token }
      mending_mended = mending_mended + 1
    end
  end
  if mending_freed[1] then
    cold(97)(queue, mending_freed)
    cold(199)(queue)
  end
  local wrong = page[1] == '0' and cold(150)(queue, shared) or {}
  for nth = 1, #wrong, 2 do
    local name, number = wrong[nth], wrong[nth + 1]
    if number > 0 then
      mending_mend('HSET', cold(170)(), name, number)
    else
      mending_mend('HDEL', cold(170)(), name)
    end
    cold(181)(name, '', 4)
    mending_recounted[#mending_recounted + 1] = name
  end
  if page[1] == '0' then
    cold(102)(queue, shared)
  end
  return page[1]
end

local function mending_unique(cursor, limit)
  local names = namespace_key('unique', mending_queue)
  local page = redis.call('HSCAN', names, cursor, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local id, till = string.match(page[2][i + 1], '^(%S+) (%l+)$')
    if id and not cold(13)(mending_queue, id, page[2][i], till) then
      mending_mend('HDEL', names, page[2][i])
    end
  end
  return page[1]
end

local function mending_claims(position, limit)
  local key = namespace_key('claims', mending_queue)
  local members, after = mending_page(key, 'ZRANGE', position, limit)
  local removed = 0
  for _, member in ipairs(members) do
    local who, id = string.match(member, '^(%S+) (%S+)$')
    local task = id and mending_find(id)
    local valid = task and task.queue == mending_queue and record_held(task)
    if valid and task.extra[4] then
      valid = task.extra[4] == who
    elseif valid then
      valid = task.node == who and not mending_registered(who)
    end
    if valid then
      for _, fact in ipairs({ who, id, task.status, task.node, task.pid }) do
        mending_valid_claims[#mending_valid_claims + 1] = fact
      end
    else
      removed = removed + 1
      mending_write('ZREM', key, member)
    end
  end
  return after(removed)
end

local function mending_suspects(cursor, limit, grace)
  local suspects = namespace_key('suspects', mending_queue)
  local right = mending_score(grace)
  local page = redis.call('HSCAN', suspects, cursor, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local field = page[2][i]
    local listener, id = string.match(field, '^(%S+) (%S+)$')
    local holder, orphan = string.match(field, '^claim (%S+) (%S+)$')
    local settled = right and field ~= 'pass'
    if orphan then
      local task = record_find(orphan, 'reclaimed_node')
      settled = not task or task.extra[1] or not mending_confirmed(task, holder) or mending_registered(holder)
    elseif listener == 'due' then
      local task = record_find(id)
      settled = not task or task.status ~= 'scheduled'
        or redis.call('ZSCORE', namespace_key('scheduled_tasks', mending_queue), id)
        or redis.call('ZSCORE', namespace_key('scheduled_lane_tasks', mending_queue), id)
    elseif id then
      local task = record_find(id)
      settled = not task or mending_confirmed(task, listener)
        or not redis.call('LPOS', namespace_key('reserved_tasks', mending_queue .. '_' .. listener), id)
    end
    if settled then
      mending_write('HDEL', suspects, field)
    end
  end
  return page[1]
end

local namespace_shared_tables = false

local namespace_gap = false

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
      cold(81)(task, { to = to, why = why, by = by, at = now }, ...)
    end
    if to == 'deleted' or to == 'moved' then
      if to == 'deleted' then
        redis.call('UNLINK', key, prefix .. 'log_' .. id, prefix .. 'history_' .. id)
        if task.edge_keys then
          redis.call('UNLINK', unpack(task.edge_keys))
        end
        if task.logged then
          cold(99)(id, task.logged)
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
        cold(217)(task, to, why, by, ...)
      end
    end
    if to == 'failed' then
      cold(75)(task, now)
    elseif from == 'failed' then
      cold(76)(task)
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
            cold(200)(queue)
          end
        end
        redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
      end
    end
    if task.dependents or task.unsettled then
      cold(45)(task)
    end
  end
end

local function mending_finish()
  if #mending_moves > 0 then
    cold(202)({ id = '', status = 'pending', queue = mending_queue, foreign = true, from_end = -1 }, 'pending')
    for _, task in ipairs(mending_moves) do
      cold(80)(task, 'pending')
      cold(215)(task)
      task.tracked = cold(213)(task)
    end
  end
  if #mending_entering > 0 then
    cold(199)(mending_queue)
  end
  cold(116)()
  if mending_leased then
    do
      local us = namespace_now_us
      redis.call('HSET', namespace_meta, 'clock:1', us)
      if namespace_gap then
        redis.call('HSET', namespace_meta, 'gap', string.format('%.0f', namespace_gap))
      end
    end
  end
  for _, task in ipairs(mending_moves) do
    task.front, task.forget = true, { 'token', 'lease', 'request', cold(196)() }
    state_move(task, 'pending', 'mend', '', 'front', '1')
  end
  for _, command in ipairs(mending_writes) do
    redis.call(unpack(command))
  end
  for _, task in ipairs(mending_entering) do
    cold(144)(task)
  end
  for _, ended in ipairs(mending_freed) do
    cold(96)(mending_queue, ended.id, ended.token)
  end
  if #mending_moves + #mending_entering + #mending_freed > 0 then
    do
      local queue = mending_queue
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
          cold(200)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
  for _, name in ipairs(mending_recounted) do
    cold(182)(name, '')
  end
  for nth = 1, #mending_named, 2 do
    cold(188)(mending_named[nth], mending_named[nth + 1])
  end
  cold(195)(mending_expired)
end

local function mending_step(queue, cursor, limit, grace, shared)
  mending_queue = queue
  local function place(text)
    local part, position = string.match(text == '' and 'held:0' or text, '^(%l+):(%d+)$')
    return part, position, part and #position <= 16 and string.match(' held started waiting pending scheduled laned complete failed cancelled orders suspects tasks tags groups graphs lanes places unique claims ', ' ' .. part .. ' (%l*)')
  end
  local part, position, following = place(cursor)
  if not following then
    cold(156)('BADARG', 'the cursor must be empty or what the previous call returned')
  end
  if shared and cursor ~= '' then
    cold(156)('BADARG', 'the cursor must be empty with shared')
  end

  cold(112)('HLEN', namespace_key('suspects', mending_queue))
  cold(112)('ZCARD', namespace_key('tasks', mending_queue))
  if shared then
    local goes_on = cold(103)()
    if not goes_on then
      return { '', 0, 0 }
    end
    part, position, following = place(goes_on)
    if not following then
      part, position, following = place('')
    end
  end
  local after
  if part == 'held' then
    after = mending_held(position, limit, grace)
  elseif part == 'started' then
    after = mending_started(position, limit)
  elseif part == 'orders' then
    after = mending_orders(position, limit)
  elseif part == 'suspects' then
    after = mending_suspects(position, limit, grace)
  elseif part == 'tasks' then
    after = mending_tasks(position, limit, grace)
  elseif part == 'tags' or part == 'groups' then
    after = mending_labels(part, tonumber(position), limit)
  elseif part == 'graphs' then
    after = cold(100)(position, limit, shared)
  elseif part == 'lanes' then
    after = mending_lanes(position, limit)
  elseif part == 'places' then
    after = mending_places(position, limit, shared)
  elseif part == 'unique' then
    after = mending_unique(position, limit)
  elseif part == 'claims' then
    after = mending_claims(position, limit)
  else
    after = mending_list(part == 'laned' and 'scheduled_lane' or part, position, limit)
  end
  if after ~= '0' then
    after = part .. ':' .. after
  else
    after = following ~= '' and following .. ':0' or ''
  end
  if shared then
    cold(104)(after)
  end
  mending_finish()
  return { after, mending_mended, mending_suspected, unpack(mending_valid_claims) }
end

local function namespace_open()
  do
    local clock = redis.call('HGET', namespace_meta, 'clock:1')
    if not clock or #KEYS ~= 1 or namespace_declared and not string.find(namespace_meta, '^[^_]*_meta$') then
      clock = cold(106)()
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
      cold(107)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(108)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(109)(floor)
    end
  end
end

local function contract_arguments()
  local queue = cold(1)(args_next('queue'), 'queue')
  local cursor = args_next('cursor')
  local limit = cold(3)(args_next('limit'), 1, 500, 'limit')
  return queue, cursor, limit
end

function cold(number)
if number < 111 then
if number < 56 then
if number < 28 then
if number < 14 then
if number < 7 then
if number < 4 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(156)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
if number < 3 then
-- 2 args.flag
return function(value, what)
  if value ~= '0' and value ~= '1' then
    cold(156)('BADARG', what .. ' must be 0 or 1')
  end
  return value == '1'
end
else
-- 3 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(156)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
end
end
else
if number < 5 then
-- 4 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(156)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
if number < 6 then
-- 5 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(156)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(156)('BADARG', 'an option is given twice')
    end
    found[name] = cold(221)(name, value)
    if found[name] == nil then
      cold(156)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
else
-- 6 audit.key
return function()
  return namespace_prefix .. 'audit'
end
end
end
end
else
if number < 10 then
if number < 8 then
-- 7 audit.plan
return function()
  cold(112)('XLEN', cold(6)())
end
else
if number < 9 then
-- 8 audit.add
return function(by, what, of, on, before, after, detail)
  local function cut(text)
    return string.sub(text or '', 1, 256)
  end
  redis.call('XADD', cold(6)(), 'MAXLEN', '~', cold(167)('*', 'audit'), '*', 'at', namespace_now, 'by', by or '',
    'what', what, 'of', of, 'on', on, 'before', cut(before), 'after', cut(after), 'detail', cut(detail))
end
else
-- 9 cascades.plan_begin
return function(task)
  local known = task.broken and 1 or 0
  if cold(65)(task.graph) == 'cancel' and redis.call('HLEN', cold(25)(task.id)) > known then
    cold(112)('ZCARD', cold(28)())
    task.unsettled, task.cascades = true, true
  end
end
end
end
else
if number < 12 then
if number < 11 then
-- 10 claims.load
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
-- 11 claims.name_holders
return function(queue, name)
  local v = redis.call('HMGET', cold(111)(namespace_key('unique', queue)), name, '/' .. name)
  local id, till = string.match(v[1] or '', '^(%S+) (%S+)$')
  return id, till, string.match(v[2] or '', '^(%S+) ')
end
end
else
if number < 13 then
-- 12 claims.has_latest_policy
return function(task)
  return task.solo and task.unique and task.unique == task.fair_key
end
else
-- 13 claims.still_holds_name
return function(queue, id, name, till)
  local status, where, own, solo, key = unpack(redis.call('HMGET', namespace_prefix .. 'task_' .. id,
    'status', 'queue', 'unique', 'solo', 'key'))
  if where ~= queue or own ~= (till == 'kept' and string.sub(name, 2) or name) then
    return false
  end
  local latest = solo and key == own
  return cold(219)(status)
    or till ~= 'kept' and (status == 'reserved' and not latest or status == 'started' and till ~= 'start')
end
end
end
end
end
else
if number < 21 then
if number < 17 then
if number < 15 then
-- 14 claims.waiting_attempt
return function(task, id)
  local other = id and id ~= task.id and record_find(id)
  if other and other.queue == task.queue and cold(219)(other.status) then
    cold(10)(other)
    return other.unique == task.unique and other or nil
  end
end
else
if number < 16 then
-- 15 claims.opens_or_closes
return function(task, to)
  return not task.status or cold(220)(task.status) or cold(220)(to) or to == 'deleted'
end
else
-- 16 claims.plan
return function(task, to, taker)
  cold(10)(task)
  local held = task.status == 'reserved' or task.status == 'started'
  if task.ranked and (task.rank or to == 'pending') or task.limited and (held or taker) then
    cold(142)(task)
  end
  if task.limited and held and taker then
    cold(113)()
  end
  if task.shared and (taker or held and to ~= 'started') then
    cold(180)(task.shared, not taker and task.queue)
  end
  if task.shared and (cold(15)(task, to) or to == 'moved') then
    cold(17)(to)
  end
  if task.unique then
    cold(18)(task, to)
  end
  if task.tags and (not task.status or to == 'deleted' or to == 'moved') then
    cold(207)(task.queue, task.tags)
  end
  if to == 'deleted' and string.find(task.ties, '[wd]') then
    cold(39)(task)
  end
  if task.graph and task.status and cold(15)(task, to) then
    cold(112)('HLEN', cold(61)(task.graph))
    cold(112)('ZCARD', cold(64)())
    cold(111)(cold(62)(task.graph))
    task.bounds = to == 'deleted' and cold(71)(task.graph) or nil
  end
  if task.graph and task.status == 'waiting' and (to == 'failed' or to == 'cancelled') then
    cold(9)(task)
  end
  if task.end_by and cold(15)(task, to) then
    cold(112)('ZCARD', cold(23)())
  end
  if string.find(task.ties, 'd', 1, true) and task.status and not cold(220)(task.status)
    and (cold(220)(to) or to == 'deleted') then
    cold(37)(task, to)
  end
  if task.tracked then
    cold(214)()
  end
  if string.find(task.ties, 'a', 1, true) and task.status and (cold(220)(to) or to == 'deleted') then
    cold(52)(task, to)
  end
end
end
end
else
if number < 19 then
if number < 18 then
-- 17 claims.plan_shared
return function(to)
  if to == 'moved' then
    cold(113)()
  end
  cold(185)()
end
else
-- 18 claims.plan_name
return function(task, to)
  local taken = cold(197)(task, to) and cold(12)(task)
  if (to == 'reserved' or to == 'started') and not taken and not (to == 'started' and task.till == 'start') then
    return
  end
  cold(112)('HLEN', namespace_key('unique', task.queue))
  if tonumber(task.till) then
    cold(112)('ZCARD', namespace_key('timed', task.queue))
  end
  task.holder, task.held_till, task.kept = cold(11)(task.queue, task.unique)
  if taken and task.status == 'pending' then
    task.older = cold(14)(task, task.kept)
    if task.older then
      cold(202)(task.older, 'cancelled')
    end
  end
end
end
else
if number < 20 then
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
else
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
end
end
end
else
if number < 24 then
if number < 22 then
-- 21 claims.move_name
return function(task, to)
  local from, latest = task.status, cold(12)(task)
  local back = (from == 'reserved' or from == 'started') and cold(219)(to)
  local ends = cold(220)(to) or to == 'deleted' or to == 'moved'
  if ends or to == 'started' and task.till == 'start' or latest and cold(197)(task, to) then
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
if number < 23 then
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
    cold(96)(task.queue, task.id, task.token)
  end
  if task.rank and not back then
    cold(146)(task, to)
    task.rank = nil
  elseif task.limited and cold(197)(task, to) then
    cold(94)(task)
    if task.fair_key then
      cold(59)(task.queue, task.fair_key)
    end
  end
  if task.ranked and to == 'pending' and not back then
    cold(144)(task)
  end
  if task.shared then
    cold(190)(task, to)
  end
  if task.further_shared then
    cold(186)(task.further_shared, -1)
  end
  if task.tags and not from then
    cold(208)(task.queue, task.id, task.created, task.tags)
  elseif task.tags and (to == 'deleted' or to == 'moved') then
    cold(210)(task.queue, task.id, task.tags)
  end
  if task.unique then
    cold(21)(task, to)
  end
  if task.end_by and cold(15)(task, to) then
    if cold(220)(to) or to == 'deleted' or to == 'moved' then
      redis.call('ZREM', cold(23)(), task.id)
    else
      redis.call('ZADD', cold(23)(), task.end_by, task.id)
    end
  end
  if task.graph then
    cold(72)(task, to)
  end
end
else
-- 23 deadlines.key
return function()
  return namespace_prefix .. 'deadlines'
end
end
end
else
if number < 26 then
if number < 25 then
-- 24 deadlines.has
return function(task)
  return task.ties and string.find(task.ties, 'e', 1, true)
end
else
-- 25 edges.upstreams
return function(id)
  return namespace_prefix .. 'upstreams_' .. id
end
end
else
if number < 27 then
-- 26 edges.dependents
return function(id)
  return namespace_prefix .. 'dependents_' .. id
end
else
-- 27 edges.inputs
return function(id)
  return namespace_prefix .. 'inputs_' .. id
end
end
end
end
end
end
else
if number < 42 then
if number < 35 then
if number < 31 then
if number < 29 then
-- 28 edges.unsettled
return function()
  return namespace_prefix .. 'unsettled'
end
else
if number < 30 then
-- 29 edges.slots
return function(text)
  local slots = {}
  for slot in string.gmatch(text or '', '%d+') do
    slots[#slots + 1] = tonumber(slot)
  end
  return slots
end
else
-- 30 edges.is_met
return function(kind, to)
  if kind == 'after' or kind == 'optional' then
    return true
  end
  return (kind == 'failure') ~= (to == 'complete')
end
end
end
else
if number < 33 then
if number < 32 then
-- 31 edges.is_repairable
return function(kind, to)
  return cold(32)(kind) and (to == 'failed' or to == 'cancelled')
end
else
-- 32 edges.needs_success
return function(kind)
  return kind == 'success' or kind == 'result' or kind == 'some'
end
end
else
if number < 34 then
-- 33 edges.element
return function(result)
  return result == '' and 'null' or result
end
else
-- 34 edges.over
return function(queue, bytes)
  local most = bytes > 1024 and cold(167)(queue, 'input_bytes')
  if most and bytes > tonumber(most) then
    return 'over ' .. most .. ' bytes, the setting input_bytes'
  end
end
end
end
end
else
if number < 38 then
if number < 36 then
-- 35 edges.tie
return function(up)
  if not string.find(up.ties or '', 'd', 1, true) then
    up.ties = (up.ties or '') .. 'd'
    redis.call('HSET', up.key, 'ties', up.ties)
  end
end
else
if number < 37 then
-- 36 edges.waiting
return function(id)
  local key = cold(111)(cold(26)(id))
  local waiting, staged = redis.call('ZCOUNT', key, '(0', '+inf'), redis.call('ZCOUNT', key, '-inf', '-inf')
  return waiting + staged, waiting
end
else
-- 37 edges.plan_end
return function(task, to)
  local key = cold(111)(cold(26)(task.id))
  local ids = redis.call('ZRANGEBYSCORE', key, '(0', '+inf', 'LIMIT', 0, 100 + 1 + (task.knowing or 0))
  local number = #ids - (task.knowing or 0)
  if number <= 0 then
    return
  elseif task.later or number > 100 or cold(38)(task.id, ids, #(task.result or ''))
    or to ~= 'complete' and task.graph and cold(66)(task.graph, task.id) then
    cold(112)('ZCARD', cold(28)())
    task.unsettled = true
    return
  end
  cold(40)(task, to, ids)
end
end
end
else
if number < 40 then
if number < 39 then
-- 38 edges.is_much
return function(id, ids, length)
  local told = cold(110)('told')
  local looked, copied = (told.looked or 0) + length, (told.copied or 0) + #ids * length
  if length <= 131072 and looked <= 262144 and copied <= 1048576 then
    told.looked, told.copied = looked, copied
    return false
  end
  for _, other in ipairs(ids) do
    if string.find(redis.call('HGET', cold(25)(other), id) or '', '/', 1, true) then
      return true
    end
  end
  return false
end
else
-- 39 edges.plan_removal
return function(task)
  local dependents = cold(111)(cold(26)(task.id))
  task.edge_keys = { cold(111)(cold(25)(task.id)), cold(111)(cold(27)(task.id)),
    cold(111)(cold(83)(task.id)) }
  local all, waiting = cold(36)(task.id)
  if all == 0 then
    task.edge_keys[4] = dependents
  elseif waiting > 0 and cold(220)(task.status) then
    cold(112)('ZCARD', cold(28)())
    task.unsettled = true
  end
end
end
else
if number < 41 then
-- 40 edges.plan_page
return function(task, to, ids)
  task.dependents = {}
  for i, id in ipairs(ids) do
    task.dependents[i] = cold(41)(task, to, id)
  end
end
else
-- 41 edges.plan_one
return function(up, to, id)
  local task = record_find(id, cold(42)())
  local key = cold(111)(cold(25)(id))
  local kind, mark, slots = string.match(redis.call('HGET', key, up.id) or '', '^(%l+)(%d*)/?(.*)$')
  local plan = { id = id, met = not kind or cold(30)(kind, to) }
  if not task or task.status ~= 'waiting' or not kind then
    plan.kept = task and kind and cold(220)(task.status)
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
  elseif not plan.met and cold(31)(kind, to) and cold(65)(task.extra[5]) == 'hold' then
    plan.held = true
    return plan
  end
  plan.task = task
  task.later = true
  if not plan.met then
    plan.to, task.group, task.broken = kind == 'failure' and 'cancelled' or 'failed', 'upstream', true
    cold(202)(task, plan.to)
    return plan
  end
  local open = redis.call('HLEN', key)
  plan.last = plan.ready or open == 1
  if plan.set and not plan.ready then
    plan.last = cold(135)(plan.set, open - 1)
  end
  local own = cold(111)(cold(27)(id))
  local known = (plan.last or slots ~= '') and redis.call('HMGET', own, 'slots', 'bytes')
  if slots ~= '' and not plan.ready then
    cold(44)(plan, up, to, slots, tonumber(known[2] or 0))
  end
  if plan.wrong then
    cold(202)(task, plan.to)
  elseif plan.last then
    cold(43)(plan, tonumber(known[1] or 0), plan.bytes or tonumber(known[2] or 0))
  end
  return plan
end
end
end
end
end
else
if number < 49 then
if number < 45 then
if number < 43 then
-- 42 edges.fields
return function()
  return 'eta', 'front', 'ended', 'retry_eta', 'graph'
end
else
if number < 44 then
-- 43 edges.plan_ready
return function(plan, slots, bytes)
  local task = plan.task
  plan.joins = cold(86)(plan.id, slots, bytes)
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
    plan.joined, plan.lengths = cold(84)(cold(85)(cold(27)(plan.id), slots, plan), slots)
  end
  cold(202)(task, plan.to)
end
else
-- 44 edges.plan_input
return function(plan, up, to, slots, bytes)
  local result = to == 'complete' and up.result or ''
  plan.slots, plan.text = cold(29)(slots), cold(33)(result)
  plan.bytes = bytes + #plan.text * #plan.slots
  if up.json == nil then
    up.json = result == '' or cold(88)(result)
  end
  local over = cold(34)(plan.task.queue, plan.bytes)
  if not up.json then
    plan.wrong = 'is not JSON'
  elseif over then
    plan.wrong = 'brings the inputs of this task ' .. over
  elseif cold(67)(#plan.text) > 0 and plan.task.extra[5] then
    plan.graph, plan.grows = plan.task.extra[5], #plan.text * #plan.slots
    if not cold(69)(plan.graph, plan.grows) then
      plan.wrong = 'brings the inputs of its graph over ' .. cold(68)() .. ' bytes, the setting graph_bytes'
    end
  end
  if plan.wrong then
    plan.to, plan.task.group, plan.task.broken = 'failed', 'input', true
  end
end
end
end
else
if number < 47 then
if number < 46 then
-- 45 edges.settle
return function(task)
  if task.unsettled then
    redis.call('ZADD', cold(28)(), namespace_now, task.id)
  end
  if task.cascades then
    redis.call('HSET', task.key or namespace_key('task', task.id), 'cascade', '0')
  end
  local told
  for _, plan in ipairs(task.dependents or {}) do
    if plan.kept then
      redis.call('ZADD', cold(26)(task.id), '-' .. namespace_now, plan.id)
    elseif plan.held then
      redis.call('ZADD', cold(26)(task.id), 'inf', plan.id)
    elseif plan.missed then
      cold(140)(task, plan)
    elseif plan.task and not plan.met then
      told = told or redis.call('HMGET', task.key or namespace_key('task', task.id), 'status', 'error', 'cause')
      cold(46)(task, plan, told)
    elseif plan.wrong then
      redis.call('ZADD', cold(26)(task.id), '-' .. namespace_now, plan.id)
      state_move(plan.task, 'failed', 'input', '', 'cause', task.id, 'group', 'input',
        'error', 'the result of ' .. task.id .. ' ' .. plan.wrong)
    else
      cold(49)(task, plan)
    end
  end
end
else
-- 46 edges.fail_with
return function(up, plan, told)
  local cause = told[3] or up.id
  redis.call('ZADD', cold(26)(up.id), '-' .. namespace_now, plan.id)
  if plan.to == 'cancelled' then
    state_move(plan.task, 'cancelled', 'upstream', '', 'cause', cause,
      'reason', 'not needed: ' .. up.id .. ' is complete')
    return
  end
  state_move(plan.task, 'failed', 'upstream', '', 'cause', cause, 'group', 'upstream',
    'error', (plan.short and 'too few of its set can still be complete: ' or '') .. cold(47)(up.id, told))
end
end
else
if number < 48 then
-- 47 edges.error_of
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
-- 48 edges.fill
return function(id, slots)
  for _, slot in ipairs(slots) do
    redis.call('HSET', cold(27)(id), slot, 'null')
  end
  if slots[1] then
    redis.call('HINCRBY', cold(27)(id), 'bytes', 4 * #slots)
  end
end
end
end
end
else
if number < 52 then
if number < 50 then
-- 49 edges.meet
return function(up, plan)
  if up then
    redis.call('ZREM', cold(26)(up.id), plan.id)
    redis.call('HDEL', cold(25)(plan.id), up.id)
  end
  if plan.grows then
    redis.call('HINCRBY', cold(61)(plan.graph), 'bytes', plan.grows)
  end
  if not plan.task then
    return
  elseif plan.set and plan.to then
    cold(141)(plan.id)
  elseif plan.set and not plan.joins then
    cold(133)(plan.id, plan.set)
  end
  if plan.joined then
    redis.call('UNLINK', cold(27)(plan.id))
    state_move(plan.task, plan.to, 'ready', '', 'readied', cold(204)(plan.task), 'parameters', plan.joined,
      'slots', plan.lengths)
  elseif plan.to then
    state_move(plan.task, plan.to, 'ready', '', 'readied', cold(204)(plan.task))
  elseif plan.slots then
    for _, slot in ipairs(plan.slots) do
      redis.call('HSET', cold(27)(plan.id), slot, plan.text)
    end
    redis.call('HSET', cold(27)(plan.id), 'bytes', plan.bytes)
  end
  if plan.joins then
    cold(87)(plan.id)
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
          cold(200)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
else
if number < 51 then
-- 50 encore.key
return function(id)
  return namespace_prefix .. 'further_' .. id
end
else
-- 51 encore.has
return function(task)
  return task.ties and string.find(task.ties, 'a', 1, true)
end
end
end
else
if number < 54 then
if number < 53 then
-- 52 encore.plan_end
return function(task, to)
  if to == 'deleted' then
    local key = cold(111)(cold(50)(task.id))
    task.edge_keys = task.edge_keys or {}
    task.edge_keys[#task.edge_keys + 1] = key
    task.further_shared = redis.call('HGET', key, '/limits') or nil
    if task.further_shared then
      cold(185)()
    end
  elseif not cold(220)(task.status) then
    cold(112)('ZCARD', cold(28)())
    task.unsettled = true
  end
end
else
-- 53 fairness.ranked_key
return function(queue, number)
  return namespace_prefix .. 'ranked_tasks_' .. queue .. (number == '' and '' or '/' .. number)
end
end
else
if number < 55 then
-- 54 fairness.tasks_key
return function(queue, key, number)
  return namespace_prefix .. 'key_tasks_' .. queue .. '/' .. key .. (number == '' and '' or '/' .. number)
end
else
-- 55 fairness.rank
return function(us)
  return string.format('%016.0f', us)
end
end
end
end
end
end
end
else
if number < 83 then
if number < 69 then
if number < 62 then
if number < 59 then
if number < 57 then
-- 56 fairness.front_rank
return function(us)
  return '-' .. cold(55)(9007199254740991 - us)
end
else
if number < 58 then
-- 57 fairness.sort_value
return function(rank)
  if string.sub(rank, 1, 1) == '-' then
    return tonumber(string.sub(rank, 2)) - 9007199254740992
  end
  return tonumber(rank)
end
else
-- 58 fairness.refresh
return function(queue, key, number)
  local entries, field = namespace_key('turns', queue), key .. '/' .. number
  local first = redis.call('ZRANGE', cold(54)(queue, key, number), 0, 0, 'WITHSCORES')
  local current, wanted = redis.call('HGET', entries, field) or nil, nil
  if first[1] then
    local rank, weight = string.match(first[1], '^(%S+) %S+ (%S+)$')
    local fits, free = cold(91)(queue, key, weight)
    if fits then
      local served = redis.call('HGET', entries, key)
      if served and cold(57)(served) > cold(57)(rank) then
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
  local ranked, rank = cold(53)(queue, number), nil
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
else
if number < 60 then
-- 59 fairness.refresh_all
return function(queue, key)
  local waits = false
  for _, number in ipairs(cold(119)(queue)) do
    cold(58)(queue, key, number)
    waits = waits or redis.call('EXISTS', cold(54)(queue, key, number)) == 1
  end
  if not waits and not redis.call('HGET', namespace_key('places', queue), 'k:' .. key) then
    redis.call('HDEL', namespace_key('turns', queue), key)
    redis.call('ZREM', namespace_key('delayed', queue), key)
  end
end
else
if number < 61 then
-- 60 fairness.plan_refresh
return function(queue, keys)
  if #keys > 0 then
    cold(113)()
    cold(112)('HLEN', namespace_key('turns', queue))
    cold(112)('HLEN', namespace_key('limits', queue))
    cold(112)('HLEN', namespace_key('places', queue))
    cold(112)('ZCARD', namespace_key('delayed', queue))
    for _, key in ipairs(keys) do
      cold(112)('LLEN', cold(89)(queue, key))
    end
  end
  for _, number in ipairs(#keys > 0 and cold(119)(queue) or {}) do
    cold(112)('ZCARD', cold(53)(queue, number))
    for _, key in ipairs(keys) do
      cold(112)('ZCARD', cold(54)(queue, key, number))
    end
  end
end
else
-- 61 graphs.key
return function(graph)
  return namespace_key('graph', graph)
end
end
end
end
else
if number < 65 then
if number < 63 then
-- 62 graphs.tasks
return function(graph)
  return namespace_key('members', graph)
end
else
if number < 64 then
-- 63 graphs.chosen
return function(graph)
  return namespace_key('chosen', graph)
end
else
-- 64 graphs.all
return function()
  return namespace_prefix .. 'graphs'
end
end
end
else
if number < 67 then
if number < 66 then
-- 65 graphs.on_failure
return function(id)
  if not id then
    return false
  end
  local known = cold(110)('on_failure')
  known[id] = known[id] or redis.call('HGET', cold(61)(id), 'on_failure') or 'cancel'
  return known[id]
end
else
-- 66 graphs.runs_anew
return function(graph, id)
  local doing = redis.call('HGET', cold(61)(graph), 'doing')
  return (doing == 'anew' or doing == 'mark_anew')
    and tonumber(redis.call('ZSCORE', cold(63)(graph), id) or 0) > 0
end
end
else
if number < 68 then
-- 67 graphs.counted
return function(length)
  return length >= 256 and length or 0
end
else
-- 68 graphs.most
return function()
  return cold(167)('*', 'graph_bytes')
end
end
end
end
end
else
if number < 76 then
if number < 72 then
if number < 70 then
-- 69 graphs.has_room
return function(id, bytes)
  local known = cold(110)('graph_bytes')
  local all = (known[id] or tonumber(redis.call('HGET', cold(111)(cold(61)(id)), 'bytes') or 0)) + bytes
  if all > tonumber(cold(68)()) then
    return false
  end
  known[id] = all
  return true
end
else
if number < 71 then
-- 70 graphs.unlimit
return function(bounds)
  for _, bound in ipairs(bounds) do
    redis.call('HDEL', bound.limits, bound.key)
  end
end
else
-- 71 graphs.plan_unlimit
return function(graph)
  local bounds = {}
  for queue, key in string.gmatch(redis.call('HGET', cold(61)(graph), 'bounds') or '', '([^/ ]+)/([^= ]+)=') do
    bounds[#bounds + 1] = { limits = namespace_key('limits', queue), key = key }
    cold(112)('HLEN', bounds[#bounds].limits)
  end
  return bounds
end
end
end
else
if number < 74 then
if number < 73 then
-- 72 graphs.count
return function(task, to)
  local key = cold(61)(task.graph)
  if cold(220)(to) then
    redis.call('HINCRBY', key, to, 1)
  end
  if task.status and cold(220)(task.status) then
    redis.call('HINCRBY', key, task.status, -1)
  end
  if to == 'deleted' and redis.call('HINCRBY', key, 'left', -1) == 0 then
    cold(70)(task.bounds)
    redis.call('UNLINK', key, cold(62)(task.graph))
    redis.call('ZREM', cold(64)(), task.graph)
  end
end
else
-- 73 groups.key
return function(queue, group)
  if #group > 128 or string.find(group, '[^%w._:@-]') then
    group = '~' .. redis.sha1hex(group)
  end
  return namespace_prefix .. 'group_' .. queue .. '/' .. group
end
end
else
if number < 75 then
-- 74 groups.plan
return function(task, to)
  if to ~= 'failed' then
    task.group = redis.call('HGET', namespace_prefix .. 'task_' .. task.id, 'group') or ''
  end
  local key = cold(73)(task.queue, task.group or '')
  cold(112)('ZCARD', namespace_key('groups', task.queue))
  cold(112)('ZCARD', key)
  if to ~= 'failed' and not redis.call('ZSCORE', key, task.id) then
    task.group = nil
  end
end
else
-- 75 groups.enter
return function(task, now)
  local group = task.group or ''
  local key = cold(73)(task.queue, group)
  redis.call('ZADD', key, now, task.id)
  redis.call('ZADD', namespace_key('groups', task.queue), redis.call('ZCARD', key), group)
end
end
end
end
else
if number < 79 then
if number < 77 then
-- 76 groups.leave
return function(task)
  if task.group then
    cold(209)(cold(73)(task.queue, task.group), namespace_key('groups', task.queue), task.group, task.id)
  end
end
else
if number < 78 then
-- 77 history.fields
return function()
  return 'status', 'created', 'promoted', 'reserved', 'started', 'updated', 'node', 'attempt', 'outcome', 'group',
    'error', 'schedule', 'slot',
    'ended', 'cost', 'cost_of', 'readied'
end
else
-- 78 history.last
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
if number < 81 then
if number < 80 then
-- 79 history.derive
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
    step(moved and cold(105)(since * 1000000) or created,
      readied and 'waiting' or promoted and 'scheduled' or cold(219)(status) and status or 'pending',
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
-- 80 history.plan
return function(task, to)
  if to == 'deleted' then
    cold(111)(namespace_key('history', task.id))
  elseif task.status then
    local key = namespace_key('history', task.id)
    cold(112)('XLEN', key)
    if namespace_declared and select(5, cold(78)(key, cold(147)(task.id))) then
      cold(113)()
    end
  end
end
end
else
if number < 82 then
-- 81 history.archive
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
  cold(82)(task, event, outcome, group, text, cost)
end
else
-- 82 history.add
return function(task, event, outcome, group, text, cost)
  local key = namespace_key('history', task.id)
  local told = redis.call('HMGET', namespace_key('task', task.id), cold(77)())
  local number, since, reached, nth, stale, cause = cold(78)(key, told[2])
  if stale then
    redis.call('UNLINK', key)
  end
  local kept = cold(79)(told, since, reached, nth, cause)
  kept[#kept + 1] = { event.at, task.status, event.to, task.attempt, event.by, event.why, outcome, group, text, cost,
    unpack(event.note or {}) }
  local most = cold(167)(task.queue, 'history')
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
if number < 97 then
if number < 90 then
if number < 86 then
if number < 84 then
-- 83 joins.key
return function(id)
  return namespace_prefix .. 'joined_' .. id
end
else
if number < 85 then
-- 84 joins.list
return function(filled, slots)
  local lengths = {}
  for slot = 0, slots - 1 do
    filled[slot] = filled[slot] or 'null'
    lengths[slot + 1] = #filled[slot]
  end
  return '[' .. table.concat(filled, ',', 0, slots - 1) .. ']', table.concat(lengths, ',')
end
else
-- 85 joins.collect
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
if number < 88 then
if number < 87 then
-- 86 joins.is_long
return function(id, slots, bytes)
  local joined = cold(110)('joined')
  local all = (joined.bytes or 0) + bytes
  if slots == 0 or bytes <= 262144 and all <= 1048576 then
    joined.bytes = slots > 0 and all or joined.bytes
    return false
  end
  cold(112)('ZCARD', cold(28)())
  cold(111)(cold(83)(id))
  cold(111)(namespace_key('task', id))
  return true
end
else
-- 87 joins.begin
return function(id)
  redis.call('UNLINK', cold(25)(id), cold(83)(id))
  redis.call('HDEL', cold(27)(id), 'joined', 'lengths', cold(131)())
  redis.call('HSET', namespace_key('task', id), 'cascade', 'join')
  redis.call('ZADD', cold(28)(), namespace_now, id)
end
end
else
if number < 89 then
-- 88 json.decodes
return function(text)
  return (pcall(cjson.decode, text))
end
else
-- 89 limits.starts_key
return function(queue, key)
  return namespace_prefix .. 'rate_' .. queue .. (key and '/' .. key or '')
end
end
end
end
else
if number < 93 then
if number < 91 then
-- 90 limits.of_key
return function(queue, key)
  local own, rate = string.match(redis.call('HGET', namespace_key('limits', queue), key) or '- -', '^(%S+) (%S+)$')
  own = tonumber(own ~= '-' and own or cold(167)(queue, 'key_concurrency'))
  if rate ~= '-' then
    return own, rate, 0
  end
  return own, cold(167)(queue, 'key_rate'), cold(168)(queue, 'key_rate')
end
else
if number < 92 then
-- 91 limits.fits
return function(queue, key, weight)
  local most, rate, since = cold(90)(queue, key)
  if weight == 'solo' then
    most, weight = 1, 1
  end
  if most then
    local used = tonumber(redis.call('HGET', namespace_key('places', queue), 'k:' .. key) or 0)
    if used + math.min(tonumber(weight), most) > most then
      return false
    end
  end
  return cold(93)(cold(89)(queue, key), rate, since)
end
else
-- 92 limits.start_expires
return function(starts, back, seconds, since)
  local last = tonumber(redis.call('LINDEX', starts, back) or nil)
  if last and last >= since and tonumber(redis.call('LINDEX', starts, 0)) <= namespace_now_us then
    return last + seconds * 1000000
  end
end
end
end
else
if number < 95 then
if number < 94 then
-- 93 limits.rate_allows
return function(starts, rate, since)
  if not rate then
    return true
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local free = cold(92)(starts, number - 1, seconds, since)
  if free and free > namespace_now_us then
    return false, free
  end
  return true
end
else
-- 94 limits.take
return function(task)
  local queue, key, weight = task.queue, task.fair_key, tonumber(task.weight or 1)
  local held = namespace_key('places', queue)
  redis.call('HSET', held, 'a:' .. task.id .. ' ' .. task.issue,
    weight .. ' ' .. (key or '') .. (task.shared and ' ' .. task.shared or ''))
  if task.shared then
    cold(183)(task.shared)
  end
  if weight > 1 then
    redis.call('HINCRBY', held, 'extra', weight - 1)
  end
  if key then
    local _, rate = cold(90)(queue, key)
    redis.call('HINCRBY', held, 'k:' .. key, weight)
    redis.call('HSET', namespace_key('turns', queue), key, cold(55)(namespace_now_us))
    cold(95)(cold(89)(queue, key), rate, string.format('%.0f', namespace_now_us))
  end
end
end
else
if number < 96 then
-- 95 limits.record_start
return function(starts, rate, us)
  if rate then
    redis.call('LPUSH', starts, us)
    local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
    redis.call('LTRIM', starts, 0, number - 1)
    redis.call('EXPIRE', starts, 2 * seconds + 60)
  end
end
else
-- 96 limits.release
return function(queue, id, token)
  local held, member = namespace_key('places', queue), 'a:' .. id .. ' ' .. token
  local weight, key, shared = string.match(redis.call('HGET', held, member) or '', '^(%d+) (%S*) ?(%S*)$')
  if not weight then
    return
  end
  redis.call('HDEL', held, member)
  if shared ~= '' then
    cold(184)(shared, queue)
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
    cold(59)(queue, key)
  end
end
end
end
end
end
else
if number < 104 then
if number < 100 then
if number < 98 then
-- 97 limits.plan_released
return function(queue, attempts)
  local keys = {}
  for _, ended in ipairs(attempts) do
    local held = redis.call('HGET', namespace_key('places', queue), 'a:' .. ended.id .. ' ' .. ended.token)
    local key, shared = string.match(held or '', '^%d+ (%S*) ?(%S*)$')
    keys[#keys + 1] = key ~= '' and key or nil
    if shared and shared ~= '' then
      cold(180)(shared, queue)
    end
  end
  cold(60)(queue, keys)
end
else
if number < 99 then
-- 98 logs.size
return function(id)
  local v = redis.call('HMGET', cold(111)(namespace_key('logged', id)), 'head', 'tail')
  if v[1] then
    cold(112)('ZCARD', logs_index())
    return v[1] + v[2]
  end
end
else
-- 99 logs.forget
return function(id, size)
  redis.call('UNLINK', namespace_key('logged', id))
  redis.call('ZREM', logs_index(), id)
  redis.call('HINCRBY', namespace_meta, 'logs', -size)
end
end
end
else
if number < 102 then
if number < 101 then
-- 100 mending.graphs
return function(position, limit, shared)
  if shared and redis.call('ZREVRANGE', namespace_prefix .. 'queues', 0, 0)[1] ~= mending_queue then
    return '0'
  end
  local ids, after = mending_page(cold(64)(), 'ZRANGE', position, limit)
  local left, removed = 2000, 0
  for i, id in ipairs(ids) do
    local number = cold(154)(id)
    if number > left and number <= 2000 then
      return mending_go_on(tonumber(position) + i - 1 - removed)
    end
    local wrong, there = {}, nil
    if number > 0 and number <= left then
      wrong, there = cold(155)(id)
      left = left - number
    end
    if there == 0 then
      removed = removed + 1
      cold(101)(id)
    elseif wrong[1] then
      mending_mend('HSET', cold(61)(id), unpack(wrong))
    end
  end
  return after(removed)
end
else
-- 101 mending.remove_graph
return function(id)
  for _, bound in ipairs(cold(71)(id)) do
    mending_write('HDEL', bound.limits, bound.key)
  end
  mending_mend('ZREM', cold(64)(), id)
  mending_write('UNLINK', cold(61)(id), cold(111)(cold(62)(id)))
end
end
else
if number < 103 then
-- 102 mending.plan_shared
return function(queue, shared)
  mending_named = cold(152)(queue, shared)
  local corrected = {}
  for nth = 1, #mending_named, 2 do
    corrected[mending_named[nth]] = true
  end
  if next(corrected) then
    cold(185)()
  end
  mending_expired = cold(194)(corrected)
  mending_mended = mending_mended + #mending_named / 2 + #mending_expired
end
else
-- 103 mending.shared_cursor
return function()
  local pass = redis.call('HGET', namespace_key('suspects', mending_queue), 'pass') or ''
  local ended = tonumber(string.match(pass, '^done (%d+)$'))
  if not ended then
    return pass
  end
  local since = namespace_now_us - ended
  return (since >= (60 * 1000000) or since < 0) and '' or nil
end
end
end
end
else
if number < 107 then
if number < 105 then
-- 104 mending.share
return function(after)
  local pass = after ~= '' and after or string.format('done %.0f', namespace_now_us)
  mending_write('HSET', namespace_key('suspects', mending_queue), 'pass', pass)
end
else
if number < 106 then
-- 105 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
-- 106 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(156)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(156)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
end
end
else
if number < 109 then
if number < 108 then
-- 107 namespace.use_test_time
return function(now)
  namespace_now_us = cold(4)(now or cold(156)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(156)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(105)(namespace_now_us)
end
else
-- 108 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(105)(namespace_now_us)
end
end
else
if number < 110 then
-- 109 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
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
end
end
end
end
else
if number < 166 then
if number < 138 then
if number < 124 then
if number < 117 then
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
if number < 115 then
-- 114 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(156)(cold(158)())
  end
end
else
if number < 116 then
-- 115 namespace.is_here
return function(key)
  return type(redis.pcall('EXISTS', namespace_meta, key)) == 'number'
end
else
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
end
end
end
else
if number < 120 then
if number < 118 then
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
else
if number < 119 then
-- 118 needs.class
return function(task)
  if task.shared then
    return (task.needs or '') .. '|' .. task.shared
  end
  return task.needs
end
else
-- 119 needs.numbers
return function(queue)
  local numbers = { '' }
  for _, known in ipairs(redis.call('HVALS', namespace_key('needs', queue))) do
    numbers[#numbers + 1] = string.match(known, '^%d+')
  end
  return numbers
end
end
end
else
if number < 122 then
if number < 121 then
-- 120 needs.number
return function(queue, wanted)
  if not wanted then
    return ''
  end
  return string.match(redis.call('HGET', namespace_key('needs', queue), wanted) or '', '^%d+')
end
else
-- 121 needs.plan
return function(queue, wanted)
  local number, given = cold(120)(queue, wanted), cold(110)('needs')[queue] or {}
  if number or given[wanted] then
    return number or given[wanted]
  end
  local taken = {}
  for _, other in ipairs(cold(119)(queue)) do
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
end
else
if number < 123 then
-- 122 needs.count
return function(queue, wanted, by)
  if not wanted then
    return ''
  end
  local known = namespace_key('needs', queue)
  local number, count = string.match(redis.call('HGET', known, wanted) or '', '^(%d+) (%d+)$')
  if not number then
    number, count = cold(121)(queue, wanted), 0
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
-- 123 orders.key
return function(queue)
  return namespace_key('orders', queue)
end
end
end
end
end
else
if number < 131 then
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
else
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
  local v = redis.call('HMGET', cold(111)(cold(27)(id)), cold(131)())
  return { least = tonumber(v[1] or 0), left = tonumber(v[2] or 0), missed = tonumber(v[3] or 0),
    turn = tonumber(v[4] or 1), owed = tonumber(v[5] or 0) }
end
else
-- 133 quorum.write
return function(id, set)
  redis.call('HSET', cold(27)(id), 'least', set.least, 'some', set.left, 'missed', set.missed, 'turn', set.turn,
    'owed', set.owed)
end
end
end
else
if number < 136 then
if number < 135 then
-- 134 quorum.chances
return function(set)
  return set.left - set.missed + set.owed
end
else
-- 135 quorum.is_ready
return function(set, open)
  return set.least <= 0 and open == set.left
end
end
else
if number < 137 then
-- 136 quorum.text
return function(slots, turn)
  return 'some' .. (turn or '') .. (slots ~= '' and '/' .. slots or '')
end
else
-- 137 quorum.take
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
else
if number < 152 then
if number < 145 then
if number < 141 then
if number < 139 then
-- 138 quorum.plan_end
return function(plan, task, up, to, mark, slots)
  local set, open = plan.set, redis.call('HLEN', cold(25)(plan.id))
  cold(137)(set, mark)
  plan.met = to == 'complete'
  if plan.met then
    set.least = set.least - 1
    return
  elseif to == 'deleted' then
    plan.gone, open = cold(29)(slots), open - 1
  else
    set.left, set.missed = set.left + 1, set.missed + 1
  end
  if cold(135)(set, open) then
    plan.met, plan.ready = true, true
    return
  end
  local may_wait = cold(65)(task.extra[5]) == 'hold' and set.least <= set.left + set.owed
  if set.least > cold(134)(set) and not may_wait then
    cold(139)(plan, up, open)
    plan.short = set.least > cold(134)(set)
  end
  plan.missed = not plan.short and cold(136)(slots, set.turn)
end
else
if number < 140 then
-- 139 quorum.plan_again
return function(plan, up, open)
  local set = plan.set
  plan.again = {}
  local found = open <= 300 and redis.call('HGETALL', cold(25)(plan.id)) or {}
  for i = 1, #found, 2 do
    local mark, slots = string.match(found[i + 1], '^some(%d+)/?(.*)$')
    if found[i] ~= up.id and tonumber(mark) == set.turn then
      local other = record_find(found[i])
      if other and not cold(220)(other.status) then
        cold(112)('ZCARD', cold(26)(found[i]))
        plan.again[found[i]], set.missed = { up = other, text = cold(136)(slots) }, set.missed - 1
      end
    end
  end
end
else
-- 140 quorum.miss
return function(up, plan)
  if plan.gone then
    redis.call('ZREM', cold(26)(up.id), plan.id)
    redis.call('HDEL', cold(25)(plan.id), up.id)
    cold(48)(plan.id, plan.gone)
  else
    redis.call('ZADD', cold(26)(up.id), 'inf', plan.id)
    redis.call('HSET', cold(25)(plan.id), up.id, plan.missed)
  end
  for id, edge in pairs(plan.again or {}) do
    redis.call('ZADD', cold(26)(id), namespace_now, plan.id)
    redis.call('HSET', cold(25)(plan.id), id, edge.text)
    cold(35)(edge.up)
  end
  cold(133)(plan.id, plan.set)
end
end
end
else
if number < 143 then
if number < 142 then
-- 141 quorum.drop
return function(id)
  redis.call('UNLINK', cold(25)(id), cold(27)(id))
end
else
-- 142 ranking.plan
return function(task)
  local queue, probe = task.queue, cold(112)
  if task.limited then
    probe('HLEN', namespace_key('places', queue))
  end
  if task.ranked then
    cold(113)()
    probe('ZCARD', namespace_key('lane_tasks', queue))
    local numbers = task.fair_key and cold(119)(queue) or {}
    local class = cold(118)(task)
    numbers[#numbers + 1] = class and cold(121)(queue, class) or ''
    for _, number in ipairs(numbers) do
      probe('ZCARD', cold(53)(queue, number))
      if task.fair_key then
        probe('ZCARD', cold(54)(queue, task.fair_key, number))
      end
    end
  end
  if task.fair_key then
    probe('HLEN', namespace_key('turns', queue))
    probe('HLEN', namespace_key('limits', queue))
    probe('ZCARD', namespace_key('delayed', queue))
    probe('LLEN', cold(89)(queue, task.fair_key))
    cold(167)(queue, 'key_rate')
  end
end
end
else
if number < 144 then
-- 143 ranking.member
return function(task)
  return task.rank .. ' ' .. task.id .. ' ' .. (task.solo and 'solo' or task.weight or '1')
end
else
-- 144 ranking.add
return function(task)
  local queue = task.queue
  local field = 'lanes:' .. queue
  local last = math.max(tonumber(redis.call('HGET', namespace_meta, field) or 0) + 1, namespace_now_us)
  redis.call('HSET', namespace_meta, field, string.format('%.0f', last))
  task.rank = task.place or task.front and cold(56)(last) or cold(55)(last)
  redis.call('ZADD', namespace_key('lane_tasks', queue), -tonumber(task.priority or 0), task.rank .. ' ' .. task.id)
  do
    local task = task
    local queue, score = task.queue, -tonumber(task.priority or 0)
    local number = cold(122)(queue, cold(118)(task), 1)
    if task.fair_key then
      if task.turn then
        redis.call('HSETNX', namespace_key('turns', queue), task.fair_key,
          cold(55)(math.min(task.turn, namespace_now_us)))
      end
      redis.call('ZADD', cold(54)(queue, task.fair_key, number), score, cold(143)(task))
      cold(58)(queue, task.fair_key, number)
    else
      redis.call('ZADD', cold(53)(queue, number), score, task.rank .. ' ' .. task.id)
    end
  end
  redis.call('HSET', namespace_prefix .. 'task_' .. task.id, 'rank', task.rank)
end
end
end
end
else
if number < 148 then
if number < 146 then
-- 145 ranking.remove_from_index
return function(queue, member)
  local all = namespace_key('lane_tasks', queue)
  if redis.call('ZCARD', all) - redis.call('ZREM', all, member) == 0 then
    redis.call('HDEL', namespace_meta, 'lanes:' .. queue)
  end
end
else
if number < 147 then
-- 146 ranking.remove
return function(task, to)
  cold(145)(task.queue, task.rank .. ' ' .. task.id)
  do
    local task, to = task, to
    local queue = task.queue
    local class = cold(118)(task)
    local number = cold(120)(queue, class)
    if task.fair_key then
      redis.call('ZREM', cold(54)(queue, task.fair_key, number), cold(143)(task))
      if cold(197)(task, to) then
        cold(94)(task)
      end
      cold(59)(queue, task.fair_key)
    else
      redis.call('ZREM', cold(53)(queue, number), task.rank .. ' ' .. task.id)
      if task.limited and cold(197)(task, to) then
        cold(94)(task)
      end
    end
    cold(122)(queue, class, -1)
  end
  redis.call('HDEL', namespace_prefix .. 'task_' .. task.id, 'rank')
end
else
-- 147 record.created
return function(id)
  return tonumber(redis.call('HGET', namespace_prefix .. 'task_' .. id, 'created') or 0)
end
end
end
else
if number < 150 then
if number < 149 then
-- 148 record.lease
return function(task)
  return task.id .. ' ' .. task.token
end
else
-- 149 recount.queues
return function(key, queue, shared)
  local all = namespace_prefix .. 'queues'
  if redis.call('EXISTS', cold(169)()) == 0 and redis.call('EXISTS', key) == 0
    or redis.call('ZCARD', all) > 1000 or shared and redis.call('ZREVRANGE', all, 0, 0)[1] ~= queue then
    return nil
  end
  return redis.call('ZRANGE', all, 0, -1)
end
end
else
if number < 151 then
-- 150 recount.wrong
return function(queue, shared)
  local key = cold(170)()
  local queues, left = cold(149)(key, queue, shared), 2000
  if not queues then
    return {}
  end
  for i = 1, #queues do
    local held = cold(111)(namespace_prefix .. 'places_' .. queues[i])
    queues[i], left = held, left - redis.call('HLEN', held)
  end
  if left < 0 or redis.call('HLEN', key) > 2000 then
    return {}
  end
  local taken = {}
  for i = 1, #queues do
    local places = redis.call('HGETALL', queues[i])
    for at = 1, #places, 2 do
      local set = string.find(places[at], '^a:') and string.match(places[at + 1], '^%d+ %S* (%S+)$')
      for _, part in ipairs(set and cold(178)(set) or {}) do
        taken[part.name] = (taken[part.name] or 0) + part.weight
      end
    end
  end
  return cold(151)(key, taken)
end
else
-- 151 recount.compare
return function(key, taken)
  local wrong, noted = {}, redis.call('HGETALL', key)
  for i = 1, #noted, 2 do
    local number = taken[noted[i]] or 0
    if tonumber(noted[i + 1]) ~= number then
      wrong[#wrong + 1], wrong[#wrong + 2] = noted[i], number
    end
    taken[noted[i]] = nil
  end
  for name, number in pairs(taken) do
    wrong[#wrong + 1], wrong[#wrong + 2] = name, number
  end
  return wrong
end
end
end
end
end
else
if number < 159 then
if number < 155 then
if number < 153 then
-- 152 recount.wrong_tasks
return function(queue, shared)
  local key, plans = cold(172)(), namespace_prefix .. 'schedules'
  local queues, left = cold(149)(key, queue, shared), 2000 - redis.call('ZCARD', plans)
  if not queues or redis.call('HLEN', cold(111)(key)) > 2000 then
    return {}
  end
  for _, name in ipairs(queues) do
    left = left - redis.call('ZCARD', namespace_key('tasks', name))
  end
  if left < 0 then
    return {}
  end
  local named = {}
  local function add(set)
    for _, part in ipairs(set and cold(178)(set) or {}) do
      named[part.name] = (named[part.name] or 0) + 1
    end
  end
  for _, name in ipairs(queues) do
    for _, id in ipairs(redis.call('ZRANGE', namespace_key('tasks', name), 0, -1)) do
      local said = redis.call('HMGET', namespace_key('task', id), 'status', 'queue', 'limits', 'further')
      local status, where, set, further = unpack(said, 1, 4)
      if status and where == name then
        add(not cold(220)(status) and set)
        add(further and redis.call('HGET', cold(50)(id), '/limits'))
      end
    end
  end
  for _, name in ipairs(redis.call('ZRANGE', plans, 0, -1)) do
    add(cold(165)(redis.call('HGET', namespace_key('schedule', name), 'options') or '').limits)
  end
  return cold(151)(key, named)
end
else
if number < 154 then
-- 153 recount.counted
return function()
  return 'left', unpack({ 'complete', 'failed', 'cancelled' })
end
else
-- 154 recount.members
return function(graph)
  local v = redis.call('HMGET', cold(111)(cold(61)(graph)), 'released', 'total', 'doing', cold(153)())
  local open = tonumber(v[4] or 0) or 0
  for i = 5, #v do
    open = open - (tonumber(v[i] or 0) or 0.5)
  end
  return v[1] and v[1] == v[2] and not v[3] and open ~= 0 and tonumber(v[2]) or 0
end
end
end
else
if number < 157 then
if number < 156 then
-- 155 recount.wrong_graph
return function(graph)
  local found = { left = 0 }
  for _, id in ipairs(redis.call('LRANGE', cold(62)(graph), 0, -1)) do
    local v = redis.call('HMGET', namespace_key('task', id), 'graph', 'status')
    if v[1] == graph then
      found.left = found.left + 1
      found[v[2]] = (found[v[2]] or 0) + 1
    end
  end
  local wrong, names = {}, { cold(153)() }
  for i, noted in ipairs(redis.call('HMGET', cold(61)(graph), unpack(names))) do
    local number = found[names[i]] or 0
    if tonumber(noted or 0) ~= number then
      wrong[#wrong + 1], wrong[#wrong + 2] = names[i], number
    end
  end
  return wrong, found.left
end
else
-- 156 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(157)() then
    code, text = cold(158)()
  end
  error({ err = code .. ' ' .. text })
end
end
else
if number < 158 then
-- 157 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
-- 158 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
end
end
end
else
if number < 162 then
if number < 160 then
-- 159 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(158)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
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
-- 161 rights.refuse
return function(name)
  local role = string.match('UPKEEP', '^%u+$')
  if role and not cold(160)({ name }, 'meta') then
    cold(156)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(156)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
end
end
else
if number < 164 then
if number < 163 then
-- 162 rights.check
return function(names)
  local name = cold(160)(names, 'UPKEEP')
  if name then
    cold(161)(name)
  end
end
else
-- 163 rights.require
return function()
  cold(162)({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HGETALL', 'HINCRBY', 'HMGET', 'HSET', 'HSETNX', 'HVALS', 'LINDEX', 'LPUSH', 'LREM', 'LTRIM', 'RPOPLPUSH', 'RPUSH', 'SADD', 'SREM', 'UNLINK', 'XADD', 'XREVRANGE', 'ZADD', 'ZCARD', 'ZRANGE', 'ZREM' })
end
end
else
if number < 165 then
-- 164 schedules.plain
return function(text)
  return (string.gsub(text, '%%(%x%x)', function(code)
    return string.char(tonumber(code, 16))
  end))
end
else
-- 165 schedules.values
return function(text)
  local values = {}
  for word in string.gmatch(text, '%S+') do
    local name, value = string.match(word, '^([^=]+)=(.*)$')
    if name then
      values[name] = cold(164)(value)
    end
  end
  return values
end
end
end
end
end
end
end
else
if number < 194 then
if number < 180 then
if number < 173 then
if number < 169 then
if number < 167 then
-- 166 settings.find
return function(text, name)
  return text and string.match(' ' .. text, ' ' .. name .. '=(%S+)')
end
else
if number < 168 then
-- 167 settings.get
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
else
-- 168 settings.since
return function(queue, name)
  cold(167)(queue, name)
  local own, common = unpack(cold(110)('settings')[queue], 1, 2)
  local since = cold(166)(cold(166)(own, name) and own or common, name .. '_since')
  return tonumber(since or 0)
end
end
end
else
if number < 171 then
if number < 170 then
-- 169 shares.limits_key
return function()
  return namespace_prefix .. 'shared_limits'
end
else
-- 170 shares.places_key
return function()
  return namespace_prefix .. 'shared_places'
end
end
else
if number < 172 then
-- 171 shares.waits_key
return function()
  return namespace_prefix .. 'shared_waits'
end
else
-- 172 shares.tasks_key
return function()
  return namespace_prefix .. 'shared_tasks'
end
end
end
end
else
if number < 176 then
if number < 174 then
-- 173 shares.expires_key
return function()
  return namespace_prefix .. 'shared_expires'
end
else
if number < 175 then
-- 174 shares.idle_key
return function()
  return namespace_prefix .. 'shared_idle'
end
else
-- 175 shares.turns_key
return function(name)
  return namespace_prefix .. 'shared_turns_' .. name
end
end
end
else
if number < 178 then
if number < 177 then
-- 176 shares.starts_key
return function(name)
  return namespace_prefix .. 'shared_rate_' .. name
end
else
-- 177 shares.of
return function(class)
  return string.match(class, '|(.+)$')
end
end
else
if number < 179 then
-- 178 shares.parts
return function(set)
  local parts = {}
  for name, weight in string.gmatch(set, '([%w_.-]+):?(%d*)') do
    parts[#parts + 1] = { name = name, weight = tonumber(weight) or 1 }
  end
  return parts
end
else
-- 179 shares.is_gone
return function(member, asked)
  local queue, class = string.match(member, '^(%S+) (%S+)$')
  local offered = tonumber(string.match(asked or '', ' (%d+)$'))
  return not asked or offered and offered + 5000000 <= namespace_now_us
    or redis.call('HEXISTS', namespace_meta, 'paused:' .. queue) == 1
    or redis.call('HEXISTS', namespace_key('needs', queue), class) == 0, offered
end
end
end
end
end
else
if number < 187 then
if number < 183 then
if number < 181 then
-- 180 shares.plan
return function(set, queue)
  cold(112)('HLEN', cold(170)())
  cold(112)('HLEN', cold(169)())
  for _, part in ipairs(cold(178)(set)) do
    if queue then
      cold(181)(part.name, queue, 4)
    else
      cold(112)('LLEN', cold(176)(part.name))
    end
  end
end
else
if number < 182 then
-- 181 shares.plan_wakes
return function(name, queue, most)
  local woken, key = cold(110)('woken'), name .. ' ' .. queue
  if woken[key] then
    return
  end
  woken[key] = {}
  local seen = { [queue] = true }
  for _, member in ipairs(redis.call('ZRANGE', cold(175)(name), 0, math.max(most, 16) - 1)) do
    local other = string.match(member, '^%S+')
    if #woken[key] < most and not seen[other] and redis.call('HEXISTS', namespace_meta, 'paused:' .. other) == 0 then
      seen[other] = true
      cold(199)(other)
      table.insert(woken[key], other)
    end
  end
end
else
-- 182 shares.wake
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
          cold(200)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
end
end
else
if number < 185 then
if number < 184 then
-- 183 shares.take
return function(set)
  local now = string.format('%.0f', namespace_now_us)
  for _, part in ipairs(cold(178)(set)) do
    redis.call('HINCRBY', cold(170)(), part.name, part.weight)
    local rate = string.match(redis.call('HGET', cold(169)(), part.name) or '', ' (%d+/%d+)$')
    cold(95)(cold(176)(part.name), rate, now)
  end
end
else
-- 184 shares.release
return function(set, queue)
  for _, part in ipairs(cold(178)(set)) do
    if redis.call('HINCRBY', cold(170)(), part.name, -part.weight) <= 0 then
      redis.call('HDEL', cold(170)(), part.name)
    end
    cold(182)(part.name, queue)
  end
end
end
else
if number < 186 then
-- 185 shares.plan_count
return function()
  cold(112)('HLEN', cold(172)())
  cold(112)('HLEN', cold(173)())
  cold(112)('ZCARD', cold(174)())
end
else
-- 186 shares.count
return function(set, change)
  for _, part in ipairs(cold(178)(set)) do
    cold(187)(part.name, redis.call('HINCRBY', cold(172)(), part.name, change), change)
  end
end
end
end
end
else
if number < 190 then
if number < 188 then
-- 187 shares.note_tasks
return function(name, number, change)
  if number <= 0 then
    redis.call('HDEL', cold(172)(), name)
    cold(189)(name)
  elseif number == change then
    redis.call('ZREM', cold(174)(), name)
  end
end
else
if number < 189 then
-- 188 shares.set_tasks
return function(name, number)
  redis.call('HSET', cold(172)(), name, number)
  cold(187)(name, number, number)
end
else
-- 189 shares.begin_idle
return function(name)
  local expires = tonumber(redis.call('HGET', cold(173)(), name) or nil)
  if expires then
    redis.call('ZADD', cold(174)(), string.format('%.0f', namespace_now_us + expires * 1000000), name)
  end
end
end
end
else
if number < 192 then
if number < 191 then
-- 190 shares.count_task
return function(task, to)
  local open = task.status and not cold(220)(task.status)
  local opens = not cold(220)(to) and to ~= 'deleted' and to ~= 'moved'
  if opens and not open then
    cold(186)(task.shared, 1)
  elseif open and not opens then
    cold(186)(task.shared, -1)
  end
end
else
-- 191 shares.waiting
return function(name)
  local waits = redis.call('ZRANGE', cold(175)(name), 0, 16 - 1)
  for _, member in ipairs(waits) do
    if not cold(179)(member, redis.call('HGET', cold(171)(), member)) then
      return waits, string.match(member, '^%S+')
    end
  end
  return waits
end
end
else
if number < 193 then
-- 192 shares.plan_remove
return function(name, waits)
  for _, member in ipairs(waits) do
    for _, part in ipairs(cold(178)(cold(177)(member))) do
      cold(112)('ZCARD', cold(175)(part.name))
    end
  end
  cold(112)('HLEN', cold(169)())
  cold(112)('HLEN', cold(171)())
  cold(112)('ZCARD', cold(175)(name))
  cold(112)('LLEN', cold(176)(name))
  cold(185)()
  cold(7)()
end
else
-- 193 shares.remove
return function(name, waits)
  redis.call('HDEL', cold(169)(), name)
  redis.call('HDEL', cold(173)(), name)
  redis.call('ZREM', cold(174)(), name)
  redis.call('HDEL', cold(171)(), '', unpack(waits))
  for _, member in ipairs(waits) do
    for _, part in ipairs(cold(178)(cold(177)(member))) do
      redis.call('ZREM', cold(175)(part.name), member)
    end
  end
  redis.call('UNLINK', cold(175)(name), cold(176)(name))
end
end
end
end
end
end
else
if number < 208 then
if number < 201 then
if number < 197 then
if number < 195 then
-- 194 shares.plan_expired
return function(corrected)
  local expired = {}
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', cold(111)(cold(174)()), '-inf',
    string.format('%.0f', namespace_now_us), 'LIMIT', 0, 16)) do
    local waits, queue = cold(191)(name)
    local one = { name = name, waits = waits, before = redis.call('HGET', cold(169)(), name) }
    one.used = queue or corrected[name] or redis.call('HGET', cold(111)(cold(170)()), name)
      or redis.call('HGET', cold(172)(), name)
    cold(192)(name, waits)
    expired[#expired + 1] = one
  end
  return expired
end
else
if number < 196 then
-- 195 shares.expire
return function(expired)
  for _, one in ipairs(expired) do
    if one.used then
      redis.call('ZREM', cold(174)(), one.name)
      cold(189)(one.name)
    else
      cold(193)(one.name, one.waits)
      cold(8)('', 'limit', 'shared', one.name, one.before or '', '- -', 'nobody used it')
    end
  end
end
else
-- 196 state.attempt_fields
return function()
  return 'node', 'pid', 'reclaimed_node', 'cancel', 'recall', 'reserved', 'started', 'progress', 'progressed'
end
end
end
else
if number < 199 then
if number < 198 then
-- 197 state.takes
return function(task, to)
  return to == 'reserved' or to == 'started' and task.status == 'pending'
end
else
-- 198 state.probe_list
return function(list, task)
  if cold(112)('LLEN', list) <= 100 or task.from_end then
    return
  end
  local tail = redis.call('LINDEX', list, -1)
  if tail ~= task.id then
    local first = cold(147)(redis.call('LINDEX', list, 0))
    local last, own = cold(147)(tail), cold(147)(task.id)
    task.from_end = own - last < first - own and -1 or 1
  end
end
end
else
if number < 200 then
-- 199 state.plan_wake
return function(queue)
  local asleep = cold(110)('asleep')
  asleep[queue] = cold(112)('LLEN', namespace_prefix .. 'wake_' .. queue) == 0
  if not asleep['*'] then
    asleep['*'], state_roams = true, redis.call('HGET', namespace_meta, 'roams')
  end
end
else
-- 200 state.rouse
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
if number < 204 then
if number < 202 then
-- 201 state.plan_left
return function(task)
  local queue = task.queue
  if cold(112)('LLEN', namespace_key('pending_tasks', queue))
    + cold(112)('ZCARD', namespace_key('lane_tasks', queue)) > 1 then
    cold(199)(queue)
    task.wakes = true
  end
end
else
if number < 203 then
-- 202 state.plan
return function(task, to, taker)
  local probe, touch = cold(112), cold(111)
  local from, queue, prefix = task.status, task.queue, namespace_prefix
  local tasks, events = '_tasks_' .. queue, touch(prefix .. 'events_' .. queue)
  if task.ties then
    cold(16)(task, to, taker)
    if from == 'pending' and not taker and (task.weight or task.solo) then
      cold(201)(task)
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
        if (task.limited or cold(167)(queue, 'concurrency'))
          and (redis.call('LLEN', prefix .. 'pending_tasks_' .. queue) > 0
          or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1) then
          cold(199)(queue)
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
    cold(198)(prefix .. from .. tasks, task)
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
      cold(199)(queue)
      if task.ranked then
        task.last = false
      end
    end
  end
  if task.foreign or to == 'deleted' or to == 'moved' then
    probe('ZCARD', prefix .. 'tasks_' .. queue)
  end
  cold(203)(task, to)
end
else
-- 203 state.plan_own
return function(task, to)
  if to == 'deleted' then
    cold(111)(namespace_prefix .. 'log_' .. task.id)
    task.logged = cold(98)(task.id)
  end
  cold(80)(task, to)
  if to == 'failed' or task.status == 'failed' then
    cold(74)(task, to)
  end
end
end
end
else
if number < 206 then
if number < 205 then
-- 204 state.time
return function(task)
  local since, now = task.since, namespace_now
  if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
    now = since
  end
  return now
end
else
-- 205 tags.key
return function(queue, tag)
  return namespace_prefix .. 'tag_' .. queue .. '/' .. tag
end
end
else
if number < 207 then
-- 206 tags.names
return function(text)
  local names = {}
  for tag in string.gmatch(text or '', '[^,]+') do
    names[#names + 1] = tag
  end
  return names
end
else
-- 207 tags.plan
return function(queue, text)
  cold(112)('ZCARD', namespace_key('tags', queue))
  for _, tag in ipairs(cold(206)(text)) do
    cold(112)('ZCARD', cold(205)(queue, tag))
  end
end
end
end
end
end
else
if number < 215 then
if number < 211 then
if number < 209 then
-- 208 tags.enter
return function(queue, id, created, text)
  for _, tag in ipairs(cold(206)(text)) do
    local key = cold(205)(queue, tag)
    redis.call('ZADD', key, created, id)
    redis.call('ZADD', namespace_key('tags', queue), redis.call('ZCARD', key), tag)
  end
end
else
if number < 210 then
-- 209 tags.remove
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
-- 210 tags.leave
return function(queue, id, text)
  for _, tag in ipairs(cold(206)(text)) do
    cold(209)(cold(205)(queue, tag), namespace_key('tags', queue), tag, id)
  end
end
end
end
else
if number < 213 then
if number < 212 then
-- 211 tracks.all
return function()
  return namespace_prefix .. 'tracked'
end
else
-- 212 tracks.key
return function()
  return namespace_prefix .. 'changes'
end
end
else
if number < 214 then
-- 213 tracks.has
return function(task)
  return task.ties and string.find(task.ties, 'o', 1, true)
end
else
-- 214 tracks.plan
return function()
  cold(112)('XLEN', cold(212)())
  cold(112)('ZCARD', cold(211)())
end
end
end
end
else
if number < 218 then
if number < 216 then
-- 215 tracks.plan_note
return function(task)
  if cold(213)(task) then
    cold(214)()
  end
end
else
if number < 217 then
-- 216 tracks.add
return function(task, at, what, from, to, by, why, text)
  redis.call('XADD', cold(212)(), 'MAXLEN', '~', '10000', '*', 'id', task.id, 'queue', task.queue, 'what', what,
    'from', from or '', 'to', to, 'attempt', task.attempt, 'at', at, 'by', by or '', 'why', why,
    'text', string.sub(text or '', 1, 1024))
  redis.pcall('PUBLISH', cold(212)(), '')
end
else
-- 217 tracks.transition
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
  cold(216)(task, cold(204)(task), 'state', task.status, to, by, why, text)
  if to == 'deleted' then
    cold(218)(task.id)
  end
end
end
end
else
if number < 220 then
if number < 219 then
-- 218 tracks.forget
return function(id)
  redis.call('ZREM', cold(211)(), id)
end
else
-- 219 contract.is_waiting
return function(status)
  return status == 'waiting' or status == 'scheduled' or status == 'pending'
end
end
else
if number < 221 then
-- 220 contract.is_final
return function(status)
  return status == 'complete' or status == 'failed' or status == 'cancelled'
end
else
-- 221 contract.option
return function(name, value)
  if name == 'grace' then
    return cold(4)(value, 0, 86400, name)
  elseif name == 'shared' then
    return cold(2)(value, name)
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
  local queue, cursor, limit = contract_arguments()
  local options = cold(5)()
  return mending_step(queue, cursor, limit, options.grace or (60 * 1000000), options.shared)
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(159)(answer)
