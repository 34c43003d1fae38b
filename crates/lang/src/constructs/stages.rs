//! Words that begin a stage, or change one.

use super::Construct;

pub(super) const ALL: &[Construct] = &[
    Construct {
        words: &["parallel"],
        says: &[
            "do several things at the same time",
            "run steps concurrently",
            "several results of one input as a record",
            "both this and that from the same value",
        ],
        summary: "Runs branches concurrently, each with the same input, and returns a record.",
        form: "parallel { name: pipeline, optional?: pipeline }",
        example: "\"a small text\" >> parallel {\n  words: words >> len,\n  upper: upper,\n  number?: \
                  to_int,\n}",
        result: "{\"number\":null,\"upper\":\"A SMALL TEXT\",\"words\":3}",
        fails: "If a branch fails, the others are cancelled and the block fails. A branch with `?` \
                becomes null instead.",
        chapter: "language.md#parallel",
    },
    Construct {
        words: &["race"],
        says: &[
            "whichever finishes first wins",
            "ask several services and take the quickest",
            "hedge against a slow service",
        ],
        summary: "Runs branches concurrently, returns the value of the first that succeeds, and \
                  cancels the others.",
        form: "race { name: pipeline, other: pipeline }",
        example: "\"12\" >> race {\n  slow: wait(duration: 2s) >> to_int,\n  quick: to_int,\n}",
        result: "12",
        fails: "Fails if all branches fail, with the error of the first. The branches have one \
                type; they may compute, read, and spend, and all that they spend counts. A resumed \
                run goes on with the winner it had.",
        chapter: "language.md#race",
    },
    Construct {
        words: &["each"],
        says: &[
            "do something for every item",
            "loop over a list",
            "map a function over an array",
            "apply a step to all elements",
            "skip the items that fail",
            "for each file in a folder",
        ],
        summary: "Runs a pipeline for every item of a list, and returns the results in order.",
        form: "each { pipeline }\neach? { pipeline }",
        example: "[\"1\", \"two\", \"3\"] >> each? { to_int } >> compact",
        result: "[1,3]",
        fails: "Items run concurrently; `max_parallel` limits how many. If an item fails, the block \
                fails; with `each?` the item becomes null, also if a cap on the `each?` itself cannot \
                fund it. A record as the result of an item \
                needs two pairs of braces: `each { { title: .title } }`.",
        chapter: "language.md#each",
    },
    Construct {
        words: &["where"],
        says: &[
            "keep only the items that meet a condition",
            "filter a list",
            "rows whose field has a certain value",
            "drop those that do not match",
            "only the paid orders",
            "select records by a test",
            "find the entries older than a date",
        ],
        summary: "Keeps the items for which a condition is true.",
        form: "where { condition }",
        example: "[{ name: \"tea\", score: 0.9 }, { name: \"ink\", score: 0.1 }]\n  >> where { .score > \
                  0.3 }\n  >> each { .name }",
        result: "[\"tea\"]",
        fails: "The condition is a bool. It can use pure functions, but no slow components.",
        chapter: "language.md#where-sort-and-group",
    },
    Construct {
        words: &["sort"],
        says: &[
            "sort by date",
            "order records by a field",
            "descending or ascending order",
            "arrange from largest to smallest",
            "oldest first",
            "alphabetical order",
            "rank by a number",
        ],
        summary: "Sorts a list by a key, ascending; equal keys keep their order.",
        form: "sort { key }\nsort { -number }\nsort { { a: key, b: key } }",
        example: "[\"coffee\", \"tea\", \"milk\"] >> sort { len(it) }",
        result: "[\"tea\",\"milk\",\"coffee\"]",
        fails: "A minus sorts numbers in descending order; `reverse` reverses any list. Several keys \
                are a record: of equal values of the first, the second decides. The key can use pure \
                functions, but no slow components.",
        chapter: "language.md#where-sort-and-group",
    },
    Construct {
        words: &["group"],
        says: &[
            "put items with the same key together",
            "group by a field",
            "items per category",
            "collect records by customer",
        ],
        summary: "Groups items by a key, as a list of `{ key, items }`.",
        form: "group { key }",
        example: "[\"tea\", \"ink\", \"milk\"]\n  >> group { len(it) }\n  >> each { \"${.key}: \
                  ${len(.items)}\" }",
        result: "[\"3: 2\",\"4: 1\"]",
        fails: "Groups are in the order in which their keys first appear. The key can use pure \
                functions, but no slow components.",
        chapter: "language.md#where-sort-and-group",
    },
    Construct {
        words: &["if", "else"],
        says: &[
            "do one thing or another",
            "only when a condition holds",
            "choose between two ways",
            "else branch",
        ],
        summary: "Chooses one of two pipelines by a condition.",
        form: "if condition { pipeline } else { pipeline }\nif condition { pipeline } else if \
               condition { pipeline } else { pipeline }",
        example: "let score = 0.5\n\nif score > 0.8 { \"good\" } else if score > 0.4 { \"fair\" } else \
                  { \"poor\" }",
        result: "\"fair\"",
        fails: "Both arms are required and have one type. An arm `null` makes it optional, and \
                `fail(\"why\")` fits everywhere.",
        chapter: "language.md#if",
    },
    Construct {
        words: &["match"],
        says: &[
            "a different step for each case",
            "switch on a value",
            "route by category",
            "handle every variant of an enum",
        ],
        summary: "Chooses a pipeline by comparing a value with literals.",
        form: "match value { literal => pipeline, literal | literal => pipeline, _ => pipeline }",
        example: "type Route = \"billing\" | \"bug\" | \"other\"\nlet route: Route = \"bug\"\n\nmatch \
                  route { \"billing\" | \"bug\" => \"support\", \"other\" => \"office\" }",
        result: "\"support\"",
        fails: "The arms must cover every value: all variants of an enum, both bools, or `_` for the \
                rest. They have one type.",
        chapter: "language.md#match",
    },
    Construct {
        words: &["repeat", "until"],
        says: &[
            "loop until it is good enough",
            "try again at most three times",
            "while a condition does not hold",
            "iterate on the result",
        ],
        summary: "Runs a pipeline on its own result until a condition holds, at most N times.",
        form: "repeat N { pipeline } until condition\nrepeat N { pipeline } until condition else { \
               pipeline }",
        example: "1 >> repeat 10 { it * 2 } until it > 100 else { it }",
        result: "128",
        fails: "N is a literal. If the turns are used up, `else` receives the last value; without \
                `else` the stage fails with the kind `exhausted`.",
        chapter: "language.md#repeat",
    },
    Construct {
        words: &["within"],
        says: &[
            "limit the cost of a step",
            "set a timeout",
            "cap tokens or money",
            "retry a step a few times",
            "stop when it takes too long",
            "budget for a stage",
        ],
        summary: "Bounds the stage on its left: time, retries, tokens, money, memory.",
        form: "stage within { timeout: 30s, max_retries: 2, max_cost: $0.10 }",
        example: "\"tea\" >> wait(duration: 1ms) within { timeout: 5s, max_retries: 0 } >> upper",
        result: "\"TEA\"",
        fails: "It binds tighter than `>>`; parentheses extend it to a longer pipeline. A stage that \
                exceeds a bound fails with the kind `timeout` or `budget`.",
        chapter: "language.md#bounds-and-fallback",
    },
    Construct {
        words: &["fallback"],
        says: &[
            "use a default when something fails",
            "catch an error",
            "plan b if a step breaks",
            "second model when the first is down",
            "try and except",
            "ignore a failure",
        ],
        summary: "Runs another stage, with the same input, if the stage on its left fails.",
        form: "stage fallback stage\nstage fallback value",
        example: "\"seven\" >> (parse_int >> show) fallback \"not a number: ${error.kind}\"",
        result: "\"not a number: invalid_input\"",
        fails: "It binds tighter than `>>`. In the alternative, `error.kind` and `error.message` \
                describe the failure.",
        chapter: "language.md#bounds-and-fallback",
    },
    Construct {
        words: &["rhai"],
        says: &[
            "inline code for a calculation",
            "write a small script inside",
            "custom transformation that no component has",
        ],
        summary: "Reshapes a value with inline code in Rhai, which is pure and limited.",
        form: "rhai(input: type, param: type = value) -> type { code }",
        example: "[3, 1, 2] >> rhai(xs: [int]) -> int { let sum = 0; for x in xs { sum += x; } sum }",
        result: "6",
        fails: "Mistakes in the code are E501 and reported by the check. A result of another type \
                fails with the kind `invalid_output`.",
        chapter: "language.md#inline-code",
    },
    Construct {
        words: &["?"],
        says: &[
            "placeholder for something not written yet",
            "which stages fit here",
            "leave a gap to fill in later",
        ],
        summary: "Stands for a stage or value that is not written yet, and lists what fits there.",
        form: "value >> ?\nvalue >> ?name: type -> type  # what it is for\nlet name = ?name: type",
        example: "# With `?` instead of `len`, the check lists the stages that fit.\n\"tea\" >> len",
        result: "3",
        fails: "A hole is always an error (E224), so a script with one does not run. With types, the \
                stages around it are checked all the same.",
        chapter: "language.md#holes",
    },
];
