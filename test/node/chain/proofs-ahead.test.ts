import { afterEach, beforeEach, expect, test } from "vitest";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { prepareAsked, prepareSent } from "../../../src/node/chain/work-ahead.js";
import type { PrepareProofs } from "../../../src/node/shielded/proof-queue.js";
import { loadShieldedSupport } from "../../../src/node/shielded-support.js";
import { fromHex } from "../../../src/protocol/bytes.js";
import { TransactionRaw, TriggerSmartContract } from "../../../src/protocol/messages.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";
import { openSmall, produce, signed, smallConfig, transfer, users } from "./small-chain.js";

let open: OpenChain;
let asked: [ids: string[], lane: string][];
const prepare: PrepareProofs = (transactions, lane) => {
	asked.push([transactions.map(({ idHex }) => idHex), lane]);
	return Promise.resolve();
};

async function openWith(committee: string): Promise<void> {
	const config = smallConfig(committee, "node.shielded.allowUnverified = true");
	open = await openSmall({ config, shielded: await loadShieldedSupport(config, false) });
	produce(open);
}

beforeEach(() => {
	asked = [];
});
afterEach(() => open.close());

/** A mint with its one proof (protocol/shielded §11.2). */
const mint = () =>
	signed(
		open,
		0,
		"TriggerSmartContract",
		TriggerSmartContract.create({
			owner_address: users[0] as Uint8Array,
			contract_address: fromHex(`41${"ab".repeat(20)}`),
			data: fromHex(`855d175e${"00".repeat(1200)}`),
		}),
	);

test("the proofs of what is signed are checked ahead, and those of calls that nobody signs", async () => {
	await openWith("allowShieldedORC20Transaction = 1");
	const transaction = mint();
	await prepareSent(open, prepare, transaction);
	await prepareAsked(open, prepare, transaction);
	const call = [[transaction.idHex], "transaction"];
	expect(asked).toEqual([call, call]);
});

test("nothing is checked for a transaction that is refused for its signature", async () => {
	await openWith("allowShieldedORC20Transaction = 1");
	const { message } = mint();
	const raw = TransactionRaw.create({ ...(message.raw_data as TransactionRaw), data: Uint8Array.of(1) });
	const forged = new SignedTransaction({ ...message, raw_data: raw } as typeof message);
	expect(prepareSent(open, prepare, forged)).toBeUndefined();
	expect(asked).toEqual([]);
});

test("nor for one without proofs, nor on a chain where nothing asks for them", async () => {
	await openWith("allowShieldedORC20Transaction = 1");
	expect(prepareSent(open, prepare, transfer(open, 0, users[1] as Uint8Array, 1n))).toBeUndefined();
	await open.close();
	await openWith("");
	expect(prepareSent(open, prepare, mint())).toBeUndefined();
	expect(prepareAsked(open, prepare, mint())).toBeUndefined();
	expect(asked).toEqual([]);
});
