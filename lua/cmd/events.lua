--- A queue's transitions from an event on.
-- @args now queue after limit
-- @reply id of the last event (`after` again if there is none), then for each id, from, to, attempt, at, by, why
-- @errors
space.open()
local queue = args.plain(args.next('queue'), 'queue')
local after = args.entry(args.next('after'))
local limit = args.limit()
args.none()
return space.follow(space.key('events', queue), after, limit)
