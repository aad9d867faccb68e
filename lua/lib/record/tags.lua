-- Tags: names by which tasks are found. The record has the tags of a task as one text, `a,b`. Each tag has an index of
-- its tasks, and one more index has the number of tasks of every tag.
local tags = {}

function tags.key(queue, tag)
  return namespace.prefix .. 'tag_' .. queue .. '/' .. tag
end

function tags.names(text)
  local names = {}
  for tag in string.gmatch(text or '', '[^,]+') do
    names[#names + 1] = tag
  end
  return names
end

function tags.plan(queue, text)
  namespace.probe('ZCARD', namespace.key('tags', queue))
  for _, tag in ipairs(tags.names(text)) do
    namespace.probe('ZCARD', tags.key(queue, tag))
  end
end

function tags.enter(queue, id, created, text)
  for _, tag in ipairs(tags.names(text)) do
    local key = tags.key(queue, tag)
    redis.call('ZADD', key, created, id)
    redis.call('ZADD', namespace.key('tags', queue), redis.call('ZCARD', key), tag)
  end
end

-- Removes a task from an index, and updates the number of remaining tasks. Nothing is read after the last entry is
-- removed: during slot migration, an absent key is an error.
function tags.remove(key, counts, name, id)
  local left = redis.call('ZCARD', key)
  left = left - redis.call('ZREM', key, id)
  if left > 0 then
    redis.call('ZADD', counts, left, name)
  else
    redis.call('ZREM', counts, name)
  end
end

function tags.leave(queue, id, text)
  for _, tag in ipairs(tags.names(text)) do
    tags.remove(tags.key(queue, tag), namespace.key('tags', queue), tag, id)
  end
end

function tags.asked(count)
  local names = {}
  for i = 1, count do
    names[i] = args.plain(args.next('tag'), 'tag')
  end
  args.none()
  return names
end

-- Returns a task and the set of its tags.
function tags.read(id)
  local task, set = record.get(id, 'tags', 'created'), {}
  task.created = task.extra[2] or '0'
  for _, tag in ipairs(tags.names(task.extra[1])) do
    set[tag] = true
  end
  return task, set
end

-- Returns the names that are in `text` but not in `other`, as a text.
function tags.without(text, other)
  local names, others = {}, ',' .. (other or '') .. ','
  for tag in string.gmatch(text or '', '[^,]+') do
    if not string.find(others, ',' .. tag .. ',', 1, true) then
      names[#names + 1] = tag
    end
  end
  return table.concat(names, ',')
end

-- Plans to replace the tags of a task. `had`, `wanted`: the tags before and after, as texts.
function tags.plan_swap(task, had, wanted)
  task.tags_gone, task.tags_come = tags.without(had, wanted), tags.without(wanted, had)
  task.created = task.created or record.created(task.id)
  tags.plan(task.queue, task.tags_gone)
  tags.plan(task.queue, task.tags_come)
end

-- Replaces the tags of a task in the indexes. The caller updates the record.
function tags.swap(task)
  tags.leave(task.queue, task.id, task.tags_gone)
  tags.enter(task.queue, task.id, task.created, task.tags_come)
end

-- Replaces the tags of a task. `wanted`: a set of names. Returns the names in order.
function tags.change(task, wanted)
  local names = {}
  for tag in pairs(wanted) do
    names[#names + 1] = tag
  end
  table.sort(names, args.before)
  tags.plan_swap(task, task.extra[1], table.concat(names, ','))
  if task.tags_gone .. task.tags_come == '' then
    return names
  end
  namespace.begin()
  tags.swap(task)
  local flags = string.gsub(task.flags or '', 't', '')
  if #names > 0 then
    redis.call('HSET', task.key, 'tags', table.concat(names, ','), 'flags', flags .. 't')
  elseif flags ~= '' then
    redis.call('HDEL', task.key, 'tags')
    redis.call('HSET', task.key, 'flags', flags)
  else
    redis.call('HDEL', task.key, 'tags', 'flags')
  end
  return names
end
