//! Names of a document as names of scripts.

use std::collections::{HashMap, HashSet};

/// A name in snake case: `repos/listForOrg` is `repos_list_for_org`, `HTTPServer` is
/// `http_server`. Everything but ASCII letters and digits separates words.
pub fn snake(text: &str) -> String {
    let signs: Vec<char> = text.chars().collect();
    let mut name = String::new();
    for (idx, sign) in signs.iter().enumerate() {
        if !sign.is_ascii_alphanumeric() {
            if !name.is_empty() && !name.ends_with('_') {
                name.push('_');
            }
            continue;
        }
        let before = idx.checked_sub(1).map(|it| signs[it]);
        let next_is_lower = signs.get(idx + 1).is_some_and(char::is_ascii_lowercase);
        let begins_word = sign.is_ascii_uppercase()
            && before.is_some_and(|it| {
                it.is_ascii_lowercase()
                    || it.is_ascii_digit()
                    || (it.is_ascii_uppercase() && next_is_lower)
            });
        if begins_word && !name.ends_with('_') {
            name.push('_');
        }
        name.push(sign.to_ascii_lowercase());
    }
    name.truncate(LONGEST);
    let name = name.trim_matches('_');
    match name.chars().next() {
        Some(first) if first.is_ascii_lowercase() => name.to_owned(),
        Some(_) => format!("n{name}"),
        None => String::new(),
    }
}

/// The longest name, in bytes.
const LONGEST: usize = 120;

/// Whether a text is a name in lower case.
pub fn is_name(text: &str) -> bool {
    let is_sign = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'_';
    text.bytes().next().is_some_and(|it| it.is_ascii_lowercase()) && text.bytes().all(is_sign)
}

/// The name of a type: `repository-full` is `RepositoryFull`.
pub(crate) fn camel(text: &str) -> String {
    let mut name = String::new();
    for word in snake(text).split('_').filter(|it| !it.is_empty()) {
        let (first, rest) = word.split_at(1);
        name.push_str(&first.to_ascii_uppercase());
        name.push_str(rest);
    }
    if name.is_empty() { "Type".to_owned() } else { name }
}

/// Names that differ from each other.
#[derive(Debug, Default)]
pub struct Names {
    taken: HashSet<String>,
    /// The last number added to a name.
    numbers: HashMap<String, u64>,
}

impl Names {
    /// The name, changed if it is taken: by `hint`, or else by a number.
    pub fn distinct(&mut self, name: String, hint: &str) -> String {
        if self.taken.insert(name.clone()) {
            return name;
        }
        let hinted = format!("{name}{hint}");
        if !hint.is_empty() && self.taken.insert(hinted.clone()) {
            return hinted;
        }
        let mut number = self.numbers.get(&name).copied().unwrap_or(1);
        let found = loop {
            number += 1;
            let numbered = format!("{name}_{number}");
            if self.taken.insert(numbered.clone()) {
                break numbered;
            }
        };
        self.numbers.insert(name, number);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{camel, snake};

    #[test]
    fn names_are_in_snake_case() {
        for (text, wanted) in [
            ("listPets", "list_pets"),
            ("repos/list-for-org", "repos_list_for_org"),
            ("HTTPServerName", "http_server_name"),
            ("getV2User", "get_v2_user"),
            ("GET /pets/{petId}", "get_pets_pet_id"),
            ("+1", "n1"),
            ("X-Request-ID", "x_request_id"),
            ("créer", "cr_er"),
            ("_links", "links"),
            ("名前", ""),
        ] {
            assert_eq!(snake(text), wanted, "{text}");
        }
        assert_eq!(camel("repository-full"), "RepositoryFull");
        assert_eq!(camel("io.k8s.api.core.v1.Pod"), "IoK8sApiCoreV1Pod");
    }
}
