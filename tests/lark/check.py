"""Reads the grammars of `svc grammar` with the parsers that they are written for.

Standard input: {"lark": "..", "gbnf": "..", "scripts": [{"name": "..", "text": "..", "accept": true, "in_gbnf": true}]}
Standard output: {"wrong": ["name: .."]}
"""

import json
import multiprocessing
import sys

import lark
import llguidance

given = json.load(sys.stdin)
wrong = []
parser = lark.Lark(given["lark"], parser="earley", lexer="dynamic", ambiguity="forest")


def verdict(name, script, why):
    """Compares what a parser says of a script with what is expected."""
    if script["accept"] and why is not None:
        wrong.append(f"{name} rejects {script['name']}: {why}")
    elif not script["accept"] and why is None:
        wrong.append(f"{name} accepts {script['name']}")


# Lark's Earley parser takes about a second for this many bytes, and more than twice as long for twice
# as many. llguidance reads the longer scripts, by the same grammar.
LONGEST_FOR_LARK = 200


def with_lark():
    scripts = [it for it in given["scripts"] if len(it["text"]) <= LONGEST_FOR_LARK]
    if len(scripts) < 60:
        wrong.append(f"only {len(scripts)} scripts are short enough for Lark")
    with multiprocessing.get_context("fork").Pool() as pool:
        texts = [script["text"] for script in scripts]
        for script, why in zip(scripts, pool.map(lark_says, texts, chunksize=4)):
            verdict("Lark", script, why)


def lark_says(text):
    """Why Lark rejects a text, or nothing."""
    try:
        parser.parse(text)
    except lark.exceptions.UnexpectedInput as err:
        return str(err).splitlines()[0]
    return None


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

    for script in given["scripts"]:
        if name == "GBNF" and not script["in_gbnf"]:
            # Should this be read one day, the exception has to go.
            script = {**script, "accept": False}
        verdict(f"llguidance with {name}", script, accepts(script["text"]))


with_lark()
with_llguidance("Lark's notation", llguidance.LLMatcher.grammar_from_lark(given["lark"]))
gbnf = llguidance.gbnf_to_lark.gbnf_to_lark(given["gbnf"])
with_llguidance("GBNF", llguidance.LLMatcher.grammar_from_lark(gbnf))
json.dump({"wrong": wrong}, sys.stdout)
