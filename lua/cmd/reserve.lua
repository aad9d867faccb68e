--- Pops the next task of the first queue that has one, and gives it to a listener.
-- @args now listener count queue*count
-- @options lease request woken
-- @reply nil, or id queue token attempt deadline lease outcome losses failures parameters checkpoint
-- @errors NOLISTENER
local GHOSTS = 100 -- ids without a pending task that one call clears away

local listener = args.listener(args.next('listener'))
local count = args.integer(args.next('count'), 1, 32, 'count')
local queues, fields = {}, {}
for i = 1, count do
  queues[i] = args.plain(args.next('queue'), 'queue')
  fields[i] = 'paused:' .. queues[i]
end
local options = args.options({ lease = args.lease, request = args.plain, woken = args.flag })
local paused = space.open_with(unpack(fields))

if options.request then
  for i = 1, count do
    local last = redis.call('LINDEX', space.key('reserved_tasks', queues[i] .. '_' .. listener), 0)
    local task = last and record.find(last, unpack(attempt.FIELDS))
    local answer = task and attempt.repeated(task, listener, options.request)
    if answer then
      return answer
    end
  end
end

local task, wake
local ghosts = {}
for i = 1, count do
  local queue = queues[i]
  local pending = space.key('pending_tasks', queue)
  local skipped = 0
  while not paused[i + 1] and skipped < GHOSTS do
    local id = redis.call('LINDEX', pending, -1 - skipped)
    local found = id and record.find(id, unpack(attempt.FIELDS))
    if found and found.status == 'pending' and found.queue == queue then
      task = found
    end
    if task or not id then
      break
    end
    skipped = skipped + 1
  end
  if skipped > 0 then
    ghosts[queue] = skipped
  end
  if task then
    break
  end
end

if task then
  listeners.require(task.queue, listener)
  local left = space.probe('LLEN', space.key('pending_tasks', task.queue))
  state.plan(task, 'reserved', listener)
  wake = options.woken and left - 1 > (ghosts[task.queue] or 0)
  if wake then
    state.plan_wake(task.queue)
  end
else
  for i = 1, count do
    listeners.require(queues[i], listener)
    space.probe('ZCARD', space.key('seen', queues[i]))
  end
end
space.begin()

for queue, number in pairs(ghosts) do
  for _ = 1, number do
    redis.call('RPOP', space.key('pending_tasks', queue))
  end
end
if not task then
  for i = 1, count do
    listeners.seen(queues[i], listener)
  end
  return false
end
local answer = attempt.begin(task, listener, options, { popped = true, why = 'reserve' })
if wake then
  state.wake(task.queue) -- pass it on: one wake-up may stand for many tasks
end
return answer
