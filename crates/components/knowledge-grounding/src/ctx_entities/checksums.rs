//! Checksums of codes.

/// Whether digits have the checksum of cards (Luhn, ISO/IEC 7812).
pub(super) fn is_luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(idx, it)| {
            let digit = u32::from(it - b'0');
            match (idx % 2, digit * 2) {
                (0, _) => digit,
                (_, doubled) if doubled > 9 => doubled - 9,
                (_, doubled) => doubled,
            }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Whether letters in capitals and digits are an IBAN: the length of its country, and the remainder 1
/// of the division by 97 (ISO 13616, ISO/IEC 7064).
pub(super) fn is_iban(code: &[u8]) -> bool {
    let is_known = code.get(..2).is_some_and(|country| {
        LENGTHS.iter().any(|(it, len)| it.as_bytes() == country && *len == code.len())
    });
    if !is_known || !code[2..4].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let moved = code[4..].iter().chain(&code[..4]);
    let rest = moved.fold(0_u32, |rest, it| match it {
        b'0'..=b'9' => (rest * 10 + u32::from(it - b'0')) % 97,
        b'A'..=b'Z' => (rest * 100 + u32::from(it - b'A') + 10) % 97,
        _ => 0,
    });
    rest == 1
}

/// The length of the IBANs of a country, from the registry of SWIFT.
const LENGTHS: [(&str, usize); 85] = [
    ("AD", 24),
    ("AE", 23),
    ("AL", 28),
    ("AT", 20),
    ("AZ", 28),
    ("BA", 20),
    ("BE", 16),
    ("BG", 22),
    ("BH", 22),
    ("BI", 27),
    ("BR", 29),
    ("BY", 28),
    ("CH", 21),
    ("CR", 22),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DJ", 27),
    ("DK", 18),
    ("DO", 28),
    ("EE", 20),
    ("EG", 29),
    ("ES", 24),
    ("FI", 18),
    ("FK", 18),
    ("FO", 18),
    ("FR", 27),
    ("GB", 22),
    ("GE", 22),
    ("GI", 23),
    ("GL", 18),
    ("GR", 27),
    ("GT", 28),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IQ", 23),
    ("IS", 26),
    ("IT", 27),
    ("JO", 30),
    ("KW", 30),
    ("KZ", 20),
    ("LB", 28),
    ("LC", 32),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("LY", 25),
    ("MC", 27),
    ("MD", 24),
    ("ME", 22),
    ("MK", 19),
    ("MN", 20),
    ("MR", 27),
    ("MT", 31),
    ("MU", 30),
    ("NI", 28),
    ("NL", 18),
    ("NO", 15),
    ("OM", 23),
    ("PK", 24),
    ("PL", 28),
    ("PS", 29),
    ("PT", 25),
    ("QA", 29),
    ("RO", 24),
    ("RS", 22),
    ("RU", 33),
    ("SA", 24),
    ("SC", 31),
    ("SD", 18),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("SM", 27),
    ("SO", 23),
    ("ST", 25),
    ("SV", 28),
    ("TL", 23),
    ("TN", 24),
    ("TR", 26),
    ("UA", 29),
    ("VA", 22),
];

/// Whether digits are an ISBN, of 13 digits or of 10 (whose last may be `X`).
pub(super) fn is_isbn(code: &[u8]) -> bool {
    let digit = |it: u8| if it == b'X' { 10 } else { u32::from(it - b'0') };
    match code.len() {
        13 if code.iter().all(u8::is_ascii_digit) => {
            let each = code.iter().enumerate();
            let sum: u32 =
                each.map(|(idx, it)| digit(*it) * if idx % 2 == 0 { 1 } else { 3 }).sum();
            sum.is_multiple_of(10)
        }
        10 if code[..9].iter().all(u8::is_ascii_digit)
            && (code[9] == b'X' || code[9].is_ascii_digit()) =>
        {
            let sum: u32 = (1..=10).rev().zip(code).map(|(weight, it)| weight * digit(*it)).sum();
            sum.is_multiple_of(11)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standards() {
        assert!(is_luhn(b"4111111111111111") && is_luhn(b"378282246310005"));
        assert!(!is_luhn(b"4111111111111112"));
        for iban in ["DE89370400440532013000", "GB82WEST12345698765432", "NO9386011117947"] {
            assert!(is_iban(iban.as_bytes()), "{iban}");
        }
        for wrong in
            ["DE89370400440532013001", "GB82WEST1234569876543", "XX82WEST12345698765432", "DE", ""]
        {
            assert!(!is_iban(wrong.as_bytes()), "{wrong}");
        }
        assert!(is_isbn(b"9780306406157") && is_isbn(b"0306406152") && is_isbn(b"080442957X"));
        assert!(!is_isbn(b"9780306406158") && !is_isbn(b"0306406153") && !is_isbn(b"X"));
    }
}
