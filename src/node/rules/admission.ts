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
	asReadOnNile(): T;
}

const today = {
	/** A message in the form in which it goes on. */
	received: <T extends Cleanable<T>>(message: T, network: NetworkName | undefined): T =>
		message.withoutUnknownFields(network === "nile"),
	/** Whether this length of a signature is refused. */
	isStrangeSignature: (length: number) => length < SHORTEST_SIGNATURE || length > LONGEST_SIGNATURE,
	/** Whether trades on exchange pairs are refused, and shielded transfers. */
	closesTrades: ({ properties }: StateView) => !properties.on("ALLOW_HARDEN_EXCHANGE_CALCULATION"),
	closesShielded: ({ properties }: StateView) => !properties.on("ALLOW_SHIELDED_TRANSACTION"),
	/** Why a block is refused whose transactions have another root than its header's. */
	rootMismatch: (number: bigint, stored: Uint8Array, computed: Uint8Array) =>
		`merkle root mismatch for block ${number}: expected ${toHex(stored)}, actual ${toHex(computed)}`,
	/** How a creation without code ends its creator before multi-signature: the name and text of the failure. */
	emptyCode: (
		_isConstantinople: boolean,
		_wasThere: () => boolean,
	): readonly [name: string, text: string] => ["java.lang.RuntimeException", "Unknown Exception"],
	/** Does the work of an exchange type so that errors of its arithmetic are refusals. */
	exchangeWork: (guarded: (work: () => void) => void, work: () => void) => guarded(work),
	/** What the refusal of a foreign signature names. */
	foreignSignature: ({ idHex }: SignedTransaction, _signature: Uint8Array) => idHex,
	/** Whether the root of an announced block is checked before its signature. */
	checksAnnouncedRoot: true,
	/** Whether blocks of a branch that becomes the chain show their signature again. */
	checksBranchSignature: true,
	/** Whether a start records that keys of account ids are spelled alike on every machine. */
	movesAccountIds: true,
	/** Whether logs are indexed where no JSON-RPC server asks for it. */
	alwaysIndexesLogs: true,
	/** Whether the genesis must name the account that receives fees while burning is off. */
	needsBlackHole: true,
};

export type Admission = typeof today;

const admissions = byRelease<Admission>(today, olderAdmission);

/** What a node of this release asks. */
export const admissionOf = ({ release }: { readonly release: Release }): Admission => admissions[release];
