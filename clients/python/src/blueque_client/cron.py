"""Cron expressions in time zones, by the same rules as in the crate: both pass `tests/fixtures/cron.json`."""

from __future__ import annotations

import math
import re
from calendar import monthrange
from contextlib import suppress
from datetime import date, datetime, timezone, tzinfo
from decimal import Decimal
from typing import Union
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from . import contract
from .errors import InvalidCall
from .wire import Time, written

#: A number, or what else a date may be: `L`, `LW` or `15W` of a month, `1#2` or `5L` of a week.
Value = Union[int, str]

NICKNAMES = {
    "@YEARLY": "0 0 1 1 *",
    "@ANNUALLY": "0 0 1 1 *",
    "@MONTHLY": "0 0 1 * *",
    "@WEEKLY": "0 0 * * 0",
    "@DAILY": "0 0 * * *",
    "@MIDNIGHT": "0 0 * * *",
    "@HOURLY": "0 * * * *",
}
DAY, WEEKDAY = 2, 4
#: The bounds of each field, its names from the lowest value on, and its description.
FIELDS = (
    (0, 59, "", "minutes are 0-59"),
    (0, 23, "", "hours are 0-23"),
    (1, 31, "", "days of the month are 1-31, L, LW or 15W"),
    (1, 12, "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC", "months are 1-12 or JAN-DEC"),
    (0, 7, "SUN MON TUE WED THU FRI SAT", "days of the week are 0-7 or SUN-SAT, MON#2 or FRIL"),
)
#: The 29th of February is on a certain day of the week every 28 years, or every 40 years if a century without a leap
#: day is between.
LONGEST_SEARCH = 41 * 366
LAST_DAY = date(9998, 12, 31).toordinal()
EPOCH = date(1970, 1, 1).toordinal()
A_DAY = 86_400


class Cron:
    """An expression and its time zone. `str` returns the contract's form of the recurrence."""

    def __init__(self, given: str, zone: str = "UTC") -> None:
        if not (isinstance(given, str) and isinstance(zone, str)):
            raise InvalidCall("BADARG", f"a cron expression and its zone are texts, not {given!r} and {zone!r}")
        words = _upper(given).split(" ")
        if words[0].startswith("@"):
            nickname = NICKNAMES.get(" ".join(words))
            if not nickname:
                text = f"the cron expression `{given}` is unknown: @hourly, @daily, @weekly, @monthly or @yearly"
                raise InvalidCall("BADARG", text)
            words = nickname.split(" ")
        words = [word for word in words if word]
        if len(words) != len(FIELDS):
            text = (
                f"the cron expression `{given}` needs 5 fields: minute, hour, day of the month, month, day of the week"
            )
            raise InvalidCall("BADARG", f"{text}; it has {len(words)}")
        fields = []
        for word, (*_, means), field in zip(words, FIELDS, range(len(FIELDS))):
            try:
                fields.append({value for item in word.split(",") for value in _values(item, field)})
            except ValueError:
                text = f"the cron expression `{given}` has the invalid field `{word}`: {means}; a field is *, a list"
                raise InvalidCall("BADARG", f"{text} (1,15), a range (1-5), or steps (*/10, 8-18/2)") from None
        minutes, hours, self._days, self._months, self._weekdays = fields
        self._times = sorted(int(hour) * 3600 + int(minute) * 60 for hour in hours for minute in minutes)
        # As in Vixie cron: if both days are given, either day matches, unless one of the two fields begins with `*`.
        self._both_days = words[DAY][0] == "*" or words[WEEKDAY][0] == "*"
        self._every_hour = words[1][0] == "*"
        self._zone = _zone(zone)
        self._text = f"cron {zone} {' '.join(words)}"
        if not self.times(0, 1):
            raise InvalidCall("BADARG", f"no date fits the cron expression `{given}`")

    def __str__(self) -> str:
        return self._text

    @classmethod
    def read(cls, recurrence: str) -> Cron:
        """Reads the contract's form."""
        _, zone, expression = recurrence.split(" ", 2)
        return cls(expression, zone)

    def first(self, now: float, start: Time | None) -> list[int]:
        """Returns the fire times to send with a new schedule. A fire time may be at the start itself."""
        begins = math.ceil(Decimal(written(start).decode())) - 1 if start is not None else 0
        return self.times(max(now, begins), contract.SLOTS_AHEAD)

    def times(self, after: float, count: int) -> list[int]:
        """Returns the next fire times after a time, ascending. There are fewer than `count` if no more exist."""
        found: set[int] = set()
        try:
            # A change of the clock may repeat times of the day before.
            day = datetime.fromtimestamp(after, self._zone).toordinal() - 1
        except (ValueError, OverflowError, OSError):
            return []
        end = day + LONGEST_SEARCH
        while day <= min(end, LAST_DAY):
            each = date.fromordinal(day)
            if each.month not in self._months:
                day += _days_in_month(each) - each.day + 1
                continue
            if self._fits(each):
                # For the same reason a date may have fire times before the last fire times of the date before.
                enough = len(found) >= count
                found.update(time for time in self._of(day) if time > after)
                if enough:
                    break
                end = day + LONGEST_SEARCH
            day += 1
        return sorted(found)[:count]

    def _fits(self, date: date) -> bool:
        """Returns true if the date matches both fields of days. The caller checks the month."""
        day, weekday, last = date.day, date.isoweekday() % 7, _days_in_month(date)
        days: set[Value] = {day}
        weekdays: set[Value] = {weekday, f"{weekday}#{(day - 1) // 7 + 1}"}
        if day == last:
            days.add("L")
        if day + 7 > last:
            weekdays.add(f"{weekday}L")
        if 1 <= weekday <= 5:
            # This is the weekday that is nearest to each day from `first` to `final`.
            first = day - (0 if weekday != 1 else 2 if day == 3 else 1)
            final = day + (0 if weekday != 5 else 2 if day + 2 == last else 1)
            days.update(f"{near}W" for near in range(first, min(final, last) + 1))
            if final >= last:
                days.add("LW")
        matches = bool(days & self._days), bool(weekdays & self._weekdays)
        return all(matches) if self._both_days else any(matches)

    def _of(self, day: int) -> list[int]:
        """Returns the fire times of a date that fits. If the clock skips a time, it is the moment of the change."""
        midnight = (day - EPOCH) * A_DAY
        offsets = {self._offset(midnight - A_DAY), self._offset(midnight + 2 * A_DAY)}
        if len(offsets) == 1:
            return [midnight + time - max(offsets) for time in self._times]
        found = []
        for wall in (midnight + time for time in self._times):
            moments = [wall - offset for offset in sorted(offsets, reverse=True)]
            shown = [moment for moment in moments if self._offset(moment) == wall - moment]
            if shown:
                found += shown if self._every_hour else shown[:1]
            elif not self._every_hour:
                found.append(self._change(*moments))
        return found

    def _change(self, start: int, end: int) -> int:
        """Returns the moment after `start`, at the latest at `end`, at which the offset changes."""
        before = self._offset(start)
        while end - start > 1:
            middle = (start + end) // 2
            start, end = (middle, end) if self._offset(middle) == before else (start, middle)
        return end

    def _offset(self, moment: int) -> int:
        """Returns the number of seconds by which the clock of the zone is ahead of UTC."""
        offset = datetime.fromtimestamp(moment, self._zone).utcoffset()
        return int(offset.total_seconds()) if offset else 0


def _days_in_month(date: date) -> int:
    return monthrange(date.year, date.month)[1]


def _upper(text: str) -> str:
    """ASCII letters as capitals, and single spaces. `str.upper` and `str.split` also change other characters."""
    return re.sub(r"[a-z]+", lambda word: word[0].upper(), re.sub(r"[ \t\n\f\r]+", " ", text)).strip(" ")


def _values(item: str, field: int) -> set[Value]:
    """Returns the values that an item of a field names. Raises a ValueError if the item is invalid."""
    low, high, *_ = FIELDS[field]
    if field == DAY and item in ("L", "LW"):
        return {item}
    if field == DAY and item.endswith("W"):
        return {f"{_value(item[:-1], field)}W"}
    if field == WEEKDAY and item.endswith("L"):
        return {f"{_value(item[:-1], field) % 7}L"}
    if field == WEEKDAY and "#" in item:
        weekday, _, nth = item.partition("#")
        return {f"{_value(weekday, field) % 7}#{_digits(nth, 1, 5)}"}
    several, slash, step = item.partition("/")
    first, dash, last = several.partition("-")
    if dash:
        low, high = _value(first, field), _value(last, field)
        if field == WEEKDAY and high == 0 and low > 0:
            high = 7  # FRI-SUN
    elif several != "*":
        if slash:
            raise ValueError("`5/15` has different meanings in different programs")
        low = high = _value(first, field)
    if low > high:
        raise ValueError(several)
    by = _digits(step, 1, FIELDS[field][1]) if slash else 1
    return {value % 7 if field == WEEKDAY else value for value in range(low, high + 1, by)}


def _value(text: str, field: int) -> int:
    low, high, names, _ = FIELDS[field]
    return low + names.split().index(text) if text in names.split() else _digits(text, low, high)


def _digits(text: str, low: int, high: int) -> int:
    if not re.fullmatch("[0-9]{1,2}", text) or not low <= int(text) <= high:
        raise ValueError(text)
    return int(text)


def _zone(name: str) -> tzinfo:
    """Names of the tz database begin with a capital. Other names, such as `localtime`, differ between hosts."""
    if name == "UTC":
        return timezone.utc
    if re.fullmatch(r"[A-Z][\w+-]*(/[\w+-]+)*", name, re.ASCII):
        with suppress(ZoneInfoNotFoundError, ValueError, OSError):
            return ZoneInfo(name)
        if not available_timezones():
            raise InvalidCall("BADARG", f"this host has no data of the time zone {name}: install the package tzdata")
    raise InvalidCall("BADARG", f"there is no time zone `{name}`: write it as in Europe/Berlin or UTC")
