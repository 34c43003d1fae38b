// A chat: its history, live replies, and the composer.
import { all, connection, get, path, post } from "./api.js";
import { go, here, refreshChats } from "./shell.js";
import { composer } from "./composer.js";
import { button, fill, h, notice, say } from "./dom.js";
import { dropZone } from "./files.js";
import { isFinal, messageView } from "./message.js";
import { drafts, emptyPlace, linkButton, stateBadge, tabs } from "./parts.js";

const PAGE = 50;

/** The head of a chat, with its other views. */
export async function chatHead(view, part) {
  const { project, session: id } = view.params;
  const session = await findSession(project, id, view.signal);
  view.title(session.title || "Chat", here.project.name);
  const base = `#/p/${project}/chat/${id}`;
  const items = [["Chat", base], ["Quality", `${base}/quality`], ["Usage", `${base}/usage`], ["Workers", `${base}/workers`]];
  const node = h("header.chat-head", {}, h("div.chat-title", {}, h("h1.cut", { tabindex: "-1", title: session.title }, session.title || "Chat"),
    session.state === "active" ? null : stateBadge(session.state)), tabs("Views of this chat", items, part ? `${base}/${part}` : base));
  return { node, session, base };
}

async function findSession(project, id, signal) {
  const known = here.chats.find((chat) => chat.id === id);
  if (known) return known;
  let cursor;
  do {
    const page = await get("/sessions", { project_id: project, limit: 200, cursor }, signal);
    const found = page.sessions.find((chat) => chat.id === id);
    if (found) return found;
    cursor = page.next_cursor;
  } while (cursor);
  throw Object.assign(new Error("this chat does not exist"), { status: 404 });
}

export async function show(view) {
  const { project, session: id } = view.params;
  const { node: head, session } = await chatHead(view);
  const files = new Map((await all(path`/projects/${project}/resources`, "resources", {}, view.signal).catch(() => [])).map((file) => [file.id, file]));
  const chat = new Chat(view, session, files);
  await chat.loadHistory();

  const write = composer({ project, draft: id, files, label: "Message", placeholder: "Ask, or say what to do", send: (text, attachments) => chat.send(text, attachments) });
  chat.compose = write;
  fill(view.root, head, chat.scroller, h("div.composer-place", {}, chat.jump, chat.status, write.node,
    h("p.hint.keys-hint", {}, h("kbd", {}, "Enter"), " sends, ", h("kbd", {}, "Shift Enter"), " makes a new line")));
  chat.showState();
  dropZone(chat.scroller, (dropped) => write.add(dropped));
  // Where nothing can be written, the heading gets the focus, as in other views.
  const open = session.state === "active" && here.project.state !== "archived";
  view.keepsFocus = open;
  view.shown = () => {
    chat.toEnd();
    if (open) write.focus();
  };
  chat.follow();
}

class Chat {
  constructor(view, session, files) {
    Object.assign(this, { view, session, files, id: session.id, messages: new Map(), shown: new Map(), compose: null });
    this.list = h("ol.messages", { "aria-label": "Messages" });
    this.older = h("div.more");
    this.nothing = h("div");
    this.scroller = h("div.scroller", { tabindex: "0", role: "region", "aria-label": "Conversation" }, h("div.column", {}, this.older, this.nothing, this.list));
    this.jump = button("New messages", () => this.toEnd(true), { kind: "small jump-down", icon: "down", hidden: true });
    this.status = h("div.status");
    this.scroller.addEventListener("scroll", () => { if (this.atEnd()) this.jump.hidden = true; }, { passive: true });
    this.acts = {
      decide: (message, approved) => this.decide(message, approved),
      cancel: (message) => this.cancel(message),
      again: (message) => this.again(message),
      edit: (script) => { drafts.set("editor", script); go("#/editor"); },
      fileName: (file) => this.files.get(file)?.name ?? "a removed file",
    };
  }

  // ---- history ----

  async loadHistory() {
    // The history is oldest first, so its last page is found by going on to the end.
    const isFirst = !this.messages.size;
    let cursor;
    do {
      const page = await get(path`/chat/${this.id}/history`, { limit: 200, cursor }, this.view.signal);
      for (const message of page.messages) {
        if (isFirst) this.messages.set(message.id, message);
        else this.take(message);
      }
      cursor = page.next_cursor;
    } while (cursor);
    if (isFirst) this.sayFresh();
    this.limit ??= PAGE;
    this.draw();
  }

  /** An answer to the question that opened the chat may be there before the chat is. */
  sayFresh() {
    const last = [...this.messages.values()].at(-1);
    if (last?.role === "assistant" && isFinal(last) && Date.now() - Date.parse(last.created_at) < 10000) say(spoken(last));
  }

  /** Draws what has changed. Open details and the focus stay where they are. */
  draw() {
    const all = [...this.messages.values()];
    const part = all.slice(-this.limit);
    fill(this.older, all.length > part.length && button("Show earlier messages", () => this.showEarlier()));
    fill(this.nothing, !all.length && emptyPlace("chat", "Ask the first question", "Answers come from the files of this project and name their sources. You can also say what should be done: a script that writes or spends asks you first."));
    const keep = this.atEnd();
    let before = null;
    for (const message of part) {
      const key = JSON.stringify(message);
      const old = this.shown.get(message.id);
      let node = old?.node;
      if (old?.key !== key) {
        node = messageView(message, this.acts);
        if (old) replaceKeeping(old.node, node);
        this.shown.set(message.id, { key, node });
      }
      const next = before ? before.nextSibling : this.list.firstChild;
      if (node !== next) this.list.insertBefore(node, next);
      before = node;
    }
    if (keep) this.toEnd();
    else if (this.grew) this.jump.hidden = false;
    this.grew = false;
  }

  showEarlier() {
    const height = this.scroller.scrollHeight;
    this.limit += PAGE;
    this.draw();
    this.scroller.scrollTop += this.scroller.scrollHeight - height;
  }

  atEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    return scrollHeight - scrollTop - clientHeight < 80;
  }

  toEnd(smooth = false) {
    this.scroller.scrollTo({ top: this.scroller.scrollHeight, behavior: smooth ? "smooth" : "instant" });
    this.jump.hidden = true;
  }

  /** Takes a message that is new or has changed. */
  take(message) {
    const old = this.messages.get(message.id);
    this.grew ||= !old;
    if (old?.position && !("position" in message)) message.position = old.position;
    this.messages.set(message.id, message);
    if (message.role === "assistant" && isFinal(message) && !(old && isFinal(old))) {
      say(spoken(message));
      this.readState();
    }
  }

  // ---- live ----

  /** Follows by a stream of events while the page is visible, or by asking if there is no stream. */
  follow() {
    let source;
    let failures = 0;
    const close = () => { source?.close(); source = null; };
    const open = () => {
      if (source || document.hidden || this.view.signal.aborted) return;
      source = new EventSource(path`/chat/${this.id}/events`);
      source.addEventListener("open", () => { failures = 0; });
      source.addEventListener("message", (event) => { this.take(JSON.parse(event.data)); this.draw(); });
      source.addEventListener("end", close);
      source.addEventListener("error", () => {
        failures += 1;
        if (failures < 3 && source?.readyState !== EventSource.CLOSED) return;
        close();
        this.poll(() => { failures = 0; open(); });
      });
    };
    open();
    // Browsers allow few connections to a server, so a hidden tab gives its own back.
    this.view.on(document, "visibilitychange", () => {
      if (document.hidden) close();
      else { this.loadHistory().catch(() => {}); open(); }
    });
    this.view.on(window, "svc:online", () => { this.loadHistory().catch(() => {}); open(); });
    this.view.signal.addEventListener("abort", close);
  }

  /** Asks for new messages for half a minute, then tries the stream again. */
  async poll(then) {
    if (this.polling) return;
    this.polling = true;
    const end = Date.now() + 30000;
    try {
      while (Date.now() < end && !document.hidden) {
        const reply = await get(path`/chat/${this.id}/receive`, { after: this.lastFinal(), wait_sec: 10 }, this.view.signal);
        for (const message of reply.messages) this.take(message);
        this.draw();
        if (reply.messages.length || reply.done) await new Promise((done) => setTimeout(done, 700));
      }
    } catch (error) {
      if (error.name === "AbortError") return;
      await new Promise((done) => setTimeout(done, 5000));
    } finally { this.polling = false; }
    if (!this.view.signal.aborted && connection.state === "online") then();
  }

  /** The last message before the first that may still change. */
  lastFinal() {
    let last;
    for (const message of this.messages.values()) {
      if (!isFinal(message) || message.proposal?.state === "open") break;
      last = message.id;
    }
    return last;
  }

  // ---- what the user does ----

  async send(text, attachments) {
    const reply = await post("/chat/send", { session_id: this.id, text, attachments: attachments.length ? attachments : undefined })
      .catch((error) => { if ([402, 409].includes(error.status)) this.readState(); throw error; });
    const now = new Date().toISOString();
    const base = { calls: [], attachments: [], created_at: now };
    if (!this.messages.has(reply.message_id)) this.take({ ...base, id: reply.message_id, role: "user", text, attachments, state: "complete" });
    if (!this.messages.has(reply.reply_id)) this.take({ ...base, id: reply.reply_id, role: "assistant", text: "", state: reply.state, position: reply.position });
    this.draw();
    this.toEnd();
  }

  async decide(message, approved) {
    await post(path`/chat/${this.id}/decide`, { message_id: message.id, approved });
    this.take({ ...message, proposal: { ...message.proposal, state: approved ? "approved" : "rejected" } });
    this.draw();
    this.compose?.focus();
    say(approved ? "Approved" : "Rejected");
  }

  async cancel(message) {
    const reply = await post(path`/chat/${this.id}/cancel`, { message_id: message.id });
    this.take(reply.message);
    this.draw();
  }

  /** Puts the question of a failed answer into the composer. */
  again(message) {
    const before = [...this.messages.values()];
    const asked = before.slice(0, before.findIndex((one) => one.id === message.id)).reverse().find((one) => one.role === "user");
    if (asked) this.compose.set(asked.text);
  }

  // ---- the state of the chat ----

  async readState() {
    try {
      await refreshChats();
      const session = here.chats.find((chat) => chat.id === this.id) ?? this.session;
      if (session.state !== this.session.state) {
        this.session = session;
        this.showState();
      }
    } catch (error) { console.warn(error); }
  }

  showState() {
    const { state } = this.session;
    if (here.project.state === "archived") {
      this.compose.off(true);
      fill(this.status, notice("info", "This project is archived", "Its chats can be read. Restore it to go on.", linkButton("Show archived projects", "#/projects?state=archived")));
      return;
    }
    const text = { exhausted: "This chat has used all its money or tokens.", closed: "This chat is closed.", expired: "This chat has expired." }[state];
    this.compose.off(state === "closed" || state === "expired");
    fill(this.status, text && notice("warning", text, "It can still be read.", linkButton("Start a new chat", `#/p/${this.view.params.project}`)));
  }
}

/** What a screen reader says about a finished answer. */
function spoken(message) {
  if (message.state === "failed") return `The answer failed: ${message.error?.message ?? ""}`;
  if (message.state === "cancelled") return "The answer was cancelled";
  if (message.proposal?.state === "open") return `A script waits for your approval: ${message.proposal.goal}`;
  const text = message.text.replaceAll(/[*`#|]|\[\d+\]/g, "").slice(0, 500);
  return message.found === false ? `Not found in the files. ${text}` : `New answer: ${text}`;
}

/** Replaces an element; details that were open stay so, and so does the focus. */
function replaceKeeping(old, node) {
  for (const details of old.querySelectorAll("details[data-keep]")) {
    const same = node.querySelector(`details[data-keep="${details.dataset.keep}"]`);
    if (same) same.open = details.open;
  }
  const had = old.contains(document.activeElement);
  old.replaceWith(node);
  if (had) {
    node.tabIndex = -1;
    node.focus({ preventScroll: true });
  }
}
