-- Idempotent calls: the replies of calls with a request id. If such a call is repeated after a lost reply, it returns
-- the first reply and changes nothing, whatever happened in between. One hash of the namespace holds the replies: the
-- field `COMMAND REQUEST` has a reply, and `#N` has the time and the field of the Nth reply.
local requests = {}

-- Number of replies that are kept, and how long they are kept, in microseconds.
requests.MOST = 10000
requests.KEPT = 3600000000

function requests.key()
  return namespace.prefix .. 'requests'
end

-- Ends the call with the stored reply if this request of the command already has a reply. While the slot is moved, the
-- replies may be on another node: without them, a repeated call would be answered as a new one.
function requests.replay(command, request)
  if not request then
    return
  end
  local own = namespace.shared('request')
  own.field = command .. ' ' .. request
  local found = redis.call('HMGET', namespace.declare(requests.key()), own.field, 'first', 'last')
  own.first, own.last = tonumber(found[2]) or 1, tonumber(found[3]) or 0
  if found[1] then
    error({ answer = requests.read(found[1]) })
  elseif not found[3] then
    namespace.check_slot(requests.key())
  end
end

-- Stores the reply of this call, if the call has a request id and changed anything. Returns the reply. This is called
-- last, after all other writes. Each call can remove more old replies than it adds.
function requests.keep(answer)
  local own = namespace.shared('request')
  if not own.begun then
    return answer
  end
  local key, first, last = requests.key(), own.first, own.last + 1
  local known = last > 1 and first
  namespace.write_when_full(key)
  redis.call('HSET', key, own.field, requests.text(answer), 'last', string.format('%.0f', last),
    string.format('#%.0f', last), namespace.now .. ' ' .. own.field)
  for _ = 1, 10 do
    local number = string.format('#%.0f', first)
    local at, field = string.match(redis.call('HGET', key, number) or '', '^(%S+) (.*)$')
    if first == last or at and first > last - requests.MOST
      and tonumber(at) * 1000000 > namespace.now_us - requests.KEPT then
      break
    end
    redis.call('HDEL', key, number, field or '')
    first = first + 1
  end
  if first ~= known then
    redis.call('HSET', key, 'first', string.format('%.0f', first))
  end
  redis.call('EXPIRE', key, 86400)
  return answer
end

-- Formats a reply as text: a string after a quotation mark; an array as its elements, each `WORD` or `#NUMBER`, with
-- `*TIMES` after a repeated element.
function requests.text(answer)
  if not answer then
    return ''
  elseif type(answer) == 'string' then
    return '"' .. answer
  end
  local parts, times = {}, 1
  for i, part in ipairs(answer) do
    if part == answer[i + 1] then
      times = times + 1
    else
      parts[#parts + 1] = (type(part) == 'number' and '#' or '') .. part .. (times > 1 and '*' .. times or '')
      times = 1
    end
  end
  return table.concat(parts, ' ')
end

function requests.read(text)
  if text == '' then
    return false
  elseif string.sub(text, 1, 1) == '"' then
    return string.sub(text, 2)
  end
  local answer = {}
  for part, times in string.gmatch(text, '([^ *]+)%*?(%d*)') do
    local number = string.match(part, '^#(%d+)$')
    for _ = 1, tonumber(times) or 1 do
      answer[#answer + 1] = tonumber(number) or part
    end
  end
  return answer
end
