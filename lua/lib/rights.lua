-- Permissions: what the user of this connection may do. Redis rolls nothing back, so a command that is denied after
-- the first write would leave half a call: scripts ask first.
local rights = {}

-- The Redis commands that this script calls after its first write. These three values are filled in by build.rs.
rights.OWN = {}

-- Those of the calls that every listener needs.
rights.WORKER = {}

-- Those of every command: `NAME=REDIS COMMANDS;NAME=…`.
rights.ALL = ''

-- The first of these Redis commands that the user may not run on every key of the namespace.
function rights.denied(names)
  local may, any = redis.acl_check_cmd, namespace.prefix .. '*'
  if not may then
    return nil -- a server without ACLs in scripts
  end
  for _, name in ipairs(names) do
    if not may(name, name == 'XINFO' and 'STREAM' or any, any, any) then
      return name
    end
  end
end

function rights.refuse(name)
  reply.fail('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace.prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end

-- Fails if one of these commands is denied.
function rights.check(names)
  local name = rights.denied(names)
  if name then
    rights.refuse(name)
  end
end

-- Fails if a command that this script may need later is denied.
function rights.require()
  rights.check(rights.OWN)
end

-- The commands of the bundle that the user may not run, and the Redis commands that each lacks:
-- `NAME:COMMAND,COMMAND`, separated by spaces. Publishing is not required, but without it wake-ups and orders
-- arrive later.
function rights.missing()
  local denied, missing = {}, {}
  for name, calls in string.gmatch(rights.ALL, '([%l_]+)=([%u ]*)') do
    local lacks = {}
    for call in string.gmatch(calls, '%u+') do
      if denied[call] == nil then
        denied[call] = rights.denied({ call }) ~= nil
      end
      lacks[#lacks + 1] = denied[call] and call or nil
    end
    if #lacks > 0 then
      missing[#missing + 1] = name .. ':' .. table.concat(lacks, ',')
    end
  end
  local may = redis.acl_check_cmd
  if may and not may('PUBLISH', namespace.prefix .. '*', '') then
    missing[#missing + 1] = 'messages:PUBLISH'
  end
  return table.concat(missing, ' ')
end
