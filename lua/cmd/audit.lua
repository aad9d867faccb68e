--- Who changed what, after an entry: settings, limits, priorities, pauses, drains, cancels, retries, moves, deletions,
--   bulk actions, graphs and schedules; with `by`, `what` or `on` only those, among the next `limit` entries.
-- @args now after limit
-- @options by what on
-- @reply the last entry looked at (`after` again if there is none), 1 if entries right after `after` have been trimmed
--   and may have been missed, then for each its entry, at, by, what, of, on, before, after, detail
-- @errors
-- @since 0.2.0
namespace.open()
local after, limit = contract.arguments()
local options = args.options()
local key = audit.key()
local answer = { after, 0 }
-- The last entry is never trimmed: if `after` itself is gone, later entries exist and may have been trimmed, too.
if after ~= '0' and #redis.call('XRANGE', key, after, after) == 0 then
  answer[2] = 1
end
for _, entry in ipairs(redis.call('XRANGE', key, '(' .. after, '+', 'COUNT', limit)) do
  local v = entry[2]
  answer[1] = entry[1]
  if (options.by or v[4]) == v[4] and (options.what or v[6]) == v[6] and (options.on or v[10]) == v[10] then
    answer[#answer + 1] = entry[1]
    for i = 2, 16, 2 do
      answer[#answer + 1] = v[i] or ''
    end
  end
end
return answer
