//! Words that begin a statement of a script.

use super::Construct;

pub(super) const ALL: &[Construct] = &[
    Construct {
        words: &["svc"],
        says: &[
            "which version of the language a script is for",
            "edition line at the top",
            "limit the cost or the time of the whole script",
        ],
        summary: "States the edition of the language, and may bound the main pipeline.",
        form: "svc 1\nsvc 1 within { bound: value, .. }",
        example: "svc 1 within { timeout: 1m }\n\n\"tea\" >> upper",
        result: "\"TEA\"",
        fails: "The line is optional and comes first. This version knows edition 1.",
        chapter: "language.md#the-edition-line",
    },
    Construct {
        words: &["param"],
        says: &[
            "pass an argument to a script on the command line",
            "input of a script with a default",
            "make a value configurable",
            "options that the caller sets",
        ],
        summary: "Declares an input of the script.",
        form: "param name: type\nparam name: type = default",
        example: "## The person to greet.\nparam name: string = \"world\"\n\n\"hello ${name}\"",
        result: "\"hello world\"",
        fails: "Without a default, a run needs a value: `svc run FILE -p name=Ann`. A value of \
                another type is refused before anything runs. A default cannot use other params.",
        chapter: "language.md#parameters",
    },
    Construct {
        words: &["secret"],
        says: &[
            "api key or password in a script",
            "token from the environment that must not be logged",
            "keep credentials out of the output",
        ],
        summary: "Declares a text that the host provides and that is never shown.",
        form: "secret name",
        example: "secret weather_key\n\nflow forecast(town: string, key: secret<string>) -> string \
                  {\n  \"sunny in ${town}\"\n}\n\n\"Oslo\" >> forecast(key: weather_key)",
        result: "\"sunny in Oslo\"",
        fails: "On the command line the value comes from the variable `SVC_SECRET_NAME`, or from \
                the file that `SVC_SECRET_NAME_FILE` names. A run with a missing secret does not \
                start. Showing, comparing or returning a secret is E308.",
        chapter: "language.md#secrets",
    },
    Construct {
        words: &["type"],
        says: &[
            "define a record with fields",
            "declare a struct or schema",
            "enum of allowed values",
            "name for the shape of my data",
        ],
        summary: "Gives a name to a type: a record, a list, an enum or another one.",
        form: "type Name = type",
        example: "type Team = \"billing\" | \"repairs\"\ntype Case = { title: string, team: Team }\n\n\
                  let case: Case = { title: \"lost key\", team: \"repairs\" }\ncase.team",
        result: "\"repairs\"",
        fails: "The name begins with a capital letter.",
        chapter: "language.md#types",
    },
    Construct {
        words: &["use"],
        says: &[
            "import another file",
            "include a module or library",
            "share flows between scripts",
            "load the standard library",
        ],
        summary: "Imports the flows, types and templates of another file.",
        form: "use \"file.svc\" as name\nuse \"std:module\" as name",
        example: "use \"std:panel\" as panel\n\n[\"tea\", \"Tea\", \"milk\"] >> panel.majority >> .winner",
        result: "\"tea\"",
        fails: "The path is relative to the folder of the script. A circular import is E213, and a \
                file that cannot be read is E225.",
        chapter: "language.md#other-files",
    },
    Construct {
        words: &["flow"],
        says: &[
            "define my own function",
            "reusable step with parameters",
            "give a pipeline a name to call it again",
            "write a subroutine",
        ],
        summary: "Defines a stage of your own: a named pipeline with parameters.",
        form: "flow name(input: type, param: type = default) -> type { pipeline }\nflow name<T>(..) \
               -> type { pipeline }\nflow name(..) -> type within { bound: value } { pipeline }",
        example: "## The first words of a text.\nflow opening(of: string, most: int = 5) -> string {\n  \
                  of >> words >> take(n: most) >> join(sep: \" \")\n}\n\n\"one two three\" >> \
                  opening(most: 2)",
        result: "\"one two\"",
        fails: "The first parameter receives the entering value. A flow sees only its parameters, \
                other flows, imports and components, and cannot call itself.",
        chapter: "language.md#flows",
    },
    Construct {
        words: &["let"],
        says: &[
            "assign a value to a variable",
            "store an intermediate result",
            "name a value to use it twice",
            "compute something once",
        ],
        summary: "Gives a name to a value, which is computed once.",
        form: "let name = pipeline\nlet name: type = pipeline",
        example: "let parts = \"a small text\" >> words\n\n{ count: len(parts), first: parts[0] }",
        result: "{\"count\":3,\"first\":\"a\"}",
        fails: "The name is visible in the statements below. An unused `let` is a warning, unless \
                its name begins with `_`.",
        chapter: "language.md#lets",
    },
    Construct {
        words: &["test"],
        says: &[
            "write a unit test for a script",
            "check that my flow works",
            "test case",
            "run without touching the world",
        ],
        summary: "Checks that a script does what it should; `svc test` runs it without effects.",
        form: "test \"name\" { mock .. let .. expect .. }",
        example: "flow double(n: int) -> int { n * 2 }\n\ntest \"two is doubled\" {\n  let r = 2 >> \
                  double\n  expect r == 4\n}\n\n3 >> double",
        result: "6",
        fails: "A component that reads, writes, spends or asks needs a `mock`, or the test fails \
                with E415. Names of tests are unique in a file.",
        chapter: "language.md#tests",
    },
    Construct {
        words: &["mock"],
        says: &[
            "fake the answer of a model in a test",
            "stub a component",
            "pretend that a request returned something",
            "canned response",
        ],
        summary: "Sets the result of a component in tests.",
        form: "mock component = value\nmock component<type> = value\nmock component(argument: value) \
               = value\nmock component = fail(\"message\", \"kind\")",
        example: "flow size(file: path) -> int { read_text(path: file) >> len }\n\nmock read_text = \
                  \"four\"\n\ntest \"a file is measured\" {\n  let r = size(path(\"a.txt\"))\n  expect r \
                  == 4\n}\n\n\"tea\" >> len",
        result: "3",
        fails: "A mock that no call uses is a warning (E416). Pure functions and flows cannot be \
                mocked (E226).",
        chapter: "language.md#what-runs-and-what-is-mocked",
    },
    Construct {
        words: &["expect"],
        says: &[
            "assert that something is true",
            "compare the result of a test",
            "check an outcome in a test",
        ],
        summary: "States a condition that must hold at the end of a test.",
        form: "expect condition\nexpect fails(pipeline)\nexpect fails(pipeline, kind: \"timeout\")",
        example: "test \"a word is not a number\" {\n  expect fails((\"x\" >> to_int), kind: \
                  \"invalid_input\")\n  expect len(\"tea\") == 3\n}\n\n\"7\" >> to_int",
        result: "7",
        fails: "If a comparison does not hold, both sides are shown. `run.calls(\"ask\")`, \
                `run.cost` and `run.time` are facts about the run.",
        chapter: "language.md#tests",
    },
];
