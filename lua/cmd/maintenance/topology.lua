--- The topology that is stored: which partition this namespace is, and the names of all.
-- @args now
-- @reply its version, 0 if there is none; the name of this partition, empty if there is none; then the names of all
-- @errors
namespace.open()
args.none()
local version, own, names = topology.stored()
local answer = { version, own }
for name in string.gmatch(names, '"([^"]+)"') do
  answer[#answer + 1] = name
end
return answer
