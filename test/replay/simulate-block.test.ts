import { expect, test } from "vitest";
import { createContractMachine } from "../../src/node/contract-runner.js";
import { Simulator } from "../../src/node/simulation/simulator.js";
import type { SignedBlock } from "../../src/protocol/block.js";
import { be64 } from "../../src/protocol/bytes.js";
import { TransactionInfo, TransactionRet } from "../../src/protocol/messages.js";
import { simulateBlock } from "../../tools/replay/traces.js";
import { openSmall, produce, produceMany, smallConfig, transfer, users } from "../node/chain/small-chain.js";

test("a block that simulates to other receipts than are recorded is found", async () => {
	const open = await openSmall();
	produceMany(open, 2);
	for (const amount of [1n, 20n])
		open.chain.pushTransaction(transfer(open, 0, users[1] as Uint8Array, amount));
	const block = produce(open);
	const parent = open.chain.blockByNumber(block.number - 1n) as SignedBlock;
	const recorded = open.chain.state.transactionResult.get(be64(block.number)) as TransactionRet;
	const simulator = new Simulator(open, createContractMachine(smallConfig(), false));
	const problems = (infos: readonly Readonly<TransactionInfo>[]): Promise<string[]> =>
		simulateBlock(simulator, parent, block, {
			contracts: 0,
			infos: TransactionRet.encode(TransactionRet.create({ transactioninfo: [...infos] })),
			problems: [],
		});
	const [first, second] = recorded.transactioninfo as [TransactionInfo, TransactionInfo];
	expect(await problems([first, second])).toEqual([]);
	expect(await problems([first, TransactionInfo.create({ ...second, fee: 7n })])).toEqual([
		`simulating ${block.transactions[1]?.idHex} comes to another receipt`,
	]);
	expect(await problems([first])).toHaveLength(1);
	await open.close();
});
