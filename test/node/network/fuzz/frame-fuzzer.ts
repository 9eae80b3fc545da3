/**
 * Damaged frames and datagrams against a live node: recorded ones and ones of its own chain, mutated, cut, too long, in
 * the wrong order. The node must not fall, not grow, and see offenders off as the network does.
 */

import { readdirSync } from "node:fs";
import type { DatagramPort } from "../../../../src/node/network/environment.js";
import {
	ApplicationType,
	encodeInventory,
	encodeSyncBlockChain,
	encodeTransactions,
	HelloMessage,
	InventoryKind,
} from "../../../../src/node/network/wire/application-messages.js";
import { unwrap, wrapMessage } from "../../../../src/node/network/wire/envelope.js";
import { FrameReader, writeFrame } from "../../../../src/node/network/wire/frames.js";
import { ProtocolViolation, withType } from "../../../../src/node/network/wire/transport-messages.js";
import { concatBytes, equalBytes, fromHex } from "../../../../src/protocol/bytes.js";
import { BlockHeader } from "../../../../src/protocol/messages.js";
import type { SimulatedEnvironment } from "../../../simulation/environment.js";
import { ModelChain, modelNetwork } from "../../../simulation/model-chain.js";
import { PORT, SimulatedNode } from "../../../simulation/simulated-node.js";
import { modelTransaction } from "../../../simulation/traffic.js";
import { SimulatedWorld } from "../../../simulation/world.js";
import { isFrame, readRecording } from "../recorded-frames.js";
import { Attacker } from "./attacker.js";
import { Conversation } from "./conversation.js";
import { blockOf, listOf, randomEntries } from "./entries.js";
import { mutate } from "./mutation.js";
import { helloOf, OFFENCES, type Offence } from "./offences.js";

const RECORDINGS = "test/golden/p2p";
const VICTIM = "10.0.0.1";
const COMPANION = "10.0.0.2";
/** Connections that are open at the same time. */
const PARALLEL = 24;
const FRAMES_PER_CONNECTION = 8;
/** Of the connections that commit no offence. */
const CONVERSATION_SHARE = 0.4;
const CONVERSATION_STEPS = 25;
/** What a run may leave behind between its first fifth and its end. */
const MAX_GROWTH_BYTES = 128 << 20;
const SOURCES = 64;
const DATAGRAM_SHARE = 0.15;

export interface FuzzReport {
	readonly frames: number;
	readonly datagrams: number;
	readonly connections: number;
	/** How connections ended, with how many did. */
	readonly outcomes: ReadonlyMap<string, number>;
	/** Bytes in use after collecting garbage: at a fifth of the way and at the end. */
	readonly heapBytes: readonly [number, number];
	/** The longest that the node was busy with one thing; real milliseconds. */
	readonly longestMs: number;
	readonly failures: readonly string[];
}

export class FrameFuzzer {
	private readonly world: SimulatedWorld;
	private readonly offences: readonly Offence[];
	private readonly victim: SimulatedNode;
	private readonly companion: SimulatedNode;
	private attackers!: SimulatedEnvironment;
	private readonly sources: DatagramPort[] = [];
	private readonly bodies: Uint8Array[] = [];
	private readonly datagrams: Uint8Array[] = [];
	private readonly failures: string[] = [];
	private readonly outcomes = new Map<string, number>();
	private connections = 0;

	constructor(seed: number) {
		const link = { latencyMs: 0.5, jitterMs: 0 };
		this.world = new SimulatedWorld({ seed, link, fragmentation: 0.1, isTimed: true });
		const network = modelNetwork(1, BigInt(this.world.now) - 3_000n);
		const node = (address: string, own: readonly Uint8Array[], other: string) =>
			new SimulatedNode({
				host: this.world.host(address),
				chain: new ModelChain(network, own),
				seeds: [],
				active: [{ host: other, port: PORT }],
				network: "nile",
				limits: { maxConnections: 60, minConnections: 0, minActiveConnections: 0 },
				onDisconnect: () => {},
				onFault: (error, where) => this.fail(`fault, ${where}: ${(error as Error).stack ?? error}`),
			});
		const votes = seed % 2 === 1;
		this.offences = OFFENCES.filter(({ whileVoting = votes }) => whileVoting === votes);
		this.victim = node(VICTIM, network.witnesses, COMPANION);
		this.companion = node(COMPANION, [], VICTIM);
		for (const { chain } of [this.victim, this.companion]) (chain as ModelChain).allowPbft = votes;
	}

	/** @param collect collects garbage, if the runtime lets us */
	async run(frameCount: number, collect: () => void = () => {}): Promise<FuzzReport> {
		const { world } = this;
		this.readCorpus();
		void this.victim.boot();
		void this.companion.boot();
		this.attackers = world.host("10.9.0.1").boot();
		for (let i = 0; i < SOURCES; i++) {
			const host = `100.64.0.${i + 1}`;
			this.sources.push(await this.attackers.bindDatagrams({ host, port: PORT }, () => {}));
		}
		await world.advance(30_000);
		let frames = 0;
		let datagrams = 0;
		let early: number | undefined;
		while (frames + datagrams < frameCount) {
			const open = [...Array(PARALLEL).keys()].map((i) =>
				this.attack(frames === 0 ? this.offences[i] : undefined),
			);
			const done: number[] = [];
			for (const one of open) void one.then((count) => done.push(count));
			const isOver = await world.until(() => done.length === PARALLEL, 60_000);
			if (!isOver) this.fail("connections that don't end");
			frames += done.reduce((sum, count) => sum + count, 0);
			datagrams += this.sendDatagrams();
			await world.advance(20);
			if (early === undefined && frames + datagrams >= frameCount / 5) early = heapBytes(collect);
			if (this.failures.length > 20) break;
		}
		for (const offence of this.offences) await this.runAttack(offence);
		await this.checkHealth();
		const heap = [early ?? heapBytes(collect), heapBytes(collect)] as const;
		const { outcomes, failures, connections } = this;
		const grown = heap[1] - heap[0];
		if (grown > MAX_GROWTH_BYTES) this.fail(`${(grown / 2 ** 20).toFixed(0)} MiB more than after a fifth`);
		const longestMs = Math.round(world.longestEventMs);
		return { frames, datagrams, connections, outcomes, heapBytes: heap, longestMs, failures };
	}

	private readCorpus(): void {
		const files = readdirSync(RECORDINGS).filter((name) => name.endsWith(".ndjson.br"));
		for (const file of files) {
			for (const frame of readRecording(`${RECORDINGS}/${file}`).filter(isFrame)) {
				const bytes = fromHex(frame.hex);
				if (frame.proto === "udp") this.datagrams.push(bytes);
				else if (bytes.length < 20_000) this.bodies.push(...plainBodies(bytes));
			}
		}
	}

	/** One connection, from dialing to its end. @returns frames that were sent */
	private attack(offence: Offence | undefined): Promise<number> {
		const { random } = this.world;
		return this.connect(offence ?? (random.chance(0.1) ? random.pick(this.offences) : undefined));
	}

	private async runAttack(offence: Offence): Promise<void> {
		let isOver = false;
		void this.attack(offence).then(() => {
			isOver = true;
		});
		await this.world.until(() => isOver, 60_000);
	}

	private async connect(offence: Offence | undefined): Promise<number> {
		const { world } = this;
		const number = this.connections++;
		const host = `100.${65 + (number >> 16)}.${(number >> 8) & 0xff}.${number & 0xff}`;
		const stream = await this.attackers.dial({ host: VICTIM, port: PORT }, 2_000, host);
		const attacker = new Attacker(world, stream, host);
		if (offence === undefined && world.random.chance(CONVERSATION_SHARE)) await this.converse(attacker);
		else if (offence === undefined) await this.saySomething(attacker);
		else await this.commit(offence, attacker);
		attacker.onApplication = () => {};
		this.note(attacker, offence);
		attacker.end();
		return attacker.sent;
	}

	/** A handshake as it should be, and then a long talk. */
	private async converse(attacker: Attacker): Promise<void> {
		const { random } = this.world;
		const conversation = new Conversation(this.world, this.victim.chain as ModelChain, attacker, this.bodies);
		await this.greet(attacker, false);
		conversation.greet();
		await this.pause(2);
		for (let i = random.between(1, CONVERSATION_STEPS); i > 0 && attacker.isOpen; i--) {
			conversation.step();
			if (random.chance(0.5)) await this.pause(random.between(1, 60));
		}
		await this.pause(8);
	}

	private async saySomething(attacker: Attacker): Promise<void> {
		const { random } = this.world;
		const depth = random.below(4);
		if (depth > 0) await this.greet(attacker, depth > 1);
		for (let i = random.between(1, FRAMES_PER_CONNECTION); i > 0 && attacker.isOpen; i--) {
			attacker.raw(this.frame());
			if (random.chance(0.5)) await this.pause(random.between(1, 5));
		}
		await this.pause(8);
	}

	private frame(): Uint8Array {
		const { random } = this.world;
		const plain = random.chance(0.5) ? random.pick(this.bodies) : this.ownMessage();
		switch (random.below(6)) {
			case 0:
				return writeFrame(mutate(plain, random, this.bodies));
			case 1:
				return mutate(writeFrame(wrapMessage(plain)), random, this.bodies);
			case 2:
				return writeFrame(mutate(wrapMessage(plain), random, this.bodies));
			default:
				return writeFrame(wrapMessage(mutate(plain, random, this.bodies)));
		}
	}

	/** A message that fits the victim's chain: damage to it goes deeper. */
	private ownMessage(): Uint8Array {
		const { random, now } = this.world;
		const chain = this.victim.chain as ModelChain;
		const height = BigInt(random.below(Number(chain.head.number) + 1));
		const ref = { id: chain.idAt(height) as Uint8Array, number: height };
		switch (random.below(9)) {
			case 6:
				return withType(
					ApplicationType.P2P_HELLO,
					concatBytes(HelloMessage.encode(helloOf(chain, now)), randomEntries(random, 12)),
				);
			case 7:
				return withType(ApplicationType.TXS, listOf(this.transactionWithEntries()));
			case 8: {
				const { header } = chain.block(ref.id) ?? chain.headBlock;
				const signed = concatBytes(BlockHeader.encode(header), randomEntries(random, 3));
				return withType(ApplicationType.BLOCK, blockOf([this.transactionWithEntries()], signed));
			}
			case 0:
				return withType(ApplicationType.P2P_HELLO, HelloMessage.encode(helloOf(chain, now)));
			case 1:
				return withType(ApplicationType.SYNC_BLOCK_CHAIN, encodeSyncBlockChain([chain.genesis, ref]));
			case 2:
				return withType(ApplicationType.FETCH_INV_DATA, encodeInventory(InventoryKind.BLOCK, [ref.id]));
			case 3:
				return withType(
					ApplicationType.INVENTORY,
					encodeInventory(random.below(2) as InventoryKind, [random.bytes(32)]),
				);
			case 4:
				return withType(ApplicationType.BLOCK, (chain.block(ref.id) ?? chain.headBlock).bytes);
			default:
				return withType(
					ApplicationType.TXS,
					encodeTransactions([modelTransaction(random, BigInt(Math.trunc(now)))]),
				);
		}
	}

	private transactionWithEntries(): Uint8Array {
		const { random, now } = this.world;
		const { bytes } = modelTransaction(random, BigInt(Math.trunc(now)));
		return concatBytes(bytes, randomEntries(random, 6));
	}

	private async greet(attacker: Attacker, application: boolean): Promise<void> {
		attacker.hello();
		await this.pause(3);
		if (!application) return;
		const hello = helloOf(this.victim.chain as ModelChain, this.world.now);
		attacker.say(ApplicationType.P2P_HELLO, HelloMessage.encode(hello));
		await this.pause(2);
	}

	private async commit(offence: Offence, attacker: Attacker): Promise<void> {
		const { world, victim } = this;
		if (offence.after !== "nothing") await this.greet(attacker, offence.after === "application");
		attacker.heard.length = 0;
		const victimId = victim.transport?.nodeId ?? new Uint8Array(64);
		offence.commit({ attacker, world, chain: victim.chain as ModelChain, victimId });
		await this.pause(10);
	}

	private note(attacker: Attacker, offence: Offence | undefined): void {
		const { heard } = attacker;
		const farewells = heard.filter((line) => line.includes("DISCONNECT"));
		if (farewells.length > 1) this.fail(`disconnected ${farewells.length} times: ${heard.join(", ")}`);
		const isLast =
			farewells.length === 0 ||
			heard.slice(heard.indexOf(farewells[0] as string) + 1).every((l) => l === "closed");
		if (!isLast) this.fail(`something after the end: ${heard.join(", ")}`);
		if (farewells.length === 1 && attacker.isOpen)
			this.fail(`disconnected and still there: ${heard.join(", ")}`);
		const outcome = attacker.isOpen ? "open" : (farewells[0] ?? "closed without a reason");
		this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
		if (offence === undefined) return;
		const said = heard.filter((line) => line !== "closed" && line !== "A 6");
		const answer = said.at(-1) ?? (attacker.isOpen ? "open" : "closed");
		if (answer !== offence.answer) this.fail(`${offence.name}: ${heard.join(", ")}, not ${offence.answer}`);
	}

	private sendDatagrams(): number {
		const { random } = this.world;
		const count = Math.ceil((PARALLEL * 4 * DATAGRAM_SHARE) / (1 - DATAGRAM_SHARE));
		for (let i = 0; i < count; i++) {
			const datagram = mutate(random.pick(this.datagrams), random, this.datagrams);
			random.pick(this.sources).send(datagram, { host: VICTIM, port: PORT });
		}
		return count;
	}

	/** The node must be as alive as before, and rid of all that was done to it. */
	private async checkHealth(): Promise<void> {
		const { world, victim, companion } = this;
		await world.advance(70_000);
		const { head } = victim.chain;
		const peers = victim.peers?.peers.map((peer) => peer.name) ?? [];
		if (peers.length !== 1 || !peers[0]?.startsWith(COMPANION)) this.fail(`peers left: ${peers.join(" ")}`);
		const theirs = companion.chain.idAt(head.number - 1n);
		if (!theirs || !equalBytes(theirs, victim.chain.idAt(head.number - 1n) as Uint8Array)) {
			this.fail(`the companion is at ${companion.chain.head.number}, the node at ${head.number}`);
		}
		const handlers = victim.discovery?.handlerCount ?? 0;
		if (handlers > 3_001) this.fail(`${handlers} nodes are remembered`);
		if (world.pendingEvents > 20_000) this.fail(`${world.pendingEvents} events are pending`);
	}

	private pause(ms: number): Promise<void> {
		return new Promise((resolve) => this.world.at(this.world.now + ms, resolve));
	}

	private fail(message: string): void {
		this.failures.push(message);
	}
}

/** Bodies of recorded bytes, out of their wrappers where they are in one. */
function plainBodies(bytes: Uint8Array): Uint8Array[] {
	const reader = new FrameReader();
	reader.push(bytes);
	try {
		const body = reader.next();
		if (body === undefined) return [];
		try {
			return [body, unwrap(body)];
		} catch (error) {
			if (error instanceof ProtocolViolation) return [body];
			throw error;
		}
	} catch (error) {
		// Some recorded frames are not valid frames.
		if (error instanceof ProtocolViolation) return [];
		throw error;
	}
}

function heapBytes(collect: () => void): number {
	collect();
	return process.memoryUsage().heapUsed;
}
