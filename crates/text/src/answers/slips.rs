//! How common English words are written in haste or by ear, and what is meant.

use std::{collections::HashMap, sync::LazyLock};

/// What is meant, and behind it how it is written. Our own list.
const SLIPS: &str = "the teh hte|what wat waht wot wht|when wen whn wehn|where wher whre|which wich whcih wihch hwich|\
    who hwo hoo|why wy whi|how hwo|many meny mani manny|much mutch moch|does dose|people ppl peple poeple|\
    have hav hve|with wiht wth|without witout w/o|there ther|their thier|they thay|because becuase becaus cuz coz bcs|\
    before befor b4|after aftr|about abt abuot|through thru|though tho|tonight tonite|night nite nigt|light lite ligth|\
    right rite|price prise prize|receive recieve|address adress addres|necessary neccessary necesary|\
    happen hapen|happens hapens|happened hapend hapened happend|please pls plz|you u yu|your ur yor|are r|\
    year yeer yr|years yrs|month mnth|week wk|weeks wks|weekend wkend wknd|minutes mins|hours hrs|hour hr|\
    appointment appt|maximum max|minimum min|information info|number nr num|telephone tel|phone fone|temperature temp|\
    department dept|approximately approx|message msg|picture pic|tomorrow tmrw tomorow|money mony|cost kost|\
    should shud shoud|would wud woud|could cud coud|take tak|long longe|old olde|first frist|\
    friend freind|believe beleive|separate seperate|definitely definately|restaurant restaraunt resturant|library libary|\
    business buisness busines|available availible|government goverment|calendar calender|until untill|tomato tomatoe|\
    different diffrent|really realy|usually usualy|finally finaly|colour coler|paid payed|said sed|says sez|\
    cancelled canceld|allowed alowed|brought brung|bought boght|built bilt|called cald|closed closd|opened opend|\
    password pasword pwd|favourite favorit|piece peice|height hight|weight wieght|guarantee garantee|\
    environment enviroment|receipt reciept|schedule shedule|equipment equiptment|maintenance maintainance|insurance insurence|\
    want wnat|know kno";

/// The words that are often written so, in lower case.
pub(super) fn meant(word: &str) -> Option<&'static str> {
    static MEANT: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
        let mut all = HashMap::new();
        for group in SLIPS.split('|') {
            let mut words = group.split_whitespace();
            let Some(meant) = words.next() else { continue };
            for slip in words {
                all.entry(slip).or_insert(meant);
            }
        }
        all
    });
    MEANT.get(word).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_haste_have_a_meaning() {
        assert_eq!(meant("teh"), Some("the"));
        assert_eq!(meant("wen"), Some("when"));
        assert_eq!(meant("mill"), None);
    }

    #[test]
    fn each_way_to_write_is_listed_once() {
        let mut all: Vec<&str> =
            SLIPS.split('|').flat_map(|it| it.split_whitespace().skip(1)).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        // `hwo` may be `who` or `how`.
        assert_eq!(all.len() + 1, count);
    }
}
