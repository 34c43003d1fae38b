// The frame of the page: how an address becomes a view, the navigation, the banner about the server, and keys that work everywhere.
import { all, connection, get, retryNow } from "./api.js";
import { button, errorNotice, fill, h, icon, notice } from "./dom.js";
import { openPalette, showKeys } from "./palette.js";
import { emptyPlace } from "./parts.js";

const main = document.getElementById("main");
const side = document.getElementById("side");
const shade = document.getElementById("shade");
const menu = document.getElementById("menu");
const banner = document.getElementById("banner");

/** The project in the navigation, and its latest chats. */
export const here = { project: null, chats: [] };

let routes = [];
let current = null;
let first = true;

/** What a view gets: where to put its elements, its params, and ways to stop with it. */
class View {
  constructor(params, query) {
    this.root = h("div.view");
    this.params = params;
    this.query = query;
    this.stop = new AbortController();
    this.signal = this.stop.signal;
  }

  title(...parts) {
    this.name = parts[0];
    document.title = [...parts, "svc"].join(" · ");
  }

  /** Calls `work` every `ms` while the page is visible and this view is shown. */
  every(ms, work) {
    const run = async () => {
      if (!document.hidden && connection.state === "online") {
        try { await work(); } catch (error) { if (error.name !== "AbortError") console.warn(error); }
      }
      if (!this.signal.aborted) timer = setTimeout(run, ms);
    };
    let timer = setTimeout(run, ms);
    this.signal.addEventListener("abort", () => clearTimeout(timer));
  }

  /** Listens as long as this view is shown. */
  on(target, name, listener) {
    target.addEventListener(name, listener, { signal: this.signal });
  }
}

/** Shows the view of the address. The old one stays until the new one has its data, so nothing jumps. */
async function route() {
  const [address, search = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const found = routes.map(([pattern, load, name]) => ({ match: pattern.exec(address), load, name })).find(({ match }) => match);
  current?.stop.abort(new DOMException("left", "AbortError"));
  const params = Object.fromEntries(Object.entries(found?.match.groups ?? {}).map(([key, value]) => [key, decodeURIComponent(value)]));
  const view = new View(params, new URLSearchParams(search));
  current = view;
  closeMenu();
  const slow = setTimeout(() => main.classList.add("loading"), 250);
  try {
    if (found) {
      const [{ show }] = await Promise.all([found.load(), showProject(params.project)]);
      await show(view);
    } else {
      view.title("Not found");
      fill(view.root, h("h1.sr", { tabindex: "-1" }, "Not found"), emptyPlace("question", "There is nothing at this address", "The link may be old.", h("a.button", { href: "#/projects" }, "Show the projects")));
    }
  } catch (error) {
    if (error.name === "AbortError") return;
    fill(view.root, failed(error));
  } finally {
    clearTimeout(slow);
    if (current === view) main.classList.remove("loading");
  }
  if (current !== view) return;
  mark(found?.name, params);
  main.className = `at-${found?.name ?? "nowhere"}`;
  fill(main, view.root);
  scrollTo(0, 0);
  view.shown?.();
  if (!first && !view.keepsFocus) (view.root.querySelector("h1") ?? main).focus({ preventScroll: true });
  first = false;
}

const HEADINGS = { 401: "Not signed in", 404: "Not found" };

const failed = (error) => h("div.failed", {}, h("h1", { tabindex: "-1" }, HEADINGS[error.status] ?? "This did not work"),
  error.status === 401 ? notice("info", "Run `svc desktop` in a terminal", "It opens a new page, and this one works again.") : errorNotice(error), h("div.actions", {}, button("Try again", reload), h("a.button", { href: "#/projects" }, "Show the projects")));

export const reload = () => route();

export function go(address) {
  if (location.hash === address) route();
  else location.hash = address;
}

/** Marks the link of the shown view in the navigation. */
function mark(name, params) {
  for (const link of side.querySelectorAll("a[data-nav]")) {
    const now = link.dataset.nav === name || (link.dataset.nav === params.session && name === "chat");
    if (now) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

// ---- the project in the navigation ----

async function showProject(id) {
  if (!id) return;
  if (here.project?.id === id) return;
  const find = async (state) => (await all("/projects", "projects", { state })).find((one) => one.id === id);
  const project = await find("active") ?? await find("archived");
  if (!project) throw Object.assign(new Error("this project does not exist"), { status: 404 });
  here.project = project;
  await refreshChats();
}

/** Reads the chats of the project again, and draws its part of the navigation. */
export async function refreshChats() {
  const { project } = here;
  if (!project) return;
  const { sessions } = await get("/sessions", { project_id: project.id, limit: 20 });
  here.chats = sessions;
  const base = `#/p/${project.id}`;
  const link = (href, name, sign, text) => h("li", {}, h("a", { href, "data-nav": name, title: text }, sign && icon(sign), h("span.cut", {}, text)));
  fill(document.getElementById("here"),
    h("h2", {}, project.name),
    h("ul.links", {}, link(base, "chats", "chat", "Chats"), link(`${base}/files`, "files", "file", "Files")),
    sessions.length ? h("ul.links.chats", { "aria-label": "Latest chats" }, sessions.slice(0, 12).map((chat) => link(`${base}/chat/${chat.id}`, chat.id, null, chat.title || "Chat"))) : null);
  const now = /\/chat\/([^/]+)/.exec(location.hash)?.[1];
  if (now) side.querySelector(`a[data-nav="${CSS.escape(now)}"]`)?.setAttribute("aria-current", "page");
}

/** Reads the project again, after its files or its state have changed. */
export async function refreshProject() {
  const id = here.project?.id;
  here.project = null;
  await showProject(id);
}

// ---- the menu of narrow screens ----

function openMenu() {
  side.classList.add("open");
  shade.hidden = false;
  main.inert = true;
  menu.setAttribute("aria-expanded", "true");
  side.querySelector("a, button").focus();
}

function closeMenu(focus = false) {
  if (!side.classList.contains("open")) return;
  side.classList.remove("open");
  shade.hidden = true;
  main.inert = false;
  menu.setAttribute("aria-expanded", "false");
  if (focus) menu.focus();
}

menu.addEventListener("click", () => (side.classList.contains("open") ? closeMenu(true) : openMenu()));
shade.addEventListener("click", () => closeMenu(true));
side.addEventListener("click", (event) => event.target.closest("a") && closeMenu());
matchMedia("(min-width: 860px)").addEventListener("change", () => closeMenu());

// ---- keys ----

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
for (const opener of document.querySelectorAll("[data-palette]")) opener.addEventListener("click", () => { closeMenu(); openPalette(); });

addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select, [contenteditable=true]");
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    openPalette();
  } else if (event.key === "?" && !typing && !document.querySelector("dialog[open]")) {
    showKeys();
  } else if (event.key === "Escape" && side.classList.contains("open")) {
    closeMenu(true);
  }
});

// A file that is dropped beside a place for files would replace the page.
for (const name of ["dragover", "drop"]) addEventListener(name, (event) => event.preventDefault());

// ---- the server ----

function showConnection() {
  const { state } = connection;
  banner.hidden = state === "online";
  banner.className = `banner ${state}`;
  if (state === "signed-out") {
    fill(banner, icon("warning"), h("span", {}, "This page is not signed in any more. Run ", h("code", {}, "svc desktop"), " in a terminal: it opens a new page."));
  } else if (state === "offline") {
    fill(banner, icon("warning"), h("span", {}, "Server not reachable, trying again."), button("Try now", retryNow, { kind: "small" }));
  }
}

connection.addEventListener("change", () => {
  showConnection();
  if (connection.state === "online") dispatchEvent(new Event("svc:online"));
});

async function countApprovals() {
  const badge = document.getElementById("open-approvals");
  if (!document.hidden && connection.state === "online") {
    try {
      const { approvals } = await get("/approvals", { state: "open" });
      badge.textContent = String(approvals.length);
      badge.hidden = !approvals.length;
      badge.title = `${approvals.length} open`;
    } catch { /* the next count may work */ }
  }
}

/** Shows the view of the address, and those of later ones. A route is a pattern, how its module is loaded, and its name. */
export function start(given) {
  routes = given;
  // A new page of `svc desktop` signs this one in again, since they share the cookie.
  addEventListener("focus", () => connection.state === "signed-out" && get("/projects", { limit: 1 }).then(route, () => {}));
  addEventListener("svc:approvals", countApprovals);
  setInterval(countApprovals, 10000);
  addEventListener("hashchange", route);
  addEventListener("unhandledrejection", (event) => event.reason?.name === "AbortError" && event.preventDefault());
  route();
  countApprovals();
}
