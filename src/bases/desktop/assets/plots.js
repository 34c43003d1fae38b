// Plots with uPlot, each with its numbers as a table for those who do not see it.
import { asset, h } from "./dom.js";
import { table } from "./parts.js";

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The size of text in pixels: larger on the largest screens. */
const rem = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

/** The colours of lines, by theme; all have a contrast of 3:1 or more on their background. */
const COLOURS = { light: ["#4f56d3", "#0b7d72", "#b45309", "#b0307e", "#5f5f6b"], dark: ["#949bff", "#4fd1c0", "#f0b072", "#f29ccb", "#a2a4b0"] };

let styles;

/** The styles of uPlot. Few views have plots, so they are not in the page from the start. */
const styled = () => styles ??= new Promise((done) => {
  document.head.append(h("link", { rel: "stylesheet", href: asset("uplot.css"), load: done, error: done }));
});

/**
 * A plot: `labels` on the x axis, either times or names, and `series` as `[name, values]`. `show` makes a text of a value, `axis`
 * says what the names are, and `bars` asks for bars. It is drawn again when its width or the theme changes.
 */
export function plot(view, title, labels, series, { show, bars = false, times = false, axis: what = times ? "Time" : "Name", max = null }) {
  const canvas = h("div.plot-canvas", { "aria-hidden": "true" });
  const rows = labels.map((label, index) => ({ label, index }));
  const numbers = table(`${title} as a table`, [[what, (row) => (times ? new Date(row.label).toLocaleString("en") : row.label)],
    ...series.map(([name, values]) => [name, (row) => (values[row.index] == null ? "unknown" : show(values[row.index])), "number"])], rows);
  const node = h("figure.plot", { "aria-label": title }, canvas, h("details", {}, h("summary", {}, "Show as a table"), numbers));
  let drawn;
  const draw = async () => {
    const [{ default: UPlot }] = await Promise.all([import("./uplot.js"), styled()]);
    const width = canvas.clientWidth;
    const scale = rem() / 15;
    if (view.signal.aborted || !width) return;
    drawn?.destroy();
    const theme = document.documentElement.dataset.theme;
    const line = css("--line");
    const axis = { stroke: css("--muted"), grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: `${Math.round(12 * scale)}px system-ui, sans-serif` };
    const xs = times ? labels.map((label) => Date.parse(label) / 1000) : labels.map((_, index) => index);
    drawn = new UPlot({
      width,
      height: 240 * scale,
      cursor: { y: false, points: { size: 7 } },
      scales: {
        // Answers within one second have the same time, and uPlot would show years around that.
        x: { time: times, range: times ? (_, low, high) => (xs[0] === xs.at(-1) ? [low - 30, low + 30] : [low, high]) : [-0.6, labels.length - 0.4] },
        y: { range: (_, low, high) => [Math.min(0, low ?? 0), max ?? ((high || 1) * 1.1)] },
      },
      axes: [
        { ...axis, ...(times ? { space: 96 * scale } : { splits: () => xs.filter((at) => at % Math.ceil(xs.length / 20) === 0), values: (_, at) => at.map((index) => short(labels[index], width / scale / labels.length)), grid: { show: false } }) },
        { ...axis, size: 62 * scale, values: (_, at) => at.map((value) => show(value)) },
      ],
      series: [
        { label: what, value: times ? undefined : (_, at) => labels[at] ?? "" },
        ...series.map(([label], index) => ({
          label,
          stroke: COLOURS[theme][index],
          width: 2,
          fill: bars ? COLOURS[theme][index] : undefined,
          paths: bars ? UPlot.paths.bars({ size: [0.6, 56], radius: 0.08 }) : undefined,
          points: { show: !bars && labels.length < 40, size: 5 },
          spanGaps: true,
          value: (_, value) => (value == null ? "–" : show(value)),
        })),
      ],
    }, [xs, ...series.map(([, values]) => values.map((value) => value ?? null))], canvas);
  };
  let last = 0;
  const observer = new ResizeObserver(() => {
    const width = canvas.clientWidth;
    if (width !== last) { last = width; draw(); }
  });
  observer.observe(canvas);
  view.signal.addEventListener("abort", () => { observer.disconnect(); drawn?.destroy(); });
  view.on(window, "svc:theme", draw);
  return node;
}

/** A label that fits a width in pixels. */
function short(label, width) {
  const most = Math.max(3, Math.floor(width / 7.5));
  return label.length > most ? `${label.slice(0, most - 1)}…` : label;
}
