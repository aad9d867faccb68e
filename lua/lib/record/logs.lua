-- Task logs and their limits. A log is a stream. A hash has the sizes of the log:
--   attempt seen  bytes of this attempt's log that have arrived, if the sender counts them
--   head till     the size of the head and, once the tail has begun, the id of the last entry of the head
--   tail          the size of the tail
--   last          the id of the last entry
-- The index of all logs is ordered by the time of the last sign of life of their tasks, in seconds. The meta hash has
-- the total size of all logs.
local logs = {}

-- Bytes that are counted for an entry in addition to its text, so that a new entry displaces a bounded number of other
-- entries.
logs.ENTRY = 100

-- The head of a log is never dropped. Its maximum size is 1/`PARTS` of the maximum size of the log.
logs.PARTS = 5

-- Maximum number of entries that a call drops. Together such entries exceed the size of the largest possible entry.
logs.DROPPED = 1000

-- Seconds that a log is kept after the end of its task.
logs.KEPT = 86400

-- Seconds until the server removes a log that no call touches. A check of an unfinished task restarts them.
logs.UNSEEN = 2592000

-- @hot
function logs.index()
  return namespace.prefix .. 'logs'
end

-- Returns the size of a task's log, or nil if the task has no log.
function logs.size(id)
  local v = redis.call('HMGET', namespace.declare(namespace.key('logged', id)), 'head', 'tail')
  if v[1] then
    namespace.probe('ZCARD', logs.index())
    return v[1] + v[2]
  end
end

-- Removes the stored sizes of a log whose stream is gone.
function logs.forget(id, size)
  redis.call('UNLINK', namespace.key('logged', id))
  redis.call('ZREM', logs.index(), id)
  redis.call('HINCRBY', namespace.meta, 'logs', -size)
end

-- Reads the state of a log before a text is appended.
-- @hot
function logs.open(id)
  local key, sizes = namespace.key('log', id), namespace.declare(namespace.key('logged', id))
  local v = redis.call('HMGET', sizes, 'attempt', 'seen', 'head', 'till', 'tail', 'last')
  local log = {
    key = key, sizes = sizes, attempt = v[1], seen = tonumber(v[2] or 0), head = tonumber(v[3] or 0), till = v[4],
    tail = tonumber(v[5] or 0),
    last = v[6] or '', dropped = {},
  }
  log.size = log.head + log.tail
  if namespace.probe('XLEN', key) == 0 then
    log.head, log.till, log.tail = 0, false, 0 -- it expired
  end
  return log
end

-- Returns the number of bytes of a text that go into the head. They end at the end of a line, if a line ends in the
-- second half of the room.
function logs.cut(text, room)
  local line = string.match(string.sub(text, 1, room), '^.*\n()')
  return line and line > room / 2 and line - 1 or room
end

-- Plans the entries that a text adds to a log of `most` bytes: up to two entries, each with its text and offset. The
-- first entry goes into the head if `headed` is set. A text without an offset is never cut.
-- @hot
function logs.plan(log, text, offset, most)
  local head = math.floor(most / logs.PARTS)
  local tail, added = most - head, {}
  local function add(part, at)
    added[#added + 1] = { part, at }
    return #part + logs.ENTRY
  end
  if not log.till then
    local room = head - log.head - logs.ENTRY
    if #text <= room then
      log.headed = add(text, offset)
      return added
    elseif offset and room > 0 then
      local cut = logs.cut(text, room)
      log.headed = add(string.sub(text, 1, cut), offset)
      text, offset = string.sub(text, cut + 1), offset + cut
    end
  end
  local room = tail - logs.ENTRY
  if #text > room and offset and room > 0 then
    text, offset = string.sub(text, -room), offset + #text - room
  end
  if #text <= room then
    log.tailed = add(text, offset)
    logs.drop(log, log.tail + log.tailed - tail)
  end
  return added
end

-- Finds the oldest entries of the tail, to free at least this number of bytes.
function logs.drop(log, bytes)
  local after, number = log.till, 1
  while bytes > 0 and #log.dropped < logs.DROPPED do
    local entries = log.tail > 0 and redis.call('XRANGE', log.key, '(' .. after, '+', 'COUNT', number) or {}
    if #entries == 0 then
      log.tail = 0 -- another client removed them
      return
    end
    for _, entry in ipairs(entries) do
      if bytes > 0 then
        local size = #entry[2][8] + logs.ENTRY
        bytes, log.tail, after = bytes - size, math.max(0, log.tail - size), entry[1]
        log.dropped[#log.dropped + 1] = after
      end
    end
    number = math.min(64, 2 * number, logs.DROPPED - #log.dropped)
  end
end

-- Finds logs to remove or to update among the `number` logs that were idle longest. A log is removed a day after the
-- end of its task, and earlier if `wanted` bytes must be freed. Returns the work of `run_deferred`, and the number of
-- bytes that it frees. `spared`: ids that the caller handles itself.
-- @hot
function logs.look(number, wanted, spared)
  local found, freed = {}, 0
  local old = namespace.now_us / 1000000 - logs.KEPT
  local all = redis.call('ZRANGE', namespace.declare(logs.index()), 0, number - 1, 'WITHSCORES')
  for i = 1, #all, 2 do
    local id, heard = all[i], tonumber(all[i + 1])
    if not spared[id] and (heard <= old or freed < wanted) then
      local task = record.find(id, 'updated')
      local over = not task or task.queue == '' or contract.is_final(task.status)
      local ended = task and tonumber(task.extra[1]) or 0
      local look = { id = id, log = namespace.declare(namespace.key('log', id)), size = logs.size(id) or 0 }
      if not over then
        look.heard = namespace.now
      elseif ended <= old or freed < wanted then
        freed = freed + look.size
      else
        look.heard = task.extra[1]
      end
      found[#found + 1] = look
    end
  end
  return found, freed
end

-- Does the work that `look` found. Removals come first: when memory is full, a removal is allowed as the first write.
function logs.free(found)
  for _, look in ipairs(found) do
    if not look.heard then
      redis.call('UNLINK', look.log)
      logs.forget(look.id, look.size)
    end
  end
  for _, look in ipairs(found) do
    if look.heard then
      redis.call('ZADD', logs.index(), look.heard, look.id)
      redis.call('EXPIRE', look.log, logs.UNSEEN)
    end
  end
end
