--- Returns the changes of tracked tasks after an entry, in all queues: transitions, progress, checkpoints, requests to
--   cancel, requeues, notes, edits, and when tracking began and ended. With `id`, returns only changes of this task
--   among the next `limit` entries.
-- @args now after limit
-- @options id
-- @reply the last entry examined (`after` again if there is none), 1 if entries right after `after` have been trimmed
--   and may have been missed, then for each change: entry, id, queue, what, from, to, attempt, at, by, why, text
-- @errors
namespace.open()
local after, limit = contract.arguments()
local only = args.options().id
return streams.page(tracking.key(), after, limit, function(v)
  return not only or v[2] == only
end, 10)
