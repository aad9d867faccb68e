-- Reruns a task with thousands of inputs, or with long inputs, in steps. Each step of the walk handles some of the
-- inputs, until the task waits again for every upstream that is rerun. Until then the state of the task does not
-- change. The walk stores its position as `part`: `slots/SLOT/BYTE OF THE LENGTHS/BYTE OF THE LIST` while the list of
-- the results is split, `inputs/BYTE` while the inputs are read, then `ready`.
local rerun_large = {}

-- Maximum length of a text of inputs that a rerun handles in one step, in bytes.
rerun_large.BYTES = 16384

-- Maximum number of inputs, and maximum bytes of results, in one step.
rerun_large.INPUTS = 1000
rerun_large.COPIES = 1048576

function rerun_large.is_long(task)
  return redis.call('HSTRLEN', task.key, 'inputs') > rerun_large.BYTES
    or redis.call('HEXISTS', task.key, 'slots') == 1
      and redis.call('HSTRLEN', task.key, 'parameters') > rerun_large.COPIES
end

-- Plans the next step. `chosen`: the key with the tasks that are rerun; `part`: the position after the last step, or
-- nil.
function rerun_large.plan(task, chosen, part)
  local piece = { forget = {}, open = {}, texts = {} }
  task.piece, task.act = piece, rerun_large.run
  namespace.probe('HLEN', edges.upstreams(task.id))
  local whole = redis.call('HMGET', task.key, 'slots', 'parameters', 'inputs')
  if whole[1] and redis.call('HEXISTS', namespace.declare(edges.inputs(task.id)), 'slots') == 0 then
    rerun_large.split(piece, whole[1], whole[2] or '', string.match(part or '', '^slots/(%d+)/(%d+)/(%d+)$'))
  else
    rerun_large.look(task, piece, chosen, whole[3] or '', tonumber(string.match(part or '', '^inputs/(%d+)$') or 1))
  end
end

-- Splits the next elements from a joined list. `slot`, `at`, `from`: the position in the slots, the lengths and the
-- list.
function rerun_large.split(piece, lengths, joined, slot, at, from)
  slot, at, from = tonumber(slot or 0), tonumber(at or 1), tonumber(from or 2)
  local last, bytes = slot + rerun_large.INPUTS, 0
  while slot < last and bytes < rerun_large.COPIES and at <= #lengths do
    local length = string.match(lengths, '^%d+', at)
    piece.texts[#piece.texts + 1] = slot
    piece.texts[#piece.texts + 1] = string.sub(joined, from, from + length - 1)
    slot, at, from, bytes = slot + 1, at + #length + 1, from + length + 1, bytes + length
  end
  piece.part = string.format('slots/%d/%d/%d', slot, at, from)
  if at > #lengths then
    piece.slots, piece.bytes, piece.part = slot, #joined - 1 - slot, 'inputs/1'
  end
end

-- Reads the next inputs. The task waits again for the upstreams among them that are rerun, and their old results are
-- removed.
function rerun_large.look(task, piece, chosen, inputs, from)
  local page, rest = edge_inputs.page(inputs, from, rerun_large.INPUTS)
  local ids, slots = {}, {}
  for i, entry in ipairs(page) do
    ids[i] = entry.id
  end
  local marks = edge_rerun.marks(chosen, ids)
  local known = ids[1] and redis.call('HMGET', edges.upstreams(task.id), unpack(ids)) or {}
  local texts = {}
  for i, entry in ipairs(page) do
    if marks[entry.id] then
      local text = texts[entry.id] or known[i] or entry.kind
      if entry.slot ~= '' then
        slots[#slots + 1] = entry.slot
        if not string.find(string.gsub(text, '/', ',') .. ',', ',' .. entry.slot .. ',', 1, true) then
          text = text .. (string.find(text, '/', 1, true) and ',' or '/') .. entry.slot
        end
      end
      texts[entry.id] = text
    end
  end
  for id, text in pairs(texts) do
    piece.open[#piece.open + 1], piece.open[#piece.open + 2] = id, text
  end
  local own = namespace.declare(edges.inputs(task.id))
  piece.less, piece.frees = 0, 0
  for i, text in ipairs(slots[1] and redis.call('HMGET', own, unpack(slots)) or {}) do
    if text then
      piece.forget[#piece.forget + 1], piece.less = slots[i], piece.less + #text
      piece.frees = piece.frees + graphs.counted(#text)
    end
  end
  piece.part = rest and 'inputs/' .. rest or 'ready'
end

function rerun_large.run(task, spec)
  local piece, own = task.piece, edges.inputs(task.id)
  if piece.texts[1] then
    redis.call('HSET', own, unpack(piece.texts))
  end
  if piece.slots then
    redis.call('HSET', own, 'slots', piece.slots, 'bytes', piece.bytes)
    redis.call('HSET', task.key, 'parameters', '')
    redis.call('HDEL', task.key, 'slots')
  end
  if piece.open[1] then
    redis.call('HSET', edges.upstreams(task.id), unpack(piece.open))
  end
  if piece.forget[1] then
    redis.call('HDEL', own, unpack(piece.forget))
    redis.call('HINCRBY', own, 'bytes', -piece.less)
    redis.call('HINCRBY', graphs.key(spec.graph), 'bytes', 0 - piece.frees) -- not -0
  end
end
