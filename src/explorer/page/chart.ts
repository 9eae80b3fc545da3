/** Bar and line charts with axes, readout by pointer or keyboard, and a summary in a sentence. */

import { type Extent, indexAt, indexByKey, topOf } from "../axis.js";
import { type Child, drawn, make, note, section } from "./elements.js";

const HEIGHT = 100;
const WIDTH = 400;

/** A value at a block or time. */
interface Point {
	readonly place: string;
	/** Shown after the value; may be empty. */
	readonly more: string;
	readonly value: number;
}

/** What a chart shows. */
interface Measure {
	readonly title: string;
	/** Formats a value with its unit. */
	readonly said: (value: number) => string;
	/** Shown if there is no data. */
	readonly none: string;
}

function picture(attributes: Readonly<Record<string, string | number>>, drawing: Child): SVGElement {
	const viewBox = `0 0 ${WIDTH} ${HEIGHT}`;
	return drawn("svg", { viewBox, preserveAspectRatio: "none", class: "chart", ...attributes }, drawing);
}

/** Horizontal lines at zero, half and full height. */
const lines = (): Child =>
	[0, 0.5, 1].map((part) => drawn("line", { x1: 0, y1: HEIGHT * part, x2: WIDTH, y2: HEIGHT * part }));

function rects(points: readonly Point[], top: number): readonly SVGElement[] {
	const step = WIDTH / Math.max(1, points.length);
	return points.map(({ value }, index) => {
		const height = top > 0 ? (value / top) * HEIGHT : 0;
		return drawn("rect", { x: (index + 0.1) * step, y: HEIGHT - height, width: 0.8 * step, height });
	});
}

/** A drawing with its axes. @param places labels of the lower axis */
function figure(
	{ title, said }: Measure,
	words: string,
	top: number,
	drawing: Child,
	extents: readonly Extent[],
	places: readonly string[],
): HTMLElement {
	const mark = drawn("rect", { class: "mark", y: 0, height: HEIGHT });
	const svg = picture({ "aria-hidden": "true" }, [mark, lines(), drawing]);
	const shown = make("p", { class: "note", "aria-hidden": "true" });
	const plot = make("div", { role: "slider", tabindex: "0", class: "plot", "aria-label": title }, svg);
	plot.setAttribute("aria-valuemin", "1");
	plot.setAttribute("aria-valuemax", String(extents.length));
	let chosen = extents.length - 1;
	const choose = (index: number): void => {
		const extent = extents[index];
		if (!extent) return;
		chosen = index;
		plot.setAttribute("aria-valuenow", String(index + 1));
		plot.setAttribute("aria-valuetext", extent.text);
		mark.setAttribute("x", String(extent.from * WIDTH));
		mark.setAttribute("width", String(Math.max(1, (extent.to - extent.from) * WIDTH)));
		shown.replaceChildren(extent.text);
	};
	const point = (event: PointerEvent): void => {
		const { left, width } = plot.getBoundingClientRect();
		choose(indexAt(extents, (event.clientX - left) / Math.max(1, width)));
	};
	plot.addEventListener("pointermove", point);
	plot.addEventListener("pointerdown", point);
	plot.addEventListener("keydown", (event) => {
		const next = indexByKey(event.key, chosen, extents.length);
		if (next === undefined) return;
		choose(next);
		event.preventDefault();
	});
	choose(chosen);
	const ticks = [top, top / 2, 0].map((value) => make("span", {}, said(value)));
	const axes = make(
		"div",
		{ class: "axes" },
		make("div", { class: "ticks" }, ticks),
		plot,
		make(
			"div",
			{ class: "ticks" },
			places.map((place) => make("span", {}, place)),
		),
	);
	return section(title, make("figure", {}, axes, shown, make("figcaption", { class: "note" }, words)));
}

const empty = ({ title, none }: Measure): HTMLElement => section(title, note(none));

/** One bar per point. @param of what the points are, in the plural */
export function barChart(measure: Measure, points: readonly Point[], of = "blocks"): HTMLElement {
	const values = points.map(({ value }) => value);
	const top = topOf(values);
	if (top === 0) return empty(measure);
	const { title, said } = measure;
	const mean = values.reduce((total, value) => total + value, 0) / values.length;
	const words = `${title}: at most ${said(Math.max(...values))}, ${said(Number(mean.toPrecision(3)))} on average of ${points.length} ${of}`;
	const extents = points.map(({ place, more, value }, index) => ({
		from: index / points.length,
		to: (index + 1) / points.length,
		text: `${place}${more}: ${said(value)}`,
	}));
	const ends = [points[0], points.length > 2 ? points[points.length >> 1] : undefined, points.at(-1)];
	const places = [...new Set(ends.filter((end) => end !== undefined).map(({ place }) => place))];
	return figure(measure, words, top, rects(points, top), extents, places);
}

/** A step chart: each value applies until the next. @param from, until the times at both ends */
export function stepChart(
	measure: Measure,
	words: string,
	steps: readonly (Point & { readonly sinceMs: number })[],
	from: number,
	until: number,
	places: readonly string[],
): HTMLElement {
	const top = topOf(steps.map(({ value }) => value));
	if (top === 0) return empty(measure);
	const part = (ms: number): number => (Math.max(ms, from) - from) / Math.max(1, until - from);
	const extents = steps.map(({ sinceMs, place, value }, index) => ({
		from: part(sinceMs),
		to: part(steps[index + 1]?.sinceMs ?? until),
		text: `${place}: ${measure.said(value)}`,
	}));
	const points = extents.flatMap((extent, index) => {
		const y = HEIGHT - ((steps[index]?.value ?? 0) / top) * HEIGHT;
		return [`${extent.from * WIDTH},${y}`, `${extent.to * WIDTH},${y}`];
	});
	return figure(measure, words, top, drawn("polyline", { points: points.join(" ") }), extents, places);
}
