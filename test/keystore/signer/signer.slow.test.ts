import { once } from "node:events";
import {
	appendFileSync,
	chmodSync,
	cpSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Level } from "level";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { keysOfSigner, type SignerKey } from "../../../src/keystore/signer/client.js";
import { checkLog, DecisionLog } from "../../../src/keystore/signer/decision-log.js";
import { SigningMarks } from "../../../src/keystore/signer/marks.js";
import { LOG_NAME, Signer } from "../../../src/keystore/signer/server.js";
import { be64, concatBytes, fromHex } from "../../../src/protocol/bytes.js";
import { sha256 } from "../../../src/protocol/hash.js";
import { BlockHeaderRaw, PBFTMessageRaw, TransactionRaw } from "../../../src/protocol/messages.js";
import { addressOfPrivateKey, recoverAddress, signBlock } from "../../../src/protocol/signature.js";

/** As long as a busy machine takes. */
const PATIENCE_MS = 600_000;
const KEY = new Uint8Array(32).fill(7);
const ADDRESS = addressOfPrivateKey(KEY);

const NOW_MS = 20_000n;
let nowMs: bigint;

let directory: string;
let signer: Signer;
let key: SignerKey;
let warnings: string[];

const place = (): string => join(directory, "socket");

async function start(isMoved = false): Promise<void> {
	warnings = [];
	signer = await Signer.start({
		keys: [KEY.slice()],
		directory: join(directory, "state"),
		socketPath: place(),
		isMoved,
		now: () => Number(nowMs),
		monotonic: () => Number(nowMs),
		warn: (reason) => warnings.push(reason),
	});
	key = (await keysOfSigner({ at: place() }, PATIENCE_MS))[0] as SignerKey;
}

beforeEach(async () => {
	directory = mkdtempSync(join(tmpdir(), "coin-signer-"));
	nowMs = NOW_MS;
	await start();
});
afterEach(async () => {
	await signer.close().catch(() => undefined);
	rmSync(directory, { recursive: true, force: true });
});

const header = (number: bigint, timestamp: bigint, more: Partial<BlockHeaderRaw> = {}): Uint8Array =>
	BlockHeaderRaw.encode(
		BlockHeaderRaw.create({
			number,
			timestamp,
			txTrieRoot: new Uint8Array(32),
			parentHash: new Uint8Array(32).fill(1),
			witness_address: ADDRESS,
			version: 38,
			...more,
		}),
	);

const vote = (view_n: bigint, data: number, msg_type = 3, epoch = NOW_MS): Uint8Array =>
	PBFTMessageRaw.encode(
		PBFTMessageRaw.create({
			msg_type: msg_type as PBFTMessageRaw["msg_type"],
			view_n,
			epoch,
			data: new Uint8Array(32).fill(data),
		}),
	);

describe("a signer", () => {
	test("signs blocks of later slots whose height doesn't fall, and the same bytes again", async () => {
		const first = header(5n, 15_000n);
		const signature = await key.sign("block", first);
		expect(recoverAddress(sha256(first), signature)).toEqual(ADDRESS);
		expect(await key.sign("block", first)).toEqual(signature);
		await key.sign("block", header(6n, 18_000n));
		await key.sign("block", header(9n, 21_000n));
		nowMs += 1_500n;
		await key.sign("block", header(9n, 24_000n));
	});

	test("signs no height again while its block may be on its way: a clock may be whole slots ahead", async () => {
		await key.sign("block", header(5n, 15_000n));
		nowMs += 1_499n;
		const refusal = { message: expect.stringContaining("5 was signed a moment ago"), isTaken: true };
		await expect(key.sign("block", header(5n, 24_000n))).rejects.toMatchObject(refusal);
		await key.sign("block", header(6n, 24_000n));
		// Nor where it may have been signed just before the signer was started again, or was signed again.
		await signer.close();
		await start();
		await expect(key.sign("block", header(6n, 27_000n))).rejects.toMatchObject({ isTaken: true });
		nowMs += 1_500n;
		await key.sign("block", header(6n, 24_000n));
		await expect(key.sign("block", header(6n, 27_000n))).rejects.toMatchObject({ isTaken: true });
	});

	test.each([
		["a lower height", header(4n, 18_000n), "4 doesn't follow 5", false],
		["a time within the same slot", header(6n, 15_001n), "15001 doesn't follow 15000", true],
		["the same slot", header(6n, 15_000n), "15000 doesn't follow 15000", true],
		["a lower height of the same slot", header(4n, 15_000n), "4 doesn't follow 5", true],
		["a clock that went back", header(6n, 12_000n), "12000 doesn't follow 15000", true],
		[
			"another block of the same slot",
			header(5n, 15_000n, { version: 39 }),
			"15000 doesn't follow 15000",
			true,
		],
	])("refuses %s, also after a new start", async (_, data, reason, isTaken) => {
		await key.sign("block", header(5n, 15_000n));
		const refusal = { message: expect.stringContaining(reason), isTaken };
		await expect(key.sign("block", data)).rejects.toMatchObject(refusal);
		await signer.close();
		await start();
		await expect(key.sign("block", data)).rejects.toMatchObject(refusal);
	});

	test("knows of a block whether another signer has its key, and writes it down", async () => {
		const isElsewhere = (data: Uint8Array, by = KEY): Promise<boolean> =>
			key.isElsewhere(data, signBlock(sha256(data), by));
		expect(await isElsewhere(header(5n, 15_000n))).toBe(true);
		await key.sign("block", header(5n, 15_000n));
		// Blocks before the last one may be of this signer.
		for (const own of [header(5n, 15_000n), header(4n, 12_000n)]) expect(await isElsewhere(own)).toBe(false);
		for (const other of [header(5n, 15_000n, { version: 39 }), header(5n, 15_001n), header(6n, 18_000n)])
			expect(await isElsewhere(other)).toBe(true);
		// Of the witness's former key, or of none.
		expect(await isElsewhere(header(6n, 18_000n), new Uint8Array(32).fill(8))).toBe(false);
		for (const signature of [new Uint8Array(65), new Uint8Array(0)])
			expect(await key.isElsewhere(header(6n, 18_000n), signature)).toBe(false);
		await expect(isElsewhere(header(5n, 0n))).rejects.toThrow("not a header of a block");
		const lines = readFileSync(join(directory, "state", LOG_NAME), "utf8")
			.trimEnd()
			.split("\n");
		expect(lines.filter((line) => line.includes('"decision":"signed elsewhere"'))).toHaveLength(4);
		expect(warnings.filter((line) => line.includes("another signer or node has this key"))).toHaveLength(4);
		// It has signed none of them, and starts with the marks that it had.
		await signer.close();
		await start();
		await key.sign("block", header(6n, 18_000n));
	});

	test("gives one of two blocks that are asked for at once its signature", async () => {
		const asked = Array.from({ length: 8 }, (_, n) => key.sign("block", header(5n, 15_000n, { version: n })));
		const outcomes = await Promise.allSettled(asked);
		expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
	});

	test.each([
		["a transaction", TransactionRaw.encode(TransactionRaw.create({ expiration: 5n, timestamp: 7n }))],
		["a header with a field that it doesn't have", concatBytes(header(5n, 15_000n), Uint8Array.of(0x70, 1))],
		["a header that isn't canonical", concatBytes(header(5n, 15_000n), Uint8Array.of(0x50, 38))],
		["a header whose state root is no hash", header(5n, 15_000n, { accountStateRoot: new Uint8Array(90) })],
		["a vote", vote(5n, 1)],
		["nothing", new Uint8Array(0)],
	])("signs as a block no %s", async (_, data) => {
		await expect(key.sign("block", data)).rejects.toThrow(/the signer refuses: not /);
	});

	test("votes once for a height in each round", async () => {
		await key.sign("vote", vote(5n, 1));
		await key.sign("vote", vote(5n, 1, 4));
		await key.sign("vote", vote(5n, 1));
		await expect(key.sign("vote", vote(5n, 2))).rejects.toThrow("5 doesn't follow 5");
		await expect(key.sign("vote", vote(4n, 2, 4))).rejects.toThrow("4 doesn't follow 5");
		await expect(key.sign("vote", vote(6n, 1, 1))).rejects.toThrow("not a vote");
		await expect(key.sign("vote", header(6n, 15_000n))).rejects.toThrow(/not /);
	});

	test("signs the time of a greeting of now, and no bytes under that name", async () => {
		const signature = await key.sign("hello", NOW_MS);
		expect(recoverAddress(sha256(be64(NOW_MS)), signature)).toEqual(ADDRESS);
		await expect(key.sign("hello", 1n << 60n)).rejects.toThrow("not a time");
		await expect(key.sign("hello", NOW_MS + 7_200_000n)).rejects.toThrow("far from the signer's clock");
		await expect(key.sign("hello", fromHex("08af"))).rejects.toThrow("not a time");
	});

	test("signs nothing that would use up times to come", async () => {
		await expect(key.sign("block", header(5n, NOW_MS + 60_000n))).rejects.toThrow(
			"ahead of the signer's clock",
		);
		await expect(key.sign("vote", vote(1n << 62n, 1))).rejects.toThrow("far from the signer's clock");
		await key.sign("block", header(5n, NOW_MS + 3_000n));
	});

	test("signs no block for a slot that is over: whoever had the key before may have", async () => {
		const state = join(directory, "state");
		await key.sign("block", header(5n, 15_000n));
		await signer.close();
		rmSync(state, { recursive: true });
		nowMs += 60_000n;
		await start();
		await expect(key.sign("block", header(5n, 15_000n, { version: 39 }))).rejects.toThrow(
			"behind the signer's clock",
		);
		await key.sign("block", header(25n, 78_000n));
	});

	test("votes for nothing of a cycle that is over but for its last blocks: whoever had the key before may have", async () => {
		await key.sign("vote", vote(5n, 1));
		await signer.close();
		rmSync(join(directory, "state"), { recursive: true });
		nowMs += 120_000n;
		await start();
		await key.sign("vote", vote(6n, 1));
		nowMs += 1n;
		await expect(key.sign("vote", vote(7n, 2))).rejects.toThrow("behind the signer's clock");
		await key.sign("vote", vote(7n, 2, 3, nowMs));
	});

	test("doesn't start on a copy of its directory unless it is said to have moved", async () => {
		const state = join(directory, "state");
		await key.sign("block", header(5n, 15_000n));
		await signer.close();
		renameSync(state, join(directory, "renamed"));
		renameSync(join(directory, "renamed"), state);
		await start();
		await signer.close();
		renameSync(state, join(directory, "original"));
		cpSync(join(directory, "original"), state, { recursive: true });
		await expect(start()).rejects.toThrow(/are a copy: .* --moved/);
		await start(true);
		await expect(key.sign("block", header(5n, 15_000n, { version: 39 }))).rejects.toThrow("doesn't follow");
		await signer.close();
		await start();
	});

	test("has its marks again from the log where they are gone, or older", async () => {
		const state = join(directory, "state");
		await key.sign("block", header(5n, 15_000n));
		await signer.close();
		rmSync(join(state, "marks"), { recursive: true });
		await start();
		await expect(key.sign("block", header(5n, 15_000n, { version: 39 }))).rejects.toThrow("doesn't follow");
		await key.sign("block", header(5n, 15_000n));
		await key.sign("block", header(6n, 18_000n));
	});

	test("says of a directory that it has no marks yet, and nothing of one that has", async () => {
		expect(warnings).toEqual([
			`${join(directory, "state")} is begun anew: it has no marks of what was signed before`,
		]);
		await key.sign("block", header(5n, 15_000n));
		await signer.close();
		await start();
		expect(warnings).toEqual([]);
	});

	test("warns of a full disk once, until it answers again", async () => {
		warnings = [];
		const append = vi.spyOn(DecisionLog.prototype, "append").mockRejectedValue(new Error("ENOSPC"));
		for (const slot of [15_000n, 18_000n]) {
			await expect(key.sign("block", header(5n, slot))).rejects.toThrow("ENOSPC");
			nowMs += 1_500n;
		}
		expect(warnings).toEqual(["the decision can't be stored: ENOSPC"]);
		append.mockRestore();
		await key.sign("block", header(5n, 21_000n));
		vi.spyOn(DecisionLog.prototype, "append").mockRejectedValueOnce(new Error("ENOSPC"));
		await expect(key.sign("block", header(6n, 24_000n))).rejects.toThrow("ENOSPC");
		expect(warnings).toHaveLength(2);
	});

	test("takes what it signed again for signed, where a full disk took its first line", async () => {
		const append = vi.spyOn(DecisionLog.prototype, "append").mockRejectedValueOnce(new Error("ENOSPC"));
		await expect(key.sign("block", header(5n, 15_000n))).rejects.toThrow("ENOSPC");
		append.mockRestore();
		await key.sign("block", header(5n, 15_000n));
		await signer.close();
		rmSync(join(directory, "state", "marks"), { recursive: true });
		await start();
		await expect(key.sign("block", header(5n, 15_000n, { version: 39 }))).rejects.toThrow("doesn't follow");
	});

	test("begins another log of its marks where a full disk may have cut a record", async () => {
		await key.sign("block", header(5n, 15_000n));
		const logs = (): string[] =>
			readdirSync(join(directory, "state", "marks")).filter((name) => name.endsWith(".log"));
		const before = logs();
		const put = vi.spyOn(Level.prototype, "put").mockRejectedValueOnce(new Error("ENOSPC"));
		await expect(key.sign("block", header(6n, 18_000n))).rejects.toThrow("ENOSPC");
		put.mockRestore();
		await key.sign("block", header(6n, 21_000n));
		expect(logs()).not.toEqual(before);
		await expect(key.sign("block", header(6n, 21_000n, { version: 39 }))).rejects.toThrow("doesn't follow");
	});

	test("ends though a client is silent, and keeps no timer for it", async () => {
		const held = (): string[] =>
			process.getActiveResourcesInfo().filter((name) => name === "PipeWrap" || name === "PipeServerWrap");
		const silent = connect(place()).unref();
		await new Promise((done) => silent.once("connect", done));
		silent.write("{");
		await key.sign("hello", NOW_MS);
		const before = held().length;
		await signer.close();
		// Its side of the connection, and the socket at which it listened.
		expect(held()).toHaveLength(before - 2);
		silent.destroy();
	});

	test("lets no connection keep its place", async () => {
		const sockets = Array.from({ length: 3 }, () => connect(place(), () => undefined));
		const closed = sockets.map(
			(socket) => new Promise((resolve) => socket.on("error", () => {}).once("close", resolve)),
		);
		for (const socket of sockets) socket.write('{"do":"list"}\n');
		const timer = setInterval(() => {
			for (const socket of sockets) if (!socket.destroyed) socket.write("x");
		}, 20);
		await Promise.all(closed);
		clearInterval(timer);
		await key.sign("block", header(5n, 15_000n));
	});

	test("leaves the socket of another that listens there", async () => {
		const options = { keys: [KEY.slice()], directory: join(directory, "other"), now: () => 0 };
		await expect(Signer.start({ ...options, socketPath: place() })).rejects.toThrow(
			"another process listens at",
		);
		await key.sign("block", header(5n, 15_000n));
	});

	test("is the only one of its directory", async () => {
		const options = { keys: [KEY.slice()], directory: join(directory, "state"), now: () => 0 };
		const second = Signer.start({ ...options, socketPath: join(directory, "other") });
		await expect(second).rejects.toThrow("another signer has the marks in");
	});

	test("answers nonsense and long lines, and goes on", async () => {
		const ask = (line: string): Promise<string> =>
			new Promise((resolve) => {
				let text = "";
				const socket = connect(place(), () => socket.write(line));
				socket.on("data", (chunk) => {
					text += chunk;
				});
				socket.on("close", () => resolve(text));
			});
		expect(await ask("what?\n")).toBe('{"error":"not JSON"}\n');
		expect(await ask('{"do":[[]]}\n')).toBe('{"error":"not a request"}\n');
		expect(await ask("null\n")).toBe('{"error":"unknown request"}\n');
		expect(await ask('{"do":"block","address":"T","data":{}}\n')).toBe('{"error":"unknown key"}\n');
		expect(await ask("x".repeat(9_000))).toBe('{"error":"too long"}\n');
		await key.sign("block", header(5n, 15_000n));
	});

	test("is away once it has ended, and says so", async () => {
		await signer.close();
		await expect(key.sign("block", header(5n, 15_000n))).rejects.toThrow(`no signer answers at ${place()}`);
		await expect(keysOfSigner({ at: place() })).rejects.toThrow("(there is no such socket)");
	});

	test("is asked no longer than it may take, and the reason is said as that of a socket that can't be opened", async () => {
		const silent = join(directory, "silent");
		const server = createServer().listen(silent);
		await once(server, "listening");
		await expect(keysOfSigner({ at: silent }, 5)).rejects.toThrow("(nothing came within 5 ms)");
		server.close();
		if (process.getuid?.() === 0) return;
		chmodSync(directory, 0o600);
		const asked = keysOfSigner({ at: place() }).finally(() => chmodSync(directory, 0o700));
		await expect(asked).rejects.toThrow("(this user may not open it)");
	});
});

describe("the log of a signer", () => {
	const path = (): string => join(directory, "state", LOG_NAME);

	beforeEach(async () => {
		await key.sign("block", header(5n, 15_000n));
		await key.sign("block", header(5n, 15_000n, { version: 1 })).catch(() => undefined);
		await key.sign("block", header(6n, 18_000n));
		await signer.close();
	});

	test("has a line a decision, each bound to the one before", async () => {
		const lines: string[] = [];
		expect(await checkLog(path(), undefined, (line) => lines.push(line))).toBe(3);
		expect(lines.map((line) => JSON.parse(line))).toMatchObject([
			{ number: 1, asked: "block", block: "5", timestamp: "15000", decision: "signed" },
			{ number: 2, block: "5", decision: "15000 doesn't follow 15000, which was signed" },
			{ number: 3, block: "6", decision: "signed" },
		]);
	});

	test.each<[string, (text: string) => string, string]>([
		["was changed", (text) => text.replace("doesn't follow", "follows"), "line 2 of"],
		["lacks a line", (text) => text.split("\n").toSpliced(1, 1).join("\n"), "line 2 of"],
		["was shortened", (text) => `${text.split("\n").slice(0, 2).join("\n")}\n`, "was shortened or replaced"],
		["is empty", () => "", "was shortened or replaced"],
	])("that %s stops the start, and is refused by whoever reads it", async (_, change, message) => {
		writeFileSync(path(), change(readFileSync(path(), "utf8")));
		const known = await SigningMarks.logEndIn(join(directory, "state", "marks"));
		await expect(checkLog(path(), known, () => undefined)).rejects.toThrow(message);
		await expect(start()).rejects.toThrow(message);
	});

	test("is checked to its end from the start on where the marks were lost", async () => {
		const marks = join(directory, "state", "marks");
		rmSync(marks, { recursive: true });
		await start();
		expect(await SigningMarks.logEndIn(marks)).toMatchObject({ count: 3 });
	});

	test("is checked to its end beside a signer that writes on, and of no marks no end is known", async () => {
		await start();
		await key.sign("block", header(7n, 21_000n));
		const marks = join(directory, "state", "marks");
		expect(await SigningMarks.logEndIn(marks)).toMatchObject({ count: 4 });
		await key.sign("block", header(8n, 24_000n));
		expect(await SigningMarks.logEndIn(join(directory, "none"))).toBeUndefined();
	});

	test("ends lines at line feeds alone, whatever separators texts of clients hold", async () => {
		const other = join(directory, "other.log");
		const log = await DecisionLog.open(other, undefined, () => undefined);
		const text = "a\u2028b\u2029c\u0085d";
		await log.append({ at: "", asked: "message", key: "", text, decision: "refused" });
		await log.close();
		const lines: string[] = [];
		expect(await checkLog(other, undefined, (line) => lines.push(line))).toBe(1);
		expect(JSON.parse(lines[0] as string)).toMatchObject({ text });
	});

	test("goes on behind what a crash left of a line", async () => {
		appendFileSync(path(), '{"number":4,"at":"20');
		await start();
		await key.sign("block", header(7n, 21_000n));
		await signer.close();
		expect(await checkLog(path(), undefined, () => undefined)).toBe(4);
	});
});
