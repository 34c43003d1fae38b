//! The secrets of webhooks. They are made of the pepper, so a copy of the database has none of them.

use svc_signatures::Key;
use svc_store::book::{Book, HookRow};

use crate::access::keys::DAY;

/// How long the secret before also signs after a rotation, in milliseconds.
pub const OVERLAP: i64 = DAY;

const SIGNING: &str = "svc 2026 secrets of what is sent about jobs";
const HOOKS: &str = "svc 2026 secrets of hooks";

/// The secret that signs what is sent for an owner, by its number from 1.
pub fn signing(book: &Book, owner: &str, generation: u32) -> Key {
    made(book, SIGNING, &format!("{owner}\0{generation}"))
}

/// The secret of a hook that no one chose.
pub fn of_hook(book: &Book, hook: &HookRow) -> Key {
    made(book, HOOKS, &hook.id)
}

/// The keys that sign for an owner now.
pub(super) fn all_signing(
    book: &Book,
    owner: &str,
    now: i64,
) -> Result<Vec<Key>, svc_contract::store::StoreError> {
    let (generation, since) = book.signing(owner)?;
    let mut keys = vec![signing(book, owner, generation)];
    if generation > 1 && now < since.saturating_add(OVERLAP) {
        keys.push(signing(book, owner, generation - 1));
    }
    Ok(keys)
}

fn made(book: &Book, purpose: &str, of: &str) -> Key {
    let key = book.pepper().derive(purpose);
    Key::new(blake3::keyed_hash(&key, of.as_bytes()).as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use svc_host_os::OsHost;

    use super::*;

    #[test]
    fn each_owner_and_generation_has_a_secret_of_its_own() {
        let host = OsHost::default();
        let books = [Book::in_memory(&host).unwrap(), Book::in_memory(&host).unwrap()];
        let mut all = Vec::new();
        for book in &books {
            for (owner, generation) in [("ann", 1), ("ann", 2), ("bob", 1)] {
                all.push(signing(book, owner, generation).reveal());
            }
        }
        assert_eq!(all[0], signing(&books[0], "ann", 1).reveal());
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 6);
    }

    #[test]
    fn two_secrets_sign_for_a_day_after_a_rotation() {
        let book = Book::in_memory(&OsHost::default()).unwrap();
        let at = |now: i64| all_signing(&book, "ann", now).unwrap().len();
        assert_eq!(at(5), 1);
        book.rotate_signing("ann".to_owned(), 10).wait().unwrap();
        assert_eq!([at(10), at(10 + OVERLAP - 1), at(10 + OVERLAP)], [2, 2, 1]);
    }
}
