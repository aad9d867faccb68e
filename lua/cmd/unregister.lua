--- Takes a listener that holds no task off a queue.
-- @args now queue listener
-- @again `absent`
-- @reply `unregistered`, or `absent`
-- @errors HELD
space.open()
local queue, listener = contract.arguments()
if redis.call('LLEN', space.touch(space.key('reserved_tasks', queue .. '_' .. listener))) > 0 then
  reply.fail('HELD', 'the listener holds tasks: complete, fail or release them, or adopt them if its process is dead')
end
listeners.probe(queue)
workers.plan_leave(listener)
local rounds = space.prefix .. 'rounds_' .. listener
space.probe('HLEN', rounds)
space.begin()
redis.call('UNLINK', rounds)
return listeners.remove(queue, listener) == 1 and 'unregistered' or 'absent'
