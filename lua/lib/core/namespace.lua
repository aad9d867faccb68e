-- The namespace: its keys, schema and clock, and the checks before the first write.
local namespace = {}

namespace.SCHEMA = '1'

-- Field of the meta hash that holds the clock. The name includes the schema version, so one read on the hot path checks
-- both.
namespace.CLOCK = 'clock:1'

namespace.meta = KEYS[1] or ''

-- Prefix of every key.
namespace.prefix = string.sub(namespace.meta, 1, -5)

-- Keys that this script may write, for `begin`. This is a table if the namespace has a hash tag, so that its keys are
-- in one slot of a cluster, or if the namespace does not exist yet. Otherwise this is false, and hot commands skip
-- `begin_declared`.
namespace.declared = not string.find(namespace.meta, '^[^_{]*_meta$') and {}

-- Tables that rarely used pieces share, by name. Created by `shared`.
namespace.shared_tables = false

-- Microseconds without a sign of life from any client. After a longer silence, the clock was set ahead or the server
-- was down.
namespace.SILENCE = 15000000

-- Time of this call if the call ends a longer silence, or false. `advance_clock` stores it.
namespace.gap = false

-- Time of this call in microseconds, never earlier than any time that this namespace has seen.
namespace.now_us = 0

-- Time of this call in decimal seconds, the format of Blueque's fields.
namespace.now = ''

function namespace.decimal(us)
  return string.format('%.6f', us / 1000000)
end

-- Returns the digits of a time or a token. They are formatted in two parts: '%.0f' takes twice as long, and '%d' has 32
-- bits on some servers.
-- @inline
function namespace.digits(us)
  local micros = us % 1000000
  return string.format('%d%06d', (us - micros) / 1000000, micros)
end

-- Handles a namespace whose meta hash is missing, has another schema, or is not a meta hash at all: a hash with
-- user-supplied names may also have the clock's field. If a namespace holds data, its name was fully checked when the
-- namespace was created.
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

-- Uses the time that the caller passed. Only a namespace for tests allows this: its first write carried a time. In any
-- other namespace, one wrong clock could expire leases and make every eta due.
function namespace.use_test_time(now)
  namespace.now_us = args.seconds(now or reply.fail('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace.declared and namespace.declared.unborn) and redis.call('HGET', namespace.meta, 'test') ~= '1' then
    reply.fail('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace.now = namespace.decimal(namespace.now_us)
end

-- Applies the floor. Even if a server's clock is set back, or a replica has an older clock, this namespace never issues
-- a time or token that is earlier than a time it has seen.
function namespace.apply_floor(clock)
  namespace.now_us = clock
  namespace.now = namespace.decimal(namespace.now_us)
end

function namespace.note_gap(clock)
  if clock > 0 then
    namespace.gap = namespace.now_us
  end
end

-- Opens the namespace. The caller has read the clock from the meta hash.
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

-- Advances the floor. Every function that issues tokens or extends leases calls this. The gap is stored here, not only
-- by `requeue_orphans`, because that command cannot detect the gap once the floor has advanced.
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

-- Makes `begin` refuse this call during slot migration. Call this if a later write reads a key again that this script
-- may have emptied: during slot migration, an absent key is an error.
function namespace.require_settled_slot()
  namespace.declare(namespace.prefix .. 'unmoved') -- this key never exists
end

-- Fails if a key that seems absent may be on another node. This happens during slot migration, and the server reports
-- it only to a command with several keys.
function namespace.check_slot(...)
  local answer = namespace.declared and redis.pcall('EXISTS', namespace.meta, ...)
  if type(answer) == 'table' and answer.err then
    reply.fail(reply.elsewhere())
  end
end

-- Returns true if a key is on this node or does not exist. A hint must not create a key while a key with this name is
-- moved here: the migration cannot replace the new key and stops.
function namespace.is_here(key)
  return type(redis.pcall('EXISTS', namespace.meta, key)) == 'number'
end

-- Checks permissions and declared keys. Call this once, after all reads and before the first write. `first`: the zset
-- that is written first, if the command has not read it. That write itself fails on a wrong type, except in a new
-- namespace, where `first` is read here. `...`: further keys to declare.
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

-- Part of `begin` that a hot command needs. Hot commands check their few permissions in place and call this function
-- only if `declared` is set.
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

-- Makes the first write of a call that must succeed when memory is full. The server decides by the first command and
-- always allows a removal. `key`: a hash. Nothing is removed, because no field has an empty name.
function namespace.write_when_full(key)
  redis.call('HDEL', key, '')
end

-- Returns true if the queue exists. Commands store no data under other names, because no command removes that data.
function namespace.is_queue(queue)
  local key = namespace.key
  return redis.call('ZSCORE', namespace.declare(namespace.prefix .. 'queues'), queue)
    or redis.call('EXISTS', key('tasks', queue), key('listeners', queue), key('pending_tasks', queue),
      key('scheduled_tasks', queue), key('complete_tasks', queue), key('failed_tasks', queue), key('leases', queue)) > 0
end
