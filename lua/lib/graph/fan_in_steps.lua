-- The steps in which `run_deferred` joins a long input: see `fan_in`.
local fan_in_steps = {}

function fan_in_steps.plan(task)
  local id = task.id
  local own, key = namespace.declare(edges.inputs(id)), namespace.declare(fan_in.key(id))
  local v = redis.call('HMGET', own, 'slots', 'joined', 'lengths')
  local slots = tonumber(v[1] or nil)
  if task.status ~= 'waiting' or not slots or redis.call('HLEN', namespace.declare(edges.upstreams(id))) > 0 then
    return { over = true } -- the task has ended, or waits for upstreams again
  end
  local slot, bytes = string.match(v[2] or '', '^(%d+) (%d+)$')
  if slot and redis.call('STRLEN', key) == tonumber(bytes) then
    slot, bytes = tonumber(slot), tonumber(bytes)
    if slot >= slots then
      return fan_in_steps.plan_end(task, key, v[3])
    end
    return fan_in_steps.take(own, slot, slots, bytes, v[3])
  end
  return fan_in_steps.take(own, 0, slots, 0) -- the first step, or the list was changed by somebody else
end

-- Plans the step that appends the next results to the list.
function fan_in_steps.take(own, slot, slots, bytes, lengths)
  local step, names, size = { begins = slot == 0, slot = slot, number = slots }, {}, 0
  lengths = { lengths }
  repeat
    local length = redis.call('HSTRLEN', own, step.slot)
    if names[1] and size + length > fan_in.BYTES then
      break
    end
    names[#names + 1], lengths[#lengths + 1] = step.slot, length > 0 and length or 4
    size, step.slot = size + length, step.slot + 1
  until step.slot == slots or #names == fan_in.SLOTS
  local texts = redis.call('HMGET', own, unpack(names))
  for i = 1, #texts do
    texts[i] = texts[i] or 'null'
  end
  -- A single result is not concatenated: that would copy a long text again.
  step.texts = { slot == 0 and '[' or ',', texts[2] and table.concat(texts, ',') or texts[1],
    step.slot == slots and ']' or nil }
  for _, text in ipairs(step.texts) do
    bytes = bytes + #text
  end
  step.bytes, step.lengths = bytes, table.concat(lengths, ',')
  return step
end

-- Plans the last step: the task gets its parameters and is ready.
function fan_in_steps.plan_end(task, key, lengths)
  local plan = { id = task.id, task = record.find(task.id, edges.fields()), lengths = lengths }
  plan.task.later = true
  plan.joined = redis.call('GET', key)
  edge_end.plan_ready(plan, 0, 0)
  plan.task.forget = { 'cascade', unpack(plan.task.forget or {}) }
  return { ready = plan }
end

-- Does a step. The entry of the task in the index of deferred tasks stays: `run_deferred` removes it after the last
-- step.
function fan_in_steps.run(task, step)
  local own, key = edges.inputs(task.id), fan_in.key(task.id)
  if step.over then
    redis.call('UNLINK', key)
    redis.call('HDEL', own, 'joined', 'lengths')
    redis.call('HDEL', task.key, 'cascade')
  elseif step.ready then
    redis.call('UNLINK', key)
    edge_end.meet(nil, step.ready)
  else
    for i, text in ipairs(step.texts) do
      redis.call(step.begins and i == 1 and 'SET' or 'APPEND', key, text)
    end
    redis.call('HSET', own, 'joined', string.format('%d %d', step.slot, step.bytes), 'lengths', step.lengths)
  end
end
