//! Fills templates (Jinja, by `minijinja`).

use minijinja::{
    AutoEscape, Environment, ErrorKind as Cause, UndefinedBehavior, syntax::SyntaxConfig,
};
use svc_contract::{
    choices,
    registry::{
        Bias, CheckCall, Component, Compute, Cx, ErrorKind, Example, Field as _, Foreseen,
        KnownCall, Max, Op, OpError, Scheme, compute, params,
    },
    value::{BoundedText, RecordType, Text, Type, Value, arithmetic::LONGEST_TEXT, memory},
};

use super::{Keyed, too_long};

pub(super) const COMPONENT: Component = Component {
    name: "adapt_template",
    cluster: "core-infrastructure",
    summary: "Fills text templates, and finds the values that they need.",
    version: 1,
    bias: Bias::new(
        "templates of Jinja, filled strictly",
        &["a value that is missing is a mistake", "a template is data and reads no files"],
    ),
    aliases: &[("fill", "infer"), ("template_variables", "variables")],
    ops: &[compute::<Infer>(), compute::<Variables>()],
};

/// The steps of a template: about a second.
const FUEL: u64 = 20_000_000;

/// The largest template in bytes.
const LARGEST: usize = 1 << 20;

choices! {
    /// How values are written.
    enum Escape {
        None = "none",
        Html = "html",
    }
}

params! {
    /// Fills a template of Jinja with values.
    ///
    /// `{{ name }}` is a value, `{% for row in rows %} .. {% endfor %}` repeats, `{% if .. %}` chooses,
    /// and `{{ total|round(2) }}` applies a filter. Booleans
    /// and null are written as Jinja does: `True`, `None`. A value that is missing is an error of kind
    /// `invalid_input` with the line, and so is a mistake in the template; `{{ name|default("-") }}`
    /// allows it. Objects are iterated in the order of their keys. A template cannot read files or include
    /// others, has at most 1 MiB, and fails if it takes too many steps or its result would be larger
    /// than 256 MiB.
    struct Infer {
        /// The template.
        template: Text,
        /// The values: a record or a JSON object.
        values: Keyed,
        /// Whether special characters of HTML in values are escaped.
        escape: Escape = Escape::None,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Text;
    const CHECK: Option<CheckCall> = Some(check);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "fill a template",
        "write a letter with names from a record",
        "mail merge",
        "render jinja",
        "generate an html page from data",
        "put values into placeholders",
        "personalised emails from a list of people",
        "fill in the blanks of a form letter, like mustache or handlebars",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A letter",
            r#"'Dear {{ name }}, you owe {{ amount }}.' >> fill(values: { name: "Ann", amount: $5 })"#,
            r#""Dear Ann, you owe $5.00.""#,
        ),
        Example::ok(
            "A list in HTML",
            r#"fill('{% for x in xs %}<li>{{ x }}</li>{% endfor %}', { xs: ["a<b", "c"] }, "html")"#,
            r#""<li>a&lt;b</li><li>c</li>""#,
        ),
        Example::err(
            "A missing value",
            "'Dear {{ name }}' >> fill(values: { town: \"Oslo\" })",
            "missing value",
        ),
    ];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let environment = environment(&self.template, self.escape)?;
        let template = environment.template_from_str(&self.template).map_err(explain)?;
        let values = self.values.encode().cast(&Type::Json);
        let values = values.map_err(|err| OpError::invalid_input(err.to_string()))?;
        cx.check()?;
        let mut text = BoundedText::new(LONGEST_TEXT);
        let filled = template.render_captured_to(value_of(&values), &mut text).map(drop);
        match filled {
            Ok(()) => Ok(text.into_string().into()),
            Err(err) if err.kind() == Cause::WriteFailure => {
                memory::check().map_err(OpError::from).and_then(|()| Err(too_long()))
            }
            Err(err) => Err(explain(err)),
        }
    }
}

/// Reads the template of a call, and looks for its values in a record with known fields.
fn check(call: &KnownCall<'_>) -> Foreseen {
    call.test("template", |it: Text| tested(&it))?;
    let Some(Type::Record(of)) = call.ty("values") else { return Ok(None) };
    call.test("template", |it: Text| match missing(&it, of)? {
        Some(name) => Err(OpError::invalid_input(format!(
            "missing value `{name}` of the template"
        ))
        .help(format!("add `{name}` to the values, or write `{{{{ {name}|default(\"-\") }}}}`"))),
        None => Ok(()),
    })
}

/// The first value that a template needs and a record has not. A template with conditions or
/// defaults may do without.
fn missing(template: &str, values: &RecordType) -> Result<Option<String>, OpError> {
    const MAY_DO_WITHOUT: [&str; 5] = ["if", "defined", "default", "|d(", "| d("];
    let mut code = template.split('{').skip(1).filter_map(|it| it.split('}').next());
    if code.any(|code| MAY_DO_WITHOUT.iter().any(|word| code.contains(word))) {
        return Ok(None);
    }
    let environment = environment(template, Escape::None)?;
    let template = environment.template_from_str(template).map_err(explain)?;
    let needed = template.undeclared_variables(false);
    let is_there = |name: &str| {
        values.get(name).is_some() || environment.globals().any(|(known, _)| known == name)
    };
    Ok(needed.into_iter().filter(|it| !is_there(it)).min())
}

/// Reads a template without filling it.
fn tested(template: &str) -> Result<(), OpError> {
    environment(template, Escape::None)?.template_from_str(template).map(drop).map_err(explain)
}

fn environment(template: &str, escape: Escape) -> Result<Environment<'_>, OpError> {
    if template.len() > LARGEST {
        let message = "the template is larger than 1MiB";
        return Err(OpError::invalid_input(message).help("put long texts into values"));
    }
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder().keep_trailing_newline(true).build();
    environment.set_syntax(syntax.map_err(|err| OpError::bug(err.to_string()))?);
    environment.set_fuel(Some(FUEL));
    environment.set_recursion_limit(100);
    environment.set_auto_escape_callback(move |_| match escape {
        Escape::None => AutoEscape::None,
        Escape::Html => AutoEscape::Html,
    });
    Ok(environment)
}

/// A value of JSON as the library has it.
fn value_of(value: &Value) -> minijinja::Value {
    match value {
        Value::Bool(it) => (*it).into(),
        Value::Int(it) => (*it).into(),
        Value::Float(it) => (*it).into(),
        Value::List(items) => items.iter().map(value_of).collect(),
        Value::Record(record) => minijinja::Value::from_pairs(
            record.iter().map(|(name, it)| (minijinja::Value::from(name.as_ref()), value_of(it))),
        ),
        Value::Null => ().into(),
        other => other.as_str().unwrap_or_default().into(),
    }
}

/// The mistake with its line.
fn explain(err: minijinja::Error) -> OpError {
    let place = err.line().map(|line| format!(" in line {line}")).unwrap_or_default();
    match err.kind() {
        Cause::UndefinedError => OpError::invalid_input(format!(
            "missing value{place} of the template"
        ))
        .help("`template_variables` lists the values; `{{ name|default(\"-\") }}` allows a gap"),
        Cause::OutOfFuel => OpError::failed(format!("the template takes too many steps{place}"))
            .help("split the values, and fill a template for each part"),
        kind => {
            let why = err.detail().map_or_else(|| kind.to_string(), str::to_owned);
            OpError::invalid_input(format!("invalid template: {why}{place}"))
        }
    }
    .because(err)
}

params! {
    /// Returns the names of the values that a template of Jinja uses, in alphabetical order.
    ///
    /// Names that the template itself sets, as in a loop, are not among them. Fields are given with
    /// their path, such as `order.total`. A mistake in the template is an error of kind
    /// `invalid_input` with the line.
    struct Variables {
        /// The template.
        template: Text,
    }
}

impl Op for Variables {
    const NAME: &'static str = "variables";
    const YIELDS: Scheme = Scheme::List(&Scheme::Text, Max::Unknown);
    const SAYS: &'static [&'static str] = &[
        "which placeholders does a template have",
        "names of the values to fill in",
        "check that a template has all its data",
        "variables of a jinja template",
        "fields that a letter expects",
        "what must i supply to this form",
        "blanks in a template",
        "names between the curly braces",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A loop",
            "'{{ title }}{% for row in rows %}{{ row.name }}{% endfor %}' >> template_variables",
            r#"["rows","title"]"#,
        ),
        Example::err("A mistake", "template_variables('{{ a')", "invalid template"),
    ];
}

impl Compute for Variables {
    fn run(self, _: &Cx) -> Result<Value, OpError> {
        let environment = environment(&self.template, Escape::None)?;
        let template = environment.template_from_str(&self.template).map_err(explain)?;
        let mut names: Vec<String> = template.undeclared_variables(true).into_iter().collect();
        names.sort();
        Ok(names.into())
    }
}

#[cfg(test)]
mod tests {
    use svc_contract::value::json;

    use crate::testing::{computes, fails_to_compute};

    use super::*;

    #[test]
    fn values_are_those_of_json() {
        computes::<Infer>(
            r#"["{{ a }} {{ b }} {{ c[0].d }}\n", {"a": 1.5, "b": null, "c": [{"d": true}]}]"#,
            r#""1.5 None True\n""#,
        );
        computes::<Infer>(r#"["", {}]"#, r#""""#);
        computes::<Infer>(
            r#"["{% for k in o %}{{ k }}{% endfor %}", {"o": {"b": 1, "a": 2}}]"#,
            r#""ab""#,
        );
        computes::<Infer>(r#"["{{ x|default('-') }}", {}]"#, r#""-""#);
    }

    #[test]
    fn what_a_template_lacks_is_known_before_the_run() {
        let fields = ["name", "items"].map(|it| (Text::from(it), Type::Json)).into();
        let values = RecordType { name: None, fields };
        for (template, lacks) in [
            ("{{ nmae }} {{ town }}", Some("nmae")),
            ("{% for it in items %}{{ it.n }}{{ loop.index }}{{ unit }}{% endfor %}", Some("unit")),
            ("{% set n = 1 %}{{ n }}{{ name|upper }}{{ range(3) }}{{ dict(a=1) }}", None),
            ("{{ town|default('-') }}{{ town | d('-') }}", None),
            ("{% if items %}{{ first }}{% endif %}", None),
            ("{ town } {# {{ town }} #}", None),
        ] {
            assert_eq!(missing(template, &values).unwrap().as_deref(), lacks, "{template}");
        }
    }

    #[test]
    fn mistakes_name_the_line() {
        let err = fails_to_compute::<Infer>(r#"["a\n{{ b }}", {}]"#);
        assert_eq!(err.message, "missing value in line 2 of the template");
        let err = fails_to_compute::<Infer>(r#"["a\n{% if %}", {}]"#);
        assert!(
            err.message.starts_with("invalid template: ") && err.message.contains("line 2"),
            "{err}"
        );
        assert!(
            fails_to_compute::<Infer>(r#"["{% include 'x' %}", {}]"#).message.contains("line 1")
        );
        assert!(fails_to_compute::<Infer>(r#"["", [1]]"#).message.contains("found list"));
        computes::<Variables>(r#"["{{ a.b }} {{ a }}"]"#, r#"["a","a.b"]"#);
        assert_eq!(fails_to_compute::<Variables>(r#"["{% x %}"]"#).kind, ErrorKind::InvalidInput);
    }

    #[test]
    fn bombs_are_refused() {
        for bomb in [
            "{% for a in range(100000) %}{% for b in range(100000) %}x{% endfor %}{% endfor %}",
            "{{ 'a' * 1000000000000 }}",
            "{% set a = 'aaaaaaaa' %}{% set a = a|replace('a', a) %}{% set a = a|replace('a', a) %}{% set a = a|replace('a', a) %}{% set a = a|replace('a', a) %}{% set a = a|replace('a', a) %}{{ a|length }}",
        ] {
            fails_to_compute::<Infer>(&format!("[{}, {{}}]", json::write(&bomb.into())));
        }
        let deep = format!("{{{{ {}1{} }}}}", "(".repeat(50_000), ")".repeat(50_000));
        fails_to_compute::<Infer>(&format!("[{}, {{}}]", json::write(&deep.into())));
    }
}
