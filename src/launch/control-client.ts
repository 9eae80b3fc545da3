/** Client of the control socket of a node that has a data directory open. */

import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { linesOf } from "../protocol/json/modest-json.js";
import { Failure } from "../wallet/failure.js";
import { type ControlProgress, type ControlResult, controlFile } from "./control-server.js";
import type { HandoverResult, SuccessorProgram } from "./handover.js";

/** Longest socket path in the control file. */
const MAX_PATH = 4_096;

/**
 * Asks the node that has a data directory open to make a snapshot.
 * @param target an absolute path, on the node's machine
 * @param onProgress called with the progress; returns false to cancel
 * @returns undefined if no node has the directory open; "given up" if cancelled
 * @throws {Failure} `start_failed` with the node's message
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
 * Asks the node that has a data directory open to store the sources of a contract.
 * @param file an absolute path, of a file as read by `source-work.ts`
 * @returns whether a node has the directory open
 * @throws {Failure} `start_failed` with the node's message
 */
export async function askToStoreSource(dataDirectory: string, file: string): Promise<boolean> {
	for await (const _ of answersTo({ do: "source", file }, dataDirectory, "the sources were stored"))
		return true;
	return false;
}

/**
 * Asks the node that has a data directory open to hand over to another process.
 * @returns undefined if no node has it open
 * @throws {Failure} `start_failed` with the node's message
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

/** A line of a response. */
interface Answer extends Partial<ControlProgress> {
	readonly error?: string;
	readonly done?: ControlResult | HandoverResult;
}

/**
 * Yields the node's responses to a request; none if no node has the directory open.
 * @param purpose what should have been done, for the message if the node ends before it
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

/** Connects to the node; undefined if nothing is listening, as a killed node leaves its control file. */
function connected(path: string): Promise<Socket | undefined> {
	return new Promise((resolve) => {
		const socket = connect(path, () => resolve(socket));
		socket.on("error", () => resolve(undefined));
	});
}
