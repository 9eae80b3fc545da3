/** From messages to frames. A message that goes to many peers is compressed once. */

import { wrapMessage } from "./envelope.js";
import { writeFrame } from "./frames.js";
import { withType } from "./transport-messages.js";

export class FrameWriter {
	private lastType = -1;
	private lastPayload: Uint8Array | undefined;
	private lastFrame: Uint8Array | undefined;

	/**
	 * Frame of an application message.
	 * @param payload asking again with the very same bytes gives the frame that was made before
	 * @param wrapped whether the other side expects bodies in a wrapper
	 */
	application(type: number, payload: Uint8Array, wrapped: boolean): Uint8Array {
		if (!wrapped) return writeFrame(withType(type, payload));
		if (this.lastFrame === undefined || payload !== this.lastPayload || type !== this.lastType) {
			this.lastFrame = writeFrame(wrapMessage(withType(type, payload)));
			this.lastPayload = payload;
			this.lastType = type;
		}
		return this.lastFrame;
	}

	/** Frame of a transport message, which is too short to be kept. */
	transport(message: Uint8Array, wrapped: boolean): Uint8Array {
		return writeFrame(wrapped ? wrapMessage(message) : message);
	}
}
