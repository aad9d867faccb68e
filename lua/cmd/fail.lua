--- Ends an attempt with an error. A task whose cancel was asked for becomes cancelled.
-- @args now id token error
-- @options group max_bytes
-- @reply `failed` or `cancelled`
-- @errors LOST TOOBIG
owner.open()
local text = args.next('error')
local options = args.options({ group = args.plain, max_bytes = args.size })
args.bytes(text, options.max_bytes, 'error')

local task, answer = owner.task({ failed = true, cancelled = true }, 'failures')
if answer then
  return answer
end
local to = task.cancel and 'cancelled' or 'failed'
return owner.finish(task, to, to, {
  why = 'fail',
  fields = { 'error', text, 'group', options.group or '', 'failures', tonumber(task.extra or 0) + 1 },
})
