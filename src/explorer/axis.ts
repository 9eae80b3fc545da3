/** Axes of charts: where their lines are, and which value is at a place. */

/** The least of 1, 2, 5, 10, 20, … (or tenths, hundredths of them) that no value exceeds; 0 where nothing is above 0. */
export function topOf(values: readonly number[]): number {
	const most = Math.max(0, ...values);
	if (most === 0) return 0;
	const power = 10 ** Math.floor(Math.log10(most));
	const step = [1, 2, 5].find((each) => each * power >= most) ?? 10;
	// Without what binary fractions add: 0.30000000000000004.
	return Number((step * power).toPrecision(1));
}

/** What is drawn for one value: from where to where, in parts of the width, and what is said of it. */
export interface Extent {
	readonly from: number;
	readonly to: number;
	readonly text: string;
}

/** The value at a place; the last one that begins before it. @param place in parts of the width */
export function indexAt(extents: readonly Extent[], place: number): number {
	return Math.max(
		0,
		extents.findLastIndex(({ from }) => from <= place),
	);
}

/** Values that a key goes on by; `Home` and `End` go as far as it goes. */
const STEPS: Readonly<Record<string, number>> = {
	ArrowRight: 1,
	ArrowUp: 1,
	ArrowLeft: -1,
	ArrowDown: -1,
	PageUp: 10,
	PageDown: -10,
	Home: Number.NEGATIVE_INFINITY,
	End: Number.POSITIVE_INFINITY,
};

/** The value that a key leads to; undefined for keys that lead nowhere. */
export function indexByKey(key: string, index: number, count: number): number | undefined {
	const step = STEPS[key];
	return step === undefined ? undefined : Math.min(Math.max(index + step, 0), count - 1);
}
