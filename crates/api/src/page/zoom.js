// The size of the picture: as wide as its box at first, then zoomed by buttons, keys and the wheel.

class Zoom {
  constructor(box, picture) {
    const [width, height] = ['width', 'height'].map((it) => Number(picture.getAttribute(it)));
    Object.assign(this, { box, picture, width, height, scale: 1 });
    this.to(Math.max(0.5, Math.min(1, this.room().width / width)));
    box.scrollTo(0, 0);
    const acts = {
      '+': () => this.by(1.25), '=': () => this.by(1.25), '-': () => this.by(0.8),
      0: () => this.fit(), 1: () => this.to(1),
      Home: () => box.scrollTo(0, 0), End: () => box.scrollTo(box.scrollWidth, box.scrollHeight),
    };
    box.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(acts, event.key)) return;
      event.preventDefault();
      // The same keys zoom the time elsewhere in the page.
      event.stopPropagation();
      acts[event.key]();
    });
    box.addEventListener('wheel', (event) => this.wheeled(event), { passive: false });
    find('graph-in').addEventListener('click', acts['+']);
    find('graph-out').addEventListener('click', acts['-']);
    find('graph-fit').addEventListener('click', acts[0]);
    find('graph-full').addEventListener('click', acts[1]);
    find('graph-tools').hidden = false;
  }

  // The room for the picture, without the padding of its box.
  room() {
    const style = getComputedStyle(this.box);
    const sum = (...names) => names.reduce((sum, it) => sum + parseFloat(style[it]), 0);
    return {
      width: this.box.clientWidth - sum('paddingLeft', 'paddingRight'),
      height: (parseFloat(style.maxHeight) || this.box.clientHeight) - sum('paddingTop', 'paddingBottom') - 2,
    };
  }

  fit() {
    const { width, height } = this.room();
    this.to(Math.min(1, width / this.width, height / this.height));
  }

  by(factor, x, y) {
    this.to(this.scale * factor, x, y);
  }

  // Keeps the point at `x` and `y` of the visible part where it is.
  to(scale, x = this.box.clientWidth / 2, y = this.box.clientHeight / 2) {
    const { box, picture } = this;
    const next = Math.min(4, Math.max(0.02, scale));
    const [left, top] = [(box.scrollLeft + x) / this.scale, (box.scrollTop + y) / this.scale];
    this.scale = next;
    picture.setAttribute('width', this.width * next);
    picture.setAttribute('height', this.height * next);
    box.scrollTo(left * next - x, top * next - y);
    find('graph-scale').textContent = `${Math.round(next * 100)}%`;
  }

  wheeled(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const { left, top } = this.box.getBoundingClientRect();
    this.by(event.deltaY > 0 ? 0.8 : 1.25, event.clientX - left, event.clientY - top);
  }
}
