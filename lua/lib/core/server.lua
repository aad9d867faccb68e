-- Facts about the server, read only where needed: INFO is slow.
local server = {}

-- Returns one value of INFO, or nil if this user may not call INFO.
-- @hot
function server.info(section, field)
  local text = redis.pcall('INFO', section)
  if type(text) ~= 'string' then
    return nil
  end
  return string.match(text, '\n' .. field .. ':([^\r\n]*)')
end

-- Returns the server's own time in microseconds, or the time of a test. The floor is not applied.
-- @hot
function server.time()
  if ARGV[1] ~= '' then
    return args.seconds(ARGV[1], 0, 9007199254, 'now')
  end
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- Fails on a server that may evict tasks. Returns the eviction policy, which is empty if unknown.
-- @hot
function server.require()
  local policy = server.info('memory', 'maxmemory_policy')
  if policy and policy ~= 'noeviction' then
    reply.fail('EVICTION', 'maxmemory-policy is ' .. string.gsub(policy, '[^%w-]', '')
      .. ' and would silently remove tasks: set it to noeviction')
  end
  return policy or ''
end
