/** Bars and lines with a sentence that says the same. */

import { grouped } from "../format.js";
import { type Child, drawn, make, section } from "./elements.js";

const HEIGHT = 100;
const STEP = 10;

/** A number by where it belongs: a block, a moment. */
export interface Point {
	readonly place: string;
	readonly value: number;
}

function figure(
	title: string,
	words: string,
	attributes: Readonly<Record<string, string | number>>,
	drawing: Child,
): HTMLElement {
	const svg = picture(words, attributes, drawing);
	return section(title, make("figure", {}, svg, make("figcaption", { class: "note" }, words)));
}

function picture(
	words: string,
	attributes: Readonly<Record<string, string | number>>,
	drawing: Child,
): SVGElement {
	const shown = {
		...attributes,
		role: "img",
		"aria-label": words,
		preserveAspectRatio: "none",
		class: "chart",
	};
	return drawn("svg", shown, drawing);
}

/** A bar a point, and the sentence that says the same. */
function bars(title: string, unit: string, points: readonly Point[]) {
	const most = Math.max(...points.map(({ value }) => value), 0);
	const width = Math.max(1, points.length) * STEP;
	const drawing = points.map(({ place, value }, index) => {
		const height = most > 0 ? (value / most) * HEIGHT : 0;
		const at = { x: index * STEP + 1, y: HEIGHT - height, width: STEP - 2, height };
		return drawn("rect", at, drawn("title", {}, `${place}: ${grouped(value)} ${unit}`));
	});
	const sum = points.reduce((total, { value }) => total + value, 0);
	const mean = points.length === 0 ? 0 : Math.round((sum / points.length) * 10) / 10;
	const words = `${title}: at most ${grouped(most)} ${unit}, ${grouped(mean)} on average of ${points.length} blocks`;
	const line = drawn("line", { x1: 0, y1: HEIGHT, x2: width, y2: HEIGHT });
	return { words, viewBox: `0 0 ${width} ${HEIGHT}`, drawing: [drawing, line] };
}

export function barChart(title: string, unit: string, points: readonly Point[]): HTMLElement {
	const { words, viewBox, drawing } = bars(title, unit, points);
	return figure(title, words, { viewBox }, drawing);
}

/** The same without words of its own, for a tile. */
export function tileBars(title: string, unit: string, points: readonly Point[]): SVGElement {
	const { words, viewBox, drawing } = bars(title, unit, points);
	return picture(words, { viewBox }, drawing);
}

/** Values that hold from a moment on, until the next. @param from, until the moments at both ends */
export function stepChart(
	title: string,
	words: string,
	steps: readonly { readonly sinceMs: number; readonly value: number }[],
	from: number,
	until: number,
): HTMLElement {
	const width = 400;
	const most = Math.max(...steps.map(({ value }) => value), 1);
	const x = (ms: number): number => ((Math.max(ms, from) - from) / Math.max(1, until - from)) * width;
	const y = (value: number): number => HEIGHT - (value / most) * (HEIGHT - 4);
	const points = steps.flatMap(({ sinceMs, value }, index) => {
		const end = steps[index + 1]?.sinceMs ?? until;
		return [`${x(sinceMs)},${y(value)}`, `${x(end)},${y(value)}`];
	});
	const drawing = [
		drawn("polyline", { points: points.join(" ") }),
		drawn("line", { x1: 0, y1: HEIGHT, x2: width, y2: HEIGHT }),
	];
	return figure(title, words, { viewBox: `0 0 ${width} ${HEIGHT}` }, drawing);
}
