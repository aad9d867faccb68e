--- Adds tags to a task, in any state.
-- @args now id count tag*count
-- @role client
-- @reply all tags of the task
-- @errors NOTASK TOOMANY
namespace.open()
local id, asked = contract.arguments()
local names = tags.asked(asked)
local task, wanted = tags.read(id)
for _, tag in ipairs(names) do
  wanted[tag] = true
end
local count = 0
for _ in pairs(wanted) do
  count = count + 1
end
if count > contract.TAG_COUNT_HIGH then
  reply.fail('TOOMANY', 'a task has ' .. contract.TAG_COUNT_HIGH .. ' tags at most')
end
return tags.change(task, wanted)
