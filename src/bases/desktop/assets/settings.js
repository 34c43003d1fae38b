// The settings: the theme of the page, the fields of the config by their types, and what keys.js adds.
import { get, post } from "./api.js";
import { clearErrors, fill, h, iconButton, notice, showErrors, toast } from "./dom.js";
import { devicesPanel, keyPanel } from "./keys.js";
import { viewHead, whileBusy } from "./parts.js";

export async function show(view) {
  view.title("Settings");
  const place = h("div");
  const load = async () => {
    const { config, version, fields } = await get("/config", {}, view.signal);
    fill(place, configPanel(config, version, fields ?? {}, load));
  };
  await load();
  view.on(window, "svc:online", () => { if (!place.contains(document.activeElement)) load(); });
  fill(view.root, viewHead("Settings", { sub: "Of this page and of the service on this machine." }), themePanel(view), place, keyPanel(), devicesPanel());
}

function themePanel(view) {
  const choice = h("div.segments", { role: "radiogroup", "aria-label": "Theme" }, [["light", "Light"], ["dark", "Dark"], ["system", "System"]].map(([name, label]) =>
    h("label", {}, h("input", { type: "radio", name: "theme", value: name, checked: window.svcTheme.read() === name, change: () => window.svcTheme.set(name) }), label)));
  view.on(window, "svc:theme", () => { choice.querySelector(`[value="${window.svcTheme.read()}"]`).checked = true; });
  return h("section.panel", {}, h("header", {}, h("div", {}, h("h2", {}, "Theme"), h("p.muted", {}, "Kept in this browser.")), choice));
}

/** The fields that the config has; what the server adds is shown by the type of its value. */
const KNOWN = {
  port: { type: "int", doc: "of this page; empty: a free one" },
  model: { type: "text", doc: "that writes the answers" },
  "bounds.max_budget_usd": { type: "number" },
  "bounds.max_tokens": { type: "int" },
  "bounds.timeout_sec": { type: "int" },
  "bounds.max_retries": { type: "int" },
  session_ttl_sec: { type: "int", doc: "how long a chat stays open" },
  ...Object.fromEntries(["accuracy", "confidence", "completeness", "efficiency", "utility"].map((name) => [`thresholds.${name}`, { type: "number", doc: "from 0 to 1" }])),
};

/** The config as `[name, value]`, with a dot between the names of inner objects. An object that is not set has its known fields. */
function flatten(config, stem = "") {
  return Object.entries(config).flatMap(([key, value]) => {
    const name = stem + key;
    const inner = Object.keys(KNOWN).filter((one) => one.startsWith(`${name}.`)).map((one) => [one.slice(name.length + 1), null]);
    if (Array.isArray(value) || (value == null ? !inner.length : typeof value !== "object")) return [[name, value]];
    return flatten({ ...Object.fromEntries(inner), ...value }, `${name}.`);
  });
}

/** The changes in their places. An inner object is sent as a whole, with what it has. */
function unflatten(config, changes) {
  const made = {};
  for (const [name, value] of Object.entries(changes)) {
    const key = name in config ? name : Object.keys(config).find((one) => name.startsWith(`${one}.`));
    if (key === name) made[key] = value;
    else made[key] = { ...config[key], ...made[key], [name.slice(key.length + 1)]: value };
  }
  return made;
}

const label = (name) => {
  const words = name.replaceAll(/[._]/g, " ").replace(/ usd\b/, " (dollars)").replace(/ sec\b/, " (seconds)");
  return words[0].toUpperCase() + words.slice(1);
};

function configPanel(config, version, fields, load) {
  const rows = flatten(config).filter(([name]) => name !== "theme");
  const changes = {};
  const form = h("form", { novalidate: true, submit: (event) => { event.preventDefault(); save(changes); } });
  const count = h("span.muted.small-text", { role: "status" });
  const sender = h("button.button.primary", { type: "submit", disabled: true }, "Save settings");
  const undo = h("button.button", { type: "button", disabled: true, click: load }, "Undo");
  const touched = () => {
    const number = Object.keys(changes).length;
    sender.disabled = undo.disabled = !number;
    count.textContent = number ? `${number} changed` : "";
  };

  const save = (values) => whileBusy(form, async () => {
    clearErrors(form);
    try {
      const reply = await post("/config", { config: unflatten(config, values) });
      await load();
      document.getElementById(`config-${Object.keys(values)[0]}`)?.focus();
      toast(reply.restart_required ? "Saved. It counts after the service is started again" : "Saved");
    } catch (error) { showErrors(form, error); }
  });

  const row = ([name, value]) => {
    const spec = fields[name] ?? KNOWN[name] ?? {};
    const node = control(value, spec);
    node.id = `config-${name}`;
    node.name = name;
    node.setAttribute("aria-describedby", `config-${name}-error`);
    node.addEventListener("input", () => {
      const now = readControl(node, value, spec);
      if (now === value || (now === null && value == null) || now === undefined) delete changes[name];
      else changes[name] = now;
      touched();
    });
    return h("div.settings-row", {}, h("label", { for: node.id }, label(name), spec.doc && h("span.hint", {}, ` ${spec.doc}`)), node,
      iconButton("restore", `Reset ${label(name)}`, () => save({ [name]: null })), h("p.field-error", { id: `${node.id}-error`, hidden: true }));
  };

  form.append(h("div.form-error"), h("div", {}, rows.map(row)), h("div.sticky-save", {}, sender, undo, count));
  return h("section.panel", {}, h("header", {}, h("h2", {}, "Service"), h("span.muted.small-text", {}, `version ${version}`)), rows.length ? form : notice("info", "There are no settings"));
}

const SECRET = "***";

/** A control by the type of a value, or by what the server says about its field. */
function control(value, { type, choices } = {}) {
  if (choices) return choose(choices.map(String), value ?? "", value == null);
  if (typeof value === "boolean" || type === "bool") return choose(["true", "false"], String(value), value == null);
  if (typeof value === "number" || type === "int" || type === "number") return h("input", { type: "number", step: type === "int" || Number.isInteger(value) && type !== "number" ? "1" : "any", value: value ?? "", placeholder: "not set" });
  if (value === SECRET || type === "secret") return h("input", { type: "password", autocomplete: "new-password", placeholder: value ? "set, hidden" : "not set" });
  if (Array.isArray(value)) return h("input", { type: "text", value: value.join(", "), placeholder: "none" });
  return h("input", { type: "text", value: value ?? "", placeholder: "not set", autocomplete: "off" });
}

function choose(names, value, empty) {
  const node = h("select", {}, empty && h("option", { value: "" }, "not set"), names.map((name) => h("option", { value: name }, name)));
  node.value = value;
  return node;
}

/** The value of a control; null resets, and undefined leaves it. */
function readControl(node, before, { type } = {}) {
  const text = node.value;
  if (node.type === "password") return text === "" ? undefined : text;
  if (text === "") return null;
  if (typeof before === "boolean" || type === "bool") return text === "true";
  if (node.type === "number") return Number(text);
  if (Array.isArray(before)) return text.split(",").map((part) => part.trim()).filter(Boolean);
  // A field that has no value yet may be of any type; a number is sent as one.
  if (before == null && !type && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return text;
}
