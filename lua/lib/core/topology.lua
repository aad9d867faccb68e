-- The topology: the partitions, of which this namespace is one, or none if it was never given one.
local topology = {}

function topology.key()
  return namespace.prefix .. 'topology'
end

-- What is stored: the version (0: nothing), the name of this partition, and those of all as JSON.
function topology.stored()
  local v = redis.call('HMGET', namespace.declare(topology.key()), 'version', 'partition', 'names')
  return tonumber(v[1] or 0), v[2] or '', v[3] or '[]'
end

-- The name of a partition. It has no colon: in the id of a task anywhere, PARTITION:ID, it ends at the first one.
function topology.name(value, what)
  if #value > contract.PARTITION_HIGH or not string.find(value, '^[%w._-]+$') then
    reply.fail('BADNAME', what .. ' must be 1 to ' .. contract.PARTITION_HIGH .. ' characters of A-Z a-z 0-9 . _ -')
  end
  return value
end

-- The next `count` arguments: the names of all partitions, each of them once and `own` among them, as JSON in the order
-- of their bytes.
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
