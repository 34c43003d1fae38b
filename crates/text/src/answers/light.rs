//! Words of questions that a document often says in other words, so that little follows if it does not
//! have them: common verbs, adjectives, adverbs, and nouns that only frame what is asked for.

use std::{collections::HashSet, sync::LazyLock};

use super::synonyms::is_form;

const WORDS: &str = "accept access achieve act add advise afford agree aim allow announce answer appear apply arrange \
    arrive ask assume attend avoid beat become begin behave believe belong borrow bother break bring build \
    buy call cancel care carry catch cause celebrate change charge check choose claim clean clear climb \
    close collect come compare complain complete confirm connect consider consist contact contain continue \
    control cook copy correct cost count cover create cross cut deal decide declare decrease deliver demand depend \
    describe design destroy develop die differ disappear discover discuss divide do draw drink drive \
    drop earn eat employ enable end enjoy enter escape exceed exchange exist expand expect experience explain express \
    extend face fail fall feed feel fetch fight figure fill find finish fit fix fly focus follow forbid force forget form \
    gain gather get give go grow guess handle hang happen harm hate have head hear help hide hit hold hope \
    hurt identify ignore imagine improve include increase indicate inform insert insist install intend introduce invite involve \
    join judge jump keep kick know lack land last lay lead learn leave lend let lie lift like limit link \
    list listen live load lock look lose love maintain make manage mark matter measure meet mention mind \
    miss mix move need notice obtain occur offer open operate order organise organize own participate pass pay perform \
    permit pick place plan play point possess practise prefer prepare present press prevent produce promise propose \
    protect prove provide publish pull purchase push put raise reach react read realise receive recognise \
    recommend record reduce refer reflect refuse regard regret reject relate release rely remain remember remind \
    remove rent repair repeat replace reply report represent request require rescue reserve respond rest result \
    return reveal ring rise run save say search see seem select sell send separate serve set settle shake \
    share shine show shut silence sing sit skip sleep slow smell solve sort sound speak spend split spoil \
    spread stand start state stay steal step stick stop store strike study submit succeed suffer suggest \
    suit supply support suppose surprise survive suspect swap switch take talk teach tear tell tend test thank think \
    throw tie touch trade train travel treat trust try turn understand undo unlock update use vary visit vote wait \
    walk want warn wash waste watch wear win wish work worry write \
    brought bought built came caught chose chosen cost cut did done drawn drew driven drove ate eaten fallen fell \
    felt fought found flew flown forgot forgotten gave given went gone grew grown heard held hid hidden hurt kept knew \
    known laid led left lent lost made meant met paid ran rang read rose run said sang sat saw seen sold sent shook \
    shown slept spoke spoken spent stood stole stolen stuck swam swum took taken taught told thought threw thrown \
    understood woke wore worn won wrote written broke broken became begun began fed \
    able absent additional afraid alive alone alternative angry annual apparent appropriate available average \
    aware awful bad basic beautiful best better big bigger biggest bored brief bright broad broken busy \
    capable careful certain cheap clean clear clever close closed common compatible complete complex comfortable correct crazy current \
    damaged dangerous daily dear deep defective different difficult direct dirty double due early easy effective \
    empty enough entire equal essential exact excellent existing expensive external extra fair false familiar \
    famous fancy fast faulty few final fine fit flat foreign free frequent fresh friendly full funny further future \
    general gentle good great half happy hard healthy heavy helpful high higher highest honest hot huge ideal \
    ill immediate important impossible individual initial inner intended interested interesting internal involved joint kind \
    large larger largest late later latest lazy legal less light likely little live local long longer longest loose loud low lower lowest \
    lucky main major many maximum mean minimum minor missing mistaken mixed modern more most narrow natural near necessary negative nearest \
    new next nice noisy normal obvious odd official okay ok old older oldest only opposite ordinary original other outdoor outer outside overall own \
    particular past perfect permanent permitted personal plain pleasant poor popular positive possible potential powerful \
    practical precise present pretty previous private probable proper public pure quick quiet rare raw ready real \
    reasonable recent regular related relevant reliable remaining responsible rich right rough round sad safe \
    same secret secure senior separate serious severe sharp short shorter silent similar simple single slight slow small smaller smallest \
    smart smooth soft solid sorry spare special specific stable standard strange strict strong stupid successful \
    sudden suitable sure tall temporary terrible thick thin tight tiny tired tough typical unable usable useful usual \
    valid various vital warm weak weird wet whole wide wild wonderful worse worst worth wrong young \
    abroad actually afterwards again ago ahead almost already altogether anyway anymore anonymously apart around automatically away badly barely before \
    behind below besides beyond briefly carefully clearly closely completely constantly correctly currently daily directly downstairs early easily \
    eventually everywhere exactly extra fairly forever formerly fully generally gradually hardly hence here immediately \
    indoors inside instead lately legally longer manually maybe meanwhile mostly nearby nearly never normally nowhere occasionally \
    often once online originally otherwise outdoors outside overnight partly perhaps permanently personally please possibly previously privately \
    probably properly quickly quietly quite rarely rather really regularly roughly safely seldom separately simply slowly \
    somehow sometimes somewhere soon sooner straight suddenly surely therefore throughout together tomorrow tonight twice \
    under unfortunately upstairs usually well without worldwide yearly yesterday yourself myself himself themselves ourselves mine ours yours \
    action advice aim answer approach area aspect attempt basis bit case chance choice consequence couple \
    decision detail difference duration effect effort end event example experience fact fault folks form future goal guy guys idea \
    instruction issue kid kids length level limit list lot lots lack majority manner matter max maximum method min minimum mistake moment need \
    occasion option outcome pack pair part period phase piece plan point position possibility problem procedure process proportion \
    purpose quality quantity question range rate reason remark request requirement rest result role round rule \
    section selection series side situation size slot solution sort stage step stuff style sum summary \
    sum task term thing time topic total trouble type value version volume way whole stranger thanks tip";

/// Words that say of which kind an answer is; if nothing in a sentence is like them, it does not
/// answer.
const ATTRIBUTES: &str = "account address age amount area author bank birthday boss brand budget camera capacity capital \
    career ceo certificate cities city class code colour color company composition cost country course currency \
    date daughter deadline degree density deposit depth diameter director discount distance dose duration education elevation email energy engine \
    exam extension fee fine flavour founder frequency fungicide gender height hobby hotel husband income ingredient insurance interest \
    language length licence license lifespan limit manager manufacturer material medicine melody menu model mother \
    motto name names nationality nickname number occupation origin owner parent password patent penalty percentage phone \
    photo pin platform population position postcode power premium pressure price profession profit publisher \
    radius rank rating ratio recipe religion rent resolution revenue salary score serial sex shape shop shape \
    sister size son species speed sponsor strength surname surface tax taste team temperature title turnover university \
    vendor version voltage volume wage website weight width wife wind wine";

fn all(words: &'static str) -> HashSet<&'static str> {
    words.split_whitespace().collect()
}

/// Whether little follows if a document does not have the word.
pub(super) fn is_light(word: &str) -> bool {
    static LIGHT: LazyLock<HashSet<&str>> = LazyLock::new(|| all(WORDS));
    is_of(word, &LIGHT)
}

/// Whether the word says of which kind the answer is.
pub(super) fn is_attribute(word: &str) -> bool {
    static ALL: LazyLock<HashSet<&str>> = LazyLock::new(|| all(ATTRIBUTES));
    is_of(word, &ALL)
}

/// Whether a word or its base without a regular ending is one of some words.
fn is_of(word: &str, all: &HashSet<&str>) -> bool {
    if all.contains(word) {
        return true;
    }
    // The base is the word without up to four letters, and perhaps with an `e` or a `y`.
    let shortest = word.len().saturating_sub(4).max(2);
    (shortest..word.len()).rev().filter_map(|it| word.get(..it)).any(|stem| {
        let bases = [stem.to_owned(), format!("{stem}e"), format!("{stem}y")];
        bases.iter().any(|it| all.contains(it.as_str()) && is_form(word, it))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_light_in_all_their_forms() {
        for word in ["handle", "handled", "splitting", "carries", "fed", "easier"] {
            assert!(is_light(word), "{word}");
        }
        for word in ["sofa", "gutter", "kangaroo", "airbnb"] {
            assert!(!is_light(word), "{word}");
        }
        assert!(is_attribute("salaries") && !is_attribute("mill"));
    }
}
