-- Cascades: a waiting task that has ended no longer needs the tasks that it waited for. Upstream tasks of its graph
-- that no other task needs are cancelled, and outcomes that their owners report later are discarded. `run_deferred`
-- does this in steps; the field `cascade` of the record stores the position.
local cancel_unneeded = {}

-- Maximum number of dependents of an upstream that a step examines. An upstream with more dependents counts as needed.
cancel_unneeded.LOOKS = 100

-- Plans a step. `task`: the task that ended; `from`: the position of its cascade.
function cancel_unneeded.plan(task, from, limit)
  local cursor, offset = string.match(from, '^(%d+)/?(%d*)$')
  offset = tonumber(offset) or 0
  local page, after = edges.read(task.id, limit, cursor)
  local step = { tasks = {}, left = {} }
  local ended = graphs.outcome(task.status, task.flags)
  step.spec = { planned = {}, reason = 'not needed: ' .. task.id .. (ended == 'failed' and ' ' or ' was ') .. ended,
    cause = task.cause or task.id, discard = true, skip = ended == 'skipped' }
  local last = math.min(#page, offset + limit)
  if graphs.on_failure(task.graph) ~= 'cancel' then
    page, after, last = {}, '0', 0 -- the position is of a retry that has not looked at all upstreams
  end
  for i = offset + 1, last do
    if edges.wants(page[i].kind) then
      cancel_unneeded.plan_one(task, page[i].id, step)
    end
    if (step.spec.entries or 0) > actions.ENTRIES then
      last = i
      break
    end
  end
  if last < #page then
    step.after = cursor .. '/' .. string.format('%d', last) -- HSCAN reads a small hash whole
  elseif after ~= '0' then
    step.after = after
  end
  return step
end

-- Plans the cancel of an upstream, unless another task needs it.
function cancel_unneeded.plan_one(down, id, step)
  local up = actions.find(id)
  if not up or contract.is_final(up.status) or not up.flags then
    return
  end
  holdings.load(up)
  namespace.probe('ZCARD', edges.dependents(id))
  step.left[#step.left + 1] = id
  local score = redis.call('ZSCORE', edges.dependents(id), down.id)
  up.knowing = score and string.sub(score, 1, 1) ~= '-' and 1 or 0 -- `down` needs no notification
  if up.graph == down.graph and id ~= step.spec.cause and not cancel_unneeded.is_needed(id, down.id)
    and not cancelling.plan(up, step.spec) and up.to then
    step.tasks[#step.tasks + 1] = up
  end
end

-- Returns true if a task other than `other` needs this task and may still run.
function cancel_unneeded.is_needed(id, other)
  local dependents = redis.call('ZRANGEBYSCORE', edges.dependents(id), '(0', 'inf', 'LIMIT', 0,
    cancel_unneeded.LOOKS + 2)
  for _, dependent in ipairs(dependents) do
    local status = dependent ~= other and redis.call('HGET', namespace.key('task', dependent), 'status')
    if status and not contract.is_final(status) then
      local kind = edges.parse(redis.call('HGET', edges.upstreams(dependent), id))
      if kind and edges.wants(kind) then
        return true
      end
    end
  end
  return #dependents > cancel_unneeded.LOOKS + 1
end

-- Cancels the planned tasks. The ended task stays in the indexes of its upstreams only for a retry.
function cancel_unneeded.run(task, step)
  for _, id in ipairs(step.left) do
    redis.call('ZADD', edges.dependents(id), '-' .. namespace.now, task.id)
  end
  for _, up in ipairs(step.tasks) do
    cancelling.cancel(up, step.spec)
  end
  edges.keep_place(task, step.after)
end
