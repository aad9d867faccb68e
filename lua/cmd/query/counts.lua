--- Counts the tasks of a queue in each state. The time of a call grows with the number of listeners.
-- @args now queue
-- @reply name and number in turn: each state, in the order of its life, then `listeners`
-- @errors
namespace.open()
local queue = contract.arguments()
local held = 0
for _, listener in ipairs(redis.call('SMEMBERS', namespace.key('listeners', queue))) do
  held = held + redis.call('LLEN', namespace.key('reserved_tasks', queue .. '_' .. listener))
end
local started = redis.call('SCARD', namespace.key('started_tasks', queue))
return contract.counts(queue, math.max(0, held - started), started, 'listeners', listeners.count(queue).present)
