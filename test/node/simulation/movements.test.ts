import { describe, expect, it } from "vitest";
import { type Movement, movementsOf, TRANSFER_EVENT } from "../../../src/node/simulation/movements.js";
import type { TracedCall } from "../../../src/node/tracing/call-trace.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { TransactionInfo, TransactionInfoLog } from "../../../src/protocol/messages.js";

const account = (n: number): Uint8Array => fromHex(`41${n.toString(16).padStart(40, "0")}`);
const word = (n: number): Uint8Array => fromHex(n.toString(16).padStart(64, "0"));

const call = (kind: string, from: number, to: number, more: object = {}): TracedCall =>
	({
		kind,
		caller: account(from),
		address: account(to),
		value: 0n,
		token: undefined,
		record: undefined,
		reverted: false,
		failure: undefined,
		isEnd: false,
		logs: [],
		calls: [],
		...more,
	}) as unknown as TracedCall;

const log = (position: number, topics: readonly Uint8Array[], data: Uint8Array) => ({
	position,
	index: 0,
	log: TransactionInfoLog.create({ address: account(9).subarray(1), topics, data }),
});

const number = (address: Uint8Array | undefined): number | null =>
	address ? Number(`0x${toHex(address.subarray(1))}`) : null;

/** What the calls moved, accounts as numbers. */
const moved = (root: TracedCall) =>
	movementsOf({ root, info: new TransactionInfo() } as never).map(
		({ from, to, contract, ...more }: Movement) => ({
			...more,
			...(contract ? { contract: number(contract) } : {}),
			from: number(from),
			to: number(to),
		}),
	);

describe("what calls move", () => {
	it("is what each sent, in the order of calls and events", () => {
		const transfer = (position: number, from: number, to: number) =>
			log(position, [TRANSFER_EVENT, word(from), word(to)], word(50 + position));
		const root = call("CALL", 1, 2, {
			value: 7n,
			logs: [transfer(0, 1, 3), transfer(1, 0, 3), transfer(2, 3, 0)],
			calls: [
				call("CALLTOKEN", 2, 4, { token: { id: 1_000_001n, amount: 8n } }),
				call("CREATE2", 2, 5, { value: 9n }),
			],
		});
		expect(moved(root)).toEqual([
			{ asset: "coin", from: 1, to: 2, amount: 7n },
			{ asset: "orc20", contract: 9, from: 1, to: 3, amount: 50n },
			{ asset: "token", id: "1000001", from: 2, to: 4, amount: 8n },
			{ asset: "orc20", contract: 9, from: null, to: 3, amount: 51n },
			{ asset: "coin", from: 2, to: 5, amount: 9n },
			{ asset: "orc20", contract: 9, from: 3, to: null, amount: 52n },
		]);
	});

	it("leaves out what failed, and what a call only shows", () => {
		const inside = [call("CALL", 2, 3, { value: 5n })];
		const root = call("CALL", 1, 2, {
			calls: [
				call("CALL", 2, 4, { value: 1n, reverted: true, calls: inside }),
				call("CALL", 2, 4, { value: 2n, failure: { message: "x" } }),
				call("DELEGATECALL", 2, 2, { value: 3n }),
				call("CALLCODE", 2, 2, { value: 4n }),
			],
		});
		expect(moved(root)).toEqual([]);
		expect(moved(call("CALL", 1, 2, { value: 6n, reverted: true, calls: inside }))).toEqual([]);
	});

	it("knows ends of contracts, tokens of a kind, and events that only look alike", () => {
		const ended = call("SELFDESTRUCT", 2, 3, {
			isEnd: true,
			value: 4n,
			record: {
				tokens: new Map([
					["1000001", 6n],
					["1000002", 0n],
				]),
			},
		});
		const root = call("CALL", 1, 2, {
			calls: [ended],
			logs: [
				log(1, [TRANSFER_EVENT, word(1), word(3), word(77)], new Uint8Array(0)),
				log(1, [TRANSFER_EVENT, word(1), word(3), word(77)], word(1)),
				log(1, [TRANSFER_EVENT, word(1), word(3)], new Uint8Array(31)),
				log(1, [TRANSFER_EVENT, word(1)], word(1)),
				log(1, [word(8), word(1), word(3)], word(1)),
				log(1, [], word(1)),
			],
		});
		expect(moved(root)).toEqual([
			{ asset: "coin", from: 2, to: 3, amount: 4n },
			{ asset: "token", id: "1000001", from: 2, to: 3, amount: 6n },
			{ asset: "orc721", id: "77", contract: 9, from: 1, to: 3, amount: 1n },
		]);
	});
});
