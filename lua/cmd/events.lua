--- A queue's transitions from an event on.
-- @args now queue after limit
-- @reply id of the last event (`after` again if there is none), then for each id, from, to, attempt, at, by, why
-- @errors
space.open()
local queue = args.plain(args.next('queue'), 'queue')
local after = args.entry(args.next('after'))
local limit = args.limit()
args.none()
local answer = { after }
for _, event in ipairs(redis.call('XRANGE', space.key('events', queue), '(' .. after, '+', 'COUNT', limit)) do
  answer[1] = event[1]
  for i = 2, 14, 2 do
    answer[#answer + 1] = event[2][i]
  end
end
return answer
