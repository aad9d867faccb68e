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
        self.rank_of(&match self.column.as_str() {
            // The time at which the state changed, and not its distance from now.
            "since" => task.updated.clone().unwrap_or_default(),
            column => task.fields().map(|fields| fields.value(column)).unwrap_or_default(),
        })
    }

    fn rank_of(&self, value: &str) -> String {
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
    use super::order;

    #[test]
    fn numbers_come_before_texts_and_no_value_is_always_last() {
        let sorted = |by: &str| {
            let by = order(by).unwrap();
            let mut values = ["b", "10", "", "9", "bb", "-3", "a"];
            values.sort_by_key(|value| by.rank_of(value));
            values.join(" ")
        };
        assert_eq!(sorted("id"), "-3 9 10 a b bb ");
        assert_eq!(sorted("-id"), "bb b a 10 9 -3 ");
        assert!(order("-colour").unwrap_err().contains("must be one of id state"));
    }
}
