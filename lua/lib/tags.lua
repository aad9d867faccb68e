-- Tags of tasks, and their indexes.
local tags = {}
