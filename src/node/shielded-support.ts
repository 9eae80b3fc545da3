/** What a node loads for shielded transactions: proof checking, note trees, and proof creation for clients. */

import { randomBytes } from "node:crypto";
import type { Prover } from "../protocol/sapling/prover.js";
import type { ShieldedWork } from "./api/context.js";
import type { NodeConfig } from "./config/config.js";
import { RuntimeRuleError } from "./rules/errors.js";
import { hasProofs } from "./shielded/proof-questions.js";
import type { PrepareProofs } from "./shielded/proof-queue.js";
import type { ShieldedProofs } from "./shielded/proofs.js";
import type { NoteTreeHasher } from "./state/note-trees.js";

/** A block has few proofs; more threads would be idle. */
const PROOF_THREADS = 2;

/** What a chain with shielded transactions needs besides its rules. */
export interface ShieldedSupport {
	readonly proofs: ShieldedProofs;
	readonly trees: NoteTreeHasher;
	/**
	 * Checks the proofs of transactions ahead of their execution, where that can be done elsewhere; undefined if there is nothing to
	 * wait for.
	 */
	readonly prepare?: PrepareProofs;
	/** Loads what a start doesn't wait for. Absent: nothing left to load. */
	load?(): Promise<void>;
	close?(): Promise<void>;
}

/**
 * What checks shielded proofs, loaded where the configuration names their parameters, or for a development chain; or everything
 * else about shielded transactions, where the configuration allows that.
 * @throws {ConfigError} if the files are not there, or not those
 */
export async function loadShieldedSupport(
	config: NodeConfig,
	isDevelopment: boolean,
): Promise<ShieldedSupport | undefined> {
	const { parameters, verifiesProofs, allowsUnverified } = config.node.shielded;
	if (!verifiesProofs || !(parameters || allowsUnverified || isDevelopment)) return undefined;
	const { encodedTrees: trees } = await import("../protocol/sapling/incremental-tree.js");
	if (parameters) {
		const { loadVerifyingKeys, proofsWith } = await import("./shielded/parameters.js");
		const proofs = await proofsWith(await loadVerifyingKeys(parameters), PROOF_THREADS);
		return {
			proofs,
			trees,
			prepare: (...asked) => proofs.prepare(...asked),
			close: () => proofs.close(),
		};
	}
	if (isDevelopment) {
		const [{ DEVELOPMENT_PROOF_KEYS: DEVELOPMENT_KEYS, developmentVerifier }, { checkedAhead }] =
			await Promise.all([
				import("./shielded/development-proofs.js"),
				import("./shielded/remembered-proofs.js"),
			]);
		const proofs = checkedAhead(developmentVerifier(), DEVELOPMENT_KEYS, PROOF_THREADS);
		return {
			proofs,
			trees,
			prepare: (...asked) => proofs.prepare(...asked),
			close: () => proofs.close(),
		};
	}
	const { unprovenVerifier } = await import("./shielded/verifier.js");
	return { proofs: unprovenVerifier(), trees };
}

/** Whether proofs are accepted without checking. */
export const takesProofsUnchecked = ({ node: { shielded } }: NodeConfig): boolean =>
	shielded.verifiesProofs && shielded.allowsUnverified && !shielded.parameters;

/** For a development chain without blocks: loads code later that hardly any chain needs. */
export class DeferredShieldedSupport implements ShieldedSupport {
	private support: ShieldedSupport | undefined;
	private loading: Promise<void> = Promise.resolve();

	constructor(private readonly source: () => Promise<ShieldedSupport | undefined>) {}

	readonly proofs: ShieldedProofs = {
		holdsSpend: (...question) => this.loaded().proofs.holdsSpend(...question),
		holdsOutput: (...question) => this.loaded().proofs.holdsOutput(...question),
		holdsBalance: (...question) => this.loaded().proofs.holdsBalance(...question),
		merkleHash: (...question) => this.loaded().proofs.merkleHash(...question),
	};

	readonly trees: NoteTreeHasher = {
		append: (...question) => this.loaded().trees.append(...question),
		root: (...question) => this.loaded().trees.root(...question),
	};

	load(): Promise<void> {
		this.loading = this.source().then((support) => {
			this.support = support;
		});
		return this.loading;
	}

	/** Transactions with proofs wait until the checker is loaded. */
	readonly prepare: PrepareProofs = (transactions, lane) => {
		if (this.support) return this.support.prepare?.(transactions, lane);
		if (!transactions.some(hasProofs)) return undefined;
		return this.loading.then(
			() => this.support?.prepare?.(transactions, lane),
			() => undefined,
		);
	};

	readonly close = async (): Promise<void> => this.support?.close?.();

	private loaded(): ShieldedSupport {
		if (this.support) return this.support;
		throw new RuntimeRuleError(
			"UnsupportedOperationException",
			"the keys of shielded proofs are being loaded; ask again",
		);
	}
}

/**
 * What shielded transactions are built with for clients: the process's randomness, and a prover that is opened with the first
 * request for a proof, where the configuration names parameters, or for a development chain.
 */
export function openShieldedWork(
	{ node: { shielded } }: NodeConfig,
	isDevelopment: boolean,
): { readonly work: ShieldedWork; close(): Promise<void> } {
	let opened: Promise<Prover> | undefined;
	const open = async (): Promise<Prover> => {
		const { openProver } = await import("../proving/open-prover.js");
		if (shielded.parameters) return openProver({ parameters: shielded.parameters });
		const { developmentParametersFolder } = await import("../proving/development-parameters.js");
		return openProver({ parameters: { development: developmentParametersFolder(process.env) } });
	};
	return {
		work: {
			random: (length) => Uint8Array.from(randomBytes(length)),
			prover: async () => {
				if (!shielded.parameters && !isDevelopment) return undefined;
				opened ??= open();
				return opened;
			},
		},
		close: async () => (await opened)?.close(),
	};
}
