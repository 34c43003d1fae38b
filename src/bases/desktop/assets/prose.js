// The text of an answer as elements: paragraphs, lists, headings, code, tables of pipes, and marks of sources such as [1].
import { h } from "./dom.js";

/** The elements of a text. `mark` makes an element for the number of a source, or returns null. */
export function prose(text, mark = () => null) {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    const [block, next] = readBlock(lines, at, mark);
    if (block) blocks.push(block);
    at = next;
  }
  return blocks;
}

const ITEM = /^\s*(?:[-*•]|(\d+)[.)])\s+(.*)$/;
const FENCE = /^\s*```/;
const HEADING = /^(#{1,6})\s+(.*)$/;
const ROW = /^\s*\|.*\|\s*$/;
const begins = (line) => !line.trim() || ITEM.test(line) || FENCE.test(line) || HEADING.test(line) || ROW.test(line) || /^\s*>/.test(line);

function readBlock(lines, at, mark) {
  const line = lines[at];
  if (!line.trim()) return [null, at + 1];
  if (FENCE.test(line)) return readCode(lines, at);
  const heading = HEADING.exec(line);
  if (heading) return [h("p.heading", { role: "heading", "aria-level": String(Math.min(6, heading[1].length + 2)) }, inline(heading[2], mark)), at + 1];
  if (ROW.test(line) && ROW.test(lines[at + 1] ?? "")) return readTable(lines, at, mark);
  if (ITEM.test(line)) return readList(lines, at, mark);
  if (/^\s*>/.test(line)) return readQuote(lines, at, mark);
  let end = at + 1;
  while (end < lines.length && !begins(lines[end])) end += 1;
  return [h("p", {}, inline(lines.slice(at, end).join("\n"), mark)), end];
}

function readCode(lines, at) {
  let end = at + 1;
  while (end < lines.length && !FENCE.test(lines[end])) end += 1;
  return [codeBlock(lines.slice(at + 1, end).join("\n")), end + 1];
}

/** Code that can be scrolled with the keys. */
export const codeBlock = (text, label = "Code") => h("pre", { tabindex: "0", role: "group", "aria-label": label }, h("code", {}, text));

function readList(lines, at, mark) {
  const first = ITEM.exec(lines[at]);
  const items = [];
  let end = at;
  for (; end < lines.length; end += 1) {
    const item = ITEM.exec(lines[end]);
    if (item && Boolean(item[1]) === Boolean(first[1])) items.push(item[2]);
    else if (/^\s{2,}\S/.test(lines[end]) && !item) items[items.length - 1] += `\n${lines[end].trim()}`;
    else break;
  }
  const list = first[1] ? h("ol", { start: first[1] }) : h("ul");
  list.append(...items.map((item) => h("li", {}, inline(item, mark))));
  return [list, Math.max(end, at + 1)];
}

function readQuote(lines, at, mark) {
  let end = at;
  while (end < lines.length && /^\s*>/.test(lines[end])) end += 1;
  return [h("blockquote", {}, inline(lines.slice(at, end).map((line) => line.replace(/^\s*> ?/, "")).join("\n"), mark)), end];
}

function readTable(lines, at, mark) {
  let end = at;
  while (end < lines.length && ROW.test(lines[end])) end += 1;
  const rows = lines.slice(at, end).map((line) => line.trim().slice(1, -1).split("|").map((cell) => cell.trim()));
  const ruled = rows[1]?.every((cell) => /^:?-+:?$/.test(cell));
  const cells = (row, tag) => h("tr", {}, row.map((cell) => h(tag, {}, inline(cell, mark))));
  return [h("div.table-wrap", { tabindex: "0", role: "group", "aria-label": "Table" }, h("table", {},
    ruled && h("thead", {}, cells(rows[0], "th")), h("tbody", {}, rows.slice(ruled ? 2 : 0).map((row) => cells(row, "td"))))), end];
}

/** Bold, emphasis, code and marks within a line; all else is text. */
function inline(text, mark) {
  const parts = [];
  const pattern = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\*([^*\s][^*\n]*)\*|\[(\d{1,3})\]|\n/g;
  let last = 0;
  for (const found of text.matchAll(pattern)) {
    parts.push(text.slice(last, found.index));
    last = found.index + found[0].length;
    const [whole, code, bold, stress, number] = found;
    if (code) parts.push(h("code", {}, code));
    else if (bold) parts.push(h("strong", {}, inline(bold, mark)));
    else if (stress) parts.push(h("em", {}, stress));
    else if (number) parts.push(mark(Number(number)) ?? whole);
    else parts.push(h("br"));
  }
  parts.push(text.slice(last));
  return parts;
}
