//! Rules that hold for the rows of a table: which columns decide others.

use svc_columns::{Column, groups};
use svc_contract::{
    registry::{
        AnyRows, Compute, Cx, ErrorKind, Example, Field, Max, Op, OpError, Scheme, params, record,
    },
    value::{Text, Value},
};

/// The most columns, and the most for pairs of columns.
const MOST_COLUMNS: usize = 60;
const MOST_FOR_PAIRS: usize = 24;

record! {
    /// A rule, and how well it holds.
    struct FoundRule {
        /// The rule: `zip -> city`, `street, zip -> city`, `unique id`.
        rule: Text,
        /// The share of the rows that could break it and do not.
        support: f64,
        /// The number of rows that break it.
        violations: i64,
        /// The place of the first row that breaks it, from 0.
        first: Option<i64>,
    }
}

params! {
    /// Finds rules in a table: columns that are unique, and columns that decide another one.
    ///
    /// `zip -> city` means that rows with the same `zip` have the same `city`. Only rows that share their left side with another row
    /// could break a rule; they are at least a tenth of all, and two, or the rule is left out. A rule with two columns on the left side is only given if
    /// neither of them suffices, and none for unique and constant columns. Null equals null. With `support` below 1, rules
    /// are found that some rows break: usually mistakes, of which `first` is one.
    ///
    /// At most 60 columns; pairs of columns on the left side are tried up to 24 columns.
    pub(super) struct Rules {
        /// The rows.
        rows: AnyRows,
        /// The share of rows for which a rule must hold.
        #[range(0.5..=1.0)]
        support: f64 = 1.0,
    }
}

impl Op for Rules {
    const NAME: &'static str = "rules";
    const YIELDS: Scheme = Scheme::List(&FoundRule::SCHEME, Max::Unknown);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "functional dependencies of a table",
        "which column decides another one",
        "find rules in my data and rows that break them",
        "is the postcode always of the same city",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A code and its name",
            r#"[
    { id: 1, zip: "53111", city: "Bonn" },
    { id: 2, zip: "24103", city: "Kiel" },
    { id: 3, zip: "53111", city: "Bonn" },
    { id: 4, zip: "53113", city: "Bonn" },
] >> profile.rules >> each { .rule }"#,
            r#"["unique id","zip -> city"]"#,
        ),
        Example::err(
            "Not a table",
            r#""[1]" >> parse_json >> profile.rules"#,
            "expected a record as row 1, found int",
        ),
    ];
}

impl Compute for Rules {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let table = self.rows.columns()?;
        let count = table.columns.len();
        if count > MOST_COLUMNS {
            let message = format!("too many columns ({count}, limit {MOST_COLUMNS})");
            return Err(OpError::invalid_input(message).help("choose fewer columns before"));
        }
        let all: Vec<&Column<Value>> = table.columns.iter().map(AsRef::as_ref).collect();
        let mut finder = Finder {
            all: &all,
            names: &table.names,
            rows: table.len(),
            least: self.support,
            found: Vec::new(),
        };
        let distinct: Vec<usize> =
            all.iter().map(|it| groups(&[it], table.len()).count()).collect();
        let is_open = |it: &usize| (2..table.len()).contains(&distinct[*it]);
        for it in (0..count).filter(|it| table.len() > 1 && distinct[*it] == table.len()) {
            finder.found.push(FoundRule {
                rule: format!("unique {}", table.names[it]).into(),
                support: 1.0,
                violations: 0,
                first: None,
            });
        }
        let open: Vec<usize> = (0..count).filter(is_open).collect();
        let mut known = Vec::new();
        for left in &open {
            for right in open.iter().filter(|it| *it != left) {
                cx.check()?;
                if finder.test(&[*left], *right) {
                    known.push((*left, *right));
                }
            }
        }
        if open.len() > MOST_FOR_PAIRS {
            cx.notice(format!(
                "rules with two columns on the left side are tried up to {MOST_FOR_PAIRS} columns"
            ));
        } else {
            for (at, a) in open.iter().enumerate() {
                for b in &open[at + 1..] {
                    for right in open.iter().filter(|it| ![a, b].contains(it)) {
                        cx.check()?;
                        let is_known = |left| known.contains(&(left, *right));
                        // What decides a part of the left side makes it no smaller rule.
                        let is_redundant = known.contains(&(*a, *b)) || known.contains(&(*b, *a));
                        if !is_known(*a) && !is_known(*b) && !is_redundant {
                            finder.test(&[*a, *b], *right);
                        }
                    }
                }
            }
        }
        Ok(finder.found.encode())
    }
}

struct Finder<'a> {
    all: &'a [&'a Column<Value>],
    names: &'a [Text],
    rows: usize,
    least: f64,
    found: Vec<FoundRule>,
}

impl Finder<'_> {
    /// Whether the columns `left` decide the column `right`, which is then kept.
    fn test(&mut self, left: &[usize], right: usize) -> bool {
        let keys: Vec<&Column<Value>> = left.iter().map(|it| self.all[*it]).collect();
        let lefts = groups(&keys, self.rows);
        let both = [keys.as_slice(), &[self.all[right]]].concat();
        let pairs = groups(&both, self.rows);
        let mut sizes = vec![0_usize; lefts.count()];
        lefts.codes.iter().for_each(|it| sizes[*it as usize] += 1);
        let mut counts = vec![0_usize; pairs.count()];
        pairs.codes.iter().for_each(|it| counts[*it as usize] += 1);
        // The most frequent right side of each left side; the first one of several.
        let mut best: Vec<Option<(usize, u32)>> = vec![None; lefts.count()];
        for (pair, row) in (0_u32..).zip(&pairs.firsts) {
            let of = &mut best[lefts.codes[*row as usize] as usize];
            let count = counts[pair as usize];
            if of.is_none_or(|(most, _)| count > most) {
                *of = Some((count, pair));
            }
        }
        let tested: usize = sizes.iter().filter(|it| **it > 1).sum();
        let kept = best.iter().zip(&sizes).filter(|it| *it.1 > 1);
        let kept: usize = kept.filter_map(|it| it.0.map(|it| it.0)).sum();
        #[expect(clippy::cast_precision_loss, reason = "there are at most 10^7 rows")]
        let support = kept as f64 / tested.max(1) as f64;
        if tested < 2 || tested * 10 < self.rows || support < self.least {
            return false;
        }
        let breaks = |row: &usize| {
            let of = best[lefts.codes[*row] as usize];
            of.is_some_and(|(_, pair)| pair != pairs.codes[*row])
        };
        let names: Vec<&str> = left.iter().map(|it| &*self.names[*it]).collect();
        self.found.push(FoundRule {
            rule: format!("{} -> {}", names.join(", "), self.names[right]).into(),
            support: (support * 1e6).round() / 1e6,
            violations: i64::try_from(tested - kept).unwrap_or(i64::MAX),
            first: (0..self.rows).find(breaks).and_then(|it| i64::try_from(it).ok()),
        });
        true
    }
}
