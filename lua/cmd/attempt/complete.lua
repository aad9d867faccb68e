--- Ends an attempt with its result. The task is complete, or continues with its next step in another queue.
-- @args now id token result
-- @role worker
-- @options max_bytes cost next parameters eta unset task.stored
-- @reply `complete`; if the result was discarded: `cancelled` if another task caused a cancel of the task, or the task
--   was cancelled before a further step; `failed` if the attempt was ordered to stop because of the task's deadline
-- @errors LOST TOOBIG OVERDUE task.*
local meta = redis.call('HMGET', namespace.meta, namespace.CLOCK, 'limits')
namespace.open_at(meta[1])
local id, token, result, cost, asked = ARGV[2], ARGV[3], ARGV[4], nil, nil
if not result then
  args.missing('id token result')
end
if ARGV[5] or #result > contract.PAYLOAD_HIGH then
  local options = args.options(4)
  args.bytes(result, options.max_bytes or contract.PAYLOAD_HIGH, 'result')
  cost, asked = options.cost, steps.asked(options)
end

local answer = ending.complete(id, token, result, cost, meta[2], asked)
return answer
