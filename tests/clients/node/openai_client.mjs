// Uses `svc serve` by the client of OpenAI: node openai_client.mjs URL KEY. Prints a line for each
// thing that held.

import assert from "node:assert/strict";
import OpenAI from "openai";

const [url, apiKey] = process.argv.slice(2);
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
const messages = [{ role: "user", content: "hi" }];

const ids = [];
for await (const it of client.models.list()) ids.push(it.id);
assert(ids.includes("echo") && !ids.includes("sum"), ids);
console.log("ok: models.list");

const done = await client.chat.completions.create({ model: "echo", messages });
assert.equal(done.choices[0].message.content, "HI");
console.log("ok: chat.completions.create");

let text = "";
const stream = await client.chat.completions.create({ model: "echo", messages, stream: true });
for await (const chunk of stream) text += chunk.choices[0]?.delta?.content ?? "";
assert.equal(text, "HI");
console.log("ok: chat.completions.create as a stream");

const answer = await client.responses.create({ model: "echo", input: "hi" });
assert.equal(answer.output_text, "HI");
const kinds = [];
const events = await client.responses.create({ model: "echo", input: "hi", stream: true });
for await (const it of events) kinds.push(it.type);
assert.equal(kinds.at(-1), "response.completed");
console.log("ok: responses.create and its stream");

await assert.rejects(
  client.chat.completions.create({ model: "nope", messages }),
  (err) => err instanceof OpenAI.NotFoundError && err.code === "model_not_found",
);
await assert.rejects(
  client.chat.completions.create({ model: "echo", messages, n: 2 }),
  (err) => err instanceof OpenAI.BadRequestError && err.param === "n",
);
console.log("ok: errors");
