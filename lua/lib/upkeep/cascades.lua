-- Cascades: what the end of a waiting task means for the tasks that it waited for. It does not need them any more:
-- those of its graph that nothing else needs are cancelled, and whatever their owners report then is discarded. This is
-- left to `settle`: the record has how far it is, `cascade`.
local cascades = {}

-- Dependents of one upstream that a step looks at. If there are more that do not need it, it is taken for needed.
cascades.LOOKS = 100

-- Reads a step. `task`: the one that ended; `from`: how far its cascade is. Returns what is to be written.
function cascades.plan(task, from, limit)
  local cursor, offset = string.match(from, '^(%d+)/?(%d*)$')
  offset = tonumber(offset) or 0
  local found = redis.call('HSCAN', edges.upstreams(task.id), cursor, 'COUNT', limit)
  local page, step = found[2], { tasks = {}, left = {} }
  local ended = task.status == 'failed' and ' failed' or ' was cancelled'
  step.spec = { planned = {}, reason = 'not needed: ' .. task.id .. ended, cause = task.cause or task.id,
    discard = true }
  local last = math.min(#page / 2, offset + limit)
  if graphs.on_failure(task.graph) ~= 'cancel' then
    page, found[1], last = {}, '0', 0 -- it was retried, which was not yet looked through
  end
  for i = offset + 1, last do
    local id, kind = page[2 * i - 1], string.match(page[2 * i], '^%l+')
    if edges.wants(kind) then
      cascades.plan_one(task, id, step)
    end
    if (step.spec.entries or 0) > actions.ENTRIES then
      last = i
      break
    end
  end
  if last < #page / 2 then
    step.after = cursor .. '/' .. string.format('%d', last) -- a small hash is read whole
  elseif found[1] ~= '0' then
    step.after = found[1]
  end
  return step
end

-- Reads whether an upstream is needed any more.
function cascades.plan_one(down, id, step)
  local up = actions.find(id)
  if not up or contract.is_final(up.status) or not up.ties then
    return
  end
  claims.load(up)
  namespace.probe('ZCARD', edges.dependents(id))
  step.left[#step.left + 1] = id
  local score = redis.call('ZSCORE', edges.dependents(id), down.id)
  up.knowing = score and string.sub(score, 1, 1) ~= '-' and 1 or 0 -- it needs not be told
  if up.graph == down.graph and id ~= step.spec.cause and not cascades.is_needed(id, down.id)
    and not actions.cancel(up, step.spec) and up.to then
    step.tasks[#step.tasks + 1] = up
  end
end

-- Whether a task that may still run needs this one, besides `other`.
function cascades.is_needed(id, other)
  local dependents = redis.call('ZRANGEBYSCORE', edges.dependents(id), '(0', 'inf', 'LIMIT', 0, cascades.LOOKS + 2)
  for _, dependent in ipairs(dependents) do
    local status = dependent ~= other and redis.call('HGET', namespace.key('task', dependent), 'status')
    if status and not contract.is_final(status) then
      local kind = string.match(redis.call('HGET', edges.upstreams(dependent), id) or '', '^%l+')
      if kind and edges.wants(kind) then
        return true
      end
    end
  end
  return #dependents > cascades.LOOKS + 1
end

-- Makes what was planned. In the index of an upstream the task stays only for a retry.
function cascades.run(task, step)
  for _, id in ipairs(step.left) do
    redis.call('ZADD', edges.dependents(id), '-' .. namespace.now, task.id)
  end
  for _, up in ipairs(step.tasks) do
    actions.do_cancel(up, step.spec)
  end
  edges.keep_place(task, step.after)
end
