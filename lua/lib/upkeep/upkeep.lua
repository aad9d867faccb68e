-- Upkeep: the maintenance of a namespace and its queues, as one command. The parts take turns. Each part is the
-- function of its own command, such as `promote`. Upkeep stores when a queue is due again. A call makes the changes of
-- one part.
local upkeep = {}

-- Time between two rounds of a queue, and (`SELDOM`) between two deletions of its old tasks, in microseconds.
upkeep.EVERY = 2000000

upkeep.SELDOM = 60000000

-- Maximum number of repair steps in a round.
upkeep.REPAIRS = 12

-- Name of the entry of the whole namespace. No queue has this name.
upkeep.ALL = '*'

-- The parts of a round, for the namespace and for a queue. The last part of a queue is done up to `REPAIRS` times.
function upkeep.parts(name)
  return name == upkeep.ALL and { 'tick', 'settle' } or { 'promote', 'requeue_orphans', 'tally', 'retain', 'mend' }
end

function upkeep.key()
  return namespace.prefix .. 'upkeep'
end

-- Reads the entries of the namespace and of these queues: when each is `due`, the next `part` of its round, when it is
-- due `after` the round, and when it was `retained`, in microseconds. Times that a clock ahead of now stored count as
-- 0.
function upkeep.read(queues)
  local all, now = {}, namespace.now_us
  local function time(text, most)
    local us = tonumber(text) or 0
    return us <= now + most and us or 0
  end
  for i, text in ipairs(redis.call('HMGET', namespace.declare(upkeep.key()), upkeep.ALL, unpack(queues))) do
    local due, part, after, retained = string.match(text or '', '^(%d+) (%d+) (%d+) (%d+)$')
    all[i] = { name = queues[i - 1] or upkeep.ALL, nth = i, due = time(due, upkeep.EVERY), part = tonumber(part) or 1,
      after = time(after, upkeep.EVERY), retained = time(retained, 0) }
  end
  return all
end

-- The time when the first entry is due, in microseconds.
function upkeep.first(all)
  local first = all[1].due
  for _, one in ipairs(all) do
    first = math.min(first, one.due)
  end
  return math.max(first, namespace.now_us)
end

-- Does a part for a queue, or for the namespace. Returns the amount of work done, true if more work is due at once, and
-- when the next work is due, in microseconds (infinity if unknown). `meta`: `limits`, `run` and `gap` of the meta hash.
function upkeep.work(what, one, meta, step)
  local queue = one.name
  local done
  if what == 'tick' then
    done = ticking.tick(10)
    step.low = { unpack(done, 4) }
    return done[1], done[2] == 1, (tonumber(done[3]) or math.huge) * 1000000
  elseif what == 'settle' then
    done = settling.settle(100)
    return done[1], done[2] == 1, math.huge
  elseif what == 'promote' then
    done = promotion.promote(queue, 100, meta[2])
    return done[1], done[2] == 1, (tonumber(done[3]) or math.huge) * 1000000
  elseif what == 'requeue_orphans' then
    done = orphans.requeue(queue, 25, meta[3], meta[4])
    return done[1] + done[2] + done[3], done[5] == 1, math.huge
  elseif what == 'tally' then
    done = statistics.tally(queue, 500)
    return done[1], done[2] == 1, math.huge
  elseif what == 'retain' then
    if namespace.now_us - one.retained < upkeep.SELDOM then
      return 0, false, math.huge
    end
    done = retention.retain(queue, 100, {})
    one.retained = done[2] == 1 and one.retained or namespace.now_us
    return done[1], done[2] == 1, math.huge
  end
  done = mending.step(queue, '', 100, mending.GRACE, true)
  step.mended = done[1] == '' -- the pass is complete
  return done[2], false, math.huge
end

-- Does the next part of a round. An error of the part is reported and does not stop the rest: nothing was
-- changed, as no error follows the first write. An error that every other part would also meet is raised.
function upkeep.go_on(one, meta, step)
  local parts, now = upkeep.parts(one.name), namespace.now_us
  local what = parts[math.min(one.part, #parts)]
  if one.part == 1 or one.after == 0 then
    one.after = now + upkeep.EVERY
  end
  local ok, number, more, next = pcall(upkeep.work, what, one, meta, step)
  if not ok then
    local refusal = reply.refusal(number).err
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
  if one.part < #parts or what == 'mend' and not step.mended and one.part < #parts + upkeep.REPAIRS - 1 then
    one.due, one.part = now, one.part + 1 -- after all other due entries
  else
    one.due, one.part = one.after, 1
  end
end

-- Does due parts, longest overdue first, until a part changes something or has an error. Returns the reply of `upkeep`.
function upkeep.step(queues, meta)
  local all, step, changed = upkeep.read(queues), { what = '', number = 0, trouble = '', low = {} }, {}
  local turns = { unpack(all) }
  table.sort(turns, function(one, other)
    return one.due < other.due or one.due == other.due and one.nth < other.nth
  end)
  local begun = namespace.shared('request') -- `namespace.begin` sets `begun` in it
  for _, one in ipairs(turns) do
    if one.due > namespace.now_us or begun.begun or step.trouble ~= '' then
      break
    end
    if one.name == upkeep.ALL or namespace.is_queue(one.name) then
      changed[#changed + 1] = one.name
      repeat
        upkeep.go_on(one, meta, step)
      until one.part == 1 or begun.begun or step.trouble ~= ''
      changed[#changed + 1] = string.format('%.0f %d %.0f %.0f', one.due, one.part, one.after, one.retained)
    else
      one.due = namespace.now_us + upkeep.EVERY
    end
  end
  if not begun.begun then
    step.what, step.number = step.trouble == '' and '' or step.what, 0
  end
  if changed[1] then
    if not begun.begun then
      namespace.begin()
    end
    namespace.write_when_full(upkeep.key())
    redis.call('HSET', upkeep.key(), unpack(changed))
  end
  local first = upkeep.first(all)
  return { step.what, step.number, first == namespace.now_us and 1 or 0, namespace.decimal(first), step.trouble,
    unpack(step.low) }
end
