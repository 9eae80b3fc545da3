/** Messages that may be very long; gRPC needs them whole in both directions. */

import type { ServerHttp2Stream } from "node:http2";
import { type ServerUnaryCall, status } from "@grpc/grpc-js";
import { SLICE_MS, TimeSlice } from "../../scheduling/time-slice.js";
import type { LongAnswerGate, UnreadAnswers } from "../long-answer.js";
import { ONE_PIECE_BYTES } from "../long-answer-sender.js";
import { BodyBudget } from "../request-body.js";
import { messageOfParts, whenSent } from "./library-answers.js";
import { CallError, type LongMessage } from "./method.js";

/** Fits a hundred of the largest blocks. */
const LONGEST = 256 << 20;
/** How long a client may take to read a message before its slot goes to the next. */
const PLACE_MS = 100;

type Call = Pick<ServerUnaryCall<Buffer, Buffer>, "cancelled"> & {
	once(event: "cancelled", listener: () => void): unknown;
};

interface Answer {
	readonly call: Call;
	readonly address: string;
	readonly message: Buffer;
	readonly length: number;
}

/** Very long answers: only a few are made at a time, time-sliced. */
export class LongMessages {
	constructor(
		private readonly gate: LongAnswerGate,
		private readonly unread: UnreadAnswers,
	) {}

	/**
	 * Collects a message; a long one's bytes are only produced as it is sent. Limits how many others are made meanwhile.
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
			if (!leave) return Buffer.concat(taken, length);
			const message = messageOfParts(taken, length);
			this.leaveWhenSent({ call, address, message, length }, leave);
			return message;
		} catch (error) {
			leave?.();
			throw error;
		}
	}

	/** Frees the slot once the message is sent, or when its client reads slowly; it then counts as an unread answer. */
	private leaveWhenSent({ call, address, message, length }: Answer, leave: () => void): void {
		let read: (() => void) | undefined;
		const done = (): void => {
			clearTimeout(timer);
			leave();
			read?.();
		};
		const breakOff = whenSent(message, done);
		const timer = setTimeout(() => {
			leave();
			read = this.unread.wait(length, () => {
				this.gate.pause(address);
				breakOff();
			});
		}, PLACE_MS).unref();
		call.once("cancelled", done);
	}
}

/** Messages above this size must arrive in time. */
const LARGE = 64 << 10;
/** From the first bytes of a large message to its last. */
const MESSAGE_MS = 60_000;
/** Byte budgets for all clients and for one address; a message's parts are joined once complete. */
const TOTAL = 32 << 20;
const PER_ADDRESS = TOTAL / 2;
/** Messages decompressed at the same time. */
const MAX_DECOMPRESSING = 4;

/** The members of the library's call object used here. */
interface LibraryCall {
	readonly stream?: ServerHttp2Stream;
	decompressMessage?(message: Buffer, encoding: string): Buffer | Promise<Buffer>;
	sendStatus(status: { readonly code: number; readonly details: string }): void;
}

/**
 * Bytes of incoming messages. A message is held from its first byte until its call closes, and the library
 * has no limit of its own.
 */
export class ReceivedMessages {
	private decompressing = 0;
	private readonly line: (() => void)[] = [];

	constructor(private readonly budget = new BodyBudget(TOTAL, PER_ADDRESS)) {}

	/** Counts what a call receives; ends it if the budget is exhausted. @param address of the client */
	watch(call: LibraryCall, address: string): void {
		const { stream, decompressMessage } = call;
		if (!stream) return;
		const share = this.budget.open(address);
		let size = 0;
		let deadline: NodeJS.Timeout | undefined;
		const refuse = (details: string): void => {
			clearTimeout(deadline);
			share.release();
			if (stream.closed || stream.destroyed) return;
			call.sendStatus({ code: status.RESOURCE_EXHAUSTED, details });
			stream.close();
		};
		const take = (bytes: number): boolean => {
			size += bytes;
			return share.grow(size);
		};
		const refuseNow = (): void => refuse("too many messages at this moment");
		share.breakOff = refuseNow;
		stream.on("data", (chunk: Buffer) => {
			if (!take(chunk.length)) refuseNow();
			else if (size > LARGE) deadline ??= setTimeout(() => refuse("the message took too long"), MESSAGE_MS);
		});
		stream.once("end", () => {
			clearTimeout(deadline);
			share.breakOff = undefined;
		});
		stream.once("close", () => {
			clearTimeout(deadline);
			share.release();
		});
		if (!decompressMessage) return;
		call.decompressMessage = (message, encoding) => {
			if (encoding === "identity") return decompressMessage.call(call, message, encoding);
			return this.decompress(async () => {
				const bytes = await decompressMessage.call(call, message, encoding);
				if (take(bytes.length)) return bytes;
				throw { code: status.RESOURCE_EXHAUSTED, details: "too many messages at this moment" };
			});
		};
	}

	private async decompress(work: () => Promise<Buffer>): Promise<Buffer> {
		if (this.decompressing >= MAX_DECOMPRESSING)
			await new Promise<void>((resolve) => this.line.push(resolve));
		else this.decompressing++;
		try {
			return await work();
		} finally {
			const next = this.line.shift();
			if (next) next();
			else this.decompressing--;
		}
	}
}
