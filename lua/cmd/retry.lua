--- Runs a failed or cancelled task again, with its counts of failures and losses at zero.
-- @args now id
-- @options fresh
-- @reply `pending`
-- @errors NOTASK STATE STOPPING DUPLICATE
space.open()
local id = args.next('id')
local wish = args.options({ fresh = args.flag })

actions.one(id, actions.retry, actions.do_retry, wish)
return 'pending'
