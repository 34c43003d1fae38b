//! Whose sessions there are: one that belongs to another owner does not exist.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// The most sessions, of all callers and of one key.
const MOST: usize = 4096;
const MOST_OF_KEY: usize = 16;

/// A session that was not used for this long is closed.
pub(super) const IDLE: Duration = Duration::from_mins(30);

/// The sessions and who began them.
#[derive(Default)]
pub(super) struct Sessions(Mutex<HashMap<String, Session>>);

struct Session {
    /// The key; the owner for a caller without one.
    of: String,
    used: Instant,
}

/// Why no session can begin.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Full;

impl Sessions {
    /// Whether a session is one of this caller, who uses it now.
    pub(super) fn is_of(&self, id: &str, of: &str) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(session) = all.get_mut(id).filter(|it| it.of == of) else { return false };
        session.used = Instant::now();
        true
    }

    /// The sessions to close so that a caller may begin one more: of a key, the one that was not
    /// used for longest if there are too many.
    pub(super) fn make_room(&self, of: &str, is_local: bool) -> Result<Vec<String>, Full> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, it| it.used.elapsed() < IDLE);
        let mut closed = Vec::new();
        let own = || all.iter().filter(|(_, it)| it.of == of);
        if !is_local && own().count() >= MOST_OF_KEY {
            closed.extend(own().min_by_key(|(_, it)| it.used).map(|(id, _)| id.clone()));
        }
        for id in &closed {
            all.remove(id);
        }
        if all.len() >= MOST { Err(Full) } else { Ok(closed) }
    }

    pub(super) fn begin(&self, id: &str, of: &str) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(id.to_owned(), Session { of: of.to_owned(), used: Instant::now() });
    }

    pub(super) fn end(&self, id: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_that_of_its_caller() {
        let sessions = Sessions::default();
        sessions.begin("a", "one");
        assert!(sessions.is_of("a", "one"));
        assert!(!sessions.is_of("a", "two") && !sessions.is_of("b", "one"));
        sessions.end("a");
        assert!(!sessions.is_of("a", "one"));
    }

    #[test]
    fn a_key_has_sixteen_and_its_oldest_one_makes_room() {
        let sessions = Sessions::default();
        for it in 0..MOST_OF_KEY {
            assert_eq!(sessions.make_room("one", false), Ok(Vec::new()));
            sessions.begin(&it.to_string(), "one");
        }
        assert_eq!(sessions.make_room("two", false), Ok(Vec::new()));
        assert_eq!(sessions.make_room("one", true), Ok(Vec::new()));
        assert!(sessions.is_of("0", "one"));
        assert_eq!(sessions.make_room("one", false), Ok(vec!["1".to_owned()]));
        assert!(!sessions.is_of("1", "one"));
    }

    #[test]
    fn all_callers_together_have_a_limit() {
        let sessions = Sessions::default();
        for it in 0..MOST {
            sessions.begin(&it.to_string(), &it.to_string());
        }
        assert_eq!(sessions.make_room("one", false), Err(Full));
    }
}
