-- What the server says of itself, asked only where it matters: INFO is slow.
local server = {}

-- One value of INFO, or nil where this user may not ask.
-- @hot
function server.info(section, field)
  local text = redis.pcall('INFO', section)
  if type(text) ~= 'string' then
    return nil
  end
  return string.match(text, '\n' .. field .. ':([^\r\n]*)')
end

-- The server's own time in microseconds, or the one that a test gives, whatever was seen before.
-- @hot
function server.time()
  if ARGV[1] ~= '' then
    return args.seconds(ARGV[1], 0, 9007199254, 'now')
  end
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- Refuses a server that may remove tasks. Answers its policy, empty where nobody can know it.
-- @hot
function server.require()
  local policy = server.info('memory', 'maxmemory_policy')
  if policy and policy ~= 'noeviction' then
    reply.fail('EVICTION', 'maxmemory-policy is ' .. string.gsub(policy, '[^%w-]', '')
      .. ' and would silently remove tasks: set it to noeviction')
  end
  return policy or ''
end
