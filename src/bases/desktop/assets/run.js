// One run: what it did, its page, its calls, and why each was made; cancel and resume.
import { get, path, post } from "./api.js";
import { coded, confirmed, fill, h, notice, refill, say, toast } from "./dom.js";
import { date, duration, integer, money, shortId } from "./format.js";
import { busyButton, facts, linkButton, qualityMeter, stateBadge, table, viewHead } from "./parts.js";
import { codeBlock } from "./prose.js";

const ENDED = ["ok", "failed", "cancelled", "died", "stuck"];
const ended = (run) => ENDED.includes(run.state);
/** A run has no page before its first call. */
const hasPage = (run) => ended(run) || run.calls?.length > 0;

export async function show(view) {
  const id = view.params.run;
  const page = path`/runs/${id}/page`;
  let run = await get(path`/runs/${id}`, {}, view.signal);
  view.title(run.title || "Run", "Runs");
  let part = "page";
  const head = h("div.stack");
  const body = h("div");
  const frame = h("iframe.run-frame", { title: "The graph, the timeline and the values of this run" });

  const drawHead = () => refill(head,
    viewHead(run.title || "Run", { back: ["#/runs", "Runs"], actions: [
      ended(run) ? null : busyButton("Cancel", cancel, { icon: "stop", "data-focus": "cancel" }),
      ended(run) && run.state !== "ok" ? busyButton("Resume", resume, { icon: "refresh", kind: "primary" }) : null,
      hasPage(run) ? linkButton("Open in a tab", page, { target: "_blank", rel: "noopener" }) : null].filter(Boolean) }),
    facts([["State", stateBadge(run.state)], ["Started", run.started_at && date(run.started_at)],
      ["Took", run.ended_at && duration(new Date(run.ended_at) - new Date(run.started_at))], ["Cost", money(run.usage?.cost_usd)], ["Tokens", integer(run.usage?.tokens)],
      ["Quality", run.quality && qualityMeter(run.quality)], ["Id", h("code", { title: id }, shortId(id))]]),
    run.error && run.state === "failed" ? notice("error", run.error.message, run.error.help ?? (run.error.line ? `In ${run.error.file}, line ${run.error.line}` : null)) : null,
    run.state === "waiting" ? notice("warning", "This run waits for an answer", "It goes on when a person approves or rejects.", linkButton("Show approvals", "#/approvals", { kind: "small" })) : null);

  const drawBody = async () => {
    if (part === "page") {
      if (hasPage(run) && !frame.src) frame.src = page;
      fill(body, hasPage(run) ? frame : run.state === "queued" ? notice("info", "The run waits for its turn", "Its page is shown when it has begun.")
        : notice("info", "The run has begun", "Its page is shown with its first call."));
    }
    if (part === "calls") fill(body, callTable(run));
    if (part === "result") fill(body, run.result == null ? notice("info", "There is no result", ended(run) ? "The run ended without one." : "The run has not ended.") : codeBlock(typeof run.result === "string" ? run.result : JSON.stringify(run.result, null, 2), "Result"));
    if (part === "why") fill(body, whyTable((await get(path`/runs/${id}/why`, {}, view.signal)).calls));
  };

  const cancel = async () => {
    if (!await confirmed("Cancel this run?", "Nothing new starts. It can be resumed later, and finished calls are not paid again.", "Cancel the run")) return;
    await post(path`/runs/${id}/cancel`);
    toast("The run is cancelled");
    await load();
  };
  const resume = async () => {
    await post(path`/runs/${id}/resume`);
    toast("The run goes on");
    await load();
  };

  const load = async () => {
    const before = run;
    run = await get(path`/runs/${id}`, {}, view.signal);
    if (JSON.stringify(run) === JSON.stringify(before)) return;
    const hasMoved = run.state !== before.state;
    if (hasMoved) {
      say(`The run is ${run.state}`);
      if (frame.src) frame.src = page;
    }
    drawHead();
    // The result and the reasons come with the end of the run; a frame that is there loads itself again.
    if (part === "calls" || (part === "page" ? !frame.src : hasMoved)) await drawBody();
  };

  const names = [["page", "Page"], ["calls", "Calls"], ["result", "Result"], ["why", "Why"]];
  const buttons = names.map(([name, label]) => h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "run-part", click: () => choose(name) }, label));
  const panel = h("div", { role: "tabpanel", id: "run-part" }, body);
  const choose = (name) => {
    part = name;
    buttons.forEach((node, index) => {
      const now = names[index][0] === name;
      node.setAttribute("aria-selected", String(now));
      node.tabIndex = now ? 0 : -1;
    });
    panel.setAttribute("aria-labelledby", `tab-${name}`);
    return drawBody();
  };
  const list = h("div.tabs", {}, h("ul", { role: "tablist", "aria-label": "Parts of this run", keydown: (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = (names.findIndex(([name]) => name === part) + step + names.length) % names.length;
    buttons[at].focus();
    choose(names[at][0]);
  } }, buttons.map((node) => h("li", { role: "presentation" }, node))));

  drawHead();
  await choose("page");
  view.every(1000, async () => { if (!ended(run)) await load(); });
  view.on(window, "svc:online", load);
  fill(view.root, head, list, panel);
}

const callTable = (run) => table("Calls", [
  ["Call", (call) => h("code", {}, call.path)],
  ["Op", (call) => h("code", {}, call.op), "wide-only"],
  ["State", (call) => h("div", {}, stateBadge(call.state), call.error && h("div.small-text.muted", {}, coded(call.error.message)))],
  ["Tries", (call) => integer(call.tries), "number wide-only"],
  ["Took", (call) => duration(call.took), "number"],
  ["Tokens", (call) => integer(call.tokens), "number wide-only"],
  ["Cost", (call) => money(call.cost), "number wide-only"],
], run.calls ?? []);

/** One reason of a call: its name, and its other fields. */
function reason({ reason: name, ...rest }) {
  const more = Object.entries(rest).filter(([, value]) => value != null).map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [String(name).replaceAll("_", " "), ...more].join(", ");
}

const whyTable = (calls) => table("Why each call was made", [
  ["Call", (call) => h("code", {}, call.path)],
  ["Taken from", (call) => (call.taken_from ? h("code", {}, String(call.taken_from)) : "–")],
  ["Reasons", (call) => (call.reasons?.length ? call.reasons.map(reason).join("; ") : "–")],
], calls);
