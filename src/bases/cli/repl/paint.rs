//! Colours a line of input.

use svc_assist::{Piece, Role};

/// The text with coloured pieces.
pub(super) fn painted(text: &str, mut pieces: Vec<Piece>) -> String {
    pieces.sort_by_key(|it| it.span);
    let (mut painted, mut at) = (String::with_capacity(text.len() * 2), 0);
    for piece in pieces {
        let (start, end) = (piece.span.start.max(at), piece.span.end.min(text.len()));
        let (Some(code), true) = (code(piece.role), start < end) else { continue };
        let (Some(before), Some(own)) = (text.get(at..start), text.get(start..end)) else {
            continue;
        };
        painted += &[before, "\x1b[", code, "m", own, "\x1b[0m"].concat();
        at = end;
    }
    painted + &text[at..]
}

fn code(role: Role) -> Option<&'static str> {
    match role {
        Role::Comment => Some("2"),
        Role::Keyword => Some("35"),
        Role::String => Some("32"),
        Role::Number => Some("36"),
        Role::Function => Some("34"),
        Role::Type | Role::Namespace => Some("33"),
        Role::Operator | Role::Variable | Role::Parameter | Role::Property => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_assist::pieces;

    #[test]
    fn words_are_coloured_by_what_they_are() {
        let text = "let a = \"x\" # note";
        let painted = painted(text, pieces(text, &[], crate::engine().registry()));
        let wanted = "\x1b[35mlet\x1b[0m a = \x1b[32m\"x\"\x1b[0m \x1b[2m# note\x1b[0m";
        assert_eq!(painted, wanted);
    }
}
