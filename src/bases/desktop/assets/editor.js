// The editor of scripts: problems while typing, completion, the plan before a run, format, run.
import { get, post } from "./api.js";
import { go, here } from "./shell.js";
import { button, clearErrors, coded, fill, h, icon, notice, openDialog, field, say, showErrors, toast, toastError } from "./dom.js";
import { count } from "./format.js";
import { busyButton, drafts, emptyPlace, viewHead, whileBusy } from "./parts.js";
import { planView } from "./plan.js";
import { readJson } from "./workers.js";

const FIRST = `svc 1 within { timeout: 2m }

## The question to answer.
param question: string

## A folder or file to search.
param source: path = "docs"

question
  >> search(source: source, top_k: 8)
  >> rag_retrieval(top_k: 6)
  >> summary(max_sentences: 4)
`;

export async function show(view) {
  view.title("Editor");
  const [{ createEditor, setDiagnostics, setText }, { projects }] = await Promise.all([import("./codemirror.js"), get("/projects", { limit: 200, state: "active" }, view.signal)]);
  const frame = h("div.code-frame");
  const problems = h("div.diagnostics");
  const state = h("span.state", { role: "status" });
  const planPlace = h("div.stack");
  const project = h("select", { "aria-label": "Project in which the script runs" }, projects.map((one) => h("option", { value: one.id }, one.name)));
  if (here.project && projects.some((one) => one.id === here.project.id)) project.value = here.project.id;
  let lastPlan = null;
  let checking;

  // In a shadow root, the styles of CodeMirror are sheets made by script, which the policy of the page allows.
  const root = frame.attachShadow({ mode: "open" });
  const place = h("div.code");
  root.append(h("link", { rel: "stylesheet", href: "/assets/code.css" }), place);
  const editor = createEditor({
    parent: place,
    root,
    text: drafts.get("editor") || FIRST,
    label: "Script",
    complete,
    change: (text) => { drafts.set("editor", text); later(); },
    keys: [{ key: "Mod-Enter", run: () => { run(); return true; } }, { key: "Mod-Shift-f", run: () => { format(); return true; } }],
  });
  const text = () => editor.state.doc.toString();
  view.signal.addEventListener("abort", () => editor.destroy());

  // ---- problems ----

  let timer;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => check().catch((error) => error.name !== "AbortError" && fill(state, error.message)), 350);
  };

  /** Checks and plans the text. An older check that is still on its way is dropped. */
  const check = async () => {
    checking?.abort();
    checking = new AbortController();
    const { signal } = checking;
    const asked = text();
    const [checked, planned] = await Promise.all([post("/editor/check", { text: asked }, { signal }), post("/editor/plan", { text: asked }, { signal }).catch((error) => { if (error.name === "AbortError") throw error; return {}; })]);
    if (asked !== text() || view.signal.aborted) return;
    editor.dispatch(setDiagnostics(editor.state, checked.diagnostics.map((one) => lint(one, asked.length))));
    lastPlan = planned.plan ?? null;
    showProblems(checked.diagnostics);
    showPlan();
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

  const showPlan = () => fill(planPlace, lastPlan ? planView(lastPlan) : text().trim()
    ? notice("info", "No plan yet", "The plan is made when the script has no errors.") : emptyPlace("plan", "What the script will do", "Its effects, its costs and its time are shown here before anything runs."));

  // ---- what the buttons do ----

  const format = async () => {
    const before = text();
    const { text: made } = await post("/editor/format", { text: before });
    if (made === before) toast("The script is formatted already");
    else if (before === text()) setText(editor, made);
  };

  const run = async () => {
    if (!project.value) { toast("Create a project first: a script runs in a project", "error"); return; }
    const asked = text();
    const { plan, diagnostics = [] } = await post("/editor/plan", { text: asked });
    if (!plan) {
      showProblems(diagnostics);
      say("The script has errors");
      return;
    }
    const begun = await askParams(plan, asked, project.value);
    if (begun) {
      toast("The run has begun");
      go(`#/runs/${begun.run_id}`);
    }
  };
  const runButton = busyButton("Run", run, { kind: "primary", icon: "runs", title: "Ctrl Enter" });

  const file = h("input", { type: "file", accept: ".svc,text/plain", hidden: true, "aria-label": "Script", change: async () => {
    if (file.files[0]) setText(editor, await file.files[0].text());
    file.value = "";
  } });
  const save = () => {
    const url = URL.createObjectURL(new Blob([text()], { type: "text/plain" }));
    h("a", { href: url, download: "script.svc" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  };

  view.on(window, "svc:online", later);
  fill(view.root,
    viewHead("Editor", { sub: "Checked while you type. The plan shows what a run may do and cost before it begins.", actions: [
      button("Open", () => file.click(), { icon: "upload" }), button("Save as a file", save, { icon: "download" }),
      busyButton("Format", format, { icon: "format", title: "Ctrl Shift F" }), runButton] }),
    file,
    h("div.toolbar", {}, h("label.small-text.muted", { for: "editor-project" }, "Runs in"), project, state),
    h("div.editor-columns", {}, h("div.stack", {}, frame, problems), h("section.stack", { "aria-label": "Plan" }, planPlace)));
  project.id = "editor-project";
  project.removeAttribute("aria-label");
  if (!projects.length) project.replaceWith(h("a", { href: "#/projects?new=1" }, "Create a project to run scripts"));
  showPlan();
  later();
}

/** What the button of a fix says: its title, if that is short. */
const fixName = ({ title }) => (title.length <= 48 ? title : "Apply the fix");

const KINDS = { op: "function", flow: "function", component: "function", keyword: "keyword", type: "type", param: "property", field: "property", argument: "property", variable: "variable", value: "constant", module: "namespace", snippet: "text" };

/** Completions from the server. Asked while a word is typed, after a dot, or by Ctrl Space. */
async function complete(context) {
  const word = context.matchBefore(/[\w.]+/);
  if (!word && !context.explicit && !/(>>\s*|\(|,\s*|:\s*)$/.test(context.state.sliceDoc(Math.max(0, context.pos - 4), context.pos))) return null;
  const stop = new AbortController();
  context.addEventListener("abort", () => stop.abort());
  try {
    const { items } = await post("/editor/complete", { text: context.state.doc.toString(), at: context.pos }, { signal: stop.signal });
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

/** Asks for the params of a script, if it has any, and begins the run. */
async function askParams(plan, text, project) {
  const begin = (params) => post("/editor/run", { text, project_id: project, params });
  if (!plan.inputs?.length) return begin({});
  return openDialog("Run the script", (close) => {
    const inputs = plan.inputs.map((input) => control(input));
    const form = h("form", { novalidate: true, submit: (event) => {
      event.preventDefault();
      clearErrors(form);
      whileBusy(form, async () => {
        try {
          const params = {};
          plan.inputs.forEach((input, index) => {
            const value = readInput(input, inputs[index]);
            if (value !== undefined) params[input.name] = value;
          });
          close(await begin(params));
        } catch (error) { showErrors(form, error); }
      });
    } },
    plan.inputs.map((input, index) => field(input.name, inputs[index], { name: input.name, hint: [input.doc, input.type, !input.required && "optional"].filter(Boolean).join(" · ") })),
    h("div.form-error"), h("footer", {}, button("Cancel", () => close()), h("button.button.primary", { type: "submit" }, "Run")));
    return form;
  }).catch(toastError);
}

function control({ type, required }) {
  if (type === "bool") return h("select", {}, required ? null : h("option", { value: "" }, "as in the script"), h("option", { value: "true" }, "true"), h("option", { value: "false" }, "false"));
  if (/^(int|float|number)\b/.test(type)) return h("input", { type: "number", step: type.startsWith("int") ? "1" : "any" });
  return h("textarea", { rows: type === "string" ? "2" : "1", spellcheck: String(type === "string") });
}

/** The value of a control by the type of its param: texts as they are, all else as JSON. */
function readInput({ name, type, required }, node) {
  const text = node.value;
  if (text === "" && !required) return undefined;
  if (/^(string|path)\??$/.test(type) || /^["$]/.test(type) || /^(money|duration|size|bytes)/.test(type)) return text;
  if (text === "") throw Object.assign(new Error("missing param"), { status: 422, details: [{ field: name, message: "is missing" }] });
  try { return readJson(text); } catch {
    throw Object.assign(new Error("invalid params"), { status: 422, details: [{ field: name, message: `expected ${type} as JSON` }] });
  }
}
