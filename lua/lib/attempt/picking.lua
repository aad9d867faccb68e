-- Picking: finds the next task of a call of `reserve` or `finish_and_reserve`, see `reserving`.
local picking = {}

-- Maximum number of ids without a pending task that a call removes from a queue.
picking.GHOSTS = 100

-- Bytes of parameters and checkpoints after which a call takes no further task.
picking.BYTES = 8388608

function picking.bytes(fields)
  return #(fields[5] or '') + #(fields[10] or '')
end

-- Finds the next task, in the first queue that has a task. Sets `call.ghosts` if other ids are before it.
-- @inline
function picking.look(call)
  local prefix, queues, meta, listener = namespace.prefix, call.queues, call.meta, call.listener
  local order = call.order and attempt.queue_order(call)
  local common, task, v, ghosts = meta[#meta - 1], nil, nil, nil
  if order then
    call.asked = order
  end
  for nth = 1, #queues do
    local i = order and order[nth].at or nth
    local queue, skipped, at = queues[i], 0, 4 * i - 2
    local open, weighed = not meta[at], meta[at + 1] or meta[at + 2] or common
    local pending = prefix .. 'pending_tasks_' .. queue
    while open and skipped < picking.GHOSTS do
      local id = redis.call('LINDEX', pending, skipped == 0 and '-1' or -1 - skipped)
      if not id then
        namespace.declare(pending)
        break
      end
      local read = attempt.read(id)
      v = read
      if v[1] == 'pending' and v[2] == queue and not (v[7] and string.find(v[7], 'r')) then
        task = {
          id = id, queue = queue, status = 'pending', attempt = v[3] or '0', last = true, since = v[6],
          taker = listener, request = call.request,
          issue = false, deadline = false, ends = false, lease = false, -- fields that `attempt.begin` sets
        }
        if not v[3] then
          task.foreign = true
        end
        if v[7] then
          task.flags = v[7]
        end
        break
      end
      if v[1] == 'pending' and v[2] == queue then
        attempt.add_stray(call, { id = id, queue = queue, status = 'pending', flags = v[7] })
      end
      skipped = skipped + 1
      namespace.declare(prefix .. 'task_' .. id)
    end
    if skipped > 0 then
      ghosts = ghosts or {}
      ghosts[queue] = skipped
      namespace.declare(pending)
    end
    if open and weighed then
      task, v = attempt.select(call, queue, task, v, {
        ranked = meta[at + 1], own = meta[at + 2], common = common, listener = listener,
      })
    elseif task and call.limit and not (order or skipped > 0 or task.flags or task.foreign or call.updates) then
      picking.look_behind(call, task, v)
    end
    if task then
      break
    end
  end
  if ghosts then
    call.ghosts = ghosts
  end
  return task, v
end

-- Sets `call.run`: the first task and the tasks behind it that can be taken with it, because they have no holdings.
function picking.look_behind(call, first, fields)
  local prefix, queue, listener, number = namespace.prefix, first.queue, call.listener, call.number or 0
  local run, seen = { first }, { [first.id] = true }
  local bytes = (call.bytes or 0) + picking.bytes(fields)
  first.fields = fields
  local ids = number + 1 < call.limit
    and redis.call('LRANGE', prefix .. 'pending_tasks_' .. queue, number - call.limit, -2) or {}
  for i = #ids, 1, -1 do
    local id = ids[i]
    local v = attempt.read(id)
    if v[1] ~= 'pending' or v[2] ~= queue or not v[3] or v[7] or seen[id] or bytes > picking.BYTES then
      break
    end
    seen[id] = true
    bytes = bytes + picking.bytes(v)
    run[#run + 1] = {
      id = id, queue = queue, status = 'pending', attempt = v[3], since = v[6], taker = listener, fields = v,
      issue = false, deadline = false, ends = false, lease = false,
    }
  end
  call.run = run[2] and run
end
