--- Removes a queue that has no tasks and no listeners, with its settings, limits, events and statistics.
-- @args now queue
-- @reply `forgotten`
-- @errors NOTEMPTY
local HOLDS = {
  ZCARD = { 'tasks', 'scheduled_tasks', 'lane_tasks', 'leases' },
  LLEN = { 'pending_tasks', 'complete_tasks', 'failed_tasks', 'cancelled_tasks' },
  SCARD = { 'started_tasks', 'listeners' },
}
local REMAINS = { 'events', 'wake', 'orders', 'seen', 'suspects', 'tags', 'groups', 'needs', 'ranked_tasks', 'turns', 'places', 'limits',
  'delayed', 'rate', 'unique', 'timed', 'has', 'tally', 'days' }

space.open()
local queue = args.plain(args.next('queue'), 'queue')
args.none()
for command, kinds in pairs(HOLDS) do
  for _, kind in ipairs(kinds) do
    if space.probe(command, space.key(kind, queue)) > 0 then
      reply.fail('NOTEMPTY', 'the queue has tasks or listeners: purge it and stop its workers first')
    end
  end
end
local gone = {}
for _, kind in ipairs(REMAINS) do
  gone[#gone + 1] = space.touch(space.key(kind, queue))
end
for _, date in ipairs(redis.call('ZRANGE', space.key('days', queue), 0, 999)) do
  gone[#gone + 1] = space.touch(statistics.key(queue, date))
end
space.probe('ZCARD', space.prefix .. 'queues')
space.begin()
redis.call('UNLINK', unpack(gone))
redis.call('ZREM', space.prefix .. 'queues', queue)
redis.call('HDEL', space.meta, 'paused:' .. queue, 'settings:' .. queue, 'lanes:' .. queue, 'sweep:' .. queue)
return 'forgotten'
