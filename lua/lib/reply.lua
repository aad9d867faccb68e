-- How a command ends: with its reply, or with `CODE text` and nothing changed.
local reply = {}

function reply.fail(code, text)
  error({ err = code .. ' ' .. text })
end

-- Runs the command; an error raised on the way becomes an error reply with a
-- clean first word. What the server refuses (OOM, READONLY, NOPERM…) keeps its code.
function reply.of(command)
  local ok, answer = pcall(command)
  if ok then
    return answer
  end
  -- The server's own pcall hands over a raised { err = … } as its bare text.
  local text = type(answer) == 'table' and answer.err or answer
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(answer, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  end
  return redis.error_reply(text)
end
