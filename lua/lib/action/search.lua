-- Search: reads an index of tasks page by page. A page begins after a score and a name, so that a reader misses nothing
-- when entries are removed between two pages.
local search = {}

-- Maximum number of tasks that a call examines, and that a step of `bulk` examines.
search.LOOKS = 200
search.STEP = 300

-- Maximum number of queues of a namespace that a call probes for tasks. A queue that the call then reads costs as much
-- as OPENING tasks.
search.QUEUES = 500
search.OPENING = 3

-- Parses states, separated by commas, into a set.
function search.states(value, what)
  local states = {}
  for status in string.gmatch(value .. ',', '([^,]*),') do
    if #value > 100 or not args.among(status, contract.STATES) then
      reply.fail('BADARG', what .. ' must be of ' .. args.listed(contract.STATES, 'and') .. ', separated by commas')
    end
    states[status] = true
  end
  return states
end

function search.step(text)
  return search.place(text, '^([%d.e+-]+)/(.*)/([%d.e+-]+)$')
end

function search.cursor(text)
  return search.place(text, '^([%d.e+-]+)/(.*)$')
end

-- Parses the cursor of `find`: the cursor of a page, or with the queue `*` `*SCAN/QUEUE/CURSOR`. Then `scan` has the
-- page of queues, and `queue` the queue that is read.
function search.anywhere(text)
  local scan, queue, inner = string.match(text, '^%*(%d+)/([^/]*)/(.*)$')
  if not scan then
    return search.cursor(text)
  elseif #text > 1024 or #scan > 20 then
    reply.fail('BADARG', 'the cursor must be 0 or what the previous call returned')
  end
  return { scan = scan, queue = queue, inner = search.cursor(inner) }
end

-- Returns the start of the next page: nil for `0`, else the score and name after which to continue, and `till` if the
-- pattern has a third part.
function search.place(text, pattern)
  if text == '0' then
    return nil
  end
  local score, name, till = string.match(text, pattern)
  if not score or #text > 1024 or not tonumber(score) or till and not tonumber(till) then
    reply.fail('BADARG', 'the cursor must be 0 or what the previous call returned')
  end
  return { score = string.format('%.17g', tonumber(score)), name = name, till = till }
end

-- The number of entries of an index before a cursor, and 1 if the index contains the entry of the cursor, else 0.
function search.rank(index, cursor)
  local score, name = cursor.score, cursor.name
  local found = redis.call('ZSCORE', index, name)
  if found and tonumber(found) == tonumber(score) then
    return redis.call('ZRANK', index, name), 1
  end
  local low, high = redis.call('ZCOUNT', index, '-inf', '(' .. score), redis.call('ZCOUNT', index, '-inf', score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if args.before(redis.call('ZRANGE', index, middle, middle)[1], name) then
      low = middle + 1
    else
      high = middle
    end
  end
  return low, 0
end

-- Returns the next entries of an index after a cursor, or without a cursor from a score on; in reverse order if
-- `backwards`. Returns names and scores in turn, and the cursor after them, `0` at the end.
function search.page(index, from, limit)
  local cursor, first = from.cursor, from.score
  local rank, here
  if cursor then
    rank, here = search.rank(index, cursor)
  end
  local page
  if from.backwards then
    local start = redis.call('ZCARD', index) - (rank or redis.call('ZCOUNT', index, '-inf', first))
    page = redis.call('ZREVRANGE', index, start, start + limit - 1, 'WITHSCORES')
  else
    local start = rank and rank + here or redis.call('ZCOUNT', index, '-inf', '(' .. first)
    page = redis.call('ZRANGE', index, start, start + limit - 1, 'WITHSCORES')
  end
  return page, #page < 2 * limit and '0' or search.after(page, #page - 1)
end

function search.after(page, i)
  return page[i + 1] .. '/' .. page[i]
end

-- Returns the selection of the options: the index to read, and its lowest and highest score.
function search.chosen(queue, options)
  if options.from and options.to and options.from > options.to then
    reply.fail('BADARG', 'from must not be after to')
  end
  local chosen = { queue = queue, options = options, low = '-inf', high = '+inf',
    index = namespace.key('tasks', queue) }
  chosen.names, chosen.wanted = search.fields(options)
  if options.group and not options.tag then
    chosen.index, chosen.failures = groups.key(queue, options.group), true
    return chosen
  elseif options.tag then
    chosen.index = tags.key(queue, options.tag)
  end
  chosen.low = options.from and namespace.decimal(options.from) or chosen.low
  chosen.high = options.to and namespace.decimal(options.to) or chosen.high
  return chosen
end

-- The fields that decide whether a task is selected, and the value that each must have. Only these fields are read.
function search.fields(options)
  local names, wanted = { 'queue', 'status' }, {}
  for _, name in ipairs({ 'method', 'key' }) do
    if options[name] then
      names[#names + 1] = name
      wanted[#names] = options[name]
    end
  end
  if options.tag or options.group then
    for _, name in ipairs({ 'tags', 'created', 'group' }) do
      names[#names + 1] = name
      wanted[name] = #names
    end
  end
  return names, wanted
end

function search.matches(id, chosen)
  local options, wanted = chosen.options, chosen.wanted
  if options.prefix and string.sub(id, 1, #options.prefix) ~= options.prefix then
    return false
  end
  local v = redis.call('HMGET', namespace.prefix .. 'task_' .. id, unpack(chosen.names))
  if v[1] ~= chosen.queue or not v[2] or options.status and not options.status[v[2]]
    or wanted[3] and v[3] ~= wanted[3] or wanted[4] and v[4] ~= wanted[4] then
    return false
  end
  return not wanted.tags or search.is_labelled(v, chosen)
end

-- Returns true if the tag and the group of a task match the selection.
function search.is_labelled(v, chosen)
  local options, wanted = chosen.options, chosen.wanted
  local labels, group = v[wanted.tags], v[wanted.group]
  if options.tag and not (labels and string.find(',' .. labels .. ',', ',' .. options.tag .. ',', 1, true))
    or options.group and (v[2] ~= 'failed' or (group or '') ~= options.group) then
    return false
  end
  local created = chosen.failures and (tonumber(v[wanted.created]) or 0) * 1000000
  return not (created and (options.from and created < options.from or options.to and created > options.to))
end

-- The indexes of states whose tasks are not in one plain list.
search.SPECIAL = 'waiting=ZRANGE:waiting scheduled=ZRANGE:scheduled scheduled=ZRANGE:scheduled_ranked '
  .. 'pending=LRANGE:pending pending=ZRANGE:pending_ranked started=SMEMBERS:started '

-- Returns the indexes of these states: for each the command that reads it, and the beginning of its key, in turn. Nil
-- without states, or if a state has no index.
function search.indexes(states)
  local found = {}
  for status in pairs(states or {}) do
    local before = #found
    if string.find(contract.PLAIN, ' ' .. status .. ' ', 1, true) and status ~= 'pending' then
      found[before + 1], found[before + 2] = 'LRANGE', namespace.prefix .. status .. '_tasks_'
    end
    for name, command, kind in string.gmatch(search.SPECIAL, '(%l+)=(%u+):([%l_]+)') do
      if name == status then
        found[#found + 1], found[#found + 2] = command, namespace.prefix .. kind .. '_tasks_'
      end
    end
    if #found == before then
      return nil
    end
  end
  return found[1] and found
end

-- Returns the tasks in these states by creation, newest first, in the form of a page of the index of all tasks. Nil if
-- there are many such tasks, or if they are more than half of all tasks.
function search.few(chosen, cursor)
  local options, queue = chosen.options, chosen.queue
  local indexes = not options.tag and not options.group and search.indexes(options.status)
  if not indexes then
    return nil
  end
  local number = 0
  for i = 1, #indexes, 2 do
    local count = indexes[i] == 'LRANGE' and 'LLEN' or indexes[i] == 'ZRANGE' and 'ZCARD' or 'SCARD'
    number = number + redis.call(count, indexes[i + 1] .. queue)
  end
  if number > search.LOOKS or 2 * number > redis.call('ZCARD', chosen.index) then
    return nil
  end
  local score, high = cursor and tonumber(cursor.score), not cursor and tonumber(chosen.high) or math.huge
  local entries, seen = {}, {}
  for i = 1, #indexes, 2 do
    local key = indexes[i + 1] .. queue
    local members = indexes[i] == 'SMEMBERS' and redis.call('SMEMBERS', key) or redis.call(indexes[i], key, 0, -1)
    for _, member in ipairs(members) do
      local id = string.match(member, '(%S*)$')
      local created = not seen[id] and redis.call('HGET', namespace.prefix .. 'task_' .. id, 'created')
      local at = tonumber(created or nil)
      seen[id] = true
      if at and at <= high and (not cursor or at < score or at == score and args.before(id, cursor.name)) then
        entries[#entries + 1] = { id = id, at = at, created = created }
      end
    end
  end
  table.sort(entries, function(one, other)
    return one.at > other.at or one.at == other.at and args.before(other.id, one.id)
  end)
  local page = {}
  for i, entry in ipairs(entries) do
    page[2 * i - 1], page[2 * i] = entry.id, entry.created
  end
  return page
end

-- Adds the selected tasks of a queue, from a cursor on, to an answer of up to `limit` tasks. Returns the next cursor,
-- and the number of examined tasks.
function search.collect(chosen, cursor, limit, looks, answer)
  local page, after = search.few(chosen, cursor), '0'
  if not page then
    page, after = search.page(chosen.index, { backwards = true, cursor = cursor, score = chosen.high }, looks)
  end
  local matches = search.matches
  for i = 1, #page, 2 do
    if chosen.low ~= '-inf' and tonumber(page[i + 1]) < tonumber(chosen.low) then
      return '0', (i + 1) / 2
    end
    if matches(page[i], chosen) then
      answer[#answer + 1] = page[i]
    end
    if #answer > limit and (i < #page - 1 or after ~= '0') then
      return search.after(page, i), (i + 1) / 2
    end
  end
  return after, #page / 2
end

-- Returns the beginnings of keys, up to the name of the queue, and the part after that name. A queue with such tasks
-- has at least one of these keys.
function search.heads(options)
  local prefix = namespace.prefix
  if options.tag then
    return { prefix .. 'tag_' }, '/' .. options.tag
  elseif options.group then
    local key = groups.key('', options.group)
    return { prefix .. 'group_' }, string.sub(key, #prefix + #'group_' + 1)
  end
  local heads, indexes = {}, search.indexes(options.status)
  for i = 2, indexes and #indexes or 0, 2 do
    heads[#heads + 1] = indexes[i]
  end
  return heads[1] and heads or { prefix .. 'tasks_' }, ''
end

-- Returns the queues among `queues` that may have such tasks, sorted by name.
function search.holding(queues, heads, tail)
  local keys, owners, found = {}, {}, {}
  for _, queue in ipairs(queues) do
    for _, head in ipairs(heads) do
      keys[#keys + 1], owners[#owners + 1] = head .. queue .. tail, queue
    end
  end
  for i = 1, #keys, 50 do
    local last = math.min(i + 49, #keys)
    local number = redis.call('EXISTS', unpack(keys, i, last))
    for j = i, number > 0 and last or 0 do
      if found[#found] ~= owners[j] and (number == last - i + 1 or redis.call('EXISTS', keys[j]) == 1) then
        found[#found + 1] = owners[j]
      end
    end
  end
  table.sort(found, args.before)
  return found
end

-- Returns the reply of `find` for all queues. Queues are read by pages of their index, and within a page by name.
function search.everywhere(options, cursor, limit)
  local answer, scan, queue, inner = { '0' }, cursor.scan, cursor.queue, cursor.inner
  local looks, left = search.LOOKS, search.QUEUES
  local heads, tail = search.heads(options)
  repeat
    local page = redis.call('ZSCAN', namespace.prefix .. 'queues', scan, 'COUNT', 25)
    local names = {}
    for i = 1, #page[2], 2 do
      if queue == page[2][i] or queue == '' or args.before(queue, page[2][i]) then
        names[#names + 1] = page[2][i]
      end
    end
    names = search.holding(names, heads, tail)
    for i, name in ipairs(names) do
      local after, looked = search.collect(search.chosen(name, options), name == queue and inner or nil, limit, looks,
        answer)
      looks = looks - looked - search.OPENING
      if after ~= '0' then
        answer[1] = '*' .. scan .. '/' .. name .. '/' .. after
        return answer
      elseif looks <= 0 or #answer > limit then
        if names[i + 1] then
          answer[1] = '*' .. scan .. '/' .. names[i + 1] .. '/0'
        elseif page[1] ~= '0' then
          answer[1] = '*' .. page[1] .. '//0'
        end
        return answer
      end
    end
    left, scan, queue, inner = left - #page[2] / 2, page[1], '', nil
  until scan == '0' or left <= 0
  answer[1] = scan == '0' and '0' or '*' .. scan .. '//0'
  return answer
end
