//! Newcomers that compute with numbers, points and dates.

use svc::{
    params, record,
    registry::{
        Bias, Component, ErrorKind, Example, Field as _, Inline, Op, OpError, Scheme, inline,
    },
    value::{Date, Text, Value},
};

use super::CLUSTER;

pub(super) const ALL: &[&Component] = &[&ZORB, &KLIM, &BRIN, &SPUT, &MIZZ, &ORBAX, &VUNDLE];

/// The numerals of the Romans, the largest first.
const NUMERALS: [(i64, &str); 13] = [
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
];

const ZORB: Component = Component {
    name: "zorb",
    cluster: CLUSTER,
    summary: "Writes numbers as on old clocks.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[inline::<Zorb>()],
};

params! {
    /// Writes a number from 1 to 3999 in Roman numerals.
    struct Zorb {
        /// The number.
        #[range(1..=3999)]
        number: i64,
    }
}

impl Op for Zorb {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &[
        "roman numerals",
        "write a number as a roman numeral",
        "2024 in roman",
        "number of a chapter like XIV",
        "a year as on old buildings",
    ];
    const EXAMPLES: &'static [Example] = &[Example::ok("A year", "zorb(1994)", r#""MCMXCIV""#)];
}

impl Inline for Zorb {
    fn run(self) -> Result<Value, OpError> {
        Ok(roman(self.number).into())
    }
}

fn roman(mut number: i64) -> String {
    let mut text = String::new();
    for (value, numeral) in NUMERALS {
        while number >= value {
            text.push_str(numeral);
            number -= value;
        }
    }
    text
}

const KLIM: Component = Component {
    name: "klim",
    cluster: CLUSTER,
    summary: "Reads numbers from old clocks.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[inline::<Vek>()],
};

params! {
    /// Returns the number that a Roman numeral stands for.
    ///
    /// Capitals do not matter. Fails if it is not the usual numeral of a number from 1 to 3999.
    struct Vek {
        /// The Roman numeral.
        numeral: Text,
    }
}

impl Op for Vek {
    const NAME: &'static str = "vek";
    const YIELDS: Scheme = Scheme::Int;
    const SAYS: &'static [&'static str] = &[
        "value of a roman numeral",
        "what number is MCMXCIV",
        "parse roman numerals",
        "roman to arabic number",
        "decode XIV as 14",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A chapter", r#""xiv" >> klim.vek"#, "14"),
        Example::err("Too many", r#""IIII" >> klim.vek"#, "`IIII` is not a Roman numeral"),
    ];
}

impl Inline for Vek {
    fn run(self) -> Result<Value, OpError> {
        let upper = self.numeral.trim().to_uppercase();
        let (mut rest, mut number) = (upper.as_str(), 0);
        for (value, numeral) in NUMERALS {
            while let Some(after) = rest.strip_prefix(numeral) {
                (rest, number) = (after, number + value);
            }
        }
        if upper.is_empty() || roman(number) != upper {
            let message = format!("`{}` is not a Roman numeral", self.numeral);
            return Err(OpError::invalid_input(message));
        }
        Ok(number.into())
    }
}

const BRIN: Component = Component {
    name: "brin",
    cluster: CLUSTER,
    summary: "Compares the weight of people with their height.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[inline::<Brin>()],
};

params! {
    /// Returns the body mass index: the weight in kilograms by the square of the height in metres.
    ///
    /// Fails if the height is not above 0.
    struct Brin {
        /// The weight in kilograms.
        weight: f64,
        /// The height in metres.
        height: f64,
    }
}

impl Op for Brin {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Float;
    const SAYS: &'static [&'static str] = &[
        "body mass index",
        "bmi of a person",
        "is my weight right for my height",
        "weight in kg and height in m",
        "overweight or underweight",
        "kilograms per square metre of height",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A tall person", "brin(80, 2)", "20.0"),
        Example::err("No height", "brin(80, 0)", "expected a height above 0"),
    ];
}

impl Inline for Brin {
    fn run(self) -> Result<Value, OpError> {
        if self.height <= 0.0 {
            let message = format!("expected a height above 0, found {}", self.height);
            return Err(OpError::invalid_input(message));
        }
        Ok((self.weight / self.height.powi(2)).into())
    }
}

const SPUT: Component = Component {
    name: "sput",
    cluster: CLUSTER,
    summary: "Protects numbers against slips of the pen.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[inline::<Mof>()],
};

params! {
    /// Returns the check digit that the Luhn algorithm appends to the digits of a number.
    ///
    /// Spaces and dashes do not matter. Fails without digits, and for other characters.
    struct Mof {
        /// The digits without their check digit.
        digits: Text,
    }
}

impl Op for Mof {
    const NAME: &'static str = "mof";
    const YIELDS: Scheme = Scheme::Int;
    const SAYS: &'static [&'static str] = &[
        "luhn check digit",
        "last digit of a credit card number",
        "compute the check digit of a number",
        "digit that guards an account number against typos",
        "mod 10 check of an imei",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A number", r#""7992739871" >> sput.mof"#, "3"),
        Example::err("A letter", r#""12a" >> sput.mof"#, "expected digits, found `a`"),
    ];
}

impl Inline for Mof {
    fn run(self) -> Result<Value, OpError> {
        let signs = self.digits.chars().filter(|it| !matches!(it, ' ' | '-'));
        let digits = signs.map(|it| {
            let message = || format!("expected digits, found `{it}`");
            it.to_digit(10).ok_or_else(|| OpError::invalid_input(message()))
        });
        let digits: Vec<u32> = digits.collect::<Result<_, _>>()?;
        if digits.is_empty() {
            return Err(OpError::invalid_input("expected digits, found none"));
        }
        let doubled = |it: u32| if it > 4 { it * 2 - 9 } else { it * 2 };
        let from_last = digits.iter().rev().enumerate();
        let sum: u32 = from_last.map(|(at, it)| if at % 2 == 0 { doubled(*it) } else { *it }).sum();
        Ok(i64::from((10 - sum % 10) % 10).into())
    }
}

const MIZZ: Component = Component {
    name: "mizz",
    cluster: CLUSTER,
    summary: "Averages rates.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[inline::<Mizz>()],
};

params! {
    /// Returns the harmonic mean of numbers: their count by the sum of their reciprocals.
    ///
    /// It is the right average for speeds over equal distances. Fails if the list is empty or
    /// contains a number that is not above 0.
    struct Mizz {
        /// The numbers.
        numbers: Vec<f64>,
    }
}

impl Op for Mizz {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Float;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "harmonic mean",
        "average speed over equal distances",
        "mean of rates",
        "reciprocal of the average of reciprocals",
        "average price to earnings ratio",
        "harmonic average of a list",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Three speeds", "[1, 4, 4] >> mizz", "2.0"),
        Example::err("Zero", "[1, 0] >> mizz", "expected numbers above 0, found 0"),
    ];
}

impl Inline for Mizz {
    fn run(self) -> Result<Value, OpError> {
        if let Some(wrong) = self.numbers.iter().find(|it| **it <= 0.0) {
            return Err(OpError::invalid_input(format!("expected numbers above 0, found {wrong}")));
        }
        if self.numbers.is_empty() {
            return Err(OpError::failed("the list is empty"));
        }
        let count: f64 = self.numbers.iter().map(|_| 1.0).sum();
        let sum: f64 = self.numbers.iter().map(|it| 1.0 / it).sum();
        Ok((count / sum).into())
    }
}

const ORBAX: Component = Component {
    name: "orbax",
    cluster: CLUSTER,
    summary: "Frames what lies in a plane.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[inline::<Orbax>()],
};

record! {
    /// A point of a plane.
    struct Spot {
        /// The place from left to right.
        x: f64,
        /// The place from bottom to top.
        y: f64,
    }
}

record! {
    /// The smallest rectangle around points.
    struct Frame {
        /// The left edge.
        left: f64,
        /// The bottom edge.
        bottom: f64,
        /// The right edge.
        right: f64,
        /// The top edge.
        top: f64,
    }
}

params! {
    /// Returns the bounding box of points: the smallest upright rectangle that contains them.
    ///
    /// Fails without points.
    struct Orbax {
        /// The points, each with `x` and `y`.
        points: Vec<Spot>,
    }
}

impl Op for Orbax {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Frame::SCHEME;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "bounding box of points",
        "smallest rectangle around coordinates",
        "extent of a map",
        "outermost x and y",
        "corners that contain all points",
    ];
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "Two points",
        "[{ x: 1, y: 5 }, { x: -2, y: 7 }] >> orbax",
        r#"{"left":-2.0,"bottom":5.0,"right":1.0,"top":7.0}"#,
    )];
}

impl Inline for Orbax {
    fn run(self) -> Result<Value, OpError> {
        let edges = |it: &Spot| Frame { left: it.x, bottom: it.y, right: it.x, top: it.y };
        let around = |a: Frame, b: Frame| Frame {
            left: a.left.min(b.left),
            bottom: a.bottom.min(b.bottom),
            right: a.right.max(b.right),
            top: a.top.max(b.top),
        };
        let frame = self.points.iter().map(edges).reduce(around);
        Ok(frame.ok_or_else(|| OpError::failed("the list is empty"))?.encode())
    }
}

const VUNDLE: Component = Component {
    name: "vundle",
    cluster: CLUSTER,
    summary: "Looks at the night sky.",
    version: 1,
    bias: Bias::new("the mean length of a month", &["a day more or less does not matter"]),
    aliases: &[],
    ops: &[inline::<Vundle>()],
};

const PHASES: [&str; 8] = [
    "new moon",
    "waxing crescent",
    "first quarter",
    "waxing gibbous",
    "full moon",
    "waning gibbous",
    "last quarter",
    "waning crescent",
];

params! {
    /// Returns the phase of the moon on a date, at noon UTC, such as `full moon`.
    ///
    /// It counts mean synodic months of 29.530588853 days from the new moon of 2000-01-06, 18:14
    /// UTC, and names the nearest of the eight phases.
    struct Vundle {
        /// The date.
        date: Date,
    }
}

impl Op for Vundle {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Enum(&PHASES);
    const SAYS: &'static [&'static str] = &[
        "phase of the moon",
        "is it a full moon",
        "moon on a date",
        "waxing or waning",
        "lunar phase of a night",
        "when is the moon new",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A full moon", r#"("2024-11-15" as date) >> vundle"#, r#""full moon""#),
        Example::ok("Before 2000", r#"("1999-12-08" as date) >> vundle"#, r#""new moon""#),
    ];
}

impl Inline for Vundle {
    fn run(self) -> Result<Value, OpError> {
        let known = Date::constant(2000, 1, 6);
        let days = self.date.duration_since(known).as_secs_f64() / 86_400.0;
        // Noon is 6 hours and 14 minutes before the time of the new moon.
        let months = (days - 374.0 / 1_440.0) / 29.530_588_853;
        let eighth = (months.rem_euclid(1.0) * 8.0).round().rem_euclid(8.0);
        let phase = PHASES.iter().zip(0_u8..).find(|(_, at)| (eighth - f64::from(*at)).abs() < 0.5);
        Ok(Value::from(phase.map_or("new moon", |(name, _)| *name)))
    }
}
