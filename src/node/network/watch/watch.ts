/**
 * Watches a network's head without state: peers are asked for blocks one after the other, and only headers
 * are believed, as far as the trusted witness set signed them (`header-chain.ts`).
 */

import { BLOCK_HEADER_FIELD } from "../../../protocol/block.js";
import { DecodeError } from "../../../protocol/codec/reader.js";
import { contentOfField } from "../../../protocol/codec/scan.js";
import { setNumber, type WitnessSet } from "../../../protocol/inclusion/witness-set.js";
import { BlockHeader } from "../../../protocol/messages.js";
import { loadPostQuantum } from "../../../protocol/post-quantum/algorithms.js";
import { addressText, type NetworkEnvironment, type NodeAddress } from "../environment.js";
import { ProbeError } from "../peer-dialogue.js";
import {
	HeaderChain,
	HeaderError,
	type SetChange,
	UnlinkedHeader,
	type WatchedBlock,
} from "./header-chain.js";
import { PeerSession } from "./peer-session.js";
import {
	type NamedTransaction,
	type ProvenTransaction,
	WatchedTransactions,
} from "./watched-transactions.js";

/** Peers contacted concurrently; the first to answer is used. */
const AT_ONCE = 4;
/** Delay before the next one is contacted: nodes refuse a peer that left after the handshake for a minute. */
const HEAD_START_MS = 500;
/** Time for a peer to show a verified head, in milliseconds; doubled on each retry. */
const FIRST_HEAD_MS = 6_000;
const LONGEST_FIRST_HEAD_MS = 60_000;
/** Pause between two rounds of all peers. */
const ROUND_MS = 5_000;
const LONGEST_ROUND_MS = 60_000;
/** A header's data and one signature are far below; longer ones aren't decoded. */
const MAX_HEADER_BYTES = 8_192;
const HEADER_BUDGET = { bytes: MAX_HEADER_BYTES, items: 16, depth: 8 };

export type WatchEvent =
	| {
			readonly kind: "peer";
			readonly address: string;
			readonly codeVersion: string;
	  }
	| { readonly kind: "left"; readonly address: string; readonly why: string }
	/** A peer's first head linked to a final block, and again whenever blocks were skipped. */
	| {
			readonly kind: "verified";
			readonly head: WatchedBlock;
			readonly final: WatchedBlock;
			readonly needed: number;
			readonly of: number;
			/** Since the handshake. */
			readonly afterMs: number;
			/** The first block skipped since the last final one; undefined: none. */
			readonly passedOver: bigint | undefined;
	  }
	| {
			readonly kind: "block";
			readonly block: WatchedBlock;
			readonly final: bigint | undefined;
			readonly transactions: number;
			readonly isReorg: boolean;
	  }
	| ({ readonly kind: "transaction" } & NamedTransaction)
	| ({ readonly kind: "proven" } & ProvenTransaction)
	| ({ readonly kind: "witnesses" } & SetChange)
	/** Transactions of interest that can no longer be proven, and why. */
	| { readonly kind: "unproven"; readonly count: number; readonly why: string };

export interface WatchOptions {
	readonly environment: NetworkEnvironment;
	readonly peers: readonly NodeAddress[];
	/** Undefined: each peer is asked. */
	readonly networkId: number | undefined;
	readonly genesis: Uint8Array | undefined;
	readonly trusted: WitnessSet;
	readonly hasPostQuantum: boolean;
	readonly addresses: readonly Uint8Array[];
	/** For connecting, and for each answer. */
	readonly timeoutMs: number;
	readonly ownIpv4: string;
	/** Called with each event; returning false stops. */
	report(event: WatchEvent): boolean;
	/** Called after this many bytes of blocks, which are garbage by then. */
	readonly release?: { readonly everyBytes: number; now(): void } | undefined;
	/** Gives up if there is no verified head by then. */
	readonly patienceMs: number;
}

/** No peer has shown a verified head. */
export class NoHeadError extends Error {
	override readonly name = "NoHeadError";

	constructor(
		/** By peer, the reason why it was dropped last. */
		readonly reasons: ReadonlyMap<string, string>,
	) {
		super("no peer has shown a head that the witnesses signed");
	}
}

/** @throws {NoHeadError} */
export async function watch(options: WatchOptions): Promise<void> {
	await new Watcher(options).run();
}

class Watcher {
	private readonly chain: HeaderChain;
	private readonly transactions: WatchedTransactions;
	private readonly reasons = new Map<string, string>();
	/** By peer, how often it was dropped. */
	private readonly failures = new Map<string, number>();
	private isWanted = true;
	/** The session with the peer being followed. */
	private followed: { readonly session: PeerSession; readonly name: string } | undefined;
	private isVerified = false;
	private hasBeenVerified = false;
	private greetedMs = 0;
	private takenBytes = 0;
	private hasLoaded = false;
	private passedOver: bigint | undefined;

	constructor(private readonly options: WatchOptions) {
		const { trusted, environment, hasPostQuantum } = options;
		this.chain = new HeaderChain(trusted, { wallClock: () => environment.wallClock(), hasPostQuantum });
		this.transactions = new WatchedTransactions(options.addresses);
	}

	async run(): Promise<void> {
		const { environment, patienceMs } = this.options;
		let giveUp: (error: NoHeadError) => void = () => undefined;
		const tired = new Promise<never>((_, reject) => {
			giveUp = reject;
		});
		const timer = environment.after(patienceMs, () => {
			if (this.hasBeenVerified) return;
			this.isWanted = false;
			const reasons = new Map(this.reasons);
			if (this.followed) {
				reasons.set(this.followed.name, "its blocks didn't come in the time that was given");
				this.followed.session.leave();
			}
			giveUp(new NoHeadError(reasons));
		});
		try {
			await Promise.race([this.rounds(), tired]);
		} finally {
			timer.cancel();
		}
	}

	/** Tries one peer after the other, as long as anything is wanted. */
	private async rounds(): Promise<void> {
		const { environment } = this.options;
		for (let round = 0, pauseMs = ROUND_MS; this.isWanted; ) {
			const { group, failures } = this.next();
			if (failures > round) {
				await new Promise<void>((resolve) => environment.after(pauseMs, resolve));
				round = failures;
				pauseMs = Math.min(2 * pauseMs, LONGEST_ROUND_MS);
			}
			const session = await this.firstOf(group);
			if (session) {
				await this.follow(session.session, session.name);
				pauseMs = ROUND_MS;
			}
		}
	}

	/** Some of the peers with fewest failures, so that a fast but useless one isn't chosen over and over. */
	private next(): { readonly group: readonly NodeAddress[]; readonly failures: number } {
		const rated = this.options.peers.map((address) => ({
			address,
			failures: this.failures.get(addressText(address)) ?? 0,
		}));
		const failures = Math.min(...rated.map((peer) => peer.failures));
		const least = rated.filter((peer) => peer.failures === failures);
		return { group: least.slice(0, AT_ONCE).map(({ address }) => address), failures };
	}

	/** Contacts several peers, staggered; the first to answer is used. */
	private async firstOf(
		group: readonly NodeAddress[],
	): Promise<{ session: PeerSession; name: string } | undefined> {
		let isTaken = false;
		const tries = group.map(async (address, index) => {
			const { environment, genesis, trusted } = this.options;
			const name = addressText(address);
			if (index > 0) await new Promise<void>((resolve) => environment.after(index * HEAD_START_MS, resolve));
			if (isTaken || !this.isWanted) return undefined;
			try {
				const session = await PeerSession.open({
					...this.options,
					address,
					genesis,
					lowest: setNumber(trusted) ?? 0n,
				});
				if (isTaken || !this.isWanted) {
					session.leave();
					return undefined;
				}
				isTaken = true;
				return { session, name };
			} catch (error) {
				if (!(error instanceof ProbeError)) throw error;
				this.left(name, error.message);
				throw error;
			}
		});
		return Promise.any(tries).catch((error: unknown) => {
			const other =
				error instanceof AggregateError ? error.errors.find((each) => !(each instanceof ProbeError)) : error;
			if (other !== undefined) throw other;
			return undefined;
		});
	}

	private async follow(session: PeerSession, name: string): Promise<void> {
		const { environment } = this.options;
		this.greetedMs = environment.now();
		this.isVerified = false;
		const { codeVersion } = session.greeting;
		this.followed = { session, name };
		this.tell({ kind: "peer", address: name, codeVersion });
		try {
			await session.follow(this.sink(name), () => this.isWanted);
		} catch (error) {
			if (!(error instanceof ProbeError)) throw error;
			this.left(name, error.message);
		}
		this.followed = undefined;
	}

	private sink(name: string) {
		const { chain } = this;
		const firstMs = Math.min(FIRST_HEAD_MS * 2 ** (this.failures.get(name) ?? 0), LONGEST_FIRST_HEAD_MS);
		const isVerified = (): boolean => this.isVerified;
		return {
			get untilVerifiedMs() {
				return isVerified() ? undefined : firstMs;
			},
			get summary() {
				return chain.summary;
			},
			has: (id: Uint8Array) => chain.has(id),
			prepare: (payload: Uint8Array) => this.prepare(payload),
			take: (payload: Uint8Array) => this.take(payload),
			restart: () => {
				const { final } = chain;
				chain.restart();
				this.passedOver = final && final.number + 1n;
				const count = this.transactions.giveUp();
				if (count > 0)
					this.tell({ kind: "unproven", count, why: "the peer went before their blocks were final" });
			},
		};
	}

	/** Loads the verifier for post-quantum signatures, if one occurs. */
	private prepare(payload: Uint8Array): Promise<void> | undefined {
		if (this.hasLoaded || !this.options.hasPostQuantum || !hasOtherSignature(payload)) return undefined;
		this.hasLoaded = true;
		return loadPostQuantum();
	}

	/** @throws {ProbeError} */
	private take(payload: Uint8Array): boolean {
		const { release } = this.options;
		this.takenBytes += payload.length;
		if (release && this.takenBytes >= release.everyBytes) {
			this.takenBytes = 0;
			release.now();
		}
		try {
			const progress = this.chain.add(headerOf(payload));
			const { block, isHead, isReorg, changes } = progress;
			const { count, named, dropped } = this.transactions.look(payload, block);
			const { final } = this.chain;
			if (isHead && this.isVerified)
				this.tell({ kind: "block", block, final: final?.number, transactions: count, isReorg });
			for (const each of named) this.tell({ kind: "transaction", ...each });
			if (dropped > 0)
				this.tell({ kind: "unproven", count: dropped, why: "too many wait for their blocks to be final" });
			for (const change of changes) this.tell({ kind: "witnesses", ...change });
			if (progress.final.length > 0 && final) this.becameFinal(final, progress.final[0] as WatchedBlock);
			return true;
		} catch (error) {
			if (error instanceof UnlinkedHeader) return false;
			if (error instanceof HeaderError) throw new ProbeError("stranger", error.message);
			throw error;
		}
	}

	private becameFinal(final: WatchedBlock, first: WatchedBlock): void {
		const { chain, options } = this;
		const head = chain.head as WatchedBlock;
		if (!this.isVerified) {
			const passedOver =
				this.passedOver !== undefined && first.number > this.passedOver ? this.passedOver : undefined;
			const afterMs = options.environment.now() - this.greetedMs;
			const { needed, witnesses } = chain;
			this.tell({ kind: "verified", head, final, needed, of: witnesses.length, afterMs, passedOver });
			this.isVerified = true;
			this.hasBeenVerified = true;
		}
		for (const proven of this.transactions.prove(final, (id) => chain.proofHeaders(id)))
			this.tell({ kind: "proven", ...proven });
	}

	private left(address: string, why: string): void {
		this.reasons.set(address, why);
		this.failures.set(address, (this.failures.get(address) ?? 0) + 1);
		this.tell({ kind: "left", address, why });
	}

	private tell(event: WatchEvent): void {
		if (this.isWanted) this.isWanted = this.options.report(event);
	}
}

/** Whether a header has something in the post-quantum signature field; it is validated later. */
function hasOtherSignature(payload: Uint8Array): boolean {
	try {
		return headerOf(payload).$unknown !== undefined;
	} catch (error) {
		if (error instanceof HeaderError) return false;
		throw error;
	}
}

/** @throws {HeaderError} */
function headerOf(payload: Uint8Array): BlockHeader {
	try {
		return BlockHeader.decode(contentOfField(payload, BLOCK_HEADER_FIELD), HEADER_BUDGET);
	} catch (error) {
		if (error instanceof DecodeError) throw new HeaderError("a block whose header doesn't decode");
		throw error;
	}
}
