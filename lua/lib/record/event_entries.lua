-- The entries of the stream of events, one for each transition. The id of an entry begins with the time of the
-- transition in microseconds. The field `e` has a text, `CODE ID ATTEMPT SINCE BY NODE`: a code for the states and the
-- cause, the task, its attempt, the time at which it entered its former state, the author, and the owner of the attempt
-- if another author ended it. `SINCE` lacks its first 8 digits if the time of the transition begins with the same. A
-- text takes a third of the memory of separate fields, and is read in less time. A new task has only the code, the id
-- and, if it came with attempts, their number.
local event_entries = {}

-- Minimum number of events kept per queue if `aggregate` never runs; `aggregate` trims to the setting.
event_entries.KEPT = '100000'

-- Id of the entries of this call, or false before the first entry.
event_entries.id = false

-- Returns the states and the cause of each code. Other transitions have the code `FROM>TO>CAUSE`.
-- @hot
function event_entries.codes()
  return {
    p = { '', 'pending', 'submit' },
    r = { 'pending', 'reserved', 'reserve' },
    t = { 'pending', 'started', 'reserve' },
    s = { 'reserved', 'started', 'start' },
    c = { 'started', 'complete', 'complete' },
  }
end

-- Adds the entry of a transition. `trims`: removes old entries. If the server's clock was set back, the server chooses
-- the id, and the entry has the time in the field `at`. The server only refuses an id in the past: any other error
-- recurs in the second command.
-- @inline
function event_entries.add(task, to, why, by, at, trims)
  local from, stream = task.status, namespace.prefix .. 'events_' .. task.queue
  local text, added
  if from then
    local code = why == 'complete' and from == 'started' and to == 'complete' and 'c '
      or why == 'reserve' and (to == 'started' and 't ' or 'r ') or why == 'start' and 's '
      or from .. '>' .. to .. '>' .. why .. ' '
    local since = task.since or ''
    if #since == 17 and #at == 17 and string.sub(since, 1, 8) == string.sub(at, 1, 8) then
      since = string.sub(since, 9)
    elseif not string.find(since, '^[%d.]*$') then
      since = '' -- of another client
    end
    text = code .. task.id .. ' ' .. task.attempt .. ' ' .. since .. ' ' .. by
    if (from == 'started' or from == 'reserved') and by ~= task.node and to ~= 'started' then
      text = text .. ' ' .. task.node
    end
  else
    text = (to == 'pending' and why == 'submit' and 'p ' or '>' .. to .. '>' .. why .. ' ') .. task.id
    if (task.attempt or '0') ~= '0' then
      text = text .. ' ' .. task.attempt
    end
  end
  event_entries.id = event_entries.id or string.sub(namespace.now, 1, -8) .. string.sub(namespace.now, -6) .. '-*'
  if at ~= namespace.now then
    added = { err = 'the time is not the time of the call' }
  elseif trims then
    added = redis.pcall('XADD', stream, 'MAXLEN', '~', event_entries.KEPT, event_entries.id, 'e', text)
  else
    added = redis.pcall('XADD', stream, event_entries.id, 'e', text)
  end
  if added.err then
    redis.call('XADD', stream, 'MAXLEN', '~', event_entries.KEPT, '*', 'e', text, 'at', at)
  end
end

-- Returns the parts of an entry, or nil if a script did not write it: code, task, attempt, time at which the task
-- entered its former state, author, owner.
-- @hot
function event_entries.parts(fields)
  if fields[1] == 'e' then
    return string.match(fields[2], '^(%S+) (%S+) ?(%d*) ?([%d.]*) ?(%S*) ?(%S*)$')
  end
end

-- Returns the time of an entry as text.
-- @hot
function event_entries.time(entry)
  local micros = not entry[2][4] and string.match(entry[1], '^%d+')
  return entry[2][4] or #micros == 16 and string.sub(micros, 1, 10) .. '.' .. string.sub(micros, 11)
    or namespace.decimal(tonumber(micros))
end

-- Returns the digits of the time of an entry that `rest`, the time before it, lacks in the entry.
-- @inline
function event_entries.shared(at, rest)
  local shared = #rest == 9 and #at == 17 and string.sub(at, 1, 8) or ''
  return shared
end

-- Returns a transition as names and values in turn, or nil if a script did not write the entry.
function event_entries.read(entry)
  local code, id, nth, rest, by = event_entries.parts(entry[2])
  local states = code and (event_entries.codes()[code] or { string.match(code, '^(%l*)>(%l+)>(.*)$') })
  if states and states[1] then
    local at = event_entries.time(entry)
    local shared = event_entries.shared(at, rest)
    return { 'id', id, 'from', states[1], 'to', states[2], 'attempt', nth == '' and '0' or nth, 'at', at, 'by', by,
      'why', states[3], 'since', shared .. rest }
  end
end
