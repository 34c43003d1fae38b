//! Tables in texts without a format of their own: logs, columns, settings, lists of references. The
//! stages that read them are those that a user would write, with `captures` or `parse_toml`.

use svc_contract::value::literal;

/// Lines that are looked at.
const MOST_LINES: usize = 5_000;

/// Columns of a log that begin its lines.
const DAY: &str = r"(?<date>\d{4}-\d\d-\d\d)";
const TIME: &str = r"(?<time>\d\d:\d\d)[\d:.,]*\S*";

/// Stages from a text to the rows or settings that are probably in it.
pub(super) struct Guess {
    pub(super) stages: String,
    /// The words for a row, if others may mean a part of the rows: `errors` of a log.
    pub(super) nouns: Option<&'static str>,
}

impl From<String> for Guess {
    fn from(stages: String) -> Self {
        Self { stages, nouns: None }
    }
}

pub(super) fn guesses(extension: &str, text: &str) -> Vec<Guess> {
    let lines: Vec<&str> =
        text.lines().take(MOST_LINES).filter(|it| !it.trim().is_empty()).collect();
    let of = |nouns: &'static str| move |stages: String| Guess { stages, nouns: Some(nouns) };
    match extension {
        "ini" | "env" | "conf" | "cfg" | "properties" => vec![SETTINGS.to_owned().into()],
        "bib" => references(text).map(of("reference publication work")).into_iter().collect(),
        "html" | "htm" => page(text).map(of("row")).into_iter().collect(),
        "md" => {
            let is_prose = |it: &&str| !it.trim_start().starts_with(['|', '#']);
            let nouns = lines.iter().any(is_prose).then_some("row");
            bars(&lines, true).map(|stages| Guess { stages, nouns }).into_iter().collect()
        }
        _ => {
            let all = [
                requests(&lines).map(of("request hit")),
                log(&lines).map(of("event")),
                bars(&lines, false).map(Guess::from),
                aligned(&lines).map(Guess::from),
            ];
            all.into_iter().flatten().collect()
        }
    }
}

/// Settings as a record, with a record for each section: the values become strings of TOML.
const SETTINGS: &str = concat!(
    r"replace_pattern(pattern: '(?m)^[ \t]*[;#].*$', with: '')",
    r#" >> replace_pattern(pattern: '(?m)^[ \t]*(?:export +)?([\w.-]+)[ \t]*[=:][ \t]*(.*?)[ \t\r]*$', with: "$1 = '''$2'''")"#,
    " >> parse_toml<{T}>()"
);

fn captures(pattern: &str) -> String {
    let written =
        if pattern.contains('\'') { literal::text(pattern) } else { format!("'{pattern}'") };
    format!("captures<{{T}}>(pattern: {written})")
}

/// Requests as web servers log them.
fn requests(lines: &[&str]) -> Option<String> {
    let is_request = |it: &&&str| {
        let mut parts = it.split('"');
        let (head, request, tail) = (parts.next(), parts.next(), parts.next());
        head.is_some_and(|it| it.trim_end().ends_with(']'))
            && request.is_some_and(|it| it.contains(" /"))
            && tail.is_some_and(|it| it.trim().starts_with(|it: char| it.is_ascii_digit()))
    };
    let is_log = !lines.is_empty() && lines.iter().all(|it| is_request(&it));
    is_log.then(|| {
        captures(
            r#"(?m)^(?<ip>\S+) \S+ \S+ \[(?<time>[^\]]+)\] "(?<method>\S+) (?<path>\S+)[^"]*" (?<status>\d+) (?:(?<bytes>\d+)|-)"#,
        )
    })
}

/// A log: a day and a time, perhaps a level, `key=value` pairs or a message.
fn log(lines: &[&str]) -> Option<String> {
    let rests: Vec<&str> = lines.iter().filter_map(|it| after_time(it)).collect();
    let most = |n: usize| n > 2 && n * 10 >= lines.len() * 7;
    if !most(rests.len()) {
        return None;
    }
    let level = |it: &&&str| {
        let word = it.split_whitespace().next().unwrap_or_default();
        word.len() > 1 && word.chars().all(|it| it.is_ascii_uppercase())
    };
    let mut pattern = format!(r"(?m)^\[?{DAY}[ T]{TIME}");
    let has_level = most(rests.iter().filter(level).count());
    if has_level {
        pattern += r" +(?<level>[A-Z]+)";
    }
    let keys = |it: &str| -> Vec<String> {
        let pairs = it.split_whitespace().filter_map(|it| it.split_once('='));
        pairs.map(|(key, _)| key.to_owned()).collect()
    };
    let all: Vec<Vec<String>> =
        rests.iter().map(|it| keys(it)).filter(|it| !it.is_empty()).collect();
    let common: Vec<&String> = all.first().map_or(Vec::new(), |first| {
        first.iter().filter(|key| all.iter().all(|it| it.contains(key))).collect()
    });
    if most(all.len()) && !common.is_empty() {
        for key in common {
            pattern += &format!(r".*? {key}=(?<{}>\S+)", name(key)?);
        }
        return Some(captures(&pattern));
    }
    let is_part = |it: &&&str| {
        let rest = if has_level { it.split_once(' ').map_or("", |it| it.1) } else { it };
        rest.trim_start().starts_with('[')
    };
    if most(rests.iter().filter(is_part).count()) {
        pattern += r" +\[(?<component>[^\]]+)\]";
    }
    Some(captures(&(pattern + r" +(?<message>.*)")))
}

/// What stands behind a day and a time.
fn after_time(line: &str) -> Option<&str> {
    let line = line.trim_start_matches('[');
    let (day, rest) = line.split_at_checked(10)?;
    let is_day = day.bytes().enumerate().all(|(at, it)| match at {
        4 | 7 => it == b'-',
        _ => it.is_ascii_digit(),
    });
    let rest = rest.strip_prefix([' ', 'T'])?;
    let is_time =
        rest.as_bytes().get(2) == Some(&b':') && rest.starts_with(|it: char| it.is_ascii_digit());
    let rest = rest.split_once(' ').map_or("", |it| it.1);
    (is_day && is_time).then(|| rest.trim_start())
}

/// Columns between bars, with a header. In Markdown, other lines may stand around them.
fn bars(lines: &[&str], is_markdown: bool) -> Option<String> {
    let is_row =
        |it: &&str| if is_markdown { it.trim().starts_with('|') } else { it.contains('|') };
    let is_rule = |it: &str| it.chars().all(|it| matches!(it, '|' | '-' | ':' | '+' | ' '));
    let rows: Vec<&str> = lines.iter().copied().filter(is_row).filter(|it| !is_rule(it)).collect();
    let cells = |it: &str| it.trim().trim_matches('|').split('|').count();
    let width = cells(rows.first()?);
    let is_whole = is_markdown || lines.iter().all(|it| is_row(it) || is_rule(it));
    if !is_whole || width < 2 || rows.len() < 3 || rows.iter().any(|it| cells(it) != width) {
        return None;
    }
    let head: Vec<String> = rows[0]
        .trim()
        .trim_matches('|')
        .split('|')
        .map(|it| name(it.trim()))
        .collect::<Option<_>>()?;
    let groups: Vec<String> = head.iter().map(|it| format!(r"\s*(?<{it}>[^|]*?)\s*")).collect();
    let pattern = format!(r"(?m)^\s*\|?{}\|?\s*$", groups.join(r"\|"));
    let only = if is_markdown {
        "starts_with(trim(it), prefix: \"|\")"
    } else {
        "contains(it, item: \"|\")"
    };
    Some(format!(
        "lines >> where {{ {only} and not matches(it, pattern: '^[|:+ -]+$') }} >> skip(n: 1) >> join(sep: \"\\n\") >> {}",
        captures(&pattern)
    ))
}

/// Columns between spaces, with a header, as `df` and `ps` print them.
fn aligned(lines: &[&str]) -> Option<String> {
    let (head, rows) = lines.split_first()?;
    let cells: Vec<Vec<&str>> = rows.iter().map(|it| it.split_whitespace().collect()).collect();
    let width = cells.iter().map(Vec::len).min()?;
    let mut names: Vec<String> = head.split_whitespace().map(str::to_owned).collect();
    if names.len() == width + 1 && cells.iter().all(|it| it.len() == width) {
        let last = names.pop()?;
        *names.last_mut()? += &format!(" {last}");
    }
    let is_number = |it: &str| it.trim_end_matches('%').parse::<f64>().is_ok();
    let all = |column: usize, fits: &dyn Fn(&str) -> bool| cells.iter().all(|it| fits(it[column]));
    let is_wide = names.len() == width && width > 2 && rows.len() > 1;
    if !is_wide || !(0..width).any(|it| all(it, &is_number)) || names.iter().any(|it| is_number(it))
    {
        return None;
    }
    let has_words = cells.iter().any(|it| it.len() > width);
    let groups = names.iter().enumerate().map(|(column, head)| {
        let is_last = column + 1 == width;
        let own = name(head)?;
        Some(match () {
            () if all(column, &|it| it.ends_with('%') && is_number(it)) => {
                format!(r"(?<{own}>[\d.]+)%")
            }
            () if is_last && has_words => format!(r"(?<{own}>\S.*?)"),
            () => format!(r"(?<{own}>\S+)"),
        })
    });
    let groups = groups.collect::<Option<Vec<_>>>()?.join(r"\s+");
    let pattern = format!(r"(?m)^\s*{groups}\s*$");
    Some(format!("lines >> skip(n: 1) >> join(sep: \"\\n\") >> {}", captures(&pattern)))
}

/// The first table of a page.
fn page(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    (lower.matches("<table").count() == 1 && lower.contains("<th")).then(|| {
        "select_html(css: \"table tr\") >> each { \"<table>${.html}</table>\" >> select_html(css: \"th, td\") >> each { .text } } >> to_csv >> parse_csv<{T}>()".to_owned()
    })
}

/// The references of BibTeX, with the fields that all of them have, in the same order.
fn references(text: &str) -> Option<String> {
    let entries: Vec<&str> = text.split("\n@").collect();
    let fields = |it: &str| -> Vec<String> {
        let named = it.lines().filter_map(|it| it.split_once('='));
        let named = named.filter(|(_, it)| it.trim_start().starts_with('{'));
        named.map(|(name, _)| name.trim().to_lowercase()).collect()
    };
    let all: Vec<Vec<String>> = entries.iter().map(|it| fields(it)).collect();
    let mut common: Vec<&String> = Vec::new();
    for field in all.first()? {
        let mut chosen = common.clone();
        chosen.push(field);
        let in_order = |own: &Vec<String>| {
            let places: Vec<Option<usize>> =
                chosen.iter().map(|it| own.iter().position(|own| own == *it)).collect();
            places.iter().all(Option::is_some) && places.is_sorted()
        };
        if all.iter().all(in_order) && name(field).as_ref() == Some(field) {
            common = chosen;
        }
    }
    let mut pattern = r"(?s)@(?<type>\w+)\{\s*(?<key>[^,\s]+),".to_owned();
    for field in common {
        pattern += &format!(r".*?\b(?i:{field})\s*=\s*\{{(?<{field}>.*?)\}}\s*[,}}]");
    }
    Some(captures(&pattern))
}

/// The fields that all texts have once, each on a line of its own: `Start: 2026-02-01`.
pub(super) fn fields(texts: &[&str]) -> Option<String> {
    let keys = |text: &str| -> Vec<String> {
        let pairs = text.lines().filter_map(|it| it.split_once(": "));
        let keys = pairs.filter(|(key, it)| !it.trim().is_empty() && key.split(' ').count() < 4);
        keys.filter(|(key, _)| key.chars().all(|it| it.is_ascii_alphabetic() || it == ' '))
            .map(|(key, _)| key.to_owned())
            .collect()
    };
    let all: Vec<Vec<String>> = texts.iter().map(|it| keys(it)).collect();
    let is_once =
        |key: &String| all.iter().all(|own| own.iter().filter(|it| *it == key).count() == 1);
    let shared: Vec<String> = all.first()?.iter().filter(|it| is_once(it)).cloned().collect();
    let in_order = |own: &Vec<String>| own.iter().filter(|it| shared.contains(it)).eq(&shared);
    if shared.is_empty() || texts.len() < 2 || !all.iter().all(in_order) {
        return None;
    }
    let groups = shared.iter().map(|key| {
        let start = format!("{key}: ");
        let values =
            texts.iter().filter_map(|it| it.lines().find_map(|it| it.strip_prefix(&start)));
        let unit = unit(&values.collect::<Vec<_>>());
        let value = match unit {
            Some(unit) => format!(r"(?<{}>[\d.]+) {unit}", name(key)?),
            None => format!(r"(?<{}>[^\n]*?)", name(key)?),
        };
        Some(format!(r"^{key}: +{value}[ \t\r]*$"))
    });
    let groups = groups.collect::<Option<Vec<_>>>()?;
    Some(captures(&format!("(?ms){}", groups.join(".*?"))))
}

/// The unit behind all numbers: `60 months`.
fn unit(values: &[&str]) -> Option<String> {
    let parts = |it: &str| {
        let (number, unit) = it.trim().split_once(' ')?;
        let is_word = unit.chars().all(char::is_alphabetic);
        (number.parse::<f64>().is_ok() && is_word).then(|| unit.to_owned())
    };
    let first = parts(values.first()?)?;
    values.iter().all(|it| parts(it).as_ref() == Some(&first)).then_some(first)
}

/// A name for a column, from the words of its header.
fn name(head: &str) -> Option<String> {
    let spelled = head.trim_start_matches('%').replace('%', " percent");
    let words: Vec<String> = spelled
        .split(|it: char| !it.is_ascii_alphanumeric())
        .filter(|it| !it.is_empty())
        .map(str::to_lowercase)
        .collect();
    // A sentence is not a header.
    if words.len() > 4 {
        return None;
    }
    let name = words.join("_");
    name.starts_with(|it: char| it.is_ascii_alphabetic()).then_some(name)
}
