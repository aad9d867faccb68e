-- What calls with a request id answered, so that such a call, sent again after a lost reply, gives its
-- first answer and does nothing a second time, whatever happened in between. One hash of the namespace:
-- `COMMAND REQUEST` holds the answer, `#N` when the Nth of them was given and its field.
local requests = {}

-- The number of answers that are kept, and for how long in microseconds.
requests.MOST = 10000

requests.KEPT = 3600000000

function requests.key()
  return namespace.prefix .. 'requests'
end

-- Whether a request of this command has had its answer, and that answer.
function requests.find(command, request)
  if not request then
    return false
  end
  local own = namespace.shared('request')
  own.field = command .. ' ' .. request
  local found = redis.call('HMGET', namespace.declare(requests.key()), own.field, 'first', 'last')
  own.first, own.last = tonumber(found[2]) or 1, tonumber(found[3]) or 0
  if found[1] then
    return true, requests.read(found[1])
  end
  return false
end

-- Keeps the answer of this call, where it has a request id and changed anything, and answers it. Called last:
-- all that the call changes is written. The oldest answers go: each call removes more than it adds.
function requests.keep(answer)
  local own = namespace.shared('request')
  if not own.begun then
    return answer
  end
  local key, first, last = requests.key(), own.first, own.last + 1
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
  redis.call('HSET', key, 'first', string.format('%.0f', first))
  redis.call('EXPIRE', key, 86400)
  return answer
end

-- An answer as a text: a string after a quotation mark; an array as its parts, each `WORD`, or `#NUMBER`,
-- and with `*TIMES` where it stands there several times in a row.
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
