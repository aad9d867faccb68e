--- Lists the listeners of a queue.
-- @args now queue cursor limit
-- @reply next cursor (0 at the end), then for each listener: its id, when it was last seen, and the number of tasks
--   that it holds
-- @errors
namespace.open()
local queue, cursor, limit = contract.arguments()
local page = redis.call('SSCAN', namespace.key('listeners', queue), cursor, 'COUNT', limit)
local answer = { page[1] }
for _, listener in ipairs(page[2]) do
  local seen = redis.call('ZSCORE', namespace.key('seen', queue), listener)
  reply.add(answer, listener, seen and namespace.decimal(tonumber(seen) * 1000000) or '',
    redis.call('LLEN', namespace.key('reserved_tasks', queue .. '_' .. listener)))
end
return answer
