// JSON text as elements, parsed only when opened. Numbers stay as they are written,
// because JavaScript would round them.

const MANY = 100; // items of a list that are shown at once
const LONG = 20000; // characters of a text that are shown at once
const OPENED = 400; // values with fewer characters are shown open

// Hidden characters and those that change the direction of text, except joiners.
const HIDDEN = /(?![\n\t\u200c\u200d\ufe0e\ufe0f]|\r\n)[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029\ufff0-\ufffb]/gu;

// The text with such characters escaped, as on a terminal.
function visible(text) {
  return String(text).replace(HIDDEN, (it) => `\\u{${it.codePointAt(0).toString(16)}}`);
}

function element(name, kind, text) {
  const it = document.createElement(name);
  if (kind) it.className = kind;
  if (text !== undefined) it.textContent = visible(text);
  return it;
}

function button(text, act, kind) {
  const it = element('button', kind, text);
  it.type = 'button';
  it.addEventListener('click', act);
  return it;
}

// The position after the string that begins at `at`.
function behindString(json, at) {
  for (let end = at + 1; ; ) {
    end = json.indexOf('"', end);
    if (end < 0) return json.length;
    let back = end;
    while (json[back - 1] === '\\') back -= 1;
    if ((end - back) % 2 === 0) return end + 1;
    end += 1;
  }
}

// The position after the value that begins at `at`.
function behindValue(json, at) {
  let depth = 0;
  while (at < json.length) {
    const sign = json[at];
    if (sign === '"') at = behindString(json, at);
    else if (sign === '{' || sign === '[') { depth += 1; at += 1; }
    else if (sign === '}' || sign === ']') { if (depth === 0) return at; depth -= 1; at += 1; }
    else if (sign === ',' && depth === 0) return at;
    else { at += 1; continue; }
    if (depth === 0) return at;
  }
  return at;
}

function behindSpace(json, at) {
  while (json[at] === ' ' || json[at] === '\t' || json[at] === '\n' || json[at] === '\r') at += 1;
  return at;
}

// The entries of a list or a record: the name, if any, and the text of the value.
function* entries(json) {
  const named = json[0] === '{';
  let at = behindSpace(json, 1);
  while (at < json.length && json[at] !== '}' && json[at] !== ']') {
    let name = null;
    if (named) {
      const end = behindString(json, at);
      name = unquoted(json.slice(at, end));
      at = behindSpace(json, end) + 1;
      at = behindSpace(json, at);
    }
    const end = behindValue(json, at);
    if (end === at) return;
    yield [name, json.slice(at, end).trimEnd()];
    at = behindSpace(json, behindSpace(json, end));
    if (json[at] === ',') at = behindSpace(json, at + 1);
  }
}

function unquoted(json) {
  try { return JSON.parse(json); } catch { return json; }
}

// A value as an element.
function shown(json, isOpen) {
  json = json.trim();
  if (json[0] === '{' || json[0] === '[') return shownBlock(json, isOpen);
  if (json[0] === '"') return shownText(unquoted(json));
  return element('span', /^[tfn]/.test(json) ? 'word' : 'number', json.slice(0, LONG));
}

function shownText(text) {
  if (text.length <= 120 && !text.includes('\n')) {
    const it = element('bdi', 'text', text);
    if (text === '') it.append(element('span', 'quiet', '(empty)'));
    return it;
  }
  const box = element('div', 'long');
  const pre = element('pre', 'text', text.slice(0, LONG));
  pre.dir = 'auto';
  pre.tabIndex = 0;
  box.append(pre);
  let end = LONG;
  if (end < text.length) {
    const letters = text.length.toLocaleString();
    const more = button(`show more of ${letters} characters`, () => {
      pre.append(visible(text.slice(end, end + 20 * LONG)));
      end += 20 * LONG;
      if (end >= text.length) more.remove();
    }, 'more');
    box.append(more);
  }
  return box;
}

function shownBlock(json, isOpen) {
  if (json.length === 2) return element('span', 'word', json);
  const box = element('details', 'block');
  const head = element('summary', 'quiet', json.length <= 80 ? json : json.slice(0, 77) + '…');
  box.append(head);
  let filled = false;
  box.addEventListener('toggle', () => fill());
  function fill() {
    if (!filled && box.open) {
      filled = true;
      const list = element('ul', json[0] === '{' ? 'record' : 'list');
      box.append(list);
      shownEntries(list, entries(json), 0);
    }
    head.textContent = box.open ? (json[0] === '{' ? '{ }' : '[ ]')
      : visible(json.length <= 80 ? json : json.slice(0, 77) + '…');
  }
  if (isOpen || json.length < OPENED) { box.open = true; fill(); }
  return box;
}

function shownEntries(list, rest, from) {
  let count = from;
  for (; count < from + MANY; count += 1) {
    const { value, done } = rest.next();
    if (done) return;
    const [name, json] = value;
    const item = element('li');
    item.append(element('bdi', name === null ? 'index' : 'key', name === null ? `${count}` : name));
    item.append(shown(json, false));
    list.append(item);
  }
  const item = element('li');
  item.append(button('show more', () => { item.remove(); shownEntries(list, rest, count); }, 'more'));
  list.append(item);
}
