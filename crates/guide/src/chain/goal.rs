//! A goal, taken apart: the values that it states, the words that have to be served, the file to
//! write, and the bounds.

use svc_contract::value::{Money, literal, units};
use svc_text::stems::Vocabulary;

use super::zones;
use crate::tables::{
    closed, is_target,
    lexicon::Lexicon,
    words::{self, Literal, Token, whole},
};

/// A set of tokens, by their positions.
pub(super) type Mask = u128;

/// Longer goals are not read.
pub(super) const MOST_TOKENS: usize = 128;

pub(super) fn bit(at: usize) -> Mask {
    1 << at
}

pub(super) fn bits(all: impl IntoIterator<Item = usize>) -> Mask {
    all.into_iter().fold(0, |mask, at| mask | bit(at))
}

/// A value that the goal states.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Given {
    /// The positions of its tokens.
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) kind: Kind,
    /// As a script writes it.
    pub(super) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Number,
    List,
    Path,
    Glob,
    Url,
    Money,
    Duration,
    Size,
    Date,
    /// A time of day.
    Clock,
    Zone,
}

pub(super) struct Goal {
    pub(super) tokens: Vec<Token>,
    pub(super) givens: Vec<Given>,
    /// The tokens that a script has to serve.
    pub(super) content: Mask,
    /// Those that negate, compare and quantify.
    pub(super) little: Mask,
    /// Words of what is forbidden.
    pub(super) forbidden: Mask,
    pub(super) target: Option<String>,
    /// Bounds of the script: `max_cost`, `timeout`.
    pub(super) bounds: Vec<(&'static str, String)>,
}

impl Goal {
    pub(super) fn of(text: &str, lexicon: &Lexicon, vocabulary: &mut Vocabulary) -> Self {
        let tokens = words::tokens(text, vocabulary);
        let mut goal = Self {
            givens: Vec::new(),
            content: 0,
            little: 0,
            forbidden: 0,
            target: None,
            bounds: Vec::new(),
            tokens,
        };
        goal.find_givens();
        goal.find_bounds();
        let has_file = goal.givens.iter().any(|it| matches!(it.kind, Kind::Path | Kind::Url));
        let told = if has_file { "" } else { told(text) };
        goal.find_content(words::tokens(told, vocabulary).len(), lexicon);
        goal
    }

    /// The words of a set of tokens, as the goal has them.
    pub(super) fn words(&self, mask: Mask) -> Vec<&str> {
        let own = self.tokens.iter().enumerate().filter(|(at, _)| mask & bit(*at) != 0);
        own.map(|(_, it)| it.text.as_str()).collect()
    }

    /// Takes words that forbid something out of those that have to be served: a script for the
    /// rest does not do it.
    pub(super) fn leave_out(&mut self, words: &[String]) {
        let is_forbidden = |it: &Token| words.iter().any(|word| it.lower.contains(word.as_str()));
        for at in 0..self.tokens.len() {
            let negates = closed::negates(&self.tokens[at]);
            let next = self.tokens[at + 1..].iter().take(4).any(is_forbidden);
            if is_forbidden(&self.tokens[at]) || negates && next {
                self.content &= !bit(at);
                self.forbidden |= bit(at);
            }
        }
    }

    /// Takes names that no topic has for texts: `the roman numeral XLIV`.
    pub(super) fn find_names(&mut self, is_word: impl Fn(&str) -> bool) {
        for at in 1..self.tokens.len() {
            let token = &self.tokens[at];
            let is_name = token.text.starts_with(char::is_uppercase) && !self.tokens[at - 1].ends;
            if is_name && self.content & bit(at) != 0 && !is_word(&token.lower) {
                let text = literal::text(&token.text);
                self.givens.push(Given { at, end: at + 1, kind: Kind::Text, text });
                self.content &= !bit(at);
            }
        }
        self.givens.sort_by_key(|it| it.at);
    }

    fn find_givens(&mut self) {
        let mut at = 0;
        let mut target: Option<(usize, String)> = None;
        while at < self.tokens.len() {
            let end = match self.given(at) {
                Some((Kind::Path, text, end))
                    if is_target(&self.tokens, at) || self.is_saved_in(at) =>
                {
                    // `from a.txt to b.txt, saved as c.txt` writes the last one.
                    if let Some((at, text)) = target.replace((at, text)) {
                        self.givens.push(Given { at, end: at + 1, kind: Kind::Path, text });
                    }
                    end
                }
                Some((kind, text, end)) => {
                    self.givens.push(Given { at, end, kind, text });
                    end
                }
                None => at + 1,
            };
            at = end;
        }
        self.target = target.map(|(_, text)| text);
        self.givens.sort_by_key(|it| it.at);
    }

    /// `and save them all in a.txt`
    fn is_saved_in(&self, at: usize) -> bool {
        const FURTHEST: usize = 6;
        let saves = |it: &Token| matches!(&*it.lower, "save" | "store" | "put" | "write" | "keep");
        let before = &self.tokens[at.saturating_sub(FURTHEST)..at];
        before.last().is_some_and(|it| it.lower == "in") && before.iter().any(saves)
    }

    /// The value that begins at a token, and its end.
    fn given(&self, at: usize) -> Option<(Kind, String, usize)> {
        let token = &self.tokens[at];
        if let Some((clock, end)) = self.clock(at) {
            return Some((Kind::Clock, literal::text(&clock), end));
        }
        if let Some((kind, text)) = amount(&token.text) {
            return Some((kind, text, at + 1));
        }
        let one = |kind: Kind, text: String| Some((kind, text, at + 1));
        if self.is_of_clock(at) {
            return None;
        }
        match &token.literal {
            Some(Literal::Number(_)) => self.percentage(at).or_else(|| self.number(at)),
            Some(Literal::Period(first, next)) if first == next => {
                one(Kind::Date, format!("({} as date)", literal::text(first)))
            }
            Some(Literal::Quoted(text)) => {
                let noun = at.checked_sub(1).map(|it| self.tokens[it].lower.as_str());
                let is_place = matches!(noun, Some("file" | "folder" | "directory"));
                one(if is_place { Kind::Path } else { Kind::Text }, literal::text(text))
            }
            Some(Literal::Path(path)) if path.contains('*') => one(Kind::Glob, literal::text(path)),
            Some(Literal::Path(path)) => one(Kind::Path, literal::text(path)),
            Some(Literal::Period(..) | Literal::Season(..)) => None,
            None if token.text.contains("://") => one(Kind::Url, literal::text(&token.text)),
            None => self.names(at).or_else(|| {
                let (zone, len) = zones::at(&self.tokens[at..])?;
                Some((Kind::Zone, literal::text(&zone), at + len))
            }),
        }
    }

    /// `19 percent of 1240`
    fn percentage(&self, at: usize) -> Option<(Kind, String, usize)> {
        let [share, percent, of, whole] = self.tokens.get(at..at + 4)? else { return None };
        let is_it = percent.lower == "percent" && matches!(of.lower.as_str(), "of" | "from");
        let (Some(Literal::Number(share)), Some(Literal::Number(whole)), true) =
            (&share.literal, &whole.literal, is_it)
        else {
            return None;
        };
        let text = format!("({whole} * {share} / 100)");
        Some((Kind::Number, text, at + 4))
    }

    /// A number, several of them, or a number with a unit.
    fn number(&self, at: usize) -> Option<(Kind, String, usize)> {
        let number = |at: usize| match self.tokens.get(at)?.literal {
            Some(Literal::Number(it)) => Some(it),
            _ => None,
        };
        let first = number(at)?;
        let mut all = vec![first];
        let mut end = at + 1;
        loop {
            let links = self.tokens.get(end).is_some_and(|it| matches!(&*it.lower, "and" | "or"));
            let next = end + usize::from(links);
            let Some(it) = number(next).filter(|_| links || self.tokens[end - 1].ends) else {
                break;
            };
            all.push(it);
            end = next + 1;
        }
        // `between 0 and 10` has two numbers, `from 1 to 10` all of them.
        let before = at.checked_sub(1).map(|it| self.tokens[it].lower.as_str());
        if before == Some("between") {
            return Some((Kind::Number, first.to_string(), at + 1));
        }
        let to = self.tokens.get(at + 1).is_some_and(|it| it.lower == "to");
        if let (Some("from"), true, Some(low), Some(last)) =
            (before, to, whole(first), number(at + 2).and_then(whole))
        {
            return Some((Kind::List, format!("range({low}, {})", last + 1), at + 3));
        }
        if all.len() > 1 {
            let written: Vec<String> = all.iter().map(ToString::to_string).collect();
            return Some((Kind::List, format!("[{}]", written.join(", ")), end));
        }
        let unit = self.tokens.get(at + 1).filter(|_| !self.tokens[at].ends);
        if let Some((kind, text)) = unit.and_then(|it| of_unit(first, &it.lower)) {
            return Some((kind, text, at + 2));
        }
        Some((Kind::Number, first.to_string(), at + 1))
    }

    /// `Ann, Ben, Cleo and Dov`
    fn names(&self, at: usize) -> Option<(Kind, String, usize)> {
        const FEWEST: usize = 3;
        let is_name = |it: &Token| it.literal.is_none() && it.text.starts_with(char::is_uppercase);
        let mut all = Vec::new();
        let mut end = at;
        while let Some(token) = self.tokens.get(end).filter(|it| is_name(it)) {
            all.push(literal::text(&token.text));
            end += 1;
            if self.tokens.get(end).is_some_and(|it| it.lower == "and") {
                end += 1;
            } else if !token.ends {
                break;
            }
        }
        (all.len() >= FEWEST).then(|| (Kind::List, format!("[{}]", all.join(", ")), end))
    }

    /// `17:30`, `3 pm`, `3pm`: as 24 hours, and its end.
    fn clock(&self, at: usize) -> Option<(String, usize)> {
        let lower = &self.tokens[at].lower;
        let half = |it: &str| match it {
            "am" | "a.m" => Some(0),
            "pm" | "p.m" => Some(12),
            _ => None,
        };
        let (body, own) = ["am", "pm"]
            .iter()
            .find_map(|it| Some((lower.strip_suffix(it)?, half(it))))
            .unwrap_or((lower, None));
        let next = self.tokens.get(at + 1).and_then(|it| half(&it.lower));
        let (hour, minute) = body.split_once(':').unwrap_or((body, ""));
        let has_minute = minute.len() == 2;
        let half = own.or(next);
        let (Ok(hour), true) = (hour.parse::<u32>(), has_minute || half.is_some()) else {
            return None;
        };
        let minute: u32 = if has_minute { minute.parse().ok()? } else { 0 };
        let hour = half.map_or(hour, |it| hour % 12 + it);
        let end = at + 1 + usize::from(own.is_none() && next.is_some());
        (hour < 24 && minute < 60).then(|| (format!("{hour:02}:{minute:02}"), end))
    }

    /// `the 24 hour clock`
    fn is_of_clock(&self, at: usize) -> bool {
        self.tokens.get(at..at + 3).is_some_and(|it| {
            matches!(&*it[0].lower, "24" | "12") && it[1].lower == "hour" && it[2].lower == "clock"
        })
    }

    /// Takes `at most $0.20` and `within 20 seconds` out of the values.
    fn find_bounds(&mut self) {
        const BEFORE: [&str; 9] =
            ["within", "under", "most", "than", "maximum", "spend", "budget", "timeout", "below"];
        let tokens = &self.tokens;
        let mut bounds = Vec::new();
        self.givens.retain(|it| {
            let key = match it.kind {
                Kind::Money => "max_cost",
                Kind::Duration => "timeout",
                _ => return true,
            };
            let mut before = tokens[it.at.saturating_sub(2)..it.at].iter();
            let is_bound = before.any(|it| BEFORE.contains(&it.lower.as_str()));
            if is_bound {
                bounds.push((it.at, it.end, key, it.text.clone()));
            }
            !is_bound
        });
        for (at, end, key, text) in bounds {
            const OF_BOUNDS: [&str; 10] = [
                "spend", "pay", "cost", "budget", "within", "timeout", "less", "more", "spending",
                "costing",
            ];
            for before in at.saturating_sub(5)..end {
                let spends = |it: &Token| matches!(&*it.lower, "spending" | "costing" | "paying");
                if self.tokens[before].lower == "without"
                    && self.tokens.get(before + 1).is_some_and(spends)
                {
                    self.tokens[before].lower.clear();
                }
                let token = &mut self.tokens[before];
                let compares = BEFORE.contains(&token.lower.as_str());
                if before >= at || compares || OF_BOUNDS.contains(&token.lower.as_str()) {
                    token.lower.clear();
                    (token.term, token.is_stop, token.literal) = (None, true, None);
                }
            }
            self.bounds.push((key, text));
        }
    }

    fn find_content(&mut self, told: usize, lexicon: &Lexicon) {
        const COUNTS: [&str; 16] = [
            "most", "more", "less", "than", "each", "every", "before", "after", "between", "over",
            "under", "above", "below", "same", "up", "down",
        ];
        const HELPING: [&str; 12] = [
            "can", "may", "must", "might", "shall", "will", "lets", "um", "hi", "hello", "hey",
            "thanks",
        ];
        // `.. it's for the door`
        let lower = |at: usize| self.tokens.get(at).map_or("", |it| it.lower.as_str());
        let is_purpose = |at: &usize| lower(*at) == "it" && lower(*at + 1) == "for";
        let purpose = (1..self.tokens.len()).find(is_purpose).unwrap_or(self.tokens.len());
        let stated = bits(self.givens.iter().flat_map(|it| it.at..it.end));
        for (at, token) in self.tokens.iter().enumerate() {
            let is_path = matches!(token.literal, Some(Literal::Path(_)));
            let says = closed::negates(token) || COUNTS.contains(&token.lower.as_str());
            let is_told = at < told
                || at >= purpose
                || self.is_of_clock(at)
                || at > 0 && self.is_of_clock(at - 1);
            // `I mean` says nothing about means.
            let is_said = token.lower == "mean" && at > 0 && self.tokens[at - 1].lower == "i";
            // `write 12 in Roman numerals` shows it.
            let is_shown = at == 0 && token.lower == "write" && self.target.is_none();
            let asks = token.is_stop
                || is_shown
                || is_said
                || lexicon.requests(token)
                || HELPING.contains(&token.lower.as_str())
                || token.lower.is_empty();
            let of_target = self.target.is_some() && closed::writes(token);
            if stated & bit(at) == 0 && !is_path && !of_target && !is_told && (says || !asks) {
                self.content |= bit(at);
                self.little |= if says { bit(at) } else { 0 };
            }
        }
    }
}

/// The sentences before a question. Without a file, only their values matter: there is nothing that
/// their words could choose from.
fn told(goal: &str) -> &str {
    let asks = goal.trim_end().ends_with('?');
    let end = goal.rfind(". ").filter(|_| asks).map_or(0, |it| it + 1);
    &goal[..end]
}

/// `$0.20`, `20s`, `5MB`
pub(crate) fn amount(text: &str) -> Option<(Kind, String)> {
    if let Some(dollars) = text.strip_prefix('$') {
        return Money::parse(dollars).map(|it| (Kind::Money, it.to_string()));
    }
    let is_amount = text.starts_with(|it: char| it.is_ascii_digit())
        && text.ends_with(|it: char| it.is_ascii_alphabetic());
    let duration = || units::parse_duration(text).map(|_| (Kind::Duration, text.to_owned()));
    let size = || units::parse_size(text).map(|_| (Kind::Size, text.to_owned()));
    is_amount.then(|| duration().or_else(size)).flatten()
}

/// A number with the word behind it: `5 seconds`, `10 MB`, `20 cents`.
pub(crate) fn of_unit(number: f64, unit: &str) -> Option<(Kind, String)> {
    let short = match unit.strip_suffix('s').unwrap_or(unit) {
        "millisecond" => "ms",
        "second" => "s",
        "minute" => "m",
        "hour" => "h",
        "day" => "d",
        "week" => return whole(number).map(|it| (Kind::Duration, format!("{}d", it * 7))),
        "kb" | "kilobyte" => return Some((Kind::Size, format!("{number}kB"))),
        "mb" | "megabyte" => return Some((Kind::Size, format!("{number}MB"))),
        "gb" | "gigabyte" => return Some((Kind::Size, format!("{number}GB"))),
        "dollar" => return Money::from_dollars(number).map(|it| (Kind::Money, it.to_string())),
        "cent" => {
            return Money::from_dollars(number / 100.0).map(|it| (Kind::Money, it.to_string()));
        }
        _ => return None,
    };
    Some((Kind::Duration, format!("{number}{short}")))
}
