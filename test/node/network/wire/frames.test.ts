import { describe, expect, it } from "vitest";
import { FrameWriter, unwrap, wrapMessage } from "../../../../src/node/network/wire/envelope.js";
import { FrameReader, MAX_LENGTH, writeFrame } from "../../../../src/node/network/wire/frames.js";
import { DisconnectReason, ProtocolViolation } from "../../../../src/node/network/wire/transport-messages.js";
import { concatBytes, fromHex, toHex } from "../../../../src/protocol/bytes.js";

/** Reason of the violation; "silent" for one that is answered with nothing. */
function violationOf(act: () => unknown): DisconnectReason | "silent" | "none" {
	try {
		act();
		return "none";
	} catch (error) {
		if (!(error instanceof ProtocolViolation)) throw error;
		return error.reason ?? "silent";
	}
}

function bodiesOf(reader: FrameReader): string[] {
	const bodies: string[] = [];
	for (let body = reader.next(); body !== undefined; body = reader.next()) bodies.push(toHex(body));
	return bodies;
}

describe("frames", () => {
	const bodies = [1, 127, 128, 300, 16_384].map((length) => new Uint8Array(length).fill(length & 0xff));
	const stream = concatBytes(...bodies.map(writeFrame));

	it.each([1, 2, 3, 100, 4096, stream.length])("are read from pieces of %i bytes", (size) => {
		const reader = new FrameReader();
		const read: string[] = [];
		for (let at = 0; at < stream.length; at += size) {
			reader.push(stream.subarray(at, at + size));
			read.push(...bodiesOf(reader));
		}
		expect(read).toEqual(bodies.map(toHex));
		expect(reader.isWithinFrame).toBe(false);
	});

	it("may wait unread while more comes", () => {
		const reader = new FrameReader();
		for (let at = 0; at < stream.length; at += 1000) reader.push(stream.subarray(at, at + 1000));
		expect(bodiesOf(reader)).toEqual(bodies.map(toHex));
	});

	it("of no length are skipped, and lengths may be written long", () => {
		const reader = new FrameReader();
		reader.push(fromHex("00008000818080800041"));
		expect(bodiesOf(reader)).toEqual(["41"]);
	});

	it.each([
		["5242880", "8080c002", DisconnectReason.BAD_MESSAGE],
		["5242879", "ffffbf02", "none"],
		["-1", "ffffffff0f", "silent"],
		["six bytes", "ffffffffff01", "silent"],
	] as const)("with the length %s", (_name, hex, reason) => {
		const reader = new FrameReader();
		reader.push(fromHex(hex));
		expect(violationOf(() => reader.next())).toBe(reason);
	});
});

describe("the wrapper", () => {
	// protocol/peers §14.1.
	it.each([
		["22c0", "04120222c0"],
		["fe08c8b9f6cf9f34", "0a1208fe08c8b9f6cf9f34"],
		["fb080b", "051203fb080b"],
		["2108ff01", "0612042108ff01"],
		["21", "03120121"],
		[`22${"00".repeat(39)}`, "0b080112072804220096010 0".replace(" ", "")],
	])("of %s has the recorded bytes", (plain, frame) => {
		expect(toHex(writeFrame(wrapMessage(fromHex(plain))))).toBe(frame);
		expect(toHex(unwrap(fromHex(frame).subarray(1)))).toBe(plain);
	});

	it.each([
		["a plain message", "deadbeef", DisconnectReason.BAD_MESSAGE],
		["nothing", "0800", DisconnectReason.EMPTY_MESSAGE],
		["compressed nothing", "080112 0100".replace(" ", ""), DisconnectReason.EMPTY_MESSAGE],
		["what is not compressed data", "0801120428ff0102", "silent"],
		["what would become too long", "080112068080c0020022", DisconnectReason.UNKNOWN],
		["an unknown kind of compression", "08071204020422c0", "none"],
	] as const)("around %s", (_name, hex, reason) => {
		expect(violationOf(() => unwrap(fromHex(hex)))).toBe(reason);
	});

	it("takes a body just below the limit, but none at it", () => {
		expect(unwrap(wrapMessage(new Uint8Array(MAX_LENGTH - 1).fill(7))).length).toBe(MAX_LENGTH - 1);
		expect(violationOf(() => unwrap(wrapMessage(new Uint8Array(MAX_LENGTH))))).toBe(DisconnectReason.UNKNOWN);
	});

	it("is made once for a message that goes to many", () => {
		const writer = new FrameWriter();
		const payload = new Uint8Array(100);
		const frame = writer.application(2, payload, true);
		expect(writer.application(2, payload, true)).toBe(frame);
		expect(writer.application(3, payload, true)).not.toBe(frame);
		expect(toHex(writer.application(3, Uint8Array.of(1), false))).toBe("020301");
	});
});
