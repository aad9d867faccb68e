--- Stores the topology: the partition that this namespace is from now on, and the names of all partitions. `former` is
--   the version that the caller has read, or 0 if none is stored. The call is refused if another client has changed the
--   topology since, or if the new version is not greater.
-- @args now former version partition count member*count
-- @role administrator
-- @options by
-- @reply `stored`
-- @errors TOPOLOGY
namespace.open()
local former, version, partition, count = contract.arguments()
local names = topology.names(count, partition)
local by = args.options().by
if version <= former then
  reply.fail('BADARG', 'version must be greater than former')
end
local stored, own, known = topology.stored()
if own ~= '' and own ~= partition then
  reply.fail('TOPOLOGY', 'this namespace is the partition ' .. own .. ', and ids of tasks have that name: give it this'
    .. ' name in the topology, or correct the address')
elseif stored == version and known == names then
  return 'stored'
elseif stored ~= former then
  reply.fail('TOPOLOGY', string.format('the stored topology has version %.0f: read it with topology, then repeat the'
    .. ' call with that version as former', stored))
end
audit.plan()
namespace.begin()
local before, after = string.format('%.0f', stored), string.format('%.0f', version)
redis.call('HSET', topology.key(), 'version', after, 'partition', partition, 'names', names)
audit.add(by, 'set_topology', 'namespace', '', before, after, names)
return 'stored'
