-- Joins: the results of the upstreams of a task become its parameters. A short list is joined by the call that brings
-- the last result. A long list is joined by steps of `run_deferred`, in a separate key. Until the list is complete the
-- task is `waiting`, and the field `cascade` of its record is `join`. The results stay unchanged, so a join can restart
-- at any time.
local fan_in = {}

-- Maximum bytes of a list that is joined at once, and of the results of ended tasks that a call reads.
fan_in.AT_ONCE = 262144

-- Maximum bytes of results, and maximum number of results, in one step. BYTES also limits all lists that a call joins
-- at once.
fan_in.BYTES = 1048576
fan_in.SLOTS = 1000

-- Value of `cascade` while the input of a task is being joined.
fan_in.WORD = 'join'

function fan_in.key(id)
  return namespace.prefix .. 'joined_' .. id
end

-- Returns the elements as a JSON list in the order of their slots, and the length of each element. The lengths allow
-- the list to be split again.
function fan_in.list(filled, slots)
  local lengths = {}
  for slot = 0, slots - 1 do
    filled[slot] = filled[slot] or 'null'
    lengths[slot + 1] = #filled[slot]
  end
  return '[' .. table.concat(filled, ',', 0, slots - 1) .. ']', table.concat(lengths, ',')
end

-- Returns the elements of the input of a task: the elements in `key`, and the elements that `plan` brings.
function fan_in.collect(key, number, plan)
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

-- Counts the result of a task that has ended. Returns true if this call may read the result; otherwise the task reports
-- its end again, in a step of its own.
function fan_in.may_read(length)
  local read = namespace.shared('results')
  read.bytes = (read.bytes or 0) + length
  return length <= json.SHORT and read.bytes <= fan_in.AT_ONCE
end

-- Returns true if the input of a task must be joined in steps, and then plans `begin`. Otherwise counts its bytes.
function fan_in.is_long(id, slots, bytes)
  local joined = namespace.shared('joined') -- bytes that this call has joined for other tasks
  local all = (joined.bytes or 0) + bytes
  if slots == 0 or bytes <= fan_in.AT_ONCE and all <= fan_in.BYTES then
    joined.bytes = slots > 0 and all or joined.bytes
    return false
  end
  namespace.probe('ZCARD', edges.deferred())
  namespace.declare(fan_in.key(id))
  namespace.declare(namespace.key('task', id))
  return true
end

-- Leaves the input of a task to steps of `run_deferred`. Removes the rest of its edges, which are no longer needed.
function fan_in.begin(id)
  redis.call('UNLINK', edges.upstreams(id), fan_in.key(id))
  redis.call('HDEL', edges.inputs(id), 'joined', 'lengths', at_least.fields())
  redis.call('HSET', namespace.key('task', id), 'cascade', fan_in.WORD)
  redis.call('ZADD', edges.deferred(), namespace.now, id)
end
