-- "Once more after this one": the round that a task begins when it has ended its present one, at most one. What the
-- call said of it is in a key of its own; the record has its request. `settle` begins it, after all that waited for the
-- task have been told of its end. A task without one has no `a` among its ties.
local encore = {}

function encore.key(id)
  return namespace.prefix .. 'further_' .. id
end

function encore.has(task)
  return task.ties and string.find(task.ties, 'a', 1, true)
end

-- Reads what the end of a task with a further round writes, or its removal. `further_shared`: the shared limits that
-- the round names.
function encore.plan_end(task, to)
  if to == 'deleted' then
    local key = namespace.declare(encore.key(task.id))
    task.edge_keys = task.edge_keys or {}
    task.edge_keys[#task.edge_keys + 1] = key
    task.further_shared = redis.call('HGET', key, '/limits') or nil
    if task.further_shared then
      shares.plan_count()
    end
  elseif not contract.is_final(task.status) then
    namespace.probe('ZCARD', edges.unsettled())
    task.unsettled = true
  end
end

-- The options of a submit as they were given, each after its name, but for those of the call itself.
function encore.options(last)
  local given = {}
  for i = last + 1, #ARGV, 2 do
    local name = ARGV[i]
    if not string.find(' again once_more by request max_bytes unique_policy ', ' ' .. name .. ' ', 1, true) then
      given[#given + 1], given[#given + 2] = '/' .. name, ARGV[i + 1]
    end
  end
  return given
end
