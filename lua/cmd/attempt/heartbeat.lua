--- Renews the leases of tasks that a listener holds, and returns an order for each task.
-- @args now queue listener lease count (id token)*count
-- @role worker
-- @again a later deadline
-- @reply deadline, then for each task `continue`, `attend`, `cancel`, `drain`, `stop`, `kill` or `lost`
-- @errors
namespace.open()
local queue, listener, lease, count = contract.arguments()
local first = args.at + 1
args.at = first - 1 + 2 * count
if #ARGV < args.at then
  reply.fail('BADARG', 'the count must be followed by an id and a token for each task')
end
args.none()
-- The deadline is text: a number would be formatted again for each task.
local deadline = string.format('%.0f', namespace.now_us + lease)
local renewal = {}
for i = 1, count do
  local at = first + 2 * i - 2
  local id, token = ARGV[at], ARGV[at + 1]
  if #id > 128 or #token > 16 then
    reply.fail('BADARG', 'an id or a token is too long')
  end
  renewal[2 * i - 1], renewal[2 * i] = deadline, id .. ' ' .. token
end

local given, usual, ordered, killed = namespace.prefix .. 'orders_' .. queue, 'continue', {}, nil
if redis.call('HLEN', given) > 0 then
  local common = redis.call('HMGET', given, 'l:' .. listener, 'q')
  usual = common[2] or common[1] or usual
  for i = 1, count do
    ordered[i] = 't:' .. ARGV[first + 2 * i - 2]
  end
  ordered = count > 0 and redis.call('HMGET', given, unpack(ordered)) or {}
  for i = 1, count do
    killed = killed or ordered[i] == 'kill'
  end
end
local registered = redis.call('SISMEMBER', namespace.key('listeners', queue), listener) == 1
namespace.probe('ZCARD', namespace.key('seen', queue))
local leases = namespace.key('leases', queue)
local may, role = redis.acl_check_cmd, namespace.prefix .. rights.ROLE
if may and not (may('HSET', role, '', '') and may('ZADD', leases, '', '') and may('ZMSCORE', leases, '')) then
  rights.require()
end
if namespace.declared then
  namespace.begin_declared(leases)
end

-- The first write is a removal: the next writes are then allowed even when memory is full. The removal fails if the key
-- has another type.
redis.call('ZREM', leases, '')
namespace.advance_clock(namespace.now_us)
-- XX updates only existing leases. If all leases were updated, no task is lost, and no lease needs a read.
local moved = 0
if killed then
  local others = {}
  for i = 1, count do
    if ordered[i] ~= 'kill' then -- the lease of a task with the order `kill` expires
      others[#others + 1], others[#others + 2] = renewal[2 * i - 1], renewal[2 * i]
    end
  end
  if #others > 0 then
    redis.call('ZADD', leases, 'XX', unpack(others))
  end
elseif count > 0 then
  moved = redis.call('ZADD', leases, 'XX', 'CH', unpack(renewal))
end
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
local answer = { namespace.now_us + lease }
for i = 1, count do
  answer[i + 1] = held and not held[i] and 'lost' or ordered[i] or usual
end
return answer
