--- Removes a queue that has no tasks, no listeners and no schedules, with its settings, limits, events and statistics.
-- @args now queue
-- @role administrator
-- @options by request
-- @reply `deleted`
-- @errors NOQUEUE NOTEMPTY
local HOLDS = contract.INDEXES .. 'ZCARD:tasks ZCARD:leases SCARD:listeners '
local REMAINS = { 'events', 'wake', 'orders', 'seen', 'suspects', 'tags', 'groups', 'needs', 'ranked_tasks', 'turns',
  'places', 'limits',
  'delayed', 'rate', 'unique', 'timed', 'has', 'aggregate', 'days', 'claims' }

namespace.open()
local queue = contract.arguments()
local options = args.options()
requests.replay('delete_queue', options.request)
for command, kind in string.gmatch(HOLDS, '(%u+):(%l[%l_]*)') do
  if namespace.probe(command, namespace.key(kind, queue)) > 0 then
    reply.fail('NOTEMPTY', 'the queue has tasks or listeners: purge it and stop its workers first')
  end
end
-- No index lists schedules by queue: all schedules are examined, 1,000 at a time.
local names
local from = 0
repeat
  names = redis.call('ZRANGE', namespace.declare(namespace.prefix .. 'schedules'), from, from + 999)
  for _, name in ipairs(names) do
    -- During slot migration a schedule may seem absent. The queue's own keys seem absent too, so the call is refused.
    if redis.call('HGET', namespace.key('schedule', name), 'queue') == queue then
      reply.fail('NOTEMPTY', 'a schedule creates tasks in the queue: remove it, or give it another queue')
    end
  end
  from = from + #names
until #names < 1000 or from >= schedules.MOST
local queues, gone = namespace.prefix .. 'queues', {}
local fields = { 'paused:' .. queue, 'settings:' .. queue, 'ranking:' .. queue, 'sweep:' .. queue, 'swept:' .. queue,
  'drained:' .. queue }
local known = redis.call('ZSCORE', namespace.declare(queues), queue) ~= false
namespace.probe('HLEN', maintenance.key())
namespace.probe('ZCARD', patterns.index())
for _, kind in ipairs(REMAINS) do
  local key = namespace.declare(namespace.key(kind, queue))
  known, gone[#gone + 1] = known or redis.call('EXISTS', key) == 1, key
end
for _, value in ipairs(redis.call('HMGET', namespace.meta, unpack(fields))) do
  known = known or value ~= false
end
if not known then
  namespace.check_slot(queues, unpack(gone))
  reply.fail('NOQUEUE', 'no queue has this name: it never existed, or was deleted')
end
for _, date in ipairs(redis.call('ZRANGE', namespace.key('days', queue), 0, 999)) do
  gone[#gone + 1] = namespace.declare(statistics.key(queue, date))
  gone[#gone + 1] = namespace.declare(statistics.hosts_key(queue, date))
end
local waits = shared_turns.plan_forget(queue)
audit.plan()
namespace.begin()
shared_turns.forget(waits)
redis.call('UNLINK', unpack(gone))
redis.call('ZREM', queues, queue)
redis.call('HDEL', namespace.meta, unpack(fields))
redis.call('HDEL', maintenance.key(), queue)
redis.call('ZREM', patterns.index(), queue)
audit.add(options.by, 'delete_queue', 'queue', queue, '', 'deleted')
return requests.keep('deleted')
