//! Integers, however they are spelt.

/// The value of a number that is integral, as text: `10`, `10.0`, `1e1`, also with a sign. Beyond the range of `i64`
/// its nearest end. `None` for fractions and for what is no number.
///
/// Exact, and without floating point, whose parser would be a third of the module's size.
pub fn integral(text: &[u8]) -> Option<i64> {
    let (negative, unsigned) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        (b'+', rest) => (false, rest),
        _ => (false, text),
    };
    let (mantissa, exponent) = match unsigned.iter().position(|b| matches!(b, b'e' | b'E')) {
        Some(at) => (unsigned.get(..at)?, exponent(unsigned.get(at + 1..)?)?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = match mantissa.iter().position(|b| *b == b'.') {
        Some(at) => (mantissa.get(..at)?, mantissa.get(at + 1..).filter(|digits| !digits.is_empty())?),
        None => (mantissa, &[][..]),
    };
    if whole.is_empty() || !whole.iter().chain(fraction).all(u8::is_ascii_digit) {
        return None;
    }
    // The digits before this place are whole, those behind it must be zeros.
    let point = i64::try_from(whole.len()).ok()?.saturating_add(exponent);
    let mut value = 0i64;
    let mut place = 0i64;
    for digit in whole.iter().chain(fraction).map(|b| i64::from(b - b'0')) {
        if place < point {
            value = value.saturating_mul(10).saturating_add(digit);
        } else if digit != 0 {
            return None;
        }
        place += 1;
    }
    while place < point && value != 0 && value != i64::MAX {
        value = value.saturating_mul(10);
        place += 1;
    }
    Some(if negative { -value } else { value })
}

fn exponent(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        (b'+', rest) => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // An exponent this large decides as well as a larger one.
    let value = digits.iter().fold(0i64, |value, b| (value * 10 + i64::from(b - b'0')).min(1 << 40));
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_integers_in_any_spelling() {
        for (text, value) in [
            ("0", 0),
            ("-0", 0),
            ("10", 10),
            ("-12", -12),
            ("10.0", 10),
            ("1e1", 10),
            ("1.5e1", 15),
            ("120e-1", 12),
            ("0.0", 0),
            ("0e999999999999", 0),
            ("00e-99", 0),
            ("2147483647", 2_147_483_647),
            ("2147483648.000", 2_147_483_648),
            ("1e400", i64::MAX),
            ("-1E+400", -i64::MAX),
            ("123456789012345678901234567890", i64::MAX),
            ("1234567890123456789012e-12", 1_234_567_890),
            ("+5", 5),
            ("007", 7),
        ] {
            let exact = text != "1234567890123456789012e-12";
            assert_eq!(integral(text.as_bytes()), exact.then_some(value), "{text}");
        }
    }

    #[test]
    fn refuses_fractions_and_what_is_no_number() {
        for text in [
            "", "-", "+", ".", "1.", ".5", "e1", "1e", "1e+", "0.5", "1e-1", "15e-1", "1.25e1", "1_0", "inf", "NaN",
            "0x10", " 1", "1 ", "1.2.3", "1e1e1", "--1",
        ] {
            assert_eq!(integral(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn agrees_with_floating_point_where_that_is_exact() {
        for mantissa in [0i64, 1, 5, 10, 25, 1000, 12_345] {
            for point in 0..4 {
                for exponent in -6..6 {
                    let digits = format!("{mantissa:05}");
                    let (whole, fraction) = digits.split_at(digits.len() - point);
                    let dot = if point > 0 { "." } else { "" };
                    let text = format!("{whole}{dot}{fraction}e{exponent}");
                    let shift = exponent - point as i32;
                    let expected = match shift {
                        0.. => Some(mantissa * 10i64.pow(shift as u32)),
                        _ => (mantissa % 10i64.pow(-shift as u32) == 0).then(|| mantissa / 10i64.pow(-shift as u32)),
                    };
                    assert_eq!(integral(text.as_bytes()), expected, "{text}");
                }
            }
        }
    }
}
