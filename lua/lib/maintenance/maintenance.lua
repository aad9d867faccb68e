-- Maintenance of a namespace and its queues, as one command. The parts take turns. Each part is the function of its own
-- command, such as `promote`. Maintenance stores when a queue is due again. A call makes the changes of one part.
local maintenance = {}

-- Time between two rounds of a queue, and (`SELDOM`) between two deletions of its old tasks, in microseconds.
maintenance.EVERY = 2000000
maintenance.SELDOM = 60000000

-- Maximum number of repair steps in a round.
maintenance.REPAIRS = 12

-- Name of the entry of the whole namespace. No queue has this name.
maintenance.ALL = '*'

-- The parts of a round, for the namespace and for a queue. The last part of a queue is done up to `REPAIRS` times.
function maintenance.parts(name)
  return name == maintenance.ALL and { 'tick', 'run_deferred' }
    or { 'promote', 'requeue_orphans', 'aggregate', 'prune', 'repair' }
end

function maintenance.key()
  return namespace.prefix .. 'maintenance'
end

-- Reads the entries of the namespace and of these queues: when each is `due`, the next `part` of its round, when it is
-- due `after` the round, and when it was `pruned`, in microseconds. A time in the future, stored before the clock was
-- set back, counts as 0.
function maintenance.read(queues)
  local all, now = {}, namespace.now_us
  local function time(text, most)
    local us = tonumber(text) or 0
    return us <= now + most and us or 0
  end
  for i, text in ipairs(redis.call('HMGET', namespace.declare(maintenance.key()), maintenance.ALL, unpack(queues))) do
    local due, part, after, pruned = string.match(text or '', '^(%d+) (%d+) (%d+) (%d+)$')
    all[i] = { name = queues[i - 1] or maintenance.ALL, nth = i, due = time(due, maintenance.EVERY),
      part = tonumber(part) or 1, after = time(after, maintenance.EVERY), pruned = time(pruned, 0) }
  end
  return all
end

-- Returns the time when the first entry is due, in microseconds.
function maintenance.first(all)
  local first = all[1].due
  for _, one in ipairs(all) do
    first = math.min(first, one.due)
  end
  return math.max(first, namespace.now_us)
end

-- Does a part for a queue, or for the namespace. Returns the amount of work done, true if more work is due at once, and
-- when the next work is due, in microseconds (infinity if unknown). `meta`: `limits`, `run` and `gap` of the meta hash.
function maintenance.work(what, one, meta, step)
  local queue, done, due = one.name, { 0, 0 }, nil
  if what == 'tick' then
    done = ticking.tick(10)
    step.low, due = { unpack(done, 4) }, done[3]
  elseif what == 'run_deferred' then
    done = deferred.run(100)
  elseif what == 'promote' then
    done = promotion.promote(queue, 100, meta[2])
    due = done[3]
  elseif what == 'requeue_orphans' then
    local found = orphans.requeue(queue, 25, meta[3], meta[4])
    done = { found[1] + found[2] + found[3], found[5] }
  elseif what == 'aggregate' then
    done = aggregation.aggregate(queue, 500)
  elseif what == 'repair' then
    local found = repair.step(queue, '', 100, repair.GRACE, true)
    step.repaired = found[1] == '' -- the pass is complete
    done = { found[2], 0 }
  elseif namespace.now_us - one.pruned >= maintenance.SELDOM then
    done = retention.prune(queue, 100, {})
    one.pruned = done[2] == 1 and one.pruned or namespace.now_us
  end
  return done[1], done[2] == 1, (tonumber(due) or math.huge) * 1000000
end

-- Does the next part of a round. An error of the part is reported and does not stop the rest: nothing was
-- changed, as no error follows the first write. An error that every other part would also meet is raised.
function maintenance.go_on(one, meta, step)
  local parts, now = maintenance.parts(one.name), namespace.now_us
  local what = parts[math.min(one.part, #parts)]
  if one.part == 1 or one.after == 0 then
    one.after = now + maintenance.EVERY
  end
  local ok, number, more, next = pcall(maintenance.work, what, one, meta, step)
  if not ok then
    local refusal = reply.refusal(number).err
    local code = string.match(refusal, '^%-?(%u+)')
    if code ~= 'WRONGKEY' and code ~= 'OOM' then
      error(number, 0)
    end
    step.trouble = string.gsub(refusal, '^%-', '')
    number, more, next = 0, false, math.huge
    step.repaired = true
  end
  step.what, step.number = what, number
  one.after = more and now or math.min(one.after, math.max(now, next))
  if one.part < #parts or what == 'repair' and not step.repaired and one.part < #parts + maintenance.REPAIRS - 1 then
    one.due, one.part = now, one.part + 1 -- after all other due entries
  else
    one.due, one.part = one.after, 1
  end
end

-- Does due parts, longest overdue first, until a part changes something or has an error. Returns the reply of
-- `maintenance`.
function maintenance.step(queues, meta)
  local all, step, changed = maintenance.read(queues), { what = '', number = 0, trouble = '', low = {} }, {}
  local turns = { unpack(all) }
  table.sort(turns, function(one, other)
    return one.due < other.due or one.due == other.due and one.nth < other.nth
  end)
  local begun = namespace.shared('request') -- `namespace.begin` sets `begun` in it
  for _, one in ipairs(turns) do
    if one.due > namespace.now_us or begun.begun or step.trouble ~= '' then
      break
    end
    if one.name == maintenance.ALL or namespace.is_queue(one.name) then
      changed[#changed + 1] = one.name
      repeat
        maintenance.go_on(one, meta, step)
      until one.part == 1 or begun.begun or step.trouble ~= ''
      changed[#changed + 1] = string.format('%.0f %d %.0f %.0f', one.due, one.part, one.after, one.pruned)
    else
      one.due = namespace.now_us + maintenance.EVERY
    end
  end
  if not begun.begun then
    step.what, step.number = step.trouble == '' and '' or step.what, 0
  end
  if changed[1] then
    if not begun.begun then
      namespace.begin()
    end
    namespace.write_when_full(maintenance.key())
    redis.call('HSET', maintenance.key(), unpack(changed))
  end
  local first = maintenance.first(all)
  return { step.what, step.number, first == namespace.now_us and 1 or 0, namespace.decimal(first), step.trouble,
    unpack(step.low) }
end
