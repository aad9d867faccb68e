--- Returns the audit entries after an entry. An audit entry records who changed what: settings, limits, priorities,
--   pauses, drains, cancels, retries, moves, deletions, bulk actions, graphs and schedules. With `by`, `what` or `on`,
--   returns only matching entries among the next `limit` entries.
-- @args now after limit
-- @options by what on
-- @reply the last entry examined (`after` again if there is none), 1 if entries right after `after` have been trimmed
--   and may have been missed, then for each change: entry, at, by, what, of, on, before, after, detail
-- @errors
namespace.open()
local after, limit = contract.arguments()
local options = args.options()
return streams.page(audit.key(), after, limit, function(v)
  return (options.by or v[4]) == v[4] and (options.what or v[6]) == v[6] and (options.on or v[10]) == v[10]
end)
