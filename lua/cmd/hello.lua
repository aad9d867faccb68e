--- Checks that server, schema and eviction policy suit; the first call of a client.
-- @args now
-- @reply schema, server time, 1 if the namespace holds data yet
-- @errors EVICTION SCHEMA
space.open()
args.none()
server.require()
return { space.SCHEMA, space.now, space.born and 1 or 0 }
