// The pictures of docs/images, from a real server with a small project: `npm run screenshots -- --svc PATH`.
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Watch, openBrowser } from "./browser.js";
import { Server, option } from "./server.js";

const PLACE = resolve(dirname(fileURLToPath(import.meta.url)), "../../docs/images");
const LARGEST = 150 * 1024;

const FILES = {
  "travel-policy.md": `# Travel policy

## Hotels

Hotels may cost up to 140 euros a night.

## Trains

Trains are booked in second class. A journey of more than six hours may be booked in first class.

## Expenses

Send receipts within four weeks after the journey.
`,
  "supplier-contract.md": `# Contract with Northwind Timber

The contract begins on 1 March 2026 and runs for two years.

## Delivery

Oak and ash are delivered within ten working days. A late delivery costs the supplier two percent of its price for each day.

## Payment

Invoices are paid within 30 days.
`,
  "orders.csv": `date,customer,product,price
2026-01-08,Alder Books,Desk lamps,576.00
2026-01-14,Birch Cafe,Bar stools,960.00
2026-02-03,Alder Books,Shelves,1050.00
2026-02-19,Cedar Clinic,Office chairs,4440.00
2026-03-05,Birch Cafe,Tables,1280.00
`,
  "sales.csv": `name,amount
Desk lamps,576
Bar stools,960
Shelves,1050
Office chairs,4440
Tables,1280
`,
};

const QUESTIONS = ["What may a hotel cost?", "When are invoices paid?", "How far away is the moon?"];
// Asked with a pause, so that the trend of the quality has an extent.
const MORE = ["When are receipts sent?", "How fast is oak delivered?", "Which class are trains booked in?", "Who repairs the printer?", "What does a late delivery cost?", "What may a hotel cost?"];
const EFFECT = "sum the amount in sales.csv and write it to total.json";

const SCRIPT = `svc 1 within { timeout: 1m }

## The orders, as a table.
param orders: path = "orders.csv"

## Orders below this price are left out.
param least: float = 1000.0

type Order = { customer: string, price: float }

read_text(path: orders)
  >> parse_csv<Order>()
  >> where { .price >= least }
  >> sort { .price }
  >> to_csv
  >> write_file(to: "large-orders.csv")
`;

/** The scripts of the folder, by which the runs have names. One waits for a person. */
const SCRIPTS = {
  large_orders: 'param file: path\ntype Order = { customer: string, price: float }\nread_text(path: file) >> parse_csv<Order>() >> where { .price >= 1000.0 } >> to_csv\n',
  outline: "param file: path\nread_text(path: file) >> summary >> .text\n",
  reminder: '"The invoice of Birch Cafe is due." >> approve(question: "Send this reminder?")\n',
};

/** The second one fails: there is no such file. */
const CALLS = ["/large_orders file=orders.csv", "/large_orders file=offers.csv", "/outline file=supplier-contract.md", "/outline file=travel-policy.md", "/large_orders file=orders.csv"];

const browser = await openBrowser();
const server = new Server(["scripts"]);
mkdirSync(join(server.folder, "scripts"));
for (const [name, text] of Object.entries(SCRIPTS)) writeFileSync(join(server.folder, "scripts", `${name}.svc`), text);
mkdirSync(PLACE, { recursive: true });

try {
  const ticket = await server.start();
  const { origin } = new URL(ticket);
  const watch = new Watch(origin, option("assets", "SVC_ASSETS"));
  const page = await watch.on(await browser.newPage());
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }, { name: "prefers-reduced-motion", value: "reduce" }]);
  const size = (width, height) => page.setViewport({ width, height, deviceScaleFactor: 1 });
  await size(1280, 800);
  await page.goto(ticket);

  /** Calls the interface as the page does, with its cookie. */
  const call = async (path, body) => {
    const reply = await page.evaluate(async (to, sent) => (await fetch(to, sent && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(sent) })).json(), path, body);
    if (reply.error) throw new Error(`${path}: ${reply.error}`);
    return reply;
  };

  const project = async (name, description, tags, files) => {
    const { project: made } = await call("/projects", { name, description, tags });
    for (const [file, text] of Object.entries(files)) await call(`/projects/${made.id}/resources`, { name: file, content_base64: Buffer.from(text).toString("base64") });
    return made;
  };

  /** A chat with its answers; the id of the last one is given back with it. */
  const chat = async (of, title, questions, pause = 0) => {
    const { session } = await call("/sessions", { project_id: of.id, title });
    let last;
    for (const text of questions) {
      if (last && pause) await new Promise((done) => setTimeout(done, pause));
      last = (await call("/chat/send", { session_id: session.id, text })).reply_id;
    }
    await settled(session);
    return { ...session, last, hash: `#/p/${of.id}/chat/${session.id}` };
  };
  const settled = async ({ id }) => {
    for (let tries = 0; tries < 600; tries += 1) {
      const { messages } = await call(`/chat/${id}/history`);
      if (messages.every(({ state }) => !["pending", "generating"].includes(state))) return;
      await new Promise((done) => setTimeout(done, 100));
    }
    throw new Error("an answer was not finished within a minute");
  };

  const show = async (hash, ready) => {
    // From elsewhere, since the page is not loaded again if only what follows the # differs.
    await page.goto("about:blank");
    await page.goto(`${origin}/${hash}`);
    await page.waitForFunction((test) => document.querySelector("main .view") && document.querySelector(test), { timeout: 15000 }, ready);
    await page.waitForNetworkIdle({ idleTime: 300, timeout: 4000, concurrency: 1 }).catch(() => {});
    await new Promise((done) => setTimeout(done, 400));
  };

  const picture = async (name) => {
    const file = join(PLACE, `${name}.png`);
    writeFileSync(file, await page.screenshot({ type: "png", captureBeyondViewport: false }));
    const bytes = statSync(file).size;
    console.log(`${name}.png ${(bytes / 1024).toFixed(0)} KB`);
    if (bytes > LARGEST) throw new Error(`${name}.png is larger than ${LARGEST / 1024} KB`);
  };

  const theme = (name) => page.evaluate((choice) => window.svcTheme.set(choice), name);

  const office = await project("Office", "Contracts, orders and rules of the workshop", ["2026", "workshop"], FILES);
  const asked = await chat(office, "Hotels and invoices", QUESTIONS);
  const proposed = await chat(office, "Total of the sales", ["When are invoices paid?", EFFECT]);
  const rated = await chat(office, "Rules of the workshop", MORE, 1500);

  await show(asked.hash, ".from-svc:last-child .meta");
  await page.evaluate(() => { document.querySelector(".from-svc details.sources").open = true; document.querySelector(".scroller").scrollTo(0, 0); document.activeElement.blur(); });
  await picture("desktop-chat");

  await size(360, 740);
  await show(asked.hash, ".from-svc:last-child .meta");
  await page.evaluate(() => { document.querySelector(".scroller").scrollTo(0, 0); document.activeElement.blur(); });
  await picture("desktop-phone");
  await size(1280, 800);

  await show(proposed.hash, ".proposal footer");
  await page.evaluate(() => {
    const scroller = document.querySelector(".scroller");
    const asked = document.querySelector(".messages > :nth-last-child(2)").getBoundingClientRect();
    scroller.scrollTop += asked.top - scroller.getBoundingClientRect().top - 8;
    document.activeElement.blur();
  });
  await picture("desktop-proposal");

  await call(`/chat/${proposed.id}/decide`, { message_id: proposed.last, approved: true });
  await settled(proposed);

  await page.evaluate((text) => sessionStorage.setItem("svc.draft.editor", text), SCRIPT);
  await show("#/editor", ".chips");
  await picture("desktop-editor");

  await page.goto(`${origin}/play`);
  await page.waitForSelector("figure.drawing img");
  await page.evaluate(() => document.activeElement.blur());
  await picture("desktop-play");

  const scripts = await chat(office, "Scripts", CALLS);
  await call("/chat/send", { session_id: scripts.id, text: "/reminder" });
  await show("#/runs", "main table .state.warning");
  await picture("desktop-runs");

  await theme("dark");
  await show(`${rated.hash}/quality`, ".plot canvas");
  await picture("desktop-dark");

  if (watch.errors.length) throw new Error(`the console has errors:\n${watch.errors.join("\n")}`);
} catch (error) {
  console.log(`FAIL  ${error.stack}`);
  process.exitCode = 1;
} finally {
  await browser.close();
  await server.remove();
}
