/** The machine's active rules, read from the state at the start of each execution (protocol/machine §1). */

import { FN_DSA_512, ML_DSA_44 } from "../../protocol/post-quantum/schemes.js";
import type { NetworkName } from "../rules/chain-rules.js";
import { ENERGY_LIMIT_VERSION, type ForkGates } from "../rules/fork-gates.js";
import { isAnySchemeAllowed, isSchemeAllowed } from "../rules/post-quantum.js";
import type { Properties } from "../state/properties.js";

export interface Gates {
	/** #18: tokens in the machine. */
	readonly tokens: boolean;
	/** #20 */
	readonly multiSign: boolean;
	/** #26 */
	readonly constantinople: boolean;
	/** #32 */
	readonly solidity059: boolean;
	/** #39: shielded token precompiles. */
	readonly shielded: boolean;
	/** #41 */
	readonly istanbul: boolean;
	/** #52: stake instructions of the first generation. */
	readonly freeze: boolean;
	/** #59 */
	readonly vote: boolean;
	/** #60: version 1 contracts. */
	readonly compatible: boolean;
	/** #63 */
	readonly london: boolean;
	/** #65 */
	readonly higherCpuLimit: boolean;
	/** #70: stake instructions of the second generation. */
	readonly freezeV2: boolean;
	/** #71 */
	readonly shortChainId: boolean;
	/** #72 */
	readonly dynamicEnergy: boolean;
	/** #76 */
	readonly shanghai: boolean;
	/** #81 */
	readonly energyAdjustment: boolean;
	/** #83 */
	readonly cancun: boolean;
	/** #87 */
	readonly strictMath: boolean;
	/** #89 */
	readonly blob: boolean;
	/** #51 */
	readonly newResourceModel: boolean;
	/** Height has reached `enery.limit.block.num`. */
	readonly energyLimit: boolean;
	/** Since block version 27: an address that signs twice ends the transaction. */
	readonly oneSignaturePerAddress: boolean;
	/** #94: SELFDESTRUCT deletes only contracts created in the same transaction. */
	readonly restrictedSelfDestruct: boolean;
	/** #96 */
	readonly osaka: boolean;
	/** #99: storage rows under their own keys. */
	readonly separateRows: boolean;
	/** Since block version 35: two endless computations end the transaction. */
	readonly endsEndlessWork: boolean;
	/** Since block version 37: stakes of destroyed contracts, odd delegations and submitted hashes end the transaction. */
	readonly endsOddStakes: boolean;
	/** Since block version 38, without #99: touching two slots of one row ends the transaction. */
	readonly endsSharedRows: boolean;
	/** On the Nile test network: the EIP-4844 point evaluation precompile. */
	readonly pointEvaluation: boolean;
	/** On the Nile test network: #1000, #1001, and either of them. */
	readonly fnDsa512: boolean;
	readonly mlDsa44: boolean;
	readonly anyPostQuantum: boolean;
}

/** Block version since which validateMultiSign rejects two signatures of one address. */
const ONE_SIGNATURE_VERSION = 27;

/** PERF: cached until the properties or forks it depends on change, usually for a whole block. */
export const gatesAt = (properties: Properties, forks: ForkGates, network?: NetworkName): Gates =>
	properties.derived(forks, () => readGates(properties, forks, network));

function readGates(properties: Properties, forks: ForkGates, network: NetworkName = "main"): Gates {
	const isNile = network === "nile";
	return {
		tokens: properties.on("ALLOW_TVM_TRANSFER_ORC10"),
		multiSign: properties.on("ALLOW_MULTI_SIGN"),
		constantinople: properties.on("ALLOW_TVM_CONSTANTINOPLE"),
		solidity059: properties.on("ALLOW_TVM_SOLIDITY_059"),
		shielded: properties.on("ALLOW_SHIELDED_ORC20_TRANSACTION"),
		istanbul: properties.on("ALLOW_TVM_ISTANBUL"),
		freeze: properties.on("ALLOW_TVM_FREEZE"),
		vote: properties.on("ALLOW_TVM_VOTE"),
		compatible: properties.on("ALLOW_TVM_COMPATIBLE_EVM"),
		london: properties.on("ALLOW_TVM_LONDON"),
		higherCpuLimit: properties.on("ALLOW_HIGHER_LIMIT_FOR_MAX_CPU_TIME_OF_ONE_TX"),
		freezeV2: properties.get("UNFREEZE_DELAY_DAYS") > 0n,
		shortChainId: properties.on("ALLOW_OPTIMIZED_RETURN_VALUE_OF_CHAIN_ID"),
		dynamicEnergy: properties.on("ALLOW_DYNAMIC_ENERGY"),
		shanghai: properties.on("ALLOW_TVM_SHANGHAI"),
		energyAdjustment: properties.on("ALLOW_ENERGY_ADJUSTMENT"),
		cancun: properties.on("ALLOW_TVM_CANCUN"),
		strictMath: properties.on("ALLOW_STRICT_MATH"),
		blob: properties.on("ALLOW_TVM_BLOB"),
		newResourceModel: properties.on("ALLOW_NEW_RESOURCE_MODEL"),
		energyLimit: forks.passed(ENERGY_LIMIT_VERSION),
		oneSignaturePerAddress: forks.passed(ONE_SIGNATURE_VERSION),
		restrictedSelfDestruct: properties.on("ALLOW_TVM_SELFDESTRUCT_RESTRICTION"),
		osaka: properties.on("ALLOW_TVM_OSAKA"),
		separateRows: properties.on("ALLOW_OPTIMIZE_TVM_STORAGE"),
		endsEndlessWork: forks.upgradedTo("4.8.1.1"),
		endsOddStakes: forks.upgradedTo("4.8.2.2"),
		endsSharedRows: forks.upgradedTo("4.8.2.3"),
		pointEvaluation: isNile && properties.on("ALLOW_TVM_BLOB"),
		fnDsa512: isNile && isSchemeAllowed(properties, FN_DSA_512),
		mlDsa44: isNile && isSchemeAllowed(properties, ML_DSA_44),
		anyPostQuantum: isNile && isAnySchemeAllowed(properties),
	};
}
