import { describe, expect, it } from "vitest";
import { rowsOfBlock } from "../../../src/node/history/block-rows.js";
import {
	eventOwner,
	type HistoryRow,
	type RowKind,
	readAssetValue,
	readPlace,
	readTokenValue,
} from "../../../src/node/history/rows.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { fromHex, toHex, toKey, utf8 } from "../../../src/protocol/bytes.js";
import type { Message } from "../../../src/protocol/codec/descriptor.js";
import { contractTypeByName } from "../../../src/protocol/contract-types.js";
import * as m from "../../../src/protocol/messages.js";
import { buildTransaction } from "../../../src/protocol/transaction.js";

const address = (n: number): Uint8Array => fromHex(`41${n.toString(16).padStart(40, "0")}`);
const word = (bytes: Uint8Array): Uint8Array => Buffer.concat([new Uint8Array(32 - bytes.length), bytes]);
const number = (value: number): Uint8Array => word(Uint8Array.of(value));
const [anna, bert, coin] = [address(0xa), address(0xb), address(0xc)];
const TRANSFER = fromHex("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
const APPROVAL = fromHex("8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925");

interface Sent {
	readonly type: string;
	readonly parameter: Message;
	readonly failed?: boolean;
	readonly info?: Partial<m.TransactionInfo>;
}

/** Rows of a block 7 of these transactions. */
function rowsOf(...sent: readonly Sent[]): readonly HistoryRow[] {
	const built = sent.map(({ type, parameter, failed }) => {
		const contract = contractTypeByName(type);
		if (!contract) throw new Error(type);
		const made = buildTransaction(contract, parameter, {
			refBlockBytes: new Uint8Array(2),
			refBlockHash: new Uint8Array(8),
			expirationMs: 1n,
			timestampMs: 1n,
		});
		return made.withResults([
			m.TransactionResult.create({
				contractRet: m.TransactionResultContractResult[failed ? "REVERT" : "SUCCESS"],
			}),
		]);
	});
	const header = m.BlockHeader.create({
		raw_data: m.BlockHeaderRaw.create({ number: 7n, timestamp: 21_000n }),
	});
	const block = new SignedBlock(
		m.Block.create({ block_header: header, transactions: built.map(({ message }) => message) }),
		built,
	);
	const infos = sent.flatMap(({ info }, at) =>
		info ? [m.TransactionInfo.create({ ...info, id: built[at]?.id ?? new Uint8Array() })] : [],
	);
	return rowsOfBlock(block, infos);
}

const call = (more: Partial<m.TriggerSmartContract> = {}): Message =>
	m.TriggerSmartContract.create({ owner_address: anna, contract_address: coin, ...more });

const log = (topics: readonly Uint8Array[], data: Uint8Array): m.TransactionInfoLog =>
	m.TransactionInfoLog.create({ address: coin.subarray(1), topics: [...topics], data });

const of = (rows: readonly HistoryRow[], kind: RowKind, owner: Uint8Array): HistoryRow[] =>
	rows.filter((row) => row.kind === kind && row.owner === toKey(owner.subarray(1)));

const directions = (rows: readonly HistoryRow[]): number[] => rows.map(({ value }) => value[0] ?? 0);

describe("the rows of a block", () => {
	it("name the owner and whom the contract is about, once each", () => {
		const rows = rowsOf(
			{
				type: "TransferContract",
				parameter: m.TransferContract.create({ owner_address: anna, to_address: bert }),
			},
			{
				type: "TransferContract",
				parameter: m.TransferContract.create({ owner_address: anna, to_address: anna }),
			},
			{
				type: "VoteWitnessContract",
				parameter: m.VoteWitnessContract.create({
					owner_address: bert,
					votes: [m.VoteWitnessContractVote.create({ vote_address: anna, vote_count: 1n })],
				}),
			},
			{
				type: "DelegateResourceContract",
				parameter: m.DelegateResourceContract.create({ owner_address: bert, receiver_address: anna }),
			},
		);
		expect(directions(of(rows, "transaction", anna))).toEqual([1, 3, 2, 2]);
		expect(directions(of(rows, "transaction", bert))).toEqual([2, 1, 1]);
		expect(of(rows, "transaction", bert).map(({ suffix }) => readPlace(suffix))).toEqual([
			{ height: 7, position: 0, ordinal: 0 },
			{ height: 7, position: 2, ordinal: 0 },
			{ height: 7, position: 3, ordinal: 0 },
		]);
	});

	it("tell token transfers and approvals with all that a page shows of them", () => {
		const topics = [TRANSFER, word(anna.subarray(1)), word(bert.subarray(1))];
		const amount = fromHex("ff".repeat(32));
		const rows = rowsOf({
			type: "TriggerSmartContract",
			parameter: call(),
			info: {
				log: [
					log(topics, amount),
					log([APPROVAL, ...topics.slice(1)], number(0)),
					log([...topics, number(9)], new Uint8Array(0)),
					// Neither form.
					log(topics, new Uint8Array(64)),
					log(topics.slice(0, 2), number(1)),
					log([], number(1)),
				],
			},
		});
		const tokens = of(rows, "token", bert).map(({ value }) => readTokenValue(value));
		expect(tokens.map(({ type, amount: value }) => [type, value])).toEqual([
			["Transfer", 2n ** 256n - 1n],
			["Approval", 0n],
			["Transfer721", 9n],
		]);
		const [first] = tokens;
		expect(first).toMatchObject({ directions: 2, timeMs: 21_000 });
		expect(toHex(first?.contract ?? new Uint8Array())).toBe(toHex(coin.subarray(1)));
		expect(toHex(first?.from ?? new Uint8Array())).toBe(toHex(anna.subarray(1)));
		expect(of(rows, "log", coin)).toHaveLength(6);
		const event = rows.filter(
			({ kind, owner }) => kind === "event" && owner === eventOwner(toKey(coin.subarray(1)), TRANSFER),
		);
		expect(event.map(({ suffix }) => readPlace(suffix).ordinal)).toEqual([0, 2, 3, 4]);
		expect(new Set(of(rows, "holder", coin).map(({ suffix }) => suffix))).toEqual(
			new Set([toKey(anna.subarray(1)), toKey(bert.subarray(1))]),
		);
	});

	it("tell ORC-10 tokens that moved, and none that came back", () => {
		const inner = (rejected: boolean): m.InternalTransaction =>
			m.InternalTransaction.create({
				caller_address: coin,
				transferTo_address: bert,
				callValueInfo: [
					m.InternalTransactionCallValueInfo.create({ callValue: 5n }),
					m.InternalTransactionCallValueInfo.create({ callValue: 6n, tokenId: "1000001" }),
				],
				rejected,
			});
		const paid = { call_token_value: 4n, token_id: 1_000_001n };
		const rows = rowsOf(
			{
				type: "TransferAssetContract",
				parameter: m.TransferAssetContract.create({
					owner_address: anna,
					to_address: bert,
					asset_name: utf8("1000002"),
					amount: 3n,
				}),
			},
			{
				type: "TriggerSmartContract",
				parameter: call(paid),
				info: { internal_transactions: [inner(false), inner(true)] },
			},
			{ type: "TriggerSmartContract", parameter: call({ ...paid, call_value: 1n }), failed: true },
		);
		const shown = (account: Uint8Array): unknown[] =>
			of(rows, "asset", account).map(({ value }) => {
				const { directions: way, token, amount } = readAssetValue(value);
				return [way, token, amount];
			});
		expect(shown(anna)).toEqual([
			[1, "1000002", 3n],
			[1, "1000001", 4n],
		]);
		expect(shown(bert)).toEqual([
			[2, "1000002", 3n],
			[2, "1000001", 6n],
		]);
		expect(of(rows, "internal", bert).map(({ suffix }) => readPlace(suffix).ordinal)).toEqual([1, 2]);
	});
});
