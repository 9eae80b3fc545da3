/** Connections on which no proper client is: garbage, halves of requests, endless heads, silence. */

import { connect } from "node:net";
import fc from "fast-check";

export interface RawConnection {
	readonly kind: string;
	/** Sent one after the other, with a moment between them. */
	readonly parts: readonly Buffer[];
	/** What the client does when it has sent everything: waits, ends its half, or is gone. */
	readonly ending: "waits" | "ends" | "leaves";
}

const REQUEST = "POST /wallet/getnowblock HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}";
const text = (value: string): Buffer => Buffer.from(value, "latin1");

const finish = fc.constantFrom<RawConnection["ending"]>("ends", "leaves");

const garbage = fc.tuple(fc.uint8Array({ maxLength: 400 }), finish).map(
	([bytes, ending]): RawConnection => ({
		kind: "garbage",
		parts: [Buffer.from(bytes), text("\r\n\r\n")],
		ending,
	}),
);

const halves = fc.tuple(fc.nat({ max: REQUEST.length }), finish).map(
	([at, ending]): RawConnection => ({
		kind: "half a request",
		parts: [text(REQUEST.slice(0, at))],
		ending,
	}),
);

const slow = fc.integer({ min: 2, max: 6 }).map((pieces): RawConnection => {
	const size = Math.ceil(REQUEST.length / pieces);
	const parts = Array.from({ length: pieces }, (_, i) => text(REQUEST.slice(i * size, (i + 1) * size)));
	return { kind: "a slow request", parts, ending: "ends" };
});

const heads = fc
	.tuple(
		fc.constantFrom(9_000, 70_000, 400_000),
		fc.constantFrom("one long header", "many headers", "a long line"),
	)
	.map(([size, shape]): RawConnection => {
		const line = shape === "a long line" ? "/".padEnd(size, "a") : "/wallet/getnowblock";
		const headers =
			shape === "one long header"
				? `X: ${"a".repeat(size)}\r\n`
				: shape === "many headers"
					? "X-Header: value\r\n".repeat(Math.ceil(size / 17))
					: "";
		return {
			kind: shape,
			parts: [text(`GET ${line} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`)],
			ending: "waits",
		};
	});

const pipelines = fc.tuple(fc.integer({ min: 2, max: 30 }), finish).map(
	([count, ending]): RawConnection => ({
		kind: "a pipeline",
		parts: [text(REQUEST.repeat(count))],
		ending,
	}),
);

const LENGTHS = [
	"-1",
	"1e9",
	"99999999999999999999",
	"2, 2",
	"0x2",
	"",
	"2\r\nContent-Length: 3",
	"2\r\nTransfer-Encoding: chunked",
];
const lengths = fc.constantFrom(...LENGTHS).map(
	(length): RawConnection => ({
		kind: "a wrong length",
		parts: [text(`POST /wallet/getnowblock HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n{}`)],
		ending: "ends",
	}),
);

const chunks = fc
	.constantFrom(
		"zz\r\n{}\r\n0\r\n\r\n",
		"2\r\n{}",
		"ffffffffffffffff\r\n{}",
		"2\r\n{}\r\n0\r\n\r\n",
		"-2\r\n{}\r\n",
	)
	.map(
		(body): RawConnection => ({
			kind: "odd chunks",
			parts: [
				text(`POST /wallet/getnowblock HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${body}`),
			],
			ending: "ends",
		}),
	);

const preface = fc.uint8Array({ maxLength: 200 }).map(
	(bytes): RawConnection => ({
		kind: "frames of HTTP/2",
		parts: [text("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), Buffer.from(bytes)],
		ending: "ends",
	}),
);

export const rawConnections: fc.Arbitrary<RawConnection> = fc.oneof(
	{ weight: 6, arbitrary: garbage },
	{ weight: 4, arbitrary: halves },
	{ weight: 2, arbitrary: slow },
	{ weight: 1, arbitrary: heads },
	{ weight: 4, arbitrary: pipelines },
	{ weight: 2, arbitrary: lengths },
	{ weight: 2, arbitrary: chunks },
	{ weight: 2, arbitrary: preface },
);

const PAUSE_MS = 2;

/**
 * Plays a connection. Resolves when the server closed it, or the client left; the server's answer, as far as it came.
 * Rejects if the server does nothing for too long.
 */
export function play(port: number, { parts, ending, kind }: RawConnection, limitMs: number): Promise<string> {
	return new Promise((resolve, reject) => {
		const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
		let answer = "";
		const deadline = setTimeout(() => {
			socket.destroy();
			reject(new Error(`${kind}: neither answered nor closed in ${limitMs} ms`));
		}, limitMs);
		const done = (): void => {
			clearTimeout(deadline);
			socket.destroy();
			resolve(answer);
		};
		socket.on("data", (chunk) => {
			if (answer.length < 2_000) answer += chunk.toString("latin1");
			if (ending === "waits") done();
		});
		socket.on("end", done);
		socket.on("close", done);
		// A connection that is reset is closed too.
		socket.on("error", done);
		const send = async (): Promise<void> => {
			for (const part of parts) {
				socket.write(part);
				await new Promise((next) => setTimeout(next, PAUSE_MS));
			}
			if (ending === "leaves") done();
			if (ending === "ends") socket.end();
		};
		socket.once("connect", () => void send());
	});
}
