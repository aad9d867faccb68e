--- Sets a clock that ran ahead back to the server's time. The call is refused while any task is held. New tokens
--   continue from the highest token.
-- @args now
-- @role administrator
-- @options by request
-- @reply `reset`, or `right` if the clock was not ahead
-- @errors HELD TOOMANY
local MOST = 10000 -- queues that a call examines

namespace.open()
local options = args.options()
requests.replay('reset_clock', options.request)
local floor, now = redis.call('HGET', namespace.meta, namespace.CLOCK), server.time()
if not floor or tonumber(floor) <= now then
  return 'right'
end
local queues = redis.call('ZRANGE', namespace.declare(namespace.prefix .. 'queues'), 0, MOST)
if #queues > MOST then
  reply.fail('TOOMANY', 'there are over 10000 queues, more than one call can check: delete the empty queues')
end
for _, queue in ipairs(queues) do
  if namespace.probe('ZCARD', namespace.key('leases', queue)) > 0 then
    reply.fail('HELD', 'tasks are held: pause the queues, wait until the tasks end or cancel them,'
      .. ' then repeat the call')
  end
end
-- A rate that began ahead of the new time ignores new starts: it now begins at the server's time.
local settled = {}
table.insert(queues, 1, false)
for _, queue in ipairs(queues) do
  local field = queue and 'settings:' .. queue or 'settings'
  local text = redis.call('HGET', namespace.meta, field)
  local repaired = text and string.gsub(text, '_since=(%d+)', function(since)
    return string.format('_since=%.0f', math.min(tonumber(since), now))
  end)
  if repaired ~= text then
    settled[#settled + 1] = { field, repaired }
  end
end
local token = redis.call('HGET', namespace.meta, 'token')
audit.plan()
namespace.begin()
for _, set in ipairs(settled) do
  redis.call('HSET', namespace.meta, set[1], set[2])
end
redis.call('HSET', namespace.meta, namespace.CLOCK, string.format('%.0f', now),
  'token', string.format('%.0f', math.max(tonumber(token or 0), tonumber(floor))))
audit.add(options.by, 'reset_clock', 'namespace', '', namespace.decimal(floor), namespace.decimal(now))
return requests.keep('reset')
