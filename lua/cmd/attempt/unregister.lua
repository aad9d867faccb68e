--- Removes a listener that holds no task from a queue.
-- @args now queue listener
-- @role worker
-- @again `absent`
-- @reply `unregistered`, or `absent`
-- @errors HELD
namespace.open()
local queue, listener = contract.arguments()
if redis.call('LLEN', namespace.declare(namespace.key('reserved_tasks', queue .. '_' .. listener))) > 0 then
  reply.fail('HELD', 'the listener holds tasks: complete, fail or release them, or adopt them if its process is dead')
end
listeners.probe(queue)
workers.plan_leave(listener)
local rounds = namespace.prefix .. 'rounds_' .. listener
namespace.probe('HLEN', rounds)
namespace.begin()
redis.call('UNLINK', rounds)
return listeners.remove(queue, listener) == 1 and 'unregistered' or 'absent'
