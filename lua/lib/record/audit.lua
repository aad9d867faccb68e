-- Who changed what: an entry for each change that somebody asked for, in one stream of the namespace. No payload is in
-- it: of parameters only their length and digest.
local audit = {}

-- Bytes of each text that are kept.
audit.TEXT = 256

function audit.key()
  return namespace.prefix .. 'audit'
end

-- Reads what `add` writes.
function audit.plan()
  namespace.probe('XLEN', audit.key())
end

-- Adds an entry, after the other writes. `what`: the command; `of` and `on`: the kind and the name of what it changed.
function audit.add(by, what, of, on, before, after, detail)
  local function cut(text)
    return string.sub(text or '', 1, audit.TEXT)
  end
  redis.call('XADD', audit.key(), 'MAXLEN', '~', settings.get('*', 'audit'), '*', 'at', namespace.now, 'by', by or '',
    'what', what, 'of', of, 'on', on, 'before', cut(before), 'after', cut(after), 'detail', cut(detail))
end

-- Parameters as an entry has them.
function audit.payload(bytes)
  return #bytes .. ' bytes, sha1 ' .. string.sub(redis.sha1hex(bytes), 1, 12)
end

-- What a queue gives out: `pause` and `resume` change it.
function audit.flow(queue)
  if redis.call('HEXISTS', namespace.meta, 'paused:' .. queue) == 0 then
    return 'open'
  end
  return redis.call('HEXISTS', orders.key(queue), 'q') == 1 and 'stopped' or 'paused'
end
