// The quality of the answers of a chat: how it goes, which are below a threshold, and the thresholds.
import { get, path, put } from "./api.js";
import { chatHead } from "./chat.js";
import { clearErrors, field, fill, h, showErrors, toast } from "./dom.js";
import { ago, count, percent } from "./format.js";
import { DIMENSIONS, bar, emptyPlace, linkButton, qualityMeter, table, whileBusy } from "./parts.js";
import { plot } from "./plots.js";

const NAMES = Object.keys(DIMENSIONS);

export async function show(view) {
  const { session: id } = view.params;
  const { node: head, base } = await chatHead(view, "quality");
  const place = h("div.stack");

  const load = async () => {
    const [quality, trend] = await Promise.all([get(path`/sessions/${id}/quality`, {}, view.signal), get(path`/sessions/${id}/quality/trend`, { window: 5 }, view.signal)]);
    if (!quality.outputs.length) {
      fill(place, emptyPlace("chart", "Nothing to measure yet", "Each finished answer gets numbers from 0 to 1: whether its sentences are supported, how complete it is, and what it cost. They are shown here.", linkButton("Ask a question", base, { kind: "primary" })));
      return;
    }
    fill(place, summaryPanel(byDimension(quality.summary)), trendPanel(view, trend.points, id), outputs(quality.outputs, base), thresholds(id, quality.thresholds, load));
  };
  view.on(window, "svc:online", load);
  await load();
  fill(view.root, head, place);
}

/** The summary by the names of dimensions; the server gives it as a list or as an object. */
const byDimension = (summary) => (Array.isArray(summary) ? Object.fromEntries(summary.map((row) => [row.dimension, row])) : summary);

const summaryPanel = (summary) => h("section.panel", {}, h("h2", {}, "Summary"), h("dl.limits", {}, NAMES.filter((name) => summary[name]).map((name) =>
  h("div", {}, h("dt", {}, capital(name)), h("dd", {}, percent(summary[name].mean), " ", bar(summary[name].mean, name)),
    h("dd.hint", {}, `lowest ${percent(summary[name].min)}, of ${count(summary[name].count, "answer")}`)))));

/** By the number of the answer: answers come in bursts, and would stand upon each other by their times. */
function trendPanel(view, points, id) {
  const lines = NAMES.filter((name) => points.some((point) => point[name] != null));
  const series = lines.filter((name) => name !== "utility").map((name) => [capital(name), points.map((point) => point[name])]);
  series.unshift(["Utility, mean of 5", points.map((point) => point.mean_utility)]);
  const report = (format) => h("a", { href: `${path`/sessions/${id}/quality/report`}?format=${format}`, download: `quality.${format}`, "aria-label": `Report as ${format.toUpperCase()}` }, format.toUpperCase());
  return h("section.panel", {}, h("header", {}, h("h2", {}, "Trend"), h("p.meta", {}, "Report as", ["md", "csv", "json", "html"].map(report))),
    points.length > 1 ? plot(view, "Quality over time", points.map((_, index) => String(index + 1)), series, { show: percent, axis: "Answer", max: 1.05 }) : h("p.muted", {}, "A trend needs two answers or more."));
}

const outputs = (rows, base) => h("section.stack", {}, h("h2", {}, "Answers"), table("Quality of each answer", [
  ["Answer", (row) => h("a.run-link", { href: row.run_id ? `#/runs/${row.run_id}` : base }, excerpt(row.text) || ago(row.created_at))],
  ["Quality", (row) => qualityMeter(row.quality)],
  ...NAMES.filter((name) => name !== "utility").map((name) => [capital(name), (row) => percent(row.quality[name]), "number wide-only"]),
  ["Below its threshold", (row) => (row.below.length ? row.below.join(", ") : h("span.muted", {}, "–"))],
], [...rows].reverse()));

function thresholds(id, known, load) {
  const inputs = NAMES.map((name) => h("input", { type: "number", min: "0", max: "1", step: "0.05", inputmode: "decimal", value: known[name] ?? "" }));
  const form = h("form", { novalidate: true, submit: (event) => {
    event.preventDefault();
    clearErrors(form);
    const values = Object.fromEntries(NAMES.map((name, index) => [name, inputs[index].value === "" ? null : Number(inputs[index].value)]));
    whileBusy(form, async () => {
      try {
        await put(path`/sessions/${id}/quality/thresholds`, values);
        toast("The thresholds are saved");
        await load();
        document.querySelector("[data-focus=save-thresholds]")?.focus();
      } catch (error) { showErrors(form, error); }
    });
  } },
  h("div.columns", {}, NAMES.map((name, index) => field(capital(name), inputs[index], { name, hint: DIMENSIONS[name] }))), h("div.form-error"),
  h("div.actions", {}, h("button.button.primary", { type: "submit", "data-focus": "save-thresholds" }, "Save thresholds")));
  return h("section.panel", {}, h("div", {}, h("h2", {}, "Thresholds"), h("p.muted", {}, "From 0 to 1. An answer below one of them is listed with its name. Empty: no threshold.")), form);
}

const excerpt = (text) => (text && text.length > 60 ? `${text.slice(0, 58)}…` : text);

const capital = (name) => name[0].toUpperCase() + name.slice(1);
