/** The other side of one connection in a fuzz run: says what it is told to, and notes what it is told. */

import type { ByteStream } from "../../../../src/node/network/environment.js";
import {
	ApplicationType,
	decodeDisconnect,
	reasonName,
} from "../../../../src/node/network/wire/application-messages.js";
import { unwrap, wrapMessage } from "../../../../src/node/network/wire/envelope.js";
import { FrameReader, writeFrame } from "../../../../src/node/network/wire/frames.js";
import {
	disconnectReasonName,
	helloCodeName,
	readTransportMessage,
	TransportType,
	withType,
	writeHello,
} from "../../../../src/node/network/wire/transport-messages.js";
import { NETWORK_ID, PORT } from "../../../simulation/simulated-node.js";
import type { SimulatedWorld } from "../../../simulation/world.js";

export class Attacker {
	/** What was heard, shortly: `T-PONG`, `A-DISCONNECT BAD_PROTOCOL`, `closed`. */
	readonly heard: string[] = [];
	/** Notified of each application message. */
	onApplication: (type: number, payload: Uint8Array) => void = () => {};
	private readonly reader = new FrameReader();
	private isWrapped = false;
	sent = 0;

	constructor(
		private readonly world: SimulatedWorld,
		private readonly stream: ByteStream,
		private readonly host: string,
	) {
		stream.listen({ data: (bytes) => this.hear(bytes), closed: () => this.heard.push("closed") });
	}

	get isOpen(): boolean {
		return this.heard.at(-1) !== "closed";
	}

	/** Any bytes. */
	raw(bytes: Uint8Array): void {
		this.sent++;
		this.stream.write(bytes);
	}

	body(body: Uint8Array): void {
		this.raw(writeFrame(body));
	}

	/** A message as the state of the connection asks for it. */
	say(type: number, payload: Uint8Array): void {
		const plain = withType(type, payload);
		this.body(this.isWrapped ? wrapMessage(plain) : plain);
	}

	hello(change: Partial<Parameters<typeof writeHello>[0]> = {}): void {
		this.raw(writeFrame(this.helloBody(change)));
	}

	helloBody(change: Partial<Parameters<typeof writeHello>[0]> = {}): Uint8Array {
		const from = { ipv4: this.host, ipv6: "", port: PORT, nodeId: this.world.random.bytes(64) };
		const timestamp = BigInt(Math.trunc(this.world.now));
		return writeHello({ from, networkId: NETWORK_ID, code: 0, timestamp, version: 1, ...change });
	}

	end(): void {
		this.stream.destroy();
	}

	private hear(bytes: Uint8Array): void {
		this.reader.push(bytes);
		for (let body = this.reader.next(); body !== undefined; body = this.reader.next()) {
			const plain = this.isWrapped ? unwrap(body) : body;
			this.heard.push(this.describe(plain));
			const type = plain[0] as number;
			// Later: what an attacker does is not what the node is busy with.
			if (type < 0x80) void Promise.resolve().then(() => this.onApplication(type, plain.subarray(1)));
		}
	}

	private describe(plain: Uint8Array): string {
		const type = plain[0] as number;
		if (type < 0x80) {
			const isFarewell = type === ApplicationType.P2P_DISCONNECT;
			return isFarewell
				? `A-DISCONNECT ${reasonName(decodeDisconnect(plain.subarray(1)))}`
				: `A ${type.toString(16)}`;
		}
		const message = readTransportMessage(plain, this.world.now + 10_000);
		switch (message.type) {
			case TransportType.HELLO:
				this.isWrapped = message.hello.code === 0;
				return `T-HELLO ${helloCodeName(message.hello.code)}`;
			case TransportType.DISCONNECT:
				return `T-DISCONNECT ${disconnectReasonName(message.reason)}`;
			case TransportType.STATUS:
				return "T-STATUS";
			default:
				return message.type === TransportType.PING ? "T-PING" : "T-PONG";
		}
	}
}
