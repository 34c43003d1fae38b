// The words of svc as a mode of CodeMirror, after grammar/svc.pest.
import { StreamLanguage } from "@codemirror/language";

const declarations = new Set("svc param secret type use flow let test mock expect".split(" "));
const control = new Set("each if else match parallel race repeat until rhai where sort group fallback within as".split(" "));
const operators = new Set("and or not".split(" "));
const values = new Set("true false null".split(" "));

/** Reads on to the end of a string. An interpolation puts its depth on the stack of the state. */
function readString(stream, state) {
  const { end, raw } = state.strings.at(-1);
  while (!stream.eol()) {
    if (!raw && stream.match("${")) {
      if (stream.pos - stream.start > 2) {
        stream.backUp(2);
        return "string";
      }
      state.depths.push(0);
      return "brace";
    }
    if (!raw && stream.match(/^\\./)) continue;
    if (stream.match(end)) {
      state.strings.pop();
      return "string";
    }
    stream.next();
  }
  if (end.length === 1) state.strings.pop();
  return "string";
}

/** Whether the next token stands in a string, and not in an interpolation of it. */
const inString = (state) => state.strings.length > state.depths.length;

function readToken(stream, state) {
  if (inString(state)) return readString(stream, state);
  if (stream.eatSpace()) return null;
  if (stream.match(/^#.*/)) return "comment";
  const quote = stream.match(/^("""|'''|"|')/);
  if (quote) {
    state.strings.push({ end: quote[0], raw: quote[0].startsWith("'") });
    return stream.eol() && quote[0].length === 1 ? (state.strings.pop(), "string") : "string";
  }
  if (stream.match(/^\$?\d[\d_]*(\.\d+)?(e[-+]?\d+)?[A-Za-z]*(\.\d+[A-Za-z]+)?/)) return "number";
  if (stream.match(/^>>|^=>|^->|^\.\.\.|^\?\?|^[=!<>]=|^[-+*/%<>=!|]/)) return "operator";
  if (stream.match(/^\?[A-Za-z_]\w*/)) return "variableName.special";
  if (stream.match(/^\??\.[A-Za-z_]\w*/)) return "property";
  const word = stream.match(/^[A-Za-z_]\w*/);
  if (word) return readWord(word[0], stream, state);
  return readSign(stream.next(), state);
}

function readWord(word, stream, state) {
  const before = state.word;
  state.word = word;
  if (stream.match(/^\s*:(?!:)/, false) && before !== "param") return "property";
  if (declarations.has(word)) return "keyword";
  if (control.has(word)) return "keyword";
  if (operators.has(word)) return "operatorKeyword";
  if (values.has(word)) return "atom";
  if (word === "it") return "self";
  if (/^_?[A-Z]/.test(word)) return "typeName";
  if (before === "flow" || stream.match(/^\s*[(<]/, false)) return "variableName.function";
  return "variable";
}

/** Counts the braces of an interpolation, so that its end is known. */
function readSign(sign, state) {
  if (state.depths.length && sign === "{") state.depths[state.depths.length - 1] += 1;
  if (state.depths.length && sign === "}") {
    if (state.depths.at(-1) === 0) {
      state.depths.pop();
      return "brace";
    }
    state.depths[state.depths.length - 1] -= 1;
  }
  if ("{}".includes(sign)) return "brace";
  if ("()".includes(sign)) return "paren";
  if ("[]".includes(sign)) return "squareBracket";
  return null;
}

export const svc = StreamLanguage.define({
  name: "svc",
  startState: () => ({ strings: [], depths: [], word: "" }),
  copyState: (state) => ({ strings: [...state.strings], depths: [...state.depths], word: state.word }),
  token: readToken,
  languageData: {
    commentTokens: { line: "#" },
    closeBrackets: { brackets: ["(", "[", "{", '"', "'"] },
    wordChars: "_",
  },
});
