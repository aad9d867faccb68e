--- Adds a note to the history of a task, in any state. The setting `history` bounds notes and transitions together.
-- @args now id text
-- @role client
-- @options by data request
-- @reply `noted`
-- @errors NOTASK TOOBIG
namespace.open()
local id, text = contract.arguments()
local options = args.options()
requests.replay('note', options.request)

local task = record.get(id, 'notes')
history.plan(task)
tracking.plan_note(task)
namespace.begin()
redis.call('HSET', task.key, 'notes', string.format('%.0f', tonumber(task.extra[1] or 0) + 1))
local event = { to = task.status, why = 'note', by = options.by or '', at = record.time(task),
  note = { 'note', text, 'data', options.data or '' } }
history.add(task, event, '', '', '', '')
tracking.note(task, 'note', options.by, text)
return requests.keep('noted')
