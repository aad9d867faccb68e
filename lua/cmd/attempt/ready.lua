--- Finds queues with tasks that match patterns, and registers the listener with them; the listener passes their names
--   to `reserve`. Each call also does a part of the search for queues that clients without scripts have filled.
-- @args now listener cursor limit count pattern*count
-- @role maintenance
-- @options has woken live
-- @again goes on
-- @reply next cursor (0 at the end); the list on which the listener waits if there is no task, or an empty string if it
--   must ask again after a second; 1 if the search continues at once; then for each queue: its name and the number of
--   the first pattern that it matches, not counting patterns that begin with `!`
-- @errors
local meta = namespace.open_with('patterns', 'searched', 'asked', 'settings')
local listener, cursor, limit, count = contract.arguments()
local texts = {}
for i = 1, count do
  texts[i] = patterns.one(args.next('pattern'), 'pattern')
end
local text = patterns.text(table.concat(texts, ','), 'patterns')
local options = args.options()
local has, live = options.has, options.live

local index, list = patterns.index(), not live and patterns.list(text)
namespace.probe('ZCARD', index)
local step = patterns.search(meta[3])
local found = patterns.look(patterns.set(text), cursor, limit, live)
local fresh, equips = {}, {}
if live then
  list = ''
else
  for _, queue in ipairs(found) do
    local name = queue.name
    if redis.call('SISMEMBER', namespace.declare(namespace.key('listeners', name)), listener) == 0 then
      namespace.probe('ZCARD', namespace.key('seen', name))
      namespace.probe('ZCARD', namespace.prefix .. 'queues')
      fresh[#fresh + 1] = name
    end
    if has and (redis.call('HGET', namespace.declare(namespace.key('has', name)), listener) or '') ~= has then
      equips[#equips + 1] = name
    end
  end
end
-- True if no wake-up is in the list of these patterns: the next matching task must wake a listener.
local idle = not live and namespace.probe('LLEN', list) == 0
local passes = idle and options.woken and found.next ~= '0' -- other listeners may find more queues
local sets, asked, fits = patterns.remember(meta[2] or '', meta[4] or '', not live and text, idle and not passes,
  meta[5])
if not fits then
  list = ''
end
for _, queue in ipairs(step and step.found or {}) do
  wakeups.plan(queue)
end

if sets ~= meta[2] or asked ~= (meta[4] or '') or step or passes or fresh[1] or equips[1] or found.gone[1] then
  namespace.begin()
  redis.call('HSET', namespace.meta, 'patterns', sets, 'asked', asked, 'searched', step and step.at or meta[3])
  if found.gone[1] then
    redis.call('ZREM', index, unpack(found.gone))
  end
  for _, name in ipairs(fresh) do
    redis.call('SADD', namespace.key('listeners', name), listener)
    redis.call('ZINCRBY', namespace.prefix .. 'queues', 1, name)
    listeners.seen(name, listener)
  end
  for _, name in ipairs(equips) do
    listeners.equip(name, listener, has)
  end
  if passes then
    patterns.wake(list)
  end
  namespace.shared('idle')['*'] = sets
  for _, queue in ipairs(step and step.found or {}) do
    wakeups.wake(queue)
  end
end
local answer = { found.next, string.sub(list, #namespace.prefix + 1), step and step.more and 1 or 0 }
for _, queue in ipairs(found) do
  answer[#answer + 1], answer[#answer + 2] = queue.name, queue.nth
end
return answer
