-- Deletes a task.
local deleting = {}

-- Deletes a finished task, or with `spec.waiting` also a waiting task.
function deleting.plan(task, spec)
  if record.held(task) or not (spec.waiting or contract.is_final(task.status)) then
    return actions.refuse(task, spec.waiting and contract.NOT_OWNED or contract.FINAL)
  elseif edges.is_needed(task) then
    return 'STATE', 'tasks that wait for this one do not have its result yet: a worker gives it to them soon'
  end
  actions.plan(task, 'deleted', spec)
end

function deleting.delete(task, spec)
  state.move(task, 'deleted', spec.waiting and 'purge' or 'delete', '')
end
