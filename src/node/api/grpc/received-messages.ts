/**
 * Bytes of messages that clients are sending: a message is kept from its first byte until its call closes, and the
 * library has no limit of its own.
 */

import type { ServerHttp2Stream } from "node:http2";
import { status } from "@grpc/grpc-js";
import { BodyBudget } from "../body-budget.js";

/** A call with a longer message must have sent it in time. */
const LARGE = 64 << 10;
/** From the first bytes of a large message to its end. */
const SENDING_MS = 60_000;
/** Bytes of all clients, and of one address; a message is joined of its parts once it is whole. */
const TOTAL = 32 << 20;
const PER_ADDRESS = TOTAL / 2;
/** Messages that are decompressed at a time. */
const MAX_DECOMPRESSING = 4;

/** What the library's call has, as far as it is known. */
interface LibraryCall {
	readonly stream?: ServerHttp2Stream;
	decompressMessage?(message: Buffer, encoding: string): Buffer | Promise<Buffer>;
	sendStatus(status: { readonly code: number; readonly details: string }): void;
}

export class ReceivedMessages {
	private decompressing = 0;
	private readonly line: (() => void)[] = [];

	constructor(private readonly budget = new BodyBudget(TOTAL, PER_ADDRESS)) {}

	/** Counts what a call receives; ends it where there is no room. @param address of the client */
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
			else if (size > LARGE) deadline ??= setTimeout(() => refuse("the message took too long"), SENDING_MS);
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
