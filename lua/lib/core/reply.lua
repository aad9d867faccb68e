-- Replies: a command ends with its reply, or with `CODE text` and no change.
local reply = {}

function reply.fail(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and reply.is_half_moved() then
    code, text = reply.elsewhere() -- what this call misses may be on its way
  end
  error({ err = code .. ' ' .. text })
end

-- Whether some keys of the namespace may be on another node yet. On the node that gets them the server reports that
-- only to a command with several keys, one of which is absent.
function reply.is_half_moved()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end

-- Why a key is in another slot: the slot of the tag is being moved, or there is no tag and the keys are in many
-- slots.
function reply.elsewhere()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end

-- Turns a raised error into an error reply whose first word is a code. Refusals of the server (OOM, READONLY,
-- NOPERM…) keep their code.
function reply.refusal(raised)
  -- The server's own pcall returns a raised { err = … } as plain text.
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    -- Raised by a read: `namespace.begin` makes sure of it before anything is written.
    local code, why = reply.elsewhere()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    -- Servers word it differently. Only the first write is refused, or a read before it.
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end

-- The code of what was raised.
function reply.code(raised)
  return string.match(reply.refusal(raised).err, '^%-?(%u+)')
end
