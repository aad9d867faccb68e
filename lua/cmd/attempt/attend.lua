--- Reads the next request to the owner of a task, after the order `attend`: to suspend the program, to continue it, or
--   to send it a signal. The owner answers each request, in order, with the next call.
-- @args now id token
-- @role worker
-- @options answered refused
-- @reply number, kind and signal of the request; nil if no request is left
-- @errors LOST TOOBIG
namespace.open()
local id, token = contract.arguments()
local options = args.options()
local task = fence.task(id, token, '')
local found = controls.load(task)
local request = found.list[1]
if request and request.number == options.answered then
  controlling.plan_answer(task)
  namespace.begin()
  controlling.answer(task, found, options.refused)
end
request = found.list[1]
return request and { request.number, request.what, request.signal } or nil
