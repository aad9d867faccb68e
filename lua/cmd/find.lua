--- Ids of a queue's tasks that all options select, the latest first: by creation, or with `group` and without `tag`
--   by failure. Looks at 300 tasks.
-- @args now queue cursor limit
-- @options select.*
-- @reply next cursor (0 at the end), then ids
-- @errors TOOBIG
namespace.open()
local queue, cursor, limit = contract.arguments()
local chosen = search.chosen(queue, args.options())
local page, after = search.page(
  chosen.index, { backwards = true, cursor = cursor, score = chosen.high }, search.LOOKS)
local answer = { after }
for i = 1, #page, 2 do
  if chosen.low ~= '-inf' and tonumber(page[i + 1]) < tonumber(chosen.low) then
    answer[1] = '0'
    break
  end
  if search.matches(page[i], chosen) then
    answer[#answer + 1] = page[i]
  end
  if #answer > limit and (i < #page - 1 or after ~= '0') then
    answer[1] = search.after(page, i)
    break
  end
end
return answer
