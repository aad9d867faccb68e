--- Takes a task from a listener whose process is dead, as a new attempt. The caller has made sure that it is.
-- @args now listener from queue id
-- @options lease request
-- @reply as reserve; nil where the task ended instead, cancelled or lost too often
-- @errors NOTASK OTHERQUEUE STATE NOLISTENER
space.open()
local listener = args.listener(args.next('listener'))
local from = args.listener(args.next('from'))
local queue = args.plain(args.next('queue'), 'queue')
local id = args.next('id')
local options = args.options({ lease = args.lease, request = args.plain })

local task = record.get(id, unpack(attempt.FIELDS))
if task.queue ~= queue then
  reply.fail('OTHERQUEUE', 'this id is a task of another queue')
end
listeners.require(queue, listener)
local answer = attempt.repeated(task, listener, options.request)
if answer then
  return answer
end
local list = space.key('reserved_tasks', queue .. '_' .. from)
local held = redis.call('LPOS', list, id)
if task.status == 'pending' and held then
  task.astray = space.touch(list) -- popped by a client without scripts, which died before it said so
elseif not record.held(task) or task.node ~= from or from == listener then
  reply.fail('STATE', 'the task is not held by that listener; ask `held` again')
end

local to = interruption.target(task, 'reserved')
state.plan(task, to, to == 'reserved' and listener or nil)
space.begin()
if to ~= 'reserved' then
  state.move(task, to, interruption.change(task, to, 'adopt'))
  return false
end
task.extra[8], task.extra[2] = 'lost', tostring(task.losses)
redis.call('HSET', task.key, 'losses', task.losses, 'outcome', 'lost', 'ended', task.token)
return attempt.begin(task, listener, options, {
  why = 'adopt', forget = { 'pid', 'reclaimed_node', 'started', 'progress', 'progressed' },
})
