--- Runs a failed or cancelled task again, with its counts of failures and losses at zero.
-- @args now id
-- @options fresh
-- @reply `pending`
-- @errors NOTASK STATE
space.open()
local id = args.next('id')
local options = args.options({ fresh = args.flag })

local task = record.get(id, 'outcome')
if task.status == 'pending' and task.extra[1] == 'retry' then
  return 'pending' -- sent again after a lost reply
end
if task.status ~= 'failed' and task.status ~= 'cancelled' then
  record.refuse(task.status)
end
local forget = { 'error', 'group', 'reason', state.attempt_fields() }
if options.fresh then
  forget[#forget + 1] = 'checkpoint'
  forget[#forget + 1] = 'checkpointed'
end
task.forget = forget
local stale = {}
if task.token ~= '' then
  stale = { 'token', '', 'ended', task.token } -- a client without scripts ended the attempt and left it
end
state.plan(task, 'pending')
space.begin()
state.move(task, 'pending', 'retry', '',
  'failures', '0', 'losses', '0', 'releases', '0', 'outcome', 'retry', unpack(stale))
state.wake(task.queue)
return 'pending'
