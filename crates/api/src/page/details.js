// The details of the chosen call, or of a group of calls.

function fact(list, name, value) {
  if (value === '' || value === null || value === undefined) return;
  const box = element('div');
  const told = element('dd');
  told.append(value);
  box.append(element('dt', '', name), told);
  list.append(box);
}

function quoted(path) {
  return `'${path.replaceAll("'", "'\\''")}'`;
}

function command(path) {
  return `svc tap ${RUN.id} ${quoted(path)}`;
}

// A value under its name; `shell` is the command that prints it.
function valueOf(name, number, shell) {
  const box = element('section', 'value');
  if (name) box.append(element('h4', '', name));
  const text = content(number);
  if (!text.startsWith('!')) {
    box.append(shown(text, true));
    return box;
  }
  const size = text.slice(1, text.indexOf(' '));
  const bytes = Number(size).toLocaleString();
  const note = element('p', 'quiet', `${bytes} bytes, cut in this page. The whole value: `);
  note.append(element('code', 'wrap', shell ?? `svc show ${RUN.id} --html FILE --max-size ${size}B`));
  const pre = element('pre', 'text', text.slice(size.length + 2) + ' …');
  box.append(note, pre);
  return box;
}

function attemptsTable(path) {
  const attempts = attemptsOf(path);
  if (!attempts.length) return null;
  const table = element('table');
  const head = table.createTHead().insertRow();
  for (const it of ['Try', 'Start', 'Took', 'Used', 'Failure']) head.append(element('th', '', it));
  const body = table.createTBody();
  for (const [, number, start, took, tokens, cost, error] of attempts) {
    const row = body.insertRow();
    const cells = [number, `+${span((start - RUN.started) * 1000)}`, span(took), used({ tokens, cost }), error?.message ?? ''];
    for (const it of cells) row.insertCell().textContent = visible(it);
  }
  return table;
}

function head(box, item, state) {
  const title = element('h3');
  title.append(element('bdi', '', item.path));
  box.append(title, element('span', `state ${state}`, state));
}

function showCall(box, node) {
  head(box, node, node.state);
  if (node.error) box.append(element('p', 'failure', node.error.message ?? JSON.stringify(node.error)));
  const list = element('dl');
  fact(list, 'Component', node.op);
  if (node.error?.line) fact(list, 'Place', `${node.error.file}:${node.error.line}:${node.error.column}`);
  fact(list, 'Start', `+${span((node.start - RUN.started) * 1000)}`);
  // The store does not record how long a fast, pure step took.
  const isRecorded = !/^0+$/.test(key(node));
  fact(list, node.origin ? 'Took then' : 'Took', isRecorded ? span(node.tookThen) : '');
  fact(list, 'Tries', (isRecorded && node.tries) || '');
  fact(list, 'Used', used(node));
  fact(list, 'Made by run', node.origin && element('code', 'wrap', node.origin));
  fact(list, 'At', new Date(node.start).toLocaleString());
  box.append(list);
  if (node.cause) box.append(element('h4', '', 'Made again because'), shown(JSON.stringify(node.cause), true));
  const [output, args, input] = node.values;
  if (input !== null) box.append(valueOf('Input', input));
  if (args !== null) box.append(valueOf('Arguments', args));
  if (output !== null) box.append(valueOf('Result', output, command(node.path)));
  const attempts = attemptsTable(node.path);
  if (attempts) box.append(element('h4', '', 'Tries'), attempts);
  const foot = element('dl');
  fact(foot, 'Key', isRecorded ? element('code', 'wrap', key(node)) : '');
  if (output !== null) fact(foot, 'Shell', element('code', 'wrap', command(node.path)));
  box.append(foot);
}

function callsIn(item) {
  const calls = [];
  const rest = [item];
  while (rest.length) {
    const it = rest.pop();
    if (it.node) calls.push(it.node);
    rest.push(...it.children.slice().reverse());
  }
  return calls;
}

function listOf(calls, choose, told) {
  const list = element('ul', 'links');
  for (const it of calls) {
    const item = element('li');
    item.append(button(it.path, () => choose(it), 'link'), element('span', 'quiet', ` ${told(it)}`));
    list.append(item);
  }
  return list;
}

function showGroup(box, item, choose) {
  head(box, item, stateOf(item));
  const list = element('dl');
  fact(list, 'Calls', item.count.toLocaleString());
  fact(list, 'Failed', item.failed || '');
  fact(list, 'Cancelled', item.stopped || '');
  fact(list, 'Reused', item.reused || '');
  fact(list, 'From', `+${span((item.start - RUN.started) * 1000)}`);
  fact(list, 'Lasted', span((item.end - item.start) * 1000));
  fact(list, 'Took in total', span(item.took));
  fact(list, 'Used', used(item));
  box.append(list);
  const calls = callsIn(item);
  const failed = calls.filter((it) => it.state === 'failed').slice(0, 10);
  if (failed.length) box.append(element('h4', '', 'Failed'), listOf(failed, choose, (it) => it.error?.message ?? ''));
  const slowest = calls.sort((a, b) => b.took - a.took).slice(0, 5);
  box.append(element('h4', '', 'Slowest'), listOf(slowest, choose, (it) => span(it.took)));
}

function showDetails(box, item, choose) {
  box.replaceChildren();
  if (item.children.length) showGroup(box, item, choose);
  if (item.node) showCall(box, item.node);
  box.scrollTop = 0;
}
