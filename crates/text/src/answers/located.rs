//! Whether a sentence says where something is.

use super::synonyms::is_form;

/// Words behind which a place stands.
const PREPOSITIONS: &[&str] = &[
    "in",
    "at",
    "on",
    "near",
    "behind",
    "under",
    "underneath",
    "beneath",
    "inside",
    "outside",
    "between",
    "above",
    "below",
    "opposite",
    "along",
    "across",
    "into",
    "onto",
    "from",
    "to",
    "by",
    "next",
    "within",
    "towards",
    "through",
    "off",
    "past",
    "around",
    "round",
    "against",
    "via",
    "over",
    "up",
    "down",
    "beyond",
];

/// Things in or at which other things are. Our own list.
const PLACES: &str = "address aisle airport alcove alley apartment arcade archive area arena attic bag balcony bank bar barn \
    barrel base basement basin basket bath bathroom bay beach bed bedroom bench bin block board boat boot border bottom bowl box \
    branch bridge bucket building bunker bureau bus bush cabin cabinet cafe café camp campus canal canteen capital car carpark carriage case \
    cashier castle cave ceiling cellar cemetery center centre chair chapel chest church cinema city classroom clinic cloakroom club coast \
    college compartment container corner corridor cottage counter country county court courtyard creek crossing cupboard dam deck \
    depot desk dish dispenser district dock door drawer dump dungeon east edge embassy end entrance envelope estate exhibition exit \
    factory farm fence ferry field file filter floor folder fountain foyer freezer fridge front frontier gallery garage garden gate gatehouse \
    gorge ground hall hallway hangar harbor harbour headland headquarters hedge hill hole holder home hospital hostel hotel house hut \
    inn intersection island jar jetty junction kiosk kitchen lab laboratory ladder lake landing lane larder laundry lawn ledge left level library \
    lobby locker loft lounge lounge mailbox market marsh meadow middle mill mine monastery motorway mountain mouth museum nest north office \
    orchard outlet oven palace pan pantry paper park parlour passage path pavement pavilion petrol pharmacy pier pit plant plate platform playground \
    pocket point pole pond pool porch port post pot pub quarry quay rack railway ramp range reception region reserve reservoir restaurant right river \
    road roof room roundabout row safe school sea seat section sheet shed shelf shelter shop shore side sink site sky slope south square stable stairs \
    stairwell stall stand station stop store storeroom stove stream street studio suburb supermarket surface surgery table tank tap tent terminal terrace theatre \
    tip toilet top tower town track tray tree trench trunk tub tunnel university valley van vault village vineyard wall ward wardrobe warehouse \
    wardroom waste water web weir well west window wing wood woods workshop yard zone garage nave";

/// Words that by themselves say where.
const WHERE: &[&str] = &[
    "upstairs",
    "downstairs",
    "indoors",
    "outdoors",
    "outside",
    "inside",
    "abroad",
    "nearby",
    "overseas",
    "ashore",
    "aboard",
    "underground",
    "offshore",
];

/// The names of columns and lines that hold a place.
const LABELS: &[&str] = &[
    "place",
    "where",
    "location",
    "address",
    "city",
    "town",
    "venue",
    "room",
    "site",
    "country",
    "region",
    "street",
    "area",
    "seat",
    "origin",
    "destination",
    "stand",
    "plot",
    "shelf",
];

/// Endings of the names of places.
const KINDS: &[&str] = &[
    "road",
    "street",
    "lane",
    "square",
    "avenue",
    "close",
    "park",
    "bridge",
    "hall",
    "house",
    "station",
    "farm",
    "hill",
    "island",
    "centre",
    "center",
    "museum",
    "hut",
    "office",
    "university",
    "college",
    "school",
    "church",
    "castle",
    "hotel",
    "inn",
    "harbour",
    "bay",
];

/// Words between a preposition and the thing that it is about.
const BETWEEN: usize = 4;

/// How plainly a sentence says where something is, in words that the question, in lower case, does not
/// have: from 0 to 1.
pub(super) fn located(sentence: &str, question: &str) -> f64 {
    let words: Vec<&str> = sentence
        .split(|it: char| !it.is_alphanumeric() && !matches!(it, '\'' | '’' | '-'))
        .filter(|it| !it.is_empty())
        .collect();
    let asked: Vec<&str> = question.split(|it: char| !it.is_alphanumeric()).collect();
    let is_new = |it: &str| {
        let lower = it.to_lowercase();
        !asked.iter().any(|asked| *asked == lower || is_form(&lower, asked) && !asked.is_empty())
    };
    let mut best: f64 = if has_label(sentence) { 1.0 } else { 0.0 };
    for (at, word) in words.iter().enumerate() {
        let lower = word.to_lowercase();
        if at > 0 && is_name(word) && KINDS.contains(&&*lower) && is_name(words[at - 1]) {
            best = best.max(if is_new(words[at - 1]) { 1.0 } else { 0.0 });
        }
        if WHERE.contains(&&*lower) && is_new(word) {
            best = best.max(0.7);
        }
        if PREPOSITIONS.contains(&&*lower) {
            best = best.max(behind(words.get(at + 1..).unwrap_or_default(), is_new));
        }
    }
    best
}

/// How plainly a place stands behind a preposition.
fn behind(words: &[&str], is_new: impl Fn(&str) -> bool) -> f64 {
    let mut has_article = false;
    for word in words.iter().take(BETWEEN) {
        let lower = word.to_lowercase();
        if PREPOSITIONS.contains(&&*lower) && lower != "next" || is_time(&lower) {
            return 0.0;
        }
        if is_article(&lower) {
            has_article = true;
            continue;
        }
        let is_place = PLACES.split_whitespace().any(|it| is_form(&lower, it) && it.len() > 2);
        if is_name(word) && is_new(word) {
            return 1.0;
        }
        if is_place && is_new(word) {
            return if has_article { 0.9 } else { 0.7 };
        }
    }
    0.0
}

/// Whether a row or a line names a place, as `place: Kiel` does.
fn has_label(sentence: &str) -> bool {
    let named = |it: &str| {
        let (name, said) = it.split_once(':').unwrap_or(("", ""));
        let last = name.split_whitespace().next_back().unwrap_or_default().to_lowercase();
        LABELS.contains(&&*last) && said.contains(char::is_alphabetic)
    };
    sentence.split([',', ';', '.']).any(named)
}

fn is_name(word: &str) -> bool {
    let lower = word.to_lowercase();
    word.starts_with(char::is_uppercase) && word.len() > 1 && !is_time(&lower)
}

fn is_article(lower: &str) -> bool {
    matches!(
        lower,
        "the"
            | "a"
            | "an"
            | "our"
            | "your"
            | "my"
            | "its"
            | "their"
            | "his"
            | "her"
            | "this"
            | "that"
            | "each"
            | "every"
            | "one"
            | "any"
    )
}

/// Whether a word in lower case is of the calendar or the clock.
fn is_time(lower: &str) -> bool {
    let calendar = crate::dates::MONTHS.iter().chain(&crate::dates::WEEKDAYS);
    let is_calendar = |it: &str| lower.strip_suffix('s').unwrap_or(lower) == it;
    lower.starts_with(|it: char| it.is_ascii_digit())
        || calendar.into_iter().any(|it| is_calendar(it))
        || matches!(
            lower,
            "day"
                | "days"
                | "week"
                | "weeks"
                | "month"
                | "months"
                | "year"
                | "years"
                | "time"
                | "morning"
                | "evening"
                | "night"
                | "winter"
                | "summer"
                | "spring"
                | "autumn"
                | "once"
                | "least"
                | "most"
                | "all"
                | "case"
                | "first"
                | "last"
                | "fact"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_stand_behind_prepositions() {
        for sentence in [
            "The flour is kept in the red tin under the stairs.",
            "Take it to the tip at Bell Lane.",
            "It lies behind the barn.",
            "He was born in Kiel.",
            "what: flour, place: Kiel, paid by: Ann",
            "They sleep upstairs.",
        ] {
            assert!(located(sentence, "where is it?") > 0.6, "{sentence}");
        }
        for sentence in [
            "It opens in May.",
            "It was built in 1740.",
            "The mill is red.",
            "At nine in the morning.",
        ] {
            assert!(located(sentence, "where is it?") < 0.3, "{sentence}");
        }
        assert!(located("It is in Kiel.", "where in kiel is it?") < 0.3);
    }
}
