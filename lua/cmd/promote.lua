--- Moves scheduled tasks that are due to pending, and lets tasks go on that a rate or a changed limit held up.
-- @args now queue limit
-- @reply number promoted, 1 if more are due, when the next one is, in seconds, or an empty string
-- @errors
local meta = space.open_with('limits')
local queue = args.plain(args.next('queue'), 'queue')
local limit = args.limit()
args.none()

local limited, laned = meta[2], redis.call('HGET', space.meta, 'lanes:' .. queue)
local scheduled = space.key('scheduled_tasks', queue)
local due = redis.call('ZRANGEBYSCORE', scheduled, '-inf', space.now, 'LIMIT', 0, limit + 1)
local later = redis.call('ZRANGEBYSCORE', scheduled, '(' .. space.now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
local tasks, strays = {}, {}
for i = 1, math.min(#due, limit) do
  local task = record.find(due[i])
  if task and task.status == 'scheduled' and task.queue == queue then
    tasks[#tasks + 1] = task
  else
    strays[#strays + 1] = due[i]
  end
end
local planned = {}
for _, task in ipairs(tasks) do
  -- Plain tasks are all alike, but for those of clients without scripts.
  if task.ties or not planned.plain then
    state.plan(task, 'pending')
    planned.plain = planned.plain or not task.ties
  end
end
if #tasks > 0 then
  space.probe('ZCARD', space.key('tasks', queue))
end
local held_up = (laned or limited) and turns.plan_due(queue, limit) or { keys = {} }
if held_up.wakes then
  state.plan_wake(queue)
end
local answer = { #tasks, (#due > limit or held_up.more) and 1 or 0, later[2] or '' }
if held_up.next and (answer[3] == '' or held_up.next < answer[3] * 1000000) then
  answer[3] = space.decimal(held_up.next)
end
space.begin()
turns.due(queue, held_up)
for _, id in ipairs(strays) do
  redis.call('ZREM', scheduled, id)
end
for _, task in ipairs(tasks) do
  state.move(task, 'pending', 'promote', '', 'promoted', state.time(task))
end
if #tasks > 0 or held_up.wakes then
  state.wake(queue)
end
return answer
