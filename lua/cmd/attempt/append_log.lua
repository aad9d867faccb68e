--- Appends text to a task's log. The server keeps the beginning of the log and the latest part of the rest, until a day
--   after the task has ended.
-- @args now id token source text
-- @role worker
-- @options offset
-- @again another entry
-- @reply id of the last entry, or an empty string if no entry is kept
-- @errors LOST TOOBIG
local LOOKS, SEARCHED = 2, 10 -- logs that a call examines: normally, and when it needs room

namespace.open()
local id, token, source, text = contract.arguments()
local offset = args.options().offset
local task, own = fence.task(id, token, '', 'log_bytes')
local meta = redis.call('HMGET', namespace.meta, 'settings:' .. task.queue, 'settings', 'logs')
local most = tonumber(own or settings.value(meta[1], meta[2], 'log_bytes'))
local log = logs.open(id)
local seen = offset and offset + #text
if offset and log.attempt == task.attempt and offset <= log.seen then
  if seen <= log.seen then
    return log.last -- repeated after a lost reply
  end
  text, offset = string.sub(text, log.seen - offset + 1), log.seen
end

local added = logs.plan(log, text, offset, most)
local head, tail = log.head + (log.headed or 0), log.tail + (log.tailed or 0)
local more = head + tail - log.size
local wanted = more > 0 and (meta[3] or 0) + more - settings.value(nil, meta[2], 'logs_bytes') or 0
local found, freed = logs.look(wanted > 0 and SEARCHED or LOOKS, wanted, { [id] = true })
local kept = #added > 0 and freed >= wanted
if not kept and #found == 0 then
  return log.last
end
namespace.begin()
if kept then
  local last
  for i, piece in ipairs(added) do
    last = redis.call('XADD', log.key, '*', 'at', namespace.now, 'attempt', task.attempt, 'source', source,
      'text', piece[1], 'offset', piece[2] and string.format('%.0f', piece[2]) or '')
    if i == 1 and log.tailed and not log.till then
      log.till = log.headed and last or log.head > 0 and log.last or '0-0'
    end
  end
  if #log.dropped > 0 then
    redis.call('XDEL', log.key, unpack(log.dropped))
  end
  redis.call('HSET', log.sizes, 'head', head, 'tail', tail,
    'last', last, unpack(log.till and { 'till', log.till } or {}))
  if seen then
    redis.call('HSET', log.sizes, 'attempt', task.attempt, 'seen', string.format('%.0f', seen))
  end
  redis.call('ZADD', logs.index(), namespace.now, id)
  redis.call('EXPIRE', log.key, logs.UNSEEN)
  redis.call('HINCRBY', namespace.meta, 'logs', more)
  log.last = last
end
logs.free(found)
return log.last
