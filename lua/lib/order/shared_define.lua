-- Definition of shared limits: setting and removing a limit, and the removal of limits that were not used for their
-- `expires`.
local shared_define = {}

-- Maximum number of shared limits of a namespace.
shared_define.MOST = 10000

-- Maximum number of unused limits that are removed in a call.
shared_define.REMOVED = 16

function shared_define.plan_remove(name, waits)
  for _, member in ipairs(waits) do
    shared_turns.probe(member)
  end
  namespace.probe('HLEN', shared_limits.key('limits'))
  namespace.probe('HLEN', shared_limits.key('waits'))
  namespace.probe('ZCARD', shared_limits.key('turns', name))
  namespace.probe('LLEN', shared_limits.key('rate', name))
  shared_count.plan()
  audit.plan()
end

-- Removes a limit. `waits`: classes in its order that have no task to take. These classes are removed from the orders
-- of all limits.
function shared_define.remove(name, waits)
  redis.call('HDEL', shared_limits.key('limits'), name)
  redis.call('HDEL', shared_limits.key('expires'), name)
  redis.call('ZREM', shared_limits.key('idle'), name)
  shared_turns.forget(waits)
  redis.call('UNLINK', shared_limits.key('turns', name), shared_limits.key('rate', name))
end

-- Returns the limits whose time without use has passed. A limit is `used` if something uses it despite the stored
-- number of users, or if that number was `corrected`. Then its time without use begins again.
function shared_define.plan_expired(corrected)
  local expired = {}
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', namespace.declare(shared_limits.key('idle')), '-inf',
    string.format('%.0f', namespace.now_us), 'LIMIT', 0, shared_define.REMOVED)) do
    local waits, queue = shared_turns.waiting(name)
    local one = { name = name, waits = waits, before = redis.call('HGET', shared_limits.key('limits'), name) }
    one.used = queue or corrected[name] or redis.call('HGET', namespace.declare(shared_limits.key('places')), name)
      or redis.call('HGET', shared_limits.key('tasks'), name)
    shared_define.plan_remove(name, waits)
    expired[#expired + 1] = one
  end
  return expired
end

function shared_define.expire(expired)
  for _, one in ipairs(expired) do
    if one.used then
      redis.call('ZREM', shared_limits.key('idle'), one.name)
      shared_count.begin_idle(one.name)
    else
      shared_define.remove(one.name, one.waits)
      audit.add('', 'limit', 'shared', one.name, one.before or '', '- -', 'nobody used it')
    end
  end
end

-- Sets a shared limit, or removes it if it has neither places nor a rate. `expires`: seconds without use after which
-- the limit is removed.
function shared_define.define(name, places, rate, expires, by)
  if not string.find(name, '^[%w_.-]+$') or #name > contract.NEED_HIGH then
    reply.fail('BADNAME', 'the name of a shared limit must be 1 to ' .. contract.NEED_HIGH
      .. ' characters of A-Z a-z 0-9 _ . -')
  end
  local own, unset = shared_limits.key('limits'), places == '-' and rate == '-'
  if unset and expires then
    reply.fail('BADARG', 'expires needs a concurrency or a rate: a limit without either is removed at once')
  end
  local before, after = redis.call('HGET', own, name) or '- -', places .. ' ' .. rate
  local kept = redis.call('HGET', shared_limits.key('expires'), name) or nil
  expires = expires and string.format('%d', expires)
  local waits, queue = {}, nil
  if unset then
    waits, queue = shared_turns.waiting(name)
  end
  if unset and (redis.call('HGET', namespace.declare(shared_limits.key('places')), name)) then
    reply.fail('NOTEMPTY', 'attempts have places of this limit: wait until they have ended')
  elseif queue then
    reply.fail('NOTEMPTY', 'tasks of the queue ' .. queue .. ' wait for this limit: edit or cancel them first')
  end
  if not unset and before == '- -' and redis.call('HLEN', own) >= shared_define.MOST then
    reply.fail('TOOMANY', 'there are ' .. shared_define.MOST .. ' shared limits already')
  end
  if not unset then
    shared_turns.plan_wakes(name, '', 100)
  end
  shared_define.plan_remove(name, waits)
  local idle = not redis.call('HGET', shared_limits.key('tasks'), name)
  namespace.begin(nil, own)
  if unset then
    shared_define.remove(name, waits)
  else
    redis.call('HSET', own, name, after)
    if rate ~= '-' and string.match(before, '(%S+)$') == '-' then
      redis.call('UNLINK', shared_limits.key('rate', name)) -- earlier starts do not count
    end
    shared_define.keep(name, expires, idle)
    shared_turns.wake(name, '')
  end
  if before ~= after or kept ~= expires then
    audit.add(by, 'limit', 'shared', name, before .. shared_define.told(kept), after .. shared_define.told(expires))
  end
  return 'limited'
end

-- Stores how long an unused limit is kept. `idle`: true if the limit is unused now.
function shared_define.keep(name, expires, idle)
  redis.call('ZREM', shared_limits.key('idle'), name)
  if not expires then
    redis.call('HDEL', shared_limits.key('expires'), name)
    return
  end
  redis.call('HSET', shared_limits.key('expires'), name, expires)
  if idle then
    shared_count.begin_idle(name)
  end
end

function shared_define.told(expires)
  return expires and ' expires ' .. expires or ''
end
