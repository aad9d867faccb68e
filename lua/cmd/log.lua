--- Appends to a task's log, for whoever watches: its last 64 entries are kept, for a day.
-- @args now id token source text
-- @reply id of the entry
-- @errors LOST TOOBIG
space.open()
local id, token = args.next('id'), args.next('token')
local source = args.plain(args.next('source'), 'source')
local text = args.bytes(args.next('text'), 8192, 'text')
args.none()
local task = owner.task(id, token, '')
local log = space.key('log', id)
space.probe('XLEN', log)
space.begin()
local entry = redis.call('XADD', log, 'MAXLEN', '64', '*',
  'at', space.now, 'attempt', task.attempt, 'source', source, 'text', text)
redis.call('EXPIRE', log, '86400')
return entry
