--- Lists the tasks that a listener holds, newest first, and the tasks that it claimed from other listeners. Finds a
--   reservation whose reply was lost.
-- @args now queue listener
-- @reply for each task (500 at most): id status token attempt deadline pid
-- @errors
namespace.open()
local queue, listener = contract.arguments()
local answer, known = {}, namespace.key('claims', queue)
local function add(id, v)
  local deadline = v[2] and redis.call('ZSCORE', namespace.key('leases', queue), id .. ' ' .. v[2])
  reply.add(answer, id, v[1] or '', v[2] or '', v[3] or '0', deadline or '', v[4] or '')
end
local function read(id)
  return redis.call('HMGET', namespace.prefix .. 'task_' .. id,
    'status', 'token', 'attempt', 'pid', 'node', 'reclaimed_node')
end
local ids = redis.call('LRANGE', namespace.key('reserved_tasks', queue .. '_' .. listener), 0, 499)
for _, id in ipairs(ids) do
  add(id, read(id))
end
if #ids < 500 then
  -- Members are `LISTENER ID`; `!` is the character after the space.
  for _, member in ipairs(redis.call('ZRANGE', known,
    '[' .. listener .. ' ', '(' .. listener .. '!', 'BYLEX', 'LIMIT', 0, 500 - #ids)) do
    local id = string.match(member, ' (%S+)$')
    local v = read(id)
    if (v[1] == 'reserved' or v[1] == 'started') and v[6] == listener and v[5] ~= listener then
      add(id, v)
    end
  end
end
return answer
