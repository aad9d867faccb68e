-- Whether a text is JSON: a short one at once, a long one in steps. A step cuts a piece off behind a comma that is in
-- no string, and decodes it as a text of its own: before it what is open there and an element, after it an element and
-- what closes that. All pieces decode just if the text does. Nothing that a step finds out needs to be believed: with a
-- wrong cut, or wrong brackets, some piece does not.
local json = {}

-- Bytes of a text that is checked at once.
json.SHORT = 131072

-- Bytes of a piece; if these have no such comma, as in a long string; and of all that a step looks at, in which a
-- bracket counts as `BRACKET` bytes.
json.PIECE = 32768
json.LONG = 1572864
json.STEP = 163840
json.BRACKET = 12

-- Words of a text without its strings; `e` is in numbers.
json.WORDS = ' true false null e E '

-- Whether a text that the decoder accepts has something that JSON does not have: a control character in a string, NaN,
-- infinity, hexadecimal digits, a leading zero or `+`, a point without a digit on both sides.
function json.is_loose(text)
  local plain = string.gsub(string.gsub(text, '\\.', '_'), '"[^"%z\1-\31]*"', '""')
  plain = ' ' .. string.gsub(plain, '""', '') .. ' '
  if string.find(plain, '["%z\1-\8\11\12\14-\31]') or string.find(plain, '[^%d.eE+%-]0%d')
    or string.find(plain, '[^eE]%-0%d') or string.find(plain, '[^eE]%+') or string.find(plain, '[^%d]%.')
    or string.find(plain, '%.[^%d]') then
    return true
  end
  for word in string.gmatch(plain, '%a+') do
    if not string.find(json.WORDS, ' ' .. word .. ' ', 1, true) then
      return true
    end
  end
  return false
end

-- The decoder refuses half of a surrogate pair, and accepts numbers that JSON does not have.
function json.decodes(text)
  local whole = text
  if string.find(text, '\\u[dD]') then
    whole = string.gsub(string.gsub(text, '\\\\', '__'), '\\u[dD][89a-fA-F]%x%x', '\\ufffd')
  end
  return (pcall(cjson.decode, whole)) and not json.is_loose(text)
end

-- Bytes at the end of a piece in which a comma is looked for first.
json.TAIL = 2048

-- A comma near the end of a piece that is in no string, as most texts are written; or nil.
function json.guess(piece)
  local back = string.reverse(string.sub(piece, -json.TAIL))
  local comma = string.find(back, ',[%]}]') or string.find(back, ',"', 1, true) or string.find(back, ',', 1, true)
  return comma and #piece - comma + 1
end

-- Strings between two commas: a key on each level, and a value.
json.STRINGS = 2000

-- The last comma of a piece that is in no string, and the piece before it without strings. Nil if there is none, false
-- if the piece is of no JSON.
function json.cut(piece)
  local plain = string.find(piece, '\\', 1, true) and string.gsub(piece, '\\.', '__') or piece
  local _, quotes = string.gsub(plain, '"', '"')
  local back, at = string.reverse(plain), 1
  if quotes % 2 == 1 then
    at = string.find(back, '"', 1, true) + 1
  end
  local comma = 0
  for _ = 1, json.STRINGS do
    comma = comma < at and string.find(back, ',', at, true) or comma
    local quote = string.find(back, '"', at, true)
    if comma < at then
      return nil
    elseif not quote or comma < quote then
      local cut = #piece - comma + 1
      return cut, (string.gsub(string.sub(plain, 1, cut - 1), '"[^"]*"', ''))
    end
    at = string.find(back, '"', quote + 1, true) + 1
  end
  return false
end

-- The brackets that are open after a piece, of which `open` were before, and how many it has; nil if they do not match.
function json.brackets(piece, open)
  local left, stack = string.gsub(piece, '[^%[%]{}]+', ''), {}
  local number = #left
  for _ = 1, 2 do -- most of them, at once
    left = string.gsub(string.gsub(left, '%[%]', ''), '{}', '')
  end
  for bracket in string.gmatch(open .. left, '.') do
    if bracket == '[' or bracket == '{' then
      stack[#stack + 1] = bracket
    elseif stack[#stack] == (bracket == ']' and '[' or '{') then
      stack[#stack] = nil
    else
      return nil
    end
  end
  return stack[1] and table.concat(stack), number
end

-- What stands before a piece within these brackets: it follows a comma.
function json.before(open)
  if open == '' then
    return ''
  end
  return (string.gsub(string.sub(open, 1, -2), '{', '{"":')) .. (string.sub(open, -1) == '[' and '[0,' or '{"":0,')
end

-- What stands after a piece that ends with a comma.
function json.after(open)
  local closed = string.gsub(string.reverse(open), '.', { ['['] = ']', ['{'] = '}' })
  return (string.sub(open, -1) == '[' and '0' or '"":0') .. closed
end

-- Decodes what stands before the comma of a piece. Returns the brackets that are open there, and how many it has; nil
-- if it is no JSON. `rest`: the same text without what is in strings, or with it if that has no brackets.
function json.decode(piece, cut, rest, open)
  local left, number = json.brackets(rest, open)
  if left and json.decodes(json.before(open) .. string.sub(piece, 1, cut) .. json.after(left)) then
    return left, number
  end
end

-- Looks at a piece of a text, from a byte on, within these brackets. Returns true or false if that decides; else nil,
-- the byte at which the next one begins, the brackets open there, and how much there was to look at.
function json.look(text, from, open)
  local size = json.PIECE
  while true do
    local piece = string.sub(text, from, from + size - 1)
    if from + size > #text then
      return json.decodes(json.before(open) .. piece)
    end
    local cut, times = json.guess(piece), 1
    local left, number
    if cut then
      left, number = json.decode(piece, cut, string.sub(piece, 1, cut - 1), open)
    end
    if not left then
      local rest
      times = 2
      cut, rest = json.cut(piece)
      if cut then
        left, number = json.decode(piece, cut, rest, open)
      end
    end
    if left then
      return nil, from + cut, left, times * cut + json.BRACKET * number
    elseif cut ~= nil then
      return false
    end
    size = size < json.LONG and json.LONG or 2 * size
  end
end

-- A step from where the last one ended: `BYTE BRACKETS`, or nil. Returns true or false if that decides, else nil and
-- where it has ended.
function json.step(text, place)
  local from, open = string.match(place or '1 ', '^(%d+) (.*)$')
  local looked = 0
  local verdict, more
  from = tonumber(from)
  repeat
    verdict, from, open, more = json.look(text, from, open)
    looked = looked + (more or 0)
  until verdict ~= nil or looked >= json.STEP
  return verdict, verdict == nil and string.format('%d %s', from, open) or nil
end
