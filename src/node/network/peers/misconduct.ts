/** Misconduct of a peer that ends its connection; it is sent the reason (protocol/peers §6.4). */

import { DecodeError } from "../../../protocol/codec/reader.js";
import { SignatureError } from "../../../protocol/signature.js";
import { BlockIdLengthError, Reason } from "../wire/application-messages.js";

export class Misconduct extends Error {
	override readonly name = "Misconduct";

	/** @param mayBeHonest it may have come to this by no fault of its own: the shorter ban is enough */
	constructor(
		readonly reason: Reason,
		message: string,
		readonly mayBeHonest = false,
	) {
		super(message);
	}
}

/** The disconnect reason for an error in message handling: UNKNOWN if it has none of its own. */
export function disconnectReason(error: unknown): Reason {
	return error instanceof Misconduct ? error.reason : Reason.UNKNOWN;
}

/** The names that the network's operators know for the errors behind the reasons. */
const KINDS: ReadonlyMap<number, string> = new Map([
	[Reason.BAD_PROTOCOL, "bad_message"],
	[Reason.BAD_BLOCK, "bad_block"],
	[Reason.BAD_TX, "bad_trx"],
	[Reason.NO_SUCH_MESSAGE, "no_such_message"],
	[Reason.SYNC_FAIL, "sync_failed"],
	[Reason.UNLINKABLE, "unlink_block"],
	[Reason.FETCH_FAIL, "db_item_not_found"],
]);

/** The name of an error for metrics. */
export function errorKind(reason: Reason): string {
	return KINDS.get(reason) ?? "unknown";
}

/** Whether the peer is to blame for an error: anything else is a bug of this program. */
export function isPeersFault(error: unknown): boolean {
	return (
		error instanceof Misconduct ||
		error instanceof DecodeError ||
		error instanceof SignatureError ||
		error instanceof BlockIdLengthError
	);
}
