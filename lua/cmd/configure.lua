--- Sets a setting of a queue, or of all queues that do not set it themselves: queue `*`. An empty value takes it back.
-- @args now queue name value
-- @reply `configured`
-- @errors
space.open()
local queue = args.next('queue')
local name, value = args.next('name'), args.next('value')
args.none()
local field = queue == '*' and 'settings' or 'settings:' .. args.plain(queue, 'queue')
if not settings.known(name) then
  reply.fail('BADARG', 'unknown setting: the contract lists them')
elseif value ~= '' then
  settings.check(name, value, 'the setting')
end

local text, kept = redis.call('HGET', space.meta, field) or '', {}
for other, set in string.gmatch(text, '(%S+)=(%S+)') do
  if other ~= name then
    kept[#kept + 1] = other .. '=' .. set
  end
end
if value ~= '' then
  kept[#kept + 1] = name .. '=' .. value
end
if queue ~= '*' then
  state.plan_wake(queue)
end
local limit = string.find(name, 'concurrency', 1, true) or string.find(name, 'rate$')
local others = limit and queue == '*' and redis.call('ZRANGE', space.touch(space.prefix .. 'queues'), 0, 499) or {}
space.begin()
if #kept > 0 then
  redis.call('HSET', space.meta, field, table.concat(kept, ' '))
else
  redis.call('HDEL', space.meta, field)
end
if limit then
  redis.call('HSET', space.meta, 'limits', '1')
  for _, other in ipairs(others) do
    redis.call('HSET', space.meta, 'sweep:' .. other, '0') -- `promote` lets go on what may
  end
  if queue ~= '*' then
    redis.call('HSET', space.meta, 'sweep:' .. queue, '0')
    state.wake(queue) -- a higher limit may let tasks go on
  end
end
return 'configured'
