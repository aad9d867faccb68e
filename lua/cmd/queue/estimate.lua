--- Estimates when a task will start and end, from its progress (0 to 1) and the statistics of the last days. Without
--   the option, the progress that the task has reported is used, if it is a number or contains a fraction.
-- @args now id
-- @options progress
-- @reply name and value in turn: status start end basis (`progress`, `history` or `both`) runs mean now; unknown
--   values are empty
-- @errors NOTASK
local FAR = 10000 -- tasks further back get no estimate

namespace.open()
local id = contract.arguments()
local task = record.get(id, 'eta', 'started', 'progressed', 'progress')
local progress = args.options().progress
local queue, now = task.queue, namespace.now_us / 1000000
local total = forecast.recent(queue)
local mean, run = forecast.mean(total, 'done'), forecast.mean(total, 'run')
local start, finish, basis = nil, nil, ''

local listening = listeners.count(queue).present > 0
  and redis.call('HEXISTS', namespace.meta, 'paused:' .. queue) == 0
if task.status == 'started' then
  start = tonumber(task.extra[2]) or tonumber(task.since) or now
  local took
  progress = progress or forecast.fraction(task.extra[4])
  took, basis = forecast.duration(total, start, progress, tonumber(task.extra[3]))
  finish = took and start + took
elseif task.status == 'reserved' then
  start = now
elseif task.status == 'scheduled' and listening then
  start = math.max(now, tonumber(task.extra[1]) or now) + (forecast.mean(total, 'wait') or 0)
elseif task.status == 'pending' and listening then
  if task.flags then
    holdings.load(task)
  end
  local busy = redis.call('ZCARD', namespace.key('leases', queue))
  local ahead = queue_positions.ahead(task, FAR)
  if not ahead or task.needs and needs.able(queue, task.needs) == 0 then
    start = nil -- a client without scripts has popped it, or no listener satisfies its needs
  elseif busy == 0 and ahead == 0 then
    start = now
  elseif run and ahead < FAR then
    -- The places become free in this order, and each place becomes free again after a mean run. If more tasks run than
    -- the limit allows, the first ends free no places.
    local most = tonumber(settings.get(queue, 'concurrency')) or busy
    local ends, slots = forecast.ends(queue, total, busy), math.max(1, math.min(busy, most))
    local free = math.ceil(#ends * slots / math.max(1, busy))
    start = ends[#ends - free + math.floor(ahead % slots * free / slots) + 1] + math.floor(ahead / slots) * run
  end
  local earliest = start and ranking.earliest(task, ahead)
  start = earliest and math.max(start, earliest / 1000000)
end
if start and not finish and mean and task.status ~= 'started' then
  finish, basis = start + mean, 'history'
end
return {
  'status', task.status, 'start', start and string.format('%.6f', start) or '',
  'end', finish and string.format('%.6f', math.max(now, finish)) or '', 'basis', basis,
  'runs', string.format('%.0f', total['done.count'] or 0),
  'mean', mean and string.format('%.6f', mean) or '', 'now', namespace.now,
}
