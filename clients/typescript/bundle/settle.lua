--- Goes on with what calls leave behind in task graphs: tells dependents that what they wait for has ended, where its own call left that, as it had many of them, or long results, or ended by the end of another task; cancels what a task that ended waited for and nothing else needs; begins the next round of a task that is to begin once more; releases the tasks of new graphs; cancels and retries graphs; and removes those whose tasks did not all arrive within 10 minutes. First it fails tasks that are past their deadlines, and has their owners told to stop.
-- @args now limit
-- @role upkeep
-- @again goes on
-- @reply number of tasks, 1 if more is to be done
-- @errors
-- @noted CLOSED DUPLICATE NOLIMIT OVERDUE STATE STOPPING TOOMANY UPSTREAM

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(252)('BADARG', 'missing argument: ' .. what)
end

local edges_readied = false

local namespace_meta = KEYS[1] or ''

local namespace_prefix = string.sub(namespace_meta, 1, -5)

local namespace_declared = not string.find(namespace_meta, '^[^_{]*_meta$') and {}

local namespace_shared_tables = false

local namespace_gap = false

local namespace_now_us = 0

local namespace_now = ''

local function namespace_open()
  do
    local clock = redis.call('HGET', namespace_meta, 'clock:1')
    if not clock or #KEYS ~= 1 or namespace_declared and not string.find(namespace_meta, '^[^_]*_meta$') then
      clock = cold(196)()
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
      cold(197)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(198)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(199)(floor)
    end
  end
end

local function record_find(id, ...)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(202)(key)
  end
  local v = redis.call('HMGET', key, 'status', 'queue', 'attempt', 'token', 'node', 'pid', 'cancel', 'updated', 'ties',
    'recall', ...)
  if not v[1] then
    return nil
  end
  return {
    id = id, key = key, status = v[1], queue = v[2] or '', attempt = v[3] or '0', foreign = not v[3],
    token = v[4] or '', node = v[5] or '', pid = v[6] or '', cancel = v[7], since = v[8], ties = v[9] or nil,
    recall = v[10], extra = { unpack(v, 11, 10 + select('#', ...)) },
  }
end

local function settling_settle(limit)
  local function tell(up, ids, last)
    cold(82)(up, up.status, ids)
    local gone = last and up.status == 'deleted' and redis.call('ZCOUNT', cold(65)(up.id), '-inf', '-inf') == 0
    cold(207)()
    if last then
      redis.call('ZREM', cold(67)(), up.id)
    end
    cold(87)(up)
    if up.runs then
      cold(76)(up)
    end
    if gone then
      redis.call('UNLINK', cold(65)(up.id))
    end
    return #ids
  end

  local function check(up, place)
    local verdict, next_place = cold(183)(up.result, place)
    cold(207)()
    redis.call('HSET', up.key, 'checked', up.since .. ' ' .. (next_place or verdict and 'yes' or 'no'))
    return 1, true
  end

  local function join(task)
    local step = cold(171)(task)
    cold(207)()
    cold(174)(task, step)
    return 1, true
  end

  local function cascade(task, from)
    local step = cold(34)(task, from, limit)
    cold(207)()
    if not step.after then
      redis.call('ZREM', cold(67)(), task.id)
    end
    cold(37)(task, step)
    return #step.tasks, step.after
  end

  local function look(task, from)
    local step = cold(95)(task, from)
    cold(207)()
    if not step.after then
      redis.call('ZREM', cold(67)(), task.id)
    end
    cold(96)(task, step)
    return #step.open + #step.ended, step.after
  end

  local function go_on(id)
    cold(203)('ZCARD', cold(126)())
    cold(202)(cold(124)())
    cold(203)('LLEN', cold(122)(id))
    local graph = cold(127)(id)
    if not graph or graph.state ~= 'created' then
      local ids, outside, bounds = cold(151)(id, limit)
      cold(207)()
      cold(153)(id, ids, outside, bounds)
      return #ids + #outside, #ids + #outside > 0
    end
    local tasks, outside = cold(143)(graph, limit)
    local walk = #tasks + #outside == 0 and cold(323)(graph)
    if walk then
      cold(324)(walk, limit)
      cold(207)()
      cold(341)(walk)
      return #walk.tasks, not walk.pause
    end
    cold(207)()
    if #tasks + #outside == 0 then
      redis.call('ZREM', cold(124)(), id)
    end
    cold(149)(graph, tasks, outside)
    return #tasks + #outside, #tasks + #outside > 0
  end

  local function settle(id)
    cold(203)('ZCARD', cold(67)())
    local task = record_find(id, 'cascade', 'cause', 'graph', 'checked') or cold(136)(id)
      or { id = id, status = 'deleted', extra = {} }
    local from, graph = task.extra[1], task.extra[3]
    task.cause, task.graph = task.extra[2], graph
    if from == 'join' then
      return join(task)
    elseif from and task.status ~= 'deleted' and not cold(343)(task.status) then
      return look(task, from)
    end
    local ids = {}
    if cold(343)(task.status) or task.status == 'deleted' then
      task.result = task.status == 'complete' and redis.call('HGET', task.key, 'result') or ''
      limit = math.max(1, math.min(limit, math.floor(1048576 / math.max(1, #task.result))))
      ids = cold(80)(id, task.status, limit + 1)
      task.runs = task.status ~= 'deleted' and not string.find(task.ties or '', 'd', 1, true)
        and select(2, cold(77)(id)) > 0
    else
      task.runs = select(2, cold(77)(id)) > 0
    end
    local more = table.remove(ids, limit + 1) ~= nil
    if ids[1] and #task.result > 131072 then
      local since, place = string.match(task.extra[4] or '', '^(%S+) (.*)$')
      place = since == task.since and place or nil
      task.json = place == 'yes'
      if not (task.json or place == 'no') then
        return check(task, place)
      end
    end
    local further = cold(108)(task) and cold(343)(task.status)
    if further and not (ids[1] or from) then
      cold(110)(id)
      return 1
    end
    if graph and ids[1] and task.status ~= 'complete' and cold(135)(graph, id) then
      return go_on(graph)
    elseif ids[1] or not from then
      return tell(task, ids, not (more or from or further)), more or from or further
    elseif graph and not cold(141)(graph) then
      return go_on(graph)
    end
    return cascade(task, from)
  end

  local overdue = cold(60)(limit)
  if overdue then
    cold(207)()
    cold(62)(overdue)
    return { #overdue.ids, 1 }
  end
  local waiting = redis.call('ZRANGE', cold(67)(), 0, 0)
  local due = redis.call('ZRANGEBYSCORE', cold(124)(), '-inf', namespace_now, 'LIMIT', 0, 10)
  for _, id in ipairs(due) do
    if not cold(129)(id) then
      local number, more = go_on(id)
      return { number, (more or due[2] or waiting[1]) and 1 or 0 }
    end
  end
  if waiting[1] then
    local number, more = settle(waiting[1])
    return { number, (more or due[1] or redis.call('ZCARD', cold(67)()) > 0) and 1 or 0 }
  elseif not due[1] then
    return { 0, 0 }
  end
  local number, more = go_on(due[1])
  return { number, (more or due[2]) and 1 or 0 }
end

local state_asleep = false

local state_roams = false

local function contract_arguments()
  local limit = cold(25)(args_next('limit'), 1, 500, 'limit')
  cold(27)()
  return limit
end

function cold(number)
if number < 173 then
if number < 87 then
if number < 44 then
if number < 22 then
if number < 11 then
if number < 6 then
if number < 3 then
if number < 2 then
-- 1 actions.find
return function(id)
  return record_find(id, 'outcome', 'created', 'eta', 'front', 'retry_eta', 'schedule')
end
else
-- 2 actions.refuse
return function(task, allowed)
  return 'STATE', 'the task is ' .. task.status .. '; this is for one that is ' .. allowed
end
end
else
if number < 4 then
-- 3 actions.plan
return function(task, to, spec)
  task.to = to
  task.later = spec.planned ~= nil
  local kind = task.status .. ' ' .. to
  if not cold(249)(task) then
    cold(5)(task, spec)
    local plain = spec.planned and not task.ties and not task.foreign
    if plain and spec.planned[kind] then
      return cold(300)(task, to)
    elseif plain then
      spec.planned[kind] = true
    end
  end
  cold(299)(task, to)
end
else
if number < 5 then
-- 4 actions.entered
return function(status, updated, front)
  return not (status == 'pending' and front) and tonumber(updated) or 0
end
else
-- 5 actions.seek
return function(task, spec)
  spec.lists, spec.entries = spec.lists or {}, spec.entries or 0
  if task.ties then
    cold(38)(task)
    spec.entries = spec.entries + 400 + 100 * #cold(306)(task.tags)
  end
  if task.status == 'scheduled' or task.status == 'waiting' or task.rank then
    return
  end
  local list = cold(200)(task.status .. '_tasks', task.queue)
  local known = spec.lists[list] or { length = redis.call('LLEN', list) }
  spec.lists[list] = known
  if known.length <= 100 then
    spec.entries = spec.entries + known.length
    return
  end
  for direction = -1, 1, 2 do
    local at = redis.call('LPOS', list, task.id, 'RANK', direction, 'MAXLEN', 500)
    if at then
      task.from_end = direction
      spec.entries = spec.entries + (direction == 1 and at or known.length - at)
      return
    end
  end
  if not known.middle then
    local middle = redis.call('LINDEX', list, math.floor(known.length / 2))
    known.middle = cold(4)(
      unpack(redis.call('HMGET', cold(200)('task', middle), 'status', 'updated', 'front')))
  end
  local own = cold(4)(task.status, task.since, task.extra[4])
  task.from_end = own <= known.middle and -1 or 1
  spec.entries = spec.entries + known.length / 2
end
end
end
end
else
if number < 8 then
if number < 7 then
-- 6 actions.unique
return function(task, spec)
  if not task.ties then
    return true
  end
  cold(38)(task)
  if not task.unique then
    return true
  end
  spec.claimed = spec.claimed or {}
  if cold(43)(task) or spec.claimed[task.unique] then
    return false
  end
  spec.claimed[task.unique] = true
  return true
end
else
-- 7 actions.cancel
return function(task, spec)
  if task.status == 'cancelled' then
    return
  elseif cold(343)(task.status) then
    return cold(2)(task, 'waiting, scheduled, pending, reserved or started')
  elseif cold(249)(task) and not cold(8)(task, spec) then
    local order = spec.force and 'lost' or 'cancel'
    local given = cold(216)(task)
    task.to = given ~= 'lost' and (given ~= order or spec.discard) and 'cancelling'
    task.order = order
    cold(217)(task.queue)
    cold(318)(task)
    return
  end
  cold(3)(task, 'cancelled', spec)
end
end
else
if number < 9 then
-- 8 actions.frees
return function(task, spec)
  return spec.at_once or spec.force and task.token == ''
end
else
if number < 10 then
-- 9 actions.do_cancel
return function(task, spec)
  if task.to == 'cancelling' then
    cold(218)(task.queue, 't:' .. task.id, task.order)
    redis.call('HSET', task.key, 'cancel', task.cancel or namespace_now,
      unpack(task.cancel and spec.reason == '' and {} or { 'reason', spec.reason }))
    if spec.discard then
      redis.call('HSET', task.key, 'discard', '1', unpack(spec.cause and { 'cause', spec.cause } or {}))
    end
    cold(320)(task, 'cancel', spec.by, spec.reason)
  elseif cold(249)(task) then
    cold(302)(task, 'cancelled', 'cancel', '', 'reason', spec.reason, 'ended', task.token, 'outcome', 'lost')
    cold(219)(task.queue)
  elseif spec.cause then
    cold(302)(task, 'cancelled', 'cancel', '', 'reason', spec.reason, 'cause', spec.cause)
  else
    cold(302)(task, 'cancelled', 'cancel', '', 'reason', spec.reason)
  end
end
else
-- 10 actions.retry
return function(task, spec)
  if (task.status == 'pending' or task.status == 'waiting') and task.extra[1] == 'retry' then
    return
  elseif cold(249)(task) and task.cancel then
    return cold(11)(task)
  elseif task.status ~= 'failed' and task.status ~= 'cancelled' and not (spec.anew and task.status == 'complete') then
    return cold(2)(task, 'failed or cancelled')
  elseif spec.elsewhere and spec.queue ~= task.queue then
    return spec.elsewhere(task, spec)
  elseif not cold(6)(task, spec) then
    return 'DUPLICATE', 'another task has this unique name; get its id with the policy existing, or wait until it ends, starts, or its time passes'
  end
  if task.ties and string.find(task.ties, 'w', 1, true) then
    local code, text = (spec.look or cold(92))(task, spec)
    if code then
      return code, text
    end
  end
  if task.ties or spec.deadline then
    local code, text = cold(63)(task, spec.deadline)
    if code then
      return code, text
    end
  end
  if task.ties and not spec.walks and string.find(task.ties, 'g', 1, true) then
    cold(38)(task)
    cold(134)(task)
  end
  if task.extra[6] then
    cold(269)(task, task.extra[6])
  end
  cold(3)(task, task.again_edges and task.again_edges.to or 'pending', spec)
end
end
end
end
end
else
if number < 16 then
if number < 13 then
if number < 12 then
-- 11 actions.stopping
return function(task)
  local deadline = tonumber(redis.call('ZSCORE', cold(200)('leases', task.queue), cold(251)(task)) or nil)
  local till = deadline and cold(216)(task) == 'lost' and 'until ' .. cold(195)(deadline)
      .. ' at the latest'
    or 'until its owner has stopped it'
  return 'STOPPING', 'the task is being cancelled and its program may still run, ' .. till
    .. ': repeat the call then'
end
else
-- 12 actions.do_retry
return function(task, spec)
  task.forget = { 'error', 'group', 'last_error', 'last_group', 'reason', 'cause', 'discard', 'cascade', 'front',
    'uncounted', 'fruitless', cold(293)() }
  if spec.fresh then
    task.forget[#task.forget + 1] = 'checkpoint'
    task.forget[#task.forget + 1] = 'checkpointed'
    task.forget[#task.forget + 1] = 'ended'
  end
  if spec.anew then
    task.forget[#task.forget + 1] = 'result'
    task.forget[#task.forget + 1] = 'readied'
  end
  if task.extra[5] then
    task.forget[#task.forget + 1] = 'eta'
    task.forget[#task.forget + 1] = 'retry_eta'
  end
  local stale = { 'failures', '0', 'losses', '0', 'releases', '0', 'outcome', 'retry' }
  if task.token ~= '' then
    stale[#stale + 1], stale[#stale + 2] = 'ended', task.token
    for _, field in ipairs({ 'token', 'lease', 'request' }) do
      task.forget[#task.forget + 1] = field
    end
  end
  for _, value in ipairs(task.new_end and { 'deadline', task.new_end, 'ties', task.ties } or {}) do
    stale[#stale + 1] = value
  end
  for _, value in ipairs(task.bind or {}) do
    stale[#stale + 1] = value
  end
  if task.other then
    task.other.forget, task.forget = task.forget, nil
    cold(14)(task, spec, 'retry', unpack(stale))
  else
    cold(302)(task, task.to, 'retry', '', unpack(stale))
    spec.wakes = task.queue
  end
  if task.again_edges then
    (spec.wait or cold(94))(task)
  end
  if task.repairs then
    cold(132)(task.graph, 'repair')
  end
  if task.again then
    cold(270)(task)
  end
end
end
else
if number < 14 then
-- 13 actions.destination
return function(spec)
  if not spec.known then
    spec.known = redis.call('ZSCORE', cold(202)(namespace_prefix .. 'queues'), spec.queue) and 'old' or 'new'
    spec.closed = cold(272)(spec.queue, 'closed') == '1'
    spec.needs, spec.different = {}, redis.call('HLEN', cold(200)('needs', spec.queue))
  end
  if spec.closed then
    return 'CLOSED', 'the other queue is closed: set its setting closed to 0'
  end
end
else
if number < 15 then
-- 14 actions.arrive
return function(task, spec, why, ...)
  local other = task.other
  local forget = other.forget
  cold(302)(task, 'moved', why, spec.by or '')
  forget[#forget + 1] = 'front'
  forget[#forget + 1] = 'readied'
  if task.status ~= 'scheduled' then
    forget[#forget + 1] = 'promoted'
  end
  cold(302)(other, other.to, 'move', '', 'queue', other.queue, 'attempt', other.attempt, ...)
  spec.wakes = other.to == 'pending' and other.queue or spec.wakes
  if spec.known == 'new' then
    redis.call('ZADD', namespace_prefix .. 'queues', 0, other.queue)
    spec.known = 'old'
  end
end
else
-- 15 actions.run
return function(act, tasks, spec)
  cold(207)()
  for _, task in ipairs(tasks) do
    act(task, spec)
  end
  if spec.wakes then
    do
      local queue = spec.wakes
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
          if not namespace_declared or cold(206)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(297)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
end
end
end
else
if number < 19 then
if number < 17 then
-- 16 anew.is_long
return function(task)
  return redis.call('HSTRLEN', task.key, 'inputs') > 16384
    or redis.call('HEXISTS', task.key, 'slots') == 1 and redis.call('HSTRLEN', task.key, 'parameters') > 1048576
end
else
if number < 18 then
-- 17 anew.plan
return function(task, chosen, part)
  local piece = { forget = {}, open = {}, texts = {} }
  task.piece, task.act = piece, cold(20)
  cold(203)('HLEN', cold(64)(task.id))
  local whole = redis.call('HMGET', task.key, 'slots', 'parameters', 'inputs')
  if whole[1] and redis.call('HEXISTS', cold(202)(cold(66)(task.id)), 'slots') == 0 then
    cold(18)(piece, whole[1], whole[2] or '', string.match(part or '', '^slots/(%d+)/(%d+)/(%d+)$'))
  else
    cold(19)(task, piece, chosen, whole[3] or '', tonumber(string.match(part or '', '^inputs/(%d+)$') or 1))
  end
end
else
-- 18 anew.split
return function(piece, lengths, joined, slot, at, from)
  slot, at, from = tonumber(slot or 0), tonumber(at or 1), tonumber(from or 2)
  local last, bytes = slot + 1000, 0
  while slot < last and bytes < 1048576 and at <= #lengths do
    local length = string.match(lengths, '^%d+', at)
    piece.texts[#piece.texts + 1] = slot
    piece.texts[#piece.texts + 1] = string.sub(joined, from, from + length - 1)
    slot, at, from, bytes = slot + 1, at + #length + 1, from + length + 1, bytes + length
  end
  piece.part = string.format('slots/%d/%d/%d', slot, at, from)
  if at > #lengths then
    piece.slots, piece.bytes, piece.part = slot, #joined - 1 - slot, 'inputs/1'
  end
end
end
end
else
if number < 20 then
-- 19 anew.look
return function(task, piece, chosen, inputs, from)
  local page, rest = cold(99)(inputs, from, 1000)
  local ids, slots = {}, {}
  for i, entry in ipairs(page) do
    ids[i] = entry.id
  end
  local marks = cold(101)(chosen, ids)
  local known = ids[1] and redis.call('HMGET', cold(64)(task.id), unpack(ids)) or {}
  local texts = {}
  for i, entry in ipairs(page) do
    if marks[entry.id] then
      local text = texts[entry.id] or known[i] or entry.kind
      if entry.slot ~= '' then
        slots[#slots + 1] = entry.slot
        if not string.find(string.gsub(text, '/', ',') .. ',', ',' .. entry.slot .. ',', 1, true) then
          text = text .. (string.find(text, '/', 1, true) and ',' or '/') .. entry.slot
        end
      end
      texts[entry.id] = text
    end
  end
  for id, text in pairs(texts) do
    piece.open[#piece.open + 1], piece.open[#piece.open + 2] = id, text
  end
  local own = cold(202)(cold(66)(task.id))
  piece.less, piece.frees = 0, 0
  for i, text in ipairs(slots[1] and redis.call('HMGET', own, unpack(slots)) or {}) do
    if text then
      piece.forget[#piece.forget + 1], piece.less = slots[i], piece.less + #text
      piece.frees = piece.frees + cold(138)(#text)
    end
  end
  piece.part = rest and 'inputs/' .. rest or 'ready'
end
else
if number < 21 then
-- 20 anew.run
return function(task, spec)
  local piece, own = task.piece, cold(66)(task.id)
  if piece.texts[1] then
    redis.call('HSET', own, unpack(piece.texts))
  end
  if piece.slots then
    redis.call('HSET', own, 'slots', piece.slots, 'bytes', piece.bytes)
    redis.call('HSET', task.key, 'parameters', '')
    redis.call('HDEL', task.key, 'slots')
  end
  if piece.open[1] then
    redis.call('HSET', cold(64)(task.id), unpack(piece.open))
  end
  if piece.forget[1] then
    redis.call('HDEL', own, unpack(piece.forget))
    redis.call('HINCRBY', own, 'bytes', -piece.less)
    redis.call('HINCRBY', cold(121)(spec.graph), 'bytes', 0 - piece.frees)
  end
end
else
-- 21 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(252)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
end
end
end
end
end
else
if number < 33 then
if number < 27 then
if number < 24 then
if number < 23 then
-- 22 args.word
return function(value, words, what)
  if not cold(24)(value, words) then
    cold(252)('BADARG', what .. ' must be ' .. cold(23)(words, 'or'))
  end
  return value
end
else
-- 23 args.listed
return function(words, last)
  local list = string.gsub(string.sub(words, 2, -2), ' ', ', ')
  return (string.gsub(list, ', (%S+)$', ' ' .. last .. ' %1'))
end
end
else
if number < 25 then
-- 24 args.among
return function(value, words)
  return string.find(value, '^[%l_]+$') and string.find(words, ' ' .. value .. ' ') ~= nil
end
else
if number < 26 then
-- 25 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(252)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
else
-- 26 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(252)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
end
end
else
if number < 30 then
if number < 28 then
-- 27 args.none
return function()
  if #ARGV > args_at then
    cold(252)('BADARG', 'too many arguments: this command takes no options')
  end
end
else
if number < 29 then
-- 28 args.before
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
-- 29 args.priority
return function(value, what)
  if #value > 5 or not string.find(value, '^%-?%d+$') or math.abs(tonumber(value)) > 1000 then
    cold(252)('BADARG', what .. ' must be a whole number from ' .. (-1000) .. ' to '
      .. 1000)
  end
  return string.format('%d', tonumber(value))
end
end
end
else
if number < 31 then
-- 30 args.needs
return function(value, what)
  local wanted = {}
  for need in string.gmatch(#value <= 256 and value .. ',' or '', '([^,]*),') do
    local name, operator, number = string.match(need, '^([%w_.-]+)([<>=]*)(.*)$')
    local fits = name and #name <= 64 and (operator == '' and number == ''
      or string.find(' >= <= > < = ', ' ' .. operator .. ' ') and #number <= 16 and string.find(number, '^%d+%.?%d*$'))
    if not fits then
      cold(252)('BADARG', what .. ' must be names, each with an operator (>= <= > < =) and a number or without,'
        .. ' separated by commas')
    end
    wanted[#wanted + 1] = need
  end
  if #wanted > 8 or #value > 256 then
    cold(252)('BADARG', what .. ' may be ' .. 8 .. ' at most, in ' .. 256
      .. ' characters')
  end
  table.sort(wanted, cold(28))
  return table.concat(wanted, ',')
end
else
if number < 32 then
-- 31 args.unique_until
return function(value, what)
  if value ~= 'start' and value ~= 'end' then
    cold(26)(value, 1, 31536000, what)
  end
  return value
end
else
-- 32 args.tags
return function(value, what)
  local names, seen, number = {}, {}, 0
  for tag in string.gmatch(value .. ',', '([^,]*),') do
    cold(21)(tag, what)
    number = number + 1
    if number > 16 then
      cold(252)('TOOMANY', 'a task has ' .. 16 .. ' tags at most')
    elseif not seen[tag] then
      names[#names + 1], seen[tag] = tag, true
    end
  end
  table.sort(names, cold(28))
  return table.concat(names, ',')
end
end
end
end
end
else
if number < 38 then
if number < 35 then
if number < 34 then
-- 33 cascades.plan_begin
return function(task)
  local known = task.broken and 1 or 0
  if cold(128)(task.graph) == 'cancel' and redis.call('HLEN', cold(64)(task.id)) > known then
    cold(203)('ZCARD', cold(67)())
    task.unsettled, task.cascades = true, true
  end
end
else
-- 34 cascades.plan
return function(task, from, limit)
  local cursor, offset = string.match(from, '^(%d+)/?(%d*)$')
  offset = tonumber(offset) or 0
  local found = redis.call('HSCAN', cold(64)(task.id), cursor, 'COUNT', limit)
  local page, step = found[2], { tasks = {}, left = {} }
  local ended = task.status == 'failed' and ' failed' or ' was cancelled'
  step.spec = { planned = {}, reason = 'not needed: ' .. task.id .. ended, cause = task.cause or task.id,
    discard = true }
  local last = math.min(#page / 2, offset + limit)
  if cold(128)(task.graph) ~= 'cancel' then
    page, found[1], last = {}, '0', 0
  end
  for i = offset + 1, last do
    local id, kind = page[2 * i - 1], string.match(page[2 * i], '^%l+')
    if cold(72)(kind) then
      cold(35)(task, id, step)
    end
    if (step.spec.entries or 0) > 20000 then
      last = i
      break
    end
  end
  if last < #page / 2 then
    step.after = cursor .. '/' .. string.format('%d', last)
  elseif found[1] ~= '0' then
    step.after = found[1]
  end
  return step
end
end
else
if number < 36 then
-- 35 cascades.plan_one
return function(down, id, step)
  local up = cold(1)(id)
  if not up or cold(343)(up.status) or not up.ties then
    return
  end
  cold(38)(up)
  cold(203)('ZCARD', cold(65)(id))
  step.left[#step.left + 1] = id
  local score = redis.call('ZSCORE', cold(65)(id), down.id)
  up.knowing = score and string.sub(score, 1, 1) ~= '-' and 1 or 0
  if up.graph == down.graph and id ~= step.spec.cause and not cold(36)(id, down.id)
    and not cold(7)(up, step.spec) and up.to then
    step.tasks[#step.tasks + 1] = up
  end
end
else
if number < 37 then
-- 36 cascades.is_needed
return function(id, other)
  local dependents = redis.call('ZRANGEBYSCORE', cold(65)(id), '(0', 'inf', 'LIMIT', 0, 100 + 2)
  for _, dependent in ipairs(dependents) do
    local status = dependent ~= other and redis.call('HGET', cold(200)('task', dependent), 'status')
    if status and not cold(343)(status) then
      local kind = string.match(redis.call('HGET', cold(64)(dependent), id) or '', '^%l+')
      if kind and cold(72)(kind) then
        return true
      end
    end
  end
  return #dependents > 100 + 1
end
else
-- 37 cascades.run
return function(task, step)
  for _, id in ipairs(step.left) do
    redis.call('ZADD', cold(65)(id), '-' .. namespace_now, task.id)
  end
  for _, up in ipairs(step.tasks) do
    cold(9)(up, step.spec)
  end
  cold(98)(task, step.after)
end
end
end
end
else
if number < 41 then
if number < 39 then
-- 38 claims.load
return function(task)
  if task.bound then
    return
  end
  if not string.find(task.ties, '[^wdgoa]') then
    task.bound, task.tracked = true, string.find(task.ties, 'o', 1, true)
    task.graph = string.find(task.ties, 'g', 1, true)
      and redis.call('HGET', namespace_prefix .. 'task_' .. task.id, 'graph') or nil
    return
  end
  local names = { 'priority', 'fair_key', 'weight', 'needs', 'rank', 'unique', 'till', 'tags', 'own_lease', 'solo',
    'graph', 'end_by', 'shared' }
  local v = redis.call('HMGET', namespace_prefix .. 'task_' .. task.id,
    'priority', 'key', 'weight', 'needs', 'rank', 'unique', 'unique_until', 'tags', 'own_lease', 'solo',
    'graph', 'deadline', 'limits')
  do
    local task = task
    task.bound = true
    task.ranked = string.find(task.ties, 'r', 1, true) and true
    task.limited = string.find(task.ties, 'p', 1, true) and true
    task.tracked = string.find(task.ties, 'o', 1, true)
  end
  for i = 1, #names do
    if v[i] then
      task[names[i]] = v[i]
    end
  end
end
else
if number < 40 then
-- 39 claims.assign
return function(task, bound)
  do
    local task = task
    task.bound = true
    task.ranked = string.find(task.ties, 'r', 1, true) and true
    task.limited = string.find(task.ties, 'p', 1, true) and true
    task.tracked = string.find(task.ties, 'o', 1, true)
  end
  for name, value in pairs(bound) do
    task[name] = value
  end
end
else
-- 40 claims.name_holders
return function(queue, name)
  local v = redis.call('HMGET', cold(202)(cold(200)('unique', queue)), name, '/' .. name)
  local id, till = string.match(v[1] or '', '^(%S+) (%S+)$')
  return id, till, string.match(v[2] or '', '^(%S+) ')
end
end
end
else
if number < 42 then
-- 41 claims.has_latest_policy
return function(task)
  return task.solo and task.unique and task.unique == task.fair_key
end
else
if number < 43 then
-- 42 claims.still_holds_name
return function(queue, id, name, till)
  local status, where, own, solo, key = unpack(redis.call('HMGET', namespace_prefix .. 'task_' .. id,
    'status', 'queue', 'unique', 'solo', 'key'))
  if where ~= queue or own ~= (till == 'kept' and string.sub(name, 2) or name) then
    return false
  end
  local latest = solo and key == own
  return cold(342)(status)
    or till ~= 'kept' and (status == 'reserved' and not latest or status == 'started' and till ~= 'start')
end
else
-- 43 claims.name_conflict
return function(task)
  local id, till = cold(40)(task.queue, task.unique)
  if not id or id == task.id then
    return nil
  elseif tonumber(till) then
    return tonumber(till) > namespace_now_us and id or nil
  end
  return cold(42)(task.queue, id, task.unique, till) and id or nil
end
end
end
end
end
end
end
else
if number < 65 then
if number < 54 then
if number < 49 then
if number < 46 then
if number < 45 then
-- 44 claims.waiting_attempt
return function(task, id)
  local other = id and id ~= task.id and record_find(id)
  if other and other.queue == task.queue and cold(342)(other.status) then
    cold(38)(other)
    return other.unique == task.unique and other or nil
  end
end
else
-- 45 claims.opens_or_closes
return function(task, to)
  return not task.status or cold(343)(task.status) or cold(343)(to) or to == 'deleted'
end
end
else
if number < 47 then
-- 46 claims.plan
return function(task, to, taker)
  cold(38)(task)
  local held = task.status == 'reserved' or task.status == 'started'
  if task.ranked and (task.rank or to == 'pending') or task.limited and (held or taker) then
    cold(244)(task)
  end
  if task.limited and held and taker then
    cold(204)()
  end
  if task.shared and (taker or held and to ~= 'started') then
    cold(283)(task.shared, not taker and task.queue)
  end
  if task.shared and (cold(45)(task, to) or to == 'moved') then
    cold(47)(to)
  end
  if task.unique then
    cold(48)(task, to)
  end
  if task.tags and (not task.status or to == 'deleted' or to == 'moved') then
    cold(307)(task.queue, task.tags)
  end
  if to == 'deleted' and string.find(task.ties, '[wd]') then
    cold(81)(task)
  end
  if task.graph and task.status and cold(45)(task, to) then
    cold(203)('HLEN', cold(121)(task.graph))
    cold(203)('ZCARD', cold(126)())
    cold(202)(cold(122)(task.graph))
    task.bounds = to == 'deleted' and cold(150)(task.graph) or nil
  end
  if task.graph and task.status == 'waiting' and (to == 'failed' or to == 'cancelled') then
    cold(33)(task)
  end
  if task.end_by and cold(45)(task, to) then
    cold(203)('ZCARD', cold(55)())
  end
  if string.find(task.ties, 'd', 1, true) and task.status and not cold(343)(task.status)
    and (cold(343)(to) or to == 'deleted') then
    cold(78)(task, to)
  end
  if task.tracked then
    cold(317)()
  end
  if string.find(task.ties, 'a', 1, true) and task.status and (cold(343)(to) or to == 'deleted') then
    cold(109)(task, to)
  end
end
else
if number < 48 then
-- 47 claims.plan_shared
return function(to)
  if to == 'moved' then
    cold(204)()
  end
  cold(288)()
end
else
-- 48 claims.plan_name
return function(task, to)
  local taken = cold(294)(task, to) and cold(41)(task)
  if (to == 'reserved' or to == 'started') and not taken and not (to == 'started' and task.till == 'start') then
    return
  end
  cold(203)('HLEN', cold(200)('unique', task.queue))
  if tonumber(task.till) then
    cold(203)('ZCARD', cold(200)('timed', task.queue))
  end
  task.holder, task.held_till, task.kept = cold(40)(task.queue, task.unique)
  if taken and task.status == 'pending' then
    task.older = cold(44)(task, task.kept)
    if task.older then
      cold(299)(task.older, 'cancelled')
    end
  end
end
end
end
end
else
if number < 51 then
if number < 50 then
-- 49 claims.take_name
return function(task)
  local unique, till = cold(200)('unique', task.queue), task.till
  if task.keeps then
    redis.call('HSET', unique, '/' .. task.unique, task.id .. ' kept')
    return
  elseif tonumber(till) then
    till = task.ends or string.format('%.0f', namespace_now_us + tonumber(till) * 1000000)
    redis.call('ZADD', cold(200)('timed', task.queue), till, task.unique)
  end
  redis.call('HSET', unique, task.unique, task.id .. ' ' .. till)
end
else
-- 50 claims.release_name
return function(task, to)
  local unique, timed = cold(200)('unique', task.queue), tonumber(task.held_till)
  if task.holder == task.id and (not timed or to == 'moved') then
    redis.call('HDEL', unique, task.unique)
    if timed then
      redis.call('ZREM', cold(200)('timed', task.queue), task.unique)
    end
  end
  if task.kept == task.id then
    redis.call('HDEL', unique, '/' .. task.unique)
  end
end
end
else
if number < 52 then
-- 51 claims.move_name
return function(task, to)
  local from, latest = task.status, cold(41)(task)
  local back = (from == 'reserved' or from == 'started') and cold(342)(to)
  local ends = cold(343)(to) or to == 'deleted' or to == 'moved'
  if ends or to == 'started' and task.till == 'start' or latest and cold(294)(task, to) then
    cold(50)(task, to)
  elseif not from or task.restarts or (from == 'failed' or from == 'cancelled') and not tonumber(task.till)
    or latest and back then
    cold(49)(task)
  end
  if task.older then
    cold(302)(task.older, 'cancelled', 'replaced', '', 'reason', 'replaced by ' .. task.id)
  end
end
else
if number < 53 then
-- 52 claims.move
return function(task, to)
  if not task.bound then
    return
  end
  local from = task.status
  local held = from == 'reserved' or from == 'started'
  local back = held and task.ranked and to == 'pending'
  if back then
    cold(246)(task)
  end
  if task.limited and held and to ~= 'started' then
    cold(191)(task.queue, task.id, task.token)
  end
  if task.rank and not back then
    cold(248)(task, to)
    task.rank = nil
  elseif task.limited and cold(294)(task, to) then
    cold(189)(task)
    if task.fair_key then
      cold(120)(task.queue, task.fair_key)
    end
  end
  if task.ranked and to == 'pending' and not back then
    cold(246)(task)
  end
  if task.shared then
    cold(292)(task, to)
  end
  if task.further_shared then
    cold(289)(task.further_shared, -1)
  end
  if task.tags and not from then
    cold(308)(task.queue, task.id, task.created, task.tags)
  elseif task.tags and (to == 'deleted' or to == 'moved') then
    cold(310)(task.queue, task.id, task.tags)
  end
  if task.unique then
    cold(51)(task, to)
  end
  if task.end_by and cold(45)(task, to) then
    if cold(343)(to) or to == 'deleted' or to == 'moved' then
      redis.call('ZREM', cold(55)(), task.id)
    else
      redis.call('ZADD', cold(55)(), task.end_by, task.id)
    end
  end
  if task.graph then
    cold(154)(task, to)
  end
end
else
-- 53 creation.spec
return function(options)
  local fields = {}
  local spec = { fields = fields, max_bytes = options.max_bytes, policy = options.unique_policy,
    unique = options.unique }
  if not options.unique and (options.unique_until or options.unique_policy) then
    cold(252)('BADARG', 'unique_until and unique_policy need the option unique')
  end
  local priority, key, till = options.priority ~= '0' and options.priority or nil, options.key,
    options.unique_until or 'end'
  if options.unique_policy == 'latest' then
    if key or options.unique_until then
      cold(252)('BADARG', 'the policy latest sets key and unique_until: leave them out')
    end
    key, till, spec.solo = options.unique, 'start', '1'
  elseif options.solo then
    key, spec.solo = options.solo, '1'
  end
  local weight = options.weight and tonumber(options.weight) > 1 and string.format('%d', options.weight) or nil
  local lease = options.lease and string.format('%.0f', options.lease * 1000000)
  local ties = ((priority or key or options.needs or options.limits) and 'r' or '')
    .. ((key or weight or options.limits) and 'p' or '')
    .. (options.unique and 'u' or '') .. (options.tags and 't' or '') .. (lease and 'l' or '')
    .. (options.inputs and (options.inputs.some > 0 and 'wk' or 'w') or '') .. (options.deadline and 'e' or '')
    .. (options.steps and 's' or '')
  options.priority, options.key, options.weight, options.solo, options.lease = priority, key, weight, spec.solo, nil
  options.unique_until, options.own_lease = options.unique and till, lease
  options.max_bytes, options.unique_policy = nil, nil
  if options.inputs then
    spec.inputs, options.inputs = options.inputs, options.inputs.text
  end
  if ties ~= '' then
    options.ties, spec.ties = ties, ties
    spec.claims = {
      priority = priority, fair_key = key, weight = weight, needs = options.needs, unique = options.unique, till = till,
      tags = options.tags, own_lease = lease, solo = spec.solo, end_by = options.deadline, shared = options.limits,
    }
  end
  for name, value in pairs(options) do
    if value then
      fields[#fields + 1], fields[#fields + 2] = name, value
    end
  end
  return spec
end
end
end
end
end
else
if number < 59 then
if number < 56 then
if number < 55 then
-- 54 creation.require_few_needs
return function(queue, wanted)
  if not cold(212)(queue, wanted) and redis.call('HLEN', cold(200)('needs', queue)) >= 64 then
    cold(252)('TOOMANY', 'the tasks that wait in this queue have 64 different needs and sets of shared limits'
      .. ' already: `why` and doctor name needs that no listener has: cancel such tasks, or start a listener for them')
  end
end
else
-- 55 deadlines.key
return function()
  return namespace_prefix .. 'deadlines'
end
end
else
if number < 57 then
-- 56 deadlines.has
return function(task)
  return task.ties and string.find(task.ties, 'e', 1, true)
end
else
if number < 58 then
-- 57 deadlines.is_past
return function(end_by)
  return tonumber(end_by) * 1000000 <= namespace_now_us
end
else
-- 58 deadlines.refusal
return function()
  return 'OVERDUE', 'the deadline of the task has passed: give it a later one with the option deadline'
end
end
end
end
else
if number < 62 then
if number < 60 then
-- 59 deadlines.decided
return function(task)
  if not task.cancel or not cold(56)(task) then
    return false
  end
  cold(38)(task)
  return task.end_by ~= nil and tonumber(task.cancel) >= tonumber(task.end_by)
end
else
if number < 61 then
-- 60 deadlines.plan
return function(limit)
  local ids = redis.call('ZRANGEBYSCORE', cold(202)(cold(55)()), '-inf', namespace_now, 'LIMIT', 0,
    limit)
  if not ids[1] then
    return nil
  end
  local step = { ids = {}, tasks = {} }
  local spec = { planned = {}, entries = 0 }
  for i, id in ipairs(ids) do
    local task = cold(1)(id)
    step.ids[i] = id
    if task then
      cold(61)(task, spec)
      step.tasks[#step.tasks + 1] = task.to and task
    end
    if spec.entries > 20000 then
      break
    end
  end
  return step
end
else
-- 61 deadlines.plan_one
return function(task, spec)
  if cold(343)(task.status) or not cold(56)(task) then
    return
  end
  cold(38)(task)
  if not task.end_by or not cold(57)(task.end_by) then
    return
  elseif not cold(249)(task) then
    task.group = 'deadline'
    cold(3)(task, 'failed', spec)
  elseif not task.cancel then
    task.to = 'stopping'
    cold(217)(task.queue)
    cold(318)(task)
  end
end
end
end
else
if number < 63 then
-- 62 deadlines.run
return function(step)
  redis.call('ZREM', cold(55)(), unpack(step.ids))
  for _, task in ipairs(step.tasks) do
    if task.to == 'stopping' then
      cold(218)(task.queue, 't:' .. task.id, 'cancel')
      redis.call('HSET', task.key, 'cancel', namespace_now)
      cold(320)(task, 'cancel', '', 'its deadline has passed', 'deadline')
    else
      cold(302)(task, 'failed', 'deadline', '', 'group', 'deadline', 'error', 'its deadline has passed')
    end
  end
end
else
if number < 64 then
-- 63 deadlines.plan_retry
return function(task, end_by)
  if cold(56)(task) then
    cold(38)(task)
  elseif end_by then
    task.ties = (task.ties or '') .. 'e'
    cold(38)(task)
  end
  task.new_end = end_by
  task.end_by = end_by or task.end_by
  if task.end_by and cold(57)(task.end_by) then
    return cold(58)()
  end
end
else
-- 64 edges.upstreams
return function(id)
  return namespace_prefix .. 'upstreams_' .. id
end
end
end
end
end
end
else
if number < 76 then
if number < 70 then
if number < 67 then
if number < 66 then
-- 65 edges.dependents
return function(id)
  return namespace_prefix .. 'dependents_' .. id
end
else
-- 66 edges.inputs
return function(id)
  return namespace_prefix .. 'inputs_' .. id
end
end
else
if number < 68 then
-- 67 edges.unsettled
return function()
  return namespace_prefix .. 'unsettled'
end
else
if number < 69 then
-- 68 edges.slots
return function(text)
  local slots = {}
  for slot in string.gmatch(text or '', '%d+') do
    slots[#slots + 1] = tonumber(slot)
  end
  return slots
end
else
-- 69 edges.is_met
return function(kind, to)
  if kind == 'after' or kind == 'optional' then
    return true
  end
  return (kind == 'failure') ~= (to == 'complete')
end
end
end
end
else
if number < 73 then
if number < 71 then
-- 70 edges.is_repairable
return function(kind, to)
  return cold(71)(kind) and (to == 'failed' or to == 'cancelled')
end
else
if number < 72 then
-- 71 edges.needs_success
return function(kind)
  return kind == 'success' or kind == 'result' or kind == 'some'
end
else
-- 72 edges.wants
return function(kind)
  return kind == 'optional' or cold(71)(kind)
end
end
end
else
if number < 74 then
-- 73 edges.result_of
return function(up)
  return cold(74)(up.status == 'complete' and redis.call('HGET', up.key, 'result') or '')
end
else
if number < 75 then
-- 74 edges.element
return function(result)
  return result == '' and 'null' or result
end
else
-- 75 edges.over
return function(queue, bytes)
  local most = bytes > 1024 and cold(272)(queue, 'input_bytes')
  if most and bytes > tonumber(most) then
    return 'over ' .. most .. ' bytes, the setting input_bytes'
  end
end
end
end
end
end
else
if number < 81 then
if number < 78 then
if number < 77 then
-- 76 edges.tie
return function(up)
  if not string.find(up.ties or '', 'd', 1, true) then
    up.ties = (up.ties or '') .. 'd'
    redis.call('HSET', up.key, 'ties', up.ties)
  end
end
else
-- 77 edges.waiting
return function(id)
  local key = cold(202)(cold(65)(id))
  local waiting, staged = redis.call('ZCOUNT', key, '(0', '+inf'), redis.call('ZCOUNT', key, '-inf', '-inf')
  return waiting + staged, waiting
end
end
else
if number < 79 then
-- 78 edges.plan_end
return function(task, to)
  local key = cold(202)(cold(65)(task.id))
  local ids = redis.call('ZRANGEBYSCORE', key, '(0', '+inf', 'LIMIT', 0, 100 + 1 + (task.knowing or 0))
  local number = #ids - (task.knowing or 0)
  if number <= 0 then
    return
  elseif task.later or number > 100 or cold(79)(task.id, ids, #(task.result or ''))
    or to ~= 'complete' and task.graph and cold(135)(task.graph, task.id) then
    cold(203)('ZCARD', cold(67)())
    task.unsettled = true
    return
  end
  cold(82)(task, to, ids)
end
else
if number < 80 then
-- 79 edges.is_much
return function(id, ids, length)
  local told = cold(201)('told')
  local looked, copied = (told.looked or 0) + length, (told.copied or 0) + #ids * length
  if length <= 131072 and looked <= 262144 and copied <= 1048576 then
    told.looked, told.copied = looked, copied
    return false
  end
  for _, other in ipairs(ids) do
    if string.find(redis.call('HGET', cold(64)(other), id) or '', '/', 1, true) then
      return true
    end
  end
  return false
end
else
-- 80 edges.untold
return function(id, to, limit)
  local most = (to == 'failed' or to == 'cancelled') and '(inf' or 'inf'
  return redis.call('ZRANGEBYSCORE', cold(202)(cold(65)(id)), '(0', most, 'LIMIT', 0, limit)
end
end
end
end
else
if number < 84 then
if number < 82 then
-- 81 edges.plan_removal
return function(task)
  local dependents = cold(202)(cold(65)(task.id))
  task.edge_keys = { cold(202)(cold(64)(task.id)), cold(202)(cold(66)(task.id)),
    cold(202)(cold(165)(task.id)) }
  local all, waiting = cold(77)(task.id)
  if all == 0 then
    task.edge_keys[4] = dependents
  elseif waiting > 0 and cold(343)(task.status) then
    cold(203)('ZCARD', cold(67)())
    task.unsettled = true
  end
end
else
if number < 83 then
-- 82 edges.plan_page
return function(task, to, ids)
  task.dependents = {}
  for i, id in ipairs(ids) do
    task.dependents[i] = cold(83)(task, to, id)
  end
end
else
-- 83 edges.plan_one
return function(up, to, id)
  local task = record_find(id, cold(84)())
  local key = cold(202)(cold(64)(id))
  local kind, mark, slots = string.match(redis.call('HGET', key, up.id) or '', '^(%l+)(%d*)/?(.*)$')
  local plan = { id = id, met = not kind or cold(69)(kind, to) }
  if not task or task.status ~= 'waiting' or not kind then
    plan.kept = task and kind and cold(343)(task.status)
    return plan
  end
  if cold(227)(task) then
    plan.set = cold(230)(id)
  end
  if kind == 'some' then
    cold(236)(plan, task, up, to, mark, slots)
    if plan.missed then
      return plan
    end
  elseif not plan.met and cold(70)(kind, to) and cold(128)(task.extra[5]) == 'hold' then
    plan.held = true
    return plan
  end
  plan.task = task
  task.later = true
  if not plan.met then
    plan.to, task.group, task.broken = kind == 'failure' and 'cancelled' or 'failed', 'upstream', true
    cold(299)(task, plan.to)
    return plan
  end
  local open = redis.call('HLEN', key)
  plan.last = plan.ready or open == 1
  if plan.set and not plan.ready then
    plan.last = cold(233)(plan.set, open - 1)
  end
  local own = cold(202)(cold(66)(id))
  local known = (plan.last or slots ~= '') and redis.call('HMGET', own, 'slots', 'bytes')
  if slots ~= '' and not plan.ready then
    cold(86)(plan, up, to, slots, tonumber(known[2] or 0))
  end
  if plan.wrong then
    cold(299)(task, plan.to)
  elseif plan.last then
    cold(85)(plan, tonumber(known[1] or 0), plan.bytes or tonumber(known[2] or 0))
  end
  return plan
end
end
end
else
if number < 85 then
-- 84 edges.fields
return function()
  return 'eta', 'front', 'ended', 'retry_eta', 'graph'
end
else
if number < 86 then
-- 85 edges.plan_ready
return function(plan, slots, bytes)
  local task = plan.task
  plan.joins = cold(169)(plan.id, slots, bytes)
  if plan.joins then
    return
  end
  local eta, front, ended, retry_eta = unpack(task.extra, 1, 4)
  plan.to = tonumber(eta or 0) * 1000000 > namespace_now_us and 'scheduled' or 'pending'
  task.eta = eta
  if plan.to == 'pending' then
    task.front, task.turn = front and true, front and tonumber(ended)
    task.forget = retry_eta and { 'eta', 'retry_eta' } or nil
  end
  if slots > 0 then
    plan.joined, plan.lengths = cold(166)(cold(167)(cold(66)(plan.id), slots, plan), slots)
  end
  cold(299)(task, plan.to)
end
else
-- 86 edges.plan_input
return function(plan, up, to, slots, bytes)
  local result = to == 'complete' and up.result or ''
  plan.slots, plan.text = cold(68)(slots), cold(74)(result)
  plan.bytes = bytes + #plan.text * #plan.slots
  if up.json == nil then
    up.json = result == '' or cold(175)(result)
  end
  local over = cold(75)(plan.task.queue, plan.bytes)
  if not up.json then
    plan.wrong = 'is not JSON'
  elseif over then
    plan.wrong = 'brings the inputs of this task ' .. over
  elseif cold(138)(#plan.text) > 0 and plan.task.extra[5] then
    plan.graph, plan.grows = plan.task.extra[5], #plan.text * #plan.slots
    if not cold(140)(plan.graph, plan.grows) then
      plan.wrong = 'brings the inputs of its graph over ' .. cold(139)() .. ' bytes, the setting graph_bytes'
    end
  end
  if plan.wrong then
    plan.to, plan.task.group, plan.task.broken = 'failed', 'input', true
  end
end
end
end
end
end
end
end
end
else
if number < 130 then
if number < 108 then
if number < 97 then
if number < 92 then
if number < 89 then
if number < 88 then
-- 87 edges.settle
return function(task)
  if task.unsettled then
    redis.call('ZADD', cold(67)(), namespace_now, task.id)
  end
  if task.cascades then
    redis.call('HSET', task.key or cold(200)('task', task.id), 'cascade', '0')
  end
  local told
  for _, plan in ipairs(task.dependents or {}) do
    if plan.kept then
      redis.call('ZADD', cold(65)(task.id), '-' .. namespace_now, plan.id)
    elseif plan.held then
      redis.call('ZADD', cold(65)(task.id), 'inf', plan.id)
    elseif plan.missed then
      cold(238)(task, plan)
    elseif plan.task and not plan.met then
      told = told or redis.call('HMGET', task.key or cold(200)('task', task.id), 'status', 'error', 'cause')
      cold(88)(task, plan, told)
    elseif plan.wrong then
      redis.call('ZADD', cold(65)(task.id), '-' .. namespace_now, plan.id)
      cold(302)(plan.task, 'failed', 'input', '', 'cause', task.id, 'group', 'input',
        'error', 'the result of ' .. task.id .. ' ' .. plan.wrong)
    else
      cold(91)(task, plan)
    end
  end
end
else
-- 88 edges.fail_with
return function(up, plan, told)
  local cause = told[3] or up.id
  redis.call('ZADD', cold(65)(up.id), '-' .. namespace_now, plan.id)
  if plan.to == 'cancelled' then
    cold(302)(plan.task, 'cancelled', 'upstream', '', 'cause', cause,
      'reason', 'not needed: ' .. up.id .. ' is complete')
    return
  end
  cold(302)(plan.task, 'failed', 'upstream', '', 'cause', cause, 'group', 'upstream',
    'error', (plan.short and 'too few of its set can still be complete: ' or '') .. cold(89)(up.id, told))
end
end
else
if number < 90 then
-- 89 edges.error_of
return function(id, told)
  local status = told[1] or 'deleted'
  local text = id .. (status == 'failed' and ' failed' or ' was ' .. status)
  if told[3] then
    return told[2] or text
  elseif told[2] and told[2] ~= '' then
    return text .. ': ' .. string.sub(told[2], 1, 256)
  end
  return text
end
else
if number < 91 then
-- 90 edges.fill
return function(id, slots)
  for _, slot in ipairs(slots) do
    redis.call('HSET', cold(66)(id), slot, 'null')
  end
  if slots[1] then
    redis.call('HINCRBY', cold(66)(id), 'bytes', 4 * #slots)
  end
end
else
-- 91 edges.meet
return function(up, plan)
  if up then
    redis.call('ZREM', cold(65)(up.id), plan.id)
    redis.call('HDEL', cold(64)(plan.id), up.id)
  end
  if plan.grows then
    redis.call('HINCRBY', cold(121)(plan.graph), 'bytes', plan.grows)
  end
  if not plan.task then
    return
  elseif plan.set and plan.to then
    cold(239)(plan.id)
  elseif plan.set and not plan.joins then
    cold(231)(plan.id, plan.set)
  end
  if plan.joined then
    redis.call('UNLINK', cold(66)(plan.id))
    cold(302)(plan.task, plan.to, 'ready', '', 'readied', cold(301)(plan.task), 'parameters', plan.joined,
      'slots', plan.lengths)
  elseif plan.to then
    cold(302)(plan.task, plan.to, 'ready', '', 'readied', cold(301)(plan.task))
  elseif plan.slots then
    for _, slot in ipairs(plan.slots) do
      redis.call('HSET', cold(66)(plan.id), slot, plan.text)
    end
    redis.call('HSET', cold(66)(plan.id), 'bytes', plan.bytes)
  end
  if plan.joins then
    cold(170)(plan.id)
  end
  if plan.to == 'pending' then
    edges_readied = true
    do
      local queue = plan.task.queue
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
          if not namespace_declared or cold(206)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(297)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
end
end
end
else
if number < 94 then
if number < 93 then
-- 92 edges.plan_retry
return function(task, spec)
  local key, own = cold(202)(cold(64)(task.id)), cold(202)(cold(66)(task.id))
  if redis.call('HLEN', key) > 300 then
    cold(203)('ZCARD', cold(67)())
    task.again_edges = { to = 'waiting', later = true }
    return
  end
  local known = redis.call('HMGET', own, 'slots', 'bytes')
  local again = { met = {}, open = {}, slots = tonumber(known[1] or 0), bytes = tonumber(known[2] or 0), texts = {},
    some = {}, set = cold(227)(task) and cold(228)(cold(230)(task.id).least) or nil }
  local found = redis.call('HGETALL', key)
  spec.entries = (spec.entries or 0) + 15 * #found
  for i = 1, #found, 2 do
    local up = record_find(found[i]) or cold(137)(found[i]) or { status = 'deleted' }
    local kind, slots = string.match(found[i + 1], '^(%l+)%d*/?(.*)$')
    local over = not (spec.begun and spec.begun[found[i]]) and (cold(343)(up.status) or up.status == 'deleted')
    local is_met = cold(69)(kind, up.status)
    if over and is_met and slots ~= '' and up.key and not cold(168)(redis.call('HSTRLEN', up.key, 'result')) then
      over, again.asked = false, again.asked or {}
      again.asked[#again.asked + 1] = found[i]
      cold(203)('ZCARD', cold(67)())
    end
    if kind == 'some' then
      cold(241)(again, found[i], up, slots, over)
      over = over and is_met
    elseif over and not is_met then
      return 'UPSTREAM', 'a task that it waits for is ' .. up.status .. ': retry that one first'
    end
    cold(203)('ZCARD', cold(65)(found[i]))
    if over then
      again.met[#again.met + 1] = found[i]
    elseif kind ~= 'some' then
      again.open[#again.open + 1] = up
    end
    if over and slots ~= '' then
      local result = cold(73)(up)
      if not cold(175)(result) then
        return 'UPSTREAM', 'the result of an upstream is not JSON: retry that one first'
      end
      for _, slot in ipairs(cold(68)(slots)) do
        again.texts[slot], again.bytes = result, again.bytes + #result
      end
    end
  end
  local over = cold(75)(task.queue, again.bytes)
  if over then
    return 'UPSTREAM', 'the results of its upstreams are ' .. over
  end
  if again.set and again.set.least > cold(232)(again.set) then
    return 'UPSTREAM', 'too few of its set can still be complete: retry those that failed first'
  end
  local waits = again.open[1] or again.set and again.set.least > 0
  again.joins = not waits and cold(169)(task.id, again.slots, again.bytes)
  task.again_edges, again.to = again, (waits or again.joins) and 'waiting' or 'pending'
  if again.to == 'pending' and again.slots > 0 then
    again.joined, again.lengths = cold(166)(cold(167)(own, again.slots, { filled = again.texts }), again.slots)
  end
end
else
-- 93 edges.look_later
return function(task)
  redis.call('HSET', task.key, 'cascade', '0')
  redis.call('ZADD', cold(67)(), namespace_now, task.id)
  if cold(227)(task) then
    cold(240)(task.id)
  end
end
end
else
if number < 95 then
-- 94 edges.retry
return function(task)
  local again = task.again_edges
  if again.later then
    return cold(93)(task)
  end
  for _, id in ipairs(again.met) do
    redis.call('ZREM', cold(65)(id), task.id)
    redis.call('HDEL', cold(64)(task.id), id)
  end
  for _, up in ipairs(again.open) do
    redis.call('ZADD', cold(65)(up.id), namespace_now, task.id)
    cold(76)(up)
  end
  if again.set and not again.joins then
    cold(242)(task, again)
  end
  if again.joined then
    redis.call('UNLINK', cold(66)(task.id))
    redis.call('HSET', task.key, 'parameters', again.joined, 'slots', again.lengths)
  elseif next(again.texts) then
    for slot, text in pairs(again.texts) do
      redis.call('HSET', cold(66)(task.id), slot, text)
    end
    redis.call('HSET', cold(66)(task.id), 'bytes', again.bytes)
  end
  if again.joins then
    cold(170)(task.id)
  end
  cold(97)(task, again.asked or {})
end
else
if number < 96 then
-- 95 edges.plan_look
return function(task, from)
  local found = task.status == 'waiting' and redis.call('HSCAN', cold(64)(task.id),
    string.match(from, '^%d+'), 'COUNT', 300) or { '0', {} }
  local step = { after = found[1] ~= '0' and found[1], open = {}, ended = {} }
  for i = 1, #found[2], 2 do
    local id = found[2][i]
    local up = record_find(id)
    cold(203)('ZCARD', cold(65)(id))
    if up and not cold(343)(up.status) then
      step.open[#step.open + 1] = up
    else
      step.ended[#step.ended + 1] = id
    end
  end
  return step
end
else
-- 96 edges.look_again
return function(task, step)
  for _, up in ipairs(step.open) do
    redis.call('ZADD', cold(65)(up.id), namespace_now, task.id)
    cold(76)(up)
  end
  cold(97)(task, step.ended)
  cold(98)(task, step.after)
end
end
end
end
end
else
if number < 102 then
if number < 99 then
if number < 98 then
-- 97 edges.ask_again
return function(task, ended)
  for _, id in ipairs(ended) do
    redis.call('ZADD', cold(65)(id), namespace_now, task.id)
    redis.call('ZADD', cold(67)(), namespace_now, id)
  end
end
else
-- 98 edges.keep_place
return function(task, after)
  if after then
    redis.call('HSET', task.key, 'cascade', after)
  else
    redis.call('HDEL', task.key, 'cascade')
  end
end
end
else
if number < 100 then
-- 99 edges.page
return function(inputs, from, limit)
  local found = {}
  while #found < limit do
    local _, last, kind, slot, id = string.find(inputs, '(%l+)/?(%d*)=(%S+)', from)
    if not last then
      return found
    end
    found[#found + 1] = { kind = kind, slot = slot, id = id }
    from = last + 1
  end
  return found, from <= #inputs and from or nil
end
else
if number < 101 then
-- 100 edges.submitted
return function(inputs)
  local order, texts = {}, {}
  for kind, slot, id in string.gmatch(inputs or '', '(%l+)/?(%d*)=(%S+)') do
    if not texts[id] then
      order[#order + 1], texts[id] = id, kind .. (slot ~= '' and '/' .. slot or '')
    elseif slot ~= '' then
      texts[id] = texts[id] .. ',' .. slot
    end
  end
  return order, texts
end
else
-- 101 edges.marks
return function(chosen, ids)
  local found = {}
  for from = 1, #ids, 1000 do
    local page = { unpack(ids, from, math.min(#ids, from + 999)) }
    for i, mark in ipairs(redis.call('ZMSCORE', chosen, unpack(page))) do
      found[page[i]] = mark
    end
  end
  return found
end
end
end
end
else
if number < 105 then
if number < 103 then
-- 102 edges.plan_anew
return function(task, spec)
  local key, own = cold(202)(cold(64)(task.id)), cold(202)(cold(66)(task.id))
  if task.prepared or task.first and redis.call('HLEN', key) > 300 then
    cold(203)('ZCARD', cold(67)())
    task.again_edges = { to = 'waiting', later = true }
    return
  end
  local v = redis.call('HMGET', task.key, 'inputs', 'slots')
  local order, texts = cold(100)((not task.first or cold(227)(task)) and v[1])
  spec.entries = (spec.entries or 0) + 15 * #order
  local marks = cold(101)(spec.chosen, order)
  local again = { open = {}, texts = texts, ended = {}, still = {}, forget = {}, kept = {} }
  if cold(227)(task) then
    cold(243)(task, again, v[1], order, marks)
  end
  for _, id in ipairs(order) do
    if marks[id] then
      again.open[#again.open + 1] = id
      cold(203)('ZCARD', cold(65)(id))
      local up = record_find(id)
      if marks[id] == '0' and cold(103)(again, id) then
        up = nil
      end
      if up and not string.find(up.ties or '', 'd', 1, true) then
        again.still[#again.still + 1] = up
      end
      for _, slot in ipairs(cold(68)(string.match(texts[id], '/(.*)$'))) do
        again.forget[slot] = true
      end
    end
  end
  local found = redis.call('HGETALL', key)
  for i = 1, #found, 2 do
    local id = found[i]
    again.waits = true
    if not marks[id] then
      cold(203)('ZCARD', cold(65)(id))
      if not cold(103)(again, id) and cold(343)(task.status) then
        again.still[#again.still + 1] = record_find(id)
      end
    end
  end
  cold(203)('ZCARD', cold(67)())
  again.graph, again.frees = spec.graph, 0
  again.slots, again.bytes = unpack(redis.call('HMGET', own, 'slots', 'bytes'))
  if again.slots then
    for slot in pairs(again.forget) do
      local length = redis.call('HSTRLEN', own, slot)
      again.bytes, again.frees = again.bytes - length, again.frees + cold(138)(length)
    end
  elseif v[2] and again.open[1] then
    cold(104)(again, redis.call('HGET', task.key, 'parameters') or '', v[2])
  end
  local waits = again.open[1] or again.waits
  again.joins = not waits and again.slots and cold(169)(task.id, tonumber(again.slots), tonumber(again.bytes))
  task.again_edges, again.to = again, (waits or again.joins) and 'waiting' or 'pending'
end
else
if number < 104 then
-- 103 edges.note_ended
return function(again, id)
  local status = redis.call('HGET', cold(200)('task', id), 'status')
  local ended = not status or cold(343)(status)
  again.ended[#again.ended + 1] = ended and id or nil
  return ended
end
else
-- 104 edges.split
return function(again, joined, lengths)
  local at, slot = 2, 0
  again.split, again.bytes = true, 0
  for length in string.gmatch(lengths, '%d+') do
    if not again.forget[slot] then
      again.kept[slot], again.bytes = string.sub(joined, at, at + length - 1), again.bytes + length
    else
      again.frees = again.frees + cold(138)(tonumber(length))
    end
    at, slot = at + length + 1, slot + 1
  end
  again.slots = slot
end
end
end
else
if number < 106 then
-- 105 edges.anew
return function(task)
  local again, own = task.again_edges, cold(66)(task.id)
  if again.later then
    return cold(93)(task)
  end
  for _, id in ipairs(again.open) do
    redis.call('HSET', cold(64)(task.id), id, again.texts[id])
    redis.call('ZADD', cold(65)(id), namespace_now, task.id)
  end
  for _, up in ipairs(again.still) do
    redis.call('ZADD', cold(65)(up.id), namespace_now, task.id)
    cold(76)(up)
  end
  cold(97)(task, again.ended)
  if again.frees > 0 then
    redis.call('HINCRBY', cold(121)(again.graph), 'bytes', -again.frees)
  end
  if again.set then
    cold(231)(task.id, again.set)
  end
  if again.split then
    redis.call('HSET', own, 'slots', again.slots, 'bytes', again.bytes)
    redis.call('HSET', task.key, 'parameters', '')
    redis.call('HDEL', task.key, 'slots')
    for slot, text in pairs(again.kept) do
      redis.call('HSET', own, slot, text)
    end
  elseif again.slots then
    redis.call('HSET', own, 'bytes', again.bytes)
    for slot in pairs(again.forget) do
      redis.call('HDEL', own, slot)
    end
  end
  if again.joins then
    cold(170)(task.id)
  end
end
else
if number < 107 then
-- 106 edits.read
return function(task)
  local fields = { 'eta', 'retry_eta', 'solo', 'slots', 'ended' }
  for field in string.gmatch(' method=method priority=priority max_failures=max_failures backoff=backoff delay=delay max_delay=max_delay jitter=jitter max_losses=max_losses lost_delay=lost_delay max_releases=max_releases lease=own_lease key=key weight=weight needs=needs limits=limits unique=unique unique_until=unique_until tags=tags deadline=deadline log_bytes=log_bytes steps=steps ', '=(%S+)') do
    fields[#fields + 1] = field
  end
  task.had = {}
  for i, value in ipairs(redis.call('HMGET', task.key, unpack(fields))) do
    task.had[fields[i]] = value or nil
  end
end
else
-- 107 encore.key
return function(id)
  return namespace_prefix .. 'further_' .. id
end
end
end
end
end
end
else
if number < 119 then
if number < 113 then
if number < 110 then
if number < 109 then
-- 108 encore.has
return function(task)
  return task.ties and string.find(task.ties, 'a', 1, true)
end
else
-- 109 encore.plan_end
return function(task, to)
  if to == 'deleted' then
    local key = cold(202)(cold(107)(task.id))
    task.edge_keys = task.edge_keys or {}
    task.edge_keys[#task.edge_keys + 1] = key
    task.further_shared = redis.call('HGET', key, '/limits') or nil
    if task.further_shared then
      cold(288)()
    end
  elseif not cold(343)(task.status) then
    cold(203)('ZCARD', cold(67)())
    task.unsettled = true
  end
end
end
else
if number < 111 then
-- 110 encore.begin
return function(id)
  local task = cold(1)(id)
  local round, request = unpack(redis.call('HMGET', task.key, 'round', 'further'), 1, 2)
  local found = redis.call('HGETALL', cold(202)(cold(107)(id)))
  local call = { request = request }
  for i = 1, #found, 2 do
    call[found[i]] = found[i + 1]
  end
  if task.status == 'cancelled' then
    return cold(113)(task, call, 'the task was cancelled')
  elseif not (request and call.queue and call.parameters) then
    return cold(113)(task, call, 'somebody removed ' .. cold(107)(id))
  end
  call.eta = tonumber(call.eta)
  local step = { queue = call.queue, by = call.by, reason = 'submitted again' }
  cold(106)(task)
  local ok, code, text = pcall(cold(112), task, call, step)
  if not ok then
    local verdict = cold(256)(code)
    if verdict ~= 'TOOMANY' and verdict ~= 'NOLIMIT' then
      error(code, 0)
    end
    code, text = string.match(cold(255)(code).err, '^%-?(%u+) (.*)$')
  end
  if code then
    return cold(113)(task, call, code .. ' ' .. text)
  end
  task.new.round = { 'round', string.format('%d', (round or 1) + 1), 'round_request', request }
  cold(15)(cold(261), { task }, step)
  redis.call('UNLINK', cold(107)(id))
  redis.call('ZREM', cold(67)(), id)
  cold(111)(call)
end
else
if number < 112 then
-- 111 encore.uncount
return function(call)
  if call['/limits'] then
    cold(289)(call['/limits'], -1)
  end
end
else
-- 112 encore.plan
return function(task, call, step)
  local options = {}
  if call['/limits'] then
    cold(288)()
  end
  for field, value in pairs(call) do
    local name = string.match(field, '^/(.*)')
    if name then
      options[name] = cold(344)(name, value)
    end
  end
  return cold(259)(task, call, cold(53)(options), step)
end
end
end
end
else
if number < 116 then
if number < 114 then
-- 113 encore.drop
return function(task, call, why)
  local notes = redis.call('HGET', task.key, 'notes') or 0
  cold(162)(task)
  cold(318)(task)
  if call['/limits'] then
    cold(288)()
  end
  cold(207)()
  redis.call('ZREM', cold(67)(), task.id)
  redis.call('UNLINK', cold(107)(task.id))
  local ties = string.gsub(task.ties, 'a', '')
  redis.call('HSET', task.key, 'notes', string.format('%.0f', notes + 1), 'ties', ties)
  redis.call('HDEL', task.key, 'further', ties == '' and 'ties' or 'further')
  cold(111)(call)
  local text = 'the round ' .. (call.request or '') .. ' does not begin: ' .. why
  cold(164)(task, { to = task.status, why = 'note', by = '', at = cold(301)(task),
    note = { 'note', text, 'data', '' } }, '', '', '', '')
  cold(320)(task, 'note', '', text)
end
else
if number < 115 then
-- 114 fairness.ranked_key
return function(queue, number)
  return namespace_prefix .. 'ranked_tasks_' .. queue .. (number == '' and '' or '/' .. number)
end
else
-- 115 fairness.tasks_key
return function(queue, key, number)
  return namespace_prefix .. 'key_tasks_' .. queue .. '/' .. key .. (number == '' and '' or '/' .. number)
end
end
end
else
if number < 117 then
-- 116 fairness.rank
return function(us)
  return string.format('%016.0f', us)
end
else
if number < 118 then
-- 117 fairness.front_rank
return function(us)
  return '-' .. cold(116)(9007199254740991 - us)
end
else
-- 118 fairness.sort_value
return function(rank)
  if string.sub(rank, 1, 1) == '-' then
    return tonumber(string.sub(rank, 2)) - 9007199254740992
  end
  return tonumber(rank)
end
end
end
end
end
else
if number < 124 then
if number < 121 then
if number < 120 then
-- 119 fairness.refresh
return function(queue, key, number)
  local entries, field = cold(200)('turns', queue), key .. '/' .. number
  local first = redis.call('ZRANGE', cold(115)(queue, key, number), 0, 0, 'WITHSCORES')
  local current, wanted = redis.call('HGET', entries, field) or nil, nil
  if first[1] then
    local rank, weight = string.match(first[1], '^(%S+) %S+ (%S+)$')
    local fits, free = cold(186)(queue, key, weight)
    if fits then
      local served = redis.call('HGET', entries, key)
      if served and cold(118)(served) > cold(118)(rank) then
        rank = served
      end
      wanted = first[2] .. ' ' .. rank
    elseif free then
      redis.call('ZADD', cold(200)('delayed', queue), string.format('%.0f', free), key)
    end
  end
  if current == wanted then
    return
  end
  local ranked, rank = cold(114)(queue, number), nil
  if wanted then
    local score
    score, rank = string.match(wanted, '^(%S+) (%S+)$')
    redis.call('ZADD', ranked, score, rank .. ' /' .. key)
    redis.call('HSET', entries, field, wanted)
  else
    redis.call('HDEL', entries, field)
  end
  local former = current and string.match(current, ' (%S+)$')
  if former and former ~= rank then
    redis.call('ZREM', ranked, former .. ' /' .. key)
  end
end
else
-- 120 fairness.refresh_all
return function(queue, key)
  local waits = false
  for _, number in ipairs(cold(211)(queue)) do
    cold(119)(queue, key, number)
    waits = waits or redis.call('EXISTS', cold(115)(queue, key, number)) == 1
  end
  if not waits and not redis.call('HGET', cold(200)('places', queue), 'k:' .. key) then
    redis.call('HDEL', cold(200)('turns', queue), key)
    redis.call('ZREM', cold(200)('delayed', queue), key)
  end
end
end
else
if number < 122 then
-- 121 graphs.key
return function(graph)
  return cold(200)('graph', graph)
end
else
if number < 123 then
-- 122 graphs.tasks
return function(graph)
  return cold(200)('members', graph)
end
else
-- 123 graphs.outside
return function(graph)
  return cold(200)('outside', graph)
end
end
end
end
else
if number < 127 then
if number < 125 then
-- 124 graphs.due
return function()
  return namespace_prefix .. 'graphs_due'
end
else
if number < 126 then
-- 125 graphs.chosen
return function(graph)
  return cold(200)('chosen', graph)
end
else
-- 126 graphs.all
return function()
  return namespace_prefix .. 'graphs'
end
end
end
else
if number < 128 then
-- 127 graphs.find
return function(id)
  local v = redis.call('HMGET', cold(202)(cold(121)(id)), 'state', 'created', 'total', 'name', 'released')
  return v[1] and { id = id, state = v[1], created = v[2], total = tonumber(v[3]), name = v[4] or '',
    released = tonumber(v[5] or 0) } or nil
end
else
if number < 129 then
-- 128 graphs.on_failure
return function(id)
  if not id then
    return false
  end
  local known = cold(201)('on_failure')
  known[id] = known[id] or redis.call('HGET', cold(121)(id), 'on_failure') or 'cancel'
  return known[id]
end
else
-- 129 graphs.is_created
return function(id)
  return redis.call('HGET', cold(121)(id), 'state') == 'created'
end
end
end
end
end
end
end
else
if number < 151 then
if number < 140 then
if number < 135 then
if number < 132 then
if number < 131 then
-- 130 graphs.walk_fields
return function()
  return 'doing', 'at', 'task', 'reason', 'force', 'changed', 'refused', 'part', 'end_by'
end
else
-- 131 graphs.plan_walk
return function(id)
  cold(203)('HLEN', cold(121)(id))
  cold(203)('ZCARD', cold(124)())
  cold(203)('ZCARD', cold(125)(id))
end
end
else
if number < 133 then
-- 132 graphs.begin_walk
return function(id, doing, ...)
  cold(133)(id, doing, ...)
  redis.call('UNLINK', cold(125)(id))
end
else
if number < 134 then
-- 133 graphs.set_walk
return function(id, doing, ...)
  redis.call('HDEL', cold(121)(id), cold(130)())
  redis.call('HSET', cold(121)(id), 'doing', doing, 'at', '0', ...)
  redis.call('ZADD', cold(124)(), namespace_now, id)
end
else
-- 134 graphs.plan_repair
return function(task)
  local known = redis.call('HMGET', cold(121)(task.graph), 'doing', 'failed', 'cancelled')
  if (not known[1] or known[1] == 'repair') and (known[2] or 0) + (known[3] or 0) > 1 then
    cold(131)(task.graph)
    task.repairs = true
  end
end
end
end
end
else
if number < 137 then
if number < 136 then
-- 135 graphs.runs_anew
return function(graph, id)
  local doing = redis.call('HGET', cold(121)(graph), 'doing')
  return (doing == 'anew' or doing == 'mark_anew')
    and tonumber(redis.call('ZSCORE', cold(125)(graph), id) or 0) > 0
end
else
-- 136 graphs.staged
return function(id, graph)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(202)(key)
  end
  local v = redis.call('HMGET', key, 'status', 'graph', 'queue', 'ties', 'eta')
  if v[1] or not v[2] or graph and v[2] ~= graph then
    return nil
  end
  return { id = id, key = key, status = 'staged', queue = v[3], ties = v[4] or '', eta = v[5] or nil, extra = {} }
end
end
else
if number < 138 then
-- 137 graphs.coming
return function(id)
  local graph = redis.call('HGET', cold(200)('task', id), 'graph')
  return graph and cold(129)(graph) and cold(136)(id, graph) or nil
end
else
if number < 139 then
-- 138 graphs.counted
return function(length)
  return length >= 256 and length or 0
end
else
-- 139 graphs.most
return function()
  return cold(272)('*', 'graph_bytes')
end
end
end
end
end
else
if number < 145 then
if number < 142 then
if number < 141 then
-- 140 graphs.has_room
return function(id, bytes)
  local known = cold(201)('graph_bytes')
  local all = (known[id] or tonumber(redis.call('HGET', cold(202)(cold(121)(id)), 'bytes') or 0)) + bytes
  if all > tonumber(cold(139)()) then
    return false
  end
  known[id] = all
  return true
end
else
-- 141 graphs.is_released
return function(id)
  local v = redis.call('HMGET', cold(121)(id), 'released', 'total')
  return v[1] == v[2]
end
end
else
if number < 143 then
-- 142 graphs.runs
return function(text, number)
  local runs, all = {}, 0
  for to, count, queue in string.gmatch(text or '', '(%S+)/(%d+)/(%S+)') do
    runs[#runs + 1] = { to = to, count = tonumber(count), queue = queue }
    all = all + runs[#runs].count
  end
  return all == number and runs or nil
end
else
if number < 144 then
-- 143 graphs.plan_release
return function(graph, limit)
  local left = graph.total - graph.released
  local tasks, outside = {}, {}
  if left > 0 then
    cold(203)('ZCARD', namespace_prefix .. 'queues')
    local ids = redis.call('LRANGE', cold(122)(graph.id), math.max(0, left - limit), left - 1)
    local starts = cold(144)(graph, ids, left - #ids)
    local staged, plan, planned, prefix = cold(136), cold(146), {}, namespace_prefix
    local plan_kind, declared = cold(145), namespace_declared
    for i, id in ipairs(ids) do
      local run = starts[i]
      if run then
        local task = { id = id, key = prefix .. 'task_' .. id, begins = run.to, queue = run.queue, kind = run.kind }
        tasks[#tasks + 1] = task
        if declared or not planned[run.kind] then
          plan_kind(task, planned)
        end
      else
        local task = staged(id, graph.id)
        tasks[#tasks + 1] = task and plan(task, planned)
      end
    end
    graph.released = graph.released + #ids
  else
    outside = cold(147)(graph.id, limit)
  end
  return tasks, outside
end
else
-- 144 graphs.starts
return function(graph, ids, from)
  local starts, keys, at = {}, {}, 0
  local runs = cold(142)(redis.call('HGET', cold(121)(graph.id), 'runs'), graph.total)
  for i, id in ipairs(runs and ids or {}) do
    keys[i] = namespace_prefix .. 'task_' .. id
  end
  if not keys[1] or redis.call('EXISTS', unpack(keys)) < #keys then
    return starts
  end
  for _, run in ipairs(runs) do
    run.kind = run.to .. ' ' .. run.queue
    for i = math.max(1, at - from + 1), math.min(#ids, at - from + run.count) do
      starts[i] = run.to ~= '?' and run
    end
    at = at + run.count
  end
  return starts
end
end
end
end
else
if number < 148 then
if number < 146 then
-- 145 graphs.plan_kind
return function(task, planned)
  if namespace_declared then
    cold(202)(task.key)
  end
  if not planned[task.kind] then
    planned[task.kind] = true
    cold(299)({ queue = task.queue, foreign = true }, task.begins)
  end
end
else
if number < 147 then
-- 146 graphs.plan_task
return function(staged, planned)
  local task = { id = staged.id, key = staged.key, queue = staged.queue, ties = staged.ties, attempt = '0',
    foreign = true, created = namespace_now }
  local open = 0
  if string.find(task.ties, 'w', 1, true) then
    open = redis.call('HLEN', cold(202)(cold(64)(task.id)))
    if cold(227)(task) and cold(233)(cold(230)(task.id), open) then
      open, task.drops = 0, true
    end
    local own = cold(202)(cold(66)(task.id))
    local known = open == 0 and redis.call('HMGET', own, 'slots', 'bytes') or {}
    local slots = tonumber(known[1] or nil)
    task.joins = slots and cold(169)(task.id, slots, tonumber(known[2]))
    if slots and not task.joins then
      task.joined, task.lengths = cold(166)(cold(167)(own, slots, {}), slots)
    end
  end
  local later = staged.eta and tonumber(staged.eta) * 1000000 > namespace_now_us
  task.eta = staged.eta
  task.begins = (open > 0 or task.joins) and 'waiting' or later and 'scheduled' or 'pending'
  if string.find(task.ties, '[^gwd]') then
    cold(38)(task)
    task.rank = nil
    cold(299)(task, task.begins)
    return task
  end
  task.kind = task.begins .. ' ' .. task.queue
  cold(145)(task, planned)
  return task
end
else
-- 147 graphs.plan_outside
return function(graph, limit)
  local pairs_of = redis.call('LRANGE', cold(202)(cold(123)(graph)), 0, limit - 1)
  local found = {}
  for i, pair in ipairs(pairs_of) do
    local up, id = string.match(pair, '^(%S+) (%S+)$')
    local key = cold(202)(cold(200)('task', up))
    local v = redis.call('HMGET', key, 'status', 'ties')
    cold(203)('ZCARD', cold(65)(up))
    found[i] = { up = up, id = id, there = v[1], ended = not v[1] or cold(343)(v[1]), key = key,
      ties = v[2] or nil }
  end
  cold(203)('ZCARD', cold(67)())
  return found
end
end
end
else
if number < 149 then
-- 148 graphs.unlimit
return function(bounds)
  for _, bound in ipairs(bounds) do
    redis.call('HDEL', bound.limits, bound.key)
  end
end
else
if number < 150 then
-- 149 graphs.release
return function(graph, tasks, outside)
  local kinds, queues = {}, {}
  for _, task in ipairs(tasks) do
    local same = kinds[task.kind or task.id] or { to = task.begins, queue = task.queue }
    if not same[1] then
      kinds[task.kind or task.id], kinds[#kinds + 1] = same, same
    end
    same[#same + 1] = task
  end
  for _, same in ipairs(kinds) do
    if not queues[same.queue] then
      queues[same.queue] = true
      redis.call('ZADD', namespace_prefix .. 'queues', 'NX', 0, same.queue)
    end
    for _, task in ipairs(same) do
      if task.joins then
        cold(170)(task.id)
      elseif task.drops then
        cold(239)(task.id)
      end
      if task.joined then
        redis.call('UNLINK', cold(66)(task.id))
        redis.call('HSET', task.key, 'parameters', task.joined, 'slots', task.lengths)
      end
    end
    if same[1].kind then
      cold(303)(same, same.to, 'submit')
    else
      cold(302)(same[1], same.to, 'submit', '', 'created', namespace_now)
    end
    if same.to == 'pending' then
      do
        local queue = same.queue
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
            if not namespace_declared or cold(206)(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if state_roams ~= '' then
            cold(297)(queue)
          end
        end
        redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
      end
    end
  end
  for _, edge in ipairs(outside) do
    redis.call('ZADD', cold(65)(edge.up), namespace_now, edge.id)
    if edge.ended then
      redis.call('ZADD', cold(67)(), namespace_now, edge.up)
    end
    if edge.there then
      cold(76)(edge)
    end
  end
  if #tasks + #outside > 0 then
    redis.call('LTRIM', cold(123)(graph.id), #outside, -1)
    redis.call('HSET', cold(121)(graph.id), 'released', graph.released)
    if tasks[1] and graph.released == graph.total then
      redis.call('HDEL', cold(121)(graph.id), 'runs')
    end
  end
end
else
-- 150 graphs.plan_unlimit
return function(graph)
  local bounds = {}
  for queue, key in string.gmatch(redis.call('HGET', cold(121)(graph), 'bounds') or '', '([^/ ]+)/([^= ]+)=') do
    bounds[#bounds + 1] = { limits = cold(200)('limits', queue), key = key }
    cold(203)('HLEN', bounds[#bounds].limits)
  end
  return bounds
end
end
end
end
end
end
else
if number < 162 then
if number < 156 then
if number < 153 then
if number < 152 then
-- 151 graphs.plan_removal
return function(graph, limit)
  cold(202)(cold(123)(graph))
  cold(202)(cold(125)(graph))
  local ids = redis.call('LRANGE', cold(122)(graph), -limit, -1)
  ids.bytes = 0
  for _, id in ipairs(ids) do
    ids.bytes = ids.bytes + cold(152)(id)
    cold(202)(cold(200)('task', id))
    cold(202)(cold(64)(id))
    cold(202)(cold(66)(id))
    cold(202)(cold(65)(id))
  end
  local outside = #ids == 0 and cold(147)(graph, limit) or {}
  return ids, outside, cold(150)(graph)
end
else
-- 152 graphs.size
return function(id)
  local key = cold(200)('task', id)
  return redis.call('HSTRLEN', key, 'parameters') + redis.call('HSTRLEN', key, 'inputs')
    + tonumber(redis.call('HGET', cold(66)(id), 'bytes') or 0)
end
end
else
if number < 154 then
-- 153 graphs.remove
return function(graph, ids, outside, bounds)
  for _, id in ipairs(ids) do
    redis.call('UNLINK', cold(200)('task', id), cold(64)(id), cold(66)(id), cold(65)(id))
    redis.call('RPOP', cold(122)(graph))
  end
  if ids[1] then
    redis.call('HINCRBY', cold(121)(graph), 'staged', -#ids)
    redis.call('HINCRBY', cold(121)(graph), 'bytes', 0 - ids.bytes)
  end
  for _, edge in ipairs(outside) do
    if redis.call('ZSCORE', cold(65)(edge.up), edge.id) == '-inf' then
      redis.call('ZREM', cold(65)(edge.up), edge.id)
    end
  end
  redis.call('LTRIM', cold(123)(graph), #outside, -1)
  if #ids + #outside == 0 then
    cold(148)(bounds)
    redis.call('UNLINK', cold(121)(graph), cold(125)(graph))
    redis.call('ZREM', cold(124)(), graph)
    redis.call('ZREM', cold(126)(), graph)
  end
end
else
if number < 155 then
-- 154 graphs.count
return function(task, to)
  local key = cold(121)(task.graph)
  if cold(343)(to) then
    redis.call('HINCRBY', key, to, 1)
  end
  if task.status and cold(343)(task.status) then
    redis.call('HINCRBY', key, task.status, -1)
  end
  if to == 'deleted' and redis.call('HINCRBY', key, 'left', -1) == 0 then
    cold(148)(task.bounds)
    redis.call('UNLINK', key, cold(122)(task.graph))
    redis.call('ZREM', cold(126)(), task.graph)
  end
end
else
-- 155 groups.key
return function(queue, group)
  if #group > 128 or string.find(group, '[^%w._:@-]') then
    group = '~' .. redis.sha1hex(group)
  end
  return namespace_prefix .. 'group_' .. queue .. '/' .. group
end
end
end
end
else
if number < 159 then
if number < 157 then
-- 156 groups.plan
return function(task, to)
  if to ~= 'failed' then
    task.group = redis.call('HGET', namespace_prefix .. 'task_' .. task.id, 'group') or ''
  end
  local key = cold(155)(task.queue, task.group or '')
  cold(203)('ZCARD', cold(200)('groups', task.queue))
  cold(203)('ZCARD', key)
  if to ~= 'failed' and not redis.call('ZSCORE', key, task.id) then
    task.group = nil
  end
end
else
if number < 158 then
-- 157 groups.enter
return function(task, now)
  local group = task.group or ''
  local key = cold(155)(task.queue, group)
  redis.call('ZADD', key, now, task.id)
  redis.call('ZADD', cold(200)('groups', task.queue), redis.call('ZCARD', key), group)
end
else
-- 158 groups.leave
return function(task)
  if task.group then
    cold(309)(cold(155)(task.queue, task.group), cold(200)('groups', task.queue), task.group, task.id)
  end
end
end
end
else
if number < 160 then
-- 159 history.fields
return function()
  return 'status', 'created', 'promoted', 'reserved', 'started', 'updated', 'node', 'attempt', 'outcome', 'group',
    'error', 'schedule', 'slot',
    'ended', 'cost', 'cost_of', 'readied'
end
else
if number < 161 then
-- 160 history.last
return function(key, created)
  local entry = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
  local v = entry and entry[2]
  if not v or tonumber(v[2]) < (tonumber(created) or 0) then
    return 0, 0, '', 0, v ~= nil, ''
  end
  return tonumber(string.match(entry[1], '^%d+')), tonumber(v[2]) or 0, v[6], tonumber(v[8]) or 0, false, v[12]
end
else
-- 161 history.derive
return function(v, since, reached, nth, cause)
  local status, created, promoted, reserved, started, updated, node, number, outcome, group, text, schedule, slot,
    ended, cost, cost_of, readied = unpack(v, 1, 17)
  local found = {}
  cost = ended and ended == cost_of and cost or ''
  promoted = promoted and tonumber(promoted) >= since and promoted
  readied = readied and tonumber(readied) >= since and readied
  number, node = number or '0', node or ''
  local function step(at, to, by, why, ...)
    found[#found + 1] = { at or '', reached, to, (reached == '' or reached == 'moved') and tostring(nth) or number,
      by, why, ... }
    reached = to
  end
  if reached == '' or reached == 'moved' then
    local moved = reached == 'moved'
    local why = moved and ((cause == 'next' or cause == 'again') and cause or 'move')
      or schedule and (slot and 'schedule' or 'run_schedule') or 'submit'
    step(moved and cold(195)(since * 1000000) or created,
      readied and 'waiting' or promoted and 'scheduled' or cold(342)(status) and status or 'pending',
      '', why, '', '', '', '')
  end
  if reached == 'waiting' and readied then
    reached = (promoted or status == 'scheduled') and 'scheduled' or 'pending'
    found[#found + 1] = { readied, 'waiting', reached, tostring(nth), '', 'ready', '', '', '', '' }
  end
  if reached == 'scheduled' and status ~= 'scheduled' and promoted then
    found[#found + 1] = { promoted, reached, 'pending', tostring(nth), '', 'promote', '', '', '', '' }
    reached = 'pending'
  end
  if reached == 'pending' and tonumber(number) > nth then
    if reserved or not started then
      step(reserved, 'reserved', node, 'reserve', '', '', '', '')
    else
      step(started, 'started', node, 'reserve', '', '', '', '')
    end
  end
  if reached == 'reserved' and started then
    step(started, 'started', node, 'start', '', '', '', '')
  end
  if reached == status then
    return found
  end
  if (reached == 'reserved' or reached == 'started') and status == outcome then
    step(updated, status, node, status == 'failed' and 'fail' or status, outcome,
      status == 'failed' and group or '', status == 'failed' and string.sub(text or '', 1, 256) or '', cost)
  elseif reached == 'pending' and status == 'cancelled' then
    step(updated, status, '', 'cancel', '', '', '', '')
  else
    step(updated, status, '', '', '', '', '', '')
  end
  return found
end
end
end
end
end
else
if number < 167 then
if number < 164 then
if number < 163 then
-- 162 history.plan
return function(task, to)
  if to == 'deleted' then
    cold(202)(cold(200)('history', task.id))
  elseif task.status then
    local key = cold(200)('history', task.id)
    cold(203)('XLEN', key)
    if namespace_declared and select(5, cold(160)(key, cold(250)(task.id))) then
      cold(204)()
    end
  end
end
else
-- 163 history.archive
return function(task, event, ...)
  local from, to, why = task.status, event.to, event.why
  if (why == 'fail' and to == 'failed') or (why == 'promote' and from == 'scheduled') or why == 'ready'
    or (why == 'cancel' and from == 'pending') then
    return
  end
  local outcome, group, text, cost = to == 'reserved' and 'lost' or '', '', '', ''
  local fields = { ... }
  for i = 1, #fields, 2 do
    if fields[i] == 'outcome' then
      outcome = fields[i + 1]
    elseif fields[i] == 'group' or fields[i] == 'last_group' then
      group = fields[i + 1]
    elseif fields[i] == 'error' or fields[i] == 'last_error' then
      text = string.sub(fields[i + 1], 1, 256)
    elseif fields[i] == 'cost' then
      cost = fields[i + 1]
    end
  end
  if from ~= 'reserved' and from ~= 'started' then
    outcome, group, text, cost = '', '', '', ''
  end
  event.note = task.note
  cold(164)(task, event, outcome, group, text, cost)
end
end
else
if number < 165 then
-- 164 history.add
return function(task, event, outcome, group, text, cost)
  local key = cold(200)('history', task.id)
  local told = redis.call('HMGET', cold(200)('task', task.id), cold(159)())
  local number, since, reached, nth, stale, cause = cold(160)(key, told[2])
  if stale then
    redis.call('UNLINK', key)
  end
  local kept = cold(161)(told, since, reached, nth, cause)
  kept[#kept + 1] = { event.at, task.status, event.to, task.attempt, event.by, event.why, outcome, group, text, cost,
    unpack(event.note or {}) }
  local most = cold(272)(task.queue, 'history')
  for i, v in ipairs(kept) do
    redis.call('XADD', key, 'MAXLEN', most, string.format('%.0f-0', number + i),
      'at', v[1], 'from', v[2], 'to', v[3], 'attempt', v[4], 'by', v[5], 'why', v[6], 'outcome', v[7], 'group', v[8],
      'error', v[9], 'cost', v[10], unpack(v, 11))
  end
end
else
if number < 166 then
-- 165 joins.key
return function(id)
  return namespace_prefix .. 'joined_' .. id
end
else
-- 166 joins.list
return function(filled, slots)
  local lengths = {}
  for slot = 0, slots - 1 do
    filled[slot] = filled[slot] or 'null'
    lengths[slot + 1] = #filled[slot]
  end
  return '[' .. table.concat(filled, ',', 0, slots - 1) .. ']', table.concat(lengths, ',')
end
end
end
end
else
if number < 170 then
if number < 168 then
-- 167 joins.collect
return function(key, number, plan)
  local filled, brought = {}, plan.slots and #plan.slots or 0
  for from = 0, brought < number and number - 1 or -1, 1000 do
    local slots = {}
    for slot = from, math.min(number, from + 1000) - 1 do
      slots[#slots + 1] = slot
    end
    for i, text in ipairs(redis.call('HMGET', key, unpack(slots))) do
      filled[slots[i]] = text or 'null'
    end
  end
  for _, slot in ipairs(plan.slots or {}) do
    filled[slot] = plan.text
  end
  for slot, text in pairs(plan.filled or {}) do
    filled[slot] = text
  end
  return filled
end
else
if number < 169 then
-- 168 joins.may_read
return function(length)
  local read = cold(201)('results')
  read.bytes = (read.bytes or 0) + length
  return length <= 131072 and read.bytes <= 262144
end
else
-- 169 joins.is_long
return function(id, slots, bytes)
  local joined = cold(201)('joined')
  local all = (joined.bytes or 0) + bytes
  if slots == 0 or bytes <= 262144 and all <= 1048576 then
    joined.bytes = slots > 0 and all or joined.bytes
    return false
  end
  cold(203)('ZCARD', cold(67)())
  cold(202)(cold(165)(id))
  cold(202)(cold(200)('task', id))
  return true
end
end
end
else
if number < 171 then
-- 170 joins.begin
return function(id)
  redis.call('UNLINK', cold(64)(id), cold(165)(id))
  redis.call('HDEL', cold(66)(id), 'joined', 'lengths', cold(229)())
  redis.call('HSET', cold(200)('task', id), 'cascade', 'join')
  redis.call('ZADD', cold(67)(), namespace_now, id)
end
else
if number < 172 then
-- 171 joins.plan
return function(task)
  local id = task.id
  local own, key = cold(202)(cold(66)(id)), cold(202)(cold(165)(id))
  local v = redis.call('HMGET', own, 'slots', 'joined', 'lengths')
  local slots = tonumber(v[1] or nil)
  if task.status ~= 'waiting' or not slots or redis.call('HLEN', cold(202)(cold(64)(id))) > 0 then
    return { over = true }
  end
  local slot, bytes = string.match(v[2] or '', '^(%d+) (%d+)$')
  if slot and redis.call('STRLEN', key) == tonumber(bytes) then
    slot, bytes = tonumber(slot), tonumber(bytes)
    if slot >= slots then
      return cold(173)(task, key, v[3])
    end
    return cold(172)(own, slot, slots, bytes, v[3])
  end
  return cold(172)(own, 0, slots, 0)
end
else
-- 172 joins.take
return function(own, slot, slots, bytes, lengths)
  local step, names, size = { anew = slot == 0, slot = slot, number = slots }, {}, 0
  lengths = { lengths }
  repeat
    local length = redis.call('HSTRLEN', own, step.slot)
    if names[1] and size + length > 1048576 then
      break
    end
    names[#names + 1], lengths[#lengths + 1] = step.slot, length > 0 and length or 4
    size, step.slot = size + length, step.slot + 1
  until step.slot == slots or #names == 1000
  local texts = redis.call('HMGET', own, unpack(names))
  for i = 1, #texts do
    texts[i] = texts[i] or 'null'
  end
  step.texts = { slot == 0 and '[' or ',', texts[2] and table.concat(texts, ',') or texts[1],
    step.slot == slots and ']' or nil }
  for _, text in ipairs(step.texts) do
    bytes = bytes + #text
  end
  step.bytes, step.lengths = bytes, table.concat(lengths, ',')
  return step
end
end
end
end
end
end
end
end
end
else
if number < 259 then
if number < 216 then
if number < 194 then
if number < 183 then
if number < 178 then
if number < 175 then
if number < 174 then
-- 173 joins.plan_end
return function(task, key, lengths)
  local plan = { id = task.id, task = record_find(task.id, cold(84)()), lengths = lengths }
  plan.task.later = true
  plan.joined = redis.call('GET', key)
  cold(85)(plan, 0, 0)
  plan.task.forget = { 'cascade', unpack(plan.task.forget or {}) }
  return { ready = plan }
end
else
-- 174 joins.run
return function(task, step)
  local own, key = cold(66)(task.id), cold(165)(task.id)
  if step.over then
    redis.call('UNLINK', key)
    redis.call('HDEL', own, 'joined', 'lengths')
    redis.call('HDEL', task.key, 'cascade')
  elseif step.ready then
    redis.call('UNLINK', key)
    cold(91)(nil, step.ready)
  else
    for i, text in ipairs(step.texts) do
      redis.call(step.anew and i == 1 and 'SET' or 'APPEND', key, text)
    end
    redis.call('HSET', own, 'joined', string.format('%d %d', step.slot, step.bytes), 'lengths', step.lengths)
  end
end
end
else
if number < 176 then
-- 175 json.decodes
return function(text)
  return (pcall(cjson.decode, text))
end
else
if number < 177 then
-- 176 json.guess
return function(piece)
  local back = string.reverse(string.sub(piece, -2048))
  local comma = string.find(back, ',[%]}]') or string.find(back, ',"', 1, true) or string.find(back, ',', 1, true)
  return comma and #piece - comma + 1
end
else
-- 177 json.cut
return function(piece)
  local plain = string.find(piece, '\\', 1, true) and string.gsub(piece, '\\.', '__') or piece
  local _, quotes = string.gsub(plain, '"', '"')
  local back, at = string.reverse(plain), 1
  if quotes % 2 == 1 then
    at = string.find(back, '"', 1, true) + 1
  end
  local comma = 0
  for _ = 1, 2000 do
    comma = comma < at and string.find(back, ',', at, true) or comma
    local quote = string.find(back, '"', at, true)
    if comma < at then
      return nil
    elseif not quote or comma < quote then
      local cut = #piece - comma + 1
      return cut, (string.gsub(string.sub(plain, 1, cut - 1), '"[^"]*"', ''))
    end
    at = string.find(back, '"', quote + 1, true) + 1
  end
  return false
end
end
end
end
else
if number < 180 then
if number < 179 then
-- 178 json.brackets
return function(piece, open)
  local left, stack = string.gsub(piece, '[^%[%]{}]+', ''), {}
  local number = #left
  for _ = 1, 2 do
    left = string.gsub(string.gsub(left, '%[%]', ''), '{}', '')
  end
  for bracket in string.gmatch(open .. left, '.') do
    if bracket == '[' or bracket == '{' then
      stack[#stack + 1] = bracket
    elseif stack[#stack] == (bracket == ']' and '[' or '{') then
      stack[#stack] = nil
    else
      return nil
    end
  end
  return stack[1] and table.concat(stack), number
end
else
-- 179 json.before
return function(open)
  if open == '' then
    return ''
  end
  return (string.gsub(string.sub(open, 1, -2), '{', '{"":')) .. (string.sub(open, -1) == '[' and '[0,' or '{"":0,')
end
end
else
if number < 181 then
-- 180 json.after
return function(open)
  local closed = string.gsub(string.reverse(open), '.', { ['['] = ']', ['{'] = '}' })
  return (string.sub(open, -1) == '[' and '0' or '"":0') .. closed
end
else
if number < 182 then
-- 181 json.decode
return function(piece, cut, rest, open)
  local left, number = cold(178)(rest, open)
  if left and cold(175)(cold(179)(open) .. string.sub(piece, 1, cut) .. cold(180)(left)) then
    return left, number
  end
end
else
-- 182 json.look
return function(text, from, open)
  local size = 32768
  while true do
    local piece = string.sub(text, from, from + size - 1)
    if from + size > #text then
      return cold(175)(cold(179)(open) .. piece)
    end
    local cut, times = cold(176)(piece), 1
    local left, number
    if cut then
      left, number = cold(181)(piece, cut, string.sub(piece, 1, cut - 1), open)
    end
    if not left then
      local rest
      times = 2
      cut, rest = cold(177)(piece)
      if cut then
        left, number = cold(181)(piece, cut, rest, open)
      end
    end
    if left then
      return nil, from + cut, left, times * cut + 12 * number
    elseif cut ~= nil then
      return false
    end
    size = size < 1572864 and 1572864 or 2 * size
  end
end
end
end
end
end
else
if number < 188 then
if number < 185 then
if number < 184 then
-- 183 json.step
return function(text, place)
  local from, open = string.match(place or '1 ', '^(%d+) (.*)$')
  local looked = 0
  local verdict, more
  from = tonumber(from)
  repeat
    verdict, from, open, more = cold(182)(text, from, open)
    looked = looked + (more or 0)
  until verdict ~= nil or looked >= 163840
  return verdict, verdict == nil and string.format('%d %s', from, open) or nil
end
else
-- 184 limits.starts_key
return function(queue, key)
  return namespace_prefix .. 'rate_' .. queue .. (key and '/' .. key or '')
end
end
else
if number < 186 then
-- 185 limits.of_key
return function(queue, key)
  local own, rate = string.match(redis.call('HGET', cold(200)('limits', queue), key) or '- -', '^(%S+) (%S+)$')
  own = tonumber(own ~= '-' and own or cold(272)(queue, 'key_concurrency'))
  if rate ~= '-' then
    return own, rate, 0
  end
  return own, cold(272)(queue, 'key_rate'), cold(273)(queue, 'key_rate')
end
else
if number < 187 then
-- 186 limits.fits
return function(queue, key, weight)
  local most, rate, since = cold(185)(queue, key)
  if weight == 'solo' then
    most, weight = 1, 1
  end
  if most then
    local used = tonumber(redis.call('HGET', cold(200)('places', queue), 'k:' .. key) or 0)
    if used + math.min(tonumber(weight), most) > most then
      return false
    end
  end
  return cold(188)(cold(184)(queue, key), rate, since)
end
else
-- 187 limits.start_expires
return function(starts, back, seconds, since)
  local last = tonumber(redis.call('LINDEX', starts, back) or nil)
  if last and last >= since and tonumber(redis.call('LINDEX', starts, 0)) <= namespace_now_us then
    return last + seconds * 1000000
  end
end
end
end
end
else
if number < 191 then
if number < 189 then
-- 188 limits.rate_allows
return function(starts, rate, since)
  if not rate then
    return true
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local free = cold(187)(starts, number - 1, seconds, since)
  if free and free > namespace_now_us then
    return false, free
  end
  return true
end
else
if number < 190 then
-- 189 limits.take
return function(task)
  local queue, key, weight = task.queue, task.fair_key, tonumber(task.weight or 1)
  local held = cold(200)('places', queue)
  redis.call('HSET', held, 'a:' .. task.id .. ' ' .. task.issue,
    weight .. ' ' .. (key or '') .. (task.shared and ' ' .. task.shared or ''))
  if task.shared then
    cold(286)(task.shared)
  end
  if weight > 1 then
    redis.call('HINCRBY', held, 'extra', weight - 1)
  end
  if key then
    local _, rate = cold(185)(queue, key)
    redis.call('HINCRBY', held, 'k:' .. key, weight)
    redis.call('HSET', cold(200)('turns', queue), key, cold(116)(namespace_now_us))
    cold(190)(cold(184)(queue, key), rate, string.format('%.0f', namespace_now_us))
  end
end
else
-- 190 limits.record_start
return function(starts, rate, us)
  if rate then
    redis.call('LPUSH', starts, us)
    local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
    redis.call('LTRIM', starts, 0, number - 1)
    redis.call('EXPIRE', starts, 2 * seconds + 60)
  end
end
end
end
else
if number < 192 then
-- 191 limits.release
return function(queue, id, token)
  local held, member = cold(200)('places', queue), 'a:' .. id .. ' ' .. token
  local weight, key, shared = string.match(redis.call('HGET', held, member) or '', '^(%d+) (%S*) ?(%S*)$')
  if not weight then
    return
  end
  redis.call('HDEL', held, member)
  if shared ~= '' then
    cold(287)(shared, queue)
  end
  local counts = { extra = weight - 1 }
  if key ~= '' then
    counts['k:' .. key] = tonumber(weight)
  end
  for field, count in pairs(counts) do
    if count > 0 and redis.call('HINCRBY', held, field, -count) <= 0 then
      redis.call('HDEL', held, field)
    end
  end
  if key ~= '' then
    cold(120)(queue, key)
  end
end
else
if number < 193 then
-- 192 logs.index
return function()
  return namespace_prefix .. 'logs'
end
else
-- 193 logs.size
return function(id)
  local v = redis.call('HMGET', cold(202)(cold(200)('logged', id)), 'head', 'tail')
  if v[1] then
    cold(203)('ZCARD', cold(192)())
    return v[1] + v[2]
  end
end
end
end
end
end
end
else
if number < 205 then
if number < 199 then
if number < 196 then
if number < 195 then
-- 194 logs.forget
return function(id, size)
  redis.call('UNLINK', cold(200)('logged', id))
  redis.call('ZREM', cold(192)(), id)
  redis.call('HINCRBY', namespace_meta, 'logs', -size)
end
else
-- 195 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
end
else
if number < 197 then
-- 196 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(252)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(252)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
if number < 198 then
-- 197 namespace.use_test_time
return function(now)
  namespace_now_us = cold(26)(now or cold(252)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(252)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(195)(namespace_now_us)
end
else
-- 198 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(195)(namespace_now_us)
end
end
end
end
else
if number < 202 then
if number < 200 then
-- 199 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
if number < 201 then
-- 200 namespace.key
return function(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end
else
-- 201 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
end
end
else
if number < 203 then
-- 202 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
else
if number < 204 then
-- 203 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(202)(key)
  end
  return redis.call(command, key)
end
else
-- 204 namespace.require_settled_slot
return function()
  cold(202)(namespace_prefix .. 'unmoved')
end
end
end
end
end
else
if number < 210 then
if number < 207 then
if number < 206 then
-- 205 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(252)(cold(254)())
  end
end
else
-- 206 namespace.is_here
return function(key)
  return type(redis.pcall('EXISTS', namespace_meta, key)) == 'number'
end
end
else
if number < 208 then
-- 207 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(265)()
  if namespace_declared then
    cold(208)(first, ...)
  end
end
else
if number < 209 then
-- 208 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(205)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(265)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
else
-- 209 namespace.write_when_full
return function(key)
  redis.call('HDEL', key, '')
end
end
end
end
else
if number < 213 then
if number < 211 then
-- 210 needs.class
return function(task)
  if task.shared then
    return (task.needs or '') .. '|' .. task.shared
  end
  return task.needs
end
else
if number < 212 then
-- 211 needs.numbers
return function(queue)
  local numbers = { '' }
  for _, known in ipairs(redis.call('HVALS', cold(200)('needs', queue))) do
    numbers[#numbers + 1] = string.match(known, '^%d+')
  end
  return numbers
end
else
-- 212 needs.number
return function(queue, wanted)
  if not wanted then
    return ''
  end
  return string.match(redis.call('HGET', cold(200)('needs', queue), wanted) or '', '^%d+')
end
end
end
else
if number < 214 then
-- 213 needs.plan
return function(queue, wanted)
  local number, given = cold(212)(queue, wanted), cold(201)('needs')[queue] or {}
  if number or given[wanted] then
    return number or given[wanted]
  end
  local taken = {}
  for _, other in ipairs(cold(211)(queue)) do
    taken[other] = true
  end
  for _, other in pairs(given) do
    taken[other] = true
  end
  number = 1
  while taken[tostring(number)] do
    number = number + 1
  end
  given[wanted], cold(201)('needs')[queue] = tostring(number), given
  return given[wanted]
end
else
if number < 215 then
-- 214 needs.count
return function(queue, wanted, by)
  if not wanted then
    return ''
  end
  local known = cold(200)('needs', queue)
  local number, count = string.match(redis.call('HGET', known, wanted) or '', '^(%d+) (%d+)$')
  if not number then
    number, count = cold(213)(queue, wanted), 0
  end
  count = count + by
  if count > 0 then
    redis.call('HSET', known, wanted, number .. ' ' .. count)
  else
    redis.call('HDEL', known, wanted)
  end
  return number
end
else
-- 215 orders.key
return function(queue)
  return cold(200)('orders', queue)
end
end
end
end
end
end
end
else
if number < 237 then
if number < 226 then
if number < 221 then
if number < 218 then
if number < 217 then
-- 216 orders.of
return function(task)
  return redis.call('HGET', cold(215)(task.queue), 't:' .. task.id)
end
else
-- 217 orders.plan
return function(queue)
  cold(203)('HLEN', cold(215)(queue))
end
end
else
if number < 219 then
-- 218 orders.give
return function(queue, to, order)
  local key = cold(215)(queue)
  cold(209)(key)
  redis.call('HSET', key, to, order)
  cold(219)(queue)
end
else
if number < 220 then
-- 219 orders.announce
return function(queue)
  redis.pcall('PUBLISH', cold(215)(queue), '')
end
else
-- 220 patterns.parse
return function(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end
end
end
end
else
if number < 223 then
if number < 222 then
-- 221 patterns.set
return function(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = cold(220)(one)
  end
  return set
end
else
-- 222 patterns.matches
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
else
if number < 224 then
-- 223 patterns.chooser
return function(set)
  local matches, out, wanted = cold(222), set.out, set.wanted
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
if number < 225 then
-- 224 patterns.list
return function(text)
  return namespace_prefix .. 'wakes_' .. string.sub(redis.sha1hex(text), 1, 16)
end
else
-- 225 patterns.rouse
return function(sets, queue)
  local left = {}
  for text in string.gmatch(sets, '%S+') do
    local list = cold(224)(text)
    if cold(223)(cold(221)(text))(queue) and (not namespace_declared or cold(206)(list)) then
      redis.pcall('LPUSH', list, '1')
    else
      left[#left + 1] = text
    end
  end
  return table.concat(left, ' ')
end
end
end
end
end
else
if number < 231 then
if number < 228 then
if number < 227 then
-- 226 quorum.wanted
return function(text)
  return tonumber(string.match(text or '', 'least/(%d+)') or 1)
end
else
-- 227 quorum.has
return function(task)
  return task.ties and string.find(task.ties, 'k', 1, true)
end
end
else
if number < 229 then
-- 228 quorum.new
return function(least)
  return { least = least, left = 0, missed = 0, turn = 1, owed = 0 }
end
else
if number < 230 then
-- 229 quorum.fields
return function()
  return 'least', 'some', 'missed', 'turn', 'owed'
end
else
-- 230 quorum.read
return function(id)
  local v = redis.call('HMGET', cold(202)(cold(66)(id)), cold(229)())
  return { least = tonumber(v[1] or 0), left = tonumber(v[2] or 0), missed = tonumber(v[3] or 0),
    turn = tonumber(v[4] or 1), owed = tonumber(v[5] or 0) }
end
end
end
end
else
if number < 234 then
if number < 232 then
-- 231 quorum.write
return function(id, set)
  redis.call('HSET', cold(66)(id), 'least', set.least, 'some', set.left, 'missed', set.missed, 'turn', set.turn,
    'owed', set.owed)
end
else
if number < 233 then
-- 232 quorum.chances
return function(set)
  return set.left - set.missed + set.owed
end
else
-- 233 quorum.is_ready
return function(set, open)
  return set.least <= 0 and open == set.left
end
end
end
else
if number < 235 then
-- 234 quorum.text
return function(slots, turn)
  return 'some' .. (turn or '') .. (slots ~= '' and '/' .. slots or '')
end
else
if number < 236 then
-- 235 quorum.take
return function(set, mark)
  if mark == '0' then
    set.owed = set.owed - 1
  else
    set.left, set.missed = set.left - 1, set.missed - (tonumber(mark) == set.turn and 1 or 0)
  end
end
else
-- 236 quorum.plan_end
return function(plan, task, up, to, mark, slots)
  local set, open = plan.set, redis.call('HLEN', cold(64)(plan.id))
  cold(235)(set, mark)
  plan.met = to == 'complete'
  if plan.met then
    set.least = set.least - 1
    return
  elseif to == 'deleted' then
    plan.gone, open = cold(68)(slots), open - 1
  else
    set.left, set.missed = set.left + 1, set.missed + 1
  end
  if cold(233)(set, open) then
    plan.met, plan.ready = true, true
    return
  end
  local may_wait = cold(128)(task.extra[5]) == 'hold' and set.least <= set.left + set.owed
  if set.least > cold(232)(set) and not may_wait then
    cold(237)(plan, up, open)
    plan.short = set.least > cold(232)(set)
  end
  plan.missed = not plan.short and cold(234)(slots, set.turn)
end
end
end
end
end
end
else
if number < 248 then
if number < 242 then
if number < 239 then
if number < 238 then
-- 237 quorum.plan_again
return function(plan, up, open)
  local set = plan.set
  plan.again = {}
  local found = open <= 300 and redis.call('HGETALL', cold(64)(plan.id)) or {}
  for i = 1, #found, 2 do
    local mark, slots = string.match(found[i + 1], '^some(%d+)/?(.*)$')
    if found[i] ~= up.id and tonumber(mark) == set.turn then
      local other = record_find(found[i])
      if other and not cold(343)(other.status) then
        cold(203)('ZCARD', cold(65)(found[i]))
        plan.again[found[i]], set.missed = { up = other, text = cold(234)(slots) }, set.missed - 1
      end
    end
  end
end
else
-- 238 quorum.miss
return function(up, plan)
  if plan.gone then
    redis.call('ZREM', cold(65)(up.id), plan.id)
    redis.call('HDEL', cold(64)(plan.id), up.id)
    cold(90)(plan.id, plan.gone)
  else
    redis.call('ZADD', cold(65)(up.id), 'inf', plan.id)
    redis.call('HSET', cold(64)(plan.id), up.id, plan.missed)
  end
  for id, edge in pairs(plan.again or {}) do
    redis.call('ZADD', cold(65)(id), namespace_now, plan.id)
    redis.call('HSET', cold(64)(plan.id), id, edge.text)
    cold(76)(edge.up)
  end
  cold(231)(plan.id, plan.set)
end
end
else
if number < 240 then
-- 239 quorum.drop
return function(id)
  redis.call('UNLINK', cold(64)(id), cold(66)(id))
end
else
if number < 241 then
-- 240 quorum.count_anew
return function(id)
  redis.call('HSET', cold(66)(id), 'missed', 0)
  redis.call('HINCRBY', cold(66)(id), 'turn', 1)
end
else
-- 241 quorum.plan_retry
return function(again, id, up, slots, over)
  local set = again.set
  if over and up.status == 'complete' then
    set.least = set.least - 1
    return
  end
  set.left, set.missed = set.left + 1, set.missed + (over and 1 or 0)
  again.some[id] = { up = not over and up, text = cold(234)(slots, over and set.turn) }
end
end
end
end
else
if number < 245 then
if number < 243 then
-- 242 quorum.retry
return function(task, again)
  if again.to == 'pending' then
    cold(239)(task.id)
    return
  end
  for id, edge in pairs(again.some) do
    redis.call('HSET', cold(64)(task.id), id, edge.text)
    redis.call('ZADD', cold(65)(id), edge.up and namespace_now or 'inf', task.id)
    if edge.up then
      cold(76)(edge.up)
    end
  end
  cold(231)(task.id, again.set)
end
else
if number < 244 then
-- 243 quorum.plan_anew
return function(task, again, text, order, marks)
  local set, known, there, others = cold(228)(cold(226)(text)), cold(64)(task.id), {}, {}
  for _, id in ipairs(order) do
    local slots = string.match(again.texts[id], '^some(.*)$')
    if slots and marks[id] then
      again.texts[id], set.owed = 'some0' .. slots, set.owed + 1
    elseif slots then
      local status = redis.call('HGET', cold(200)('task', id), 'status')
      if redis.call('HEXISTS', known, id) == 1 then
        there[#there + 1] = id
      elseif status and status ~= 'complete' then
        others[#others + 1] = id
      else
        set.least = set.least - 1
      end
    end
  end
  for _, id in ipairs(set.least > 0 and others or {}) do
    there[#there + 1] = id
  end
  for _, id in ipairs(there) do
    set.left, again.open[#again.open + 1] = set.left + 1, id
    cold(203)('ZCARD', cold(65)(id))
    local up = not cold(103)(again, id) and record_find(id)
    again.still[#again.still + 1] = up or nil
    for _, slot in ipairs(cold(68)(again.texts[id])) do
      again.forget[slot] = true
    end
  end
  again.set = (again.open[1] or set.owed > 0) and set or nil
end
else
-- 244 ranking.plan
return function(task)
  local queue, probe = task.queue, cold(203)
  if task.limited then
    probe('HLEN', cold(200)('places', queue))
  end
  if task.ranked then
    cold(204)()
    probe('ZCARD', cold(200)('lane_tasks', queue))
    local numbers = task.fair_key and cold(211)(queue) or {}
    local class = cold(210)(task)
    numbers[#numbers + 1] = class and cold(213)(queue, class) or ''
    for _, number in ipairs(numbers) do
      probe('ZCARD', cold(114)(queue, number))
      if task.fair_key then
        probe('ZCARD', cold(115)(queue, task.fair_key, number))
      end
    end
  end
  if task.fair_key then
    probe('HLEN', cold(200)('turns', queue))
    probe('HLEN', cold(200)('limits', queue))
    probe('ZCARD', cold(200)('delayed', queue))
    probe('LLEN', cold(184)(queue, task.fair_key))
    cold(272)(queue, 'key_rate')
  end
end
end
end
else
if number < 246 then
-- 245 ranking.member
return function(task)
  return task.rank .. ' ' .. task.id .. ' ' .. (task.solo and 'solo' or task.weight or '1')
end
else
if number < 247 then
-- 246 ranking.add
return function(task)
  local queue = task.queue
  local field = 'lanes:' .. queue
  local last = math.max(tonumber(redis.call('HGET', namespace_meta, field) or 0) + 1, namespace_now_us)
  redis.call('HSET', namespace_meta, field, string.format('%.0f', last))
  task.rank = task.place or task.front and cold(117)(last) or cold(116)(last)
  redis.call('ZADD', cold(200)('lane_tasks', queue), -tonumber(task.priority or 0), task.rank .. ' ' .. task.id)
  do
    local task = task
    local queue, score = task.queue, -tonumber(task.priority or 0)
    local number = cold(214)(queue, cold(210)(task), 1)
    if task.fair_key then
      if task.turn then
        redis.call('HSETNX', cold(200)('turns', queue), task.fair_key,
          cold(116)(math.min(task.turn, namespace_now_us)))
      end
      redis.call('ZADD', cold(115)(queue, task.fair_key, number), score, cold(245)(task))
      cold(119)(queue, task.fair_key, number)
    else
      redis.call('ZADD', cold(114)(queue, number), score, task.rank .. ' ' .. task.id)
    end
  end
  redis.call('HSET', namespace_prefix .. 'task_' .. task.id, 'rank', task.rank)
end
else
-- 247 ranking.remove_from_index
return function(queue, member)
  local all = cold(200)('lane_tasks', queue)
  if redis.call('ZCARD', all) - redis.call('ZREM', all, member) == 0 then
    redis.call('HDEL', namespace_meta, 'lanes:' .. queue)
  end
end
end
end
end
end
else
if number < 253 then
if number < 250 then
if number < 249 then
-- 248 ranking.remove
return function(task, to)
  cold(247)(task.queue, task.rank .. ' ' .. task.id)
  do
    local task, to = task, to
    local queue = task.queue
    local class = cold(210)(task)
    local number = cold(212)(queue, class)
    if task.fair_key then
      redis.call('ZREM', cold(115)(queue, task.fair_key, number), cold(245)(task))
      if cold(294)(task, to) then
        cold(189)(task)
      end
      cold(120)(queue, task.fair_key)
    else
      redis.call('ZREM', cold(114)(queue, number), task.rank .. ' ' .. task.id)
      if task.limited and cold(294)(task, to) then
        cold(189)(task)
      end
    end
    cold(214)(queue, class, -1)
  end
  redis.call('HDEL', namespace_prefix .. 'task_' .. task.id, 'rank')
end
else
-- 249 record.held
return function(task)
  return task.status == 'reserved' or task.status == 'started'
end
end
else
if number < 251 then
-- 250 record.created
return function(id)
  return tonumber(redis.call('HGET', namespace_prefix .. 'task_' .. id, 'created') or 0)
end
else
if number < 252 then
-- 251 record.lease
return function(task)
  return task.id .. ' ' .. task.token
end
else
-- 252 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(253)() then
    code, text = cold(254)()
  end
  error({ err = code .. ' ' .. text })
end
end
end
end
else
if number < 256 then
if number < 254 then
-- 253 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
if number < 255 then
-- 254 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
-- 255 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(254)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
end
end
else
if number < 257 then
-- 256 reply.code
return function(raised)
  return string.match(cold(255)(raised).err, '^%-?(%u+)')
end
else
if number < 258 then
-- 257 resubmit.forgotten
return function()
  return 'result', 'error', 'group', 'last_error', 'last_group', 'reason', 'cause', 'discard', 'cascade', 'eta', 'ties',
    'front', 'retry_eta', 'promoted', 'readied', 'inputs', 'slots', 'schedule', 'slot', 'step', 'postponed', 'failures',
    'losses', 'releases', 'uncounted', 'fruitless', 'checkpoint', 'checkpointed', 'ended', 'cost', 'cost_of', 'token',
    'lease', 'request', 'solo', 'further', 'checked'
end
else
-- 258 resubmit.refusal
return function(task)
  if string.find(task.ties or '', 'g', 1, true) then
    return 'STATE', 'the task is a part of a graph: retry it, or submit one of another id'
  end
end
end
end
end
end
end
end
end
else
if number < 302 then
if number < 280 then
if number < 269 then
if number < 264 then
if number < 261 then
if number < 260 then
-- 259 resubmit.plan
return function(task, call, spec, step)
  local ties = task.ties or ''
  local code, text = cold(258)(task)
  if code then
    return code, text
  elseif string.find(ties, 'd', 1, true) and cold(77)(task.id) > 0 then
    return 'STATE', 'others wait for this task: retry it, or submit one of another id'
  elseif string.find(ties, 'w', 1, true) and redis.call('HLEN', cold(64)(task.id)) > 0 then
    return 'STATE', 'the task still needs what it waited for: retry it, or submit one of another id'
  end
  local new = cold(260)(task, call, spec)
  code, text = cold(13)(step)
  if code then
    return code, text
  elseif new.end_by and cold(57)(new.end_by) then
    return cold(58)()
  elseif not cold(6)(new, step) then
    return 'DUPLICATE', 'another task has this unique name; get its id with the policy existing, or wait until it ends, starts, or its time passes'
  elseif new.needs then
    cold(54)(new.queue, new.needs)
  end
  task.new = new
  if new.queue ~= task.queue then
    cold(3)(task, 'moved', step)
  else
    cold(5)(task, step)
    new.status, new.from_end, new.restarts = task.status, task.from_end, true
    cold(312)(new, task.had.tags, new.tags)
  end
  cold(204)()
  cold(299)(new, new.begins)
end
else
-- 260 resubmit.fresh
return function(task, call, spec)
  local new = { id = task.id, key = task.key, queue = call.queue, attempt = task.attempt, since = task.since,
    created = task.extra[2] or '0', foreign = true, parameters = call.parameters, fields = spec.fields,
    begins = 'pending' }
  if call.eta and call.eta > namespace_now_us then
    new.begins, new.eta = 'scheduled', cold(195)(call.eta)
  end
  local ties = (spec.ties or '') .. string.gsub(task.ties or '', '[^do]', '')
  if ties ~= '' then
    new.ties = ties
    cold(39)(new, spec.claims or {})
  end
  return new
end
end
else
if number < 262 then
-- 261 resubmit.run
return function(task, step)
  local new = task.new
  local set, kept = { 'parameters', new.parameters, 'outcome', 'retry', unpack(new.round) }, {}
  for i = 1, #new.fields, 2 do
    if new.fields[i] ~= 'ties' then
      set[#set + 1], set[#set + 2] = new.fields[i], new.fields[i + 1]
    end
  end
  for name, value in pairs({ ties = new.ties, eta = new.eta }) do
    set[#set + 1], set[#set + 2] = name, value
  end
  for i = 1, #set, 2 do
    kept[set[i]] = true
  end
  new.forget = { cold(293)() }
  local gone = { cold(257)() }
  for field in string.gmatch(' method=method priority=priority max_failures=max_failures backoff=backoff delay=delay max_delay=max_delay jitter=jitter max_losses=max_losses lost_delay=lost_delay max_releases=max_releases lease=own_lease key=key weight=weight needs=needs limits=limits unique=unique unique_until=unique_until tags=tags deadline=deadline log_bytes=log_bytes steps=steps ', '=(%S+)') do
    gone[#gone + 1] = field
  end
  for _, field in ipairs(gone) do
    new.forget[#new.forget + 1] = not kept[field] and field or nil
  end
  new.note = { 'note', '', 'data', '{"round":' .. new.round[2] .. '}' }
  if new.restarts then
    cold(313)(new)
  else
    task.note = new.note
    cold(302)(task, 'moved', 'again', '')
  end
  cold(302)(new, new.begins, 'again', '', 'queue', new.queue, 'attempt', new.attempt, unpack(set))
  if step.known == 'new' then
    redis.call('ZADD', namespace_prefix .. 'queues', 0, new.queue)
  end
  step.wakes = new.begins == 'pending' and new.queue or nil
end
else
if number < 263 then
-- 262 rights.denied
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
else
-- 263 rights.refuse
return function(name)
  local role = string.match('UPKEEP', '^%u+$')
  if role and not cold(262)({ name }, 'meta') then
    cold(252)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(252)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
end
end
end
else
if number < 266 then
if number < 265 then
-- 264 rights.check
return function(names)
  local name = cold(262)(names, 'UPKEEP')
  if name then
    cold(263)(name)
  end
end
else
-- 265 rights.require
return function()
  cold(264)({ 'APPEND', 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HGETALL', 'HINCRBY', 'HMGET', 'HSET', 'HSETNX', 'HVALS', 'LINDEX', 'LPUSH', 'LREM', 'LTRIM', 'RPOP', 'RPOPLPUSH', 'RPUSH', 'SADD', 'SET', 'SREM', 'UNLINK', 'XADD', 'XREVRANGE', 'ZADD', 'ZCARD', 'ZMSCORE', 'ZRANGE', 'ZREM' })
end
end
else
if number < 267 then
-- 266 schedules.rhythm
return function(value)
  local every, offset = string.match(value, '^every (%d+) ?(%d*)$')
  if every and #every <= 9 and #offset <= 9 and (offset ~= '' or string.sub(value, -1) ~= ' ') then
    every, offset = tonumber(every), tonumber(offset ~= '' and offset or 0)
    if every <= 315360000 and offset < every then
      return string.format('every %d %d', every, offset), every, offset
    end
  end
  if #value <= 256 and string.find(value,
    '^cron [%w/_+-]+ [%w*,/#?+-]+ [%w*,/#?+-]+ [%w*,/#?+-]+ [%w*,/#?+-]+ [%w*,/#?+-]+$') then
    return value
  end
  cold(252)('BADARG', 'the rhythm must be `every SECONDS OFFSET` (1 to ' .. 315360000
    .. ' seconds, an offset below that), or `cron ZONE` and five fields, in ' .. 256 .. ' characters')
end
else
if number < 268 then
-- 267 schedules.read
return function(schedule)
  schedule.every, schedule.offset = select(2, cold(266)(schedule.rhythm))
  schedule.list = {}
  for slot in string.gmatch(schedule.slots or '', '%d+') do
    schedule.list[#schedule.list + 1] = tonumber(slot)
  end
  schedule.unfinished = {}
  for id in string.gmatch(schedule.tasks or schedule.last_task or '', '%S+') do
    schedule.unfinished[#schedule.unfinished + 1] = id
  end
  return schedule
end
else
-- 268 schedules.solo
return function(schedule, overlap)
  if overlap ~= 'queue' and overlap ~= 'cancel' then
    return nil
  end
  local options = ' ' .. schedule.options
  local latest = string.find(options, ' unique_policy=latest')
  return latest and string.match(options, ' unique=(%S+)') or 'schedule:' .. schedule.name
end
end
end
end
end
else
if number < 274 then
if number < 271 then
if number < 270 then
-- 269 schedules.again
return function(task, name)
  local rhythm, queue, overlap, options, tasks, last = unpack(redis.call('HMGET',
    cold(202)(cold(200)('schedule', name)),
    'rhythm', 'queue', 'overlap', 'options', 'tasks', 'last_task'))
  if not rhythm then
    return
  end
  local solo = cold(268)({ name = name, options = options }, overlap)
  local again = cold(201)('again')
  again[name] = again[name] or cold(267)({ rhythm = rhythm, tasks = tasks, last_task = last })
  task.again = again[name]
  task.again.key = cold(200)('schedule', name)
  if solo and queue == task.queue then
    task.ties = task.ties or ''
    cold(38)(task)
    if not task.fair_key and not task.solo then
      task.fair_key, task.solo, task.ranked, task.limited = solo, '1', true, true
      task.ties = 'rp' .. string.gsub(task.ties, '[rp]', '')
      task.bind = { 'key', solo, 'solo', '1', 'ties', task.ties }
    end
  end
  task.ties = task.ties ~= '' and task.ties or nil
end
else
-- 270 schedules.remember
return function(task)
  local schedule = task.again
  for _, id in ipairs(schedule.unfinished) do
    if id == task.id then
      return
    end
  end
  if #schedule.unfinished < 64 then
    table.insert(schedule.unfinished, 1, task.id)
    redis.call('HSET', schedule.key, 'tasks', table.concat(schedule.unfinished, ' '))
  end
end
end
else
if number < 272 then
-- 271 settings.find
return function(text, name)
  return text and string.match(' ' .. text, ' ' .. name .. '=(%S+)')
end
else
if number < 273 then
-- 272 settings.get
return function(queue, name)
  local texts = cold(201)('settings')
  local known = texts[queue] or redis.call('HMGET', namespace_meta, 'settings:' .. queue, 'settings')
  texts[queue] = known
  if known[name] == nil then
    local value_1_1
    do
      local own, common, name = known[1], known[2], name
      local pattern = ' ' .. name .. '=(%S+)'
      value_1_1 = own and string.match(' ' .. own, pattern) or common and string.match(' ' .. common, pattern)
        or string.match(' ' .. 'lease=60 grace=30 max_failures=0 backoff=exponential delay=10 max_delay=3600 jitter=20 max_losses=10 lost_delay=0 max_releases=1000 max_uncounted=10000 max_bytes=1048576 log_bytes=163840 logs_bytes=1073741824 input_bytes=8388608 graph_bytes=536870912 forget_after=300 closed=0 keep=50000 retain=604800 events=10000 audit=10000 history=100 statistics=30', pattern)
    end
    local value = value_1_1
    known[name] = value or false
  end
  return known[name] or nil
end
else
-- 273 settings.since
return function(queue, name)
  cold(272)(queue, name)
  local own, common = unpack(cold(201)('settings')[queue], 1, 2)
  local since = cold(271)(cold(271)(own, name) and own or common, name .. '_since')
  return tonumber(since or 0)
end
end
end
end
else
if number < 277 then
if number < 275 then
-- 274 shares.limits_key
return function()
  return namespace_prefix .. 'shared_limits'
end
else
if number < 276 then
-- 275 shares.places_key
return function()
  return namespace_prefix .. 'shared_places'
end
else
-- 276 shares.tasks_key
return function()
  return namespace_prefix .. 'shared_tasks'
end
end
end
else
if number < 278 then
-- 277 shares.expires_key
return function()
  return namespace_prefix .. 'shared_expires'
end
else
if number < 279 then
-- 278 shares.idle_key
return function()
  return namespace_prefix .. 'shared_idle'
end
else
-- 279 shares.turns_key
return function(name)
  return namespace_prefix .. 'shared_turns_' .. name
end
end
end
end
end
end
else
if number < 291 then
if number < 285 then
if number < 282 then
if number < 281 then
-- 280 shares.starts_key
return function(name)
  return namespace_prefix .. 'shared_rate_' .. name
end
else
-- 281 shares.check
return function(value, what)
  local wanted, seen = {}, {}
  for one in string.gmatch(#value <= 600 and value .. ',' or ',', '([^,]*),') do
    local name, places = string.match(one, '^([%w_.-]+)(.*)$')
    local weight = places == '' and 1 or #(places or '') <= 5 and tonumber(string.match(places or '', '^:(%d+)$'))
    if not name or #name > 64 or not weight or weight < 1 or weight > 1000
      or seen[name] then
      cold(252)('BADARG', what .. ' must be names of shared limits, each once, with a colon and 1 to '
        .. 1000 .. ' places or without, separated by commas')
    end
    seen[name] = weight
    wanted[#wanted + 1] = weight > 1 and name .. ':' .. string.format('%d', weight) or name
  end
  if #wanted > 8 then
    cold(252)('BADARG', what .. ' may be ' .. 8 .. ' at most')
  end
  for name, weight in pairs(seen) do
    local own = redis.call('HGET', cold(274)(), name)
    local most = own and tonumber(string.match(own, '^%d+'))
    if not own then
      cold(252)('NOLIMIT', 'there is no shared limit ' .. name .. ': set it with limit, then repeat the call')
    elseif most and weight > most then
      cold(252)('NOLIMIT', 'the shared limit ' .. name .. ' has ' .. most .. ' places, fewer than ' .. weight
        .. ': such a task would never run')
    end
  end
  table.sort(wanted, cold(28))
  return table.concat(wanted, ',')
end
end
else
if number < 283 then
-- 282 shares.parts
return function(set)
  local parts = {}
  for name, weight in string.gmatch(set, '([%w_.-]+):?(%d*)') do
    parts[#parts + 1] = { name = name, weight = tonumber(weight) or 1 }
  end
  return parts
end
else
if number < 284 then
-- 283 shares.plan
return function(set, queue)
  cold(203)('HLEN', cold(275)())
  cold(203)('HLEN', cold(274)())
  for _, part in ipairs(cold(282)(set)) do
    if queue then
      cold(284)(part.name, queue, 4)
    else
      cold(203)('LLEN', cold(280)(part.name))
    end
  end
end
else
-- 284 shares.plan_wakes
return function(name, queue, most)
  local woken, key = cold(201)('woken'), name .. ' ' .. queue
  if woken[key] then
    return
  end
  woken[key] = {}
  local seen = { [queue] = true }
  for _, member in ipairs(redis.call('ZRANGE', cold(279)(name), 0, math.max(most, 16) - 1)) do
    local other = string.match(member, '^%S+')
    if #woken[key] < most and not seen[other] and redis.call('HEXISTS', namespace_meta, 'paused:' .. other) == 0 then
      seen[other] = true
      cold(296)(other)
      table.insert(woken[key], other)
    end
  end
end
end
end
end
else
if number < 288 then
if number < 286 then
-- 285 shares.wake
return function(name, queue)
  for _, other in ipairs(cold(201)('woken')[name .. ' ' .. queue] or {}) do
    do
      local queue = other
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
          if not namespace_declared or cold(206)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(297)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
else
if number < 287 then
-- 286 shares.take
return function(set)
  local now = string.format('%.0f', namespace_now_us)
  for _, part in ipairs(cold(282)(set)) do
    redis.call('HINCRBY', cold(275)(), part.name, part.weight)
    local rate = string.match(redis.call('HGET', cold(274)(), part.name) or '', ' (%d+/%d+)$')
    cold(190)(cold(280)(part.name), rate, now)
  end
end
else
-- 287 shares.release
return function(set, queue)
  for _, part in ipairs(cold(282)(set)) do
    if redis.call('HINCRBY', cold(275)(), part.name, -part.weight) <= 0 then
      redis.call('HDEL', cold(275)(), part.name)
    end
    cold(285)(part.name, queue)
  end
end
end
end
else
if number < 289 then
-- 288 shares.plan_count
return function()
  cold(203)('HLEN', cold(276)())
  cold(203)('HLEN', cold(277)())
  cold(203)('ZCARD', cold(278)())
end
else
if number < 290 then
-- 289 shares.count
return function(set, change)
  for _, part in ipairs(cold(282)(set)) do
    cold(290)(part.name, redis.call('HINCRBY', cold(276)(), part.name, change), change)
  end
end
else
-- 290 shares.note_tasks
return function(name, number, change)
  if number <= 0 then
    redis.call('HDEL', cold(276)(), name)
    cold(291)(name)
  elseif number == change then
    redis.call('ZREM', cold(278)(), name)
  end
end
end
end
end
end
else
if number < 296 then
if number < 293 then
if number < 292 then
-- 291 shares.begin_idle
return function(name)
  local expires = tonumber(redis.call('HGET', cold(277)(), name) or nil)
  if expires then
    redis.call('ZADD', cold(278)(), string.format('%.0f', namespace_now_us + expires * 1000000), name)
  end
end
else
-- 292 shares.count_task
return function(task, to)
  local open = task.status and not cold(343)(task.status)
  local opens = not cold(343)(to) and to ~= 'deleted' and to ~= 'moved'
  if opens and not open then
    cold(289)(task.shared, 1)
  elseif open and not opens then
    cold(289)(task.shared, -1)
  end
end
end
else
if number < 294 then
-- 293 state.attempt_fields
return function()
  return 'node', 'pid', 'reclaimed_node', 'cancel', 'recall', 'reserved', 'started', 'progress', 'progressed'
end
else
if number < 295 then
-- 294 state.takes
return function(task, to)
  return to == 'reserved' or to == 'started' and task.status == 'pending'
end
else
-- 295 state.probe_list
return function(list, task)
  if cold(203)('LLEN', list) <= 100 or task.from_end then
    return
  end
  local tail = redis.call('LINDEX', list, -1)
  if tail ~= task.id then
    local first = cold(250)(redis.call('LINDEX', list, 0))
    local last, own = cold(250)(tail), cold(250)(task.id)
    task.from_end = own - last < first - own and -1 or 1
  end
end
end
end
end
else
if number < 299 then
if number < 297 then
-- 296 state.plan_wake
return function(queue)
  local asleep = cold(201)('asleep')
  asleep[queue] = cold(203)('LLEN', namespace_prefix .. 'wake_' .. queue) == 0
  if not asleep['*'] then
    asleep['*'], state_roams = true, redis.call('HGET', namespace_meta, 'roams')
  end
end
else
if number < 298 then
-- 297 state.rouse
return function(queue)
  local left = cold(225)(state_roams, queue)
  if left ~= state_roams then
    state_roams = left
    redis.pcall('HSET', namespace_meta, 'roams', left)
  end
end
else
-- 298 state.plan_left
return function(task)
  local queue = task.queue
  if cold(203)('LLEN', cold(200)('pending_tasks', queue))
    + cold(203)('ZCARD', cold(200)('lane_tasks', queue)) > 1 then
    cold(296)(queue)
    task.wakes = true
  end
end
end
end
else
if number < 300 then
-- 299 state.plan
return function(task, to, taker)
  local probe, touch = cold(203), cold(202)
  local from, queue, prefix = task.status, task.queue, namespace_prefix
  local tasks, events = '_tasks_' .. queue, touch(prefix .. 'events_' .. queue)
  if task.ties then
    cold(46)(task, to, taker)
    if from == 'pending' and not taker and (task.weight or task.solo) then
      cold(298)(task)
    end
  end
  if from == 'reserved' or from == 'started' then
    probe('ZCARD', prefix .. 'leases_' .. queue)
    local held = touch(prefix .. 'reserved' .. tasks .. '_' .. task.node)
    do
      local task, held, started = task, held, from == 'started' and touch(prefix .. 'started' .. tasks)
      task.last = redis.call('LINDEX', held, '-1') == task.id
      if started then
        redis.call('SCARD', started)
      end
    end
    if task.cancel or task.recall then
      probe('HLEN', prefix .. 'orders_' .. queue)
    end
    if not taker then
      do
        local task = task
        local queue, prefix = task.queue, namespace_prefix
        if (task.limited or cold(272)(queue, 'concurrency'))
          and (redis.call('LLEN', prefix .. 'pending_tasks_' .. queue) > 0
          or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1) then
          cold(296)(queue)
          task.wakes = true
        end
      end
    end
  elseif from == 'scheduled' then
    probe('ZCARD', prefix .. from .. tasks)
    if task.ranked then
      probe('ZCARD', prefix .. 'scheduled_lane' .. tasks)
    end
  elseif from == 'waiting' then
    probe('ZCARD', prefix .. from .. tasks)
  elseif from and not task.rank and not (from == 'pending' and taker) then
    cold(295)(prefix .. from .. tasks, task)
  end

  if taker then
    do
      local events, count, index = events, 'LLEN', touch(prefix .. 'reserved' .. tasks .. '_' .. taker)
      redis.call('XLEN', events)
      redis.call(count, index)
    end
    probe('ZCARD', prefix .. 'leases_' .. queue)
  elseif to == 'scheduled' then
    do
      local events, count, index = events, 'ZCARD', touch(prefix .. (task.ranked and 'scheduled_lane' or to) .. tasks)
      redis.call('XLEN', events)
      redis.call(count, index)
    end
  elseif to == 'waiting' then
    do
      local events, count, index = events, 'ZCARD', touch(prefix .. to .. tasks)
      redis.call('XLEN', events)
      redis.call(count, index)
    end
  elseif to == 'deleted' or to == 'moved' then
    redis.call('XLEN', events)
  else
    do
      local events, count, index = events, 'LLEN', touch(prefix .. to .. tasks)
      redis.call('XLEN', events)
      redis.call(count, index)
    end
    if to == 'pending' then
      cold(296)(queue)
      if task.ranked then
        task.last = false
      end
    end
  end
  if task.foreign or to == 'deleted' or to == 'moved' then
    probe('ZCARD', prefix .. 'tasks_' .. queue)
  end
  cold(300)(task, to)
end
else
if number < 301 then
-- 300 state.plan_own
return function(task, to)
  if to == 'deleted' then
    cold(202)(namespace_prefix .. 'log_' .. task.id)
    task.logged = cold(193)(task.id)
  end
  cold(162)(task, to)
  if to == 'failed' or task.status == 'failed' then
    cold(156)(task, to)
  end
end
else
-- 301 state.time
return function(task)
  local since, now = task.since, namespace_now
  if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
    now = since
  end
  return now
end
end
end
end
end
end
end
else
if number < 323 then
if number < 312 then
if number < 307 then
if number < 304 then
if number < 303 then
-- 302 state.move
return function(task, to, why, by, ...)
  local id, queue, from, prefix = task.id, task.queue, task.status, namespace_prefix
  local tasks = '_tasks_' .. queue
  if task.deadline then
    redis.call('ZADD', prefix .. 'leases_' .. queue, task.deadline, id .. ' ' .. (task.issue or task.token))
  end
  if task.foreign and to ~= 'deleted' and to ~= 'moved' then
    redis.call('ZADD', prefix .. 'tasks_' .. queue, task.created or cold(250)(id), id)
  end

  if to == 'started' then
    redis.call('SADD', prefix .. 'started' .. tasks, task.node .. ' ' .. task.pid .. ' ' .. id)
  end
  if to ~= 'started' or from == 'pending' then
    local old = from and prefix .. from .. tasks
    if from == 'reserved' or from == 'started' then
      old = prefix .. 'reserved' .. tasks .. '_' .. task.node
      if task.token ~= '' then
        redis.call('ZREM', prefix .. 'leases_' .. queue, id .. ' ' .. task.token)
      end
      if from == 'started' then
        redis.call('SREM', prefix .. 'started' .. tasks, task.node .. ' ' .. task.pid .. ' ' .. id)
      end
      if task.cancel or task.recall then
        redis.call('HDEL', prefix .. 'orders_' .. queue, 't:' .. id)
      end
    end
    local new = prefix .. to .. tasks
    if task.taker then
      new = prefix .. 'reserved' .. tasks .. '_' .. task.taker
    end
    if task.last and to ~= 'scheduled' and to ~= 'waiting' and to ~= 'deleted' and to ~= 'moved' and not task.front then
      redis.call('RPOPLPUSH', old, new)
    else
      if from == 'scheduled' or from == 'waiting' then
        redis.call('ZREM', old, id)
        if task.ranked and from == 'scheduled' then
          redis.call('ZREM', prefix .. 'scheduled_lane' .. tasks, id)
        end
      elseif task.rank then
        redis.call('ZREM', prefix .. 'lane' .. tasks, task.rank .. ' ' .. id)
      elseif from then
        redis.call('LREM', task.astray or old, task.from_end or '-1', id)
      end
      if to == 'scheduled' then
        redis.call('ZADD', task.ranked and prefix .. 'scheduled_lane' .. tasks or new, task.eta, id)
      elseif to == 'waiting' then
        local value_1_1
        do
          local task = task
          local since, now = task.since, namespace_now
          if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
            now = since
          end
          value_1_1 = now
        end
        local at = value_1_1
        redis.call('ZADD', new, at, id)
      elseif to ~= 'deleted' and to ~= 'moved' and not (task.ranked and to == 'pending') then
        redis.call(task.front and 'RPUSH' or 'LPUSH', new, id)
      end
    end
  end

  do
    local task, to, why, by = task, to, why, by
    local id, queue, from, prefix = task.id, task.queue, task.status, namespace_prefix
    local value_2_1
    do
      local task = task
      local since, now = task.since, namespace_now
      if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
        now = since
      end
      value_2_1 = now
    end
    local now = value_2_1
    local key = prefix .. 'task_' .. id
    if from and to ~= 'started' and to ~= 'complete' and to ~= 'deleted'
      and not (from == 'pending' and why == 'reserve') then
      cold(163)(task, { to = to, why = why, by = by, at = now }, ...)
    end
    if to == 'deleted' or to == 'moved' then
      if to == 'deleted' then
        redis.call('UNLINK', key, prefix .. 'log_' .. id, prefix .. 'history_' .. id)
        if task.edge_keys then
          redis.call('UNLINK', unpack(task.edge_keys))
        end
        if task.logged then
          cold(194)(id, task.logged)
        end
      end
      redis.call('ZREM', prefix .. 'tasks_' .. queue, id)
    else
      redis.call('HSET', key, 'status', to, 'updated', now, ...)
      local forget = task.forget or (task.cancel or task.recall) and to ~= 'started' and { 'cancel', 'recall' }
      if to ~= 'started' and not task.taker and (from == 'started' or from == 'reserved') then
        if forget then
          redis.call('HDEL', key, 'token', 'lease', 'request', unpack(forget))
        else
          redis.call('HDEL', key, 'token', 'lease', 'request')
        end
      elseif forget then
        redis.call('HDEL', key, unpack(forget))
      end
    end
    if task.ties then
      cold(52)(task, to)
      if task.tracked then
        cold(321)(task, to, why, by, ...)
      end
    end
    if to == 'failed' then
      cold(157)(task, now)
    elseif from == 'failed' then
      cold(158)(task)
    end
    if (from == 'started' or from == 'reserved') and by ~= task.node and to ~= 'started' then
      redis.call('XADD', prefix .. 'events_' .. queue, 'MAXLEN', '~', '100000', '*',
        'id', id, 'from', from, 'to', to, 'attempt', task.attempt, 'at', now, 'by', by, 'why', why,
        'since', task.since or '', 'node', task.node)
    elseif from == 'started' or to == 'started' and from == 'reserved' then
      redis.call('XADD', prefix .. 'events_' .. queue, '*', 'id', id, 'from', from, 'to', to, 'attempt', task.attempt,
        'at', now, 'by', by, 'why', why, 'since', task.since or '')
    else
      redis.call('XADD', prefix .. 'events_' .. queue, 'MAXLEN', '~', '100000', '*',
        'id', id, 'from', from or '', 'to', to, 'attempt', task.attempt, 'at', now, 'by', by, 'why', why,
        'since', from and task.since or '')
    end
    if task.wakes then
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
            if not namespace_declared or cold(206)(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if state_roams ~= '' then
            cold(297)(queue)
          end
        end
        redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
      end
    end
    if task.dependents or task.unsettled then
      cold(87)(task)
    end
  end
end
else
-- 303 state.enter_all
return function(tasks, to, why)
  local queue, prefix, now = tasks[1].queue, namespace_prefix, namespace_now
  local index = prefix .. to .. '_tasks_' .. queue
  local all, entries = {}, {}
  for i, task in ipairs(tasks) do
    all[2 * i - 1], all[2 * i] = now, task.id
    if to == 'pending' then
      entries[i] = task.id
    else
      entries[2 * i - 1], entries[2 * i] = to == 'scheduled' and task.eta or now, task.id
    end
  end
  redis.call('ZADD', prefix .. 'tasks_' .. queue, unpack(all))
  redis.call(to == 'pending' and 'LPUSH' or 'ZADD', index, unpack(entries))
  local events = prefix .. 'events_' .. queue
  for i = 1, #tasks do
    local task = tasks[i]
    redis.call('HSET', task.key, 'status', to, 'updated', now, 'created', now)
    if i == 1 then
      redis.call('XADD', events, 'MAXLEN', '~', '100000', '*', 'id', task.id, 'from', '', 'to', to, 'attempt', '0',
        'at', now, 'by', '', 'why', why, 'since', '')
    else
      redis.call('XADD', events, '*', 'id', task.id, 'from', '', 'to', to, 'attempt', '0', 'at', now, 'by', '',
        'why', why, 'since', '')
    end
  end
end
end
else
if number < 305 then
-- 304 steps.check
return function(value, what)
  local number = 0
  for name in string.gmatch(value .. ',', '([^,]*),') do
    number = number + 1
    if number > 100 then
      cold(252)('BADARG', what .. ' must be at most ' .. 100 .. ' queues')
    end
    cold(21)(name, what)
  end
  return value
end
else
if number < 306 then
-- 305 tags.key
return function(queue, tag)
  return namespace_prefix .. 'tag_' .. queue .. '/' .. tag
end
else
-- 306 tags.names
return function(text)
  local names = {}
  for tag in string.gmatch(text or '', '[^,]+') do
    names[#names + 1] = tag
  end
  return names
end
end
end
end
else
if number < 309 then
if number < 308 then
-- 307 tags.plan
return function(queue, text)
  cold(203)('ZCARD', cold(200)('tags', queue))
  for _, tag in ipairs(cold(306)(text)) do
    cold(203)('ZCARD', cold(305)(queue, tag))
  end
end
else
-- 308 tags.enter
return function(queue, id, created, text)
  for _, tag in ipairs(cold(306)(text)) do
    local key = cold(305)(queue, tag)
    redis.call('ZADD', key, created, id)
    redis.call('ZADD', cold(200)('tags', queue), redis.call('ZCARD', key), tag)
  end
end
end
else
if number < 310 then
-- 309 tags.remove
return function(key, counts, name, id)
  local left = redis.call('ZCARD', key)
  left = left - redis.call('ZREM', key, id)
  if left > 0 then
    redis.call('ZADD', counts, left, name)
  else
    redis.call('ZREM', counts, name)
  end
end
else
if number < 311 then
-- 310 tags.leave
return function(queue, id, text)
  for _, tag in ipairs(cold(306)(text)) do
    cold(309)(cold(305)(queue, tag), cold(200)('tags', queue), tag, id)
  end
end
else
-- 311 tags.without
return function(text, other)
  local names, others = {}, ',' .. (other or '') .. ','
  for tag in string.gmatch(text or '', '[^,]+') do
    if not string.find(others, ',' .. tag .. ',', 1, true) then
      names[#names + 1] = tag
    end
  end
  return table.concat(names, ',')
end
end
end
end
end
else
if number < 317 then
if number < 314 then
if number < 313 then
-- 312 tags.plan_swap
return function(task, had, wanted)
  task.tags_gone, task.tags_come = cold(311)(had, wanted), cold(311)(wanted, had)
  task.created = task.created or cold(250)(task.id)
  cold(307)(task.queue, task.tags_gone)
  cold(307)(task.queue, task.tags_come)
end
else
-- 313 tags.swap
return function(task)
  cold(310)(task.queue, task.id, task.tags_gone)
  cold(308)(task.queue, task.id, task.created, task.tags_come)
end
end
else
if number < 315 then
-- 314 tracks.all
return function()
  return namespace_prefix .. 'tracked'
end
else
if number < 316 then
-- 315 tracks.key
return function()
  return namespace_prefix .. 'changes'
end
else
-- 316 tracks.has
return function(task)
  return task.ties and string.find(task.ties, 'o', 1, true)
end
end
end
end
else
if number < 320 then
if number < 318 then
-- 317 tracks.plan
return function()
  cold(203)('XLEN', cold(315)())
  cold(203)('ZCARD', cold(314)())
end
else
if number < 319 then
-- 318 tracks.plan_note
return function(task)
  if cold(316)(task) then
    cold(317)()
  end
end
else
-- 319 tracks.add
return function(task, at, what, from, to, by, why, text)
  redis.call('XADD', cold(315)(), 'MAXLEN', '~', '10000', '*', 'id', task.id, 'queue', task.queue, 'what', what,
    'from', from or '', 'to', to, 'attempt', task.attempt, 'at', at, 'by', by or '', 'why', why,
    'text', string.sub(text or '', 1, 1024))
  redis.pcall('PUBLISH', cold(315)(), '')
end
end
end
else
if number < 321 then
-- 320 tracks.note
return function(task, what, by, text, why)
  if cold(316)(task) then
    cold(319)(task, namespace_now, what, task.status, task.status, by, why or what, text)
  end
end
else
if number < 322 then
-- 321 tracks.transition
return function(task, to, why, by, ...)
  local fields, text = { ... }, nil
  for i = 1, #fields, 2 do
    local name = fields[i]
    if name == 'error' or name == 'last_error' then
      text = string.sub(fields[i + 1], 1, 256)
    elseif name == 'reason' then
      text = fields[i + 1]
    end
  end
  cold(319)(task, cold(301)(task), 'state', task.status, to, by, why, text)
  if to == 'deleted' then
    cold(322)(task.id)
  end
end
else
-- 322 tracks.forget
return function(id)
  redis.call('ZREM', cold(314)(), id)
end
end
end
end
end
end
else
if number < 334 then
if number < 328 then
if number < 325 then
if number < 324 then
-- 323 walks.find
return function(graph)
  local v = redis.call('HMGET', cold(121)(graph.id), cold(130)())
  return v[1] and { graph = graph.id, total = graph.total, doing = v[1], at = tonumber(v[2]), task = v[3] or nil,
    reason = v[4] or '', force = v[5], changed = tonumber(v[6] or 0), refused = tonumber(v[7] or 0),
    part = v[8] or nil, tasks = {},
    marks = {}, left = {}, spec = { planned = {}, walks = true, deadline = v[9] or nil } } or nil
end
else
-- 324 walks.plan
return function(walk, limit)
  cold(203)('ZCARD', cold(125)(walk.graph))
  if walk.doing == 'cancel' then
    cold(334)(walk, limit)
  elseif walk.doing == 'anew' then
    cold(337)(walk, limit)
  elseif walk.doing == 'mark_anew' or walk.doing == 'mark_cancel' then
    cold(335)(walk)
  else
    cold(330)(walk, limit)
  end
end
end
else
if number < 326 then
-- 325 walks.page
return function(walk)
  return redis.call('LRANGE', cold(202)(cold(122)(walk.graph)), walk.at, walk.at + 300 - 1)
end
else
if number < 327 then
-- 326 walks.task
return function(walk, id)
  local task = cold(1)(id)
  return task and redis.call('HGET', task.key, 'graph') == walk.graph and task or nil
end
else
-- 327 walks.act
return function(walk, task, plan, act)
  if plan(task, walk.spec) then
    walk.refused = walk.refused + 1
  elseif task.to then
    task.act = act
    walk.tasks[#walk.tasks + 1] = task
  end
end
end
end
end
else
if number < 331 then
if number < 329 then
-- 328 walks.is_full
return function(walk, limit)
  return #walk.tasks >= limit or (walk.spec.entries or 0) > 20000
end
else
if number < 330 then
-- 329 walks.plan_next
return function(walk, again)
  walk.changed = walk.changed + #walk.tasks
  walk.next = walk.doing
  if walk.at >= walk.total then
    walk.next = again and walk.doing
    walk.pause = again and walk.changed == 0
    walk.at, walk.changed, walk.refused = 0, 0, 0
  end
end
else
-- 330 walks.plan_retries
return function(walk, limit)
  local spec = walk.spec
  spec.begun = {}
  for _, id in ipairs(cold(325)(walk)) do
    walk.at = walk.at + 1
    local task = cold(326)(walk, id)
    if task and cold(331)(walk, task) then
      if cold(249)(task) then
        cold(327)(walk, task, cold(332), cold(333))
      else
        cold(327)(walk, task, cold(10), cold(12))
      end
      spec.begun[id] = task.to and true
    end
    if cold(328)(walk, limit) then
      break
    end
  end
  cold(329)(walk, walk.refused > 0 and walk.changed + #walk.tasks > 0)
end
end
end
else
if number < 332 then
-- 331 walks.may_run_again
return function(walk, task)
  if not (task.status == 'failed' or task.status == 'cancelled' or cold(249)(task) and task.cancel) then
    return false
  elseif walk.doing == 'retry' then
    return true
  end
  local cause = redis.call('HGET', task.key, 'cause')
  local status = cause and redis.call('HGET', cold(200)('task', cause), 'status')
  return status and status ~= 'failed' and status ~= 'cancelled' or cause and walk.spec.begun[cause]
end
else
if number < 333 then
-- 332 walks.spare
return function(task)
  if cold(216)(task) == 'lost' then
    return cold(11)(task)
  elseif cold(59)(task) then
    return cold(58)()
  end
  task.to = 'recalling'
  cold(217)(task.queue)
  cold(318)(task)
end
else
-- 333 walks.do_spare
return function(task)
  cold(218)(task.queue, 't:' .. task.id, 'stop')
  redis.call('HDEL', task.key, 'cancel', 'discard', 'cause', 'reason')
  redis.call('HSET', task.key, 'recall', namespace_now)
  cold(320)(task, 'recall')
end
end
end
end
end
else
if number < 339 then
if number < 336 then
if number < 335 then
-- 334 walks.plan_cancels
return function(walk, limit)
  local spec = walk.spec
  spec.reason, spec.force, spec.discard = walk.reason, walk.force, true
  if not walk.task then
    cold(201)('on_failure')[walk.graph] = 'continue'
  end
  local from = -walk.at - 1
  local ids = redis.call('LRANGE', cold(202)(cold(122)(walk.graph)), from - 300 + 1, from)
  for i = #ids, 1, -1 do
    walk.at = walk.at + 1
    local ours = not walk.task or redis.call('ZSCORE', cold(125)(walk.graph), ids[i])
    local task = ours and cold(326)(walk, ids[i])
    if task and not cold(343)(task.status) then
      task.cause = walk.task ~= ids[i] and walk.task or nil
      cold(327)(walk, task, cold(7), cold(9))
    end
    if cold(328)(walk, limit) then
      break
    end
  end
  cold(329)(walk, false)
end
else
-- 335 walks.plan_marks
return function(walk)
  local after, entries = walk.doing == 'mark_cancel' and 'cancel' or 'anew', 0
  for _, id in ipairs(cold(325)(walk)) do
    local mark = redis.call('ZSCORE', cold(125)(walk.graph), id)
    local v = redis.call('HMGET', cold(200)('task', id), 'inputs', 'graph')
    local inputs = mark ~= '1' and id ~= walk.task and v[2] == walk.graph and v[1] or ''
    local page, rest = cold(99)(inputs, tonumber(walk.part or 1), 1000 - entries)
    entries = entries + #page
    local below = mark == '1' or id == walk.task or cold(336)(walk, page, after, mark == '2')
    walk.part = not below and rest or nil
    if walk.part then
      break
    end
    walk.at = walk.at + 1
    if below and mark ~= '1' then
      walk.marks[id], walk.changed = '1', walk.changed + 1
    end
    if entries >= 1000 then
      break
    end
  end
  walk.next = walk.doing
  if walk.at >= walk.total then
    walk.next = walk.changed > 0 and walk.doing or after
    walk.at, walk.changed = 0, 0
  end
end
end
else
if number < 337 then
-- 336 walks.hangs_below
return function(walk, page, after, any)
  local ids = {}
  for _, entry in ipairs(page) do
    if after == 'anew' or entry.kind ~= 'some' and cold(71)(entry.kind) then
      if walk.marks[entry.id] then
        return true
      end
      ids[#ids + 1] = entry.id
    end
  end
  for _, mark in pairs(cold(101)(cold(125)(walk.graph), ids)) do
    if mark and (any or mark ~= '0') then
      return true
    end
  end
  return false
end
else
if number < 338 then
-- 337 walks.plan_anew
return function(walk, limit)
  local spec = walk.spec
  spec.anew, spec.fresh, spec.reason, spec.discard = true, true, 'to run anew', true
  cold(203)('ZCARD', cold(67)())
  spec.chosen, spec.look, spec.wait = cold(125)(walk.graph), cold(102), cold(105)
  spec.graph = walk.graph
  for _, id in ipairs(cold(325)(walk)) do
    local part = walk.part
    walk.at, walk.part = walk.at + 1, nil
    local mark = redis.call('ZSCORE', spec.chosen, id)
    if mark == '1' or mark == '2' then
      local task = cold(326)(walk, id)
      if task then
        task.first = mark == '2'
      end
      if not task or not cold(338)(walk, task) then
        if task and not task.first and part ~= 'ready' and not cold(227)(task) and cold(16)(task) then
          cold(339)(walk, task, part)
          break
        end
        walk.marks[id] = '0'
        cold(340)(walk, task, part)
        if not task or cold(343)(task.status) and not task.to then
          walk.left[#walk.left + 1] = id
        end
      end
    end
    if cold(328)(walk, limit) then
      break
    end
  end
  cold(329)(walk, walk.refused > 0)
end
else
-- 338 walks.stops_first
return function(walk, task)
  local is_held = cold(249)(task)
  if not is_held and (task.first or task.status ~= 'pending' and task.status ~= 'scheduled') then
    return false
  end
  walk.refused = walk.refused + 1
  if not (is_held and redis.call('HGET', task.key, 'discard')) then
    cold(327)(walk, task, cold(7), cold(9))
  end
  return true
end
end
end
end
else
if number < 342 then
if number < 340 then
-- 339 walks.prepare_anew
return function(walk, task, part)
  cold(17)(task, walk.spec.chosen, part)
  walk.tasks[#walk.tasks + 1] = task
  walk.at, walk.part = walk.at - 1, task.piece.part
end
else
if number < 341 then
-- 340 walks.begin_anew
return function(walk, task, part)
  if task then
    task.prepared = part == 'ready'
  end
  if task and task.status == 'waiting' then
    cold(102)(task, walk.spec)
    task.act = cold(105)
    walk.tasks[#walk.tasks + 1] = task
  elseif task and cold(343)(task.status) then
    cold(327)(walk, task, cold(10), cold(12))
  end
end
else
-- 341 walks.run
return function(walk)
  for id, mark in pairs(walk.marks) do
    redis.call('ZADD', cold(125)(walk.graph), mark, id)
  end
  for _, id in ipairs(walk.left) do
    redis.call('ZADD', cold(67)(), namespace_now, id)
  end
  local wakes = {}
  for _, task in ipairs(walk.tasks) do
    walk.spec.cause = task.cause
    task.act(task, walk.spec)
    wakes[#wakes + 1] = walk.spec.wakes ~= wakes[#wakes] and walk.spec.wakes or nil
  end
  for _, queue in ipairs(wakes) do
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
          if not namespace_declared or cold(206)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(297)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
  local key = cold(121)(walk.graph)
  if walk.next then
    redis.call('HSET', key, 'doing', walk.next, 'at', walk.at, 'changed', walk.changed, 'refused', walk.refused,
      unpack(walk.part and { 'part', walk.part } or {}))
    if not walk.part then
      redis.call('HDEL', key, 'part')
    end
    local from = namespace_now_us + (walk.pause and 1000000 or 0)
    redis.call('ZADD', cold(124)(), cold(195)(from), walk.graph)
  else
    redis.call('HDEL', key, cold(130)())
    redis.call('UNLINK', cold(125)(walk.graph))
  end
end
end
end
else
if number < 343 then
-- 342 contract.is_waiting
return function(status)
  return status == 'waiting' or status == 'scheduled' or status == 'pending'
end
else
if number < 344 then
-- 343 contract.is_final
return function(status)
  return status == 'complete' or status == 'failed' or status == 'cancelled'
end
else
-- 344 contract.task_option
return function(name, value)
  if name == 'method' or name == 'key' or name == 'unique' then
    return cold(21)(value, name)
  elseif name == 'priority' then
    return cold(29)(value, name)
  elseif name == 'max_failures' then
    return cold(25)(value, 0, 1000, name) and value
  elseif name == 'backoff' then
    return cold(22)(value, ' exponential fixed ', name)
  elseif name == 'delay' or name == 'max_delay' or name == 'lost_delay' then
    return cold(26)(value, 0, 31536000, name) and value
  elseif name == 'jitter' then
    return cold(25)(value, 0, 100, name) and value
  elseif name == 'max_losses' then
    return cold(25)(value, 0, 1000000000, name) and value
  elseif name == 'max_releases' then
    return cold(25)(value, 0, 1000000, name) and value
  elseif name == 'lease' then
    return cold(26)(value, 1, 604800, name) and value
  elseif name == 'weight' then
    return cold(25)(value, 1, 1000, name) and value
  elseif name == 'needs' then
    return cold(30)(value, name)
  elseif name == 'limits' then
    return cold(281)(value, name)
  elseif name == 'unique_until' then
    return cold(31)(value, name)
  elseif name == 'unique_policy' then
    return cold(22)(value, ' reject existing replace latest ', name)
  elseif name == 'tags' then
    return cold(32)(value, name)
  elseif name == 'deadline' then
    return cold(26)(value, 0, 100000000000, name) and value
  elseif name == 'max_bytes' then
    return cold(25)(value, 0, 8388608, name)
  elseif name == 'log_bytes' then
    return cold(25)(value, 0, 268435456, name) and value
  elseif name == 'steps' then
    return cold(304)(value, name)
  end
end
end
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
  return settling_settle(contract_arguments())
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(255)(answer)
