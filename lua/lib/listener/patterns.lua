-- Patterns of queues. A listener that takes the tasks of all matching queues asks `ready` which of these queues have
-- tasks, and passes their names to `reserve`. `ready` reads an index of the queues with work, which is kept from the
-- first such call on. The entries of the index are hints: an entry without work is removed when it is found, and a
-- missing entry is found by a search.
local patterns = {}

-- Maximum number of characters of all patterns of one listener, including a comma between two patterns.
patterns.BYTES = 4096

-- Maximum number of different pattern sets whose listeners sleep: a wake-up checks each set. Listeners with further
-- sets ask every second.
patterns.SETS = 32

-- Number of entries of the index that a call checks (`LOOKS`), and reads at a time (`PAGE`).
patterns.LOOKS = 1000
patterns.PAGE = '50'

-- Number of queues that a step of the search checks (`STEP`), and microseconds between the starts of two searches
-- (`EVERY`).
patterns.STEP = '250'
patterns.EVERY = 15000000

-- Checks a pattern: a name in which `*` stands for zero or more characters. With a `!` before it, the pattern leaves
-- queues out.
function patterns.one(value, what)
  if #value > contract.PATTERN_HIGH or not string.find(value, '^!?[%w._:@*-]+$') then
    reply.fail('BADNAME', what .. ' must be 1 to ' .. contract.PATTERN_HIGH .. ' characters of A-Z a-z 0-9 . _ : @ - *,'
      .. ' after a ! for queues to leave out')
  end
  return value
end

-- Checks patterns in one text, separated by commas. Fails if together they can match no queue at all.
function patterns.text(value, what)
  if #value > patterns.BYTES then
    reply.fail('BADARG', what .. ' may have ' .. patterns.BYTES .. ' characters in all: use fewer, wider ones')
  end
  for one in string.gmatch(value .. ',', '([^,]*),') do
    patterns.one(one, what)
  end
  if not patterns.set(value).wanted[1] then
    reply.fail('BADARG', what .. ' match nothing: each leaves queues out, and none says which to take, such as *')
  end
  return value
end

function patterns.cursor(value)
  if value ~= '0' and (#value > 132 or not string.find(value, '^[1-9]%d?%d?/[%w._:@-]*$')) then
    reply.fail('BADARG', 'the cursor must be 0 or what the previous call returned')
  end
  return value
end

-- Parses a pattern into its parts between the `*`, or into its text if it has no `*`.
function patterns.parse(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end

-- Parses the patterns of a text. `wanted` has the patterns to take, in their order; `out` has the patterns that leave
-- queues out.
function patterns.set(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = patterns.parse(one)
  end
  return set
end

-- Returns true if a name matches. Each part is searched once, from left to right, so no pattern takes long.
function patterns.matches(one, name)
  if one.text then
    return one.text == name
  end
  local parts = one.parts
  local first, last = parts[1], parts[#parts]
  local at, stop = #first + 1, #name - #last
  if stop < #first or string.sub(name, 1, #first) ~= first or string.sub(name, stop + 1) ~= last then
    return false
  end
  for i = 2, #parts - 1 do
    local _, to = string.find(name, parts[i], at, true)
    if not to or to > stop then
      return false
    end
    at = to + 1
  end
  return true
end

-- Returns a function that returns the number of the first pattern that a queue matches, or nil.
function patterns.chooser(set)
  local matches, out, wanted = patterns.matches, set.out, set.wanted
  return function(queue)
    for i = 1, #out do
      if matches(out[i], queue) then
        return nil
      end
    end
    for nth = 1, #wanted do
      if matches(wanted[nth], queue) then
        return nth
      end
    end
  end
end

function patterns.index()
  return namespace.prefix .. 'ready'
end

-- Returns the key of the list on which listeners with these patterns wait.
function patterns.list(text)
  return namespace.prefix .. 'wakes_' .. string.sub(redis.sha1hex(text), 1, 16)
end

-- Wakes a listener that waits on a list. The list expires if no listener waits.
function patterns.wake(list)
  redis.pcall('LPUSH', list, '1')
  redis.pcall('EXPIRE', list, contract.WAKE_UP_EXPIRES)
end

-- Returns the sleeping sets, and for each set the time when a listener last asked for it: `DIGITS=SECONDS`, with the
-- digits in the name of its list. Sets for which no listener has asked within the setting `forget_after` are left out.
-- A set without a time counts from now on. `text`: the set for which a listener asks now, or nil; the set is added if
-- the listener `sleeps`. The third value is false if there is no room for the set. To save writes, a time is updated
-- only once it is older than a quarter of `forget_after`, so a set is kept up to a quarter longer.
function patterns.remember(sets, asked, text, sleeps, common)
  local keep, now = tonumber(settings.value(nil, common, 'forget_after')), math.floor(namespace.now_us / 1000000)
  local texts, times, known = {}, {}, false
  local function add(one, time)
    texts[#texts + 1], times[#times + 1] = one, string.match(patterns.list(one), '%x+$') .. '=' .. time
  end
  for one in string.gmatch(sets, '%S+') do
    local time = tonumber(string.match(asked, string.match(patterns.list(one), '%x+$') .. '=(%d+)') or now)
    local age = time <= now and now - time or keep
    if one == text then
      known = true
      add(one, age * 4 < keep and time or now)
    elseif time <= now and age * 4 < keep * 5 then
      add(one, time)
    elseif time > now then
      add(one, now) -- the clock was set back
    end
  end
  local fits = known or not sleeps or #texts < patterns.SETS
  if sleeps and not known and fits then
    add(text, now)
  end
  return table.concat(texts, ' '), table.concat(times, ' '), fits
end

-- Returns the sleeping sets and their times, without the sets that are forgotten. Returns nil if nothing changes.
function patterns.plan_forget()
  local meta = redis.call('HMGET', namespace.meta, 'patterns', 'asked', 'settings')
  if (meta[1] or '') ~= '' then
    local sets, asked = patterns.remember(meta[1], meta[2] or '', nil, false, meta[3])
    if sets ~= meta[1] or asked ~= (meta[2] or '') then
      return sets, asked
    end
  end
end

-- Wakes a listener of each sleeping set that takes the queue. Returns the sets that were not woken.
function patterns.wake_sets(sets, queue)
  local left = {}
  for text in string.gmatch(sets, '%S+') do
    local list = patterns.list(text)
    if patterns.chooser(patterns.set(text))(queue) and (not namespace.declared or namespace.is_here(list)) then
      patterns.wake(list)
    else
      left[#left + 1] = text
    end
  end
  return table.concat(left, ' ')
end

function patterns.waits(queue)
  local prefix = namespace.prefix
  return redis.call('EXISTS', prefix .. 'pending_tasks_' .. queue, prefix .. 'pending_ranked_tasks_' .. queue) > 0
end

-- Returns true if a queue needs listeners: it has tasks that are pending, are due later, or have an owner.
function patterns.lives(queue)
  local prefix, tasks = namespace.prefix, '_tasks_' .. queue
  return redis.call('EXISTS', prefix .. 'pending' .. tasks, prefix .. 'pending_ranked' .. tasks,
    prefix .. 'scheduled' .. tasks, prefix .. 'scheduled_ranked' .. tasks, prefix .. 'leases_' .. queue) > 0
end

-- Returns the next entries of the index that a pattern may match, after the entry `after`.
function patterns.page(one, after)
  local index = patterns.index()
  if one.text then
    return not after and redis.call('ZSCORE', index, one.text) and { one.text } or {}
  end
  local first = one.parts[1]
  local from = after and '(' .. after or first ~= '' and '[' .. first or '-'
  local to = first ~= '' and '(' .. first .. '\255' or '+'
  return redis.call('ZRANGE', index, from, to, 'BYLEX', 'LIMIT', '0', patterns.PAGE)
end

-- Returns a list that has, for each of these queues, a true value if the queue is paused, or false.
function patterns.paused(queues)
  local fields = {}
  for i = 1, #queues do
    fields[i] = 'paused:' .. queues[i]
  end
  return fields[1] and redis.call('HMGET', namespace.meta, unpack(fields)) or {}
end

-- Finds up to `limit` queues with tasks, ordered by pattern and, for each pattern, by name. `live`: also finds queues
-- that are paused, or whose tasks are due later or have an owner. In the result, `next` is the cursor, and `gone` has
-- the entries without work.
function patterns.look(set, cursor, limit, live)
  local found, looks, size = { next = '0', gone = {} }, patterns.LOOKS, tonumber(patterns.PAGE)
  local nth_of, waits, lives = patterns.chooser(set), patterns.waits, patterns.lives
  local first, after = string.match(cursor, '^(%d+)/(.*)$')
  after = after ~= '' and after or nil
  for nth = tonumber(first) or 1, #set.wanted do
    local names
    repeat
      names = patterns.page(set.wanted[nth], after)
      local paused = live and {} or patterns.paused(names)
      for i = 1, #names do
        local queue = names[i]
        if #found == limit or looks == 0 then
          found.next = nth .. '/' .. (after or '')
          return found
        end
        looks, after = looks - 1, queue
        if nth_of(queue) == nth then
          local some = waits(queue)
          if not some and not lives(queue) then
            found.gone[#found.gone + 1] = queue
          elseif live or some and not paused[i] then
            found[#found + 1] = { name = queue, nth = nth }
          end
        end
      end
    until #names < size
    after = nil
  end
  return found
end

-- Returns the next step of the search for queues with work that are missing in the index, or nil if no step is due. All
-- steps together check each queue of the namespace, every 15 seconds. `searched`: the progress of the search, and the
-- time when it began.
function patterns.search(searched)
  local cursor, begun = string.match(searched or '', '^(%d+) (%d+)$')
  begun = tonumber(begun)
  if not begun or begun > namespace.now_us or cursor == '0' and namespace.now_us - begun >= patterns.EVERY then
    cursor, begun = nil, namespace.now_us
  elseif cursor == '0' then
    return nil
  end
  local page = redis.call('ZSCAN', namespace.prefix .. 'queues', cursor or '0', 'COUNT', patterns.STEP)
  local found, lives, index = {}, patterns.lives, patterns.index()
  for i = 1, #page[2], 2 do
    local queue = page[2][i]
    if lives(queue) and string.find(queue, args.PLAIN) and not redis.call('ZSCORE', index, queue) then
      found[#found + 1] = queue
    end
  end
  return { found = found, more = page[1] ~= '0', at = page[1] .. ' ' .. string.format('%.0f', begun) }
end
