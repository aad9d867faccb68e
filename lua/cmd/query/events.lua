--- Returns the transitions of a queue's tasks after an event. With `id`, returns only transitions of this task among
--   the next `limit` events.
-- @args now queue after limit
-- @options id
-- @reply the last event examined (`after` again if there is none), 1 if events right after `after` have been trimmed
--   and may have been missed, then for each transition: event, id, from, to, attempt, at, by, why, since
-- @errors
namespace.open()
local queue, after, limit = contract.arguments()
local only = args.options().id
return streams.page(namespace.key('events', queue), after, limit, function(v)
  return not only or v[2] == only
end, 8, event_entries.read)
