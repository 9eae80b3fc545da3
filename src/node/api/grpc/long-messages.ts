/** Messages that may be very long: gRPC wants them whole, so a few are made at a time, in turns. */

import { type ServerUnaryCall, status } from "@grpc/grpc-js";
import { SLICE_MS, TimeSlice } from "../../scheduling/time-slice.js";
import { type LongAnswerGate, SENDING_MS } from "../long-answer.js";
import { ONE_PIECE_BYTES } from "../long-answer-sender.js";
import { whenSent } from "./library-answers.js";
import { CallError, type LongMessage } from "./method.js";

/** A hundred of the largest blocks are below it. */
const LONGEST = 256 << 20;

type Call = Pick<ServerUnaryCall<Buffer, Buffer>, "cancelled"> & {
	once(event: "cancelled", listener: () => void): unknown;
};

export class LongMessages {
	constructor(private readonly gate: LongAnswerGate) {}

	/**
	 * The bytes of a message. While a long one is being sent, only a few others are made.
	 * @throws {CallError} RESOURCE_EXHAUSTED if it is longer than any can be; CANCELLED if the client has gone
	 */
	async gather(call: Call, address: string, { parts }: LongMessage): Promise<Buffer> {
		const turns = new TimeSlice(SLICE_MS);
		const taken: Uint8Array[] = [];
		let length = 0;
		let leave: (() => void) | undefined;
		try {
			for (const part of parts) {
				taken.push(part);
				length += part.length;
				if (length > LONGEST) {
					throw new CallError(status.RESOURCE_EXHAUSTED, `the answer is longer than ${LONGEST} bytes`);
				}
				if (length > ONE_PIECE_BYTES) leave ??= await this.gate.enter(address);
				if (call.cancelled) throw new CallError(status.CANCELLED, "");
				if (turns.over) await turns.yield();
			}
			const bytes = Buffer.concat(taken, length);
			if (leave) releaseWhenSent(call, bytes, leave);
			return bytes;
		} catch (error) {
			leave?.();
			throw error;
		}
	}
}

function releaseWhenSent(call: Call, bytes: Buffer, leave: () => void): void {
	const deadline = setTimeout(leave, SENDING_MS).unref();
	const done = (): void => {
		clearTimeout(deadline);
		leave();
	};
	whenSent(bytes, done);
	call.once("cancelled", done);
}
