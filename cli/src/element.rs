//! Elements of arrays: tasks of a graph that are named by their indexes.

/// The name of an array, and the index of the element that has this name.
pub fn element(label: &str) -> Option<(&str, u64)> {
    let (array, index) = label.strip_suffix(']')?.rsplit_once('[')?;
    Some((array, index.parse().ok().filter(|_| !index.starts_with('+'))?))
}

#[cfg(test)]
mod tests {
    use super::element;

    #[test]
    fn elements_of_arrays_are_known_by_their_names() {
        assert_eq!(element("sim[17]"), Some(("sim", 17)));
        assert_eq!(element("[3]"), Some(("", 3)));
        assert_eq!(element("a[1][2]"), Some(("a[1]", 2)));
        for label in ["sim", "sim[]", "sim[x]", "sim[+1]", "sim[1] ", "[", "]"] {
            assert_eq!(element(label), None, "{label}");
        }
    }
}
