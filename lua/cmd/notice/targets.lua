--- Lists the targets with notices that are not delivered, by name.
-- @args now
-- @reply for each target its name, the number of tasks and graphs with open notices, when the next of these notices is
--   due, and the number of tasks and graphs with notices that were given up
-- @errors
namespace.open()
args.none()
local answer = {}
local names = redis.call('SMEMBERS', notices.all())
table.sort(names, args.before)
for _, name in ipairs(names) do
  local outbox = notices.outbox(name)
  local open, given_up = redis.call('ZCARD', outbox), redis.call('ZCARD', notices.given_up(name))
  if open + given_up > 0 then
    local due = redis.call('ZRANGE', outbox, 0, 0, 'WITHSCORES')[2]
    reply.add(answer, name, open, due and namespace.decimal(due) or '', given_up)
  end
end
return answer
