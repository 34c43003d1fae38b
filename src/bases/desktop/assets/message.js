// One message of a chat: its text, its sources, its proposal, its state, cost and quality.
import { button, coded, h, icon, notice } from "./dom.js";
import { ago, count, date, duration, integer, money } from "./format.js";
import { busyButton, effectChip, qualityMeter, stateBadge } from "./parts.js";
import { codeBlock, prose } from "./prose.js";

export const isFinal = (message) => !["pending", "generating"].includes(message.state);

/**
 * The element of a message. `acts` has `decide(message, approved)`, `cancel(message)`, `again(message)`, `edit(script)` and
 * `fileName(id)`.
 */
export function messageView(message, acts) {
  const own = message.role === "user";
  const node = h("li.message", { id: message.id, class: own ? "from-user" : "from-svc", "data-state": message.state },
    h("h2.sr", {}, own ? "You" : "svc", " ", h("span", {}, ago(message.created_at))));
  node.append(own ? question(message, acts) : answer(message, acts));
  return node;
}

function question(message, acts) {
  return h("div.bubble", {}, h("div.prose", {}, message.text.split(/\n{2,}/).map((part) => h("p.as-typed", {}, part))),
    message.attachments?.length ? h("ul.tags", { "aria-label": "Attachments" }, message.attachments.map((id) => h("li", {}, icon("file"), acts.fileName(id)))) : null);
}

function answer(message, acts) {
  const sources = message.sources?.length ? sourceList(message) : null;
  const text = message.text && h("div.prose", {}, prose(message.text, (number) => sources?.mark(number)));
  return h("div.answer", {},
    message.found === false ? h("div.declined", {}, h("p.declined-title", {}, icon("search"), "Not found in the files"), text || h("p", {}, "No passage of the files answers this. Ask in other words, or add a file that has the answer.")) : text,
    isFinal(message) ? null : working(message, acts),
    message.error && notice("error", message.error.message, message.error.help),
    message.state === "cancelled" ? h("p.muted", {}, "Cancelled before it was finished.") : null,
    message.proposal && proposalCard(message, acts),
    sources?.node,
    footer(message, acts));
}

function working(message, acts) {
  const text = message.state === "pending" ? (message.position > 0 ? `Waiting, ${count(message.position, "message")} before this one` : "Waiting for its turn") : "Working on it";
  return h("p.working", {}, icon("spin", "spin"), h("span", {}, text), busyButton("Cancel", () => acts.cancel(message), { kind: "small quiet" }));
}

/** The passages that an answer rests on, closed at first; `mark` makes the mark that opens one. */
function sourceList(message) {
  const rows = new Map();
  const list = h("ol.source-list", {}, message.sources.map((source) => {
    const row = h("li.source", { tabindex: "-1", id: `${message.id}-source-${source.number}` },
      h("p.source-title", {}, h("span.number", {}, String(source.number)), h("strong", {}, source.title || source.path)),
      source.path === source.title ? null : h("p.source-path", {}, source.path), source.text ? h("blockquote", {}, source.text) : null);
    rows.set(source.number, row);
    return row;
  }));
  const node = h("details.sources", { "data-keep": "sources" }, h("summary", {}, icon("file"), count(message.sources.length, "source")), list);
  const mark = (number) => {
    const row = rows.get(number);
    return row && h("button.mark", { type: "button", "aria-label": `Source ${number}`, click: () => {
      node.open = true;
      row.scrollIntoView({ block: "nearest", behavior: "smooth" });
      row.focus({ preventScroll: true });
    } }, String(number));
  };
  return { node, mark };
}

const PROPOSAL = { approved: "You approved this", rejected: "You rejected this", expired: "This was not answered in time" };

function proposalCard(message, acts) {
  const { proposal } = message;
  const { envelope = {} } = proposal;
  const open = proposal.state === "open";
  return h("section.proposal", { "aria-label": "Proposal", class: proposal.state },
    h("header", {}, icon("plan"), h("div", {}, h("p.proposal-title", {}, open ? "Approve this script?" : PROPOSAL[proposal.state] ?? proposal.state), h("p.muted", {}, coded(proposal.goal)))),
    h("dl.limits", {},
      limit("Costs", envelope.max_usd === 0 ? "nothing" : `${money(envelope.min_usd ?? 0)} to ${money(envelope.max_usd)}`),
      limit("Tokens", envelope.max_tokens === 0 ? "none" : `at most ${integer(envelope.max_tokens)}`),
      limit("Time", `at most ${duration(envelope.max_time_ms)}`)),
    proposal.effects?.length ? h("ul.chips", { "aria-label": "Effects" }, proposal.effects.map(effectChip)) : h("p.muted.small-text", {}, "No effects: it only computes."),
    h("details.script", { open, "data-keep": "script" }, h("summary", {}, "Script"), codeBlock(proposal.script, "Script of the proposal")),
    open ? h("footer", {},
      busyButton("Approve and run", () => acts.decide(message, true), { kind: "primary", icon: "check" }),
      busyButton("Reject", () => acts.decide(message, false)),
      button("Open in the editor", () => acts.edit(proposal.script), { kind: "quiet" }),
      proposal.expires_at && h("span.muted.small-text", { title: date(proposal.expires_at) }, `expires ${ago(proposal.expires_at)}`)) : null);
}

const limit = (name, value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));

function footer(message, acts) {
  if (!isFinal(message)) return null;
  const run = message.calls?.find((call) => call.run_id);
  const tokens = message.usage && message.usage.input_tokens + message.usage.output_tokens;
  return h("footer.meta", {},
    message.state === "complete" ? null : stateBadge(message.state),
    run && h("a", { href: `#/runs/${run.run_id}` }, icon("runs"), "Run"),
    message.usage && h("span", { title: `${count(tokens, "token")}` }, message.usage.cost_usd ? money(message.usage.cost_usd) : tokens ? count(tokens, "token") : "free"),
    message.quality && qualityMeter(message.quality),
    h("time", { datetime: message.created_at, title: date(message.created_at) }, ago(message.created_at)),
    message.text && navigator.clipboard ? button("Copy", (event) => copy(message, event.currentTarget), { kind: "link" }) : null,
    ["failed", "cancelled"].includes(message.state) ? button("Ask again", () => acts.again(message), { kind: "link" }) : null);
}

async function copy(message, from) {
  const label = from.lastChild;
  try {
    await navigator.clipboard.writeText(message.text);
    label.textContent = "Copied";
  } catch { label.textContent = "Cannot copy"; }
  setTimeout(() => { label.textContent = "Copy"; }, 2000);
}
