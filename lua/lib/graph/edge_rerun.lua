-- Edges of a rerun: how a task waits again when it is rerun together with some of its upstreams.
local edge_rerun = {}

-- Returns the marks of the tasks that a walk reruns, by id: 1 or 2 for a task that has not begun again, 0 for a task
-- that has.
function edge_rerun.marks(chosen, ids)
  local found = {}
  for from = 1, #ids, 1000 do
    local page = { unpack(ids, from, math.min(#ids, from + 999)) }
    for i, mark in ipairs(redis.call('ZMSCORE', chosen, unpack(page))) do
      found[page[i]] = mark
    end
  end
  return found
end

-- Plans the edges of a task that is rerun. The task waits for its upstreams that are also rerun (`spec.chosen`), and
-- for its upstreams that were open already. The old results of rerun upstreams are removed. Sets `again_edges`.
function edge_rerun.plan(task, spec)
  local key, own = namespace.declare(edges.upstreams(task.id)), namespace.declare(edges.inputs(task.id))
  if task.prepared or task.first and redis.call('HLEN', key) > edges.RETRIED then
    namespace.probe('ZCARD', edges.deferred())
    task.again_edges = { to = 'waiting', later = true }
    return
  end
  local v = redis.call('HMGET', task.key, 'inputs', 'slots')
  -- no upstream of a root of the walk is rerun
  local order, texts = edge_inputs.submitted((not task.first or at_least.has(task)) and v[1])
  spec.entries = (spec.entries or 0) + 15 * #order -- reading an upstream takes as long as 15 entries
  local marks = edge_rerun.marks(spec.chosen, order)
  local again = { open = {}, texts = texts, ended = {}, still = {}, forget = {}, kept = {} }
  if at_least.has(task) then
    at_least.plan_rerun(task, again, v[1], order, marks)
  end
  for _, id in ipairs(order) do
    if marks[id] then
      again.open[#again.open + 1], spec.awaited[id] = id, true
      namespace.probe('ZCARD', edges.dependents(id))
      local up = record.find(id)
      if not spec.begins[id] and edges.note_ended(again, id) then
        up = nil -- the walk may rerun it later; if not, `run_deferred` reports its end again
      end
      if up and not string.find(up.flags or '', 'd', 1, true) then
        -- The upstream had ended before this task was submitted, or another task now has its id.
        again.still[#again.still + 1] = up
      end
      edges.forget(again, id)
    end
  end
  for _, edge in ipairs(edges.read(task.id)) do
    again.waits = true
    if not marks[edge.id] then
      namespace.probe('ZCARD', edges.dependents(edge.id))
      if not edges.note_ended(again, edge.id) and contract.is_final(task.status) then
        again.still[#again.still + 1] = record.find(edge.id)
      end
    end
  end
  namespace.probe('ZCARD', edges.deferred())
  again.graph, again.frees = spec.graph, 0
  again.slots, again.bytes = edges.input_size(task.id)
  if again.slots then
    for slot in pairs(again.forget) do
      local length = redis.call('HSTRLEN', own, slot)
      again.bytes, again.frees = again.bytes - length, again.frees + graphs.counted(length)
    end
  elseif v[2] and again.open[1] then
    edge_rerun.split(again, redis.call('HGET', task.key, 'parameters') or '', v[2])
  end
  local waits = again.open[1] or again.waits
  again.joins = not waits and again.slots and fan_in.is_long(task.id, again.slots, again.bytes)
  task.again_edges, again.to = again, (waits or again.joins) and 'waiting' or 'pending'
end

-- Splits a joined list into its elements, without the results of upstreams that are rerun.
function edge_rerun.split(again, joined, lengths)
  local at, slot = 2, 0
  again.split, again.bytes = true, 0
  for length in string.gmatch(lengths, '%d+') do
    if not again.forget[slot] then
      again.kept[slot], again.bytes = string.sub(joined, at, at + length - 1), again.bytes + length
    else
      again.frees = again.frees + graphs.counted(tonumber(length))
    end
    at, slot = at + length + 1, slot + 1
  end
  again.slots = slot
end

function edge_rerun.run(task)
  local again, own = task.again_edges, edges.inputs(task.id)
  if again.later then
    return edge_retry.look_later(task)
  end
  for _, id in ipairs(again.open) do
    redis.call('HSET', edges.upstreams(task.id), id, again.texts[id])
    redis.call('ZADD', edges.dependents(id), edges.since(task.id), task.id)
  end
  for _, up in ipairs(again.still) do -- they may have dropped this task when it ended
    edges.enter(up, task.id)
  end
  edges.ask_again(task, again.ended)
  if again.frees > 0 then
    redis.call('HINCRBY', graphs.key(again.graph), 'bytes', -again.frees)
  end
  if again.set then
    at_least.write(task.id, again.set)
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
    fan_in.begin(task.id)
  end
end
