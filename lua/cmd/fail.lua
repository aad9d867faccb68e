--- Ends an attempt with an error. The task is retried, after a growing delay, until it has failed too often.
-- @args now id token error
-- @options group max_bytes again final cost
-- @reply `failed`, `retrying`, or `cancelled` if its cancel was asked for, or a newer task has replaced it
-- @errors LOST TOOBIG
namespace.open()
local id, token, text = contract.arguments()
local options = args.options()
if options.again and options.final then
  reply.fail('BADARG', 'again and final contradict each other')
end
args.bytes(text, options.max_bytes or contract.PAYLOAD_HIGH, 'error')

local task, failures = owner.task(id, token, 'failed retrying cancelled ', 'failures')
if not task then
  return failures -- the first reply
end
owner.alive(task)
failures, task.group, task.cost = tonumber(failures or 0) + 1, options.group, options.cost
local to, outcome = 'failed', 'failed'
if task.cancel then
  to, outcome, task.forget = 'cancelled', 'cancelled', { 'cancel', 'recall', 'error', 'group' }
elseif not options.final then
  local pause = retries.pause(task, failures, options.again)
  if pause then
    outcome, task.forget = 'retrying', { 'error', 'group', 'front', state.attempt_fields() }
    to = claims.state_after_release(task, retries.plan(task, pause))
    if to == 'cancelled' then
      outcome, task.forget = 'cancelled', nil
    end
  end
end
if to == 'failed' then
  if failures > 1 then
    task.forget = { 'last_error', 'last_group', 'recall' }
  end
  return retries.finish(task, to, outcome, 'fail', 'error', text, 'group', options.group or '', 'failures', failures)
end
-- Blueque has the field `error` only for a failed task.
return retries.finish(task, to, outcome, 'fail',
  'last_error', text, 'last_group', options.group or '', 'failures', failures, claims.cancel_reason(task))
