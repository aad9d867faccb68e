--- Registers a listener with a queue, and stores what the listener offers to tasks with needs.
-- @args now queue listener
-- @role worker
-- @options has
-- @again `existing`
-- @reply `registered`, or `existing`
-- @errors EVICTION
namespace.open()
local queue, listener = contract.arguments()
local capabilities = args.options().has
server.require()
rights.check(rights.WORKER)
listeners.probe(queue)
namespace.begin()
local added = redis.call('SADD', namespace.key('listeners', queue), listener)
redis.call('ZINCRBY', namespace.prefix .. 'queues', added, queue)
listeners.seen(queue, listener)
if capabilities then
  listeners.equip(queue, listener, capabilities)
end
return added == 1 and 'registered' or 'existing'
