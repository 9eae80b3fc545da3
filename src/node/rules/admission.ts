/** What this node asks of transactions and blocks from outside, and notes at its start (protocol/releases §§2 and 5). */

import { toHex } from "../../protocol/bytes.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { StateView } from "../state/view.js";
import type { NetworkName } from "./chain-rules.js";
import { olderAdmission } from "./older/admission.js";
import { byRelease, type Release } from "./release.js";

/** Lengths of signatures that a node takes from outside; in blocks, 65 and more (protocol/permissions §3.3). */
const SHORTEST_SIGNATURE = 65;
const LONGEST_SIGNATURE = 68;

/** A transaction or a block. */
interface Cleanable<T> {
	withoutUnknownFields(onNile?: boolean): T;
}

export interface Admission {
	/** A message in the form in which it goes on. */
	received<T extends Cleanable<T>>(message: T, network: NetworkName | undefined): T;
	/** Whether this length of a signature is refused. */
	isStrangeSignature(length: number): boolean;
	/** Whether trades on exchange pairs are refused. */
	closesTrades(state: StateView): boolean;
	/** Whether shielded transfers are. */
	closesShielded(state: StateView): boolean;
	/** Why a block is refused whose transactions have another root than its header's. */
	rootMismatch(number: bigint, stored: Uint8Array, computed: Uint8Array): string;
	/** What the refusal of a foreign signature names. */
	foreignSignature(transaction: SignedTransaction, signature: Uint8Array): string;
	/** Whether the root of an announced block is checked before its signature. */
	readonly checksAnnouncedRoot: boolean;
	/** Whether blocks of a branch that becomes the chain show their signature again. */
	readonly checksBranchSignature: boolean;
	/** Whether a start records that keys of account ids are spelled alike on every machine. */
	readonly movesAccountIds: boolean;
	/** Whether logs are indexed where no JSON-RPC server asks for it. */
	readonly alwaysIndexesLogs: boolean;
	/** Whether the genesis must name the account that receives fees while burning is off. */
	readonly needsBlackHole: boolean;
}

const admissions = byRelease<Admission>(
	{
		received: (message, network) => message.withoutUnknownFields(network === "nile"),
		isStrangeSignature: (length) => length < SHORTEST_SIGNATURE || length > LONGEST_SIGNATURE,
		closesTrades: ({ properties }) => !properties.on("ALLOW_HARDEN_EXCHANGE_CALCULATION"),
		closesShielded: ({ properties }) => !properties.on("ALLOW_SHIELDED_TRANSACTION"),
		rootMismatch: (number, stored, computed) =>
			`merkle root mismatch for block ${number}: expected ${toHex(stored)}, actual ${toHex(computed)}`,
		foreignSignature: ({ idHex }) => idHex,
		checksAnnouncedRoot: true,
		checksBranchSignature: true,
		movesAccountIds: true,
		alwaysIndexesLogs: true,
		needsBlackHole: true,
	},
	olderAdmission,
);

/** What a node of this release asks. */
export const admissionOf = ({ release }: { readonly release: Release }): Admission => admissions[release];
