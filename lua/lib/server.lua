-- What the server says of itself, asked only where it matters: INFO is slow.
local server = {}

-- One value of INFO, or nil where this user may not ask.
function server.info(section, field)
  local text = redis.pcall('INFO', section)
  if type(text) ~= 'string' then
    return nil
  end
  return string.match(text, '\n' .. field .. ':([^\r\n]*)')
end

function server.require()
  local policy = server.info('memory', 'maxmemory_policy')
  if policy and policy ~= 'noeviction' then
    reply.fail('EVICTION', 'maxmemory-policy is ' .. string.gsub(policy, '[^%w-]', '')
      .. ' and would silently remove tasks: set it to noeviction')
  end
end
