// A script that is edited: problems while typing, completion, fixes, and the plan. What is known of the script comes from an engine: a server, or the program in the page.
import { asset, button, coded, fill, h, icon, notice } from "./dom.js";
import { count } from "./format.js";
import { emptyPlace } from "./parts.js";
import { planView } from "./plan.js";

/**
 * The parts of an editor, which the caller places: `frame`, `problems`, `state` and `plan`.
 *
 * `engine` is one of engines.js.
 */
export async function codePane({ engine, first, changed, keys = [], signal }) {
  const { createEditor, setDiagnostics, setText } = await import("./codemirror.js");
  const frame = h("div.code-frame");
  const problems = h("div.diagnostics");
  const state = h("span.state", { role: "status" });
  const plan = h("div.stack");
  let asking;

  // In a shadow root, the styles of CodeMirror are sheets made by script, which the policy of the page allows.
  const root = frame.attachShadow({ mode: "open" });
  const place = h("div.code");
  root.append(h("link", { rel: "stylesheet", href: asset("code.css") }), place);
  const editor = createEditor({
    parent: place,
    root,
    text: first,
    label: "Script",
    complete: (context) => complete(engine, context),
    change: (text) => { changed(text); later(); },
    keys: [...keys, { key: "Mod-Shift-f", run: () => { format(); return true; } }],
  });
  const text = () => editor.state.doc.toString();
  signal?.addEventListener("abort", () => editor.destroy());

  let timer;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => check().catch((error) => error.name !== "AbortError" && fill(state, error.message)), engine.pause);
  };

  /** Checks and plans the text. An older check that is still on its way is dropped. */
  const check = async () => {
    asking?.abort();
    asking = new AbortController();
    const asked = text();
    const given = [asked, asking.signal];
    const [checked, planned, drawn] = await Promise.all([engine.check(...given), engine.plan(...given).catch(ignored), engine.draw(...given).catch(ignored)]);
    if (asked !== text() || signal?.aborted) return;
    editor.dispatch(setDiagnostics(editor.state, checked.diagnostics.map((one) => lint(one, asked.length))));
    showProblems(checked.diagnostics);
    showPlan(planned?.plan, drawn?.svg);
  };

  const lint = (one, end) => ({
    from: Math.min(one.start, end),
    to: Math.min(Math.max(one.end, one.start), end),
    severity: one.severity === "warning" ? "warning" : "error",
    source: one.code,
    message: [one.message, one.help].filter(Boolean).join("\n"),
    renderMessage: () => h("div", {}, h("div", {}, coded(one.message)), one.help && h("div", {}, coded(one.help))),
    actions: one.fix ? [{ name: fixName(one.fix).replaceAll("`", ""), apply: () => applyFix(one.fix) }] : [],
  });

  const applyFix = ({ edits }) => {
    editor.dispatch({ changes: edits.map(({ start, end, text: insert }) => ({ from: start, to: end, insert })) });
    editor.focus();
  };

  const showProblems = (list) => {
    const errors = list.filter((one) => one.severity !== "warning").length;
    const parts = [errors && count(errors, "error"), list.length - errors && count(list.length - errors, "warning")].filter(Boolean);
    state.className = `state ${errors ? "bad" : list.length ? "warning" : "good"}`;
    fill(state, icon(errors ? "error" : list.length ? "warning" : "check"), parts.join(", ") || "No problems");
    fill(problems, list.slice(0, 50).map((one) => h("div.diagnostic", { class: one.severity }, icon(one.severity === "warning" ? "warning" : "error"),
      h("div", {}, h("button.at", { type: "button", click: () => jump(one) }, `Line ${editor.state.doc.lineAt(Math.min(one.start, editor.state.doc.length)).number}: `, coded(one.message)),
        h("span.hint", {}, one.code, one.help && [" · ", coded(one.help)]), one.fix && button(h("span", {}, coded(fixName(one.fix))), () => applyFix(one.fix), { kind: "small" })))));
  };

  const jump = (one) => {
    const at = Math.min(one.start, editor.state.doc.length);
    editor.dispatch({ selection: { anchor: at, head: Math.min(one.end, editor.state.doc.length) }, scrollIntoView: true });
    editor.focus();
  };

  const showPlan = (made, svg) => fill(plan, made ? [svg && drawing(svg), planView(made)] : text().trim()
    ? notice("info", "No plan yet", "The plan is made when the script has no errors.") : emptyPlace("plan", "What the script will do", "Its effects, its costs and its time are shown here before anything runs."));

  /** Writes the script in its standard form, and returns whether it changed. */
  const format = async () => {
    const before = text();
    const { text: made } = await engine.format(before);
    if (made !== before && before === text()) setText(editor, made);
    return made !== before;
  };

  showPlan();
  later();
  return { frame, problems, state, plan, text, format, showProblems, check: later, set: (made) => setText(editor, made) };
}

/** A plan may be missing: what is wrong stands in the problems. */
const ignored = (error) => {
  if (error.name === "AbortError") throw error;
  return null;
};

/** A plan as a picture. It is an image, so that nothing in it can run. */
function drawing(svg) {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  const release = () => URL.revokeObjectURL(url);
  return h("figure.drawing", { tabindex: "0", "aria-label": "Drawing of the plan" }, h("img", { src: url, alt: "The plan as a drawing; the table below has the same nodes", load: release, error: release }));
}

/** What the button of a fix says: its title, if that is short. */
const fixName = ({ title }) => (title.length <= 48 ? title : "Apply the fix");

const KINDS = { op: "function", flow: "function", component: "function", keyword: "keyword", type: "type", param: "property", field: "property", argument: "property", variable: "variable", value: "constant", module: "namespace", snippet: "text" };

/** Completions. Asked while a word is typed, after a dot, or by Ctrl Space. */
async function complete(engine, context) {
  const word = context.matchBefore(/[\w.]+/);
  if (!word && !context.explicit && !/(>>\s*|\(|,\s*|:\s*)$/.test(context.state.sliceDoc(Math.max(0, context.pos - 4), context.pos))) return null;
  const stop = new AbortController();
  context.addEventListener("abort", () => stop.abort());
  try {
    const { items } = await engine.complete(context.state.doc.toString(), context.pos, stop.signal);
    if (!items.length) return null;
    return {
      from: Math.min(...items.map((item) => item.start)),
      options: items.map((item, index) => ({
        label: item.label,
        detail: item.detail?.startsWith(item.label) ? item.detail.slice(item.label.length) : item.detail,
        type: KINDS[item.kind] ?? "text",
        boost: -index / 100,
        info: item.doc ? () => h("div", {}, item.doc) : undefined,
        apply: (view) => view.dispatch({ changes: { from: item.start, to: Math.max(item.end, view.state.selection.main.head), insert: item.insert }, selection: { anchor: item.start + item.insert.length } }),
      })),
      validFor: /^\w*$/,
    };
  } catch { return null; }
}
