/** The contract machine as the chain and the APIs call it, set up from the configuration. */

import type { NodeConfig } from "./config/config.js";
import { RuntimeRuleError } from "./rules/errors.js";
import type { ShieldedProofs } from "./shielded/proofs.js";
import { ContractMachine } from "./vm/contract-machine.js";
import type { CodelessCallListener } from "./vm/machine.js";
import { vmSettings } from "./vm/settings.js";

/**
 * @param limitTime whether executions outside signed blocks end after the chain's CPU time (not under `--debug`)
 * @param onCodelessCall told of calls to accounts without code
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

/**
 * What checks shielded proofs, loaded where the configuration names their parameters, or for a development chain.
 * @throws {ConfigError} if the files are not there, or not those
 */
export async function loadShieldedProofs(
	config: NodeConfig,
	isDevelopment: boolean,
): Promise<ShieldedProofs | undefined> {
	const { parameters, verifiesProofs } = config.node.shielded;
	if (!verifiesProofs) return undefined;
	if (parameters) return (await import("./shielded/parameters.js")).loadVerifier(parameters);
	if (!isDevelopment) return undefined;
	return (await import("./shielded/development-proofs.js")).developmentProofs();
}

/** The proofs of a development chain that has no blocks yet: a start doesn't wait for code that hardly any chain needs. */
export class LateProofs implements ShieldedProofs {
	private proofs: ShieldedProofs | undefined;

	become(proofs: ShieldedProofs | undefined): void {
		this.proofs = proofs;
	}

	verify(...question: Parameters<ShieldedProofs["verify"]>): boolean {
		return this.loaded().verify(...question);
	}

	merkleHash(...question: Parameters<ShieldedProofs["merkleHash"]>): Uint8Array {
		return this.loaded().merkleHash(...question);
	}

	private loaded(): ShieldedProofs {
		if (this.proofs) return this.proofs;
		throw new RuntimeRuleError(
			"UnsupportedOperationException",
			"the keys of shielded proofs are being loaded; ask again",
		);
	}
}
