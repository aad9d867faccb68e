--- Checks that server, schema and eviction policy suit, and what this user may do; the first call of a client.
-- @args now
-- @reply schema, server time, 1 if the namespace holds data yet, the eviction policy or an empty string where this
--   user may not ask for it, 1 if the namespace is for tests, and what this user lacks: `NAME:COMMAND,COMMAND` for
--   each command of the bundle that it may not run, separated by spaces, with `messages:PUBLISH` where wake-ups and
--   orders come late
-- @errors EVICTION SCHEMA
namespace.open()
args.none()
if not string.find(namespace.meta, '{') then
  -- On a cluster one of these reads fails, and so the first call of a client: a later one might fail between two
  -- writes.
  for slot = 1, 16 do
    redis.call('HGET', namespace.prefix .. 'unmoved' .. slot, 'x')
  end
end
local policy = server.require()
local born = redis.call('HMGET', namespace.meta, 'schema', 'test')
return { namespace.SCHEMA, namespace.now, born[1] and 1 or 0, policy, born[2] and 1 or 0, rights.missing() }
