-- The listeners of a queue: Blueque's set, its count in the zset of queues, and
-- when each was last heard of.
local listeners = {}

-- @cold
function listeners.require(queue, listener)
  if redis.call('SISMEMBER', space.prefix .. 'listeners_' .. queue, listener) == 0 then
    args.plain(queue, 'queue')
    args.listener(listener)
    space.here(space.prefix .. 'listeners_' .. queue)
    reply.fail('NOLISTENER', 'this listener is not registered on the queue: register it, then send the call again')
  end
end

-- What a listener has: NAME or NAME=NUMBER, separated by commas; nothing for none.
-- @cold
function listeners.known(value, what)
  local number = 0
  for one in string.gmatch(value == '' and '' or string.sub(value, 1, 1025) .. ',', '([^,]*),') do
    local name, amount = string.match(one, '^([%w_.-]+)(.*)$')
    number = number + 1
    if not name or #name > 64 or #amount > 17 or amount ~= '' and not string.find(amount, '^=%d+%.?%d*$') then
      reply.fail('BADARG', what .. ' must be names, each with = and a number or without, separated by commas')
    end
  end
  if number > 32 or #value > 1024 then
    reply.fail('BADARG', what .. ' may be 32 at most, in 1024 characters')
  end
  return value
end

function listeners.probe(queue)
  space.probe('SCARD', space.key('listeners', queue))
  space.probe('ZCARD', space.key('seen', queue))
  space.probe('HLEN', space.key('orders', queue))
  space.probe('HLEN', space.key('has', queue))
  space.probe('ZCARD', space.prefix .. 'queues')
end

-- @cold
function listeners.seen(queue, listener)
  redis.call('ZADD', space.key('seen', queue), space.now, listener)
end

function listeners.remove(queue, listener)
  redis.call('HDEL', space.key('has', queue), listener)
  redis.call('ZREM', space.key('seen', queue), listener)
  redis.call('HDEL', space.key('orders', queue), 'l:' .. listener)
  local removed = redis.call('SREM', space.key('listeners', queue), listener)
  if removed == 1 then
    redis.call('ZINCRBY', space.prefix .. 'queues', -1, queue)
  end
  return removed
end
