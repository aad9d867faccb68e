--- Returns the owner's answer to a request of `describe`: a JSON object. It is kept for 60 seconds.
-- @args now id token request_number
-- @reply the answer; empty if there is none, or no longer
-- @errors
namespace.open()
local id, token, number = contract.arguments()
args.plain(id, 'id')
token = args.integer(token, contract.TOKEN_LOW, contract.TOKEN_HIGH, 'token')
local text = redis.call('HGET', namespace.declare(controls.described(id)), controls.place(number))
local start = string.format('%.0f %.0f ', token, number)
return text and string.sub(text, 1, #start) == start and string.sub(text, #start + 1) or ''
