/** Hand-made HTTP/2 frames (RFC 9113 §4.1, RFC 7541 §6), which conforming clients don't send. */

import { constants } from "node:http2";

const HEADERS = 1;
const RST_STREAM = 3;
const SETTINGS = 4;
const END_HEADERS = 4;

/** Start of a connection: preface and empty settings. */
export const GREETING = Buffer.concat([
	Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
	frame(SETTINGS, 0, 0, Buffer.alloc(0)),
]);

function frame(type: number, flags: number, stream: number, body: Uint8Array): Buffer {
	const head = Buffer.alloc(9);
	head.writeUIntBE(body.length, 0, 3);
	head[3] = type;
	head[4] = flags;
	head.writeUInt32BE(stream, 5);
	return Buffer.concat([head, body]);
}

const text = (value: string): Buffer => Buffer.concat([Buffer.of(value.length), Buffer.from(value)]);

/** Fields added to the dynamic table, so that each takes one byte from then on. */
const INDEXED = 0x40;
const FIRST_INDEX = 62;

const POST = 0x83;
const HTTP = 0x86;

/** Header fields of the first call, and of all later ones. */
function fields(path: string): readonly [Buffer, Buffer] {
	const names = [
		[":path", path],
		[":authority", "a"],
		["content-type", "application/grpc"],
		["te", "trailers"],
	] as const;
	const first = names.map(([name, value]) => Buffer.concat([Buffer.of(INDEXED), text(name), text(value)]));
	const further = names.map((_, i) => 0x80 | (FIRST_INDEX + names.length - 1 - i));
	return [Buffer.concat([Buffer.of(POST, HTTP), ...first]), Buffer.of(POST, HTTP, ...further)];
}

/** Calls on a new connection, each reset immediately. */
export function resetCalls(path: string, count: number): Buffer {
	const [first, further] = fields(path);
	const cancel = Buffer.of(0, 0, 0, constants.NGHTTP2_CANCEL);
	const calls = Array.from({ length: count }, (_, n) => {
		const stream = 2 * n + 1;
		return Buffer.concat([
			frame(HEADERS, END_HEADERS, stream, n === 0 ? first : further),
			frame(RST_STREAM, 0, stream, cancel),
		]);
	});
	return Buffer.concat(calls);
}
