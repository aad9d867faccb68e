-- What happened to a task, as far as its record does not tell.
local history = {}
