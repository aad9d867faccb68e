-- Settings of a namespace and of its queues.
local settings = {}
