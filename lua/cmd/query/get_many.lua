--- Returns the records of up to 500 tasks, each with its id. The reply ends after 8 MiB: call again for the tasks that
--   are not in it.
-- @args now count id*count
-- @reply for each task its `id`, then field and value in turn, or `missing` if there is no such task
-- @errors
namespace.open()
local count = contract.arguments()
local ids = {}
for i = 1, count do
  ids[i] = args.plain(args.next('id'), 'id')
end
args.none()
local answer, at, bytes, whole = {}, 0, 0, graphs.whole
for i = 1, count do
  local fields = whole(ids[i]) or { 'missing', '1' }
  answer[at + 1], answer[at + 2] = 'id', ids[i]
  at = at + 2
  for n = 1, #fields do
    local value = fields[n]
    answer[at + n], bytes = value, bytes + #value
  end
  at = at + #fields
  if bytes > record.BYTES then
    break
  end
end
return answer
