import { describe, expect, it } from "vitest";
import { blockId } from "../../../src/protocol/block.js";
import { sha256 } from "../../../src/protocol/hash.js";
import { BlockHeaderRaw, Transaction, TransactionRaw } from "../../../src/protocol/messages.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";
import { Failure } from "../../../src/wallet/failure.js";
import type { JsonRecord } from "../../../src/wallet/json.js";
import type { NodeClient, NodeView } from "../../../src/wallet/node/node-client.js";
import { knownStatus, statusOf, type TransactionState, waitFor } from "../../../src/wallet/node/wait.js";
import { answering } from "../answering-client.js";

/** What the node answers at each question for the receipt: the block of the full view, and of the solidity view. */
type Moment = {
	readonly full?: bigint;
	readonly solid?: bigint;
	readonly solidTimeMs?: bigint;
	readonly broken?: boolean;
	/** The connection breaks at the question whether it has the transaction. */
	readonly brokenSearch?: boolean;
	/** It waits for a block here. */
	readonly pending?: boolean;
};

const ID = new Uint8Array(32).fill(7);

/** A transaction that refers to block 1 of {@link blockJson}. */
const ending = (expiration: bigint): SignedTransaction =>
	new SignedTransaction(
		Transaction.create({
			raw_data: TransactionRaw.create({
				expiration,
				ref_block_bytes: new Uint8Array([0, 1]),
				ref_block_hash: REFERRED,
			}),
		}),
	);

const blockJson = (number: bigint, ...transactions: JsonRecord[]): JsonRecord => ({
	block_header: { raw_data: { number, timestamp: number * 1_000n } },
	...(transactions.length > 0 ? { transactions } : {}),
});
const REFERRED = blockId(
	1n,
	sha256(BlockHeaderRaw.encode(BlockHeaderRaw.create({ number: 1n, timestamp: 1_000n }))),
).subarray(8, 16);

function play(moments: readonly Moment[]): {
	readonly client: NodeClient;
	readonly pauses: number[];
	readonly sleep: (ms: number) => Promise<void>;
} {
	let index = 0;
	const pauses: number[] = [];
	const now = (): Moment => moments[Math.min(index, moments.length - 1)] as Moment;
	const receipt = (block: bigint | undefined): JsonRecord =>
		block === undefined ? {} : { id: Buffer.from(ID).toString("hex"), blockNumber: block };
	const client = {
		settings: { solidity: "http://solid" },
		call: async (endpoint: string, _request: object, view: NodeView): Promise<JsonRecord> => {
			if (now().broken || (now().brokenSearch && endpoint === "gettransactionbyid"))
				throw new Failure("network", "broken");
			if (endpoint === "gettransactioninfobyid")
				return receipt(view === "solidity" ? now().solid : now().full);
			if (endpoint === "gettransactionbyid") return {};
			if (endpoint === "gettransactionfrompending") return now().pending ? { txID: "07" } : {};
			return { block_header: { raw_data: { number: 1n, timestamp: now().solidTimeMs ?? 0n } } };
		},
	} as unknown as NodeClient;
	return {
		client,
		pauses,
		sleep: async (ms) => {
			pauses.push(ms);
			index++;
		},
	};
}

async function run(
	moments: readonly Moment[],
	until: "solid" | "included" = "solid",
	expirationMs?: bigint,
	onUnknown?: () => void,
) {
	const { client, pauses, sleep } = play(moments);
	let clock = 0;
	const timer = {
		now: () => clock,
		sleep: async (ms: number) => {
			clock += ms;
			await sleep(ms);
		},
	};
	const states: TransactionState[] = [];
	const status = await waitFor(client, expirationMs === undefined ? ID : ending(expirationMs), {
		until,
		timeoutMs: 60_000,
		timer,
		...(onUnknown ? { onUnknown } : {}),
		onStatus: ({ state }) => states.push(state),
	});
	return { state: status.state, states, pauses };
}

describe("waiting for a transaction", () => {
	it("goes from the pool through a block to irreversibility", async () => {
		expect(await run([{}, { full: 5n }, { full: 5n, solid: 5n }])).toEqual({
			state: "solid",
			states: ["included", "solid"],
			pauses: [1000, 1000],
		});
	});

	it("ends in the block if that is enough", async () => {
		expect(await run([{}, { full: 5n }], "included")).toMatchObject({ state: "included" });
	});

	it("goes back when the block is replaced, and on with the next one", async () => {
		const { state, states } = await run([{ full: 5n }, {}, { full: 6n }, { full: 6n, solid: 6n }]);
		expect(state).toBe("solid");
		expect(states).toEqual(["included", "submitted", "included", "solid"]);
	});

	it("doesn't take the solid receipt of a replaced block for this one", async () => {
		expect(
			await run([
				{ full: 6n, solid: 5n },
				{ full: 6n, solid: 6n },
			]),
		).toMatchObject({ state: "solid", pauses: [1000] });
	});

	it("ends when the irreversible time has passed the expiration", async () => {
		expect(await run([{ solidTimeMs: 50n }, { solidTimeMs: 101n }], "solid", 100n)).toMatchObject({
			state: "expired",
		});
	});

	it("survives a broken connection while there is time, and asks less often later", async () => {
		const broken = Array.from({ length: 12 }, () => ({ broken: true }));
		const { state, pauses } = await run([...broken, { full: 1n, solid: 1n }]);
		expect(state).toBe("solid");
		expect(pauses.slice(-3)).toEqual([1000, 3000, 3000]);
	});

	it("doesn't say that a transaction was sent which the node never had", async () => {
		let told = 0;
		const note = (): void => void told++;
		await expect(run([{}], "solid", undefined, note)).rejects.toMatchObject({
			code: "wait_timeout",
			message: expect.stringContaining("knows no such transaction"),
			retry: "wait",
			facts: { sent: "unknown", details: { state: "unknown" } },
		});
		expect(told).toBe(1);
		await expect(run([{ pending: true }, {}], "solid", undefined, note)).rejects.toMatchObject({
			facts: { sent: true, details: { state: "submitted" } },
		});
		expect(told).toBe(1);
	});

	it("goes on when the question whether the node has it is broken off, and says that nothing is known", async () => {
		const unsure: Moment = { brokenSearch: true };
		const told = (): void => undefined;
		const { state } = await run([unsure, { full: 5n, solid: 5n }], "solid", undefined, told);
		expect(state).toBe("solid");
		const unknown = { sent: "unknown", txID: "07".repeat(32) };
		await expect(run([unsure], "solid", undefined, told)).rejects.toMatchObject({ facts: unknown });
		await expect(run([{ broken: true }], "solid", undefined, told)).rejects.toMatchObject({
			code: "network",
			facts: unknown,
		});
		await expect(run([{ pending: true }, { broken: true }], "solid", undefined, told)).rejects.toMatchObject({
			code: "network",
			facts: { sent: true },
		});
	});

	it("gives up after its time, saying that the transaction was sent", async () => {
		await expect(run([{}])).rejects.toMatchObject({ code: "wait_timeout", facts: { sent: true } });
		await expect(run([{ broken: true }])).rejects.toMatchObject({ code: "network", facts: { sent: true } });
	});
});

it("tells of a node without receipts what the transaction itself says: in a block, irreversible, failed", async () => {
	const status = (contractRet: string, timestamp: bigint, pending: JsonRecord | Failure = {}) =>
		statusOf(
			answering({
				gettransactioninfobyid: {},
				gettransactionbyid: { raw_data: { expiration: 100n }, ret: [{ contractRet }] },
				gettransactionfrompending: pending,
				getnodeinfo: { solidityBlock: "Num:1,ID:x" },
				getblockbynum: { block_header: { raw_data: { number: 1n, timestamp } } },
			}).client,
			ID,
		);
	expect(await status("SUCCESS", 100n)).toMatchObject({ state: "included", result: "SUCCESS" });
	expect(await status("SUCCESS", 101n)).toMatchObject({ state: "solid" });
	expect(await status("REVERT", 101n)).toMatchObject({ state: "failed", result: "REVERT" });
	expect(await status("SUCCESS", 100n, { txID: "07" })).toMatchObject({ state: "submitted" });
	const unserved = new Failure("not_served", "");
	expect(await status("SUCCESS", 100n, unserved)).toEqual({ state: "submitted", receipt: undefined });
	expect(await status("SUCCESS", 101n, unserved)).toMatchObject({ state: "solid" });
});

it("calls nothing expired that is in a block of a node which keeps neither receipts nor records, or may be", async () => {
	const followed = ending(5_000n);
	const asked = (ret: JsonRecord[] | undefined, first = 0n) =>
		statusOf(
			answering({
				gettransactioninfobyid: {},
				gettransactionbyid: {},
				gettransactionfrompending: {},
				getnodeinfo: { solidityBlock: "Num:9,ID:x" },
				getnowblock: blockJson(9n),
				getblockbynum: ({ num }) => {
					if (num !== 9n && (num as bigint) < first) return {};
					return num === 3n && ret ? blockJson(3n, { txID: followed.idHex, ret }) : blockJson(num as bigint);
				},
			}).client,
			followed,
		);
	expect(await asked([{ contractRet: "SUCCESS" }])).toEqual({
		state: "solid",
		receipt: undefined,
		result: "SUCCESS",
	});
	expect(await asked([{ contractRet: "REVERT" }])).toMatchObject({ state: "failed", result: "REVERT" });
	expect(await asked(undefined)).toEqual({ state: "expired", receipt: undefined });
	await expect(asked([], 4n)).rejects.toMatchObject({
		code: "rpc_error",
		message: expect.stringContaining("can't tell whether"),
		facts: { sent: "unknown", hint: expect.stringContaining("--node") },
	});
});

it("reads blocks only as long as there is time, and none of a chain whose time stands still", async () => {
	let read = 0;
	const waiting = (timeOf: (number: bigint) => bigint) => {
		let clock = 0;
		return waitFor(
			answering({
				gettransactioninfobyid: {},
				gettransactionbyid: {},
				gettransactionfrompending: {},
				getnodeinfo: { solidityBlock: "Num:65535,ID:x" },
				getnowblock: blockJson(65_535n),
				getblockbynum: ({ num }) => {
					read++;
					clock += 1_000;
					const { block_header, ...more } = blockJson(num as bigint) as { block_header: JsonRecord };
					const { raw_data } = block_header as { raw_data: JsonRecord };
					return { ...more, block_header: { raw_data: { ...raw_data, timestamp: timeOf(num as bigint) } } };
				},
			}).client,
			ending(5_000n),
			{ until: "solid", timeoutMs: 20_000, timer: { now: () => clock, sleep: async () => undefined } },
		);
	};
	const solidMs = (number: bigint): bigint | undefined => (number === 65_535n ? 6_000n : undefined);
	await expect(waiting((number) => solidMs(number) ?? 999n + number)).rejects.toMatchObject({
		code: "timeout",
		facts: { sent: true },
	});
	expect(read).toBeLessThan(30);
	await expect(waiting((number) => solidMs(number) ?? 1_000n)).rejects.toMatchObject({ code: "rpc_error" });
});

it("says of what has no record only that", async () => {
	const nothing = { gettransactioninfobyid: {}, gettransactionbyid: {}, gettransactionfrompending: {} };
	await expect(knownStatus(answering(nothing).client, ID)).rejects.toMatchObject({
		code: "not_found",
		facts: { hint: expect.stringContaining("may have it in a block all the same") },
	});
	const waiting = { ...nothing, gettransactionfrompending: { txID: "07" } };
	expect(await knownStatus(answering(waiting).client, ID)).toMatchObject({ state: "submitted" });
});
