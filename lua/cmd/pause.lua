--- Stops a queue from giving out tasks; what runs goes on.
-- @args now queue by reason
-- @reply `paused`
-- @errors TOOBIG
space.open()
local queue = args.plain(args.next('queue'), 'queue')
local by = args.plain(args.next('by'), 'by')
local reason = args.text(args.next('reason'), 'reason')
args.none()
space.begin()
redis.call('HSET', space.meta, 'paused:' .. queue, space.now .. ' ' .. by .. ' ' .. reason)
return 'paused'
