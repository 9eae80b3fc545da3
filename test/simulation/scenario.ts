/**
 * A run of a whole network under faults, determined by a seed: its nodes, the faults and their times, and the
 * conditions that must hold afterwards.
 */

import type { NodeAddress } from "../../src/node/network/environment.js";
import type { BlockRef } from "../../src/node/network/local-chain.js";
import { equalBytes, toHex } from "../../src/protocol/bytes.js";
import { loadPostQuantum } from "../../src/protocol/post-quantum/algorithms.js";
import type { SimulatedHost } from "./host.js";
import { LIES, type Lie, MODEL_LIES, startLiar, WITNESS_LIES } from "./liars.js";
import { ModelChain, type ModelNetwork, modelNetwork } from "./model-chain.js";
import { Productions } from "./productions.js";
import type { Randomness } from "./randomness.js";
import { RealChain, type RealNetwork, realNetwork } from "./real-chain.js";
import { PORT, type ProducingChain, SimulatedNode } from "./simulated-node.js";
import { modelTransaction } from "./traffic.js";
import { SimulatedWorld } from "./world.js";

export interface ScenarioOptions {
	readonly seed: number;
	readonly trace?: (line: string) => void;
	/** Overrides what follows from the seed. */
	readonly nodeCount?: number;
	readonly lies?: readonly Lie[];
	/** Whether nodes have the real chain instead of a model. */
	readonly isReal?: boolean;
	/** Uses Nile's rules, and witnesses with post-quantum keys. */
	readonly isNile?: boolean;
	/** False: the network stays split, to test that this is detected. */
	readonly isHealed?: boolean;
}

export interface ScenarioResult {
	readonly seed: number;
	readonly description: string;
	/** Empty if all conditions held. */
	readonly failures: readonly string[];
	/** Whether consensus itself keeps the nodes apart, independently of the network. */
	readonly isSplit: boolean;
	readonly events: number;
	/** Simulated milliseconds from the end of faults until all agreed. */
	readonly convergedAfterMs: number | undefined;
	readonly headNumber: number;
}

const START_MS = 1_800_000_000_000;
/** The longest ban for an honest mistake, plus the delay before redialing, plus some blocks. */
const CONVERGENCE_LIMIT_MS = 420_000;
/** Every node has an honest peer within this time, even if liars had occupied all slots. */
const PEERS_LIMIT_MS = 200_000;
/** Blocks between nodes that agree: one may be in flight. */
const TOLERATED_LAG = 2n;
/** One in this many seeds uses the real chain, in small networks, as it costs more. */
const REAL_EVERY = 10;
const MAX_REAL_NODES = 7;
/** Blocks by which votes may be behind in normal operation. */
const CONFIRMED_LAG = 6n;
/** One in this many seeds runs for a day. */
const QUIET_DAY_EVERY = 125;
const DAY_MS = 24 * 3_600_000;
/** Shorter for the real chain, which verifies each signature on each node; long enough to flush its state. */
const REAL_DAY_MS = 3 * 3_600_000;
/** Interval of clock corrections, as by NTP, and the remaining error. */
const TIME_SERVER_MS = 1_024_000;
const TIME_SERVER_ERROR_MS = 50;
const MAX_EVENTS_PER_NODE = 1_000;

/** Reasons that ban for an hour. */
const GRAVE: ReadonlySet<string> = new Set(["BAD_PROTOCOL", "BAD_BLOCK", "BAD_TX"]);

export async function runScenario(options: ScenarioOptions): Promise<ScenarioResult> {
	await loadPostQuantum();
	return new Scenario(options).run();
}

class Scenario {
	private readonly world: SimulatedWorld;
	private readonly random: Randomness;
	private readonly network: ModelNetwork;
	/** Undefined with model chains. */
	private readonly real: RealNetwork | undefined;
	private readonly nodes: SimulatedNode[] = [];
	private readonly liars: {
		readonly lie: Lie;
		readonly address: string;
		readonly witness: Uint8Array | undefined;
	}[] = [];
	private readonly failures: string[] = [];
	/** The first solidified block at each height, and its node. */
	private readonly solid = new Map<bigint, { readonly id: Uint8Array; readonly by: string }>();
	/** Conflicting final blocks, both with enough witnesses: no fault if the rules split the chain. */
	private readonly conflicts: string[] = [];
	private readonly productions: Productions;
	private readonly forgetful = new Set<SimulatedNode>();
	private readonly nodeCount: number;
	/** Whether witnesses of the real chain vote on blocks. */
	private readonly votes: boolean;
	/** The first confirmed block at each height. */
	private readonly confirmed = new Map<bigint, Uint8Array>();
	private readonly faultMs: number;
	private readonly faults: string[] = [];

	constructor(private readonly options: ScenarioOptions) {
		const { seed, trace } = options;
		this.world = new SimulatedWorld({
			seed,
			startMs: START_MS,
			fragmentation: 0.1,
			link: { latencyMs: 30, jitterMs: 20 },
			...(trace ? { trace } : {}),
		});
		this.random = this.world.random.branch("scenario");
		const { random } = this;
		const isReal = options.isReal ?? options.seed % REAL_EVERY === 0;
		const nodeCount = options.nodeCount ?? Math.min(sizeOf(random), isReal ? MAX_REAL_NODES : 30);
		// Half of them with Nile's rules, whose post-quantum witnesses don't vote.
		const isNile = isReal && (options.isNile ?? Math.floor(options.seed / REAL_EVERY) % 2 === 1);
		this.votes = isReal && random.chance(0.5) && !isNile;
		this.real = isReal ? realNetwork(nodeCount, BigInt(START_MS) - 3_000n, this.votes, isNile) : undefined;
		const liarCount =
			options.lies?.length ??
			(random.chance(0.3) ? 0 : random.between(1, Math.max(1, Math.floor(nodeCount / 3))));
		const possible = LIES.filter((lie) => !isReal || !MODEL_LIES.has(lie));
		const lies = options.lies ?? Array.from({ length: liarCount }, () => random.pick(possible));
		this.faultMs = random.between(60, 240) * 1000;
		// Too few lying witnesses to stop solidification.
		const lyingWitnesses = Math.floor(nodeCount / 6);
		let lying = 0;
		const isWitness = lies.map((lie) => WITNESS_LIES.has(lie) && lying++ < lyingWitnesses);
		const liarsAmong = Math.min(lying, lyingWitnesses);
		this.network = modelNetwork(nodeCount + liarsAmong, BigInt(START_MS) - 3_000n);
		this.productions = new Productions(this.real ? nodeCount : nodeCount + liarsAmong);
		this.nodeCount = nodeCount;
		let witness = nodeCount;
		for (const [i, lie] of lies.entries()) {
			this.liars.push({
				lie,
				address: `10.9.0.${i + 1}`,
				witness: isWitness[i] ? this.network.witnesses[witness++] : undefined,
			});
		}
	}

	private async createNodes(): Promise<void> {
		const { random, world } = this;
		const addresses = Array.from({ length: this.nodeCount }, (_, i) => ({
			host: `10.0.${i >> 4}.${(i & 15) + 1}`,
			port: PORT,
		}));
		const seeds = random.shuffled(addresses).slice(0, random.between(1, 3));
		const minConnections = random.between(3, 8);
		const limits = { maxConnections: 30, minConnections, minActiveConnections: Math.min(3, minConnections) };
		for (const [i, { host }] of addresses.entries()) {
			const others = addresses.filter((address) => address.host !== host);
			const active = random.chance(0.3) && others.length > 0 ? [random.pick(others)] : [];
			const machine = world.host(host);
			machine.setClock(random.between(-300, 300), (random.fraction() - 0.5) * 2e-4);
			const chain = await this.createChain(i, machine);
			this.watchSolid(chain, host);
			const node: SimulatedNode = new SimulatedNode({
				host: machine,
				chain,
				seeds: seeds.filter((seed) => seed.host !== host),
				active,
				limits,
				witnesses: this.votes ? (this.real?.producers.slice(i, i + 1) ?? []) : [],
				network: this.real?.config.node.network,
				quorum: Math.trunc((this.nodeCount * 2) / 3) + 1,
				onDisconnect: (peer, reason, why) => this.noteDisconnect(host, peer, reason, why),
				onFault: this.onFault(host),
			});
			this.nodes.push(node);
		}
	}

	private createChain(index: number, host: SimulatedHost): Promise<ProducingChain> | ProducingChain {
		const { real, network } = this;
		if (real === undefined) return new ModelChain(network, [network.witnesses[index] as Uint8Array]);
		return RealChain.start(real, host, real.producers.slice(index, index + 1), this.onFault(host.address));
	}

	private onFault(host: string): (error: unknown, where: string) => void {
		return (error, where) => this.fail(`fault at ${host}, ${where}: ${(error as Error).stack ?? error}`);
	}

	/** Checks every height that becomes final. */
	private watchSolid(chain: ProducingChain, host: string): void {
		let last: BlockRef | undefined;
		chain.observe((block) => {
			if (this.productions.isRepeated(block) && !this.isUnsteady(block.witness))
				this.fail(`an honest witness builds height ${block.number} twice: ${block.idHex}`);
			if (last && !chain.isOnChain(last.id)) this.fail(`${host} left its final block ${last.number}`);
			for (let number = (last?.number ?? 0n) + 1n; number <= chain.solid.number; number++) {
				last = { number, id: chain.idAt(number) as Uint8Array };
				this.noteSolid(last, host);
				if (!this.productions.areEnough(chain, number))
					this.fail(`too few witnesses built on block ${number}, which is final for ${host}`);
			}
		});
	}

	/** Whether a witness lies, or its node has lost blocks. */
	private isUnsteady(witness: Uint8Array): boolean {
		const isOwn = (own: Uint8Array | undefined) => own !== undefined && equalBytes(own, witness);
		return (
			this.liars.some((liar) => isOwn(liar.witness)) ||
			this.nodes.some((node, i) => this.forgetful.has(node) && isOwn(this.network.witnesses[i]))
		);
	}

	async run(): Promise<ScenarioResult> {
		const { world, random } = this;
		let convergedAfterMs: number | undefined;
		try {
			await this.createNodes();
			for (const node of this.nodes) world.at(world.now + random.below(5_000), () => void node.boot());
			for (const liar of this.liars)
				world.at(world.now + random.between(2_000, 20_000), () => this.bootLiar(liar));
			this.scheduleTraffic();
			this.scheduleFaults();
			await world.advance(this.faultMs);
			await this.endFaults();
			const startMs = world.now;
			const floor = this.highestHead();
			if (await this.converges(floor)) convergedAfterMs = world.now - startMs;
			else if (this.isSplitByRule()) return this.result(undefined, true);
			else {
				for (const conflict of this.conflicts) this.fail(conflict);
				this.fail(`no agreement ${CONVERGENCE_LIMIT_MS / 1000} s after the faults: ${this.describeHeads()}`);
			}
			const isFound = () => this.nodes.every((node) => this.honestPeers(node) > 0);
			if (this.nodes.length > 1 && !(await world.until(isFound, PEERS_LIMIT_MS))) {
				this.fail(`nodes without an honest peer: ${this.describeHeads()}`);
			}
			await world.advance(30_000);
			if (this.options.seed % QUIET_DAY_EVERY === 0) await this.liveQuietDay();
			this.checkVotes();
			this.checkBounds();
		} catch (error) {
			this.fail(`thrown: ${(error as Error).stack ?? error}`);
		}
		return this.result(convergedAfterMs, false);
	}

	/**
	 * A day without faults, to find what expires, overflows or drifts. Clocks are corrected, as operators must:
	 * gaining 0.1 ms per second is nine seconds in a day, and blocks more than a second early are refused.
	 */
	private async liveQuietDay(): Promise<void> {
		this.faults.push("quiet day");
		const before = this.highestHead();
		const dayMs = this.real ? REAL_DAY_MS : DAY_MS;
		const endMs = this.world.now + dayMs;
		while (this.world.now < endMs) {
			for (const { address } of this.nodes) this.world.host(address).correctClock(this.timeServerError());
			await this.world.advance(Math.min(TIME_SERVER_MS, endMs - this.world.now));
		}
		const slots = BigInt(dayMs) / 3_000n;
		if (this.highestHead() - before < (slots * 9n) / 10n) this.fail(`after a day: ${this.describeHeads()}`);
		if (!this.doAgree()) this.fail(`no agreement after a quiet day: ${this.describeHeads()}`);
	}

	private timeServerError(): number {
		return this.random.between(-TIME_SERVER_ERROR_MS, TIME_SERVER_ERROR_MS);
	}

	private result(convergedAfterMs: number | undefined, isSplit: boolean): ScenarioResult {
		return {
			seed: this.options.seed,
			description: this.describe(),
			failures: this.failures,
			isSplit,
			events: this.world.eventCount,
			convergedAfterMs,
			headNumber: Number(this.highestHead()),
		};
	}

	// What happens

	private bootLiar({ lie, address, witness }: (typeof this.liars)[number]): void {
		const host = this.world.host(address);
		if (host.isUp) return;
		const random = this.world.random.branch(`liar ${address}`);
		void startLiar({
			lie,
			environment: host.boot(),
			random,
			victims: random
				.shuffled(this.nodes)
				.slice(0, 6)
				.map((node): NodeAddress => ({ host: node.address, port: PORT })),
			chain: () => this.highestNode().chain,
			witness,
			nodeIdOf: (host) => this.nodes.find(({ address }) => address === host)?.transport?.nodeId,
		});
	}

	private scheduleTraffic(): void {
		const random = this.world.random.branch("traffic");
		const next = () => {
			const up = this.nodes.filter((node) => node.isUp);
			if (up.length > 0) this.pay(random.pick(up), random);
			this.world.at(this.world.now + random.between(50, 3_000), next);
		};
		this.world.at(this.world.now + 10_000, next);
	}

	private pay(node: SimulatedNode, random: Randomness): void {
		const { chain } = node;
		if (this.real !== undefined && chain instanceof RealChain) node.submit(chain.transfer(random, this.real));
		else node.submit(modelTransaction(random, BigInt(Math.trunc(this.world.now))));
	}

	private scheduleFaults(): void {
		const { random, world } = this;
		const endMs = world.now + this.faultMs;
		const kinds = [
			() => this.partitionFor(random.between(5, 120) * 1000),
			() => this.worsenLinksFor(random.between(5, 60) * 1000),
			() => this.breakLinkFor(random.between(2, 60) * 1000),
			() => this.crashFor(random.between(1, 90) * 1000),
			() => this.crashFor(random.between(1, 20) * 1000),
			() => this.stepClock(),
			() => this.jumpClockFor(random.between(2, 60) * 1000),
		];
		for (
			let atMs = world.now + 8_000 + random.below(20_000);
			atMs < endMs;
			atMs += random.between(1_000, 40_000)
		) {
			const fault = random.pick(kinds);
			world.at(atMs, () => {
				if (world.now < endMs) fault();
			});
		}
	}

	private until(ms: number, undo: () => void): void {
		const endMs = Math.min(this.world.now + ms, START_MS + this.faultMs - 1);
		this.world.at(endMs, undo);
	}

	private partitionFor(ms: number): void {
		const { random, world } = this;
		this.faults.push("partition");
		const groups: string[][] = Array.from({ length: random.between(2, 3) }, () => []);
		const all = [...this.nodes.map((node) => node.address), ...this.liars.map((liar) => liar.address)];
		for (const address of all) random.pick(groups).push(address);
		world.partition(groups);
		this.until(ms, () => world.partition(undefined));
	}

	private worsenLinksFor(ms: number): void {
		const { random, world } = this;
		this.faults.push("links");
		const good = world.link;
		world.link = {
			latencyMs: random.between(1, 1_500),
			jitterMs: random.between(0, 1_500),
			loss: random.fraction() * 0.3,
			duplication: random.fraction() * 0.2,
			reordering: random.fraction() * 0.3,
			bytesPerSecond: random.chance(0.3) ? random.between(2_000, 200_000) : 0,
		};
		world.log(() => `links ${JSON.stringify(world.link)}`);
		this.until(ms, () => {
			world.link = good;
		});
	}

	private breakLinkFor(ms: number): void {
		const [a, b] = this.random.shuffled(this.nodes);
		if (a === undefined || b === undefined) return;
		this.faults.push("link");
		this.world.setBroken(a.address, b.address, true);
		this.until(ms, () => this.world.setBroken(a.address, b.address, false));
	}

	private crashFor(ms: number): void {
		const node = this.random.pick(this.nodes);
		if (!node.isUp) return;
		const silent = this.random.chance(0.3);
		this.faults.push(silent ? "power" : "crash");
		node.crash(silent);
		// Losing a block after building on it is as bad as lying, so only few nodes may.
		const mayForget = this.forgetful.has(node) || this.forgetful.size < Math.floor(this.nodes.length / 8);
		if (silent && mayForget && node.chain instanceof ModelChain) {
			this.forgetful.add(node);
			node.chain.forget(this.random.below(4));
		}
		this.until(ms, () => {
			if (!node.isUp) void node.boot();
		});
	}

	private stepClock(): void {
		const { random } = this;
		this.faults.push("clock");
		const node = random.pick(this.nodes);
		this.world.host(node.address).setClock(random.between(-400, 400), (random.fraction() - 0.5) * 2e-4);
	}

	/** Sets a machine's clock wrong by minutes for a while. */
	private jumpClockFor(ms: number): void {
		const { random, world } = this;
		const node = random.pick(this.nodes);
		this.faults.push("jump");
		const minutes = random.pick([-10, -3, -1, 1, 3, 10]);
		world.host(node.address).setClock(minutes * 60_000 + random.between(-30_000, 30_000), 0);
		this.until(ms, () => world.host(node.address).setClock(random.between(-300, 300), 0));
	}

	private async endFaults(): Promise<void> {
		const { world } = this;
		world.log(() => "faults end");
		world.partition(this.options.isHealed === false ? [[this.nodes[0]?.address ?? ""]] : undefined);
		world.link = {
			...world.link,
			latencyMs: 30,
			jitterMs: 20,
			loss: 0,
			duplication: 0,
			reordering: 0,
			bytesPerSecond: 0,
		};
		for (const node of this.nodes) if (!node.isUp) await node.boot();
	}

	// What must hold

	private highestNode(): SimulatedNode {
		return this.nodes.reduce((best, node) => (node.chain.head.number > best.chain.head.number ? node : best));
	}

	private highestHead(): bigint {
		return this.highestNode().chain.head.number;
	}

	/** Whether all agree on one growing chain, solidified at least up to `floor`. */
	private async converges(floor: bigint): Promise<boolean> {
		const agree = () => this.doAgree() && this.nodes.every((node) => node.chain.solid.number >= floor);
		for (let waited = 0; waited < CONVERGENCE_LIMIT_MS; waited += 3_000) {
			if (agree()) return true;
			await this.world.advance(3_000);
		}
		return agree();
	}

	/**
	 * Whether consensus itself has split the chain: a block is final for some node, and a longer chain lacks
	 * it. In small networks, witnesses that moved between halves can cause that: nodes can't leave a final
	 * block, and others have no reason to leave the longer chain. Another block of that height may become
	 * final, too, if witnesses built on both branches, each time on the longer one.
	 */
	private isSplitByRule(): boolean {
		if (this.options.isHealed === false) return false;
		return this.nodes.some((bound) =>
			this.nodes.some(
				({ chain }) => chain.head.number >= bound.chain.head.number && !chain.isOnChain(bound.chain.solid.id),
			),
		);
	}

	private doAgree(): boolean {
		const heads = this.nodes.map((node) => node.chain.head);
		const lowest = heads.reduce(
			(low, head) => (head.number < low ? head.number : low),
			heads[0]?.number ?? 0n,
		);
		const highest = this.highestHead();
		if (highest - lowest > TOLERATED_LAG) return false;
		const at = lowest > TOLERATED_LAG ? lowest - TOLERATED_LAG : 0n;
		const [first, ...rest] = this.nodes.map((node) => node.chain.idAt(at) as Uint8Array);
		return first !== undefined && rest.every((id) => equalBytes(id, first));
	}

	private noteSolid({ number, id }: BlockRef, by: string): void {
		const known = this.solid.get(number);
		if (known === undefined) this.solid.set(number, { id, by });
		else if (!equalBytes(known.id, id)) {
			const text = `${by} and ${known.by} solidified different blocks ${number}: ${toHex(id)}, ${toHex(known.id)}`;
			this.world.log(() => text);
			this.conflicts.push(text);
		}
	}

	private noteDisconnect(from: string, peer: string, reason: string, why: string): void {
		const host = peer.slice(0, peer.lastIndexOf(":"));
		if (!GRAVE.has(reason) || !this.nodes.some((node) => node.address === host)) return;
		this.fail(
			`${from} bans honest ${host} for an hour at ${Math.trunc(this.world.now - START_MS)} ms: ${reason}, ${why}`,
		);
	}

	/** Honest peers that exchange announcements. */
	private honestPeers(node: SimulatedNode): number {
		const addresses = new Set(this.nodes.map(({ address }) => address));
		return node.peers?.synced.filter((peer) => addresses.has(peer.connection.remote.host)).length ?? 0;
	}

	/** With voting witnesses, all nodes have confirmed a late block that every node has. */
	private checkVotes(): void {
		if (!this.votes) return;
		const highest = this.highestHead();
		for (const { address, chain } of this.nodes) {
			if (!(chain instanceof RealChain)) continue;
			const number = chain.confirmedNumber;
			const id = chain.idAt(number);
			if (highest - number > CONFIRMED_LAG)
				this.fail(`${address} has confirmed no block after ${number} of ${highest}`);
			const known = this.confirmed.get(number);
			if (id === undefined || (known !== undefined && !equalBytes(id, known)))
				this.fail(`another block ${number} is confirmed at ${address}`);
			else this.confirmed.set(number, id);
		}
	}

	/** Nothing may have grown without bounds. */
	private checkBounds(): void {
		for (const node of this.nodes) {
			const { peers, transport, discovery, address } = node;
			if (peers === undefined || transport === undefined || discovery === undefined) continue;
			const check = (what: string, value: number, limit: number) => {
				if (value > limit) this.fail(`${address} has ${value} ${what}, more than ${limit}`);
			};
			check("connections", transport.connections().length, 30 + 1);
			check("remembered nodes", discovery.handlerCount, 3_001);
			for (const peer of peers.peers) {
				check(`blocks to fetch from ${peer.name}`, peer.toFetch.length, 4_002);
				check(`outstanding blocks of ${peer.name}`, peer.requested.size, 100);
				check(`outstanding items of ${peer.name}`, peer.asked.size, 4_000);
				check(`blocks in process of ${peer.name}`, peer.inProcess.size, 4_002);
			}
			const { chain } = node;
			if (chain instanceof ModelChain) check("stored blocks", chain.size, Number(chain.head.number) + 60);
		}
		const { pendingEvents } = this.world;
		const limit = (this.nodes.length + this.liars.length) * MAX_EVENTS_PER_NODE;
		if (pendingEvents > limit) this.fail(`${pendingEvents} events are pending, more than ${limit}`);
	}

	private fail(message: string): void {
		this.world.log(() => `FAILURE ${message}`);
		if (this.failures.length < 20) this.failures.push(message);
	}

	private describeHeads(): string {
		return this.nodes
			.map((node) => {
				const { head, solid } = node.chain;
				const peers = node.peers?.peers ?? [];
				const states = peers.map(
					(p) =>
						`${p.name.replace(`:${PORT}`, "")}${p.isSynced ? "" : `(${p.state},${p.needSyncFromPeer ? "f" : ""}${p.needSyncFromUs ? "t" : ""})`}`,
				);
				return `\n    ${node.address} head ${head.number} ${toHex(head.id.subarray(8, 12))} solid ${solid.number} [${states.join(" ")}]`;
			})
			.join("");
	}

	private describe(): string {
		const lies = this.liars.map(({ lie, witness }) => (witness ? `${lie}*` : lie)).join(",");
		const counts = new Map<string, number>();
		for (const fault of this.faults) counts.set(fault, (counts.get(fault) ?? 0) + 1);
		const faults = [...counts].map(([fault, count]) => `${fault} ${count}`).join(", ");
		return `${this.nodes.length} ${this.real ? (this.votes ? "voting " : "real ") : ""}nodes, liars [${lies}], ${this.faultMs / 1000} s: ${faults}`;
	}
}

/** Mostly small networks, which fail sooner and cost less. */
function sizeOf(random: Randomness): number {
	const kind = random.fraction();
	if (kind < 0.55) return random.between(2, 6);
	if (kind < 0.92) return random.between(7, 14);
	return random.between(15, 30);
}
