"""Reads the grammars of `svc grammar` with the parsers that they are written for.

Standard input: {"lark": "..", "gbnf": "..", "scripts": [{"name": "..", "text": "..", "accept": true}],
"not_in_gbnf": [".."]}
Standard output: {"wrong": ["name: .."]}
"""

import json
import sys

import lark
import llguidance

given = json.load(sys.stdin)
wrong = []


def verdicts(name, accepts):
    """What a parser says of every script, compared with what is expected."""
    for script in given["scripts"]:
        if name.endswith("GBNF") and script["name"] in given["not_in_gbnf"]:
            continue
        why = accepts(script["text"])
        if script["accept"] and why is not None:
            wrong.append(f"{name} rejects {script['name']}: {why}")
        elif not script["accept"] and why is None:
            wrong.append(f"{name} accepts {script['name']}")


def with_lark():
    parser = lark.Lark(given["lark"], parser="earley", lexer="dynamic", ambiguity="forest")

    def accepts(text):
        try:
            parser.parse(text)
        except lark.exceptions.UnexpectedInput as err:
            return str(err).splitlines()[0]
        return None

    verdicts("Lark", accepts)


def with_llguidance(name, grammar):
    problem = llguidance.LLMatcher.validate_grammar(grammar)
    if problem:
        wrong.append(f"llguidance on {name}: {problem}")
        return
    tokenizer = llguidance.LLTokenizer("byte")
    fresh = llguidance.LLMatcher(tokenizer, grammar)

    def accepts(text):
        matcher = fresh.deep_copy()
        tokens = tokenizer.tokenize_str(text)
        read = matcher.try_consume_tokens(tokens)
        if read < len(tokens):
            return f"at byte {read}: {text.encode()[max(0, read - 20):read + 5]!r}"
        return None if matcher.is_accepting() else "at its end"

    verdicts(f"llguidance with {name}", accepts)


with_lark()
with_llguidance("Lark's notation", llguidance.LLMatcher.grammar_from_lark(given["lark"]))
gbnf = llguidance.gbnf_to_lark.gbnf_to_lark(given["gbnf"])
with_llguidance("GBNF", llguidance.LLMatcher.grammar_from_lark(gbnf))
json.dump({"wrong": wrong}, sys.stdout)
