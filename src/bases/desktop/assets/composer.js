// The place where a message is written: the text, its attachments, and sending.
import { all, path } from "./api.js";
import { button, coded, fill, h, icon, iconButton, openDialog, toastError } from "./dom.js";
import { bytes } from "./format.js";
import { UploadQueue, dropZone, fileChooser } from "./files.js";
import { drafts, keepDraft } from "./parts.js";

const MAX_TEXT = 32000;

/**
 * A composer. `send(text, attachments)` throws if the message was not taken; what was typed then stays. `draft` names the
 * text that is kept over reloads, and `files` is a map of the files by their ids, which grows.
 */
export function composer({ project, draft, send, files, placeholder, label }) {
  const attached = new Map();
  const chips = h("ul.tags.attached", { "aria-label": "Attachments", hidden: true });
  const uploads = h("ul.uploads", { "aria-label": "Uploads" });
  const left = h("span.muted.small-text");
  const text = h("textarea", { rows: "1", "aria-label": label, placeholder, maxlength: String(MAX_TEXT), autocomplete: "off" });
  const submit = h("button.button.primary.square", { type: "submit", "aria-label": "Send", title: "Send (Enter)" }, icon("send"));
  const problem = h("div.form-error");

  const drawChips = () => {
    chips.hidden = !attached.size;
    fill(chips, [...attached.values()].map((file) => h("li", {}, icon("file"), h("span.cut", {}, file.name),
      iconButton("close", `Do not attach ${file.name}`, () => { attached.delete(file.id); drawChips(); text.focus(); }))));
  };
  const attach = (file) => { files.set(file.id, file); attached.set(file.id, file); drawChips(); };
  const queue = new UploadQueue(project, uploads, async (file) => attach(file));
  const chooser = fileChooser((chosen) => queue.add(chosen));

  const grow = () => {
    text.style.blockSize = "auto";
    text.style.blockSize = `${Math.min(text.scrollHeight + 2, innerHeight * 0.4)}px`;
    left.textContent = text.value.length > MAX_TEXT * 0.9 ? `${MAX_TEXT - text.value.length} characters left` : "";
    submit.disabled = !text.value.trim() || form.classList.contains("off");
  };

  const form = h("form.composer", { submit: async (event) => {
    event.preventDefault();
    const words = text.value.trim();
    if (!words || form.classList.contains("sending")) return;
    form.classList.add("sending");
    problem.replaceChildren();
    try {
      await send(words, [...attached.keys()]);
      if (text.value.trim() === words) text.value = "";
      drafts.set(draft, text.value);
      attached.clear();
      drawChips();
    } catch (error) {
      fill(problem, h("p.field-error", { role: "alert" }, coded(error.message), ". ", error.help && coded(error.help)));
    } finally {
      form.classList.remove("sending");
      grow();
      text.focus();
    }
  } },
  uploads, problem, chips, h("div.composer-row", {},
    iconButton("attach", "Attach files", () => chooseFiles(project, files, attached, drawChips, () => chooser.input.click())), text, submit), left, chooser.input);

  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  keepDraft(text, draft);
  text.addEventListener("input", grow);
  dropZone(form, (dropped) => queue.add(dropped));
  requestAnimationFrame(grow);

  return {
    node: form,
    focus: () => text.focus(),
    set(value) { text.value = value; drafts.set(draft, value); grow(); text.focus(); },
    add: (dropped) => queue.add(dropped),
    off(on) { form.classList.toggle("off", on); text.disabled = on; grow(); },
  };
}

/** Lets the user choose files of the project to attach, or add new ones. */
async function chooseFiles(project, files, attached, changed, addNew) {
  let list;
  try { list = (await all(path`/projects/${project}/resources`, "resources")).filter((file) => file.state === "ready"); } catch (error) { toastError(error); return; }
  for (const file of list) files.set(file.id, file);
  if (!list.length) { addNew(); return; }
  const chosen = await openDialog("Attach files", (close) => {
    const boxes = list.map((file) => h("input", { type: "checkbox", value: file.id, checked: attached.has(file.id) }));
    return [
      h("p.muted", {}, "The answer looks at the attached files first. Without any, it looks at all files of the project."),
      h("fieldset.choices", {}, h("legend.sr", {}, "Files"), list.map((file, index) => h("label.choice", {}, boxes[index], h("span.cut", {}, file.name), h("span.muted", {}, bytes(file.bytes))))),
      h("footer", {}, button("Add new files", () => close("new"), { icon: "upload" }), button("Attach", () => close(boxes.filter((box) => box.checked).map((box) => box.value)), { kind: "primary" })),
    ];
  });
  if (chosen === "new") addNew();
  else if (chosen) {
    attached.clear();
    for (const id of chosen) attached.set(id, files.get(id));
    changed();
  }
}
