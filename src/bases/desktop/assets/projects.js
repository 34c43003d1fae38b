// The list of projects: search, create, archive, restore.
import { get, path, post } from "./api.js";
import { go, here, reload } from "./shell.js";
import { button, clearErrors, confirmed, field, fill, h, iconButton, openDialog, say, showErrors, toast, toastError } from "./dom.js";
import { ago, bytes, count } from "./format.js";
import { emptyPlace, moreButton, viewHead, whileBusy } from "./parts.js";

export async function show(view) {
  view.title("Projects");
  const archived = view.query.get("state") === "archived";
  const list = h("ul.cards");
  const place = h("div");
  const more = h("div.more");
  const search = h("input", { type: "search", "aria-label": "Search projects", placeholder: "Search projects", value: view.query.get("q") ?? "" });
  const query = () => ({ state: archived ? "archived" : "active", q: search.value.trim(), limit: 50 });

  const load = async (cursor) => {
    const asked = search.value;
    const page = await get("/projects", { ...query(), cursor }, view.signal);
    if (asked !== search.value) return;
    if (!cursor) list.replaceChildren();
    list.append(...page.projects.map((project) => card(project)));
    fill(place, list.children.length ? list : nothing(search.value, archived));
    moreButton(more, page.next_cursor, load);
  };

  let timer;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => load().then(() => say(count(list.children.length, "project")), toastError), 150);
  });
  view.on(window, "svc:online", () => load());

  await load();
  fill(view.root,
    viewHead("Projects", { sub: "A project holds files, and chats about them.", actions: [button("New project", createProject, { kind: "primary", icon: "add" })] }),
    h("div.toolbar", {}, search, h("div.segments", { role: "group", "aria-label": "Which projects" },
      segment("Active", "#/projects", !archived), segment("Archived", "#/projects?state=archived", archived))),
    place, more);
  if (view.query.has("new")) {
    history.replaceState(null, "", "#/projects");
    view.shown = () => createProject();
  }
}

const segment = (label, href, now) => h("a", { href, "aria-current": now ? "true" : null }, label);

function nothing(words, archived) {
  if (words) return emptyPlace("search", "No project found", `No project has “${words}” in its name, its description or its tags.`);
  if (archived) return emptyPlace("archive", "Nothing is archived", "An archived project keeps its files and chats, and leaves the list of active ones.");
  return emptyPlace("projects", "Create your first project", "Add files to it, such as PDFs, office documents, tables and mails, and ask questions about them. Answers name their sources. Nothing leaves this machine unless you set up a model.",
    button("New project", createProject, { kind: "primary", icon: "add" }));
}

function card(project) {
  const act = project.state === "active"
    ? iconButton("archive", `Archive ${project.name}`, () => archive(project))
    : iconButton("restore", `Restore ${project.name}`, () => change(project, "restore"));
  return h("li.card", {},
    h("div.card-main", {}, h("h2", {}, h("a", { href: `#/p/${project.id}` }, project.name)),
      h("p", { class: project.description ? "" : "muted" }, project.description || "No description"),
      project.tags.length ? h("ul.tags", { "aria-label": "Tags" }, project.tags.map((tag) => h("li", {}, tag))) : null),
    h("p.card-facts", {}, `${count(project.resource_count, "file")} · ${bytes(project.bytes)} · created ${ago(project.created_at)}`), act);
}

async function archive(project) {
  if (await confirmed(`Archive ${project.name}?`, "Its files and chats are kept, and you can restore it at any time.", "Archive", "primary")) await change(project, "archive");
}

async function change(project, verb) {
  try {
    await post(path`/projects/${project.id}/${verb}`);
    toast(`${verb === "archive" ? "Archived" : "Restored"} ${project.name}`);
    if (here.project?.id === project.id) {
      here.project = null;
      fill(document.getElementById("here"));
    }
    reload();
  } catch (error) { toastError(error); }
}

async function createProject() {
  const made = await openDialog("New project", (close) => {
    const name = h("input", { type: "text", required: true, maxlength: "200", autocomplete: "off", autofocus: true });
    const description = h("textarea", { rows: "2" });
    const tags = h("input", { type: "text", autocomplete: "off" });
    const budget = h("input", { type: "number", min: "0", step: "0.01", inputmode: "decimal" });
    const tokens = h("input", { type: "number", min: "0", step: "1", inputmode: "numeric" });
    const form = h("form", { novalidate: true, submit: (event) => {
      event.preventDefault();
      send();
    } },
      field("Name", name, { name: "name" }),
      field("Description", description, { name: "description", hint: "Optional" }),
      field("Tags", tags, { name: "tags", hint: "Optional, with commas between them" }),
      h("details.more-fields", {}, h("summary", {}, "Bounds of each chat"), h("div.columns", {},
        field("Most dollars", budget, { name: "max_budget_usd", hint: "Empty: as in the settings" }),
        field("Most tokens", tokens, { name: "max_tokens", hint: "Empty: as in the settings" }))),
      h("div.form-error"),
      h("footer", {}, button("Cancel", () => close()), h("button.button.primary", { type: "submit" }, "Create project")));
    const send = () => whileBusy(form, async () => {
      clearErrors(form);
      const bounds = {};
      if (budget.value) bounds.max_budget_usd = Number(budget.value);
      if (tokens.value) bounds.max_tokens = Number(tokens.value);
      const words = tags.value.split(",").map((tag) => tag.trim()).filter(Boolean);
      try {
        const body = { name: name.value.trim(), description: description.value.trim() || undefined, tags: words.length ? words : undefined };
        if (Object.keys(bounds).length) body.settings = { bounds };
        close((await post("/projects", body)).project);
      } catch (error) { showErrors(form, error); }
    });
    return form;
  });
  if (made) {
    toast(`Created ${made.name}`);
    go(`#/p/${made.id}/files`);
  }
}
