--- Ids of a queue's tasks that all options select, the latest first: by creation, or with `group` and without `tag` by failure. Looks at 200 tasks. With the queue `*` of all queues, one queue after another.
-- @args now queue cursor limit
-- @options prefix status tag method key group from to
-- @reply next cursor (0 at the end), then ids
-- @errors TOOBIG

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(22)('BADARG', 'missing argument: ' .. what)
end

local namespace_meta = KEYS[1] or ''

local namespace_prefix = string.sub(namespace_meta, 1, -5)

local namespace_declared = not string.find(namespace_meta, '^[^_{]*_meta$') and {}

local namespace_gap = false

local namespace_now_us = 0

local namespace_now = ''

local function namespace_open()
  do
    local clock = redis.call('HGET', namespace_meta, 'clock:1')
    if not clock or #KEYS ~= 1 or namespace_declared and not string.find(namespace_meta, '^[^_]*_meta$') then
      clock = cold(17)()
    end
    if ARGV[1] == '' then
      local time = redis.call('TIME')
      local seconds, micros = time[1], time[2]
      if #micros < 6 then
        micros = string.format('%06d', micros)
      end
      namespace_now_us = seconds * 1000000 + micros
      namespace_now = seconds .. '.' .. micros
    else
      cold(18)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(19)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(20)(floor)
    end
  end
end

local function contract_arguments()
  local queue = cold(6)(args_next('queue'), 'queue')
  local cursor = cold(28)(args_next('cursor'), 'cursor')
  local limit = cold(4)(args_next('limit'), 1, 500, 'limit')
  return queue, cursor, limit
end

function cold(number)
if number < 23 then
if number < 12 then
if number < 6 then
if number < 3 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(22)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 2 args.listed
return function(words, last)
  local list = string.gsub(string.sub(words, 2, -2), ' ', ', ')
  return (string.gsub(list, ', (%S+)$', ' ' .. last .. ' %1'))
end
end
else
if number < 4 then
-- 3 args.among
return function(value, words)
  return string.find(value, '^[%l_]+$') and string.find(words, ' ' .. value .. ' ') ~= nil
end
else
if number < 5 then
-- 4 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(22)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
else
-- 5 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(22)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
end
end
else
if number < 9 then
if number < 7 then
-- 6 args.queue_or_all
return function(value, what)
  return value == '*' and value or cold(1)(value, what)
end
else
if number < 8 then
-- 7 args.bytes
return function(value, most, what)
  if #value > most then
    cold(22)('TOOBIG', string.format('%s is %d bytes, over the limit of %d: store it elsewhere and pass a reference',
      what, #value, most))
  end
  return value
end
else
-- 8 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(22)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(22)('BADARG', 'an option is given twice')
    end
    found[name] = cold(44)(name, value)
    if found[name] == nil then
      cold(22)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
end
end
else
if number < 10 then
-- 9 args.before
return function(one, other)
  for i = 1, math.min(#one, #other) do
    local a, b = string.byte(one, i), string.byte(other, i)
    if a ~= b then
      return a < b
    end
  end
  return #one < #other
end
else
if number < 11 then
-- 10 groups.name
return function(value, what)
  if value == '' or #value <= 128 and string.find(value, '^[%w._:@-]+$') then
    return value
  end
  cold(7)(value, 65536, what)
  local text = cold(11)(string.sub(value, 1, 4096))
  return #text > 512 and cold(11)(string.sub(text, 1, 512)) or text
end
else
-- 11 groups.common
return function(text)
  text = string.gsub(string.gsub(text, '[%z\1-\32\127]+', ' '), '[\128-\255]+', cold(12))
  for _ = 1, 8 do
    local last = text
    text = string.gsub(string.gsub(text, '[%w._:@+-]+', cold(13)), '#[#.,:+-]*#', '#')
    if text == last then
      break
    end
  end
  return (string.gsub(string.gsub(text, '^ ', ''), ' $', ''))
end
end
end
end
end
else
if number < 17 then
if number < 14 then
if number < 13 then
-- 12 groups.readable
return function(bytes)
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
else
-- 13 groups.word
return function(word)
  if string.find(word, '%w@%w') or string.find(word, '%d') and string.find(word, '^[%x:][%x:.]*[%x:]$')
    and string.find(word, ':[%x.]*:') then
    return '#'
  elseif string.find(word, '%d') then
    return (string.gsub(string.gsub(word,
      '%x%x%x%x%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x', '#'), '%w+', cold(14)))
  end
end
end
else
if number < 15 then
-- 14 groups.part
return function(part)
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
else
if number < 16 then
-- 15 groups.key
return function(queue, group)
  if #group > 128 or string.find(group, '[^%w._:@-]') then
    group = '~' .. redis.sha1hex(group)
  end
  return namespace_prefix .. 'group_' .. queue .. '/' .. group
end
else
-- 16 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
end
end
end
else
if number < 20 then
if number < 18 then
-- 17 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(22)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(22)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
if number < 19 then
-- 18 namespace.use_test_time
return function(now)
  namespace_now_us = cold(5)(now or cold(22)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(22)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(16)(namespace_now_us)
end
else
-- 19 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(16)(namespace_now_us)
end
end
end
else
if number < 21 then
-- 20 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
if number < 22 then
-- 21 namespace.key
return function(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end
else
-- 22 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(23)() then
    code, text = cold(24)()
  end
  error({ err = code .. ' ' .. text })
end
end
end
end
end
end
else
if number < 34 then
if number < 28 then
if number < 25 then
if number < 24 then
-- 23 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
-- 24 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
end
else
if number < 26 then
-- 25 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(24)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
else
if number < 27 then
-- 26 search.states
return function(value, what)
  local states = {}
  for status in string.gmatch(value .. ',', '([^,]*),') do
    if #value > 100 or not cold(3)(status, ' waiting scheduled pending reserved started complete failed cancelled ') then
      cold(22)('BADARG', what .. ' must be of ' .. cold(2)(' waiting scheduled pending reserved started complete failed cancelled ', 'and') .. ', separated by commas')
    end
    states[status] = true
  end
  return states
end
else
-- 27 search.cursor
return function(text)
  return cold(29)(text, '^([%d.e+-]+)/(.*)$')
end
end
end
end
else
if number < 31 then
if number < 29 then
-- 28 search.anywhere
return function(text)
  local scan, queue, inner = string.match(text, '^%*(%d+)/([^/]*)/(.*)$')
  if not scan then
    return cold(27)(text)
  elseif #text > 1024 or #scan > 20 then
    cold(22)('BADARG', 'the cursor must be 0 or what the previous call returned')
  end
  return { scan = scan, queue = queue, inner = cold(27)(inner) }
end
else
if number < 30 then
-- 29 search.place
return function(text, pattern)
  if text == '0' then
    return nil
  end
  local score, name, till = string.match(text, pattern)
  if not score or #text > 1024 or not tonumber(score) or till and not tonumber(till) then
    cold(22)('BADARG', 'the cursor must be 0 or what the previous call returned')
  end
  return { score = string.format('%.17g', tonumber(score)), name = name, till = till }
end
else
-- 30 search.rank
return function(index, cursor)
  local score, name = cursor.score, cursor.name
  local found = redis.call('ZSCORE', index, name)
  if found and tonumber(found) == tonumber(score) then
    return redis.call('ZRANK', index, name), 1
  end
  local low, high = redis.call('ZCOUNT', index, '-inf', '(' .. score), redis.call('ZCOUNT', index, '-inf', score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if cold(9)(redis.call('ZRANGE', index, middle, middle)[1], name) then
      low = middle + 1
    else
      high = middle
    end
  end
  return low, 0
end
end
end
else
if number < 32 then
-- 31 search.page
return function(index, from, limit)
  local cursor, first = from.cursor, from.score
  local rank, here
  if cursor then
    rank, here = cold(30)(index, cursor)
  end
  local page
  if from.backwards then
    local start = redis.call('ZCARD', index) - (rank or redis.call('ZCOUNT', index, '-inf', first))
    page = redis.call('ZREVRANGE', index, start, start + limit - 1, 'WITHSCORES')
  else
    local start = rank and rank + here or redis.call('ZCOUNT', index, '-inf', '(' .. first)
    page = redis.call('ZRANGE', index, start, start + limit - 1, 'WITHSCORES')
  end
  return page, #page < 2 * limit and '0' or cold(32)(page, #page - 1)
end
else
if number < 33 then
-- 32 search.after
return function(page, i)
  return page[i + 1] .. '/' .. page[i]
end
else
-- 33 search.chosen
return function(queue, options)
  if options.from and options.to and options.from > options.to then
    cold(22)('BADARG', 'from must not be after to')
  end
  local chosen = { queue = queue, options = options, low = '-inf', high = '+inf',
    index = cold(21)('tasks', queue) }
  chosen.names, chosen.wanted = cold(34)(options)
  if options.group and not options.tag then
    chosen.index, chosen.failures = cold(15)(queue, options.group), true
    return chosen
  elseif options.tag then
    chosen.index = cold(43)(queue, options.tag)
  end
  chosen.low = options.from and cold(16)(options.from) or chosen.low
  chosen.high = options.to and cold(16)(options.to) or chosen.high
  return chosen
end
end
end
end
end
else
if number < 39 then
if number < 36 then
if number < 35 then
-- 34 search.fields
return function(options)
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
else
-- 35 search.matches
return function(id, chosen)
  local options, wanted = chosen.options, chosen.wanted
  if options.prefix and string.sub(id, 1, #options.prefix) ~= options.prefix then
    return false
  end
  local v = redis.call('HMGET', namespace_prefix .. 'task_' .. id, unpack(chosen.names))
  if v[1] ~= chosen.queue or not v[2] or options.status and not options.status[v[2]]
    or wanted[3] and v[3] ~= wanted[3] or wanted[4] and v[4] ~= wanted[4] then
    return false
  end
  return not wanted.tags or cold(36)(v, chosen)
end
end
else
if number < 37 then
-- 36 search.is_labelled
return function(v, chosen)
  local options, wanted = chosen.options, chosen.wanted
  local labels, group = v[wanted.tags], v[wanted.group]
  if options.tag and not (labels and string.find(',' .. labels .. ',', ',' .. options.tag .. ',', 1, true))
    or options.group and (v[2] ~= 'failed' or (group or '') ~= options.group) then
    return false
  end
  local created = chosen.failures and (tonumber(v[wanted.created]) or 0) * 1000000
  return not (created and (options.from and created < options.from or options.to and created > options.to))
end
else
if number < 38 then
-- 37 search.indexes
return function(states)
  local found = {}
  for status in pairs(states or {}) do
    local before = #found
    if string.find(' complete failed cancelled ', ' ' .. status .. ' ', 1, true) and status ~= 'pending' then
      found[before + 1], found[before + 2] = 'LRANGE', namespace_prefix .. status .. '_tasks_'
    end
    for name, command, kind in string.gmatch('waiting=ZRANGE:waiting scheduled=ZRANGE:scheduled scheduled=ZRANGE:scheduled_lane pending=LRANGE:pending pending=ZRANGE:lane started=SMEMBERS:started ', '(%l+)=(%u+):([%l_]+)') do
      if name == status then
        found[#found + 1], found[#found + 2] = command, namespace_prefix .. kind .. '_tasks_'
      end
    end
    if #found == before then
      return nil
    end
  end
  return found[1] and found
end
else
-- 38 search.few
return function(chosen, cursor)
  local options, queue = chosen.options, chosen.queue
  local indexes = not options.tag and not options.group and cold(37)(options.status)
  if not indexes then
    return nil
  end
  local number = 0
  for i = 1, #indexes, 2 do
    local count = indexes[i] == 'LRANGE' and 'LLEN' or indexes[i] == 'ZRANGE' and 'ZCARD' or 'SCARD'
    number = number + redis.call(count, indexes[i + 1] .. queue)
  end
  if number > 200 or 2 * number > redis.call('ZCARD', chosen.index) then
    return nil
  end
  local score, high = cursor and tonumber(cursor.score), not cursor and tonumber(chosen.high) or math.huge
  local entries, seen = {}, {}
  for i = 1, #indexes, 2 do
    local key = indexes[i + 1] .. queue
    local members = indexes[i] == 'SMEMBERS' and redis.call('SMEMBERS', key) or redis.call(indexes[i], key, 0, -1)
    for _, member in ipairs(members) do
      local id = string.match(member, '(%S*)$')
      local created = not seen[id] and redis.call('HGET', namespace_prefix .. 'task_' .. id, 'created')
      local at = tonumber(created or nil)
      seen[id] = true
      if at and at <= high and (not cursor or at < score or at == score and cold(9)(id, cursor.name)) then
        entries[#entries + 1] = { id = id, at = at, created = created }
      end
    end
  end
  table.sort(entries, function(one, other)
    return one.at > other.at or one.at == other.at and cold(9)(other.id, one.id)
  end)
  local page = {}
  for i, entry in ipairs(entries) do
    page[2 * i - 1], page[2 * i] = entry.id, entry.created
  end
  return page
end
end
end
end
else
if number < 42 then
if number < 40 then
-- 39 search.collect
return function(chosen, cursor, limit, looks, answer)
  local page, after = cold(38)(chosen, cursor), '0'
  if not page then
    page, after = cold(31)(chosen.index, { backwards = true, cursor = cursor, score = chosen.high }, looks)
  end
  local matches = cold(35)
  for i = 1, #page, 2 do
    if chosen.low ~= '-inf' and tonumber(page[i + 1]) < tonumber(chosen.low) then
      return '0', (i + 1) / 2
    end
    if matches(page[i], chosen) then
      answer[#answer + 1] = page[i]
    end
    if #answer > limit and (i < #page - 1 or after ~= '0') then
      return cold(32)(page, i), (i + 1) / 2
    end
  end
  return after, #page / 2
end
else
if number < 41 then
-- 40 search.heads
return function(options)
  local prefix = namespace_prefix
  if options.tag then
    return { prefix .. 'tag_' }, '/' .. options.tag
  elseif options.group then
    local key = cold(15)('', options.group)
    return { prefix .. 'group_' }, string.sub(key, #prefix + #'group_' + 1)
  end
  local heads, indexes = {}, cold(37)(options.status)
  for i = 2, indexes and #indexes or 0, 2 do
    heads[#heads + 1] = indexes[i]
  end
  return heads[1] and heads or { prefix .. 'tasks_' }, ''
end
else
-- 41 search.holding
return function(queues, heads, tail)
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
  table.sort(found, cold(9))
  return found
end
end
end
else
if number < 43 then
-- 42 search.everywhere
return function(options, cursor, limit)
  local answer, scan, queue, inner = { '0' }, cursor.scan, cursor.queue, cursor.inner
  local looks, left = 200, 500
  local heads, tail = cold(40)(options)
  repeat
    local page = redis.call('ZSCAN', namespace_prefix .. 'queues', scan, 'COUNT', 25)
    local names = {}
    for i = 1, #page[2], 2 do
      if queue == page[2][i] or queue == '' or cold(9)(queue, page[2][i]) then
        names[#names + 1] = page[2][i]
      end
    end
    names = cold(41)(names, heads, tail)
    for i, name in ipairs(names) do
      local after, looked = cold(39)(cold(33)(name, options), name == queue and inner or nil, limit, looks,
        answer)
      looks = looks - looked - 3
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
else
if number < 44 then
-- 43 tags.key
return function(queue, tag)
  return namespace_prefix .. 'tag_' .. queue .. '/' .. tag
end
else
-- 44 contract.option
return function(name, value)
  if name == 'prefix' or name == 'tag' or name == 'method' or name == 'key' then
    return cold(1)(value, name)
  elseif name == 'status' then
    return cold(26)(value, name)
  elseif name == 'group' then
    return cold(10)(value, name)
  elseif name == 'from' or name == 'to' then
    return cold(5)(value, 0, 100000000000, name)
  end
end
end
end
end
end
end
end
end

local function command()
  namespace_open()
  local queue, cursor, limit = contract_arguments()
  local options = cold(8)()
  if cursor and (queue == '*') ~= (cursor.scan ~= nil) then
    cold(22)('BADARG', 'the cursor must be 0 or what the previous call for this queue returned')
  elseif queue == '*' then
    return cold(42)(options, cursor or { scan = '0', queue = '' }, limit)
  end
  local answer = { '0' }
  answer[1] = cold(39)(cold(33)(queue, options), cursor, limit, 200, answer)
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(25)(answer)
