--- Checks the server, the schema, the eviction policy and the permissions of this user. Clients call it first.
-- @args now
-- @reply schema; server time; 1 if the namespace holds data; the eviction policy, or an empty string if this user may
--   not read it; 1 if the namespace is for tests; and the permissions that this user lacks: `NAME:COMMAND,COMMAND` for
--   each command of the bundle that this user may not run, separated by spaces, and `messages:PUBLISH` if wake-ups and
--   orders will be late
-- @errors EVICTION SCHEMA
namespace.open()
args.none()
if not string.find(namespace.meta, '{') then
  -- On a cluster one of these reads fails, and so does the first call of a client. Without these reads a later call
  -- might fail between two writes.
  for slot = 1, 16 do
    redis.call('HGET', namespace.prefix .. 'unmoved' .. slot, 'x')
  end
end
local policy = server.require()
local born = redis.call('HMGET', namespace.meta, 'schema', 'test')
return { namespace.SCHEMA, namespace.now, born[1] and 1 or 0, policy, born[2] and 1 or 0, rights.missing() }
