-- The audit: who changed what. One stream of the namespace has an entry for each change that a client asked for.
-- Entries have no payload; for parameters they have only the length and the digest.
local audit = {}

-- Bytes that are kept of each text.
audit.TEXT = 256

function audit.key()
  return namespace.prefix .. 'audit'
end

function audit.plan()
  namespace.probe('XLEN', audit.key())
end

-- Adds an entry, after all other writes. `what`: the command; `of` and `on`: the kind and the name of the changed
-- object.
function audit.add(by, what, of, on, before, after, detail)
  local function cut(text)
    return string.sub(text or '', 1, audit.TEXT)
  end
  redis.call('XADD', audit.key(), 'MAXLEN', '~', settings.get('*', 'audit'), '*', 'at', namespace.now, 'by', by or '',
    'what', what, 'of', of, 'on', on, 'before', cut(before), 'after', cut(after), 'detail', cut(detail))
end

-- Returns parameters in the form for an entry: their length and digest.
function audit.payload(bytes)
  return #bytes .. ' bytes, sha1 ' .. string.sub(redis.sha1hex(bytes), 1, 12)
end

-- Returns the state of a queue that `pause` and `resume` change: `open`, `paused` or `stopped`.
function audit.flow(queue)
  if redis.call('HEXISTS', namespace.meta, 'paused:' .. queue) == 0 then
    return 'open'
  end
  return redis.call('HEXISTS', orders.key(queue), 'q') == 1 and 'stopped' or 'paused'
end
