//! Names, ids, words and codes survive a round trip through text and JSON; invalid ones are refused.

#![allow(clippy::unwrap_used, missing_docs)]

use std::fmt::{Debug, Display};
use std::str::FromStr;
use std::time::Duration;

use blueque::{
    Backoff, Basis, Cancelled, Code, Error, ListenerId, Missed, Namespace, Order, Outcome, Overlap, Pause, Policy,
    QueueName, Rate, Recurrence, Requeued, ScheduleName, ScheduleState, Scheduled, Source, Status, TaskId, Token,
    Trouble, Until,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value survives its text, and JSON, which has the same text.
fn round<T>(value: &T, text: &str)
where
    T: Display + FromStr<Err = Error> + Serialize + DeserializeOwned + PartialEq + Debug,
{
    assert_eq!(value.to_string(), text);
    assert_eq!(text.parse::<T>().unwrap(), *value);
    let json = serde_json::to_string(value).unwrap();
    assert_eq!(json.trim_matches('"'), text);
    assert_eq!(serde_json::from_str::<T>(&json).unwrap(), *value);
}

/// Invalid values are refused, read from text or from JSON.
fn refused<T>(texts: &[&str])
where
    T: FromStr<Err = Error> + DeserializeOwned + Debug,
{
    for text in texts {
        let error = text.parse::<T>().unwrap_err();
        assert!(matches!(error.code(), Some(Code::BadArgument | Code::BadName)), "{text}: {error}");
        let json = serde_json::to_string(text).unwrap();
        assert!(serde_json::from_str::<T>(&json).is_err(), "{json}");
    }
}

macro_rules! words {
    ($($of:ty),+ $(,)?) => {
        $(
            assert!(!<$of>::ALL.is_empty());
            for value in <$of>::ALL {
                round(value, value.as_str());
            }
            refused::<$of>(&["", "Nothing", "nothing "]);
        )+
    };
}

#[test]
fn every_word_of_an_enum_comes_back() {
    words!(
        Status,
        Backoff,
        Policy,
        Overlap,
        Missed,
        Order,
        Outcome,
        Cancelled,
        Requeued,
        Scheduled,
        ScheduleState,
        Source,
        Basis,
        Code
    );
    assert_eq!(format!("{:<9}|", Status::Failed), "failed   |");
}

#[test]
fn ids_and_names_come_back_and_others_are_refused() {
    round(&TaskId::new("a:1").unwrap(), "a:1");
    round(&QueueName::new("mail").unwrap(), "mail");
    round(&ScheduleName::new("nightly").unwrap(), "nightly");
    round(&ListenerId::new("host_1").unwrap(), "host_1");
    round(&Namespace::new("{x}").unwrap(), "{x}");
    round(&Token::new(7).unwrap(), "7");
    let long = "n".repeat(129);
    refused::<TaskId>(&["", "a b", "ä", &long]);
    refused::<QueueName>(&["", "a b", &long]);
    refused::<ScheduleName>(&["", "a b", long.get(..101).unwrap()]);
    refused::<ListenerId>(&["", "host", "host_x", "_1", "a_b_1"]);
    refused::<Namespace>(&["", "a_b", "{", "{}", "{a}{b}", &long]);
    refused::<Token>(&["", "0", "-1", "1.5", "9007199254740992"]);
    for number in ["0", "-1", "9007199254740992"] {
        assert!(serde_json::from_str::<Token>(number).is_err(), "{number}");
    }
}

#[test]
fn rates_recurrences_and_ends_of_unique_names_come_back() {
    round(&Rate::new(2, Duration::from_secs(60)).unwrap(), "2/60");
    round(&Recurrence::every(Duration::from_secs(60)).unwrap(), "every 60 0");
    round(&Until::Start, "start");
    round(&Until::For(Duration::from_millis(1500)), "1.500000");
    refused::<Rate>(&["", "2", "0/60", "1001/60", "2/0", "2/604801", "2/x"]);
    refused::<Recurrence>(&["", "every", "every 0 0", "every 60 60", "daily"]);
    refused::<Until>(&["", "never", "0", "31536001", "-1"]);
}

#[test]
fn pauses_and_troubles_are_read_whatever_somebody_wrote() {
    let read = |text: &str| {
        let (pause, trouble) = (text.parse::<Pause>().unwrap(), text.parse::<Trouble>().unwrap());
        assert_eq!(pause.at, trouble.at);
        (pause.at.is_some(), pause.to_string(), trouble.to_string())
    };
    let said = |at, pause: &str, trouble: &str| (at, format!("paused by {pause}"), trouble.to_owned());
    assert_eq!(read("5.5 me too late"), said(true, "me: too late", "me too late"));
    assert_eq!(read("5 me "), said(true, "me", "me "));
    assert_eq!(read("me too late"), said(false, "me: too late", "me too late"));
    assert_eq!(read("odd"), said(false, "odd", "odd"));
}

#[test]
fn a_code_says_whether_to_repeat_and_its_text_stays_beside_it() {
    assert!(Code::Unavailable.repeat() && Code::OutOfMemory.repeat() && Code::Loading.repeat());
    assert!(!Code::BadArgument.repeat() && !Code::Lost.repeat());
    let error = TaskId::new("").unwrap_err();
    assert_eq!((error.code(), error.word(), error.is_transient()), (Some(Code::BadName), "BADNAME", false));
}
