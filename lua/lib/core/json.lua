-- Checks whether a text is JSON: a short text at once, a long text in steps. A step cuts off pieces and decodes each
-- piece as a text of its own. The cut is after a comma outside strings, or within a string. The open brackets and an
-- element are added before a piece; an element and the closing brackets are added after it. A string that is cut is
-- closed in one piece and opened again in the next. All pieces decode if and only if the whole text decodes. The check
-- does not depend on the cuts and brackets that a step finds: if any of them is wrong, at least one piece does not
-- decode.
local json = {}

-- Maximum bytes of a text that is checked at once.
json.SHORT = 131072

-- Maximum bytes of white space and numbers without a comma or a string. A text with a longer run is refused as invalid.
json.LONG = 1048576

-- Bytes of a piece (`PIECE`), and bytes that a step checks (`STEP`). A bracket counts as `BRACKET` bytes, and each byte
-- of a piece with escapes counts as `ESCAPED` bytes. Each step reads the whole text, so it checks at least 1/`STEPS` of
-- the text.
json.PIECE = 16384
json.STEP = 65536
json.STEPS = 16
json.BRACKET = 16
json.ESCAPED = 3

-- Returns a true value if a text that the decoder accepts is not valid JSON: it has a control character in a string,
-- NaN, infinity, hexadecimal digits, a leading zero or `+`, or a point without a digit on both sides. If a string has a
-- control character, its first quote is not removed and is found below.
function json.is_loose(text)
  local find = string.find
  local plain = find(text, '\\', 1, true) and string.gsub(text, '\\.', '_') or text
  plain = ' ' .. string.gsub(plain, '"[^"%z\1-\31]*"', '') .. ' '
  return find(plain, '"', 1, true) or find(plain, 'nan', 1, true) or find(plain, '[b-dg-kmo-qv-zA-DF-Z]')
    or find(plain, '[^%d.eE+%-]0%d') or find(plain, '-0', 1, true) and find(plain, '[^eE]%-0%d')
    or find(plain, '+', 1, true) and find(plain, '[^eE]%+')
    or find(plain, '.', 1, true) and (find(plain, '%D%.') or find(plain, '%.%D')) or false
end

-- Returns true if a text is valid JSON. The decoder refuses half of a surrogate pair, so these escapes are replaced. It
-- accepts numbers that JSON does not have, so the text is also checked with `is_loose`.
function json.decodes(text)
  local whole = text
  if string.find(text, '\\u[dD]') then
    whole = string.gsub(string.gsub(text, '\\\\', '__'), '\\u[dD][89a-fA-F]%x%x', '\\ufffd')
  end
  return (pcall(cjson.decode, whole)) and not json.is_loose(text)
end

-- Bytes at the end of a piece that are searched first for a comma.
json.TAIL = 2048

-- Guesses where a comma outside strings is near the end of a piece, from the way most texts are written. Returns its
-- position, or nil.
function json.guess(piece)
  local back = string.reverse(string.sub(piece, -json.TAIL))
  local comma = string.find(back, ',[%]}]') or string.find(back, ',"', 1, true) or string.find(back, ',', 1, true)
  return comma and #piece - comma + 1
end

-- Returns the exact place to cut a piece: after the last comma if no string follows it, or else within the last string.
-- Also returns the text before the cut without strings, and true if the cut is within a string. Returns nil if there is
-- no place to cut.
function json.cut(piece)
  local plain = string.find(piece, '\\', 1, true) and string.gsub(piece, '\\.', '__') or piece
  local _, quotes = string.gsub(plain, '"', '"')
  local last, cut = #plain
  if quotes % 2 == 1 then -- the last string is open: cut at its end, but not in an escape
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

-- Returns the brackets that are open after a piece, and the number of brackets in the piece. Returns nil if the
-- brackets do not match. `open`: the brackets that are open before the piece.
function json.brackets(piece, open)
  local left, stack = string.gsub(piece, '[^%[%]{}]+', ''), {}
  local number = #left
  for _ = 1, 2 do -- removes most brackets at once
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

-- Returns the text to add before a piece that is within the brackets `open`. `string_of`: nil if the piece follows a
-- comma; `v` if it begins within a string that is a value, `k` if that string is a key.
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

-- Returns the text to add after a piece that ends with a comma or, if `string_of` is set, within a string.
function json.after(open, string_of)
  local closed = string.gsub(string.reverse(open), '.', { ['['] = ']', ['{'] = '}' })
  if string_of then
    return (string_of == 'k' and '":0' or '"') .. closed
  end
  return (string.sub(open, -1) == '[' and '0' or '"":0') .. closed
end

-- Decodes the part of a piece before the cut, after `head`. Returns the place at the cut, as in `look`, and the number
-- of brackets in the part, or nil if it does not decode. `rest`: the same part without its strings, or with its strings
-- if they contain no brackets.
function json.decode(head, piece, cut, rest, open, string_of)
  local left, number = json.brackets(rest, open)
  if left and (left ~= '' or string_of)
    and json.decodes(head .. string.sub(piece, 1, cut) .. json.after(left, string_of)) then
    return left .. (string_of or ''), number
  end
end

-- Shortens a text without strings: each run of digits to two digits, and each run of white space to one space.
function json.shorten(text)
  return (string.gsub(string.gsub(text, '(%d%d)%d+', '%1'), '[ \t\r\n]+', ' '))
end

-- Checks a piece of a text from the byte `from` on. `place`: the brackets that are open there, followed by `k` or `v`
-- if the piece begins within a string. Returns true or false if the piece decides the check. Otherwise returns nil, the
-- start of the next piece, its place, and the cost.
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
  if not cut then -- only white space, a number and brackets precede the next comma or string
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

-- Does the next step of a check. `place`: the second result of the previous step, `BYTE BRACKETS`, or nil for the first
-- step. Returns true or false if the step decides the check. Otherwise returns nil and the place where the step ended.
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
