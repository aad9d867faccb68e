-- The namespace: its keys, its schema, its clock, and the last check before the first write.
local namespace = {}

namespace.SCHEMA = '1'

-- The field of the meta hash that holds the clock. Its name carries the schema,
-- so that one read on the hot path proves both.
namespace.CLOCK = 'clock:1'

namespace.meta = KEYS[1] or ''

-- What every key begins with.
namespace.prefix = string.sub(namespace.meta, 1, -5)

-- Where `begin` has something to do, the keys that this script may write: in a
-- namespace with a hash tag, which lives in one slot of a cluster, and in one
-- that is not born yet. Elsewhere false, and the hot commands need not call it.
namespace.declared = not string.find(namespace.meta, '^[^_{]*_meta$') and {}

-- What pieces that are seldom needed note for one another, by their name: `note` makes it.
namespace.shared_tables = false

-- So long without a sign of life from anyone, in microseconds: the clock was set ahead, or the server was away.
namespace.SILENCE = 15000000

-- The time of this call, where such a silence ends with it: `tick` notes it.
namespace.gap = false

-- The time of this call in microseconds, never less than the partition has seen.
namespace.now_us = 0

-- The same as the decimal seconds that Blueque's fields hold.
namespace.now = ''

function namespace.decimal(us)
  return string.format('%.6f', us / 1000000)
end

-- A namespace without our meta hash, or of another schema; or a key of another kind, since
-- hashes with names of users in them may have the clock's field too. One that holds data
-- was checked to the last character when it was born.
function namespace.check_new()
  local name = string.match(namespace.meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    reply.fail('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace.meta, 'schema') == 1 then
    reply.fail('SCHEMA', 'the data has another schema than these scripts (' .. namespace.SCHEMA
      .. '): use the bundle that made it, or upgrade all clients')
  end
  namespace.declared = namespace.declared or {}
  namespace.declared.unborn = true
  return 0
end

-- The time that the caller says it is: only in a namespace for tests, one whose first write
-- carried a time. Elsewhere one wrong clock would end leases and bring every eta forward.
function namespace.use_test_time(now)
  namespace.now_us = args.seconds(now or reply.fail('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace.declared and namespace.declared.unborn) and redis.call('HGET', namespace.meta, 'test') ~= '1' then
    reply.fail('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace.now = namespace.decimal(namespace.now_us)
end

-- The floor: a server whose clock was set back, or a replica with an older
-- one, never issues an older time or token than the partition has seen.
function namespace.apply_floor(clock)
  namespace.now_us = tonumber(clock)
  namespace.now = namespace.decimal(namespace.now_us)
end

function namespace.note_gap(clock)
  if tonumber(clock) > 0 then
    namespace.gap = namespace.now_us
  end
end

-- Opens the namespace, whose clock the caller has read from the meta hash.
-- @hot
function namespace.open_at(clock)
  if not clock or #KEYS ~= 1 or namespace.declared and not string.find(namespace.meta, '^[^_]*_meta$') then
    clock = namespace.check_new()
  end
  if ARGV[1] == '' then
    local time = redis.call('TIME')
    local seconds, micros = time[1], time[2]
    if #micros < 6 then
      micros = string.format('%06d', micros)
    end
    namespace.now_us = seconds * 1000000 + micros
    namespace.now = seconds .. '.' .. micros
  else
    namespace.use_test_time(ARGV[1])
  end
  if tonumber(clock) > namespace.now_us then
    namespace.apply_floor(clock)
  elseif clock + namespace.SILENCE < namespace.now_us then
    namespace.note_gap(clock)
  end
end

-- Opens the namespace that KEYS[1] names.
-- @hot
function namespace.open()
  namespace.open_at(redis.call('HGET', namespace.meta, namespace.CLOCK))
end

-- The same, with more fields of the meta hash, in their order.
-- @hot
function namespace.open_with(...)
  local found = redis.call('HMGET', namespace.meta, namespace.CLOCK, ...)
  namespace.open_at(found[1])
  return found
end

-- Moves the floor. Whoever issues tokens or extends leases does this. The gap is noted here, and not by
-- `requeue_orphans` alone: the floor would hide it from that.
-- @hot
function namespace.advance_clock(us)
  redis.call('HSET', namespace.meta, namespace.CLOCK, us)
  if namespace.gap then
    redis.call('HSET', namespace.meta, 'gap', string.format('%.0f', namespace.gap))
  end
end

-- @hot
function namespace.key(kind, name)
  return namespace.prefix .. kind .. '_' .. name
end

function namespace.shared(name)
  namespace.shared_tables = namespace.shared_tables or {}
  local note = namespace.shared_tables[name] or {}
  namespace.shared_tables[name] = note
  return note
end

-- Notes a key that this script may write, for `begin`.
function namespace.declare(key)
  if namespace.declared and not namespace.declared[key] then
    namespace.declared[key] = true
    namespace.declared[#namespace.declared + 1] = key
  end
  return key
end

-- A read that fails when the key has another type, so that no write will.
function namespace.probe(command, key)
  namespace.declare(key)
  return redis.call(command, key)
end

-- For writes that cannot do without reading what they may have emptied: while the slot
-- is being moved, an absent key is an error, and `begin` refuses a call that names one.
function namespace.require_settled_slot()
  namespace.declare(namespace.prefix .. 'unmoved') -- there never is one
end

-- In a slot that is being moved some keys are absent on either side, and what seems
-- absent may be on the other one; the server says so only to a command with several keys.
function namespace.check_slot(...)
  local answer = namespace.declared and redis.pcall('EXISTS', namespace.meta, ...)
  if type(answer) == 'table' and answer.err then
    reply.fail(reply.elsewhere())
  end
end

-- Called once, after all reads and before the first write. `first`: the zset that
-- this write goes to, where the command has not read it: the write itself fails
-- on a key of another type, unless the birth of the namespace comes before it.
-- `...`: keys that were not noted before.
function namespace.begin(first, ...)
  local request = namespace.shared_tables and namespace.shared_tables.request
  if request then
    request.begun = true
  end
  rights.require()
  if namespace.declared then
    namespace.begin_declared(first, ...)
  end
end

-- The same for a hot command, which asks for its few rights in place, and calls this only
-- where `touched` is set.
function namespace.begin_declared(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace.declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do -- Lua hands over 8000 values at most
    namespace.check_slot(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace.declared.unborn then
    rights.require()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace.meta, 'schema', namespace.SCHEMA,
      namespace.CLOCK, '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end

-- The first write of a call that must get through when memory is full: the server decides by it, and allows a removal
-- and whatever follows one. `key`: a hash, which loses nothing; none of its fields has an empty name.
function namespace.write_when_full(key)
  redis.call('HDEL', key, '')
end
