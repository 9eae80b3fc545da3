/** A peer with a valid handshake, followed by the messages of an attack. */

import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import {
	ApplicationType,
	decodeDisconnect,
	decodeInventory,
	decodeSyncBlockChain,
	encodeBlockChainInventory,
	HelloMessage,
	helloBlockId,
	reasonName,
	type SignedBlock,
} from "../../src/node/network/wire/application-messages.js";
import { unwrap, wrapMessage } from "../../src/node/network/wire/envelope.js";
import { FrameReader, writeFrame } from "../../src/node/network/wire/frames.js";
import {
	disconnectReasonName,
	readTransportMessage,
	TransportType,
	withType,
	writeHello,
	writeKeepAlive,
} from "../../src/node/network/wire/transport-messages.js";
import { toKey } from "../../src/protocol/bytes.js";
import { NETWORK_ID, type Ports } from "./template.js";

export interface PeerOptions {
	/** Local loopback address. */
	readonly host: string;
	/** The head to claim; the node's own by default. */
	readonly head?: { readonly id: Uint8Array; readonly number: bigint } | undefined;
	/** 64 bytes; random by default. */
	readonly nodeId?: Uint8Array;
	/** Modifies the valid HELLO. */
	readonly greeting?: (right: HelloMessage) => HelloMessage;
}

type Handler = (payload: Uint8Array, peer: AttackPeer) => void;

export class AttackPeer {
	/** Why the node disconnected; undefined while connected. */
	gone: string | undefined;
	sentBytes = 0;
	/** The node's own HELLO. */
	hello: HelloMessage | undefined;
	private readonly reader = new FrameReader();
	private isWrapped = false;
	private readonly handlers = new Map<number, Handler>();
	private wake: (() => void) | undefined;

	private constructor(
		private readonly socket: Socket,
		private readonly options: PeerOptions,
		private readonly port: number,
	) {
		socket.on("data", (bytes) => this.hear(bytes));
		socket.on("error", () => {});
		socket.on("close", () => {
			this.gone ??= "closed";
			this.wake?.();
		});
	}

	/** Opens a connection without sending anything. */
	static async open(ports: Ports, options: PeerOptions): Promise<AttackPeer> {
		const socket = connect({ port: ports.peer, host: "127.0.0.1", localAddress: options.host });
		await new Promise<void>((resolve, reject) => {
			socket.once("connect", () => resolve());
			socket.once("error", reject);
		});
		return new AttackPeer(socket, options, ports.peer);
	}

	/** Connects with both handshakes. @returns a peer that may already be disconnected */
	static async greet(ports: Ports, options: PeerOptions): Promise<AttackPeer> {
		const peer = await AttackPeer.open(ports, options);
		peer.sayHello();
		await peer.until(() => peer.hello !== undefined, 10_000);
		if (peer.hello) {
			const { greeting = (right) => right } = options;
			peer.say(ApplicationType.P2P_HELLO, HelloMessage.encode(greeting(peer.answerTo(peer.hello))));
		}
		return peer;
	}

	/** Sends the transport's HELLO. */
	sayHello(): void {
		const from = { ipv4: this.options.host, ipv6: "", port: this.port, nodeId: this.nodeId };
		const timestamp = BigInt(Date.now());
		this.raw(writeFrame(writeHello({ from, networkId: NETWORK_ID, code: 0, timestamp, version: 1 })));
	}

	private readonly ownId = new Uint8Array(randomBytes(64));
	private get nodeId(): Uint8Array {
		return this.options.nodeId ?? this.ownId;
	}

	private answerTo(hello: HelloMessage): HelloMessage {
		const { head } = this.options;
		const from = { ...hello.from, nodeId: this.nodeId };
		return HelloMessage.create({
			...hello,
			from: from as never,
			headBlockId: head ? helloBlockId(head) : hello.headBlockId,
			timestamp: BigInt(Date.now()),
		});
	}

	on(type: number, handler: Handler): void {
		this.handlers.set(type, handler);
	}

	/** Serves the blocks of a branch to the node. @param given called for each */
	serve(branch: () => readonly SignedBlock[], given: (block: SignedBlock) => void = () => {}): void {
		this.on(ApplicationType.SYNC_BLOCK_CHAIN, (payload) => {
			const common = decodeSyncBlockChain(payload);
			const blocks = branch();
			const first = blocks[0];
			const fork = first && common.find(({ number }) => number === first.number - 1n);
			const start = fork ?? common.at(-1);
			if (!start) return;
			const ids = blocks
				.map(({ id, number }) => ({ id, number }))
				.filter(({ number }) => number > start.number);
			this.say(
				ApplicationType.BLOCK_CHAIN_INVENTORY,
				encodeBlockChainInventory({ ids: [start, ...ids], remain: 0n }),
			);
		});
		this.on(ApplicationType.FETCH_INV_DATA, (payload) => {
			const wanted = new Set(decodeInventory(payload).ids.map(toKey));
			for (const block of branch()) {
				if (!wanted.has(toKey(block.id))) continue;
				this.say(ApplicationType.BLOCK, block.bytes);
				given(block);
			}
		});
	}

	raw(bytes: Uint8Array): void {
		this.sentBytes += bytes.length;
		this.socket.write(bytes);
	}

	say(type: number, payload: Uint8Array): void {
		this.raw(frameOf(type, payload, this.isWrapped));
	}

	/** Waits until the data is sent, or the node has disconnected. */
	async flushed(): Promise<void> {
		await this.until(() => this.socket.writableLength === 0, 30_000);
	}

	/** Waits for a condition, until timeout or disconnect. */
	async until(condition: () => boolean, timeoutMs: number): Promise<boolean> {
		const end = Date.now() + timeoutMs;
		while (!condition() && this.gone === undefined && Date.now() < end) {
			await new Promise<void>((resolve) => {
				const timer = setTimeout(resolve, 20);
				this.wake = () => {
					clearTimeout(timer);
					resolve();
				};
			});
		}
		return condition();
	}

	end(): void {
		this.socket.destroy();
	}

	private hear(bytes: Uint8Array): void {
		this.reader.push(bytes);
		for (let body = this.reader.next(); body !== undefined; body = this.reader.next()) {
			const plain = this.isWrapped ? unwrap(body) : body;
			const type = plain[0] as number;
			if (type >= 0x80) this.hearTransport(plain);
			else this.hearApplication(type, plain.subarray(1));
		}
		this.wake?.();
	}

	private hearTransport(plain: Uint8Array): void {
		const message = readTransportMessage(plain, Date.now());
		if (message.type === TransportType.HELLO) this.isWrapped = true;
		if (message.type === TransportType.DISCONNECT) this.gone ??= disconnectReasonName(message.reason);
		if (message.type === TransportType.PING) {
			this.raw(writeFrame(wrapMessage(writeKeepAlive(TransportType.PONG, Date.now()))));
		}
	}

	private hearApplication(type: number, payload: Uint8Array): void {
		if (type === ApplicationType.P2P_HELLO) this.hello = HelloMessage.decode(payload);
		if (type === ApplicationType.P2P_DISCONNECT) this.gone ??= reasonName(decodeDisconnect(payload));
		if (type === ApplicationType.P2P_PING) this.say(ApplicationType.P2P_PONG, Uint8Array.of(0xc0));
		this.handlers.get(type)?.(payload, this);
	}
}

/** A prepared frame: compressing it costs the attacker time that shouldn't be measured. */
export function frameOf(type: number, payload: Uint8Array, wrapped = true): Uint8Array {
	const plain = withType(type, payload);
	return writeFrame(wrapped ? wrapMessage(plain) : plain);
}
