--- Lists the workers of the namespace that report.
-- @args now cursor limit
-- @reply next cursor (0 at the end), then for each worker: its listener, name and version; its queues, or the patterns
--   that select its queues, separated by commas; what it offers, separated by commas; its slots and free slots; the
--   queues that it drains; when its reports began, and when it was last seen; `alive` or `dead`; the methods that it
--   has programs for, separated by commas (`*`: any); its problems; `ending` if it drains and ends, else empty; and how
--   many of its attempts failed in the last hour
-- @errors
namespace.open()
local cursor, limit = contract.arguments()
local page = redis.call('ZSCAN', namespace.prefix .. 'workers', cursor, 'COUNT', limit)
local answer = { page[1] }
for i = 1, #page[2], 2 do
  local listener = page[2][i]
  local v = redis.call('HMGET', workers.key(listener),
    'name', 'version', 'queues', 'has', 'slots', 'free', 'draining', 'since', 'at',
      'methods', 'trouble', 'patterns', 'failed')
  if v[3] and v[9] then
    local drained, ends = {}, v[7] == '1' and 'ending' or ''
    for queue in string.gmatch(v[3], '[^,]+') do
      if ends ~= '' or redis.call('HEXISTS', namespace.key('orders', queue), 'l:' .. listener) == 1 then
        drained[#drained + 1] = queue
      end
    end
    v[7] = table.concat(drained, ',')
    v[3] = v[12] and v[12] ~= '' and v[12] or v[3]
    local life = namespace.now_us - workers.moment(v[9]) > workers.DEAD and 'dead' or 'alive'
    reply.add(answer, listener, v[1] or '', v[2] or '', v[3], v[4] or '', v[5] or '', v[6] or '', v[7], v[8] or '',
      v[9], life, v[10] or '', v[11] or '', ends, v[13] or '')
  end
end
return answer
