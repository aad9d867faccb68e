--- Makes a listener known to a queue.
-- @args now queue listener
-- @reply `registered`, or `existing`
-- @errors EVICTION
space.open()
local queue = args.plain(args.next('queue'), 'queue')
local listener = args.listener(args.next('listener'))
args.none()
server.require()
listeners.probe(queue)
space.begin()
local added = redis.call('SADD', space.key('listeners', queue), listener)
redis.call('ZINCRBY', space.prefix .. 'queues', added, queue)
listeners.seen(queue, listener)
return added == 1 and 'registered' or 'existing'
