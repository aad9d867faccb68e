--- The number of tasks of a queue in each state. Costs one step for each listener.
-- @args now queue
-- @reply name and number in turn: scheduled pending reserved started complete failed cancelled listeners
-- @errors
namespace.open()
local queue = contract.arguments()
local held = 0
for _, listener in ipairs(redis.call('SMEMBERS', namespace.key('listeners', queue))) do
  held = held + redis.call('LLEN', namespace.key('reserved_tasks', queue .. '_' .. listener))
end
local started = redis.call('SCARD', namespace.key('started_tasks', queue))
return {
  'scheduled', redis.call('ZCARD', namespace.key('scheduled_tasks', queue))
  + redis.call('ZCARD', namespace.key('scheduled_lane_tasks', queue)),
  'pending', redis.call('LLEN', namespace.key('pending_tasks', queue))
  + redis.call('ZCARD', namespace.key('lane_tasks', queue)),
  'reserved', math.max(0, held - started), 'started', started,
  'complete', redis.call('LLEN', namespace.key('complete_tasks', queue)),
  'failed', redis.call('LLEN', namespace.key('failed_tasks', queue)),
  'cancelled', redis.call('LLEN', namespace.key('cancelled_tasks', queue)),
  'listeners', listeners.count(queue).present,
}
