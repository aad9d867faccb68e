-- Search: reads an index of tasks page by page. A page begins after a score and a name, so a reader misses nothing
-- when entries are removed meanwhile.
local search = {}

-- Tasks that one call looks at.
search.LOOKS = 300

-- States, separated by commas.
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

-- The cursor of `bulk`.
function search.step(text)
  return search.place(text, '^([%d.e+-]+)/(.*)/([%d.e+-]+)$')
end

-- The cursor of a page.
function search.cursor(text)
  return search.place(text, '^([%d.e+-]+)/(.*)$')
end

-- The start of the next page: nil for `0`, else the score and name to continue after; `till`, if the pattern has a
-- third part.
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

-- The number of entries of an index before this one, and 1 if it is in the index itself.
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

-- The next entries of an index after a cursor, or from a score if there is none, `backwards` or not: name and score
-- in turn; then the cursor after them, `0` at the end.
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

-- The cursor after the entry of a page.
function search.after(page, i)
  return page[i + 1] .. '/' .. page[i]
end

-- What the options select: the index to read, and from which score to which.
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

-- The fields that decide whether a task is selected, and the value that each must have.
function search.fields(options)
  local names, wanted = { 'queue', 'status', 'tags', 'created', 'group' }, {}
  for _, name in ipairs({ 'method', 'key' }) do
    if options[name] then
      names[#names + 1] = name
      wanted[#names] = options[name]
    end
  end
  return names, wanted
end

-- Whether a task is selected.
function search.matches(id, chosen)
  local options = chosen.options
  if options.prefix and string.sub(id, 1, #options.prefix) ~= options.prefix then
    return false
  end
  local v = redis.call('HMGET', namespace.prefix .. 'task_' .. id, unpack(chosen.names))
  if v[1] ~= chosen.queue or not v[2] or options.status and not options.status[v[2]]
    or options.tag and not (v[3] and string.find(',' .. v[3] .. ',', ',' .. options.tag .. ',', 1, true))
    or options.group and (v[2] ~= 'failed' or (v[5] or '') ~= options.group) then
    return false
  end
  for i, value in pairs(chosen.wanted) do
    if v[i] ~= value then
      return false
    end
  end
  local created = chosen.failures and (tonumber(v[4]) or 0) * 1000000
  return not (created and (options.from and created < options.from or options.to and created > options.to))
end
