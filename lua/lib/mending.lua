-- What clients without scripts leave behind: how each index is read, and what
-- is wrong with an entry.
local mending = {}

mending.queue = ''

mending.mended = 0

mending.suspected = 0

mending.writes = {}

mending.moves = {}

-- The keys of `writes` so far, and the ids of `moves`.
mending.noted = {}

mending.moved = {}

-- Entries of listeners' lists that one call looks at.
mending.ENTRIES = 2500

function mending.write(command, key, ...)
  if not mending.noted[key] then
    mending.noted[key] = space.touch(key)
  end
  mending.writes[#mending.writes + 1] = { command, key, ... }
end

function mending.mend(...)
  mending.write(...)
  mending.mended = mending.mended + 1
end

-- A record without a queue is what a late update made of a deleted task: it goes too.
function mending.find(id)
  local task = record.find(id, 'updated', 'group', 'tags')
  if task and task.queue == '' then
    mending.write('UNLINK', task.key)
    return nil
  end
  return task
end

-- An id that such a client made is in no index of ours.
function mending.index(task)
  local tasks = space.key('tasks', mending.queue)
  if task.foreign and not redis.call('ZSCORE', tasks, task.id) then
    mending.mend('ZADD', tasks, record.created(task.id), task.id)
  end
end

-- What looks wrong may be a client between two of its commands; after the grace it
-- is one that died there. `mark`: what it looked like; a change begins a new grace.
function mending.overdue(field, mark, grace)
  local suspects = space.key('suspects', mending.queue)
  local since, before = string.match(redis.call('HGET', suspects, field) or '', '^(%S+) (.*)$')
  if before == mark and tonumber(since) * 1000000 + grace <= space.us then
    mending.write('HDEL', suspects, field)
    return true
  end
  if before ~= mark then
    mending.write('HSET', suspects, field, space.now .. ' ' .. mark)
  end
  mending.suspected = mending.suspected + 1
  return false
end

-- Whether the record says that the listener holds the task.
function mending.confirmed(task, listener)
  return record.held(task) and task.node == listener
end

function mending.entry(list, listener, id, grace)
  local task = mending.find(id)
  if not task then
    mending.mend('LREM', list, 1, id)
    return
  elseif task.queue ~= mending.queue then
    return -- the list of another queue whose name begins like this one's
  end
  mending.index(task)
  if mending.confirmed(task, listener)
    or not mending.overdue(listener .. ' ' .. id, task.status .. ' ' .. string.sub(task.extra[1] or '', 1, 32), grace) then
    return
  end
  if task.status == 'pending' and not mending.moved[id] then
    mending.mended = mending.mended + 1
    mending.moved[id] = true
    task.astray, task.from_end = list, -1
    mending.moves[#mending.moves + 1] = task
  else
    mending.mend('LREM', list, 1, id)
  end
end

-- The lists of all listeners, also of those that Blueque's `claim_orphan` took off
-- the queue: only a scan of the keyspace finds them, and most keys in it are others.
function mending.held(cursor, limit, grace)
  local head = space.key('reserved_tasks', mending.queue .. '_')
  local page = redis.call('SCAN', cursor, 'MATCH', head .. '*', 'COUNT', 4 * limit)
  local most = math.min(500, math.ceil(mending.ENTRIES / math.max(1, #page[2])))
  for _, list in ipairs(page[2]) do
    local listener = string.sub(list, #head + 1)
    for _, id in ipairs(redis.call('LRANGE', space.touch(list), -most, -1)) do
      mending.entry(list, listener, id, grace)
    end
  end
  return page[1]
end

function mending.started(cursor, limit)
  local set = space.key('started_tasks', mending.queue)
  local page = redis.call('SSCAN', set, cursor, 'COUNT', limit)
  for _, entry in ipairs(page[2]) do
    local node, pid, id = string.match(entry, '^(%S+) (%S*) (%S+)$')
    local task = id and record.find(id)
    if not task or task.status ~= 'started' or task.node ~= node or task.pid ~= pid then
      mending.mend('SREM', set, entry)
    end
  end
  return page[1]
end

-- Where to go on in a part. `0` would be its end.
function mending.go_on(position)
  return position == 0 and '00' or string.format('%.0f', position)
end

-- A part of a list or zset by position; what is removed does not move the next page.
function mending.page(key, command, position, limit)
  local from = tonumber(position)
  local ids = redis.call(command, key, from, from + limit - 1)
  return ids, function(removed)
    return #ids < limit and '0' or mending.go_on(from + limit - removed)
  end
end

-- A failure that such a client noted is in no group yet.
function mending.group(task)
  local group = task.extra[2] or ''
  local key = groups.key(mending.queue, group)
  if not redis.call('ZSCORE', key, task.id) then
    local counts = space.key('groups', mending.queue)
    space.probe('ZCARD', counts)
    mending.mend('ZADD', key, tonumber(task.extra[1]) or 0, task.id)
    mending.write('ZADD', counts, 'NX', 1, group) -- `labels` counts
  end
end

-- Whether a task has a tag, or is a failure of a group.
function mending.labelled(task, kind, name)
  if not task or task.queue ~= mending.queue then
    return false
  elseif kind == 'groups' then
    return task.status == 'failed' and (task.extra[2] or '') == name
  end
  return string.find(',' .. (task.extra[3] or '') .. ',', ',' .. name .. ',', 1, true) ~= nil
end

-- Tags and groups of tasks that such a client removed or ran again, and their counts. The
-- position: the number of names before, and how many entries of the next one were looked at.
function mending.labels(kind, position, limit)
  local counts = space.key(kind, mending.queue)
  local at, from = math.floor(position / 1000000000), position % 1000000000
  local gone = 0 -- names, which stand in the index until the end of this call
  while limit > 0 do
    local name, count = unpack(redis.call('ZRANGE', counts, at, at, 'WITHSCORES'))
    if not name then
      return '0'
    end
    local key = (kind == 'tags' and tags.key or groups.key)(mending.queue, name)
    local ids, removed = redis.call('ZRANGE', key, from, from + limit - 1), 0
    for _, id in ipairs(ids) do
      if not mending.labelled(mending.find(id), kind, name) then
        mending.mend('ZREM', key, id)
        removed = removed + 1
      end
    end
    if #ids == limit then
      from = from + limit - removed
    else
      local left = redis.call('ZCARD', key) - removed
      if left == 0 then
        mending.mend('ZREM', counts, name)
        gone = gone + 1
      elseif left ~= tonumber(count) then
        mending.mend('ZADD', counts, left, name)
      end
      at, from = at + 1, 0
    end
    limit = limit - #ids - 1
  end
  return mending.go_on((at - gone) * 1000000000 + from)
end

function mending.list(status, position, limit)
  local key = space.key(status .. '_tasks', mending.queue)
  local zset = status == 'scheduled'
  local ids, after = mending.page(key, zset and 'ZRANGE' or 'LRANGE', position, limit)
  local removed = 0
  for _, id in ipairs(ids) do
    local task = mending.find(id)
    if task and task.status == status and task.queue == mending.queue then
      mending.index(task)
      if task.cancel and state.finished(status) then
        mending.mend('HDEL', task.key, 'cancel') -- ended by a client that never heard of it
      end
      if status == 'failed' then
        mending.group(task)
      end
    else
      removed = removed + 1
      if zset then
        mending.mend('ZREM', key, id)
      else
        mending.mend('LREM', key, 1, id)
      end
    end
  end
  return after(removed)
end

function mending.tasks(position, limit)
  local key = space.key('tasks', mending.queue)
  local ids, after = mending.page(key, 'ZRANGE', position, limit)
  local removed = 0
  for _, id in ipairs(ids) do
    local task = mending.find(id)
    if not task then
      removed = removed + 1
      mending.mend('ZREM', key, id)
    elseif task.queue == mending.queue and task.node ~= '' and record.held(task) then
      -- A client whose pop was undone after the grace, and which then went on with its update.
      local list = space.key('reserved_tasks', task.queue .. '_' .. task.node)
      if not redis.call('LPOS', list, id) then
        mending.mend('LPUSH', list, id)
      end
    end
  end
  return after(removed)
end

-- Orders for tasks that are held no more, and for listeners that are gone.
function mending.orders(cursor, limit)
  local orders = space.key('orders', mending.queue)
  local page = redis.call('HSCAN', orders, cursor, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local kind, name = string.match(page[2][i], '^(%l):(.+)$')
    local stands
    if page[2][i] == 'q' then
      stands = redis.call('HEXISTS', space.meta, 'paused:' .. mending.queue) == 1
    elseif kind == 't' then
      local task = record.find(name)
      stands = task and record.held(task)
    else
      stands = name and redis.call('SISMEMBER', space.key('listeners', mending.queue), name) == 1
    end
    if not stands then
      mending.mend('HDEL', orders, page[2][i])
    end
  end
  return page[1]
end

-- Blueque counts a listener once more each time that its process adds it, and
-- counts and removes in two commands.
function mending.score(grace)
  local queues = space.prefix .. 'queues'
  local score = redis.call('ZSCORE', queues, mending.queue) or '0'
  local number = redis.call('SCARD', space.key('listeners', mending.queue))
  if tonumber(score) ~= number and mending.overdue('listeners', score .. ' ' .. number, grace) then
    mending.mend('ZADD', queues, number, mending.queue)
  end
  return tonumber(score) == number
end

-- Suspicions that came to nothing.
function mending.suspects(cursor, limit, grace)
  local suspects = space.key('suspects', mending.queue)
  local right = mending.score(grace)
  local page = redis.call('HSCAN', suspects, cursor, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local field = page[2][i]
    local listener, id = string.match(field, '^(%S+) (%S+)$')
    local settled = right
    if id then
      local task = record.find(id)
      settled = not task or mending.confirmed(task, listener)
        or not redis.call('LPOS', space.key('reserved_tasks', mending.queue .. '_' .. listener), id)
    end
    if settled then
      mending.write('HDEL', suspects, field)
    end
  end
  return page[1]
end

function mending.finish()
  if #mending.moves > 0 then
    state.plan({ id = '', status = 'pending', queue = mending.queue, foreign = true, from_end = -1 }, 'pending')
    for _, task in ipairs(mending.moves) do
      history.plan(task, 'pending')
    end
  end
  space.begin()
  for _, task in ipairs(mending.moves) do
    task.front, task.forget = true, { state.attempt_fields() }
    state.move(task, 'pending', 'mend', '', 'token', '')
  end
  for _, command in ipairs(mending.writes) do
    redis.call(unpack(command))
  end
  if #mending.moves > 0 then
    state.wake(mending.queue)
  end
end
