--- Applies an action to all tasks of a queue that match the options, oldest first. A call examines up to 300 tasks and
--   changes up to `limit` of them.
-- @args now queue action cursor limit
-- @role administrator
-- @options select.* reason force at_once fresh into priority signal by request
-- @reply next cursor (0 at the end), number of tasks examined, changed and refused
-- @errors TOOBIG
-- @noted STATE STOPPING DUPLICATE CLOSED TOOMANY UPSTREAM OVERDUE
local ACTIONS = {
  cancel = { cancelling.plan, cancelling.cancel, reason = true, force = true, at_once = true },
  retry = { retrying.plan, retrying.retry, fresh = true, into = true },
  delete = { deleting.plan, deleting.delete },
  purge = { deleting.plan, deleting.delete },
  move = { moving.plan, moving.move, into = true },
  prioritise = { prioritising.plan, prioritising.prioritise, priority = true },
  hold = { holding.plan, holding.hold, by = true },
  unhold = { holding.plan_release, holding.release, by = true },
  suspend = { controlling.plan, controlling.ask, by = true },
  unsuspend = { controlling.plan, controlling.ask, by = true },
  signal = { controlling.plan, controlling.ask, signal = true, by = true },
  requeue = { requeuing.plan, requeuing.requeue, by = true },
}

namespace.open()
local queue, action, cursor, limit = contract.arguments()
local act = ACTIONS[action]
local options = args.options()
for _, name in ipairs({ 'reason', 'force', 'at_once', 'fresh', 'into', 'priority', 'signal' }) do
  if options[name] ~= nil and not act[name] then
    reply.fail('BADARG', 'this action does not take the option ' .. name)
  end
end
if options.into == queue or action == 'move' and not options.into
  or action == 'prioritise' and not options.priority or action == 'signal' and not options.signal then
  reply.fail('BADARG', 'move needs the option into, another queue, prioritise the option priority, and signal the'
    .. ' option signal')
end
requests.replay('bulk', options.request)
local spec = {
  reason = options.reason or '', force = options.force, at_once = options.at_once, fresh = options.fresh,
  queue = options.into, priority = options.priority, detail = options.signal, by = act.by and options.by, what = action,
  elsewhere = action == 'retry' and options.into and retrying.plan_elsewhere or nil,
  waiting = action == 'purge', planned = {}, lists = {}, entries = 0,
}

-- During slot migration the call is refused: it would miss tasks that are moving to another node.
namespace.check_slot(namespace.prefix .. 'unmoved')
-- Tasks that came after the first step are not examined, so that a bulk of many steps ends.
local chosen = search.chosen(queue, options)
local till = cursor and cursor.till or (tonumber(namespace.now) < (tonumber(chosen.high) or math.huge) and namespace.now
  or chosen.high)
local page, after = search.page(chosen.index, { cursor = cursor, score = chosen.low }, search.STEP)
local tasks, looked, refused = {}, 0, 0
for i = 1, #page, 2 do
  if tonumber(page[i + 1]) > tonumber(till) then
    after = '0'
    break
  end
  looked = looked + 1
  local task = search.matches(page[i], chosen) and actions.find(page[i])
  if task then
    if act[1](task, spec) then
      refused = refused + 1
    elseif task.to then
      tasks[#tasks + 1] = task
    end
  end
  if (#tasks == limit or spec.entries > actions.ENTRIES) and (i < #page - 1 or after ~= '0') then
    after = search.after(page, i)
    break
  end
end
if #tasks > 0 then
  local asked = { action }
  for i = args.at + 1, #ARGV, 2 do
    if ARGV[i] ~= 'request' and ARGV[i] ~= 'by' then
      asked[#asked + 1] = ARGV[i] .. '=' .. ARGV[i + 1]
    end
  end
  audit.plan()
  actions.run(act[2], tasks, spec)
  audit.add(options.by, 'bulk', 'queue', queue, '', tostring(#tasks), table.concat(asked, ' '))
end
return requests.keep({ after == '0' and '0' or after .. '/' .. till, looked, #tasks, refused })
