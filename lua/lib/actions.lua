-- What operators do to a task, alone or to many.
local actions = {}
