// The rows of the timeline: only the visible ones are elements.

const ROW = 26;

// A time on the axis, with enough digits to differ from the next one.
function hour(millis, step) {
  if (millis === 0) return '0';
  if (millis < 1000 || step >= 1000) return span(millis * 1000);
  const digits = Math.max(1, Math.ceil(-Math.log10(step / 1000) - 1e-9));
  const minutes = Math.floor(millis / 60000);
  const seconds = `${((millis - minutes * 60000) / 1000).toFixed(digits)}s`;
  return minutes ? `${minutes}m${seconds}` : seconds;
}

class Timeline {
  constructor(rows, axis, clock, choose) {
    Object.assign(this, { rows, axis, clock, choose, items: [], pool: [], chosen: null, version: 0 });
    this.room = rows.firstElementChild;
    this.view = { from: 0, to: clock.length };
    this.asked = false;
    rows.addEventListener('scroll', () => this.later());
    rows.addEventListener('click', (event) => this.clicked(event));
    rows.addEventListener('wheel', (event) => this.wheeled(event), { passive: false });
    new ResizeObserver(() => this.later()).observe(rows);
  }

  show(items) {
    this.items = items;
    this.room.style.height = `${items.length * ROW}px`;
    this.version += 1;
    this.draw();
  }

  later() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => { this.asked = false; this.draw(); });
  }

  // Keeps the axis aligned with the rows, which may have a scroll bar.
  measure() {
    const width = this.rows.clientWidth;
    if (this.width === width) return;
    this.width = width;
    const names = Math.min(340, Math.max(130, width * (width < 600 ? 0.46 : 0.34)));
    this.rows.parentElement.style.setProperty('--names', `${Math.round(names)}px`);
    this.axis.style.marginInlineEnd = `${12 + this.rows.offsetWidth - width}px`;
  }

  draw() {
    this.measure();
    const first = Math.max(0, Math.floor(this.rows.scrollTop / ROW) - 4);
    const many = Math.ceil(this.rows.clientHeight / ROW) + 9;
    while (this.pool.length < many) this.pool.push(this.room.appendChild(this.blank(this.pool.length)));
    const last = Math.min(this.items.length, first + this.pool.length);
    const seen = new Set();
    for (let at = first; at < last; at += 1) {
      const row = this.pool[at % this.pool.length];
      seen.add(row);
      const stamp = `${at} ${this.version}`;
      if (row.stamp !== stamp) { row.stamp = stamp; this.fill(row, at); }
    }
    for (const row of this.pool) row.hidden = !seen.has(row);
    this.drawAxis();
  }

  blank(number) {
    const row = element('div', 'row');
    row.id = `row-${number}`;
    row.setAttribute('role', 'treeitem');
    row.name = row.appendChild(element('div', 'name'));
    row.lane = row.appendChild(element('div', 'lane'));
    return row;
  }

  fill(row, at) {
    const item = this.items[at];
    row.at = at;
    row.style.transform = `translateY(${at * ROW}px)`;
    const isGroup = item.children.length > 0;
    const state = stateOf(item);
    row.classList.toggle('chosen', item === this.chosen);
    row.classList.toggle('odd', at % 2 === 1);
    row.setAttribute('aria-level', item.level + 1);
    row.setAttribute('aria-selected', item === this.chosen);
    if (isGroup) row.setAttribute('aria-expanded', item.isOpen); else row.removeAttribute('aria-expanded');
    if (item === this.chosen) this.rows.setAttribute('aria-activedescendant', row.id);
    const twist = element('span', 'twist', isGroup ? (item.isOpen ? '▾' : '▸') : '');
    const label = element('bdi', 'label', item.label);
    row.name.style.paddingInlineStart = `${4 + Math.min(item.level, 12) * 12}px`;
    row.name.replaceChildren(twist, element('span', `mark ${state}`, STATES[state]), label);
    if (isGroup) row.name.append(element('span', 'count', `×${item.count.toLocaleString()}`));
    row.name.title = item.path;
    row.lane.replaceChildren(...this.bars(item, state, isGroup));
  }

  bars(item, state, isGroup) {
    const from = this.percent(item.start);
    const to = this.percent(item.end);
    if (to < 0 || from > 100) return [];
    const bar = element('div', `bar ${isGroup ? 'group' : state}`);
    const left = Math.max(from, 0);
    const width = Math.min(to, 100) - left;
    bar.style.left = `${left}%`;
    bar.style.width = `${width}%`;
    const lasted = isGroup ? (item.end - item.start) * 1000 : item.took;
    const told = [state === 'reused' ? 'reused' : span(lasted), used(item)];
    const time = element('span', 'time', told.filter((it) => it).join(' · '));
    if (left + width <= 75) time.style.left = `${left + width}%`;
    else if (left >= 20) time.style.right = `${100 - left}%`;
    else { time.classList.add('inside'); time.style.right = `${100 - left - width}%`; }
    return [bar, ...(isGroup ? this.ticks(item) : []), time];
  }

  // Marks the failed calls of a folded group.
  ticks(item) {
    if (!item.failed) return [];
    const places = new Set();
    for (const it of callsIn(item)) {
      const at = Math.round(this.percent(it.start) * 2) / 2;
      if (it.state === 'failed' && at >= 0 && at <= 100) places.add(at);
    }
    return [...places].map((at) => {
      const tick = element('div', 'tick');
      tick.style.left = `${at}%`;
      return tick;
    });
  }

  percent(time) {
    const { from, to } = this.view;
    return ((placeIn(this.clock, time) - from) / (to - from)) * 100;
  }

  drawAxis() {
    const { from, to } = this.view;
    const stamp = `${from} ${to} ${this.axis.clientWidth}`;
    if (this.axis.stamp === stamp) return;
    this.axis.stamp = stamp;
    this.axis.replaceChildren();
    const wanted = (to - from) / Math.max(2, Math.floor(this.axis.clientWidth / 90));
    const steps = [1, 2, 5].flatMap((it) => [-3, -2, -1, 0, 1, 2, 3].map((power) => it * 10 ** power));
    const step = [...steps, 15e3, 30e3, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5, 216e5, 864e5, 6048e5]
      .sort((a, b) => a - b).find((it) => it >= wanted) ?? wanted;
    for (const piece of this.clock.pieces) {
      if (piece.at + piece.length < from || piece.at > to) continue;
      if (isGap(piece)) this.axisMark('gap', piece.from, `${span((piece.to - piece.from) * 1000)} idle`);
      else this.axisTicks(piece, step);
    }
  }

  axisTicks(piece, step) {
    const begins = Math.max(piece.from, piece.from + this.view.from - piece.at) - RUN.started;
    const ends = Math.min(piece.to, piece.from + this.view.to - piece.at) - RUN.started;
    for (let nth = Math.ceil(begins / step - 1e-9); nth * step < ends || nth * step === 0; nth += 1) {
      this.axisMark('', RUN.started + nth * step, hour(nth * step, step));
    }
  }

  axisMark(kind, time, text) {
    const at = this.percent(time);
    if (at < -0.01 || at > 100 - 4500 / this.axis.clientWidth) return;
    const mark = element('span', `at ${kind}`, text);
    mark.style.left = `${at}%`;
    this.axis.append(mark);
  }

  // Zooms to a part of the time: `factor` times as long, around a position between 0 and 1.
  zoom(factor, around = 0.5) {
    const { from, to } = this.view;
    const whole = this.clock.length;
    const length = Math.min(whole, Math.max((to - from) * factor, whole / 1e6, 1e-3));
    const start = from + (to - from) * around - length * around;
    const begin = Math.min(Math.max(start, 0), whole - length);
    this.view = { from: begin, to: begin + length };
    this.version += 1;
    this.later();
  }

  pan(part) {
    const { from, to } = this.view;
    const by = Math.min(Math.max((to - from) * part, -from), this.clock.length - to);
    this.view = { from: from + by, to: to + by };
    this.version += 1;
    this.later();
  }

  wheeled(event) {
    const lane = this.axis.getBoundingClientRect();
    if (event.ctrlKey) {
      event.preventDefault();
      const around = Math.min(1, Math.max(0, (event.clientX - lane.left) / lane.width));
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, around);
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.pan((event.deltaX || event.deltaY) / lane.width);
    }
  }

  clicked(event) {
    const row = event.target.closest('.row');
    if (row) this.choose(this.items[row.at], true);
  }

  mark(item) {
    this.chosen = item;
    this.version += 1;
    const at = this.items.indexOf(item);
    const [top, height] = [this.rows.scrollTop, this.rows.clientHeight];
    if (at >= 0 && at * ROW < top) this.rows.scrollTop = at * ROW;
    if (at >= 0 && (at + 1) * ROW > top + height) this.rows.scrollTop = (at + 1) * ROW - height;
    this.draw();
  }
}
