-- What binds a task to more than the index of its state.
local bonds = {}
