-- Edges of a retry: how a retried task waits again for its incomplete upstreams.
local edge_retry = {}

-- Plans the edges of a task that is retried. Sets `again_edges`, with the state in which the task begins, or returns
-- the code and text of a refusal. `spec.begun`: other tasks that the same step retries, by id.
function edge_retry.plan_retry(task, spec)
  local key, own = namespace.declare(edges.upstreams(task.id)), namespace.declare(edges.inputs(task.id))
  if redis.call('HLEN', key) > edges.RETRIED then
    namespace.probe('ZCARD', edges.deferred())
    task.again_edges = { to = 'waiting', later = true }
    return
  end
  local slots, bytes = edges.input_size(task.id)
  local again = { met = {}, open = {}, slots = slots or 0, bytes = bytes, texts = {}, some = {}, asked = {},
    set = at_least.has(task) and at_least.new(at_least.read(task.id).least) or nil }
  local found = edges.read(task.id)
  spec.entries = (spec.entries or 0) + 30 * #found -- reading an upstream takes as long as 30 entries
  for _, edge in ipairs(found) do
    local code, text = edge_retry.plan_edge(task, again, edge, spec.begun and spec.begun[edge.id])
    if code then
      return code, text
    end
  end
  local over = edges.over(task.queue, again.bytes)
  if over then
    return 'UPSTREAM', 'the results of its upstreams are ' .. over
  end
  if again.set and again.set.least > at_least.chances(again.set) then
    return 'UPSTREAM', 'too few of its set can still be complete: retry those that failed first'
  end
  local waits = again.open[1] or again.set and again.set.least > 0
  again.joins = not waits and fan_in.is_long(task.id, again.slots, again.bytes)
  task.again_edges, again.to = again, (waits or again.joins) and 'waiting' or 'pending'
  if again.to == 'pending' and again.slots > 0 then
    again.joined, again.lengths = fan_in.list(fan_in.collect(own, again.slots, { filled = again.texts }), again.slots)
  end
end

-- Plans an edge of a task that is retried. `begun`: the same step retries the upstream. Returns the code and text of a
-- refusal.
function edge_retry.plan_edge(task, again, edge, begun)
  local id, kind, slots = edge.id, edge.kind, edge.slots
  local up = graphs.upstream(id)
  local over, is_met = not begun and edges.is_over(up.status), edges.is_met(kind, up.status, up.flags, task.queue)
  if over and is_met and slots ~= '' and up.key and not fan_in.may_read(redis.call('HSTRLEN', up.key, 'result')) then
    over, again.asked[#again.asked + 1] = false, id
    namespace.probe('ZCARD', edges.deferred())
  end
  if kind == 'some' then
    over = at_least.plan_retry(again, id, up, slots, over)
  elseif over and not is_met then
    return 'UPSTREAM', 'a task that it waits for is ' .. up.status .. ': retry that one first'
  end
  namespace.probe('ZCARD', edges.dependents(id))
  if not over then
    again.open[#again.open + 1] = kind ~= 'some' and up or nil
    return
  end
  again.met[#again.met + 1] = id
  if slots ~= '' then
    local result = edges.result_of(up)
    if not json.decodes(result) then
      return 'UPSTREAM', 'the result of an upstream is not JSON: retry that one first'
    end
    for _, slot in ipairs(edges.slots(slots)) do
      again.texts[slot], again.bytes = result, again.bytes + #result
    end
  end
end

-- Lets `run_deferred` check the upstreams of a task that has begun again.
function edge_retry.look_later(task)
  redis.call('HSET', task.key, 'cascade', '0')
  redis.call('ZADD', edges.deferred(), namespace.now, task.id)
  if at_least.has(task) then
    at_least.begin_count(task.id)
  end
end

function edge_retry.retry(task)
  local again = task.again_edges
  if again.later then
    return edge_retry.look_later(task)
  end
  for _, id in ipairs(again.met) do
    redis.call('ZREM', edges.dependents(id), task.id)
    redis.call('HDEL', edges.upstreams(task.id), id)
  end
  for _, up in ipairs(again.open) do
    edges.enter(up, task.id)
  end
  if again.set and not again.joins then
    at_least.retry(task, again)
  end
  if again.joined then
    redis.call('UNLINK', edges.inputs(task.id))
    redis.call('HSET', task.key, 'parameters', again.joined, 'slots', again.lengths)
  elseif next(again.texts) then
    for slot, text in pairs(again.texts) do
      redis.call('HSET', edges.inputs(task.id), slot, text)
    end
    redis.call('HSET', edges.inputs(task.id), 'bytes', again.bytes)
  end
  if again.joins then
    fan_in.begin(task.id)
  end
  edges.ask_again(task, again.asked)
end

-- Plans a step through the many edges of a task that waits again. `from`: the position after the last step.
function edge_retry.plan_look(task, from)
  local found, after = {}, '0'
  if task.status == 'waiting' then
    found, after = edges.read(task.id, edges.RETRIED, string.match(from, '^%d+'))
  end
  local step = { after = after ~= '0' and after, open = {}, ended = {} }
  for _, edge in ipairs(found) do
    local up = record.find(edge.id)
    namespace.probe('ZCARD', edges.dependents(edge.id))
    if up and not contract.is_final(up.status) then
      step.open[#step.open + 1] = up
    else
      step.ended[#step.ended + 1] = edge.id
    end
  end
  return step
end

-- Enters the task as a dependent of its open upstreams. Ended upstreams notify the task in later steps.
function edge_retry.look_again(task, step)
  for _, up in ipairs(step.open) do
    edges.enter(up, task.id)
  end
  edges.ask_again(task, step.ended)
  edges.keep_place(task, step.after)
end
