-- Tasks that wait for at least N of a set of tasks. Such a task has the tie `k`, and edges of the kind `some`. Its hash
-- `inputs_ID` counts them: `least` must still be complete, `some` edges are left, and the upstreams of `missed` of
-- these have ended otherwise. An edge of those stays, because its upstream may be retried: its score in
-- `dependents_ID` is infinite, and the number of the present count, `turn`, follows its kind. So a retry of the
-- dependent begins a new count without reading every edge. A 0 in that place marks an upstream that runs anew: the task
-- waits for it in any case, and it counts among `owed`, not among `some`.
local quorum = {}

-- What the error of a task begins with that waits for too many.
quorum.SHORT = 'too few of its set can still be complete: '

-- How many of a set must be complete, by the text of inputs.
function quorum.wanted(text)
  return tonumber(string.match(text or '', 'least/(%d+)') or 1)
end

-- The text without that.
function quorum.without(text)
  return (string.gsub(string.gsub(text, ' ?least/%d+', ''), '^ ', ''))
end

-- The upstreams of the set, by the text of inputs.
function quorum.named(text)
  local named = {}
  for id in string.gmatch(text or '', 'some/?%d*=(%S+)') do
    named[id] = true
  end
  return named
end

function quorum.has(task)
  return task.ties and string.find(task.ties, 'k', 1, true)
end

function quorum.tie(task)
  if not quorum.has(task) then
    task.ties = (task.ties or '') .. 'k'
  end
end

-- A set of which `least` must be complete.
function quorum.new(least)
  return { least = least, left = 0, missed = 0, turn = 1, owed = 0 }
end

-- The fields that count.
function quorum.fields()
  return 'least', 'some', 'missed', 'turn', 'owed'
end

-- The counts of a task; one that was ready has none.
function quorum.read(id)
  local v = redis.call('HMGET', namespace.declare(edges.inputs(id)), quorum.fields())
  return { least = tonumber(v[1] or 0), left = tonumber(v[2] or 0), missed = tonumber(v[3] or 0),
    turn = tonumber(v[4] or 1), owed = tonumber(v[5] or 0) }
end

function quorum.write(id, set)
  redis.call('HSET', edges.inputs(id), 'least', set.least, 'some', set.left, 'missed', set.missed, 'turn', set.turn,
    'owed', set.owed)
end

-- How many may still be complete.
function quorum.chances(set)
  return set.left - set.missed + set.owed
end

-- How many tasks one with so many edges waits for, one of them, and the counts: none of a set that is complete.
function quorum.open(id, open)
  local set, first = quorum.read(id), nil
  local is_short = set.least > quorum.chances(set) -- its graph holds it until one of those that ended runs again
  open = open - set.left - set.owed + (set.least > 0 and quorum.chances(set) or set.owed)
  local found = redis.call('HSCAN', edges.upstreams(id), '0', 'COUNT', edges.INLINE)[2]
  for i = 1, #found, 2 do
    local kind, mark = string.match(found[i + 1], '^(%l+)(%d*)')
    if kind ~= 'some' or mark == '0' then
      return open, found[i], set -- one that is waited for in any case
    elseif (tonumber(mark) == set.turn) == is_short then
      first = first or found[i]
    end
  end
  return open, first or found[1], set
end

-- Whether a task with so many edges waits for nothing: no edge of the set that is left matters.
function quorum.is_ready(set, open)
  return set.least <= 0 and open == set.left
end

-- The text of an edge, with the count in which its upstream has ended otherwise.
function quorum.text(slots, turn)
  return 'some' .. (turn or '') .. (slots ~= '' and '/' .. slots or '')
end

-- What a task begins to wait for, by the text of the inputs that it has had already, and by those that come now.
function quorum.begin(before, wanted)
  local named = quorum.named(before.text)
  local set = next(named) and before.set or quorum.new(1)
  local had = next(named) and quorum.wanted(before.text) or 1
  set.named, set.least = named, set.least + (wanted.least or had) - had
  return set
end

-- Reads what an upstream that has ended means for a task that begins to wait. Returns whether it is complete.
-- `named`: it counts already.
function quorum.look_at_ended(task, wish, up, named)
  if up.status == 'complete' then
    task.set.least = task.set.least - (named and 0 or 1)
    return true
  elseif not named and up.status ~= 'deleted' then
    task.edges[#task.edges + 1] = { up = up, kind = 'some', slots = wish.slots, missed = true }
  end
end

-- Counts the new edges of a task. Returns the code and text of a refusal if too few of the set are left.
function quorum.count(task)
  local set = task.set
  for _, edge in ipairs(task.edges) do
    if edge.kind == 'some' and not edge.known then
      set.left, set.missed = set.left + 1, set.missed + (edge.missed and 1 or 0)
    elseif edge.kind == 'some' and tonumber(string.match(edge.known, '^some(%d+)')) == set.turn then
      set.missed = set.missed - 1 -- it runs again
    end
  end
  if set.least > set.left + set.owed then
    return 'BADARG', 'at least so many are to be complete as are not there: least/NUMBER is at most the number of'
      .. ' upstreams with some'
  elseif set.least > quorum.chances(set) then
    return 'UPSTREAM', 'too few of the upstreams can still be complete, so this task would never run: retry those that'
      .. ' failed first'
  end
end

-- Counts an edge of the set, or with `by` -1 one that goes.
function quorum.add(set, mark, by)
  if mark == '0' then
    set.owed = set.owed + by
  else
    set.left, set.missed = set.left + by, set.missed + (tonumber(mark) == set.turn and by or 0)
  end
end

-- Reads what the end of one of its set means for a task. Sets `met` if that one was complete, or if nothing is waited
-- for any more, `ready`; else `missed`, if the task waits for the others, or `short`, if it fails.
function quorum.plan_end(plan, task, up, to, mark, slots)
  local set, open = plan.set, redis.call('HLEN', edges.upstreams(plan.id))
  quorum.add(set, mark, -1)
  plan.met = to == 'complete'
  if plan.met then
    set.least = set.least - 1
    return
  elseif to == 'deleted' then
    plan.gone, open = edges.slots(slots), open - 1
  else
    set.left, set.missed = set.left + 1, set.missed + 1
  end
  if quorum.is_ready(set, open) then
    plan.met, plan.ready = true, true
    return
  end
  local may_wait = graphs.on_failure(task.extra[5]) == 'hold' and set.least <= set.left + set.owed
  if set.least > quorum.chances(set) and not may_wait then
    quorum.plan_again(plan, up, open)
    plan.short = set.least > quorum.chances(set)
  end
  plan.missed = not plan.short and quorum.text(slots, set.turn)
end

-- Looks whether some that have ended otherwise run again by now.
function quorum.plan_again(plan, up, open)
  local set = plan.set
  plan.again = {}
  local found = open <= edges.RETRIED and redis.call('HGETALL', edges.upstreams(plan.id)) or {}
  for i = 1, #found, 2 do
    local mark, slots = string.match(found[i + 1], '^some(%d+)/?(.*)$')
    if found[i] ~= up.id and tonumber(mark) == set.turn then
      local other = record.find(found[i])
      if other and not contract.is_final(other.status) then
        namespace.probe('ZCARD', edges.dependents(found[i]))
        plan.again[found[i]], set.missed = { up = other, text = quorum.text(slots) }, set.missed - 1
      end
    end
  end
end

-- Has a task wait for the others of its set.
function quorum.miss(up, plan)
  if plan.gone then
    redis.call('ZREM', edges.dependents(up.id), plan.id)
    redis.call('HDEL', edges.upstreams(plan.id), up.id)
    edges.fill(plan.id, plan.gone)
  else
    redis.call('ZADD', edges.dependents(up.id), 'inf', plan.id)
    redis.call('HSET', edges.upstreams(plan.id), up.id, plan.missed)
  end
  for id, edge in pairs(plan.again or {}) do
    redis.call('ZADD', edges.dependents(id), edges.since(plan.id), plan.id)
    redis.call('HSET', edges.upstreams(plan.id), id, edge.text)
    edges.tie(edge.up) -- it may be another task than before
  end
  quorum.write(plan.id, plan.set)
end

-- Removes what is left of the edges of a task that is ready. Those that it no longer waits for find that out when they
-- end.
function quorum.drop(id)
  redis.call('UNLINK', edges.upstreams(id), edges.inputs(id))
end

-- Fails if a task that is submitted begins to wait for too many. `find`: as `edge_submit.look` takes it; then further
-- calls may bring others of the set, until one says how many must be complete. Else a task that waits for nothing has
-- no edges.
function quorum.require(task, wanted, find)
  local code, text = quorum.count(task)
  if code and (wanted.least or not find) then
    reply.fail(code, text)
  elseif not find and quorum.is_ready(task.set, #task.edges) then
    task.edges, task.set = {}, nil
  end
end

-- Begins a new count: all that have ended tell it again.
function quorum.count_anew(id)
  redis.call('HSET', edges.inputs(id), 'missed', 0)
  redis.call('HINCRBY', edges.inputs(id), 'turn', 1)
end

-- Reads what an upstream means for a task that runs again. `over`: whether that has ended.
function quorum.plan_retry(again, id, up, slots, over)
  local set = again.set
  if over and up.status == 'complete' then
    set.least = set.least - 1
    return
  end
  set.left, set.missed = set.left + 1, set.missed + (over and 1 or 0)
  again.some[id] = { up = not over and up, text = quorum.text(slots, over and set.turn) }
end

-- Makes it.
function quorum.retry(task, again)
  if again.to == 'pending' then
    quorum.drop(task.id)
    return
  end
  for id, edge in pairs(again.some) do
    redis.call('HSET', edges.upstreams(task.id), id, edge.text)
    redis.call('ZADD', edges.dependents(id), edge.up and edges.since(task.id) or 'inf', task.id)
    if edge.up then
      edges.tie(edge.up)
    end
  end
  quorum.write(task.id, again.set)
end

-- Counts what a task waits for that runs anew, as others do of its set, `marks`: it waits for the end of each of these.
function quorum.plan_anew(task, again, text, order, marks)
  local set, known, there, others = quorum.new(quorum.wanted(text)), edges.upstreams(task.id), {}, {}
  for _, id in ipairs(order) do
    local slots = string.match(again.texts[id], '^some(.*)$')
    if slots and marks[id] then
      again.texts[id], set.owed = 'some0' .. slots, set.owed + 1
    elseif slots then
      local status = redis.call('HGET', namespace.key('task', id), 'status')
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
    -- The task was never ready, so its set is not satisfied: the deleted upstreams counted as complete above are not.
    set.least = math.max(set.least, quorum.read(task.id).least)
  end
  for _, id in ipairs(set.least > 0 and others or {}) do
    there[#there + 1] = id
  end
  for _, id in ipairs(there) do
    set.left, again.open[#again.open + 1] = set.left + 1, id
    namespace.probe('ZCARD', edges.dependents(id))
    local up = not edges.note_ended(again, id) and record.find(id)
    again.still[#again.still + 1] = up or nil -- another task may have its id by now
    for _, slot in ipairs(edges.slots(again.texts[id])) do
      again.forget[slot] = true
    end
  end
  -- `undepend` may have taken the last open ones from a set that was short without them: all that are there count.
  set.least = math.min(set.least, set.left + set.owed)
  again.set = (again.open[1] or set.owed > 0) and set or nil
end

-- Counts the set of a waiting task again. Returns the counts, `ready` if the set is satisfied or `wrong` if the stored
-- counts differ, and an upstream that was not completed if too few can still complete. Returns nil if the task has more
-- than `edges.RETRIED` edges.
function quorum.check(id)
  local key = namespace.declare(edges.upstreams(id))
  local open = redis.call('HLEN', key)
  if open == 0 or open > edges.RETRIED or redis.call('HEXISTS', namespace.declare(edges.inputs(id)), 'least') == 0 then
    return nil
  end
  local known, found, ended = quorum.read(id), redis.call('HGETALL', key), nil
  local set = quorum.new(known.least)
  set.turn = known.turn
  for i = 1, #found, 2 do
    local mark = string.match(found[i + 1], '^some(%d*)')
    ended = mark and tonumber(mark) == set.turn and found[i] or ended
    if mark then
      quorum.add(set, mark, 1)
    end
  end
  set.least = math.min(set.least, set.left + set.owed) -- no retry brings more than there are
  local what = quorum.is_ready(set, open) and 'ready'
  for name, number in pairs(set) do
    what = what or number ~= known[name] and 'wrong'
  end
  return set, what, set.least > quorum.chances(set) and ended
end

-- Takes one from the set of a task. At least so many as were to be complete must be left, or none.
function quorum.plan_removal(set, mark)
  quorum.add(set, mark, -1)
  if set.left + set.owed == 0 then
    set.least = 0
  elseif set.least > quorum.chances(set) then
    reply.fail('UPSTREAM', 'too few of the others of its set can still be complete: have it wait for fewer of them'
      .. ' first, with depend and least/NUMBER')
  end
end
