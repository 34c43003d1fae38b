//! The lines above a letter or an electronic mail.

/// A line above a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub is_subject: bool,
    /// Where begins what it says, behind its name.
    pub said: usize,
}

const NAMES: &[&str] = &[
    "from", "to", "cc", "bcc", "date", "sent", "reply-to", "received", "von", "an", "datum",
    "gesendet", "de", "para", "fecha", "enviado",
];

const SUBJECTS: &[&str] = &["subject", "re", "betreff", "asunto"];

/// A line such as `From: Ann`, with or without marks.
pub(super) fn head(line: &str) -> Option<Head> {
    let (name, said) = line.split_once(':')?;
    let name = name.trim_matches(|it: char| matches!(it, '*' | '_' | '>') || it.is_whitespace());
    let name = name.to_lowercase();
    let is_subject = SUBJECTS.contains(&name.as_str());
    let is_head = is_subject || NAMES.contains(&name.as_str());
    let start = said.len() - said.trim_start_matches([' ', '*', '\t']).len();
    (is_head && !said.trim().is_empty())
        .then(|| Head { is_subject, said: line.len() - said.len() + start })
}

/// Whether a line greets the reader, as `Dear Ann,` does.
pub(super) fn is_salutation(line: &str) -> bool {
    const GREETINGS: &[&str] = &[
        "dear", "hello", "hi", "hey", "good", "liebe", "lieber", "sehr", "hallo", "querido",
        "querida", "estimado", "estimada", "hola", "kind", "best", "regards", "yours", "cheers",
    ];
    let first = line.split(|it: char| !it.is_alphanumeric()).next().unwrap_or_default();
    line.trim_end().ends_with(',')
        && line.split_whitespace().count() <= 7
        && GREETINGS.contains(&first.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_above_a_letter_have_names() {
        assert_eq!(head("Subject: The mill"), Some(Head { is_subject: true, said: 9 }));
        assert_eq!(head("**From:** Ann"), Some(Head { is_subject: false, said: 10 }));
        assert!(is_salutation("Dear Ann and Bo,") && !is_salutation("Dear is the price,  then."));
        for line in ["The mill: it is old", "To be continued", "From:", ""] {
            assert_eq!(head(line), None, "{line}");
        }
    }
}
