--- How many tasks of a queue are in each state. Costs one step for each listener.
-- @args now queue
-- @reply name and number in turn: scheduled pending reserved started complete failed cancelled listeners
-- @errors
space.open()
local queue = contract.arguments()
local held = 0
for _, listener in ipairs(redis.call('SMEMBERS', space.key('listeners', queue))) do
  held = held + redis.call('LLEN', space.key('reserved_tasks', queue .. '_' .. listener))
end
local started = redis.call('SCARD', space.key('started_tasks', queue))
return {
  'scheduled', redis.call('ZCARD', space.key('scheduled_tasks', queue))
  + redis.call('ZCARD', space.key('scheduled_lane_tasks', queue)),
  'pending', redis.call('LLEN', space.key('pending_tasks', queue))
  + redis.call('ZCARD', space.key('lane_tasks', queue)),
  'reserved', math.max(0, held - started), 'started', started,
  'complete', redis.call('LLEN', space.key('complete_tasks', queue)),
  'failed', redis.call('LLEN', space.key('failed_tasks', queue)),
  'cancelled', redis.call('LLEN', space.key('cancelled_tasks', queue)),
  'listeners', listeners.count(queue).present,
}
