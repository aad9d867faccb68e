--- Returns the transitions and notes of a task after a number: first the transitions that are kept of earlier attempts,
--   then the transitions in its record.
-- @args now id after limit
-- @reply number of the last transition (`after` again if there is none), then for each transition or note: its number,
--   at, from, to, attempt, by, why; the outcome, group, beginning of the error and cost of an attempt that ended; the
--   text and data of a note
-- @errors NOTASK
namespace.open()
local id, after, limit = contract.arguments()
local v = redis.call('HMGET', namespace.key('task', id), 'queue', history.fields())
if (v[1] or '') == '' or not v[2] then -- or the task of a graph that is not released yet
  namespace.check_slot(namespace.key('task', id))
  reply.fail('NOTASK', 'no task has this id: it was never submitted, or was deleted, or removed by retention')
end
local key = namespace.key('history', id)
local answer = { string.format('%.0f', after) }
local function add(number, fields)
  answer[1] = string.format('%.0f', number)
  answer[#answer + 1] = answer[1]
  for i = 1, 12 do
    answer[#answer + 1] = fields[i] or '' -- only notes have the last two
  end
end
local count = 0
local number, since, reached, nth, _, cause = history.last(key, v[3])
if number > after then
  for _, entry in ipairs(redis.call('XRANGE', key, string.format('(%.0f-0', after), '+', 'COUNT', limit)) do
    local kept = {}
    for i = 2, #entry[2], 2 do
      kept[i / 2] = entry[2][i]
    end
    add(tonumber(string.match(entry[1], '^%d+')), kept)
    count = count + 1
  end
end
for i, fields in ipairs(history.derive({ unpack(v, 2, 18) }, since, reached, nth, cause)) do
  if number + i > after and count < limit then
    add(number + i, fields)
    count = count + 1
  end
end
return answer
