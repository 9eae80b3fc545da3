import { describe, expect, it } from "vitest";
import type { PeerConnection, Transport } from "../../../../src/node/network/connection.js";
import { greet } from "../../../../src/node/network/peers/handshake.js";
import { Peer } from "../../../../src/node/network/peers/peer.js";
import { type OwnWitness, PeerWorld } from "../../../../src/node/network/peers/peer-world.js";
import { HelloMessage } from "../../../../src/node/network/wire/application-messages.js";
import { signatureOfHello } from "../../../../src/protocol/post-quantum/fields.js";
import { FN_DSA_512 } from "../../../../src/protocol/post-quantum/schemes.js";
import { ModelChain, modelNetwork } from "../../../simulation/model-chain.js";
import { modelSettings } from "../../../simulation/simulated-node.js";
import { SimulatedWorld } from "../../../simulation/world.js";

const RELAY = "10.0.0.2";

/** A node that meets a relay node, and what it says to it. */
function meet(witnesses: (chain: ModelChain) => readonly OwnWitness[]) {
	const world = new SimulatedWorld();
	const network = modelNetwork(3, BigInt(world.now));
	const chain = new ModelChain(network, network.witnesses);
	const settings = {
		...modelSettings({ limits: { maxConnections: 30, minConnections: 8, minActiveConnections: 3 } }),
		relayHosts: new Set([RELAY]),
	};
	const quiet = { debug: () => {}, info: () => {}, warn: () => {} };
	const environment = world.host("10.0.0.1").boot();
	const own = witnesses(chain);
	const peers = new PeerWorld(environment, chain, settings, quiet, own, () => true);
	const said: HelloMessage[] = [];
	const connection = {
		remote: { host: RELAY, port: 18_888 },
		connectTimeMs: world.now,
		send: (_type: number, payload: Uint8Array) => void said.push(HelloMessage.decode(payload)),
	} as unknown as PeerConnection;
	const peer = new Peer(connection, chain.genesis, () => world.now);
	const transport = {
		self: { ipv4: "10.0.0.1", ipv6: "", port: 18_888 },
		nodeId: new Uint8Array(64),
	} as unknown as Transport;
	const produce = () => {
		const block = chain.produceFor(BigInt(world.now));
		if (block === undefined) throw new Error("not its slot");
		chain.push(block);
	};
	greet(peers, transport, peer);
	return { world, chain, peer, said, produce };
}

describe("the HELLO of a witness whose key is elsewhere", () => {
	it("is compared with by the head that it names, not by that before its signature came", async () => {
		let answer = (_signature: Uint8Array): void => {};
		const remote = {
			hello: () => new Promise<Uint8Array>((resolve) => (answer = resolve)),
			vote: () => Promise.reject(new Error("no vote")),
		};
		const { world, chain, peer, said, produce } = meet(({ activeWitnesses }) => {
			const witness = activeWitnesses[0] as Uint8Array;
			return [{ witness, signer: witness, sign: () => new Uint8Array(65), remote }];
		});
		await world.advance(3000);
		produce();
		expect(said).toEqual([]);
		answer(new Uint8Array(65));
		await world.advance(10);
		expect(said[0]?.headBlockId?.number).toBe(chain.head.number);
		expect(chain.head.number).toBe(1n);
		expect(peer.greetedAt).toBe(1n);
	});
});

describe("the key that greets a relay node", () => {
	const key = (witness: Uint8Array, number: number): OwnWitness => ({
		witness,
		signer: witness,
		sign: () => new Uint8Array(65).fill(number),
		...(number < 10 ? {} : { postQuantum: { scheme: FN_DSA_512, publicKey: Uint8Array.of(number) } }),
	});
	const other = new Uint8Array(21).fill(0x41);

	it.each<[string, (active: Uint8Array) => readonly OwnWitness[], number | undefined]>([
		[
			"one of an active witness that signs as ever",
			(active) => [key(other, 11), key(active, 12), key(active, 1)],
			1,
		],
		["the first post-quantum one", (active) => [key(active, 11), key(active, 12)], 11],
		[
			"none where the first post-quantum one's witness is not active",
			(active) => [key(other, 11), key(active, 12)],
			undefined,
		],
		[
			"the first post-quantum one where the other key's witness is not active",
			(active) => [key(other, 1), key(active, 12)],
			12,
		],
	])("is %s", (_, keys, expected) => {
		const { said } = meet(({ activeWitnesses }) => keys(activeWitnesses[0] as Uint8Array));
		const [hello] = said as [HelloMessage];
		const signature = hello.signature.length > 0 ? hello.signature : signatureOfHello(hello)?.signature;
		expect(signature?.[0]).toBe(expected);
		expect(hello.address.length > 0).toBe(expected !== undefined);
	});
});
