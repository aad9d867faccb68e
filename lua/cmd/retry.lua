--- Runs a failed or cancelled task again, with its counts of failures and losses at zero.
-- @args now id
-- @options fresh request
-- @reply `pending`
-- @errors NOTASK STATE STOPPING DUPLICATE
space.open()
local id = contract.arguments()
local wish = args.options()
local done, answer = requests.find('retry', wish.request)
if done then
  return answer
end

actions.one(id, actions.retry, actions.do_retry, wish)
return requests.keep('pending')
