-- The topology: the names of all partitions, including this namespace. A namespace that was never given a topology has
-- none.
local topology = {}

function topology.key()
  return namespace.prefix .. 'topology'
end

-- Returns the stored topology: its version (0 if there is none), the name of this partition, and the names of all
-- partitions as JSON.
function topology.stored()
  local v = redis.call('HMGET', namespace.declare(topology.key()), 'version', 'partition', 'names')
  return tonumber(v[1] or 0), v[2] or '', v[3] or '[]'
end

-- Checks the name of a partition. A name has no colon: in the full id of a task, PARTITION:ID, the name ends at the
-- first colon.
function topology.name(value, what)
  if #value > contract.PARTITION_HIGH or not string.find(value, '^[%w._-]+$') then
    reply.fail('BADNAME', what .. ' must be 1 to ' .. contract.PARTITION_HIGH .. ' characters of A-Z a-z 0-9 . _ -')
  end
  return value
end

-- Reads the next `count` arguments as the names of all partitions. Fails if a name occurs twice or `own` is missing.
-- Returns the names as JSON, ordered by their bytes.
function topology.names(count, own)
  local names, named = {}, {}
  for i = 1, count do
    local name = topology.name(args.next('member'), 'member')
    if named[name] then
      reply.fail('BADARG', 'a partition is named twice')
    end
    names[i], named[name] = name, true
  end
  if not named[own] then
    reply.fail('BADARG', 'partition must be one of the members')
  end
  table.sort(names, args.before)
  return '["' .. table.concat(names, '","') .. '"]'
end
