--- Ends an attempt with its result.
-- @args now id token result
-- @options max_bytes
-- @reply `complete`
-- @errors LOST TOOBIG
owner.open()
local result = args.next('result')
args.bytes(result, args.max_bytes(), 'result')

local task, answer = owner.task({ complete = true })
return answer or owner.finish(task, 'complete', 'complete', { why = 'complete', fields = { 'result', result } })
