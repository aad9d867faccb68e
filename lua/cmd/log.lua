--- Appends to a task's log, for whoever watches: its last 64 entries are kept, for a day.
-- @args now id token source text
-- @options offset
-- @reply id of the entry
-- @errors LOST TOOBIG
space.open()
local id, token = args.next('id'), args.next('token')
local source = args.plain(args.next('source'), 'source')
local text = args.bytes(args.next('text'), 65536, 'text')
local offset = args.options({ offset = function(value, what) return args.integer(value, 0, 9007199254740991, what) end }).offset
local task = owner.task(id, token, '')
local log = space.key('log', id)
space.probe('XLEN', log)
space.begin()
local entry = redis.call('XADD', log, 'MAXLEN', '64', '*', 'at', space.now, 'attempt', task.attempt, 'source', source, 'text', text,
  unpack(offset and { 'offset', string.format('%.0f', offset) } or {}))
redis.call('EXPIRE', log, '86400')
return entry
