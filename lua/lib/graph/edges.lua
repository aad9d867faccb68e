-- Edges of task graphs: what a task waits for (`upstreams_ID`), who waits for a task (`dependents_ID`), and the results
-- that have come so far (`inputs_ID`).
--
-- An open edge is in both keys. The end of the upstream settles it: if it is met, both entries go; if it is broken,
-- the dependent ends too, and the edge stays, with a negative score in `dependents_ID`, as do those of other tasks that
-- have ended: a retry looks at them again. In a graph that holds what needs a failed task, the dependent goes on
-- waiting, and the edge has an infinite score: it is open again when that task is retried.
local edges = {}

-- Edges that the end of a task settles in its own call. More are left to `settle`.
edges.INLINE = 100

-- Bytes of results that one call copies to dependents.
edges.COPIES = 1048576

-- Edges that a retry looks at in its own call. More are left to `settle`.
edges.RETRIED = 300

function edges.upstreams(id)
  return namespace.prefix .. 'upstreams_' .. id
end

function edges.dependents(id)
  return namespace.prefix .. 'dependents_' .. id
end

function edges.inputs(id)
  return namespace.prefix .. 'inputs_' .. id
end

-- Returns the time at which a task begins to wait. Tasks of one call get times a microsecond apart, which keeps the
-- dependents of a task in order.
function edges.since(id)
  local last = namespace.shared('since')
  if id ~= last.id then
    last.id, last.nth = id, (last.nth or -1) + 1
  end
  return last.nth == 0 and namespace.now or namespace.decimal(namespace.now_us + last.nth)
end

-- Ended tasks whose dependents are not all settled, by the time of their end.
function edges.unsettled()
  return namespace.prefix .. 'unsettled'
end

-- The slots in the text of an edge, `0,2`.
function edges.slots(text)
  local slots = {}
  for slot in string.gmatch(text or '', '%d+') do
    slots[#slots + 1] = tonumber(slot)
  end
  return slots
end

-- What an upstream that ended so means for an edge of this kind.
function edges.is_met(kind, to)
  if kind == 'after' or kind == 'optional' then
    return true
  end
  return (kind == 'failure') ~= (to == 'complete')
end

-- Whether a task that needs the success of one that ended so can still wait for a retry of that one.
function edges.is_repairable(kind, to)
  return edges.needs_success(kind) and (to == 'failed' or to == 'cancelled')
end

-- Whether a task with an edge of this kind fails without the success of the upstream.
function edges.needs_success(kind)
  return kind == 'success' or kind == 'result' or kind == 'some'
end

-- Whether an edge of this kind is a reason for the upstream to run. One that is optional takes its result, if there is
-- one, and `null` otherwise.
function edges.wants(kind)
  return kind == 'optional' or edges.needs_success(kind)
end

-- The result of a task that has ended as an element of a JSON list: only a complete one has any.
function edges.result_of(up)
  return edges.element(up.status == 'complete' and redis.call('HGET', up.key, 'result') or '')
end

-- A result as an element of a JSON list.
function edges.element(result)
  return result == '' and 'null' or result
end

-- What is said of results and values that are too much for the parameters of a task of this queue, or nil. As many as
-- every setting allows need no look at it.
function edges.over(queue, bytes)
  local most = bytes > contract.INPUT_SIZE_LOW and settings.get(queue, 'input_bytes')
  if most and bytes > tonumber(most) then
    return 'over ' .. most .. ' bytes, the setting input_bytes'
  end
end

-- Notes in the record of a task that others wait for it: else its end does not look for them.
function edges.tie(up)
  if not string.find(up.ties or '', 'd', 1, true) then
    up.ties = (up.ties or '') .. 'd'
    redis.call('HSET', up.key, 'ties', up.ties)
  end
end

-- How many tasks wait for this one, and how many of these are no tasks of a graph that is not released.
function edges.waiting(id)
  local key = namespace.declare(edges.dependents(id))
  local waiting, staged = redis.call('ZCOUNT', key, '(0', '+inf'), redis.call('ZCOUNT', key, '-inf', '-inf')
  return waiting + staged, waiting
end

-- Whether a complete task is to be kept, as not all that wait for it have its result; and whether some of these have
-- yet to be told of its end.
function edges.is_needed(task)
  if task.status ~= 'complete' or not task.ties or not string.find(task.ties, 'd', 1, true) then
    return false
  end
  local all, waiting = edges.waiting(task.id)
  return all > 0, waiting > 0
end

-- The fields of the record that decide how a task is ready.
function edges.fields()
  return 'eta', 'front', 'ended', 'retry_eta', 'graph'
end

-- Elements that nothing will fill.
function edges.fill(id, slots)
  for _, slot in ipairs(slots) do
    redis.call('HSET', edges.inputs(id), slot, 'null')
  end
  if slots[1] then
    redis.call('HINCRBY', edges.inputs(id), 'bytes', 4 * #slots)
  end
end

-- Has upstreams that have ended tell this task so once more.
function edges.ask_again(task, ended)
  for _, id in ipairs(ended) do
    redis.call('ZADD', edges.dependents(id), edges.since(task.id), task.id)
    redis.call('ZADD', edges.unsettled(), namespace.now, id)
  end
end

-- Keeps how far a pass over the upstreams of a task is; `after` is nil at its end.
function edges.keep_place(task, after)
  if after then
    redis.call('HSET', task.key, 'cascade', after)
  else
    redis.call('HDEL', task.key, 'cascade')
  end
end

-- Those that have ended by now are told to tell it. Returns whether this one has.
function edges.note_ended(again, id)
  local status = redis.call('HGET', namespace.key('task', id), 'status')
  local ended = not status or contract.is_final(status)
  again.ended[#again.ended + 1] = ended and id or nil
  return ended
end
