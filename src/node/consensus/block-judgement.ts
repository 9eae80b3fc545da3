/**
 * Accepting a block is one judgement (protocol/blocks §§4.1 to 4.3, protocol/consensus §1.4): the form of its contents, its Merkle root, its
 * witness's signature, its witness and its slot. Where a block comes from decides which of these are taken for granted;
 * nothing else does.
 *
 * The network's own push tests neither signature nor slot before it stores a block of a side branch: a key generated a
 * moment ago could fill its memory, and have it undo the last blocks. Blocks of strangers are judged whole, against
 * the state of the block where their branch leaves the chain, before anything is kept or undone.
 */

import type { SignedBlock } from "../../protocol/block.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import { budgetOfBytes } from "../../protocol/codec/budget.js";
import type { PQAuthSig } from "../../protocol/messages.js";
import { witnessSigningAddress } from "../../protocol/permission.js";
import {
	addressOfPostQuantumKey,
	isSignatureLength,
	postQuantumScheme,
	postQuantumSchemeName,
} from "../../protocol/post-quantum/schemes.js";
import { SignatureError } from "../../protocol/signature.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { admissionOf } from "../rules/admission.js";
import type { ChainRules } from "../rules/chain-rules.js";
import {
	BadBlockError,
	BadNumberBlockError,
	BlockSignatureError,
	MerkleRootError,
	RuntimeRuleError,
	ValidateScheduleError,
} from "../rules/errors.js";
import { isSchemeAllowed } from "../rules/post-quantum.js";
import type { Release } from "../rules/release.js";
import type { StateView } from "../state/view.js";
import { maintenanceDue } from "./maintenance.js";
import { checkSchedule, followsInTime } from "./schedule.js";
import { activeWitnesses, type ScheduleHead } from "./slots.js";

/** Largest serialised block of another node, in bytes (protocol/blocks §4.1). */
export const MAX_BLOCK_BYTES = 2_001_000;

/** What decoding a block from outside may cost. It has what its bytes can hold: one of the greatest size must not fail here. */
export const BLOCK_BUDGET = budgetOfBytes(MAX_BLOCK_BYTES);

export const MAX_SHIELDED_PER_BLOCK = 1;

/** What is taken for granted about a block. */
interface BlockTrust {
	/** Its transactions are those of the header's root, and their signatures are right. */
	readonly contents: boolean;
	/** Its witness signed it, and its slot is its witness's. */
	readonly header: boolean;
}

/** Where a block comes from, and what that vouches for. */
export const BLOCK_ORIGINS = {
	/** Another node: nothing is known. */
	peer: { contents: false, header: false },
	/** A file of blocks: its author is not trusted either. */
	import: { contents: false, header: false },
	/** A recording of the network's own push, which leaves the header to its caller. */
	recording: { contents: false, header: true },
	/** The block log of this node, which holds what was judged before; the database's own files are trusted alike. */
	restored: { contents: true, header: true },
	/** A block of a side branch in the block log: its header was judged, its contents were not executed. */
	restoredBranch: { contents: false, header: true },
	/** Made by this node. */
	own: { contents: true, header: true },
} as const satisfies Readonly<Record<string, BlockTrust>>;

export type BlockOrigin = keyof typeof BLOCK_ORIGINS;

export const isShielded = (transaction: SignedTransaction): boolean =>
	transaction.type?.name === "ShieldedTransferContract";

/**
 * A block in the form in which the network's nodes take it, which may be another than it came in: one rule for peers and files. Who
 * vouches for the header alone gives a block as it was taken; its fields of Nile are read all the same (protocol/post-quantum §1).
 * @throws {DecodeError} where fields of that network don't decode
 */
export function asReadBy(
	{ network, release }: Pick<ChainRules, "network" | "release">,
	received: SignedBlock,
	{ contents, header }: BlockTrust,
): SignedBlock {
	if (contents) return received;
	if (!header) return admissionOf({ release }).received(received, network);
	return network === "nile" ? received.asReadOnNile() : received;
}

/**
 * Judges what a block holds, in the order of the network's push.
 * @throws {ChainError} the first rule that it breaks
 */
export function judgeContents(block: SignedBlock, { contents }: BlockTrust, release: Release): void {
	const { transactions } = block;
	if (transactions.some((transaction) => (transaction.raw?.contract.length ?? 0) === 0)) {
		throw new RuntimeRuleError("IndexOutOfBoundsException", "Index: 0");
	}
	if (!contents) checkMerkleRoot(block, release);
	const shielded = transactions.filter(isShielded).length;
	if (shielded > MAX_SHIELDED_PER_BLOCK) {
		throw new BadBlockError(`num: ${block.number}, shielded transaction count > ${MAX_SHIELDED_PER_BLOCK}`);
	}
}

/** @throws {MerkleRootError | RuntimeRuleError} */
export function checkMerkleRoot(block: SignedBlock, release: Release): void {
	const stored = block.raw.txTrieRoot;
	if (stored.length !== 32) throw new RuntimeRuleError("IllegalArgumentException", "null");
	const computed = block.computeMerkleRoot();
	if (equalBytes(computed, stored)) return;
	throw new MerkleRootError(admissionOf({ release }).rootMismatch(block.number, stored, computed));
}

/** The address that signs blocks for a witness: its permission's key, where accounts may have one (protocol/blocks §4.2). */
export function signerOfWitness(state: StateView, witness: Uint8Array): Uint8Array {
	const account = state.properties.on("ALLOW_MULTI_SIGN") ? state.account.get(witness) : undefined;
	return account ? witnessSigningAddress(account) : witness;
}

/** Whether a header is signed, which blocks that are being made are not yet. */
export const isSigned = (block: SignedBlock, { network }: Pick<ChainRules, "network">): boolean =>
	block.header.witness_signature.length > 0 ||
	(network === "nile" && (block.postQuantum?.signature.length ?? 0) > 0);

/**
 * @throws {BlockSignatureError} if the header is not signed by the key of its witness (protocol/blocks §4.2; on Nile
 * protocol/post-quantum §6.1)
 */
export function checkHeaderSignature(
	state: StateView,
	{ network }: Pick<ChainRules, "network">,
	block: SignedBlock,
): void {
	if (network === "nile") {
		if (state.properties.on("ALLOW_MULTI_SIGN") && !state.account.has(block.witness)) {
			throw new BlockSignatureError(`witness account not found: ${toHex(block.witness)}`);
		}
		const entry = block.postQuantum;
		const isRecoverable = block.header.witness_signature.length > 0;
		if (entry && isRecoverable) {
			throw new BlockSignatureError("witness_signature and pq_auth_sig are mutually exclusive");
		}
		if (entry) {
			const error = postQuantumRefusal(state, block.witness, entry, () => block.isPostQuantumValid());
			if (error) throw error;
			return;
		}
		if (!isRecoverable) throw new BlockSignatureError("missing witness signature");
	}
	checkRecoveredSigner(state, block);
}

/**
 * Why a post-quantum signature of a header, or of a greeting, is not its witness's; undefined: it is.
 * @param isValid verifies it, where all else is right
 */
export function postQuantumRefusal(
	state: StateView,
	witness: Uint8Array,
	entry: Readonly<PQAuthSig>,
	isValid: () => boolean,
): BlockSignatureError | undefined {
	const refuse = (why: string) => new BlockSignatureError(`pq_auth_sig ${why}`);
	if (entry.$unknown) return refuse("contains unknown fields");
	const scheme = postQuantumScheme(entry.scheme);
	const name = postQuantumSchemeName(entry.scheme);
	if (!scheme || !isSchemeAllowed(state.properties, scheme)) return refuse(`scheme ${name} is not allowed`);
	if (entry.public_key.length !== scheme.publicKeyLength) {
		return refuse(`public key length mismatch for scheme ${name}`);
	}
	if (!equalBytes(addressOfPostQuantumKey(entry.public_key), signerOfWitness(state, witness))) {
		return refuse("public key does not match witness permission address");
	}
	if (!isSignatureLength(scheme, entry.signature.length)) {
		return refuse(`signature length mismatch for scheme ${name}`);
	}
	return isValid() ? undefined : new WrongSignerError();
}

/** A signature that is none of the witness's key. */
class WrongSignerError extends BlockSignatureError {
	constructor() {
		super("valid signature failed.");
	}
}

function checkRecoveredSigner(state: StateView, block: SignedBlock): void {
	let signer: Uint8Array;
	try {
		signer = block.signer();
	} catch (error) {
		if (error instanceof SignatureError) throw new BlockSignatureError(error.message, { cause: error });
		throw error;
	}
	if (!equalBytes(signer, signerOfWitness(state, block.witness))) {
		throw new WrongSignerError();
	}
}

/**
 * What comes before each block of a branch that becomes the chain: its witness's key may have changed within
 * the branch (protocol/blocks §4.3). Every block of a stranger was judged before it joined the branch.
 * @throws {BlockSignatureError}
 */
export function checkBranchSignature(
	{ state, rules }: { readonly state: StateView; readonly rules: Pick<ChainRules, "release" | "network"> },
	block: SignedBlock,
): void {
	if (!admissionOf(rules).checksBranchSignature) return;
	try {
		checkHeaderSignature(state, rules, block);
	} catch (error) {
		// What can't be judged at all keeps its own words.
		if (!(error instanceof WrongSignerError)) throw error;
		throw new BlockSignatureError(`switch fork: block ${block.number} signature invalid`, { cause: error });
	}
}

/** Where a block would stand. */
export interface BlockPlace {
	/** The state after the last block that its branch shares with the chain, without anything pending. */
	readonly state: StateView;
	/** The state after the chain's head, likewise. */
	readonly head: () => StateView | undefined;
	/** The blocks of its branch above that one up to its parent, lowest first; empty if it stands on the chain. */
	readonly branch: readonly SignedBlock[];
	readonly rules: Pick<ChainRules, "development" | "network">;
	/** Called where an active witness signed the block, and it isn't its turn here. */
	readonly outOfTurn?: (error: ValidateScheduleError) => void;
}

/**
 * Judges a block's size, who made it and when.
 *
 * Up to the block in which its branch carries out maintenance the witnesses of every slot are known, and no one else's
 * block passes. Above it the votes of a branch that was never executed decide; there every registered witness passes,
 * once its branch has that block from the witness whose turn it was.
 *
 * @throws {BadBlockError | BadNumberBlockError | BlockSignatureError | ValidateScheduleError}
 */
export function judgeHeader(block: SignedBlock, place: BlockPlace): void {
	const { state, branch, rules, outOfTurn } = place;
	const { development } = rules;
	if (block.bytes.length > MAX_BLOCK_BYTES) throw new BadBlockError("block size over limit");
	const parentNumber = branch.at(-1)?.number ?? state.properties.headNumber;
	if (block.number !== parentNumber + 1n) {
		throw new BadNumberBlockError(`parent number: ${parentNumber} , block number: ${block.number}`);
	}
	checkSignatureAt(place, block);
	const maintenance = branch.findIndex(({ timestampMs }) => maintenanceDue(state, timestampMs));
	const head = scheduleHead(branch, maintenance);
	// The schedule takes any first block; only a witness of the genesis makes one.
	const isScheduled = maintenance < 0 && parentNumber > 0n;
	const isRegistered = isScheduled || development !== undefined || state.witness.has(block.witness);
	const follows =
		maintenance < 0 ? checkSchedule(state, block, development, head) : followsInTime(state, block, head);
	if (isRegistered && follows) return;
	const error = new ValidateScheduleError("validateWitnessSchedule error");
	if (activeWitnesses(state).some((witness) => equalBytes(witness, block.witness))) outOfTurn?.(error);
	throw error;
}

/**
 * The network's nodes ask for the key that the witness has at their head (protocol/blocks §4.2), whatever the branch: one that both
 * branches have changed since signs. So does the key from before they part, which their heads may have replaced.
 */
function checkSignatureAt({ state, head, branch, rules }: BlockPlace, block: SignedBlock): void {
	try {
		checkHeaderSignature(state, rules, block);
	} catch (error) {
		if (branch.length === 0 || !(error instanceof BlockSignatureError)) throw error;
		checkHeaderSignature(head() ?? state, rules, block);
	}
}

/** The block from which the slots of a branch are counted; undefined: the state's own head. */
function scheduleHead(branch: readonly SignedBlock[], maintenance: number): ScheduleHead | undefined {
	const parent = branch.at(-1);
	if (!parent) return undefined;
	return {
		number: parent.number,
		timestampMs: parent.timestampMs,
		wasMaintenance: maintenance === branch.length - 1,
	};
}
