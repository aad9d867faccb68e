-- Permissions of the user of this connection. Redis rolls nothing back, so a command that is denied after the first
-- write leaves half a call. Therefore scripts check the permissions first.
local rights = {}

-- Role of the callers of this script: the end of the name of a key that they may write. No such key exists. Roles are
-- in capitals, and the names of all keys begin with a small letter. So a user of `~NAMESPACE_*` has all roles, and a
-- user of `~NAMESPACE_[a-z]* ~NAMESPACE_WORKER` has only the role of a worker. build.rs fills in this value and the
-- three values below.
rights.ROLE = ''

-- Redis commands that this script calls after its first write.
rights.OWN = {}

-- Redis commands of the calls that every listener needs.
rights.WORKER = {}

-- Redis commands and role of every command: `NAME/ROLE=REDIS COMMANDS;NAME/…`.
rights.ALL = ''

-- Returns the first of these Redis commands that the user may not run on the key of a role, or nil.
function rights.denied(names, role)
  local may, key = redis.acl_check_cmd, namespace.prefix .. role
  if not may then
    return nil -- a server without ACLs in scripts
  end
  for _, name in ipairs(names) do
    if not may(name, name == 'XINFO' and 'STREAM' or key, key, key) then
      return name
    end
  end
end

-- Fails because the user lacks a Redis command, or the role that the command needs.
function rights.refuse(name)
  local role = string.match(rights.ROLE, '^%u+$')
  if role and not rights.denied({ name }, 'meta') then
    reply.fail('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace.prefix .. '[a-z]* ~' .. namespace.prefix .. role .. '; nothing was changed')
  end
  reply.fail('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace.prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end

-- Fails if one of these commands is denied.
function rights.check(names)
  local name = rights.denied(names, rights.ROLE)
  if name then
    rights.refuse(name)
  end
end

-- Fails if a command that this script may need later is denied.
function rights.require()
  rights.check(rights.OWN)
end

-- Returns the commands of the bundle that the user may not run, and the Redis commands that each of them lacks:
-- `NAME:COMMAND,COMMAND`, separated by spaces. `roles:ROLE,ROLE` lists the roles that the user does not have; the
-- commands of these roles are left out. Publishing is not required, but without it wake-ups and orders arrive later.
function rights.missing()
  local denied, missing, others = {}, {}, {}
  for name, role, calls in string.gmatch(rights.ALL, '([%l_]+)/(%w+)=([%u ]*)') do
    local lacks = {}
    for call in string.gmatch(calls, '%u+') do
      local of = role .. call
      if denied[of] == nil then
        denied[of] = rights.denied({ call }, role) and (rights.denied({ call }, 'meta') or role) or false
      end
      if denied[of] == role then
        others[role] = true
      else
        lacks[#lacks + 1] = denied[of] or nil
      end
    end
    if #lacks > 0 then
      missing[#missing + 1] = name .. ':' .. table.concat(lacks, ',')
    end
  end
  local may = redis.acl_check_cmd
  -- A server without a command of this name, such as after a rename, returns an error.
  local known, allowed = pcall(may or tostring, 'PUBLISH', namespace.prefix .. '*', '')
  if may and not (known and allowed) then
    missing[#missing + 1] = 'messages:PUBLISH'
  end
  local roles = {}
  for role in pairs(others) do
    roles[#roles + 1] = role
  end
  if #roles > 0 then
    table.sort(roles)
    missing[#missing + 1] = 'roles:' .. table.concat(roles, ',')
  end
  return table.concat(missing, ' ')
end
