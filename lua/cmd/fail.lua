--- Ends an attempt with an error. A task whose cancel was asked for becomes cancelled.
-- @args now id token error
-- @options group max_bytes
-- @reply `failed` or `cancelled`
-- @errors LOST TOOBIG
space.open()
local id, token, text = args.next('id'), args.next('token'), args.next('error')
local options = args.options({ group = args.plain, max_bytes = args.size })
args.bytes(text, options.max_bytes, 'error')

local task, failures = owner.task(id, token, 'failed cancelled ', 'failures')
if not task then
  return failures -- the first answer
end
local to = task.cancel and 'cancelled' or 'failed'
return owner.finish(task, to, to, 'fail',
  'error', text, 'group', options.group or '', 'failures', tonumber(failures or 0) + 1)
