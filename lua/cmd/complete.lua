--- Ends an attempt with its result.
-- @args now id token result
-- @options max_bytes
-- @reply `complete`
-- @errors LOST TOOBIG
space.time(redis.call('HGET', space.meta, space.CLOCK))
local id, token, result = ARGV[2], ARGV[3], ARGV[4]
if not result then
  args.missing('id token result')
end
if ARGV[5] or #result > 1048576 then
  args.bytes(result, args.options({ max_bytes = args.size }, 4).max_bytes, 'result')
end

local task, answer = owner.task(id, token, 'complete ')
if not task then
  return answer
end
return owner.finish(task, 'complete', 'complete', 'complete', 'result', result)
