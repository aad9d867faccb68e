-- Promotion: due tasks of a queue. Tasks are due if they are scheduled, or if a rate or a changed limit held them back.
local promotion = {}

-- Makes up to `limit` due tasks pending. `limited`: the number of changes of limits, from the meta hash. Returns the
-- reply of `promote`.
-- @hot
function promotion.promote(queue, limit, limited)
  local ranked = redis.call('HGET', namespace.meta, 'ranking:' .. queue)
  local sets = { namespace.key('scheduled_tasks', queue), namespace.key('scheduled_ranked_tasks', queue) }
  local waiting, later = {}, nil
  for i, set in ipairs(sets) do
    waiting[i] = redis.call('ZRANGEBYSCORE', set, '-inf', namespace.now, 'LIMIT', 0, limit + 1, 'WITHSCORES')
    local next = redis.call('ZRANGEBYSCORE', set, '(' .. namespace.now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
    if not later or next and tonumber(next) < tonumber(later) then
      later = next
    end
  end
  local due, tasks, strays = (#waiting[1] + #waiting[2]) / 2, {}, {}
  local at = { 1, 1 }
  for _ = 1, math.min(due, limit) do
    local one, other = tonumber(waiting[1][at[1] + 1]), tonumber(waiting[2][at[2] + 1])
    local i = (not one or other and other < one) and 2 or 1
    local id = waiting[i][at[i]]
    at[i] = at[i] + 2
    local task = record.find(id, 'front', 'ended', 'retry_eta')
    if task and task.status == 'scheduled' and task.queue == queue then
      if task.extra[1] then
        task.front, task.turn = true, tonumber(task.extra[2]) -- the task had its turn at that time
      end
      if task.extra[3] then -- not an eta from its submit
        task.forget = { 'eta', 'retry_eta' }
      end
      tasks[#tasks + 1] = task
    else
      strays[#strays + 1] = { sets[i], id }
    end
  end
  local planned = {}
  for _, task in ipairs(tasks) do
    -- All plain tasks have the same plan, except tasks of clients without scripts.
    if task.flags or not planned.plain then
      state.plan(task, 'pending')
      planned.plain = planned.plain or not task.flags
    end
  end
  if #tasks > 0 then
    namespace.probe('ZCARD', namespace.key('tasks', queue))
  end
  -- Delays may remain after the last ranked task. During slot migration, the read of an absent key may fail.
  local looks = ranked or limited or redis.pcall('EXISTS', namespace.key('delayed', queue)) == 1
  local held_up = looks and fairness.plan_due(queue, limit, limited) or { keys = {} }
  if held_up.wakes then
    wakeups.plan(queue)
  end
  local answer = { #tasks, (due > limit or held_up.more) and 1 or 0, later or '' }
  if held_up.next and (answer[3] == '' or held_up.next < answer[3] * 1000000) then
    answer[3] = namespace.decimal(held_up.next)
  end
  for _, stray in ipairs(strays) do
    namespace.declare(stray[1])
  end
  namespace.begin()
  fairness.refresh_due(queue, held_up)
  for _, stray in ipairs(strays) do
    redis.call('ZREM', unpack(stray))
  end
  for _, task in ipairs(tasks) do
    local now = record.time(task)
    state.move(task, 'pending', 'promote', '', 'promoted', now)
  end
  if #tasks > 0 or held_up.wakes then
    wakeups.wake(queue)
  end
  return answer
end
