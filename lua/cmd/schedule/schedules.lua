--- Lists the schedules of the namespace, by their next slot.
-- @args now cursor limit
-- @reply next cursor (0 at the end), then for each schedule: its name, queue, recurrence, state (`active paused ended
--   dry`), next slot, tasks created, slots skipped, slots passed over, last task, last error, and of its tasks the
--   title and the arguments of the command line; values that do not apply are empty
-- @errors
namespace.open()
local cursor, limit = contract.arguments()
local page = redis.call('ZRANGE', namespace.prefix .. 'schedules', cursor, cursor + limit - 1)
local answer = { #page < limit and '0' or string.format('%.0f', cursor + limit) }
for _, name in ipairs(page) do
  local v = redis.call('HMGET', namespace.key('schedule', name),
    'queue', 'recurrence', 'next', 'made', 'skipped', 'passed', 'last_task', 'error', 'paused', 'ended', 'options')
  if v[1] then
    local options = schedules.values(v[11] or '')
    reply.add(answer, name, v[1], v[2], schedules.state(v[9], v[10], v[3]), v[3] or '', v[4], v[5], v[6], v[7] or '',
      v[8] or '', options.title or '', args.argv(options.command) or '')
  end
end
return answer
