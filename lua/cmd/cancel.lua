--- Cancels a task. One that is held is told by its next heartbeat, or with `force` cut off at once.
-- @args now id reason
-- @options force
-- @reply `cancelled`, or `cancelling` where its owner has yet to stop
-- @errors NOTASK STATE TOOBIG
space.open()
local id = args.next('id')
local reason = args.text(args.next('reason'), 'reason')
local options = args.options({ force = args.flag })

local task = record.get(id)
if task.status == 'cancelled' then
  return 'cancelled'
end
if task.status == 'complete' or task.status == 'failed' then
  record.refuse(task.status)
end
local held = record.held(task)
if held and not options.force then
  if task.cancel then
    return 'cancelling'
  end
  local orders = space.key('orders', task.queue)
  space.probe('HLEN', orders)
  space.begin()
  -- A removal first: a cancel must get through when memory is full.
  redis.call('HDEL', orders, '')
  redis.call('HSET', orders, 't:' .. id, 'cancel')
  redis.call('HSET', task.key, 'cancel', space.now, 'reason', reason)
  redis.call('PUBLISH', orders, '')
  return 'cancelling'
end

state.plan(task, 'cancelled')
space.begin()
if held then
  state.move(task, 'cancelled', 'cancel', '', 'reason', reason, 'token', '', 'ended', task.token, 'outcome', 'lost')
else
  state.move(task, 'cancelled', 'cancel', '', 'reason', reason)
end
return 'cancelled'
