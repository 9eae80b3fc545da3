/** The environment with socket traffic counted; and forwarding streams. */

import type { SignedBlock } from "../../protocol/block.js";
import type { ByteStream, NetworkEnvironment, NodeAddress, StreamListener } from "./environment.js";

/** A byte stream that forwards everything to another one: base class for streams that observe or guard. */
export class ForwardingStream implements ByteStream {
	constructor(protected readonly stream: ByteStream) {}

	get remote(): NodeAddress {
		return this.stream.remote;
	}

	get backlog(): number {
		return this.stream.backlog;
	}

	listen(listener: StreamListener): void {
		this.stream.listen(listener);
	}

	write(bytes: Uint8Array): void {
		this.stream.write(bytes);
	}

	end(): void {
		this.stream.end();
	}

	destroy(): void {
		this.stream.destroy();
	}

	pause(): void {
		this.stream.pause();
	}

	resume(): void {
		this.stream.resume();
	}
}

export function meteredEnvironment(environment: NetworkEnvironment, meter: PeerMeter): NetworkEnvironment {
	return {
		...environment,
		listen: (options, accept) =>
			environment.listen(options, (stream) => accept(new MeteredStream(stream, meter))),
		dial: async (address, timeoutMs, from) =>
			new MeteredStream(await environment.dial(address, timeoutMs, from), meter),
		bindDatagrams: async (options, receive) => {
			const port = await environment.bindDatagrams(options, (datagram, from) => {
				meter.bytes("udp", "in", datagram.length);
				receive(datagram, from);
			});
			return {
				port: port.port,
				send: (datagram, to) => {
					meter.bytes("udp", "out", datagram.length);
					port.send(datagram, to);
				},
				close: () => port.close(),
			};
		},
	};
}

class MeteredStream extends ForwardingStream {
	constructor(
		stream: ByteStream,
		private readonly meter: PeerMeter,
	) {
		super(stream);
	}

	override listen(listener: StreamListener): void {
		super.listen({
			data: (bytes) => {
				this.meter.bytes("tcp", "in", bytes.length);
				listener.data(bytes);
			},
			closed: () => listener.closed(),
		});
	}

	override write(bytes: Uint8Array): void {
		this.meter.bytes("tcp", "out", bytes.length);
		super.write(bytes);
	}
}

/** Peer metrics, if configured (protocol/configuration §4.5). */
export interface PeerMeter {
	/** Bytes over a socket, sent or received at once. */
	bytes(protocol: "tcp" | "udp", direction: "in" | "out", count: number): void;
	/** An application message was handled. @param type its name */
	processed(type: string, ms: number): void;
	/** A connection ended with a reason, ours or the peer's. */
	disconnected(reason: string): void;
	/** A peer's message ended in an error. @param kind as the network names them: `bad_message` */
	failed(kind: string): void;
	/** An announced block arrived after being requested. */
	blockFetched(ms: number): void;
	/** A transaction arrived after being requested. */
	transactionFetched(ms: number): void;
	/** A proven witness or configured relay completed its handshake this long after connecting. */
	greeted(ms: number): void;
	/** An announced block arrived this long after its timestamp. */
	blockReceived(delayMs: number): void;
	/** It is new, and signed by an active witness. */
	blockJudged(block: SignedBlock, delayMs: number): void;
	/** A peer's new block joined the chain or a side branch. @param inSync by synchronizing, not announced */
	blockTaken(block: SignedBlock, inSync: boolean, ms: number): void;
	/** A peer answered a ping. */
	pinged(ms: number): void;
}
