--- Finds and repairs what clients without scripts leave behind, and what was deleted by hand, one part of the queue
--   at each call.
-- @args now queue cursor limit
-- @options grace shared
-- @again goes on
-- @reply next cursor (empty at the end), number mended, number under suspicion, then for each held task whose
--   listener was removed from the queue who is responsible for it, its id, status, holder and pid
-- @errors
local PARTS = ' held started waiting pending scheduled laned' .. contract.PLAIN
  .. 'orders suspects tasks tags groups lanes unique claims '
local GRACE = 60 * 1000000

namespace.open()
local cursor, limit
mending.queue, cursor, limit = contract.arguments()
local options = args.options()
local grace, shared = options.grace or GRACE, options.shared

local function place(text)
  local part, position = string.match(text == '' and 'held:0' or text, '^(%l+):(%d+)$')
  return part, position, part and #position <= 16 and string.match(PARTS, ' ' .. part .. ' (%l*)')
end
local part, position, following = place(cursor)
if not following then
  reply.fail('BADARG', 'the cursor must be empty or what the previous call returned')
end
if shared and cursor ~= '' then
  reply.fail('BADARG', 'the cursor must be empty with shared')
end

-- Every key is read with a command of its type before anything is written.
namespace.probe('HLEN', namespace.key('suspects', mending.queue))
namespace.probe('ZCARD', namespace.key('tasks', mending.queue))
if shared then
  local goes_on = mending.shared_cursor()
  if not goes_on then
    return { '', 0, 0 }
  end
  part, position, following = place(goes_on)
  if not following then
    part, position, following = place('')
  end
end
local after
if part == 'held' then
  after = mending.held(position, limit, grace)
elseif part == 'started' then
  after = mending.started(position, limit)
elseif part == 'orders' then
  after = mending.orders(position, limit)
elseif part == 'suspects' then
  after = mending.suspects(position, limit, grace)
elseif part == 'tasks' then
  after = mending.tasks(position, limit, grace)
elseif part == 'tags' or part == 'groups' then
  after = mending.labels(part, tonumber(position), limit)
elseif part == 'lanes' then
  after = mending.lanes(position, limit)
elseif part == 'unique' then
  after = mending.unique(position, limit)
elseif part == 'claims' then
  after = mending.claims(position, limit)
else
  after = mending.list(part == 'laned' and 'scheduled_lane' or part, position, limit)
end
if after ~= '0' then
  after = part .. ':' .. after
else
  after = following ~= '' and following .. ':0' or ''
end
if shared then
  mending.share(after)
end
mending.finish()
return { after, mending.mended, mending.suspected, unpack(mending.valid_claims) }
