// Small parts that several views share: heads of views, states, empty places, tables, quality, drafts.
import { button, coded, fill, h, icon, popover, toastError } from "./dom.js";
import { percent } from "./format.js";

const STATES = {
  ok: ["check", "good"], complete: ["check", "good"], active: ["dot", "good"], approved: ["check", "good"], done: ["check", "good"],
  ready: ["check", "good"], idle: ["dot", "good"], running: ["spin", "busy"], generating: ["spin", "busy"], busy: ["spin", "busy"],
  starting: ["spin", "busy"], queued: ["clock", "plain"], pending: ["clock", "plain"], waiting: ["question", "warning"],
  open: ["question", "warning"], draining: ["clock", "warning"], exhausted: ["warning", "warning"], failed: ["error", "bad"],
  stuck: ["error", "bad"], lost: ["error", "bad"], died: ["error", "bad"], rejected: ["close", "bad"], cancelled: ["stop", "plain"],
  stopped: ["stop", "plain"], closed: ["stop", "plain"], expired: ["clock", "plain"], archived: ["archive", "plain"],
};

/** A state as a sign and its word, so that colour alone says nothing. */
export function stateBadge(state, text = state) {
  const [sign, tone] = STATES[state] ?? ["dot", "plain"];
  return h("span.state", { class: tone }, icon(sign, sign === "spin" ? "spin" : ""), text);
}

/** The head of a view: a heading that gets the focus, a line below it, and actions. */
export function viewHead(title, { sub, actions = [], back } = {}) {
  return h("header.view-head", {},
    h("div.view-title", {}, back && h("p.back", {}, h("a", { href: back[0] }, icon("back"), back[1])),
      h("h1", { tabindex: "-1" }, title), sub && h("p.sub", {}, sub)),
    actions.length ? h("div.actions", {}, actions) : null);
}

/** What stands where nothing is yet: what it is for, and what to do next. */
export function emptyPlace(sign, title, text, ...actions) {
  return h("div.empty", {}, icon(sign), h("h2", {}, title), h("p", {}, coded(text)), actions.length ? h("div.actions", {}, actions) : null);
}

/** A table; `columns` are `[name, cell, class?]` with a cell made from each row. */
export function table(label, columns, rows) {
  return h("div.table-wrap", { tabindex: "0", role: "region", "aria-label": label },
    h("table", {}, h("caption.sr", {}, label),
      h("thead", {}, h("tr", {}, columns.map(([name, , kind]) => h("th", { scope: "col", class: kind ?? "" }, name || h("span.sr", {}, "Actions"))))),
      h("tbody", {}, rows.map((row) => h("tr", {}, columns.map(([, cell, kind]) => h("td", { class: kind ?? "" }, cell(row))))))));
}

/** Terms with their values. */
export const facts = (rows) => h("dl.facts", {}, rows.filter(([, value]) => value != null && value !== "")
  .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));

/** Links to the parts of something; `now` is the address of the shown one. */
export const tabs = (label, items, now) => h("nav.tabs", { "aria-label": label }, h("ul", {}, items.map(([name, href, extra]) =>
  h("li", {}, h("a", { href, "aria-current": href === now ? "page" : null }, name, extra)))));

/** Shows buttons as off while `work` runs, and does nothing if they are. A button that is really off would lose the focus. */
async function once(buttons, work) {
  if (buttons.some((one) => one.hasAttribute("aria-disabled"))) return;
  for (const one of buttons) one.setAttribute("aria-disabled", "true");
  try { await work(); } finally { for (const one of buttons) one.removeAttribute("aria-disabled"); }
}

/** A button that is off while its work runs, so that nothing is sent twice. */
export function busyButton(label, work, options = {}) {
  const node = button(label, () => once([node], work).catch((error) => { if (error.name !== "AbortError") toastError(error); }), options);
  return node;
}

/** The same for the button that sends a form. */
export const whileBusy = (form, work) => once([...form.querySelectorAll("button[type=submit]")], work);

export const DIMENSIONS = {
  accuracy: "the share of its sentences that a source supports, or of its checks that passed",
  confidence: "its own confidence, times the share of calls that succeeded at once",
  completeness: "how much of the question and of the work is covered",
  efficiency: "the expected cost divided by the cost",
  utility: "the weighted mean of those that are known",
};

/** A bar from 0 to 1; `null` is unknown. */
export function bar(value, label) {
  const fillPart = h("span.bar-fill", { class: value == null ? "" : value < 0.5 ? "low" : value < 0.8 ? "fair" : "good" });
  fillPart.style.inlineSize = `${Math.round((value ?? 0) * 100)}%`;
  return h("span.bar", { role: "img", "aria-label": `${label}: ${percent(value)}` }, fillPart);
}

/** The quality of an answer: a small meter that opens its dimensions. */
export function qualityMeter(quality) {
  const opener = h("button.meter", { type: "button" }, h("span", {}, "Quality: ", quality.level), bar(quality.utility, "Utility"));
  return popover(opener, "Quality of this answer", () => [
    h("p.popover-title", {}, `Utility ${percent(quality.utility)}`, h("span.muted", {}, ` from ${percent(quality.coverage)} of the measures`)),
    h("dl.dimensions", {}, Object.entries(DIMENSIONS).filter(([name]) => name !== "utility").map(([name, meaning]) => h("div", {},
      h("dt", {}, name, h("span.value", {}, percent(quality[name]))),
      h("dd", {}, bar(quality[name], name), h("span.hint", {}, meaning))))),
  ]);
}

/** Texts that were typed and not sent; they survive a reload, in this tab. */
export const drafts = {
  get(key) { try { return sessionStorage.getItem(`svc.draft.${key}`) ?? ""; } catch { return ""; } },
  set(key, text) {
    try {
      if (text) sessionStorage.setItem(`svc.draft.${key}`, text);
      else sessionStorage.removeItem(`svc.draft.${key}`);
    } catch { /* no storage: the text lasts as long as the page */ }
  },
};

/** Gives a script to the browser as a file. */
export function saveScript(text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  h("a", { href: url, download: "script.svc" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Keeps what is typed in `control` as a draft, and puts it back. */
export function keepDraft(control, key) {
  control.value = drafts.get(key) || control.value;
  control.addEventListener("input", () => drafts.set(key, control.value));
}

/** A button that shows the next page of a list, for as long as there is one. */
export function moreButton(place, cursor, load) {
  fill(place, cursor && busyButton("Show more", () => load(cursor)));
}

/** A link that looks like a button. */
export const linkButton = (label, href, { kind = "", icon: sign, ...props } = {}) =>
  h("a.button", { href, class: kind, ...props }, sign && icon(sign), label);

export const effectChip = (text) => {
  const verb = text.split(/[ :]/)[0];
  const [sign, tone] = { reads: ["read", "plain"], writes: ["write", "warning"], spends: ["money", "warning"], asks: ["question", "plain"], runs: ["runs", "warning"] }[verb] ?? ["dot", "plain"];
  return h("li.chip", { class: tone }, icon(sign), text);
};
