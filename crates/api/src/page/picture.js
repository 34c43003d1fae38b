// Marks the calls of the run in the picture of the plan.

const SVG = 'http://www.w3.org/2000/svg';

function drawn(name, attributes, text) {
  const it = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) it.setAttribute(key, value);
  if (text !== undefined) it.textContent = text;
  return it;
}

// Sums for every place, and for every block that contains places.
function sumsOf(nodes) {
  const sums = new Map();
  for (const node of nodes) {
    const parts = partsOf(placeOf(node.path));
    const own = partsOf(node.path);
    for (let end = parts.length; end > 0; end -= 1) {
      const path = parts.slice(0, end).join('');
      let sum = sums.get(path);
      if (!sum) sums.set(path, sum = { ...Object.fromEntries(SUMS.map((it) => [it, 0])), turns: new Map() });
      const one = counted(node);
      for (const name of SUMS) sum[name] += one[name];
      if (one.took) turnOf(sum, own.slice(0, parts[end - 1] === '[]' ? end - 1 : end).join('')).push(node);
    }
  }
  return sums;
}

// The calls of one turn of the loops around a place.
function turnOf(sum, path) {
  let turn = sum.turns.get(path);
  if (!turn) sum.turns.set(path, turn = []);
  return turn;
}

// The time during which one of the calls ran, in microseconds.
function busyTime(calls) {
  let [busy, until] = [0, -Infinity];
  for (const { start, end } of calls.sort((a, b) => a.start - b.start)) {
    busy += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  return busy * 1000;
}

// How long a place was busy, comparable to its maximum in the plan: in one turn of the loops around
// it, with calls at the same time counted once.
function lasted(sum) {
  const turns = [...sum.turns.values()].map(busyTime);
  if (!turns.length) return '';
  const longest = span(turns.reduce((most, it) => Math.max(most, it), 0));
  return turns.length === 1 ? longest : `up to ${longest}`;
}

function markPicture(picture, nodes, choose) {
  // An image hides what is inside from readers of the screen; its boxes become buttons.
  picture.setAttribute('role', 'group');
  const sums = sumsOf(nodes);
  const kept = new Set(RUN.kept);
  for (const box of picture.querySelectorAll('rect[data-node]')) {
    const path = box.dataset.node;
    const sum = sums.get(path);
    if (sum) markBox(box, sum, path, choose);
    else if (kept.has(path)) {
      box.classList.add('not-reached');
      badge(box, 'not reached', 'not-reached');
    }
  }
}

function markBox(box, sum, path, choose) {
  const state = stateOf(sum);
  box.classList.add(`was-${state}`);
  const money = used({ cost: sum.cost, tokens: 0 });
  const short = [`${STATES[state]} ×${sum.count.toLocaleString()}`, sum.failed ? `${sum.failed} failed` : '',
    state === 'reused' ? 'reused' : lasted(sum), money];
  badge(box, short.filter((it) => it).join(' · '), `was-${state}`);
  box.setAttribute('tabindex', '0');
  box.setAttribute('role', 'button');
  box.setAttribute('aria-label', `${path}: ${short.join(' ')}; shows its calls`);
  const act = () => choose(path);
  box.addEventListener('click', act);
  box.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); act(); }
  });
}

// A mark on the upper edge of a box, at its right end.
function badge(box, text, kind) {
  const right = Number(box.getAttribute('x')) + Number(box.getAttribute('width'));
  const width = text.length * 6 + 12;
  const top = Number(box.getAttribute('y')) - 8;
  const group = drawn('g', { class: `mark ${kind}`, 'aria-hidden': 'true' });
  group.append(
    drawn('rect', { x: right - width - 6, y: top, width, height: 16, rx: 8 }),
    drawn('text', { x: right - 6 - width / 2, y: top + 11.5 }, text),
  );
  box.closest('svg').append(group);
}
