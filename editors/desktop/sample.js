// A server with something on each of its pages, made by the calls of the page itself.

const HANDBOOK = "# Handbook\n\n## Hotels\n\nHotels may cost up to 140 euros a night.\n\n## Trains\n\nTrains are booked in second class.\n";
const ORDERS = "date,customer,price\n2026-01-08,Alder Books,48.00\n2026-01-14,Birch Cafe,120.00\n2026-02-03,Alder Books,210.00\n";
const SCRIPT = "svc 1\n\n# Totals by customer\n\ntype Order = { customer: string, price: float }\n\nread_text(path: \"orders.csv\")\n  >> parse_csv<Order>()\n  >> each { .price }\n  >> sum\n";
const WAITS = "svc 1\n\n# Asks before it goes on\n\n\"Send the totals to the customers\" >> approve(question: \"Send the totals to three customers?\")\n";

/** Fills the server of a page that is signed in; returns the addresses of its views by their names. */
export async function fillServer(page, { projects = 12, questions = 12, runs = 8 } = {}) {
  const made = await page.evaluate(async (given) => {
    const call = async (path, body) => {
      const reply = await fetch(path, body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
      const read = await reply.json();
      if (!read.ok) throw new Error(`${path}: ${read.error}`);
      return read;
    };
    const until = async (test) => {
      for (let tries = 0; !await test(); tries += 1) {
        if (tries > 300) throw new Error("not within 30 s");
        await new Promise((done) => setTimeout(done, 100));
      }
    };
    const project = (number) => call("/projects", { name: `Project ${number}`, description: "Files of a small company", tags: ["sample"] });
    for (let number = given.projects; number > 1; number -= 1) await project(number);
    const { project: { id } } = await project(1);
    for (const [name, text] of given.files) {
      const form = new FormData();
      form.append("file", new File([text], name), name);
      await fetch(`/projects/${id}/resources`, { method: "POST", body: form });
    }
    await until(async () => (await call(`/projects/${id}/resources`)).resources.every((file) => file.state === "ready"));
    const { session } = await call("/sessions", { project_id: id });
    for (let number = 0; number < given.questions; number += 1) {
      const { reply_id: reply } = await call("/chat/send", { session_id: session.id, text: given.asked[number % given.asked.length] });
      await until(async () => (await call(`/chat/${session.id}/history?limit=200`)).messages.some((one) => one.id === reply && one.state === "complete"));
    }
    let run;
    for (let number = 0; number < given.runs; number += 1) ({ run_id: run } = await call("/editor/run", { text: given.script, project_id: id }));
    await until(async () => (await call(`/runs/${run}`)).state === "ok");
    await call("/editor/run", { text: given.waits, project_id: id });
    await until(async () => (await call("/approvals?state=open")).approvals.length > 0);
    return { id, session: session.id, run };
  }, {
    projects, questions, runs, script: SCRIPT, waits: WAITS,
    files: [["handbook.md", HANDBOOK], ["orders.csv", ORDERS]],
    asked: ["What may a hotel cost?", "Which class are trains booked in?", "How far away is the moon?"],
  });
  const project = `#/p/${made.id}`;
  const chat = `${project}/chat/${made.session}`;
  return {
    Projects: "#/projects", Project: project, Files: `${project}/files`, Chat: chat, Quality: `${chat}/quality`, Usage: `${chat}/usage`, Workers: `${chat}/workers`,
    Runs: "#/runs", Run: `#/runs/${made.run}`, Approvals: "#/approvals", Editor: "#/editor", Settings: "#/settings",
  };
}
