-- Queued reruns (option `once_more`): a task has at most one queued rerun, which begins after its current run has
-- ended. The options of the rerun are in a separate key; the record has its request. `run_deferred` begins the rerun
-- after all dependents of the task have been notified of its end. A task without a queued rerun has no `a` in its
-- flags.
local queued_round = {}

function queued_round.key(id)
  return namespace.prefix .. 'next_round_' .. id
end

function queued_round.has(task)
  return task.flags and string.find(task.flags, 'a', 1, true)
end

-- Plans the end or the removal of a task with a queued rerun. `next_shared`: the shared limits that the rerun names.
function queued_round.plan_end(task, to)
  if to == 'deleted' then
    local key = namespace.declare(queued_round.key(task.id))
    task.edge_keys = task.edge_keys or {}
    task.edge_keys[#task.edge_keys + 1] = key
    task.next_shared = redis.call('HGET', key, '/limits') or nil
    if task.next_shared then
      shared_count.plan()
    end
  elseif not contract.is_final(task.status) then
    namespace.probe('ZCARD', edges.deferred())
    task.deferred = true
  end
end

-- Returns the options of a submit as given, each after its name, except the options of the call itself.
function queued_round.options(last)
  local given = {}
  for i = last + 1, #ARGV, 2 do
    local name = ARGV[i]
    if not string.find(' again once_more by request max_bytes unique_policy ', ' ' .. name .. ' ', 1, true) then
      given[#given + 1], given[#given + 2] = '/' .. name, ARGV[i + 1]
    end
  end
  return given
end
