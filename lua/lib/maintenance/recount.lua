-- Recounts: stored numbers of shared limits and graphs are counted again. Places of a shared limit are counted from the
-- attempts that hold them, and tasks of a shared limit from their records, in case somebody deleted an entry by hand.
-- Tasks of a graph are counted in case a client without scripts ended or deleted a task: it does not update graphs.
local recount = {}

-- Maximum number of queues, attempts and tasks that a call examines. If there are more, only `doctor` compares.
recount.QUEUES = 1000
recount.ATTEMPTS = 2000
recount.TASKS = 2000

-- Returns the queues whose entries are counted, or nil if this call counts nothing. The repair of each queue calls this
-- function; a repair that clients share counts only for the queue with the most listeners.
function recount.queues(key, queue, shared)
  local all = namespace.prefix .. 'queues'
  if redis.call('EXISTS', shared_limits.key('limits')) == 0 and redis.call('EXISTS', key) == 0
    or redis.call('ZCARD', all) > recount.QUEUES or shared and redis.call('ZREVRANGE', all, 0, 0)[1] ~= queue then
    return nil
  end
  return redis.call('ZRANGE', all, 0, -1)
end

-- Returns the shared limits whose stored places differ from the places that attempts of all queues hold: name and right
-- number in turn.
function recount.wrong(queue, shared)
  local key = shared_limits.key('places')
  local queues, left = recount.queues(key, queue, shared), recount.ATTEMPTS
  if not queues then
    return {}
  end
  for i = 1, #queues do
    local held = namespace.declare(namespace.prefix .. 'places_' .. queues[i])
    queues[i], left = held, left - redis.call('HLEN', held)
  end
  if left < 0 or redis.call('HLEN', key) > recount.ATTEMPTS then
    return {}
  end
  local taken = {}
  for i = 1, #queues do
    local places = redis.call('HGETALL', queues[i])
    for at = 1, #places, 2 do
      local set = string.find(places[at], '^a:') and string.match(places[at + 1], '^%d+ %S* (%S+)$')
      for _, part in ipairs(set and shared_limits.parts(set) or {}) do
        taken[part.name] = (taken[part.name] or 0) + part.weight
      end
    end
  end
  return recount.compare(key, taken)
end

-- Returns the shared limits whose stored numbers differ from `taken`: name and right number in turn.
function recount.compare(key, taken)
  local wrong, noted = {}, redis.call('HGETALL', key)
  for i = 1, #noted, 2 do
    local number = taken[noted[i]] or 0
    if tonumber(noted[i + 1]) ~= number then
      wrong[#wrong + 1], wrong[#wrong + 2] = noted[i], number
    end
    taken[noted[i]] = nil
  end
  for name, number in pairs(taken) do
    wrong[#wrong + 1], wrong[#wrong + 2] = name, number
  end
  return wrong
end

-- Returns the shared limits whose stored number of tasks differs from the records of tasks and schedules.
function recount.wrong_tasks(queue, shared)
  local key, plans = shared_limits.key('tasks'), namespace.prefix .. 'schedules'
  local queues, left = recount.queues(key, queue, shared), recount.TASKS - redis.call('ZCARD', plans)
  if not queues or redis.call('HLEN', namespace.declare(key)) > recount.TASKS then
    return {}
  end
  for _, name in ipairs(queues) do
    left = left - redis.call('ZCARD', namespace.key('tasks', name))
  end
  if left < 0 then
    return {}
  end
  local named = {}
  local function add(set)
    for _, part in ipairs(set and shared_limits.parts(set) or {}) do
      named[part.name] = (named[part.name] or 0) + 1
    end
  end
  for _, name in ipairs(queues) do
    for _, id in ipairs(redis.call('ZRANGE', namespace.key('tasks', name), 0, -1)) do
      local said = redis.call('HMGET', namespace.key('task', id), 'status', 'queue', 'limits', 'next_round')
      local status, where, set, queued = unpack(said, 1, 4)
      if status and where == name then
        add(not contract.is_final(status) and set)
        add(queued and redis.call('HGET', queued_round.key(id), '/limits'))
      end
    end
  end
  for _, name in ipairs(redis.call('ZRANGE', plans, 0, -1)) do
    add(schedules.values(redis.call('HGET', namespace.key('schedule', name), 'options') or '').limits)
  end
  return recount.compare(key, named)
end

-- Maximum number of tasks of graphs that a call examines. If a graph has more, only `doctor` compares.
recount.MEMBERS = 2000

-- Returns the counters in the record of a graph: tasks that are left, and ended tasks by state.
function recount.counted()
  return 'left', unpack(contract.ENDS)
end

-- Minutes between two counts of a finished graph: a client without scripts may delete or end its tasks.
recount.TURNS = 8

-- Returns the number of tasks of a graph, or 0 if there is no need to count them. A graph is not counted while it is
-- created, cancelled or retried. A graph whose tasks have all ended according to its record is counted only every
-- `TURNS` minutes, in a minute given by its `place` among all graphs.
function recount.members(graph, place)
  local v = redis.call('HMGET', namespace.declare(graphs.key(graph)), 'released', 'total', 'doing', recount.counted())
  local open = tonumber(v[4] or 0) or 0
  for i = 5, #v do
    open = open - (tonumber(v[i] or 0) or 0.5)
  end
  local turn = math.floor(namespace.now_us / 60000000) % recount.TURNS
  local due = open ~= 0 or place % recount.TURNS == turn
  return v[1] and v[1] == v[2] and not v[3] and due and tonumber(v[2]) or 0
end

-- Returns the counters of a graph that differ from the records of its tasks, name and right number in turn; and the
-- number of its tasks that are left.
function recount.wrong_graph(graph)
  local found = { left = 0 }
  for _, id in ipairs(redis.call('LRANGE', graphs.tasks(graph), 0, -1)) do
    local v = redis.call('HMGET', namespace.key('task', id), 'graph', 'status')
    if v[1] == graph then
      found.left = found.left + 1
      found[v[2]] = (found[v[2]] or 0) + 1
    end
  end
  local wrong, names = {}, { recount.counted() }
  for i, noted in ipairs(redis.call('HMGET', graphs.key(graph), unpack(names))) do
    local number = found[names[i]] or 0
    if tonumber(noted or 0) ~= number then
      wrong[#wrong + 1], wrong[#wrong + 2] = names[i], number
    end
  end
  return wrong, found.left
end
