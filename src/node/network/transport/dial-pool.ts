/** Whom to dial, and when (protocol/peers §4.7). */

import type { NetworkEnvironment, NodeAddress, Timer } from "../environment.js";
import type { Candidate, CandidateSource } from "./candidates.js";
import type { BanList, ConnectionLimits } from "./registry.js";

const PERIOD_MS = 3_600;
/**
 * Two nodes that dial each other simultaneously both refuse the other's connection as a duplicate. To avoid
 * repeating that forever, each adds a random delay up to this.
 */
const PERIOD_SPREAD_MS = 400;
const FIRST_MS = 200;
/** An address that isn't configured is dialed at most once in this time. */
const REDIAL_MS = 120_000;
/** Candidates are drawn from the newest ones: this many times what is missing, but at least {@link DRAW_LEAST}. */
const DRAW_FACTOR = 10;
const DRAW_LEAST = 50;

interface DialLimits extends ConnectionLimits {
	readonly minConnections: number;
	readonly minActiveConnections: number;
}

/** Connection counts as the pool sees them. */
interface DialCounts {
	/** Dialed by our own choice: in progress or connected. */
	readonly connecting: number;
	/** Incoming. */
	readonly passive: number;
	/** All with a completed handshake. */
	readonly total: number;
}

/** How many more connections are wanted; 0 if there are enough. */
function missingConnections({ connecting, passive, total }: DialCounts, limits: DialLimits): number {
	const { minConnections, minActiveConnections } = limits;
	if (total >= minConnections && minActiveConnections <= connecting) return 0;
	return Math.max(minConnections - connecting - passive, minActiveConnections - connecting, 0);
}

/** What the pool needs of the transport. */
export interface Dialer {
	counts(): DialCounts;
	/** Number of connections to an IP, dialing or open. */
	usesOf(host: string): number;
	isInUse(address: NodeAddress): boolean;
	isNodeIdInUse(nodeId: Uint8Array): boolean;
	isOwn(address: NodeAddress): boolean;
	dial(address: NodeAddress, configured: boolean): void;
}

interface DialPoolOptions {
	readonly environment: NetworkEnvironment;
	readonly limits: DialLimits;
	readonly bans: BanList;
	readonly dialer: Dialer;
	readonly candidates: CandidateSource;
	/** Nodes known to have free slots, those with most first. */
	readonly withRoom: () => readonly Candidate[];
}

export class DialPool {
	private configured: readonly NodeAddress[] = [];
	/** Host -> time of the last dial; oldest first. */
	private readonly dialedMs = new Map<string, number>();
	private timer: Timer | undefined;

	constructor(private readonly options: DialPoolOptions) {}

	start(): void {
		this.timer = this.options.environment.after(FIRST_MS, () => this.turn());
	}

	stop(): void {
		this.timer?.cancel();
		this.timer = undefined;
	}

	private turn(): void {
		const { environment } = this.options;
		const waitMs = PERIOD_MS + Math.floor(environment.random() * PERIOD_SPREAD_MS);
		this.timer = environment.after(waitMs, () => this.turn());
		this.dialConfigured();
		this.fill();
	}

	setConfigured(addresses: readonly NodeAddress[]): void {
		this.configured = addresses;
	}

	/** A node dialed by our own choice is gone: another may take its place. */
	dialedNodeGone(): void {
		if (this.timer !== undefined) this.fill();
	}

	private dialConfigured(): void {
		const { dialer } = this.options;
		for (const address of this.configured) {
			if (dialer.isOwn(address) || dialer.isInUse(address) || dialer.usesOf(address.host) > 0) continue;
			this.dial(address, true);
		}
	}

	private fill(): void {
		const { dialer, limits } = this.options;
		let missing = missingConnections(dialer.counts(), limits);
		if (missing === 0) return;
		for (const { address, nodeId } of this.candidates(missing)) {
			if (!this.isDialable(address, nodeId)) continue;
			this.dial(address, false);
			if (--missing === 0) return;
		}
	}

	/** In order of preference. */
	private *candidates(missing: number): Generator<Candidate> {
		const { withRoom, candidates, environment } = this.options;
		yield* withRoom();
		const newest = [...candidates.connectable()]
			.sort((a, b) => b.updatedMs - a.updatedMs)
			.filter(({ address, nodeId }) => this.isDialable(address, nodeId))
			.slice(0, Math.max(missing * DRAW_FACTOR, DRAW_LEAST));
		yield* shuffled(newest, environment);
		for (const address of shuffled(candidates.dnsNodes(), environment)) yield { address, nodeId: undefined };
	}

	private isDialable(address: NodeAddress, nodeId: Uint8Array | undefined): boolean {
		const { environment, bans, dialer, limits } = this.options;
		const now = environment.now();
		const lastMs = this.dialedMs.get(address.host);
		return (
			!bans.has(address.host, now) &&
			dialer.usesOf(address.host) < limits.maxConnectionsWithSameIp &&
			!(nodeId !== undefined && dialer.isNodeIdInUse(nodeId)) &&
			(lastMs === undefined || now - lastMs >= REDIAL_MS) &&
			!dialer.isInUse(address) &&
			!dialer.isOwn(address)
		);
	}

	private dial(address: NodeAddress, configured: boolean): void {
		const now = this.options.environment.now();
		this.dialedMs.delete(address.host);
		this.dialedMs.set(address.host, now);
		for (const [host, ms] of this.dialedMs) {
			if (now - ms < REDIAL_MS) break;
			this.dialedMs.delete(host);
		}
		this.options.dialer.dial(address, configured);
	}
}

/** A shuffled copy. */
function shuffled<T>(items: readonly T[], environment: NetworkEnvironment): readonly T[] {
	const result = [...items];
	for (let i = result.length - 1; i > 0; i--) {
		const j = Math.floor(environment.random() * (i + 1));
		const swapped = result[i] as T;
		result[i] = result[j] as T;
		result[j] = swapped;
	}
	return result;
}
