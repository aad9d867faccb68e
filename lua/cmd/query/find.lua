--- Ids of a queue's tasks that all options select, the latest first: by creation, or with `group` and without `tag`
--   by failure. Looks at 200 tasks. With the queue `*` of all queues, one queue after another.
-- @args now queue cursor limit
-- @options select.*
-- @reply next cursor (0 at the end), then ids
-- @errors TOOBIG
namespace.open()
local queue, cursor, limit = contract.arguments()
local options = args.options()
if cursor and (queue == '*') ~= (cursor.scan ~= nil) then
  reply.fail('BADARG', 'the cursor must be 0 or what the previous call for this queue returned')
elseif queue == '*' then
  return search.everywhere(options, cursor or { scan = '0', queue = '' }, limit)
end
local answer = { '0' }
answer[1] = search.collect(search.chosen(queue, options), cursor, limit, search.LOOKS, answer)
return answer
