/** Two chains with the same blocks, of which one is executed with a wrong rule, and what such rules are. */

import { vi } from "vitest";
import { transactionInfosOf } from "../../../src/node/chain/block-store.js";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import type { NodeConfig } from "../../../src/node/config/config.js";
import { createContractMachine } from "../../../src/node/contract-runner.js";
import { contractModule } from "../../../src/node/contracts/modules.js";
import { FaultWatch } from "../../../src/node/faults/fault-watch.js";
import { ChainError } from "../../../src/node/rules/errors.js";
import type { SignedBlock } from "../../../src/protocol/block.js";
import { fromHex } from "../../../src/protocol/bytes.js";
import { CreateSmartContract, SmartContract, TriggerSmartContract } from "../../../src/protocol/messages.js";
import type { SignedTransaction } from "../../../src/protocol/transaction.js";
import { openSmall, produce, signed, smallConfig, transfer, users } from "../chain/small-chain.js";

export const owner = users[0] as Uint8Array;

/** Switches without which code is deployed as in the network's first year. */
export const CONTRACTS = "allowTvmTransferTrc10 = 1, allowTvmConstantinople = 1, allowTvmSolidity059 = 1";

/** Opens a chain that runs contracts. @param limitTime whether the clock ends what takes long: only where the clock is the test's own */
export async function openWithContracts(config: NodeConfig, limitTime = false): Promise<OpenChain> {
	return openSmall({ config, machine: createContractMachine(config, limitTime).run });
}

/** Runs with a rule that is wrong: every transfer of one amount is refused. */
export function refusingTransfers<T>(amount: bigint, run: () => T): T {
	const module = contractModule("TransferContract");
	if (!module) throw new Error("there are transfers");
	const right = module.validate;
	const planted = vi.spyOn(module, "validate").mockImplementation((context) => {
		right.call(module, context);
		const { amount: asked } = context.contract as { readonly amount?: bigint };
		if (asked === amount)
			module.validate.call(module, { ...context, contract: { ...context.contract, amount: -1n } as never });
	});
	try {
		return run();
	} finally {
		planted.mockRestore();
	}
}

/** Code that stores the first word of its call data in slot 0. */
const STORING = fromHex("66600035600055006000526007" + "6019f3");

/** Code that counts the first word of its call data down to 0. */
export const COUNTING = fromHex("6c6000355b6001900380600357006000" + "52600d6013f3");

/** Creates a contract. */
export const deployment = (open: OpenChain, bytecode = STORING): SignedTransaction =>
	signed(
		open,
		0,
		"CreateSmartContract",
		CreateSmartContract.create({
			owner_address: owner,
			new_contract: SmartContract.create({ origin_address: owner, bytecode, name: "small" }),
		}),
		{ feeLimitSun: 1_000_000_000n },
	);

/** Calls a contract with a number. */
export const calling = (open: OpenChain, contract: Uint8Array, value: number): SignedTransaction =>
	signed(
		open,
		0,
		"TriggerSmartContract",
		TriggerSmartContract.create({
			owner_address: owner,
			contract_address: contract,
			data: fromHex(value.toString(16).padStart(64, "0")),
		}),
		{ feeLimitSun: 1_000_000_000n },
	);

export const config = smallConfig(CONTRACTS);

/** Records what a chain refuses. @param folder of the files */
export function watch(open: OpenChain, folder: string) {
	const lines: object[] = [];
	const faults = new FaultWatch({
		source: { open, config, limitTime: true, program: "coin test" },
		folder,
		log: { error: (fields) => lines.push(fields) },
		report: (error) => {
			throw error;
		},
	});
	open.chain.observe({ refused: (block, error) => faults.refused(block, error) });
	return { faults, lines };
}

/** Blocks of a chain that has paid and called contracts, each with one transaction. */
export async function blocks(): Promise<readonly SignedBlock[]> {
	const open = await openWithContracts(config);
	const made: SignedBlock[] = [];
	const add = (transaction: Parameters<OpenChain["chain"]["pushTransaction"]>[0]): void => {
		open.chain.pushTransaction(transaction);
		made.push(produce(open));
	};
	add(transfer(open, 0, users[1] as Uint8Array, 5n));
	add(deployment(open));
	const [info] = transactionInfosOf(open.chain.state, open.chain.head);
	open.chain.pushTransaction(calling(open, info?.contract_address as Uint8Array, 77));
	open.chain.pushTransaction(transfer(open, 0, users[1] as Uint8Array, 6n));
	open.chain.pushTransaction(transfer(open, 1, users[2] as Uint8Array, 7n));
	open.chain.pushTransaction(transfer(open, 2, users[0] as Uint8Array, 8n));
	made.push(produce(open));
	await open.close();
	return made;
}

/** The file of a block that a wrong rule refused. @param folder in which it is made */
export async function makeFault(folder: string): Promise<string> {
	const made = await blocks();
	const open = await openWithContracts(config);
	const { faults } = watch(open, folder);
	for (const block of made.slice(0, -1)) open.chain.push(block, "peer");
	refusingTransfers(7n, () => {
		try {
			open.chain.push(made.at(-1) as SignedBlock, "peer");
		} catch (error) {
			if (!(error instanceof ChainError)) throw error;
		}
	});
	await faults.close();
	await open.close();
	const { file } = faults.first ?? {};
	if (file === undefined) throw new Error("no fault was found");
	return file;
}
