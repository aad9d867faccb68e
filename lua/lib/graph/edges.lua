-- Edges of task graphs: the upstreams of a task (`upstreams_ID`), its dependents (`dependents_ID`), and the results
-- that have arrived (`inputs_ID`).
--
-- An open edge is in both keys. The end of the upstream propagates the edge. If the edge is met, both entries are
-- removed. If the edge is broken, the dependent ends, and the edge stays with a negative score in `dependents_ID`. The
-- edges of other ended dependents stay in the same way: a retry checks these edges again. In a graph that holds the
-- dependents of failed tasks (`on_failure` is `hold`), the dependent keeps waiting, and the edge has an infinite score:
-- it is open again when the failed task is retried.
local edges = {}

-- Maximum number of edges that the end of a task propagates in its own call. More edges are left to `run_deferred`.
edges.INLINE = 100

-- Maximum bytes of results that a call copies to dependents.
edges.COPIES = 1048576

-- Maximum number of edges that a retry checks in its own call. More edges are left to `run_deferred`.
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

-- Returns the key with the ended tasks whose dependents are not all settled, by the time of their end.
function edges.deferred()
  return namespace.prefix .. 'deferred'
end

-- Returns the parts of the text of an edge: its kind, its mark (see `at_least`) and the text of its slots.
function edges.parse(text)
  return string.match(text or '', '^(%l+)(%d*)/?(.*)$')
end

-- Returns the edges of a task, each with the `id` of its upstream, its `kind`, its `mark` and the text of its `slots`;
-- and the position after them, `0` at the end. With `limit`, reads about this many edges from `cursor` on.
function edges.read(id, limit, cursor)
  local key = namespace.declare(edges.upstreams(id))
  local page = limit and redis.call('HSCAN', key, cursor or '0', 'COUNT', limit) or { '0', redis.call('HGETALL', key) }
  local found = {}
  for i = 1, #page[2], 2 do
    local kind, mark, slots = edges.parse(page[2][i + 1])
    found[#found + 1] = { id = page[2][i], kind = kind, mark = mark, slots = slots }
  end
  return found, page[1]
end

-- Returns the number of slots of an input that is not joined yet, or nil without slots; and the bytes of its results.
function edges.input_size(id)
  local v = redis.call('HMGET', namespace.declare(edges.inputs(id)), 'slots', 'bytes')
  return tonumber(v[1] or nil), tonumber(v[2] or 0)
end

function edges.enter(up, id)
  redis.call('ZADD', edges.dependents(up.id), edges.since(id), id)
  edges.flag(up) -- another task may have this id now
end

-- Returns true if an upstream with this status, nil or `deleted` without a record, runs no more unless it is retried.
function edges.is_over(status)
  return not status or status == 'deleted' or contract.is_final(status)
end

-- Returns the slots in the text of an edge, such as `0,2`.
function edges.slots(text)
  local slots = {}
  for slot in string.gmatch(text or '', '%d+') do
    slots[#slots + 1] = tonumber(slot)
  end
  return slots
end

-- Returns true if an edge of this kind is met when its upstream ends in the state `to`. `flags`: of the upstream. A
-- skipped upstream has neither succeeded nor failed. `queue`: of the dependent. A link to another partition also brings
-- the end of a skipped task.
function edges.is_met(kind, to, flags, queue)
  if kind == 'after' or kind == 'optional' then
    return true
  end
  if graphs.outcome(to, flags) == 'skipped' then
    return kind == 'failure' and queue == '@links'
  end
  return (kind == 'failure') ~= (to == 'complete')
end

-- Returns true if an edge needs the success of its upstream, and a retry of the upstream can still succeed.
function edges.is_repairable(kind, to)
  return edges.needs_success(kind) and (to == 'failed' or to == 'cancelled')
end

-- Returns true if a task with an edge of this kind fails if the upstream does not succeed.
function edges.needs_success(kind)
  return kind == 'success' or kind == 'result' or kind == 'some'
end

-- Returns true if an edge of this kind is a reason for the upstream to run. An optional edge takes the result if there
-- is one, and `null` otherwise.
function edges.wants(kind)
  return kind == 'optional' or edges.needs_success(kind)
end

-- Returns the result of a task that has ended as an element of a JSON list. Only a complete task has a result.
function edges.result_of(up)
  return edges.element(up.status == 'complete' and redis.call('HGET', up.key, 'result') or '')
end

-- Returns a result as an element of a JSON list: `null` for an empty result.
function edges.element(result)
  return result == '' and 'null' or result
end

-- Returns a part of an error message if results and values are too long for the parameters of a task of this queue, or
-- nil. The setting is not read for `INPUT_SIZE_LOW` bytes or less, because its smallest value allows them.
function edges.over(queue, bytes)
  local most = bytes > contract.INPUT_SIZE_LOW and settings.get(queue, 'input_bytes')
  if most and bytes > tonumber(most) then
    return 'over ' .. most .. ' bytes, the setting input_bytes'
  end
end

-- Marks in the record of a task that it has dependents. Without the mark, the end of the task does not look for
-- dependents.
function edges.flag(up)
  if not string.find(up.flags or '', 'd', 1, true) then
    up.flags = (up.flags or '') .. 'd'
    redis.call('HSET', up.key, 'flags', up.flags)
  end
end

-- Returns the number of dependents of a task, and the number of these that are not staged tasks of a graph.
function edges.waiting(id)
  local key = namespace.declare(edges.dependents(id))
  local waiting, staged = redis.call('ZCOUNT', key, '(0', '+inf'), redis.call('ZCOUNT', key, '-inf', '-inf')
  return waiting + staged, waiting
end

-- Returns true if a dependent still needs the result of a complete task; and true if a dependent was not notified of
-- the end of the task.
function edges.is_needed(task)
  if task.status ~= 'complete' or not task.flags or not string.find(task.flags, 'd', 1, true) then
    return false
  end
  local all, waiting = edges.waiting(task.id)
  return all > 0, waiting > 0
end

-- Returns the fields of the record that decide how a task becomes ready.
function edges.fields()
  return 'eta', 'front', 'ended', 'retry_eta', 'graph'
end

-- Fills slots with `null` if no upstream will bring their results.
function edges.fill(id, slots)
  for _, slot in ipairs(slots) do
    redis.call('HSET', edges.inputs(id), slot, 'null')
  end
  if slots[1] then
    redis.call('HINCRBY', edges.inputs(id), 'bytes', 4 * #slots)
  end
end

-- Schedules a new notification of a task by upstreams that have ended.
function edges.ask_again(task, ended)
  for _, id in ipairs(ended) do
    redis.call('ZADD', edges.dependents(id), edges.since(task.id), task.id)
    redis.call('ZADD', edges.deferred(), namespace.now, id)
  end
end

-- Stores the position of a pass over the upstreams of a task. `after`: the position, or nil at the end of the pass.
function edges.keep_place(task, after)
  if after then
    redis.call('HSET', task.key, 'cascade', after)
  else
    redis.call('HDEL', task.key, 'cascade')
  end
end

-- Adds an upstream to `again.ended`, for a new notification, if it has ended. Returns true if it has ended.
function edges.note_ended(again, id)
  local status = redis.call('HGET', namespace.key('task', id), 'status')
  local ended = edges.is_over(status)
  again.ended[#again.ended + 1] = ended and id or nil
  return ended
end

-- Removes the results of an upstream that is rerun.
function edges.forget(again, id)
  for _, slot in ipairs(edges.slots(string.match(again.texts[id], '/(.*)$'))) do
    again.forget[slot] = true
  end
end
