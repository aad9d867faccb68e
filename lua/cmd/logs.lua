--- A task's log from an entry on.
-- @args now id after limit
-- @reply id of the last entry (`after` again if there is none), then for each its time, attempt, source, text and offset, which is empty where the sender did not tell it
-- @errors
space.open()
local id = args.plain(args.next('id'), 'id')
local after = args.entry(args.next('after'))
local limit = args.limit()
args.none()
local answer = { after }
for _, entry in ipairs(redis.call('XRANGE', space.key('log', id), '(' .. after, '+', 'COUNT', limit)) do
  answer[1] = entry[1]
  for i = 2, 10, 2 do
    answer[#answer + 1] = entry[2][i] or ''
  end
end
return answer
