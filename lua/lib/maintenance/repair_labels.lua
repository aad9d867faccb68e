-- Repair of the names of tasks: tags, groups of failures, and unique names.
local repair_labels = {}

-- Returns true if a task has a tag, or is a failure of a group.
-- @hot
function repair_labels.labelled(pass, task, kind, name)
  if not task or task.queue ~= pass.queue then
    return false
  elseif kind == 'groups' then
    return task.status == 'failed' and (task.extra[2] or '') == name
  end
  return string.find(',' .. (task.extra[3] or '') .. ',', ',' .. name .. ',', 1, true) ~= nil
end

-- Repairs tags and groups of tasks that a client without scripts removed or retried, and their counts. The position
-- contains the number of names before it, and the number of examined entries of the next name.
-- @hot
function repair_labels.labels(pass, position, kind)
  local counts = namespace.key(kind, pass.queue)
  local at, from, limit = math.floor(position / 1000000000), position % 1000000000, pass.limit
  local gone = 0 -- removed names, which stay in the index until the end of this call
  while limit > 0 do
    local name, count = unpack(redis.call('ZRANGE', counts, at, at, 'WITHSCORES'))
    if not name then
      return '0'
    end
    local key = (kind == 'tags' and tags.key or groups.key)(pass.queue, name)
    local ids, removed = redis.call('ZRANGE', key, from, from + limit - 1), 0
    for _, id in ipairs(ids) do
      if not repair_labels.labelled(pass, fixes.find(pass, id), kind, name) then
        fixes.fix(pass, 'ZREM', key, id)
        removed = removed + 1
      end
    end
    if #ids == limit then
      from = from + limit - removed
    else
      local left = redis.call('ZCARD', key) - removed
      if left == 0 then
        fixes.fix(pass, 'ZREM', counts, name)
        gone = gone + 1
      elseif left ~= tonumber(count) then
        fixes.fix(pass, 'ZADD', counts, left, name)
      end
      at, from = at + 1, 0
    end
    limit = limit - #ids - 1
  end
  return fixes.go_on((at - gone) * 1000000000 + from)
end

-- Removes unique names of tasks that a client without scripts ended, started or removed. A name with an expiry is kept
-- until it expires.
-- @hot
function repair_labels.unique(pass, cursor)
  local names = namespace.key('unique', pass.queue)
  local page = redis.call('HSCAN', names, cursor, 'COUNT', pass.limit)
  for i = 1, #page[2], 2 do
    local id, till = string.match(page[2][i + 1], '^(%S+) (%l+)$')
    if id and not holdings.still_holds_name(pass.queue, id, page[2][i], till) then
      fixes.fix(pass, 'HDEL', names, page[2][i])
    end
  end
  return page[1]
end
