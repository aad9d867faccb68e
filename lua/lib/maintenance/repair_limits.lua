-- Repair of limits: places that are still held, and the numbers of shared limits.
local repair_limits = {}

-- Frees the places of attempts that are over, if their leases were deleted by hand; the end of a lease also frees them.
-- Then corrects the sums of shared limits.
-- @hot
function repair_limits.places(pass, cursor)
  local queue, held = pass.queue, namespace.key('places', pass.queue)
  namespace.probe('HLEN', held)
  local page = redis.call('HSCAN', held, cursor, 'COUNT', pass.limit)
  for i = 1, #page[2], 2 do
    local id, token = string.match(page[2][i], '^a:(%S+) (%d+)$')
    local task = id and record.find(id)
    if id and not (task and task.queue == queue and record.held(task) and task.token == token)
      and not redis.call('ZSCORE', namespace.key('leases', queue), id .. ' ' .. token) then
      pass.freed[#pass.freed + 1] = { id = id, token = token }
      pass.repaired = pass.repaired + 1
    end
  end
  if pass.freed[1] then
    held_places.plan_released(queue, pass.freed)
    wakeups.plan(queue)
  end
  local wrong = page[1] == '0' and recount.wrong(queue, pass.shared) or {}
  for nth = 1, #wrong, 2 do
    local name, number = wrong[nth], wrong[nth + 1]
    if number > 0 then
      fixes.fix(pass, 'HSET', shared_limits.key('places'), name, number)
    else
      fixes.fix(pass, 'HDEL', shared_limits.key('places'), name)
    end
    shared_turns.plan_wakes(name, '', shared_turns.WOKEN)
    pass.recounted[#pass.recounted + 1] = name
  end
  if page[1] == '0' then
    repair_limits.plan_shared(pass)
  end
  return page[1]
end

-- Corrects the number of tasks that name a shared limit, and removes limits that were not used for their `expires`.
function repair_limits.plan_shared(pass)
  pass.named = recount.wrong_tasks(pass.queue, pass.shared)
  local corrected = {}
  for nth = 1, #pass.named, 2 do
    corrected[pass.named[nth]] = true
  end
  if next(corrected) then
    shared_count.plan()
  end
  pass.expired = shared_define.plan_expired(corrected)
  pass.repaired = pass.repaired + #pass.named / 2 + #pass.expired
end
