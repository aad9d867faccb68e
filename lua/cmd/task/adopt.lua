--- Takes over a task from a listener whose process is dead, as a new attempt. The caller must have verified that the
--   process is dead.
-- @args now listener from queue id
-- @role worker
-- @options lease request
-- @reply the reply of reserve; nil if the task ended instead, because it was cancelled or lost too often
-- @errors NOTASK OTHERQUEUE STATE NOLISTENER
namespace.open()
local listener, from, queue, id = contract.arguments()
local options = args.options()

requests.replay('adopt', options.request)
local task = record.get(id, 'max_losses', 'stalled_losses', attempt.fields())
if task.queue ~= queue then
  reply.fail('OTHERQUEUE', 'this id is a task of another queue')
end
listeners.require(queue, listener)
local answer = options.request and attempt.repeated(id, listener, options.request)
if answer then
  return answer
end
local list = namespace.key('reserved_tasks', queue .. '_' .. from)
local held = redis.call('LPOS', namespace.declare(list), id)
local claimed = redis.call('HGET', task.key, 'reclaimed_node') -- by Blueque's `claim_orphan`
if task.status == 'pending' and held then
  task.astray = list -- popped by a client without scripts, which died before it updated the record
elseif not record.held(task) or (claimed or task.node) ~= from or from == listener then
  reply.fail('STATE', 'the task is not held by that listener: call `list_held` again, and `get` for its reclaimed_node')
end

local known_claims, claim = namespace.key('claims', queue), from .. ' ' .. id
local noted = redis.call('ZSCORE', namespace.declare(known_claims), claim) -- by `repair`

local extra = task.extra -- max_losses, stalled_losses, and the fields of `attempt.fields`
local to = lost_attempts.target(task, 'reserved',
  { max_losses = extra[1], losses = extra[4], stalled_losses = extra[2] })
state.plan(task, to, to == 'reserved' and listener or nil)
local lease = tonumber(task.own_lease) or options.lease or settings.micros(queue, 'lease')
local apart = redis.call('HGET', namespace.meta, 'token')
local rate = to == 'reserved' and settings.get(queue, 'rate')
if rate then
  namespace.probe('LLEN', limits.starts_key(queue))
end
namespace.begin()
if noted then
  redis.call('ZREM', known_claims, claim)
end
if to ~= 'reserved' then
  lost_attempts.move(task, to, 'adopt')
  return requests.keep(false) -- the record of a task that was taken contains the request
end
redis.call('HSET', task.key, 'losses', task.losses, 'stalled_losses', task.stalled_losses, 'outcome', 'lost',
  'ended', task.token)
task.forget = { 'pid', 'reclaimed_node', 'requeue', 'started', 'progress', 'progressed' }
task.taker, task.request = listener, options.request
attempt.begin(task, lease, 'adopt', apart)
task.token = task.issue
limits.record_start(limits.starts_key(queue), rate, string.format('%.0f', namespace.now_us))
orders.announce(queue)
return attempt.answer(task, tonumber(task.deadline), lease,
  { 'lost', tostring(task.losses), extra[5], extra[6], extra[7] })
