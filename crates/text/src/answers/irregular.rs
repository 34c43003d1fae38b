//! Forms of irregular verbs and nouns, which have no stem in common.

const FORMS: &str = "be was were been|bear bore born borne|beat beaten|become became|begin began begun|bend bent|bet|\
    bind bound|bite bit bitten|bleed bled|blow blew blown|break broke broken|breed bred|bring brought|build built|\
    burn burnt|buy bought|catch caught|child children|choose chose chosen|come came|creep crept|deal dealt|dig dug|\
    do did done|draw drew drawn|dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|\
    feed fed|feel felt|fight fought|find found|flee fled|fly flew flown flight|forbid forbade forbidden|\
    forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go went gone|\
    grow grew grown growth|half halves|hang hung|have had|hear heard|hide hid hidden|hold held|keep kept|kneel knelt|\
    knife knives|know knew known|lay laid|lead led|lean leant|leap leapt|learn learnt|leave left|lend lent|lie lain|life lives|\
    light lit|lose lost loss|make made|man men|mean meant|meet met|mouse mice|pay paid|person people|prove proven|ride rode ridden|\
    ring rang rung|rise rose risen|run ran|say said|see saw seen|seek sought|sell sold sale|send sent|sew sewn|shake shook shaken|\
    shine shone|shoot shot|show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept|slide slid|\
    smell smelt|speak spoke spoken|spell spelt|spend spent|spill spilt|spin spun|spoil spoilt|spring sprang sprung|stand stood|steal stole stolen|\
    stick stuck|sting stung|strike struck|strive striven|swear swore sworn|sweep swept|swell swollen|swim swam swum|swing swung|\
    take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|tooth teeth|foot feet|wake woke woken|\
    wear wore worn|weave wove woven|weep wept|wife wives|win won|wind wound|withdraw withdrew withdrawn|woman women|write wrote written|\
    choice choose chose chosen|weigh weight|high height|long length|wide width|deep depth|strong strength|\
    die death dead|sell sale|lose loss|bear birth born|see sight|think thought|speak speech|pay payment|\
    describe description|receive receipt|decide decision|divide division|permit permission|admit admission|submit submission|\
    explain explanation|repeat repetition|compete competition|apply application|multiply multiplication|vary variation|\
    refuse refusal|arrive arrival|approve approval|propose proposal|remove removal|renew renewal|rent rental|deliver delivery|\
    discover discovery|recover recovery|injure injury|marry marriage|grow growth|true truth|hot heat|proud pride|safe safety|\
    able ability|possible possibility|responsible responsibility|cancel cancellation|enter entrance entry|exit exits|analyse analysis|\
    lorry lorries truck|fly flies|good better best|bad worse worst|far farther farthest further|little less least|many more most";

/// The other forms of a word in lower case.
pub(super) fn forms(word: &str) -> impl Iterator<Item = &'static str> {
    let of = |group: &&'static str| group.split(' ').any(|it| is_of(word, it));
    FORMS.split('|').filter(of).flat_map(|it| it.split(' '))
}

/// Whether a word is a form, also with an ending, as `takes` and `taking`.
pub(super) fn is_of(word: &str, form: &str) -> bool {
    let stem = form.strip_suffix('e').unwrap_or(form);
    word == form
        || form.len() > 2
            && (word.strip_prefix(form).is_some_and(|it| matches!(it, "s" | "es" | "ing" | "al"))
                || word.strip_prefix(stem).is_some_and(|it| it == "ing"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_verb_belong_together() {
        for (word, other) in [("frozen", "freeze"), ("stole", "stolen"), ("takes", "took")] {
            assert!(forms(word).any(|it| it == other), "{word}");
        }
        assert_eq!(forms("mill").count(), 0);
    }
}
