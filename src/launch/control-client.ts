/** Asking the node that has a data directory open. */

import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { linesOf } from "../protocol/json/modest-json.js";
import { Failure } from "../wallet/failure.js";
import { type ControlProgress, type ControlResult, controlFile } from "./control-server.js";
import type { HandoverResult, SuccessorProgram } from "./handover.js";

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
	for await (const answer of answersTo(
		{ do: "snapshot", to: target },
		dataDirectory,
		"the snapshot was made",
	)) {
		if (answer.done) return answer.done as ControlResult;
		if (!onProgress({ entries: answer.entries ?? 0, bytes: answer.bytes ?? 0 })) return "given up";
	}
	return undefined;
}

/**
 * Has the node that has a data directory open store the sources of a contract.
 * @param file an absolute path, of what `source-work.ts` reads
 * @returns whether a node has the directory open
 * @throws {Failure} `start_failed` with the node's sentence
 */
export async function askToStoreSource(dataDirectory: string, file: string): Promise<boolean> {
	for await (const _ of answersTo({ do: "source", file }, dataDirectory, "the sources were stored"))
		return true;
	return false;
}

/**
 * Has the node that has a data directory open hand over to another process.
 * @returns undefined if no node has it open
 * @throws {Failure} `start_failed` with the node's sentence
 */
export async function askForHandover(
	dataDirectory: string,
	program: SuccessorProgram,
): Promise<HandoverResult | undefined> {
	for await (const { done } of answersTo(
		{ do: "handover", ...program },
		dataDirectory,
		"it was known who goes on",
	))
		return done as HandoverResult;
	return undefined;
}

/** A line of an answer. */
interface Answer extends Partial<ControlProgress> {
	readonly error?: string;
	readonly done?: ControlResult | HandoverResult;
}

/**
 * What the node says to a request; nothing if no node has the directory open.
 * @param purpose what should have happened before the node ends
 */
async function* answersTo(request: object, dataDirectory: string, purpose: string): AsyncGenerator<Answer> {
	const path = socketPathOf(dataDirectory);
	const socket = path === undefined ? undefined : await connected(path);
	if (!socket) return;
	socket.write(`${JSON.stringify(request)}\n`);
	try {
		for await (const lines of linesOf(socket.setEncoding("utf8")))
			for (const line of lines) {
				const answer = JSON.parse(line) as Answer;
				if (answer.error !== undefined) throw new Failure("start_failed", answer.error);
				yield answer;
			}
	} finally {
		socket.destroy();
	}
	throw new Failure("start_failed", `the node ended before ${purpose}`);
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
