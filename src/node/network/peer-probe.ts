/**
 * Queries a node of the peer network like a peer would: its STATUS, which costs it nothing and causes no ban,
 * then a handshake, the application HELLO, and the time of one PING.
 */

import type { BlockRef } from "./local-chain.js";
import {
	Dialogue,
	dial,
	ownEndpoint,
	type PeerOptions,
	readApplicationHello,
	shakeHands,
} from "./peer-dialogue.js";
import { askStatus } from "./transport/node-detector.js";
import { ApplicationType } from "./wire/application-messages.js";
import { type Status, TransportType, writeKeepAlive } from "./wire/transport-messages.js";

export { DEFAULT_PEER_PORT, type PeerOptions as ProbeOptions, ProbeError } from "./peer-dialogue.js";

export interface ProbeReport {
	/** 64 bytes. */
	readonly nodeId: Uint8Array;
	readonly networkId: number;
	readonly transportVersion: number;
	/** Undefined if the node doesn't tell. */
	readonly connections: { readonly current: number; readonly max: number } | undefined;
	/** As spelled by the node. */
	readonly codeVersion: string;
	readonly isLight: boolean;
	/** First block of a light node. */
	readonly lowestBlock: bigint;
	readonly genesis: BlockRef;
	readonly solid: BlockRef;
	readonly head: BlockRef;
	/** Round trip of a transport PING, milliseconds. */
	readonly latencyMs: number;
}

/** @throws {ProbeError} */
export async function probePeer(options: PeerOptions): Promise<ProbeReport> {
	const { environment } = options;
	const status = await peerStatus(options);
	const dialogue = new Dialogue(environment, await dial(options), options.timeoutMs);
	try {
		const networkId = options.networkId ?? status?.networkId ?? 0;
		const hello = await shakeHands(dialogue, options, networkId);
		const application = await dialogue.application(ApplicationType.P2P_HELLO);
		const sentMs = environment.now();
		dialogue.say(writeKeepAlive(TransportType.PING, environment.wallClock()));
		await dialogue.transport(TransportType.PONG);
		const latencyMs = environment.now() - sentMs;
		dialogue.leave();
		return {
			nodeId: hello.from.nodeId,
			networkId: hello.networkId,
			transportVersion: hello.version,
			connections: status && { current: status.currentConnections, max: status.maxConnections },
			...readApplicationHello(application),
			latencyMs,
		};
	} finally {
		dialogue.end();
	}
}

/** Undefined if the node doesn't answer; the next step shows whether there is one. */
export async function peerStatus(options: PeerOptions): Promise<Status | undefined> {
	const { environment } = options;
	const stream = await dial(options);
	const own: Status = {
		from: ownEndpoint(options),
		networkId: options.networkId ?? 0,
		maxConnections: 0,
		currentConnections: 0,
		timestamp: BigInt(Math.trunc(environment.wallClock())),
	};
	return askStatus(environment, stream, own, options.timeoutMs).catch(() => undefined);
}
