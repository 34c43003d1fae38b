// Calls of the server: JSON, uploads with progress, errors, and what to do when the server is not there.

/** An error that the server, or the way to it, gave. */
class ApiError extends Error {
  constructor(status, body) {
    super(body.error ?? `the server answered ${status}`);
    Object.assign(this, { status, kind: body.kind, help: body.help, details: body.details ?? [], requestId: body.request_id });
  }
}

/** Fires `change`; `state` is `online`, `offline` or `signed-out`. */
export const connection = Object.assign(new EventTarget(), { state: "online", retryAt: 0 });

function setState(state) {
  if (connection.state === state) return;
  connection.state = state;
  connection.dispatchEvent(new Event("change"));
}

const sleep = (ms, signal) => new Promise((done, fail) => {
  const timer = setTimeout(done, ms);
  signal?.addEventListener("abort", () => { clearTimeout(timer); fail(signal.reason); }, { once: true });
});

let recovery;

/** Asks for the health of the server with growing pauses until it answers. */
function recover() {
  recovery ??= (async () => {
    setState("offline");
    for (let pause = 1000; ; pause = Math.min(pause * 2, 15000)) {
      connection.retryAt = Date.now() + pause;
      connection.dispatchEvent(new Event("retry"));
      await Promise.race([sleep(pause), new Promise((now) => connection.addEventListener("now", now, { once: true }))]);
      try {
        const reply = await fetch("/health", { cache: "no-store" });
        if (reply.ok) break;
      } catch { /* not yet */ }
    }
    recovery = null;
    setState("online");
  })();
  return recovery;
}

/** Tries now, without waiting for the pause to end. */
export const retryNow = () => connection.dispatchEvent(new Event("now"));

const unreachable = () => new ApiError(0, { error: "the server is not reachable", kind: "unreachable", help: "your text is kept; try again when it is back" });

function address(path, params) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params ?? {})) {
    if (value != null && value !== "") query.set(key, value);
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

async function read(reply) {
  const body = await reply.json().catch(() => ({}));
  if (reply.status === 401 && !reply.url.endsWith("/apikey/validate")) setState("signed-out");
  if (!reply.ok || body.ok === false) throw new ApiError(reply.status, body);
  if (connection.state === "signed-out") setState("online");
  return body;
}

/** Reads something. Waits for a server that is not there, and for one that is busy. */
export async function get(path, params, signal) {
  for (let tries = 0; ; tries += 1) {
    let reply;
    try {
      reply = await fetch(address(path, params), { signal, headers: { accept: "application/json" } });
    } catch (error) {
      if (signal?.aborted) throw error;
      await recover();
      signal?.throwIfAborted();
      continue;
    }
    const pause = Number(reply.headers.get("retry-after"));
    if ((reply.status === 503 || reply.status === 429) && pause && tries < 3) {
      await sleep(Math.min(pause, 10) * 1000, signal);
      continue;
    }
    return read(reply);
  }
}

/** Changes something. Never repeated by itself: if the server is not there, it fails, and what was typed stays. */
export async function post(path, body = {}, { method = "POST", signal } = {}) {
  let reply;
  try {
    reply = await fetch(path, { method, signal, headers: { "content-type": "application/json", accept: "application/json" }, body: JSON.stringify(body) });
  } catch (error) {
    if (signal?.aborted) throw error;
    recover();
    throw unreachable();
  }
  return read(reply);
}

export const put = (path, body) => post(path, body, { method: "PUT" });

/** The most bytes of a file. */
export const MAX_FILE = 25 * 1024 * 1024;

/** Sends a file; `progress` gets the share that was sent, from 0 to 1. */
export function upload(path, file, progress, signal) {
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    const form = new FormData();
    form.append("file", file, file.name);
    request.open("POST", path);
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => event.lengthComputable && progress(event.loaded / event.total));
    request.addEventListener("load", () => {
      const body = request.response ?? {};
      if (request.status === 401) setState("signed-out");
      if (request.status >= 200 && request.status < 300 && body.ok !== false) done(body);
      else fail(new ApiError(request.status, body));
    });
    request.addEventListener("error", () => { recover(); fail(unreachable()); });
    request.addEventListener("abort", () => fail(new ApiError(0, { error: "the upload was cancelled", kind: "cancelled" })));
    signal?.addEventListener("abort", () => request.abort(), { once: true });
    request.send(form);
  });
}

/** All pages of a list, at most `most` rows. */
export async function all(path, key, params = {}, signal, most = 1000) {
  const rows = [];
  let cursor;
  do {
    const page = await get(path, { limit: 200, ...params, cursor }, signal);
    rows.push(...page[key]);
    cursor = page.next_cursor;
  } while (cursor && rows.length < most);
  return rows;
}

export const path = (strings, ...values) => String.raw({ raw: strings }, ...values.map(encodeURIComponent));
