// The command palette (Ctrl+K), and the list of keys.
import { get } from "./api.js";
import { go, here } from "./shell.js";
import { h, icon, newId, openDialog } from "./dom.js";

/** The commands of the place where the page is. */
async function commands() {
  const to = (sign, name, href, note) => ({ sign, name, note, run: () => go(href) });
  const list = [
    to("projects", "Projects", "#/projects"),
    to("add", "New project", "#/projects?new=1"),
    to("runs", "Runs", "#/runs"),
    to("approvals", "Approvals", "#/approvals"),
    to("editor", "Editor", "#/editor"),
    to("settings", "Settings", "#/settings"),
    ...["light", "dark", "system"].map((theme) => ({ sign: "theme", name: `Theme: ${theme}`, run: () => window.svcTheme.set(theme) })),
    { sign: "keyboard", name: "Keyboard shortcuts", run: showKeys },
  ];
  const { project, chats } = here;
  if (project) {
    const base = `#/p/${project.id}`;
    list.unshift(to("chat", "New chat", base, project.name), to("file", "Files", `${base}/files`, project.name));
    const session = /\/chat\/([^/]+)/.exec(location.hash)?.[1];
    if (session) {
      for (const part of ["Quality", "Usage", "Workers"]) list.unshift(to("chart", `${part} of this chat`, `${base}/chat/${session}/${part.toLowerCase()}`));
    }
    list.push(...chats.map((chat) => to("chat", chat.title || "Chat", `${base}/chat/${chat.id}`, "chat")));
  }
  const { projects } = await get("/projects", { limit: 100, state: "active" }).catch(() => ({ projects: [] }));
  list.push(...projects.map((one) => to("projects", one.name, `#/p/${one.id}`, "project")));
  return list;
}

/** How well `words` fit a name: 0 is not at all. All words must occur; the start of a word counts more. */
function score(name, words) {
  let sum = 1;
  for (const word of words) {
    const at = name.indexOf(word);
    if (at < 0) return 0;
    sum += at === 0 ? 3 : name[at - 1] === " " ? 2 : 1;
  }
  return sum;
}

export async function openPalette() {
  if (document.querySelector("dialog[open]")) return;
  const known = commands();
  const chosen = await openDialog("Search and commands", (close) => {
    const id = newId("palette");
    const list = h("ul.palette-list", { role: "listbox", id, "aria-label": "Commands" });
    const input = h("input", { type: "search", role: "combobox", "aria-expanded": "true", "aria-controls": id, "aria-label": "Search and commands",
      "aria-autocomplete": "list", placeholder: "Go to a project, a chat, or a command", autocomplete: "off", spellcheck: "false", autofocus: true });
    let shown = [];
    let at = 0;
    const mark = () => {
      [...list.children].forEach((row, index) => row.setAttribute("aria-selected", String(index === at)));
      const row = list.children[at];
      if (row?.id) input.setAttribute("aria-activedescendant", row.id);
      row?.scrollIntoView({ block: "nearest" });
    };
    const draw = async () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const all = await known;
      shown = all.map((command) => ({ command, fit: score(command.name.toLowerCase(), words) })).filter(({ fit }) => fit)
        .sort((a, b) => b.fit - a.fit).slice(0, 50).map(({ command }) => command);
      at = 0;
      list.replaceChildren(...shown.map((command, index) => h("li", { role: "option", id: `${id}-${index}`, click: () => close(command) },
        icon(command.sign), h("span.cut", {}, command.name), command.note && h("span.muted.cut", {}, command.note))));
      if (!shown.length) list.append(h("li.none", { role: "option", "aria-disabled": "true" }, "Nothing found"));
      mark();
    };
    input.addEventListener("input", draw);
    input.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && shown.length) {
        event.preventDefault();
        at = (at + step + shown.length) % shown.length;
        mark();
      } else if (event.key === "Enter" && shown[at]) {
        event.preventDefault();
        close(shown[at]);
      }
    });
    draw();
    return h("div.palette", {}, input, list);
  });
  chosen?.run();
}

const KEYS = [
  ["Ctrl K", "search and commands"], ["?", "this list"], ["Enter", "send a message"], ["Shift Enter", "a new line in a message"],
  ["Esc", "close a dialog or the menu"], ["Ctrl Enter", "run the script of the editor"], ["Ctrl Space", "completions in the editor"],
  ["Ctrl Shift F", "format the script"], ["Ctrl F", "search in the editor"], ["Ctrl ] and Ctrl [", "indent in the editor; Tab leaves it"],
];

export function showKeys() {
  return openDialog("Keyboard shortcuts", () => h("dl.keys", {}, KEYS.map(([key, text]) =>
    h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)))));
}
