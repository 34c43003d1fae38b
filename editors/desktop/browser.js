// Chromium with a page that is watched: what it logs, and what it asks of other machines.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import puppeteer from "puppeteer-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// Nothing but the own machine can be asked, so nothing leaves it, even by mistake.
const CHROMIUM = { args: ["--no-sandbox", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--hide-scrollbars", "--force-color-profile=srgb"] };
const FIREFOX = { browser: "firefox", extraPrefsFirefox: { "ui.systemUsesDarkTheme": 0, "ui.prefersReducedMotion": 1, "network.proxy.type": 1, "network.proxy.ssl": "127.0.0.1", "network.proxy.ssl_port": 9, "network.proxy.http": "127.0.0.1", "network.proxy.http_port": 9, "network.proxy.no_proxies_on": "127.0.0.1" } };

/** Starts the browser at FIREFOX, or else Chromium, or says that it is missing and ends: a machine without it is not a failure of the page. */
export async function openBrowser() {
  const executablePath = process.env.FIREFOX || process.env.CHROMIUM || "/usr/bin/chromium";
  if (!existsSync(executablePath)) {
    console.log(`skipped: no browser (at ${executablePath}; CHROMIUM or FIREFOX names another place)`);
    process.exit(0);
  }
  return puppeteer.launch({ executablePath, ...(process.env.FIREFOX ? FIREFOX : CHROMIUM) });
}

/** A system with the light theme that asks for little motion; Firefox has both from its start. */
export async function calm(page) {
  if (process.env.FIREFOX) return;
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }, { name: "prefers-reduced-motion", value: "reduce" }]);
}

/** What pages said and asked for that they should not. While `down` is set, the server is away or does not know the browser, and failed requests are expected. */
export class Watch {
  constructor(origin, assets) {
    Object.assign(this, { origin, assets, errors: [], away: [], began: Date.now(), isDown: false, changed: 0 });
  }

  set down(isDown) { Object.assign(this, { isDown, changed: Date.now() }); }

  /** Whether a failed request is expected. A browser may log one a moment later. */
  get down() { return this.isDown || Date.now() - this.changed < 5000; }

  async on(page) {
    if (this.assets) await serveFrom(this.assets, page);
    page.on("console", (message) => {
      if (!["error", "warn"].includes(message.type()) || page.isMeasured) return;
      if (this.down && /ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|ERR_NETWORK|Failed to fetch|status of 401/.test(message.text())) return;
      this.errors.push(`${message.text()} (${message.location().url ?? "no place"}, after ${Date.now() - this.began} ms)`);
    });
    page.on("pageerror", (error) => this.errors.push(String(error.stack ?? error)));
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(`${this.origin}/`) && !/^(blob|data|about):/.test(url)) this.away.push(url);
    });
    return page;
  }
}

const TYPES = { ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };

/** Gives the page its files from a folder, so that a change is seen without a build: the binary holds those of its own build. */
async function serveFrom(folder, page) {
  await page.setRequestInterception(true);
  page.on("request", (request) => {
    const name = /^\/assets\/(?:\w+\/)?([\w.-]+)$/.exec(new URL(request.url()).pathname)?.[1];
    const file = name && join(folder, name);
    if (file && existsSync(file)) request.respond({ contentType: TYPES[extname(file)] ?? "text/plain", body: readFileSync(file) });
    else request.continue();
  });
}

/** The serious and critical findings of axe in the page as it is now, one text for each. */
export async function violations(page) {
  // Motion that is not over yet would be measured with half its colours.
  await page.evaluate(() => Promise.all(document.getAnimations().filter((one) => one.effect.getTiming().iterations !== Infinity).map((one) => one.finished.catch(() => {}))));
  // Axe tries styles that the policy of the page refuses; that is no error of the page.
  page.isMeasured = true;
  try {
    await page.evaluate(AXE);
    return await page.evaluate(async () => {
      const { violations: found } = await window.axe.run(document, { iframes: false, resultTypes: ["violations"] });
      return found.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(({ id, nodes }) =>
        `${id}: ${nodes.slice(0, 3).map((node) => `${node.target.join(" ")} ${node.any[0]?.message ?? node.all[0]?.message ?? ""}`).join("; ")}`);
    });
  } finally { page.isMeasured = false; }
}

/** What is wider than the window, or null. */
export const sideways = (page) => page.evaluate(() => {
  if (document.documentElement.scrollWidth <= innerWidth) return null;
  const wide = [...document.querySelectorAll("body *")].filter((node) => node.getBoundingClientRect().right > innerWidth + 1);
  return `${document.documentElement.scrollWidth} px, such as ${wide.slice(0, 3).map((node) => node.tagName + (node.className ? `.${node.className}` : "")).join(", ")}`;
});

/**
 * Goes through the page with Tab, and returns what is wrong: controls that are not reached, and those whose focus does not show.
 * The frame of a run counts as one control.
 */
export async function unreachable(page) {
  await page.evaluate(() => {
    const lines = (style) => style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) > 0;
    const name = (node) => `${node.localName} “${(node.getAttribute("aria-label") ?? node.textContent ?? "").trim().slice(0, 40) || node.className}”`;
    const isSeen = (node) => node.checkVisibility({ visibilityProperty: true }) && !node.closest("[inert]");
    const controls = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, iframe, [tabindex='0']")]
      .filter((node) => isSeen(node) && !node.disabled && node.tabIndex >= 0 && (node.type !== "radio" || node.checked));
    const reached = new Set();
    const hidden = new Set();
    const deepest = () => { let node = document.activeElement; while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement; return node; };
    // A ring may be drawn by what is around a control, or by its label.
    const shows = (node) => {
      if (node.localName === "iframe") return true;
      const around = [node, node.closest("label"), node.parentElement, node.closest(".composer-row"), node.getRootNode().host].filter(Boolean);
      return around.some((one) => lines(getComputedStyle(one)) || lines(getComputedStyle(one, "::after")));
    };
    window.tabbing = {
      note() {
        const node = deepest();
        if (!node || node === document.body) return true;
        reached.add(document.activeElement);
        if (!shows(node)) hidden.add(name(node));
        return false;
      },
      found: () => [...controls.filter((node) => !reached.has(node)).map((node) => `not reached: ${name(node)}`), ...[...hidden].map((text) => `no visible focus: ${text}`)],
      more: () => controls.some((node) => !reached.has(node)),
    };
    const skip = document.getElementById("skip");
    skip?.focus();
    reached.add(skip);
  });
  for (let presses = 0; presses < 400; presses += 1) {
    await page.keyboard.press("Tab");
    const isOver = await page.evaluate(() => window.tabbing.note() || !window.tabbing.more());
    if (isOver) break;
  }
  return page.evaluate(() => window.tabbing.found());
}

const OPEN = "dialog[open], [popover]:popover-open";

/** Opens a dialog by its control with the keyboard, and closes it with Escape; returns what is wrong with it. */
export async function dialogFaults(page, opener) {
  await opener.focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector(OPEN, { timeout: 10000 });
  const faults = await violations(page);
  const isModal = await page.$("dialog[open]");
  const begins = await page.evaluate((open) => document.querySelector(open).contains(document.activeElement), OPEN);
  if (isModal && !begins) faults.push("the focus is not in the dialog");
  // After the last control, Firefox gives the keyboard to its own bars, from where this script cannot take it back.
  const most = process.env.FIREFOX ? 1 : 30;
  for (let presses = 0; isModal && presses < most; presses += 1) {
    await page.keyboard.press("Tab");
    const outside = await page.evaluate((open) => {
      const now = document.activeElement;
      return now !== document.body && !document.querySelector(open)?.contains(now) && now.outerHTML.slice(0, 80);
    }, OPEN);
    if (outside) { faults.push(`Tab leaves the dialog for ${outside}`); break; }
  }
  await page.keyboard.press("Escape");
  await page.waitForFunction((open) => !document.querySelector(open), { timeout: 5000 }, OPEN).catch(() => faults.push("Escape does not close it"));
  const isBack = await opener.evaluate((node) => document.activeElement === node || (node.dataset.focus && document.activeElement?.dataset.focus === node.dataset.focus));
  if (!isBack) faults.push(`the focus is then at ${await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 80))}`);
  return faults;
}
