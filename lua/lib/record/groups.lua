-- Failed tasks by the group of their error. The empty group is for tasks without a group. A group is a name, or a text
-- such as the message of an exception. The group of a text is the part that is the same in all messages of its kind.
local groups = {}

-- Bytes of a text that are examined (`LOOKED`), and bytes of a group that are kept (`KEPT`).
groups.LOOKED = 4096
groups.KEPT = 512

-- Returns the group for a name or a text.
function groups.name(value, what)
  if value == '' or #value <= contract.NAME_HIGH and string.find(value, args.PLAIN) then
    return value
  end
  args.bytes(value, contract.GROUP_HIGH, what)
  local text = groups.common(string.sub(value, 1, groups.LOOKED))
  return #text > groups.KEPT and groups.common(string.sub(text, 1, groups.KEPT)) or text
end

-- Returns the common part of equal errors: their text on one line, with `#` for numbers, ids and addresses. The common
-- part of a common part is itself, so the text that `groups` shows selects the group.
function groups.common(text)
  text = string.gsub(string.gsub(text, '[%z\1-\32\127]+', ' '), '[\128-\255]+', groups.readable)
  for _ = 1, 8 do -- each round may join parts that the next round replaces
    local last = text
    text = string.gsub(string.gsub(text, '[%w._:@+-]+', groups.word), '#[#.,:+-]*#', '#')
    if text == last then
      break
    end
  end
  return (string.gsub(string.gsub(text, '^ ', ''), ' $', ''))
end

-- Replaces sequences that are not UTF-8 with `?`, in a run of bytes beyond ASCII.
function groups.readable(bytes)
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

-- Replaces a word of a text with `#` if it is an address; otherwise replaces each number and id in the word.
function groups.word(word)
  if string.find(word, '%w@%w') or string.find(word, '%d') and string.find(word, '^[%x:][%x:.]*[%x:]$')
    and string.find(word, ':[%x.]*:') then
    return '#'
  elseif string.find(word, '%d') then
    return (string.gsub(string.gsub(word,
      '%x%x%x%x%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x', '#'), '%w+', groups.part))
  end
end

-- Replaces a run of letters and digits with `#` if it is a number or an id. A number may have a unit of up to three
-- letters, which is kept. An id has hexadecimal digits only, or many digits. Other runs are words, such as `utf8`, and
-- are kept.
function groups.part(part)
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

-- Returns the key of the tasks of a group. User text never becomes part of a key: a digest replaces it, after a
-- character that no name has.
function groups.key(queue, group)
  if #group > contract.NAME_HIGH or string.find(group, '[^%w._:@-]') then
    group = '~' .. redis.sha1hex(group)
  end
  return namespace.prefix .. 'group_' .. queue .. '/' .. group
end

-- Finds the group of a task. If the task fails, its `group` comes from the command. If the task leaves the state
-- `failed`, its group comes from the record, or is nil if a client without scripts failed the task.
function groups.plan(task, to)
  if to ~= 'failed' then
    task.group = redis.call('HGET', namespace.prefix .. 'task_' .. task.id, 'group') or ''
  end
  local key = groups.key(task.queue, task.group or '')
  namespace.probe('ZCARD', namespace.key('groups', task.queue))
  namespace.probe('ZCARD', key)
  if to ~= 'failed' and not redis.call('ZSCORE', key, task.id) then
    task.group = nil
  end
end

function groups.enter(task, now)
  local group = task.group or ''
  local key = groups.key(task.queue, group)
  redis.call('ZADD', key, now, task.id)
  redis.call('ZADD', namespace.key('groups', task.queue), redis.call('ZCARD', key), group)
end

function groups.leave(task)
  if task.group then
    tags.remove(groups.key(task.queue, task.group), namespace.key('groups', task.queue), task.group, task.id)
  end
end
