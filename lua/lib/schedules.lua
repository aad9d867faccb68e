-- Tasks that are made again and again.
local schedules = {}
