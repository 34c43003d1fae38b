//! Names for addresses and files.

use svc_contract::{
    registry::{Example, Op, Scheme, params},
    value::Text,
};

params! {
    /// Turns a title into words in lower case, joined by `-`, of the letters a to z and digits.
    ///
    /// Letters of other scripts are transliterated: `ö` becomes `o`, `北` becomes `bei`. A title
    /// without any letter or digit returns the empty string.
    pub(super) struct Slug {
        /// The title.
        title: Text,
        /// The separator of the words.
        sep: Text = "-".into(),
    }
}

impl Op for Slug {
    const NAME: &'static str = "slug";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &[
        "make a title fit for a url",
        "readable name for a web address",
        "safe file name of a title",
        "transliterate to plain letters",
        "url-friendly version of a headline",
        "turn a title into lowercase words with dashes",
        "strip accents and umlauts",
        "name for a page address without spaces",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A heading", r#""Größe & Preis: 5 €" >> slug"#, r#""grosse-preis-5-eur""#),
        Example::ok("Another separator", r#"slug("a b", "_")"#, r#""a_b""#),
    ];
}

#[cfg(feature = "formats")]
mod body {
    use svc_contract::{
        registry::{Inline, OpError},
        value::Value,
    };

    use super::Slug;

    impl Inline for Slug {
        fn run(self) -> Result<Value, OpError> {
            let plain = deunicode::deunicode_with_tofu(&self.title, " ").to_ascii_lowercase();
            let words = plain.split(|it: char| !it.is_ascii_alphanumeric());
            let words: Vec<&str> = words.filter(|it| !it.is_empty()).collect();
            Ok(words.join(&self.sep).into())
        }
    }

    #[cfg(test)]
    mod tests {
        use crate::testing::gives;

        use super::*;

        #[test]
        fn every_script_has_a_slug() {
            gives::<Slug>(r#"[""]"#, r#""""#);
            gives::<Slug>(r#"[" -- "]"#, r#""""#);
            gives::<Slug>(r#"["Ünïcödé_ Čaj!"]"#, r#""unicode-caj""#);
            gives::<Slug>(r#"["北京"]"#, r#""bei-jing""#);
            gives::<Slug>(r#"["Москва 24"]"#, r#""moskva-24""#);
        }
    }
}
