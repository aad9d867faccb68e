-- Where pending tasks stand that the plain list cannot hold.
local lanes = {}
