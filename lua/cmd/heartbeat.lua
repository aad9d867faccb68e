--- Renews the leases of tasks that a listener holds; each answer carries an order.
-- @args now queue listener lease count (id token)*count
-- @reply deadline, then for each task `continue`, `cancel`, `drain`, `stop` or `lost`
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
-- As text: a number would be written out anew for each task.
local deadline = string.format('%.0f', space.us + lease)
local renewal = {}
for i = 1, count do
  local at = first + 2 * i - 2
  local id, token = ARGV[at], ARGV[at + 1]
  if #id > 128 or #token > 16 then
    reply.fail('BADARG', 'an id or a token is too long')
  end
  renewal[2 * i - 1], renewal[2 * i] = deadline, id .. ' ' .. token
end

local orders, usual, ordered = space.key('orders', queue), 'continue', {}
if redis.call('HLEN', orders) > 0 then
  local common = redis.call('HMGET', orders, 'l:' .. listener, 'q')
  usual = common[2] or common[1] or usual
  for i = 1, count do
    ordered[i] = 't:' .. ARGV[first + 2 * i - 2]
  end
  ordered = count > 0 and redis.call('HMGET', orders, unpack(ordered)) or {}
end
local registered = redis.call('SISMEMBER', space.key('listeners', queue), listener) == 1
space.probe('ZCARD', space.key('seen', queue))
local leases = space.key('leases', queue)
space.begin(leases)

-- A removal first: what follows may then be written even when memory is full.
-- It fails by itself where the leases are of another type.
redis.call('ZREM', leases, '')
space.tick(space.us)
-- XX: only what is there. Where all leases moved, none is lost, and none need be read.
local moved = count > 0 and redis.call('ZADD', leases, 'XX', 'CH', unpack(renewal)) or 0
local held
if moved < count then
  local members = {}
  for i = 1, count do
    members[i] = renewal[2 * i]
  end
  held = redis.call('ZMSCORE', leases, unpack(members))
end
if registered then
  listeners.seen(queue, listener)
end
local answer = { space.us + lease }
for i = 1, count do
  answer[i + 1] = held and not held[i] and 'lost' or ordered[i] or usual
end
return answer
