/** Asking the node that has a data directory open. */

import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { Failure } from "../wallet/failure.js";
import { type ControlProgress, type ControlResult, controlFile } from "./control-server.js";

/** A path in the file is not longer. */
const MAX_PATH = 4_096;

/**
 * Has the node that has a data directory open make a snapshot.
 * @param target an absolute path, on the node's machine
 * @param onProgress called with the progress; false gives it up
 * @returns undefined if no node has the directory open; "given up" if it was
 * @throws {Failure} `start_failed` with the node's sentence
 */
export async function askForSnapshot(
	dataDirectory: string,
	target: string,
	onProgress: (progress: ControlProgress) => boolean,
): Promise<ControlResult | "given up" | undefined> {
	const path = socketPathOf(dataDirectory);
	const socket = path === undefined ? undefined : await connected(path);
	if (!socket) return undefined;
	socket.write(`${JSON.stringify({ do: "snapshot", to: target })}\n`);
	try {
		for await (const line of createInterface({ input: socket })) {
			const answer = JSON.parse(line) as Partial<ControlProgress> & {
				readonly error?: string;
				readonly done?: ControlResult;
			};
			if (answer.error !== undefined) throw new Failure("start_failed", answer.error);
			if (answer.done) return answer.done;
			if (!onProgress({ entries: answer.entries ?? 0, bytes: answer.bytes ?? 0 })) return "given up";
		}
	} finally {
		socket.destroy();
	}
	throw new Failure("start_failed", "the node ended before the snapshot was made");
}

/**
 * Has the node that has a data directory open store the sources of a contract.
 * @param file an absolute path, of what `source-work.ts` reads
 * @returns whether a node has the directory open
 * @throws {Failure} `start_failed` with the node's sentence
 */
export async function askToStoreSource(dataDirectory: string, file: string): Promise<boolean> {
	const path = socketPathOf(dataDirectory);
	const socket = path === undefined ? undefined : await connected(path);
	if (!socket) return false;
	socket.write(`${JSON.stringify({ do: "source", file })}\n`);
	try {
		for await (const line of createInterface({ input: socket })) {
			const { error } = JSON.parse(line) as { readonly error?: string };
			if (error !== undefined) throw new Failure("start_failed", error);
			return true;
		}
	} finally {
		socket.destroy();
	}
	throw new Failure("start_failed", "the node ended before the sources were stored");
}

function socketPathOf(dataDirectory: string): string | undefined {
	try {
		return readFileSync(controlFile(dataDirectory), "utf8").slice(0, MAX_PATH).trim();
	} catch {
		return undefined;
	}
}

/** Undefined: nobody listens; a node that was killed leaves its file. */
function connected(path: string): Promise<Socket | undefined> {
	return new Promise((resolve) => {
		const socket = connect(path, () => resolve(socket));
		socket.on("error", () => resolve(undefined));
	});
}
