// Elements: how the page makes them, and dialogs, popovers, notices and the live region. Texts are never read as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** The address of a file that stands next to this one. */
export const asset = (name) => new URL(name, import.meta.url).href;

const ICONS = asset("icons.svg");

/**
 * Makes an element: `h("a.link", { href: "#/" }, "text", child)`. A prop that is a function is a listener, one that is `true` an
 * empty attribute, and one that is null, undefined or false is left out.
 */
export function h(name, ...rest) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
  const first = rest[0];
  if (first && typeof first === "object" && !(first instanceof Node) && !Array.isArray(first)) {
    setProps(node, rest.shift());
  }
  node.append(...flat(rest));
  return node;
}

const flat = (children) => children.flat(9).filter((child) => child != null && child !== false);

function setProps(node, props) {
  for (const [key, value] of Object.entries(props)) {
    if (value == null || value === false) continue;
    if (typeof value === "function") node.addEventListener(key, value);
    else if (key === "value") node.value = value;
    else if (key === "class") node.classList.add(...value.split(" ").filter(Boolean));
    else node.setAttribute(key, value === true ? "" : value);
  }
}

/** An icon of icons.svg. It says nothing to a screen reader: the text beside it does. */
export function icon(name, extra = "") {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", `icon ${extra}`.trim());
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${ICONS}#${name}`);
  svg.append(use);
  return svg;
}

/** Replaces what is in `node`. */
export function fill(node, ...children) {
  node.replaceChildren(...flat(children));
  return node;
}

/** The same for what is drawn again while it is used: the focus stays on the control with the same name. */
export function refill(node, ...children) {
  const had = node.contains(document.activeElement) ? document.activeElement : null;
  fill(node, ...children);
  if (!had) return;
  const name = (one) => one.dataset.focus ?? one.getAttribute("href") ?? one.getAttribute("aria-label") ?? one.textContent;
  const same = had.isConnected ? had : [...node.querySelectorAll(had.localName)].find((one) => name(one) === name(had));
  (same ?? node.querySelector("h1"))?.focus({ preventScroll: true });
}

export function button(label, click, { kind = "", icon: sign, ...props } = {}) {
  return h("button.button", { type: "button", class: kind, click, ...props }, sign && icon(sign), label);
}

/** A button that shows only an icon; `label` is its name. */
export function iconButton(sign, label, click, props = {}) {
  return h("button.button.quiet.square", { type: "button", "aria-label": label, title: label, click, ...props }, icon(sign));
}

let serial = 0;
export const newId = (stem) => `${stem}-${++serial}`;

/** A label with its control, a hint, and a place for the error of the field. */
export function field(label, control, { hint, name } = {}) {
  control.id ||= newId("field");
  if (name) control.name = name;
  const error = h("p.field-error", { id: `${control.id}-error`, hidden: true });
  const note = hint && h("p.hint", { id: `${control.id}-hint` }, hint);
  control.setAttribute("aria-describedby", [note && note.id, error.id].filter(Boolean).join(" "));
  return h("div.field", {}, h("label", { for: control.id }, label), control, note, error);
}

/** Shows an error of the API in a form: at the fields that `details` names, the rest in the place `.form-error`. */
export function showErrors(form, error) {
  clearErrors(form);
  const left = [];
  let placed = 0;
  for (const { field: name, message } of error.details ?? []) {
    const control = controlOf(form, name, message);
    const place = control?.id && form.querySelector(`#${CSS.escape(control.id)}-error`);
    if (!place) {
      if (!error.message.includes(message)) left.push(`${name}: ${message}`);
      continue;
    }
    placed += 1;
    fill(place, coded(message));
    place.hidden = false;
    control.setAttribute("aria-invalid", "true");
  }
  const place = form.querySelector(".form-error");
  if (place && (left.length || !placed)) {
    fill(place, notice("error", error.message, [...left, error.help].filter(Boolean).join(". ")));
  }
  form.querySelector("[aria-invalid]")?.focus();
}

/** The control that an error is about: by the name of its field, or by a path such as `bounds.max_tokens` in its message. */
function controlOf(form, name, message) {
  const paths = [...message.matchAll(/`([\w.]+)`/g)].map(([, path]) => path);
  for (const path of [name, ...paths]) {
    const parts = path.split(".");
    for (let at = 0; at < parts.length; at += 1) {
      const control = form.elements[parts.slice(at).join(".")];
      if (control) return control;
    }
  }
  return null;
}

export function clearErrors(form) {
  for (const control of form.querySelectorAll("[aria-invalid]")) control.removeAttribute("aria-invalid");
  for (const place of form.querySelectorAll(".field-error")) place.hidden = true;
  form.querySelector(".form-error")?.replaceChildren();
}

/** A message in the page: `info`, `warning`, `error` or `good`. */
export function notice(kind, title, text, ...more) {
  const sign = { info: "info", warning: "warning", error: "error", good: "check" }[kind];
  return h("div.notice", { class: kind, role: kind === "error" ? "alert" : null }, icon(sign),
    h("div", {}, title && h("p.notice-title", {}, coded(title)), text && h("p", {}, coded(text)), ...more));
}

/** A message, with what stands in backticks as code. */
export const coded = (text) => capital(text).split("`").map((part, index) => (index % 2 ? h("code", {}, part) : part));

export const errorNotice = (error) => notice("error", error.message, error.help);

const capital = (text) => (/^[a-z]/.test(text) ? text[0].toUpperCase() + text.slice(1) : text);

/** Says something to screen readers, without taking the focus. */
export function say(text) {
  const live = document.getElementById("live");
  live.textContent = "";
  setTimeout(() => { live.textContent = text; }, 50);
}

/** A short message at the edge that goes away by itself. */
export function toast(text, kind = "info", action) {
  const place = document.getElementById("toasts");
  const node = h("div.toast", { class: kind }, icon(kind === "error" ? "error" : "check"), h("span", {}, coded(text)), action,
    iconButton("close", "Dismiss", () => node.remove()));
  place.append(node);
  while (place.children.length > 3) place.firstChild.remove();
  setTimeout(() => node.remove(), kind === "error" ? 12000 : 4000);
}

export const toastError = (error) => toast([error.message, error.help].filter(Boolean).join(". "), "error");

/**
 * Opens a dialog; `build` gets its `close` and returns what stands in it. Esc and a click beside it close it, and the focus
 * goes back to where it was. The promise has what `close` was called with.
 */
export function openDialog(title, build, { wide = false } = {}) {
  return new Promise((done) => {
    const before = document.activeElement;
    const heading = h("h2", { id: newId("title") }, title);
    const dialog = h("dialog.dialog", { "aria-labelledby": heading.id, class: wide ? "wide" : "" });
    let answer;
    const close = (value) => { answer = value; dialog.close(); };
    dialog.append(h("header", {}, heading, iconButton("close", "Close", () => close())), ...flat([build(close)]));
    dialog.addEventListener("click", (event) => event.target === dialog && close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      const back = before?.isConnected ? before : before?.dataset.focus && document.querySelector(`[data-focus="${CSS.escape(before.dataset.focus)}"]`);
      back?.focus();
      done(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
    (dialog.querySelector("[autofocus], input, textarea, select") ?? dialog.querySelector("footer .button"))?.focus();
  });
}

/** Asks before something that cannot be undone. The promise is true or undefined. */
export const confirmed = (title, text, label, kind = "danger") => openDialog(title, (close) => [
  h("p", {}, text),
  h("footer", {}, button("Cancel", () => close()), button(label, () => close(true), { kind })),
]);

/** A button that opens a popover beside it. Esc, a click elsewhere and a second click close it. */
export function popover(opener, label, build) {
  const box = h("div.popover", { popover: "auto", id: newId("popover"), role: "dialog", "aria-label": label });
  opener.setAttribute("popovertarget", box.id);
  opener.setAttribute("aria-haspopup", "dialog");
  box.addEventListener("beforetoggle", (event) => event.newState === "open" && fill(box, build()));
  box.addEventListener("toggle", (event) => {
    opener.setAttribute("aria-expanded", String(event.newState === "open"));
    if (event.newState === "open") place(box, opener);
  });
  return h("span.anchor", {}, opener, box);
}

function place(box, opener) {
  const from = opener.getBoundingClientRect();
  const { width, height } = box.getBoundingClientRect();
  const below = from.bottom + height + 8 < innerHeight || from.top < height + 8;
  box.style.left = `${Math.max(8, Math.min(from.left, innerWidth - width - 8))}px`;
  box.style.top = `${below ? from.bottom + 4 : from.top - height - 4}px`;
}
