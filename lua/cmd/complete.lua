--- Ends an attempt with its result.
-- @args now id token result
-- @options max_bytes cost
-- @reply `complete`; or if the result was discarded, `cancelled` if it was cancelled because of another task, `failed`
--   if it was told to stop because of its deadline
-- @errors LOST TOOBIG
local meta = redis.call('HMGET', namespace.meta, namespace.CLOCK, 'limits')
namespace.open_at(meta[1])
local id, token, result, cost = ARGV[2], ARGV[3], ARGV[4], nil
if not result then
  args.missing('id token result')
end
if ARGV[5] or #result > contract.PAYLOAD_HIGH then
  local options = args.options(4)
  args.bytes(result, options.max_bytes or contract.PAYLOAD_HIGH, 'result')
  cost = options.cost
end

local answer = ending.complete(id, token, result, cost, meta[2])
return answer
