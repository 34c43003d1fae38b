//! Help texts that depend on how a reader uses svc: as a command, or inside another program.

/// A help text that names a way out, which a program that embeds the engine may word itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    id: HintId,
    values: Vec<(&'static str, String)>,
}

/// The help of a problem: a text, or a hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advice {
    /// The same text for everyone.
    Text(String),
    /// A text that depends on the reader.
    Hint(Hint),
}

impl Advice {
    /// The text, without words of the command line, and the hint if it is one.
    pub fn parts(self) -> (String, Option<Hint>) {
        match self {
            Self::Text(text) => (text, None),
            Self::Hint(hint) => (hint.plain(), Some(hint)),
        }
    }
}

impl From<&str> for Advice {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Advice {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Hint> for Advice {
    fn from(hint: Hint) -> Self {
        Self::Hint(hint)
    }
}

impl From<HintId> for Advice {
    fn from(id: HintId) -> Self {
        Self::Hint(id.into())
    }
}

macro_rules! hints {
    ($($hint:ident $name:literal $plain:literal $command:literal,)*) => {
        /// What a hint is about. The list will grow.
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum HintId {
            $(#[doc = $plain] $hint,)*
        }

        impl HintId {
            /// Every hint.
            pub const ALL: &'static [Self] = &[$(Self::$hint),*];

            /// A name that stays the same in later versions.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$hint => $name,)*
                }
            }

            /// The text without words of the command line. Names in braces stand for values.
            pub fn plain(self) -> &'static str {
                match self {
                    $(Self::$hint => $plain,)*
                }
            }

            /// The text for those who use the command `svc`.
            pub fn command_line(self) -> &'static str {
                match self {
                    $(Self::$hint => $command,)*
                }
            }
        }
    };
}

hints! {
    AllowEffect "allow_effect"
        "allow `{rule}` in the policy"
        "use `--allow \"{rule}\"` to allow it",
    AllowFolder "allow_folder"
        "allow `{verb} fs:FOLDER` in the policy, with a folder that contains `{param}`"
        "use `--allow \"{verb} fs:FOLDER\"`, with a folder that contains `{param}`",
    AllowPort "allow_port"
        "allow `{rule}:PORT` in the policy, with the port of the address, which is not on the open internet"
        "use `--allow \"{rule}:PORT\"`, with the port of the address, which is not on the open internet",
    AllowAddress "allow_address"
        "allow `reads web:HOST:PORT` in the policy, with the host and the port of the address"
        "allow the host when running the script, with its port if it is on this machine or a private network: `--allow \"reads web:HOST:PORT\"`",
    AllowImport "allow_import"
        "with a policy, a script can use only files in its own folder, the standard library, and files that a rule `reads fs:FOLDER` allows; a denial takes precedence"
        "with rules, a script can use only files in its own folder, the standard library, and files allowed with `--allow \"reads fs:FOLDER\"`; a denial takes precedence",
    RemoveRule "remove_rule"
        "remove the rule `{rule}` that denies it: an allowed effect cannot override it"
        "remove the rule `{rule}` that denies it: `--allow` cannot override it",
    DefineName "define_name"
        "define the name with `let` or `flow`"
        "run `svc components` for a list, or define the name with `let` or `flow`",
    NothingFits "nothing_fits"
        "nothing known fits here"
        "nothing known fits here: run `svc components` to list all components",
    TooManyArguments "too_many_arguments"
        "remove the argument: `{op}` takes at most {limit}"
        "run `svc inspect {op}` to see its arguments",
    BuildValue "build_value"
        "build the expected value with `{ .. }`"
        "build the expected value with `{ .. }`, or see `svc inspect {op}`",
    NameLearner "name_learner"
        "name a component that learns"
        "name a component that learns: `svc components --learns` lists them",
    BuildFeature "build_feature"
        "build the program with the feature `{feature}` of svc"
        "build it in with `cargo install svc --features {feature}`",
    NameModel "name_model"
        "name a model of the store, or use its id"
        "`svc models` lists the models of the store, with their ids and names",
    LoadModel "load_model"
        "name a model of the store; `load` reads one from a file"
        "`svc models` lists the models of the store; `load` reads one from a file",
    FindModel "find_model"
        "name a model of this store"
        "`svc models` lists the models of this store",
    RetryWrite "retry_write"
        "check whether it did, then allow the write at `{path}` to be repeated"
        "check whether it did, then run it again with `--retry-write '{path}'`",
    RaiseMemory "raise_memory"
        "keep less of each item, such as with `take`, `where` or `len` inside the `each`, or raise the memory limit of the run"
        "keep less of each item, such as with `take`, `where` or `len` inside the `each`, or raise `--max-memory`",
    RunAgain "run_again"
        "run the script again"
        "run the script again; `svc show {run}` shows what is left",
    CheckScript "check_script"
        "check the script to see why"
        "run `svc check` to see why",
    ListCalls "list_calls"
        "name the path of one of its calls"
        "list its calls with `svc show {run}`",
    ListRuns "list_runs"
        "name a run of the store"
        "list all runs with `svc runs`",
    StoreDamaged "store_damaged"
        "set the damaged file aside, or restore a copy of it"
        "run `svc doctor` for details; it can set the damaged file aside",
    StoreReadOnly "store_read_only"
        "choose another store, or run without one"
        "choose another store with `--store FILE`, or run without one with `--no-store`",
    StoreFull "store_full"
        "remove old runs, or choose another place for the store"
        "remove old runs with `svc runs prune`, or choose another place with `--store FILE`",
    StoreFailed "store_failed"
        "check that the disk has space and works, and that no limit on the size of files applies"
        "check that the disk has space and works, and that no limit on the size of files applies; then check the store with `svc doctor`",
    StorePlace "store_place"
        "choose another place for the store"
        "choose another place with `--store FILE`",
    StoreFile "store_file"
        "choose another file for the store"
        "choose another file with `--store FILE`",
    StoreNewer "store_newer"
        "use that version of svc, or choose another file for the store"
        "install that version, or choose another file with `--store FILE`",
    StoreCopy "store_copy"
        "copy `{file}` and `{file}-wal` to another folder, and open the copy"
        "copy `{file}` and `{file}-wal` to another folder, and open the copy with `--store FILE`",
    StoreMissing "store_missing"
        "open the store for writing to create it"
        "create it with `svc run`",
    StoreGone "store_gone"
        "unwritten records are lost; open the store again"
        "unwritten records are lost; check the store with `svc doctor`",
}

impl Hint {
    /// A hint without values.
    pub fn new(id: HintId) -> Self {
        Self { id, values: Vec::new() }
    }

    /// Adds a value that its texts contain.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "values are given as the caller has them")]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.values.push((name, value.to_string()));
        self
    }

    /// What it is about.
    pub fn id(&self) -> HintId {
        self.id
    }

    /// A value of it, such as the `rule` that would allow an effect.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(it, _)| *it == name).map(|(_, value)| value.as_str())
    }

    /// The text without words of the command line.
    pub fn plain(&self) -> String {
        self.filled(self.id.plain())
    }

    /// The text for those who use the command `svc`.
    pub fn command_line(&self) -> String {
        self.filled(self.id.command_line())
    }

    /// Puts the values into a text, each once: a value may contain braces itself.
    fn filled(&self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            let (before, from) = rest.split_at(at);
            filled.push_str(before);
            let end = from.find('}').map_or(from.len(), |it| it + 1);
            match self.value(from[..end].trim_matches(['{', '}'])) {
                Some(value) => filled.push_str(value),
                None => filled.push_str(&from[..end]),
            }
            rest = &from[end..];
        }
        filled + rest
    }
}

impl From<HintId> for Hint {
    fn from(id: HintId) -> Self {
        Self::new(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_put_in_once() {
        let hint = Hint::new(HintId::BuildValue).with("op", "{op}");
        assert_eq!(hint.plain(), "build the expected value with `{ .. }`");
        let text = "build the expected value with `{ .. }`, or see `svc inspect {op}`";
        assert_eq!(hint.command_line(), text);
        let file = Hint::new(HintId::StoreCopy).with("file", "a.db");
        assert!(file.plain().starts_with("copy `a.db` and `a.db-wal`"));
    }

    #[test]
    fn plain_texts_have_no_words_of_the_command_line() {
        for id in HintId::ALL {
            let plain = id.plain();
            assert!(!plain.contains("--") && !plain.contains("`svc "), "{plain}");
        }
    }
}
