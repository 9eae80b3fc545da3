import { expect, test } from "vitest";
import { utf8 } from "../../../src/protocol/bytes.js";
import {
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
