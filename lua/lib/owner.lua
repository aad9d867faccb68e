-- Calls of an attempt's owner: the first arguments are an id and the attempt's token.
local owner = {}

owner.id = ''

owner.token = ''

function owner.open()
  space.open()
  owner.id, owner.token = args.next('id'), args.next('token')
end

-- Why the token does not hold the task. The call that ended the attempt may
-- come again after a lost reply: `endings` lists the outcomes that are its
-- first answer. Malformed arguments are told here and not before, since none
-- can equal what a record holds.
function owner.stale(key, endings)
  args.plain(owner.id, 'id')
  args.integer(owner.token, 1, 9007199254740991, 'token')
  if endings then
    local last = redis.call('HMGET', key, 'ended', 'outcome')
    if last[1] == owner.token and endings[last[2]] then
      return nil, last[2]
    end
  end
  reply.fail('LOST', 'this attempt no longer holds the task: stop the work and discard what it made')
end

-- The task, if this token holds it; else its first answer, or LOST. `extra` is
-- one more field to read.
function owner.task(endings, extra)
  local key = space.touch(space.prefix .. 'task_' .. owner.id)
  local v = redis.call('HMGET', key, 'status', 'token', 'node', 'attempt', 'queue', 'pid', 'cancel', extra or 'status')
  local status = v[1]
  if v[2] ~= owner.token or not (status == 'started' or status == 'reserved') then
    return owner.stale(key, endings)
  end
  return {
    id = owner.id, key = key, status = status, token = v[2], node = v[3], attempt = v[4],
    queue = v[5], pid = v[6] or '', cancel = v[7], extra = v[8],
  }
end

-- Ends the attempt; its outcome is the answer.
function owner.finish(task, to, outcome, change)
  state.plan(task, to)
  space.begin()
  local fields = change.fields
  local n = #fields
  fields[n + 1], fields[n + 2], fields[n + 3] = 'token', '', 'ended'
  fields[n + 4], fields[n + 5], fields[n + 6] = task.token, 'outcome', outcome
  change.by = task.node
  state.move(task, to, change)
  return outcome
end
