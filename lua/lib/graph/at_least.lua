-- Tasks that wait for at least N of a set of tasks. Such a task has the flag `k`, and edges of the kind `some`. Its
-- hash `inputs_ID` has the counts of the set: `least`, the number of upstreams that must still complete; `some`, the
-- number of edges left; and `missed`, the number of these edges whose upstream ended without success. A missed edge
-- stays, because its upstream may be retried: its score in `dependents_ID` is infinite, and its text has the number of
-- the current count, `turn`, after its kind. So a retry of the dependent begins a new count without reading every edge.
-- The number 0 marks an upstream that is rerun: the task waits for it in any case, and `owed` counts it instead of
-- `some`.
local at_least = {}

-- Prefix of the error of a task whose set has too few upstreams that can still complete.
at_least.SHORT = 'too few of its set can still be complete: '

-- Returns the number of upstreams of a set that must complete, from the text of inputs.
function at_least.wanted(text)
  return tonumber(string.match(text or '', 'least/(%d+)') or 1)
end

function at_least.without(text)
  return (string.gsub(string.gsub(text, ' ?least/%d+', ''), '^ ', ''))
end

-- Returns the upstreams of the set, from the text of inputs, as the keys of a table.
function at_least.named(text)
  local named = {}
  for id in string.gmatch(text or '', 'some/?%d*=(%S+)') do
    named[id] = true
  end
  return named
end

function at_least.has(task)
  return task.flags and string.find(task.flags, 'k', 1, true)
end

function at_least.flag(task)
  if not at_least.has(task) then
    task.flags = (task.flags or '') .. 'k'
  end
end

-- Returns the counts of an empty set. `least`: the number of its upstreams that must complete.
function at_least.new(least)
  return { least = least, left = 0, missed = 0, turn = 1, owed = 0 }
end

-- Returns the names of the fields with the counts.
function at_least.fields()
  return 'least', 'some', 'missed', 'turn', 'owed'
end

-- Returns the counts of the set of a task. A task that was ready has no stored counts.
function at_least.read(id)
  local v = redis.call('HMGET', namespace.declare(edges.inputs(id)), at_least.fields())
  return { least = tonumber(v[1] or 0), left = tonumber(v[2] or 0), missed = tonumber(v[3] or 0),
    turn = tonumber(v[4] or 1), owed = tonumber(v[5] or 0) }
end

function at_least.write(id, set)
  redis.call('HSET', edges.inputs(id), 'least', set.least, 'some', set.left, 'missed', set.missed, 'turn', set.turn,
    'owed', set.owed)
end

-- Returns the number of upstreams of a set that can still complete.
function at_least.chances(set)
  return set.left - set.missed + set.owed
end

-- Returns the number of open upstreams of a task with `open` edges, one of them, and the counts of its set. In a set
-- that is complete, only upstreams that are rerun are open.
function at_least.open(id, open)
  local set, first = at_least.read(id), nil
  local is_short = set.least > at_least.chances(set) -- its graph holds the task until an ended upstream runs again
  open = open - set.left - set.owed + (set.least > 0 and at_least.chances(set) or set.owed)
  local found = edges.read(id, edges.INLINE)
  for _, edge in ipairs(found) do
    if edge.kind ~= 'some' or edge.mark == '0' then
      return open, edge.id, set -- the task waits for this upstream in any case
    elseif (tonumber(edge.mark) == set.turn) == is_short then
      first = first or edge.id
    end
  end
  return open, first or found[1] and found[1].id, set
end

-- Returns true if a task with `open` edges waits for nothing: its set is complete, and it has no other edges.
function at_least.is_ready(set, open)
  return set.least <= 0 and open == set.left
end

-- Returns the text of an edge. `turn`: the number of the count in which its upstream ended without success.
function at_least.text(slots, turn)
  return 'some' .. (turn or '') .. (slots ~= '' and '/' .. slots or '')
end

-- Returns the set of a task that begins to wait. `before`: the set and the text of the inputs of earlier calls;
-- `wanted`: the inputs of this call.
function at_least.begin(before, wanted)
  local named = at_least.named(before.text)
  local set = next(named) and before.set or at_least.new(1)
  local had = next(named) and at_least.wanted(before.text) or 1
  set.named, set.least = named, set.least + (wanted.least or had) - had
  return set
end

-- For a task that begins to wait, counts an ended upstream. Returns true if the upstream is complete. `named`: the
-- upstream is counted already.
function at_least.look_at_ended(task, wish, up, named)
  if up.status == 'complete' then
    task.set.least = task.set.least - (named and 0 or 1)
    return true
  elseif not named and up.status ~= 'deleted' then
    task.edges[#task.edges + 1] = { up = up, kind = 'some', slots = wish.slots, missed = true }
  end
end

-- Counts the new edges of a task. Returns the code and text of a refusal if too few of the set are left.
function at_least.count(task)
  local set = task.set
  for _, edge in ipairs(task.edges) do
    if edge.kind == 'some' and not edge.known then
      set.left, set.missed = set.left + 1, set.missed + (edge.missed and 1 or 0)
    elseif edge.kind == 'some' and tonumber(string.match(edge.known, '^some(%d+)')) == set.turn then
      set.missed = set.missed - 1 -- the upstream runs again
    end
  end
  if set.least > set.left + set.owed then
    return 'BADARG', 'least/NUMBER is at most the number of upstreams with the kind some'
  elseif set.least > at_least.chances(set) then
    return 'UPSTREAM', 'too few of the upstreams can still be complete, so this task would never run: retry those that'
      .. ' failed first'
  end
end

-- Adds an edge to the counts of a set if `by` is 1, and removes it if `by` is -1.
function at_least.add(set, mark, by)
  if mark == '0' then
    set.owed = set.owed + by
  else
    set.left, set.missed = set.left + by, set.missed + (tonumber(mark) == set.turn and by or 0)
  end
end

-- Plans the effect of the end of an upstream on a task with a set. Sets `met` if the upstream is complete; `met` and
-- `ready` if the task waits for nothing else; `missed` if the task keeps waiting for the rest of the set; or `short` if
-- the task fails.
function at_least.plan_end(plan, task, up, to, mark, slots)
  local set, open = plan.set, redis.call('HLEN', edges.upstreams(plan.id))
  at_least.add(set, mark, -1)
  plan.met = to == 'complete'
  if plan.met then
    set.least = set.least - 1
    return
  elseif to == 'deleted' then
    plan.gone, open = edges.slots(slots), open - 1
  else
    set.left, set.missed = set.left + 1, set.missed + 1
  end
  if at_least.is_ready(set, open) then
    plan.met, plan.ready = true, true
    return
  end
  local may_wait = graphs.outcome(to, up.flags) ~= 'skipped' and graphs.on_failure(task.extra[5]) == 'hold'
    and set.least <= set.left + set.owed
  if set.least > at_least.chances(set) and not may_wait then
    at_least.plan_again(plan, up, open)
    plan.short = set.least > at_least.chances(set)
  end
  plan.missed = not plan.short and at_least.text(slots, set.turn)
end

-- Finds missed upstreams that run again, and no longer counts them as missed.
function at_least.plan_again(plan, up, open)
  local set = plan.set
  plan.again = {}
  for _, edge in ipairs(open <= edges.RETRIED and edges.read(plan.id) or {}) do
    local other = edge.id ~= up.id and tonumber(edge.mark) == set.turn and record.find(edge.id)
    if other and not contract.is_final(other.status) then
      namespace.probe('ZCARD', edges.dependents(edge.id))
      plan.again[edge.id], set.missed = { up = other, text = at_least.text(edge.slots) }, set.missed - 1
    end
  end
end

-- Stores that an upstream was missed. The task keeps waiting for the rest of its set.
function at_least.miss(up, plan)
  if plan.gone then
    redis.call('ZREM', edges.dependents(up.id), plan.id)
    redis.call('HDEL', edges.upstreams(plan.id), up.id)
    edges.fill(plan.id, plan.gone)
  else
    redis.call('ZADD', edges.dependents(up.id), 'inf', plan.id)
    redis.call('HSET', edges.upstreams(plan.id), up.id, plan.missed)
  end
  for id, edge in pairs(plan.again or {}) do
    redis.call('HSET', edges.upstreams(plan.id), id, edge.text)
    edges.enter(edge.up, plan.id)
  end
  at_least.write(plan.id, plan.set)
end

-- Removes the remaining edges of a task that is ready. Open upstreams still have the task among their dependents until
-- they end.
function at_least.drop(id)
  redis.call('UNLINK', edges.upstreams(id), edges.inputs(id))
end

-- Fails if too few upstreams of a new task can complete. `find`: see `edge_submit.look`. With `find`, later calls may
-- bring other upstreams of the set, so only a call with `least` is checked. Without `find`, the edges of a task that
-- waits for nothing are dropped.
function at_least.require(task, wanted, find)
  local code, text = at_least.count(task)
  if code and (wanted.least or not find) then
    reply.fail(code, text)
  elseif not find and at_least.is_ready(task.set, #task.edges) then
    task.edges, task.set = {}, nil
  end
end

-- Begins a new count: all upstreams that have ended notify the task again.
function at_least.begin_count(id)
  redis.call('HSET', edges.inputs(id), 'missed', 0)
  redis.call('HINCRBY', edges.inputs(id), 'turn', 1)
end

-- Counts an upstream for a task that is retried. `over`: true if the upstream has ended. A deleted upstream leaves the
-- set, because no retry can complete it. Returns true if the edge ends.
function at_least.plan_retry(again, id, up, slots, over)
  local set = again.set
  if over and (up.status == 'complete' or up.status == 'deleted') then
    set.least = set.least - (up.status == 'complete' and 1 or 0)
    return true
  end
  set.left, set.missed = set.left + 1, set.missed + (over and 1 or 0)
  again.some[id] = { up = not over and up, text = at_least.text(slots, over and set.turn) }
end

function at_least.retry(task, again)
  if again.to == 'pending' then
    at_least.drop(task.id)
    return
  end
  for id, edge in pairs(again.some) do
    redis.call('HSET', edges.upstreams(task.id), id, edge.text)
    if edge.up then
      edges.enter(edge.up, task.id)
    else
      redis.call('ZADD', edges.dependents(id), 'inf', task.id)
    end
  end
  at_least.write(task.id, again.set)
end

-- Counts the set of a task that is rerun. `marks`: the tasks that are also rerun; the task waits for the end of each of
-- these upstreams.
function at_least.plan_rerun(task, again, text, order, marks)
  local set, known, there, others = at_least.new(at_least.wanted(text)), edges.upstreams(task.id), {}, {}
  for _, id in ipairs(order) do
    local slots = string.match(again.texts[id], '^some(.*)$')
    if slots and marks[id] then
      again.texts[id], set.owed = 'some0' .. slots, set.owed + 1
    elseif slots then
      local status = redis.call('HGET', namespace.declare(namespace.key('task', id)), 'status')
      if redis.call('HEXISTS', known, id) == 1 then
        there[#there + 1] = id
      elseif status and status ~= 'complete' then
        others[#others + 1] = id
      else
        set.least = set.least - 1
      end
    end
  end
  if there[1] then
    -- The task was never ready: not all deleted upstreams, counted as complete above, were complete.
    set.least = math.max(set.least, at_least.read(task.id).least)
  end
  for _, id in ipairs(set.least > 0 and others or {}) do
    there[#there + 1] = id
  end
  for _, id in ipairs(there) do
    set.left, again.open[#again.open + 1] = set.left + 1, id
    namespace.probe('ZCARD', edges.dependents(id))
    local up = not edges.note_ended(again, id) and record.find(id)
    again.still[#again.still + 1] = up or nil -- another task may have its id now
    edges.forget(again, id)
  end
  -- `undepend` may have removed the last open upstreams from a set that is short without them: then all remaining
  -- upstreams are needed.
  set.least = math.min(set.least, set.left + set.owed)
  again.set = (again.open[1] or set.owed > 0) and set or nil
end

-- Counts the set of a waiting task again. Returns the counts, `ready` if the set is satisfied or `wrong` if the stored
-- counts differ, and, if too few upstreams can still complete, one that did not. Returns nil if the task has more than
-- `edges.RETRIED` edges.
function at_least.check(id)
  local key = namespace.declare(edges.upstreams(id))
  local open = redis.call('HLEN', key)
  if open == 0 or open > edges.RETRIED or redis.call('HEXISTS', namespace.declare(edges.inputs(id)), 'least') == 0 then
    return nil
  end
  local known, ended = at_least.read(id), nil
  local set = at_least.new(known.least)
  set.turn = known.turn
  for _, edge in ipairs(edges.read(id)) do
    if edge.kind == 'some' then
      ended = tonumber(edge.mark) == set.turn and edge.id or ended
      at_least.add(set, edge.mark, 1)
    end
  end
  set.least = math.min(set.least, set.left + set.owed) -- retries cannot complete more than the edges left
  local what = at_least.is_ready(set, open) and 'ready'
  for name, number in pairs(set) do
    what = what or number ~= known[name] and 'wrong'
  end
  return set, what, set.least > at_least.chances(set) and ended
end

-- Removes an edge from the counts of a set. Fails unless enough of the remaining upstreams can still complete, or the
-- set is empty.
function at_least.plan_removal(set, mark)
  at_least.add(set, mark, -1)
  if set.left + set.owed == 0 then
    set.least = 0
  elseif set.least > at_least.chances(set) then
    reply.fail('UPSTREAM', 'too few of the others of its set can still be complete: have it wait for fewer of them'
      .. ' first, with depend and least/NUMBER')
  end
end
