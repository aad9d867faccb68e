--- Finds the queues with tasks that match patterns, and registers the listener with them: it names them to `reserve`. Each call also does a part of the search for queues that clients without scripts have filled.
-- @args now listener cursor limit count pattern*count
-- @role upkeep
-- @options has woken live
-- @again goes on
-- @reply next cursor (0 at the end), the list on which the listener waits if there is no task, or an empty string if it has to ask again after a second, 1 if the search goes on at once, then for each queue its name and the number of the first pattern that it matches, of those without a `!`
-- @errors

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(37)('BADARG', 'missing argument: ' .. what)
end

local namespace_meta = KEYS[1] or ''

local namespace_prefix = string.sub(namespace_meta, 1, -5)

local namespace_declared = not string.find(namespace_meta, '^[^_{]*_meta$') and {}

local namespace_shared_tables = false

local namespace_gap = false

local namespace_now_us = 0

local namespace_now = ''

local function namespace_open_with(...)
  local found = redis.call('HMGET', namespace_meta, 'clock:1', ...)
  do
    local clock = found[1]
    if not clock or #KEYS ~= 1 or namespace_declared and not string.find(namespace_meta, '^[^_]*_meta$') then
      clock = cold(10)()
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
      cold(11)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(12)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(13)(floor)
    end
  end
  return found
end

local function namespace_key(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end

local state_asleep = false

local state_roams = false

local function contract_arguments()
  local listener = cold(1)(args_next('listener'), 'listener')
  local cursor = cold(23)(args_next('cursor'), 'cursor')
  local limit = cold(3)(args_next('limit'), 1, 500, 'limit')
  local count = cold(3)(args_next('count'), 1, 100, 'count')
  return listener, cursor, limit, count
end

function cold(number)
if number < 24 then
if number < 12 then
if number < 6 then
if number < 3 then
if number < 2 then
-- 1 args.listener
return function(value)
  if #value > 200 or not string.find(value, '^[%w.:-]+_%d+$') then
    cold(37)('BADNAME', 'a listener must be HOSTNAME_PID: letters, digits, . : - then _ and digits')
  end
  return value
end
else
-- 2 args.flag
return function(value, what)
  if value ~= '0' and value ~= '1' then
    cold(37)('BADARG', what .. ' must be 0 or 1')
  end
  return value == '1'
end
end
else
if number < 4 then
-- 3 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(37)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
else
if number < 5 then
-- 4 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(37)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
-- 5 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(37)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(37)('BADARG', 'an option is given twice')
    end
    found[name] = cold(47)(name, value)
    if found[name] == nil then
      cold(37)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
end
end
end
else
if number < 9 then
if number < 7 then
-- 6 args.has
return function(value, what)
  local number = 0
  for one in string.gmatch((value == '' or #value > 1024) and '' or value .. ',', '([^,]*),') do
    local name, amount = string.match(one, '^([%w_.-]+)(.*)$')
    number = number + 1
    if not name or #name > 64 or #amount > 17
      or amount ~= '' and not string.find(amount, '^=%d+%.?%d*$') then
      cold(37)('BADARG', what .. ' must be names, each with = and a number or without, separated by commas')
    end
  end
  if number > 32 or #value > 1024 then
    cold(37)('BADARG', what .. ' may be ' .. 32 .. ' at most, in '
      .. 1024 .. ' characters')
  end
  return value
end
else
if number < 8 then
-- 7 listeners.equip
return function(queue, listener, has)
  if has ~= '' then
    redis.call('HSET', namespace_key('has', queue), listener, has)
  else
    redis.call('HDEL', namespace_key('has', queue), listener)
  end
end
else
-- 8 listeners.seen
return function(queue, listener)
  redis.call('ZADD', namespace_key('seen', queue), namespace_now, listener)
end
end
end
else
if number < 10 then
-- 9 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
if number < 11 then
-- 10 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(37)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(37)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
-- 11 namespace.use_test_time
return function(now)
  namespace_now_us = cold(4)(now or cold(37)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(37)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(9)(namespace_now_us)
end
end
end
end
end
else
if number < 18 then
if number < 15 then
if number < 13 then
-- 12 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(9)(namespace_now_us)
end
else
if number < 14 then
-- 13 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
-- 14 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
end
end
else
if number < 16 then
-- 15 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
else
if number < 17 then
-- 16 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(15)(key)
  end
  return redis.call(command, key)
end
else
-- 17 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(37)(cold(39)())
  end
end
end
end
end
else
if number < 21 then
if number < 19 then
-- 18 namespace.is_here
return function(key)
  return type(redis.pcall('EXISTS', namespace_meta, key)) == 'number'
end
else
if number < 20 then
-- 19 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(44)()
  if namespace_declared then
    cold(20)(first, ...)
  end
end
else
-- 20 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(17)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(44)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
end
end
else
if number < 22 then
-- 21 patterns.one
return function(value, what)
  if #value > 128 or not string.find(value, '^!?[%w._:@*-]+$') then
    cold(37)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ - *,'
      .. ' after a ! for queues to leave out')
  end
  return value
end
else
if number < 23 then
-- 22 patterns.text
return function(value, what)
  if #value > 4096 then
    cold(37)('BADARG', what .. ' may have ' .. 4096 .. ' characters in all: use fewer, wider ones')
  end
  for one in string.gmatch(value .. ',', '([^,]*),') do
    cold(21)(one, what)
  end
  if not cold(25)(value).wanted[1] then
    cold(37)('BADARG', what .. ' match nothing: each leaves queues out, and none says which to take, such as *')
  end
  return value
end
else
-- 23 patterns.cursor
return function(value)
  if value ~= '0' and (#value > 132 or not string.find(value, '^[1-9]%d?%d?/[%w._:@-]*$')) then
    cold(37)('BADARG', 'the cursor must be 0 or what the previous call returned')
  end
  return value
end
end
end
end
end
end
else
if number < 36 then
if number < 30 then
if number < 27 then
if number < 25 then
-- 24 patterns.parse
return function(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end
else
if number < 26 then
-- 25 patterns.set
return function(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = cold(24)(one)
  end
  return set
end
else
-- 26 patterns.matches
return function(one, name)
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
end
end
else
if number < 28 then
-- 27 patterns.chooser
return function(set)
  local matches, out, wanted = cold(26), set.out, set.wanted
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
else
if number < 29 then
-- 28 patterns.index
return function()
  return namespace_prefix .. 'ready'
end
else
-- 29 patterns.list
return function(text)
  return namespace_prefix .. 'wakes_' .. string.sub(redis.sha1hex(text), 1, 16)
end
end
end
end
else
if number < 33 then
if number < 31 then
-- 30 patterns.rouse
return function(sets, queue)
  local left = {}
  for text in string.gmatch(sets, '%S+') do
    local list = cold(29)(text)
    if cold(27)(cold(25)(text))(queue) and (not namespace_declared or cold(18)(list)) then
      redis.pcall('LPUSH', list, '1')
    else
      left[#left + 1] = text
    end
  end
  return table.concat(left, ' ')
end
else
if number < 32 then
-- 31 patterns.waits
return function(queue)
  local prefix = namespace_prefix
  return redis.call('EXISTS', prefix .. 'pending_tasks_' .. queue, prefix .. 'lane_tasks_' .. queue) > 0
end
else
-- 32 patterns.lives
return function(queue)
  local prefix, tasks = namespace_prefix, '_tasks_' .. queue
  return redis.call('EXISTS', prefix .. 'pending' .. tasks, prefix .. 'lane' .. tasks, prefix .. 'scheduled' .. tasks,
    prefix .. 'scheduled_lane' .. tasks, prefix .. 'leases_' .. queue) > 0
end
end
end
else
if number < 34 then
-- 33 patterns.page
return function(one, after)
  local index = cold(28)()
  if one.text then
    return not after and redis.call('ZSCORE', index, one.text) and { one.text } or {}
  end
  local first = one.parts[1]
  local from = after and '(' .. after or first ~= '' and '[' .. first or '-'
  local to = first ~= '' and '(' .. first .. '\255' or '+'
  return redis.call('ZRANGE', index, from, to, 'BYLEX', 'LIMIT', '0', '50')
end
else
if number < 35 then
-- 34 patterns.paused
return function(queues)
  local fields = {}
  for i = 1, #queues do
    fields[i] = 'paused:' .. queues[i]
  end
  return fields[1] and redis.call('HMGET', namespace_meta, unpack(fields)) or {}
end
else
-- 35 patterns.look
return function(set, cursor, limit, live)
  local found, looks, size = { next = '0', gone = {} }, 1000, tonumber('50')
  local nth_of, waits, lives = cold(27)(set), cold(31), cold(32)
  local first, after = string.match(cursor, '^(%d+)/(.*)$')
  after = after ~= '' and after or nil
  for nth = tonumber(first) or 1, #set.wanted do
    local names
    repeat
      names = cold(33)(set.wanted[nth], after)
      local paused = live and {} or cold(34)(names)
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
end
end
end
end
else
if number < 42 then
if number < 39 then
if number < 37 then
-- 36 patterns.search
return function(roamed)
  local cursor, begun = string.match(roamed or '', '^(%d+) (%d+)$')
  begun = tonumber(begun)
  if not begun or begun > namespace_now_us or cursor == '0' and namespace_now_us - begun >= 15000000 then
    cursor, begun = nil, namespace_now_us
  elseif cursor == '0' then
    return nil
  end
  local page = redis.call('ZSCAN', namespace_prefix .. 'queues', cursor or '0', 'COUNT', '250')
  local found, lives, index = {}, cold(32), cold(28)()
  for i = 1, #page[2], 2 do
    local queue = page[2][i]
    if lives(queue) and string.find(queue, '^[%w._:@-]+$') and not redis.call('ZSCORE', index, queue) then
      found[#found + 1] = queue
    end
  end
  return { found = found, more = page[1] ~= '0', at = page[1] .. ' ' .. string.format('%.0f', begun) }
end
else
if number < 38 then
-- 37 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(38)() then
    code, text = cold(39)()
  end
  error({ err = code .. ' ' .. text })
end
else
-- 38 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
end
end
else
if number < 40 then
-- 39 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
if number < 41 then
-- 40 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(39)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
else
-- 41 rights.denied
return function(names, role)
  local may, key = redis.acl_check_cmd, namespace_prefix .. role
  if not may then
    return nil
  end
  for _, name in ipairs(names) do
    if not may(name, name == 'XINFO' and 'STREAM' or key, key, key) then
      return name
    end
  end
end
end
end
end
else
if number < 45 then
if number < 43 then
-- 42 rights.refuse
return function(name)
  local role = string.match('UPKEEP', '^%u+$')
  if role and not cold(41)({ name }, 'meta') then
    cold(37)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(37)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
if number < 44 then
-- 43 rights.check
return function(names)
  local name = cold(41)(names, 'UPKEEP')
  if name then
    cold(42)(name)
  end
end
else
-- 44 rights.require
return function()
  cold(43)({ 'EXISTS', 'HDEL', 'HGET', 'HMGET', 'HSET', 'LPUSH', 'SADD', 'ZADD', 'ZCARD', 'ZINCRBY', 'ZRANGE', 'ZREM' })
end
end
end
else
if number < 46 then
-- 45 state.plan_wake
return function(queue)
  local asleep = cold(14)('asleep')
  asleep[queue] = cold(16)('LLEN', namespace_prefix .. 'wake_' .. queue) == 0
  if not asleep['*'] then
    asleep['*'], state_roams = true, redis.call('HGET', namespace_meta, 'roams')
  end
end
else
if number < 47 then
-- 46 state.rouse
return function(queue)
  local left = cold(30)(state_roams, queue)
  if left ~= state_roams then
    state_roams = left
    redis.pcall('HSET', namespace_meta, 'roams', left)
  end
end
else
-- 47 contract.option
return function(name, value)
  if name == 'has' then
    return cold(6)(value, name)
  elseif name == 'woken' or name == 'live' then
    return cold(2)(value, name)
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
  local meta = namespace_open_with('roams', 'roamed')
  local listener, cursor, limit, count = contract_arguments()
  local texts = {}
  for i = 1, count do
    texts[i] = cold(21)(args_next('pattern'), 'pattern')
  end
  local text = cold(22)(table.concat(texts, ','), 'patterns')
  local options = cold(5)()
  local has, live = options.has, options.live

  local index, list = cold(28)(), not live and cold(29)(text)
  cold(16)('ZCARD', index)
  local step = cold(36)(meta[3])
  local found = cold(35)(cold(25)(text), cursor, limit, live)
  local sets, fresh, equips = meta[2] or '', {}, {}
  if live then
    list = ''
  else
    for _, queue in ipairs(found) do
      local name = queue.name
      if redis.call('SISMEMBER', cold(15)(namespace_key('listeners', name)), listener) == 0 then
        cold(16)('ZCARD', namespace_key('seen', name))
        cold(16)('ZCARD', namespace_prefix .. 'queues')
        fresh[#fresh + 1] = name
      end
      if has and (redis.call('HGET', cold(15)(namespace_key('has', name)), listener) or '') ~= has then
        equips[#equips + 1] = name
      end
    end
  end
  local asleep = not live and cold(16)('LLEN', list) == 0
  local passes = asleep and options.woken and found.next ~= '0'
  if asleep and not passes and not string.find(' ' .. sets .. ' ', ' ' .. text .. ' ', 1, true) then
    local _, number = string.gsub(sets, '%S+', '')
    if number < 32 then
      sets = sets == '' and text or sets .. ' ' .. text
    else
      list = ''
    end
  end
  for _, queue in ipairs(step and step.found or {}) do
    cold(45)(queue)
  end

  if sets ~= meta[2] or step or passes or fresh[1] or equips[1] or found.gone[1] then
    cold(19)()
    redis.call('HSET', namespace_meta, 'roams', sets, 'roamed', step and step.at or meta[3])
    if found.gone[1] then
      redis.call('ZREM', index, unpack(found.gone))
    end
    for _, name in ipairs(fresh) do
      redis.call('SADD', namespace_key('listeners', name), listener)
      redis.call('ZINCRBY', namespace_prefix .. 'queues', 1, name)
      cold(8)(name, listener)
    end
    for _, name in ipairs(equips) do
      cold(7)(name, listener, has)
    end
    if passes then
      redis.call('LPUSH', list, '1')
    end
    state_roams = sets
    for _, queue in ipairs(step and step.found or {}) do
      do
        local queue = queue
        local others = namespace_shared_tables and namespace_shared_tables.asleep
        if state_asleep == queue or others and others[queue] then
          redis.call('LPUSH', namespace_prefix .. 'wake_' .. queue, '1')
          state_asleep = false
          if others then
            others[queue] = nil
          end
        end
        if state_roams then
          do
            local queue = queue
            local ready = namespace_prefix .. 'ready'
            if not namespace_declared or cold(18)(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if state_roams ~= '' then
            cold(46)(queue)
          end
        end
        redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
      end
    end
  end
  local answer = { found.next, string.sub(list, #namespace_prefix + 1), step and step.more and 1 or 0 }
  for _, queue in ipairs(found) do
    answer[#answer + 1], answer[#answer + 2] = queue.name, queue.nth
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(40)(answer)
