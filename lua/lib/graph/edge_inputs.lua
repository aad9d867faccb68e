-- The text of the inputs of a task: the format that a submit, a graph, `depend` and the record use.
local edge_inputs = {}

-- Checks a text of inputs. Returns the upstreams, each with its `kind` and the slots of its result; the values, each
-- with its slot and its length; the number of slots; the text without the values; the number of upstreams with `some`;
-- and the number after `least/`. `partial`: later calls may bring further slots. `known`: ids that were checked before.
-- `start`: a checked prefix that many ids have.
function edge_inputs.parse(text, what, partial, known, start)
  local alone, only = string.match(text, '^(%l+)=([^= ]+)$') -- the text of most tasks
  if (alone == 'success' or alone == 'after' or alone == 'failure' or alone == 'some')
    and (known and known[only] or #only <= contract.NAME_HIGH
    and string.find(only, args.PLAIN, start and string.sub(only, 1, #start) == start and #start + 1 or 1)) then
    return { upstreams = { { id = only, kind = alone, slots = {} } }, values = {}, slots = 0, text = text,
      some = alone == 'some' and 1 or 0 }
  end
  local found = { upstreams = nil, values = {}, slots = 0, text = text, some = 0, least = nil }
  local number, ups, by_id, taken, highest, from = 0, nil, nil, nil, -1, 1
  repeat
    local till, at = string.find(text, ' ', from, true) or #text + 1, string.find(text, '=', from, true)
    local kind, rest, slot = string.sub(text, from, (at or 0) - 1), string.sub(text, (at or 0) + 1, till - 1), nil
    local least
    if kind ~= 'success' and kind ~= 'after' and kind ~= 'failure' and kind ~= 'some' then
      kind, slot = string.match(kind, '^(%l+)/(%d%d?%d?%d?)$')
    end
    if not at or at > till then
      least = not found.least and string.match(string.sub(text, from, till - 1), '^least/(%d%d?%d?%d?%d?)$')
      slot, kind = nil, least and 'least'
    end
    if not kind or not least and (rest == '' or slot and kind ~= 'result' and kind ~= 'value' and kind ~= 'some'
      and kind ~= 'optional') then
      reply.fail('BADARG', what .. ' must be entries like success=ID, after=ID, failure=ID, some=ID, least/NUMBER,'
        .. ' result/SLOT=ID, optional/SLOT=ID and value/SLOT=BYTES, separated by spaces')
    end
    if slot then
      slot = tonumber(slot)
      taken = taken or {}
      if taken[slot] then
        reply.fail('BADARG', what .. ' must give each slot once')
      end
      taken[slot], highest, found.slots = true, math.max(highest, slot), found.slots + 1
    end
    if least then
      found.least = args.integer(least, 1, contract.GRAPH_SIZE_HIGH, what)
    elseif kind == 'value' then
      found.values[#found.values + 1] = { slot, args.integer(rest, 0, contract.PAYLOAD_HIGH, what) }
    else
      if not (known and known[rest]) then
        local begin = start and string.sub(rest, 1, #start) == start and #start + 1 or 1
        if #rest > contract.NAME_HIGH or not string.find(rest, args.PLAIN, begin) then
          args.plain(rest, what)
        end
      end
      by_id = by_id or ups and { [ups[1].id] = ups[1] } -- a single upstream needs no table
      local up = by_id and by_id[rest]
      if up and not (slot and up.kind == kind and up.slots[1]) then
        reply.fail('BADARG', what .. ' must name each upstream once, or several times for its result')
      elseif up then
        up.slots[#up.slots + 1] = slot
      else
        up, number = { id = rest, kind = kind, slots = slot and { slot } or {} }, number + 1
        if kind == 'some' then
          found.some = found.some + 1
        end
        if ups then
          ups[number], by_id[rest] = up, up
        else
          ups = { up }
        end
      end
    end
    from = till + 1
  until till > #text
  found.upstreams = ups or {}
  if found.values[1] then
    found.text = string.sub(string.gsub(' ' .. text, ' value/%d+=%d+', ''), 2)
  end
  if partial then
    found.slots = highest + 1
  end
  edge_inputs.check(found, what, partial, number, highest)
  return found
end

-- Checks the whole of a text of inputs. `number`: the number of its upstreams; `highest`: its highest slot.
function edge_inputs.check(found, what, partial, number, highest)
  if highest + 1 ~= found.slots then
    reply.fail('BADARG', what .. ' must give the slots from 0 on without a gap')
  elseif number == 0 and not (partial and found.least) or number + #found.values > contract.EDGES_HIGH then
    reply.fail('BADARG', what .. ' must name 1 to ' .. contract.EDGES_HIGH .. ' upstreams and values')
  elseif not partial and (found.least or 0) > found.some then
    reply.fail('BADARG', what .. ' must have as many upstreams with some as least/NUMBER says, or more')
  end
end

-- Returns the next inputs of a text from the byte `from` on, each with its kind, slot and upstream; and the byte at
-- which the rest begins, or nil.
function edge_inputs.page(inputs, from, limit)
  local found = {}
  while #found < limit do
    local _, last, kind, slot, id = string.find(inputs, '(%l+)/?(%d*)=(%S+)', from)
    if not last then
      return found
    end
    found[#found + 1] = { kind = kind, slot = slot, id = id }
    from = last + 1
  end
  return found, from <= #inputs and from or nil
end

-- Returns the upstreams of a task in the order of submission, and the text of the edge to each, such as `result/0,2`.
-- If calls named an upstream with several kinds, `some` wins, and otherwise a kind that takes a result.
function edge_inputs.submitted(inputs)
  local order, texts = {}, {}
  for kind, slot, id in string.gmatch(inputs or '', '(%l+)/?(%d*)=(%S+)') do
    local known = texts[id]
    if not known then
      order[#order + 1], texts[id] = id, kind .. (slot ~= '' and '/' .. slot or '')
    else
      local had, slots = string.match(known, '^(%l+)(.*)$')
      had = (kind == 'some' or slot ~= '' and had ~= 'some') and kind or had
      texts[id] = had .. slots .. (slot ~= '' and (slots ~= '' and ',' or '/') .. slot or '')
    end
  end
  return order, texts
end
