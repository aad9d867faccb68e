-- The history of a task. The record has the transitions of the current attempt. Transitions that the record loses are
-- kept in a stream, whose ids number the transitions of the task from 1: `1-0`, `2-0`, …
local history = {}

-- Bytes of an attempt's error that the history keeps.
history.ERROR = 256

-- Returns the fields of a record, in the order in which `derive` reads them.
function history.fields()
  return 'status', 'created', 'promoted', 'reserved', 'started', 'updated', 'node', 'attempt', 'outcome', 'group',
    'error', 'schedule', 'slot',
    'ended', 'cost', 'cost_of', 'readied'
end

-- Returns the last transition in the stream: its number, its time, the new state, and the attempt. If this transition
-- is older than the task, it belongs to an earlier task with this id, which a client without scripts deleted. Then the
-- number is 0, and the fifth result is true. The sixth result is the cause of the transition.
function history.last(key, created)
  local entry = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
  local v = entry and entry[2]
  if not v or tonumber(v[2]) < (tonumber(created) or 0) then
    return 0, 0, '', 0, v ~= nil, ''
  end
  return tonumber(string.match(entry[1], '^%d+')), tonumber(v[2]) or 0, v[6], tonumber(v[8]) or 0, false, v[12]
end

-- Returns the transitions from the last transition in the stream, or from the creation, to the state of the record.
-- Each transition is a list: at, from, to, attempt, by, why, outcome, group, error, cost. A client without scripts
-- leaves at most one transition, without a cause. `cause`: the cause of the last transition in the stream.
function history.derive(v, since, reached, nth, cause)
  local status, created, promoted, reserved, started, updated, node, number, outcome, group, text, schedule, slot,
    ended, cost, cost_of, readied = unpack(v, 1, 17)
  local found = {}
  outcome = record.outcome(outcome, ended)
  cost = ended and ended == cost_of and cost or ''
  -- If the clock was set back after a note in one of these states, the next transition has an earlier time but counts.
  local noted = cause == 'note' and reached
  readied = readied and (tonumber(readied) >= since or noted == 'waiting') and readied
  promoted = promoted and (tonumber(promoted) >= since or noted == 'scheduled'
    or noted == 'waiting' and readied and tonumber(promoted) >= tonumber(readied)) and promoted
  number, node = number or '0', node or ''
  local function step(at, to, by, why, ...)
    found[#found + 1] = { at or '', reached, to, (reached == '' or reached == 'moved') and tostring(nth) or number,
      by, why, ... }
    reached = to
  end
  if reached == '' or reached == 'moved' then
    local moved = reached == 'moved'
    local why = moved and ((cause == 'next' or cause == 'again') and cause or 'move')
      or schedule and (slot and 'schedule' or 'run_schedule') or 'submit'
    step(moved and namespace.decimal(since * 1000000) or created,
      readied and 'waiting' or promoted and 'scheduled' or contract.is_waiting(status) and status or 'pending',
      '', why, '', '', '', '')
  end
  if reached == 'waiting' and readied then
    reached = (promoted or status == 'scheduled') and 'scheduled' or 'pending'
    found[#found + 1] = { readied, 'waiting', reached, tostring(nth), '', 'ready', '', '', '', '' }
  end
  if reached == 'scheduled' and status ~= 'scheduled' and promoted then
    found[#found + 1] = { promoted, reached, 'pending', tostring(nth), '', 'promote', '', '', '', '' }
    reached = 'pending'
  end
  if reached == 'pending' and tonumber(number) > nth then
    if reserved or not started then
      step(reserved, 'reserved', node, 'reserve', '', '', '', '')
    else
      step(started, 'started', node, 'reserve', '', '', '', '')
    end
  end
  if reached == 'reserved' and started then
    step(started, 'started', node, 'start', '', '', '', '')
  end
  if reached == status then
    return found
  end
  if (reached == 'reserved' or reached == 'started') and status == outcome then
    step(updated, status, node, status == 'failed' and 'fail' or status, outcome,
      status == 'failed' and group or '', status == 'failed' and string.sub(text or '', 1, history.ERROR) or '', cost)
  elseif reached == 'pending' and status == 'cancelled' then
    step(updated, status, '', 'cancel', '', '', '', '')
  else
    step(updated, status, '', '', '', '', '', '')
  end
  return found
end

function history.plan(task, to)
  if to == 'deleted' then
    namespace.declare(namespace.key('history', task.id))
  elseif task.status then
    local key = namespace.key('history', task.id)
    namespace.probe('XLEN', key)
    if namespace.declared and select(5, history.last(key, record.created(task.id))) then
      namespace.require_settled_slot() -- `archive` removes the key and creates it again
    end
  end
end

-- Stores a transition that removes or overwrites fields of the record, after the earlier transitions that the record
-- still has. `event`: `to`, `why`, `by` and `at`. `...`: fields and values that are about to be written to the record.
function history.archive(task, event, ...)
  local from, to, why = task.status, event.to, event.why
  if (why == 'fail' and to == 'failed') or (why == 'promote' and from == 'scheduled') or why == 'ready'
    or (why == 'cancel' and from == 'pending') then
    return -- the record has it
  end
  local outcome, group, text, cost = to == 'reserved' and 'lost' or '', '', '', ''
  local fields = { ... }
  for i = 1, #fields, 2 do
    if fields[i] == 'outcome' then
      outcome = fields[i + 1]
    elseif fields[i] == 'group' or fields[i] == 'last_group' then
      group = fields[i + 1]
    elseif fields[i] == 'error' or fields[i] == 'last_error' then
      text = string.sub(fields[i + 1], 1, history.ERROR)
    elseif fields[i] == 'cost' then
      cost = fields[i + 1]
    end
  end
  if from ~= 'reserved' and from ~= 'started' then
    outcome, group, text, cost = '', '', '', ''
  end
  event.note = task.note
  history.add(task, event, outcome, group, text, cost)
end

-- Adds an event, after the earlier transitions that the record still has. `event.note`: further fields and values.
function history.add(task, event, outcome, group, text, cost)
  local key = namespace.key('history', task.id)
  local told = redis.call('HMGET', namespace.key('task', task.id), history.fields())
  local number, since, reached, nth, stale, cause = history.last(key, told[2])
  if stale then
    redis.call('UNLINK', key)
  end
  local kept = history.derive(told, since, reached, nth, cause)
  kept[#kept + 1] = { event.at, task.status, event.to, task.attempt, event.by, event.why, outcome, group, text, cost,
    unpack(event.note or {}) }
  local most = settings.get(task.queue, 'history')
  for i, v in ipairs(kept) do
    redis.call('XADD', key, 'MAXLEN', most, string.format('%.0f-0', number + i),
      'at', v[1], 'from', v[2], 'to', v[3], 'attempt', v[4], 'by', v[5], 'why', v[6], 'outcome', v[7], 'group', v[8],
      'error', v[9], 'cost', v[10], unpack(v, 11))
  end
end
