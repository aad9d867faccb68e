//! Parts of graphs: `GRAPH/NAME` is a task or an array, and `GRAPH/NAME[3-9]` are elements of an array. `GRAPH[17]` and
//! `GRAPH[3-9,12]` are elements of the only array.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use blueque::{GraphMember, TaskId, element};

use crate::output::{Code, clean_line, fault};

pub struct Part<'a> {
    pub graph: &'a str,
    /// The name of a task or an array. `None` stands for the only array.
    name: Option<&'a str>,
}

impl<'a> Part<'a> {
    /// Parses a part of a graph. Returns `None` for the id of a task, or the beginning of an id. In the result, the
    /// name includes the element numbers.
    pub fn of(text: &'a str) -> Option<anyhow::Result<Self>> {
        let at = text.find(['/', '['])?;
        let (graph, rest) = text.split_at_checked(at)?;
        let part = Self { graph, name: rest.strip_prefix('/') };
        let own = Self { graph, name: Some(rest) };
        Some(match (part.name, ranges(rest)) {
            (Some(_), _) => Ok(part),
            (None, Some(_)) => Ok(own),
            (None, None) => {
                let text = clean_line(text, 200);
                Err(fault(Code::Usage, format!("{text}: a part of an array is such as {graph}[17] or {graph}[3-9]")))
            }
        })
    }

    /// Returns the tasks of the graph that belong to this part.
    pub fn among(&self, tasks: &[GraphMember]) -> anyhow::Result<Vec<(String, TaskId)>> {
        let name = self.name.unwrap_or_default();
        let found = |task: &GraphMember| (task.label.clone(), task.id.clone());
        if let Some(task) = tasks.iter().find(|task| task.label == name) {
            return Ok(vec![found(task)]);
        }
        let mut arrays: BTreeMap<&str, BTreeMap<u64, &GraphMember>> = BTreeMap::new();
        for task in tasks {
            if let Some((array, index)) = element(&task.label) {
                arrays.entry(array).or_default().insert(index, task);
            }
        }
        let shown = format!("{}/{}", self.graph, clean_line(name, 200));
        if let Some(all) = arrays.get(name) {
            return Ok(all.values().map(|task| found(task)).collect());
        }
        let (array, part) = name.rfind('[').and_then(|at| name.split_at_checked(at)).unwrap_or((name, ""));
        let Some(ranges) = ranges(part) else {
            return Err(fault(Code::NotFound, format!("the graph has no task {shown}")));
        };
        let all = match (array, arrays.len()) {
            ("", 1) => arrays.values().next(),
            ("", 2..) => {
                let first = arrays.keys().next().copied().unwrap_or_default();
                let names: Vec<String> = arrays.keys().map(|name| clean_line(name, 100)).collect();
                let text = format!(
                    "{} has several arrays, {}: name one, such as {}/{first}{part}",
                    self.graph,
                    names.join(", "),
                    self.graph
                );
                return Err(fault(Code::Usage, text));
            }
            (array, _) => arrays.get(array),
        };
        let all = all.ok_or_else(|| {
            fault(Code::NotFound, format!("the graph has no array {}/{}", self.graph, clean_line(array, 200)))
        })?;
        let mut chosen = Vec::new();
        for range in ranges {
            let before = chosen.len();
            chosen.extend(all.range(range.clone()).map(|(_, task)| found(task)));
            if chosen.len() == before {
                let (from, to) = range.into_inner();
                let part = if from == to { from.to_string() } else { format!("{from}-{to}") };
                return Err(fault(Code::NotFound, format!("the array has no element {part}")));
            }
        }
        Ok(chosen)
    }
}

/// Parses element numbers: `[17]`, `[3-9,12]`.
fn ranges(text: &str) -> Option<Vec<RangeInclusive<u64>>> {
    let number = |text: &str| text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    let range = |text: &str| {
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        let (from, to): (u64, u64) = (number(from)?, number(to)?);
        (from <= to).then_some(from..=to)
    };
    text.strip_prefix('[')?.strip_suffix(']')?.split(',').map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::{Part, ranges};

    #[test]
    fn a_part_names_its_graph() {
        let part = |text: &'static str| Part::of(text).map(|part| part.map(|part| (part.graph, part.name)).ok());
        assert_eq!(part("night"), None);
        assert_eq!(part("night[17]"), Some(Some(("night", Some("[17]")))));
        assert_eq!(part("night/sim"), Some(Some(("night", Some("sim")))));
        assert_eq!(part("night/a/b[3-9]"), Some(Some(("night", Some("a/b[3-9]")))));
        for wrong in ["night[", "night[]", "night[x]", "night[9-3]", "night[+3]", "night[3"] {
            assert_eq!(part(wrong), Some(None), "{wrong}");
        }
        assert_eq!(ranges("[3-5,9]"), Some(vec![3..=5, 9..=9]));
    }
}
