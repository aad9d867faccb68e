-- Changes the priority of a waiting task, or its place in its queue.
local prioritising = {}

-- Changes the priority of a waiting task, and puts it behind the tasks that already have this priority.
function prioritising.plan(task, spec)
  if not contract.is_waiting(task.status) then
    return actions.refuse(task, contract.WAITING)
  elseif task.flags then
    holdings.load(task)
  end
  if tonumber(task.priority or 0) == tonumber(spec.priority) then
    return
  end
  task.to = 'prioritised'
  tracking.plan_note(task)
  prioritising.plan_place(task, { priority = spec.priority, fair_key = task.fair_key, needs = task.needs,
    shared = task.shared, weight = task.weight, exclusive = task.exclusive, limited = task.limited }, spec)
end

function prioritising.prioritise(task, spec)
  -- This write is refused if memory is full, before anything else is written.
  redis.call('HSET', task.key, 'priority', spec.priority, 'flags', 'r' .. string.gsub(task.flags or '', 'r', ''))
  prioritising.place(task, spec)
  tracking.note(task, 'edit', spec.by, 'priority', 'prioritise')
end

-- Plans a new place of a waiting task in its queue, with the holdings of `fresh`: behind the tasks that wait there, or
-- its present place if `fresh.place` is its rank.
function prioritising.plan_place(task, fresh, spec)
  local queue = task.queue
  task.fresh, fresh.id, fresh.queue, fresh.ranked = fresh, task.id, queue, true
  if task.foreign then
    namespace.probe('ZCARD', namespace.key('tasks', queue))
  end
  if task.status == 'scheduled' then
    task.at = redis.call('ZSCORE', namespace.declare(namespace.key('scheduled_tasks', queue)), task.id)
    namespace.probe('ZCARD', namespace.key('scheduled_ranked_tasks', queue))
  elseif task.status == 'pending' then
    actions.seek(task, spec)
    if not task.rank then
      namespace.probe('LLEN', namespace.key('pending_tasks', queue))
    end
    ranking.plan(fresh)
    if task.rank and (task.fair_key ~= fresh.fair_key or needs.class(task) ~= needs.class(fresh)) then
      ranking.plan(task)
      if task.fair_key then
        namespace.probe('ZCARD', fairness.tasks_key(queue, task.fair_key, needs.plan(queue, needs.class(fresh))))
      end
    end
    if task.fair_key or fresh.fair_key or settings.get(queue, 'concurrency') then
      state.plan_left(task)
    end
  end
end

-- Gives a waiting task its planned place. The record may already contain the new holdings.
function prioritising.place(task, spec)
  local fresh = task.fresh
  if task.foreign then
    redis.call('ZADD', namespace.key('tasks', task.queue), task.extra[2] or '0', task.id)
  end
  if task.at then
    -- From now on the task is ranked.
    redis.call('ZADD', namespace.key('scheduled_ranked_tasks', task.queue), task.at, task.id)
    redis.call('ZREM', namespace.key('scheduled_tasks', task.queue), task.id)
  end
  if task.status ~= 'pending' then
    return
  end
  if task.rank and fresh.place then
    fresh.rank = task.rank
    if task.fair_key ~= fresh.fair_key or needs.class(task) ~= needs.class(fresh)
      or task.fair_key and ranking.member(task) ~= ranking.member(fresh) then
      ranking.enter(fresh)
      ranking.leave(task, '')
    end
  else
    ranking.add(fresh)
    if task.rank then
      ranking.remove(task, '')
      redis.call('HSET', task.key, 'rank', fresh.rank)
    else
      redis.call('LREM', namespace.key('pending_tasks', task.queue), task.from_end or -1, task.id)
    end
  end
  spec.wakes = task.wakes and task.queue or spec.wakes
end
