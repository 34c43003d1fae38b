//! Words and signs in expressions.

use super::Construct;

pub(super) const ALL: &[Construct] = &[
    Construct {
        words: &[">>"],
        says: &[
            "chain steps one after another",
            "pipe a result into the next stage",
            "pass on the output",
            "connect stages",
        ],
        summary: "Passes the value on its left to the stage on its right.",
        form: "value >> stage >> stage",
        example: "\"a small text\" >> words >> take(n: 2) >> join(sep: \"-\")",
        result: "\"a-small\"",
        fails: "A stage of another input type is E203, which names the stage that converts.",
        chapter: "language.md#pipelines-and-stages",
    },
    Construct {
        words: &["it"],
        says: &[
            "the current item",
            "value that comes in",
            "refer to the element inside a block",
            "this or self",
        ],
        summary: "Is the value that enters the current stage; `.x` is short for `it.x`.",
        form: "it\n.field",
        example: "[1, 2, 3] >> each { it * it }",
        result: "[1,4,9]",
        fails: "In a block of `each`, `where`, `sort` and `group` it is the item. At the top level \
                of a script or flow, nothing enters, so `it` is not defined.",
        chapter: "language.md#it",
    },
    Construct {
        words: &["and", "or", "not"],
        says: &[
            "combine two conditions",
            "both must be true",
            "either one or the other",
            "negate a test",
        ],
        summary: "Combine conditions.",
        form: "condition and condition\ncondition or condition\nnot condition",
        example: "[1, 2, 3, 4] >> where { it > 1 and not (it == 3 or it > 9) }",
        result: "[2,4]",
        fails: "The right side is evaluated only if needed. `or` binds less tightly than `and`.",
        chapter: "language.md#expressions-and-operators",
    },
    Construct {
        words: &["as"],
        says: &["cast json to a type", "treat unknown data as a record", "alias for an import"],
        summary: "Validates a `json` value and gives it a type; after `use`, names an import.",
        form: "value as type\nuse \"file.svc\" as name",
        example: "let data = '{\"id\": 7}' >> parse_json\n\n(data as { id: int }).id",
        result: "7",
        fails: "A value that does not match fails with the kind `invalid_input`, and the place is \
                named. Only `json` can be converted so; `to_int`, `show` and others convert the rest.",
        chapter: "language.md#values-from-outside",
    },
    Construct {
        words: &["true", "false"],
        says: &["boolean constants", "yes and no as values", "switch something on or off"],
        summary: "Are the two values of the type `bool`.",
        form: "true\nfalse",
        example: "{ ready: true, empty: len([]) > 0 }",
        result: "{\"empty\":false,\"ready\":true}",
        fails: "Other values are not conditions: compare them, as in `len(items) > 0`.",
        chapter: "language.md#literals-and-units",
    },
    Construct {
        words: &["null"],
        says: &[
            "missing or absent value",
            "none, nil or undefined",
            "optional field without a value",
        ],
        summary: "Is the absent value of an optional type `T?`.",
        form: "null",
        example: "type Note = { title: string, kind: string? }\n\nlet note: Note = { title: \"tea\" }\n\
                  note.kind == null",
        result: "true",
        fails: "A field that is absent is null. A `T?` is not accepted as a `T`: add `?? value`, or \
                compare it with null in an `if`.",
        chapter: "language.md#types",
    },
    Construct {
        words: &["??", "?."],
        says: &[
            "default when a value is missing",
            "use another value instead of null",
            "null coalescing",
            "optional chaining",
        ],
        summary: "`x ?? y` is `y` where `x` is null; `x?.f` is null where `x` is null.",
        form: "value ?? value\nvalue?.field",
        example: "let found: { name: string? }? = { name: null }\n\nfound?.name ?? \"unknown\"",
        result: "\"unknown\"",
        fails: "The left side must be able to be null. A failure is not null: `fallback` replaces \
                failures.",
        chapter: "language.md#expressions-and-operators",
    },
];
