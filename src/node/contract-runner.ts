/** The contract machine as the chain and the APIs call it, set up from the configuration. */

import type { SignedTransaction } from "../protocol/transaction.js";
import type { NodeConfig } from "./config/config.js";
import { RuntimeRuleError } from "./rules/errors.js";
import type { ShieldedProofs } from "./shielded/proofs.js";
import type { NoteTreeHasher } from "./state/note-trees.js";
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

/** A block has few proofs; more threads would have nothing to do. */
const PROOF_THREADS = 2;

/** What a chain with shielded transactions needs beside its rules. */
export interface ShieldedSupport {
	readonly proofs: ShieldedProofs;
	readonly trees: NoteTreeHasher;
	/** Checks the proofs of transactions ahead of their execution, where that can be done elsewhere. */
	prepare?(transactions: readonly SignedTransaction[]): Promise<void>;
	close?(): Promise<void>;
}

/**
 * What checks shielded proofs, loaded where the configuration names their parameters, or for a development chain; or everything
 * else about shielded transactions, where the configuration allows that.
 * @throws {ConfigError} if the files are not there, or not those
 */
export async function loadShieldedSupport(
	config: NodeConfig,
	isDevelopment = false,
): Promise<ShieldedSupport | undefined> {
	const { parameters, verifiesProofs, allowsUnverified } = config.node.shielded;
	if (!verifiesProofs || !(parameters || allowsUnverified || isDevelopment)) return undefined;
	const { encodedTrees: trees } = await import("../protocol/sapling/encoded-tree.js");
	if (parameters) {
		const { loadVerifyingKeys, proofsWith } = await import("./shielded/parameters.js");
		const proofs = await proofsWith(await loadVerifyingKeys(parameters), PROOF_THREADS);
		return {
			proofs,
			trees,
			prepare: (transactions) => proofs.prepare(transactions),
			close: () => proofs.close(),
		};
	}
	if (isDevelopment) {
		const { developmentProofs } = await import("./shielded/development-proofs.js");
		return { proofs: developmentProofs(), trees };
	}
	const { unprovenVerifier } = await import("./shielded/verifier.js");
	return { proofs: unprovenVerifier(), trees };
}

/** Support of a development chain that has no blocks yet: a start doesn't wait for code that hardly any chain needs. */
export class LateSupport implements ShieldedSupport {
	private loaded: ShieldedSupport | undefined;

	readonly proofs: ShieldedProofs = {
		holdsSpend: (...question) => this.support.proofs.holdsSpend(...question),
		holdsOutput: (output) => this.support.proofs.holdsOutput(output),
		holdsBalance: (...question) => this.support.proofs.holdsBalance(...question),
		merkleHash: (...question) => this.support.proofs.merkleHash(...question),
	};
	readonly trees: NoteTreeHasher = {
		append: (...question) => this.support.trees.append(...question),
		root: (tree) => this.support.trees.root(tree),
	};

	become(support: ShieldedSupport | undefined): void {
		this.loaded = support;
	}

	async close(): Promise<void> {
		await this.loaded?.close?.();
	}

	private get support(): ShieldedSupport {
		if (this.loaded) return this.loaded;
		throw new RuntimeRuleError(
			"UnsupportedOperationException",
			"the keys of shielded proofs are being loaded; ask again",
		);
	}
}

/** Whether proofs are taken as good without checking. */
export const takesProofsUnchecked = ({ node: { shielded } }: NodeConfig): boolean =>
	shielded.verifiesProofs && shielded.allowsUnverified && !shielded.parameters;
