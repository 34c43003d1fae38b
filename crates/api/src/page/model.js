// The data of the page: the run, its calls, their values, and the tree of calls.

const find = (id) => document.getElementById(id);
const data = (id) => JSON.parse(find(id).textContent);

const RUN = data('run')[0];
const NODES = data('nodes').map(
  ([path, op, state, tries, start, took, tokens, cost, values, error, origin, cause], at) => ({
    at, path, op, state, tries, start, tokens, cost, values, error, origin, cause,
    // A reused result took no time in this run.
    took: origin ? 0 : took, tookThen: took, end: start + (origin ? 0 : took / 1000),
    words: `${path} ${op}`.toLowerCase(),
  }),
);
const STATES = { done: '✓', reused: '↺', failed: '✗', cancelled: '–', intended: '…' };

// The state of a group of calls: the worst one.
const stateOf = (it) => (it.failed ? 'failed' : it.open ? 'intended' : it.stopped ? 'cancelled'
  : it.reused === it.count ? 'reused' : 'done');

const BLOCKS = [...document.querySelectorAll('script.contents')].map((it) => ({
  first: Number(it.dataset.first), element: it,
}));
let opened = { block: null, lines: [] };

// The text of a value by its number.
function content(number) {
  let [low, high] = [0, BLOCKS.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (BLOCKS[middle].first <= number) low = middle; else high = middle - 1;
  }
  const block = BLOCKS[low];
  if (opened.block !== block) opened = { block, lines: block.element.textContent.split('\n') };
  return opened.lines[number - block.first];
}

function key(node) {
  return find('keys').textContent.slice(node.at * 64, node.at * 64 + 64);
}

function attemptsOf(path) {
  attemptsOf.all ??= Map.groupBy ? Map.groupBy(data('attempts'), (it) => it[0]) : grouped();
  return attemptsOf.all.get(path) ?? [];
}

function grouped() {
  const all = new Map();
  for (const it of data('attempts')) all.set(it[0], [...(all.get(it[0]) ?? []), it]);
  return all;
}

// The place of a call in the script: `each[3]/summary` is in `each[]/summary`.
const placeOf = (path) => path.replace(/\[[^\]]*\]/g, '[]');

// `found/each[3]/summary` as `found`, `/each`, `[3]`, `/summary`.
const partsOf = (path) => path.match(/\[[^\]]*\]|[^[\]]?[^/[\]]*/g).filter((it) => it);

const SUMS = ['count', 'failed', 'stopped', 'open', 'reused', 'took', 'tokens', 'cost'];

// A call, with the counts of a group.
const counted = (node) => ({
  ...node, count: 1, failed: +(node.state === 'failed'), stopped: +(node.state === 'cancelled'),
  open: +(node.state === 'intended'), reused: +(node.state === 'reused'),
});

function treeOf(nodes) {
  const root = { label: '', path: '', parent: null, children: new Map(), node: null };
  for (const node of nodes) {
    let item = root;
    for (const part of partsOf(node.path)) {
      let child = item.children.get(part);
      if (!child) {
        child = { label: part, path: item.path + part, parent: item, children: new Map(), node: null };
        item.children.set(part, child);
      }
      item = child;
    }
    item.node = node;
  }
  return finished(root, 0);
}

// An item of the tree, with the sums over everything inside it.
function finished(item, level) {
  while (item.parent && item.children.size === 1 && !item.node) {
    const [child] = item.children.values();
    item = { ...child, label: item.label + child.label, parent: item.parent };
  }
  item.label = item.label.replace(/^\//, '');
  item.level = level;
  const inside = item.parent ? level + 1 : 0;
  item.children = [...item.children.values()].map((it) => finished({ ...it, parent: item }, inside));
  const own = item.node ? [counted(item.node)] : [];
  const all = [...own, ...item.children];
  const sum = (name) => all.reduce((sum, it) => sum + it[name], 0);
  for (const name of SUMS) item[name] = sum(name);
  item.start = all.reduce((least, it) => Math.min(least, it.start), Infinity);
  item.end = all.reduce((most, it) => Math.max(most, it.end), -Infinity);
  const number = (it) => Number(it.label.match(/^\[(\d+)\]/)?.[1] ?? NaN);
  item.children.sort((a, b) => number(a) - number(b) || a.start - b.start);
  item.isOpen = item.children.length <= 50 && !item.label.startsWith('[');
  return item;
}

// The visible rows of a tree.
function rowsOf(root) {
  const rows = [];
  const rest = root.children.slice().reverse();
  while (rest.length) {
    const item = rest.pop();
    rows.push(item);
    if (item.isOpen) for (let at = item.children.length - 1; at >= 0; at -= 1) rest.push(item.children[at]);
  }
  return rows;
}

// The time of a run without long idle gaps, such as those between a run and its end
// after `svc resume`: pieces, each with its position.
function clockOf(nodes, run) {
  const spans = nodes.map((it) => [it.start, it.end]).sort((a, b) => a[0] - b[0]);
  const last = spans.reduce((most, it) => Math.max(most, it[1]), run.started);
  const busy = [[run.started, run.started]];
  for (const [start, end] of [...spans, [run.ended ?? last, run.ended ?? last]]) {
    const before = busy[busy.length - 1];
    if (start <= before[1]) before[1] = Math.max(before[1], end); else busy.push([start, end]);
  }
  const worked = busy.reduce((sum, it) => sum + it[1] - it[0], 0);
  const longest = Math.max(2000, worked);
  const pieces = [];
  let at = 0;
  const add = (from, to, length) => { pieces.push({ from, to, at, length }); at += length; };
  busy.forEach(([from, to], idx) => {
    const before = busy[idx - 1];
    if (before && from - before[1] > longest) add(before[1], from, Math.max(worked / 20, 1));
    else if (before) add(before[1], from, from - before[1]);
    add(from, to, to - from);
  });
  return { pieces, length: Math.max(at, 1) };
}

// The position of a moment in the shortened time.
function placeIn(clock, time) {
  let [low, high] = [0, clock.pieces.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (clock.pieces[middle].from <= time) low = middle; else high = middle - 1;
  }
  const piece = clock.pieces[low];
  if (piece.to <= piece.from) return piece.at;
  return piece.at + piece.length * Math.min(1, Math.max(0, (time - piece.from) / (piece.to - piece.from)));
}

const isGap = (piece) => piece.to - piece.from > piece.length + 1e-6;

// Microseconds for people.
function span(micros) {
  if (micros < 1000) return `${Math.round(micros)}µs`;
  const millis = micros / 1000;
  if (millis < 1000) return `${millis < 10 ? millis.toFixed(1) : Math.round(millis)}ms`;
  const seconds = millis / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 2 : 1)}s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)}m${whole % 60}s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)}h${Math.floor(whole / 60) % 60}m`;
  return `${Math.floor(whole / 86400)}d${Math.floor(whole / 3600) % 24}h`;
}

// Billionths of a dollar for people.
function money(nanos) {
  const dollars = (nanos / 1e9).toFixed(9).replace(/0{1,7}$/, '');
  return `$${dollars}`;
}

function used(it) {
  const parts = [];
  if (it.cost) parts.push(money(it.cost));
  if (it.tokens) parts.push(`${it.tokens.toLocaleString()} tokens`);
  return parts.join(', ');
}
