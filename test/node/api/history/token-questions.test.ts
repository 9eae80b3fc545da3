/** What an answer may have contracts execute, and which tokens of an account it tells of. */

import { beforeEach, describe, expect, test } from "vitest";
import { answerHistory } from "../../../../src/node/api/history/history-routes.js";
import { ownerKey } from "../../../../src/node/history/history-index.js";
import { placeSuffix, tokenValue } from "../../../../src/node/history/rows.js";
import { VmError } from "../../../../src/node/vm/vm-error.js";
import { addressFromHash, toBase58Check } from "../../../../src/protocol/address.js";
import { SignedBlock } from "../../../../src/protocol/block.js";
import { fromHex, toHex } from "../../../../src/protocol/bytes.js";
import {
	Block,
	BlockHeader,
	BlockHeaderRaw,
	TransactionResultContractResult,
	type TriggerSmartContract,
} from "../../../../src/protocol/messages.js";
import type { SignedTransaction } from "../../../../src/protocol/transaction.js";

/** 20 bytes. */
const hash = (number: number): Uint8Array => fromHex(number.toString(16).padStart(40, "0"));
const nameOf = (address: Uint8Array): string => toBase58Check(addressFromHash(address));
const ANNA = hash(0xa0000);
const HONEST = hash(0xf0000);
const MOST_ENERGY = 5_000_000n;
const isHonest = (contract: string): boolean => contract === toHex(HONEST);

/** What a call of a contract does: `burn` takes all energy. */
let behaviour: (contract: string, data: string) => bigint | "burn" | "revert";
/** Energy that calls were given and took, and their number. */
let used: bigint;
let calls: number;
let head: number;
let holdings: readonly Uint8Array[];
let holders: readonly Uint8Array[];
/** Contracts of the transfers of the account, the oldest first. */
let movements: readonly Uint8Array[];

/** What a call takes of the honest token, and of the others unless they burn. */
let honestEnergy: bigint;
const USUAL_ENERGY = 2_000n;

function call(_: unknown, transaction: SignedTransaction, { energyLimit }: { energyLimit: bigint }) {
	const { contract_address, data } = transaction.parameter as Readonly<TriggerSmartContract>;
	const contract = toHex(contract_address.subarray(1));
	const done = behaviour(contract, toHex(data));
	const needed = isHonest(contract) ? honestEnergy : USUAL_ENERGY;
	const isOut = done === "burn" || energyLimit < needed;
	const energyUsed = isOut ? energyLimit : needed;
	calls++;
	used += energyUsed;
	if (isOut) throw new VmError(TransactionResultContractResult.OUT_OF_ENERGY, "", "");
	const output = done === "revert" ? new Uint8Array() : fromHex(done.toString(16).padStart(64, "0"));
	return { reverted: done === "revert", output, energyUsed };
}

const blocks = [7n, 8n].map((number) =>
	SignedBlock.decode(
		Block.encode(
			Block.create({
				block_header: BlockHeader.create({ raw_data: BlockHeaderRaw.create({ number }) }),
			}),
		),
	),
);

function contextOf(development = false) {
	const block = () => blocks[head] as SignedBlock;
	const state = {
		properties: {
			get headId() {
				return block().id;
			},
			get headNumber() {
				return block().number;
			},
			get: () => 0n,
		},
		blockIndex: { get: () => block().id },
		block: { get: () => block().bytes },
		contract: { has: () => true },
	};
	const sorted = (addresses: readonly Uint8Array[]) => addresses.map((each) => ownerKey(each)).sort();
	const history = {
		coverage: { isComplete: true },
		members: async (kind: string, _owner: string, limit: number, after = "") =>
			sorted(kind === "holder" ? holders : holdings)
				.filter((member) => member > after)
				.slice(0, limit),
		page: async ({ limit }: { limit: number }) => ({
			rows: movements.slice(0, limit).map((contract, height) => ({
				kind: "token",
				owner: ownerKey(ANNA),
				suffix: placeSuffix(height, 0, 0),
				value: tokenValue(
					{
						directions: 2,
						type: "Transfer",
						timeMs: 0,
						transactionId: new Uint8Array(32),
						contract,
						from: contract,
						to: ANNA,
					},
					new Uint8Array(32),
				),
			})),
			next: undefined,
		}),
	};
	const node = {
		view: () => state,
		forks: () => ({}),
		rules: development ? { development: {} } : {},
		machine: { call },
		history,
		nowMs: () => 0,
		config: { node: { dialect: "neutral" } },
	};
	return { node, server: "full", state } as never;
}

interface Answer {
	readonly data: readonly Record<string, string>[];
	readonly meta: { readonly complete?: boolean; readonly fingerprint?: string };
}

/** One context has what was kept. */
let context: never;
async function get(path: string): Promise<Answer> {
	const [name = "", query] = path.split("?");
	const asked = { path: `/v1/${name}`, query: new URLSearchParams(query), origin: "" };
	const { status, text } = await answerHistory(context, asked);
	expect(status).toBe(200);
	return JSON.parse(text as string);
}

beforeEach(() => {
	[used, calls, head] = [0n, 0, 0];
	[holdings, holders, movements] = [[], [], []];
	honestEnergy = USUAL_ENERGY;
	behaviour = () => 5n;
	context = contextOf();
});

const many = (count: number): Uint8Array[] => Array.from({ length: count }, (_, n) => hash(n + 1));
const burnersButOne = (contract: string) => (isHonest(contract) ? 9n : "burn");

describe("an answer gives contracts a bounded amount of energy", () => {
	test("the holders of a token: the rest is left out, and the answer says so", async () => {
		holders = many(1_000);
		behaviour = () => "burn";
		const { data, meta } = await get(`contracts/${nameOf(HONEST)}/tokens`);
		expect({ data, complete: meta.complete }).toEqual({ data: [], complete: false });
		expect(used).toBeLessThanOrEqual(MOST_ENERGY);
	});

	test("the holders of a usual token are all asked", async () => {
		holders = many(1_000);
		const { data, meta } = await get(`contracts/${nameOf(HONEST)}/tokens?limit=200`);
		expect([data.length, meta.complete, calls]).toEqual([200, undefined, 1_000]);
	});

	test("the balances of an account: what others burn is not taken from an honest token", async () => {
		holdings = [...many(199), HONEST];
		behaviour = burnersButOne;
		const { data, meta } = await get(`accounts/${nameOf(ANNA)}/orc20/balance`);
		expect({ data, complete: meta.complete }).toEqual({ data: [{ [nameOf(HONEST)]: "9" }], complete: false });
		expect(used).toBeLessThanOrEqual(MOST_ENERGY);
	});

	test("a contract that reverts is no token, and nothing is missing without it", async () => {
		holdings = [hash(1), HONEST];
		behaviour = (contract) => (isHonest(contract) ? 9n : "revert");
		const { data, meta } = await get(`accounts/${nameOf(ANNA)}/orc20/balance`);
		expect({ data, meta }).toEqual({ data: [{ [nameOf(HONEST)]: "9" }], meta: { at: 0, page_size: 1 } });
	});

	test("the facts of named tokens", async () => {
		behaviour = burnersButOne;
		const list = [...many(19), HONEST].map(nameOf).join();
		const { data, meta } = await get(`orc20/info?contract_list=${list}`);
		expect(meta.complete).toBe(false);
		expect(data.at(-1)).toMatchObject({ decimals: "9", total_supply: "9" });
		expect(data[0]).toEqual({ contract_address: nameOf(hash(1)), type: "orc20" });
		expect(used).toBeLessThanOrEqual(MOST_ENERGY);
	});

	test("the names of the tokens of a page of transfers", async () => {
		movements = many(20).flatMap((contract) => [contract, contract]);
		behaviour = () => "burn";
		await get(`accounts/${nameOf(ANNA)}/transactions/orc20?limit=40`);
		expect([calls, used <= MOST_ENERGY]).toEqual([60, true]);
	});
});

describe("a question is asked once a block", () => {
	test.each([
		["holders", `contracts/${nameOf(HONEST)}/tokens`],
		["balances", `accounts/${nameOf(ANNA)}/orc20/balance`],
		["facts", `orc20/info?contract_list=${[hash(1), HONEST].map(nameOf).join()}`],
	])("%s", async (_, path) => {
		holders = many(50);
		holdings = [...many(50), HONEST];
		behaviour = burnersButOne;
		const first = await get(path);
		const asked = calls;
		expect(await get(path)).toEqual(first);
		expect(calls).toBe(asked);
		head = 1;
		await get(path);
		expect(calls).toBeGreaterThan(asked);
	});

	test("but on a development chain, whose owner edits the state between two blocks", async () => {
		context = contextOf(true);
		holdings = [HONEST];
		const path = `accounts/${nameOf(ANNA)}/orc20/balance`;
		await get(path);
		behaviour = () => 6n;
		expect((await get(path)).data).toEqual([{ [nameOf(HONEST)]: "6" }]);
	});

	test("facts that lacked energy are asked again at the next block, others never", async () => {
		let isCalm = false;
		behaviour = (contract) => (isHonest(contract) || isCalm ? 9n : "burn");
		const path = `orc20/info?contract_list=${[hash(1), HONEST].map(nameOf).join()}`;
		await get(path);
		[head, isCalm, calls] = [1, true, 0];
		const { data, meta } = await get(path);
		expect([data[0]?.["decimals"], meta.complete, calls]).toEqual(["9", undefined, 5 + 2]);
	});

	test("but with more energy where it had too little among many", async () => {
		holdings = [...many(199), HONEST];
		behaviour = burnersButOne;
		honestEnergy = MOST_ENERGY / 150n;
		const path = `accounts/${nameOf(ANNA)}/orc20/balance`;
		expect((await get(path)).data).toEqual([]);
		const alone = await get(`${path}?contract_address=${nameOf(HONEST)}`);
		expect(alone).toMatchObject({ data: [{ [nameOf(HONEST)]: "9" }] });
		expect(alone.meta.complete).toBeUndefined();
	});
});

describe("the tokens of an account", () => {
	test("begin with those of its oldest transfers, however low the addresses of others are", async () => {
		holdings = [...many(300), HONEST];
		movements = [HONEST, ...many(300)];
		const { data } = await get(`accounts/${nameOf(ANNA)}/orc20/balance?limit=1`);
		expect(data).toEqual([{ [nameOf(HONEST)]: "5" }]);
	});

	test.each([0, 1, 3, 30, 500])(
		"are all found page by page, each once: %i oldest movements",
		async (count) => {
			holdings = [...many(450), HONEST];
			movements = [HONEST, ...many(450).reverse()].slice(0, count);
			const found: string[] = [];
			let next = "";
			for (let pages = 0; pages < 60; pages++) {
				const { data, meta } = await get(`accounts/${nameOf(ANNA)}/orc20/balance?limit=37${next}`);
				found.push(...data.flatMap((row) => Object.keys(row)));
				if (meta.fingerprint === undefined) break;
				next = `&fingerprint=${meta.fingerprint}`;
			}
			expect(found).toHaveLength(451);
			expect(new Set(found)).toEqual(new Set(holdings.map((each) => nameOf(each))));
		},
	);

	test("go on behind contracts that hold nothing", async () => {
		holdings = [...many(250), HONEST];
		behaviour = (contract) => (isHonest(contract) ? 9n : 0n);
		const first = await get(`accounts/${nameOf(ANNA)}/orc20/balance`);
		expect([first.data, calls]).toEqual([[], 200]);
		const rest = await get(
			`accounts/${nameOf(ANNA)}/orc20/balance?fingerprint=${String(first.meta.fingerprint)}`,
		);
		expect(rest).toMatchObject({ data: [{ [nameOf(HONEST)]: "9" }] });
		expect(rest.meta.fingerprint).toBeUndefined();
	});

	test("are none of nobody's address, which transfers name", async () => {
		movements = [HONEST];
		expect((await get(`accounts/${nameOf(new Uint8Array(20))}/orc20/balance`)).data).toEqual([]);
	});
});
