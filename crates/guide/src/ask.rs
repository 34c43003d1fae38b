//! Answers questions from the documentation, with sources.

use svc_contract::{
    registry::{OpError, Topics, Writer, record},
    value::Text,
};

use super::book::Book;

record! {
    /// An answer from the documentation.
    pub struct Documented {
        /// Whether the documentation answers the question.
        ok: bool,
        /// The answer; `[1]` refers to the first source.
        answer: Text,
        /// The sources of the answer.
        sources: Vec<Text>,
    }
}

/// Answers a question with sentences of at most `most` passages of the documentation.
pub fn answered(question: &str, most: usize, topics: &Topics) -> Documented {
    let book = Book::of(topics);
    let (mut parts, mut sources) = (Vec::new(), Vec::new());
    for found in book.find(question, most) {
        sources.push(Text::from(found.source.as_str()));
        parts.push(format!("{} [{}]", found.sentences.join(" "), sources.len()));
    }
    let ok = !parts.is_empty();
    let nothing = || "The documentation says nothing about that.".to_owned();
    let answer = if ok { parts.join("\n\n") } else { nothing() };
    Documented { ok, answer: answer.into(), sources }
}

impl Documented {
    /// Returns what the writer makes from the passages: its first answer with a source, or its last
    /// answer, after at most `rounds` calls.
    pub async fn written(
        &self,
        question: &str,
        writer: &Writer,
        rounds: usize,
    ) -> Result<Text, OpError> {
        let prompt = self.prompt(question);
        let mut answer = writer.write(&prompt).await?;
        for _ in 1..rounds {
            if (1..=self.sources.len()).any(|it| answer.contains(&format!("[{it}]"))) {
                break;
            }
            answer = writer.write(&format!("{prompt}\nCite a passage, as in [1].\n")).await?;
        }
        Ok(answer)
    }

    fn prompt(&self, question: &str) -> String {
        format!(
            "Answer the question about svc, a pipeline language, from these passages of its \
             documentation only. Cite them as [1], [2]. If they do not answer it, say so.\n\n\
             Question: {question}\n\nPassages:\n{}\n",
            self.answer
        )
    }
}
