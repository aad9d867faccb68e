#![allow(clippy::unwrap_used)]

use super::*;

/// Returns the next slots in the zone's local time, with its offset.
fn slots(expression: &str, zone: &str, after: &str, count: usize) -> Vec<String> {
    let cron = Cron::new(expression, zone).unwrap();
    let after = after.parse::<Timestamp>().unwrap().as_second();
    let slots = cron.slots(u64::try_from(after).unwrap(), count);
    let shown = slots.iter().map(|&slot| {
        let at = Timestamp::from_second(i64::try_from(slot).unwrap()).unwrap();
        at.to_zoned(cron.clock.clone()).strftime("%d %H:%M %:z").to_string()
    });
    shown.collect()
}

#[test]
fn a_time_that_the_clock_leaves_out_is_the_moment_after_and_only_once() {
    // Berlin, 29 March 2026: 02:00 becomes 03:00.
    let next = |expression| slots(expression, "Europe/Berlin", "2026-03-28T12:00:00Z", 3);
    assert_eq!(next("30 2 * * *"), ["29 03:00 +02:00", "30 02:30 +02:00", "31 02:30 +02:00"]);
    assert_eq!(next("15,45 2 * * *"), ["29 03:00 +02:00", "30 02:15 +02:00", "30 02:45 +02:00"]);
    assert_eq!(next("0 2,3 * * *"), ["29 03:00 +02:00", "30 02:00 +02:00", "30 03:00 +02:00"]);
    assert_eq!(next("*/20 2 * * *"), ["29 03:00 +02:00", "30 02:00 +02:00", "30 02:20 +02:00"]);
    assert_eq!(
        slots("30 2 * * *", "Europe/Berlin", "2026-03-29T01:00:00Z", 1),
        ["30 02:30 +02:00"],
        "not twice from that moment on"
    );
    // A day without a midnight, and a country that skipped a whole day.
    assert_eq!(
        slots("0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00:00Z", 2),
        ["04 01:00 -02:00", "05 00:00 -02:00"]
    );
    assert_eq!(
        slots("30 12 * * *", "Pacific/Apia", "2011-12-29T00:00:00Z", 3),
        ["29 12:30 -10:00", "31 00:00 +14:00", "31 12:30 +14:00"]
    );
}

#[test]
fn a_time_that_comes_twice_is_the_first_and_only_once() {
    // Berlin, 25 October 2026: 03:00 becomes 02:00.
    let next = |expression| slots(expression, "Europe/Berlin", "2026-10-24T12:00:00Z", 3);
    assert_eq!(next("30 2 * * *"), ["25 02:30 +02:00", "26 02:30 +01:00", "27 02:30 +01:00"]);
    assert_eq!(next("15,45 2 * * *"), ["25 02:15 +02:00", "25 02:45 +02:00", "26 02:15 +01:00"]);
    assert_eq!(next("0 3 * * *"), ["25 03:00 +01:00", "26 03:00 +01:00", "27 03:00 +01:00"]);
    // Between the two occurrences of 02:30, the second is not a slot.
    assert_eq!(slots("30 2 * * *", "Europe/Berlin", "2026-10-25T01:00:00Z", 1), ["26 02:30 +01:00"]);
}

#[test]
fn where_the_hour_is_a_star_the_slots_go_on_as_time_does() {
    let next = |after| slots("30 * * * *", "Europe/Berlin", after, 4);
    assert_eq!(
        next("2026-10-24T23:00:00Z"),
        ["25 01:30 +02:00", "25 02:30 +02:00", "25 02:30 +01:00", "25 03:30 +01:00"]
    );
    assert_eq!(
        next("2026-03-28T23:00:00Z"),
        ["29 00:30 +01:00", "29 01:30 +01:00", "29 03:30 +02:00", "29 04:30 +02:00"]
    );
}

#[test]
fn slots_told_in_parts_are_those_told_at_once() {
    for (expression, zone) in [
        ("*/7 * * * *", "Europe/Berlin"),
        ("*/7 1-4 * * *", "Europe/Berlin"),
        ("0,30 0-23 * * *", "Australia/Lord_Howe"),
        ("59 23 L * *", "America/New_York"),
    ] {
        let cron = Cron::new(expression, zone).unwrap();
        for day in ["2026-03-28T00:00:00Z", "2026-10-24T00:00:00Z", "2026-04-04T00:00:00Z"] {
            let after = u64::try_from(day.parse::<Timestamp>().unwrap().as_second()).unwrap();
            let whole = cron.slots(after, 600);
            assert!(whole.is_sorted_by(|one, next| one < next) && whole.len() == 600);
            let mut parts = Vec::new();
            while parts.len() < 600 {
                parts.extend(cron.slots(parts.last().copied().unwrap_or(after), 64));
            }
            assert!(parts.starts_with(&whole), "{expression} {zone} {day}");
        }
    }
}

#[test]
fn an_expression_is_kept_in_one_form() {
    let shown = |expression, zone| Cron::new(expression, zone).unwrap().to_string();
    assert_eq!(shown(" 0  3 * jan-mar  mon ", "Europe/Berlin"), "cron Europe/Berlin 0 3 * JAN-MAR MON");
    assert_eq!(shown("@daily", "UTC"), "cron UTC 0 0 * * *");
    assert_eq!(Cron::read("cron UTC 0 0 * * *").unwrap(), Cron::new("@midnight", "UTC").unwrap());
    for recurrence in ["every 60 0", "cron UTC", "cron", "", "cron Nowhere/At_All 0 0 * * *"] {
        assert_eq!(Cron::read(recurrence).unwrap_err().code(), Some(crate::Code::BadArgument), "{recurrence}");
    }
}

#[test]
fn what_is_no_expression_no_zone_or_no_date_is_refused() {
    for expression in [
        "",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * 32 * *",
        "* * * 13 *",
        "* * * * 8",
        "*/0 * * * *",
        "5-1 * * * *",
        "a * * * *",
        "@reboot",
        "@never",
        "0 0 30 2 *",
        "0 0 31 4,6,9,11 *",
        "-1 * * * *",
        "0 0 * * MON#6",
        "\u{0}",
        "é * * * *",
    ] {
        assert_eq!(Cron::new(expression, "UTC").unwrap_err().code(), Some(crate::Code::BadArgument), "{expression:?}");
    }
    for zone in ["", "Nowhere/At_All", "local", "+01:00", "Europe/Berlin ", "../etc/passwd", "UTC 0", "\u{0}"] {
        assert_eq!(Cron::new("0 0 * * *", zone).unwrap_err().code(), Some(crate::Code::BadArgument), "{zone:?}");
    }
    assert!(Cron::new("0 0 29 2 *", "UTC").is_ok());
    assert!(Cron::new("0 0 * * *", "UTC").unwrap().slots(u64::MAX, 5).is_empty());
}

#[test]
fn both_days_must_fit_if_one_of_them_begins_with_a_star() {
    let next = |expression| slots(expression, "UTC", "2026-11-27T12:00:00Z", 3);
    // Mondays on odd days; the first Sunday of a month; and expressions with two day fields of which either may match.
    assert_eq!(next("0 0 */2 * 1"), ["07 00:00 +00:00", "21 00:00 +00:00", "11 00:00 +00:00"]);
    assert_eq!(next("0 12 1-7 * */7"), ["06 12:00 +00:00", "03 12:00 +00:00", "07 12:00 +00:00"]);
    assert_eq!(next("0 0 1 * MON"), ["30 00:00 +00:00", "01 00:00 +00:00", "07 00:00 +00:00"]);
    assert_eq!(next("0 0 * * MON#2"), ["14 00:00 +00:00", "11 00:00 +00:00", "08 00:00 +00:00"]);
    assert_eq!(next("0 0 L * *"), ["30 00:00 +00:00", "31 00:00 +00:00", "31 00:00 +00:00"]);
}
