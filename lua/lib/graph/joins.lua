-- Joins: how the results that a task has waited for become its parameters. Few bytes are joined by the call that
-- brings the last of them; more by steps of `settle`, into a key of its own. Until all are there the task is `waiting`,
-- and its record has `cascade` with the word `join`. Its results stay as they are: a join may begin anew at any time.
local joins = {}

-- Bytes of a list that is joined at once, and of results of tasks that have ended that one call reads.
joins.AT_ONCE = 262144

-- Bytes of results, and results, of one step, and bytes of all lists that one call joins at once.
joins.BYTES = 1048576
joins.SLOTS = 1000

-- What `cascade` says of a task whose input is being joined.
joins.WORD = 'join'

-- The list, as far as it has come.
function joins.key(id)
  return namespace.prefix .. 'joined_' .. id
end

-- A JSON list of the slots, in order, and the length of each: so they can be told apart again.
function joins.list(filled, slots)
  local lengths = {}
  for slot = 0, slots - 1 do
    filled[slot] = filled[slot] or 'null'
    lengths[slot + 1] = #filled[slot]
  end
  return '[' .. table.concat(filled, ',', 0, slots - 1) .. ']', table.concat(lengths, ',')
end

-- The elements of a task that are known: of its key, and those that `plan` brings.
function joins.collect(key, number, plan)
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

-- Whether this call may still read a result of so many bytes of a task that has ended. If not, that task tells it.
function joins.may_read(length)
  local read = namespace.shared('results')
  read.bytes = (read.bytes or 0) + length
  return length <= json.SHORT and read.bytes <= joins.AT_ONCE
end

-- Whether the input of a task is joined in steps. Reads what `begin` writes if it is.
function joins.is_long(id, slots, bytes)
  local joined = namespace.shared('joined') -- by this call, for other tasks
  local all = (joined.bytes or 0) + bytes
  if slots == 0 or bytes <= joins.AT_ONCE and all <= joins.BYTES then
    joined.bytes = slots > 0 and all or joined.bytes
    return false
  end
  namespace.probe('ZCARD', edges.unsettled())
  namespace.declare(joins.key(id))
  namespace.declare(namespace.key('task', id))
  return true
end

-- Leaves the input of a task to steps of `settle`. What is left of its edges does not matter any more.
function joins.begin(id)
  redis.call('UNLINK', edges.upstreams(id), joins.key(id))
  redis.call('HDEL', edges.inputs(id), 'joined', 'lengths', quorum.fields())
  redis.call('HSET', namespace.key('task', id), 'cascade', joins.WORD)
  redis.call('ZADD', edges.unsettled(), namespace.now, id)
end
