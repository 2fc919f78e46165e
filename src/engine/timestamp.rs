//! Timestamps (RULES 3.6, 3.7): RFC 3339 in any offset and with any fraction in, UTC out.

/// What a text is as a timestamp.
#[derive(Debug, PartialEq, Eq)]
pub enum Timestamp {
    /// Canonical already: to be copied.
    Canonical,
    /// To be written like this.
    Normalised {
        /// UTC, `Z`, a fraction of 0, 3, 6 or 9 digits.
        text: String,
        /// Fraction digits beyond the ninth were cut.
        truncated: bool,
        /// There was no zone; it was taken as UTC.
        no_zone: bool,
    },
    /// Not a time, or outside the years 0001–9999.
    Invalid,
}

struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn number(&mut self, digits: usize) -> Option<i64> {
        let (head, tail) = self.0.split_at_checked(digits)?;
        if !head.iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.0 = tail;
        Some(head.iter().fold(0, |n, d| n * 10 + i64::from(d - b'0')))
    }

    fn one_of(&mut self, bytes: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        bytes.contains(first).then(|| {
            self.0 = rest;
            *first
        })
    }
}

/// Reads `text` and says how it is to be written.
pub fn normalise(text: &[u8]) -> Timestamp {
    parse(text).unwrap_or(Timestamp::Invalid)
}

fn parse(text: &[u8]) -> Option<Timestamp> {
    let mut at = Cursor(text);
    let year = at.number(4)?;
    at.one_of(b"-")?;
    let month = at.number(2)?;
    at.one_of(b"-")?;
    let day = at.number(2)?;
    let separator = at.one_of(b"Tt ")?;
    let hour = at.number(2)?;
    at.one_of(b":")?;
    let minute = at.number(2)?;
    at.one_of(b":")?;
    let second = at.number(2)?;
    if year == 0 || !(1..=12).contains(&month) || day == 0 || day > month_days(year, month) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let mut fraction: &[u8] = &[];
    if at.one_of(b".").is_some() {
        let len = at.0.iter().take_while(|b| b.is_ascii_digit()).count();
        (fraction, at.0) = at.0.split_at_checked(len)?;
        if fraction.is_empty() {
            return None;
        }
    }
    let (offset, zone) = zone(&mut at)?;
    if !at.0.is_empty() {
        return None;
    }
    if separator == b'T' && zone == Zone::Z && matches!(fraction.len(), 0 | 3 | 6 | 9) {
        return Some(Timestamp::Canonical);
    }
    let minutes = days(year, month, day) * 1440 + hour * 60 + minute - offset;
    let (year, month, day) = civil(minutes.div_euclid(1440));
    if !(1..=9999).contains(&year) {
        return None;
    }
    let minute_of_day = minutes.rem_euclid(1440);
    let (hour, minute) = (minute_of_day / 60, minute_of_day % 60);
    let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    let truncated = fraction.len() > 9;
    if !fraction.is_empty() {
        let digits = fraction.len().min(9).next_multiple_of(3);
        text.push('.');
        text.extend((0..digits).map(|i| fraction.get(i).map_or('0', |d| *d as char)));
    }
    text.push('Z');
    Some(Timestamp::Normalised { text, truncated, no_zone: zone == Zone::None })
}

#[derive(PartialEq)]
enum Zone {
    Z,
    Other,
    None,
}

/// The offset from UTC in minutes.
fn zone(at: &mut Cursor<'_>) -> Option<(i64, Zone)> {
    if at.0.is_empty() {
        return Some((0, Zone::None));
    }
    match at.one_of(b"Zz+-")? {
        b'Z' => Some((0, Zone::Z)),
        b'z' => Some((0, Zone::Other)),
        sign => {
            let hours = at.number(2)?;
            let colon = at.one_of(b":").is_some();
            let minutes = if colon || !at.0.is_empty() { at.number(2)? } else { 0 };
            if hours > 23 || minutes > 59 {
                return None;
            }
            let offset = hours * 60 + minutes;
            Some((if sign == b'-' { -offset } else { offset }, Zone::Other))
        }
    }
}

fn month_days(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 of a date in the proleptic Gregorian calendar; years begin in March, so the leap day is last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The inverse of [`days`].
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 { month_index + 3 } else { month_index - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utc(text: &str) -> String {
        match normalise(text.as_bytes()) {
            Timestamp::Canonical => text.to_owned(),
            Timestamp::Normalised { text, .. } => text,
            Timestamp::Invalid => "invalid".to_owned(),
        }
    }

    #[test]
    fn converts_to_utc_across_days_months_and_years() {
        assert_eq!(utc("2024-12-31T23:30:00-01:00"), "2025-01-01T00:30:00Z");
        assert_eq!(utc("2024-03-01T00:15:00+00:30"), "2024-02-29T23:45:00Z");
        assert_eq!(utc("2023-03-01 00:15:00.5+0030"), "2023-02-28T23:45:00.500Z");
        assert_eq!(utc("9999-12-31T23:59:59-00:01"), "invalid");
        assert_eq!(utc("0001-01-01T00:00:00+00:01"), "invalid");
        assert_eq!(utc("0001-01-01T00:00:00z"), "0001-01-01T00:00:00Z");
        assert_eq!(utc("2024-03-15T10:15:00+02"), "2024-03-15T08:15:00Z");
    }

    #[test]
    fn days_and_civil_are_inverses_over_four_centuries() {
        for day in days(1, 1, 1)..=days(401, 1, 1) {
            let (y, m, d) = civil(day);
            assert_eq!(days(y, m, d), day);
        }
    }

    #[test]
    fn refuses_what_is_not_a_time() {
        for bad in [
            "",
            "2024",
            "2024-13-01T00:00:00Z",
            "2024-02-30T00:00:00Z",
            "2024-01-01T24:00:00Z",
            "0000-01-01T00:00:00Z",
            "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00Zx",
            "2024-01-01T00:00:00+1",
            "2024-01-01T00:00:00+25:00",
        ] {
            assert_eq!(utc(bad), "invalid", "{bad}");
        }
    }
}
