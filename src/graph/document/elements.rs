//! Arrays: entries of a document that stand for many tasks, and the names of these tasks.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use super::super::fields::{Fields, Found};
use super::super::plan::TASKS;
use super::super::problem::GraphError;

/// A task of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) index: u64,
    /// The values of its matrix by their names, as JSON.
    pub(super) values: Vec<(String, String)>,
}

/// The tasks of an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Elements {
    /// `None` for an entry with a single task.
    pub(super) all: Option<Vec<Element>>,
    /// Maximum number of tasks that run at once, if there is a bound.
    pub(super) most: Option<u32>,
    pub(super) is_matrix: bool,
}

impl Elements {
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, GraphError> {
        match (fields.get("array"), fields.get("matrix")) {
            (Some(_), Some(matrix)) => Err(matrix.place.problem("a task has `array` or `matrix`, not both")),
            (Some(found), None) => array(found),
            (None, Some(found)) => matrix(found),
            (None, None) => Ok(Self::default()),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.all.as_ref().map_or(1, Vec::len)
    }
}

/// Reads `1-500`, or `1-500%20` for 20 at once.
fn array(found: &Found<'_>) -> Result<Elements, GraphError> {
    let text = found.text()?;
    let (range, most) = text.split_once('%').map_or((text.as_str(), None), |(range, most)| (range, Some(most)));
    let wrong =
        || found.place.problem(format!("must be such as \"1-500\", or \"1-500%20\" for 20 at once, not {text:?}"));
    let range = self::range(range).ok_or_else(wrong)?;
    let most: Option<u32> = match most {
        Some(most) => {
            Some(number(most).and_then(|most| most.try_into().ok()).filter(|most| *most > 0).ok_or_else(wrong)?)
        }
        None => None,
    };
    if range.is_empty() {
        return Err(found.place.problem(format!("{text} has no element: the lower number comes first")));
    }
    if range.end() - range.start() >= TASKS as u64 {
        return Err(found.place.problem(format!("over {TASKS} elements: a graph has at most {TASKS} tasks")));
    }
    let all: Vec<Element> = range.map(|index| Element { index, values: Vec::new() }).collect();
    // A maximum that allows all tasks at once is not a bound.
    let most = most.filter(|most| u64::from(*most) < all.len() as u64);
    Ok(Elements { all: Some(all), most, is_matrix: false })
}

/// Returns all combinations of the values of each name. The last name changes first.
fn matrix(found: &Found<'_>) -> Result<Elements, GraphError> {
    let mut all = vec![Vec::new()];
    let names = found.object()?;
    if names.is_empty() {
        return Err(found.place.problem("must name at least one list of values"));
    }
    for (name, found) in &names {
        if name == INDEX {
            return Err(found.place.problem("the index of an element has this name: choose another name"));
        }
        let values = found.list()?;
        if values.is_empty() {
            return Err(found.place.problem("must have at least one value, or there is no element"));
        }
        if all.len().saturating_mul(values.len()) > TASKS {
            return Err(found
                .place
                .problem(format!("it makes over {TASKS} elements: a graph has at most {TASKS} tasks")));
        }
        let with = |chosen: &Vec<(String, String)>| {
            let more = |value: &Found<'_>| {
                let mut chosen = chosen.clone();
                chosen.push((name.clone(), value.json().to_owned()));
                chosen
            };
            values.iter().map(more).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    let element = |(index, values)| Element { index, values };
    Ok(Elements { all: Some((1..).zip(all).map(element).collect()), most: None, is_matrix: true })
}

/// The name of the index in arguments.
pub(super) const INDEX: &str = "index";

/// Places of the tasks of an entry.
#[derive(Clone, Copy, Debug)]
struct Spot {
    start: usize,
    len: usize,
    /// The index of the first element.
    low: Option<u64>,
}

/// Places of the tasks of a document.
#[derive(Debug, Default)]
pub(super) struct Places {
    spots: HashMap<String, Spot>,
    len: usize,
}

impl Places {
    pub(super) fn add(&mut self, label: &str, elements: &Elements) {
        let low = elements.all.as_ref().and_then(|all| all.first()).map(|first| first.index);
        let spot = Spot { start: self.len, len: elements.len(), low };
        self.len += spot.len;
        self.spots.insert(label.to_owned(), spot);
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the place of the first task of an entry.
    pub(super) fn start(&self, label: &str) -> usize {
        self.spots.get(label).map_or(0, |spot| spot.start)
    }

    /// Returns the tasks that a text refers to. `NAME` is all elements of an array; `NAME[3]` and `NAME[3-9]` are some
    /// of them. `NAME[i]` is the element with the same index as the element that refers to it.
    pub(super) fn find(&self, found: &Found<'_>, index: Option<u64>) -> Result<Vec<usize>, GraphError> {
        let text = found.text()?;
        if let Some(spot) = self.spots.get(&text) {
            return Ok((spot.start..spot.start + spot.len).collect());
        }
        let none = || found.place.problem(format!("no task of the graph is named {text:?}"));
        let (name, part) = text.strip_suffix(']').and_then(|text| text.rsplit_once('[')).ok_or_else(none)?;
        let spot = self.spots.get(name).ok_or_else(none)?;
        let low = spot.low.ok_or_else(|| found.place.problem(format!("{name:?} is no array")))?;
        let part = match (part, index) {
            ("i", Some(index)) => index..=index,
            ("i", None) => {
                let text = "`[i]` is the index of an element, and this task is not one of an array";
                return Err(found.place.problem(text));
            }
            (part, _) => range(part).filter(|part| !part.is_empty()).ok_or_else(none)?,
        };
        let high = low + spot.len as u64 - 1;
        if *part.start() < low || *part.end() > high {
            let (start, end) = part.into_inner();
            let part = if start == end { start.to_string() } else { format!("{start}-{end}") };
            return Err(found.place.problem(format!("{name}[{part}] is not in {name}[{low}-{high}]")));
        }
        let at = |index: u64| usize::try_from(index - low).map_or(spot.start, |after| spot.start + after);
        Ok(part.map(at).collect())
    }
}

/// Reads `3` or `3-9`. The range is empty if the first number is larger.
fn range(text: &str) -> Option<RangeInclusive<u64>> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    Some(number(from)?..=number(to)?)
}

/// Reads a number of at most nine digits, without other characters.
fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|_| text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit()))
}
