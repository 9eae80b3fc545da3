/** Scales and keyboard navigation of charts. */

/** The smallest 1, 2 or 5 times a power of ten that no value exceeds; 0 if none is positive. */
export function topOf(values: readonly number[]): number {
	const most = Math.max(0, ...values);
	if (most === 0) return 0;
	const power = 10 ** Math.floor(Math.log10(most));
	const step = [1, 2, 5].find((each) => each * power >= most) ?? 10;
	// Removes rounding errors of binary fractions: 0.30000000000000004.
	return Number((step * power).toPrecision(1));
}

/** A value's horizontal extent as fractions of the width, and its text. */
export interface Extent {
	readonly from: number;
	readonly to: number;
	readonly text: string;
}

/**
 * The index of the value at a position: the last that begins before it.
 * @param place as a fraction of the width
 */
export function indexAt(extents: readonly Extent[], place: number): number {
	return Math.max(
		0,
		extents.findLastIndex(({ from }) => from <= place),
	);
}

/** How many values a key moves; `Home` and `End` move to the ends. */
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

/** The index to which a key moves; undefined for other keys. */
export function indexByKey(key: string, index: number, count: number): number | undefined {
	const step = STEPS[key];
	return step === undefined ? undefined : Math.min(Math.max(index + step, 0), count - 1);
}
