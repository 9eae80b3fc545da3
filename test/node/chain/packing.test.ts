import { expect, test } from "vitest";
import { type PackingContext, packTransactions } from "../../../src/node/chain/packing.js";
import { fromHex, utf8 } from "../../../src/protocol/bytes.js";
import {
	BlockHeaderRaw,
	TransferContract,
	UpdateBrokerageContract,
	WitnessCreateContract,
} from "../../../src/protocol/messages.js";
import { addresses, SmallChain } from "../properties/small-chain.js";
import { openSmall, produce, signed, smallConfig, users } from "./small-chain.js";

test("a transaction under the new permissions of a witness waits for the block after the one that makes it", async () => {
	const chain = await SmallChain.open({
		committee: { allowMultiSign: 1n, changedDelegation: 1n },
		voted: {},
	});
	const owner = addresses[5] as Uint8Array;
	chain.send("WitnessCreateContract", WitnessCreateContract.create({ owner_address: owner, url: utf8("u") }));
	const contract = UpdateBrokerageContract.create({ owner_address: owner, brokerage: 7 });
	const sent = chain.send("UpdateBrokerageContract", contract, { permissionId: 2 });
	expect(sent.kind).toBe("accepted");

	const twin = await chain.twin();
	const types: string[][] = [];
	for (let number = 1n; number <= chain.headNumber; number++) {
		twin.follow(chain.open.chain.blockByNumber(number)?.bytes as Uint8Array);
	}
	for (let i = 0; i < 2; i++) {
		const { block } = chain.produce();
		twin.follow(block.bytes);
		types.push(block.transactions.map(({ type }) => type?.name ?? ""));
	}

	expect(types).toEqual([["WitnessCreateContract"], ["UpdateBrokerageContract"]]);
	expect(twin.headNumber).toBe(chain.headNumber);
});

test("packing writes the parent's id into the history that #95 installed, before the first transaction", async () => {
	const chain = await SmallChain.open({ committee: {}, voted: {} });
	const { state } = chain.open.chain;
	const row = fromHex(`08a62472cc9e6892d2deb3431f4ccfd3${"7".padStart(32, "0")}`);
	const seen: boolean[] = [];
	const context = {
		environment: { state },
		pool: {
			takeForBlock: () => {
				seen.push(state.storageRow.has(row));
				return undefined;
			},
			giveBack: () => {},
		},
	} as unknown as PackingContext;
	const raw = BlockHeaderRaw.create({ number: 8n, parentHash: new Uint8Array(32).fill(5) });
	for (const installed of [0n, 1n]) {
		state.properties.set("BLOCK_HASH_HISTORY_INSTALLED", installed);
		packTransactions(context, raw, () => false);
	}
	expect(seen).toEqual([false, true]);
	expect(state.storageRow.get(row)).toEqual(raw.parentHash);
});

test.each([
	[0n, 1],
	[1n, 0],
])("with parameter 24 = %s, %i transaction with unknown fields goes into a block", async (filter, count) => {
	const open = await openSmall({ config: smallConfig(`allowProtoFilterNum = ${filter}`) });
	produce(open);
	const [owner_address, to_address] = users as [Uint8Array, Uint8Array];
	const known = TransferContract.encode(TransferContract.create({ owner_address, to_address, amount: 1n }));
	const odd = TransferContract.decode(Buffer.concat([known, Uint8Array.of(0x98, 0x3f, 1)]));
	open.chain.pushTransaction(signed(open, 0, "TransferContract", odd));
	expect(produce(open).transactions).toHaveLength(count);
	expect(open.chain.pool.size).toBe(0);
	await open.close();
});
