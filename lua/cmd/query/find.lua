--- Finds the ids of a queue's tasks that match all options, newest first: by creation, or with `group` and without
--   `tag` by failure. A call examines up to 200 tasks. The queue `*` stands for all queues, one after another.
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
