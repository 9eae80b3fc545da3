import { beforeAll, describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import { Account, TransactionRet } from "../../src/protocol/messages.js";
import { describeFinding } from "../../tools/replay/finding.js";
import type { BlockLine, Line, PushLine, RecordedState } from "../../tools/replay/recording.js";
import { openRecordings } from "../../tools/replay/recording.js";
import { isClean } from "../../tools/replay/replay.js";
import { GIVEN_UP, NO_BODY, NO_PARENT } from "../../tools/replay/skips.js";
import { RecordedNode, recordingOf, replayInto } from "./recorded-node.js";

const ACCOUNT = "account";
const PROPERTIES = "properties";
const HEIGHT = toHex(Buffer.from("latest_block_header_number"));
const SCHEDULE = "witness_schedule";

/** A few dozen lines of a real recording. */
let lines: Line[];
let end: RecordedState;

beforeAll(() => {
	const [recording] = openRecordings("test/golden/core-fork");
	const all = [...(recording?.lines() ?? [])].map(([, line]) => line);
	const lastPush = all.findIndex((line) => line.t === "push" && "error" in line.answer);
	lines = all.slice(0, lastPush + 1);
	const { [HEIGHT]: _, ...properties } = recording?.finalState()?.[PROPERTIES] ?? {};
	// The state of the whole recording stands in for the one after these lines.
	end = { ...recording?.finalState(), properties };
});

function find<K extends Line["t"]>(kind: K, wanted: (line: Extract<Line, { t: K }>) => boolean = () => true) {
	const line = lines.find((one) => one.t === kind && wanted(one as Extract<Line, { t: K }>));
	if (line === undefined) throw new Error(`no such ${kind} in the recording`);
	return line as Extract<Line, { t: K }>;
}

/** The recording with one line changed; the node answers as the true one says. */
function replayChanged(line: Line, changed: Line, heal = false) {
	const node = new RecordedNode(lines, end);
	return replayInto(
		node,
		lines.map((one) => (one === line ? changed : one)),
		{ end, heal },
	).then((outcome) => ({ ...outcome, node }));
}

const withAccounts = () =>
	find("block", (line) => line.infos !== null && line.writes?.[ACCOUNT] !== undefined);

describe("a replay", () => {
	it("finds nothing where the node answers as recorded", async () => {
		const { result, findings } = await replayInto(new RecordedNode(lines, end), lines, { end });
		expect(findings).toEqual([]);
		expect(isClean(result)).toBe(true);
		expect(result.state).toBe(true);
		const counted = (kind: Line["t"]) => lines.filter((line) => line.t === kind).length;
		expect(result.blocks).toEqual({ passed: counted("block"), failed: 0 });
		expect(result.pushes).toEqual({ passed: counted("push"), failed: 0 });
		expect(result.requests.passed + result.requests.skipped).toBe(counted("req"));
	});

	it("traces blocks where it is asked to, and finds what comes out otherwise", async () => {
		const node = new RecordedNode(lines, end);
		const { result, findings } = await replayInto(node, lines, { end, trace: true });
		expect(findings).toEqual([]);
		expect(result.traces).toEqual({ passed: result.blocks.passed, failed: 0 });
		const wrong = new RecordedNode(lines, end);
		wrong.traced = { infos: null, problems: ["two plus two"] };
		const outcome = await replayInto(wrong, lines, { end, trace: true });
		expect(outcome.findings.map(({ difference }) => difference.got)).toContain("two plus two");
		expect(outcome.findings.some(({ difference }) => difference.path !== "")).toBe(true);
		expect(isClean(outcome.result)).toBe(false);
		expect(isClean({ ...outcome.result, traces: { passed: 1, failed: 0 } })).toBe(true);
	});

	it("of a block that leaves the head as it is compares which head that is", async () => {
		const { block } = find("push");
		const kept: Line = { t: "push", block, answer: { ok: true, head: 7, id: "07" } };
		const other: Line = { t: "push", block, answer: { ok: true, head: 7, id: "08" } };
		const right = await replayInto(new RecordedNode([kept], undefined), [kept], { end: undefined });
		expect(right.result.pushes).toEqual({ passed: 1, failed: 0 });
		const wrong = await replayInto(new RecordedNode([other], undefined), [kept], { end: undefined });
		expect(wrong.findings.map(({ difference }) => difference.got)).toEqual(["(accepted) head 7 08"]);
	});

	it("ends before a block whose parent is in no line, and says so", async () => {
		const blocks = lines.filter((line) => line.t === "block");
		const [, second, third] = blocks;
		const kept = lines.filter((line) => line !== second);
		const { result, findings } = await replayInto(new RecordedNode(kept, end), kept, { end });
		expect(findings).toEqual([]);
		expect(result.blocks).toEqual({ passed: 1, failed: 0 });
		expect(result.state).toBe(true);
		expect(result.ignored).toEqual({ [NO_PARENT]: kept.length - kept.indexOf(third as Line) });
	});

	it("leaves out requests whose body the recording lacks, and calls whose client gave up", async () => {
		const request: Line = {
			t: "req",
			head: 1,
			port: "full",
			verb: "POST",
			path: "wallet/broadcasthex",
			bodyOf: { length: 20, sha256: "00" },
			status: 200,
			type: null,
			answer: "{}",
		};
		const path = "/protocol.Wallet/GetNowBlock";
		const error = { code: 4, message: "Deadline exceeded after 1s" };
		const call: Line = { t: "grpc", head: 1, port: "grpc", path, request: "", error };
		const { result } = await replayInto(new RecordedNode([], undefined), [request, call], { end: undefined });
		expect(result.ignored).toEqual({ [NO_BODY]: 1, [GIVEN_UP]: 1 });
		expect(isClean(result)).toBe(true);
	});

	it("reports one changed amount in a record, decoded", async () => {
		const line = withAccounts();
		const [key = "", value] =
			Object.entries(line.writes?.[ACCOUNT] ?? {}).find(
				([, entry]) => entry !== null && Account.decode(fromHex(entry)).balance > 0n,
			) ?? [];
		const account = Account.decode(fromHex(value as string));
		account.balance += 1n;
		const writes = {
			...line.writes,
			account: { ...line.writes?.[ACCOUNT], [key]: toHex(Account.encode(account)) },
		};
		const { result, findings } = await replayChanged(line, { ...line, writes });
		expect(result.blocks.failed).toBeGreaterThan(0);
		expect(findings).toHaveLength(1);
		const text = describeFinding(findings[0] as (typeof findings)[0]);
		expect(text).toContain(`block       ${line.number} ${line.id}`);
		expect(text).toContain("store       account");
		expect(text).toContain(`key         ${key} = T`);
		expect(text).toContain("field       balance");
		expect(text).toContain(`expected    ${account.balance}`);
		expect(text).toContain(`got         ${account.balance - 1n}`);
	});

	it.each(["properties", "account", "witness", "delegation"])(
		"reports a flipped bit in an entry of %s",
		async (store) => {
			const line = find("block", ({ writes }) => writes?.[store] !== undefined);
			const [key = "", value = ""] = Object.entries(line.writes?.[store] ?? {})[0] ?? [];
			const flipped = fromHex(value ?? "").slice();
			const last = flipped.length - 1;
			flipped[last] = (flipped[last] as number) ^ 1;
			const writes = { ...line.writes, [store]: { ...line.writes?.[store], [key]: toHex(flipped) } };
			const { result, findings } = await replayChanged(line, { ...line, writes });
			expect(result.blocks.failed).toBeGreaterThan(0);
			expect(findings[0]?.where).toContainEqual(["store", store]);
		},
	);

	it("reports an entry that the node changed and the recording did not", async () => {
		const line = withAccounts();
		const account = { ...line.writes?.[ACCOUNT] };
		const [key = ""] = Object.keys(account);
		delete account[key];
		const { findings } = await replayChanged(line, { ...line, writes: { ...line.writes, account } });
		expect(findings[0]?.where).toContainEqual(["store", "account"]);
		expect(findings[0]?.difference.expected).toMatch(/^\(not changed by this block\)/);
	});

	it("reports an entry that the recording changed and the node did not", async () => {
		const line = withAccounts();
		const account = { ...line.writes?.[ACCOUNT], [`41${"00".repeat(20)}`]: "0a00" };
		const { findings } = await replayChanged(line, { ...line, writes: { ...line.writes, account } });
		expect(findings).toHaveLength(1);
		expect(findings[0]?.difference.got).toBeUndefined();
	});

	it("reports a change that was none for the node, which had the value before", async () => {
		const line = find("block", ({ number }) => number === 2);
		const genesis = find("genesis");
		const [key = "", value = ""] = Object.entries(genesis.state[SCHEDULE] ?? {})[0] ?? [];
		const writes = { ...line.writes, witness_schedule: { [key]: value } };
		const { findings } = await replayChanged(line, { ...line, writes });
		expect(findings[0]?.difference).toEqual({
			path: "",
			expected: "(changed by this block)",
			got: "(had this value before)",
		});
	});

	it("reports another block id", async () => {
		const line = find("block");
		const { result, findings } = await replayChanged(line, { ...line, id: `${line.id.slice(0, -1)}e` });
		expect(result.blocks.failed).toBeGreaterThan(0);
		expect(findings[0]?.difference).toMatchObject({ path: "id", got: line.id });
	});

	it("reports a field of a receipt with its transaction", async () => {
		const line = withAccounts();
		const infos = TransactionRet.decode(fromHex(line.infos as string));
		const [first, ...rest] = infos.transactioninfo;
		const changed = Object.assign(Object.create(Object.getPrototypeOf(first)), first, { fee: 77n });
		const ret = TransactionRet.create({ ...infos, transactioninfo: [changed, ...rest] });
		const { findings } = await replayChanged(line, { ...line, infos: toHex(TransactionRet.encode(ret)) });
		expect(findings).toHaveLength(1);
		expect(findings[0]?.difference).toMatchObject({ path: "transactioninfo[0].fee", expected: 77n });
		expect(findings[0]?.where.at(-1)?.[0]).toBe("transaction");
	});

	it("reports missing receipts", async () => {
		const line = withAccounts();
		const { findings } = await replayChanged(line, { ...line, infos: null });
		expect(findings.length).toBeGreaterThan(0);
	});

	it("reports another answer to a request", async () => {
		const line = find("req");
		const answer = line.answer.replace("SUCCESS", "SIGERROR");
		const { result, findings } = await replayChanged(line, { ...line, answer });
		expect(result.requests.failed).toBe(1);
		expect(findings[0]?.difference).toEqual({ path: "code", expected: "SIGERROR", got: "SUCCESS" });
	});

	it("reports another refusal of a pushed block", async () => {
		const line = find("push", ({ answer }) => "error" in answer);
		const changed: PushLine = { ...line, answer: { error: "BadBlockException: another" } };
		const { result, findings } = await replayChanged(line, changed);
		expect(result.pushes.failed).toBe(1);
		expect(findings[0]?.difference.expected).toBe("BadBlockException: another");
	});

	it("reports a pushed block that should have been refused", async () => {
		const line = find("push", ({ answer }) => !("error" in answer));
		const changed: PushLine = { ...line, answer: { error: "BadBlockException: x" } };
		const { findings } = await replayChanged(line, changed);
		expect(findings[0]?.difference.got).toMatch(/^\(accepted\) head \d+/);
	});

	it("reports a difference in the state before block 1", async () => {
		const line = find("genesis");
		const state = { ...line.state, account: {} };
		const { result, findings } = await replayChanged(line, { ...line, state });
		expect(result.state).toBe(false);
		expect(findings[0]?.where).toContainEqual(["state", "before block 1"]);
	});

	it("reports a difference in the state at the end", async () => {
		const node = new RecordedNode(lines, end);
		const [key = ""] = Object.keys(end[ACCOUNT] ?? {});
		const account = { ...end[ACCOUNT] };
		delete account[key];
		const { result, findings } = await replayInto(node, lines, { end: { ...end, account } });
		expect(result.state).toBe(false);
		expect(findings.map(({ where }) => where[0])).toEqual([["state", "at the end"]]);
	});

	it("does not compare the state at the end with another block's", async () => {
		const properties = { [HEIGHT]: "00000000000000ff" };
		const node = new RecordedNode(lines, end);
		const { result, findings } = await replayInto(node, lines, { end: { account: {}, properties } });
		expect(findings).toEqual([]);
		expect(Object.keys(result.ignored)[0]).toMatch(/^state of block 255, after the last line/);
	});

	it("stops comparing at a differing block, and counts what follows as failed", async () => {
		const line = find("block");
		const { result } = await replayChanged(line, { ...line, id: "00" });
		const blocks = lines.filter(({ t }) => t === "block").length;
		expect(result.blocks).toEqual({ passed: 0, failed: blocks });
		expect(result.requests.passed).toBe(0);
		expect(result.state).toBe(false);
	});

	it("goes on from the recorded state where it heals", async () => {
		const line = find("block");
		const { result, node } = await replayChanged(line, { ...line, id: "00" }, true);
		expect(result.blocks.failed).toBe(1);
		expect(result.requests.failed).toBe(0);
		expect(node.healed).toEqual([line.id]);
	});

	it("stops after the wanted block", async () => {
		const { result } = await replayInto(new RecordedNode(lines, end), lines, { end, until: 3 });
		expect(result.blocks).toEqual({ passed: 3, failed: 0 });
		expect(result.state).toBe(true);
	});

	it("sends requests that it does not compare", async () => {
		const node = new RecordedNode(lines, end);
		const { result } = await replayInto(node, lines, { end, onlyBlocks: true });
		expect(node.sent).toHaveLength(lines.filter(({ t }) => t === "req").length);
		expect(result.requests).toEqual({ passed: 0, failed: 0, skipped: 0 });
	});

	it("sets the clock to each block's time", async () => {
		const node = new RecordedNode(lines, end);
		const block = find("block");
		await replayInto(node, lines.slice(0, lines.indexOf(block) + 1));
		expect(node.clock).toEqual([1748736000000n]);
	});

	it("counts lines of kinds that it does not know", async () => {
		const other: Line = { t: "other", kind: "timing", text: "{}" };
		const { result } = await replayInto(new RecordedNode([], undefined), [other, other]);
		expect(result.ignored).toEqual({ 'lines of kind "timing"': 2 });
	});
});

describe("token balances in account records", () => {
	const key = "41".padEnd(42, "1");
	const optimisation = toHex(Buffer.from("ALLOW_ASSET_OPTIMIZATION"));
	const record = (...tokens: [string, bigint][]) =>
		toHex(Account.encode(Account.create({ address: fromHex(key), balance: 5n, assetV2: new Map(tokens) })));

	/** Replays one block that changed one account. */
	async function compare(expected: string, got: string, optimised: boolean) {
		const genesis: Line = {
			t: "genesis",
			state: { properties: { [optimisation]: optimised ? "0000000000000001" : "0000000000000000" } },
		};
		const block: BlockLine = {
			t: "block",
			number: 1,
			id: "01",
			block: "",
			infos: null,
			writes: { account: { [key]: got } },
		};
		const node = new RecordedNode([genesis, block], undefined);
		const recorded = { ...block, writes: { account: { [key]: expected } } };
		return (await replayInto(node, [genesis, recorded])).findings.map(({ difference }) => difference);
	}

	it.each<[string, string, string, string[]]>([
		["a balance that the reference moved out of the record", record(), record(["1000001", 7n]), []],
		["a recorded zero that is no entry for us", record(["1000001", 0n]), record(), []],
		[
			"a recorded balance that we have",
			record(["1000001", 7n]),
			record(["1000001", 7n], ["1000002", 1n]),
			[],
		],
		[
			"a recorded balance that is another",
			record(["1000001", 7n]),
			record(["1000001", 8n]),
			["assetV2.1000001"],
		],
		["a recorded balance that we lack", record(["1000001", 7n]), record(), ["assetV2"]],
	])("with the optimisation: %s", async (_, expected, got, paths) => {
		expect((await compare(expected, got, true)).map(({ path }) => path)).toEqual(paths);
	});

	it.each([
		[true, 0],
		[false, 1],
	])("alone may change a record of the reference: optimisation %s", async (optimised, findings) => {
		const genesis: Line = {
			t: "genesis",
			state: {
				account: { [key]: record() },
				properties: { [optimisation]: optimised ? "0000000000000001" : "0000000000000000" },
			},
		};
		const block: BlockLine = { t: "block", number: 1, id: "01", block: "", infos: null, writes: {} };
		const node = new RecordedNode([genesis, block], undefined);
		const recorded = { ...block, writes: { account: { [key]: record() } } };
		expect((await replayInto(node, [genesis, recorded])).findings).toHaveLength(findings);
	});

	it("are compared exactly without the optimisation", async () => {
		expect(await compare(record(), record(["1000001", 7n]), false)).toHaveLength(1);
	});

	it("are found in the store of their own at the end", async () => {
		const assetKey = key + toHex(Buffer.from("1000001"));
		const state = (amount: string): RecordedState => ({
			account: { [key]: record() },
			"account-asset": { [assetKey]: amount },
		});
		const properties = { [optimisation]: "0000000000000001" };
		const run = (amount: string) =>
			replayInto(new RecordedNode([], { account: { [key]: record(["1000001", 7n]) }, properties }), [], {
				end: { ...state(amount), properties },
			});
		expect((await run("0000000000000007")).findings).toEqual([]);
		expect((await run("0000000000000008")).findings.map(({ difference }) => difference)).toEqual([
			{ path: "", expected: 8n, got: 7n },
		]);
	});
});

describe("a recording", () => {
	it("is the set of its .conf file, or all sets of a folder", () => {
		expect(openRecordings("test/golden/core-zero").map(({ name }) => name)).toEqual(["core-zero"]);
		expect(openRecordings("test/golden/core-zero/core-zero.conf").map(({ name }) => name)).toEqual([
			"core-zero",
		]);
	});

	it.each([
		["test/golden/nothing", "does not exist"],
		["test/replay", "holds no .conf file"],
		["package.json", "is no .conf file"],
	])("is refused in one sentence: %s", (path, message) => {
		expect(() => openRecordings(path)).toThrow(message);
	});

	it("of nothing gives no lines", () => {
		expect([...recordingOf([]).lines()]).toEqual([]);
	});
});
