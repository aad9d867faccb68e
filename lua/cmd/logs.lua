--- A task's log from an entry on.
-- @args now id after limit
-- @reply id of the last entry (`after` again if there is none), then for each its time, attempt, source and text
-- @errors
space.open()
local id = args.plain(args.next('id'), 'id')
local after = args.entry(args.next('after'))
local limit = args.limit()
args.none()
return space.follow(space.key('log', id), after, limit)
