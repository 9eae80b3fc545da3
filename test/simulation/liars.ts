/** Lying peers: each kind repeats one thing that a node must survive. */

import type { ApplicationListener, PeerConnection } from "../../src/node/network/connection.js";
import { decodePacket, encodePacket } from "../../src/node/network/discovery/packets.js";
import type { ByteStream, NodeAddress } from "../../src/node/network/environment.js";
import type { BlockRef, LocalChain } from "../../src/node/network/local-chain.js";
import { NO_CANDIDATES } from "../../src/node/network/transport/candidates.js";
import { PeerTransport } from "../../src/node/network/transport/peer-transport.js";
import {
	ApplicationType,
	decodeInventory,
	decodeSyncBlockChain,
	encodeBlockChainInventory,
	encodeInventory,
	encodeSyncBlockChain,
	encodeTransactions,
	HelloMessage,
	helloBlockId,
	InventoryKind,
} from "../../src/node/network/wire/application-messages.js";
import { wrapMessage } from "../../src/node/network/wire/envelope.js";
import { writeFrame } from "../../src/node/network/wire/frames.js";
import { withType, writeHello } from "../../src/node/network/wire/transport-messages.js";
import type { SignedBlock } from "../../src/protocol/block.js";
import { be64, concatBytes, toKey, utf8 } from "../../src/protocol/bytes.js";
import { ATTACKS, startAttacker } from "./attackers.js";
import type { SimulatedEnvironment } from "./environment.js";
import { BROKEN_VERSION, type ModelChain, makeBlock, SLOT_MS } from "./model-chain.js";
import type { Randomness } from "./randomness.js";
import { NETWORK_ID, PORT } from "./simulated-node.js";
import { modelTransaction } from "./traffic.js";

export const LIES = [
	"wrongHead",
	"withholder",
	"forger",
	"ruleBreaker",
	"equivocator",
	"forkBuilder",
	"spammer",
	"garbage",
	"slowLoris",
	"falseNeighbours",
	...ATTACKS,
] as const;
export type Lie = (typeof LIES)[number];

/** Lies about blocks that need a model chain. */
export const MODEL_LIES: ReadonlySet<Lie> = new Set(["forger", "ruleBreaker", "equivocator", "forkBuilder"]);

/** Lies that need a witness. */
export const WITNESS_LIES: ReadonlySet<Lie> = new Set(["ruleBreaker", "equivocator", "forkBuilder"]);

export interface LiarOptions {
	readonly lie: Lie;
	readonly environment: SimulatedEnvironment;
	readonly random: Randomness;
	/** The nodes it lies to. */
	readonly victims: readonly NodeAddress[];
	/** The chain of some honest node. */
	readonly chain: () => LocalChain;
	/** Its own witness, if any. */
	readonly witness: Uint8Array | undefined;
	/** The current id of an honest node, which every peer of it knows. */
	readonly nodeIdOf?: (host: string) => Uint8Array | undefined;
}

export async function startLiar(options: LiarOptions): Promise<void> {
	const attack = ATTACKS.find((name) => name === options.lie);
	if (attack) return startAttacker(attack, options);
	if (options.lie === "garbage") return sendGarbage(options);
	if (options.lie === "slowLoris") return holdConnections(options);
	if (options.lie === "falseNeighbours") return misleadDiscovery(options);
	await new LyingPeer(options).start();
}

/** A peer with an honest transport and dishonest messages. */
class LyingPeer implements ApplicationListener {
	private readonly transport: PeerTransport;
	private readonly connections = new Set<PeerConnection>();
	/** Blocks that it has built and announces. */
	private readonly made = new Map<string, SignedBlock>();

	constructor(private readonly options: LiarOptions) {
		const { environment, victims } = options;
		this.transport = new PeerTransport({
			environment,
			config: {
				listenPort: PORT,
				networkId: NETWORK_ID,
				active: victims,
				passive: [],
				fastForward: [],
				maxConnections: 100,
				minConnections: 0,
				minActiveConnections: 0,
				maxConnectionsWithSameIp: 10,
				detectNodes: false,
			},
			listener: this,
			candidates: NO_CANDIDATES,
			self: { ipv4: environment.host.address, ipv6: "" },
		});
	}

	async start(): Promise<void> {
		const { environment, lie } = this.options;
		await this.transport.start();
		if (lie === "spammer") environment.every(250, () => this.spam());
		if (lie === "forger") environment.every(2_000, () => this.forge());
		if (this.options.witness !== undefined) this.liveInSlots();
	}

	connected(connection: PeerConnection): void {
		this.connections.add(connection);
		const chain = this.options.chain();
		const head = this.claimedHead();
		const hello = HelloMessage.create({
			version: NETWORK_ID,
			timestamp: BigInt(this.options.environment.wallClock()),
			genesisBlockId: helloBlockId(chain.genesis),
			solidBlockId: helloBlockId(chain.solid),
			headBlockId: helloBlockId(head),
			codeVersion: utf8("4.8.0"),
		});
		connection.send(ApplicationType.P2P_HELLO, HelloMessage.encode(hello));
		// A summary ending in the victim's head makes it exchange announcements.
		if (head.number <= chain.head.number) {
			connection.send(ApplicationType.SYNC_BLOCK_CHAIN, encodeSyncBlockChain([chain.head]));
		}
	}

	received(connection: PeerConnection, type: number, payload: Uint8Array): void {
		if (type === ApplicationType.SYNC_BLOCK_CHAIN)
			this.answerSummary(connection, decodeSyncBlockChain(payload));
		if (type === ApplicationType.FETCH_INV_DATA) this.answerFetch(connection, decodeInventory(payload).ids);
	}

	oversized(): void {}

	disconnected(connection: PeerConnection): void {
		this.connections.delete(connection);
	}

	private claimedHead(): BlockRef {
		const { lie, random } = this.options;
		const { head } = this.options.chain();
		if (lie !== "wrongHead" && lie !== "withholder" && lie !== "forger") return head;
		return this.falseRef(head.number + BigInt(random.between(1, 500)));
	}

	/** For lies about blocks. */
	private get model(): ModelChain {
		return this.options.chain() as ModelChain;
	}

	private falseRef(number: bigint): BlockRef {
		return { number, id: concatBytes(be64(number), this.options.random.bytes(24)) };
	}

	private answerSummary(connection: PeerConnection, summary: readonly BlockRef[]): void {
		const { lie, random } = this.options;
		const chain = this.options.chain();
		const common = summary.findLast(({ id }) => chain.isOnChain(id)) ?? summary[0];
		if (common === undefined) return;
		const ids: BlockRef[] = [common];
		let remain = 0n;
		const followChain = () => {
			for (let number = common.number + 1n; number <= chain.head.number && ids.length < 2_000; number++) {
				ids.push({ number, id: chain.idAt(number) as Uint8Array });
			}
		};
		if (lie === "wrongHead") {
			const count = random.between(1, 200);
			for (let i = 1; i <= count; i++) ids.push(this.falseRef(common.number + BigInt(i)));
			if (random.chance(0.2)) remain = BigInt(random.between(1, 1_000));
		} else if (lie === "forger") {
			followChain();
			const block = this.remember(
				makeBlock({ parent: this.model.headBlock, ...this.slotAfter(), transactions: [] }, true),
			);
			if (ids.at(-1)?.number === chain.head.number) ids.push({ number: block.number, id: block.id });
		} else followChain();
		connection.send(ApplicationType.BLOCK_CHAIN_INVENTORY, encodeBlockChainInventory({ ids, remain }));
	}

	private slotAfter(): { timestampMs: bigint; witness: Uint8Array } {
		const chain = this.model;
		const timestampMs = chain.headTimestampMs + SLOT_MS;
		return { timestampMs, witness: chain.scheduled(timestampMs) };
	}

	private answerFetch(connection: PeerConnection, ids: readonly Uint8Array[]): void {
		const { lie } = this.options;
		if (lie === "withholder" || lie === "wrongHead" || lie === "spammer") return;
		for (const id of ids) {
			const block = this.made.get(toKey(id)) ?? this.options.chain().block(id);
			if (block !== undefined) connection.send(ApplicationType.BLOCK, block.bytes);
		}
	}

	private remember(block: SignedBlock): SignedBlock {
		this.made.set(toKey(block.id), block);
		for (const oldest of this.made.keys()) {
			if (this.made.size <= 100) break;
			this.made.delete(oldest);
		}
		return block;
	}

	private announce(block: SignedBlock, to: Iterable<PeerConnection> = this.connections): void {
		this.remember(block);
		const payload = encodeInventory(InventoryKind.BLOCK, [block.id]);
		for (const connection of to) connection.send(ApplicationType.INVENTORY, payload);
	}

	private forge(): void {
		const parent = this.model.headBlock;
		this.announce(makeBlock({ parent, ...this.slotAfter(), transactions: [] }, true));
	}

	private liveInSlots(): void {
		const { environment } = this.options;
		const slotMs = Number(SLOT_MS);
		const next = () => {
			environment.after(slotMs - (environment.wallClock() % slotMs), () => {
				const now = environment.wallClock();
				this.slot(BigInt(now - (now % slotMs)));
				next();
			});
		};
		next();
	}

	private slot(timestampMs: bigint): void {
		const { lie, witness, random } = this.options;
		const chain = this.model;
		if (witness === undefined || toKey(chain.scheduled(timestampMs)) !== toKey(witness)) return;
		const head = chain.headBlock;
		if (timestampMs <= head.timestampMs) return;
		if (lie === "ruleBreaker") {
			this.announce(
				makeBlock({ parent: head, timestampMs, witness, transactions: [], version: BROKEN_VERSION }),
			);
		} else if (lie === "equivocator") {
			const [left, right] = halves([...this.connections]);
			for (const half of [left, right]) {
				const transactions = [modelTransaction(random, timestampMs)];
				this.announce(makeBlock({ parent: head, timestampMs, witness, transactions }), half);
			}
		} else if (lie === "forkBuilder") {
			const lowest = chain.solid.number;
			const depth = BigInt(random.below(4));
			const number = head.number - depth < lowest ? lowest : head.number - depth;
			const parent = chain.block(chain.idAt(number) as Uint8Array) as SignedBlock;
			this.announce(makeBlock({ parent, timestampMs, witness, transactions: [] }));
		}
	}

	private spam(): void {
		const { random, environment } = this.options;
		const chain = this.options.chain();
		const randomIds = (count: number) => Array.from({ length: count }, () => random.bytes(32));
		const transaction = () => modelTransaction(random, BigInt(environment.wallClock()));
		for (const connection of this.connections) {
			const { send } = connection;
			const say = send.bind(connection);
			switch (random.below(9)) {
				case 0:
					say(ApplicationType.INVENTORY, encodeInventory(InventoryKind.TX, randomIds(500)));
					break;
				case 1: {
					const head = chain.head.number + 1n;
					const ids = randomIds(5).map((id) => concatBytes(be64(head), id.subarray(8)));
					say(ApplicationType.INVENTORY, encodeInventory(InventoryKind.BLOCK, ids));
					break;
				}
				case 2:
					say(ApplicationType.TXS, encodeTransactions([transaction()]));
					break;
				case 3:
					say(ApplicationType.BLOCK, chain.block(chain.head.id)?.bytes ?? new Uint8Array(0));
					break;
				case 4:
					say(ApplicationType.SYNC_BLOCK_CHAIN, encodeSyncBlockChain([chain.head]));
					break;
				case 5:
					say(ApplicationType.FETCH_INV_DATA, encodeInventory(InventoryKind.TX, randomIds(3)));
					break;
				case 6:
					say(random.below(0x7f), random.bytes(random.below(200)));
					break;
				case 7:
					say(
						ApplicationType.BLOCK_CHAIN_INVENTORY,
						encodeBlockChainInventory({ ids: [chain.head], remain: 0n }),
					);
					break;
				default:
					say(ApplicationType.P2P_PING, Uint8Array.of(0xc0));
			}
		}
	}
}

function halves<T>(items: readonly T[]): [readonly T[], readonly T[]] {
	const middle = items.length >> 1;
	return [items.slice(0, middle), items.slice(middle)];
}

/** Dials, and sends invalid frames, or meaningless ones. */
function sendGarbage({ environment, random, victims }: LiarOptions): void {
	const once = async (): Promise<void> => {
		const stream = await dialOrNothing(environment, random.pick(victims));
		if (stream === undefined) return;
		stream.listen({ data: () => {}, closed: () => {} });
		if (random.chance(0.5)) stream.write(greeting(environment));
		for (let i = random.between(1, 5); i > 0; i--) {
			const bytes = random.bytes(random.between(1, 3_000));
			const frames = [
				bytes,
				writeFrame(bytes),
				writeFrame(wrapMessage(bytes)),
				Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x7f),
				writeFrame(wrapMessage(withType(random.below(256), bytes))),
			];
			stream.write(random.pick(frames));
		}
		environment.after(random.between(10, 5_000), () => stream.destroy());
	};
	environment.every(700, () => void once());
}

/** Keeps connections open and busy. */
function holdConnections({ environment, random, victims }: LiarOptions): void {
	const held = new Set<ByteStream>();
	const once = async (): Promise<void> => {
		if (held.size >= 60) return;
		const stream = await dialOrNothing(environment, random.pick(victims));
		if (stream === undefined) return;
		held.add(stream);
		const drip = environment.every(9_000, () => stream.write(Uint8Array.of(random.chance(0.5) ? 0 : 0x85)));
		stream.listen({
			data: () => {},
			closed: () => {
				held.delete(stream);
				drip.cancel();
			},
		});
		if (random.chance(0.3)) stream.pause();
		if (random.chance(0.3)) stream.write(greeting(environment));
		if (random.chance(0.3)) stream.write(Uint8Array.of(0xf0, 0xff, 0x7f));
	};
	environment.every(300, () => void once());
}

function greeting(environment: SimulatedEnvironment): Uint8Array {
	const from = { ipv4: environment.host.address, ipv6: "", port: PORT, nodeId: environment.randomBytes(64) };
	const timestamp = BigInt(environment.wallClock());
	return writeFrame(writeHello({ from, networkId: NETWORK_ID, code: 0, timestamp, version: 1 }));
}

async function dialOrNothing(
	environment: SimulatedEnvironment,
	address: NodeAddress,
): Promise<ByteStream | undefined> {
	try {
		return await environment.dial(address, 2_000);
	} catch {
		// The victim may be down, or refuse the connection.
		return undefined;
	}
}

/** Answers discovery with addresses of nodes that don't exist. */
async function misleadDiscovery({ environment, random, victims }: LiarOptions): Promise<void> {
	const nodeId = environment.randomBytes(64);
	const self = { ipv4: environment.host.address, ipv6: "", port: PORT, nodeId };
	const absentNode = () => ({
		ipv4: `172.16.${random.below(256)}.${random.between(1, 250)}`,
		ipv6: "",
		port: random.between(1, 65_535),
		nodeId: random.bytes(64),
	});
	const port = await environment.bindDatagrams({ port: PORT }, (datagram, from) => {
		const packet = decodePacket(datagram);
		if (packet === undefined) return;
		const timestampMs = BigInt(environment.wallClock());
		if (packet.kind === "ping") {
			port.send(encodePacket({ kind: "pong", from: self, networkId: NETWORK_ID, timestampMs }), from);
		} else if (packet.kind === "findNode") {
			const neighbours = Array.from({ length: 15 }, absentNode);
			port.send(encodePacket({ kind: "neighbours", from: self, neighbours, timestampMs }), from);
		}
	});
	environment.every(500, () => {
		const victim = random.pick(victims);
		const timestampMs = BigInt(environment.wallClock());
		const from = random.chance(0.5) ? self : { ...absentNode(), ipv4: self.ipv4 };
		port.send(
			encodePacket({ kind: "ping", from, to: undefined, networkId: NETWORK_ID, timestampMs }),
			victim,
		);
		port.send(encodePacket({ kind: "findNode", from: self, target: random.bytes(64), timestampMs }), victim);
		port.send(random.bytes(random.below(300)), victim);
	});
}
