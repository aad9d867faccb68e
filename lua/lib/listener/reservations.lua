-- Lists the reserved tasks of a queue. Tasks with a lease come first, from the leases. Then come tasks that clients
-- without scripts took, from the lists of their listeners.
local reservations = {}

-- Maximum number of list entries and listeners that are checked in a call.
reservations.LOOKAHEAD = 500

-- Checks a cursor: a position in the leases, or `lists/CURSOR/OFFSET/LISTENER`.
function reservations.cursor(value)
  if #value > 1024 or not string.find(value, '^lists/%d+/%d+/') then
    return args.cursor(value)
  end
  local at, offset = string.match(value, '^lists/(%d+)/(%d+)/')
  args.cursor(at)
  args.cursor(offset)
  return value
end

-- Adds the tasks of a listener's list, from `at.offset` on, that have no lease, up to the limit. Returns the number of
-- entries that were read, and true if there are more.
function reservations.list(queue, at, limit, ids)
  local offset, looks = at.offset, at.looks
  local list = redis.call('LRANGE', namespace.key('reserved_tasks', queue .. '_' .. at.listener),
    offset, offset + looks)
  for i, id in ipairs(list) do
    if i > looks or #ids >= limit then
      return i - 1, true
    end
    local v = redis.call('HMGET', namespace.prefix .. 'task_' .. id, 'status', 'token')
    if v[1] == 'reserved'
      and not (v[2] and redis.call('ZSCORE', namespace.key('leases', queue), id .. ' ' .. v[2])) then
      ids[#ids + 1] = id
    end
  end
  return #list, false
end

-- Adds reserved tasks without a lease. Returns the next cursor.
function reservations.lists(queue, cursor, limit, ids)
  local at, offset, first = string.match(cursor, '^lists/(%d+)/(%d+)/(.*)$')
  local looks = reservations.LOOKAHEAD
  repeat
    local page = redis.call('SSCAN', namespace.key('listeners', queue), at, 'COUNT', 100)
    local start = 1
    for i, listener in ipairs(page[2]) do
      start = listener == first and i or start
    end
    offset = page[2][start] == first and tonumber(offset) or 0
    for i = start, #page[2] do
      local looked, more = reservations.list(queue, { listener = page[2][i], offset = offset, looks = looks },
        limit, ids)
      looks = looks - looked - 1
      if more or looks <= 0 and (i < #page[2] or page[1] ~= '0') then
        local next = more and page[2][i] or page[2][i + 1]
        return next and string.format('lists/%s/%.0f/%s', at, more and offset + looked or 0, next)
          or 'lists/' .. page[1] .. '/0/'
      end
      offset = 0
    end
    at, offset, first = page[1], '0', ''
  until at == '0'
  return '0'
end

-- Adds a page of reserved tasks. Returns the next cursor.
function reservations.page(queue, cursor, limit, ids)
  if string.sub(cursor, 1, 6) == 'lists/' then
    return reservations.lists(queue, cursor, limit, ids)
  end
  local page = redis.call('ZSCAN', namespace.key('leases', queue), cursor, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local id = string.match(page[2][i], '^%S+')
    if redis.call('HGET', namespace.prefix .. 'task_' .. id, 'status') == 'reserved' then
      ids[#ids + 1] = id
    end
  end
  if page[1] ~= '0' then
    return page[1]
  end
  return #ids < limit and reservations.lists(queue, 'lists/0/0/', limit, ids) or 'lists/0/0/'
end
