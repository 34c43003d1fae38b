// What the page takes from CodeMirror: editing, history, completion, problems, search, brackets, and the mode for svc.
import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, toggleComment } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { svc } from "./mode.js";

export { setDiagnostics };

/**
 * Makes an editor in `parent`, which stands in the shadow root `root`. `complete` is a source of completions, `change` gets the text after each change, and `keys` are
 * more keys. Tab moves the focus, so the keyboard is never caught; Ctrl+] and Ctrl+[ indent.
 */
export function createEditor({ parent, root, text, label, complete, change, keys = [] }) {
  return new EditorView({
    parent,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        highlightActiveLineGutter(),
        highlightSpecialChars(),
        history(),
        drawSelection(),
        indentOnInput(),
        indentUnit.of("  "),
        svc,
        syntaxHighlighting(classHighlighter),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ override: [complete], icons: false }),
        highlightActiveLine(),
        highlightSelectionMatches(),
        search({ top: true }),
        placeholder("Write a script, for example: \"budgets\" >> search(source: \"docs\")"),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label }),
        EditorView.updateListener.of((update) => update.docChanged && change(update.state.doc.toString())),
        keymap.of([
          ...keys,
          { key: "Tab", run: acceptCompletion },
          { key: "Mod-/", run: toggleComment },
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...completionKeymap,
          ...lintKeymap,
        ]),
      ],
    }),
  });
}

/** Replaces the whole text as one step of the history. */
export function setText(view, text) {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 } });
}
