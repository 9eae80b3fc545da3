/** Admission checks for outside input, and actions at start, by release (protocol/releases §§2 and 5). */

import { toHex } from "../../protocol/bytes.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { StateView } from "../state/view.js";
import type { NetworkName } from "./chain-rules.js";
import { olderAdmission } from "./older/admission.js";
import { byRelease, type Release } from "./release.js";

/** Accepted signature lengths from outside; in blocks, 65 and more (protocol/permissions §3.3). */
const SHORTEST_SIGNATURE = 65;
const LONGEST_SIGNATURE = 68;

interface Cleanable<T> {
	withoutUnknownFields(onNile?: boolean): T;
	asReadOnNile(): T;
}

const today = {
	/** The form of a message that is relayed. */
	received: <T extends Cleanable<T>>(message: T, network: NetworkName | undefined): T =>
		message.withoutUnknownFields(network === "nile"),
	/** Whether a signature of this length is refused. */
	isStrangeSignature: (length: number) => length < SHORTEST_SIGNATURE || length > LONGEST_SIGNATURE,
	/** Whether exchange pair trades and shielded transfers are refused. */
	closesTrades: ({ properties }: StateView) => !properties.on("ALLOW_HARDEN_EXCHANGE_CALCULATION"),
	closesShielded: ({ properties }: StateView) => !properties.on("ALLOW_SHIELDED_TRANSACTION"),
	/** Error text for a block whose Merkle root differs from its header's. */
	rootMismatch: (number: bigint, stored: Uint8Array, computed: Uint8Array) =>
		`merkle root mismatch for block ${number}: expected ${toHex(stored)}, actual ${toHex(computed)}`,
	/** Failure of a creation without code before multi-signature: class name and text. */
	emptyCode: (
		_isConstantinople: boolean,
		_wasThere: () => boolean,
	): readonly [name: string, text: string] => ["java.lang.RuntimeException", "Unknown Exception"],
	/** Runs an exchange contract so that arithmetic errors become refusals. */
	exchangeWork: (guarded: (work: () => void) => void, work: () => void) => guarded(work),
	/** What the refusal of a foreign signature quotes. */
	foreignSignature: ({ idHex }: SignedTransaction, _signature: Uint8Array) => idHex,
	/** Whether the Merkle root of an announced block is checked before its signature. */
	checksAnnouncedRoot: true,
	/** Whether signatures are checked again for blocks of a branch that becomes the chain. */
	checksBranchSignature: true,
	/** Whether a start records that account id keys are normalized independently of the locale. */
	movesAccountIds: true,
	/** Whether logs are indexed even if no JSON-RPC server is enabled. */
	alwaysIndexesLogs: true,
	/** Whether the genesis must define the account that receives fees while burning is off. */
	needsBlackHole: true,
};

export type Admission = typeof today;

const admissions = byRelease<Admission>(today, olderAdmission);

/** The admission checks of a release. */
export const admissionOf = ({ release }: { readonly release: Release }): Admission => admissions[release];
