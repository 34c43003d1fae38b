//! Each construct of the language, in any size.

/// A construct of a size.
pub(super) type Shape = (&'static str, fn(usize) -> String);

fn many(n: usize, sep: &str, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(sep)
}

/// A depth that still checks.
fn deep(n: usize) -> usize {
    n.min(60)
}

pub(super) const ALL: &[Shape] = &[
    ("long name", |n| format!("let {0} = 1\n{0} + 1", "a".repeat(n * 20))),
    ("long unknown name", |n| format!("{} + 1", "a".repeat(n * 20))),
    ("long unknown stage", |n| format!("1 >> {}", "a".repeat(n * 20))),
    ("long string", |n| format!("\"{}\" >> upper", "x".repeat(n * 50))),
    ("open string", |n| format!("\"{} >> upper", "x".repeat(n * 50))),
    ("long number", |n| "1".repeat(n * 10)),
    ("long comment", |n| format!("# {}\n1", "x".repeat(n * 50))),
    ("comments", |n| format!("{}\n1", many(n, "\n", |i| format!("# {i}")))),
    ("comments in a list", |n| format!("[\n{}\n]", many(n, "\n", |i| format!("{i}, # {i}")))),
    ("trailing comments", |n| many(n, "\n", |i| format!("let a{i} = {i} # {i}")) + "\na0"),
    ("blank lines", |n| "\n".repeat(n * 20) + "1"),
    ("spaces", |n| format!("1 >>{}upper", " ".repeat(n * 50))),
    ("list", |n| format!("[{}]", many(n, ", ", |i| i.to_string()))),
    ("list of strings", |n| format!("[{}]", many(n, ", ", |i| format!("\"{i}\"")))),
    ("list of records", |n| {
        format!("[{}]", many(n, ", ", |i| format!("{{ a: {i}, b: \"{i}\" }}")))
    }),
    ("list of wider records", |n| {
        format!(
            "[{}]",
            many(n, ", ", |i| format!(
                "{{ a: {i}, {} }}",
                if i % 2 == 0 { "b: 1" } else { "b: 2, c: 3" }
            ))
        )
    }),
    ("list of mixed", |n| {
        format!(
            "[{}]",
            many(n, ", ", |i| if i % 2 == 0 { "1".into() } else { "\"a\"".to_string() })
        )
    }),
    ("list of lists", |n| format!("[{}]", many(n, ", ", |i| format!("[{i}]")))),
    ("deep lists", |n| {
        many(n, "\n", |i| format!("let a{i} = {}{}", "[".repeat(deep(n)), "]".repeat(deep(n))))
            + "\na0"
    }),
    ("record", |n| format!("{{ {} }}", many(n, ", ", |i| format!("f{i}: {i}")))),
    ("record twice", |n| format!("{{ {} }}", many(n, ", ", |_| "f: 1".into()))),
    ("records in a row", |n| {
        many(n, "\n", |i| format!("let a{i} = {{ a: {i}, b: [{i}] }}")) + "\na0"
    }),
    ("spreads", |n| format!("let r = {{ a: 1 }}\n{{ {} }}", many(n, ", ", |_| "...r".into()))),
    ("record type", |n| format!("type T = {{ {} }}\n1", many(n, ", ", |i| format!("f{i}: int")))),
    ("record type used", |n| {
        format!(
            "type T = {{ {} }}\nlet x: T = {{ {} }}\nx.f0",
            many(n, ", ", |i| format!("f{i}: int")),
            many(n, ", ", |i| format!("f{i}: {i}"))
        )
    }),
    ("enum", |n| format!("type T = {}\n1", many(n, " | ", |i| format!("\"v{i}\"")))),
    ("enum matched", |n| {
        format!(
            "type T = {}\nparam x: T\nmatch x {{ {} }}",
            many(n, " | ", |i| format!("\"v{i}\"")),
            many(n, ", ", |i| format!("\"v{i}\" => {i}"))
        )
    }),
    ("enum not covered", |n| {
        format!(
            "type T = {}\nparam x: T\nmatch x {{ \"v0\" => 1 }}",
            many(n, " | ", |i| format!("\"v{i}\""))
        )
    }),
    ("enum wrong values", |n| {
        format!(
            "type T = {}\nlet x: [T] = [{}]\nx",
            many(n, " | ", |i| format!("\"v{i}\"")),
            many(n, ", ", |i| format!("\"w{i}\""))
        )
    }),
    ("match", |n| {
        format!("let x = 5\nmatch x {{ {}, _ => 0 }}", many(n, ", ", |i| format!("{i} => {i}")))
    }),
    ("match strings", |n| {
        format!(
            "param x: string\nmatch x {{ {}, _ => 0 }}",
            many(n, ", ", |i| format!("\"{i}\" => {i}"))
        )
    }),
    ("match patterns of one arm", |n| {
        format!("param x: int\nmatch x {{ {} => 1, _ => 0 }}", many(n, " | ", |i| i.to_string()))
    }),
    ("match same arms", |n| {
        format!("param x: int\nmatch x {{ {}, _ => 0 }}", many(n, ", ", |_| "1 => 1".into()))
    }),
    ("match arms of other types", |n| {
        format!(
            "param x: int\nmatch x {{ {}, _ => 0 }}",
            many(n, ", ", |i| format!("{i} => {}", if i % 2 == 0 { "1" } else { "\"a\"" }))
        )
    }),
    ("params", |n| many(n, "\n", |i| format!("param p{i}: int = {i}")) + "\np0"),
    ("params of a flow", |n| {
        format!(
            "flow f({}) -> int {{ a0 }}\nf({})",
            many(n, ", ", |i| format!("a{i}: int")),
            many(n, ", ", |i| format!("a{i}: {i}"))
        )
    }),
    ("wrong named args", |n| {
        format!(
            "flow f(a: int) -> int {{ a }}\nf(a: 1, {})",
            many(n, ", ", |i| format!("b{i}: {i}"))
        )
    }),
    ("positional args", |n| {
        format!("flow f(a: int) -> int {{ a }}\nf({})", many(n, ", ", |i| i.to_string()))
    }),
    ("flows", |n| many(n, "\n", |i| format!("flow f{i}(a: int) -> int {{ a + {i} }}")) + "\nf0(1)"),
    ("flows in a chain", |n| {
        format!(
            "flow f0(a: int) -> int {{ a }}\n{}\nf0(1)",
            many(n, "\n", |i| format!("flow f{}(a: int) -> int {{ f{i}(a + 1) }}", i + 1)),
        )
    }),
    ("flows in a chain that ask", |n| {
        format!(
            "flow f0(a: string) -> string {{ a >> ask(model: \"ollama/x\") }}\n{}\nf0(\"x\")",
            many(n, "\n", |i| format!("flow f{}(a: string) -> string {{ f{i}(a) }}", i + 1)),
        )
    }),
    // A plan shows each call with its path, so one chain of all of them is not linear.
    ("flows that call", |n| {
        format!(
            "flow f0(a: int) -> int {{ a }}\n{}\nf{n}(1)",
            many(n, "\n", |i| format!(
                "flow f{}(a: int) -> int {{ f{}(a) }}",
                i + 1,
                if i % 20 == 0 { 0 } else { i }
            )),
        )
    }),
    ("types", |n| many(n, "\n", |i| format!("type T{i} = {{ a: int }}")) + "\n1"),
    ("types that use", |n| {
        format!(
            "type T0 = {{ a: int }}\n{}\n1",
            many(n, "\n", |i| format!("type T{} = {{ a: T{} }}", i + 1, i / 20 * 20))
        )
    }),
    ("lets", |n| many(n, "\n", |i| format!("let a{i} = {i}")) + "\na0"),
    ("lets in a chain", |n| {
        format!("let a0 = 1\n{}\na{n}", many(n, "\n", |i| format!("let a{} = a{i} + 1", i + 1)))
    }),
    ("lets of one name", |n| {
        format!("let a = 1\n{}\na", many(n, "\n", |_| "let a = a + 1".into()))
    }),
    ("lets that read", |n| {
        many(n, "\n", |i| format!("let a{i} = read_text(path: \"{i}.txt\")")) + "\na0"
    }),
    ("lets that write", |n| {
        many(n, "\n", |i| format!("let a{i} = write_file(\"x\", to: \"f{i}.txt\")")) + "\na0"
    }),
    ("stages", |n| format!("\"a\" >> {}", many(n, " >> ", |_| "upper".into()))),
    ("stages on lines", |n| format!("\"a\"\n  >> {}", many(n, "\n  >> ", |_| "upper".into()))),
    ("stages with args", |n| {
        format!("\"a\" >> {}", many(n, " >> ", |_| "replace(from: \"a\", to: \"b\")".into()))
    }),
    ("branches", |n| {
        format!("1 >> parallel {{ {} }}", many(n, ", ", |i| format!("b{i}: it + {i}")))
    }),
    ("branches that read", |n| {
        format!(
            "1 >> parallel {{ {} }}",
            many(n, ", ", |i| format!("b{i}: read_text(path: \"{i}\")"))
        )
    }),
    ("eachs", |n| format!("[1] >> {}", many(n, " >> ", |_| "each { it + 1 }".into()))),
    ("wheres", |n| format!("[1] >> {}", many(n, " >> ", |_| "where { it > 1 }".into()))),
    ("within", |n| {
        many(n, "\n", |i| format!("let a{i} = read_text(path: \"x\") within {{ timeout: 1s }}"))
            + "\na0"
    }),
    ("bounds", |n| {
        format!("read_text(path: \"x\") within {{ {} }}", many(n, ", ", |_| "timeout: 1s".into()))
    }),
    ("unknown bounds", |n| {
        format!(
            "read_text(path: \"x\") within {{ {} }}",
            many(n, ", ", |i| format!("timeou{i}: 1s"))
        )
    }),
    ("fallbacks", |n| {
        format!("read_text(path: \"x\") {}", many(n, " ", |_| "fallback \"x\"".into()))
    }),
    ("plus", |n| many(n, " + ", |_| "1".into())),
    ("plus strings", |n| many(n, " + ", |_| "\"a\"".into())),
    ("plus lists", |n| many(n, " + ", |_| "[1]".into())),
    ("times", |n| many(n, " * ", |_| "1".into())),
    ("and", |n| many(n, " and ", |_| "true".into())),
    ("compare", |n| many(n, " and ", |i| format!("{i} < {}", i + 1))),
    ("coalesce", |n| format!("param x: int?\n{} ?? 1", many(n, " ?? ", |_| "x".into()))),
    ("nots", |n| format!("{} true", "not ".repeat(n))),
    ("minus", |n| format!("{}1", "- ".repeat(n))),
    ("if chain", |n| {
        format!("param x: int\n{} {{ 0 }}", many(n, " ", |i| format!("if x == {i} {{ {i} }} else")))
    }),
    ("ifs", |n| many(n, "\n", |i| format!("let a{i} = if true {{ {i} }} else {{ 0 }}")) + "\na0"),
    ("interpolations", |n| format!("let x = 1\n\"{}\"", many(n, " ", |_| "${x}".into()))),
    ("long text lines", |n| {
        format!("\"\"\"\n{}\n\"\"\"", many(n, "\n", |i| format!("  line {i}")))
    }),
    ("fields of fields", |n| {
        format!("let x = '{{}}' >> parse_json\nx{}", many(deep(n), "", |_| ".a".into()))
    }),
    ("indexes", |n| format!("let x = [1]\n[{}]", many(n, ", ", |i| format!("x[{i}]")))),
    ("unknown names", |n| many(n, "\n", |i| format!("let a{i} = b{i}")) + "\na0"),
    ("one unknown name", |n| format!("let abc = 1\n[{}]", many(n, ", ", |_| "abd".into()))),
    ("unknown stages", |n| many(n, "\n", |i| format!("let a{i} = \"x\" >> uper{i}")) + "\na0"),
    ("unknown args", |n| {
        many(n, "\n", |i| format!("let a{i} = \"x\" >> upper(foo{i}: 1)")) + "\na0"
    }),
    ("unknown fields", |n| many(n, "\n", |i| format!("let a{i} = {{ abc: 1 }}.abd")) + "\na0"),
    ("unknown fields of a wide record", |n| {
        format!(
            "let r = {{ {} }}\n[{}]",
            many(n.min(900), ", ", |i| format!("field{i}: 1")),
            many(n, ", ", |i| format!("r.fielt{i}"))
        )
    }),
    ("unknown types", |n| many(n, "\n", |i| format!("let a{i}: strin{i} = 1")) + "\na0"),
    ("wrong types", |n| many(n, "\n", |i| format!("let a{i}: string = {i}")) + "\na0"),
    ("wrong values in one place", |n| {
        format!("let x: [string] = [{}]\nx", many(n, ", ", |i| i.to_string()))
    }),
    ("wrong stages", |n| many(n, "\n", |i| format!("let a{i} = {i} >> upper")) + "\na0"),
    ("wrong operators", |n| many(n, "\n", |i| format!("let a{i} = {i} + \"x\"")) + "\na0"),
    ("conditions", |n| {
        many(n, "\n", |i| format!("let a{i} = if {i} {{ 1 }} else {{ 2 }}")) + "\na0"
    }),
    ("missing args", |n| {
        many(n, "\n", |i| format!("let a{i} = \"x\" >> replace(from: \"{i}\")")) + "\na0"
    }),
    ("foreign operators", |n| many(n, "\n", |i| format!("let a{i} = true && true")) + "\na0"),
    ("semicolons", |n| many(n, "\n", |i| format!("let a{i} = {i};")) + "\na0"),
    ("pipes", |n| many(n, "\n", |i| format!("let a{i} = \"x\" | upper")) + "\na0"),
    ("syntax errors", |n| many(n, "\n", |i| format!("let a{i} = = {i}")) + "\na0"),
    ("syntax errors in one statement", |n| format!("[{}]", many(n, ", ", |_| "=".into()))),
    ("open brackets", |n| "(".repeat(n)),
    ("open brackets on lines", |n| many(n, "\n", |i| format!("let a{i} = (1"))),
    ("closing brackets", |n| ")".repeat(n)),
    ("mixed brackets", |n| "([{".repeat(n)),
    ("holes", |n| many(n, "\n", |i| format!("let a{i} = ?")) + "\na0"),
    ("same lets twice", |n| many(n, "\n", |_| "let a = 1".into()) + "\na"),
    ("same flows twice", |n| many(n, "\n", |_| "flow f(a: int) -> int { a }".into()) + "\nf(1)"),
    ("same types twice", |n| many(n, "\n", |_| "type T = { a: int }".into()) + "\n1"),
    ("same params twice", |n| many(n, "\n", |_| "param p: int = 1".into()) + "\np"),
    ("uses", |n| many(n, "\n", |i| format!("use \"a{i}.svc\"")) + "\n1"),
    ("uses of std", |n| many(n, "\n", |_| "use \"std:panel\"".into()) + "\n1"),
    ("tests", |n| {
        format!(
            "flow f(a: int) -> int {{ a }}\n{}\nf(1)",
            many(n, "\n", |i| format!("test \"t{i}\" {{ expect f({i}) == {i} }}"))
        )
    }),
    ("expects", |n| {
        format!("test \"t\" {{\n{}\n}}\n1", many(n, "\n", |i| format!("expect {i} == {i}")))
    }),
    ("mocks", |n| {
        format!(
            "test \"t\" {{\n{}\nexpect true\n}}\n1",
            many(n, "\n", |i| format!("mock read_text(path: \"{i}\") = \"x\""))
        )
    }),
    ("secrets", |n| many(n, "\n", |i| format!("secret s{i}")) + "\n1"),
    ("units", |n| format!("[{}]", many(n, ", ", |i| format!("{i}s")))),
    ("money", |n| format!("[{}]", many(n, ", ", |i| format!("${i}.10")))),
    ("blocks", |n| many(n, "\n", |i| format!("let a{i} = ({{ a: ({i}) }})")) + "\na0"),
    ("rhai inline_scripts", |n| {
        many(n.min(400), "\n", |i| format!("let a{i} = rhai {{ {i} + 1 }}")) + "\na0"
    }),
    ("stray characters", |n| "§".repeat(n)),
    ("stray lines", |n| many(n, "\n", |_| "§".into())),
    ("carriage returns", |n| many(n, "\r\n", |i| format!("let a{i} = {i}")) + "\r\na0"),
    ("pipelines", |n| many(n, "\n", |i| format!("{i} + 1"))),
    ("casts", |n| format!("1 {}", many(n, " ", |_| "as int".into()))),
    ("optional fields", |n| {
        format!("param r: {{ {} }}\nr.f0 ?? 1", many(n.min(900), ", ", |i| format!("f{i}: int?")))
    }),
    ("repeats", |n| {
        format!(
            "1 >> {}",
            many(n, " >> ", |_| "repeat 2 { it + 1 } until it > 9 else { it }".into())
        )
    }),
    ("sums of params", |n| {
        format!(
            "{}\n{}",
            many(n, "\n", |i| format!("param p{i}: int 1..2 = 1")),
            many(n, " + ", |i| format!("p{i}"))
        )
    }),
    ("asks", |n| {
        many(n, "\n", |i| format!("let a{i} = \"q\" >> ask(model: \"ollama/x\")")) + "\na0"
    }),
    ("asks in each", |n| {
        many(n, "\n", |i| {
            format!("let a{i} = [\"q\"] >> each {{ ask(prompt: it, model: \"ollama/x\") }}")
        }) + "\na0"
    }),
];
