-- Controls: requests to the owner of a task to suspend its program, to continue it, to send it a signal, or to describe
-- it. The field `controls` has the requests without an answer, as `NUMBER WHAT DETAIL` with a `;` after each. The owner
-- answers them in order. A task with controls has the flag `c` until its attempt ends. Other tasks have no extra cost.
local controls = {}

-- Number of descriptions of a task that are kept, and the seconds after which they expire.
controls.DESCRIPTIONS = 4
controls.DESCRIBED = '60'

-- Reads the controls of a task: `list` of its requests, `last` the number of the latest request, and `wanted`, true if
-- the program is or is about to be suspended.
function controls.load(task)
  local v = redis.call('HMGET', namespace.prefix .. 'task_' .. task.id, 'controls', 'controlled', 'suspended')
  local found = { list = {}, last = tonumber(v[2] or 0), suspended = v[3], wanted = v[3] and true or false }
  for number, what, detail in string.gmatch(v[1] or '', '(%d+) (%a+) (%w*);') do
    found.last = tonumber(number)
    found.list[#found.list + 1] = { number = found.last, what = what, detail = detail }
    if what == 'suspend' or what == 'unsuspend' then
      found.wanted = what == 'suspend'
    end
  end
  return found
end

function controls.text(list)
  local parts = {}
  for i, request in ipairs(list) do
    parts[i] = string.format('%.0f %s %s;', request.number, request.what, request.detail)
  end
  return table.concat(parts)
end

function controls.has(task)
  return task.flags and string.find(task.flags, 'c', 1, true)
end

-- Returns the key of the descriptions of a task: the last ones, each as `TOKEN NUMBER TEXT` in a field that depends on
-- the number of its request.
function controls.described(id)
  return namespace.key('described', id)
end

function controls.place(number)
  return string.format('%d', number % controls.DESCRIPTIONS)
end

-- Returns the fields of a record that end with the attempt.
function controls.fields()
  return 'controls', 'controlled', 'control_refused', 'suspended', 'suspended_by', 'continued'
end

-- Removes the controls of a task with its attempt.
function controls.forget(task, to)
  orders.take_back(task.queue, 't:' .. task.id)
  if to == 'deleted' then
    return
  end
  local key, flags = namespace.prefix .. 'task_' .. task.id, string.gsub(task.flags, 'c', '')
  redis.call('HDEL', key, 'flags', controls.fields())
  if flags ~= '' then
    redis.call('HSET', key, 'flags', flags)
  end
end
