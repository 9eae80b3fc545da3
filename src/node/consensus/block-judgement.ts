/**
 * Accepting a block is a single validation (protocol/blocks §§4.1 to 4.3, protocol/consensus §1.4): form of
 * its contents, Merkle root, witness signature, witness and slot. Only the block's origin decides which of
 * these are trusted without a check.
 *
 * The reference's push checks neither signature nor slot before it stores a side-branch block: a freshly
 * generated key could fill its memory and make it undo the latest blocks. Here, blocks from outside are
 * validated completely, against the state where their branch forks off, before anything is stored or undone.
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

/** Maximum serialized size of another node's block, in bytes (protocol/blocks §4.1). */
export const MAX_BLOCK_BYTES = 2_001_000;

/** Budget for decoding a block from outside, sized so that a block of maximum size still decodes. */
export const BLOCK_BUDGET = budgetOfBytes(MAX_BLOCK_BYTES);

export const MAX_SHIELDED_PER_BLOCK = 1;

/** What is trusted about a block without a check. */
interface BlockTrust {
	/** Its transactions match the header's Merkle root, and their signatures are valid. */
	readonly contents: boolean;
	/** It is signed by its witness, in that witness's slot. */
	readonly header: boolean;
}

/** Where a block comes from, and what that origin vouches for. */
export const BLOCK_ORIGINS = {
	/** Another node: nothing is trusted. */
	peer: { contents: false, header: false },
	/** A block file: its author isn't trusted either. */
	import: { contents: false, header: false },
	/** A recording of the reference's own push, which leaves the header to its caller. */
	recording: { contents: false, header: true },
	/** This node's block log, which holds already validated blocks; the database's files are trusted alike. */
	restored: { contents: true, header: true },
	/** A side-branch block in the block log: its header was validated, its contents were not executed. */
	restoredBranch: { contents: false, header: true },
	/** Produced by this node. */
	own: { contents: true, header: true },
} as const satisfies Readonly<Record<string, BlockTrust>>;

export type BlockOrigin = keyof typeof BLOCK_ORIGINS;

export const isShielded = (transaction: SignedTransaction): boolean =>
	transaction.type?.name === "ShieldedTransferContract";

/**
 * A block in the form the network's nodes accept, which may differ from the received form: one rule for peers
 * and files. If only the header is vouched for, the block stays as it was accepted; its Nile fields are still
 * decoded (protocol/post-quantum §1).
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
 * Validates a block's contents, in the order of the reference's push.
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

/**
 * The address that signs blocks for a witness: its witness permission's key, if permissions are enabled
 * (protocol/blocks §4.2).
 */
export function signerOfWitness(state: StateView, witness: Uint8Array): Uint8Array {
	const account = state.properties.on("ALLOW_MULTI_SIGN") ? state.account.get(witness) : undefined;
	return account ? witnessSigningAddress(account) : witness;
}

/** Whether a header is signed; blocks still being produced aren't. */
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
 * Why a post-quantum signature of a header or hello isn't its witness's; undefined if it is.
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

/** A valid signature by another key than the witness's. */
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
 * Checked before each block of a branch that becomes the chain: its witness's key may have changed within the
 * branch (protocol/blocks §4.3). Blocks from outside were validated before they joined the branch.
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
		// A signature that can't be checked at all keeps its own message.
		if (!(error instanceof WrongSignerError)) throw error;
		throw new BlockSignatureError(`switch fork: block ${block.number} signature invalid`, { cause: error });
	}
}

/** Where a block attaches. */
export interface BlockPlace {
	/** The state after the last block its branch shares with the chain, without pending transactions. */
	readonly state: StateView;
	/** The state after the chain's head, likewise. */
	readonly head: () => StateView | undefined;
	/** The branch's blocks above that one up to the parent, lowest first; empty if the parent is on the chain. */
	readonly branch: readonly SignedBlock[];
	readonly rules: Pick<ChainRules, "development" | "network">;
	/** Called if an active witness signed the block out of turn. */
	readonly outOfTurn?: (error: ValidateScheduleError) => void;
}

/**
 * Validates a block's size, producer and time.
 *
 * Up to the block in which a branch runs maintenance, the witness of every slot is known, and only that
 * witness's block passes. Above it, votes of a branch that was never executed decide; any registered witness
 * passes there, once the branch has that block from the witness whose turn it was.
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
	// The schedule accepts any first block; only a genesis witness may produce one.
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
 * The reference checks the witness's key at its head (protocol/blocks §4.2), whatever the branch: a key that both branches
 * changed since still signs. So does the key from before the fork, which other heads may have replaced.
 */
function checkSignatureAt({ state, head, branch, rules }: BlockPlace, block: SignedBlock): void {
	try {
		checkHeaderSignature(state, rules, block);
	} catch (error) {
		if (branch.length === 0 || !(error instanceof BlockSignatureError)) throw error;
		checkHeaderSignature(head() ?? state, rules, block);
	}
}

/** The block from which a branch's slots are counted; undefined: the state's own head. */
function scheduleHead(branch: readonly SignedBlock[], maintenance: number): ScheduleHead | undefined {
	const parent = branch.at(-1);
	if (!parent) return undefined;
	return {
		number: parent.number,
		timestampMs: parent.timestampMs,
		wasMaintenance: maintenance === branch.length - 1,
	};
}
