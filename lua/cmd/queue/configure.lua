--- Sets a setting of a queue, or with queue `*` the default for all queues. An empty value removes the setting.
-- @args now queue name value
-- @role administrator
-- @options by
-- @reply `configured`
-- @errors
namespace.open()
local queue, name, value = contract.arguments()
local by = args.options().by
local field = queue == '*' and 'settings' or 'settings:' .. queue
if not args.among(name, contract.SETTINGS) then
  reply.fail('BADARG', args.named('unknown setting', name) .. ': the contract lists all settings')
elseif value ~= '' then
  contract.setting(name, value, 'the setting ' .. name)
end
if queue ~= '*' and args.among(name, contract.ALL_QUEUES) then
  reply.fail('BADARG', name .. ' is for all queues together: set it with the queue *')
end

local found = redis.call('HMGET', namespace.meta, field, 'limits')
local rate, begins, kept = string.find(name, 'rate$'), nil, {}
for other, set in string.gmatch(found[1] or '', '(%S+)=(%S+)') do
  if other ~= name and other ~= name .. '_since' then
    kept[#kept + 1] = other .. '=' .. set
  end
end
if value ~= '' then
  kept[#kept + 1] = name .. '=' .. value
  local since = settings.find(found[1], name .. '_since')
  if rate and not settings.find(found[1], name) then
    begins = queue == '*' or not settings.get(queue, name)
    -- Starts before this time do not count.
    since = string.format('%.0f', begins and namespace.now_us or settings.since(queue, name))
  end
  kept[#kept + 1] = since and name .. '_since=' .. since or nil
end
if queue ~= '*' then
  wakeups.plan(queue)
end
local limit = rate or string.find(name, 'concurrency')
local before = settings.find(found[1], name) or ''
audit.plan()
namespace.begin()
namespace.write_when_full(namespace.meta)
if begins then
  namespace.advance_clock(string.format('%.0f', namespace.now_us)) -- no later start gets an earlier time
end
if #kept > 0 then
  redis.call('HSET', namespace.meta, field, table.concat(kept, ' '))
else
  redis.call('HDEL', namespace.meta, field)
end
if limit and queue == '*' and before ~= value then
  redis.call('HINCRBY', namespace.meta, 'limits', 1) -- `promote` of each queue lets tasks start
elseif limit and not found[2] then
  redis.call('HSET', namespace.meta, 'limits', '1')
end
if limit and queue ~= '*' then
  redis.call('HSET', namespace.meta, 'sweep:' .. queue, '0')
end
if queue ~= '*' and (limit or name == 'ageing') then
  wakeups.wake(queue) -- a higher limit, or another order, may let tasks start
end
if before ~= value then
  audit.add(by, 'configure', 'queue', queue, before, value, name)
end
return 'configured'
