//! Options of lists of tasks: their columns and their order.

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::view::task::{TaskView, choose_columns, column_names};

#[derive(Args, Clone, Debug)]
pub struct ListArgs {
    /// Show these columns, as a list: id,state,task,created
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', value_parser = PossibleValuesParser::new(column_names()), hide_possible_values = true)]
    columns: Vec<String>,
    /// Order the tasks by this column, and with a minus in front from the largest to the smallest: -created
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true, value_parser = order)]
    sort: Option<Order>,
}

/// The order of a list.
#[derive(Clone, Debug)]
pub struct Order {
    column: String,
    falls: bool,
}

fn order(text: &str) -> Result<Order, String> {
    let column = text.strip_prefix('-').unwrap_or(text);
    if column_names().any(|name| name == column) {
        return Ok(Order { column: column.to_owned(), falls: column.len() < text.len() });
    }
    Err(format!(
        "must be one of {}, or one of them with a minus in front",
        column_names().collect::<Vec<_>>().join(" ")
    ))
}

impl ListArgs {
    /// Applies the columns to all lists of this process.
    pub fn choose(&self) {
        choose_columns(&self.columns);
    }

    pub fn order(&self) -> Option<&Order> {
        self.sort.as_ref()
    }
}

impl Order {
    /// Returns the sort key of a task, smallest first: numbers come before texts, and tasks without a value come last.
    pub fn rank(&self, task: &TaskView) -> String {
        let value = match self.column.as_str() {
            // The distance from now of the time at which the state changed.
            "since" => task.updated.clone().unwrap_or_default(),
            column => task.fields().map(|fields| fields.value(column)).unwrap_or_default(),
        };
        if value.is_empty() {
            return "~".to_owned();
        }
        let key = match value.parse::<f64>() {
            Ok(number) => {
                let bits = number.to_bits();
                let bits = if number.is_sign_negative() { !bits } else { bits ^ (1 << 63) };
                format!("0{bits:016x}")
            }
            Err(_) => value.bytes().fold("1".to_owned(), |key, byte| key + &format!("{byte:02x}")),
        };
        if !self.falls {
            return key;
        }
        let turned = |c: char| c.to_digit(16).and_then(|digit| char::from_digit(15 - digit, 16)).unwrap_or(c);
        // The end is larger than every digit, so that a text comes before its beginnings.
        key.chars().map(turned).chain(['z']).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use blueque::TaskInfo;

    use super::{TaskView, order};

    #[test]
    fn tasks_are_ordered_by_numbers_and_texts_and_tasks_without_a_value_come_last() {
        let task = |id: &str, priority: &str| {
            let fields = [("status", "pending"), ("priority", priority)].map(|(name, text)| (name.into(), text.into()));
            let fields = fields.into_iter().filter(|(_, text): &(String, Vec<u8>)| !text.is_empty()).collect();
            TaskView::brief(id, &TaskInfo { fields, ..TaskInfo::default() })
        };
        let tasks = [("b", "10"), ("bb", "9"), ("a", "-3"), ("c", "")].map(|(id, priority)| task(id, priority));
        let sorted = |by: &str| {
            let by = order(by).unwrap();
            let mut ids: Vec<(String, &str)> = tasks.iter().map(|task| (by.rank(task), task.id.as_str())).collect();
            ids.sort();
            ids.into_iter().map(|(_, id)| id).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(sorted("id"), "a b bb c");
        assert_eq!(sorted("-id"), "c bb b a");
        assert_eq!(sorted("priority"), "a bb b c");
        assert_eq!(sorted("-priority"), "b bb a c");
        assert!(order("-colour").unwrap_err().contains("must be one of id state"));
    }
}
