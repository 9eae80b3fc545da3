/** Shows a node's sync progress in one line on standard error, redrawn in place, for people only. */

import { redrawLine } from "../output/output.js";
import { canDraw } from "./progress.js";

const REDRAW_MS = 500;
/** Number of recent points from which the rate is computed. */
const WINDOW = 20;

interface SyncPoint {
	readonly head: bigint;
	readonly target: bigint;
}

/** @param progress returns undefined if nothing is missing @returns a function that ends it */
export function showSyncLine(
	progress: () => SyncPoint | undefined,
	stream: NodeJS.WriteStream = process.stderr,
): () => void {
	if (!canDraw(stream)) return () => undefined;
	const points: { readonly head: bigint; readonly ms: number }[] = [];
	let isShown = false;
	const clear = (): void => {
		if (isShown) redrawLine("", stream);
		isShown = false;
	};
	const timer = setInterval(() => {
		const point = progress();
		if (!point) {
			points.length = 0;
			clear();
			return;
		}
		points.push({ head: point.head, ms: performance.now() });
		if (points.length > WINDOW) points.shift();
		redrawLine(syncText(point, rateOf(points)), stream);
		isShown = true;
	}, REDRAW_MS);
	timer.unref();
	return () => {
		clearInterval(timer);
		clear();
	};
}

function rateOf(points: readonly { readonly head: bigint; readonly ms: number }[]): number {
	const [first] = points;
	const last = points.at(-1);
	if (!first || !last || last.ms <= first.ms) return 0;
	return (Number(last.head - first.head) * 1000) / (last.ms - first.ms);
}

/** The line: block, target, fraction, rate, time left. @param perSecond blocks per second */
export function syncText({ head, target }: SyncPoint, perSecond: number): string {
	const share = target > 0n ? Number((head * 1000n) / target) / 10 : 0;
	const left = perSecond > 0 ? `  ${duration(Number(target - head) / perSecond)} left` : "";
	return `synchronising: block ${head} of ${target}  ${share.toFixed(1)} %  ${Math.round(perSecond)} blocks/s${left}`;
}

function duration(seconds: number): string {
	const whole = Math.ceil(seconds);
	if (whole < 60) return `${whole} s`;
	if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
	const hours = Math.floor(whole / 3600);
	if (hours < 48) return `${hours} h ${Math.floor((whole % 3600) / 60)} min`;
	return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
