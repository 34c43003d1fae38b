// Chromium with a page that is watched: what it logs, and what it asks of other machines.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import puppeteer from "puppeteer-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Starts Chromium, or says that there is none and ends: a machine without it is no failure of the page. */
export async function openBrowser() {
  const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
  if (!existsSync(executablePath)) {
    console.log(`skipped: no Chromium (at ${executablePath}; CHROMIUM names another place)`);
    process.exit(0);
  }
  // No name but the own machine can be looked up, so nothing leaves it, even by mistake.
  return puppeteer.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--hide-scrollbars", "--force-color-profile=srgb"] });
}

/** What pages said and asked for that they should not. While `down` is set, the server is away, and failed requests are expected. */
export class Watch {
  constructor(origin, assets) {
    Object.assign(this, { origin, assets, errors: [], away: [], down: false });
  }

  async on(page) {
    if (this.assets) await serveFrom(this.assets, page);
    page.on("console", (message) => {
      if (!["error", "warn"].includes(message.type()) || page.isMeasured) return;
      if (this.down && /ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|ERR_NETWORK|Failed to fetch/.test(message.text())) return;
      this.errors.push(`${message.text()} (${message.location().url ?? "no place"})`);
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
    const name = /^\/assets\/([\w.-]+)$/.exec(new URL(request.url()).pathname)?.[1];
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
