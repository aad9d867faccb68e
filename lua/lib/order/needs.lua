-- Needs: the requirements of tasks, and the offers of listeners.
local needs = {}

-- Maximum number of different needs among the waiting tasks of one queue.
needs.MOST = 64

-- Returns the class of a task, which decides which listeners may take the task, and when: its needs and, after a bar,
-- its shared limits. Returns nil if the task has neither.
function needs.class(task)
  if task.shared then
    return (task.needs or '') .. '|' .. task.shared
  end
  return task.needs
end

-- Returns the needs of a class, and a true value if it has shared limits.
function needs.of_class(class)
  local bar = string.find(class, '|', 1, true)
  return bar and string.sub(class, 1, bar - 1) or class, bar
end

-- Returns the numbers that stand for the needs of waiting tasks.
function needs.numbers(queue)
  local numbers = { '' }
  for _, known in ipairs(redis.call('HVALS', namespace.key('needs', queue))) do
    numbers[#numbers + 1] = string.match(known, '^%d+')
  end
  return numbers
end

-- Returns the number that stands for these needs, if a task waits with them.
function needs.number(queue, wanted)
  if not wanted then
    return ''
  end
  return string.match(redis.call('HGET', namespace.key('needs', queue), wanted) or '', '^%d+')
end

-- Returns the number that stands for these needs: the existing number, or the next free number.
function needs.plan(queue, wanted)
  local number, given = needs.number(queue, wanted), namespace.shared('needs')[queue] or {}
  if number or given[wanted] then
    return number or given[wanted]
  end
  local taken = {}
  for _, other in ipairs(needs.numbers(queue)) do
    taken[other] = true
  end
  for _, other in pairs(given) do
    taken[other] = true
  end
  number = 1
  while taken[tostring(number)] do
    number = number + 1
  end
  given[wanted], namespace.shared('needs')[queue] = tostring(number), given
  return given[wanted]
end

-- Adds `by` to the count of tasks that wait with these needs. Returns the number that stands for the needs.
function needs.count(queue, wanted, by)
  if not wanted then
    return ''
  end
  local known = namespace.key('needs', queue)
  local number, count = string.match(redis.call('HGET', known, wanted) or '', '^(%d+) (%d+)$')
  if not number then
    number, count = needs.plan(queue, wanted), 0
  end
  count = count + by
  if count > 0 then
    redis.call('HSET', known, wanted, number .. ' ' .. count)
  else
    redis.call('HDEL', known, wanted)
  end
  return number
end

-- Parses the offer of a listener. Returns a number for each name, or true for a name without a number.
function needs.has(text)
  local has = {}
  for name, number in string.gmatch(text or '', '([%w_.-]+)=?([%d.]*)') do
    has[name] = tonumber(number) or true
  end
  return has
end

function needs.suits(has, wanted)
  for name, operator, number in string.gmatch(wanted, '([%w_.-]+)([<>=]*)([%d.]*)') do
    local own, asked = has[name], tonumber(number)
    local holds = own
    if operator ~= '' then
      holds = own and own ~= true and (operator == '>=' and own >= asked or operator == '<=' and own <= asked
        or operator == '>' and own > asked or operator == '<' and own < asked or operator == '=' and own == asked)
    end
    if not holds then
      return false
    end
  end
  return true
end

-- Returns the offers of the listeners of a queue that take tasks, among the first 1,000 offers.
function needs.listeners(queue)
  local all, found = {}, redis.call('HSCAN', namespace.key('has', queue), 0, 'COUNT', 1000)[2]
  local keep = listeners.keep(queue)
  for i = 1, #found, 2 do
    local how = listeners.status(queue, found[i], keep)
    all[#all + 1] = (how == 'listening' or how == 'full') and needs.has(found[i + 1]) or nil
  end
  return all
end

-- Returns the number of listeners of a queue that can take a task with these needs.
function needs.able(queue, wanted)
  local number = 0
  for _, has in ipairs(needs.listeners(queue)) do
    number = number + (needs.suits(has, wanted) and 1 or 0)
  end
  return number
end

-- Returns the needs that no listener of the queue satisfies.
function needs.lacking(queue, wanted)
  local all, lacking = needs.listeners(queue), {}
  for need in string.gmatch(wanted, '[^,]+') do
    local able = false
    for _, has in ipairs(all) do
      able = able or needs.suits(has, need)
    end
    lacking[#lacking + 1] = not able and need or nil
  end
  return table.concat(lacking, ',')
end
