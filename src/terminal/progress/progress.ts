/** Signs of life for work that takes longer than a moment: on standard error, only for people (protocol/command-line §4.1). */

import { harmlessLine } from "../output/harmless-text.js";
import { printJsonNote } from "../output/output.js";

const PATIENCE_MS = 300;
/** The least time between two lines for programs. */
const JSON_MS = 500;

/** Who is shown progress: people at a terminal, nobody, or a program that reads JSON lines. */
export type ProgressAudience = boolean | "json";

/** Text of a running task; it may change while the task runs. */
interface Progress {
	update(text: string): void;
}

/**
 * Whether something that is redrawn in place can be shown: on a terminal, and one that knows its width. Serial lines
 * and programs that drive a terminal leave it at 0 columns, over which drawing libraries count infinitely many rows.
 */
export function canDraw(stream: { readonly isTTY?: boolean; readonly columns?: number }): boolean {
	return stream.isTTY === true && (stream.columns ?? 0) > 0;
}

/**
 * Runs a task and shows a spinner with its text once it takes longer than 300 ms.
 * @param visible off for `--quiet`; nothing is shown either when standard error is not a terminal; "json": lines of JSON
 * on standard error, wherever that goes
 */
export async function withProgress<T>(
	text: string,
	visible: ProgressAudience,
	task: (progress: Progress) => Promise<T>,
): Promise<T> {
	if (visible === "json") return task(jsonProgress(text));
	if (!visible || !canDraw(process.stderr)) return task({ update: () => undefined });
	let current = harmlessLine(text);
	let spinner: { text: string; stop(): unknown } | undefined;
	let ended = false;
	const timer = setTimeout(() => {
		import("ora").then(
			({ default: ora }) => {
				if (!ended) spinner = ora({ text: current, stream: process.stderr, discardStdin: false }).start();
			},
			() => {
				// The spinner is decoration: without it the task goes on.
				ended = true;
			},
		);
	}, PATIENCE_MS);
	try {
		return await task({
			update: (next) => {
				current = harmlessLine(next);
				if (spinner) spinner.text = current;
			},
		});
	} finally {
		ended = true;
		clearTimeout(timer);
		spinner?.stop();
	}
}

/** Lines such as `{"progress":{"task":"copying: 4,000 entries"}}`; the first at once. */
function jsonProgress(text: string): Progress {
	let printed = Number.NEGATIVE_INFINITY;
	const update = (task: string): void => {
		const now = performance.now();
		if (now - printed < JSON_MS) return;
		printed = now;
		printJsonNote({ progress: { task } });
	};
	update(text);
	return { update };
}
