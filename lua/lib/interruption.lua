-- An attempt that ended without its owner: what becomes of the task.
local interruption = {}

-- Where a held task goes: cancelled if that was asked for, failed past its cap, else `back`,
-- or cancelled too where a newer task has taken its place.
function interruption.target(task, back, max_losses, losses)
  task.losses = tonumber(losses or 0) + 1
  if task.cancel then
    return 'cancelled'
  end
  task.group = 'lost'
  if task.losses > tonumber(max_losses or settings.get(task.queue, 'max_losses')) then
    return 'failed'
  end
  return back == 'pending' and bonds.back(task, back) or back
end

-- Ends the attempt of a planned task. Back in the queue it goes to the front: it had its turn.
function interruption.move(task, to, why)
  local more = {}
  if to == 'failed' then
    more = { 'group', 'lost', 'error', 'lost ' .. task.losses .. ' times: its owners stopped reporting' }
  elseif to == 'pending' then
    task.front, task.forget, more = true, { state.attempt_fields() }, { 'front', '1' }
  elseif task.replaced then
    more = { bonds.because(task) }
  end
  state.move(task, to, why, '',
    'token', '', 'ended', task.token, 'outcome', 'lost', 'losses', task.losses, unpack(more))
  orders.announce(task.queue)
end
