//! Words in types.

use super::Construct;

pub(super) const ALL: &[Construct] = &[
    Construct {
        words: &["string", "int", "float", "bool"],
        says: &["basic data types", "type of a text or a number", "integer, decimal and boolean"],
        summary: "Are the types of texts, whole numbers, decimals, and `true` or `false`.",
        form: "string\nint\nint 1..5\nfloat\nfloat 0..1\nbool",
        example: "param most: int 1..9 = 2\n\n[\"a\", \"b\", \"c\"] >> take(n: most)",
        result: "[\"a\",\"b\"]",
        fails: "An int becomes a float where one is expected; other conversions need a component, \
                such as `to_int` or `show`.",
        chapter: "language.md#types",
    },
    Construct {
        words: &["duration", "money", "size", "path", "bytes"],
        says: &[
            "units such as seconds, dollars or megabytes",
            "amount of time or money",
            "type of a file name",
        ],
        summary: "Are the types of amounts with a unit, of paths to files, and of raw bytes.",
        form: "30s\n$0.10\n10MB\npath(\"notes/a.txt\")",
        example: "{ wait: 1m + 30s, cost: $0.10 * 3, half: 10MB / 2 }",
        result: "{\"cost\":\"$0.30\",\"half\":5000000,\"wait\":\"1m30s\"}",
        fails: "Amounts of different types cannot be added. A string literal becomes a path where \
                one is expected.",
        chapter: "language.md#literals-and-units",
    },
    Construct {
        words: &["date"],
        says: &[
            "compare two days of the calendar",
            "type of a day or an instant",
            "literal for a day",
            "subtract dates",
        ],
        summary: "Is the type of a day of the calendar; `time` is that of an instant.",
        form: "date\ntime\n\"2026-06-01\"\n\"2026-06-01T09:30:00Z\"",
        example: "let due: date = \"2026-06-01\"\n\n{ late: due < \"2026-07-01\", next: due + 48h }",
        result: "{\"late\":true,\"next\":\"2026-06-03\"}",
        fails: "A string literal becomes a date or a time where one is expected; other texts need \
                `parse_date`, or `as date`.",
        chapter: "language.md#times-and-dates",
    },
    Construct {
        words: &["map"],
        says: &[
            "dictionary type with unknown keys",
            "values by key",
            "hash table or associative array",
        ],
        summary: "Is the type of values by keys that only the run knows.",
        form: "map<type>",
        example: "let stock: map<int> = '{\"tea\": 3}' >> parse_json<map<int>>()\n\nstock[\"tea\"]",
        result: "3",
        fails: "A key may be absent, so the result of `stock[\"tea\"]` is optional. To change every \
                item of a list, use `each`.",
        chapter: "language.md#types",
    },
    Construct {
        words: &["json"],
        says: &["type of data without a schema", "any value whatsoever", "untyped data"],
        summary: "Is the type of any value whose form is unknown before the run.",
        form: "json\nvalue as type",
        example: "let data: json = '[1, 2]' >> parse_json\n\ndata as [int] >> sum",
        result: "3",
        fails: "It has no known fields: give it a type with `as`, or with `parse_json<T>()`.",
        chapter: "language.md#values-from-outside",
    },
    Construct {
        words: &["Model"],
        says: &["type of a trained model", "what a component learned", "pass a model to an op"],
        summary: "Is the type of what a component has learned.",
        form: "Model<component>",
        example: "# A flow that takes a model: `svc inspect rerank` shows how one is learned.\n\
                  flow name_of(of: string, model: Model<rerank>?) -> string { of }\n\n\
                  \"tea\" >> name_of(model: null)",
        result: "\"tea\"",
        fails: "Only the component that learned a model accepts it.",
        chapter: "learning.md#models",
    },
];
