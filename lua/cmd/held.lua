--- What a listener holds, the latest first: finds a reservation whose reply was lost.
-- @args now queue listener
-- @reply for each task (500 at most) id status token attempt deadline pid
-- @errors
space.open()
local queue = args.plain(args.next('queue'), 'queue')
local listener = args.listener(args.next('listener'))
args.none()
local answer = {}
for _, id in ipairs(redis.call('LRANGE', space.key('reserved_tasks', queue .. '_' .. listener), 0, 499)) do
  local v = redis.call('HMGET', space.prefix .. 'task_' .. id, 'status', 'token', 'attempt', 'pid')
  local deadline = v[2] and redis.call('ZSCORE', space.key('leases', queue), id .. ' ' .. v[2])
  for _, value in ipairs({ id, v[1] or '', v[2] or '', v[3] or '0',
    deadline or '', v[4] or '' }) do
    answer[#answer + 1] = value
  end
end
return answer
