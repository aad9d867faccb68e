--- The keys of a queue that have limits of their own, or with `used 1` those whose tasks run.
-- @args now queue cursor limit
-- @options used
-- @reply next cursor (0 at the end), then for each key its name, places (`-`: the queue's setting), rate (also
--   `-`), places in use
-- @errors
namespace.open()
local queue, cursor, limit = contract.arguments()
local used = args.options().used
local own_limits, held = namespace.key('limits', queue), namespace.key('places', queue)
local page = redis.call('HSCAN', used and held or own_limits, cursor, 'COUNT', limit)
local answer = { page[1] }
for i = 1, #page[2], 2 do
  local key = used and string.match(page[2][i], '^k:(.+)$') or not used and page[2][i]
  if key then
    local own, rate = string.match(redis.call('HGET', own_limits, key) or '- -', '^(%S+) (%S+)$')
    for _, value in ipairs({ key, own, rate, redis.call('HGET', held, 'k:' .. key) or '0' }) do
      answer[#answer + 1] = value
    end
  end
end
return answer
