//! A command line for each line of a file: a graph of tasks without dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use blueque::{CommandLine, Graph};
use clap::Args;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::task_options::{self, TaskOptions};
use crate::file;
use crate::output::{Code, fault};
use crate::template::fill;

/// Maximum size of the file.
const LARGEST: u64 = 8 << 20;

/// The field with the number of the task.
const INDEX: &str = "index";

/// Signs a command line of the graph.
pub type Sign<'a> = &'a dyn Fn(CommandLine) -> anyhow::Result<String>;

#[derive(Args, Clone, Debug)]
pub struct EachArgs {
    /// Add a task for each line of this file, all or none: each line is a JSON object. {NAME} in the command, in its
    /// folder and its variables, in --title and --name stands for a field of the line, and {index} for its number from 1.
    /// {{NAME}} stands for the text {NAME}. The parameters of a task are its line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["wait", "follow", "again", "raw", "hold"])]
    each: Option<PathBuf>,
    /// With --each: the name of each task in the group [default: the program with the number of the line, such as run[3]]
    #[arg(long, value_name = "TEMPLATE", requires = "each")]
    name: Option<String>,
}

impl EachArgs {
    /// Reads the lines, if a file is given.
    pub fn read(&self) -> anyhow::Result<Option<Lines>> {
        let Some(path) = &self.each else { return Ok(None) };
        let text = if path == Path::new("-") {
            let bytes = file::bounded(std::io::stdin().lock(), LARGEST);
            bytes.and_then(|bytes| String::from_utf8(bytes).map_err(std::io::Error::other))
        } else {
            file::text(path, LARGEST)
        };
        let text =
            text.map_err(|error| fault(Code::Usage, format!("--each {} cannot be read: {error}", path.display())))?;
        if text.len() as u64 > LARGEST {
            return Err(fault(Code::Usage, "--each: the lines are over 8 MiB: add them in several parts"));
        }
        let wrong = |number: usize, what: &str| fault(Code::Usage, format!("--each: line {number} {what}"));
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let fields = serde_json::from_str(line).map_err(|error| {
                wrong(number, &format!("is no JSON object, such as {{\"name\": \"a\", \"lr\": 0.1}}: {error}"))
            })?;
            lines.push(Line { index: lines.len().saturating_add(1), number, json: line.trim().to_owned(), fields });
        }
        if lines.is_empty() {
            return Err(fault(Code::Usage, format!("--each {} has no lines", path.display())));
        }
        Ok(Some(Lines { lines, name: self.name.clone() }))
    }
}

/// The lines of a file.
pub struct Lines {
    lines: Vec<Line>,
    /// Template of the names.
    name: Option<String>,
}

struct Line {
    /// Number of the task, and number of the line in the file, counted from 1.
    index: usize,
    number: usize,
    json: String,
    /// The fields, as the user wrote them.
    fields: BTreeMap<String, Box<RawValue>>,
}

impl Lines {
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns a graph with a task for each line.
    pub fn graph(
        &self,
        queue: &str,
        command: &CommandLine,
        sign: Sign<'_>,
        (parameters, eta): (Option<&[u8]>, Option<f64>),
        (options, upstreams): (&TaskOptions, &Map<String, Value>),
    ) -> anyhow::Result<Graph> {
        let parameters = parameters.map(serde_json::from_slice::<&RawValue>).transpose()?;
        let mut names = BTreeSet::new();
        let mut tasks = Vec::new();
        for line in &self.lines {
            let name = if let Some(template) = &self.name {
                line.fill(template)?
            } else {
                let program = command.argv.first().map_or("", String::as_str);
                format!("{}[{}]", line.fill(program.rsplit('/').next().unwrap_or(program))?, line.index)
            };
            if !names.insert(name.clone()) {
                let text = format!("--name: several lines have the name {name}: add {{{INDEX}}} to the template");
                return Err(fault(Code::Usage, text));
            }
            let mut policy = Map::new();
            let mut task = upstreams.clone();
            for (option, value) in options.given().filter(|(option, _)| !task_options::OF_GRAPH.contains(option)) {
                let of = if option == "method" { &mut task } else { &mut policy };
                let value = if option == "title" { line.fill(&value)? } else { value };
                of.insert(option.to_owned(), json!(value));
            }
            policy.insert("command".to_owned(), json!(sign(line.filled(command)?)?));
            task.insert("options".to_owned(), Value::Object(policy));
            task.extend(eta.map(|eta| ("eta".to_owned(), json!(eta))));
            let mut text = Value::Object(task).to_string();
            text.pop();
            // The parameters are inserted as the user wrote them: parsing them loses digits of long numbers.
            let own = parameters.map_or(line.json.as_str(), RawValue::get);
            tasks.push(format!("{}:{text},\"parameters\":{own}}}", json!(name)));
        }
        let text = format!("{{\"queue\":{},\"tasks\":{{{}}}}}", json!(queue), tasks.join(","));
        let graph = Graph::from_json(&text).map_err(|error| fault(Code::Usage, format!("--each: {error}")))?;
        Ok(options.of_graph(graph))
    }
}

impl Line {
    /// Returns the command line for this line.
    fn filled(&self, command: &CommandLine) -> anyhow::Result<CommandLine> {
        let fill = |text: &String| self.fill(text);
        Ok(CommandLine {
            argv: command.argv.iter().map(fill).collect::<Result<_, _>>()?,
            cwd: command.cwd.as_ref().map(fill).transpose()?,
            env: command
                .env
                .iter()
                .map(|(name, value)| Ok((name.clone(), self.fill(value)?)))
                .collect::<anyhow::Result<_>>()?,
            ..command.clone()
        })
    }

    fn fill(&self, template: &str) -> anyhow::Result<String> {
        fill(template, |name| self.value(name))
    }

    fn value(&self, name: &str) -> anyhow::Result<String> {
        match self.fields.get(name).map(|value| value.get()) {
            Some(json) => Ok(serde_json::from_str::<String>(json).unwrap_or_else(|_| json.to_owned())),
            None if name == INDEX => Ok(self.index.to_string()),
            None => {
                let number = self.number;
                let text = format!("line {number} has no field {name}; write {{{{{name}}}}} for the text {{{name}}}");
                Err(fault(Code::Usage, format!("--each: {text}")))
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::Line;

    #[test]
    fn a_template_has_fields_of_the_line_and_all_other_braces_stay() {
        let json = r#"{"name": "a b", "lr": 0.10, "deep": {"x": [1]}, "none": null}"#;
        let line = Line { index: 3, number: 4, json: json.to_owned(), fields: serde_json::from_str(json).unwrap() };
        for (template, filled) in [
            ("{name}-{lr}-{index}", "a b-0.10-3"),
            ("{deep} {none}", r#"{"x": [1]} null"#),
            ("{{name}} {{ {} { } }} {\"a\":{\"b\":1}} ${x y}", "{name} {{ {} { } }} {\"a\":{\"b\":1}} ${x y}"),
            ("", ""),
        ] {
            assert_eq!(line.fill(template).unwrap(), filled, "{template}");
        }
        assert!(line.fill("{other}").unwrap_err().to_string().contains("line 4 has no field other"));
    }
}
