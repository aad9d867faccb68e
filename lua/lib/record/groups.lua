-- Failed tasks by the group of their error; the empty name is for tasks without one. A group has a name, or is a text,
-- such as the message of an exception: of a text its group is what is the same in all such messages.
local groups = {}

-- Bytes of a text that are looked at, and of a group that are kept.
groups.LOOKED = 4096

groups.KEPT = 512

-- The group that a name or a text means.
function groups.name(value, what)
  if value == '' or #value <= contract.NAME_HIGH and string.find(value, args.PLAIN) then
    return value
  end
  args.bytes(value, contract.GROUP_HIGH, what)
  local text = groups.common(string.sub(value, 1, groups.LOOKED))
  return #text > groups.KEPT and groups.common(string.sub(text, 1, groups.KEPT)) or text
end

-- What equal errors have in common: their text on one line, with `#` for numbers, ids and addresses. The common part of
-- such a part is itself, so that what `groups` shows selects the group.
function groups.common(text)
  text = string.gsub(string.gsub(text, '[%z\1-\32\127]+', ' '), '[\128-\255]+', groups.readable)
  for _ = 1, 8 do -- what one round leaves may be whole for the next
    local last = text
    text = string.gsub(string.gsub(text, '[%w._:@+-]+', groups.word), '#[#.,:+-]*#', '#')
    if text == last then
      break
    end
  end
  return (string.gsub(string.gsub(text, '^ ', ''), ' $', ''))
end

-- Bytes beyond ASCII, with `?` for those that are not UTF-8.
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

-- A word of such a text: `#` for an address, else with one for each number and id in it.
function groups.word(word)
  if string.find(word, '%w@%w') or string.find(word, '%d') and string.find(word, '^[%x:][%x:.]*[%x:]$')
    and string.find(word, ':[%x.]*:') then
    return '#'
  elseif string.find(word, '%d') then
    return (string.gsub(string.gsub(word,
      '%x%x%x%x%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x', '#'), '%w+', groups.part))
  end
end

-- A run of letters and digits: a number, which may have a unit of up to three letters; an id of hexadecimal digits, or
-- one with many digits; or a word, such as `utf8`.
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

-- Where its tasks are. User text does not enter a key: a digest stands for it, after a character that no name has.
function groups.key(queue, group)
  if #group > contract.NAME_HIGH or string.find(group, '[^%w._:@-]') then
    group = '~' .. redis.sha1hex(group)
  end
  return namespace.prefix .. 'group_' .. queue .. '/' .. group
end

-- Reads what `enter` and `leave` write. A task that fails has its `group` from the command; for one that leaves the
-- state, the record has it unless a client without scripts failed it.
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
