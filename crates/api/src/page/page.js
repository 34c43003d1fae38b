// The controls of the page.

const root = treeOf(NODES);
const box = find('details');
const timeline = new Timeline(find('rows'), find('axis'), clockOf(NODES, RUN), choose);
const asked = { words: [], place: null, states: new Set(), component: '', order: 'place' };
const ORDERS = {
  start: (a, b) => a.start - b.start,
  took: (a, b) => b.took - a.took,
  cost: (a, b) => b.cost - a.cost || b.tokens - a.tokens,
  tries: (a, b) => b.tries - a.tries,
};

const leaf = (node) => ({
  ...counted(node), node, label: node.path, level: 0, children: [], isOpen: false,
});
const LEAVES = NODES.map(leaf);

function isAskedFor(it) {
  if (asked.states.size && !asked.states.has(it.state)) return false;
  if (asked.component && it.op !== asked.component) return false;
  if (asked.place !== null && !isIn(placeOf(it.path), asked.place)) return false;
  return asked.words.every((word) => it.words.includes(word));
}

function refresh() {
  const isPlain = !asked.words.length && !asked.states.size && !asked.component
    && asked.place === null && asked.order === 'place';
  let rows;
  if (isPlain) rows = rowsOf(root);
  else {
    rows = LEAVES.filter(isAskedFor);
    if (asked.order !== 'place') rows.sort(ORDERS[asked.order]);
  }
  const calls = isPlain ? NODES.length : rows.length;
  const all = `${NODES.length.toLocaleString()} ${NODES.length === 1 ? 'call' : 'calls'}`;
  find('count').textContent = calls === NODES.length ? all : `${calls.toLocaleString()} of ${all}`;
  timeline.show(rows);
}

function choose(item, byHand) {
  if (!item) return;
  if (byHand && item.children.length) {
    item.isOpen = !item.isOpen;
    refresh();
  }
  timeline.mark(item);
  showDetails(box, item, chooseCall);
  if (byHand && box.getBoundingClientRect().top > innerHeight) box.scrollIntoView({ block: 'nearest' });
}

// Chooses a call, even if it is hidden.
function chooseCall(node) {
  const item = timeline.items.find((it) => it.node === node);
  if (item) { choose(item, false); return; }
  let at = root;
  for (let below; (below = at.children.find((it) => isIn(node.path, it.path))); ) {
    at.isOpen = true;
    at = below;
    if (at.node === node) break;
  }
  clear();
  choose(at, false);
}

const isIn = (path, around) => path === around || (path.startsWith(around) && /^[/[]/.test(path.slice(around.length)));

function clear() {
  Object.assign(asked, { words: [], place: null, component: '', order: 'place' });
  asked.states.clear();
  find('filter').value = '';
  find('component').value = '';
  find('order').value = 'place';
  for (const it of find('states').children) it.setAttribute('aria-pressed', 'false');
  refresh();
}

function move(by) {
  const at = timeline.items.indexOf(timeline.chosen);
  moveTo(at < 0 ? 0 : at + by);
}

function moveTo(at) {
  choose(timeline.items[Math.min(timeline.items.length - 1, Math.max(0, at))], false);
}

function open(isOpen) {
  const item = timeline.chosen;
  if (!item) return;
  if (item.children.length && item.isOpen !== isOpen) { choose(item, true); return; }
  if (isOpen) { if (item.children.length) move(1); } else if (item.parent?.parent) choose(item.parent, false);
}

const page = () => Math.max(1, Math.floor(find('rows').clientHeight / ROW) - 1);
const KEYS = {
  ArrowDown: () => move(1), ArrowUp: () => move(-1), PageDown: () => move(page()), PageUp: () => move(-page()),
  Home: () => moveTo(0), End: () => moveTo(Infinity),
  ArrowRight: () => open(true), ArrowLeft: () => open(false),
  Enter: () => box.focus(), ' ': () => choose(timeline.chosen, true),
};
const ANYWHERE = {
  '/': () => find('filter').focus(), '+': () => timeline.zoom(0.5), '=': () => timeline.zoom(0.5),
  '-': () => timeline.zoom(2), 0: () => timeline.zoom(Infinity),
};

function acts(keys, event) {
  if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key]();
}

function setUpTools() {
  const states = [...new Set(NODES.map((it) => it.state))];
  for (const state of states) {
    const count = NODES.filter((it) => it.state === state).length;
    const it = button(`${STATES[state] ?? ''} ${state} ${count.toLocaleString()}`, () => {
      if (!asked.states.delete(state)) asked.states.add(state);
      it.setAttribute('aria-pressed', asked.states.has(state));
      refresh();
    }, `chip ${state}`);
    it.setAttribute('aria-pressed', 'false');
    find('states').append(it);
  }
  const components = [...new Set(NODES.map((it) => it.op))].sort();
  for (const it of ['', ...components]) find('component').append(new Option(it || 'all components', it));
  find('component').addEventListener('change', (event) => { asked.component = event.target.value; refresh(); });
  find('order').addEventListener('change', (event) => { asked.order = event.target.value; refresh(); });
  find('filter').addEventListener('input', (event) => {
    asked.words = event.target.value.toLowerCase().split(/\s+/).filter((it) => it);
    asked.place = null;
    refresh();
  });
  find('filter').addEventListener('keydown', (event) => {
    if (event.key === 'Escape') clear();
    if (event.key === 'Enter' || event.key === 'ArrowDown') { find('rows').focus(); move(0); }
  });
  find('zoom-in').addEventListener('click', () => timeline.zoom(0.5));
  find('zoom-out').addEventListener('click', () => timeline.zoom(2));
  find('zoom-all').addEventListener('click', () => timeline.zoom(Infinity));
  find('rows').addEventListener('keydown', (event) => acts(KEYS, event));
  document.addEventListener('keydown', (event) => {
    if (!event.target.closest('input, select, textarea')) acts(ANYWHERE, event);
  });
}

function showPlace(path) {
  clear();
  asked.place = path;
  find('filter').value = path;
  refresh();
  find('calls-section').scrollIntoView();
}

function start() {
  for (const it of document.querySelectorAll('time[data-at]')) {
    it.title = it.textContent;
    it.textContent = new Date(Number(it.dataset.at)).toLocaleString();
  }
  if (RUN.value !== null) find('result').replaceChildren(valueOf('', RUN.value, `svc tap ${RUN.id}`));
  if (NODES.length) {
    find('calls').hidden = false;
    setUpTools();
    refresh();
    // A failure that was swallowed is not the failure of the run.
    const failed = NODES.find((it) => it.path === RUN.failed) ?? NODES.find((it) => it.state === 'failed');
    if (failed) chooseCall(failed);
  }
  if (find('left')) document.querySelector('header').append(find('left'));
  const picture = document.querySelector('#graph svg');
  if (picture) { markPicture(picture, NODES, showPlace); new Zoom(find('graph'), picture); }
  document.documentElement.dataset.ready = NODES.length;
  performance.mark('ready');
}

addEventListener('error', (event) => { document.documentElement.dataset.error = event.message; });
start();
