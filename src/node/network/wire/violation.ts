/** How the transport ends a connection whose other side breaks the protocol (protocol/peers §§4.1 to 4.3). */

import type { DisconnectReason } from "./transport-messages.js";

/** What came is not acceptable. The reason goes out as T-DISCONNECT; undefined: close without a message. */
export class ProtocolViolation extends Error {
	override readonly name = "ProtocolViolation";

	constructor(
		readonly reason: DisconnectReason | undefined,
		message: string,
	) {
		super(message);
	}
}
