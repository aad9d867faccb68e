-- Replies: a command ends with its reply, or with `CODE text` and no change.
local reply = {}

function reply.fail(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and reply.is_half_moved() then
    code, text = reply.elsewhere() -- missing keys may be moving to this node
  end
  error({ err = code .. ' ' .. text })
end

-- Adds values to a reply, or to another list.
function reply.add(list, ...)
  for _, value in ipairs({ ... }) do
    list[#list + 1] = value
  end
end

-- Returns true if some keys of the namespace may still be on another node. The node that receives the keys reports this
-- only to a command with several keys, if one of the keys is absent.
function reply.is_half_moved()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end

-- Returns the reason why a key is in another slot: the slot of the tag is being moved, or the namespace has no tag and
-- its keys are in many slots.
function reply.elsewhere()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end

-- Turns a raised error into an error reply whose first word is a code. Refusals by the server (OOM, READONLY, NOPERM…)
-- keep their code. A raised `answer` is the reply itself: see `requests.replay`.
function reply.refusal(raised)
  if type(raised) == 'table' and raised.answer ~= nil then
    return raised.answer
  end
  -- The server's own pcall returns a raised { err = … } as plain text.
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    -- Only a read raises this error, because `namespace.begin` checks the slot before the first write.
    local code, why = reply.elsewhere()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    -- Servers word this error differently. They refuse only the first write, or a read before it.
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end

function reply.code(raised)
  return string.match(reply.refusal(raised).err, '^%-?(%u+)')
end
