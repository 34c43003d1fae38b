//! Promises, measurements, and whether the promises are met.
#![expect(clippy::print_stdout, reason = "the table is the result")]

/// Prints a row for each measurement as soon as it is available.
pub(crate) struct Table {
    is_test: bool,
    /// The topic of the next rows.
    group: &'static str,
    judged: usize,
    missed: Vec<String>,
}

impl Table {
    pub(crate) fn new(is_test: bool) -> Self {
        println!("{:<56} {:>12} {:>12} {:>7}  promise", "", "measured", "at most", "ratio");
        Self { is_test, group: "", judged: 0, missed: Vec::new() }
    }

    pub(crate) fn group(&mut self, name: &'static str) {
        self.group = name;
        println!("\n{name}");
    }

    /// The size of a measurement: small if nothing is judged.
    pub(crate) fn size<T>(&self, full: T, small: T) -> T {
        if self.is_test { small } else { full }
    }

    /// A measurement with an upper limit.
    pub(crate) fn at_most(&mut self, what: &str, measured: f64, limit: f64, unit: &str) {
        let is_met = measured <= limit;
        let word = match (self.is_test, is_met) {
            (true, _) => "not judged",
            (_, true) => "met",
            (_, false) => "MISSED",
        };
        self.judged += 1;
        if !is_met && !self.is_test {
            self.missed.push(format!("{}: {}", self.group, what.trim()));
        }
        let (shown, most) = (shown(measured, unit), shown(limit, unit));
        println!("  {what:<54} {shown:>12} {most:>12} {:>7.2}  {word}", measured / limit);
    }

    pub(crate) fn end(self) {
        let met = self.judged - self.missed.len();
        if self.is_test {
            println!("\n{} promises ran; none was judged", self.judged);
        } else {
            println!("\n{met} of {} promises met", self.judged);
        }
        self.missed.iter().for_each(|it| println!("  missed: {it}"));
    }
}

/// Prints a measurement for comparison.
pub(crate) fn tell(what: &str, measured: f64, unit: &str) {
    say(what, &shown(measured, unit));
}

/// Prints text in place of a measurement.
pub(crate) fn say(what: &str, text: &str) {
    println!("  {what:<54} {text:>12}");
}

fn shown(measured: f64, unit: &str) -> String {
    format!("{measured:.3} {unit}")
}
