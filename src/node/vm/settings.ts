/** Machine settings from the node's configuration. */

import type { NodeConfig } from "../config/config.js";
import { MissingProofsError } from "../rules/errors.js";
import { type ShieldedProofs, unverifiedProofs } from "../shielded/proofs.js";
import type { VmSettings } from "./contract-machine.js";

function refuse(): never {
	throw new MissingProofsError();
}

/** Verifier for nodes without proofs: rejects every transaction that needs one checked. */
export const proofsMissing: ShieldedProofs = {
	holdsSpend: refuse,
	holdsOutput: refuse,
	holdsBalance: refuse,
	merkleHash: refuse,
};

/**
 * @param limitTime whether executions outside signed blocks are limited to the chain's CPU time
 * @param proofs verifies shielded proofs, if the configuration enables that
 */
export function vmSettings(
	config: NodeConfig,
	limitTime: boolean,
	proofs: ShieldedProofs = proofsMissing,
): VmSettings {
	return {
		programCacheSize: config.vm.lruCacheSize,
		compiles: config.vm.compile,
		saveInternal: config.vm.saveInternalTx,
		saveFeaturedInternal: config.vm.saveFeaturedInternalTx,
		saveCancelDetails: config.vm.saveCancelAllUnfreezeV2Details,
		limitTime,
		callTimeoutMs: config.vm.constantCallTimeoutMs,
		minTimeRatio: config.vm.minTimeRatio,
		maxTimeRatio: config.vm.maxTimeRatio,
		dialect: config.node.dialect,
		proofs: config.node.shielded.verifiesProofs ? proofs : unverifiedProofs,
	};
}
