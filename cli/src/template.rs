//! Texts in which `{NAME}` stands for a value.

/// Replaces `{NAME}` by a value, and `{{NAME}}` by `{NAME}`. All other braces stay.
pub fn fill<E>(template: &str, mut value: impl FnMut(&str) -> Result<String, E>) -> Result<String, E> {
    let (mut filled, mut rest) = (String::new(), template);
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
        let quoted = after.strip_prefix('{').and_then(|after| after.split_once("}}"));
        let named = after.split_once('}');
        match (quoted.filter(|(name, _)| is_name(name)), named.filter(|(name, _)| is_name(name))) {
            (Some((name, after)), _) => {
                filled.push_str(&format!("{{{name}}}"));
                rest = after;
            }
            (None, Some((name, after))) => {
                filled.push_str(&value(name)?);
                rest = after;
            }
            (None, None) => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    Ok(filled)
}
