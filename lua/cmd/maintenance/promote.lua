--- Makes due scheduled tasks pending, and lets tasks start that a rate or a changed limit held back.
-- @args now queue limit
-- @role maintenance
-- @again goes on
-- @reply number of tasks promoted, 1 if more tasks are due, and when the next task is due, in seconds, or an empty
--   string
-- @errors
local meta = namespace.open_with('limits')
local queue, limit = contract.arguments()
return promotion.promote(queue, limit, meta[2])
