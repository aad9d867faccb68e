-- How a command ends: with its reply, or with `CODE text` and nothing changed.
local reply = {}

function reply.fail(code, text)
  error({ err = code .. ' ' .. text })
end

-- Why a key is in another slot: that of a tag is being moved; without a tag the keys are in many slots.
function reply.elsewhere()
  if string.find(KEYS[1], '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, send the call again'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which keeps all its keys in one'
    .. ' slot; nothing was changed'
end

-- Makes an error reply with a clean first word of what was raised on the way.
-- What the server refuses (OOM, READONLY, NOPERM…) keeps its code.
function reply.refusal(raised)
  -- The server's own pcall hands over a raised { err = … } as its bare text.
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    -- Raised by a read: `namespace.begin` finds out before anything is written.
    local code, why = reply.elsewhere()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    -- Servers differ in how they say so. Only a first write meets it, or a read before.
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
