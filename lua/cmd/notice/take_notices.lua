--- Takes due notices of targets, for their delivery: of each task and graph the first notice that is not delivered. A
--   notice that is not answered within 60 seconds is given to the next caller.
-- @args now limit count target*count
-- @role maintenance
-- @again goes on
-- @reply for each notice `task` or `graph`, its id, the number of the notice, the token for `answer_notice`, the
--   target, the event, its time, the number of attempts of the task, the state before, the cause, its author, the text,
--   the number of earlier tries, and from the record its queue, its title or name, and its method
-- @errors
namespace.open()
local limit, asked = contract.arguments()
local taken, gone = {}, {}
for _ = 1, asked do
  local target = args.plain(args.next('target'), 'target')
  notices.due(target, limit, taken, gone)
end
args.none()
if not (taken[1] or gone[1]) then
  return {}
end
namespace.begin()
local token, answer = string.format('%.0f', namespace.now_us), {}
local till = string.format('%.0f', namespace.now_us + notices.LEASE)
for _, entry in ipairs(gone) do
  redis.call('ZREM', entry.outbox, entry.owner)
end
for _, notice in ipairs(taken) do
  redis.call('HSET', notices.key(notice.owner), '/' .. notice.target, token .. ' ' .. notice.number)
  redis.call('ZADD', notice.outbox, till, notice.owner)
  reply.add(answer, notice.of, notice.subject, notice.number, token, notice.target, notice.event, notice.at,
    notice.attempt, notice.from, notice.why, notice.by, notice.text, notice.tries, notice.queue, notice.title,
    notice.method)
end
return answer
