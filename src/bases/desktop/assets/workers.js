// The workers of a chat: what runs on its own, on a schedule, or takes its queue.
import { get, path, post } from "./api.js";
import { chatHead } from "./chat.js";
import { button, clearErrors, coded, errorNotice, field, fill, h, openDialog, refill, say, showErrors, toast, toastError } from "./dom.js";
import { ago, count } from "./format.js";
import { drafts, emptyPlace, stateBadge, table, whileBusy } from "./parts.js";

const ENDED = ["stopped", "failed", "lost"];
const KINDS = [["script", "Script", "runs a script, once or on a schedule"], ["goal", "Goal", "plans a goal in plain words, and runs the plan"], ["queue", "Queue", "answers the messages of this chat"]];

export async function show(view) {
  const { session: id } = view.params;
  const { node: head, session } = await chatHead(view, "workers");
  const place = h("div");
  let shown = "";
  const load = async () => {
    const { workers } = await get(path`/workers/${id}`, {}, view.signal);
    const key = JSON.stringify([workers, Math.floor(Date.now() / 60000)]);
    if (key === shown) return;
    shown = key;
    refill(place, workers.length ? workerTable(workers, load) : emptyPlace("worker", "No workers", "A worker runs a script on a schedule, works towards a goal, or answers the messages of this chat while you are away. It keeps to the bounds of the chat.", session.state === "active" ? starter() : null));
  };
  const starter = () => button("Start a worker", () => startWorker(id, load), { kind: "primary", icon: "add" });
  await load();
  view.every(2000, load);
  view.on(window, "svc:online", load);
  fill(view.root, head, h("div.view-head", {}, h("p.sub", {}, "At most 8 at a time. They are shown as they are, every 2 seconds."), session.state === "active" ? starter() : null), place);
}

const workerTable = (workers, load) => table("Workers", [
  ["Work", (worker) => h("div", {}, h("strong", {}, worker.script || worker.goal || "Messages of this chat"),
    h("div.small-text.muted", {}, [worker.kind, worker.schedule && `at ${worker.schedule} UTC`, worker.current_job && "has a job"].filter(Boolean).join(", ")),
    worker.last_error ? h("div.small-text.field-error", {}, coded(worker.last_error.message ?? worker.last_error)) : null)],
  ["State", (worker) => stateBadge(worker.state)],
  ["Runs", (worker) => h("span", { title: `${worker.stats?.ok ?? 0} ok, ${worker.stats?.failed ?? 0} failed, ${count(worker.stats?.restarts ?? 0, "restart")}` },
    `${worker.stats?.runs ?? 0}${worker.max_runs ? ` of ${worker.max_runs}` : ""}`, worker.stats?.failed ? h("span.muted.wide-only", {}, `, ${worker.stats.failed} failed`) : null), "number"],
  ["Started", (worker) => ago(worker.created_at), "wide-only"],
  ["", (worker) => (ENDED.includes(worker.state) ? null : h("span.row-actions", {},
    worker.state === "draining" ? null : button("Stop", () => stop(worker, load), { kind: "small", "data-focus": `stop-${worker.id}`, "aria-label": `Stop ${worker.script || worker.goal || "the queue worker"}` }))), "end"],
], workers);

async function stop(worker, load) {
  const mode = await openDialog("Stop this worker?", (close) => [
    h("p", {}, "It can end its current job first, or cancel it."),
    h("footer", {}, button("Keep it", () => close()), button("Cancel its job", () => close("cancel"), { kind: "danger" }), button("Finish, then stop", () => close("drain"), { kind: "primary" })),
  ]);
  if (!mode) return;
  try {
    await post("/workers/stop", { worker_id: worker.id, mode });
    say(mode === "drain" ? "The worker ends its job and stops" : "The worker is stopped");
    await load();
  } catch (error) { toastError(error); }
}

async function startWorker(session, load) {
  const scripts = await get("/scripts").then((reply) => reply.scripts, () => []);
  const made = await openDialog("Start a worker", (close) => {
    const key = `worker.${session}`;
    const names = h("datalist", { id: "script-names" }, scripts.map((one) => h("option", { value: one.name }, one.description ?? "")));
    const script = h("input", { type: "text", list: "script-names", autocomplete: "off", spellcheck: "false" });
    const goal = h("textarea", { rows: "3" });
    const params = h("textarea", { rows: "2", spellcheck: "false", placeholder: "{}" });
    const schedule = h("input", { type: "text", autocomplete: "off", spellcheck: "false", placeholder: "0 6 * * 1-5" });
    const runs = h("input", { type: "number", min: "1", step: "1" });
    const cost = h("input", { type: "number", min: "0", step: "0.01" });
    goal.value = drafts.get(key);
    goal.addEventListener("input", () => drafts.set(key, goal.value));
    const only = { script: h("div.stack", {}, names, field("Script", script, { name: "script", hint: "The name of a script of the service, or the text of one" }), field("Params", params, { name: "params", hint: "Optional, as JSON" })),
      goal: h("div", {}, field("Goal", goal, { name: "goal", hint: "What to do, in plain words" })) };
    const timed = h("div.columns", {}, field("Schedule", schedule, { name: "schedule", hint: "Optional: minute, hour, day, month, weekday, in UTC" }), field("Most runs", runs, { name: "max_runs", hint: "Optional" }));
    const choose = (kind) => {
      for (const [name, node] of Object.entries(only)) node.hidden = name !== kind;
      timed.hidden = kind === "queue";
    };
    const kinds = h("fieldset.choices", {}, h("legend.sr", {}, "Kind"), KINDS.map(([name, label, text]) => h("label.choice", {},
      h("input", { type: "radio", name: "kind", value: name, checked: name === "script", change: () => choose(name) }), h("span", {}, h("strong", {}, label), " ", text))));
    const form = h("form", { novalidate: true, submit: (event) => { event.preventDefault(); send(); } }, kinds, only.script, only.goal, timed,
      field("Most dollars", cost, { name: "max_budget_usd", hint: "Optional, within the bounds of the chat" }), h("div.form-error"),
      h("footer", {}, button("Cancel", () => close()), h("button.button.primary", { type: "submit" }, "Start")));
    const send = () => whileBusy(form, async () => {
      clearErrors(form);
      const kind = form.elements.kind.value;
      const body = { session_id: session, kind };
      try {
        if (kind === "script") Object.assign(body, { script: script.value.trim() || undefined, params: readJson(params.value) });
        if (kind === "goal") body.goal = goal.value.trim() || undefined;
        if (kind !== "queue") Object.assign(body, { schedule: schedule.value.trim() || undefined, max_runs: runs.value ? Number(runs.value) : undefined });
        if (cost.value) body.bounds = { max_budget_usd: Number(cost.value) };
        const { worker } = await post("/workers/start", body);
        drafts.set(key, "");
        close(worker);
      } catch (error) { if (error.status === undefined) form.querySelector(".form-error").replaceChildren(errorNotice(error)); else showErrors(form, error); }
    });
    choose("script");
    return form;
  });
  if (made) { toast("The worker starts"); await load(); }
}

/** The object in a text, or a readable error at the field of the params. */
export function readJson(text) {
  if (!text.trim()) return undefined;
  try { return JSON.parse(text); } catch {
    throw Object.assign(new Error("invalid params"), { status: 422, details: [{ field: "params", message: "expected JSON, such as {\"folder\": \"docs\"}" }] });
  }
}
