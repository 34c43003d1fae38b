//! The keywords of the language, with the text to insert.

/// Stages that are keywords: those for lists, and those for any value.
pub(super) const OF_LISTS: [(&str, &str); 5] = [
    ("each", "each { $0 }"),
    ("each?", "each? { $0 }"),
    ("where", "where { $0 }"),
    ("sort", "sort { $0 }"),
    ("group", "group { $0 }"),
];
pub(super) const OF_ALL: [(&str, &str); 5] = [
    ("parallel", "parallel { ${1:name}: $0 }"),
    ("race", "race { ${1:name}: $0 }"),
    ("if", "if ${1:condition} { ${2:it} } else { ${3:it} }"),
    ("match", "match ${1:it} { $0 }"),
    ("repeat", "repeat ${1:3} { ${2:it} } until ${3:condition} else { ${4:it} }"),
];
pub(super) const STATEMENTS: [(&str, &str); 9] = [
    ("let", "let ${1:name} = $0"),
    ("param", "param ${1:name}: ${2:string}"),
    ("flow", "flow ${1:name}(${2:x}: ${3:string}) -> ${4:string} {\n  $0\n}"),
    ("type", "type ${1:Name} = { ${2:field}: ${3:string} }"),
    ("secret", "secret ${1:name}"),
    ("use", "use \"${1:./file.svc}\" as ${2:name}"),
    ("test", "test \"${1:what holds}\" {\n  $0\n}"),
    ("mock", "mock ${1:component} = $0"),
    ("svc", "svc 1"),
];
pub(super) const IN_TESTS: [(&str, &str); 3] =
    [("let", "let ${1:name} = $0"), ("expect", "expect $0"), ("mock", "mock ${1:component} = $0")];
pub(super) const MORE: [(&str, &str); 5] = [
    ("within", "within { $0 }"),
    ("fallback", "fallback $0"),
    ("and", "and"),
    ("or", "or"),
    ("as", "as"),
];
