-- Repairs what clients without scripts and deletions by hand leave behind. A queue has parts, one for each index. The
-- function of a part reads a page of its entries and adds `fixes`; they are written at the end of the call.
local repair = {}

-- Time for which an entry must look wrong before it is repaired, in microseconds.
repair.GRACE = 60 * 1000000

-- Time between the end of a shared pass and the beginning of the next pass, in microseconds.
repair.PAUSE = 60 * 1000000

-- The parts of a queue, in the order in which they are examined.
repair.PARTS = ' owned started waiting pending scheduled ranked' .. contract.PLAIN
  .. 'orders suspects tasks tags groups graphs ranking places unique claims '

-- Returns the functions of the parts. Each gets the call, a position and the name of the part, and returns the next
-- position, `0` at the end. The other parts are indexes of states, see `repair_lists.list`.
-- @hot
function repair.parts()
  return { owned = repair_held.held, started = repair_held.started, orders = repair_held.orders,
    suspects = repair_held.suspects, claims = repair_held.claims,
    tasks = repair_lists.tasks, ranking = repair_lists.ranking,
    tags = repair_labels.labels, groups = repair_labels.labels, unique = repair_labels.unique,
    graphs = repair_graphs.graphs, places = repair_limits.places }
end

-- Parses a cursor. Returns the part, the position, and the part after it, or nil if the cursor is wrong.
-- @hot
function repair.place(cursor)
  local part, position = string.match(cursor == '' and 'owned:0' or cursor, '^(%l+):(%d+)$')
  return part, position, part and #position <= 16 and string.match(repair.PARTS, ' ' .. part .. ' (%l*)')
end

-- Returns the cursor at which the shared pass continues, or nil while no pass is due. A pass is due after the clock was
-- set back.
function repair.shared_cursor(queue)
  local stored = redis.call('HGET', namespace.key('suspects', queue), 'pass') or ''
  local ended = tonumber(string.match(stored, '^done (%d+)$'))
  if not ended then
    return stored
  end
  local since = namespace.now_us - ended
  return (since >= repair.PAUSE or since < 0) and '' or nil
end

function repair.share(pass, after)
  fixes.write(pass, 'HSET', namespace.key('suspects', pass.queue), 'pass',
    after ~= '' and after or string.format('done %.0f', namespace.now_us))
end

-- Examines up to `limit` entries of a part of the queue, and repairs wrong entries. Returns the reply of `repair`.
-- @hot
function repair.step(queue, cursor, limit, grace, shared)
  local part, position, following = repair.place(cursor)
  if not following then
    reply.fail('BADARG', 'the cursor must be empty or what the previous call returned')
  elseif shared and cursor ~= '' then
    reply.fail('BADARG', 'the cursor must be empty with shared')
  end

  -- Every key is read with a command of its type before anything is written.
  namespace.probe('HLEN', namespace.key('suspects', queue))
  namespace.probe('ZCARD', namespace.key('tasks', queue))
  if shared then
    local goes_on = namespace.is_queue(queue) and repair.shared_cursor(queue)
    if not goes_on then
      return { '', 0, 0 }
    end
    part, position, following = repair.place(goes_on)
    if not following then
      part, position, following = repair.place('')
    end
  end
  local pass = fixes.begin(queue, limit, grace, shared)
  local after = (repair.parts()[part] or repair_lists.list)(pass, position, part)
  if after ~= '0' then
    after = part .. ':' .. after
  else
    after = following ~= '' and following .. ':0' or ''
  end
  if shared then
    repair.share(pass, after)
  end
  fixes.finish(pass)
  return { after, pass.repaired, pass.suspected, unpack(pass.valid_claims) }
end
