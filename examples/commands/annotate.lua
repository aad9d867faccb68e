--- Stores a text in the record of a task: the field `x_note`, which is removed with the task.
-- @args now id text
-- @reply the text that was there before, or an empty string
-- @errors NOTASK TOOBIG
namespace.open()
local id = args.plain(args.next('id'), 'id')
local text = args.bytes(args.next('text'), 1024, 'text')
args.none()

local task = record.get(id, 'x_note')
namespace.begin()
redis.call('HSET', task.key, 'x_note', text)
return task.extra[1] or ''
