-- Streams whose oldest entries are trimmed, read by pages.
local streams = {}

-- Reads up to `limit` entries after the entry `after`. Each entry has eight values, or the number in `values`. Returns
-- the reply of a command: the last entry that was read, 1 if entries may have been missed, then each wanted entry with
-- its values. `read`: a function that returns the names and values of an entry, or nil to leave it out.
function streams.page(key, after, limit, is_wanted, values, read)
  local answer = { after, 0 }
  -- The last entry is never trimmed. So if `after` itself is gone, later entries exist and may also have been trimmed.
  if after ~= '0' and #redis.call('XRANGE', key, after, after) == 0 then
    answer[2] = 1
  end
  for _, entry in ipairs(redis.call('XRANGE', key, '(' .. after, '+', 'COUNT', limit)) do
    local v = entry[2]
    if read then
      v = read(entry)
    end
    answer[1] = entry[1]
    if v and is_wanted(v) then
      answer[#answer + 1] = entry[1]
      for i = 2, 2 * (values or 8), 2 do
        answer[#answer + 1] = v[i] or ''
      end
    end
  end
  return answer
end
