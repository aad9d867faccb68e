-- The namespace: its keys, schema and clock, and the checks before the first write.
local namespace = {}

namespace.SCHEMA = '1'

-- The field of the meta hash that holds the clock. Its name includes the schema version, so one read on the hot
-- path checks both.
namespace.CLOCK = 'clock:1'

namespace.meta = KEYS[1] or ''

-- The prefix of every key.
namespace.prefix = string.sub(namespace.meta, 1, -5)

-- The keys that this script may write, for `begin`. Used in a namespace with a hash tag, whose keys live in one
-- slot of a cluster, and in one that does not exist yet. False elsewhere: hot commands skip `begin_declared` then.
namespace.declared = not string.find(namespace.meta, '^[^_{]*_meta$') and {}

-- Tables that rarely used pieces share, by name. Created by `shared`.
namespace.shared_tables = false

-- After this long without a sign of life from anyone, in microseconds, the clock was set ahead or the server was
-- down.
namespace.SILENCE = 15000000

-- The time of this call if such a silence ends with it; `advance_clock` stores it.
namespace.gap = false

-- The time of this call in microseconds, never earlier than any time this namespace has seen.
namespace.now_us = 0

-- The same in decimal seconds, as the fields of Blueque have it.
namespace.now = ''

function namespace.decimal(us)
  return string.format('%.6f', us / 1000000)
end

-- The digits of a time or a token. In two parts: '%.0f' takes twice as long, and '%d' has 32 bits on some servers.
-- @inline
function namespace.digits(us)
  local micros = us % 1000000
  return string.format('%d%06d', (us - micros) / 1000000, micros)
end

-- Handles a namespace whose meta hash is missing, has another schema, or is not a meta hash at all: a hash with
-- user-supplied names may have the clock's field, too. The name of a namespace that holds data was fully checked
-- when it was created.
function namespace.check_new()
  local name = string.match(namespace.meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    reply.fail('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace.meta, 'schema') == 1 then
    reply.fail('SCHEMA', 'the data has another schema than these scripts (' .. namespace.SCHEMA
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace.declared = namespace.declared or {}
  namespace.declared.unborn = true
  return 0
end

-- Uses the time that the caller passed. Only a namespace for tests allows it, one whose first write carried a time:
-- elsewhere, one wrong clock would expire leases and make every eta due.
function namespace.use_test_time(now)
  namespace.now_us = args.seconds(now or reply.fail('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace.declared and namespace.declared.unborn) and redis.call('HGET', namespace.meta, 'test') ~= '1' then
    reply.fail('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace.now = namespace.decimal(namespace.now_us)
end

-- Applies the floor: a server whose clock was set back, or a replica with an older clock, never issues an earlier
-- time or token than this namespace has seen.
function namespace.apply_floor(clock)
  namespace.now_us = clock
  namespace.now = namespace.decimal(namespace.now_us)
end

function namespace.note_gap(clock)
  if clock > 0 then
    namespace.gap = namespace.now_us
  end
end

-- Opens the namespace; the caller has read the clock from the meta hash.
-- @inline
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
  local floor = tonumber(clock)
  if floor > namespace.now_us then
    namespace.apply_floor(floor)
  elseif floor + namespace.SILENCE < namespace.now_us then
    namespace.note_gap(floor)
  end
end

-- Opens the namespace that KEYS[1] names.
-- @hot
function namespace.open()
  namespace.open_at(redis.call('HGET', namespace.meta, namespace.CLOCK))
end

-- Like `open`; also returns further fields of the meta hash, in order.
-- @hot
function namespace.open_with(...)
  local found = redis.call('HMGET', namespace.meta, namespace.CLOCK, ...)
  namespace.open_at(found[1])
  return found
end

-- Advances the floor. Called by whatever issues tokens or extends leases. The gap is stored here, not only by
-- `requeue_orphans`, which could not see it behind the new floor.
-- @inline
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

-- Declares a key that this script may write, for `begin`.
function namespace.declare(key)
  if namespace.declared and not namespace.declared[key] then
    namespace.declared[key] = true
    namespace.declared[#namespace.declared + 1] = key
  end
  return key
end

-- Reads a key, so that a wrong type fails here and not at a write.
function namespace.probe(command, key)
  if namespace.declared then
    namespace.declare(key)
  end
  return redis.call(command, key)
end

-- Call when a later write re-reads a key that this script may have emptied: during slot migration an absent key is
-- an error, so `begin` refuses a call that declares one.
function namespace.require_settled_slot()
  namespace.declare(namespace.prefix .. 'unmoved') -- this key never exists
end

-- During slot migration, a key that seems absent may be on the other node. The server reports that only to a
-- command with several keys.
function namespace.check_slot(...)
  local answer = namespace.declared and redis.pcall('EXISTS', namespace.meta, ...)
  if type(answer) == 'table' and answer.err then
    reply.fail(reply.elsewhere())
  end
end

-- Whether a key is here, or nowhere. A hint that makes one anew while another of its name is on its way would stop the
-- migration, which cannot replace it.
function namespace.is_here(key)
  return type(redis.pcall('EXISTS', namespace.meta, key)) == 'number'
end

-- Call once, after all reads and before the first write. `first`: the zset that is written first, if the command
-- has not read it; that write itself fails on a wrong type, unless the namespace is created before it. `...`:
-- further keys to declare.
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

-- The part of `begin` that a hot command needs: it checks its few permissions in place, and calls this only if
-- `declared` is set.
function namespace.begin_declared(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace.declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do -- `unpack` returns 8000 values at most
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

-- The first write of a call that must succeed when memory is full: the server decides by the first command, and a
-- removal is always allowed. `key`: a hash. Nothing is lost, as no field has an empty name.
function namespace.write_when_full(key)
  redis.call('HDEL', key, '')
end

-- Returns true if the queue exists. Nothing is noted for other names, since nobody would remove it.
function namespace.is_queue(queue)
  local key = namespace.key
  return redis.call('ZSCORE', namespace.declare(namespace.prefix .. 'queues'), queue)
    or redis.call('EXISTS', key('tasks', queue), key('listeners', queue), key('pending_tasks', queue),
      key('scheduled_tasks', queue), key('complete_tasks', queue), key('failed_tasks', queue), key('leases', queue)) > 0
end
