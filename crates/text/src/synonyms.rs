//! Synonyms: words that people use for the words of the documentation.
//!
//! The documentation of a component uses one word per idea; people use several. Each line has a
//! word of the documentation, followed by its synonyms.

const WORDS: &str = "
    upper: uppercase capital capitals capitalise capitalize shout caps
    lower: lowercase small
    trim: strip remove
    split: divide cut break separate tokenise tokenize
    join: concatenate glue combine merge append
    words: word
    lines: line row rows
    slice: substring cut
    truncate: shorten clip cut abbreviate characters first take
    contains: contain include includes mention mentions occur
    replace: substitute swap exchange change
    matches: match regex regexp regular
    find: extract look locate
    pattern: regex regexp expression
    len: length count number many size long
    keys: key columns
    first: top begin head beginning
    take: first top keep limit only
    last: final end tail
    skip: drop omit leave ignore remove
    chunk: group batch batches portions
    reverse: backwards reversed flip
    compact: remove null nulls missing empty
    flatten: merge nested
    enumerate: number numbered
    unique: remove duplicate duplicates deduplicate dedupe distinct different
    range: numbers sequence
    sum: add total altogether plus
    avg: average mean
    min: minimum smallest least lowest cheapest
    max: maximum largest greatest biggest highest dearest
    abs: absolute magnitude sign
    round: rounded nearest decimals
    floor: down
    ceil: ceiling up
    sqrt: root
    pow: power raise exponent square squared cube cubed
    div: divide divided integer remainder quotient
    clamp: limit limited restrict between bound
    parse: decode
    json: serialise serialize stringify prettyprint
    at: stands place
    entries: pairs keys values
    files: file folder directory documents
    write: save store put export
    save: write store export put
    read: load open get import pull
    fetch: download pull page web website url site http https
    search: look query find seek hits mention mentions mentioning talk discuss
    retrieval: passage passages paragraphs
    passages: passage paragraphs paragraph excerpts
    rerank: reorder rank
    summary: summarise summarize summarising summarizing condense gist digest tldr brief abstract
    docs: documents texts
    ask: model llm ai gpt language prompt
    evaluate: test score grade judge evaluation cases accuracy
    fail: abort stop error
    wait: pause sleep delay
    approve: confirm permission approval person human sign
    components: component tools tool ops blocks
    plan: workflow script pipeline
    stats: statistics count number many
    int: integer whole
    float: decimal
    pdf: pdfs
";

/// Tasks that only a language model can do.
const OF_A_MODEL: &str = "translate rewrite rephrase paraphrase classify categorise categorize label \
    draft compose explain brainstorm critique criticise criticize proofread correct answer compare \
    extract poem story essay invent suggest reply";

/// Returns the words of the documentation that a word in lower case may mean.
pub fn meanings(word: &str) -> impl Iterator<Item = &'static str> {
    let of_a_model = is_for_a_model(word).then_some("ask");
    WORDS
        .lines()
        .filter_map(|line| line.trim().split_once(':'))
        .filter(move |(_, others)| others.split_whitespace().any(|it| is_form(word, it)))
        .map(|(said, _)| said)
        .chain(of_a_model)
}

/// Returns all words with synonyms here.
pub fn all() -> impl Iterator<Item = &'static str> {
    let others = WORDS.lines().filter_map(|it| it.split_once(':')).map(|(_, others)| others);
    others.chain([OF_A_MODEL]).flat_map(str::split_whitespace)
}

/// Whether a word in lower case has so many meanings that it means little by itself.
pub fn is_ambiguous(word: &str) -> bool {
    const MANY: usize = 4;
    meanings(word).count() >= MANY
}

/// Whether a word in lower case is a task that only a language model can do.
pub fn is_for_a_model(word: &str) -> bool {
    OF_A_MODEL.split_whitespace().any(|it| is_form(word, it))
}

/// Whether a word is another one, or a form of it: `saved`, `saving` and `saves` for `save`.
fn is_form(word: &str, base: &str) -> bool {
    const ENDS: [&str; 5] = ["s", "es", "d", "ed", "ing"];
    let Some(end) = word.strip_prefix(base) else {
        let cut = base.strip_suffix('e').filter(|it| it.len() > 2);
        return cut.and_then(|it| word.strip_prefix(it)) == Some("ing");
    };
    end.is_empty() || (base.len() > 2 && ENDS.contains(&end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_may_mean_several() {
        assert_eq!(meanings("largest").collect::<Vec<_>>(), ["max"]);
        assert_eq!(meanings("translate").collect::<Vec<_>>(), ["ask"]);
        assert!(meanings("cut").count() > 1);
        assert_eq!(meanings("asdf").count(), 0);
        assert!(meanings("saving").eq(meanings("saves")) && meanings("saved").count() > 0);
        assert!(!is_form("added", "a") && !is_form("lastly", "last"));
    }
}
