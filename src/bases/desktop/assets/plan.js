// The plan of a script: its effects, its costs and time, what limits it, and its nodes.
import { h, notice } from "./dom.js";
import { duration, effect, integer, money } from "./format.js";
import { effectChip, table } from "./parts.js";

/** A range as text; `show` makes a text of one end. */
function range({ min, max } = {}, show) {
  if (max == null) return "no limit";
  const [low, high] = [show(min), show(max)];
  return low === high ? high : `${low} to ${high}`;
}

/** The elements of a plan as `svc plan --json` has it. */
export function planView(plan) {
  const { envelope } = plan;
  const expected = (part, show) => part?.expected != null && h("dd.hint", {}, `usually ${show(part.expected)}`);
  return [
    h("section.panel", {}, h("h2", {}, "Plan"),
      h("dl.limits", {},
        h("div", {}, h("dt", {}, "Cost"), h("dd", {}, range(envelope.cost, money)), expected(envelope.cost, money)),
        h("div", {}, h("dt", {}, "Tokens"), h("dd", {}, range(envelope.tokens, integer)), expected(envelope.tokens, integer)),
        h("div", {}, h("dt", {}, "Time"), h("dd", {}, envelope.time?.max == null ? "no limit" : `at most ${duration(envelope.time.max)}`), expected(envelope.time, duration))),
      plan.effects?.length ? h("ul.chips", { "aria-label": "Effects" }, plan.effects.map((one) => effectChip(effect(one)))) : h("p.muted", {}, "No effects: it only computes."),
      plan.refused?.length ? notice("error", "Not allowed here", plan.refused.map((one) => (one.effect ? effect(one.effect) : one.verb ? effect(one) : JSON.stringify(one))).join(", ")) : null,
      plan.verdicts?.length ? h("ul.small-text.muted", { "aria-label": "Bounds" }, plan.verdicts.map((one) => h("li", {}, `${one.bound.replaceAll("_", " ")} ${one.limit}: ${one.holds}${one.why ? `, ${one.why}` : ""}`))) : null,
      h("p.small-text", {}, h("span.muted", {}, "Result "), h("code", {}, plan.result))),
    plan.nodes?.length ? table("Nodes of the plan", [
      ["Node", (node) => h("code", {}, node.path)],
      ["Effects", (node) => node.effects?.map(effect).join(", ") || h("span.muted", {}, "none")],
      ["At most", (node) => (node.envelope ? money(node.envelope.cost?.max) : "–"), "number"],
    ], plan.nodes) : null,
  ];
}
