"""Writes the cases of public test suites as lines of JSON, for the test `suites` of `adapt_convert`.

Usage: cases.py FOLDER > cases.jsonl, where FOLDER has checkouts of JSONTestSuite, toml-test,
yaml-test-suite, jsonpath-compliance-test-suite, jq and json-patch-tests. Needs PyYAML.

A case: `suite`, `name`, `op` (decode, query, patch), its arguments, and `expect`: a list of the
values that are right, or null if there must be an error.
"""

import base64
import json
import math
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])


def put(suite, name, op, expect, **args):
    print(json.dumps({"suite": suite, "name": name, "op": op, "expect": expect, **args}))


def decode(suite, name, format, content, expect):
    put(suite, name, "decode", expect, format=format, content=base64.b64encode(content).decode())


def json_cases():
    for path in sorted((root / "JSONTestSuite/test_parsing").glob("*.json")):
        content = path.read_bytes()
        kind = path.name[0]
        if kind == "y":
            value = json.loads(content.decode("utf-8-sig"))
            decode("json-y", path.name, "json", content, [value])
        elif kind == "n":
            decode("json-n", path.name, "json", content, None)


def plain(tagged):
    if isinstance(tagged, list):
        return [plain(it) for it in tagged]
    if set(tagged) == {"type", "value"} and isinstance(tagged["value"], str):
        kind, value = tagged["type"], tagged["value"]
        if kind == "integer":
            return int(value)
        if kind == "float":
            number = float(value)
            if not math.isfinite(number):
                raise OverflowError
            return number
        return value == "true" if kind == "bool" else value
    return {name: plain(it) for name, it in tagged.items()}


def toml_cases():
    tests = root / "toml-test/tests"
    for name in (tests / "files-toml-1.1.0").read_text().splitlines():
        if not name.endswith(".toml"):
            continue
        content = (tests / name).read_bytes()
        if name.startswith("invalid"):
            decode("toml-invalid", name, "toml", content, None)
            continue
        try:
            value = plain(json.loads((tests / name).with_suffix(".json").read_text()))
        except OverflowError:
            # JSON has no infinity, so it is refused.
            decode("toml-infinite", name, "toml", content, None)
            continue
        # Dates are strings as they are written, so seconds and zeros at the end may be missing.
        short = json.loads(re.sub(r"(:\d\d:\d\d\.\d*?)0+(?=[Z+\-\"])", r"\1", json.dumps(value)))
        shorter = json.loads(re.sub(r"(\d\d:\d\d):00(?=[Z+\-\"])", r"\1", json.dumps(value)))
        decode("toml-valid", name, "toml", content, [value, short, shorter])


def yaml_cases():
    import yaml

    marks = {"␣": " ", "↵": "", "∎": "", "←": "\r", "⇔": "\ufeff"}
    for path in sorted((root / "yaml-test-suite/src").glob("*.yaml")):
        known = {}
        for idx, case in enumerate(yaml.safe_load(path.read_text())):
            # A case has what it does not say from the one before, except for its outcome.
            known.pop("fail", None)
            known = {**known, **case}
            if known.get("skip"):
                continue
            text = known["yaml"]
            ends = text.endswith("∎\n")
            for mark, plain_text in marks.items():
                text = text.replace(mark, plain_text)
            for dashes in ("————»", "———»", "——»", "—»", "»"):
                text = text.replace(dashes, "\t")
            text = text[:-1] if ends else text
            name = f"{path.stem}-{idx}"
            content = text.encode()
            if known.get("fail"):
                decode("yaml-fail", name, "yaml", content, None)
            elif known.get("json") is not None:
                values, rest = [], known["json"].strip()
                reader = json.JSONDecoder()
                while rest:
                    value, end = reader.raw_decode(rest)
                    values.append(value)
                    rest = rest[end:].strip()
                if len(values) == 1:
                    decode("yaml", name, "yaml", content, values)
                elif values:
                    # `parse_yaml` reads one document.
                    decode("yaml-several", name, "yaml", content, None)
                else:
                    decode("yaml", name, "yaml", content, [None])


def jsonpath_cases():
    tests = json.loads((root / "jsonpath-compliance-test-suite/cts.json").read_text())["tests"]
    for case in tests:
        results = [case["result"]] if "result" in case else case.get("results")
        put("jsonpath", case["name"], "query", results, language="jsonpath",
            path=case["selector"], value=case.get("document"))


def jq_cases(file):
    lines = (root / "jq/tests" / file).read_text().split("\n")
    at = 0
    while at < len(lines):
        if not lines[at].strip() or lines[at].lstrip().startswith("#"):
            at += 1
            continue
        if lines[at].startswith("%%FAIL"):
            put(f"{file}-fail", f"line {at + 2}", "query", None, language="jq",
                path=lines[at + 1], value=None)
            at += 2
            while at < len(lines) and lines[at].strip():
                at += 1
            continue
        program, given = lines[at], lines[at + 1]
        number = at + 1
        at += 2
        wanted = []
        while at < len(lines) and lines[at].strip():
            wanted.append(lines[at])
            at += 1
        try:
            value = json.loads(given)
            expect = [[json.loads(it) for it in wanted if not it.startswith("#")]]
            json.dumps([value, expect], allow_nan=False)
        except ValueError:
            continue
        put(file, f"line {number}: {program}", "query", expect, language="jq",
            path=program, value=value)


def patch_cases():
    for file in ("tests.json", "spec_tests.json"):
        for idx, case in enumerate(json.loads((root / "json-patch-tests" / file).read_text())):
            if "patch" not in case or case.get("disabled"):
                continue
            expect = [case["expected"]] if "expected" in case else None
            if expect is None and "error" not in case:
                continue
            put("json-patch", f"{file} {idx} {case.get('comment', '')}", "patch", expect,
                value=case["doc"], ops=case["patch"])


json_cases()
toml_cases()
yaml_cases()
jsonpath_cases()
jq_cases("jq.test")
jq_cases("man.test")
jq_cases("base64.test")
jq_cases("uri.test")
jq_cases("onig.test")
patch_cases()
