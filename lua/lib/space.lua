-- The namespace: its keys, its schema, its clock, and the last check before the first write.
local space = {}

space.SCHEMA = '1'

-- The field of the meta hash that holds the clock. Its name carries the schema,
-- so that one read on the hot path proves both.
space.CLOCK = 'clock:1'

space.meta = KEYS[1] or ''

-- What every key begins with.
space.prefix = string.sub(space.meta, 1, -5)

-- Where `begin` has something to do, the keys that this script may write: in a
-- namespace with a hash tag, which lives in one slot of a cluster, and in one
-- that is not born yet. Elsewhere false, and the hot commands need not call it.
space.touched = not string.find(space.meta, '^[^_{]*_meta$') and {}

-- What pieces that are seldom needed note for one another, by their name: `note` makes it.
space.notes = false

-- So long without a sign of life from anyone, in microseconds: the clock was set ahead, or the server was away.
space.SILENCE = 15000000

-- The time of this call, where such a silence ends with it: `tick` notes it.
space.gap = false

-- The time of this call in microseconds, never less than the partition has seen.
space.us = 0

-- The same as the decimal seconds that Blueque's fields hold.
space.now = ''

function space.decimal(us)
  return string.format('%.6f', us / 1000000)
end

-- A namespace without our meta hash, or of another schema; or a key of another kind, since
-- hashes with names of users in them may have the clock's field too. One that holds data
-- was checked to the last character when it was born.
function space.unborn()
  local name = string.match(space.meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    reply.fail('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', space.meta, 'schema') == 1 then
    reply.fail('SCHEMA', 'the data has another schema than these scripts (' .. space.SCHEMA
      .. '): use the bundle that made it, or upgrade all clients')
  end
  space.touched = space.touched or {}
  space.touched.unborn = true
  return 0
end

-- The time that the caller says it is: only in a namespace for tests, one whose first write
-- carried a time. Elsewhere one wrong clock would end leases and bring every eta forward.
function space.told(now)
  space.us = args.seconds(now or reply.fail('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (space.touched and space.touched.unborn) and redis.call('HGET', space.meta, 'test') ~= '1' then
    reply.fail('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  space.now = space.decimal(space.us)
end

-- The floor: a server whose clock was set back, or a replica with an older
-- one, never issues an older time or token than the partition has seen.
function space.floor(clock)
  space.us = tonumber(clock)
  space.now = space.decimal(space.us)
end

function space.silence(clock)
  if tonumber(clock) > 0 then
    space.gap = space.us
  end
end

-- Opens the namespace, whose clock the caller has read from the meta hash.
-- @hot
function space.time(clock)
  if not clock or #KEYS ~= 1 or space.touched and not string.find(space.meta, '^[^_]*_meta$') then
    clock = space.unborn()
  end
  if ARGV[1] == '' then
    local time = redis.call('TIME')
    local seconds, micros = time[1], time[2]
    if #micros < 6 then
      micros = string.format('%06d', micros)
    end
    space.us = seconds * 1000000 + micros
    space.now = seconds .. '.' .. micros
  else
    space.told(ARGV[1])
  end
  if tonumber(clock) > space.us then
    space.floor(clock)
  elseif clock + space.SILENCE < space.us then
    space.silence(clock)
  end
end

-- Opens the namespace that KEYS[1] names.
-- @hot
function space.open()
  space.time(redis.call('HGET', space.meta, space.CLOCK))
end

-- The same, with more fields of the meta hash, in their order.
-- @hot
function space.open_with(...)
  local found = redis.call('HMGET', space.meta, space.CLOCK, ...)
  space.time(found[1])
  return found
end

-- Moves the floor. Whoever issues tokens or extends leases does this. The gap is noted here, and not by
-- `requeue_orphans` alone: the floor would hide it from that.
-- @hot
function space.tick(us)
  redis.call('HSET', space.meta, space.CLOCK, us)
  if space.gap then
    redis.call('HSET', space.meta, 'gap', string.format('%.0f', space.gap))
  end
end

-- @hot
function space.key(kind, name)
  return space.prefix .. kind .. '_' .. name
end

function space.note(name)
  space.notes = space.notes or {}
  local note = space.notes[name] or {}
  space.notes[name] = note
  return note
end

-- Notes a key that this script may write, for `begin`.
function space.touch(key)
  if space.touched and not space.touched[key] then
    space.touched[key] = true
    space.touched[#space.touched + 1] = key
  end
  return key
end

-- A read that fails when the key has another type, so that no write will.
function space.probe(command, key)
  space.touch(key)
  return redis.call(command, key)
end

-- For writes that cannot do without reading what they may have emptied: while the slot
-- is being moved, an absent key is an error, and `begin` refuses a call that names one.
function space.unmoved()
  space.touch(space.prefix .. 'unmoved') -- there never is one
end

-- In a slot that is being moved some keys are absent on either side, and what seems
-- absent may be on the other one; the server says so only to a command with several keys.
function space.here(...)
  local answer = space.touched and redis.pcall('EXISTS', space.meta, ...)
  if type(answer) == 'table' and answer.err then
    reply.fail(reply.elsewhere())
  end
end

-- Called once, after all reads and before the first write. `first`: the zset that
-- this write goes to, where the command has not read it: the write itself fails
-- on a key of another type, unless the birth of the namespace comes before it.
-- `...`: keys that were not noted before.
function space.begin(first, ...)
  local request = space.notes and space.notes.request
  if request then
    request.begun = true
  end
  rights.require()
  if space.touched then
    space.enter(first, ...)
  end
end

-- The same for a hot command, which asks for its few rights in place, and calls this only
-- where `touched` is set.
function space.enter(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(space.touched) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do -- Lua hands over 8000 values at most
    space.here(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if space.touched.unborn then
    rights.require()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', space.meta, 'schema', space.SCHEMA,
      space.CLOCK, '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end

-- The first write of a call that must get through when memory is full: the server decides by it, and allows a removal
-- and whatever follows one. `key`: a hash, which loses nothing; none of its fields has an empty name.
function space.make_way(key)
  redis.call('HDEL', key, '')
end
