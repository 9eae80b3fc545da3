import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { askForHandover, askForSnapshot, askToStoreSource } from "../../src/launch/control-client.js";
import {
	ControlServer,
	controlFile,
	type HandoverWork,
	type SnapshotWork,
	type SourceWork,
} from "../../src/launch/control-server.js";
import { giveSource, storeSourceFile } from "../../src/launch/source-work.js";
import { toHex } from "../../src/protocol/bytes.js";
import { OperatorError } from "../../src/protocol/operator-error.js";

let directory: string;
let control: ControlServer | undefined;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "coin-control-"));
});
afterEach(async () => {
	await control?.close();
	control = undefined;
	rmSync(directory, { recursive: true, force: true });
});

const noSources: SourceWork = async () => {
	throw new Error("not asked for here");
};

const noHandover: HandoverWork = async () => {
	throw new Error("not asked for here");
};

async function serve(
	work: SnapshotWork,
	storeSource: SourceWork = noSources,
	handover: HandoverWork = noHandover,
): Promise<string> {
	control = await ControlServer.start(directory, { snapshot: work, source: storeSource, handover });
	return readFileSync(controlFile(directory), "utf8").trim();
}

/** What the node answers to a line. */
function answerTo(path: string, line: string): Promise<string> {
	return new Promise((resolve, reject) => {
		let text = "";
		const socket = connect(path, () => socket.write(line));
		socket.setEncoding("utf8").on("data", (part: string) => {
			text += part;
		});
		socket.on("close", () => resolve(text)).on("error", reject);
	});
}

test("a command on the same machine has the node make a snapshot; nobody else can enter", async () => {
	const path = await serve(async (target) => ({ manifest: `${target}/manifest.json` }));
	expect(await askForSnapshot(directory, "/somewhere", () => true)).toEqual({
		manifest: "/somewhere/manifest.json",
	});
	expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
	expect(statSync(controlFile(directory)).mode & 0o777).toBe(0o600);
	await control?.close();
	control = undefined;
	expect([existsSync(controlFile(directory)), existsSync(dirname(path))]).toEqual([false, false]);
});

test("no node, or one that was killed, is told from one that fails", async () => {
	expect(await askForSnapshot(directory, "/x", () => true)).toBeUndefined();
	writeFileSync(controlFile(directory), "/nowhere/socket\n");
	expect(await askForSnapshot(directory, "/x", () => true)).toBeUndefined();
	await serve(async () => {
		throw new OperatorError("no space left on the device");
	});
	await expect(askForSnapshot(directory, "/x", () => true)).rejects.toThrow("no space left on the device");
});

test("one snapshot at a time, given up when the node stops", async () => {
	let begun: () => void = () => {};
	const isBegun = new Promise<void>((resolve) => {
		begun = resolve;
	});
	await serve(async (_target, onProgress) => {
		begun();
		while (onProgress({ entries: 1, bytes: 1 })) await new Promise((resolve) => setImmediate(resolve));
		return undefined;
	});
	const first = askForSnapshot(directory, "/x", () => true);
	await isBegun;
	await expect(askForSnapshot(directory, "/y", () => true)).rejects.toThrow("is making a snapshot already");
	const outcome = expect(first).rejects.toThrow("given up: the node stops");
	await control?.close();
	control = undefined;
	await outcome;
});

test("a handover is asked for with a program, and its end is heard behind that of the server", async () => {
	const program = { runtime: "/usr/bin/node", script: "/opt/coin/bin/coin.js" };
	expect(await askForHandover(directory, program)).toBeUndefined();
	let isAsked: () => void = () => {};
	const asked = new Promise<void>((resolve) => {
		isAsked = resolve;
	});
	let finish: () => void = () => {};
	const closed = new Promise<void>((resolve) => {
		finish = resolve;
	});
	const given: unknown[] = [];
	await serve(
		async () => undefined,
		noSources,
		async (what) => {
			given.push(what);
			isAsked();
			await closed;
			return { pid: 7, gapMs: 300 };
		},
	);
	const result = askForHandover(directory, program);
	await asked;
	await control?.close();
	control = undefined;
	finish();
	expect([await result, given]).toEqual([{ pid: 7, gapMs: 300 }, [program]]);
});

test("whoever asks for a handover hears why there is none, and its node when nobody asks any more", async () => {
	let hear: (gone: AbortSignal) => void = () => {};
	const heard = new Promise<AbortSignal>((resolve) => {
		hear = resolve;
	});
	const path = await serve(
		async () => undefined,
		noSources,
		async ({ script }, gone) => {
			if (script === "/refused") throw new OperatorError("this one goes on");
			hear(gone);
			return new Promise(() => {});
		},
	);
	await expect(askForHandover(directory, { runtime: "/node", script: "/refused" })).rejects.toThrow(
		"this one goes on",
	);
	const socket = connect(path, () => socket.write('{"do":"handover","runtime":"/node","script":"/x"}\n'));
	const gone = await heard;
	socket.destroy();
	if (!gone.aborted) await new Promise((resolve) => gone.addEventListener("abort", resolve));
});

test("whatever is no request is refused, and a long one without being kept", async () => {
	const path = await serve(async () => undefined);
	const unknown = '{"error":"the node doesn\'t know this request"}\n';
	for (const line of [
		"{}\n",
		"null\n",
		"x\n",
		'{"do":"snapshot","to":"relative"}\n',
		'{"do":"snapshot","to":5}\n',
		'{"do":"handover","script":"/bin/coin.js"}\n',
		'{"do":"handover","script":"/bin/coin.js","runtime":"node"}\n',
	]) {
		expect(await answerTo(path, line)).toBe(unknown);
	}
	expect(await answerTo(path, "x".repeat(10_000))).toBe(unknown);
});

test("a command gives the node sources of a contract by a file, and is told why they aren't stored", async () => {
	const files: string[] = [];
	await serve(
		async () => undefined,
		async (file) => {
			files.push(readFileSync(file, "utf8"));
			if (files.length > 1) throw new OperatorError("there is no contract at this address");
		},
	);
	const address = Buffer.from(`41${"1".repeat(40)}`, "hex");
	await giveSource(directory, address, '{"a":1}');
	expect(files).toEqual([`41${"1".repeat(40)}\n{"a":1}`]);
	await expect(giveSource(directory, address, "{}")).rejects.toThrow("there is no contract at this address");
	await control?.close();
	control = undefined;
	await expect(giveSource(directory, address, "{}")).rejects.toThrow("no node has");
	expect(await askToStoreSource(directory, "/nowhere")).toBe(false);
});

test("the node reads the file with the address in its first line", () => {
	const stored: [string, string][] = [];
	const sources = { put: (address: Uint8Array, text: string) => void stored.push([toHex(address), text]) };
	const file = join(directory, "record");
	writeFileSync(file, `41${"2".repeat(40)}\n{\n}`);
	storeSourceFile(sources, file);
	expect(stored).toEqual([[`41${"2".repeat(40)}`, "{\n}"]]);
	writeFileSync(file, "{}");
	expect(() => storeSourceFile(sources, file)).toThrow("the file names no contract");
	writeFileSync(file, Buffer.alloc((4 << 20) + 100));
	expect(() => storeSourceFile(sources, file)).toThrow("more than 4194304 bytes");
});

test("a line of an answer ends at its line feed, whatever separators a path holds", async () => {
	const manifest = "/snap\u2028shots\u0085/manifest.json";
	await serve(async () => ({ manifest }));
	expect(await askForSnapshot(directory, "/somewhere", () => true)).toEqual({ manifest });
});
