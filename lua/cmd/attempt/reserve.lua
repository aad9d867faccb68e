--- Gives a listener the next task of the first queue that has a task, or up to `limit` tasks as if one by one. With
--   `pid` the tasks are started at once.
-- @args now listener count queue*count
-- @role worker
-- @options limit pid lease request woken order weights due
-- @reply nil, or for each task id queue token attempt deadline lease outcome losses failures parameters checkpoint;
--   with `due`, the first value is when `maintenance` of these queues is due, in seconds, if there is no task, else an
--   empty string
-- @errors NOLISTENER DRAINING
local listener, count = ARGV[2], ARGV[3]
if not ARGV[4] then
  args.missing('listener count queue')
end
count = count == '1' and 1 or args.integer(count, 1, contract.QUEUE_COUNT_HIGH, 'count')
local last = 3 + count
-- The clock; for each queue its pause, its ranked tasks, its settings and its draining listeners; the settings of the
-- namespace; the highest token, if it differs from the clock.
local meta, queues
if count == 1 then
  local queue = ARGV[4]
  queues = { queue }
  meta = redis.call('HMGET', namespace.meta, namespace.CLOCK, 'paused:' .. queue, 'ranking:' .. queue,
    'settings:' .. queue, 'drained:' .. queue, 'settings', 'token')
else
  if not ARGV[last] then
    reply.fail('BADARG', 'missing argument: queue')
  end
  queues = { unpack(ARGV, 4, last) }
  meta = redis.call('HMGET', namespace.meta, namespace.CLOCK, reserving.fields(queues))
end
namespace.open_at(meta[1])

local call = {
  listener = listener, queues = queues, meta = meta,
  request = nil, pid = nil, woken = nil, wakes = nil, found = nil, due = nil, -- room for later fields
}
for i = last + 1, #ARGV, 2 do
  local name, value = ARGV[i], ARGV[i + 1]
  if name == 'request' and value and not call.request and #value <= contract.NAME_HIGH
    and string.find(value, args.PLAIN) then
    call.request = value
  elseif name == 'woken' and value == '1' and not call.woken then
    call.woken = true
  else
    local options = args.options(last)
    call.lease, call.request, call.woken = options.lease, options.request, options.woken
    call.limit = options.limit ~= 1 and options.limit or nil
    call.pid = options.pid and string.format('%d', options.pid)
    call.order, call.weights = attempt.order(queues, options.order, options.weights), options.weights
    call.due = options.due
    break
  end
end

if call.request then
  reserving.repeated(call)
end
if not call.found then
  reserving.refuse(call)
  reserving.take(call)
end
if call.due ~= nil then
  return reserving.or_due(call)
elseif not call.found then
  reserving.nothing(call)
  return false
end
return call.found
