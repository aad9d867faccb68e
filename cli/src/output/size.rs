//! Sizes in bytes, for people.

/// Formats a size in the largest unit in which it is at least 1. Numbers below 10 have one decimal.
pub fn size(bytes: u64) -> String {
    let units = [("TiB", 40_u32), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let Some((unit, shift)) = units.into_iter().find(|(_, shift)| bytes >> shift > 0) else {
        return format!("{bytes} B");
    };
    let tenths = (bytes >> (shift - 10)).saturating_mul(10) >> 10;
    if tenths < 100 { format!("{}.{} {unit}", tenths / 10, tenths % 10) } else { format!("{} {unit}", tenths / 10) }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_have_the_unit_that_is_read_best() {
        let shown = [0, 1023, 1024, 1536, 10 << 10, (1 << 20) - 1, 5 << 20, 1 << 30, 40 << 30, u64::MAX].map(size);
        let all = ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "10 KiB", "1023 KiB", "5.0 MiB", "1.0 GiB", "40 GiB"];
        assert_eq!(shown[..9], all);
        assert_eq!(shown[9], "16777215 TiB");
    }
}
