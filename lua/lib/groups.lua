-- Failed tasks by their group.
local groups = {}
