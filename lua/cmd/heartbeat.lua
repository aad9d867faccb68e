--- Renews the leases of tasks that a listener holds; each answer carries an order.
-- @args now queue listener lease count (id token)*count
-- @reply deadline, then for each task `continue`, `cancel`, `drain` or `lost`
-- @errors
space.open()
local queue = args.plain(args.next('queue'), 'queue')
local listener = args.listener(args.next('listener'))
local lease = args.lease(args.next('lease'), 'lease')
local count = args.integer(args.next('count'), 0, 500, 'count')
local first = args.at + 1
if #ARGV ~= first - 1 + 2 * count then
  reply.fail('BADARG', 'after the count come an id and a token for each task, and nothing else')
end
local members = {}
for i = 1, count do
  local at = first + 2 * i - 2
  local id, token = ARGV[at], ARGV[at + 1]
  if #id > 128 or #token > 16 then
    reply.fail('BADARG', 'an id or a token is too long')
  end
  members[i] = id .. ' ' .. token
end

local leases, orders = space.touch(space.key('leases', queue)), space.key('orders', queue)
local held = count > 0 and redis.call('ZMSCORE', leases, unpack(members)) or {}
local ordered, usual = {}, 'continue'
if redis.call('HLEN', orders) > 0 then
  usual = redis.call('HGET', orders, 'l:' .. listener) or usual
  for i = 1, count do
    ordered[i] = 't:' .. ARGV[first + 2 * i - 2]
  end
  ordered = count > 0 and redis.call('HMGET', orders, unpack(ordered)) or {}
end
local registered = redis.call('SISMEMBER', space.key('listeners', queue), listener) == 1
space.probe('ZCARD', space.key('seen', queue))

-- As text: a number would be written out anew for each task.
local deadline = string.format('%.0f', space.us + lease)
local answer, renewed, n = { space.us + lease }, {}, 0
for i = 1, count do
  if held[i] then
    renewed[n + 1], renewed[n + 2] = deadline, members[i]
    n = n + 2
    answer[i + 1] = ordered[i] or usual
  else
    answer[i + 1] = 'lost'
  end
end
space.begin()
-- A removal first: what follows may then be written even when memory is full.
redis.call('ZREM', leases, '')
space.tick(space.us)
if n > 0 then
  redis.call('ZADD', leases, unpack(renewed))
end
if registered then
  listeners.seen(queue, listener)
end
return answer
