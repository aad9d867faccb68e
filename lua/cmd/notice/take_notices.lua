--- Takes due notices of targets, for their delivery: of each task the first notice that is not delivered. A notice that
--   is not answered within 60 seconds is given to the next caller.
-- @args now limit count target*count
-- @role maintenance
-- @again other notices
-- @reply for each notice its task, its number, the token for `answer_notice`, its target, the event, its time, the
--   number of attempts of the task, the state before, the cause, its author, the text, the number of earlier tries, and
--   from the record of the task its queue, its title and its method
-- @errors
namespace.open()
local limit, asked = contract.arguments()
local taken, gone = {}, {}
for _ = 1, asked do
  local target = args.plain(args.next('target'), 'target')
  for _, entry in ipairs(notices.due(target, limit, taken)) do
    gone[#gone + 1] = entry
  end
end
args.none()
if not (taken[1] or gone[1]) then
  return {}
end
namespace.begin()
local token, answer = string.format('%.0f', namespace.now_us), {}
local till = string.format('%.0f', namespace.now_us + notices.LEASE)
for _, entry in ipairs(gone) do
  redis.call('ZREM', entry.outbox, entry.id)
end
for _, notice in ipairs(taken) do
  redis.call('HSET', notices.key(notice.id), '/' .. notice.target, token .. ' ' .. notice.number)
  redis.call('ZADD', notice.outbox, till, notice.id)
  reply.add(answer, notice.id, notice.number, token, notice.target, notice.event, notice.at, notice.attempt,
    notice.from, notice.why, notice.by, notice.text, notice.tries, notice.queue, notice.title, notice.method)
end
return answer
