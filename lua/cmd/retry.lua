--- Runs a failed or cancelled task again, with its counts of failures and losses at zero.
-- @args now id
-- @options fresh
-- @reply `pending`
-- @errors NOTASK STATE DUPLICATE
space.open()
local id = args.next('id')
local wish = args.options({ fresh = args.flag })

local task = actions.get(id)
local code, text = actions.retry(task, wish)
if code then
  reply.fail(code, text)
end
if task.to then
  actions.run(actions.do_retry, { task }, wish)
end
return 'pending'
