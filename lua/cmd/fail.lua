--- Ends an attempt with an error. The task is tried again while its failures are within its cap, after a pause that grows.
-- @args now id token error
-- @options group max_bytes again final
-- @reply `failed`, `retrying`, or `cancelled` where its cancel was asked for
-- @errors LOST TOOBIG
space.open()
local id, token, text = args.next('id'), args.next('token'), args.next('error')
local options = args.options({
  group = args.plain, max_bytes = args.size, final = args.flag,
  again = function(value, what) return args.seconds(value, 0, 31536000, what) end,
})
if options.again and options.final then
  reply.fail('BADARG', 'again and final contradict each other')
end
args.bytes(text, options.max_bytes, 'error')

local task, failures = owner.task(id, token, 'failed retrying cancelled ', 'failures')
if not task then
  return failures -- the first answer
end
failures, task.group = tonumber(failures or 0) + 1, options.group
local to, outcome = 'failed', 'failed'
if task.cancel then
  to, outcome = 'cancelled', 'cancelled'
elseif not options.final then
  local pause = retries.pause(task, failures, options.again)
  if pause then
    outcome, task.forget = 'retrying', { state.attempt_fields() }
    to = retries.plan(task, pause)
  end
end
return retries.finish(task, to, outcome, 'fail',
  'error', text, 'group', options.group or '', 'failures', failures)
