/** The contract machine for chain and APIs, set up from the configuration. */

import type { NodeConfig } from "./config/config.js";
import type { ShieldedProofs } from "./shielded/proofs.js";
import { ContractMachine } from "./vm/contract-machine.js";
import type { CodelessCallListener } from "./vm/machine.js";
import { vmSettings } from "./vm/settings.js";

/**
 * @param limitTime whether executions outside signed blocks end after the chain's CPU time (not under `--debug`)
 * @param onCodelessCall called with calls to accounts without code
 * @param proofs checks shielded proofs; without it an execution that asks for one is refused
 */
export function createContractMachine(
	config: NodeConfig,
	limitTime: boolean,
	onCodelessCall?: CodelessCallListener,
	proofs?: ShieldedProofs,
): ContractMachine {
	return new ContractMachine({ ...vmSettings(config, limitTime, proofs), onCodelessCall });
}
