// The files of a project: upload by button and by drag and drop, download, remove.
import { MAX_FILE, all, path, post, upload } from "./api.js";
import { here, refreshProject } from "./shell.js";
import { button, confirmed, fill, h, icon, iconButton, say, toast, toastError } from "./dom.js";
import { ago, bytes, count } from "./format.js";
import { emptyPlace, linkButton, table, viewHead } from "./parts.js";

const AT_ONCE = 2;

export async function show(view) {
  const { project } = view.params;
  view.title("Files", here.project.name);
  const place = h("div");
  const uploads = h("ul.uploads", { "aria-label": "Uploads" });
  let files = [];

  const draw = () => fill(place, files.length
    ? table("Files", [
      ["Name", (file) => h("span.file-name", {}, icon("file"), h("span", {}, file.name))],
      ["Type", (file) => h("span.muted", {}, kind(file)), "wide-only"],
      ["Size", (file) => bytes(file.bytes), "number"],
      ["Added", (file) => h("time", { datetime: file.created_at }, ago(file.created_at)), "wide-only"],
      ["", (file) => h("span.row-actions", {},
        h("a.button.quiet.square", { href: path`/projects/${project}/resources/${file.id}`, download: file.name, "aria-label": `Download ${file.name}`, title: "Download" }, icon("download")),
        iconButton("trash", `Remove ${file.name}`, () => remove(file))), "end"],
    ], files)
    : emptyPlace("file", "No files yet", "Add documents, tables, mails or archives. Chats of this project answer from them, with sources.", chooser.button()));

  const load = async () => {
    files = (await all(path`/projects/${project}/resources`, "resources", {}, view.signal)).filter((file) => file.state === "ready");
    draw();
  };

  const remove = async (file) => {
    if (!await confirmed(`Remove ${file.name}?`, "Later answers do not use it. Earlier answers keep the passages that they quote.", "Remove")) return;
    try {
      await post(path`/projects/${project}/resources/${file.id}/remove`);
      toast(`Removed ${file.name}`);
      await load();
      await refreshProject();
    } catch (error) { toastError(error); }
  };

  const queue = new UploadQueue(project, uploads, async (file) => {
    files = [file, ...files.filter((one) => one.id !== file.id)];
    draw();
  }, () => load().then(refreshProject, () => {}));
  const chooser = fileChooser((chosen) => queue.add(chosen));
  view.on(window, "svc:online", load);

  await load();
  fill(view.root,
    viewHead("Files", { sub: `Up to ${bytes(MAX_FILE)} each. Drop files here, or choose them.`, actions: [
      files.length || uploads.children.length ? linkButton("Ask about them", `#/p/${project}`, { icon: "chat" }) : null, chooser.button("primary")].filter(Boolean) }),
    chooser.input, uploads, place);
  dropZone(view.root, (dropped) => queue.add(dropped));
}

const TYPES = { "application/pdf": "PDF", "text/markdown": "Markdown", "text/plain": "Text", "text/csv": "CSV", "text/html": "HTML", "application/json": "JSON" };

/** The type of a file in a word: what people call it, or else the end of its name. */
const kind = (file) => TYPES[file.media_type] ?? (/\.(\w{1,6})$/.exec(file.name)?.[1].toUpperCase() || file.media_type);

/** A hidden input for files, with as many buttons as are needed. */
export function fileChooser(take) {
  const input = h("input", { type: "file", multiple: true, hidden: true, "aria-label": "Files", change: () => {
    take([...input.files]);
    input.value = "";
  } });
  return { input, button: (look = "primary") => button("Add files", () => input.click(), { kind: look, icon: "upload" }) };
}

/** Lets files be dropped on `node`. */
export function dropZone(node, take) {
  let depth = 0;
  const files = (event) => event.dataTransfer?.types.includes("Files");
  const shade = (on) => node.classList.toggle("dropping", on);
  node.addEventListener("dragenter", (event) => { if (files(event)) { depth += 1; shade(true); } });
  node.addEventListener("dragleave", (event) => { if (files(event) && (depth -= 1) <= 0) { depth = 0; shade(false); } });
  node.addEventListener("drop", (event) => {
    depth = 0;
    shade(false);
    const dropped = [...event.dataTransfer?.files ?? []];
    if (dropped.length) { event.preventDefault(); take(dropped); }
  });
}

/** Sends files, two at a time, and shows how far each one is. `each` gets every new file, `end` is called after the last one. */
export class UploadQueue {
  constructor(project, list, each, end = () => {}) {
    Object.assign(this, { project, list, each, end, waiting: [], running: 0, sent: 0 });
  }

  add(files) {
    for (const file of files) {
      const row = uploadRow(file, this.list);
      if (file.size > MAX_FILE) row.fail(`is larger than ${bytes(MAX_FILE)} and was not sent`);
      else this.waiting.push({ file, row });
    }
    this.next();
  }

  next() {
    while (this.running < AT_ONCE && this.waiting.length) this.send(this.waiting.shift());
  }

  async send({ file, row }) {
    this.running += 1;
    try {
      const { resource } = await upload(path`/projects/${this.project}/resources`, file, row.progress, row.signal);
      this.sent += 1;
      row.done(resource.duplicate_of ? "has the same content as another file of this project" : null);
      await this.each(resource);
    } catch (error) {
      row.fail([error.message, error.help].filter(Boolean).join(". "), error.status !== 413 && (() => { this.waiting.push({ file, row: uploadRow(file, this.list) }); this.next(); }));
    } finally {
      this.running -= 1;
      this.next();
      if (!this.running && !this.waiting.length) {
        say(`${count(this.sent, "file")} added`);
        this.sent = 0;
        this.end();
      }
    }
  }
}

/** A line about one upload. */
function uploadRow(file, list) {
  const stop = new AbortController();
  const meter = h("progress", { max: "1", value: "0", "aria-label": `Upload of ${file.name}` });
  const note = h("span.muted", {}, bytes(file.size));
  const cancel = iconButton("close", `Cancel the upload of ${file.name}`, () => stop.abort());
  const row = h("li.upload", {}, icon("file"), h("span.cut", {}, file.name), note, meter, cancel);
  list.append(row);
  const dismiss = () => iconButton("close", `Dismiss the message about ${file.name}`, () => row.remove());
  return {
    signal: stop.signal,
    progress(share) {
      meter.value = share;
      note.textContent = share < 1 ? `${Math.round(share * 100)} % of ${bytes(file.size)}` : "Being read";
    },
    done(text) {
      if (!text) { row.remove(); return; }
      row.classList.add("notice-row");
      fill(row, icon("info"), h("span", {}, h("b", {}, file.name), ` ${text}.`), dismiss());
      say(`${file.name} ${text}`);
    },
    fail(text, again) {
      row.classList.add("failed-row");
      fill(row, icon("error"), h("span", {}, h("b", {}, file.name), `: ${text}.`), again && button("Try again", () => { row.remove(); again(); }, { kind: "small" }), dismiss());
      say(`${file.name}: ${text}`);
    },
  };
}
