-- What clients without scripts leave behind: how each index is read, and what
-- is wrong with an entry.
local mending = {}

mending.queue = ''

mending.mended = 0

mending.suspected = 0

mending.writes = {}

mending.moves = {}

function mending.write(...)
  mending.writes[#mending.writes + 1] = { ... }
end

function mending.mend(...)
  mending.write(...)
  mending.mended = mending.mended + 1
end

-- An id that such a client made is in no index of ours.
function mending.index(task)
  local tasks = space.key('tasks', task.queue)
  if task.foreign and not redis.call('ZSCORE', tasks, task.id) then
    mending.mend('ZADD', tasks, record.created(task.id), task.id)
  end
end

-- An entry of a listener's list that the record does not confirm may be a
-- client between its pop and its update; after the grace it is one that died there.
function mending.overdue(field, grace)
  local suspects = space.key('suspects', mending.queue)
  local since = redis.call('HGET', suspects, field)
  if since and tonumber(since) * 1000000 + grace <= space.us then
    mending.write('HDEL', suspects, field)
    return true
  end
  if not since then
    mending.write('HSET', suspects, field, space.now)
  end
  mending.suspected = mending.suspected + 1
  return false
end

function mending.held(cursor, limit, grace)
  local head = space.key('reserved_tasks', mending.queue .. '_')
  local page = redis.call('SCAN', cursor, 'MATCH', head .. '*', 'COUNT', limit)
  for _, list in ipairs(page[2]) do
    local listener = string.sub(list, #head + 1)
    for _, id in ipairs(redis.call('LRANGE', space.touch(list), 0, limit - 1)) do
      local task = record.find(id)
      if task and task.queue == mending.queue then
        mending.index(task)
      end
      if not task then
        mending.mend('LREM', list, 1, id)
      elseif task.queue ~= mending.queue then
        break -- the list of another queue whose name begins like this one's
      elseif not (record.held(task) and task.node == listener) and mending.overdue(listener .. ' ' .. id, grace) then
        mending.mended = mending.mended + 1
        if task.status == 'pending' then
          task.astray = list
          state.plan(task, 'pending')
          mending.moves[#mending.moves + 1] = task
        else
          mending.write('LREM', list, 1, id)
        end
      end
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

-- A part of a list or zset by position; what is removed does not move the next page.
function mending.page(key, command, position, limit)
  local from = tonumber(position)
  local ids = redis.call(command, key, from, from + limit - 1)
  return ids, function(removed)
    return #ids < limit and '0' or string.format('%.0f', from + limit - removed)
  end
end

function mending.list(status, position, limit)
  local key = space.key(status .. '_tasks', mending.queue)
  local zset = status == 'scheduled'
  local ids, after = mending.page(key, zset and 'ZRANGE' or 'LRANGE', position, limit)
  local removed = 0
  for _, id in ipairs(ids) do
    local task = record.find(id)
    if task and task.status == status then
      mending.index(task)
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
    if not record.find(id) then
      removed = removed + 1
      mending.mend('ZREM', key, id)
    end
  end
  return after(removed)
end

-- Orders for tasks that are held no more, and suspicions that came to nothing.
function mending.orders(cursor, limit, grace)
  local orders = space.key('orders', mending.queue)
  local page = redis.call('HSCAN', orders, cursor, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local id = string.match(page[2][i], '^t:(.+)$')
    local task = id and record.find(id)
    if id and not (task and record.held(task)) then
      mending.mend('HDEL', orders, page[2][i])
    end
  end
  return page[1]
end

function mending.suspects(cursor, limit, grace)
  local suspects = space.key('suspects', mending.queue)
  local page = redis.call('HSCAN', suspects, cursor, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    if tonumber(page[2][i + 1]) * 1000000 + grace + 86400000000 <= space.us then
      mending.write('HDEL', suspects, page[2][i])
    end
  end
  return page[1]
end

function mending.finish()
  space.begin()
  for _, task in ipairs(mending.moves) do
    task.front = true
    state.move(task, 'pending', 'mend', '', 'token', '')
  end
  for _, command in ipairs(mending.writes) do
    redis.call(unpack(command))
  end
  if #mending.moves > 0 then
    state.wake(mending.queue)
  end
end
