--- The records of up to 500 tasks.
-- @args now count id*count
-- @reply for each task its `id`, then field and value in turn, or `missing` if there is no such task; ends after 8 MiB:
--   call again for those that are not in it
-- @errors
-- @since 0.2.0
namespace.open()
local count = contract.arguments()
local ids = {}
for i = 1, count do
  ids[i] = args.plain(args.next('id'), 'id')
end
args.none()
local answer, bytes, whole = {}, 0, record.whole
for i = 1, count do
  local fields = whole(ids[i])
  answer[#answer + 1], answer[#answer + 2] = 'id', ids[i]
  if not fields then
    answer[#answer + 1], answer[#answer + 2] = 'missing', '1'
  end
  for _, value in ipairs(fields or {}) do
    answer[#answer + 1], bytes = value, bytes + #value
  end
  if bytes > record.BYTES then
    break
  end
end
return answer
