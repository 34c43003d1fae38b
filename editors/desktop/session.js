// A session with the page, as a person has one, against a real server: `npm run session -- --svc PATH`.
// One line for each step. The first step that fails ends it with 1: later ones would fail for its reason.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Watch, calm, dialogFaults, openBrowser, sideways, unreachable, violations } from "./browser.js";
import { Server, option } from "./server.js";

const HANDBOOK = "# Handbook\n\n## Hotels\n\nHotels may cost up to 140 euros a night.\n\n## Office\n\nOn Tuesdays the whole team meets in the office.\n";
const ORDERS = "date,customer,price\n2026-01-08,Alder Books,48.00\n2026-01-14,Birch Cafe,120.00\n2026-02-03,Alder Books,210.00\n";
const EFFECT = "Write the total price by customer of orders.csv to totals.csv";
const REPLY = 60000;

const browser = await openBrowser();
const server = new Server();
// A script of the folder that is offered as `/slow`: long enough to close the page, or to kill the server, while it runs.
server.more = [join(server.folder, "scripts")];
mkdirSync(server.more[0]);
writeFileSync(join(server.more[0], "slow.svc"), 'param word: string\nword >> wait(duration: 3s) >> upper\n');
const began = Date.now();
let steps = 0;

/** Ends with what was expected and what was found. */
class Found extends Error {}
const expect = (good, expected, found) => { if (!good) throw new Found(`expected ${expected}, found ${found}`); };
const has = (text, part) => expect(text.includes(part), `“${part}”`, text ? `“${text.slice(0, 300)}”` : "nothing");
const oneLine = (text) => text.replace(/\s+/g, " ").trim();

async function step(name, work) {
  const from = Date.now();
  const more = await work();
  steps += 1;
  console.log(`ok    ${name}${more ? `: ${more}` : ""} (${Date.now() - from} ms)`);
}

/** Waits until `test`, which runs in the page, is true; or says what stands in `where` instead. */
async function until(page, expected, test, { args = [], where = "main", timeout = 15000 } = {}) {
  try { await page.waitForFunction(test, { timeout, polling: 100 }, ...args); } catch {
    throw new Found(`expected ${expected}, found “${(await textOf(page, where)).slice(0, 400)}” at ${page.url().replace(/\?.*/, "")}`);
  }
}
const textOf = (page, where) => page.$$eval(where, (nodes) => nodes.map((node) => node.innerText).join(" ")).then(oneLine);
const shows = (page, text, where = "main", timeout = undefined) => until(page, `“${text}” in ${where}`,
  (wanted, place) => [...document.querySelectorAll(place)].some((node) => node.innerText.replace(/\s+/g, " ").includes(wanted)), { args: [text, where], where, timeout });

// Names as a screen reader has them, so what cannot be named cannot be used here either.
const control = (page, role, name, inside = "") => page.locator(`${inside}::-p-aria([name="${name}"][role="${role}"])`).setTimeout(10000);
async function click(page, role, name, inside) {
  try { await control(page, role, name, inside).click(); } catch (error) {
    throw new Found(`expected the ${role} “${name}”, found “${(await textOf(page, inside ?? "body")).slice(0, 300)}” (${error.message})`);
  }
}
async function type(page, name, text, role = "textbox") {
  await click(page, role, name);
  await page.keyboard.type(text);
}

/** Sends a message, and returns the text of its answer when that is final. */
async function ask(page, label, text) {
  const before = (await page.$$(".from-svc")).length;
  await type(page, label, text);
  await page.keyboard.press("Enter");
  return answered(page, before + 1);
}
async function answered(page, number, timeout = REPLY) {
  await until(page, `${number} finished answers`, (least) => {
    const all = [...document.querySelectorAll(".from-svc")];
    return all.length >= least && all.every((one) => ["complete", "failed", "cancelled"].includes(one.dataset.state));
  }, { args: [number], timeout });
  return page.$$eval(".from-svc", (all, at) => all[at].innerText, number - 1).then(oneLine);
}

async function setTheme(page, theme) {
  // By the palette, since it is there in each view.
  await page.keyboard.down("Control");
  await page.keyboard.press("k");
  await page.keyboard.up("Control");
  await page.waitForSelector("dialog[open] [role=option]");
  await page.keyboard.type(`theme: ${theme}`);
  await page.waitForFunction((name) => document.querySelector("dialog[open] [aria-selected=true]")?.innerText.startsWith(`Theme: ${name}`), { timeout: 5000 }, theme);
  await page.keyboard.press("Enter");
  await until(page, `the theme ${theme}`, (name) => document.documentElement.dataset.theme === name, { args: [theme] });
  await page.waitForFunction(() => !document.querySelector("dialog[open]"));
}

/** Goes to a view by its address, and waits until it is there. */
async function visit(page, origin, hash) {
  await page.evaluate((to) => {
    if (location.hash === to) return;
    document.querySelector("main .view")?.setAttribute("data-old", "");
    location.hash = to;
  }, hash);
  await until(page, `the view ${hash}`, () => document.querySelector("main .view:not([data-old])") && !document.querySelector("main.loading"));
  const failed = await textOf(page, "main .failed");
  expect(!failed, `the view ${hash}`, `“${failed}”`);
  // Plots, the editor and the frame of a run come a moment after their view.
  await page.waitForNetworkIdle({ idleTime: 250, timeout: 3000, concurrency: 1 }).catch(() => {});
}

try {
  const ticket = await server.start();
  const { origin } = new URL(ticket);
  const watch = new Watch(origin, option("assets", "SVC_ASSETS"));
  const context = browser.defaultBrowserContext();
  const page = await watch.on(await context.newPage());
  await page.setViewport({ width: 1280, height: 860 });
  await calm(page);
  const views = { Projects: "#/projects", Archived: "#/projects?state=archived", Runs: "#/runs", Approvals: "#/approvals", Editor: "#/editor", Settings: "#/settings", Nowhere: "#/nowhere" };
  let chat;

  await step("the ticket opens the page, and is gone from its address", async () => {
    await page.goto(ticket);
    await shows(page, "Create your first project");
    expect(!page.url().includes("ticket"), "an address without the ticket", page.url());
  });
  await step("the ticket is valid once", async () => {
    const other = await (await browser.createBrowserContext()).newPage();
    const reply = await other.goto(ticket);
    expect(reply.status() === 401, "401 for a second visit", reply.status());
    await other.browserContext().close();
  });
  await step("a project is created", async () => {
    await click(page, "button", "New project");
    await type(page, "Name", "Handbook");
    await click(page, "button", "Create project");
    await until(page, "the files of the new project", () => /#\/p\/[^/]+\/files$/.test(location.hash));
    await shows(page, "No files yet");
    views.Files = new URL(page.url()).hash;
    views.Project = views.Files.replace("/files", "");
  });
  await step("files are uploaded", async () => {
    await page.evaluate((files) => {
      const held = new DataTransfer();
      for (const [name, text] of files) held.items.add(new File([text], name));
      const input = document.querySelector("main input[type=file]");
      input.files = held.files;
      input.dispatchEvent(new Event("change"));
    }, [["handbook.md", HANDBOOK], ["orders.csv", ORDERS]]);
    for (const name of ["handbook.md", "orders.csv"]) await shows(page, name, "main table");
  });
  await step("a question is answered with its source", async () => {
    await click(page, "link", "Chats");
    await page.waitForSelector("textarea[aria-label='New question']");
    const answer = await ask(page, "New question", "What may a hotel cost?");
    has(answer, "140 euros");
    await until(page, "the answer for a screen reader", () => document.getElementById("live").textContent.startsWith("New answer: Hotels"), { where: "#live" });
    await page.click(".from-svc details.sources summary");
    await shows(page, "handbook.md", ".from-svc .source");
    chat = new URL(page.url()).hash;
    Object.assign(views, { Chat: chat, Quality: `${chat}/quality`, Usage: `${chat}/usage`, Workers: `${chat}/workers` });
  });
  await step("what the files do not answer is declined", async () => {
    has(await ask(page, "Message", "How far away is the moon?"), "Not found in the files");
  });
  await step("what writes is proposed, and runs when it is approved", async () => {
    const card = await ask(page, "Message", EFFECT);
    for (const part of ["Approve this script?", "writes fs:totals.csv", "nothing"]) has(card, part);
    await click(page, "button", "Approve and run");
    await shows(page, "You approved this");
    has(await answered(page, 4), "totals.csv");
    await visit(page, origin, views.Files);
    await shows(page, "totals.csv", "main table");
    await visit(page, origin, chat);
  });
  await step("the page of the run is shown in its frame", async () => {
    await page.click(".messages > :last-child .meta a[href^='#/runs/']");
    const frame = await (await page.waitForSelector("iframe.run-frame")).contentFrame();
    await frame.waitForSelector("svg, h1", { timeout: 10000 });
    const text = oneLine(await frame.$eval("body", (body) => body.innerText));
    has(text, "write_file");
    views.Run = new URL(page.url()).hash;
    for (const name of ["Calls", "Result", "Why", "Page"]) await click(page, "tab", name);
    has(await textOf(page, ".facts .state"), "ok");
  });
  await step("the editor shows a problem where it is", async () => {
    await visit(page, origin, "#/editor");
    await writeScript(page, 'svc 1\n"a b" >> uper\n');
    await shows(page, "Line 2:", ".diagnostics");
    return (await textOf(page, ".diagnostics")).slice(0, 80);
  });
  await step("the editor completes a name", async () => {
    await writeScript(page, 'svc 1\n"a b" >> upp');
    await page.keyboard.type("e");
    await until(page, "a completion “upper”", () => [...document.querySelector(".code-frame").shadowRoot.querySelectorAll(".cm-tooltip-autocomplete li")].some((one) => one.textContent.startsWith("upper")));
    // CodeMirror does not take a choice in the first moment, so that typing cannot choose by mistake.
    await new Promise((done) => setTimeout(done, 150));
    await page.keyboard.press("Enter");
    const text = await page.evaluate(() => document.querySelector(".code-frame").shadowRoot.querySelector(".cm-content").innerText);
    has(text, "upper");
    await shows(page, "No problems", ".toolbar");
  });
  await step("the plan is shown, and the script runs", async () => {
    await shows(page, "No effects", "section[aria-label=Plan]");
    await click(page, "button", "Run");
    await until(page, "the page of the run", () => location.hash.startsWith("#/runs/"));
    // Opened before the run has ended, it shows the result by itself.
    await click(page, "tab", "Result");
    await shows(page, "A B", "#run-part");
    await shows(page, "ok", ".facts .state");
  });
  await step("the playground checks, fixes and draws, and keeps the script in its address", async () => {
    const play = await watch.on(await context.newPage());
    await play.goto(`${origin}/play`);
    await shows(play, "No problems", ".toolbar");
    await play.waitForSelector("figure.drawing img");
    await writeScript(play, 'svc 1\n"a b" >> uper\n');
    await shows(play, "Line 2:", ".diagnostics");
    await click(play, "button", "Did you mean upper?");
    await shows(play, "No problems", ".toolbar");
    await click(play, "button", "Copy a link");
    await until(play, "the script in the address", () => location.hash.startsWith("#script="));
    await play.reload();
    await until(play, "the script of the address", () => document.querySelector(".code-frame")?.shadowRoot.querySelector(".cm-content")?.innerText.includes("upper"));
    const found = await violations(play);
    expect(!found.length, "no findings of axe", found.join("; "));
    await play.close();
  });
  await step("a worker is started, and is seen", async () => {
    await visit(page, origin, views.Workers);
    await click(page, "button", "Start a worker");
    await type(page, "Script", '"done" >> upper', "combobox");
    await type(page, "Most runs", "1", "spinbutton");
    await click(page, "button", "Start");
    await until(page, "a worker with one run", () => /"done".*\s1 of 1/s.test(document.querySelector("main table")?.innerText ?? ""), { timeout: 30000 });
    await shows(page, "stopped", "main table", 30000);
  });
  await step("the quality and the usage are shown", async () => {
    await click(page, "link", "Quality", ".chat-head");
    await shows(page, "Thresholds");
    await shows(page, "Utility");
    await page.waitForSelector(".plot canvas");
    await click(page, "link", "Usage", ".chat-head");
    await shows(page, "Cost and tokens");
    await shows(page, "Calls");
  });
  await step("the theme is changed, and kept", async () => {
    await setTheme(page, "dark");
    await page.reload();
    await until(page, "the dark theme after a reload", () => document.documentElement.dataset.theme === "dark");
    await setTheme(page, "light");
  });

  await step("a killed server is shown, and what is typed stays", async () => {
    await visit(page, origin, chat);
    await type(page, "Message", "When does the team meet?");
    watch.down = true;
    await server.kill();
    await page.keyboard.press("Enter");
    await shows(page, "Server not reachable", "#banner");
    await shows(page, "not reachable", ".composer .field-error");
    const kept = await page.$eval(".composer textarea", (node) => node.value);
    expect(kept === "When does the team meet?", "the typed text", kept || "nothing");
    const found = await violations(page);
    expect(!found.length, "no violation while the server is away", found.join("\n"));
  });
  await step("the page recovers when the server is back", async () => {
    await server.start();
    await until(page, "no banner", () => document.getElementById("banner").hidden, { where: "#banner", timeout: 30000 });
    watch.down = false;
    const kept = await page.$eval(".composer textarea", (node) => node.value);
    expect(kept === "When does the team meet?", "the typed text", kept || "nothing");
    await page.focus(".composer textarea");
    await page.keyboard.press("Enter");
    has(await answered(page, 5), "Tuesdays");
  });
  await step("a second tab shows the chat, and both show new answers", async () => {
    const other = await watch.on(await context.newPage());
    await other.setViewport({ width: 1000, height: 800 });
    await other.goto(`${origin}/${chat}`);
    await until(other, "5 answers in the second tab", () => document.querySelectorAll(".from-svc").length === 5);
    // A hidden tab gives its stream back, so each is looked at in turn.
    await ask(other, "Message", "Where does the team meet?");
    await page.bringToFront();
    has(await answered(page, 6), "office");
    await ask(page, "Message", "What may a hotel cost?");
    await other.bringToFront();
    has(await answered(other, 7), "140 euros");
    await other.close();
    await page.bringToFront();
  });

  const slow = async (asked, word) => {
    const number = (await asked.$$(".from-svc")).length + 1;
    await type(asked, "Message", `/slow word=${word}`);
    await asked.keyboard.press("Enter");
    await until(asked, "an answer that is not finished", (least) => {
      const all = [...document.querySelectorAll(".from-svc")];
      return all.length === least && ["pending", "generating"].includes(all.at(-1).dataset.state);
    }, { args: [number] });
    return number;
  };
  await step("a page that is closed in the middle of an answer finds it later", async () => {
    const other = await watch.on(await context.newPage());
    await other.goto(`${origin}/${chat}`);
    await other.waitForSelector(".composer textarea");
    const number = await slow(other, "closed");
    await other.close();
    await page.bringToFront();
    has(await answered(page, number), "CLOSED");
  });
  await step("a server that is killed in the middle of an answer ends it when it is back", async () => {
    const number = await slow(page, "killed");
    watch.down = true;
    await server.kill();
    await shows(page, "Server not reachable", "#banner");
    await server.start();
    await until(page, "no banner", () => document.getElementById("banner").hidden, { where: "#banner", timeout: 30000 });
    watch.down = false;
    has(await answered(page, number), "KILLED");
    const asked = await page.$$eval(".from-user", (all) => all.filter((one) => one.innerText.includes("killed")).length);
    expect(asked === 1, "the question once", asked);
  });
  await step("a page that is not signed in any more says so, and goes on with a new ticket", async () => {
    const again = await page.evaluate(async () => (await (await fetch("/desktop/ticket", { method: "POST" })).json()).ticket);
    const number = (await page.$$(".from-svc")).length + 1;
    await page.deleteCookie(...await page.cookies());
    watch.down = true;
    await type(page, "Message", "When does the team meet?");
    await page.keyboard.press("Enter");
    await shows(page, "not signed in any more", "#banner");
    const kept = await page.$eval(".composer textarea", (node) => node.value);
    expect(kept === "When does the team meet?", "the typed text", kept || "nothing");
    const found = await violations(page);
    expect(!found.length, "no violation while signed out", found.join("\n"));
    const other = await context.newPage();
    await other.goto(`${origin}/?ticket=${again}`);
    await other.close();
    await page.bringToFront();
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await until(page, "no banner", () => document.getElementById("banner").hidden, { where: "#banner" });
    watch.down = false;
    await until(page, "the typed text", () => document.querySelector(".composer textarea")?.value === "When does the team meet?");
    await page.focus(".composer textarea");
    await page.keyboard.press("Enter");
    has(await answered(page, number), "Tuesdays");
  });
  await step("a run in the queue has the title of its script", async () => {
    const project = views.Project.split("/").at(-1);
    const queued = await page.evaluate(async (id) => {
      const begin = async (number) => (await (await fetch("/editor/run", { method: "POST", headers: { "content-type": "application/json" },
        body: JSON.stringify({ text: `svc 1\n# Waits, number ${number}\n${number} >> wait(duration: 1m)`, project_id: id }) })).json()).run_id;
      const runs = [];
      for (let number = 0; number < 12; number += 1) runs.push(await begin(number));
      return runs;
    }, project);
    views.Queued = `#/runs/${queued.at(-1)}`;
    await visit(page, origin, views.Queued);
    await shows(page, "Waits, number 11", "h1");
    await shows(page, "queued", ".facts .state");
    await visit(page, origin, "#/runs?state=queued");
    await shows(page, "Waits, number 11", "main table");
    await visit(page, origin, `#/runs/${queued[0]}`);
    await shows(page, "Waits, number 0", "h1");
    await shows(page, "running", ".facts .state");
    // The head is drawn again while the run goes on; the focus must stay.
    await control(page, "button", "Cancel").wait();
    await page.focus("[data-focus=cancel]");
    await new Promise((done) => setTimeout(done, 2500));
    expect(await page.evaluate(() => document.activeElement.dataset.focus === "cancel"), "the focus on Cancel", await page.evaluate(() => document.activeElement.localName));
  });

  const dialogs = [["New project", "Projects"], ["Archive Handbook", "Projects"], ["Search Ctrl K", "Projects"], ["Remove handbook.md", "Files"], ["Attach files", "Chat"],
    ["Start a worker", "Workers"], ["Run", "Editor", "svc 1\nparam name: string\nname >> upper\n"], ["Cancel", "Queued"]];

  for (const theme of ["light", "dark"]) {
    await page.setViewport({ width: 1280, height: 860 });
    await visit(page, origin, "#/projects");
    await setTheme(page, theme);
    await step(`axe finds nothing serious: ${Object.keys(views).length} views, ${theme}`, async () => {
      for (const [name, hash] of Object.entries(views)) {
        await visit(page, origin, hash);
        const found = await violations(page);
        expect(!found.length, `no serious or critical violation in ${name}`, found.join("\n"));
      }
    });
    await step(`dialogs keep the focus, give it back, and end with Escape: ${theme}`, async () => {
      for (const [name, view, script] of dialogs) {
        await visit(page, origin, views[view]);
        if (script) await writeScript(page, script);
        const opener = await page.waitForSelector(`::-p-aria([name="${name}"][role="button"])`);
        const found = await dialogFaults(page, opener);
        expect(!found.length, `no fault in the dialog of ${name}`, found.join("\n"));
      }
    });
    await step(`nothing scrolls sideways at 360 px: ${theme}`, async () => {
      await page.setViewport({ width: 360, height: 740, hasTouch: true });
      for (const [name, hash] of Object.entries(views)) {
        await visit(page, origin, hash);
        const wide = await sideways(page);
        expect(!wide, `at most 360 px in ${name}`, wide);
        const found = await violations(page);
        expect(!found.length, `no serious or critical violation in ${name} at 360 px`, found.join("\n"));
      }
    });
  }
  await page.setViewport({ width: 1280, height: 860 });
  await step(`every control is reached with Tab, and its focus shows: ${Object.keys(views).length} views`, async () => {
    for (const [name, hash] of Object.entries(views)) {
      await visit(page, origin, hash);
      const found = await unreachable(page);
      expect(!found.length, `only controls that are reached in ${name}`, found.join("\n"));
    }
  });
  await step("no request left the machine", () => expect(!watch.away.length, "only requests to the server", watch.away.join(", ")));
  await step("the console has no errors", () => expect(!watch.errors.length, "an empty console", `\n${[...new Set(watch.errors)].join("\n")}`));
  console.log(`${steps} steps passed in ${((Date.now() - began) / 1000).toFixed(0)} s`);
} catch (error) {
  console.log(`FAIL  step ${steps + 1}: ${error instanceof Found || !steps ? error.message : error.stack}`);
  process.exitCode = 1;
} finally {
  await browser.close();
  await server.remove();
}

/** Replaces the text of the editor. */
async function writeScript(page, text) {
  await page.waitForFunction(() => document.querySelector(".code-frame")?.shadowRoot.querySelector(".cm-content"));
  await (await page.evaluateHandle(() => document.querySelector(".code-frame").shadowRoot.querySelector(".cm-content"))).asElement().click();
  await page.keyboard.down("Control");
  await page.keyboard.press("a");
  await page.keyboard.up("Control");
  // Chromium gives what replaces a selection a style of its own, which the policy refuses with a message: so it is removed first.
  await page.keyboard.press("Backspace");
  if (!process.env.FIREFOX) {
    // At once, since typed quotes and brackets are closed by the editor itself.
    await page.keyboard.sendCharacter(text);
    return;
  }
  for (const [at, line] of text.split("\n").entries()) {
    // Escape, so that Enter does not take a completion.
    if (at) for (const key of ["Escape", "Enter"]) await page.keyboard.press(key);
    await page.keyboard.type(line);
  }
}
