// Cron expressions in time zones, by the same rules as in the crate: both pass `tests/fixtures/cron.json`.
import { shown } from "./argument-checks.js";
import { SLOTS_AHEAD } from "./contract.js";
import { InvalidCall } from "./errors.js";
import { type Time, written } from "./wire.js";

/** A number, or what else a date may be: `L`, `LW` or `15W` of a month, `1#2` or `5L` of a week. */
type Value = number | string;

const NICKNAMES: Readonly<Record<string, string>> = {
  "@YEARLY": "0 0 1 1 *", "@ANNUALLY": "0 0 1 1 *", "@MONTHLY": "0 0 1 * *", "@WEEKLY": "0 0 * * 0", "@DAILY": "0 0 * * *",
  "@MIDNIGHT": "0 0 * * *", "@HOURLY": "0 * * * *",
};

/** The lowest and the highest value of a field, its names from the lowest value on, and its description. */
type Field = readonly [low: number, high: number, names: readonly string[], means: string];
const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
const DAY: Field = [1, 31, [], "days of the month are 1-31, L, LW or 15W"];
const WEEKDAY: Field = [0, 7, DAYS, "days of the week are 0-7 or SUN-SAT, MON#2 or FRIL"];
const FIELDS: readonly Field[] = [
  [0, 59, [], "minutes are 0-59"], [0, 23, [], "hours are 0-23"], DAY, [1, 12, MONTHS, "months are 1-12 or JAN-DEC"], WEEKDAY,
];

const A_DAY = 86_400;
/**
 * Longest search for a date, in days. The 29th of February is on a certain day of the week every 28 years, or every 40
 * years if a century without a leap day is between.
 */
const LONGEST_SEARCH = 41 * 366;
const LAST_DAY = Date.UTC(9998, 11, 31) / 1000 / A_DAY;

/** An expression and its time zone. `toString` returns the contract's form of the recurrence. */
export class Cron {
  readonly #days: ReadonlySet<Value>;
  readonly #months: ReadonlySet<Value>;
  readonly #weekdays: ReadonlySet<Value>;
  readonly #times: readonly number[];
  readonly #bothDays: boolean;
  readonly #everyHour: boolean;
  readonly #text: string;
  readonly #clock: Intl.DateTimeFormat;

  constructor(given: string, zone = "UTC") {
    const refused = (why: string): InvalidCall => new InvalidCall("BADARG", `the cron expression \`${given}\` ${why}`);
    if (typeof (given as unknown) !== "string" || typeof (zone as unknown) !== "string") {
      throw new InvalidCall("BADARG", `a cron expression and its zone are texts, not ${shown(given)} and ${shown(zone)}`);
    }
    // Only ASCII: `toUpperCase` and `\s` also change other characters.
    let text = given.replace(/[a-z]+/g, (word) => word.toUpperCase()).replace(/[ \t\n\f\r]+/g, " ").replace(/^ | $/g, "");
    if (text.startsWith("@")) {
      if (!Object.hasOwn(NICKNAMES, text)) throw refused("is unknown: @hourly, @daily, @weekly, @monthly or @yearly");
      text = NICKNAMES[text] ?? "";
    }
    const words = text === "" ? [] : text.split(" ");
    if (words.length !== FIELDS.length) {
      throw refused(`needs 5 fields: minute, hour, day of the month, month, day of the week; it has ${words.length}`);
    }
    const [minutes, hours, days, months, weekdays] = FIELDS.map((field, at) => {
      const found = words[at]?.split(",").map((item) => values(item, field)) ?? [];
      if (found.includes(undefined)) {
        const forms = "a field is *, a list (1,15), a range (1-5), or steps (*/10, 8-18/2)";
        throw refused(`has the invalid field \`${words[at] ?? ""}\`: ${field[3]}; ${forms}`);
      }
      return new Set(found.flatMap((each) => each ?? []));
    }) as [Set<number>, Set<number>, Set<Value>, Set<Value>, Set<Value>];
    [this.#days, this.#months, this.#weekdays] = [days, months, weekdays];
    this.#times = [...hours].flatMap((hour) => [...minutes].map((minute) => hour * 3600 + minute * 60));
    const starred = (field: number): boolean => words[field]?.startsWith("*") ?? false;
    // As in Vixie cron: if both days are given, either day matches, unless one of the two fields begins with `*`.
    [this.#bothDays, this.#everyHour] = [starred(2) || starred(4), starred(1)];
    this.#clock = clockOf(zone);
    this.#text = `cron ${zone} ${text}`;
    if (!this.times(0, 1).length) throw new InvalidCall("BADARG", `no date fits the cron expression \`${given}\``);
  }

  /** Reads the contract's form. */
  static read(recurrence: string): Cron {
    const [, zone, ...fields] = recurrence.split(" ");
    return new Cron(fields.join(" "), zone);
  }

  /** Returns the fire times to send with a new schedule. A fire time may be at the start itself. */
  first(now: number, start: Time | undefined): number[] {
    const begins = start === undefined ? 0 : Math.ceil(Number(written(start))) - 1;
    return this.times(Math.max(now, begins), SLOTS_AHEAD);
  }

  toString(): string {
    return this.#text;
  }

  /** Returns the next fire times after a time, ascending. There are fewer than `count` if no more exist. */
  times(after: number, count: number): number[] {
    if (!(after / A_DAY < LAST_DAY)) return [];
    const found = new Set<number>();
    // A change of the clock may repeat times of the day before.
    let day = Math.floor((after + this.#offset(after)) / A_DAY) - 1;
    let end = day + LONGEST_SEARCH;
    while (day <= Math.min(end, LAST_DAY)) {
      const date = new Date(day * A_DAY * 1000);
      if (!this.#months.has(date.getUTCMonth() + 1)) {
        day += daysInMonth(date) - date.getUTCDate() + 1;
        continue;
      }
      if (this.#fits(date)) {
        // For the same reason a date may have fire times before the last fire times of the date before.
        const enough = found.size >= count;
        for (const time of this.#of(day)) if (time > after) found.add(time);
        if (enough) break;
        end = day + LONGEST_SEARCH;
      }
      day += 1;
    }
    return [...found].sort((one, other) => one - other).slice(0, count);
  }

  /** Returns true if the date matches both fields of days. The caller checks the month. */
  #fits(date: Date): boolean {
    const [day, weekday, last] = [date.getUTCDate(), date.getUTCDay(), daysInMonth(date)];
    const days: Value[] = [day];
    const weekdays: Value[] = [weekday, `${weekday}#${Math.ceil(day / 7)}`];
    if (day === last) days.push("L");
    if (day + 7 > last) weekdays.push(`${weekday}L`);
    if (weekday >= 1 && weekday <= 5) {
      // This is the weekday that is nearest to each day from `first` to `final`.
      const first = day - (weekday !== 1 ? 0 : day === 3 ? 2 : 1);
      const final = day + (weekday !== 5 ? 0 : day + 2 === last ? 2 : 1);
      for (let near = first; near <= Math.min(final, last); near += 1) days.push(`${near}W`);
      if (final >= last) days.push("LW");
    }
    const [one, other] = [days.some((each) => this.#days.has(each)), weekdays.some((each) => this.#weekdays.has(each))];
    return this.#bothDays ? one && other : one || other;
  }

  /** Returns the fire times of a date that fits. If the clock skips a time, it is the moment of the change. */
  #of(day: number): number[] {
    const midnight = day * A_DAY;
    const [before, behind] = [this.#offset(midnight - A_DAY), this.#offset(midnight + 2 * A_DAY)];
    if (before === behind) return this.#times.map((time) => midnight + time - before);
    return this.#times.flatMap((time) => {
      const wall = midnight + time;
      const [first, second] = [wall - Math.max(before, behind), wall - Math.min(before, behind)];
      const shown = [first, second].filter((moment) => this.#offset(moment) === wall - moment);
      if (shown.length) return this.#everyHour ? shown : shown.slice(0, 1);
      return this.#everyHour ? [] : [this.#change(first, second)];
    });
  }

  /** Returns the moment after `start`, at the latest at `end`, at which the offset changes. */
  #change(start: number, end: number): number {
    const before = this.#offset(start);
    while (end - start > 1) {
      const middle = Math.floor((start + end) / 2);
      if (this.#offset(middle) === before) start = middle;
      else end = middle;
    }
    return end;
  }

  /** Returns the number of seconds by which the clock of the zone is ahead of UTC. */
  #offset(moment: number): number {
    const [, sign, hours = 0, minutes = 0, seconds = 0] =
      /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(this.#clock.format(moment * 1000)) ?? [];
    const offset = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    return sign === "-" ? -offset : offset;
  }
}

/** Returns the values that an item of a field names; undefined if the item is invalid. */
function values(item: string, field: Field): Value[] | undefined {
  let [low, high] = field;
  if (field === DAY && (item === "L" || item === "LW")) return [item];
  if (field === DAY && item.endsWith("W")) return among(valueOf(item.slice(0, -1), field), "W");
  if (field === WEEKDAY && item.endsWith("L")) return among(valueOf(item.slice(0, -1), field), "L", 7);
  const [, weekday, nth] = /^(.*)#([^#]*)$/s.exec(item) ?? [];
  if (field === WEEKDAY && weekday !== undefined && nth !== undefined) {
    const number = digits(nth, 1, 5);
    return number === undefined ? undefined : among(valueOf(weekday, field), `#${number}`, 7);
  }
  const [several = "", step, more] = item.split("/");
  const [first = "", last, further] = several.split("-");
  if (more !== undefined || further !== undefined) return undefined;
  if (several !== "*") {
    // `5/15` has different meanings in different programs.
    if (last === undefined && step !== undefined) return undefined;
    const [from, to] = [valueOf(first, field), valueOf(last ?? first, field)];
    if (from === undefined || to === undefined) return undefined;
    [low, high] = [from, field === WEEKDAY && last !== undefined && to === 0 && from > 0 ? 7 : to]; // FRI-SUN
  }
  const by = step === undefined ? 1 : digits(step, 1, field[1]);
  if (by === undefined || low > high) return undefined;
  const all = Array.from({ length: Math.floor((high - low) / by) + 1 }, (_, at) => low + at * by);
  return field === WEEKDAY ? all.map((value) => value % 7) : all;
}

function among(value: number | undefined, suffix: string, modulus = 32): Value[] | undefined {
  return value === undefined ? undefined : [`${value % modulus}${suffix}`];
}

function valueOf(text: string, [low, high, names]: Field): number | undefined {
  return names.includes(text) ? low + names.indexOf(text) : digits(text, low, high);
}

function digits(text: string, low: number, high: number): number | undefined {
  return /^[0-9]{1,2}$/.test(text) && Number(text) >= low && Number(text) <= high ? Number(text) : undefined;
}

function daysInMonth(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}

/** Names of the tz database begin with a capital. Other names, such as `localtime`, differ between hosts. */
function clockOf(zone: string): Intl.DateTimeFormat {
  if (/^[A-Z][\w+-]*(\/[\w+-]+)*$/.test(zone)) {
    try {
      const clock = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
      const { timeZone } = clock.resolvedOptions();
      // `Intl` takes names in any case, other programs do not.
      if (timeZone === zone || timeZone.toLowerCase() !== zone.toLowerCase()) return clock;
    } catch {
      // An unknown name.
    }
  }
  throw new InvalidCall("BADARG", `there is no time zone \`${zone}\`: write it as in Europe/Berlin or UTC`);
}
