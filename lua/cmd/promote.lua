--- Moves scheduled tasks that are due to pending.
-- @args now queue limit
-- @reply number promoted, 1 if more are due, eta of the next one or an empty string
-- @errors
space.open()
local queue = args.plain(args.next('queue'), 'queue')
local limit = args.limit()
args.none()

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
local answer = { #tasks, #due > limit and 1 or 0, later[2] or '' }
if #tasks > 0 then
  state.plan(tasks[1], 'pending')
  space.probe('ZCARD', space.key('tasks', queue)) -- others may be of clients without scripts
end
space.begin()
for _, id in ipairs(strays) do
  redis.call('ZREM', scheduled, id)
end
for _, task in ipairs(tasks) do
  state.move(task, 'pending', 'promote', '')
end
if #tasks > 0 then
  state.wake(queue)
end
return answer
