// The editor of scripts, and their runs in a project.
import { get, post } from "./api.js";
import { go, here } from "./shell.js";
import { codePane } from "./code.js";
import { button, clearErrors, fill, h, openDialog, field, say, showErrors, toast, toastError } from "./dom.js";
import { server } from "./engines.js";
import { busyButton, drafts, saveScript, viewHead, whileBusy } from "./parts.js";
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
  const { projects } = await get("/projects", { limit: 200, state: "active" }, view.signal);
  const project = h("select", { id: "editor-project" }, projects.map((one) => h("option", { value: one.id }, one.name)));
  if (here.project && projects.some((one) => one.id === here.project.id)) project.value = here.project.id;
  const pane = await codePane({
    engine: server,
    first: drafts.get("editor") || FIRST,
    changed: (text) => drafts.set("editor", text),
    keys: [{ key: "Mod-Enter", run: () => { runButton.click(); return true; } }],
    signal: view.signal,
  });

  const format = async () => {
    if (!await pane.format()) toast("The script is formatted already");
  };

  const run = async () => {
    if (!project.value) { toast("Create a project first: a script runs in a project", "error"); return; }
    const asked = pane.text();
    const { plan, diagnostics = [] } = await server.plan(asked);
    if (!plan) {
      pane.showProblems(diagnostics);
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
    if (file.files[0]) pane.set(await file.files[0].text());
    file.value = "";
  } });

  view.on(window, "svc:online", pane.check);
  fill(view.root,
    viewHead("Editor", { sub: "Checked while you type. The plan shows what a run may do and cost before it begins.", actions: [
      button("Open", () => file.click(), { icon: "upload" }), button("Save as a file", () => saveScript(pane.text()), { icon: "download" }),
      busyButton("Format", format, { icon: "format", title: "Ctrl Shift F" }), runButton] }),
    file,
    h("div.toolbar", {}, projects.length ? [h("label.small-text.muted", { for: "editor-project" }, "Runs in"), project]
      : h("a", { href: "#/projects?new=1" }, "Create a project to run scripts"), pane.state),
    h("div.editor-columns", {}, h("div.stack", {}, pane.frame, pane.problems), h("section.stack", { "aria-label": "Plan" }, pane.plan)));
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
