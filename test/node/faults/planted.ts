/** Two chains with the same blocks, of which one is executed with a wrong rule, and what such rules are. */

import { vi } from "vitest";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import type { NodeConfig } from "../../../src/node/config/config.js";
import { createContractMachine } from "../../../src/node/contract-runner.js";
import { contractModule } from "../../../src/node/contracts/modules.js";
import { fromHex } from "../../../src/protocol/bytes.js";
import { CreateSmartContract, SmartContract, TriggerSmartContract } from "../../../src/protocol/messages.js";
import type { SignedTransaction } from "../../../src/protocol/transaction.js";
import { openSmall, signed, users } from "../chain/small-chain.js";

export const owner = users[0] as Uint8Array;

/** Opens a chain that runs contracts. */
export async function openWithContracts(config: NodeConfig): Promise<OpenChain> {
	return openSmall({ config, machine: createContractMachine(config, true).run });
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
const STORING = fromHex(`6660003560005500600052600760${"19"}f3`);

/** Creates the contract. */
export const deployment = (open: OpenChain): SignedTransaction =>
	signed(
		open,
		0,
		"CreateSmartContract",
		CreateSmartContract.create({
			owner_address: owner,
			new_contract: SmartContract.create({ origin_address: owner, bytecode: STORING, name: "storing" }),
		}),
		{ feeLimitSun: 1_000_000_000n },
	);

/** Stores a number with it. */
export const storing = (open: OpenChain, contract: Uint8Array, value: number): SignedTransaction =>
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
