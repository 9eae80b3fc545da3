/** Attacking peers: repeat what once worked against a node, or could have. */

import type { ApplicationListener, PeerConnection } from "../../src/node/network/connection.js";
import type { ByteStream, NodeAddress } from "../../src/node/network/environment.js";
import type { BlockRef } from "../../src/node/network/local-chain.js";
import { NO_CANDIDATES } from "../../src/node/network/transport/candidates.js";
import { PeerTransport } from "../../src/node/network/transport/peer-transport.js";
import {
	ApplicationType,
	decodeInventory,
	encodeBlockChainInventory,
	encodeInventory,
	encodeSyncBlockChain,
	HelloMessage,
	helloBlockId,
	InventoryKind,
} from "../../src/node/network/wire/application-messages.js";
import { writeFrame } from "../../src/node/network/wire/frames.js";
import { writeHello } from "../../src/node/network/wire/transport-messages.js";
import { SignedBlock } from "../../src/protocol/block.js";
import { be64, concatBytes, toKey, utf8 } from "../../src/protocol/bytes.js";
import { Block, BlockHeader, BlockHeaderRaw } from "../../src/protocol/messages.js";
import { addressOfPrivateKey, sign } from "../../src/protocol/signature.js";
import type { LiarOptions } from "./liars.js";
import { SLOT_MS } from "./model-chain.js";
import { NETWORK_ID, PORT } from "./simulated-node.js";

export const ATTACKS = [
	"branchForger",
	"longForger",
	"idFlooder",
	"junkFrames",
	"commitPusher",
	"silentHead",
	"impostor",
	"mute",
] as const;
export type Attack = (typeof ATTACKS)[number];

/** Length of a forged branch, longer than the chain. */
const LONG_BRANCH = 30;
const UNKNOWN_FIELDS = 20_000;
const MUTE_CONNECTIONS = 60;

export async function startAttacker(attack: Attack, options: LiarOptions): Promise<void> {
	if (attack === "mute") holdSilence(options);
	else if (attack === "impostor") impersonate(options);
	else await new Attacker(attack, options).start();
}

/** Addresses of forging keys, cached: few keys sign many blocks. */
const owners = new WeakMap<Uint8Array, Uint8Array>();

function ownerOf(key: Uint8Array): Uint8Array {
	const owner = owners.get(key) ?? addressOfPrivateKey(key);
	owners.set(key, owner);
	return owner;
}

/** A child block signed with a freshly generated key. */
export function forgedBlock(parent: SignedBlock, timestampMs: bigint, key: Uint8Array): SignedBlock {
	const raw = BlockHeaderRaw.create({
		number: parent.number + 1n,
		timestamp: timestampMs,
		parentHash: parent.id,
		witness_address: ownerOf(key),
		txTrieRoot: new Uint8Array(32),
		version: parent.raw.version,
	});
	const unsigned = new SignedBlock(Block.create({ block_header: BlockHeader.create({ raw_data: raw }) }));
	const witness_signature = sign(unsigned.rawHash, key);
	return new SignedBlock(
		Block.create({ block_header: BlockHeader.create({ raw_data: raw, witness_signature }) }),
	);
}

/** Varints of fields that no message has. */
function unknownFields(count: number): Uint8Array {
	const field = Uint8Array.of(0xf8, 0x7f, 0x01);
	const out = new Uint8Array(count * field.length);
	for (let i = 0; i < count; i++) out.set(field, i * field.length);
	return out;
}

class Attacker implements ApplicationListener {
	private readonly transport: PeerTransport;
	private readonly connections = new Set<PeerConnection>();
	private readonly made = new Map<string, SignedBlock>();
	private branch: readonly SignedBlock[] = [];

	constructor(
		private readonly attack: Exclude<Attack, "mute" | "impostor">,
		private readonly options: LiarOptions,
	) {
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
		await this.transport.start();
		this.options.environment.every(500, () => this.act());
	}

	connected(connection: PeerConnection): void {
		this.connections.add(connection);
		const { environment } = this.options;
		const chain = this.options.chain();
		const hello = HelloMessage.create({
			version: NETWORK_ID,
			timestamp: BigInt(environment.wallClock()),
			genesisBlockId: helloBlockId(chain.genesis),
			solidBlockId: helloBlockId(chain.solid),
			headBlockId: helloBlockId(this.claimedHead()),
			codeVersion: utf8("4.8.0"),
		});
		connection.send(ApplicationType.P2P_HELLO, HelloMessage.encode(hello));
		if (this.attack !== "silentHead") {
			connection.send(ApplicationType.SYNC_BLOCK_CHAIN, encodeSyncBlockChain([chain.head]));
		}
	}

	received(connection: PeerConnection, type: number, payload: Uint8Array): void {
		if (this.attack === "silentHead") return;
		if (type === ApplicationType.SYNC_BLOCK_CHAIN) this.answerSummary(connection);
		if (type !== ApplicationType.FETCH_INV_DATA) return;
		for (const id of decodeInventory(payload).ids) {
			const block = this.made.get(toKey(id)) ?? this.options.chain().block(id);
			if (block) connection.send(ApplicationType.BLOCK, block.bytes);
		}
	}

	oversized(): void {}

	disconnected(connection: PeerConnection): void {
		this.connections.delete(connection);
	}

	private claimedHead(): BlockRef {
		const { head } = this.options.chain();
		if (this.attack === "silentHead") {
			const number = head.number + BigInt(this.options.random.between(1, 100));
			return { number, id: concatBytes(be64(number), this.options.random.bytes(24)) };
		}
		if (this.attack !== "longForger") return head;
		this.branch = this.forge(LONG_BRANCH);
		const { id, number } = this.branch.at(-1) as SignedBlock;
		return { id, number };
	}

	private answerSummary(connection: PeerConnection): void {
		const chain = this.options.chain();
		const [first] = this.branch;
		const refs = first ? [{ id: first.parentId, number: first.number - 1n }, ...this.branch] : [chain.head];
		const ids = refs.map(({ id, number }) => ({ id, number }));
		connection.send(ApplicationType.BLOCK_CHAIN_INVENTORY, encodeBlockChainInventory({ ids, remain: 0n }));
	}

	/** A branch that forks slightly below the head. */
	private forge(length: number): readonly SignedBlock[] {
		const { random } = this.options;
		const chain = this.options.chain();
		const depth = BigInt(random.below(4));
		const number =
			chain.head.number > depth + chain.solid.number ? chain.head.number - depth : chain.solid.number;
		const key = Buffer.concat([Buffer.alloc(24, 1), random.bytes(8)]);
		const branch: SignedBlock[] = [];
		let parent = chain.block(chain.idAt(number) as Uint8Array) as SignedBlock;
		for (let i = 0; i < length; i++) {
			parent = forgedBlock(parent, parent.timestampMs + SLOT_MS, key);
			branch.push(parent);
			this.made.set(toKey(parent.id), parent);
		}
		for (const oldest of this.made.keys()) {
			if (this.made.size <= 200) break;
			this.made.delete(oldest);
		}
		return branch;
	}

	private act(): void {
		const { random } = this.options;
		const chain = this.options.chain();
		const toAll = (type: number, payload: Uint8Array): void => {
			for (const connection of this.connections) connection.send(type, payload);
		};
		switch (this.attack) {
			case "branchForger":
				for (const block of this.forge(random.between(1, 3))) {
					toAll(ApplicationType.INVENTORY, encodeInventory(InventoryKind.BLOCK, [block.id]));
				}
				break;
			case "idFlooder": {
				const ids = Array.from({ length: 400 }, (_, i) =>
					concatBytes(be64(chain.head.number + 1n + BigInt(i % 50)), random.bytes(24)),
				);
				toAll(ApplicationType.INVENTORY, encodeInventory(InventoryKind.BLOCK, ids));
				break;
			}
			case "junkFrames": {
				const types = [
					ApplicationType.P2P_PING,
					ApplicationType.P2P_HELLO,
					ApplicationType.INVENTORY,
					ApplicationType.PBFT_MSG,
					ApplicationType.TXS,
					ApplicationType.BLOCK,
					ApplicationType.SYNC_BLOCK_CHAIN,
				];
				toAll(random.pick(types), unknownFields(random.between(1, UNKNOWN_FIELDS)));
				break;
			}
			case "commitPusher":
				toAll(ApplicationType.PBFT_COMMIT_MSG, random.bytes(random.between(1, 50_000)));
				break;
			default:
		}
	}
}

/** Connects with another node's id. */
function impersonate({ environment, random, victims, nodeIdOf }: LiarOptions): void {
	const once = async (): Promise<void> => {
		const victim = random.pick(victims);
		const other = random.pick(victims);
		const nodeId = nodeIdOf?.(other.host) ?? random.bytes(64);
		const stream = await dialOrNothing(environment, victim);
		if (!stream) return;
		stream.listen({ data: () => {}, closed: () => {} });
		environment.after(random.between(0, 1_500), () => {
			const from = { ipv4: environment.host.address, ipv6: "", port: PORT, nodeId };
			const timestamp = BigInt(environment.wallClock());
			stream.write(writeFrame(writeHello({ from, networkId: NETWORK_ID, code: 0, timestamp, version: 1 })));
		});
		environment.after(random.between(2_000, 20_000), () => stream.destroy());
	};
	environment.every(900, () => void once());
}

/** Keeps as many connections open as possible, without sending anything. */
function holdSilence({ environment, random, victims }: LiarOptions): void {
	const held = new Set<ByteStream>();
	const once = async (): Promise<void> => {
		if (held.size >= MUTE_CONNECTIONS) return;
		const stream = await dialOrNothing(environment, random.pick(victims));
		if (!stream) return;
		held.add(stream);
		stream.listen({ data: () => {}, closed: () => held.delete(stream) });
	};
	environment.every(150, () => void once());
}

async function dialOrNothing(
	environment: LiarOptions["environment"],
	address: NodeAddress,
): Promise<ByteStream | undefined> {
	try {
		return await environment.dial(address, 2_000);
	} catch {
		// The victim may be down, or refuse the connection.
		return undefined;
	}
}
