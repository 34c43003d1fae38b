// What a chat has used: tokens, calls and money, by day, by model or by kind.
import { get, path } from "./api.js";
import { chatHead } from "./chat.js";
import { fill, h, notice } from "./dom.js";
import { integer, money } from "./format.js";
import { bar, emptyPlace, linkButton, table } from "./parts.js";
import { plot } from "./plots.js";

const GROUPS = [["day", "Day"], ["model", "Model"], ["kind", "Kind"]];

export async function show(view) {
  const { session: id } = view.params;
  const { node: head, base } = await chatHead(view, "usage");
  const place = h("div.stack");
  let group = view.query.get("by") ?? "day";

  const load = async () => {
    const usage = await get(path`/sessions/${id}/usage`, { group_by: group }, view.signal);
    fill(place, limitNotice(usage), totals(usage), groupPanel(usage));
  };

  const groupPanel = (usage) => {
    const choice = h("div.segments", { role: "radiogroup", "aria-label": "Group by" }, GROUPS.map(([name, label]) => h("label", {},
      h("input", { type: "radio", name: "group", value: name, checked: name === group, change: async () => {
        group = name;
        history.replaceState(null, "", `${base}/usage?by=${name}`);
        await load();
        place.querySelector("input:checked")?.focus();
      } }), label)));
    const rows = usage.by;
    const title = h("header", {}, h("h2", {}, "Cost and tokens"), choice);
    if (!rows.length) return h("section.panel", {}, title, emptyPlace("chart", "Nothing is used yet", "Answers from your files without a model are free, and their calls are counted here.", linkButton("Ask a question", base)));
    const paid = rows.some((row) => row.cost_usd > 0);
    const values = paid ? [["Cost", rows.map((row) => row.cost_usd)]] : [["Tokens", rows.map((row) => row.input_tokens + row.output_tokens)]];
    return h("section.panel", {}, title,
      plot(view, paid ? `Cost by ${group}` : `Tokens by ${group}`, rows.map((row) => row.key ?? "unknown"), values, { show: paid ? money : integer, bars: true }),
      table(`Usage by ${group}`, [
        [GROUPS.find(([name]) => name === group)?.[1] ?? "Name", (row) => row.key ?? "unknown"],
        ["Input tokens", (row) => integer(row.input_tokens), "number wide-only"],
        ["Output tokens", (row) => integer(row.output_tokens), "number wide-only"],
        ["Calls", (row) => integer(row.tool_calls), "number"],
        ["Cost", (row) => money(row.cost_usd), "number"],
      ], rows));
  };

  view.on(window, "svc:online", load);
  await load();
  fill(view.root, head, place);
}

function limitNotice({ limit_state: state }) {
  if (state === "warning") return notice("warning", "This chat has used most of its limit", "When it is used up, messages are refused. A new chat has its own limit.");
  if (state === "exceeded") return notice("error", "This chat has used up its limit", "Start a new chat, or one with a larger limit.");
  return null;
}

function totals(usage) {
  const { limits = {}, remaining = {} } = usage;
  const used = (name, value, limit, left, show) => h("div", {}, h("dt", {}, name), h("dd", {}, show(value)),
    limit ? h("dd.hint", {}, bar(Math.min(1, value / limit) && 1 - Math.min(1, value / limit), `${name} left`), ` ${show(left ?? limit - value)} of ${show(limit)} left`) : h("dd.hint", {}, "no limit"));
  return h("section.panel", {}, h("h2", {}, "Total"), h("dl.limits", {},
    used("Cost", usage.cost_usd, limits.max_budget_usd, remaining.cost_usd, money),
    used("Tokens", usage.total_tokens, limits.max_tokens, remaining.tokens, integer),
    h("div", {}, h("dt", {}, "Input and output"), h("dd", {}, `${integer(usage.input_tokens)} + ${integer(usage.output_tokens)}`)),
    h("div", {}, h("dt", {}, "Calls"), h("dd", {}, integer(usage.tool_calls)))));
}
