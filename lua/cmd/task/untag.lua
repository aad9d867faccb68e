--- Removes tags from a task, in any state.
-- @args now id count tag*count
-- @role client
-- @reply the remaining tags of the task
-- @errors NOTASK
namespace.open()
local id, count = contract.arguments()
local names = tags.asked(count)
local task, wanted = tags.read(id)
for _, tag in ipairs(names) do
  wanted[tag] = nil
end
return tags.change(task, wanted)
