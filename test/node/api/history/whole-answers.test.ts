/** Answers that may be long are made piece by piece, and of lists only what is shown. */

import { expect, test } from "vitest";
import { answerHistory } from "../../../../src/node/api/history/history-routes.js";
import { LongAnswer } from "../../../../src/node/api/long-answer.js";
import { SignedBlock } from "../../../../src/protocol/block.js";
import { be64, fromKey, toKey } from "../../../../src/protocol/bytes.js";
import {
	AssetIssueContract,
	Block,
	BlockHeader,
	BlockHeaderRaw,
	InternalTransaction,
	ResourceReceipt,
	TransactionInfo,
	TransactionInfoLog,
	TransactionRet,
} from "../../../../src/protocol/messages.js";

const CONTRACT = `41${"7".repeat(40)}`;
const ID = "ab".repeat(32);

async function ask(node: object, path: string) {
	const [name = "", query] = path.split("?");
	const context = {
		node: { nowMs: () => 0, config: { node: { dialect: "neutral" } }, ...node },
		server: "full",
	} as never;
	return answerHistory(context, { path: name, query: new URLSearchParams(query), origin: "" });
}

/** The pieces of a long answer that is made so. */
async function pieces(
	node: object,
	path: string,
): Promise<{ readonly all: readonly string[]; cost?: number }> {
	const { text } = await ask(node, path);
	if (!(text instanceof LongAnswer)) expect.fail("it is made at once");
	return { all: [...text.pieces], ...(text.cost === undefined ? {} : { cost: text.cost }) };
}

const read = (all: readonly string[]) => JSON.parse(all.join(""));

test("the source of a contract comes file by file, and a long one when there is room for it", async () => {
	const source = {
		contract: "Shop.sol:Shop",
		compiler: "0.8.37",
		match: "exact",
		language: "Solidity",
		settings: { optimizer: { enabled: true } },
		sources: { "Shop.sol": "contract Shop {}", 'a "b".sol': "x".repeat(1_000) },
		abi: [{ type: "error", name: "No", inputs: [] }],
		storage_layout: { storage: [], types: {} },
	};
	const path = `/v1/contracts/${CONTRACT}/source`;
	const { all, cost } = await pieces({ sources: { get: () => source, sizeOf: () => 3 << 20 } }, path);
	const row = { contract_address: expect.any(String), ...source };
	expect(read(all)).toEqual({ data: [row], success: true, meta: { at: 0, page_size: 1 } });
	expect(Object.keys(read(all).data[0])).toEqual(["contract_address", ...Object.keys(source)]);
	expect(all.filter((piece) => piece.length > 500)).toHaveLength(1);
	expect(cost).toBe(6 << 20);
	const { sources, abi, storage_layout, ...small } = source;
	const short = { get: () => ({ ...small, sources: {}, abi: [] }), sizeOf: () => 100 };
	const answer = await pieces({ sources: short }, path);
	expect(read(answer.all).data).toEqual([{ ...row, sources: {}, abi: [], storage_layout: undefined }]);
	expect(answer.cost).toBeUndefined();
	const none = await pieces({ sources: { get: () => undefined, sizeOf: () => 0 } }, path);
	expect(read(none.all)).toEqual({ data: [], success: true, meta: { at: 0, page_size: 0 } });
});

/** A state with one block, with receipts. */
function stateOf(infos: readonly TransactionInfo[]) {
	const raw_data = BlockHeaderRaw.create({ number: 7n });
	const block = SignedBlock.decode(
		Block.encode(Block.create({ block_header: BlockHeader.create({ raw_data }) })),
	);
	const encoded = TransactionRet.encode(TransactionRet.create({ transactioninfo: [...infos] }));
	return {
		encoded,
		view: () => ({
			properties: { headNumber: 7n, get: () => 0n },
			blockIndex: { get: () => block.id },
			block: { get: () => block.bytes },
			backend: { get: () => encoded },
			transaction: { get: () => be64(7n) },
			transactionResult: { get: () => TransactionRet.decode(encoded) },
			transactionHistory: { get: () => undefined },
		}),
	};
}

test("the sums of a block are made receipt by receipt, when there is room for them", async () => {
	const log = [TransactionInfoLog.create({ data: new Uint8Array(50_000) })];
	const receipt = ResourceReceipt.create({ net_usage: 3n, energy_fee: 5n });
	const infos = [1n, 2n, 3n].map((fee) => TransactionInfo.create({ fee, log, receipt }));
	const { encoded, view } = stateOf(infos);
	const { all, cost } = await pieces({ view }, "/v1/blocks/7/stats");
	expect(cost).toBe(16 * encoded.length);
	expect(all.slice(0, 3)).toEqual(["", "", ""]);
	const sums = { fee: 6, net_usage: 9, energy_fee: 15, energy_usage: 0 };
	expect(read(all).data).toEqual([expect.objectContaining({ block_number: 7, transactions: 0, ...sums })]);
	const none = await pieces(
		{ view: () => ({ ...view(), blockIndex: { get: () => undefined } }) },
		"/v1/blocks/9/stats",
	);
	expect(read(none.all).data).toEqual([]);
});

test("internal transactions are made into rows one by one, and only those that are shown", async () => {
	const hash = (n: number) => Uint8Array.of(n);
	const info = TransactionInfo.create({
		id: Buffer.from(ID, "hex"),
		blockNumber: 7n,
		log: [TransactionInfoLog.create({ data: new Uint8Array(100_000) })],
		internal_transactions: [0, 1, 2, 3, 4].map((n) => InternalTransaction.create({ hash: hash(n) })),
	});
	const { encoded, view } = stateOf([info]);
	const path = `/v1/transactions/${ID}/internal-transactions`;
	const { all, cost } = await pieces({ view }, `${path}?limit=2`);
	expect(cost).toBe(16 * encoded.length);
	const first = read(all);
	const idsOf = (rows: readonly { readonly internal_tx_id: string }[]) =>
		rows.map((row) => row.internal_tx_id);
	expect(idsOf(first.data)).toEqual(["00", "01"]);
	expect(first.meta.page_size).toBe(2);
	// A piece for each row, and one for what follows.
	expect(all).toHaveLength(3);
	const rest = await pieces({ view }, `${path}?limit=9&fingerprint=${first.meta.fingerprint}`);
	expect(idsOf(read(rest.all).data)).toEqual(["02", "03", "04"]);
	expect(read(rest.all).meta.fingerprint).toBeUndefined();
	const unconfirmed = await pieces({ view }, `${path}?only_confirmed=true`);
	expect(read(unconfirmed.all).data).toEqual([]);
});

test.each(["events", "internal-transactions"])(
	"what is wrong in a request for %s of a transaction is refused before it begins",
	async (what) => {
		const { view } = stateOf([]);
		for (const query of ["only_confirmed=perhaps", "limit=0", "fingerprint=x"]) {
			const { status } = await ask({ view }, `/v1/transactions/${ID}/${what}?${query}`);
			expect({ query, status }).toEqual({ query, status: 400 });
		}
	},
);

test("accounts that a token's transfers named are written one by one", async () => {
	const members = async () => Array.from({ length: 1_000 }, (_, n) => fromKeyOf(n));
	const { all } = await pieces({ history: { members } }, `/orc20/getholder/${CONTRACT}`);
	expect(all).toHaveLength(1_001);
	expect(new Set(read(all)).size).toBe(1_000);
});
const fromKeyOf = (number: number): string =>
	toKey(Buffer.from(number.toString(16).padStart(40, "0"), "hex"));

test("of all tokens each is looked at once to be put in order, and those of the page are written", async () => {
	let sorted = 0;
	let written = 0;
	const tokens = new Map(
		Array.from({ length: 50 }, (_, n) => {
			const token = AssetIssueContract.create({ id: String(n), total_supply: BigInt(n * 7) % 50n });
			const supply = token.total_supply;
			Object.defineProperties(token, {
				total_supply: {
					get: () => {
						sorted++;
						return supply;
					},
				},
				description: {
					get: () => {
						written++;
						return new Uint8Array();
					},
				},
			});
			return [String(n), token];
		}),
	);
	const assetIssueV2 = {
		unsettledKeys: () => [],
		keysFrom: () => tokens.keys(),
		get: (key: Uint8Array) => tokens.get(toKey(key)),
	};
	const view = () => ({ assetIssueV2, properties: { on: () => true } });
	const { text } = await ask({ view }, "/v1/assets?order_by=total_supply,desc&limit=1");
	expect(JSON.parse(text as string)).toMatchObject({ data: [{ id: "7", total_supply: 49 }] });
	expect([sorted, written]).toEqual([51, 1]);
});

test("the token that an old transfer named is found by its name, whatever later ones are called", async () => {
	const issued = AssetIssueContract.create({ id: "1000001", precision: 6 });
	const now = AssetIssueContract.create({ id: "1000001", precision: 2, abbr: Buffer.from("GLD") });
	const state = {
		assetIssue: { get: (name: Uint8Array) => (toKey(name) === "Gold" ? issued : undefined) },
		assetIssueV2: { get: (id: Uint8Array) => (toKey(id) === "1000001" ? now : undefined) },
	};
	const { tokenByOldName } = await import("../../../../src/node/tokens/queries.js");
	const found = (on: boolean, name: string) =>
		tokenByOldName({ ...state, properties: { on: () => on } } as never, fromKey(name));
	expect(found(true, "Gold")).toBe(now);
	expect(found(false, "Gold")).toBe(issued);
	expect(found(true, "Lead")).toBeUndefined();
});
