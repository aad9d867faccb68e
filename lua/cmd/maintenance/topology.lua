--- Returns the stored topology: the partition that this namespace is, and the names of all partitions.
-- @args now
-- @reply version of the topology (0 if none is stored); the name of this partition (empty if none is stored); then the
--   names of all partitions
-- @errors
namespace.open()
args.none()
local version, own, names = topology.stored()
local answer = { version, own }
for name in string.gmatch(names, '"([^"]+)"') do
  answer[#answer + 1] = name
end
return answer
