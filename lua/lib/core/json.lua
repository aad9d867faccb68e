-- Whether a text is JSON: a short one at once, a long one in steps. A step cuts a piece off, behind a comma that is in
-- no string or within a string, and decodes it as a text of its own: before it what is open there and an element, after
-- it an element and what closes that; a string that is cut is closed, and opened again. All pieces decode just if the
-- text does. Nothing that a step finds out needs to be believed: with a wrong cut, or wrong brackets, some piece does
-- not.
local json = {}

-- Bytes of a text that is checked at once.
json.SHORT = 131072

-- Bytes of white space and numbers without a comma or a string: a longer text of these counts as no JSON.
json.LONG = 1048576

-- Bytes of a piece; and of all that a step looks at, in which a bracket counts as `BRACKET` bytes, and a piece with
-- escapes as `ESCAPED` ones. Each step reads the whole text, so a step looks at least at one of `STEPS` parts of it.
json.PIECE = 16384
json.STEP = 65536
json.STEPS = 16
json.BRACKET = 16
json.ESCAPED = 3

-- Whether a text that the decoder accepts has something that JSON does not have: a control character in a string, NaN,
-- infinity, hexadecimal digits, a leading zero or `+`, a point without a digit on both sides. Of a string with a
-- control character the first quote is left.
function json.is_loose(text)
  local find = string.find
  local plain = find(text, '\\', 1, true) and string.gsub(text, '\\.', '_') or text
  plain = ' ' .. string.gsub(plain, '"[^"%z\1-\31]*"', '') .. ' '
  return find(plain, '"', 1, true) or find(plain, 'nan', 1, true) or find(plain, '[b-dg-kmo-qv-zA-DF-Z]')
    or find(plain, '[^%d.eE+%-]0%d') or find(plain, '-0', 1, true) and find(plain, '[^eE]%-0%d')
    or find(plain, '+', 1, true) and find(plain, '[^eE]%+')
    or find(plain, '.', 1, true) and (find(plain, '%D%.') or find(plain, '%.%D')) or false
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

-- Where a piece is cut exactly: behind the last comma behind all strings, or within the last string. Returns also the
-- piece before that without strings; nil if there is no such place.
function json.cut(piece)
  local plain = string.find(piece, '\\', 1, true) and string.gsub(piece, '\\.', '__') or piece
  local _, quotes = string.gsub(plain, '"', '"')
  local last, cut = #plain
  if quotes % 2 == 1 then -- at its end, but in no escape
    cut = string.sub(plain, -1) == '\\' and last - 1 or last
    for at = math.max(1, last - 4), last - 1 do
      if string.sub(piece, at, at + 1) == '\\u' and string.sub(plain, at, at + 1) == '__' then
        cut = at - 1
      end
    end
  else
    local back = string.reverse(plain)
    local comma, quote = string.find(back, ',', 1, true), string.find(back, '"', 1, true)
    if comma and (not quote or comma < quote) then
      return last - comma + 1, (string.gsub(string.sub(plain, 1, last - comma), '"[^"]*"', '')), false
    end
    cut = quote and last - quote
  end
  if cut and cut > 1 then
    return cut, (string.gsub(string.sub(plain, 1, cut) .. '"', '"[^"]*"', '')), true
  end
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
  return table.concat(stack), number
end

-- What stands before a piece within these brackets: it follows a comma, or begins within a string, a value `v` or the
-- key `k`.
function json.before(open, string_of)
  local last = string.sub(open, -1)
  if string_of == 'v' then
    return (string.gsub(open, '{', '{"":'))
  elseif open == '' then
    return ''
  end
  return (string.gsub(string.sub(open, 1, -2), '{', '{"":'))
    .. (string_of and '{' or last == '[' and '[0,' or '{"":0,')
end

-- What stands after a piece that ends with a comma, or within a string.
function json.after(open, string_of)
  local closed = string.gsub(string.reverse(open), '.', { ['['] = ']', ['{'] = '}' })
  if string_of then
    return (string_of == 'k' and '":0' or '"') .. closed
  end
  return (string.sub(open, -1) == '[' and '0' or '"":0') .. closed
end

-- Decodes what stands before the cut of a piece, behind `head`. Returns the brackets that are open there, and how many
-- it has; nil if it is no JSON. `rest`: the same text without what is in strings, or with it if that has no brackets.
function json.decode(head, piece, cut, rest, open, string_of)
  local left, number = json.brackets(rest, open)
  if left and (left ~= '' or string_of)
    and json.decodes(head .. string.sub(piece, 1, cut) .. json.after(left, string_of)) then
    return left .. (string_of or ''), number
  end
end

-- A text without strings in which digits and white space that follow others of their kind are left out.
function json.shorten(text)
  return (string.gsub(string.gsub(text, '(%d%d)%d+', '%1'), '[ \t\r\n]+', ' '))
end

-- Checks a piece of a text from the byte `from` on. `place`: the open brackets there, and `k` or `v` within a string.
-- Returns true or false if that decides; else nil, where the next piece begins, the brackets open there, and the cost.
function json.look(text, from, place)
  local open, string_of = string.match(place, '^([^kv]*)([kv]?)$')
  string_of = string_of ~= '' and string_of or nil
  local head, quote = json.before(open, string_of), string_of and '"' or ''
  local piece = quote .. string.sub(text, from, from + json.PIECE - 1)
  if from + json.PIECE > #text then
    return json.decodes(head .. piece)
  end
  local left, number
  local cut = not string_of and json.guess(piece)
  if cut then
    left, number = json.decode(head, piece, cut, string.sub(piece, 1, cut - 1), open)
    if left then
      return nil, from + cut, left, cut + json.BRACKET * number
    end
  end
  local rest, within
  local before, times = from - #quote, string.find(piece, '\\', 1, true) and json.ESCAPED or 2
  cut, rest, within = json.cut(piece)
  if not cut then -- up to the next comma or string it is white space, a number and brackets
    local to = math.min(string.find(text, ',', from + json.PIECE, true) or #text + 1,
      string.find(text, '"', from + json.PIECE, true) or #text + 1)
    if to - from > json.LONG then
      return false
    end
    local short = json.shorten(quote .. string.sub(text, from, to - 1))
    if to > #text then
      return json.decodes(head .. short)
    end
    before, times, piece = to - #short, json.STEP, short .. string.sub(text, to, to + json.PIECE - 1)
    cut, rest, within = json.cut(piece)
  end
  if cut then
    left, number = json.decode(head, piece, cut, rest, open, within and 'v' or nil)
    if within and not left then
      left, number = json.decode(head, piece, cut, rest, open, 'k')
    end
  end
  if left then
    return nil, before + cut, left, times * cut + json.BRACKET * number
  end
  return false
end

-- A step from where the last one ended: `BYTE BRACKETS`, or nil. Returns true or false if that decides, else nil and
-- where it has ended.
function json.step(text, place)
  local from, open = string.match(place or '1 ', '^(%d+) (.*)$')
  local looked, most = 0, math.max(json.STEP, #text / json.STEPS)
  local verdict, more
  from = tonumber(from)
  repeat
    verdict, from, open, more = json.look(text, from, open)
    looked = looked + (more or 0)
  until verdict ~= nil or looked >= most
  return verdict, verdict == nil and string.format('%d %s', from, open) or nil
end
