/** A watcher and peers of a simulated world: an honest one, and such as lie, flood, dawdle or know another chain. */

import { describe, expect, it } from "vitest";
import type { PeerConnection } from "../../../../src/node/network/connection.js";
import type { NetworkEnvironment } from "../../../../src/node/network/environment.js";
import { NO_CANDIDATES } from "../../../../src/node/network/transport/candidates.js";
import { PeerTransport } from "../../../../src/node/network/transport/peer-transport.js";
import {
	NoHeadError,
	type WatchEvent,
	type WatchOptions,
	watch,
} from "../../../../src/node/network/watch/watch.js";
import {
	ApplicationType,
	decodeInventory,
	decodeSyncBlockChain,
	encodeBlockChainInventory,
	encodeInventory,
	HelloMessage,
	helloBlockId,
	InventoryKind,
	PING_PAYLOAD,
} from "../../../../src/node/network/wire/application-messages.js";
import { refBlockOf, SignedBlock } from "../../../../src/protocol/block.js";
import { equalBytes, toHex, toKey, utf8 } from "../../../../src/protocol/bytes.js";
import { type ContractType, contractTypeByName } from "../../../../src/protocol/contract-types.js";
import { verifyInclusion } from "../../../../src/protocol/inclusion/verify.js";
import { TransferContract } from "../../../../src/protocol/messages.js";
import { buildTransaction, type SignedTransaction } from "../../../../src/protocol/transaction.js";
import { SimulatedWorld } from "../../../simulation/world.js";
import { blockOf, blocksAfter, genesis, SLOT_MS, START_MS, setOf, witnessAt } from "./watched-network.js";

const PORT = 18888;
const WITNESSES = [0, 1, 2, 3, 4] as const;
const FIRST_SLOTS = 10;

/** What a peer does, instead of what it should. */
interface PeerParts {
	readonly blocks: SignedBlock[];
	readonly hello?: {
		readonly genesis?: SignedBlock;
		readonly head?: SignedBlock;
		readonly solid?: SignedBlock;
	};
	onList?(connection: PeerConnection, peer: Peer): boolean;
	onFetch?(connection: PeerConnection, ids: readonly Uint8Array[], peer: Peer): boolean;
}

/** A node with a chain, as far as a watcher asks it. */
class Peer {
	readonly connections = new Set<PeerConnection>();
	private environment: NetworkEnvironment | undefined;

	constructor(private readonly parts: PeerParts) {}

	async start(world: SimulatedWorld, host: string): Promise<this> {
		const environment = world.host(host).boot();
		this.environment = environment;
		const transport = new PeerTransport({
			environment,
			config: {
				listenPort: PORT,
				networkId: 4711,
				active: [],
				passive: [],
				fastForward: [],
				maxConnections: 30,
				minConnections: 8,
				minActiveConnections: 3,
				maxConnectionsWithSameIp: 2,
				detectNodes: false,
			},
			candidates: NO_CANDIDATES,
			self: { ipv4: host, ipv6: "" },
			nodeId: new Uint8Array(64).fill(9),
			listener: {
				connected: (connection) => this.greet(connection),
				received: (connection, type, payload) => this.answer(connection, type, payload),
				oversized: () => undefined,
				disconnected: (connection) => void this.connections.delete(connection),
			},
		});
		await transport.start();
		return this;
	}

	announce(block: SignedBlock): void {
		this.parts.blocks.push(block);
		for (const connection of this.connections)
			connection.send(ApplicationType.INVENTORY, encodeInventory(InventoryKind.BLOCK, [block.id]));
	}

	/** Says something every second, and not what it was asked for. */
	drip(connection: PeerConnection): boolean {
		this.environment?.every(1_000, () => connection.send(ApplicationType.P2P_PING, PING_PAYLOAD));
		return true;
	}

	private greet(connection: PeerConnection): void {
		this.connections.add(connection);
		const { blocks, hello = {} } = this.parts;
		const head = hello.head ?? (blocks.at(-1) as SignedBlock);
		const message = HelloMessage.create({
			version: 4711,
			genesisBlockId: helloBlockId(hello.genesis ?? genesis),
			solidBlockId: helloBlockId(hello.solid ?? blocks.find(({ number }) => number === 2n) ?? head),
			headBlockId: helloBlockId(head),
			codeVersion: utf8("4.8.2"),
		});
		connection.send(ApplicationType.P2P_HELLO, HelloMessage.encode(message));
	}

	private answer(connection: PeerConnection, type: number, payload: Uint8Array): void {
		if (type === ApplicationType.SYNC_BLOCK_CHAIN) {
			if (this.parts.onList?.(connection, this)) return;
			const known = decodeSyncBlockChain(payload).map(({ id }) => toKey(id));
			const from = this.parts.blocks.findLastIndex(({ id }) => known.includes(toKey(id)));
			this.list(connection, this.parts.blocks.slice(Math.max(from, 0)));
		}
		if (type !== ApplicationType.FETCH_INV_DATA) return;
		const { ids } = decodeInventory(payload);
		if (this.parts.onFetch?.(connection, ids, this)) return;
		for (const id of ids)
			this.give(
				connection,
				this.parts.blocks.find((each) => equalBytes(each.id, id)),
			);
	}

	list(connection: PeerConnection, blocks: readonly SignedBlock[]): void {
		const ids = blocks.map(({ id, number }) => ({ id, number }));
		connection.send(ApplicationType.BLOCK_CHAIN_INVENTORY, encodeBlockChainInventory({ ids, remain: 0n }));
	}

	give(connection: PeerConnection, block: SignedBlock | undefined): void {
		if (block) connection.send(ApplicationType.BLOCK, block.bytes);
	}
}

interface Run {
	readonly peers: readonly PeerParts[];
	readonly options?: Partial<WatchOptions>;
	/** Enough: ends the watching. */
	readonly until?: (events: readonly WatchEvent[]) => boolean;
	readonly later?: (peers: readonly Peer[], world: SimulatedWorld) => Promise<void>;
	readonly ms?: number;
}

async function run({ peers, options, until, later, ms = 60_000 }: Run) {
	const world = new SimulatedWorld({
		link: { latencyMs: 30, jitterMs: 0 },
		fragmentation: 0.3,
		startMs: START_MS + FIRST_SLOTS * SLOT_MS,
	});
	const hosts = await Promise.all(peers.map((parts, i) => new Peer(parts).start(world, `10.0.1.${i + 1}`)));
	const events: WatchEvent[] = [];
	const watching = watch({
		environment: world.host("10.0.0.2").boot(),
		peers: peers.map((_, i) => ({ host: `10.0.1.${i + 1}`, port: PORT })),
		networkId: 4711,
		genesis: genesis.id,
		trusted: setOf(...WITNESSES),
		hasPostQuantum: false,
		addresses: [],
		timeoutMs: 5_000,
		ownIpv4: "10.0.0.2",
		patienceMs: 30_000,
		report: (event) => {
			events.push(event);
			return !until?.(events);
		},
		...options,
	}).then(
		() => undefined,
		(error: unknown) => error,
	);
	await world.advance(2_000);
	await later?.(hosts, world);
	await world.advance(ms);
	return { events, watching, kinds: events.map(({ kind }) => kind) };
}

function transfer(from: Uint8Array, to: Uint8Array): SignedTransaction {
	const payload = TransferContract.create({ owner_address: from, to_address: to, amount: 5n });
	return buildTransaction(contractTypeByName("TransferContract") as ContractType, payload, {
		...refBlockOf(genesis.id),
		expirationMs: BigInt(START_MS + 60_000),
		timestampMs: BigInt(START_MS),
	});
}

const chainOf = (): SignedBlock[] => [genesis, ...blocksAfter(genesis, [0, 1, 2, 3, 4, 0, 1, 2])];
const leftWith = (events: readonly WatchEvent[]): string | undefined =>
	events.flatMap((event) => (event.kind === "left" ? [event.why] : []))[0];

describe("a watcher", () => {
	it("verifies a head, then takes what is announced", async () => {
		const blocks = chainOf();
		const { events, watching } = await run({
			peers: [{ blocks }],
			until: (all) => all.some((event) => event.kind === "block" && event.block.number === 10n),
			later: async ([peer], world) => {
				for (const next of blocksAfter(blocks.at(-1) as SignedBlock, [3, 4])) {
					await world.advance(SLOT_MS);
					peer?.announce(next);
				}
			},
		});
		expect(await watching).toBeUndefined();
		expect(events).toMatchObject([
			{ kind: "peer", address: "10.0.1.1:18888", codeVersion: "4.8.2" },
			{ kind: "verified", needed: 4, of: 5, passedOver: undefined },
			...[6n, 7n, 8n].map((number) => ({ kind: "block", block: { number }, final: number - 3n })),
			{ kind: "block", block: { number: 9n }, final: 6n, isReorg: false, transactions: 0 },
			{ kind: "block", block: { number: 10n }, final: 7n, isReorg: false },
		]);
		const verified = events[1] as Extract<WatchEvent, { kind: "verified" }>;
		expect(verified.afterMs).toBeLessThan(3_000);
	});

	it("shows the transactions of an address, and proves them when their block is final", async () => {
		const [to, from] = [witnessAt(50), witnessAt(51)];
		const transaction = transfer(from, to);
		const blocks = chainOf();
		const last = blocks.at(-1) as SignedBlock;
		const paying = blockOf({ parent: last, slot: 9, witness: 3, transactions: [transaction] });
		const { events } = await run({
			peers: [{ blocks }],
			options: { addresses: [to] },
			until: (all) => all.some(({ kind }) => kind === "proven"),
			later: async ([peer], world) => {
				for (const next of [paying, ...blocksAfter(paying, [4, 0, 1, 2])]) {
					await world.advance(SLOT_MS);
					peer?.announce(next);
				}
			},
		});
		const [shown, proven] = events.filter(({ kind }) => kind === "transaction" || kind === "proven") as [
			Extract<WatchEvent, { kind: "transaction" }>,
			Extract<WatchEvent, { kind: "proven" }>,
		];
		expect(shown).toMatchObject({ kind: "transaction", type: "TransferContract" });
		expect(toHex(shown.id)).toBe(toHex(transaction.id));
		expect(proven).toMatchObject({ kind: "proven", builders: 4 });
		expect(await verifyInclusion(proven.proof, setOf(...WITNESSES))).toMatchObject({
			block: { number: 9n },
		});
	});

	it("takes another peer where the fastest one always goes", async () => {
		const near = chainOf();
		const far = [...near, ...blocksAfter(near.at(-1) as SignedBlock, [3, 4, 0, 1])];
		const { events } = await run({
			peers: [
				{
					blocks: far,
					onFetch: (connection) => {
						connection.close();
						return true;
					},
				},
				{ blocks: far },
			],
			until: (all) => all.some(({ kind }) => kind === "verified"),
		});
		expect(events.map(({ kind }) => kind)).toContain("verified");
	});
});

describe("a watcher leaves a peer", () => {
	const cases: readonly (readonly [name: string, parts: () => PeerParts, why: RegExp])[] = [
		[
			"of another chain",
			() => ({ blocks: chainOf(), hello: { genesis: chainOf()[1] as SignedBlock } }),
			/another chain/,
		],
		["whose last final block is far back", () => farBack(), /far from its last final block/],
		["that answers nothing", () => ({ blocks: chainOf(), onList: () => true }), /no answer within 5000 ms/],
		[
			"that owes blocks",
			() => ({ blocks: chainOf(), onFetch: () => true }),
			/no answer within \d+ ms|doesn't come in time/,
		],
		["whose list has gaps", () => listing((blocks) => blocks.filter((_, i) => i !== 4)), /has gaps/],
		[
			"whose list begins elsewhere",
			() => listing((blocks) => blocks.slice(3)),
			/doesn't begin at what we asked for/,
		],
		["whose list is empty", () => listing(() => []), /doesn't begin at what we asked for/],
		["whose list is endless", () => endless(), /blocks after its last final one|too long/],
		[
			"that gives blocks that nobody asked for",
			() => giving((blocks) => [blockOf({ parent: blocks[0] as SignedBlock, slot: 9, witness: 0 })]),
			/was not asked for/,
		],
		["that gives them in another order", () => giving((blocks) => [...blocks].reverse()), /another order/],
		["whose blocks have a forged signature", () => forged(), /are not in the set of 5/],
		["whose blocks have other transactions", () => stripped(), /not those of its header/],
	];

	it.each(cases)("%s", async (_, parts, why) => {
		const { events, watching } = await run({ peers: [parts()], options: { patienceMs: 50_000 } });
		expect(leftWith(events)).toMatch(why);
		expect(events.map(({ kind }) => kind)).not.toContain("verified");
		const error = await watching;
		expect(error).toBeInstanceOf(NoHeadError);
		expect([...(error as NoHeadError).reasons.keys()]).toEqual(["10.0.1.1:18888"]);
	});

	it("that owes blocks keeps no one beyond the time that was given", async () => {
		const silent = { blocks: chainOf(), onFetch: () => true };
		const options = { patienceMs: 7_000 };
		const { watching } = await run({ peers: [silent, silent, silent, silent], options, ms: 5_100 });
		const later = new Promise((resolve) => setImmediate(resolve, "still watching"));
		const error = await Promise.race([watching, later]);
		expect(error).toBeInstanceOf(NoHeadError);
		expect([...(error as NoHeadError).reasons.values()].at(-1)).toBe(
			"its blocks didn't come in the time that was given",
		);
	});

	it("that owes blocks keeps no one long from a peer that gives them", async () => {
		const silent = { blocks: chainOf(), onFetch: () => true };
		const honest = { blocks: chainOf() };
		const { kinds } = await run({
			peers: [silent, silent, honest],
			options: { patienceMs: 40_000 },
			ms: 20_000,
		});
		expect(kinds).toContain("verified");
	});

	it("that drips a block byte by byte, since what was asked for has its time", async () => {
		const blocks = chainOf();
		const { events } = await run({
			peers: [{ blocks, onFetch: (connection, _, peer) => peer.drip(connection) }],
			options: { patienceMs: 90_000 },
			ms: 90_000,
		});
		expect(leftWith(events)).toMatch(/no answer|in time/);
	});

	it("that stands still", async () => {
		const { events, watching } = await run({
			peers: [{ blocks: chainOf() }],
			ms: 70_000,
			until: (all) => all.some(({ kind }) => kind === "left"),
		});
		expect(events.map(({ kind }) => kind).filter((kind) => kind !== "block")).toEqual([
			"peer",
			"verified",
			"left",
		]);
		expect(leftWith(events)).toMatch(/stands still for 30 s/);
		expect(await watching).toBeUndefined();
	});

	function listing(change: (blocks: readonly SignedBlock[]) => readonly SignedBlock[]): PeerParts {
		const blocks = chainOf();
		const onList = (connection: PeerConnection, peer: Peer) => {
			peer.list(connection, change(blocks.slice(2)));
			return true;
		};
		return { blocks, onList };
	}

	function giving(change: (blocks: readonly SignedBlock[]) => readonly SignedBlock[]): PeerParts {
		const blocks = chainOf();
		const onFetch = (connection: PeerConnection) => {
			for (const { bytes } of change(blocks.slice(3))) connection.send(ApplicationType.BLOCK, bytes);
			return true;
		};
		return { blocks, onFetch };
	}

	function forged(): PeerParts {
		let parent = genesis;
		const blocks = [genesis];
		for (const slot of [1, 2, 3, 4, 5]) {
			parent = blockOf({ parent, slot, witness: slot - 1, signer: slot + 60 });
			blocks.push(parent);
		}
		return { blocks };
	}

	function stripped(): PeerParts {
		const blocks = chainOf();
		const parent = blocks.at(-1) as SignedBlock;
		const one = transfer(witnessAt(50), witnessAt(51));
		const full = blockOf({ parent, slot: 9, witness: 3, transactions: [one] });
		const empty = SignedBlock.decode(full.bytes).message;
		const bare = new SignedBlock({ ...empty, transactions: [] } as never);
		return { blocks: [...blocks, bare], hello: { solid: parent } };
	}

	function farBack(): PeerParts {
		const witnesses = Array.from({ length: 110 }, (_, i) => i % 5);
		return { blocks: [genesis, ...blocksAfter(genesis, witnesses)] };
	}

	function endless(): PeerParts {
		const blocks = chainOf();
		const onList = (connection: PeerConnection) => {
			const ids = Array.from({ length: 2_000 }, (_, i) => {
				const id = new Uint8Array(32);
				new DataView(id.buffer).setBigUint64(0, BigInt(i + 2));
				return i === 0 ? { id: (blocks[2] as SignedBlock).id, number: 2n } : { id, number: BigInt(i + 2) };
			});
			connection.send(ApplicationType.BLOCK_CHAIN_INVENTORY, encodeBlockChainInventory({ ids, remain: 0n }));
			return true;
		};
		return { blocks, onList };
	}
});
