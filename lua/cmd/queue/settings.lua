--- Returns the settings in effect for a queue, or with queue `*` the defaults for all queues.
-- @args now queue
-- @reply for each setting: its name, its value (empty: no limit) and the level where it is set: `queue`, `namespace` or
--   `default`
-- @errors
namespace.open()
local queue = contract.arguments()
local texts = redis.call('HMGET', namespace.meta, 'settings:' .. queue, 'settings')
local answer = {}
for name in string.gmatch(contract.SETTINGS, '%S+') do
  local own, common = settings.find(texts[1], name), settings.find(texts[2], name)
  reply.add(answer, name, own or common or settings.find(contract.DEFAULTS, name) or '',
    own and 'queue' or common and 'namespace' or 'default')
end
return answer
