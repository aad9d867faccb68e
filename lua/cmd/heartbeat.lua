--- Renews the leases of tasks that a listener holds; each answer carries an order.
-- @args now queue listener lease count (id token)*count
-- @reply deadline, then for each task `continue`, `cancel`, `drain` or `lost`
-- @errors
space.open()
local queue = args.plain(args.next('queue'), 'queue')
local listener = args.listener(args.next('listener'))
local lease = args.lease(args.next('lease'), 'lease')
local count = args.integer(args.next('count'), 0, 500, 'count')
local first = args.at
if #ARGV ~= first + 2 * count then
  reply.fail('BADARG', 'after the count come an id and a token for each task, and nothing else')
end
local members, fields = {}, {}
for i = 1, count do
  local id, token = ARGV[first + 2 * i - 1], ARGV[first + 2 * i]
  if #id > 128 or #token > 16 then
    reply.fail('BADARG', 'an id or a token is too long')
  end
  members[i] = id .. ' ' .. token
  fields[i] = 't:' .. id
end

local leases, orders = space.touch(space.key('leases', queue)), space.key('orders', queue)
local held = count > 0 and redis.call('ZMSCORE', leases, unpack(members)) or {}
local ordered, drain = {}, false
if redis.call('HLEN', orders) > 0 then
  drain = redis.call('HGET', orders, 'l:' .. listener)
  ordered = count > 0 and redis.call('HMGET', orders, unpack(fields)) or {}
end
local registered = redis.call('SISMEMBER', space.key('listeners', queue), listener) == 1
space.probe('ZCARD', space.key('seen', queue))

local deadline = space.us + lease
local answer, renewed = { deadline }, {}
for i = 1, count do
  if held[i] then
    renewed[#renewed + 1] = deadline
    renewed[#renewed + 1] = members[i]
    answer[i + 1] = ordered[i] or (drain and 'drain' or 'continue')
  else
    answer[i + 1] = 'lost'
  end
end
space.begin()
-- A removal first: what follows may then be written even when memory is full.
redis.call('ZREM', leases, '')
space.tick(space.us)
if #renewed > 0 then
  redis.call('ZADD', leases, unpack(renewed))
end
if registered then
  listeners.seen(queue, listener)
end
return answer
