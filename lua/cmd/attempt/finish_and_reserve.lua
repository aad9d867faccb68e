--- Ends attempts like `complete`, `fail` or `release`, and takes the next tasks for the listener like `reserve`, in one
--   call. A refused end does not affect the rest.
-- @args now listener queues limit count (ending id token body group again cost)*count
-- @role worker
-- @options pid lease request woken order weights max_bytes
-- @reply the verdicts on the ends, separated by spaces: the reply of the command for this end, or an error code; then
--   the code of the error that prevented taking tasks, else an empty string; then for each task the reply of reserve
-- @errors TOOBIG NOLISTENER DRAINING
-- @noted LOST
local listener, names, limit, count = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
if not count then
  args.missing('listener queues limit count')
end
limit = limit == '1' and 1 or args.integer(limit, contract.TAKEN_LOW, contract.TAKEN_HIGH, 'limit')
count = count == '1' and 1 or args.integer(count, contract.ENDED_LOW, contract.ENDED_HIGH, 'count')
local last = 5 + 7 * count
if not ARGV[last] then
  reply.fail('BADARG', 'missing argument: ending, id, token, body, group, again or cost')
end
local queues, meta
if #names <= contract.NAME_HIGH and string.find(names, args.PLAIN) then
  queues = { names }
  meta = redis.call('HMGET', namespace.meta, namespace.CLOCK, 'paused:' .. names, 'ranking:' .. names,
    'settings:' .. names, 'drained:' .. names, 'limits', 'settings', 'token')
else
  queues = args.queues_or_none(names, 'queues')
  meta = redis.call('HMGET', namespace.meta, namespace.CLOCK, reserving.fields(queues))
end
namespace.open_at(meta[1])

local call = {
  listener = listener, queues = queues, meta = meta, limit = limit > 1 and limit or nil, found = nil,
  lease = nil, request = nil, pid = nil, woken = nil, full = nil, refusal = nil, ended = false, -- room for later fields
  written = nil,
}
local most = contract.PAYLOAD_HIGH
for i = last + 1, #ARGV, 2 do
  local name, value = ARGV[i], ARGV[i + 1]
  if name == 'request' and value and not call.request and #value <= contract.NAME_HIGH
    and string.find(value, args.PLAIN) then
    call.request = value
  elseif name == 'pid' and value and not call.pid and string.find(value, '^[1-9]%d?%d?%d?%d?%d?$') then
    call.pid = value
  else
    local options = args.options(last)
    most = options.max_bytes or most
    call.lease, call.request, call.woken = options.lease, options.request, options.woken
    call.pid = options.pid and string.format('%d', options.pid)
    call.order, call.weights = attempt.order(queues, options.order, options.weights), options.weights
    break
  end
end
if #listener > contract.LISTENER_HIGH or not string.find(listener, args.LISTENER) then
  args.listener(listener)
end
local ends = ending.read(count, most)

call.ended = count > 0
call.full = count > 0 and queues[1] and reserving.full(queues[1])
local verdicts = table.concat(ending.all(ends, listener, meta[#meta - 2]), ' ')
if queues[1] then
  call.written, call.stale = ends.written, ends.stale
  if ends.back then -- a ranked task may wait now
    call.meta = redis.call('HMGET', namespace.meta, namespace.CLOCK, reserving.fields(queues))
  end
  reserving.more(call)
end
return { verdicts, call.refusal or '', unpack(call.found or {}) }
