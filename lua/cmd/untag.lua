--- Takes tags from a task, in any state.
-- @args now id count tag*count
-- @reply its tags
-- @errors NOTASK
space.open()
local id = args.next('id')
local names = tags.asked()
local task, wanted = tags.read(id)
for _, tag in ipairs(names) do
  wanted[tag] = nil
end
return tags.change(task, wanted)
