// The start of a project: a place to ask, and its chats.
import { get, post } from "./api.js";
import { go, here, refreshChats } from "./shell.js";
import { composer } from "./composer.js";
import { field, fill, h, iconButton, notice, toast, toastError, confirmed } from "./dom.js";
import { ago, bytes, count } from "./format.js";
import { emptyPlace, linkButton, moreButton, stateBadge, viewHead } from "./parts.js";

export async function show(view) {
  const { project } = here;
  view.title(project.name);
  const list = h("ul.rows");
  const place = h("div");
  const more = h("div.more");
  const load = async (cursor) => {
    const page = await get("/sessions", { project_id: project.id, limit: 30, cursor }, view.signal);
    if (!cursor) list.replaceChildren();
    list.append(...page.sessions.map((session) => row(session, load)));
    fill(place, list.children.length ? [h("h2", {}, "Chats"), list]
      : emptyPlace("chat", "No chats yet", project.resource_count ? "Ask something about the files, or say what should be done with them." : "Add files first, so that there is something to answer from."));
    moreButton(more, page.next_cursor, load);
  };
  view.on(window, "svc:online", () => load());
  await load();

  const options = chatOptions(project);
  const ask = composer({ project: project.id, draft: `new.${project.id}`, files: new Map(), label: "New question",
    placeholder: "Ask about the files, or say what to do with them", send: (text, attachments) => begin(project, text, attachments, options.read()) });
  const active = project.state === "active";
  fill(view.root,
    viewHead(project.name, { sub: project.description || null, actions: [linkButton(count(project.resource_count, "file"), `#/p/${project.id}/files`, { icon: "file", title: bytes(project.bytes) })] }),
    project.tags.length ? h("ul.tags", { "aria-label": "Tags" }, project.tags.map((tag) => h("li", {}, tag))) : null,
    active ? h("div.stack", {}, ask.node, options.node) : notice("info", "This project is archived", "Restore it from the list of archived projects to go on with it."),
    active && !project.resource_count ? notice("info", "This project has no files", "Answers come from the files of the project.", linkButton("Add files", `#/p/${project.id}/files`, { kind: "small", icon: "upload" })) : null,
    place, more);
  if (active) view.shown = () => ask.focus();
  view.keepsFocus = active;
}

/** The model and the bounds of the next chat; what is empty is as in the project and in the settings. */
function chatOptions(project) {
  const known = project.settings?.bounds ?? {};
  const number = (name, step) => h("input", { type: "number", min: "0", step, placeholder: known[name] == null ? "as in the settings" : String(known[name]) });
  const inputs = { max_budget_usd: number("max_budget_usd", "0.01"), max_tokens: number("max_tokens", "1"), timeout_sec: number("timeout_sec", "1") };
  const model = h("input", { type: "text", autocomplete: "off", spellcheck: "false", placeholder: project.settings?.model ?? "as in the settings" });
  const node = h("details.more-fields", {}, h("summary", {}, "Model and bounds of this chat"), h("div.columns", {},
    field("Model", model), field("Most dollars", inputs.max_budget_usd), field("Most tokens", inputs.max_tokens), field("Most seconds for an answer", inputs.timeout_sec)));
  const read = () => {
    const set = Object.entries(inputs).filter(([, input]) => input.value !== "").map(([name, input]) => [name, Number(input.value)]);
    return { model: model.value.trim() || undefined, bounds: set.length ? Object.fromEntries(set) : undefined };
  };
  return { node, read };
}

/** Starts a chat with its first message. If the message is refused, the chat stays, and the text too. */
async function begin(project, text, attachments, options) {
  const title = text.split("\n")[0].slice(0, 80);
  const { session } = await post("/sessions", { project_id: project.id, title, ...options });
  await post("/chat/send", { session_id: session.id, text, attachments: attachments.length ? attachments : undefined });
  refreshChats();
  go(`#/p/${project.id}/chat/${session.id}`);
}

function row(session, load) {
  const close = async () => {
    if (!await confirmed("Close this chat?", "It can still be read, and no message can be sent to it.", "Close chat", "primary")) return;
    try {
      await post(`/sessions/${encodeURIComponent(session.id)}/close`);
      toast("The chat is closed");
      load();
    } catch (error) { toastError(error); }
  };
  return h("li.row", {}, h("a.row-main", { href: `#/p/${session.project_id}/chat/${session.id}` }, h("span.cut", {}, session.title || "Chat")),
    session.state === "active" ? null : stateBadge(session.state), h("time.muted.wide-only", { datetime: session.created_at }, ago(session.created_at)),
    session.state === "active" ? iconButton("close", `Close the chat ${session.title || ""}`, close) : h("span.square"));
}
