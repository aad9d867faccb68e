--- Checks that server, schema and eviction policy suit; the first call of a client.
-- @args now
-- @reply schema, server time, 1 if the namespace holds data yet
-- @errors EVICTION SCHEMA
space.open()
args.none()
server.require()
return { space.SCHEMA, space.now, space.touched and space.touched.unborn and 0 or 1 }
