--- Does the next part of what is to be done beside tasks: for the namespace what `tick` and `settle` do, for each of these queues what `promote`, `requeue_orphans`, `tally`, `retain` and `mend` do, in turn, every two seconds, whoever calls. An error of one part is replied and keeps nothing else from being done.
-- @args now count queue*count
-- @role upkeep
-- @again goes on
-- @reply the part that was done, or an empty string; how much it did; 1 if something is due at once; when the next is due, in seconds; the error of the part, or an empty string; then for each cron schedule that needs more slots its name, its rhythm, and after what time
-- @errors
-- @noted CLOSED DUPLICATE OVERDUE STATE NOLIMIT TOOMANY OTHERQUEUE STOPPING UPSTREAM

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(334)('BADARG', 'missing argument: ' .. what)
end

local edges_readied = false

local mending_queue = ''

local mending_mended = 0

local mending_suspected = 0

local mending_leased = false

local mending_valid_claims = {}

local mending_writes = {}

local mending_moves = {}

local mending_entering = {}

local mending_noted = {}

local mending_moved = {}

local mending_freed = {}

local mending_recounted = {}

local mending_named = {}

local mending_expired = {}

local mending_unlogged = {}

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
      clock = cold(268)()
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
      cold(269)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(270)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(271)(floor)
    end
  end
  return found
end

local state_asleep = false

local state_roams = false

local function contract_arguments()
  local count = cold(26)(args_next('count'), 0, 32, 'count')
  return count
end

function cold(number)
if number < 246 then
if number < 123 then
if number < 62 then
if number < 31 then
if number < 16 then
if number < 8 then
if number < 4 then
if number < 2 then
-- 1 actions.find
return function(id)
  return cold(323)(id, 'outcome', 'created', 'eta', 'front', 'retry_eta', 'schedule')
end
else
if number < 3 then
-- 2 actions.refuse
return function(task, allowed)
  return 'STATE', 'the task is ' .. task.status .. '; this is for one that is ' .. allowed
end
else
-- 3 actions.plan
return function(task, to, spec)
  task.to = to
  task.later = spec.planned ~= nil
  local kind = task.status .. ' ' .. to
  if not cold(324)(task) then
    cold(5)(task, spec)
    local plain = spec.planned and not task.ties and not task.foreign
    if plain and spec.planned[kind] then
      return cold(413)(task, to)
    elseif plain then
      spec.planned[kind] = true
    end
  end
  cold(412)(task, to)
end
end
end
else
if number < 6 then
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
    cold(42)(task)
    spec.entries = spec.entries + 400 + 100 * #cold(437)(task.tags)
  end
  if task.status == 'scheduled' or task.status == 'waiting' or task.rank then
    return
  end
  local list = cold(272)(task.status .. '_tasks', task.queue)
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
      unpack(redis.call('HMGET', cold(272)('task', middle), 'status', 'updated', 'front')))
  end
  local own = cold(4)(task.status, task.since, task.extra[4])
  task.from_end = own <= known.middle and -1 or 1
  spec.entries = spec.entries + known.length / 2
end
end
else
if number < 7 then
-- 6 actions.unique
return function(task, spec)
  if not task.ties then
    return true
  end
  cold(42)(task)
  if not task.unique then
    return true
  end
  spec.claimed = spec.claimed or {}
  if cold(47)(task) or spec.claimed[task.unique] then
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
  elseif cold(489)(task.status) then
    return cold(2)(task, 'waiting, scheduled, pending, reserved or started')
  elseif cold(324)(task) and not cold(8)(task, spec) then
    local order = spec.force and 'lost' or 'cancel'
    local given = cold(288)(task)
    task.to = given ~= 'lost' and (given ~= order or spec.discard) and 'cancelling'
    task.order = order
    cold(289)(task.queue)
    cold(450)(task)
    return
  end
  cold(3)(task, 'cancelled', spec)
end
end
end
end
else
if number < 12 then
if number < 10 then
if number < 9 then
-- 8 actions.frees
return function(task, spec)
  return spec.at_once or spec.force and task.token == ''
end
else
-- 9 actions.do_cancel
return function(task, spec)
  if task.to == 'cancelling' then
    cold(290)(task.queue, 't:' .. task.id, task.order)
    redis.call('HSET', task.key, 'cancel', task.cancel or namespace_now,
      unpack(task.cancel and spec.reason == '' and {} or { 'reason', spec.reason }))
    if spec.discard then
      redis.call('HSET', task.key, 'discard', '1', unpack(spec.cause and { 'cause', spec.cause } or {}))
    end
    cold(452)(task, 'cancel', spec.by, spec.reason)
  elseif cold(324)(task) then
    cold(415)(task, 'cancelled', 'cancel', '', 'reason', spec.reason, 'ended', task.token, 'outcome', 'lost')
    cold(291)(task.queue)
  elseif spec.cause then
    cold(415)(task, 'cancelled', 'cancel', '', 'reason', spec.reason, 'cause', spec.cause)
  else
    cold(415)(task, 'cancelled', 'cancel', '', 'reason', spec.reason)
  end
end
end
else
if number < 11 then
-- 10 actions.retry
return function(task, spec)
  if (task.status == 'pending' or task.status == 'waiting') and task.extra[1] == 'retry' then
    return
  elseif cold(324)(task) and task.cancel then
    return cold(11)(task)
  elseif task.status ~= 'failed' and task.status ~= 'cancelled' and not (spec.anew and task.status == 'complete') then
    return cold(2)(task, 'failed or cancelled')
  elseif spec.elsewhere and spec.queue ~= task.queue then
    return spec.elsewhere(task, spec)
  elseif not cold(6)(task, spec) then
    return 'DUPLICATE', 'another task has this unique name; get its id with the policy existing, or wait until it ends, starts, or its time passes'
  end
  if task.ties and string.find(task.ties, 'w', 1, true) then
    local code, text = (spec.look or cold(110))(task, spec)
    if code then
      return code, text
    end
  end
  if task.ties or spec.deadline then
    local code, text = cold(79)(task, spec.deadline)
    if code then
      return code, text
    end
  end
  if task.ties and not spec.walks and string.find(task.ties, 'g', 1, true) then
    cold(42)(task)
    cold(155)(task)
  end
  if task.extra[6] then
    cold(366)(task, task.extra[6])
  end
  cold(3)(task, task.again_edges and task.again_edges.to or 'pending', spec)
end
else
-- 11 actions.stopping
return function(task)
  local deadline = tonumber(redis.call('ZSCORE', cold(272)('leases', task.queue), cold(326)(task)) or nil)
  local till = deadline and cold(288)(task) == 'lost' and 'until ' .. cold(267)(deadline)
      .. ' at the latest'
    or 'until its owner has stopped it'
  return 'STOPPING', 'the task is being cancelled and its program may still run, ' .. till
    .. ': repeat the call then'
end
end
end
else
if number < 14 then
if number < 13 then
-- 12 actions.do_retry
return function(task, spec)
  task.forget = { 'error', 'group', 'last_error', 'last_group', 'reason', 'cause', 'discard', 'cascade', 'front',
    'uncounted', 'fruitless', cold(406)() }
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
    cold(415)(task, task.to, 'retry', '', unpack(stale))
    spec.wakes = task.queue
  end
  if task.again_edges then
    (spec.wait or cold(112))(task)
  end
  if task.repairs then
    cold(153)(task.graph, 'repair')
  end
  if task.again then
    cold(367)(task)
  end
end
else
-- 13 actions.destination
return function(spec)
  if not spec.known then
    spec.known = redis.call('ZSCORE', cold(274)(namespace_prefix .. 'queues'), spec.queue) and 'old' or 'new'
    spec.closed = cold(375)(spec.queue, 'closed') == '1'
    spec.needs, spec.different = {}, redis.call('HLEN', cold(272)('needs', spec.queue))
  end
  if spec.closed then
    return 'CLOSED', 'the other queue is closed: set its setting closed to 0'
  end
end
end
else
if number < 15 then
-- 14 actions.arrive
return function(task, spec, why, ...)
  local other = task.other
  local forget = other.forget
  cold(415)(task, 'moved', why, spec.by or '')
  forget[#forget + 1] = 'front'
  forget[#forget + 1] = 'readied'
  if task.status ~= 'scheduled' then
    forget[#forget + 1] = 'promoted'
  end
  cold(415)(other, other.to, 'move', '', 'queue', other.queue, 'attempt', other.attempt, ...)
  spec.wakes = other.to == 'pending' and other.queue or spec.wakes
  if spec.known == 'new' then
    redis.call('ZADD', namespace_prefix .. 'queues', 0, other.queue)
    spec.known = 'old'
  end
end
else
-- 15 actions.run
return function(act, tasks, spec)
  cold(279)()
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
          if not namespace_declared or cold(278)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(410)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
end
end
end
end
else
if number < 23 then
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
  cold(275)('HLEN', cold(80)(task.id))
  local whole = redis.call('HMGET', task.key, 'slots', 'parameters', 'inputs')
  if whole[1] and redis.call('HEXISTS', cold(274)(cold(82)(task.id)), 'slots') == 0 then
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
if number < 21 then
if number < 20 then
-- 19 anew.look
return function(task, piece, chosen, inputs, from)
  local page, rest = cold(117)(inputs, from, 1000)
  local ids, slots = {}, {}
  for i, entry in ipairs(page) do
    ids[i] = entry.id
  end
  local marks = cold(119)(chosen, ids)
  local known = ids[1] and redis.call('HMGET', cold(80)(task.id), unpack(ids)) or {}
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
  local own = cold(274)(cold(82)(task.id))
  piece.less, piece.frees = 0, 0
  for i, text in ipairs(slots[1] and redis.call('HMGET', own, unpack(slots)) or {}) do
    if text then
      piece.forget[#piece.forget + 1], piece.less = slots[i], piece.less + #text
      piece.frees = piece.frees + cold(159)(#text)
    end
  end
  piece.part = rest and 'inputs/' .. rest or 'ready'
end
else
-- 20 anew.run
return function(task, spec)
  local piece, own = task.piece, cold(82)(task.id)
  if piece.texts[1] then
    redis.call('HSET', own, unpack(piece.texts))
  end
  if piece.slots then
    redis.call('HSET', own, 'slots', piece.slots, 'bytes', piece.bytes)
    redis.call('HSET', task.key, 'parameters', '')
    redis.call('HDEL', task.key, 'slots')
  end
  if piece.open[1] then
    redis.call('HSET', cold(80)(task.id), unpack(piece.open))
  end
  if piece.forget[1] then
    redis.call('HDEL', own, unpack(piece.forget))
    redis.call('HINCRBY', own, 'bytes', -piece.less)
    redis.call('HINCRBY', cold(142)(spec.graph), 'bytes', 0 - piece.frees)
  end
end
end
else
if number < 22 then
-- 21 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(334)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 22 args.different_queues
return function(count)
  local queues, named = {}, {}
  for i = 1, count do
    local queue = cold(21)(args_next('queue'), 'queue')
    if named[queue] then
      cold(334)('BADARG', 'a queue is named twice in one call')
    end
    queues[i], named[queue] = queue, true
  end
  return queues
end
end
end
end
else
if number < 27 then
if number < 25 then
if number < 24 then
-- 23 args.word
return function(value, words, what)
  if not cold(25)(value, words) then
    cold(334)('BADARG', what .. ' must be ' .. cold(24)(words, 'or'))
  end
  return value
end
else
-- 24 args.listed
return function(words, last)
  local list = string.gsub(string.sub(words, 2, -2), ' ', ', ')
  return (string.gsub(list, ', (%S+)$', ' ' .. last .. ' %1'))
end
end
else
if number < 26 then
-- 25 args.among
return function(value, words)
  return string.find(value, '^[%l_]+$') and string.find(words, ' ' .. value .. ' ') ~= nil
end
else
-- 26 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(334)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
end
end
else
if number < 29 then
if number < 28 then
-- 27 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(334)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
-- 28 args.none
return function()
  if #ARGV > args_at then
    cold(334)('BADARG', 'too many arguments: this command takes no options')
  end
end
end
else
if number < 30 then
-- 29 args.before
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
-- 30 args.priority
return function(value, what)
  if #value > 5 or not string.find(value, '^%-?%d+$') or math.abs(tonumber(value)) > 1000 then
    cold(334)('BADARG', what .. ' must be a whole number from ' .. (-1000) .. ' to '
      .. 1000)
  end
  return string.format('%d', tonumber(value))
end
end
end
end
end
end
else
if number < 46 then
if number < 38 then
if number < 34 then
if number < 32 then
-- 31 args.needs
return function(value, what)
  local wanted = {}
  for need in string.gmatch(#value <= 256 and value .. ',' or '', '([^,]*),') do
    local name, operator, number = string.match(need, '^([%w_.-]+)([<>=]*)(.*)$')
    local fits = name and #name <= 64 and (operator == '' and number == ''
      or string.find(' >= <= > < = ', ' ' .. operator .. ' ') and #number <= 16 and string.find(number, '^%d+%.?%d*$'))
    if not fits then
      cold(334)('BADARG', what .. ' must be names, each with an operator (>= <= > < =) and a number or without,'
        .. ' separated by commas')
    end
    wanted[#wanted + 1] = need
  end
  if #wanted > 8 or #value > 256 then
    cold(334)('BADARG', what .. ' may be ' .. 8 .. ' at most, in ' .. 256
      .. ' characters')
  end
  table.sort(wanted, cold(29))
  return table.concat(wanted, ',')
end
else
if number < 33 then
-- 32 args.unique_until
return function(value, what)
  if value ~= 'start' and value ~= 'end' then
    cold(27)(value, 1, 31536000, what)
  end
  return value
end
else
-- 33 args.tags
return function(value, what)
  local names, seen, number = {}, {}, 0
  for tag in string.gmatch(value .. ',', '([^,]*),') do
    cold(21)(tag, what)
    number = number + 1
    if number > 16 then
      cold(334)('TOOMANY', 'a task has ' .. 16 .. ' tags at most')
    elseif not seen[tag] then
      names[#names + 1], seen[tag] = tag, true
    end
  end
  table.sort(names, cold(29))
  return table.concat(names, ',')
end
end
end
else
if number < 36 then
if number < 35 then
-- 34 audit.key
return function()
  return namespace_prefix .. 'audit'
end
else
-- 35 audit.plan
return function()
  cold(275)('XLEN', cold(34)())
end
end
else
if number < 37 then
-- 36 audit.add
return function(by, what, of, on, before, after, detail)
  local function cut(text)
    return string.sub(text or '', 1, 256)
  end
  redis.call('XADD', cold(34)(), 'MAXLEN', '~', cold(375)('*', 'audit'), '*', 'at', namespace_now, 'by', by or '',
    'what', what, 'of', of, 'on', on, 'before', cut(before), 'after', cut(after), 'detail', cut(detail))
end
else
-- 37 cascades.plan_begin
return function(task)
  local known = task.broken and 1 or 0
  if cold(149)(task.graph) == 'cancel' and redis.call('HLEN', cold(80)(task.id)) > known then
    cold(275)('ZCARD', cold(83)())
    task.unsettled, task.cascades = true, true
  end
end
end
end
end
else
if number < 42 then
if number < 40 then
if number < 39 then
-- 38 cascades.plan
return function(task, from, limit)
  local cursor, offset = string.match(from, '^(%d+)/?(%d*)$')
  offset = tonumber(offset) or 0
  local found = redis.call('HSCAN', cold(80)(task.id), cursor, 'COUNT', limit)
  local page, step = found[2], { tasks = {}, left = {} }
  local ended = task.status == 'failed' and ' failed' or ' was cancelled'
  step.spec = { planned = {}, reason = 'not needed: ' .. task.id .. ended, cause = task.cause or task.id,
    discard = true }
  local last = math.min(#page / 2, offset + limit)
  if cold(149)(task.graph) ~= 'cancel' then
    page, found[1], last = {}, '0', 0
  end
  for i = offset + 1, last do
    local id, kind = page[2 * i - 1], string.match(page[2 * i], '^%l+')
    if cold(88)(kind) then
      cold(39)(task, id, step)
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
else
-- 39 cascades.plan_one
return function(down, id, step)
  local up = cold(1)(id)
  if not up or cold(489)(up.status) or not up.ties then
    return
  end
  cold(42)(up)
  cold(275)('ZCARD', cold(81)(id))
  step.left[#step.left + 1] = id
  local score = redis.call('ZSCORE', cold(81)(id), down.id)
  up.knowing = score and string.sub(score, 1, 1) ~= '-' and 1 or 0
  if up.graph == down.graph and id ~= step.spec.cause and not cold(40)(id, down.id)
    and not cold(7)(up, step.spec) and up.to then
    step.tasks[#step.tasks + 1] = up
  end
end
end
else
if number < 41 then
-- 40 cascades.is_needed
return function(id, other)
  local dependents = redis.call('ZRANGEBYSCORE', cold(81)(id), '(0', 'inf', 'LIMIT', 0, 100 + 2)
  for _, dependent in ipairs(dependents) do
    local status = dependent ~= other and redis.call('HGET', cold(272)('task', dependent), 'status')
    if status and not cold(489)(status) then
      local kind = string.match(redis.call('HGET', cold(80)(dependent), id) or '', '^%l+')
      if kind and cold(88)(kind) then
        return true
      end
    end
  end
  return #dependents > 100 + 1
end
else
-- 41 cascades.run
return function(task, step)
  for _, id in ipairs(step.left) do
    redis.call('ZADD', cold(81)(id), '-' .. namespace_now, task.id)
  end
  for _, up in ipairs(step.tasks) do
    cold(9)(up, step.spec)
  end
  cold(116)(task, step.after)
end
end
end
else
if number < 44 then
if number < 43 then
-- 42 claims.load
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
-- 43 claims.assign
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
end
else
if number < 45 then
-- 44 claims.name_holders
return function(queue, name)
  local v = redis.call('HMGET', cold(274)(cold(272)('unique', queue)), name, '/' .. name)
  local id, till = string.match(v[1] or '', '^(%S+) (%S+)$')
  return id, till, string.match(v[2] or '', '^(%S+) ')
end
else
-- 45 claims.has_latest_policy
return function(task)
  return task.solo and task.unique and task.unique == task.fair_key
end
end
end
end
end
else
if number < 54 then
if number < 50 then
if number < 48 then
if number < 47 then
-- 46 claims.still_holds_name
return function(queue, id, name, till)
  local status, where, own, solo, key = unpack(redis.call('HMGET', namespace_prefix .. 'task_' .. id,
    'status', 'queue', 'unique', 'solo', 'key'))
  if where ~= queue or own ~= (till == 'kept' and string.sub(name, 2) or name) then
    return false
  end
  local latest = solo and key == own
  return cold(488)(status)
    or till ~= 'kept' and (status == 'reserved' and not latest or status == 'started' and till ~= 'start')
end
else
-- 47 claims.name_conflict
return function(task)
  local id, till = cold(44)(task.queue, task.unique)
  if not id or id == task.id then
    return nil
  elseif tonumber(till) then
    return tonumber(till) > namespace_now_us and id or nil
  end
  return cold(46)(task.queue, id, task.unique, till) and id or nil
end
end
else
if number < 49 then
-- 48 claims.drained_at_checkpoint
return function(task, reason)
  if reason ~= 'drain' then
    local given = redis.call('HMGET', cold(272)('orders', task.queue), 'q', 'l:' .. task.node, 't:' .. task.id)
    if not given[1] and not given[2] and given[3] ~= 'stop' then
      return false
    end
  end
  return redis.call('HEXISTS', namespace_prefix .. 'task_' .. task.id, 'checkpoint') == 1
end
else
-- 49 claims.state_after_release
return function(task, to, reason)
  if not task.ties or not string.find(task.ties, 'u') then
    return to
  end
  cold(42)(task)
  if not cold(45)(task) then
    return to
  end
  local field = task.queue .. ' ' .. task.unique
  local claimed = cold(273)('claimed')
  local _, _, kept = cold(44)(task.queue, task.unique)
  if reason and not cold(51)(task, kept) and cold(48)(task, reason) then
    task.keeps = true
    return to
  end
  task.replaced = claimed[field] or cold(47)(task)
  claimed[field] = claimed[field] or task.id
  return task.replaced and 'cancelled' or to
end
end
end
else
if number < 52 then
if number < 51 then
-- 50 claims.cancel_reason
return function(task)
  if task.replaced then
    return 'reason', 'replaced by ' .. task.replaced
  end
end
else
-- 51 claims.waiting_attempt
return function(task, id)
  local other = id and id ~= task.id and cold(323)(id)
  if other and other.queue == task.queue and cold(488)(other.status) then
    cold(42)(other)
    return other.unique == task.unique and other or nil
  end
end
end
else
if number < 53 then
-- 52 claims.opens_or_closes
return function(task, to)
  return not task.status or cold(489)(task.status) or cold(489)(to) or to == 'deleted'
end
else
-- 53 claims.plan
return function(task, to, taker)
  cold(42)(task)
  local held = task.status == 'reserved' or task.status == 'started'
  if task.ranked and (task.rank or to == 'pending') or task.limited and (held or taker) then
    cold(318)(task)
  end
  if task.limited and held and taker then
    cold(276)()
  end
  if task.shared and (taker or held and to ~= 'started') then
    cold(390)(task.shared, not taker and task.queue)
  end
  if task.shared and (cold(52)(task, to) or to == 'moved') then
    cold(54)(to)
  end
  if task.unique then
    cold(55)(task, to)
  end
  if task.tags and (not task.status or to == 'deleted' or to == 'moved') then
    cold(438)(task.queue, task.tags)
  end
  if to == 'deleted' and string.find(task.ties, '[wd]') then
    cold(99)(task)
  end
  if task.graph and task.status and cold(52)(task, to) then
    cold(275)('HLEN', cold(142)(task.graph))
    cold(275)('ZCARD', cold(147)())
    cold(274)(cold(143)(task.graph))
    task.bounds = to == 'deleted' and cold(171)(task.graph) or nil
  end
  if task.graph and task.status == 'waiting' and (to == 'failed' or to == 'cancelled') then
    cold(37)(task)
  end
  if task.end_by and cold(52)(task, to) then
    cold(275)('ZCARD', cold(69)())
  end
  if string.find(task.ties, 'd', 1, true) and task.status and not cold(489)(task.status)
    and (cold(489)(to) or to == 'deleted') then
    cold(96)(task, to)
  end
  if task.tracked then
    cold(449)()
  end
  if string.find(task.ties, 'a', 1, true) and task.status and (cold(489)(to) or to == 'deleted') then
    cold(127)(task, to)
  end
end
end
end
end
else
if number < 58 then
if number < 56 then
if number < 55 then
-- 54 claims.plan_shared
return function(to)
  if to == 'moved' then
    cold(276)()
  end
  cold(395)()
end
else
-- 55 claims.plan_name
return function(task, to)
  local taken = cold(407)(task, to) and cold(45)(task)
  if (to == 'reserved' or to == 'started') and not taken and not (to == 'started' and task.till == 'start') then
    return
  end
  cold(275)('HLEN', cold(272)('unique', task.queue))
  if tonumber(task.till) then
    cold(275)('ZCARD', cold(272)('timed', task.queue))
  end
  task.holder, task.held_till, task.kept = cold(44)(task.queue, task.unique)
  if taken and task.status == 'pending' then
    task.older = cold(51)(task, task.kept)
    if task.older then
      cold(412)(task.older, 'cancelled')
    end
  end
end
end
else
if number < 57 then
-- 56 claims.take_name
return function(task)
  local unique, till = cold(272)('unique', task.queue), task.till
  if task.keeps then
    redis.call('HSET', unique, '/' .. task.unique, task.id .. ' kept')
    return
  elseif tonumber(till) then
    till = task.ends or string.format('%.0f', namespace_now_us + tonumber(till) * 1000000)
    redis.call('ZADD', cold(272)('timed', task.queue), till, task.unique)
  end
  redis.call('HSET', unique, task.unique, task.id .. ' ' .. till)
end
else
-- 57 claims.release_name
return function(task, to)
  local unique, timed = cold(272)('unique', task.queue), tonumber(task.held_till)
  if task.holder == task.id and (not timed or to == 'moved') then
    redis.call('HDEL', unique, task.unique)
    if timed then
      redis.call('ZREM', cold(272)('timed', task.queue), task.unique)
    end
  end
  if task.kept == task.id then
    redis.call('HDEL', unique, '/' .. task.unique)
  end
end
end
end
else
if number < 60 then
if number < 59 then
-- 58 claims.expired_names
return function(queue, limit)
  cold(275)('HLEN', cold(272)('unique', queue))
  local timed = cold(274)(cold(272)('timed', queue))
  local expired = {}
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', timed, '-inf', string.format('%.0f', namespace_now_us),
    'LIMIT', 0, limit)) do
    local _, till = cold(44)(queue, name)
    expired[#expired + 1] = { name = name, free = tonumber(till) and tonumber(till) <= namespace_now_us }
  end
  return expired
end
else
-- 59 claims.release_expired_names
return function(queue, expired)
  for _, held in ipairs(expired) do
    if held.free then
      redis.call('HDEL', cold(272)('unique', queue), held.name)
    end
    redis.call('ZREM', cold(272)('timed', queue), held.name)
  end
end
end
else
if number < 61 then
-- 60 claims.move_name
return function(task, to)
  local from, latest = task.status, cold(45)(task)
  local back = (from == 'reserved' or from == 'started') and cold(488)(to)
  local ends = cold(489)(to) or to == 'deleted' or to == 'moved'
  if ends or to == 'started' and task.till == 'start' or latest and cold(407)(task, to) then
    cold(57)(task, to)
  elseif not from or task.restarts or (from == 'failed' or from == 'cancelled') and not tonumber(task.till)
    or latest and back then
    cold(56)(task)
  end
  if task.older then
    cold(415)(task.older, 'cancelled', 'replaced', '', 'reason', 'replaced by ' .. task.id)
  end
end
else
-- 61 claims.move
return function(task, to)
  if not task.bound then
    return
  end
  local from = task.status
  local held = from == 'reserved' or from == 'started'
  local back = held and task.ranked and to == 'pending'
  if back then
    cold(320)(task)
  end
  if task.limited and held and to ~= 'started' then
    cold(215)(task.queue, task.id, task.token)
  end
  if task.rank and not back then
    cold(322)(task, to)
    task.rank = nil
  elseif task.limited and cold(407)(task, to) then
    cold(213)(task)
    if task.fair_key then
      cold(138)(task.queue, task.fair_key)
    end
  end
  if task.ranked and to == 'pending' and not back then
    cold(320)(task)
  end
  if task.shared then
    cold(400)(task, to)
  end
  if task.further_shared then
    cold(396)(task.further_shared, -1)
  end
  if task.tags and not from then
    cold(439)(task.queue, task.id, task.created, task.tags)
  elseif task.tags and (to == 'deleted' or to == 'moved') then
    cold(441)(task.queue, task.id, task.tags)
  end
  if task.unique then
    cold(60)(task, to)
  end
  if task.end_by and cold(52)(task, to) then
    if cold(489)(to) or to == 'deleted' or to == 'moved' then
      redis.call('ZREM', cold(69)(), task.id)
    else
      redis.call('ZADD', cold(69)(), task.end_by, task.id)
    end
  end
  if task.graph then
    cold(175)(task, to)
  end
end
end
end
end
end
end
end
else
if number < 92 then
if number < 77 then
if number < 69 then
if number < 65 then
if number < 63 then
-- 62 creation.spec
return function(options)
  local fields = {}
  local spec = { fields = fields, max_bytes = options.max_bytes, policy = options.unique_policy,
    unique = options.unique }
  if not options.unique and (options.unique_until or options.unique_policy) then
    cold(334)('BADARG', 'unique_until and unique_policy need the option unique')
  end
  local priority, key, till = options.priority ~= '0' and options.priority or nil, options.key,
    options.unique_until or 'end'
  if options.unique_policy == 'latest' then
    if key or options.unique_until then
      cold(334)('BADARG', 'the policy latest sets key and unique_until: leave them out')
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
else
if number < 64 then
-- 63 creation.apply
return function(task, spec)
  task.ties = spec.ties
  task.begins = task.edges and (task.edges[1] or task.joins) and 'waiting' or task.eta and 'scheduled' or 'pending'
  if spec.ties then
    cold(43)(task, spec.claims)
  end
  if task.end_by then
    cold(73)(task.end_by)
  end
  return task.begins
end
else
-- 64 creation.conflict
return function(task, spec)
  local id = cold(47)(task)
  if not id then
    return nil
  end
  local rival = cold(323)(id, 'unique')
  local here = rival and rival.queue == task.queue and rival.extra[1] == task.unique
  local policy = spec.policy or 'reject'
  local waits = here and cold(488)(rival.status)
  if not here and policy ~= 'reject' then
    return nil
  elseif policy == 'existing' then
    return id
  elseif waits and (policy == 'replace' or policy == 'latest') then
    cold(276)()
    return id, rival
  end
  cold(334)('DUPLICATE', 'another task has this unique name; get its id with the policy existing, or wait until it ends, starts, or its time passes')
end
end
end
else
if number < 67 then
if number < 66 then
-- 65 creation.plan
return function(task)
  if task.needs or task.shared then
    cold(66)(task.queue, cold(282)(task))
  end
  cold(53)(task, task.begins)
end
else
-- 66 creation.require_few_needs
return function(queue, wanted)
  if not cold(284)(queue, wanted) and redis.call('HLEN', cold(272)('needs', queue)) >= 64 then
    cold(334)('TOOMANY', 'the tasks that wait in this queue have 64 different needs and sets of shared limits'
      .. ' already: `why` and doctor name needs that no listener has: cancel such tasks, or start a listener for them')
  end
end
end
else
if number < 68 then
-- 67 creation.insert
return function(task, spec, why)
  local more = spec.fields
  if task.eta then
    more = { 'eta', task.eta, unpack(spec.fields) }
  end
  cold(415)(task, task.begins, why, '',
    'queue', task.queue, 'parameters', task.parameters, 'created', task.created, 'attempt', '0', unpack(more))
  if task.begins == 'waiting' then
    cold(95)({ task })
  end
  if task.joins then
    cold(194)(task.id)
  end
end
else
-- 68 creation.require_open
return function(own, common)
  if cold(374)(own, common, 'closed') == '1' then
    cold(334)('CLOSED', 'this queue is closed: set its setting closed to 0')
  end
end
end
end
end
else
if number < 73 then
if number < 71 then
if number < 70 then
-- 69 deadlines.key
return function()
  return namespace_prefix .. 'deadlines'
end
else
-- 70 deadlines.has
return function(task)
  return task.ties and string.find(task.ties, 'e', 1, true)
end
end
else
if number < 72 then
-- 71 deadlines.is_past
return function(end_by)
  return tonumber(end_by) * 1000000 <= namespace_now_us
end
else
-- 72 deadlines.refusal
return function()
  return 'OVERDUE', 'the deadline of the task has passed: give it a later one with the option deadline'
end
end
end
else
if number < 75 then
if number < 74 then
-- 73 deadlines.require_ahead
return function(end_by)
  if cold(71)(end_by) then
    cold(334)(cold(72)())
  end
end
else
-- 74 deadlines.decided
return function(task)
  if not task.cancel or not cold(70)(task) then
    return false
  end
  cold(42)(task)
  return task.end_by ~= nil and tonumber(task.cancel) >= tonumber(task.end_by)
end
end
else
if number < 76 then
-- 75 deadlines.forgotten
return function()
  return { 'cancel', 'recall', 'reason' }
end
else
-- 76 deadlines.plan
return function(limit)
  local ids = redis.call('ZRANGEBYSCORE', cold(274)(cold(69)()), '-inf', namespace_now, 'LIMIT', 0,
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
      cold(77)(task, spec)
      step.tasks[#step.tasks + 1] = task.to and task
    end
    if spec.entries > 20000 then
      break
    end
  end
  return step
end
end
end
end
end
else
if number < 84 then
if number < 80 then
if number < 78 then
-- 77 deadlines.plan_one
return function(task, spec)
  if cold(489)(task.status) or not cold(70)(task) then
    return
  end
  cold(42)(task)
  if not task.end_by or not cold(71)(task.end_by) then
    return
  elseif not cold(324)(task) then
    task.group = 'deadline'
    cold(3)(task, 'failed', spec)
  elseif not task.cancel then
    task.to = 'stopping'
    cold(289)(task.queue)
    cold(450)(task)
  end
end
else
if number < 79 then
-- 78 deadlines.run
return function(step)
  redis.call('ZREM', cold(69)(), unpack(step.ids))
  for _, task in ipairs(step.tasks) do
    if task.to == 'stopping' then
      cold(290)(task.queue, 't:' .. task.id, 'cancel')
      redis.call('HSET', task.key, 'cancel', namespace_now)
      cold(452)(task, 'cancel', '', 'its deadline has passed', 'deadline')
    else
      cold(415)(task, 'failed', 'deadline', '', 'group', 'deadline', 'error', 'its deadline has passed')
    end
  end
end
else
-- 79 deadlines.plan_retry
return function(task, end_by)
  if cold(70)(task) then
    cold(42)(task)
  elseif end_by then
    task.ties = (task.ties or '') .. 'e'
    cold(42)(task)
  end
  task.new_end = end_by
  task.end_by = end_by or task.end_by
  if task.end_by and cold(71)(task.end_by) then
    return cold(72)()
  end
end
end
end
else
if number < 82 then
if number < 81 then
-- 80 edges.upstreams
return function(id)
  return namespace_prefix .. 'upstreams_' .. id
end
else
-- 81 edges.dependents
return function(id)
  return namespace_prefix .. 'dependents_' .. id
end
end
else
if number < 83 then
-- 82 edges.inputs
return function(id)
  return namespace_prefix .. 'inputs_' .. id
end
else
-- 83 edges.unsettled
return function()
  return namespace_prefix .. 'unsettled'
end
end
end
end
else
if number < 88 then
if number < 86 then
if number < 85 then
-- 84 edges.slots
return function(text)
  local slots = {}
  for slot in string.gmatch(text or '', '%d+') do
    slots[#slots + 1] = tonumber(slot)
  end
  return slots
end
else
-- 85 edges.is_met
return function(kind, to)
  if kind == 'after' or kind == 'optional' then
    return true
  end
  return (kind == 'failure') ~= (to == 'complete')
end
end
else
if number < 87 then
-- 86 edges.is_repairable
return function(kind, to)
  return cold(87)(kind) and (to == 'failed' or to == 'cancelled')
end
else
-- 87 edges.needs_success
return function(kind)
  return kind == 'success' or kind == 'result' or kind == 'some'
end
end
end
else
if number < 90 then
if number < 89 then
-- 88 edges.wants
return function(kind)
  return kind == 'optional' or cold(87)(kind)
end
else
-- 89 edges.result_of
return function(up)
  return cold(90)(up.status == 'complete' and redis.call('HGET', up.key, 'result') or '')
end
end
else
if number < 91 then
-- 90 edges.element
return function(result)
  return result == '' and 'null' or result
end
else
-- 91 edges.over
return function(queue, bytes)
  local most = bytes > 1024 and cold(375)(queue, 'input_bytes')
  if most and bytes > tonumber(most) then
    return 'over ' .. most .. ' bytes, the setting input_bytes'
  end
end
end
end
end
end
end
else
if number < 107 then
if number < 99 then
if number < 95 then
if number < 93 then
-- 92 edges.tie
return function(up)
  if not string.find(up.ties or '', 'd', 1, true) then
    up.ties = (up.ties or '') .. 'd'
    redis.call('HSET', up.key, 'ties', up.ties)
  end
end
else
if number < 94 then
-- 93 edges.waiting
return function(id)
  local key = cold(274)(cold(81)(id))
  local waiting, staged = redis.call('ZCOUNT', key, '(0', '+inf'), redis.call('ZCOUNT', key, '-inf', '-inf')
  return waiting + staged, waiting
end
else
-- 94 edges.is_needed
return function(task)
  if task.status ~= 'complete' or not task.ties or not string.find(task.ties, 'd', 1, true) then
    return false
  end
  local all, waiting = cold(93)(task.id)
  return all > 0, waiting > 0
end
end
end
else
if number < 97 then
if number < 96 then
-- 95 edges.enter
return function(tasks, graph)
  local own, waits, number, prefix, now = {}, {}, 0, namespace_prefix, namespace_now
  local tie = cold(92)
  for t = 1, #tasks do
    local task, n = tasks[t], 0
    for i = 1, task.edges and #task.edges or 0 do
      local edge = task.edges[i]
      local up = edge.up
      local outside = graph and up.status ~= 'staged'
      local kind = edge.missed and edge.kind .. task.set.turn or edge.kind
      local since = outside and '-inf' or edge.missed and 'inf' or now
      own[n + 1], own[n + 2] = up.id, edge.slots[1] and kind .. '/' .. table.concat(edge.slots, ',') or kind
      n = n + 2
      local waiting = up.waiting
      if waiting then
        waiting[#waiting + 1], waiting[#waiting + 2] = since, task.id
      else
        number, up.waiting = number + 1, { since, task.id }
        waits[number] = up
      end
      if outside and not edge.known then
        redis.call('RPUSH', cold(144)(graph), up.id .. ' ' .. task.id)
      elseif edge.asks then
        redis.call('ZADD', cold(83)(), now, up.id)
      end
    end
    if n > 0 then
      redis.call('HSET', prefix .. 'upstreams_' .. task.id, unpack(own, 1, n))
    end
    if (task.slots or 0) > 0 then
      local known = { 'slots', task.slots, 'bytes', task.bytes }
      for slot, text in pairs(task.filled) do
        known[#known + 1], known[#known + 2] = slot, text
      end
      redis.call('HSET', cold(82)(task.id), unpack(known))
    end
    if task.set then
      cold(305)(task.id, task.set)
    end
  end
  for i = 1, number do
    local up = waits[i]
    redis.call('ZADD', prefix .. 'dependents_' .. up.id, unpack(up.waiting))
    up.waiting = nil
    if not up.tied then
      tie(up)
    end
  end
end
else
-- 96 edges.plan_end
return function(task, to)
  local key = cold(274)(cold(81)(task.id))
  local ids = redis.call('ZRANGEBYSCORE', key, '(0', '+inf', 'LIMIT', 0, 100 + 1 + (task.knowing or 0))
  local number = #ids - (task.knowing or 0)
  if number <= 0 then
    return
  elseif task.later or number > 100 or cold(97)(task.id, ids, #(task.result or ''))
    or to ~= 'complete' and task.graph and cold(156)(task.graph, task.id) then
    cold(275)('ZCARD', cold(83)())
    task.unsettled = true
    return
  end
  cold(100)(task, to, ids)
end
end
else
if number < 98 then
-- 97 edges.is_much
return function(id, ids, length)
  local told = cold(273)('told')
  local looked, copied = (told.looked or 0) + length, (told.copied or 0) + #ids * length
  if length <= 131072 and looked <= 262144 and copied <= 1048576 then
    told.looked, told.copied = looked, copied
    return false
  end
  for _, other in ipairs(ids) do
    if string.find(redis.call('HGET', cold(80)(other), id) or '', '/', 1, true) then
      return true
    end
  end
  return false
end
else
-- 98 edges.untold
return function(id, to, limit)
  local most = (to == 'failed' or to == 'cancelled') and '(inf' or 'inf'
  return redis.call('ZRANGEBYSCORE', cold(274)(cold(81)(id)), '(0', most, 'LIMIT', 0, limit)
end
end
end
end
else
if number < 103 then
if number < 101 then
if number < 100 then
-- 99 edges.plan_removal
return function(task)
  local dependents = cold(274)(cold(81)(task.id))
  task.edge_keys = { cold(274)(cold(80)(task.id)), cold(274)(cold(82)(task.id)),
    cold(274)(cold(189)(task.id)) }
  local all, waiting = cold(93)(task.id)
  if all == 0 then
    task.edge_keys[4] = dependents
  elseif waiting > 0 and cold(489)(task.status) then
    cold(275)('ZCARD', cold(83)())
    task.unsettled = true
  end
end
else
-- 100 edges.plan_page
return function(task, to, ids)
  task.dependents = {}
  for i, id in ipairs(ids) do
    task.dependents[i] = cold(101)(task, to, id)
  end
end
end
else
if number < 102 then
-- 101 edges.plan_one
return function(up, to, id)
  local task = cold(323)(id, cold(102)())
  local key = cold(274)(cold(80)(id))
  local kind, mark, slots = string.match(redis.call('HGET', key, up.id) or '', '^(%l+)(%d*)/?(.*)$')
  local plan = { id = id, met = not kind or cold(85)(kind, to) }
  if not task or task.status ~= 'waiting' or not kind then
    plan.kept = task and kind and cold(489)(task.status)
    return plan
  end
  if cold(301)(task) then
    plan.set = cold(304)(id)
  end
  if kind == 'some' then
    cold(310)(plan, task, up, to, mark, slots)
    if plan.missed then
      return plan
    end
  elseif not plan.met and cold(86)(kind, to) and cold(149)(task.extra[5]) == 'hold' then
    plan.held = true
    return plan
  end
  plan.task = task
  task.later = true
  if not plan.met then
    plan.to, task.group, task.broken = kind == 'failure' and 'cancelled' or 'failed', 'upstream', true
    cold(412)(task, plan.to)
    return plan
  end
  local open = redis.call('HLEN', key)
  plan.last = plan.ready or open == 1
  if plan.set and not plan.ready then
    plan.last = cold(307)(plan.set, open - 1)
  end
  local own = cold(274)(cold(82)(id))
  local known = (plan.last or slots ~= '') and redis.call('HMGET', own, 'slots', 'bytes')
  if slots ~= '' and not plan.ready then
    cold(104)(plan, up, to, slots, tonumber(known[2] or 0))
  end
  if plan.wrong then
    cold(412)(task, plan.to)
  elseif plan.last then
    cold(103)(plan, tonumber(known[1] or 0), plan.bytes or tonumber(known[2] or 0))
  end
  return plan
end
else
-- 102 edges.fields
return function()
  return 'eta', 'front', 'ended', 'retry_eta', 'graph'
end
end
end
else
if number < 105 then
if number < 104 then
-- 103 edges.plan_ready
return function(plan, slots, bytes)
  local task = plan.task
  plan.joins = cold(193)(plan.id, slots, bytes)
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
    plan.joined, plan.lengths = cold(190)(cold(191)(cold(82)(plan.id), slots, plan), slots)
  end
  cold(412)(task, plan.to)
end
else
-- 104 edges.plan_input
return function(plan, up, to, slots, bytes)
  local result = to == 'complete' and up.result or ''
  plan.slots, plan.text = cold(84)(slots), cold(90)(result)
  plan.bytes = bytes + #plan.text * #plan.slots
  if up.json == nil then
    up.json = result == '' or cold(199)(result)
  end
  local over = cold(91)(plan.task.queue, plan.bytes)
  if not up.json then
    plan.wrong = 'is not JSON'
  elseif over then
    plan.wrong = 'brings the inputs of this task ' .. over
  elseif cold(159)(#plan.text) > 0 and plan.task.extra[5] then
    plan.graph, plan.grows = plan.task.extra[5], #plan.text * #plan.slots
    if not cold(161)(plan.graph, plan.grows) then
      plan.wrong = 'brings the inputs of its graph over ' .. cold(160)() .. ' bytes, the setting graph_bytes'
    end
  end
  if plan.wrong then
    plan.to, plan.task.group, plan.task.broken = 'failed', 'input', true
  end
end
end
else
if number < 106 then
-- 105 edges.settle
return function(task)
  if task.unsettled then
    redis.call('ZADD', cold(83)(), namespace_now, task.id)
  end
  if task.cascades then
    redis.call('HSET', task.key or cold(272)('task', task.id), 'cascade', '0')
  end
  local told
  for _, plan in ipairs(task.dependents or {}) do
    if plan.kept then
      redis.call('ZADD', cold(81)(task.id), '-' .. namespace_now, plan.id)
    elseif plan.held then
      redis.call('ZADD', cold(81)(task.id), 'inf', plan.id)
    elseif plan.missed then
      cold(312)(task, plan)
    elseif plan.task and not plan.met then
      told = told or redis.call('HMGET', task.key or cold(272)('task', task.id), 'status', 'error', 'cause')
      cold(106)(task, plan, told)
    elseif plan.wrong then
      redis.call('ZADD', cold(81)(task.id), '-' .. namespace_now, plan.id)
      cold(415)(plan.task, 'failed', 'input', '', 'cause', task.id, 'group', 'input',
        'error', 'the result of ' .. task.id .. ' ' .. plan.wrong)
    else
      cold(109)(task, plan)
    end
  end
end
else
-- 106 edges.fail_with
return function(up, plan, told)
  local cause = told[3] or up.id
  redis.call('ZADD', cold(81)(up.id), '-' .. namespace_now, plan.id)
  if plan.to == 'cancelled' then
    cold(415)(plan.task, 'cancelled', 'upstream', '', 'cause', cause,
      'reason', 'not needed: ' .. up.id .. ' is complete')
    return
  end
  cold(415)(plan.task, 'failed', 'upstream', '', 'cause', cause, 'group', 'upstream',
    'error', (plan.short and 'too few of its set can still be complete: ' or '') .. cold(107)(up.id, told))
end
end
end
end
end
else
if number < 115 then
if number < 111 then
if number < 109 then
if number < 108 then
-- 107 edges.error_of
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
-- 108 edges.fill
return function(id, slots)
  for _, slot in ipairs(slots) do
    redis.call('HSET', cold(82)(id), slot, 'null')
  end
  if slots[1] then
    redis.call('HINCRBY', cold(82)(id), 'bytes', 4 * #slots)
  end
end
end
else
if number < 110 then
-- 109 edges.meet
return function(up, plan)
  if up then
    redis.call('ZREM', cold(81)(up.id), plan.id)
    redis.call('HDEL', cold(80)(plan.id), up.id)
  end
  if plan.grows then
    redis.call('HINCRBY', cold(142)(plan.graph), 'bytes', plan.grows)
  end
  if not plan.task then
    return
  elseif plan.set and plan.to then
    cold(313)(plan.id)
  elseif plan.set and not plan.joins then
    cold(305)(plan.id, plan.set)
  end
  if plan.joined then
    redis.call('UNLINK', cold(82)(plan.id))
    cold(415)(plan.task, plan.to, 'ready', '', 'readied', cold(414)(plan.task), 'parameters', plan.joined,
      'slots', plan.lengths)
  elseif plan.to then
    cold(415)(plan.task, plan.to, 'ready', '', 'readied', cold(414)(plan.task))
  elseif plan.slots then
    for _, slot in ipairs(plan.slots) do
      redis.call('HSET', cold(82)(plan.id), slot, plan.text)
    end
    redis.call('HSET', cold(82)(plan.id), 'bytes', plan.bytes)
  end
  if plan.joins then
    cold(194)(plan.id)
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
          if not namespace_declared or cold(278)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(410)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
else
-- 110 edges.plan_retry
return function(task, spec)
  local key, own = cold(274)(cold(80)(task.id)), cold(274)(cold(82)(task.id))
  if redis.call('HLEN', key) > 300 then
    cold(275)('ZCARD', cold(83)())
    task.again_edges = { to = 'waiting', later = true }
    return
  end
  local known = redis.call('HMGET', own, 'slots', 'bytes')
  local again = { met = {}, open = {}, slots = tonumber(known[1] or 0), bytes = tonumber(known[2] or 0), texts = {},
    some = {}, set = cold(301)(task) and cold(302)(cold(304)(task.id).least) or nil }
  local found = redis.call('HGETALL', key)
  spec.entries = (spec.entries or 0) + 15 * #found
  for i = 1, #found, 2 do
    local up = cold(323)(found[i]) or cold(158)(found[i]) or { status = 'deleted' }
    local kind, slots = string.match(found[i + 1], '^(%l+)%d*/?(.*)$')
    local over = not (spec.begun and spec.begun[found[i]]) and (cold(489)(up.status) or up.status == 'deleted')
    local is_met = cold(85)(kind, up.status)
    if over and is_met and slots ~= '' and up.key and not cold(192)(redis.call('HSTRLEN', up.key, 'result')) then
      over, again.asked = false, again.asked or {}
      again.asked[#again.asked + 1] = found[i]
      cold(275)('ZCARD', cold(83)())
    end
    if kind == 'some' then
      cold(315)(again, found[i], up, slots, over)
      over = over and is_met
    elseif over and not is_met then
      return 'UPSTREAM', 'a task that it waits for is ' .. up.status .. ': retry that one first'
    end
    cold(275)('ZCARD', cold(81)(found[i]))
    if over then
      again.met[#again.met + 1] = found[i]
    elseif kind ~= 'some' then
      again.open[#again.open + 1] = up
    end
    if over and slots ~= '' then
      local result = cold(89)(up)
      if not cold(199)(result) then
        return 'UPSTREAM', 'the result of an upstream is not JSON: retry that one first'
      end
      for _, slot in ipairs(cold(84)(slots)) do
        again.texts[slot], again.bytes = result, again.bytes + #result
      end
    end
  end
  local over = cold(91)(task.queue, again.bytes)
  if over then
    return 'UPSTREAM', 'the results of its upstreams are ' .. over
  end
  if again.set and again.set.least > cold(306)(again.set) then
    return 'UPSTREAM', 'too few of its set can still be complete: retry those that failed first'
  end
  local waits = again.open[1] or again.set and again.set.least > 0
  again.joins = not waits and cold(193)(task.id, again.slots, again.bytes)
  task.again_edges, again.to = again, (waits or again.joins) and 'waiting' or 'pending'
  if again.to == 'pending' and again.slots > 0 then
    again.joined, again.lengths = cold(190)(cold(191)(own, again.slots, { filled = again.texts }), again.slots)
  end
end
end
end
else
if number < 113 then
if number < 112 then
-- 111 edges.look_later
return function(task)
  redis.call('HSET', task.key, 'cascade', '0')
  redis.call('ZADD', cold(83)(), namespace_now, task.id)
  if cold(301)(task) then
    cold(314)(task.id)
  end
end
else
-- 112 edges.retry
return function(task)
  local again = task.again_edges
  if again.later then
    return cold(111)(task)
  end
  for _, id in ipairs(again.met) do
    redis.call('ZREM', cold(81)(id), task.id)
    redis.call('HDEL', cold(80)(task.id), id)
  end
  for _, up in ipairs(again.open) do
    redis.call('ZADD', cold(81)(up.id), namespace_now, task.id)
    cold(92)(up)
  end
  if again.set and not again.joins then
    cold(316)(task, again)
  end
  if again.joined then
    redis.call('UNLINK', cold(82)(task.id))
    redis.call('HSET', task.key, 'parameters', again.joined, 'slots', again.lengths)
  elseif next(again.texts) then
    for slot, text in pairs(again.texts) do
      redis.call('HSET', cold(82)(task.id), slot, text)
    end
    redis.call('HSET', cold(82)(task.id), 'bytes', again.bytes)
  end
  if again.joins then
    cold(194)(task.id)
  end
  cold(115)(task, again.asked or {})
end
end
else
if number < 114 then
-- 113 edges.plan_look
return function(task, from)
  local found = task.status == 'waiting' and redis.call('HSCAN', cold(80)(task.id),
    string.match(from, '^%d+'), 'COUNT', 300) or { '0', {} }
  local step = { after = found[1] ~= '0' and found[1], open = {}, ended = {} }
  for i = 1, #found[2], 2 do
    local id = found[2][i]
    local up = cold(323)(id)
    cold(275)('ZCARD', cold(81)(id))
    if up and not cold(489)(up.status) then
      step.open[#step.open + 1] = up
    else
      step.ended[#step.ended + 1] = id
    end
  end
  return step
end
else
-- 114 edges.look_again
return function(task, step)
  for _, up in ipairs(step.open) do
    redis.call('ZADD', cold(81)(up.id), namespace_now, task.id)
    cold(92)(up)
  end
  cold(115)(task, step.ended)
  cold(116)(task, step.after)
end
end
end
end
else
if number < 119 then
if number < 117 then
if number < 116 then
-- 115 edges.ask_again
return function(task, ended)
  for _, id in ipairs(ended) do
    redis.call('ZADD', cold(81)(id), namespace_now, task.id)
    redis.call('ZADD', cold(83)(), namespace_now, id)
  end
end
else
-- 116 edges.keep_place
return function(task, after)
  if after then
    redis.call('HSET', task.key, 'cascade', after)
  else
    redis.call('HDEL', task.key, 'cascade')
  end
end
end
else
if number < 118 then
-- 117 edges.page
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
-- 118 edges.submitted
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
end
end
else
if number < 121 then
if number < 120 then
-- 119 edges.marks
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
else
-- 120 edges.plan_anew
return function(task, spec)
  local key, own = cold(274)(cold(80)(task.id)), cold(274)(cold(82)(task.id))
  if task.prepared or task.first and redis.call('HLEN', key) > 300 then
    cold(275)('ZCARD', cold(83)())
    task.again_edges = { to = 'waiting', later = true }
    return
  end
  local v = redis.call('HMGET', task.key, 'inputs', 'slots')
  local order, texts = cold(118)((not task.first or cold(301)(task)) and v[1])
  spec.entries = (spec.entries or 0) + 15 * #order
  local marks = cold(119)(spec.chosen, order)
  local again = { open = {}, texts = texts, ended = {}, still = {}, forget = {}, kept = {} }
  if cold(301)(task) then
    cold(317)(task, again, v[1], order, marks)
  end
  for _, id in ipairs(order) do
    if marks[id] then
      again.open[#again.open + 1] = id
      cold(275)('ZCARD', cold(81)(id))
      local up = cold(323)(id)
      if marks[id] == '0' and cold(121)(again, id) then
        up = nil
      end
      if up and not string.find(up.ties or '', 'd', 1, true) then
        again.still[#again.still + 1] = up
      end
      for _, slot in ipairs(cold(84)(string.match(texts[id], '/(.*)$'))) do
        again.forget[slot] = true
      end
    end
  end
  local found = redis.call('HGETALL', key)
  for i = 1, #found, 2 do
    local id = found[i]
    again.waits = true
    if not marks[id] then
      cold(275)('ZCARD', cold(81)(id))
      if not cold(121)(again, id) and cold(489)(task.status) then
        again.still[#again.still + 1] = cold(323)(id)
      end
    end
  end
  cold(275)('ZCARD', cold(83)())
  again.graph, again.frees = spec.graph, 0
  again.slots, again.bytes = unpack(redis.call('HMGET', own, 'slots', 'bytes'))
  if again.slots then
    for slot in pairs(again.forget) do
      local length = redis.call('HSTRLEN', own, slot)
      again.bytes, again.frees = again.bytes - length, again.frees + cold(159)(length)
    end
  elseif v[2] and again.open[1] then
    cold(122)(again, redis.call('HGET', task.key, 'parameters') or '', v[2])
  end
  local waits = again.open[1] or again.waits
  again.joins = not waits and again.slots and cold(193)(task.id, tonumber(again.slots), tonumber(again.bytes))
  task.again_edges, again.to = again, (waits or again.joins) and 'waiting' or 'pending'
end
end
else
if number < 122 then
-- 121 edges.note_ended
return function(again, id)
  local status = redis.call('HGET', cold(272)('task', id), 'status')
  local ended = not status or cold(489)(status)
  again.ended[#again.ended + 1] = ended and id or nil
  return ended
end
else
-- 122 edges.split
return function(again, joined, lengths)
  local at, slot = 2, 0
  again.split, again.bytes = true, 0
  for length in string.gmatch(lengths, '%d+') do
    if not again.forget[slot] then
      again.kept[slot], again.bytes = string.sub(joined, at, at + length - 1), again.bytes + length
    else
      again.frees = again.frees + cold(159)(tonumber(length))
    end
    at, slot = at + length + 1, slot + 1
  end
  again.slots = slot
end
end
end
end
end
end
end
end
else
if number < 184 then
if number < 153 then
if number < 138 then
if number < 130 then
if number < 126 then
if number < 124 then
-- 123 edges.anew
return function(task)
  local again, own = task.again_edges, cold(82)(task.id)
  if again.later then
    return cold(111)(task)
  end
  for _, id in ipairs(again.open) do
    redis.call('HSET', cold(80)(task.id), id, again.texts[id])
    redis.call('ZADD', cold(81)(id), namespace_now, task.id)
  end
  for _, up in ipairs(again.still) do
    redis.call('ZADD', cold(81)(up.id), namespace_now, task.id)
    cold(92)(up)
  end
  cold(115)(task, again.ended)
  if again.frees > 0 then
    redis.call('HINCRBY', cold(142)(again.graph), 'bytes', -again.frees)
  end
  if again.set then
    cold(305)(task.id, again.set)
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
    cold(194)(task.id)
  end
end
else
if number < 125 then
-- 124 edits.read
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
-- 125 encore.key
return function(id)
  return namespace_prefix .. 'further_' .. id
end
end
end
else
if number < 128 then
if number < 127 then
-- 126 encore.has
return function(task)
  return task.ties and string.find(task.ties, 'a', 1, true)
end
else
-- 127 encore.plan_end
return function(task, to)
  if to == 'deleted' then
    local key = cold(274)(cold(125)(task.id))
    task.edge_keys = task.edge_keys or {}
    task.edge_keys[#task.edge_keys + 1] = key
    task.further_shared = redis.call('HGET', key, '/limits') or nil
    if task.further_shared then
      cold(395)()
    end
  elseif not cold(489)(task.status) then
    cold(275)('ZCARD', cold(83)())
    task.unsettled = true
  end
end
end
else
if number < 129 then
-- 128 encore.begin
return function(id)
  local task = cold(1)(id)
  local round, request = unpack(redis.call('HMGET', task.key, 'round', 'further'), 1, 2)
  local found = redis.call('HGETALL', cold(274)(cold(125)(id)))
  local call = { request = request }
  for i = 1, #found, 2 do
    call[found[i]] = found[i + 1]
  end
  if task.status == 'cancelled' then
    return cold(131)(task, call, 'the task was cancelled')
  elseif not (request and call.queue and call.parameters) then
    return cold(131)(task, call, 'somebody removed ' .. cold(125)(id))
  end
  call.eta = tonumber(call.eta)
  local step = { queue = call.queue, by = call.by, reason = 'submitted again' }
  cold(124)(task)
  local ok, code, text = pcall(cold(130), task, call, step)
  if not ok then
    local verdict = cold(338)(code)
    if verdict ~= 'TOOMANY' and verdict ~= 'NOLIMIT' then
      error(code, 0)
    end
    code, text = string.match(cold(337)(code).err, '^%-?(%u+) (.*)$')
  end
  if code then
    return cold(131)(task, call, code .. ' ' .. text)
  end
  task.new.round = { 'round', string.format('%d', (round or 1) + 1), 'round_request', request }
  cold(15)(cold(343), { task }, step)
  redis.call('UNLINK', cold(125)(id))
  redis.call('ZREM', cold(83)(), id)
  cold(129)(call)
end
else
-- 129 encore.uncount
return function(call)
  if call['/limits'] then
    cold(396)(call['/limits'], -1)
  end
end
end
end
end
else
if number < 134 then
if number < 132 then
if number < 131 then
-- 130 encore.plan
return function(task, call, step)
  local options = {}
  if call['/limits'] then
    cold(395)()
  end
  for field, value in pairs(call) do
    local name = string.match(field, '^/(.*)')
    if name then
      options[name] = cold(490)(name, value)
    end
  end
  return cold(341)(task, call, cold(62)(options), step)
end
else
-- 131 encore.drop
return function(task, call, why)
  local notes = redis.call('HGET', task.key, 'notes') or 0
  cold(183)(task)
  cold(450)(task)
  if call['/limits'] then
    cold(395)()
  end
  cold(279)()
  redis.call('ZREM', cold(83)(), task.id)
  redis.call('UNLINK', cold(125)(task.id))
  local ties = string.gsub(task.ties, 'a', '')
  redis.call('HSET', task.key, 'notes', string.format('%.0f', notes + 1), 'ties', ties)
  redis.call('HDEL', task.key, 'further', ties == '' and 'ties' or 'further')
  cold(129)(call)
  local text = 'the round ' .. (call.request or '') .. ' does not begin: ' .. why
  cold(185)(task, { to = task.status, why = 'note', by = '', at = cold(414)(task),
    note = { 'note', text, 'data', '' } }, '', '', '', '')
  cold(452)(task, 'note', '', text)
end
end
else
if number < 133 then
-- 132 fairness.ranked_key
return function(queue, number)
  return namespace_prefix .. 'ranked_tasks_' .. queue .. (number == '' and '' or '/' .. number)
end
else
-- 133 fairness.tasks_key
return function(queue, key, number)
  return namespace_prefix .. 'key_tasks_' .. queue .. '/' .. key .. (number == '' and '' or '/' .. number)
end
end
end
else
if number < 136 then
if number < 135 then
-- 134 fairness.rank
return function(us)
  return string.format('%016.0f', us)
end
else
-- 135 fairness.front_rank
return function(us)
  return '-' .. cold(134)(9007199254740991 - us)
end
end
else
if number < 137 then
-- 136 fairness.sort_value
return function(rank)
  if string.sub(rank, 1, 1) == '-' then
    return tonumber(string.sub(rank, 2)) - 9007199254740992
  end
  return tonumber(rank)
end
else
-- 137 fairness.refresh
return function(queue, key, number)
  local entries, field = cold(272)('turns', queue), key .. '/' .. number
  local first = redis.call('ZRANGE', cold(133)(queue, key, number), 0, 0, 'WITHSCORES')
  local current, wanted = redis.call('HGET', entries, field) or nil, nil
  if first[1] then
    local rank, weight = string.match(first[1], '^(%S+) %S+ (%S+)$')
    local fits, free = cold(210)(queue, key, weight)
    if fits then
      local served = redis.call('HGET', entries, key)
      if served and cold(136)(served) > cold(136)(rank) then
        rank = served
      end
      wanted = first[2] .. ' ' .. rank
    elseif free then
      redis.call('ZADD', cold(272)('delayed', queue), string.format('%.0f', free), key)
    end
  end
  if current == wanted then
    return
  end
  local ranked, rank = cold(132)(queue, number), nil
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
end
end
end
end
else
if number < 145 then
if number < 141 then
if number < 139 then
-- 138 fairness.refresh_all
return function(queue, key)
  local waits = false
  for _, number in ipairs(cold(283)(queue)) do
    cold(137)(queue, key, number)
    waits = waits or redis.call('EXISTS', cold(133)(queue, key, number)) == 1
  end
  if not waits and not redis.call('HGET', cold(272)('places', queue), 'k:' .. key) then
    redis.call('HDEL', cold(272)('turns', queue), key)
    redis.call('ZREM', cold(272)('delayed', queue), key)
  end
end
else
if number < 140 then
-- 139 fairness.plan_refresh
return function(queue, keys)
  if #keys > 0 then
    cold(276)()
    cold(275)('HLEN', cold(272)('turns', queue))
    cold(275)('HLEN', cold(272)('limits', queue))
    cold(275)('HLEN', cold(272)('places', queue))
    cold(275)('ZCARD', cold(272)('delayed', queue))
    for _, key in ipairs(keys) do
      cold(275)('LLEN', cold(208)(queue, key))
    end
  end
  for _, number in ipairs(#keys > 0 and cold(283)(queue) or {}) do
    cold(275)('ZCARD', cold(132)(queue, number))
    for _, key in ipairs(keys) do
      cold(275)('ZCARD', cold(133)(queue, key, number))
    end
  end
end
else
-- 140 fairness.plan_due
return function(queue, limit, changes)
  local delayed = cold(272)('delayed', queue)
  local now = string.format('%.0f', namespace_now_us)
  limit = math.max(1, math.floor(math.min(limit, 100) / #cold(283)(queue)))
  local found = { keys = {}, free = redis.call('ZRANGEBYSCORE', delayed, '-inf', now, 'LIMIT', 0, limit) }
  local later = redis.call('ZRANGEBYSCORE', delayed, '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  found.next, found.more = tonumber(later[2]), #found.free == limit
  for _, key in ipairs(found.free) do
    if key ~= '/' then
      found.keys[#found.keys + 1] = key
    end
  end
  local cursor, known = unpack(redis.call('HMGET', namespace_meta, 'sweep:' .. queue, 'swept:' .. queue), 1, 2)
  if changes and changes ~= known and (redis.call('EXISTS', cold(272)('lane_tasks', queue)) == 1
    or redis.call('LLEN', cold(272)('pending_tasks', queue)) > 0) then
    cursor, found.changes = '0', changes
  end
  if cursor then
    local after = string.match(cursor, '^%- (%S+)$')
    if not after then
      local page = redis.call('HSCAN', cold(272)('places', queue), cursor, 'COUNT', limit)
      for i = 1, #page[2], 2 do
        found.keys[#found.keys + 1] = string.match(page[2][i], '^k:(.+)$')
      end
      after, found.sweep = page[1] == '0' and '0', page[1]
    end
    if after then
      local page = redis.call('ZRANGEBYSCORE', delayed, '(' .. after, '+inf', 'WITHSCORES', 'LIMIT', 0, limit)
      for i = 1, #page, 2 do
        found.keys[#found.keys + 1] = page[i] ~= '/' and page[i] or nil
      end
      found.sweep = #page == 2 * limit and '- ' .. page[#page] or 'end'
    end
    found.more = found.more or found.sweep ~= 'end'
  end
  found.wakes = #found.free > 0 or cursor ~= false
  cold(139)(queue, found.keys)
  if #found.free > 0 then
    cold(275)('ZCARD', delayed)
  end
  return found
end
end
end
else
if number < 143 then
if number < 142 then
-- 141 fairness.refresh_due
return function(queue, found)
  if found.free and #found.free > 0 then
    redis.call('ZREM', cold(272)('delayed', queue), unpack(found.free))
  end
  for _, key in ipairs(found.keys) do
    cold(138)(queue, key)
  end
  if found.changes then
    redis.call('HSET', namespace_meta, 'swept:' .. queue, found.changes)
  end
  if found.sweep == 'end' then
    redis.call('HDEL', namespace_meta, 'sweep:' .. queue)
  elseif found.sweep then
    redis.call('HSET', namespace_meta, 'sweep:' .. queue, found.sweep)
  end
end
else
-- 142 graphs.key
return function(graph)
  return cold(272)('graph', graph)
end
end
else
if number < 144 then
-- 143 graphs.tasks
return function(graph)
  return cold(272)('members', graph)
end
else
-- 144 graphs.outside
return function(graph)
  return cold(272)('outside', graph)
end
end
end
end
else
if number < 149 then
if number < 147 then
if number < 146 then
-- 145 graphs.due
return function()
  return namespace_prefix .. 'graphs_due'
end
else
-- 146 graphs.chosen
return function(graph)
  return cold(272)('chosen', graph)
end
end
else
if number < 148 then
-- 147 graphs.all
return function()
  return namespace_prefix .. 'graphs'
end
else
-- 148 graphs.find
return function(id)
  local v = redis.call('HMGET', cold(274)(cold(142)(id)), 'state', 'created', 'total', 'name', 'released')
  return v[1] and { id = id, state = v[1], created = v[2], total = tonumber(v[3]), name = v[4] or '',
    released = tonumber(v[5] or 0) } or nil
end
end
end
else
if number < 151 then
if number < 150 then
-- 149 graphs.on_failure
return function(id)
  if not id then
    return false
  end
  local known = cold(273)('on_failure')
  known[id] = known[id] or redis.call('HGET', cold(142)(id), 'on_failure') or 'cancel'
  return known[id]
end
else
-- 150 graphs.is_created
return function(id)
  return redis.call('HGET', cold(142)(id), 'state') == 'created'
end
end
else
if number < 152 then
-- 151 graphs.walk_fields
return function()
  return 'doing', 'at', 'task', 'reason', 'force', 'changed', 'refused', 'part', 'end_by'
end
else
-- 152 graphs.plan_walk
return function(id)
  cold(275)('HLEN', cold(142)(id))
  cold(275)('ZCARD', cold(145)())
  cold(275)('ZCARD', cold(146)(id))
end
end
end
end
end
end
else
if number < 168 then
if number < 160 then
if number < 156 then
if number < 154 then
-- 153 graphs.begin_walk
return function(id, doing, ...)
  cold(154)(id, doing, ...)
  redis.call('UNLINK', cold(146)(id))
end
else
if number < 155 then
-- 154 graphs.set_walk
return function(id, doing, ...)
  redis.call('HDEL', cold(142)(id), cold(151)())
  redis.call('HSET', cold(142)(id), 'doing', doing, 'at', '0', ...)
  redis.call('ZADD', cold(145)(), namespace_now, id)
end
else
-- 155 graphs.plan_repair
return function(task)
  local known = redis.call('HMGET', cold(142)(task.graph), 'doing', 'failed', 'cancelled')
  if (not known[1] or known[1] == 'repair') and (known[2] or 0) + (known[3] or 0) > 1 then
    cold(152)(task.graph)
    task.repairs = true
  end
end
end
end
else
if number < 158 then
if number < 157 then
-- 156 graphs.runs_anew
return function(graph, id)
  local doing = redis.call('HGET', cold(142)(graph), 'doing')
  return (doing == 'anew' or doing == 'mark_anew')
    and tonumber(redis.call('ZSCORE', cold(146)(graph), id) or 0) > 0
end
else
-- 157 graphs.staged
return function(id, graph)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(274)(key)
  end
  local v = redis.call('HMGET', key, 'status', 'graph', 'queue', 'ties', 'eta')
  if v[1] or not v[2] or graph and v[2] ~= graph then
    return nil
  end
  return { id = id, key = key, status = 'staged', queue = v[3], ties = v[4] or '', eta = v[5] or nil, extra = {} }
end
end
else
if number < 159 then
-- 158 graphs.coming
return function(id)
  local graph = redis.call('HGET', cold(272)('task', id), 'graph')
  return graph and cold(150)(graph) and cold(157)(id, graph) or nil
end
else
-- 159 graphs.counted
return function(length)
  return length >= 256 and length or 0
end
end
end
end
else
if number < 164 then
if number < 162 then
if number < 161 then
-- 160 graphs.most
return function()
  return cold(375)('*', 'graph_bytes')
end
else
-- 161 graphs.has_room
return function(id, bytes)
  local known = cold(273)('graph_bytes')
  local all = (known[id] or tonumber(redis.call('HGET', cold(274)(cold(142)(id)), 'bytes') or 0)) + bytes
  if all > tonumber(cold(160)()) then
    return false
  end
  known[id] = all
  return true
end
end
else
if number < 163 then
-- 162 graphs.is_released
return function(id)
  local v = redis.call('HMGET', cold(142)(id), 'released', 'total')
  return v[1] == v[2]
end
else
-- 163 graphs.runs
return function(text, number)
  local runs, all = {}, 0
  for to, count, queue in string.gmatch(text or '', '(%S+)/(%d+)/(%S+)') do
    runs[#runs + 1] = { to = to, count = tonumber(count), queue = queue }
    all = all + runs[#runs].count
  end
  return all == number and runs or nil
end
end
end
else
if number < 166 then
if number < 165 then
-- 164 graphs.plan_release
return function(graph, limit)
  local left = graph.total - graph.released
  local tasks, outside = {}, {}
  if left > 0 then
    cold(275)('ZCARD', namespace_prefix .. 'queues')
    local ids = redis.call('LRANGE', cold(143)(graph.id), math.max(0, left - limit), left - 1)
    local starts = cold(165)(graph, ids, left - #ids)
    local staged, plan, planned, prefix = cold(157), cold(167), {}, namespace_prefix
    local plan_kind, declared = cold(166), namespace_declared
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
    outside = cold(168)(graph.id, limit)
  end
  return tasks, outside
end
else
-- 165 graphs.starts
return function(graph, ids, from)
  local starts, keys, at = {}, {}, 0
  local runs = cold(163)(redis.call('HGET', cold(142)(graph.id), 'runs'), graph.total)
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
else
if number < 167 then
-- 166 graphs.plan_kind
return function(task, planned)
  if namespace_declared then
    cold(274)(task.key)
  end
  if not planned[task.kind] then
    planned[task.kind] = true
    cold(412)({ queue = task.queue, foreign = true }, task.begins)
  end
end
else
-- 167 graphs.plan_task
return function(staged, planned)
  local task = { id = staged.id, key = staged.key, queue = staged.queue, ties = staged.ties, attempt = '0',
    foreign = true, created = namespace_now }
  local open = 0
  if string.find(task.ties, 'w', 1, true) then
    open = redis.call('HLEN', cold(274)(cold(80)(task.id)))
    if cold(301)(task) and cold(307)(cold(304)(task.id), open) then
      open, task.drops = 0, true
    end
    local own = cold(274)(cold(82)(task.id))
    local known = open == 0 and redis.call('HMGET', own, 'slots', 'bytes') or {}
    local slots = tonumber(known[1] or nil)
    task.joins = slots and cold(193)(task.id, slots, tonumber(known[2]))
    if slots and not task.joins then
      task.joined, task.lengths = cold(190)(cold(191)(own, slots, {}), slots)
    end
  end
  local later = staged.eta and tonumber(staged.eta) * 1000000 > namespace_now_us
  task.eta = staged.eta
  task.begins = (open > 0 or task.joins) and 'waiting' or later and 'scheduled' or 'pending'
  if string.find(task.ties, '[^gwd]') then
    cold(42)(task)
    task.rank = nil
    cold(412)(task, task.begins)
    return task
  end
  task.kind = task.begins .. ' ' .. task.queue
  cold(166)(task, planned)
  return task
end
end
end
end
end
else
if number < 176 then
if number < 172 then
if number < 170 then
if number < 169 then
-- 168 graphs.plan_outside
return function(graph, limit)
  local pairs_of = redis.call('LRANGE', cold(274)(cold(144)(graph)), 0, limit - 1)
  local found = {}
  for i, pair in ipairs(pairs_of) do
    local up, id = string.match(pair, '^(%S+) (%S+)$')
    local key = cold(274)(cold(272)('task', up))
    local v = redis.call('HMGET', key, 'status', 'ties')
    cold(275)('ZCARD', cold(81)(up))
    found[i] = { up = up, id = id, there = v[1], ended = not v[1] or cold(489)(v[1]), key = key,
      ties = v[2] or nil }
  end
  cold(275)('ZCARD', cold(83)())
  return found
end
else
-- 169 graphs.unlimit
return function(bounds)
  for _, bound in ipairs(bounds) do
    redis.call('HDEL', bound.limits, bound.key)
  end
end
end
else
if number < 171 then
-- 170 graphs.release
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
        cold(194)(task.id)
      elseif task.drops then
        cold(313)(task.id)
      end
      if task.joined then
        redis.call('UNLINK', cold(82)(task.id))
        redis.call('HSET', task.key, 'parameters', task.joined, 'slots', task.lengths)
      end
    end
    if same[1].kind then
      cold(416)(same, same.to, 'submit')
    else
      cold(415)(same[1], same.to, 'submit', '', 'created', namespace_now)
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
            if not namespace_declared or cold(278)(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if state_roams ~= '' then
            cold(410)(queue)
          end
        end
        redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
      end
    end
  end
  for _, edge in ipairs(outside) do
    redis.call('ZADD', cold(81)(edge.up), namespace_now, edge.id)
    if edge.ended then
      redis.call('ZADD', cold(83)(), namespace_now, edge.up)
    end
    if edge.there then
      cold(92)(edge)
    end
  end
  if #tasks + #outside > 0 then
    redis.call('LTRIM', cold(144)(graph.id), #outside, -1)
    redis.call('HSET', cold(142)(graph.id), 'released', graph.released)
    if tasks[1] and graph.released == graph.total then
      redis.call('HDEL', cold(142)(graph.id), 'runs')
    end
  end
end
else
-- 171 graphs.plan_unlimit
return function(graph)
  local bounds = {}
  for queue, key in string.gmatch(redis.call('HGET', cold(142)(graph), 'bounds') or '', '([^/ ]+)/([^= ]+)=') do
    bounds[#bounds + 1] = { limits = cold(272)('limits', queue), key = key }
    cold(275)('HLEN', bounds[#bounds].limits)
  end
  return bounds
end
end
end
else
if number < 174 then
if number < 173 then
-- 172 graphs.plan_removal
return function(graph, limit)
  cold(274)(cold(144)(graph))
  cold(274)(cold(146)(graph))
  local ids = redis.call('LRANGE', cold(143)(graph), -limit, -1)
  ids.bytes = 0
  for _, id in ipairs(ids) do
    ids.bytes = ids.bytes + cold(173)(id)
    cold(274)(cold(272)('task', id))
    cold(274)(cold(80)(id))
    cold(274)(cold(82)(id))
    cold(274)(cold(81)(id))
  end
  local outside = #ids == 0 and cold(168)(graph, limit) or {}
  return ids, outside, cold(171)(graph)
end
else
-- 173 graphs.size
return function(id)
  local key = cold(272)('task', id)
  return redis.call('HSTRLEN', key, 'parameters') + redis.call('HSTRLEN', key, 'inputs')
    + tonumber(redis.call('HGET', cold(82)(id), 'bytes') or 0)
end
end
else
if number < 175 then
-- 174 graphs.remove
return function(graph, ids, outside, bounds)
  for _, id in ipairs(ids) do
    redis.call('UNLINK', cold(272)('task', id), cold(80)(id), cold(82)(id), cold(81)(id))
    redis.call('RPOP', cold(143)(graph))
  end
  if ids[1] then
    redis.call('HINCRBY', cold(142)(graph), 'staged', -#ids)
    redis.call('HINCRBY', cold(142)(graph), 'bytes', 0 - ids.bytes)
  end
  for _, edge in ipairs(outside) do
    if redis.call('ZSCORE', cold(81)(edge.up), edge.id) == '-inf' then
      redis.call('ZREM', cold(81)(edge.up), edge.id)
    end
  end
  redis.call('LTRIM', cold(144)(graph), #outside, -1)
  if #ids + #outside == 0 then
    cold(169)(bounds)
    redis.call('UNLINK', cold(142)(graph), cold(146)(graph))
    redis.call('ZREM', cold(145)(), graph)
    redis.call('ZREM', cold(147)(), graph)
  end
end
else
-- 175 graphs.count
return function(task, to)
  local key = cold(142)(task.graph)
  if cold(489)(to) then
    redis.call('HINCRBY', key, to, 1)
  end
  if task.status and cold(489)(task.status) then
    redis.call('HINCRBY', key, task.status, -1)
  end
  if to == 'deleted' and redis.call('HINCRBY', key, 'left', -1) == 0 then
    cold(169)(task.bounds)
    redis.call('UNLINK', key, cold(143)(task.graph))
    redis.call('ZREM', cold(147)(), task.graph)
  end
end
end
end
end
else
if number < 180 then
if number < 178 then
if number < 177 then
-- 176 groups.key
return function(queue, group)
  if #group > 128 or string.find(group, '[^%w._:@-]') then
    group = '~' .. redis.sha1hex(group)
  end
  return namespace_prefix .. 'group_' .. queue .. '/' .. group
end
else
-- 177 groups.plan
return function(task, to)
  if to ~= 'failed' then
    task.group = redis.call('HGET', namespace_prefix .. 'task_' .. task.id, 'group') or ''
  end
  local key = cold(176)(task.queue, task.group or '')
  cold(275)('ZCARD', cold(272)('groups', task.queue))
  cold(275)('ZCARD', key)
  if to ~= 'failed' and not redis.call('ZSCORE', key, task.id) then
    task.group = nil
  end
end
end
else
if number < 179 then
-- 178 groups.enter
return function(task, now)
  local group = task.group or ''
  local key = cold(176)(task.queue, group)
  redis.call('ZADD', key, now, task.id)
  redis.call('ZADD', cold(272)('groups', task.queue), redis.call('ZCARD', key), group)
end
else
-- 179 groups.leave
return function(task)
  if task.group then
    cold(440)(cold(176)(task.queue, task.group), cold(272)('groups', task.queue), task.group, task.id)
  end
end
end
end
else
if number < 182 then
if number < 181 then
-- 180 history.fields
return function()
  return 'status', 'created', 'promoted', 'reserved', 'started', 'updated', 'node', 'attempt', 'outcome', 'group',
    'error', 'schedule', 'slot',
    'ended', 'cost', 'cost_of', 'readied'
end
else
-- 181 history.last
return function(key, created)
  local entry = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
  local v = entry and entry[2]
  if not v or tonumber(v[2]) < (tonumber(created) or 0) then
    return 0, 0, '', 0, v ~= nil, ''
  end
  return tonumber(string.match(entry[1], '^%d+')), tonumber(v[2]) or 0, v[6], tonumber(v[8]) or 0, false, v[12]
end
end
else
if number < 183 then
-- 182 history.derive
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
    step(moved and cold(267)(since * 1000000) or created,
      readied and 'waiting' or promoted and 'scheduled' or cold(488)(status) and status or 'pending',
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
else
-- 183 history.plan
return function(task, to)
  if to == 'deleted' then
    cold(274)(cold(272)('history', task.id))
  elseif task.status then
    local key = cold(272)('history', task.id)
    cold(275)('XLEN', key)
    if namespace_declared and select(5, cold(181)(key, cold(325)(task.id))) then
      cold(276)()
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
if number < 215 then
if number < 199 then
if number < 191 then
if number < 187 then
if number < 185 then
-- 184 history.archive
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
  cold(185)(task, event, outcome, group, text, cost)
end
else
if number < 186 then
-- 185 history.add
return function(task, event, outcome, group, text, cost)
  local key = cold(272)('history', task.id)
  local told = redis.call('HMGET', cold(272)('task', task.id), cold(180)())
  local number, since, reached, nth, stale, cause = cold(181)(key, told[2])
  if stale then
    redis.call('UNLINK', key)
  end
  local kept = cold(182)(told, since, reached, nth, cause)
  kept[#kept + 1] = { event.at, task.status, event.to, task.attempt, event.by, event.why, outcome, group, text, cost,
    unpack(event.note or {}) }
  local most = cold(375)(task.queue, 'history')
  for i, v in ipairs(kept) do
    redis.call('XADD', key, 'MAXLEN', most, string.format('%.0f-0', number + i),
      'at', v[1], 'from', v[2], 'to', v[3], 'attempt', v[4], 'by', v[5], 'why', v[6], 'outcome', v[7], 'group', v[8],
      'error', v[9], 'cost', v[10], unpack(v, 11))
  end
end
else
-- 186 interruption.target
return function(task, back, known)
  task.losses, task.fruitless = tonumber(known.losses or 0) + 1, tonumber(known.fruitless or 0) + 1
  if task.cancel then
    task.overdue = cold(74)(task)
    task.group = task.overdue and 'deadline' or nil
    return task.overdue and 'failed' or 'cancelled'
  end
  task.group = 'lost'
  if task.losses > tonumber(known.max_losses or cold(375)(task.queue, 'max_losses')) then
    return 'failed'
  end
  if back ~= 'pending' then
    return back
  end
  local to = cold(49)(task, back)
  return to == 'pending' and cold(345)(task, cold(187)(task, known)) or to
end
end
end
else
if number < 189 then
if number < 188 then
-- 187 interruption.pause
return function(task, known)
  local pause = tonumber(known.lost_delay or cold(375)(task.queue, 'lost_delay'))
  if known.grows and task.fruitless > 1 then
    pause = math.max(pause, math.min(2 ^ (task.fruitless - 2), 300))
  end
  return math.floor(pause * 1000000)
end
else
-- 188 interruption.move
return function(task, to, why, text)
  local more = {}
  if task.overdue then
    task.forget, more = cold(75)(), { 'group', 'deadline', 'error', 'its deadline has passed' }
  elseif to == 'failed' then
    more = { 'group', 'lost', 'error', 'lost ' .. task.losses .. ' times: '
      .. (text or 'its owners stopped reporting') }
  elseif to == 'pending' then
    task.front, task.forget, more = true, { cold(406)() }, { 'front', '1' }
  elseif to == 'scheduled' then
    task.forget, more = { cold(406)() }, { 'front', '1', 'eta', task.eta }
    if task.own_eta then
      more[5], more[6] = 'retry_eta', '1'
    end
  elseif task.replaced then
    more = { cold(50)(task) }
  end
  cold(415)(task, to, why, '',
    'ended', task.token, 'outcome', 'lost', 'losses', task.losses,
    'fruitless', task.fruitless, unpack(more))
  cold(291)(task.queue)
end
end
else
if number < 190 then
-- 189 joins.key
return function(id)
  return namespace_prefix .. 'joined_' .. id
end
else
-- 190 joins.list
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
if number < 195 then
if number < 193 then
if number < 192 then
-- 191 joins.collect
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
-- 192 joins.may_read
return function(length)
  local read = cold(273)('results')
  read.bytes = (read.bytes or 0) + length
  return length <= 131072 and read.bytes <= 262144
end
end
else
if number < 194 then
-- 193 joins.is_long
return function(id, slots, bytes)
  local joined = cold(273)('joined')
  local all = (joined.bytes or 0) + bytes
  if slots == 0 or bytes <= 262144 and all <= 1048576 then
    joined.bytes = slots > 0 and all or joined.bytes
    return false
  end
  cold(275)('ZCARD', cold(83)())
  cold(274)(cold(189)(id))
  cold(274)(cold(272)('task', id))
  return true
end
else
-- 194 joins.begin
return function(id)
  redis.call('UNLINK', cold(80)(id), cold(189)(id))
  redis.call('HDEL', cold(82)(id), 'joined', 'lengths', cold(303)())
  redis.call('HSET', cold(272)('task', id), 'cascade', 'join')
  redis.call('ZADD', cold(83)(), namespace_now, id)
end
end
end
else
if number < 197 then
if number < 196 then
-- 195 joins.plan
return function(task)
  local id = task.id
  local own, key = cold(274)(cold(82)(id)), cold(274)(cold(189)(id))
  local v = redis.call('HMGET', own, 'slots', 'joined', 'lengths')
  local slots = tonumber(v[1] or nil)
  if task.status ~= 'waiting' or not slots or redis.call('HLEN', cold(274)(cold(80)(id))) > 0 then
    return { over = true }
  end
  local slot, bytes = string.match(v[2] or '', '^(%d+) (%d+)$')
  if slot and redis.call('STRLEN', key) == tonumber(bytes) then
    slot, bytes = tonumber(slot), tonumber(bytes)
    if slot >= slots then
      return cold(197)(task, key, v[3])
    end
    return cold(196)(own, slot, slots, bytes, v[3])
  end
  return cold(196)(own, 0, slots, 0)
end
else
-- 196 joins.take
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
else
if number < 198 then
-- 197 joins.plan_end
return function(task, key, lengths)
  local plan = { id = task.id, task = cold(323)(task.id, cold(102)()), lengths = lengths }
  plan.task.later = true
  plan.joined = redis.call('GET', key)
  cold(103)(plan, 0, 0)
  plan.task.forget = { 'cascade', unpack(plan.task.forget or {}) }
  return { ready = plan }
end
else
-- 198 joins.run
return function(task, step)
  local own, key = cold(82)(task.id), cold(189)(task.id)
  if step.over then
    redis.call('UNLINK', key)
    redis.call('HDEL', own, 'joined', 'lengths')
    redis.call('HDEL', task.key, 'cascade')
  elseif step.ready then
    redis.call('UNLINK', key)
    cold(109)(nil, step.ready)
  else
    for i, text in ipairs(step.texts) do
      redis.call(step.anew and i == 1 and 'SET' or 'APPEND', key, text)
    end
    redis.call('HSET', own, 'joined', string.format('%d %d', step.slot, step.bytes), 'lengths', step.lengths)
  end
end
end
end
end
end
else
if number < 207 then
if number < 203 then
if number < 201 then
if number < 200 then
-- 199 json.decodes
return function(text)
  return (pcall(cjson.decode, text))
end
else
-- 200 json.guess
return function(piece)
  local back = string.reverse(string.sub(piece, -2048))
  local comma = string.find(back, ',[%]}]') or string.find(back, ',"', 1, true) or string.find(back, ',', 1, true)
  return comma and #piece - comma + 1
end
end
else
if number < 202 then
-- 201 json.cut
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
else
-- 202 json.brackets
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
end
end
else
if number < 205 then
if number < 204 then
-- 203 json.before
return function(open)
  if open == '' then
    return ''
  end
  return (string.gsub(string.sub(open, 1, -2), '{', '{"":')) .. (string.sub(open, -1) == '[' and '[0,' or '{"":0,')
end
else
-- 204 json.after
return function(open)
  local closed = string.gsub(string.reverse(open), '.', { ['['] = ']', ['{'] = '}' })
  return (string.sub(open, -1) == '[' and '0' or '"":0') .. closed
end
end
else
if number < 206 then
-- 205 json.decode
return function(piece, cut, rest, open)
  local left, number = cold(202)(rest, open)
  if left and cold(199)(cold(203)(open) .. string.sub(piece, 1, cut) .. cold(204)(left)) then
    return left, number
  end
end
else
-- 206 json.look
return function(text, from, open)
  local size = 32768
  while true do
    local piece = string.sub(text, from, from + size - 1)
    if from + size > #text then
      return cold(199)(cold(203)(open) .. piece)
    end
    local cut, times = cold(200)(piece), 1
    local left, number
    if cut then
      left, number = cold(205)(piece, cut, string.sub(piece, 1, cut - 1), open)
    end
    if not left then
      local rest
      times = 2
      cut, rest = cold(201)(piece)
      if cut then
        left, number = cold(205)(piece, cut, rest, open)
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
else
if number < 211 then
if number < 209 then
if number < 208 then
-- 207 json.step
return function(text, place)
  local from, open = string.match(place or '1 ', '^(%d+) (.*)$')
  local looked = 0
  local verdict, more
  from = tonumber(from)
  repeat
    verdict, from, open, more = cold(206)(text, from, open)
    looked = looked + (more or 0)
  until verdict ~= nil or looked >= 163840
  return verdict, verdict == nil and string.format('%d %s', from, open) or nil
end
else
-- 208 limits.starts_key
return function(queue, key)
  return namespace_prefix .. 'rate_' .. queue .. (key and '/' .. key or '')
end
end
else
if number < 210 then
-- 209 limits.of_key
return function(queue, key)
  local own, rate = string.match(redis.call('HGET', cold(272)('limits', queue), key) or '- -', '^(%S+) (%S+)$')
  own = tonumber(own ~= '-' and own or cold(375)(queue, 'key_concurrency'))
  if rate ~= '-' then
    return own, rate, 0
  end
  return own, cold(375)(queue, 'key_rate'), cold(376)(queue, 'key_rate')
end
else
-- 210 limits.fits
return function(queue, key, weight)
  local most, rate, since = cold(209)(queue, key)
  if weight == 'solo' then
    most, weight = 1, 1
  end
  if most then
    local used = tonumber(redis.call('HGET', cold(272)('places', queue), 'k:' .. key) or 0)
    if used + math.min(tonumber(weight), most) > most then
      return false
    end
  end
  return cold(212)(cold(208)(queue, key), rate, since)
end
end
end
else
if number < 213 then
if number < 212 then
-- 211 limits.start_expires
return function(starts, back, seconds, since)
  local last = tonumber(redis.call('LINDEX', starts, back) or nil)
  if last and last >= since and tonumber(redis.call('LINDEX', starts, 0)) <= namespace_now_us then
    return last + seconds * 1000000
  end
end
else
-- 212 limits.rate_allows
return function(starts, rate, since)
  if not rate then
    return true
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local free = cold(211)(starts, number - 1, seconds, since)
  if free and free > namespace_now_us then
    return false, free
  end
  return true
end
end
else
if number < 214 then
-- 213 limits.take
return function(task)
  local queue, key, weight = task.queue, task.fair_key, tonumber(task.weight or 1)
  local held = cold(272)('places', queue)
  redis.call('HSET', held, 'a:' .. task.id .. ' ' .. task.issue,
    weight .. ' ' .. (key or '') .. (task.shared and ' ' .. task.shared or ''))
  if task.shared then
    cold(393)(task.shared)
  end
  if weight > 1 then
    redis.call('HINCRBY', held, 'extra', weight - 1)
  end
  if key then
    local _, rate = cold(209)(queue, key)
    redis.call('HINCRBY', held, 'k:' .. key, weight)
    redis.call('HSET', cold(272)('turns', queue), key, cold(134)(namespace_now_us))
    cold(214)(cold(208)(queue, key), rate, string.format('%.0f', namespace_now_us))
  end
end
else
-- 214 limits.record_start
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
end
end
end
else
if number < 230 then
if number < 222 then
if number < 218 then
if number < 216 then
-- 215 limits.release
return function(queue, id, token)
  local held, member = cold(272)('places', queue), 'a:' .. id .. ' ' .. token
  local weight, key, shared = string.match(redis.call('HGET', held, member) or '', '^(%d+) (%S*) ?(%S*)$')
  if not weight then
    return
  end
  redis.call('HDEL', held, member)
  if shared ~= '' then
    cold(394)(shared, queue)
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
    cold(138)(queue, key)
  end
end
else
if number < 217 then
-- 216 limits.plan_released
return function(queue, attempts)
  local keys = {}
  for _, ended in ipairs(attempts) do
    local held = redis.call('HGET', cold(272)('places', queue), 'a:' .. ended.id .. ' ' .. ended.token)
    local key, shared = string.match(held or '', '^%d+ (%S*) ?(%S*)$')
    keys[#keys + 1] = key ~= '' and key or nil
    if shared and shared ~= '' then
      cold(390)(shared, queue)
    end
  end
  cold(139)(queue, keys)
end
else
-- 217 listeners.plan_drain
return function(queue)
  cold(273)('drained')[queue] = tonumber(redis.call('HGET', namespace_meta, 'drained:' .. queue) or 0)
end
end
end
else
if number < 220 then
if number < 219 then
-- 218 listeners.drained
return function(queue, by)
  local numbers = cold(273)('drained')
  numbers[queue] = math.max(0, numbers[queue] + by)
  if numbers[queue] > 0 then
    redis.call('HSET', namespace_meta, 'drained:' .. queue, numbers[queue])
  else
    redis.call('HDEL', namespace_meta, 'drained:' .. queue)
  end
end
else
-- 219 listeners.probe
return function(queue)
  cold(275)('SCARD', cold(272)('listeners', queue))
  cold(275)('ZCARD', cold(272)('seen', queue))
  cold(275)('HLEN', cold(272)('orders', queue))
  cold(275)('HLEN', cold(272)('has', queue))
  cold(217)(queue)
  cold(275)('ZCARD', namespace_prefix .. 'queues')
end
end
else
if number < 221 then
-- 220 listeners.keep
return function(queue)
  return tonumber(cold(375)(queue, 'forget_after')) * 1000000
end
else
-- 221 listeners.remove
return function(queue, listener)
  cold(485)(listener, queue)
  redis.call('HDEL', cold(272)('has', queue), listener)
  redis.call('ZREM', cold(272)('seen', queue), listener)
  if redis.call('HDEL', cold(272)('orders', queue), 'l:' .. listener) == 1 then
    cold(218)(queue, -1)
  end
  local removed = redis.call('SREM', cold(272)('listeners', queue), listener)
  if removed == 1 then
    redis.call('ZINCRBY', namespace_prefix .. 'queues', -1, queue)
  end
  return removed
end
end
end
end
else
if number < 226 then
if number < 224 then
if number < 223 then
-- 222 logs.index
return function()
  return namespace_prefix .. 'logs'
end
else
-- 223 logs.size
return function(id)
  local v = redis.call('HMGET', cold(274)(cold(272)('logged', id)), 'head', 'tail')
  if v[1] then
    cold(275)('ZCARD', cold(222)())
    return v[1] + v[2]
  end
end
end
else
if number < 225 then
-- 224 logs.forget
return function(id, size)
  redis.call('UNLINK', cold(272)('logged', id))
  redis.call('ZREM', cold(222)(), id)
  redis.call('HINCRBY', namespace_meta, 'logs', -size)
end
else
-- 225 logs.look
return function(number, wanted, spared)
  local found, freed = {}, 0
  local old = namespace_now_us / 1000000 - 86400
  local all = redis.call('ZRANGE', cold(274)(cold(222)()), 0, number - 1, 'WITHSCORES')
  for i = 1, #all, 2 do
    local id, heard = all[i], tonumber(all[i + 1])
    if not spared[id] and (heard <= old or freed < wanted) then
      local task = cold(323)(id, 'updated')
      local over = not task or task.queue == '' or cold(489)(task.status)
      local ended = task and tonumber(task.extra[1]) or 0
      local look = { id = id, log = cold(274)(cold(272)('log', id)), size = cold(223)(id) or 0 }
      if not over then
        look.heard = namespace_now
      elseif ended <= old or freed < wanted then
        freed = freed + look.size
      else
        look.heard = task.extra[1]
      end
      found[#found + 1] = look
    end
  end
  return found, freed
end
end
end
else
if number < 228 then
if number < 227 then
-- 226 logs.settle
return function(found)
  for _, look in ipairs(found) do
    if not look.heard then
      redis.call('UNLINK', look.log)
      cold(224)(look.id, look.size)
    end
  end
  for _, look in ipairs(found) do
    if look.heard then
      redis.call('ZADD', cold(222)(), look.heard, look.id)
      redis.call('EXPIRE', look.log, 2592000)
    end
  end
end
else
-- 227 mending.write
return function(command, key, ...)
  if not mending_noted[key] then
    mending_noted[key] = cold(274)(key)
  end
  mending_writes[#mending_writes + 1] = { command, key, ... }
end
end
else
if number < 229 then
-- 228 mending.mend
return function(...)
  cold(227)(...)
  mending_mended = mending_mended + 1
end
else
-- 229 mending.find
return function(id)
  local task = cold(323)(id, 'updated', 'group', 'tags', 'reclaimed_node', 'lease', 'eta')
  if task and task.queue == '' then
    cold(227)('UNLINK', task.key)
    return nil
  end
  return task
end
end
end
end
end
else
if number < 238 then
if number < 234 then
if number < 232 then
if number < 231 then
-- 230 mending.gone
return function(id)
  cold(227)('UNLINK', cold(272)('history', id), cold(274)(cold(272)('log', id)),
    cold(274)(cold(80)(id)), cold(274)(cold(82)(id)), cold(274)(cold(189)(id)))
  cold(233)(id)
  if redis.call('ZSCORE', cold(446)(), id) then
    cold(227)('ZREM', cold(446)(), id)
  end
  local size = not mending_unlogged[id] and cold(223)(id)
  if size then
    mending_unlogged[id] = true
    cold(227)('UNLINK', cold(272)('logged', id))
    cold(227)('ZREM', cold(222)(), id)
    cold(227)('HINCRBY', namespace_meta, 'logs', -size)
  end
end
else
-- 231 mending.index
return function(task)
  local tasks = cold(272)('tasks', mending_queue)
  if not redis.call('ZSCORE', tasks, task.id) then
    cold(228)('ZADD', tasks, cold(325)(task.id), task.id)
  end
end
end
else
if number < 233 then
-- 232 mending.deadline
return function(task)
  if not cold(70)(task) or cold(489)(task.status) or task.cancel then
    return
  end
  local end_by = redis.call('HGET', task.key, 'deadline')
  if end_by and tonumber(redis.call('ZSCORE', cold(69)(), task.id) or -1) ~= tonumber(end_by) then
    cold(228)('ZADD', cold(69)(), end_by, task.id)
  end
end
else
-- 233 mending.no_deadline
return function(id)
  if redis.call('ZSCORE', cold(69)(), id) then
    cold(228)('ZREM', cold(69)(), id)
  end
end
end
end
else
if number < 236 then
if number < 235 then
-- 234 mending.attempt
return function(task)
  if task.token == '' or task.extra[4] then
    return
  end
  local leases = cold(272)('leases', mending_queue)
  if not redis.call('ZSCORE', leases, cold(326)(task)) then
    mending_leased = true
    cold(228)('ZADD', leases, string.format('%.0f', namespace_now_us + (task.extra[5] or 60000000)),
      cold(326)(task))
  end
  local set, entry = cold(272)('started_tasks', mending_queue), task.node .. ' ' .. task.pid .. ' ' .. task.id
  if task.status == 'started' and redis.call('SISMEMBER', set, entry) == 0 then
    cold(228)('SADD', set, entry)
  end
end
else
-- 235 mending.overdue
return function(field, mark, grace)
  local suspects = cold(272)('suspects', mending_queue)
  local since, before = string.match(redis.call('HGET', suspects, field) or '', '^(%S+) (.*)$')
  if before == mark and tonumber(since) * 1000000 + grace <= namespace_now_us then
    cold(227)('HDEL', suspects, field)
    return true
  end
  if before ~= mark then
    cold(227)('HSET', suspects, field, namespace_now .. ' ' .. mark)
  end
  mending_suspected = mending_suspected + 1
  return false
end
end
else
if number < 237 then
-- 236 mending.confirmed
return function(task, listener)
  return cold(324)(task) and task.node == listener
end
else
-- 237 mending.registered
return function(listener)
  return redis.call('SISMEMBER', cold(272)('listeners', mending_queue), listener) == 1
end
end
end
end
else
if number < 242 then
if number < 240 then
if number < 239 then
-- 238 mending.claim
return function(task, listener, grace)
  local claimer = task.extra[4]
  local who = claimer or listener
  if not claimer and cold(237)(listener) or #who > 200 or not string.find(who, '^[%w.:-]+_%d+$') then
    return
  end
  local known, member = cold(272)('claims', mending_queue), who .. ' ' .. task.id
  if not redis.call('ZSCORE', known, member)
    and (claimer or cold(235)('claim ' .. listener .. ' ' .. task.id, task.status, grace)) then
    cold(227)('ZADD', known, 0, member)
  end
end
else
-- 239 mending.entry
return function(list, listener, id, grace)
  local task = cold(229)(id)
  if not task then
    cold(228)('LREM', list, 1, id)
    return
  elseif task.queue ~= mending_queue then
    return
  end
  cold(231)(task)
  if cold(236)(task, listener) then
    cold(234)(task)
    return cold(238)(task, listener, grace)
  elseif not cold(235)(listener .. ' ' .. id, task.status .. ' ' .. string.sub(task.extra[1] or '', 1, 32),
    grace) then
    return
  end
  if task.status == 'pending' and not mending_moved[id] then
    mending_mended = mending_mended + 1
    mending_moved[id] = true
    task.astray, task.from_end = list, -1
    mending_moves[#mending_moves + 1] = task
  else
    cold(228)('LREM', list, 1, id)
  end
end
end
else
if number < 241 then
-- 240 mending.held
return function(cursor, limit, grace)
  local head = cold(272)('reserved_tasks', mending_queue .. '_')
  local page = redis.call('SCAN', cursor, 'MATCH', head .. '*', 'COUNT', 4 * limit)
  local most = math.min(500, math.ceil(2500 / math.max(1, #page[2])))
  for _, list in ipairs(page[2]) do
    local listener = string.sub(list, #head + 1)
    local seen = {}
    for _, id in ipairs(redis.call('LRANGE', cold(274)(list), -most, -1)) do
      if seen[id] then
        cold(228)('LREM', list, 1, id)
      else
        seen[id] = true
        cold(239)(list, listener, id, grace)
      end
    end
  end
  return page[1]
end
else
-- 241 mending.started
return function(cursor, limit)
  local set = cold(272)('started_tasks', mending_queue)
  local page = redis.call('SSCAN', set, cursor, 'COUNT', limit)
  for _, entry in ipairs(page[2]) do
    local node, pid, id = string.match(entry, '^(%S+) (%S*) (%S+)$')
    local task = id and cold(323)(id)
    if not task or task.status ~= 'started' or task.node ~= node or task.pid ~= pid then
      cold(228)('SREM', set, entry)
    end
  end
  return page[1]
end
end
end
else
if number < 244 then
if number < 243 then
-- 242 mending.go_on
return function(position)
  return position == 0 and '00' or string.format('%.0f', position)
end
else
-- 243 mending.page
return function(key, command, position, limit)
  local from = tonumber(position)
  local ids = redis.call(command, key, from, from + limit - 1)
  return ids, function(removed)
    return #ids < limit and '0' or cold(242)(from + limit - removed)
  end
end
end
else
if number < 245 then
-- 244 mending.group
return function(task)
  local group = task.extra[2] or ''
  local key = cold(176)(mending_queue, group)
  if not redis.call('ZSCORE', key, task.id) then
    local counts = cold(272)('groups', mending_queue)
    cold(275)('ZCARD', counts)
    cold(228)('ZADD', key, tonumber(task.extra[1]) or 0, task.id)
    cold(227)('ZADD', counts, 'NX', 1, group)
  end
end
else
-- 245 mending.labelled
return function(task, kind, name)
  if not task or task.queue ~= mending_queue then
    return false
  elseif kind == 'groups' then
    return task.status == 'failed' and (task.extra[2] or '') == name
  end
  return string.find(',' .. (task.extra[3] or '') .. ',', ',' .. name .. ',', 1, true) ~= nil
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
if number < 368 then
if number < 307 then
if number < 276 then
if number < 261 then
if number < 253 then
if number < 249 then
if number < 247 then
-- 246 mending.labels
return function(kind, position, limit)
  local counts = cold(272)(kind, mending_queue)
  local at, from = math.floor(position / 1000000000), position % 1000000000
  local gone = 0
  while limit > 0 do
    local name, count = unpack(redis.call('ZRANGE', counts, at, at, 'WITHSCORES'))
    if not name then
      return '0'
    end
    local key = (kind == 'tags' and cold(436) or cold(176))(mending_queue, name)
    local ids, removed = redis.call('ZRANGE', key, from, from + limit - 1), 0
    for _, id in ipairs(ids) do
      if not cold(245)(cold(229)(id), kind, name) then
        cold(228)('ZREM', key, id)
        removed = removed + 1
      end
    end
    if #ids == limit then
      from = from + limit - removed
    else
      local left = redis.call('ZCARD', key) - removed
      if left == 0 then
        cold(228)('ZREM', counts, name)
        gone = gone + 1
      elseif left ~= tonumber(count) then
        cold(228)('ZADD', counts, left, name)
      end
      at, from = at + 1, 0
    end
    limit = limit - #ids - 1
  end
  return cold(242)((at - gone) * 1000000000 + from)
end
else
if number < 248 then
-- 247 mending.strayed
return function(task, key, status)
  if not task.ties or not string.find(task.ties, 'r') then
    return false
  elseif status == 'scheduled' then
    cold(228)('ZADD', cold(272)('scheduled_lane_tasks', mending_queue),
      redis.call('ZSCORE', key, task.id), task.id)
    cold(227)('ZREM', key, task.id)
    return true
  elseif status ~= 'pending' then
    return false
  end
  cold(42)(task)
  cold(228)('LREM', key, 1, task.id)
  if not task.rank then
    cold(318)(task)
    mending_entering[#mending_entering + 1] = task
  end
  return true
end
else
-- 248 mending.upstreams
return function(task)
  if redis.call('EXISTS', cold(80)(task.id)) == 0 and not redis.call('ZSCORE', cold(83)(), task.id)
    and redis.call('HEXISTS', cold(82)(task.id), 'slots') == 1 then
    cold(228)('ZADD', cold(83)(), namespace_now, task.id)
    cold(227)('HSET', task.key, 'cascade', 'join')
  end
  local found = redis.call('HSCAN', cold(80)(task.id), '0', 'COUNT', 100)[2]
  for i = 1, math.min(#found, 2 * 100), 2 do
    local since = redis.call('ZSCORE', cold(81)(found[i]), task.id)
    if since ~= 'inf' then
      cold(249)(task, found[i], since)
    end
  end
end
end
end
else
if number < 251 then
if number < 250 then
-- 249 mending.upstream
return function(task, id, since)
  local key = cold(272)('task', id)
  local v = redis.call('HMGET', key, 'status', 'graph', 'ties')
  local ended = not (v[1] or v[2]) or v[1] and cold(489)(v[1])
  if redis.call('ZSCORE', cold(83)(), id) then
    return
  elseif ended then
    cold(228)('ZADD', cold(83)(), namespace_now, id)
    if not since then
      cold(227)('ZADD', cold(81)(id), namespace_now, task.id)
    end
  elseif v[1] then
    if not since then
      cold(228)('ZADD', cold(81)(id), namespace_now, task.id)
    end
    if not string.find(v[3] or '', 'd', 1, true) then
      cold(228)('HSET', key, 'ties', (v[3] or '') .. 'd')
    end
  end
end
else
-- 250 mending.list
return function(status, position, limit)
  local key = cold(272)(status .. '_tasks', mending_queue)
  local ranked = status == 'scheduled_lane'
  local zset = ranked or status == 'scheduled' or status == 'waiting'
  status = ranked and 'scheduled' or status
  local ids, after = cold(243)(key, zset and 'ZRANGE' or 'LRANGE', position, limit)
  local removed, seen = 0, {}
  for _, id in ipairs(ids) do
    local task = cold(229)(id)
    if task and not seen[id] and task.status == status and task.queue == mending_queue then
      seen[id] = true
      cold(231)(task)
      if not ranked and cold(247)(task, key, status) then
        removed = removed + 1
      end
      if task.cancel and cold(489)(status) then
        cold(228)('HDEL', task.key, 'cancel')
      end
      if cold(489)(status) and cold(70)(task) then
        cold(233)(id)
      end
      if cold(489)(status) and cold(126)(task) and not redis.call('ZSCORE', cold(83)(), id) then
        cold(228)('ZADD', cold(83)(), namespace_now, id)
      end
      if status == 'failed' then
        cold(244)(task)
      elseif status == 'waiting' then
        cold(248)(task)
      end
    else
      removed = removed + 1
      if not task then
        cold(230)(id)
      end
      if zset then
        cold(228)('ZREM', key, id)
      else
        cold(228)('LREM', key, 1, id)
      end
    end
  end
  return after(removed)
end
end
else
if number < 252 then
-- 251 mending.due
return function(task, grace)
  local plain = cold(272)('scheduled_tasks', mending_queue)
  local set = plain
  if task.ties and string.find(task.ties, 'r', 1, true) then
    set = cold(272)('scheduled_lane_tasks', mending_queue)
  end
  if not redis.call('ZSCORE', set, task.id) and not redis.call('ZSCORE', plain, task.id)
    and cold(235)('due ' .. task.id, task.extra[1] or '', grace) then
    cold(228)('ZADD', set, task.extra[6] or namespace_now, task.id)
  end
end
else
-- 252 mending.tasks
return function(position, limit, grace)
  local key = cold(272)('tasks', mending_queue)
  local ids, after = cold(243)(key, 'ZRANGE', position, limit)
  local removed = 0
  for _, id in ipairs(ids) do
    local task = cold(229)(id)
    if task and task.queue == mending_queue then
      cold(232)(task)
    end
    if not task then
      removed = removed + 1
      cold(228)('ZREM', key, id)
      cold(230)(id)
    elseif task.queue ~= mending_queue then
      removed = removed + 1
      cold(228)('ZREM', key, id)
    elseif task.node ~= '' and cold(324)(task) then
      local list = cold(272)('reserved_tasks', task.queue .. '_' .. task.node)
      if not redis.call('LPOS', list, id) then
        cold(228)('LPUSH', list, id)
      end
    elseif task.status == 'scheduled' then
      cold(251)(task, grace)
    elseif task.status == 'waiting' and not redis.call('ZSCORE', cold(272)('waiting_tasks', task.queue), id) then
      cold(228)('ZADD', cold(272)('waiting_tasks', task.queue), namespace_now, id)
    end
  end
  return after(removed)
end
end
end
end
else
if number < 257 then
if number < 255 then
if number < 254 then
-- 253 mending.orders
return function(cursor, limit)
  local given = cold(287)(mending_queue)
  local page = redis.call('HSCAN', given, cursor, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local kind, name = string.match(page[2][i], '^(%l):(.+)$')
    local valid
    if page[2][i] == 'q' then
      valid = redis.call('HEXISTS', namespace_meta, 'paused:' .. mending_queue) == 1
    elseif kind == 't' then
      local task = cold(323)(name)
      valid = task and cold(324)(task) and (task.cancel or task.recall)
    else
      valid = name and redis.call('SISMEMBER', cold(272)('listeners', mending_queue), name) == 1
    end
    if not valid then
      cold(228)('HDEL', given, page[2][i])
    end
  end
  return page[1]
end
else
-- 254 mending.score
return function(grace)
  local queues = namespace_prefix .. 'queues'
  local score = redis.call('ZSCORE', queues, mending_queue) or '0'
  local number = redis.call('SCARD', cold(272)('listeners', mending_queue))
  if tonumber(score) ~= number and cold(235)('listeners', score .. ' ' .. number, grace) then
    cold(228)('ZADD', queues, number, mending_queue)
  end
  return tonumber(score) == number
end
end
else
if number < 256 then
-- 255 mending.lanes
return function(position, limit)
  local members, after = cold(243)(cold(272)('lane_tasks', mending_queue), 'ZRANGE', position, limit)
  for _, member in ipairs(members) do
    local task = cold(229)(string.match(member, ' (%S+)$') or '')
    if task and task.queue == mending_queue then
      cold(231)(task)
    end
  end
  return after(0)
end
else
-- 256 mending.places
return function(cursor, limit, shared)
  local queue, held = mending_queue, cold(272)('places', mending_queue)
  cold(275)('HLEN', held)
  local page = redis.call('HSCAN', held, cursor, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local id, token = string.match(page[2][i], '^a:(%S+) (%d+)$')
    local task = id and cold(323)(id)
    if id and not (task and task.queue == queue and cold(324)(task) and task.token == token)
      and not redis.call('ZSCORE', cold(272)('leases', queue), id .. ' ' .. token) then
      mending_freed[#mending_freed + 1] = { id = id, token = token }
      mending_mended = mending_mended + 1
    end
  end
  if mending_freed[1] then
    cold(216)(queue, mending_freed)
    cold(409)(queue)
  end
  local wrong = page[1] == '0' and cold(328)(queue, shared) or {}
  for nth = 1, #wrong, 2 do
    local name, number = wrong[nth], wrong[nth + 1]
    if number > 0 then
      cold(228)('HSET', cold(379)(), name, number)
    else
      cold(228)('HDEL', cold(379)(), name)
    end
    cold(391)(name, '', 4)
    mending_recounted[#mending_recounted + 1] = name
  end
  if page[1] == '0' then
    cold(259)(queue, shared)
  end
  return page[1]
end
end
end
else
if number < 259 then
if number < 258 then
-- 257 mending.graphs
return function(position, limit, shared)
  if shared and redis.call('ZREVRANGE', namespace_prefix .. 'queues', 0, 0)[1] ~= mending_queue then
    return '0'
  end
  local ids, after = cold(243)(cold(147)(), 'ZRANGE', position, limit)
  local left, removed = 2000, 0
  for i, id in ipairs(ids) do
    local number = cold(332)(id)
    if number > left and number <= 2000 then
      return cold(242)(tonumber(position) + i - 1 - removed)
    end
    local wrong, there = {}, nil
    if number > 0 and number <= left then
      wrong, there = cold(333)(id)
      left = left - number
    end
    if there == 0 then
      removed = removed + 1
      cold(258)(id)
    elseif wrong[1] then
      cold(228)('HSET', cold(142)(id), unpack(wrong))
    end
  end
  return after(removed)
end
else
-- 258 mending.remove_graph
return function(id)
  for _, bound in ipairs(cold(171)(id)) do
    cold(227)('HDEL', bound.limits, bound.key)
  end
  cold(228)('ZREM', cold(147)(), id)
  cold(227)('UNLINK', cold(142)(id), cold(274)(cold(143)(id)))
end
end
else
if number < 260 then
-- 259 mending.plan_shared
return function(queue, shared)
  mending_named = cold(330)(queue, shared)
  local corrected = {}
  for nth = 1, #mending_named, 2 do
    corrected[mending_named[nth]] = true
  end
  if next(corrected) then
    cold(395)()
  end
  mending_expired = cold(404)(corrected)
  mending_mended = mending_mended + #mending_named / 2 + #mending_expired
end
else
-- 260 mending.unique
return function(cursor, limit)
  local names = cold(272)('unique', mending_queue)
  local page = redis.call('HSCAN', names, cursor, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local id, till = string.match(page[2][i + 1], '^(%S+) (%l+)$')
    if id and not cold(46)(mending_queue, id, page[2][i], till) then
      cold(228)('HDEL', names, page[2][i])
    end
  end
  return page[1]
end
end
end
end
end
else
if number < 268 then
if number < 264 then
if number < 262 then
-- 261 mending.claims
return function(position, limit)
  local key = cold(272)('claims', mending_queue)
  local members, after = cold(243)(key, 'ZRANGE', position, limit)
  local removed = 0
  for _, member in ipairs(members) do
    local who, id = string.match(member, '^(%S+) (%S+)$')
    local task = id and cold(229)(id)
    local valid = task and task.queue == mending_queue and cold(324)(task)
    if valid and task.extra[4] then
      valid = task.extra[4] == who
    elseif valid then
      valid = task.node == who and not cold(237)(who)
    end
    if valid then
      for _, fact in ipairs({ who, id, task.status, task.node, task.pid }) do
        mending_valid_claims[#mending_valid_claims + 1] = fact
      end
    else
      removed = removed + 1
      cold(227)('ZREM', key, member)
    end
  end
  return after(removed)
end
else
if number < 263 then
-- 262 mending.shared_cursor
return function()
  local pass = redis.call('HGET', cold(272)('suspects', mending_queue), 'pass') or ''
  local ended = tonumber(string.match(pass, '^done (%d+)$'))
  if not ended then
    return pass
  end
  local since = namespace_now_us - ended
  return (since >= (60 * 1000000) or since < 0) and '' or nil
end
else
-- 263 mending.share
return function(after)
  local pass = after ~= '' and after or string.format('done %.0f', namespace_now_us)
  cold(227)('HSET', cold(272)('suspects', mending_queue), 'pass', pass)
end
end
end
else
if number < 266 then
if number < 265 then
-- 264 mending.suspects
return function(cursor, limit, grace)
  local suspects = cold(272)('suspects', mending_queue)
  local right = cold(254)(grace)
  local page = redis.call('HSCAN', suspects, cursor, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local field = page[2][i]
    local listener, id = string.match(field, '^(%S+) (%S+)$')
    local holder, orphan = string.match(field, '^claim (%S+) (%S+)$')
    local settled = right and field ~= 'pass'
    if orphan then
      local task = cold(323)(orphan, 'reclaimed_node')
      settled = not task or task.extra[1] or not cold(236)(task, holder) or cold(237)(holder)
    elseif listener == 'due' then
      local task = cold(323)(id)
      settled = not task or task.status ~= 'scheduled'
        or redis.call('ZSCORE', cold(272)('scheduled_tasks', mending_queue), id)
        or redis.call('ZSCORE', cold(272)('scheduled_lane_tasks', mending_queue), id)
    elseif id then
      local task = cold(323)(id)
      settled = not task or cold(236)(task, listener)
        or not redis.call('LPOS', cold(272)('reserved_tasks', mending_queue .. '_' .. listener), id)
    end
    if settled then
      cold(227)('HDEL', suspects, field)
    end
  end
  return page[1]
end
else
-- 265 mending.finish
return function()
  if #mending_moves > 0 then
    cold(412)({ id = '', status = 'pending', queue = mending_queue, foreign = true, from_end = -1 }, 'pending')
    for _, task in ipairs(mending_moves) do
      cold(183)(task, 'pending')
      cold(450)(task)
      task.tracked = cold(448)(task)
    end
  end
  if #mending_entering > 0 then
    cold(409)(mending_queue)
  end
  cold(279)()
  if mending_leased then
    do
      local us = namespace_now_us
      redis.call('HSET', namespace_meta, 'clock:1', us)
      if namespace_gap then
        redis.call('HSET', namespace_meta, 'gap', string.format('%.0f', namespace_gap))
      end
    end
  end
  for _, task in ipairs(mending_moves) do
    task.front, task.forget = true, { 'token', 'lease', 'request', cold(406)() }
    cold(415)(task, 'pending', 'mend', '', 'front', '1')
  end
  for _, command in ipairs(mending_writes) do
    redis.call(unpack(command))
  end
  for _, task in ipairs(mending_entering) do
    cold(320)(task)
  end
  for _, ended in ipairs(mending_freed) do
    cold(215)(mending_queue, ended.id, ended.token)
  end
  if #mending_moves + #mending_entering + #mending_freed > 0 then
    do
      local queue = mending_queue
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
          if not namespace_declared or cold(278)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(410)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
  for _, name in ipairs(mending_recounted) do
    cold(392)(name, '')
  end
  for nth = 1, #mending_named, 2 do
    cold(398)(mending_named[nth], mending_named[nth + 1])
  end
  cold(405)(mending_expired)
end
end
else
if number < 267 then
-- 266 mending.step
return function(queue, cursor, limit, grace, shared)
  mending_queue = queue
  local function place(text)
    local part, position = string.match(text == '' and 'held:0' or text, '^(%l+):(%d+)$')
    return part, position, part and #position <= 16 and string.match(' held started waiting pending scheduled laned complete failed cancelled orders suspects tasks tags groups graphs lanes places unique claims ', ' ' .. part .. ' (%l*)')
  end
  local part, position, following = place(cursor)
  if not following then
    cold(334)('BADARG', 'the cursor must be empty or what the previous call returned')
  end
  if shared and cursor ~= '' then
    cold(334)('BADARG', 'the cursor must be empty with shared')
  end

  cold(275)('HLEN', cold(272)('suspects', mending_queue))
  cold(275)('ZCARD', cold(272)('tasks', mending_queue))
  if shared then
    local goes_on = cold(262)()
    if not goes_on then
      return { '', 0, 0 }
    end
    part, position, following = place(goes_on)
    if not following then
      part, position, following = place('')
    end
  end
  local after
  if part == 'held' then
    after = cold(240)(position, limit, grace)
  elseif part == 'started' then
    after = cold(241)(position, limit)
  elseif part == 'orders' then
    after = cold(253)(position, limit)
  elseif part == 'suspects' then
    after = cold(264)(position, limit, grace)
  elseif part == 'tasks' then
    after = cold(252)(position, limit, grace)
  elseif part == 'tags' or part == 'groups' then
    after = cold(246)(part, tonumber(position), limit)
  elseif part == 'graphs' then
    after = cold(257)(position, limit, shared)
  elseif part == 'lanes' then
    after = cold(255)(position, limit)
  elseif part == 'places' then
    after = cold(256)(position, limit, shared)
  elseif part == 'unique' then
    after = cold(260)(position, limit)
  elseif part == 'claims' then
    after = cold(261)(position, limit)
  else
    after = cold(250)(part == 'laned' and 'scheduled_lane' or part, position, limit)
  end
  if after ~= '0' then
    after = part .. ':' .. after
  else
    after = following ~= '' and following .. ':0' or ''
  end
  if shared then
    cold(263)(after)
  end
  cold(265)()
  return { after, mending_mended, mending_suspected, unpack(mending_valid_claims) }
end
else
-- 267 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
end
end
end
else
if number < 272 then
if number < 270 then
if number < 269 then
-- 268 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(334)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(334)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
-- 269 namespace.use_test_time
return function(now)
  namespace_now_us = cold(27)(now or cold(334)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(334)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(267)(namespace_now_us)
end
end
else
if number < 271 then
-- 270 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(267)(namespace_now_us)
end
else
-- 271 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
end
end
else
if number < 274 then
if number < 273 then
-- 272 namespace.key
return function(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end
else
-- 273 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
end
else
if number < 275 then
-- 274 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
else
-- 275 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(274)(key)
  end
  return redis.call(command, key)
end
end
end
end
end
end
else
if number < 291 then
if number < 283 then
if number < 279 then
if number < 277 then
-- 276 namespace.require_settled_slot
return function()
  cold(274)(namespace_prefix .. 'unmoved')
end
else
if number < 278 then
-- 277 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(334)(cold(336)())
  end
end
else
-- 278 namespace.is_here
return function(key)
  return type(redis.pcall('EXISTS', namespace_meta, key)) == 'number'
end
end
end
else
if number < 281 then
if number < 280 then
-- 279 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(349)()
  if namespace_declared then
    cold(280)(first, ...)
  end
end
else
-- 280 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(277)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(349)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
end
else
if number < 282 then
-- 281 namespace.write_when_full
return function(key)
  redis.call('HDEL', key, '')
end
else
-- 282 needs.class
return function(task)
  if task.shared then
    return (task.needs or '') .. '|' .. task.shared
  end
  return task.needs
end
end
end
end
else
if number < 287 then
if number < 285 then
if number < 284 then
-- 283 needs.numbers
return function(queue)
  local numbers = { '' }
  for _, known in ipairs(redis.call('HVALS', cold(272)('needs', queue))) do
    numbers[#numbers + 1] = string.match(known, '^%d+')
  end
  return numbers
end
else
-- 284 needs.number
return function(queue, wanted)
  if not wanted then
    return ''
  end
  return string.match(redis.call('HGET', cold(272)('needs', queue), wanted) or '', '^%d+')
end
end
else
if number < 286 then
-- 285 needs.plan
return function(queue, wanted)
  local number, given = cold(284)(queue, wanted), cold(273)('needs')[queue] or {}
  if number or given[wanted] then
    return number or given[wanted]
  end
  local taken = {}
  for _, other in ipairs(cold(283)(queue)) do
    taken[other] = true
  end
  for _, other in pairs(given) do
    taken[other] = true
  end
  number = 1
  while taken[tostring(number)] do
    number = number + 1
  end
  given[wanted], cold(273)('needs')[queue] = tostring(number), given
  return given[wanted]
end
else
-- 286 needs.count
return function(queue, wanted, by)
  if not wanted then
    return ''
  end
  local known = cold(272)('needs', queue)
  local number, count = string.match(redis.call('HGET', known, wanted) or '', '^(%d+) (%d+)$')
  if not number then
    number, count = cold(285)(queue, wanted), 0
  end
  count = count + by
  if count > 0 then
    redis.call('HSET', known, wanted, number .. ' ' .. count)
  else
    redis.call('HDEL', known, wanted)
  end
  return number
end
end
end
else
if number < 289 then
if number < 288 then
-- 287 orders.key
return function(queue)
  return cold(272)('orders', queue)
end
else
-- 288 orders.of
return function(task)
  return redis.call('HGET', cold(287)(task.queue), 't:' .. task.id)
end
end
else
if number < 290 then
-- 289 orders.plan
return function(queue)
  cold(275)('HLEN', cold(287)(queue))
end
else
-- 290 orders.give
return function(queue, to, order)
  local key = cold(287)(queue)
  cold(281)(key)
  redis.call('HSET', key, to, order)
  cold(291)(queue)
end
end
end
end
end
else
if number < 299 then
if number < 295 then
if number < 293 then
if number < 292 then
-- 291 orders.announce
return function(queue)
  redis.pcall('PUBLISH', cold(287)(queue), '')
end
else
-- 292 orphans.requeue
return function(queue, limit, run, gap)
  local here = cold(372)('server', 'run_id') or run
  local restarted = run and here ~= run
  gap = restarted and namespace_now_us or namespace_gap or tonumber(gap or 0)

  local leases = cold(274)(cold(272)('leases', queue))
  local placed = cold(275)('HLEN', cold(272)('places', queue)) > 0
  local expired = redis.call('ZRANGEBYSCORE', leases, '-inf', string.format('(%.0f', namespace_now_us),
    'WITHSCORES', 'LIMIT', 0, limit + 1)
  local more = #expired > 2 * limit and 1 or 0
  local stale, foreign, freed, postponed, lost = {}, {}, {}, {}, {}
  for i = 1, math.min(#expired, 2 * limit), 2 do
    local member, deadline = expired[i], tonumber(expired[i + 1])
    local id, token = string.match(member, '^(%S+) (%d+)$')
    local task = cold(323)(id, 'max_losses', 'losses', 'lease', 'postponed', 'reclaimed_node', 'started', 'fruitless',
      'lost_delay')
    if not task or task.token ~= token then
      stale[#stale + 1] = member
      freed[#freed + 1] = { id = id, token = token }
    elseif not cold(324)(task) or (task.extra[5] and not (task.status == 'started' and task.extra[6])) then
      stale[#stale + 1] = member
      freed[#freed + 1] = task
      foreign[#foreign + 1] = task
    else
      local lease = tonumber(task.extra[3] or 60000000)
      local waits = gap + lease > namespace_now_us and deadline - lease < gap
      local once = restarted or tonumber(task.extra[4] or 0) ~= deadline
      if waits and once then
        task.deadline = string.format('%.0f', gap + lease)
        postponed[#postponed + 1] = task
      else
        task.to = cold(186)(task, 'pending', {
          max_losses = task.extra[1], losses = task.extra[2], fruitless = task.extra[7], lost_delay = task.extra[8],
        })
        task.later = true
        cold(412)(task, task.to)
        lost[#lost + 1] = task
      end
    end
  end
  local silent = {}
  cold(219)(queue)
  local present = redis.call('SCARD', cold(272)('listeners', queue))
  for _, listener in ipairs(redis.call('ZRANGEBYSCORE', cold(272)('seen', queue), '-inf',
    cold(267)(math.max(0, namespace_now_us - cold(220)(queue))), 'LIMIT', 0, limit)) do
    if redis.call('LLEN', cold(274)(cold(272)('reserved_tasks', queue .. '_' .. listener))) == 0 then
      cold(484)(listener)
      silent[#silent + 1] = listener
    end
  end
  local past = cold(486)()
  if placed then
    cold(216)(queue, freed)
  end
  cold(279)()

  redis.call('ZREM', leases, '', unpack(stale))
  do
    local us = namespace_now_us
    redis.call('HSET', namespace_meta, 'clock:1', us)
    if namespace_gap then
      redis.call('HSET', namespace_meta, 'gap', string.format('%.0f', namespace_gap))
    end
  end
  redis.call('HSET', namespace_meta, 'run', here or '', 'gap', string.format('%.0f', gap))
  for _, task in ipairs(postponed) do
    redis.call('ZADD', leases, task.deadline, cold(326)(task))
    redis.call('HSET', task.key, 'postponed', task.deadline)
  end
  for _, task in ipairs(placed and freed or {}) do
    cold(215)(queue, task.id, task.token)
  end
  for _, task in ipairs(foreign) do
    redis.call('HDEL', task.key, 'token', 'lease', 'request')
    redis.call('HSET', task.key, 'ended', task.token, 'outcome', 'lost')
  end
  local counts = { pending = 0, scheduled = 0, failed = 0, cancelled = 0 }
  for _, task in ipairs(lost) do
    counts[task.to] = counts[task.to] + 1
    cold(188)(task, task.to, 'lost')
  end
  for _, listener in ipairs(silent) do
    cold(221)(queue, listener)
  end
  cold(487)(past, cold(267)(namespace_now_us + cold(220)(queue)))
  if counts.pending > 0 then
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
          if not namespace_declared or cold(278)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(410)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
  return { counts.pending + counts.scheduled, counts.failed, counts.cancelled, #postponed, more, present - #silent }
end
end
else
if number < 294 then
-- 293 patterns.parse
return function(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end
else
-- 294 patterns.set
return function(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = cold(293)(one)
  end
  return set
end
end
end
else
if number < 297 then
if number < 296 then
-- 295 patterns.matches
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
else
-- 296 patterns.chooser
return function(set)
  local matches, out, wanted = cold(295), set.out, set.wanted
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
end
else
if number < 298 then
-- 297 patterns.list
return function(text)
  return namespace_prefix .. 'wakes_' .. string.sub(redis.sha1hex(text), 1, 16)
end
else
-- 298 patterns.rouse
return function(sets, queue)
  local left = {}
  for text in string.gmatch(sets, '%S+') do
    local list = cold(297)(text)
    if cold(296)(cold(294)(text))(queue) and (not namespace_declared or cold(278)(list)) then
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
else
if number < 303 then
if number < 301 then
if number < 300 then
-- 299 promotion.promote
return function(queue, limit, limited)
  local ranked = redis.call('HGET', namespace_meta, 'lanes:' .. queue)
  local sets = { cold(272)('scheduled_tasks', queue), cold(272)('scheduled_lane_tasks', queue) }
  local waiting, later = {}, nil
  for i, set in ipairs(sets) do
    waiting[i] = redis.call('ZRANGEBYSCORE', set, '-inf', namespace_now, 'LIMIT', 0, limit + 1, 'WITHSCORES')
    local next = redis.call('ZRANGEBYSCORE', set, '(' .. namespace_now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
    if not later or next and tonumber(next) < tonumber(later) then
      later = next
    end
  end
  local due, tasks, strays = (#waiting[1] + #waiting[2]) / 2, {}, {}
  local at = { 1, 1 }
  for _ = 1, math.min(due, limit) do
    local one, other = tonumber(waiting[1][at[1] + 1]), tonumber(waiting[2][at[2] + 1])
    local i = (not one or other and other < one) and 2 or 1
    local id = waiting[i][at[i]]
    at[i] = at[i] + 2
    local task = cold(323)(id, 'front', 'ended', 'retry_eta')
    if task and task.status == 'scheduled' and task.queue == queue then
      if task.extra[1] then
        task.front, task.turn = true, tonumber(task.extra[2])
      end
      if task.extra[3] then
        task.forget = { 'eta', 'retry_eta' }
      end
      tasks[#tasks + 1] = task
    else
      strays[#strays + 1] = { sets[i], id }
    end
  end
  local planned = {}
  for _, task in ipairs(tasks) do
    if task.ties or not planned.plain then
      cold(412)(task, 'pending')
      planned.plain = planned.plain or not task.ties
    end
  end
  if #tasks > 0 then
    cold(275)('ZCARD', cold(272)('tasks', queue))
  end
  local looks = ranked or limited or redis.pcall('EXISTS', cold(272)('delayed', queue)) == 1
  local held_up = looks and cold(140)(queue, limit, limited) or { keys = {} }
  if held_up.wakes then
    cold(409)(queue)
  end
  local answer = { #tasks, (due > limit or held_up.more) and 1 or 0, later or '' }
  if held_up.next and (answer[3] == '' or held_up.next < answer[3] * 1000000) then
    answer[3] = cold(267)(held_up.next)
  end
  for _, stray in ipairs(strays) do
    cold(274)(stray[1])
  end
  cold(279)()
  cold(141)(queue, held_up)
  for _, stray in ipairs(strays) do
    redis.call('ZREM', unpack(stray))
  end
  for _, task in ipairs(tasks) do
    local value_1_1
    do
      local task = task
      local since, now = task.since, namespace_now
      if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
        now = since
      end
      value_1_1 = now
    end
    local now = value_1_1
    cold(415)(task, 'pending', 'promote', '', 'promoted', now)
  end
  if #tasks > 0 or held_up.wakes then
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
          if not namespace_declared or cold(278)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(410)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
  return answer
end
else
-- 300 quorum.wanted
return function(text)
  return tonumber(string.match(text or '', 'least/(%d+)') or 1)
end
end
else
if number < 302 then
-- 301 quorum.has
return function(task)
  return task.ties and string.find(task.ties, 'k', 1, true)
end
else
-- 302 quorum.new
return function(least)
  return { least = least, left = 0, missed = 0, turn = 1, owed = 0 }
end
end
end
else
if number < 305 then
if number < 304 then
-- 303 quorum.fields
return function()
  return 'least', 'some', 'missed', 'turn', 'owed'
end
else
-- 304 quorum.read
return function(id)
  local v = redis.call('HMGET', cold(274)(cold(82)(id)), cold(303)())
  return { least = tonumber(v[1] or 0), left = tonumber(v[2] or 0), missed = tonumber(v[3] or 0),
    turn = tonumber(v[4] or 1), owed = tonumber(v[5] or 0) }
end
end
else
if number < 306 then
-- 305 quorum.write
return function(id, set)
  redis.call('HSET', cold(82)(id), 'least', set.least, 'some', set.left, 'missed', set.missed, 'turn', set.turn,
    'owed', set.owed)
end
else
-- 306 quorum.chances
return function(set)
  return set.left - set.missed + set.owed
end
end
end
end
end
end
end
else
if number < 337 then
if number < 322 then
if number < 314 then
if number < 310 then
if number < 308 then
-- 307 quorum.is_ready
return function(set, open)
  return set.least <= 0 and open == set.left
end
else
if number < 309 then
-- 308 quorum.text
return function(slots, turn)
  return 'some' .. (turn or '') .. (slots ~= '' and '/' .. slots or '')
end
else
-- 309 quorum.take
return function(set, mark)
  if mark == '0' then
    set.owed = set.owed - 1
  else
    set.left, set.missed = set.left - 1, set.missed - (tonumber(mark) == set.turn and 1 or 0)
  end
end
end
end
else
if number < 312 then
if number < 311 then
-- 310 quorum.plan_end
return function(plan, task, up, to, mark, slots)
  local set, open = plan.set, redis.call('HLEN', cold(80)(plan.id))
  cold(309)(set, mark)
  plan.met = to == 'complete'
  if plan.met then
    set.least = set.least - 1
    return
  elseif to == 'deleted' then
    plan.gone, open = cold(84)(slots), open - 1
  else
    set.left, set.missed = set.left + 1, set.missed + 1
  end
  if cold(307)(set, open) then
    plan.met, plan.ready = true, true
    return
  end
  local may_wait = cold(149)(task.extra[5]) == 'hold' and set.least <= set.left + set.owed
  if set.least > cold(306)(set) and not may_wait then
    cold(311)(plan, up, open)
    plan.short = set.least > cold(306)(set)
  end
  plan.missed = not plan.short and cold(308)(slots, set.turn)
end
else
-- 311 quorum.plan_again
return function(plan, up, open)
  local set = plan.set
  plan.again = {}
  local found = open <= 300 and redis.call('HGETALL', cold(80)(plan.id)) or {}
  for i = 1, #found, 2 do
    local mark, slots = string.match(found[i + 1], '^some(%d+)/?(.*)$')
    if found[i] ~= up.id and tonumber(mark) == set.turn then
      local other = cold(323)(found[i])
      if other and not cold(489)(other.status) then
        cold(275)('ZCARD', cold(81)(found[i]))
        plan.again[found[i]], set.missed = { up = other, text = cold(308)(slots) }, set.missed - 1
      end
    end
  end
end
end
else
if number < 313 then
-- 312 quorum.miss
return function(up, plan)
  if plan.gone then
    redis.call('ZREM', cold(81)(up.id), plan.id)
    redis.call('HDEL', cold(80)(plan.id), up.id)
    cold(108)(plan.id, plan.gone)
  else
    redis.call('ZADD', cold(81)(up.id), 'inf', plan.id)
    redis.call('HSET', cold(80)(plan.id), up.id, plan.missed)
  end
  for id, edge in pairs(plan.again or {}) do
    redis.call('ZADD', cold(81)(id), namespace_now, plan.id)
    redis.call('HSET', cold(80)(plan.id), id, edge.text)
    cold(92)(edge.up)
  end
  cold(305)(plan.id, plan.set)
end
else
-- 313 quorum.drop
return function(id)
  redis.call('UNLINK', cold(80)(id), cold(82)(id))
end
end
end
end
else
if number < 318 then
if number < 316 then
if number < 315 then
-- 314 quorum.count_anew
return function(id)
  redis.call('HSET', cold(82)(id), 'missed', 0)
  redis.call('HINCRBY', cold(82)(id), 'turn', 1)
end
else
-- 315 quorum.plan_retry
return function(again, id, up, slots, over)
  local set = again.set
  if over and up.status == 'complete' then
    set.least = set.least - 1
    return
  end
  set.left, set.missed = set.left + 1, set.missed + (over and 1 or 0)
  again.some[id] = { up = not over and up, text = cold(308)(slots, over and set.turn) }
end
end
else
if number < 317 then
-- 316 quorum.retry
return function(task, again)
  if again.to == 'pending' then
    cold(313)(task.id)
    return
  end
  for id, edge in pairs(again.some) do
    redis.call('HSET', cold(80)(task.id), id, edge.text)
    redis.call('ZADD', cold(81)(id), edge.up and namespace_now or 'inf', task.id)
    if edge.up then
      cold(92)(edge.up)
    end
  end
  cold(305)(task.id, again.set)
end
else
-- 317 quorum.plan_anew
return function(task, again, text, order, marks)
  local set, known, there, others = cold(302)(cold(300)(text)), cold(80)(task.id), {}, {}
  for _, id in ipairs(order) do
    local slots = string.match(again.texts[id], '^some(.*)$')
    if slots and marks[id] then
      again.texts[id], set.owed = 'some0' .. slots, set.owed + 1
    elseif slots then
      local status = redis.call('HGET', cold(272)('task', id), 'status')
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
    cold(275)('ZCARD', cold(81)(id))
    local up = not cold(121)(again, id) and cold(323)(id)
    again.still[#again.still + 1] = up or nil
    for _, slot in ipairs(cold(84)(again.texts[id])) do
      again.forget[slot] = true
    end
  end
  again.set = (again.open[1] or set.owed > 0) and set or nil
end
end
end
else
if number < 320 then
if number < 319 then
-- 318 ranking.plan
return function(task)
  local queue, probe = task.queue, cold(275)
  if task.limited then
    probe('HLEN', cold(272)('places', queue))
  end
  if task.ranked then
    cold(276)()
    probe('ZCARD', cold(272)('lane_tasks', queue))
    local numbers = task.fair_key and cold(283)(queue) or {}
    local class = cold(282)(task)
    numbers[#numbers + 1] = class and cold(285)(queue, class) or ''
    for _, number in ipairs(numbers) do
      probe('ZCARD', cold(132)(queue, number))
      if task.fair_key then
        probe('ZCARD', cold(133)(queue, task.fair_key, number))
      end
    end
  end
  if task.fair_key then
    probe('HLEN', cold(272)('turns', queue))
    probe('HLEN', cold(272)('limits', queue))
    probe('ZCARD', cold(272)('delayed', queue))
    probe('LLEN', cold(208)(queue, task.fair_key))
    cold(375)(queue, 'key_rate')
  end
end
else
-- 319 ranking.member
return function(task)
  return task.rank .. ' ' .. task.id .. ' ' .. (task.solo and 'solo' or task.weight or '1')
end
end
else
if number < 321 then
-- 320 ranking.add
return function(task)
  local queue = task.queue
  local field = 'lanes:' .. queue
  local last = math.max(tonumber(redis.call('HGET', namespace_meta, field) or 0) + 1, namespace_now_us)
  redis.call('HSET', namespace_meta, field, string.format('%.0f', last))
  task.rank = task.place or task.front and cold(135)(last) or cold(134)(last)
  redis.call('ZADD', cold(272)('lane_tasks', queue), -tonumber(task.priority or 0), task.rank .. ' ' .. task.id)
  do
    local task = task
    local queue, score = task.queue, -tonumber(task.priority or 0)
    local number = cold(286)(queue, cold(282)(task), 1)
    if task.fair_key then
      if task.turn then
        redis.call('HSETNX', cold(272)('turns', queue), task.fair_key,
          cold(134)(math.min(task.turn, namespace_now_us)))
      end
      redis.call('ZADD', cold(133)(queue, task.fair_key, number), score, cold(319)(task))
      cold(137)(queue, task.fair_key, number)
    else
      redis.call('ZADD', cold(132)(queue, number), score, task.rank .. ' ' .. task.id)
    end
  end
  redis.call('HSET', namespace_prefix .. 'task_' .. task.id, 'rank', task.rank)
end
else
-- 321 ranking.remove_from_index
return function(queue, member)
  local all = cold(272)('lane_tasks', queue)
  if redis.call('ZCARD', all) - redis.call('ZREM', all, member) == 0 then
    redis.call('HDEL', namespace_meta, 'lanes:' .. queue)
  end
end
end
end
end
end
else
if number < 329 then
if number < 325 then
if number < 323 then
-- 322 ranking.remove
return function(task, to)
  cold(321)(task.queue, task.rank .. ' ' .. task.id)
  do
    local task, to = task, to
    local queue = task.queue
    local class = cold(282)(task)
    local number = cold(284)(queue, class)
    if task.fair_key then
      redis.call('ZREM', cold(133)(queue, task.fair_key, number), cold(319)(task))
      if cold(407)(task, to) then
        cold(213)(task)
      end
      cold(138)(queue, task.fair_key)
    else
      redis.call('ZREM', cold(132)(queue, number), task.rank .. ' ' .. task.id)
      if task.limited and cold(407)(task, to) then
        cold(213)(task)
      end
    end
    cold(286)(queue, class, -1)
  end
  redis.call('HDEL', namespace_prefix .. 'task_' .. task.id, 'rank')
end
else
if number < 324 then
-- 323 record.find
return function(id, ...)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(274)(key)
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
else
-- 324 record.held
return function(task)
  return task.status == 'reserved' or task.status == 'started'
end
end
end
else
if number < 327 then
if number < 326 then
-- 325 record.created
return function(id)
  return tonumber(redis.call('HGET', namespace_prefix .. 'task_' .. id, 'created') or 0)
end
else
-- 326 record.lease
return function(task)
  return task.id .. ' ' .. task.token
end
end
else
if number < 328 then
-- 327 recount.queues
return function(key, queue, shared)
  local all = namespace_prefix .. 'queues'
  if redis.call('EXISTS', cold(378)()) == 0 and redis.call('EXISTS', key) == 0
    or redis.call('ZCARD', all) > 1000 or shared and redis.call('ZREVRANGE', all, 0, 0)[1] ~= queue then
    return nil
  end
  return redis.call('ZRANGE', all, 0, -1)
end
else
-- 328 recount.wrong
return function(queue, shared)
  local key = cold(379)()
  local queues, left = cold(327)(key, queue, shared), 2000
  if not queues then
    return {}
  end
  for i = 1, #queues do
    local held = cold(274)(namespace_prefix .. 'places_' .. queues[i])
    queues[i], left = held, left - redis.call('HLEN', held)
  end
  if left < 0 or redis.call('HLEN', key) > 2000 then
    return {}
  end
  local taken = {}
  for i = 1, #queues do
    local places = redis.call('HGETALL', queues[i])
    for at = 1, #places, 2 do
      local set = string.find(places[at], '^a:') and string.match(places[at + 1], '^%d+ %S* (%S+)$')
      for _, part in ipairs(set and cold(388)(set) or {}) do
        taken[part.name] = (taken[part.name] or 0) + part.weight
      end
    end
  end
  return cold(329)(key, taken)
end
end
end
end
else
if number < 333 then
if number < 331 then
if number < 330 then
-- 329 recount.compare
return function(key, taken)
  local wrong, noted = {}, redis.call('HGETALL', key)
  for i = 1, #noted, 2 do
    local number = taken[noted[i]] or 0
    if tonumber(noted[i + 1]) ~= number then
      wrong[#wrong + 1], wrong[#wrong + 2] = noted[i], number
    end
    taken[noted[i]] = nil
  end
  for name, number in pairs(taken) do
    wrong[#wrong + 1], wrong[#wrong + 2] = name, number
  end
  return wrong
end
else
-- 330 recount.wrong_tasks
return function(queue, shared)
  local key, plans = cold(381)(), namespace_prefix .. 'schedules'
  local queues, left = cold(327)(key, queue, shared), 2000 - redis.call('ZCARD', plans)
  if not queues or redis.call('HLEN', cold(274)(key)) > 2000 then
    return {}
  end
  for _, name in ipairs(queues) do
    left = left - redis.call('ZCARD', cold(272)('tasks', name))
  end
  if left < 0 then
    return {}
  end
  local named = {}
  local function add(set)
    for _, part in ipairs(set and cold(388)(set) or {}) do
      named[part.name] = (named[part.name] or 0) + 1
    end
  end
  for _, name in ipairs(queues) do
    for _, id in ipairs(redis.call('ZRANGE', cold(272)('tasks', name), 0, -1)) do
      local said = redis.call('HMGET', cold(272)('task', id), 'status', 'queue', 'limits', 'further')
      local status, where, set, further = unpack(said, 1, 4)
      if status and where == name then
        add(not cold(489)(status) and set)
        add(further and redis.call('HGET', cold(125)(id), '/limits'))
      end
    end
  end
  for _, name in ipairs(redis.call('ZRANGE', plans, 0, -1)) do
    add(cold(360)(redis.call('HGET', cold(272)('schedule', name), 'options') or '').limits)
  end
  return cold(329)(key, named)
end
end
else
if number < 332 then
-- 331 recount.counted
return function()
  return 'left', unpack({ 'complete', 'failed', 'cancelled' })
end
else
-- 332 recount.members
return function(graph)
  local v = redis.call('HMGET', cold(274)(cold(142)(graph)), 'released', 'total', 'doing', cold(331)())
  local open = tonumber(v[4] or 0) or 0
  for i = 5, #v do
    open = open - (tonumber(v[i] or 0) or 0.5)
  end
  return v[1] and v[1] == v[2] and not v[3] and open ~= 0 and tonumber(v[2]) or 0
end
end
end
else
if number < 335 then
if number < 334 then
-- 333 recount.wrong_graph
return function(graph)
  local found = { left = 0 }
  for _, id in ipairs(redis.call('LRANGE', cold(143)(graph), 0, -1)) do
    local v = redis.call('HMGET', cold(272)('task', id), 'graph', 'status')
    if v[1] == graph then
      found.left = found.left + 1
      found[v[2]] = (found[v[2]] or 0) + 1
    end
  end
  local wrong, names = {}, { cold(331)() }
  for i, noted in ipairs(redis.call('HMGET', cold(142)(graph), unpack(names))) do
    local number = found[names[i]] or 0
    if tonumber(noted or 0) ~= number then
      wrong[#wrong + 1], wrong[#wrong + 2] = names[i], number
    end
  end
  return wrong, found.left
end
else
-- 334 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(335)() then
    code, text = cold(336)()
  end
  error({ err = code .. ' ' .. text })
end
end
else
if number < 336 then
-- 335 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
-- 336 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
end
end
end
end
end
else
if number < 352 then
if number < 344 then
if number < 340 then
if number < 338 then
-- 337 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(336)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
else
if number < 339 then
-- 338 reply.code
return function(raised)
  return string.match(cold(337)(raised).err, '^%-?(%u+)')
end
else
-- 339 resubmit.forgotten
return function()
  return 'result', 'error', 'group', 'last_error', 'last_group', 'reason', 'cause', 'discard', 'cascade', 'eta', 'ties',
    'front', 'retry_eta', 'promoted', 'readied', 'inputs', 'slots', 'schedule', 'slot', 'step', 'postponed', 'failures',
    'losses', 'releases', 'uncounted', 'fruitless', 'checkpoint', 'checkpointed', 'ended', 'cost', 'cost_of', 'token',
    'lease', 'request', 'solo', 'further', 'checked'
end
end
end
else
if number < 342 then
if number < 341 then
-- 340 resubmit.refusal
return function(task)
  if string.find(task.ties or '', 'g', 1, true) then
    return 'STATE', 'the task is a part of a graph: retry it, or submit one of another id'
  end
end
else
-- 341 resubmit.plan
return function(task, call, spec, step)
  local ties = task.ties or ''
  local code, text = cold(340)(task)
  if code then
    return code, text
  elseif string.find(ties, 'd', 1, true) and cold(93)(task.id) > 0 then
    return 'STATE', 'others wait for this task: retry it, or submit one of another id'
  elseif string.find(ties, 'w', 1, true) and redis.call('HLEN', cold(80)(task.id)) > 0 then
    return 'STATE', 'the task still needs what it waited for: retry it, or submit one of another id'
  end
  local new = cold(342)(task, call, spec)
  code, text = cold(13)(step)
  if code then
    return code, text
  elseif new.end_by and cold(71)(new.end_by) then
    return cold(72)()
  elseif not cold(6)(new, step) then
    return 'DUPLICATE', 'another task has this unique name; get its id with the policy existing, or wait until it ends, starts, or its time passes'
  elseif new.needs then
    cold(66)(new.queue, new.needs)
  end
  task.new = new
  if new.queue ~= task.queue then
    cold(3)(task, 'moved', step)
  else
    cold(5)(task, step)
    new.status, new.from_end, new.restarts = task.status, task.from_end, true
    cold(443)(new, task.had.tags, new.tags)
  end
  cold(276)()
  cold(412)(new, new.begins)
end
end
else
if number < 343 then
-- 342 resubmit.fresh
return function(task, call, spec)
  local new = { id = task.id, key = task.key, queue = call.queue, attempt = task.attempt, since = task.since,
    created = task.extra[2] or '0', foreign = true, parameters = call.parameters, fields = spec.fields,
    begins = 'pending' }
  if call.eta and call.eta > namespace_now_us then
    new.begins, new.eta = 'scheduled', cold(267)(call.eta)
  end
  local ties = (spec.ties or '') .. string.gsub(task.ties or '', '[^do]', '')
  if ties ~= '' then
    new.ties = ties
    cold(43)(new, spec.claims or {})
  end
  return new
end
else
-- 343 resubmit.run
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
  new.forget = { cold(406)() }
  local gone = { cold(339)() }
  for field in string.gmatch(' method=method priority=priority max_failures=max_failures backoff=backoff delay=delay max_delay=max_delay jitter=jitter max_losses=max_losses lost_delay=lost_delay max_releases=max_releases lease=own_lease key=key weight=weight needs=needs limits=limits unique=unique unique_until=unique_until tags=tags deadline=deadline log_bytes=log_bytes steps=steps ', '=(%S+)') do
    gone[#gone + 1] = field
  end
  for _, field in ipairs(gone) do
    new.forget[#new.forget + 1] = not kept[field] and field or nil
  end
  new.note = { 'note', '', 'data', '{"round":' .. new.round[2] .. '}' }
  if new.restarts then
    cold(444)(new)
  else
    task.note = new.note
    cold(415)(task, 'moved', 'again', '')
  end
  cold(415)(new, new.begins, 'again', '', 'queue', new.queue, 'attempt', new.attempt, unpack(set))
  if step.known == 'new' then
    redis.call('ZADD', namespace_prefix .. 'queues', 0, new.queue)
  end
  step.wakes = new.begins == 'pending' and new.queue or nil
end
end
end
end
else
if number < 348 then
if number < 346 then
if number < 345 then
-- 344 retention.retain
return function(queue, limit, options)
  local KINDS = { 'complete', 'failed', 'cancelled' }
  local keep = options.keep or tonumber(cold(375)(queue, 'keep'))
  local oldest = namespace_now_us - (options.seconds or cold(375)(queue, 'retain') * 1000000)

  local total, taken, tails, kept, untold = 0, {}, {}, 0, {}
  local function tail(kind)
    local task, needed, waits
    repeat
      local id = redis.call('LINDEX', cold(272)(kind .. '_tasks', queue), -1 - taken[kind])
      task = id and (cold(323)(id, 'updated') or { id = id, extra = {} })
      needed, waits = cold(94)(task or {})
      if needed then
        taken[kind], kept = taken[kind] + 1, kept + 1
        untold[#untold + 1], task = waits and id or nil, nil
      end
    until not needed or kept > 100
    tails[kind] = task and { task = task, at = tonumber(task.extra[1] or 0) * 1000000 }
  end
  for _, kind in ipairs(KINDS) do
    total = total + cold(275)('LLEN', cold(272)(kind .. '_tasks', queue))
    taken[kind] = 0
    tail(kind)
  end

  local gone, more = {}, 0
  while true do
    local kind
    for _, candidate in ipairs(KINDS) do
      if tails[candidate] and (not kind or tails[candidate].at < tails[kind].at) then
        kind = candidate
      end
    end
    if not kind or (total - #gone <= keep and tails[kind].at >= oldest) then
      break
    end
    if #gone == limit then
      more = 1
      break
    end
    local task = tails[kind].task
    task.kind, task.from_end = kind, -1
    gone[#gone + 1] = task
    taken[kind] = taken[kind] + 1
    tail(kind)
  end

  local planned, spared = {}, {}
  for _, task in ipairs(gone) do
    spared[task.id] = true
    task.ours = task.status == task.kind and task.queue == queue
    if task.ours and planned[task.kind] and not task.ties then
      cold(413)(task, 'deleted')
    elseif task.ours then
      planned[task.kind] = planned[task.kind] or not task.ties
      cold(412)(task, 'deleted')
    end
  end
  local expired = cold(58)(queue, limit)
  if untold[1] then
    cold(275)('ZCARD', cold(83)())
  end
  local aged = cold(225)(100, 0, spared)
  cold(279)()
  cold(59)(queue, expired)
  for _, task in ipairs(gone) do
    if task.ours then
      cold(415)(task, 'deleted', 'retain', '')
    else
      redis.call('LREM', cold(272)(task.kind .. '_tasks', queue), -1, task.id)
      if task.queue == '' then
        redis.call('UNLINK', task.key)
      end
    end
  end
  for _, id in ipairs(untold) do
    redis.call('ZADD', cold(83)(), 'NX', namespace_now, id)
  end
  cold(226)(aged)
  return { #gone, more }
end
else
-- 345 retries.plan
return function(task, pause)
  if pause == 0 then
    return 'pending'
  end
  task.eta = cold(267)(namespace_now_us + pause)
  task.own_eta = redis.call('HEXISTS', namespace_prefix .. 'task_' .. task.id, 'eta') == 0
  return 'scheduled'
end
end
else
if number < 347 then
-- 346 rights.denied
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
-- 347 rights.refuse
return function(name)
  local role = string.match('UPKEEP', '^%u+$')
  if role and not cold(346)({ name }, 'meta') then
    cold(334)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(334)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
end
end
else
if number < 350 then
if number < 349 then
-- 348 rights.check
return function(names)
  local name = cold(346)(names, 'UPKEEP')
  if name then
    cold(347)(name)
  end
end
else
-- 349 rights.require
return function()
  cold(348)({ 'APPEND', 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HGETALL', 'HINCRBY', 'HMGET', 'HSET', 'HSETNX', 'HVALS', 'LINDEX', 'LPUSH', 'LREM', 'LTRIM', 'RPOP', 'RPOPLPUSH', 'RPUSH', 'SADD', 'SET', 'SREM', 'UNLINK', 'XADD', 'XREVRANGE', 'XTRIM', 'ZADD', 'ZCARD', 'ZINCRBY', 'ZMSCORE', 'ZRANGE', 'ZREM' })
end
end
else
if number < 351 then
-- 350 schedules.rhythm
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
  cold(334)('BADARG', 'the rhythm must be `every SECONDS OFFSET` (1 to ' .. 315360000
    .. ' seconds, an offset below that), or `cron ZONE` and five fields, in ' .. 256 .. ' characters')
end
else
-- 351 schedules.find
return function(name)
  local key = cold(274)(cold(272)('schedule', name))
  local flat, found = redis.call('HGETALL', key), {}
  for i = 1, #flat, 2 do
    found[flat[i]] = flat[i + 1]
  end
  if not found.rhythm then
    return nil
  end
  found.name, found.key = name, key
  return cold(352)(found)
end
end
end
end
end
else
if number < 360 then
if number < 356 then
if number < 354 then
if number < 353 then
-- 352 schedules.read
return function(schedule)
  schedule.every, schedule.offset = select(2, cold(350)(schedule.rhythm))
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
-- 353 schedules.probe
return function()
  cold(275)('ZCARD', namespace_prefix .. 'schedules')
  cold(275)('ZCARD', namespace_prefix .. 'low_schedules')
end
end
else
if number < 355 then
-- 354 schedules.tail
return function(schedule)
  return math.max(schedule.list[#schedule.list] or 0, tonumber(schedule.done))
end
else
-- 355 schedules.ahead
return function(schedule)
  local ahead, done = {}, tonumber(schedule.done)
  local first, last = tonumber(schedule.start or 0), tonumber(schedule['end'] or math.huge)
  for _, slot in ipairs(schedule.list) do
    if slot > done and slot >= first and slot <= last then
      ahead[#ahead + 1] = slot
    end
  end
  return ahead
end
end
end
else
if number < 358 then
if number < 357 then
-- 356 schedules.from
return function(schedule, time)
  return math.ceil((time - schedule.offset) / schedule.every) * schedule.every + schedule.offset
end
else
-- 357 schedules.settle
return function(schedule)
  local done, last = tonumber(schedule.done), tonumber(schedule['end'] or math.huge)
  local tail = cold(354)(schedule)
  local slot
  if schedule.every then
    slot = math.max(cold(356)(schedule, tonumber(schedule.start or 0)),
      math.floor((done - schedule.offset) / schedule.every + 1) * schedule.every + schedule.offset)
    slot = slot <= last and slot or nil
  else
    schedule.list = cold(355)(schedule)
    schedule.final = schedule.final or tail >= last and '1' or nil
    slot = schedule.list[1]
  end
  local over = schedule.times and tonumber(schedule.made) >= tonumber(schedule.times)
    or not slot and (schedule.every or schedule.final)
  schedule.ended = over and (schedule.ended or namespace_now) or nil
  schedule.next = not over and not schedule.paused and slot and string.format('%.0f', slot) or nil
  schedule.held = nil
  schedule.slots = schedule.list[1] and table.concat(schedule.list, ' ') or nil
  schedule.wants_slots_after = not schedule.every and not over and not schedule.paused and not schedule.final
    and #schedule.list < 32 and string.format('%.6f', tail) or nil
end
end
else
if number < 359 then
-- 358 schedules.write
return function(schedule, ...)
  local set, gone = {}, {}
  for _, field in ipairs({ 'done', 'made', 'skipped', 'passed', 'next', 'held', 'slots', 'final', 'ended', ... }) do
    if schedule[field] then
      set[#set + 1], set[#set + 2] = field, schedule[field]
    else
      gone[#gone + 1] = field
    end
  end
  redis.call('HSET', schedule.key, unpack(set))
  redis.call('HDEL', schedule.key, unpack(gone))
  redis.call('ZADD', namespace_prefix .. 'schedules', schedule.held or schedule.next or '+inf', schedule.name)
  local low = namespace_prefix .. 'low_schedules'
  if schedule.wants_slots_after then
    redis.call('ZADD', low, schedule.wants_slots_after, schedule.name)
  else
    redis.call('ZREM', low, schedule.name)
  end
end
else
-- 359 schedules.plain
return function(text)
  return (string.gsub(text, '%%(%x%x)', function(code)
    return string.char(tonumber(code, 16))
  end))
end
end
end
end
else
if number < 364 then
if number < 362 then
if number < 361 then
-- 360 schedules.values
return function(text)
  local values = {}
  for word in string.gmatch(text, '%S+') do
    local name, value = string.match(word, '^([^=]+)=(.*)$')
    if name then
      values[name] = cold(359)(value)
    end
  end
  return values
end
else
-- 361 schedules.options
return function(schedule)
  local options = { schedule = schedule.name }
  for name, value in pairs(cold(360)(schedule.options)) do
    options[name] = cold(490)(name, value)
  end
  if (schedule.overlap == 'queue' or schedule.overlap == 'cancel') and options.unique_policy ~= 'latest' then
    options.solo = 'schedule:' .. schedule.name
  end
  return options
end
end
else
if number < 363 then
-- 362 schedules.solo
return function(schedule, overlap)
  if overlap ~= 'queue' and overlap ~= 'cancel' then
    return nil
  end
  local options = ' ' .. schedule.options
  local latest = string.find(options, ' unique_policy=latest')
  return latest and string.match(options, ' unique=(%S+)') or 'schedule:' .. schedule.name
end
else
-- 363 schedules.live
return function(schedule, overlap)
  local solo, last, beside = cold(362)(schedule, overlap), nil, nil
  local unfinished = {}
  for _, id in ipairs(schedule.unfinished) do
    local task = cold(1)(id)
    local maker, key, alone = unpack(redis.call('HMGET', cold(272)('task', id), 'schedule', 'key', 'solo'))
    if task and maker == schedule.name and not cold(489)(task.status) then
      unfinished[#unfinished + 1] = id
      last = id == schedule.last_task and task or last
      local stops = id == schedule.last_task and overlap == 'cancel' and not cold(324)(task)
      if solo and not stops and not (task.queue == schedule.queue and key == solo and alone) then
        beside = task
      end
    end
  end
  schedule.unfinished = unfinished
  return last, beside
end
end
end
else
if number < 366 then
if number < 365 then
-- 364 schedules.note
return function(schedule, id)
  local unfinished = schedule.unfinished
  for i, other in ipairs(unfinished) do
    if other == id then
      table.remove(unfinished, i)
      break
    end
  end
  unfinished[#unfinished + 1] = id
  if #unfinished > 64 then
    table.remove(unfinished, 1)
  end
  schedule.last_task, schedule.tasks = id, unfinished[2] and table.concat(unfinished, ' ')
end
else
-- 365 schedules.beside
return function(schedule, task)
  return string.format('STATE its task %s is %s %s: a new one waits until that has finished', task.id, task.status,
    task.queue ~= schedule.queue and 'in another queue' or 'and was made to run beside others')
end
end
else
if number < 367 then
-- 366 schedules.again
return function(task, name)
  local rhythm, queue, overlap, options, tasks, last = unpack(redis.call('HMGET',
    cold(274)(cold(272)('schedule', name)),
    'rhythm', 'queue', 'overlap', 'options', 'tasks', 'last_task'))
  if not rhythm then
    return
  end
  local solo = cold(362)({ name = name, options = options }, overlap)
  local again = cold(273)('again')
  again[name] = again[name] or cold(352)({ rhythm = rhythm, tasks = tasks, last_task = last })
  task.again = again[name]
  task.again.key = cold(272)('schedule', name)
  if solo and queue == task.queue then
    task.ties = task.ties or ''
    cold(42)(task)
    if not task.fair_key and not task.solo then
      task.fair_key, task.solo, task.ranked, task.limited = solo, '1', true, true
      task.ties = 'rp' .. string.gsub(task.ties, '[rp]', '')
      task.bind = { 'key', solo, 'solo', '1', 'ties', task.ties }
    end
  end
  task.ties = task.ties ~= '' and task.ties or nil
end
else
-- 367 schedules.remember
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
end
end
end
end
end
end
else
if number < 429 then
if number < 398 then
if number < 383 then
if number < 375 then
if number < 371 then
if number < 369 then
-- 368 schedules.due
return function(schedule, room)
  local now, first = namespace_now_us / 1000000, tonumber(schedule.next)
  local last = math.min(now, tonumber(schedule['end'] or math.huge))
  local oldest = now - (tonumber(schedule.late) or schedule.missed == 'skip' and 60 or math.huge)
  local all = schedule.missed == 'all' and (schedule.overlap == 'queue' or schedule.overlap == 'allow')
  local slots, passed = {}, 0
  if schedule.every then
    local every, final = schedule.every, math.floor((last - schedule.offset) / schedule.every) * schedule.every
      + schedule.offset
    local from = oldest > first and math.min(cold(356)(schedule, oldest), final + every) or first
    if not all and from < final then
      from = final
    end
    passed = (from - first) / every
    for slot = from, math.min(final, from + (room - 1) * every), every do
      slots[#slots + 1] = slot
    end
    schedule.done = all and string.format('%.0f', slots[#slots] or final) or namespace_now
  else
    local known = {}
    for _, slot in ipairs(cold(355)(schedule)) do
      if slot <= last then
        known[#known + 1] = slot
      end
    end
    for i, slot in ipairs(known) do
      if slot < oldest or not all and i < #known then
        passed = passed + 1
      elseif #slots < room then
        slots[#slots + 1] = slot
      end
    end
    schedule.done = all and string.format('%.0f', slots[#slots] or known[#known]) or namespace_now
  end
  return slots, passed
end
else
if number < 370 then
-- 369 schedules.plan
return function(plan, taken)
  local schedule, id, old = plan.schedule, plan.id, plan.old
  local queue = schedule.queue
  cold(68)(unpack(redis.call('HMGET', namespace_meta, 'settings:' .. queue, 'settings'), 1, 2))
  local options = cold(361)(schedule)
  local claiming = (options.unique or options.needs) and queue
  if old and taken[old.id] or claiming and taken['/' .. queue] then
    return nil
  end
  options.slot = plan.slot
  local spec = cold(62)(options)
  local task = { id = id, queue = queue, parameters = schedule.parameters, attempt = '0', created = namespace_now,
    foreign = true }
  cold(63)(task, spec)
  if old then
    old.reason = 'a later slot of the schedule ' .. schedule.name
    cold(7)(old, old)
  end
  if spec.unique and not (old and old.to == 'cancelled' and cold(47)(task) == old.id) then
    local other, rival = cold(64)(task, spec)
    if rival and taken[rival.id] then
      return nil
    elseif rival then
      cold(412)(rival, 'cancelled')
      plan.rival = rival
    elseif other then
      plan.other = other
      return plan
    end
  end
  cold(274)(cold(272)('task', id))
  plan.unknown = not redis.call('ZSCORE', cold(274)(namespace_prefix .. 'queues'), queue)
  if task.ties then
    cold(65)(task)
  end
  cold(412)(task, task.begins)
  plan.task, plan.spec = task, spec
  taken[old and old.id or ''], taken[plan.rival and plan.rival.id or ''],
    taken[claiming and '/' .. queue or ''] = true, true, true
  return plan
end
else
-- 370 schedules.make
return function(plan, why)
  local queue = plan.schedule.queue
  if plan.old and plan.old.to then
    cold(9)(plan.old, plan.old)
  end
  if plan.rival then
    cold(415)(plan.rival, 'cancelled', 'replaced', '', 'reason', 'replaced by ' .. plan.id)
  end
  cold(67)(plan.task, plan.spec, why)
  if plan.unknown then
    redis.call('ZADD', namespace_prefix .. 'queues', 0, queue)
  end
end
end
end
else
if number < 373 then
if number < 372 then
-- 371 schedules.low
return function(changed)
  local low, known = {}, {}
  local function add(name, rhythm, tail)
    low[#low + 1], low[#low + 2], low[#low + 3] = name, rhythm, string.format('%.0f', math.floor(tail))
  end
  for _, schedule in ipairs(changed) do
    known[schedule.name] = true
    if schedule.wants_slots_after then
      add(schedule.name, schedule.rhythm, schedule.wants_slots_after)
    end
  end
  local page = redis.call('ZRANGE', namespace_prefix .. 'low_schedules', 0, 99, 'WITHSCORES')
  for i = 1, #page, 2 do
    local rhythm = not known[page[i]] and redis.call('HGET', cold(272)('schedule', page[i]), 'rhythm')
    if rhythm then
      add(page[i], rhythm, page[i + 1])
    end
  end
  return low
end
else
-- 372 server.info
return function(section, field)
  local text = redis.pcall('INFO', section)
  if type(text) ~= 'string' then
    return nil
  end
  return string.match(text, '\n' .. field .. ':([^\r\n]*)')
end
end
else
if number < 374 then
-- 373 settings.find
return function(text, name)
  return text and string.match(' ' .. text, ' ' .. name .. '=(%S+)')
end
else
-- 374 settings.value
return function(own, common, name)
  local pattern = ' ' .. name .. '=(%S+)'
  return own and string.match(' ' .. own, pattern) or common and string.match(' ' .. common, pattern)
    or string.match(' ' .. 'lease=60 grace=30 max_failures=0 backoff=exponential delay=10 max_delay=3600 jitter=20 max_losses=10 lost_delay=0 max_releases=1000 max_uncounted=10000 max_bytes=1048576 log_bytes=163840 logs_bytes=1073741824 input_bytes=8388608 graph_bytes=536870912 forget_after=300 closed=0 keep=50000 retain=604800 events=10000 audit=10000 history=100 statistics=30', pattern)
end
end
end
end
else
if number < 379 then
if number < 377 then
if number < 376 then
-- 375 settings.get
return function(queue, name)
  local texts = cold(273)('settings')
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
-- 376 settings.since
return function(queue, name)
  cold(375)(queue, name)
  local own, common = unpack(cold(273)('settings')[queue], 1, 2)
  local since = cold(373)(cold(373)(own, name) and own or common, name .. '_since')
  return tonumber(since or 0)
end
end
else
if number < 378 then
-- 377 settling.settle
return function(limit)
  local function tell(up, ids, last)
    cold(100)(up, up.status, ids)
    local gone = last and up.status == 'deleted' and redis.call('ZCOUNT', cold(81)(up.id), '-inf', '-inf') == 0
    cold(279)()
    if last then
      redis.call('ZREM', cold(83)(), up.id)
    end
    cold(105)(up)
    if up.runs then
      cold(92)(up)
    end
    if gone then
      redis.call('UNLINK', cold(81)(up.id))
    end
    return #ids
  end

  local function check(up, place)
    local verdict, next_place = cold(207)(up.result, place)
    cold(279)()
    redis.call('HSET', up.key, 'checked', up.since .. ' ' .. (next_place or verdict and 'yes' or 'no'))
    return 1, true
  end

  local function join(task)
    local step = cold(195)(task)
    cold(279)()
    cold(198)(task, step)
    return 1, true
  end

  local function cascade(task, from)
    local step = cold(38)(task, from, limit)
    cold(279)()
    if not step.after then
      redis.call('ZREM', cold(83)(), task.id)
    end
    cold(41)(task, step)
    return #step.tasks, step.after
  end

  local function look(task, from)
    local step = cold(113)(task, from)
    cold(279)()
    if not step.after then
      redis.call('ZREM', cold(83)(), task.id)
    end
    cold(114)(task, step)
    return #step.open + #step.ended, step.after
  end

  local function go_on(id)
    cold(275)('ZCARD', cold(147)())
    cold(274)(cold(145)())
    cold(275)('LLEN', cold(143)(id))
    local graph = cold(148)(id)
    if not graph or graph.state ~= 'created' then
      local ids, outside, bounds = cold(172)(id, limit)
      cold(279)()
      cold(174)(id, ids, outside, bounds)
      return #ids + #outside, #ids + #outside > 0
    end
    local tasks, outside = cold(164)(graph, limit)
    local walk = #tasks + #outside == 0 and cold(462)(graph)
    if walk then
      cold(463)(walk, limit)
      cold(279)()
      cold(480)(walk)
      return #walk.tasks, not walk.pause
    end
    cold(279)()
    if #tasks + #outside == 0 then
      redis.call('ZREM', cold(145)(), id)
    end
    cold(170)(graph, tasks, outside)
    return #tasks + #outside, #tasks + #outside > 0
  end

  local function settle(id)
    cold(275)('ZCARD', cold(83)())
    local task = cold(323)(id, 'cascade', 'cause', 'graph', 'checked') or cold(157)(id)
      or { id = id, status = 'deleted', extra = {} }
    local from, graph = task.extra[1], task.extra[3]
    task.cause, task.graph = task.extra[2], graph
    if from == 'join' then
      return join(task)
    elseif from and task.status ~= 'deleted' and not cold(489)(task.status) then
      return look(task, from)
    end
    local ids = {}
    if cold(489)(task.status) or task.status == 'deleted' then
      task.result = task.status == 'complete' and redis.call('HGET', task.key, 'result') or ''
      limit = math.max(1, math.min(limit, math.floor(1048576 / math.max(1, #task.result))))
      ids = cold(98)(id, task.status, limit + 1)
      task.runs = task.status ~= 'deleted' and not string.find(task.ties or '', 'd', 1, true)
        and select(2, cold(93)(id)) > 0
    else
      task.runs = select(2, cold(93)(id)) > 0
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
    local further = cold(126)(task) and cold(489)(task.status)
    if further and not (ids[1] or from) then
      cold(128)(id)
      return 1
    end
    if graph and ids[1] and task.status ~= 'complete' and cold(156)(graph, id) then
      return go_on(graph)
    elseif ids[1] or not from then
      return tell(task, ids, not (more or from or further)), more or from or further
    elseif graph and not cold(162)(graph) then
      return go_on(graph)
    end
    return cascade(task, from)
  end

  local overdue = cold(76)(limit)
  if overdue then
    cold(279)()
    cold(78)(overdue)
    return { #overdue.ids, 1 }
  end
  local waiting = redis.call('ZRANGE', cold(83)(), 0, 0)
  local due = redis.call('ZRANGEBYSCORE', cold(145)(), '-inf', namespace_now, 'LIMIT', 0, 10)
  for _, id in ipairs(due) do
    if not cold(150)(id) then
      local number, more = go_on(id)
      return { number, (more or due[2] or waiting[1]) and 1 or 0 }
    end
  end
  if waiting[1] then
    local number, more = settle(waiting[1])
    return { number, (more or due[1] or redis.call('ZCARD', cold(83)()) > 0) and 1 or 0 }
  elseif not due[1] then
    return { 0, 0 }
  end
  local number, more = go_on(due[1])
  return { number, (more or due[2]) and 1 or 0 }
end
else
-- 378 shares.limits_key
return function()
  return namespace_prefix .. 'shared_limits'
end
end
end
else
if number < 381 then
if number < 380 then
-- 379 shares.places_key
return function()
  return namespace_prefix .. 'shared_places'
end
else
-- 380 shares.waits_key
return function()
  return namespace_prefix .. 'shared_waits'
end
end
else
if number < 382 then
-- 381 shares.tasks_key
return function()
  return namespace_prefix .. 'shared_tasks'
end
else
-- 382 shares.expires_key
return function()
  return namespace_prefix .. 'shared_expires'
end
end
end
end
end
else
if number < 390 then
if number < 386 then
if number < 384 then
-- 383 shares.idle_key
return function()
  return namespace_prefix .. 'shared_idle'
end
else
if number < 385 then
-- 384 shares.turns_key
return function(name)
  return namespace_prefix .. 'shared_turns_' .. name
end
else
-- 385 shares.starts_key
return function(name)
  return namespace_prefix .. 'shared_rate_' .. name
end
end
end
else
if number < 388 then
if number < 387 then
-- 386 shares.check
return function(value, what)
  local wanted, seen = {}, {}
  for one in string.gmatch(#value <= 600 and value .. ',' or ',', '([^,]*),') do
    local name, places = string.match(one, '^([%w_.-]+)(.*)$')
    local weight = places == '' and 1 or #(places or '') <= 5 and tonumber(string.match(places or '', '^:(%d+)$'))
    if not name or #name > 64 or not weight or weight < 1 or weight > 1000
      or seen[name] then
      cold(334)('BADARG', what .. ' must be names of shared limits, each once, with a colon and 1 to '
        .. 1000 .. ' places or without, separated by commas')
    end
    seen[name] = weight
    wanted[#wanted + 1] = weight > 1 and name .. ':' .. string.format('%d', weight) or name
  end
  if #wanted > 8 then
    cold(334)('BADARG', what .. ' may be ' .. 8 .. ' at most')
  end
  for name, weight in pairs(seen) do
    local own = redis.call('HGET', cold(378)(), name)
    local most = own and tonumber(string.match(own, '^%d+'))
    if not own then
      cold(334)('NOLIMIT', 'there is no shared limit ' .. name .. ': set it with limit, then repeat the call')
    elseif most and weight > most then
      cold(334)('NOLIMIT', 'the shared limit ' .. name .. ' has ' .. most .. ' places, fewer than ' .. weight
        .. ': such a task would never run')
    end
  end
  table.sort(wanted, cold(29))
  return table.concat(wanted, ',')
end
else
-- 387 shares.of
return function(class)
  return string.match(class, '|(.+)$')
end
end
else
if number < 389 then
-- 388 shares.parts
return function(set)
  local parts = {}
  for name, weight in string.gmatch(set, '([%w_.-]+):?(%d*)') do
    parts[#parts + 1] = { name = name, weight = tonumber(weight) or 1 }
  end
  return parts
end
else
-- 389 shares.is_gone
return function(member, asked)
  local queue, class = string.match(member, '^(%S+) (%S+)$')
  local offered = tonumber(string.match(asked or '', ' (%d+)$'))
  return not asked or offered and offered + 5000000 <= namespace_now_us
    or redis.call('HEXISTS', namespace_meta, 'paused:' .. queue) == 1
    or redis.call('HEXISTS', cold(272)('needs', queue), class) == 0, offered
end
end
end
end
else
if number < 394 then
if number < 392 then
if number < 391 then
-- 390 shares.plan
return function(set, queue)
  cold(275)('HLEN', cold(379)())
  cold(275)('HLEN', cold(378)())
  for _, part in ipairs(cold(388)(set)) do
    if queue then
      cold(391)(part.name, queue, 4)
    else
      cold(275)('LLEN', cold(385)(part.name))
    end
  end
end
else
-- 391 shares.plan_wakes
return function(name, queue, most)
  local woken, key = cold(273)('woken'), name .. ' ' .. queue
  if woken[key] then
    return
  end
  woken[key] = {}
  local seen = { [queue] = true }
  for _, member in ipairs(redis.call('ZRANGE', cold(384)(name), 0, math.max(most, 16) - 1)) do
    local other = string.match(member, '^%S+')
    if #woken[key] < most and not seen[other] and redis.call('HEXISTS', namespace_meta, 'paused:' .. other) == 0 then
      seen[other] = true
      cold(409)(other)
      table.insert(woken[key], other)
    end
  end
end
end
else
if number < 393 then
-- 392 shares.wake
return function(name, queue)
  for _, other in ipairs(cold(273)('woken')[name .. ' ' .. queue] or {}) do
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
          if not namespace_declared or cold(278)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(410)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
else
-- 393 shares.take
return function(set)
  local now = string.format('%.0f', namespace_now_us)
  for _, part in ipairs(cold(388)(set)) do
    redis.call('HINCRBY', cold(379)(), part.name, part.weight)
    local rate = string.match(redis.call('HGET', cold(378)(), part.name) or '', ' (%d+/%d+)$')
    cold(214)(cold(385)(part.name), rate, now)
  end
end
end
end
else
if number < 396 then
if number < 395 then
-- 394 shares.release
return function(set, queue)
  for _, part in ipairs(cold(388)(set)) do
    if redis.call('HINCRBY', cold(379)(), part.name, -part.weight) <= 0 then
      redis.call('HDEL', cold(379)(), part.name)
    end
    cold(392)(part.name, queue)
  end
end
else
-- 395 shares.plan_count
return function()
  cold(275)('HLEN', cold(381)())
  cold(275)('HLEN', cold(382)())
  cold(275)('ZCARD', cold(383)())
end
end
else
if number < 397 then
-- 396 shares.count
return function(set, change)
  for _, part in ipairs(cold(388)(set)) do
    cold(397)(part.name, redis.call('HINCRBY', cold(381)(), part.name, change), change)
  end
end
else
-- 397 shares.note_tasks
return function(name, number, change)
  if number <= 0 then
    redis.call('HDEL', cold(381)(), name)
    cold(399)(name)
  elseif number == change then
    redis.call('ZREM', cold(383)(), name)
  end
end
end
end
end
end
end
else
if number < 413 then
if number < 405 then
if number < 401 then
if number < 399 then
-- 398 shares.set_tasks
return function(name, number)
  redis.call('HSET', cold(381)(), name, number)
  cold(397)(name, number, number)
end
else
if number < 400 then
-- 399 shares.begin_idle
return function(name)
  local expires = tonumber(redis.call('HGET', cold(382)(), name) or nil)
  if expires then
    redis.call('ZADD', cold(383)(), string.format('%.0f', namespace_now_us + expires * 1000000), name)
  end
end
else
-- 400 shares.count_task
return function(task, to)
  local open = task.status and not cold(489)(task.status)
  local opens = not cold(489)(to) and to ~= 'deleted' and to ~= 'moved'
  if opens and not open then
    cold(396)(task.shared, 1)
  elseif open and not opens then
    cold(396)(task.shared, -1)
  end
end
end
end
else
if number < 403 then
if number < 402 then
-- 401 shares.waiting
return function(name)
  local waits = redis.call('ZRANGE', cold(384)(name), 0, 16 - 1)
  for _, member in ipairs(waits) do
    if not cold(389)(member, redis.call('HGET', cold(380)(), member)) then
      return waits, string.match(member, '^%S+')
    end
  end
  return waits
end
else
-- 402 shares.plan_remove
return function(name, waits)
  for _, member in ipairs(waits) do
    for _, part in ipairs(cold(388)(cold(387)(member))) do
      cold(275)('ZCARD', cold(384)(part.name))
    end
  end
  cold(275)('HLEN', cold(378)())
  cold(275)('HLEN', cold(380)())
  cold(275)('ZCARD', cold(384)(name))
  cold(275)('LLEN', cold(385)(name))
  cold(395)()
  cold(35)()
end
end
else
if number < 404 then
-- 403 shares.remove
return function(name, waits)
  redis.call('HDEL', cold(378)(), name)
  redis.call('HDEL', cold(382)(), name)
  redis.call('ZREM', cold(383)(), name)
  redis.call('HDEL', cold(380)(), '', unpack(waits))
  for _, member in ipairs(waits) do
    for _, part in ipairs(cold(388)(cold(387)(member))) do
      redis.call('ZREM', cold(384)(part.name), member)
    end
  end
  redis.call('UNLINK', cold(384)(name), cold(385)(name))
end
else
-- 404 shares.plan_expired
return function(corrected)
  local expired = {}
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', cold(274)(cold(383)()), '-inf',
    string.format('%.0f', namespace_now_us), 'LIMIT', 0, 16)) do
    local waits, queue = cold(401)(name)
    local one = { name = name, waits = waits, before = redis.call('HGET', cold(378)(), name) }
    one.used = queue or corrected[name] or redis.call('HGET', cold(274)(cold(379)()), name)
      or redis.call('HGET', cold(381)(), name)
    cold(402)(name, waits)
    expired[#expired + 1] = one
  end
  return expired
end
end
end
end
else
if number < 409 then
if number < 407 then
if number < 406 then
-- 405 shares.expire
return function(expired)
  for _, one in ipairs(expired) do
    if one.used then
      redis.call('ZREM', cold(383)(), one.name)
      cold(399)(one.name)
    else
      cold(403)(one.name, one.waits)
      cold(36)('', 'limit', 'shared', one.name, one.before or '', '- -', 'nobody used it')
    end
  end
end
else
-- 406 state.attempt_fields
return function()
  return 'node', 'pid', 'reclaimed_node', 'cancel', 'recall', 'reserved', 'started', 'progress', 'progressed'
end
end
else
if number < 408 then
-- 407 state.takes
return function(task, to)
  return to == 'reserved' or to == 'started' and task.status == 'pending'
end
else
-- 408 state.probe_list
return function(list, task)
  if cold(275)('LLEN', list) <= 100 or task.from_end then
    return
  end
  local tail = redis.call('LINDEX', list, -1)
  if tail ~= task.id then
    local first = cold(325)(redis.call('LINDEX', list, 0))
    local last, own = cold(325)(tail), cold(325)(task.id)
    task.from_end = own - last < first - own and -1 or 1
  end
end
end
end
else
if number < 411 then
if number < 410 then
-- 409 state.plan_wake
return function(queue)
  local asleep = cold(273)('asleep')
  asleep[queue] = cold(275)('LLEN', namespace_prefix .. 'wake_' .. queue) == 0
  if not asleep['*'] then
    asleep['*'], state_roams = true, redis.call('HGET', namespace_meta, 'roams')
  end
end
else
-- 410 state.rouse
return function(queue)
  local left = cold(298)(state_roams, queue)
  if left ~= state_roams then
    state_roams = left
    redis.pcall('HSET', namespace_meta, 'roams', left)
  end
end
end
else
if number < 412 then
-- 411 state.plan_left
return function(task)
  local queue = task.queue
  if cold(275)('LLEN', cold(272)('pending_tasks', queue))
    + cold(275)('ZCARD', cold(272)('lane_tasks', queue)) > 1 then
    cold(409)(queue)
    task.wakes = true
  end
end
else
-- 412 state.plan
return function(task, to, taker)
  local probe, touch = cold(275), cold(274)
  local from, queue, prefix = task.status, task.queue, namespace_prefix
  local tasks, events = '_tasks_' .. queue, touch(prefix .. 'events_' .. queue)
  if task.ties then
    cold(53)(task, to, taker)
    if from == 'pending' and not taker and (task.weight or task.solo) then
      cold(411)(task)
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
        if (task.limited or cold(375)(queue, 'concurrency'))
          and (redis.call('LLEN', prefix .. 'pending_tasks_' .. queue) > 0
          or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1) then
          cold(409)(queue)
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
    cold(408)(prefix .. from .. tasks, task)
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
      cold(409)(queue)
      if task.ranked then
        task.last = false
      end
    end
  end
  if task.foreign or to == 'deleted' or to == 'moved' then
    probe('ZCARD', prefix .. 'tasks_' .. queue)
  end
  cold(413)(task, to)
end
end
end
end
end
else
if number < 421 then
if number < 417 then
if number < 415 then
if number < 414 then
-- 413 state.plan_own
return function(task, to)
  if to == 'deleted' then
    cold(274)(namespace_prefix .. 'log_' .. task.id)
    task.logged = cold(223)(task.id)
  end
  cold(183)(task, to)
  if to == 'failed' or task.status == 'failed' then
    cold(177)(task, to)
  end
end
else
-- 414 state.time
return function(task)
  local since, now = task.since, namespace_now
  if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
    now = since
  end
  return now
end
end
else
if number < 416 then
-- 415 state.move
return function(task, to, why, by, ...)
  local id, queue, from, prefix = task.id, task.queue, task.status, namespace_prefix
  local tasks = '_tasks_' .. queue
  if task.deadline then
    redis.call('ZADD', prefix .. 'leases_' .. queue, task.deadline, id .. ' ' .. (task.issue or task.token))
  end
  if task.foreign and to ~= 'deleted' and to ~= 'moved' then
    redis.call('ZADD', prefix .. 'tasks_' .. queue, task.created or cold(325)(id), id)
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
      cold(184)(task, { to = to, why = why, by = by, at = now }, ...)
    end
    if to == 'deleted' or to == 'moved' then
      if to == 'deleted' then
        redis.call('UNLINK', key, prefix .. 'log_' .. id, prefix .. 'history_' .. id)
        if task.edge_keys then
          redis.call('UNLINK', unpack(task.edge_keys))
        end
        if task.logged then
          cold(224)(id, task.logged)
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
      cold(61)(task, to)
      if task.tracked then
        cold(453)(task, to, why, by, ...)
      end
    end
    if to == 'failed' then
      cold(178)(task, now)
    elseif from == 'failed' then
      cold(179)(task)
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
            if not namespace_declared or cold(278)(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if state_roams ~= '' then
            cold(410)(queue)
          end
        end
        redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
      end
    end
    if task.dependents or task.unsettled then
      cold(105)(task)
    end
  end
end
else
-- 416 state.enter_all
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
end
else
if number < 419 then
if number < 418 then
-- 417 statistics.counts
return function()
  return { 'submitted', 'started', 'complete', 'failed', 'cancelled', 'failures', 'retries', 'losses',
    'releases', 'missed' }
end
else
-- 418 statistics.measures
return function()
  return { 'wait', 'run', 'done' }
end
end
else
if number < 420 then
-- 419 statistics.bounds
return function()
  return { 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 28800, 57600,
    86400, 172800, 345600, 604800, 1209600, 2419200 }
end
else
-- 420 statistics.date
return function(day)
  local floor = math.floor
  local shifted = day + 719468
  local era = floor(shifted / 146097)
  local of_era = shifted - era * 146097
  local year = floor((of_era - floor(of_era / 1460) + floor(of_era / 36524) - floor(of_era / 146096)) / 365)
  local of_year = of_era - (365 * year + floor(year / 4) - floor(year / 100))
  local month = floor((5 * of_year + 2) / 153)
  local date = of_year - floor((153 * month + 2) / 5) + 1
  return string.format('%04d%02d%02d', era * 400 + year + (month >= 10 and 1 or 0),
    month < 10 and month + 3 or month - 9, date)
end
end
end
end
else
if number < 425 then
if number < 423 then
if number < 422 then
-- 421 statistics.measure
return function(own, at, since, bounds)
  at, since = tonumber(at), tonumber(since)
  if not (at and since and since >= 0 and since <= at) then
    return
  end
  local seconds = math.floor((at - since) * 1000000 + 0.5) / 1000000
  own.count = own.count + 1
  own.sum = own.sum + seconds
  own.squares = own.squares + seconds * seconds
  if seconds < own.least then
    own.least = seconds
  end
  if seconds > own.most then
    own.most = seconds
  end
  local i = seconds > 600 and 10 or seconds > 10 and 5 or 1
  while bounds[i] and seconds > bounds[i] do
    i = i + 1
  end
  own[i] = (own[i] or 0) + 1
end
else
-- 422 statistics.sums
return function()
  local sums = {}
  for _, name in ipairs(cold(417)()) do
    sums[name] = 0
  end
  for _, name in ipairs(cold(418)()) do
    sums[name] = { count = 0, sum = 0, squares = 0, least = math.huge, most = 0 }
  end
  return sums
end
end
else
if number < 424 then
-- 423 statistics.span
return function(day)
  local low, high = string.format('%.6f', day * 86400), string.format('%.6f', (day + 1) * 86400)
  if #low == 17 and #high == 17 then
    return low, high
  end
  return '', ''
end
else
-- 424 statistics.event
return function(sums, from, to, by, why, at, since, bounds)
  if from == 'pending' then
    if to == 'reserved' or to == 'started' then
      cold(421)(sums.wait, at, since, bounds)
    end
  elseif from == 'reserved' or from == 'started' then
    local goes_on = to == 'moved' and why == 'next'
    if to == 'complete' or goes_on then
      cold(421)(sums.done, at, since, bounds)
    elseif from == 'started' or (why == 'fail' and by ~= '') then
      cold(421)(sums.run, at, since, bounds)
    end
    if to == 'reserved' or (by == '' and (why == 'lost' or why == 'adopt')) then
      sums.losses = sums.losses + 1
    elseif goes_on then
      sums.complete = sums.complete + 1
    elseif to ~= 'started' and to ~= 'complete' and why ~= 'complete' and by ~= '' then
      if why ~= 'fail' then
        sums.releases = sums.releases + 1
      else
        sums.failures = sums.failures + 1
        if to == 'pending' or to == 'scheduled' then
          sums.retries = sums.retries + 1
        end
      end
    end
  elseif from == '' then
    if why ~= 'move' then
      sums.submitted = sums.submitted + 1
    end
  elseif why == 'again' then
    sums.submitted = sums.submitted + (to ~= 'moved' and 1 or 0)
  elseif why == 'retry' and (to == 'pending' or to == 'moved') then
    sums.retries = sums.retries + 1
  end
  if to == 'started' or to == 'complete' or to == 'failed' or to == 'cancelled' then
    sums[to] = sums[to] + 1
  end
end
end
end
else
if number < 427 then
if number < 426 then
-- 425 statistics.add_done
return function(run, done, buckets)
  for _, name in ipairs({ 'count', 'sum', 'squares' }) do
    run[name] = run[name] + done[name]
  end
  run.least, run.most = math.min(run.least, done.least), math.max(run.most, done.most)
  for i = 1, buckets do
    run[i] = done[i] and (run[i] or 0) + done[i] or run[i]
  end
end
else
-- 426 statistics.merge
return function(key, sums, prefix)
  local names, kinds, added, bounds = {}, {}, {}, cold(419)()
  local function add(name, kind, value)
    local at = #names + 1
    names[at], kinds[at], added[at] = (prefix or '') .. name, kind, value
  end
  cold(425)(sums.run, sums.done, #bounds + 1)
  for _, name in ipairs(cold(417)()) do
    if sums[name] > 0 then
      add(name, 'count', sums[name])
    end
  end
  for _, measure in ipairs(cold(418)()) do
    local own = sums[measure]
    if own.count > 0 then
      for _, kind in ipairs({ 'count', 'sum', 'squares', 'least', 'most' }) do
        add(measure .. '.' .. kind, kind, own[kind])
      end
      for i = 1, #bounds + 1 do
        if own[i] then
          add(measure .. '.' .. (bounds[i] or 'over'), 'count', own[i])
        end
      end
    end
  end
  local held, fields = #names > 0 and redis.call('HMGET', key, unpack(names)), {}
  for i = 1, #names do
    fields[2 * i - 1] = names[i]
    fields[2 * i] = cold(431)(kinds[i], cold(430)(kinds[i], tonumber(held[i]), added[i]))
  end
  return fields
end
end
else
if number < 428 then
-- 427 statistics.hosts_key
return function(queue, date)
  return cold(272)('hosts', queue .. '/' .. date)
end
else
-- 428 statistics.end_of
return function(days_hosts, day, node, v, bounds)
  local hosts = days_hosts[day] or {}
  days_hosts[day] = hosts
  local sums = hosts[node]
  if not sums then
    local host = string.match(node, '^([%w.:-]+)_%d+$')
    if not host or #node > 200 then
      return
    end
    sums = hosts[host] or cold(422)()
    hosts[host], hosts[node] = sums, sums
  end
  cold(424)(sums, v[4], v[6], v[12], v[14], v[10], v[16], bounds)
end
end
end
end
end
end
end
else
if number < 460 then
if number < 444 then
if number < 436 then
if number < 432 then
if number < 430 then
-- 429 statistics.merge_hosts
return function(key, hosts)
  local names = {}
  for name in pairs(hosts) do
    names[#names + 1] = not string.find(name, '_', 1, true) and name or nil
  end
  table.sort(names, cold(29))
  local held = redis.call('HMGET', key, '*', unpack(names))
  local number, writes = tonumber(held[1]) or 0, {}
  for i, host in ipairs(names) do
    local known = held[i + 1]
    if known or number < 100 then
      local fields = cold(426)(key, hosts[host], host .. ' ')
      if not known then
        number = number + 1
        fields[#fields + 1], fields[#fields + 2] = host, '1'
        fields[#fields + 1], fields[#fields + 2] = '*', number
      end
      writes[#writes + 1] = fields
    end
  end
  return writes
end
else
if number < 431 then
-- 430 statistics.join
return function(kind, held, added)
  if not held then
    return added
  elseif kind == 'least' then
    return math.min(held, added)
  elseif kind == 'most' then
    return math.max(held, added)
  end
  return held + added
end
else
-- 431 statistics.text
return function(kind, value)
  if kind == 'sum' or kind == 'least' or kind == 'most' then
    return string.format('%.6f', value)
  elseif kind == 'squares' then
    return string.format('%.17g', value)
  end
  return string.format('%.0f', value)
end
end
end
else
if number < 434 then
if number < 433 then
-- 432 statistics.before
return function(one, other)
  local ms, number = string.match(one, '^(%d+)%-(%d+)$')
  local other_ms, other_number = string.match(other, '^(%d+)%-(%d+)$')
  ms, other_ms = tonumber(ms), tonumber(other_ms)
  return ms < other_ms or (ms == other_ms and tonumber(number) < tonumber(other_number))
end
else
-- 433 statistics.key
return function(queue, date)
  return cold(272)('statistics', queue .. '/' .. date)
end
end
else
if number < 435 then
-- 434 statistics.tally
return function(queue, limit)
  local events, tally = cold(272)('events', queue), cold(272)('tally', queue)
  local days = cold(272)('days', queue)
  local texts = redis.call('HMGET', namespace_meta, 'settings:' .. queue, 'settings')
  local kept_days = tonumber(cold(374)(texts[1], texts[2], 'statistics'))
  local kept_events = tonumber(cold(374)(texts[1], texts[2], 'events'))
  cold(274)(tally)
  local place = redis.call('HMGET', tally, 'last', 'read')
  local last, read = place[1] or '0-0', tonumber(place[2] or 0)
  local today = math.floor(namespace_now_us / 86400000000)
  local oldest = today - kept_days + 1
  cold(274)(days)
  local gone = redis.call('ZRANGEBYSCORE', days, '-inf', oldest - 1, 'LIMIT', 0, 100)

  local length = cold(275)('XLEN', events)
  local added, newest = 0, '0-0'
  if length > 0 then
    local info = redis.call('XINFO', 'STREAM', events)
    for i = 1, #info, 2 do
      if info[i] == 'entries-added' then
        added = info[i + 1]
      elseif info[i] == 'last-generated-id' then
        newest = info[i + 1]
      end
    end
    if added < read or cold(432)(newest, last) then
      last, read = '0-0', 0
    end
  end
  local missed = math.max(0, added - length - read)
  read = math.max(read, added - length)
  local found = {}
  if length > 0 and kept_days > 0 then
    found = redis.call('XRANGE', events, '(' .. last, '+', 'COUNT', limit)
    read = read + #found
    if #found > 0 then
      last = found[#found][1]
    end
    if #found < limit then
      missed, read = missed + math.max(0, added - read), added
    end
  elseif length > 0 then
    missed, last, read = 0, newest, added
  end

  local days_sums, days_hosts, bounds = {}, {}, cold(419)()
  local sums, low, high, today_of = nil, '', '', nil
  for i = 1, #found do
    local v = found[i][2]
    local why, at = v[14], v[10]
    if why then
      local own, day = sums, today_of
      if not (#at == 17 and at >= low and at < high) then
        local time = tonumber(at)
        own = nil
        if time and time >= 0 and time <= 100000000000 then
          day = math.floor(time / 86400)
          own = days_sums[day] or cold(422)()
          days_sums[day] = own
          sums, today_of, low, high = own, day, cold(423)(day)
        end
      end
      if own then
        local from, to = v[4], v[6]
        cold(424)(own, from, to, v[12], why, at, v[16], bounds)
        if (from == 'started' or from == 'reserved') and to ~= 'started' then
          cold(428)(days_hosts, day, v[18] or v[12], v, bounds)
        end
      end
    end
  end
  if missed > 0 then
    days_sums[today] = days_sums[today] or cold(422)()
    days_sums[today].missed = missed
  end
  local writes = {}
  for one, own in pairs(days_sums) do
    local date = cold(420)(one)
    local fields = one >= oldest and cold(426)(cold(274)(cold(433)(queue, date)), own) or {}
    if #fields > 0 then
      local hosts = days_hosts[one]
      hosts = hosts and cold(429)(cold(274)(cold(427)(queue, date)), hosts) or {}
      writes[#writes + 1] = { day = one, date = date, fields = fields, hosts = hosts }
    end
  end
  table.sort(writes, function(a, b) return a.day < b.day end)
  for _, date in ipairs(gone) do
    cold(274)(cold(433)(queue, date))
    cold(274)(cold(427)(queue, date))
  end

  local most = math.max(kept_events, added - read)
  local more = read < added and 1 or 0
  if last == place[1] and #writes == 0 and #gone == 0 and length <= most then
    return { 0, 0, 0 }
  end
  cold(279)()
  redis.call('XTRIM', events, 'MAXLEN', '~', most)
  for _, date in ipairs(gone) do
    redis.call('UNLINK', cold(433)(queue, date), cold(427)(queue, date))
  end
  if #gone > 0 then
    redis.call('ZREM', days, unpack(gone))
  end
  if length > 0 then
    redis.call('HSET', tally, 'last', last, 'read', string.format('%.0f', read))
  end
  for _, write in ipairs(writes) do
    redis.call('HSET', cold(433)(queue, write.date), unpack(write.fields))
    redis.call('ZADD', days, write.day, write.date)
    for _, fields in ipairs(write.hosts) do
      redis.call('HSET', cold(427)(queue, write.date), unpack(fields))
    end
  end
  return { #found, more, missed }
end
else
-- 435 steps.check
return function(value, what)
  local number = 0
  for name in string.gmatch(value .. ',', '([^,]*),') do
    number = number + 1
    if number > 100 then
      cold(334)('BADARG', what .. ' must be at most ' .. 100 .. ' queues')
    end
    cold(21)(name, what)
  end
  return value
end
end
end
end
else
if number < 440 then
if number < 438 then
if number < 437 then
-- 436 tags.key
return function(queue, tag)
  return namespace_prefix .. 'tag_' .. queue .. '/' .. tag
end
else
-- 437 tags.names
return function(text)
  local names = {}
  for tag in string.gmatch(text or '', '[^,]+') do
    names[#names + 1] = tag
  end
  return names
end
end
else
if number < 439 then
-- 438 tags.plan
return function(queue, text)
  cold(275)('ZCARD', cold(272)('tags', queue))
  for _, tag in ipairs(cold(437)(text)) do
    cold(275)('ZCARD', cold(436)(queue, tag))
  end
end
else
-- 439 tags.enter
return function(queue, id, created, text)
  for _, tag in ipairs(cold(437)(text)) do
    local key = cold(436)(queue, tag)
    redis.call('ZADD', key, created, id)
    redis.call('ZADD', cold(272)('tags', queue), redis.call('ZCARD', key), tag)
  end
end
end
end
else
if number < 442 then
if number < 441 then
-- 440 tags.remove
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
-- 441 tags.leave
return function(queue, id, text)
  for _, tag in ipairs(cold(437)(text)) do
    cold(440)(cold(436)(queue, tag), cold(272)('tags', queue), tag, id)
  end
end
end
else
if number < 443 then
-- 442 tags.without
return function(text, other)
  local names, others = {}, ',' .. (other or '') .. ','
  for tag in string.gmatch(text or '', '[^,]+') do
    if not string.find(others, ',' .. tag .. ',', 1, true) then
      names[#names + 1] = tag
    end
  end
  return table.concat(names, ',')
end
else
-- 443 tags.plan_swap
return function(task, had, wanted)
  task.tags_gone, task.tags_come = cold(442)(had, wanted), cold(442)(wanted, had)
  task.created = task.created or cold(325)(task.id)
  cold(438)(task.queue, task.tags_gone)
  cold(438)(task.queue, task.tags_come)
end
end
end
end
end
else
if number < 452 then
if number < 448 then
if number < 446 then
if number < 445 then
-- 444 tags.swap
return function(task)
  cold(441)(task.queue, task.id, task.tags_gone)
  cold(439)(task.queue, task.id, task.created, task.tags_come)
end
else
-- 445 ticking.tick
return function(limit)
  local all, now = namespace_prefix .. 'schedules', namespace_now_us / 1000000
  local names = redis.call('ZRANGEBYSCORE', all, '-inf', namespace_now, 'LIMIT', 0, limit)

  local room, bytes, number, stops, changed, strays, taken, queues = limit, 0, 0, {}, {}, {}, {}, {}

  local function guarded(schedule, read, ...)
    local ok, one, other = pcall(read, ...)
    if ok then
      return true, one, other
    end
    local text = type(one) == 'table' and one.err or tostring(one)
    if string.find(text, 'non local key') then
      error(one, 0)
    end
    text = string.gsub(text, '^%-', '')
    text = string.gsub(text, '^WRONGTYPE .*', 'WRONGKEY a key of its queue holds a value of another type')
    schedule.error = namespace_now .. ' ' .. string.sub(text, 1, 200)
    return false
  end

  local function foreign(schedule, queue)
    if queue ~= schedule.queue then
      cold(334)('OTHERQUEUE', 'the id of this slot is a task that the schedule did not create')
    end
    cold(334)('STATE', 'the id of this slot is a task that the schedule did not create')
  end

  local function try(schedule, slot, old)
    local id = schedule.name .. '@' .. slot
    local queue, maker, of = unpack(redis.call('HMGET', cold(272)('task', id), 'queue', 'schedule', 'slot'))
    if queue and maker == schedule.name and of == slot then
      cold(364)(schedule, id)
      return 'made'
    elseif queue then
      guarded(schedule, foreign, schedule, queue)
      return 'skip'
    end
    local ok, plan = guarded(schedule, cold(369), { schedule = schedule, id = id, slot = slot, old = old }, taken)
    if ok then
      return plan and (plan.task and 'plan' or 'skip') or 'wait', plan
    end
    return 'skip'
  end

  local function hold(schedule, old)
    cold(357)(schedule)
    schedule.held = string.format('%.0f', math.floor(now) + 1)
    changed[#changed + 1] = schedule
    if schedule.overlap == 'cancel' and old and not taken[old.id] then
      taken[old.id], old.planned, old.reason = true, {}, 'a later slot of the schedule ' .. schedule.name
      if guarded(schedule, cold(7), old, old) and old.to then
        stops[#stops + 1] = old
      end
    end
  end

  local function due(schedule, old)
    local slots, passed = cold(368)(schedule, math.min(room, 100))
    local made, skipped, waits = 0, 0, nil
    schedule.plans = {}
    for i, slot in ipairs(slots) do
      slot = string.format('%.0f', slot)
      local what, plan = 'skip', nil
      if not old or schedule.overlap == 'cancel' then
        what, plan = try(schedule, slot, old)
      end
      if what == 'wait' then
        waits, schedule.done = i, slots[i - 1] and string.format('%.0f', slots[i - 1])
        break
      elseif what == 'plan' then
        made, schedule.plans[#schedule.plans + 1] = made + 1, plan
        cold(364)(schedule, plan.id)
        schedule.last_slot, schedule.last_at, schedule.error = slot, namespace_now, nil
        if schedule.made + made == tonumber(schedule.times) then
          break
        end
      elseif what == 'skip' then
        skipped = skipped + 1
      end
    end
    if waits == 1 then
      return nil
    end
    schedule.made, schedule.skipped = string.format('%.0f', schedule.made + made),
      string.format('%.0f', schedule.skipped + skipped)
    schedule.passed = string.format('%.0f', schedule.passed + passed)
    cold(357)(schedule)
    changed[#changed + 1] = schedule
    return made
  end

  for _, name in ipairs(names) do
    if room < 1 or bytes > 4194304 then
      break
    end
    local schedule = cold(351)(name)
    if not schedule then
      strays[#strays + 1] = name
    elseif not schedule.next or tonumber(schedule.next) > now then
      cold(357)(schedule)
      changed[#changed + 1] = schedule
    else
      bytes = bytes + #schedule.parameters
      local ok, old, beside = guarded(schedule, cold(363), schedule, schedule.overlap)
      if beside then
        schedule.error = namespace_now .. ' ' .. cold(365)(schedule, beside)
      end
      if beside or not ok then
        hold(schedule, old)
        room = room - 1
      else
        local made = due(schedule, (schedule.overlap == 'skip' or schedule.overlap == 'cancel') and old or nil)
        number = number + (made or 0)
        room = room - (made and math.max(1, made) or 0)
      end
    end
  end

  local low = cold(371)(changed)
  if #changed + #strays > 0 then
    cold(353)()
    cold(279)()
  end
  if number + #stops > 0 then
    do
      local us = string.format('%.0f', namespace_now_us)
      redis.call('HSET', namespace_meta, 'clock:1', us)
      if namespace_gap then
        redis.call('HSET', namespace_meta, 'gap', string.format('%.0f', namespace_gap))
      end
    end
  end
  for _, old in ipairs(stops) do
    cold(9)(old, old)
  end
  for _, schedule in ipairs(changed) do
    for _, plan in ipairs(schedule.plans or {}) do
      cold(370)(plan, 'schedule')
      queues[#queues + 1] = schedule.queue
    end
    cold(358)(schedule, 'tasks', 'last_slot', 'last_task', 'last_at', 'error')
  end
  for _, name in ipairs(strays) do
    redis.call('ZREM', all, name)
  end
  for i, queue in ipairs(queues) do
    if queue ~= queues[i + 1] then
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
            if not namespace_declared or cold(278)(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if state_roams ~= '' then
            cold(410)(queue)
          end
        end
        redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
      end
    end
  end
  local first = redis.call('ZRANGE', all, 0, 0, 'WITHSCORES')[2]
  first = first and first ~= 'inf' and tonumber(first) or nil
  return { number, first and first <= now and 1 or 0, first and first > now and string.format('%.0f', first) or '',
    unpack(low) }
end
end
else
if number < 447 then
-- 446 tracks.all
return function()
  return namespace_prefix .. 'tracked'
end
else
-- 447 tracks.key
return function()
  return namespace_prefix .. 'changes'
end
end
end
else
if number < 450 then
if number < 449 then
-- 448 tracks.has
return function(task)
  return task.ties and string.find(task.ties, 'o', 1, true)
end
else
-- 449 tracks.plan
return function()
  cold(275)('XLEN', cold(447)())
  cold(275)('ZCARD', cold(446)())
end
end
else
if number < 451 then
-- 450 tracks.plan_note
return function(task)
  if cold(448)(task) then
    cold(449)()
  end
end
else
-- 451 tracks.add
return function(task, at, what, from, to, by, why, text)
  redis.call('XADD', cold(447)(), 'MAXLEN', '~', '10000', '*', 'id', task.id, 'queue', task.queue, 'what', what,
    'from', from or '', 'to', to, 'attempt', task.attempt, 'at', at, 'by', by or '', 'why', why,
    'text', string.sub(text or '', 1, 1024))
  redis.pcall('PUBLISH', cold(447)(), '')
end
end
end
end
else
if number < 456 then
if number < 454 then
if number < 453 then
-- 452 tracks.note
return function(task, what, by, text, why)
  if cold(448)(task) then
    cold(451)(task, namespace_now, what, task.status, task.status, by, why or what, text)
  end
end
else
-- 453 tracks.transition
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
  cold(451)(task, cold(414)(task), 'state', task.status, to, by, why, text)
  if to == 'deleted' then
    cold(454)(task.id)
  end
end
end
else
if number < 455 then
-- 454 tracks.forget
return function(id)
  redis.call('ZREM', cold(446)(), id)
end
else
-- 455 upkeep.parts
return function(name)
  return name == '*' and { 'tick', 'settle' } or { 'promote', 'requeue_orphans', 'tally', 'retain', 'mend' }
end
end
end
else
if number < 458 then
if number < 457 then
-- 456 upkeep.key
return function()
  return namespace_prefix .. 'upkeep'
end
else
-- 457 upkeep.read
return function(queues)
  local all, now = {}, namespace_now_us
  local function time(text, most)
    local us = tonumber(text) or 0
    return us <= now + most and us or 0
  end
  for i, text in ipairs(redis.call('HMGET', cold(274)(cold(456)()), '*', unpack(queues))) do
    local due, part, after, retained = string.match(text or '', '^(%d+) (%d+) (%d+) (%d+)$')
    all[i] = { name = queues[i - 1] or '*', nth = i, due = time(due, 2000000), part = tonumber(part) or 1,
      after = time(after, 2000000), retained = time(retained, 0) }
  end
  return all
end
end
else
if number < 459 then
-- 458 upkeep.first
return function(all)
  local first = all[1].due
  for _, one in ipairs(all) do
    first = math.min(first, one.due)
  end
  return math.max(first, namespace_now_us)
end
else
-- 459 upkeep.work
return function(what, one, meta, step)
  local queue = one.name
  local done
  if what == 'tick' then
    done = cold(445)(10)
    step.low = { unpack(done, 4) }
    return done[1], done[2] == 1, (tonumber(done[3]) or math.huge) * 1000000
  elseif what == 'settle' then
    done = cold(377)(100)
    return done[1], done[2] == 1, math.huge
  elseif what == 'promote' then
    done = cold(299)(queue, 100, meta[2])
    return done[1], done[2] == 1, (tonumber(done[3]) or math.huge) * 1000000
  elseif what == 'requeue_orphans' then
    done = cold(292)(queue, 25, meta[3], meta[4])
    return done[1] + done[2] + done[3], done[5] == 1, math.huge
  elseif what == 'tally' then
    done = cold(434)(queue, 500)
    return done[1], done[2] == 1, math.huge
  elseif what == 'retain' then
    if namespace_now_us - one.retained < 60000000 then
      return 0, false, math.huge
    end
    done = cold(344)(queue, 100, {})
    one.retained = done[2] == 1 and one.retained or namespace_now_us
    return done[1], done[2] == 1, math.huge
  end
  done = cold(266)(queue, '', 100, (60 * 1000000), true)
  step.mended = done[1] == ''
  return done[2], false, math.huge
end
end
end
end
end
end
else
if number < 475 then
if number < 467 then
if number < 463 then
if number < 461 then
-- 460 upkeep.go_on
return function(one, meta, step)
  local parts, now = cold(455)(one.name), namespace_now_us
  local what = parts[math.min(one.part, #parts)]
  if one.part == 1 or one.after == 0 then
    one.after = now + 2000000
  end
  local ok, number, more, next = pcall(cold(459), what, one, meta, step)
  if not ok then
    local refusal = cold(337)(number).err
    local code = string.match(refusal, '^%-?(%u+)')
    if code ~= 'WRONGKEY' and code ~= 'OOM' then
      error(number, 0)
    end
    step.trouble = string.gsub(refusal, '^%-', '')
    number, more, next = 0, false, math.huge
    step.mended = true
  end
  step.what, step.number = what, number
  one.after = more and now or math.min(one.after, math.max(now, next))
  if one.part < #parts or what == 'mend' and not step.mended and one.part < #parts + 12 - 1 then
    one.due, one.part = now, one.part + 1
  else
    one.due, one.part = one.after, 1
  end
end
else
if number < 462 then
-- 461 upkeep.step
return function(queues, meta)
  local all, step, changed = cold(457)(queues), { what = '', number = 0, trouble = '', low = {} }, {}
  local turns = { unpack(all) }
  table.sort(turns, function(one, other)
    return one.due < other.due or one.due == other.due and one.nth < other.nth
  end)
  local begun = cold(273)('request')
  for _, one in ipairs(turns) do
    if one.due > namespace_now_us or begun.begun or step.trouble ~= '' then
      break
    end
    changed[#changed + 1] = one.name
    repeat
      cold(460)(one, meta, step)
    until one.part == 1 or begun.begun or step.trouble ~= ''
    changed[#changed + 1] = string.format('%.0f %d %.0f %.0f', one.due, one.part, one.after, one.retained)
  end
  if not begun.begun then
    step.what, step.number = step.trouble == '' and '' or step.what, 0
  end
  if changed[1] then
    if not begun.begun then
      cold(279)()
    end
    cold(281)(cold(456)())
    redis.call('HSET', cold(456)(), unpack(changed))
  end
  local first = cold(458)(all)
  return { step.what, step.number, first == namespace_now_us and 1 or 0, cold(267)(first), step.trouble,
    unpack(step.low) }
end
else
-- 462 walks.find
return function(graph)
  local v = redis.call('HMGET', cold(142)(graph.id), cold(151)())
  return v[1] and { graph = graph.id, total = graph.total, doing = v[1], at = tonumber(v[2]), task = v[3] or nil,
    reason = v[4] or '', force = v[5], changed = tonumber(v[6] or 0), refused = tonumber(v[7] or 0),
    part = v[8] or nil, tasks = {},
    marks = {}, left = {}, spec = { planned = {}, walks = true, deadline = v[9] or nil } } or nil
end
end
end
else
if number < 465 then
if number < 464 then
-- 463 walks.plan
return function(walk, limit)
  cold(275)('ZCARD', cold(146)(walk.graph))
  if walk.doing == 'cancel' then
    cold(473)(walk, limit)
  elseif walk.doing == 'anew' then
    cold(476)(walk, limit)
  elseif walk.doing == 'mark_anew' or walk.doing == 'mark_cancel' then
    cold(474)(walk)
  else
    cold(469)(walk, limit)
  end
end
else
-- 464 walks.page
return function(walk)
  return redis.call('LRANGE', cold(274)(cold(143)(walk.graph)), walk.at, walk.at + 300 - 1)
end
end
else
if number < 466 then
-- 465 walks.task
return function(walk, id)
  local task = cold(1)(id)
  return task and redis.call('HGET', task.key, 'graph') == walk.graph and task or nil
end
else
-- 466 walks.act
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
if number < 471 then
if number < 469 then
if number < 468 then
-- 467 walks.is_full
return function(walk, limit)
  return #walk.tasks >= limit or (walk.spec.entries or 0) > 20000
end
else
-- 468 walks.plan_next
return function(walk, again)
  walk.changed = walk.changed + #walk.tasks
  walk.next = walk.doing
  if walk.at >= walk.total then
    walk.next = again and walk.doing
    walk.pause = again and walk.changed == 0
    walk.at, walk.changed, walk.refused = 0, 0, 0
  end
end
end
else
if number < 470 then
-- 469 walks.plan_retries
return function(walk, limit)
  local spec = walk.spec
  spec.begun = {}
  for _, id in ipairs(cold(464)(walk)) do
    walk.at = walk.at + 1
    local task = cold(465)(walk, id)
    if task and cold(470)(walk, task) then
      if cold(324)(task) then
        cold(466)(walk, task, cold(471), cold(472))
      else
        cold(466)(walk, task, cold(10), cold(12))
      end
      spec.begun[id] = task.to and true
    end
    if cold(467)(walk, limit) then
      break
    end
  end
  cold(468)(walk, walk.refused > 0 and walk.changed + #walk.tasks > 0)
end
else
-- 470 walks.may_run_again
return function(walk, task)
  if not (task.status == 'failed' or task.status == 'cancelled' or cold(324)(task) and task.cancel) then
    return false
  elseif walk.doing == 'retry' then
    return true
  end
  local cause = redis.call('HGET', task.key, 'cause')
  local status = cause and redis.call('HGET', cold(272)('task', cause), 'status')
  return status and status ~= 'failed' and status ~= 'cancelled' or cause and walk.spec.begun[cause]
end
end
end
else
if number < 473 then
if number < 472 then
-- 471 walks.spare
return function(task)
  if cold(288)(task) == 'lost' then
    return cold(11)(task)
  elseif cold(74)(task) then
    return cold(72)()
  end
  task.to = 'recalling'
  cold(289)(task.queue)
  cold(450)(task)
end
else
-- 472 walks.do_spare
return function(task)
  cold(290)(task.queue, 't:' .. task.id, 'stop')
  redis.call('HDEL', task.key, 'cancel', 'discard', 'cause', 'reason')
  redis.call('HSET', task.key, 'recall', namespace_now)
  cold(452)(task, 'recall')
end
end
else
if number < 474 then
-- 473 walks.plan_cancels
return function(walk, limit)
  local spec = walk.spec
  spec.reason, spec.force, spec.discard = walk.reason, walk.force, true
  if not walk.task then
    cold(273)('on_failure')[walk.graph] = 'continue'
  end
  local from = -walk.at - 1
  local ids = redis.call('LRANGE', cold(274)(cold(143)(walk.graph)), from - 300 + 1, from)
  for i = #ids, 1, -1 do
    walk.at = walk.at + 1
    local ours = not walk.task or redis.call('ZSCORE', cold(146)(walk.graph), ids[i])
    local task = ours and cold(465)(walk, ids[i])
    if task and not cold(489)(task.status) then
      task.cause = walk.task ~= ids[i] and walk.task or nil
      cold(466)(walk, task, cold(7), cold(9))
    end
    if cold(467)(walk, limit) then
      break
    end
  end
  cold(468)(walk, false)
end
else
-- 474 walks.plan_marks
return function(walk)
  local after, entries = walk.doing == 'mark_cancel' and 'cancel' or 'anew', 0
  for _, id in ipairs(cold(464)(walk)) do
    local mark = redis.call('ZSCORE', cold(146)(walk.graph), id)
    local v = redis.call('HMGET', cold(272)('task', id), 'inputs', 'graph')
    local inputs = mark ~= '1' and id ~= walk.task and v[2] == walk.graph and v[1] or ''
    local page, rest = cold(117)(inputs, tonumber(walk.part or 1), 1000 - entries)
    entries = entries + #page
    local below = mark == '1' or id == walk.task or cold(475)(walk, page, after, mark == '2')
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
end
end
end
else
if number < 483 then
if number < 479 then
if number < 477 then
if number < 476 then
-- 475 walks.hangs_below
return function(walk, page, after, any)
  local ids = {}
  for _, entry in ipairs(page) do
    if after == 'anew' or entry.kind ~= 'some' and cold(87)(entry.kind) then
      if walk.marks[entry.id] then
        return true
      end
      ids[#ids + 1] = entry.id
    end
  end
  for _, mark in pairs(cold(119)(cold(146)(walk.graph), ids)) do
    if mark and (any or mark ~= '0') then
      return true
    end
  end
  return false
end
else
-- 476 walks.plan_anew
return function(walk, limit)
  local spec = walk.spec
  spec.anew, spec.fresh, spec.reason, spec.discard = true, true, 'to run anew', true
  cold(275)('ZCARD', cold(83)())
  spec.chosen, spec.look, spec.wait = cold(146)(walk.graph), cold(120), cold(123)
  spec.graph = walk.graph
  for _, id in ipairs(cold(464)(walk)) do
    local part = walk.part
    walk.at, walk.part = walk.at + 1, nil
    local mark = redis.call('ZSCORE', spec.chosen, id)
    if mark == '1' or mark == '2' then
      local task = cold(465)(walk, id)
      if task then
        task.first = mark == '2'
      end
      if not task or not cold(477)(walk, task) then
        if task and not task.first and part ~= 'ready' and not cold(301)(task) and cold(16)(task) then
          cold(478)(walk, task, part)
          break
        end
        walk.marks[id] = '0'
        cold(479)(walk, task, part)
        if not task or cold(489)(task.status) and not task.to then
          walk.left[#walk.left + 1] = id
        end
      end
    end
    if cold(467)(walk, limit) then
      break
    end
  end
  cold(468)(walk, walk.refused > 0)
end
end
else
if number < 478 then
-- 477 walks.stops_first
return function(walk, task)
  local is_held = cold(324)(task)
  if not is_held and (task.first or task.status ~= 'pending' and task.status ~= 'scheduled') then
    return false
  end
  walk.refused = walk.refused + 1
  if not (is_held and redis.call('HGET', task.key, 'discard')) then
    cold(466)(walk, task, cold(7), cold(9))
  end
  return true
end
else
-- 478 walks.prepare_anew
return function(walk, task, part)
  cold(17)(task, walk.spec.chosen, part)
  walk.tasks[#walk.tasks + 1] = task
  walk.at, walk.part = walk.at - 1, task.piece.part
end
end
end
else
if number < 481 then
if number < 480 then
-- 479 walks.begin_anew
return function(walk, task, part)
  if task then
    task.prepared = part == 'ready'
  end
  if task and task.status == 'waiting' then
    cold(120)(task, walk.spec)
    task.act = cold(123)
    walk.tasks[#walk.tasks + 1] = task
  elseif task and cold(489)(task.status) then
    cold(466)(walk, task, cold(10), cold(12))
  end
end
else
-- 480 walks.run
return function(walk)
  for id, mark in pairs(walk.marks) do
    redis.call('ZADD', cold(146)(walk.graph), mark, id)
  end
  for _, id in ipairs(walk.left) do
    redis.call('ZADD', cold(83)(), namespace_now, id)
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
          if not namespace_declared or cold(278)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(410)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
  local key = cold(142)(walk.graph)
  if walk.next then
    redis.call('HSET', key, 'doing', walk.next, 'at', walk.at, 'changed', walk.changed, 'refused', walk.refused,
      unpack(walk.part and { 'part', walk.part } or {}))
    if not walk.part then
      redis.call('HDEL', key, 'part')
    end
    local from = namespace_now_us + (walk.pause and 1000000 or 0)
    redis.call('ZADD', cold(145)(), cold(267)(from), walk.graph)
  else
    redis.call('HDEL', key, cold(151)())
    redis.call('UNLINK', cold(146)(walk.graph))
  end
end
end
else
if number < 482 then
-- 481 workers.moment
return function(seconds)
  return math.floor(tonumber(seconds) * 1000000 + 0.5)
end
else
-- 482 workers.key
return function(listener)
  return namespace_prefix .. 'worker_' .. listener
end
end
end
end
else
if number < 487 then
if number < 485 then
if number < 484 then
-- 483 workers.find
return function(listener)
  local known = cold(273)('workers')
  if known[listener] == nil then
    local v = redis.call('HMGET', cold(482)(listener), 'queues', 'at', 'free', 'draining', 'patterns')
    known[listener] = v[1] and v[2] and {
      queues = v[1], at = cold(481)(v[2]), full = v[3] == '0', draining = v[4] == '1',
      set = v[5] and v[5] ~= '' and cold(294)(v[5]),
    }
  end
  return known[listener] or nil
end
else
-- 484 workers.plan_leave
return function(listener)
  if cold(483)(listener) then
    cold(274)(cold(482)(listener))
    cold(275)('ZCARD', namespace_prefix .. 'workers')
  end
end
end
else
if number < 486 then
-- 485 workers.leave
return function(listener, queue)
  local worker = cold(483)(listener)
  if not worker then
    return
  end
  local left = {}
  for other in string.gmatch(worker.queues, '[^,]+') do
    left[#left + 1] = other ~= queue and other or nil
  end
  worker.queues = table.concat(left, ',')
  if #left > 0 then
    redis.call('HSET', cold(482)(listener), 'queues', worker.queues)
  else
    redis.call('UNLINK', cold(482)(listener))
    redis.call('ZREM', namespace_prefix .. 'workers', listener)
  end
end
else
-- 486 workers.plan_forget
return function()
  local found = {}
  for _, listener in ipairs(redis.call('ZRANGEBYSCORE', cold(274)(namespace_prefix .. 'workers'),
    '-inf', namespace_now,
    'LIMIT', 0, 20)) do
    local worker, registered = cold(483)(listener), false
    for queue in string.gmatch(worker and worker.queues or '', '[^,]+') do
      registered = registered or redis.call('SISMEMBER', namespace_prefix .. 'listeners_' .. queue, listener) == 1
    end
    cold(274)(cold(482)(listener))
    found[#found + 1] = { listener = listener, registered = registered }
  end
  return found
end
end
end
else
if number < 489 then
if number < 488 then
-- 487 workers.forget
return function(found, later)
  for _, worker in ipairs(found) do
    local left = cold(483)(worker.listener)
    if worker.registered and left.queues ~= '' then
      redis.call('ZADD', namespace_prefix .. 'workers', later, worker.listener)
    else
      redis.call('UNLINK', cold(482)(worker.listener))
      redis.call('ZREM', namespace_prefix .. 'workers', worker.listener)
    end
  end
end
else
-- 488 contract.is_waiting
return function(status)
  return status == 'waiting' or status == 'scheduled' or status == 'pending'
end
end
else
if number < 490 then
-- 489 contract.is_final
return function(status)
  return status == 'complete' or status == 'failed' or status == 'cancelled'
end
else
-- 490 contract.task_option
return function(name, value)
  if name == 'method' or name == 'key' or name == 'unique' then
    return cold(21)(value, name)
  elseif name == 'priority' then
    return cold(30)(value, name)
  elseif name == 'max_failures' then
    return cold(26)(value, 0, 1000, name) and value
  elseif name == 'backoff' then
    return cold(23)(value, ' exponential fixed ', name)
  elseif name == 'delay' or name == 'max_delay' or name == 'lost_delay' then
    return cold(27)(value, 0, 31536000, name) and value
  elseif name == 'jitter' then
    return cold(26)(value, 0, 100, name) and value
  elseif name == 'max_losses' then
    return cold(26)(value, 0, 1000000000, name) and value
  elseif name == 'max_releases' then
    return cold(26)(value, 0, 1000000, name) and value
  elseif name == 'lease' then
    return cold(27)(value, 1, 604800, name) and value
  elseif name == 'weight' then
    return cold(26)(value, 1, 1000, name) and value
  elseif name == 'needs' then
    return cold(31)(value, name)
  elseif name == 'limits' then
    return cold(386)(value, name)
  elseif name == 'unique_until' then
    return cold(32)(value, name)
  elseif name == 'unique_policy' then
    return cold(23)(value, ' reject existing replace latest ', name)
  elseif name == 'tags' then
    return cold(33)(value, name)
  elseif name == 'deadline' then
    return cold(27)(value, 0, 100000000000, name) and value
  elseif name == 'max_bytes' then
    return cold(26)(value, 0, 8388608, name)
  elseif name == 'log_bytes' then
    return cold(26)(value, 0, 268435456, name) and value
  elseif name == 'steps' then
    return cold(435)(value, name)
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
  local meta = namespace_open_with('limits', 'run', 'gap')
  local count = contract_arguments()
  local queues = cold(22)(count)
  cold(28)()
  return cold(461)(queues, meta)
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(337)(answer)
