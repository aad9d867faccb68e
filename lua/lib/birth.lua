-- How tasks are made.
local birth = {}
