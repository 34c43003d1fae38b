// Of the settings: trying a key, and the devices of a user.
import { get, path, post } from "./api.js";
import { clearErrors, field, fill, h, notice, showErrors, toast } from "./dom.js";
import { ago, count, date } from "./format.js";
import { busyButton, facts, keepDraft, stateBadge, table, whileBusy } from "./parts.js";

export function keyPanel() {
  const key = h("input", { type: "password", autocomplete: "off", spellcheck: "false", required: true });
  const place = h("div", { role: "status" });
  const form = h("form", { novalidate: true, submit: (event) => {
    event.preventDefault();
    clearErrors(form);
    fill(place);
    if (!key.value.trim()) { key.focus(); return; }
    whileBusy(form, async () => {
      try {
        const reply = await post("/apikey/validate", { key: key.value.trim(), device_fingerprint: fingerprint() });
        key.value = "";
        fill(place, notice(reply.valid ? "good" : "warning", reply.valid ? "The key is valid" : "The key is not valid", null,
          facts([["Id", h("code", {}, reply.key_id)], ["Tier", reply.tier], ["Tools", count(reply.tools_total ?? 0, "tool")], ["Expires", reply.expires_at ? date(reply.expires_at) : "never"]])));
      } catch (error) {
        if (error.status === 401) fill(place, notice("error", "This key is not accepted", error.help));
        else if (error.status === 429) fill(place, notice("warning", error.message, error.help ?? "Try again later"));
        else showErrors(form, error);
      }
    });
  } }, field("Key", key, { name: "key", hint: "It is only checked, and not kept." }), h("div.form-error"), h("div.actions", {}, h("button.button", { type: "submit" }, "Check the key")), place);
  return h("section.panel", {}, h("div", {}, h("h2", {}, "Check a key"), h("p.muted", {}, "Shows what a key of this service may do.")), form);
}

/** A name of this browser that is the same at each visit: 64 hex digits that say nothing about it. */
function fingerprint() {
  const name = "svc.device";
  let made = localStorage.getItem(name);
  if (!/^[0-9a-f]{64}$/.test(made ?? "")) {
    made = [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    localStorage.setItem(name, made);
  }
  return made;
}

/** The system of this browser, in the words of the server. */
function platform() {
  const found = /Windows|Mac OS|Linux/.exec(navigator.userAgent)?.[0];
  return { Windows: "windows", "Mac OS": "macos", Linux: "linux" }[found] ?? "other";
}

const SYSTEMS = { windows: "Windows", macos: "macOS", linux: "Linux", other: "A" };

export function devicesPanel() {
  const user = h("input", { type: "text", autocomplete: "username", required: true });
  keepDraft(user, "device-user");
  const name = h("input", { type: "text", autocomplete: "off", value: `${SYSTEMS[platform()]} browser` });
  const place = h("div");
  const show = async () => {
    const { devices } = await get(path`/devices/${user.value.trim()}`).catch((error) => {
      if (error.status === 404) return { devices: [] };
      throw error;
    });
    fill(place, devices.length ? table("Devices", [
      ["Name", (device) => device.name], ["Platform", (device) => device.platform, "wide-only"], ["State", (device) => stateBadge(device.state)],
      ["First seen", (device) => ago(device.first_seen_at), "wide-only"], ["Last seen", (device) => ago(device.last_seen_at)],
    ], devices) : h("p.muted", {}, "This user has no devices. A user can have up to five."));
  };
  const form = h("form", { novalidate: true, submit: (event) => {
    event.preventDefault();
    clearErrors(form);
    if (!user.value.trim()) { user.focus(); return; }
    whileBusy(form, async () => {
      try {
        await post("/devices/register", { user_id: user.value.trim(), fingerprint: fingerprint(), name: name.value.trim(), platform: platform() });
        toast("This device is registered");
        await show();
      } catch (error) { showErrors(form, error); }
    });
  } }, h("div.columns", {}, field("User", user, { name: "user_id" }), field("Name of this device", name, { name: "name" })), h("div.form-error"),
  h("div.actions", {}, h("button.button", { type: "submit" }, "Register this device"), busyButton("Show devices", async () => {
    if (user.value.trim()) await show();
    else user.focus();
  })), place);
  return h("section.panel", {}, h("div", {}, h("h2", {}, "Devices"), h("p.muted", {}, "The devices on which a user works with this service.")), form);
}
