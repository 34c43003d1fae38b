// The list of runs, with a filter by state and by words.
import { get } from "./api.js";
import { fill, h, refill, say } from "./dom.js";
import { ago, count, date, duration, integer, money } from "./format.js";
import { emptyPlace, linkButton, stateBadge, table, viewHead } from "./parts.js";

const STATES = ["ok", "queued", "running", "waiting", "failed", "cancelled"];
const STEP = 50;

export async function show(view) {
  view.title("Runs");
  const state = h("select", { "aria-label": "State" }, h("option", { value: "" }, "All states"), STATES.map((name) => h("option", { value: name }, name)));
  state.value = view.query.get("state") ?? "";
  const words = h("input", { type: "search", "aria-label": "Filter runs by title or id", placeholder: "Filter by title or id", value: view.query.get("q") ?? "" });
  const place = h("div");
  const more = h("div.more");
  let limit = STEP;
  let runs = [];
  let shown = "";

  const draw = () => {
    const text = words.value.trim().toLowerCase();
    const rows = runs.filter((run) => `${run.title} ${run.script} ${run.run_id}`.toLowerCase().includes(text));
    const key = JSON.stringify([rows, Math.floor(Date.now() / 60000)]);
    if (key === shown) return;
    shown = key;
    refill(place, rows.length ? runTable(rows) : nothing(text || state.value));
    fill(more, runs.length >= limit && limit < 500 && h("button.button", { type: "button", click: () => { limit += 100; load(); } }, "Show more"));
  };
  const load = async () => {
    runs = (await get("/runs", { limit, state: state.value }, view.signal)).runs;
    draw();
  };
  const keep = () => history.replaceState(null, "", `#/runs${query({ state: state.value, q: words.value.trim() })}`);
  state.addEventListener("change", async () => { keep(); await load(); say(count(runs.length, "run")); });
  words.addEventListener("input", () => { keep(); draw(); });

  await load();
  view.every(3000, load);
  view.on(window, "svc:online", load);
  fill(view.root, viewHead("Runs", { sub: "Every run of this machine, the latest first." }), h("div.toolbar", {}, words, state), place, more);
}

function query(values) {
  const text = new URLSearchParams(Object.entries(values).filter(([, value]) => value)).toString();
  return text && `?${text}`;
}

const runTable = (rows) => table("Runs", [
  ["Run", (run) => h("a.run-link", { href: `#/runs/${run.run_id}` }, run.title)],
  ["State", (run) => stateBadge(run.state)],
  ["Started", (run) => (run.started ? h("time", { datetime: run.started, title: date(run.started) }, ago(run.started)) : "–"), "wide-only"],
  ["Took", (run) => (run.ended ? duration(new Date(run.ended) - new Date(run.started)) : "–"), "number wide-only"],
  ["Tokens", (run) => integer(run.tokens), "number wide-only"],
  ["Cost", (run) => money(run.cost), "number"],
], rows);

const nothing = (filtered) => (filtered
  ? emptyPlace("search", "No run found", "No run fits this filter.")
  : emptyPlace("runs", "No runs yet", "Every answer of a chat, and every script that you run, is recorded here with its cost and its calls.", linkButton("Write a script", "#/editor", { icon: "editor" })));
