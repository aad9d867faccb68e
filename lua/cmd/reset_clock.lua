--- Brings a clock that ran ahead back to the server's time, while nothing is held. Tokens go on from the highest one.
-- @args now
-- @reply `reset`, or `right` where the clock was not ahead
-- @errors HELD TOOMANY
local MOST = 10000 -- queues that one call looks at

space.open()
args.none()
local floor, now = redis.call('HGET', space.meta, space.CLOCK), server.time()
if not floor or tonumber(floor) <= now then
  return 'right'
end
local queues = redis.call('ZRANGE', space.touch(space.prefix .. 'queues'), 0, MOST)
if #queues > MOST then
  reply.fail('TOOMANY', 'there are over 10000 queues, more than one call can look at: forget those that are empty')
end
for _, queue in ipairs(queues) do
  if space.probe('ZCARD', space.key('leases', queue)) > 0 then
    reply.fail('HELD', 'tasks are held: pause the queues, wait for their ends or cancel them, then send the call again')
  end
end
local token = redis.call('HGET', space.meta, 'token')
space.begin()
redis.call('HSET', space.meta, space.CLOCK, string.format('%.0f', now),
  'token', string.format('%.0f', math.max(tonumber(token or 0), tonumber(floor))))
return 'reset'
