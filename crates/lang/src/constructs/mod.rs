//! The words and signs of the language, explained: `svc inspect each`, `:help each`, and hover.

mod declarations;
mod operators;
mod stages;
mod types;

/// A word or sign of the language, with its explanation.
#[derive(Clone, Copy, Debug)]
pub struct Construct {
    /// Its words and signs, such as `if` and `else`. The first one is its name.
    pub words: &'static [&'static str],
    /// Phrasings in which users ask for it.
    pub says: &'static [&'static str],
    /// One sentence in Markdown.
    pub summary: &'static str,
    /// Its forms, one a line, with names such as `pipeline` for what the author writes.
    pub form: &'static str,
    /// A script that runs.
    pub example: &'static str,
    /// The result of that script, as JSON.
    pub result: &'static str,
    /// The usual mistakes and failures, in Markdown.
    pub fails: &'static str,
    /// The section of the book: a file in `docs` and a heading, such as `language.md#each`.
    pub chapter: &'static str,
}

/// All explained words and signs, in the order of the book.
pub fn all() -> impl Iterator<Item = &'static Construct> {
    [declarations::ALL, stages::ALL, operators::ALL, types::ALL].into_iter().flatten()
}

impl Construct {
    /// The explanation of a word or sign.
    pub fn find(word: &str) -> Option<&'static Self> {
        all().find(|it| it.words.contains(&word))
    }

    /// The first of its words, which names it.
    pub fn name(&self) -> &'static str {
        self.words.first().copied().unwrap_or_default()
    }

    /// The whole explanation as Markdown.
    pub fn page(&self) -> String {
        let Self { summary, form, example, result, fails, chapter, .. } = self;
        let result = match *result {
            "null" => String::new(),
            json => format!("\n\nresult: `{json}`"),
        };
        format!(
            "**{}** {summary}\n\n```svc\n{form}\n```\n\nexample\n\n```svc\n{example}\n```{result}\n\n\
             {fails}\n\nsee `docs/{chapter}`",
            self.name()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_every_part() {
        let page = Construct::find("else").unwrap().page();
        assert!(page.starts_with("**if** "), "{page}");
        assert!(page.ends_with("see `docs/language.md#if`"), "{page}");
        assert!(page.contains("result: `\"fair\"`"), "{page}");
    }
}
