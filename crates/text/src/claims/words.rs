//! Words that decide whether two sentences say the same: negations, opposites, numbers, units.

use crate::dates::MONTHS;

/// Words that negate what follows, in English, German, Spanish and French.
const NEGATIONS: &[&str] = &[
    "aucun", "aucune", "barely", "hardly", "jamais", "jamás", "kein", "keine", "keinem", "keinen",
    "keiner", "keines", "nada", "nadie", "ne", "neither", "never", "nicht", "nichts", "nie",
    "niemals", "niemand", "ninguna", "ninguno", "ningún", "no", "nobody", "none", "nor", "not",
    "nothing", "nowhere", "nunca", "ohne", "sans", "scarcely", "sin", "tampoco", "unable",
    "without",
];

/// Characters that negate what follows, in Chinese.
const NEGATING: &[char] = &['不', '没', '沒', '未', '无', '無'];

/// Pairs of words with opposite meanings, as they are stemmed.
const OPPOSITES: &[(&str, &str)] = &[
    ("above", "below"),
    ("accept", "reject"),
    ("add", "remove"),
    ("after", "before"),
    ("agree", "disagree"),
    ("allow", "forbid"),
    ("allow", "prohibit"),
    ("all", "none"),
    ("all", "some"),
    ("alive", "dead"),
    ("always", "never"),
    ("always", "sometimes"),
    ("ancient", "modern"),
    ("approve", "reject"),
    ("arrive", "depart"),
    ("ascend", "descend"),
    ("asset", "liability"),
    ("attack", "defend"),
    ("began", "ended"),
    ("begin", "end"),
    ("best", "worst"),
    ("better", "worse"),
    ("big", "small"),
    ("bought", "sold"),
    ("buy", "sell"),
    ("close", "open"),
    ("cold", "hot"),
    ("cold", "warm"),
    ("confirm", "deny"),
    ("connect", "disconnect"),
    ("continue", "stop"),
    ("decline", "grow"),
    ("decline", "rise"),
    ("declined", "grew"),
    ("declined", "rose"),
    ("decrease", "increase"),
    ("deep", "shallow"),
    ("defeat", "victory"),
    ("die", "live"),
    ("difficult", "easy"),
    ("disable", "enable"),
    ("dry", "wet"),
    ("earlier", "later"),
    ("early", "late"),
    ("east", "west"),
    ("eastern", "western"),
    ("empty", "full"),
    ("even", "odd"),
    ("exclude", "include"),
    ("expand", "shrink"),
    ("export", "import"),
    ("external", "internal"),
    ("fail", "succeed"),
    ("fail", "pass"),
    ("failure", "success"),
    ("fall", "rise"),
    ("false", "true"),
    ("far", "near"),
    ("fast", "slow"),
    ("fell", "rose"),
    ("fell", "grew"),
    ("female", "male"),
    ("few", "many"),
    ("fewer", "more"),
    ("first", "last"),
    ("follow", "precede"),
    ("former", "latter"),
    ("found", "lost"),
    ("future", "past"),
    ("gain", "lose"),
    ("gain", "loss"),
    ("good", "bad"),
    ("guilty", "innocent"),
    ("happy", "sad"),
    ("hard", "soft"),
    ("hard", "easy"),
    ("heavy", "light"),
    ("high", "low"),
    ("higher", "lower"),
    ("highest", "lowest"),
    ("import", "export"),
    ("inside", "outside"),
    ("join", "leave"),
    ("large", "small"),
    ("larger", "smaller"),
    ("largest", "smallest"),
    ("least", "most"),
    ("left", "right"),
    ("less", "more"),
    ("lose", "win"),
    ("loss", "profit"),
    ("lost", "won"),
    ("major", "minor"),
    ("majority", "minority"),
    ("max", "min"),
    ("maximum", "minimum"),
    ("negative", "positive"),
    ("new", "old"),
    ("newer", "older"),
    ("newest", "oldest"),
    ("north", "south"),
    ("northern", "southern"),
    ("often", "rarely"),
    ("often", "seldom"),
    ("optional", "required"),
    ("parent", "child"),
    ("permanent", "temporary"),
    ("poor", "rich"),
    ("private", "public"),
    ("reject", "accept"),
    ("rural", "urban"),
    ("safe", "dangerous"),
    ("same", "different"),
    ("short", "long"),
    ("shorter", "longer"),
    ("shortest", "longest"),
    ("strong", "weak"),
    ("stronger", "weaker"),
    ("thick", "thin"),
    ("tall", "short"),
    ("under", "over"),
    ("up", "down"),
    ("upper", "lower"),
    ("war", "peace"),
    ("wide", "narrow"),
    ("young", "old"),
    ("younger", "older"),
    ("youngest", "oldest"),
];

/// Words that say nearly the same, as their bases and irregular forms.
const SYNONYMS: &[&[&str]] = &[
    &["increase", "rise", "rose", "risen", "grow", "grew", "grown", "climb", "gain"],
    &["decrease", "fall", "fell", "fallen", "decline", "drop", "shrink", "shrank", "reduce"],
    &["begin", "began", "begun", "start", "commence"],
    &["end", "finish", "conclude", "cease", "stop"],
    &["big", "large", "huge", "great", "major"],
    &["small", "little", "tiny", "minor"],
    &["buy", "bought", "purchase", "acquire"],
    &["beat", "defeat", "overcame"],
    &["make", "made", "create", "produce", "manufacture"],
    &["build", "built", "construct", "erect"],
    &["use", "employ", "utilize"],
    &["show", "demonstrate", "indicate", "reveal"],
    &["say", "said", "state", "declare", "announce"],
    &["help", "assist", "support", "aid"],
    &["need", "require"],
    &["allow", "permit", "let"],
    &["forbid", "prohibit", "ban", "forbade"],
    &["get", "got", "receive", "obtain"],
    &["give", "gave", "grant", "provide"],
    &["kill", "slay", "murder"],
    &["die", "dead", "death", "deceased"],
    &["choose", "chose", "chosen", "select", "elect", "pick"],
    &["found", "establish", "set"],
    &["several", "many", "numerous", "various"],
    &["important", "significant", "key", "crucial"],
    &["quick", "quickly", "fast", "rapid", "rapidly"],
    &["near", "close", "beside"],
    &["locate", "situate", "lie", "lies"],
    &["call", "name", "title", "known"],
    &["job", "work", "occupation"],
    &["film", "movie"],
    &["car", "automobile", "vehicle"],
    &["city", "town"],
    &["child", "children", "kid"],
    &["doctor", "physician"],
    &["attack", "assault"],
    &["win", "won", "victory"],
    &["lose", "lost", "loss", "losing"],
    &["approximately", "about", "roughly", "around", "nearly"],
    &["also", "too", "additionally"],
    &["because", "since", "due"],
    &["enforce", "impose"],
    &["earn", "revenue", "income"],
    &["price", "cost"],
    &["attend", "visit"],
    &["leave", "left", "depart"],
    &["show", "display"],
    &["change", "alter", "modify"],
    &["answer", "reply", "respond", "response"],
    &["error", "mistake", "fault"],
];

/// Beginnings of words that make them mean the opposite.
const PREFIXES: &[&str] = &["un", "in", "im", "il", "ir", "dis", "non"];

const PRONOUNS: &[&str] = &[
    "he", "her", "hers", "him", "his", "it", "its", "one", "she", "that", "their", "theirs",
    "them", "these", "they", "this", "those", "who", "which", "whose", "er", "sie", "es", "ihr",
    "sein", "seine", "ihre", "él", "ella", "su", "sus",
];

/// Words before a number that is not exact.
const ABOUT: &[&str] =
    &["about", "almost", "approximately", "around", "circa", "nearly", "roughly", "some", "etwa"];

const DIGITS: &[(&str, f64)] = &[
    ("zero", 0.0),
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("eleven", 11.0),
    ("twelve", 12.0),
    ("thirteen", 13.0),
    ("fourteen", 14.0),
    ("fifteen", 15.0),
    ("sixteen", 16.0),
    ("seventeen", 17.0),
    ("eighteen", 18.0),
    ("nineteen", 19.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("seventy", 70.0),
    ("eighty", 80.0),
    ("ninety", 90.0),
    ("first", 1.0),
    ("third", 3.0),
    ("fourth", 4.0),
    ("fifth", 5.0),
    ("sixth", 6.0),
    ("seventh", 7.0),
    ("eighth", 8.0),
    ("ninth", 9.0),
    ("tenth", 10.0),
    ("eleventh", 11.0),
    ("twelfth", 12.0),
    ("twentieth", 20.0),
    ("dozen", 12.0),
    ("zwei", 2.0),
    ("drei", 3.0),
    ("vier", 4.0),
    ("fünf", 5.0),
    ("sechs", 6.0),
    ("sieben", 7.0),
    ("acht", 8.0),
    ("neun", 9.0),
    ("zehn", 10.0),
    ("elf", 11.0),
    ("zwölf", 12.0),
    ("dos", 2.0),
    ("tres", 3.0),
    ("cuatro", 4.0),
    ("cinco", 5.0),
    ("seis", 6.0),
    ("siete", 7.0),
    ("ocho", 8.0),
    ("nueve", 9.0),
    ("diez", 10.0),
    ("doce", 12.0),
];

const MAGNITUDES: &[(&str, f64)] = &[
    ("hundred", 1e2),
    ("thousand", 1e3),
    ("million", 1e6),
    ("billion", 1e9),
    ("trillion", 1e12),
    ("mn", 1e6),
    ("bn", 1e9),
    ("hundert", 1e2),
    ("tausend", 1e3),
    ("millionen", 1e6),
    ("milliarde", 1e9),
    ("milliarden", 1e9),
    ("mil", 1e3),
    ("millón", 1e6),
    ("millones", 1e6),
];

/// Names of units, each with the name by which it is compared.
const UNITS: &[(&str, &str)] = &[
    ("percent", "%"),
    ("per cent", "%"),
    ("prozent", "%"),
    ("percentage", "%"),
    ("dollar", "$"),
    ("dollars", "$"),
    ("usd", "$"),
    ("euro", "€"),
    ("euros", "€"),
    ("eur", "€"),
    ("pound", "£"),
    ("pounds", "£"),
    ("gbp", "£"),
    ("yen", "¥"),
    ("km", "km"),
    ("kilometer", "km"),
    ("kilometers", "km"),
    ("kilometre", "km"),
    ("kilometres", "km"),
    ("m", "m"),
    ("meter", "m"),
    ("meters", "m"),
    ("metre", "m"),
    ("metres", "m"),
    ("cm", "cm"),
    ("centimeters", "cm"),
    ("centimetres", "cm"),
    ("mm", "mm"),
    ("mile", "mi"),
    ("miles", "mi"),
    ("mi", "mi"),
    ("foot", "ft"),
    ("feet", "ft"),
    ("ft", "ft"),
    ("inch", "in"),
    ("inches", "in"),
    ("yard", "yd"),
    ("yards", "yd"),
    ("kg", "kg"),
    ("kilogram", "kg"),
    ("kilograms", "kg"),
    ("g", "g"),
    ("gram", "g"),
    ("grams", "g"),
    ("ton", "t"),
    ("tons", "t"),
    ("tonne", "t"),
    ("tonnes", "t"),
    ("second", "s"),
    ("seconds", "s"),
    ("minute", "min"),
    ("minutes", "min"),
    ("hour", "h"),
    ("hours", "h"),
    ("day", "d"),
    ("days", "d"),
    ("week", "wk"),
    ("weeks", "wk"),
    ("month", "mo"),
    ("months", "mo"),
    ("year", "y"),
    ("years", "y"),
    ("decade", "decade"),
    ("decades", "decade"),
    ("century", "century"),
    ("centuries", "century"),
    ("liter", "l"),
    ("liters", "l"),
    ("litre", "l"),
    ("litres", "l"),
    ("acre", "acre"),
    ("acres", "acre"),
    ("hectare", "ha"),
    ("hectares", "ha"),
    ("watt", "w"),
    ("watts", "w"),
    ("kb", "kb"),
    ("mb", "mb"),
    ("gb", "gb"),
    ("tb", "tb"),
    ("ms", "ms"),
];

pub(super) fn negates(word: &str) -> bool {
    NEGATIONS.contains(&word)
}

pub(super) fn is_negating(it: char) -> bool {
    NEGATING.contains(&it)
}

pub(super) fn is_pronoun(word: &str) -> bool {
    PRONOUNS.contains(&word)
}

pub(super) fn is_about(word: &str) -> bool {
    ABOUT.contains(&word)
}

pub(super) fn number(word: &str) -> Option<f64> {
    DIGITS.iter().find(|(it, _)| *it == word).map(|(_, value)| *value)
}

pub(super) fn magnitude(word: &str) -> Option<f64> {
    MAGNITUDES.iter().find(|(it, _)| *it == word).map(|(_, value)| *value)
}

/// The number of a month. The verbs `may` and `march` are months only with a capital.
pub(super) fn month(word: &str) -> Option<f64> {
    let at = MONTHS.iter().position(|it| *it == word)?;
    u8::try_from(at + 1).ok().map(f64::from)
}

/// The name of a month from 1 to 12.
pub(super) fn month_name(month: u16) -> &'static str {
    MONTHS.get(usize::from(month).saturating_sub(1)).copied().unwrap_or_default()
}

pub(super) fn unit(word: &str) -> Option<&'static str> {
    UNITS.iter().find(|(it, _)| *it == word).map(|(_, unit)| *unit)
}

/// The unit of a sign next to a number.
pub(super) fn sign(it: char) -> Option<&'static str> {
    Some(match it {
        '%' => "%",
        '$' => "$",
        '€' => "€",
        '£' => "£",
        '¥' => "¥",
        _ => return None,
    })
}

/// Words of which one excludes the others at the same place.
const EXCLUSIVE: &[&[&str]] = &[
    &[
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
        "tenth",
    ],
    &["half", "quarter", "third"],
    &["double", "triple", "quadruple"],
    &["hundred", "thousand", "million", "billion", "trillion"],
    &["hourly", "daily", "weekly", "monthly", "quarterly", "annual"],
    &["day", "week", "month", "year", "decade", "century", "millennium"],
    &["father", "mother"],
    &["son", "daughter"],
    &["brother", "sister"],
    &["husband", "wife"],
    &["he", "she"],
    &["his", "her"],
    &["himself", "herself"],
];

/// The words that say the same as a word, or the opposite, without their endings.
#[derive(Clone, Debug)]
pub(super) struct Related {
    word: Box<str>,
    synonyms: Vec<&'static str>,
    opposites: Vec<&'static str>,
}

impl Related {
    pub(super) fn of(word: &str) -> Self {
        let other = |(a, b): &(&'static str, &'static str)| match () {
            () if is_form(word, a) => Some(*b),
            () if is_form(word, b) => Some(*a),
            () => None,
        };
        let groups = SYNONYMS.iter().filter(|it| it.iter().any(|base| is_form(word, base)));
        let synonyms = groups.copied().flatten().copied().collect();
        let mut opposites: Vec<&str> = OPPOSITES.iter().filter_map(other).collect();
        for family in EXCLUSIVE {
            if let Some(own) = family.iter().position(|it| is_form(word, it)) {
                opposites
                    .extend(family.iter().enumerate().filter(|(at, _)| *at != own).map(|it| it.1));
            }
        }
        Self { word: word.into(), synonyms, opposites }
    }

    pub(super) fn has_synonym(&self, other: &str) -> bool {
        self.synonyms.iter().any(|it| is_form(other, it))
    }

    /// Whether another word means the opposite, or has a prefix more or less that says so.
    pub(super) fn has_opposite(&self, other: &str) -> bool {
        let is_prefixed = |long: &str, short: &str| {
            short.len() > 3
                && long.len() > short.len()
                && PREFIXES.iter().any(|it| long.strip_prefix(it) == Some(short))
        };
        self.opposites.iter().any(|it| is_form(other, it))
            || is_prefixed(&self.word, other)
            || is_prefixed(other, &self.word)
    }
}

/// Whether a word is `base`, or a regular form of it.
fn is_form(word: &str, base: &str) -> bool {
    const ENDINGS: &[&str] = &["", "s", "es", "d", "ed", "ing", "er", "est"];
    let stem = base.strip_suffix('e').unwrap_or(base);
    word.strip_prefix(base).is_some_and(|it| ENDINGS.contains(&it))
        || word.strip_prefix(stem).is_some_and(|it| matches!(it, "ing" | "ed") && stem.len() > 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposites_are_found_in_their_forms() {
        for (one, other) in [
            ("increased", "decreased"),
            ("rising", "falling"),
            ("won", "lost"),
            ("possible", "impossible"),
            ("happy", "unhappy"),
            ("largest", "smallest"),
        ] {
            assert!(
                Related::of(one).has_opposite(other) && Related::of(other).has_opposite(one),
                "{one} {other}"
            );
        }
        assert!(!Related::of("increase").has_opposite("increased"));
        assert!(!Related::of("cat").has_opposite("dog"));
        assert!(!Related::of("under").has_opposite("der"));
    }
}
