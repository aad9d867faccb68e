--- Reports the outcome of a delivery. A delivered notice is done, and the next notice of the task for the same target
--   is due. A failed notice is due again after a delay, which grows from 5 seconds to an hour; after three days it is
--   given up.
-- @args now of subject target token outcome answer
-- @role maintenance
-- @again `stale`
-- @reply `delivered`, `retrying` or `given_up`; `stale` if the notice was taken again or answered since
-- @errors TOOBIG
namespace.open()
local of, subject, target, token, outcome, answer = contract.arguments()
token = args.integer(token, contract.TOKEN_LOW, contract.TOKEN_HIGH, 'token')
local owner, outbox = notices.owner(of, subject), notices.outbox(target)
local key = notices.key(owner)
local others, failed = namespace.probe('ZCARD', outbox), namespace.probe('ZCARD', notices.given_up(target))
namespace.probe('SCARD', notices.all())
local found, low, high = notices.read(owner)
local held, number = string.match(found['/' .. target] or '', '^(%S+) (%S+)$')
local notice = held == string.format('%.0f', token) and notices.parse(found, tonumber(number))
if not notice then
  return 'stale'
end
local tries, at = tonumber(notice.tries) + 1, namespace.now_us
local stage, verdict = 'delivered', 'delivered'
if outcome == 'failed' then
  stage, verdict, at = 'open', 'retrying', at + notices.delay(tries)
  if namespace.now_us - tonumber(notice.at) * 1000000 > notices.GIVE_UP then
    stage, verdict, at = 'given_up', 'given_up', namespace.now_us
  end
end
found[number .. ':'] = table.concat({ stage, string.format('%d', tries), namespace.now,
  string.sub(answer, 1, notices.TEXT) }, ' ')
local more = notices.first_open(found, low, high, target)
local kept = redis.call('EXISTS', namespace.declare(notices.record(owner))) == 1
local last = not more and not kept and not notices.first_open(found, low, high)
local gives_up = kept and stage == 'given_up' and failed < notices.MOST
namespace.begin()
if last then
  redis.call('UNLINK', key)
else
  redis.call('HSET', key, number .. ':', found[number .. ':'])
  redis.call('HDEL', key, '/' .. target)
end
if more then
  redis.call('ZADD', outbox, string.format('%.0f', at), owner)
else
  redis.call('ZREM', outbox, owner)
end
if gives_up then
  redis.call('ZADD', notices.given_up(target), string.format('%.0f', at), owner)
elseif not more and others <= 1 and failed == 0 then
  redis.call('SREM', notices.all(), target)
end
return verdict
