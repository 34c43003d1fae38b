// Questions of runs to a person, and their answers.
import { get, path, post } from "./api.js";
import { field, fill, h, newId, refill, say, toast } from "./dom.js";
import { ago, date } from "./format.js";
import { busyButton, emptyPlace, keepDraft, drafts, stateBadge, viewHead } from "./parts.js";

export async function show(view) {
  view.title("Approvals");
  const openOnly = view.query.get("state") !== "all";
  const place = h("div.stack");
  const cards = new Map();
  let shown = "";

  /** The card of a question: the same one until its state changes, so that a comment can be typed while others come. */
  const shownCard = (one) => {
    const key = `${one.id} ${one.state}`;
    if (!cards.has(key)) cards.set(key, card(one, load));
    return cards.get(key);
  };

  const load = async () => {
    const { approvals } = await get("/approvals", { state: openOnly ? "open" : null }, view.signal);
    const key = JSON.stringify(approvals.map(({ id, state }) => [id, state]));
    if (key === shown) return;
    if (shown) say("The list of approvals has changed");
    shown = key;
    refill(place, approvals.length ? approvals.map(shownCard) : openOnly
      ? emptyPlace("approvals", "Nothing waits for you", "A script that calls `approve` asks here before it goes on. So nothing is written, sent or spent without your word.")
      : emptyPlace("approvals", "No questions yet", "Questions of runs and their answers are listed here."));
    dispatchEvent(new Event("svc:approvals"));
  };

  await load();
  view.every(3000, load);
  view.on(window, "svc:online", load);
  const segment = (label, href, now) => h("a", { href, "aria-current": now ? "true" : null }, label);
  fill(view.root,
    viewHead("Approvals", { sub: "Questions of runs that go on when you answer.", actions: [h("div.segments", { role: "group", "aria-label": "Which questions" },
      segment("Open", "#/approvals", openOnly), segment("All", "#/approvals?state=all", !openOnly))] }),
    place);
}

function card(one, load) {
  const open = one.state === "open";
  const comment = h("input", { type: "text", autocomplete: "off" });
  keepDraft(comment, one.id);
  const answer = async (approve) => {
    await post(path`/approvals/${one.id}`, { approve, comment: comment.value.trim() || undefined });
    drafts.set(one.id, "");
    toast(approve ? "Approved, the run goes on" : "Rejected");
    await load();
  };
  const heading = h("h2", { id: newId("question") }, one.question);
  return h("article.approval", { class: one.state, "aria-labelledby": heading.id },
    h("header", {}, heading, stateBadge(one.state)),
    one.details ? h("pre", { tabindex: "0", role: "group", "aria-label": "What the question is about" }, one.details) : null,
    h("p.meta", {}, h("span", { title: date(one.asked_at) }, `asked ${ago(one.asked_at)}`), open ? h("span", { title: date(one.expires_at) }, `expires ${ago(one.expires_at)}`) : null,
      h("a", { href: `#/runs/${one.run_id}` }, "Run"), one.comment ? h("span", {}, `Comment: ${one.comment}`) : null),
    open ? [field("Comment", comment, { hint: "Optional" }), h("div.actions", {},
      busyButton("Approve", () => answer(true), { kind: "primary", icon: "check" }), busyButton("Reject", () => answer(false)))] : null);
}
