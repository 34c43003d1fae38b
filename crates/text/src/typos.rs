//! Words with a typo.

/// Whether two words differ by one letter: an extra, missing or wrong one, or two swapped.
pub fn is_near(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[same..], &other[same..]);
    match (one, other) {
        ([a, b, rest @ ..], [c, d, others @ ..]) if a == d && b == c => rest == others,
        _ => {
            let (longer, shorter) =
                if one.len() >= other.len() { (one, other) } else { (other, one) };
            let is_wrong = one.len() == other.len() && one.get(1..) == other.get(1..);
            is_wrong || (longer.len() == shorter.len() + 1 && longer.get(1..) == Some(shorter))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_near;

    #[test]
    fn one_slip_is_near() {
        for word in ["sumarise", "summarisee", "summarize", "smumarise"] {
            assert!(is_near("summarise", word), "{word}");
        }
        assert!(!is_near("summarise", "sumarize"));
        assert!(!is_near("reverse", "severe"));
    }
}
