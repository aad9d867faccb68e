--- Reads the next request to the owner of a task, after the order `attend`: to suspend the program, to continue it,
--   to send it a signal, or to describe it. The owner answers each request, in order, with the next call.
-- @args now id token
-- @role worker
-- @options answered refused described
-- @reply number, kind and detail of the request; nil if no request is left
-- @errors LOST TOOBIG
namespace.open()
local id, token = contract.arguments()
local options = args.options()
local task = fence.task(id, token, '')
local found = controls.load(task)
local request = found.list[1]
if request and request.number == options.answered then
  controlling.plan_answer(task, request.what)
  namespace.begin()
  controlling.answer(task, found, options.refused, options.described)
end
request = found.list[1]
return request and { request.number, request.what, request.detail } or nil
