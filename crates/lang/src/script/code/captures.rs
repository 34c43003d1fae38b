//! Closures see only their own parameters: what they would capture is a problem of the code.
//!
//! A captured variable becomes a shared value, and the closure holds it. Chains of such closures
//! can be as long as the code runs, and rhai frees them recursively. rhai can be compiled without
//! captures, but that feature would change the rhai of the program around, too.

use rhai::{
    AST, ASTNode, Engine, Expr, FnCallExpr, Namespace, ParseError, ParseErrorType, Position, Scope,
    Stmt,
};

/// The function that binds captured variables to a closure. Code cannot name it: the word is
/// [disabled](super::sandbox::DISABLED).
const BINDS: &str = "curry";

/// The namespace of the constants at the top level of the code.
const GLOBAL: &str = "global";

/// Compiles code with the variables of `scope`, and refuses what closures capture.
pub(super) fn compile(engine: &Engine, scope: &Scope, code: &str) -> Result<AST, ParseError> {
    let ast = engine.compile_with_scope(scope, code)?;
    match first_mistake(&ast) {
        Some((kind, position)) => Err(ParseError(kind.into(), position)),
        None => Ok(ast),
    }
}

type Found = (ParseErrorType, Position);

/// The first mistake in the order of the code: inside of closures, rhai does not look for unknown
/// names.
fn first_mistake(ast: &AST) -> Option<Found> {
    let mut first = None;
    ast.walk(&mut |path| look(path, &mut first));
    first
}

/// Looks at the last node of a path, and returns that the walk continues.
fn look(path: &[ASTNode], first: &mut Option<Found>) -> bool {
    let Some(node) = path.last() else { return true };
    // The walk of rhai leaves out the value of `break`.
    if let ASTNode::Stmt(Stmt::BreakLoop(Some(value), ..)) = node {
        value.walk(&mut Vec::new(), &mut |path| look(path, first));
    }
    if let Some(found) = mistake(node)
        && first.as_ref().is_none_or(|it| found.1 < it.1)
    {
        *first = Some(found);
    }
    true
}

fn mistake(node: &ASTNode) -> Option<Found> {
    match node {
        ASTNode::Expr(Expr::Variable(it, _, _)) => unknown_module(&it.2),
        ASTNode::Expr(Expr::FnCall(it, _) | Expr::MethodCall(it, _))
        | ASTNode::Stmt(Stmt::FnCall(it, _)) => {
            captured(it).or_else(|| unknown_module(&it.namespace))
        }
        _ => None,
    }
}

/// The first variable that a closure captures. The first argument of the call is the closure.
fn captured(call: &FnCallExpr) -> Option<Found> {
    if call.name != BINDS {
        return None;
    }
    let variable = call.args.iter().find_map(|it| match it {
        Expr::Variable(it, _, position) => Some((it.1.to_string(), *position)),
        _ => None,
    });
    let (name, position) = variable.unwrap_or_else(|| (BINDS.to_owned(), Position::NONE));
    Some((ParseErrorType::VariableUndefined(name), position))
}

/// Code has no modules but its own constants.
fn unknown_module(namespace: &Namespace) -> Option<Found> {
    let is_known = namespace.is_empty() || namespace.root() == GLOBAL;
    (!is_known).then(|| {
        (ParseErrorType::ModuleUndefined(namespace.root().to_owned()), namespace.position())
    })
}

#[cfg(test)]
mod tests {
    use super::{super::sandbox::ENGINE, *};

    /// Compiles code that has the parameter `p`, and returns the message of its problem.
    fn problem(code: &str) -> Option<String> {
        let mut scope = Scope::new();
        scope.push("p", 1_i64);
        compile(&ENGINE, &scope, code).err().map(|it| it.to_string())
    }

    /// Every place in rhai where an expression can be, as `@`.
    const PLACES: &[&str] = &[
        "@",
        "let a = @;",
        "const A = @;",
        "let a = 1; a = @;",
        "let a = [1]; a[0] = @;",
        "let a = [1]; a[@] = 1;",
        "let a = #{}; a.b = @;",
        "let a = 1; a += @;",
        "if @ { 1 }",
        "if true { @ }",
        "if true { 1 } else { @ }",
        "if true { 1 } else if @ { 1 }",
        "let a = if true { @ } else { 2 };",
        "switch @ { 1 => 2 }",
        "switch 1 { 1 => @, _ => 2 }",
        "switch 1 { 1 if @ => 3, _ => 2 }",
        "switch 1 { 1 | 2 => @ }",
        "switch 1 { 0..9 => @ }",
        "switch 1 { 0..9 if @ => 2 }",
        "switch 1 { 1 => 2, _ => @ }",
        "while @ { }",
        "while true { @; }",
        "loop { @; }",
        "loop { break @; }",
        "loop { break [loop { break @; }]; }",
        "do { @; } while true",
        "do { } until @",
        "for a in @ { }",
        "for a in [1] { @; }",
        "for (a, b) in [1] { @; }",
        "len(@)",
        "len([1], @);",
        "[1].map(@)",
        "[1].map(|a| a).filter(@).len()",
        "let a = [1]; a.map(@);",
        "(@).call()",
        "[@, 1]",
        "[[@]]",
        "#{ a: @ }",
        "#{ a: #{ b: [@] } }",
        "[1][@]",
        "(@)[0]",
        "let a = #{}; a.b[@].c",
        "let a = #{}; a?.b(@)",
        "`text ${@} text`",
        "@ && true",
        "true || @",
        "@ ?? 1",
        "@ == 1",
        "1 in @",
        "!@",
        "-@",
        "1 + 2 * @",
        "@..9",
        "0..=@",
        "return @;",
        "throw @;",
        "try { @ } catch { 1 }",
        "try { 1 } catch (e) { @ }",
        "{ { @ } }",
        "let a = { let b = 1; @ };",
        "(|a| [a].map(@)).call(1)",
        "fn f() { @ } f()",
        "fn f() { return @; } f()",
        "fn f(a) { if a { [@] } } f(1)",
        "fn f(a) { this.map(@) } 1",
    ];

    /// Closures that capture the variable `v`.
    const CAPTURES: &[&str] = &[
        "(|| v)",
        "(|x| x + v)",
        "(|x| |y| v + y)",
        "(|x| v = x)",
        "(|| v[0])",
        "(|| v.len())",
        "(|| v.a(1))",
        "(|| `${v}`)",
        "(|x| { let y = x; y + v })",
        "(|x| if x { v })",
    ];

    /// The code of a place, with a variable `v` that is visible there.
    fn with_variable(place: &str, closure: &str) -> String {
        let code = place.replace('@', closure);
        match code.strip_prefix("fn ").and_then(|it| it.split_once('{')) {
            Some((before, body)) => format!("fn {before}{{ let v = 1; {body}"),
            None => format!("let v = 1; {code}"),
        }
    }

    #[test]
    fn a_capture_is_refused_wherever_it_is() {
        for place in PLACES {
            // A place that is not part of the language would prove nothing.
            let allowed = with_variable(place, "len(|x| [x].map(|y| y + 1))");
            assert_eq!(problem(&allowed), None, "{allowed}");
            for closure in CAPTURES {
                let code = with_variable(place, closure);
                let found = problem(&code).unwrap_or_default();
                assert!(found.starts_with("Undefined variable: v "), "{code}\n{found}");
            }
        }
    }

    #[test]
    fn the_first_capture_is_reported_at_its_name() {
        let found = |code| problem(code).unwrap_or_default();
        let code = "let a = 1;\nlet f = |x| x + p;\n|| a";
        assert_eq!(found(code), "Undefined variable: p (line 2, position 17)");
        assert_eq!(found("fn f(a) {\n|| a }\n|| p"), "Undefined variable: a (line 2, position 4)");
        assert_eq!(found("|x| |y| x"), "Undefined variable: x (line 1, position 9)");
        assert_eq!(found("|x| y"), "Undefined variable: y (line 1, position 5)");
        assert_eq!(found("|x| |y| z"), "Undefined variable: z (line 1, position 9)");
    }

    #[test]
    fn code_of_a_closure_knows_its_parameters_functions_and_constants() {
        for code in [
            "const A = 1; [1].map(|x| x + global::A)",
            "fn f(x) { x } [1].map(|x| f(x)).map(f)",
            "fn f(x) { x } [1].map(|x| [x].map(f))",
            "let f = |x, y| { let z = x; for i in [y] { z += i; } z.a.b }; f.call(1, 2)",
        ] {
            assert_eq!(problem(code), None, "{code}");
        }
        let module = "Undefined module: m (line 1, position 5)";
        assert_eq!(problem("|x| m::f(x)").as_deref(), Some(module));
        assert_eq!(problem("|x| m::A").as_deref(), Some(module));
    }

    #[test]
    fn no_word_binds_or_shows_shared_values() {
        for code in
            ["p.curry(1)", "curry(p, 1)", "Fn(\"f\").curry(1)", "is_shared(p)", "p.is_shared()"]
        {
            assert!(problem(code).is_some(), "{code}");
        }
    }
}
