/** Shows progress of operations that take more than a moment: on standard error, by default only for people (protocol/command-line §4.1). */

import { harmlessLine } from "../output/harmless-text.js";
import { printJsonNote } from "../output/output.js";

const PATIENCE_MS = 300;
/** Minimum interval between two lines for programs. */
const JSON_MS = 500;

/** Who is shown progress: people at a terminal, nobody, or a program that reads JSON lines. */
export type ProgressAudience = boolean | "json";

/** Changes the text of a running task. */
interface Progress {
	update(text: string): void;
}

/**
 * Whether output can be redrawn in place: requires a terminal with a known width. Serial lines and programs that control
 * a terminal may report 0 columns, for which drawing libraries compute an infinite number of rows.
 */
export function canDraw(stream: { readonly isTTY?: boolean; readonly columns?: number }): boolean {
	return stream.isTTY === true && (stream.columns ?? 0) > 0;
}

/**
 * Runs a task and shows a spinner with its text once it takes longer than 300 ms.
 * @param visible false for `--quiet`; nothing is shown either if standard error is not a terminal; "json" prints lines of JSON
 * on standard error in any case
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
				// The task continues without the spinner.
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

/** Prints lines such as `{"progress":{"task":"copying: 4,000 entries"}}`, the first one at once. */
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
