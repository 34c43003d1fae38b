//! Generated scripts: every form of the language, at random, with line breaks and comments in every
//! gap.

/// Converts bytes to choices, and choices to a script. The byte 0 is the simplest choice.
pub(crate) struct Draft<'a> {
    choices: std::slice::Iter<'a, u8>,
    text: String,
    depth: usize,
}

/// The maximum nesting of a draft.
const DEEPEST: usize = 6;

const GAPS: [&str; 16] = [
    " ",
    " ",
    " ",
    " ",
    " ",
    " ",
    "\n",
    "\n",
    "  \t ",
    "\n\n\n",
    "\r\n",
    " # c\n",
    "\n  # own\n",
    "\n\n# far\n\n",
    " ## d\n## e\n",
    " # a\n\n# b\n",
];

impl<'a> Draft<'a> {
    pub(crate) fn new(choices: &'a [u8]) -> Self {
        Self { choices: choices.iter(), text: String::new(), depth: 0 }
    }

    pub(crate) fn script(mut self) -> String {
        for _ in 0..self.choose(6) {
            self.declaration();
            // Two declarations on one line are two declarations.
            self.put("");
        }
        if self.choose(4) > 0 {
            self.text.push('\n');
            self.pipeline();
        }
        self.text
    }

    fn choose(&mut self, n: u8) -> u8 {
        self.choices.next().map_or(0, |it| it % n)
    }

    fn yes(&mut self) -> bool {
        self.choose(2) == 1
    }

    /// Adds a piece of text and a gap.
    fn put(&mut self, piece: &str) {
        self.text.push_str(piece);
        let gap = self.choose(u8::try_from(GAPS.len()).unwrap());
        self.text.push_str(GAPS[usize::from(gap)]);
    }

    fn put_all(&mut self, pieces: &[&str]) {
        for piece in pieces {
            self.put(piece);
        }
    }

    /// Adds text that another token may follow without a gap.
    fn tight(&mut self, piece: &str) {
        self.text.push_str(piece);
    }

    fn one_of(&mut self, pieces: &[&str]) {
        let idx = self.choose(u8::try_from(pieces.len()).unwrap());
        self.put(pieces[usize::from(idx)]);
    }

    /// Adds items between commas, sometimes with a trailing comma.
    fn items(&mut self, least: u8, item: fn(&mut Self)) {
        let n = least + self.choose(4);
        for idx in 0..n {
            item(self);
            if idx + 1 < n || self.yes() {
                self.put(",");
            }
        }
    }

    fn declaration(&mut self) {
        match self.choose(9) {
            0 => self.bind(),
            1 => {
                self.put_all(&["param", "topic", ":"]);
                self.ty();
                if self.yes() {
                    self.put("=");
                    self.expr();
                }
            }
            2 => {
                self.put_all(&["type", "Note", "="]);
                self.ty();
            }
            3 => self.flow(),
            4 => self.put_all(&["secret", "key"]),
            5 => self.put_all(&["use", "\"./a.svc\"", "as", "a"]),
            6 => self.test(),
            7 => self.mock(),
            _ => self.put_all(&["type", "Kind", "=", "\"a\"", "|", "'b'", "|", "\"a longer one\""]),
        }
    }

    fn bind(&mut self) {
        self.put_all(&["let", "name"]);
        if self.yes() {
            self.put(":");
            self.ty();
        }
        self.put("=");
        self.pipeline();
    }

    fn flow(&mut self) {
        self.put("flow");
        self.put("answer(");
        self.items(0, |it| {
            it.put_all(&["q", ":"]);
            it.ty();
            if it.yes() {
                it.put("=");
                it.expr();
            }
        });
        self.put_all(&[")", "->"]);
        self.ty();
        if self.yes() {
            self.within();
        }
        self.block();
    }

    fn test(&mut self) {
        self.put_all(&["test", "\"it works\"", "{"]);
        for _ in 0..self.choose(4) {
            match self.choose(3) {
                0 => self.bind(),
                1 => self.mock(),
                _ => {
                    self.put("expect");
                    self.expr();
                }
            }
            self.put("");
        }
        self.put("}");
    }

    fn mock(&mut self) {
        self.put("mock");
        if self.yes() {
            self.put("github.issues(");
            self.items(0, Self::named);
            self.put(")");
        } else {
            self.put("ask");
        }
        self.put("=");
        self.expr();
    }

    fn within(&mut self) {
        self.put_all(&["within", "{"]);
        self.items(0, |it| {
            it.one_of(&["timeout", "max_cost", "retry_on"]);
            it.put(":");
            it.expr();
        });
        self.put("}");
    }

    fn block(&mut self) {
        self.put("{");
        for _ in 0..self.choose(3) {
            self.bind();
            self.put("");
        }
        self.pipeline();
        self.put("}");
    }

    fn pipeline(&mut self) {
        self.depth += 1;
        self.source();
        self.mods();
        for _ in 0..self.choose(4) {
            self.put(">>");
            match self.choose(3) {
                0 => self.postfix(),
                1 => self.put("summary(style: \"short\", cite: true)"),
                _ => self.form(),
            }
            self.mods();
        }
        self.depth -= 1;
    }

    fn mods(&mut self) {
        match self.choose(8) {
            6 => self.within(),
            7 => {
                self.put("fallback");
                self.source();
            }
            _ => {}
        }
    }

    fn source(&mut self) {
        if self.choose(3) == 2 { self.form() } else { self.expr() }
    }

    fn form(&mut self) {
        if self.depth > DEEPEST {
            return self.put("upper");
        }
        match self.choose(7) {
            0 => {
                self.one_of(&["each", "each?", "each ?"]);
                self.block();
            }
            1 => {
                self.one_of(&["where", "sort", "group"]);
                self.put("{");
                self.expr();
                self.put("}");
            }
            2 => {
                self.put_all(&["parallel", "{"]);
                self.items(1, |it| {
                    it.one_of(&["web", "news ?", "type"]);
                    it.put(":");
                    it.pipeline();
                });
                self.put("}");
            }
            3 => self.if_else(),
            4 => {
                self.put("match");
                self.expr();
                self.put("{");
                self.items(1, |it| {
                    it.one_of(&["\"a\"", "_", "- 1", "$2 | 1h"]);
                    it.put("=>");
                    it.pipeline();
                });
                self.put("}");
            }
            5 => {
                self.put_all(&["repeat", "3"]);
                self.block();
                self.put("until");
                self.expr();
                if self.yes() {
                    self.put("else");
                    self.block();
                }
            }
            _ => self.put("rhai(xs: [int]) -> float { xs.len() * 1.0 /* } */\n // }\n }"),
        }
    }

    fn if_else(&mut self) {
        self.put("if");
        self.expr();
        self.block();
        self.put("else");
        if self.yes() { self.if_else() } else { self.block() }
    }

    fn expr(&mut self) {
        self.depth += 1;
        let n = self.choose(4);
        for idx in 0..=n {
            // Comparisons do not chain.
            match (idx, n) {
                (0, _) => {}
                (_, 1) => self.one_of(&["+", "==", "<", "??"]),
                _ => self.one_of(&["+", "and", "or", "??", "*", "-", "%"]),
            }
            // A minus after a value continues it.
            if self.choose(6) == 5 {
                self.one_of(if idx == 0 { &["not"] } else { &["not", "-"] });
            }
            self.postfix();
            if self.choose(8) == 7 {
                self.put("as");
                self.put("Note");
            }
        }
        self.depth -= 1;
    }

    fn postfix(&mut self) {
        self.primary();
        // The text ends with a gap, after which a field cannot be selected.
    }

    fn primary(&mut self) {
        if self.depth > DEEPEST {
            return self.put("it");
        }
        match self.choose(10) {
            0 => self.put("it"),
            1 => self.one_of(&["1", "0.5", "$0.05", "1h30m", "10MiB", "null", "true", "1e-5"]),
            2 => self.one_of(&[
                "\"plain\"",
                "'raw # no comment'",
                "\"${ it+1 :.2} and ${f( 1,2 )}\"",
                "\"\"\"\n    two\n  lines ${ it # in\n }\n  \"\"\"",
                "'''\n  a\n b'''",
            ]),
            3 => {
                self.put("[");
                self.items(0, Self::expr);
                self.put("]");
            }
            4 => {
                self.put("{");
                self.items(0, |it| match it.choose(4) {
                    3 => {
                        it.put("...");
                        it.expr();
                    }
                    _ => it.named(),
                });
                self.put("}");
            }
            5 => {
                self.put("(");
                self.pipeline();
                self.put(")");
            }
            6 => self.one_of(&[".title", ".a.b?.c", "?.x", "found.web", "xs[ 0 ]"]),
            7 => {
                self.put("search(");
                self.items(0, Self::named);
                self.put(")");
            }
            8 => {
                self.tight("ask");
                self.tight("<");
                self.put("");
                self.ty();
                self.tight(">");
                self.put("(");
                self.items(0, Self::expr);
                self.put(")");
            }
            _ => self
                .put("a_rather_long_name_of_a_component(with: \"an argument\", and: \"another\")"),
        }
    }

    fn named(&mut self) {
        self.one_of(&["name", "type", "top_k"]);
        self.put(":");
        self.expr();
    }

    fn ty(&mut self) {
        self.depth += 1;
        let most = if self.depth > DEEPEST { 3 } else { 7 };
        match self.choose(most) {
            0 => self.one_of(&["string", "string?", "Note ?"]),
            1 => self.put_all(&["float 0", "..", "1"]),
            2 => self.put("rag.Note"),
            3 => {
                self.put("[");
                self.ty();
                if self.yes() {
                    self.put_all(&[";", "max", "20"]);
                }
                self.one_of(&["]", "]?"]);
            }
            4 => {
                self.put("{");
                self.items(0, |it| {
                    it.put_all(&["title", ":"]);
                    it.ty();
                });
                self.one_of(&["}", "}?"]);
            }
            5 => self.put_all(&["secret", "<", "string", ">"]),
            _ => {
                self.put_all(&["flow", "<"]);
                self.ty();
                self.put("->");
                self.ty();
                self.put(">");
            }
        }
        self.depth -= 1;
    }
}
