/** Waits for what a running program will do, and no longer than it runs. */

import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Looks until something is there, every 20 ms.
 * @param look true, or what was waited for, once it is there; undefined or false before
 * @param output what the program printed so far, for the error
 * @throws {Error} where the program ended and it isn't there: nothing would come any more
 */
export async function awaited<T>(
	child: ChildProcess,
	look: () => T | undefined | false,
	output: () => string = () => "",
): Promise<T> {
	for (;;) {
		// Asked before the look: what a program does last is there once it has ended.
		const hasEnded = child.exitCode !== null || child.signalCode !== null;
		const found = look();
		if (found !== undefined && found !== false) return found;
		if (hasEnded)
			throw new Error(`the program ended with ${child.exitCode ?? child.signalCode}: ${output()}`);
		await delay(20);
	}
}

/** What a node says of itself in its ready file (`--ready-file`), once it serves. Errors as `awaited`. */
export function readyFile<T>(child: ChildProcess, path: string, output?: () => string): Promise<T> {
	return awaited(
		child,
		() => {
			try {
				return JSON.parse(readFileSync(path, "utf8")) as T;
			} catch {
				// Not there yet, or half written.
				return undefined;
			}
		},
		output,
	);
}
