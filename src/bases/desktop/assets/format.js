// Numbers, times, sizes and money as text.

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const full = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const whole = new Intl.NumberFormat("en");

const STEPS = [["year", 31536000], ["month", 2592000], ["week", 604800], ["day", 86400], ["hour", 3600], ["minute", 60]];

/** `5 minutes ago`, `in 3 days`. */
export function ago(time) {
  const seconds = (new Date(time) - Date.now()) / 1000;
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit);
  }
  return "just now";
}

export const date = (time) => full.format(new Date(time));

export function count(number, one, many = `${one}s`) {
  return `${whole.format(number)} ${number === 1 ? one : many}`;
}

export const integer = (number) => (number == null ? "–" : whole.format(number));

export function bytes(size) {
  if (size < 1024) return `${size} B`;
  const unit = size < 1048576 ? ["KiB", 1024] : size < 1073741824 ? ["MiB", 1048576] : ["GiB", 1073741824];
  const value = size / unit[1];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit[0]}`;
}

/** Dollars, with as many digits as small amounts need. Takes a number, or a text such as `$0.0012`. */
export function money(amount) {
  if (amount == null) return "–";
  const value = typeof amount === "string" ? Number(amount.replace("$", "")) : amount;
  if (!Number.isFinite(value)) return String(amount);
  if (value === 0) return "$0.00";
  if (value < 0.01) return `$${value.toFixed(6).replace(/0+$/, "")}`;
  return `$${value.toFixed(value < 1 && Math.round(value * 100) !== value * 100 ? 4 : 2)}`;
}

export function duration(ms) {
  if (ms == null) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = Math.round(seconds % 60);
  if (minutes < 60) return rest ? `${minutes} min ${rest} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
}

export const percent = (share) => (share == null ? "unknown" : `${Math.round(share * 100)} %`);

/** An effect of a plan, which is a text, or a verb with what it is about. */
export function effect(given) {
  if (typeof given === "string") return given;
  return given.scope ? `${given.verb} ${given.scope}` : given.verb;
}

export const shortId = (id) => (id && id.length > 16 ? `${id.slice(0, 6)}…${id.slice(-6)}` : id);
