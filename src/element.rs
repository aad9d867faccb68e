//! Names of the elements of arrays: tasks of a graph that do the same for each index.

/// Returns the name of an array and the index of its element with this label: for `sim[17]` they are `sim` and 17.
/// Returns `None` for the label of a task that is not an element of an array.
///
/// ```
/// assert_eq!(blueque::element("sim[17]"), Some(("sim", 17)));
/// assert_eq!(blueque::element("join"), None);
/// ```
#[must_use]
pub fn element(label: &str) -> Option<(&str, u64)> {
    let (array, index) = label.strip_suffix(']')?.rsplit_once('[')?;
    Some((array, index.parse().ok().filter(|_| !index.starts_with('+'))?))
}

pub(crate) fn label(array: &str, index: u64) -> String {
    format!("{array}[{index}]")
}

#[cfg(test)]
mod tests {
    use super::{element, label};

    #[test]
    fn elements_of_arrays_are_known_by_their_names() {
        assert_eq!(element(&label("sim", 17)), Some(("sim", 17)));
        assert_eq!(element("[3]"), Some(("", 3)));
        assert_eq!(element("a[1][2]"), Some(("a[1]", 2)));
        for label in ["sim", "sim[]", "sim[x]", "sim[+1]", "sim[1] ", "[", "]"] {
            assert_eq!(element(label), None, "{label}");
        }
    }
}
