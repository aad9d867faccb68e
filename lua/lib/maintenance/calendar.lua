-- Days in UTC, counted from 1970-01-01, and their dates.
local calendar = {}

-- Returns the date (YYYYMMDD) of a day counted from 1970-01-01, in the proleptic Gregorian calendar.
function calendar.date(day)
  local floor = math.floor
  local shifted = day + 719468 -- days from 0000-03-01
  local era = floor(shifted / 146097)
  local of_era = shifted - era * 146097
  local year = floor((of_era - floor(of_era / 1460) + floor(of_era / 36524) - floor(of_era / 146096)) / 365)
  local of_year = of_era - (365 * year + floor(year / 4) - floor(year / 100))
  local month = floor((5 * of_year + 2) / 153)
  local date = of_year - floor((153 * month + 2) / 5) + 1
  return string.format('%04d%02d%02d', era * 400 + year + (month >= 10 and 1 or 0),
    month < 10 and month + 3 or month - 9, date)
end

-- Returns the day of a date in the form YYYYMMDD. Fails if the text is not such a date.
function calendar.day(value, what)
  local year, month, date = string.match(value, '^(%d%d%d%d)(%d%d)(%d%d)$')
  local day
  if #value == 8 and year then
    local floor = math.floor
    year = month + 0 > 2 and year + 0 or year - 1
    local era = floor(year / 400)
    local of_era = year - era * 400
    local of_year = floor((153 * (month + 0 > 2 and month - 3 or month + 9) + 2) / 5) + date - 1
    day = era * 146097 + of_era * 365 + floor(of_era / 4) - floor(of_era / 100) + of_year - 719468
  end
  if not day or day < 0 or calendar.date(day) ~= value then
    reply.fail('BADARG', what .. ' must be a day in UTC from 1970 on, as YYYYMMDD')
  end
  return day
end

-- Returns the first moments of a day and of the next day, in the format of event times. Two empty strings if times of
-- this day do not sort as texts.
function calendar.span(day)
  local low, high = string.format('%.6f', day * 86400), string.format('%.6f', (day + 1) * 86400)
  if #low == 17 and #high == 17 then
    return low, high
  end
  return '', ''
end
