--- Checks the server, the schema, the eviction policy and the permissions of this user; the first call of a client.
-- @args now
-- @reply schema, server time, 1 if the namespace holds data yet, the eviction policy or an empty string if this user may not read it, 1 if the namespace is for tests, and what this user lacks: `NAME:COMMAND,COMMAND` for each command of the bundle that it may not run, separated by spaces, with `messages:PUBLISH` if wake-ups and orders will be late
-- @errors EVICTION SCHEMA

local cold

local args_at = 1

local namespace_meta = KEYS[1] or ''

local namespace_prefix = string.sub(namespace_meta, 1, -5)

local namespace_declared = not string.find(namespace_meta, '^[^_{]*_meta$') and {}

local namespace_gap = false

local namespace_now_us = 0

local namespace_now = ''

local function namespace_open()
  do
    local clock = redis.call('HGET', namespace_meta, 'clock:1')
    if not clock or #KEYS ~= 1 or namespace_declared and not string.find(namespace_meta, '^[^_]*_meta$') then
      clock = cold(4)()
    end
    if ARGV[1] == '' then
      local time = redis.call('TIME')
      local seconds, micros = time[1], time[2]
      if #micros < 6 then
        micros = string.format('%06d', micros)
      end
      namespace_now_us = seconds * 1000000 + micros
      namespace_now = seconds .. '.' .. micros
    else
      cold(5)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(6)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(7)(floor)
    end
  end
end

local function server_info(section, field)
  local text = redis.pcall('INFO', section)
  if type(text) ~= 'string' then
    return nil
  end
  return string.match(text, '\n' .. field .. ':([^\r\n]*)')
end

local function server_require()
  local policy = server_info('memory', 'maxmemory_policy')
  if policy and policy ~= 'noeviction' then
    cold(8)('EVICTION', 'maxmemory-policy is ' .. string.gsub(policy, '[^%w-]', '')
      .. ' and would silently remove tasks: set it to noeviction')
  end
  return policy or ''
end

function cold(number)
if number < 7 then
if number < 4 then
if number < 2 then
-- 1 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(8)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
if number < 3 then
-- 2 args.none
return function()
  if #ARGV > args_at then
    cold(8)('BADARG', 'too many arguments: this command takes no options')
  end
end
else
-- 3 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
end
end
else
if number < 5 then
-- 4 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(8)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(8)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
if number < 6 then
-- 5 namespace.use_test_time
return function(now)
  namespace_now_us = cold(1)(now or cold(8)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(8)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(3)(namespace_now_us)
end
else
-- 6 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(3)(namespace_now_us)
end
end
end
end
else
if number < 10 then
if number < 8 then
-- 7 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
if number < 9 then
-- 8 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(9)() then
    code, text = cold(10)()
  end
  error({ err = code .. ' ' .. text })
end
else
-- 9 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
end
end
else
if number < 12 then
if number < 11 then
-- 10 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
-- 11 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(10)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
end
else
if number < 13 then
-- 12 rights.denied
return function(names, role)
  local may, key = redis.acl_check_cmd, namespace_prefix .. role
  if not may then
    return nil
  end
  for _, name in ipairs(names) do
    if not may(name, name == 'XINFO' and 'STREAM' or key, key, key) then
      return name
    end
  end
end
else
-- 13 rights.missing
return function()
  local denied, missing, others = {}, {}, {}
  for name, role, calls in string.gmatch('adopt/WORKER=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SISMEMBER SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;audit/meta=EXISTS HEXISTS HGET TIME XRANGE;bulk/ADMINISTRATOR=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET HSETNX HSTRLEN HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZRANK ZREM ZREVRANGE ZSCORE;cancel/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;cancel_graph/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HLEN HMGET HSET TIME UNLINK XADD XINFO XLEN ZADD ZCARD;changes/meta=EXISTS HEXISTS HGET TIME XRANGE;checkpoint/WORKER=EXISTS HDEL HEXISTS HGET HMGET HSET TIME XADD XINFO XLEN ZCARD;complete/WORKER=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET HSETNX HVALS LINDEX LLEN LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;configure/ADMINISTRATOR=EXISTS HDEL HEXISTS HGET HINCRBY HMGET HSET LLEN LPUSH TIME XADD XINFO XLEN ZADD ZCARD;counts/meta=EXISTS HEXISTS HGET HMGET LLEN SCARD SMEMBERS SSCAN TIME ZCARD ZSCORE;delete/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;depend/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HKEYS HLEN HMGET HSET HSETNX HSTRLEN HVALS LINDEX LLEN LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;drain/ADMINISTRATOR=EXISTS HDEL HEXISTS HGET HLEN HMGET HSET SISMEMBER TIME XADD XINFO XLEN ZCARD;edit/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;estimate/meta=EXISTS HEXISTS HGET HGETALL HMGET HSCAN LINDEX LLEN LPOS LRANGE SCARD SRANDMEMBER SSCAN TIME ZCARD ZCOUNT ZRANGE ZRANK ZREVRANGE ZSCORE;events/meta=EXISTS HEXISTS HGET TIME XRANGE;exchange/WORKER=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET HSETNX HVALS LINDEX LLEN LPUSH LRANGE LREM LTRIM RPOP RPOPLPUSH RPUSH SADD SCARD SISMEMBER SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;fail/WORKER=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET HSETNX HVALS LINDEX LLEN LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;find/meta=EXISTS HEXISTS HGET HMGET LLEN LRANGE SCARD SMEMBERS TIME ZCARD ZCOUNT ZRANGE ZRANK ZREVRANGE ZSCAN ZSCORE;forget/ADMINISTRATOR=EXISTS EXPIRE HDEL HEXISTS HGET HLEN HMGET HSET TIME UNLINK XADD XINFO XLEN ZCARD ZRANGE ZREM ZSCORE;get/meta=EXISTS HEXISTS HGET HGETALL TIME;get_many/meta=EXISTS HEXISTS HGET HGETALL TIME;graphs/meta=EXISTS HEXISTS HGET HMGET TIME ZCARD ZCOUNT ZRANGE ZRANK ZREVRANGE ZSCORE;groups/meta=EXISTS HEXISTS HGET TIME ZCARD ZCOUNT ZRANGE ZRANK ZREVRANGE ZSCORE;heartbeat/WORKER=EXISTS HEXISTS HGET HLEN HMGET HSET SISMEMBER TIME XINFO ZADD ZCARD ZMSCORE ZREM;held/meta=EXISTS HEXISTS HGET HMGET LRANGE TIME ZRANGE ZSCORE;hello/meta=EXISTS HEXISTS HGET HMGET TIME XINFO;history/meta=EXISTS HEXISTS HGET HMGET TIME XRANGE XREVRANGE;limit/ADMINISTRATOR=EXISTS HDEL HEXISTS HGET HLEN HMGET HSET HVALS LINDEX LLEN LPUSH TIME UNLINK XADD XINFO XLEN ZADD ZCARD ZRANGE ZREM;limits/meta=EXISTS HEXISTS HGET HSCAN TIME;list/meta=EXISTS HEXISTS HGET HMGET LLEN LRANGE SSCAN TIME ZCARD ZCOUNT ZRANGE ZREVRANGE ZSCAN ZSCORE;listeners/meta=EXISTS HEXISTS HGET LLEN SSCAN TIME ZSCORE;log/WORKER=EXISTS EXPIRE HEXISTS HGET HINCRBY HMGET HSET TIME UNLINK XADD XDEL XINFO XLEN XRANGE XREVRANGE ZADD ZCARD ZRANGE ZREM;logs/meta=EXISTS HEXISTS HGET TIME XRANGE XREVRANGE;mend/UPKEEP=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LRANGE LREM LTRIM RPOPLPUSH RPUSH SADD SCAN SCARD SISMEMBER SREM SSCAN TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZREVRANGE ZSCORE;move/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;note/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HMGET HSET TIME UNLINK XADD XINFO XLEN XREVRANGE ZCARD;pause/ADMINISTRATOR=EXISTS HDEL HEXISTS HGET HLEN HMGET HSET TIME XADD XINFO XLEN ZCARD;pause_schedule/ADMINISTRATOR=EXISTS HDEL HEXISTS HGET HGETALL HMGET HSET TIME XADD XINFO XLEN ZADD ZCARD ZREM;peek/meta=EXISTS HEXISTS HGET HGETALL HMGET LINDEX LRANGE TIME ZCARD ZRANGE ZRANGEBYSCORE ZSCORE;prioritise/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HINCRBY HLEN HMGET HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM TIME XADD XINFO XLEN ZADD ZCARD ZRANGE ZREM ZSCORE;progress/WORKER=EXISTS HDEL HEXISTS HGET HMGET HSET TIME XADD XINFO XLEN ZCARD;promote/UPKEEP=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;queues/meta=EXISTS HEXISTS HGET HMGET LLEN SCARD SSCAN TIME ZRANGE ZSCORE;ready/UPKEEP=EXISTS HDEL HEXISTS HGET HMGET HSET LLEN LPUSH SADD SISMEMBER TIME XINFO ZADD ZCARD ZINCRBY ZRANGE ZREM ZSCAN ZSCORE;recall/ADMINISTRATOR=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;register/WORKER=EXISTS HDEL HEXISTS HGET HLEN HSET SADD SCARD TIME XINFO ZADD ZCARD ZINCRBY;release/WORKER=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HKEYS HLEN HMGET HSET HSETNX HVALS LINDEX LLEN LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;report/WORKER=EXISTS HDEL HEXISTS HGET HMGET HSET SADD SISMEMBER TIME XINFO ZADD ZCARD ZINCRBY ZREM;requeue_orphans/UPKEEP=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET HSETNX HVALS LINDEX LLEN LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SISMEMBER SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZINCRBY ZRANGE ZRANGEBYSCORE ZREM ZSCORE;reserve/WORKER=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET HSETNX HVALS LINDEX LLEN LPUSH LRANGE LREM LTRIM RPOP RPOPLPUSH RPUSH SADD SCARD SISMEMBER SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;reset_clock/ADMINISTRATOR=EXISTS EXPIRE HDEL HEXISTS HGET HMGET HSET TIME XADD XINFO XLEN ZCARD ZRANGE;resume/ADMINISTRATOR=EXISTS HDEL HEXISTS HGET HLEN HMGET HSET LLEN LPUSH TIME XADD XINFO XLEN ZADD ZCARD;resume_schedule/ADMINISTRATOR=EXISTS HDEL HEXISTS HGET HGETALL HMGET HSET TIME XADD XINFO XLEN ZADD ZCARD ZREM;retain/UPKEEP=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET HSETNX HVALS LINDEX LLEN LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;retry/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET HSETNX HSTRLEN HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;retry_graph/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HLEN HMGET HSET TIME UNLINK XADD XINFO XLEN ZADD ZCARD;run_schedule/ADMINISTRATOR=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;schedule/ADMINISTRATOR=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET TIME XADD XINFO XLEN ZADD ZCARD ZREM;schedules/meta=EXISTS HEXISTS HGET HMGET TIME ZRANGE;set_topology/ADMINISTRATOR=EXISTS HEXISTS HGET HMGET HSET TIME XADD XINFO XLEN ZCARD;settings/meta=EXISTS HEXISTS HGET HMGET TIME;settle/UPKEEP=APPEND EXISTS EXPIRE GET HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HSTRLEN HVALS LINDEX LLEN LPOS LPUSH LRANGE LREM LTRIM RPOP RPOPLPUSH RPUSH SADD SCARD SET SREM STRLEN TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZMSCORE ZRANGE ZRANGEBYSCORE ZREM ZSCORE;show_graph/meta=EXISTS HEXISTS HGET HLEN HMGET HSCAN LRANGE TIME ZSCORE;show_schedule/meta=EXISTS HEXISTS HGET HGETALL TIME;slots/ADMINISTRATOR=EXISTS HDEL HEXISTS HGET HGETALL HSET TIME XINFO ZADD ZCARD ZREM;start/WORKER=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET HSETNX HVALS LINDEX LLEN LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;statistics/meta=EXISTS HEXISTS HGET HGETALL HMGET TIME ZRANGEBYSCORE;submit/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET HSETNX HSTRLEN HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;submit_graph/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HLEN HMGET HSET HSTRLEN LLEN RPUSH TIME XINFO ZADD ZCARD ZCOUNT ZSCORE;tag/CLIENT=EXISTS HDEL HEXISTS HGET HMGET HSET TIME XINFO ZADD ZCARD ZREM;tags/meta=EXISTS HEXISTS HGET TIME ZCARD ZCOUNT ZRANGE ZRANK ZREVRANGE ZSCORE;tally/UPKEEP=EXISTS HEXISTS HGET HMGET HSET TIME UNLINK XINFO XLEN XRANGE XTRIM ZADD ZCARD ZRANGEBYSCORE ZREM;tick/UPKEEP=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;topology/meta=EXISTS HEXISTS HGET HMGET TIME;track/CLIENT=EXISTS HEXISTS HGET HMGET HSET TIME XADD XINFO XLEN ZADD ZCARD ZRANGE ZREM ZSCORE;tracked/meta=EXISTS HEXISTS HGET HMGET TIME ZCARD ZCOUNT ZRANGE ZRANK ZREVRANGE ZSCORE;undepend/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET HSETNX HVALS LINDEX LLEN LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;unregister/WORKER=EXISTS HDEL HEXISTS HGET HLEN HMGET HSET LLEN SCARD SREM TIME UNLINK XINFO ZCARD ZINCRBY ZREM;unschedule/ADMINISTRATOR=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET TIME UNLINK XADD XINFO XLEN ZADD ZCARD ZREM;untag/CLIENT=EXISTS HDEL HEXISTS HGET HMGET HSET TIME XINFO ZADD ZCARD ZREM;untrack/CLIENT=EXISTS HDEL HEXISTS HGET HMGET HSET TIME XADD XINFO XLEN ZCARD ZREM;upkeep/UPKEEP=APPEND EXISTS EXPIRE GET HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HSTRLEN HVALS LINDEX LLEN LPOS LPUSH LRANGE LREM LTRIM RPOP RPOPLPUSH RPUSH SADD SCAN SCARD SET SISMEMBER SREM SSCAN STRLEN TIME UNLINK XADD XINFO XLEN XRANGE XREVRANGE XTRIM ZADD ZCARD ZCOUNT ZINCRBY ZMSCORE ZRANGE ZRANGEBYSCORE ZREM ZREVRANGE ZSCORE;why/meta=EXISTS HEXISTS HGET HLEN HMGET HSCAN LINDEX LLEN LPOS LRANGE SCARD SSCAN TIME ZCARD ZCOUNT ZRANGE ZRANK ZSCORE;workers/meta=EXISTS HEXISTS HGET HMGET TIME ZSCAN', '([%l_]+)/(%w+)=([%u ]*)') do
    local lacks = {}
    for call in string.gmatch(calls, '%u+') do
      local of = role .. call
      if denied[of] == nil then
        denied[of] = cold(12)({ call }, role) and (cold(12)({ call }, 'meta') or role) or false
      end
      if denied[of] == role then
        others[role] = true
      else
        lacks[#lacks + 1] = denied[of] or nil
      end
    end
    if #lacks > 0 then
      missing[#missing + 1] = name .. ':' .. table.concat(lacks, ',')
    end
  end
  local may = redis.acl_check_cmd
  if may and not may('PUBLISH', namespace_prefix .. '*', '') then
    missing[#missing + 1] = 'messages:PUBLISH'
  end
  local roles = {}
  for role in pairs(others) do
    roles[#roles + 1] = role
  end
  if #roles > 0 then
    table.sort(roles)
    missing[#missing + 1] = 'roles:' .. table.concat(roles, ',')
  end
  return table.concat(missing, ' ')
end
end
end
end
end
end

local function command()
  namespace_open()
  cold(2)()
  if not string.find(namespace_meta, '{') then
    for slot = 1, 16 do
      redis.call('HGET', namespace_prefix .. 'unmoved' .. slot, 'x')
    end
  end
  local policy = server_require()
  local born = redis.call('HMGET', namespace_meta, 'schema', 'test')
  return { '1', namespace_now, born[1] and 1 or 0, policy, born[2] and 1 or 0, cold(13)() }
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(11)(answer)
