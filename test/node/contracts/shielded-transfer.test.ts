/** What the recordings of the pool lack: amounts at their limits, and an effect that fails after the checks. */

import { afterEach, describe, expect, it } from "vitest";
import { buildValid } from "../../../src/node/api/builder.js";
import type { ApiContext } from "../../../src/node/api/context.js";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { scheduledWitness, slotTimeMs } from "../../../src/node/consensus/slots.js";
import { parameterTypeRefusal } from "../../../src/node/contracts/modules.js";
import { ValidateSignatureError } from "../../../src/node/rules/errors.js";
import type { ShieldedProofs } from "../../../src/node/shielded/proofs.js";
import { utf8 } from "../../../src/protocol/bytes.js";
import { contractType } from "../../../src/protocol/contract-types.js";
import { MAX_INT64 } from "../../../src/protocol/int64.js";
import {
	Account,
	ReceiveDescription,
	ShieldedTransferContract,
	SpendDescription,
} from "../../../src/protocol/messages.js";
import { encodedTrees } from "../../../src/protocol/sapling/incremental-tree.js";
import { forge, keyOfWitness, openSmall, produce, signed, smallConfig, users } from "../chain/small-chain.js";

const TOKEN = "1000001";
const FEE = 100_000n;
const [sender, receiver] = users as [Uint8Array, Uint8Array];

/** What the fake proof system says. */
let answers = { spend: true, output: true, balance: true };
let asked: string[] = [];
const proofs: ShieldedProofs = {
	holdsSpend: () => asked.push("spend") > 0 && answers.spend,
	holdsOutput: () => asked.push("output") > 0 && answers.output,
	holdsBalance: ({ value }) => asked.push(`balance ${value}`) > 0 && answers.balance,
	merkleHash: () => new Uint8Array(32),
};

let open: OpenChain;
afterEach(() => open?.close());

async function start(pool = 0n, held = 10_000_000n): Promise<void> {
	answers = { spend: true, output: true, balance: true };
	asked = [];
	const keys = `node.zenTokenId = "${TOKEN}"\nnode.allowShieldedTransactionApi = true`;
	open = await openSmall({
		config: smallConfig("allowShieldedTransaction = 1, allowSameTokenName = 1", keys),
		shielded: { proofs, trees: encodedTrees },
		initialize: (state) => {
			state.properties.set("TOTAL_SHIELDED_POOL_VALUE", pool);
			for (const [address, amount] of [
				[sender, held],
				[receiver, MAX_INT64],
			] as const) {
				const account = Account.copy(state.account.existing(address));
				account.assetV2 = new Map([[TOKEN, amount]]);
				state.account.put(address, account);
			}
		},
	});
	produce(open);
}

const part = (length: number, fill = 1) => new Uint8Array(length).fill(fill);
const output = (fill: number) =>
	ReceiveDescription.create({
		value_commitment: part(32),
		note_commitment: part(32, fill),
		epk: part(32),
		c_enc: part(580),
		c_out: part(80),
		zkproof: part(192),
	});
const shield = (amount: bigint, more: Partial<ShieldedTransferContract> = {}) =>
	ShieldedTransferContract.create({
		transparent_from_address: sender,
		from_amount: amount,
		receive_description: [output(1)],
		binding_signature: part(64),
		...more,
	});
const push = (contract: ShieldedTransferContract) =>
	open.chain.pushTransaction(signed(open, 0, "ShieldedTransferContract", contract));
const held = (address: Uint8Array) => open.chain.state.account.existing(address).assetV2.get(TOKEN);

describe("a parameter that is another message", () => {
	it.each([
		["ShieldedTransferContract", "Type of the Any message does not match the given class."],
		[
			"FreezeBalanceContract",
			"contract type error,expected type [FreezeBalanceContract],real type[class com.google.protobuf.Any]",
		],
	] as const)("is refused as %s in the words of that type", (type, text) => {
		expect(parameterTypeRefusal(type)).toBe(text);
	});
});

describe("a shielded transfer", () => {
	it("takes amount and fee, and lets tree and pool grow", async () => {
		await start();
		const info = push(shield(1_000_000n));
		expect(info?.shielded_transaction_fee).toBe(FEE);
		expect(info?.fee).toBe(0n);
		expect(held(sender)).toBe(9_000_000n);
		expect(open.chain.state.properties.get("TOTAL_SHIELDED_POOL_VALUE")).toBe(1_000_000n - FEE);
		expect(held(open.rules.blackHole)).toBe(FEE);
		const tree = open.chain.state.merkleTree.get(utf8("CURRENT_TREE")) as Uint8Array;
		expect(tree).toEqual(encodedTrees.append(new Uint8Array(0), [part(32)]));
		expect(asked).toEqual(["output", `balance ${FEE - 1_000_000n}`]);
	});

	it("keeps one in a block, and drops the others from the pool of who packs", async () => {
		await start();
		push(shield(1_000_000n));
		push(shield(1_000_001n, { receive_description: [output(2)] }));
		expect(produce(open).transactions).toHaveLength(1);
		expect(open.chain.pool.size).toBe(0);
		expect(produce(open).transactions).toHaveLength(0);
	});

	it.each([
		["output", { output: false }, "librustzcashSaplingCheckOutput error"],
		["balance", { balance: false }, "librustzcashSaplingFinalCheck error"],
	])("is refused when its %s does not hold", async (_, wrong, message) => {
		await start();
		answers = { ...answers, ...wrong };
		expect(() => push(shield(1_000_000n))).toThrow(
			expect.objectContaining({ message, className: "ZkProofValidateException" }),
		);
		expect(held(sender)).toBe(10_000_000n);
	});

	it("is looked at like that where it is only built, too", async () => {
		await start();
		const { chain, rules } = open;
		const config = smallConfig();
		const node = {
			catchUp: () => false,
			rules,
			config,
			forks: () => chain.environment.forks,
			nowMs: () => 0,
		};
		const context = { node, state: chain.state } as unknown as ApiContext;
		const build = () => buildValid(context, contractType("ShieldedTransferContract"), shield(1_000_000n));
		expect(build().parameter).toMatchObject({ from_amount: 1_000_000n });
		answers.balance = false;
		expect(build).toThrow("librustzcashSaplingFinalCheck error");
	});

	it("is refused in other words when it failed before, and passes once its proofs hold", async () => {
		await start();
		const contract = shield(1_000_000n);
		answers.output = false;
		expect(() => push(contract)).toThrow("librustzcashSaplingCheckOutput error");
		expect(() => push(contract)).toThrow(
			expect.objectContaining({
				message: "record is fail, skip proof",
				className: "ZkProofValidateException",
			}),
		);
		answers.output = true;
		expect(push(contract)?.shielded_transaction_fee).toBe(FEE);
	});

	it("needs its signature even where the pool takes no more of them", async () => {
		await start(0n, 100_000_000n);
		for (let i = 0n; i < 10n; i++) push(shield(1_000_000n + i, { receive_description: [output(Number(i))] }));
		const last = shield(1_000_000n, { receive_description: [output(11)] });
		expect(push(last)).toBeUndefined();
		expect(() => open.chain.pushTransaction(signed(open, 1, "ShieldedTransferContract", last))).toThrow(
			ValidateSignatureError,
		);
	});

	it("does not come back to a pool that takes no more of them", async () => {
		await start(0n, 100_000_000n);
		for (let i = 0n; i < 10n; i++) push(shield(1_000_000n + i, { receive_description: [output(Number(i))] }));
		const { chain } = open;
		const last = shield(1_000_000n, { receive_description: [output(11)] });
		const receivedMs = chain.pool.list()[0]?.receivedMs as bigint;
		chain.pool.addPopped([signed(open, 0, "ShieldedTransferContract", last)], receivedMs);
		const witness = scheduledWitness(chain.state, 1n);
		const key = keyOfWitness(witness);
		chain.push(forge(chain.head, slotTimeMs(chain.state, 1n), { key, witness }), "peer");
		expect(chain.pool.list()).toHaveLength(11);
		chain.executeWaiting(Number.POSITIVE_INFINITY);
		expect(chain.pool.list()).toHaveLength(10);
	});

	it("may not take more out of the pool than it holds", async () => {
		await start(0n);
		// The fee is more than what comes in: an amount at the fee is refused earlier.
		const out = shield(FEE + 1n, { transparent_to_address: open.rules.blackHole, to_amount: 5n });
		expect(() => push(out)).toThrow("shieldedPoolValue error");
	});

	it("may not overflow what its receiver holds, or 64 bits", async () => {
		await start(MAX_INT64);
		const to = { transparent_to_address: receiver, to_amount: 1n };
		expect(() => push(shield(1_000_000n, to))).toThrow("long overflow");
		expect(() => push(shield(1_000_000n))).toThrow(
			expect.objectContaining({ message: "long overflow", className: "ZkProofValidateException" }),
		);
	});

	it.each([
		[
			{ transparent_from_address: receiver },
			"Can't transfer zen to yourself",
			{ transparent_to_address: receiver },
		],
		[{ receive_description: [output(1), output(1)] }, "duplicate cm in receive_description", {}],
		[
			{ spend_description: [SpendDescription.create()] },
			"ShieldedTransferContract error, more than 1 senders",
			{},
		],
	])("is refused before its proofs are looked at: %#", async (parts, message, more) => {
		await start();
		const contract = shield(1_000_000n, { ...parts, ...more });
		const user = "transparent_from_address" in parts ? 1 : 0;
		expect(() =>
			open.chain.pushTransaction(signed(open, user, "ShieldedTransferContract", contract)),
		).toThrow(message);
		expect(asked).toEqual([]);
	});
});
