--- Lists the keys of a queue that have limits of their own, or with `used 1` the keys whose tasks are running. With
--   queue `*`, lists the shared limits.
-- @args now queue cursor limit
-- @options used
-- @reply next cursor (0 at the end), then for each key or shared limit: its name, its places (`-`: the queue's
--   setting), its rate (also `-`), its places in use, the number of unfinished tasks that list the shared limit, and
--   its `expires`; the last two are `-` if they do not apply
-- @errors
namespace.open()
local queue, cursor, limit = contract.arguments()
local used = args.options().used
local own_limits, held, prefix = namespace.key('limits', queue), namespace.key('places', queue), 'k:'
if queue == '*' then
  own_limits, held, prefix = shared_limits.key('limits'), shared_limits.key('places'), ''
end
local page = redis.call('HSCAN', used and held or own_limits, cursor, 'COUNT', limit)
local answer = { page[1] }
for i = 1, #page[2], 2 do
  local key = used and string.match(page[2][i], '^' .. prefix .. '(.+)$') or not used and page[2][i]
  if key then
    local own, rate = string.match(redis.call('HGET', own_limits, key) or '- -', '^(%S+) (%S+)$')
    local tasks, expires = '-', '-'
    if queue == '*' then
      tasks = redis.call('HGET', shared_limits.key('tasks'), key) or '0'
      expires = redis.call('HGET', shared_limits.key('expires'), key) or '-'
    end
    reply.add(answer, key, own, rate, redis.call('HGET', held, prefix .. key) or '0', tasks, expires)
  end
end
return answer
