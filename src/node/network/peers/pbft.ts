/**
 * Witness votes that confirm blocks and cycles (protocol/peers §§11.1 to 11.3). Confirmations don't affect
 * the chain; they are what the PBFT servers show.
 */

import { equalBytes, toHex } from "../../../protocol/bytes.js";
import { sha256 } from "../../../protocol/hash.js";
import { PBFTMessageDataType, PBFTMessageMsgType, SRL } from "../../../protocol/messages.js";
import { recoverAddress, SignatureError } from "../../../protocol/signature.js";
import { Recent } from "../../memory/recent.js";
import {
	ApplicationType,
	PBFTCommitResult,
	PBFTMessage,
	PBFTMessageRaw,
	Reason,
	type SignedBlock,
} from "../wire/application-messages.js";
import { Misconduct } from "./misconduct.js";
import type { Peer } from "./peer.js";
import type { OwnWitness, PeerWorld } from "./peer-world.js";

const Kind = PBFTMessageMsgType;
const Data = PBFTMessageDataType;

const SEEN_CACHE = 10_000;
const SEEN_MS = 600_000;
/** Timeout of a vote; votes that arrive before their block are kept for twice as long. */
const ROUND_MS = 60_000;
const EARLY_MS = 120_000;

/** A vote with its signer, as text. */
interface Vote {
	readonly message: PBFTMessage;
	readonly raw: PBFTMessageRaw;
	readonly signer: string;
	readonly data: string;
}

/** The votes on one block or cycle. */
class Round {
	/** What our own chain has there, once it has reached it. */
	proposal: PBFTMessageRaw | undefined;
	hasCommitted = false;
	isDone = false;
	readonly early: Vote[] = [];
	readonly prepared = new Map<string, string>();
	readonly earlyCommits = new Map<string, Vote>();
	readonly committed = new Map<string, Vote>();

	constructor(public sinceMs: number) {}

	get isOpen(): boolean {
		return this.proposal !== undefined;
	}
}

export class Voting {
	private readonly seen: Recent;
	private readonly rounds = new Map<string, Round>();
	private nextMaintenanceMs: bigint;

	constructor(private readonly world: PeerWorld) {
		this.seen = new Recent(SEEN_CACHE, SEEN_MS, world.now);
		this.nextMaintenanceMs = world.chain.nextMaintenanceMs;
	}

	/** Number of blocks and cycles with ongoing votes. */
	get roundCount(): number {
		return this.rounds.size;
	}

	/** A block became the head: casts our witnesses' votes on it. */
	blockApplied(block: SignedBlock, inReorg: boolean): void {
		const { chain } = this.world;
		const before = this.nextMaintenanceMs;
		const after = chain.nextMaintenanceMs;
		this.nextMaintenanceMs = after;
		if (!chain.allowPbft) return;
		this.dropOld();
		// Votes on it are too old from now on (see receive): while syncing, many blocks a minute are applied.
		const tooOld = block.number - BigInt(this.world.settings.voteExpireBlocks) - 1n;
		this.rounds.delete(roundName({ data_type: Data.BLOCK, view_n: tooOld }));
		const epoch = block.number === 1n ? after : before;
		const raw = { data_type: Data.BLOCK, view_n: block.number, epoch, data: block.id };
		this.open(PBFTMessageRaw.create(raw), inReorg);
		if (after !== before && block.number !== 1n) {
			const data = SRL.encode(SRL.create({ srAddress: chain.activeWitnesses }));
			const cycle = { data_type: Data.SRL, view_n: after, epoch: after, data };
			this.open(PBFTMessageRaw.create(cycle), inReorg);
		}
	}

	private open(proposal: PBFTMessageRaw, inReorg: boolean): void {
		const no = roundName(proposal);
		if (inReorg) {
			this.rounds.delete(no);
			return;
		}
		const round = this.round(no);
		if (round.isOpen) return;
		round.proposal = proposal;
		round.sinceMs = this.world.now();
		for (const vote of round.early.splice(0)) this.prepare(no, round, vote);
		if (!this.world.isSyncing) this.vote(no, round, proposal, Kind.PREPARE);
	}

	/** Casts our own witnesses' votes, to every peer and here. */
	private vote(no: string, round: Round, proposal: PBFTMessageRaw, kind: number): void {
		for (const witness of this.voters(proposal.epoch)) {
			const raw = PBFTMessageRaw.create({ ...proposal, msg_type: kind as PBFTMessageRaw["msg_type"] });
			const bytes = PBFTMessageRaw.encode(raw);
			const cast = (signature: Uint8Array): void => {
				const message = PBFTMessage.create({ raw_data: raw, signature });
				const vote = { message, raw, signer: toHex(witness.signer), data: toHex(raw.data) };
				this.seen.put(voteName(vote), true);
				this.pass(message, undefined);
				if (kind === Kind.PREPARE) this.prepare(no, round, vote);
				else this.commit(round, vote);
			};
			if (!witness.remote) cast(witness.sign(sha256(bytes)));
			else {
				// A vote that the signer refuses is simply missing; the round may be over when it arrives.
				const { soon } = this.world.environment;
				witness.remote.vote(bytes).then(
					(signature) => soon(() => this.rounds.get(no) === round && cast(signature)),
					() => undefined,
				);
			}
		}
	}

	private voters(epoch: bigint): readonly OwnWitness[] {
		const list = this.witnessesOf(epoch);
		return this.world.witnesses.filter(
			({ signer, postQuantum }) => !postQuantum && list.some((each) => equalBytes(each, signer)),
		);
	}

	/** The witnesses that vote in an epoch: of this cycle, or of the previous one. */
	private witnessesOf(epoch: bigint): readonly Uint8Array[] {
		const { chain } = this.world;
		const lastMaintenanceMs = chain.nextMaintenanceMs - chain.maintenanceIntervalMs;
		return epoch > lastMaintenanceMs ? chain.activeWitnesses : chain.formerWitnesses;
	}

	/** Handles and relays a peer's vote. @throws {Misconduct | DecodeError} */
	receive(peer: Peer, message: PBFTMessage): void {
		const { chain, settings } = this.world;
		if (!chain.allowPbft || this.world.isSyncing) return;
		const raw = message.raw_data ?? PBFTMessageRaw.create({});
		const isBlock = raw.data_type === Data.BLOCK;
		const distance = isBlock ? chain.head.number - raw.view_n : chain.nextMaintenanceMs - raw.epoch;
		const most = isBlock ? BigInt(settings.voteExpireBlocks) : 2n * chain.maintenanceIntervalMs;
		// The reference only bounds the past, and of a cycle only its epoch; a witness could open any number of rounds.
		if (distance > most || -distance > most) return;
		if (!isBlock && (raw.view_n !== raw.epoch || distance % chain.maintenanceIntervalMs !== 0n)) return;
		const signer = signerOf(message, raw);
		const vote = { message, raw, signer: toHex(signer), data: toHex(raw.data) };
		if (this.seen.has(voteName(vote))) return;
		if (!this.witnessesOf(raw.epoch).some((each) => equalBytes(each, signer))) {
			throw new Misconduct(Reason.BAD_PROTOCOL, "a vote by an address that is not a witness");
		}
		this.seen.put(voteName(vote), true);
		this.pass(message, peer);
		const no = roundName(raw);
		const round = this.round(no);
		if (raw.msg_type === Kind.PREPARE) this.prepare(no, round, vote);
		else if (raw.msg_type === Kind.COMMIT) this.commit(round, vote);
	}

	private pass(message: PBFTMessage, from: Peer | undefined): void {
		const payload = PBFTMessage.encode(message);
		for (const peer of this.world.peers) {
			if (peer !== from) this.world.send(peer, ApplicationType.PBFT_MSG, payload);
		}
	}

	private prepare(no: string, round: Round, vote: Vote): void {
		if (!round.isOpen) {
			round.early.push(vote);
			return;
		}
		if (round.prepared.has(vote.signer)) return;
		round.prepared.set(vote.signer, vote.data);
		const early = round.earlyCommits.get(vote.signer);
		if (early) this.commit(round, early);
		const votes = [...round.prepared.values()].filter((data) => data === vote.data).length;
		if (votes < this.world.settings.quorum || round.hasCommitted || this.world.isSyncing) return;
		round.hasCommitted = true;
		// Ours where it is of the same data: the vote that makes the quorum may have an epoch that no signer signs.
		const { proposal } = round;
		const isOurs = proposal !== undefined && toHex(proposal.data) === vote.data;
		this.vote(no, round, isOurs ? proposal : vote.raw, Kind.COMMIT);
	}

	private commit(round: Round, vote: Vote): void {
		if (!round.prepared.has(vote.signer)) {
			round.earlyCommits.set(vote.signer, vote);
			return;
		}
		if (round.committed.has(vote.signer)) return;
		round.committed.set(vote.signer, vote);
		const votes = [...round.committed.values()].filter(({ data }) => data === vote.data);
		if (votes.length < this.world.settings.quorum || round.isDone || this.world.isSyncing) return;
		round.isDone = true;
		const { raw } = vote;
		const result = PBFTCommitResult.create({
			data: PBFTMessageRaw.encode(raw),
			signature: votes.map(({ message }) => message.signature),
		});
		const { chain } = this.world;
		const isBlock = raw.data_type === Data.BLOCK;
		chain.storeCommit(isBlock ? `BLOCK${raw.view_n}` : `SRL${raw.epoch}`, PBFTCommitResult.encode(result));
		if (isBlock) chain.confirmBlock?.(raw.view_n);
	}

	private round(no: string): Round {
		const known = this.rounds.get(no);
		if (known) return known;
		const round = new Round(this.world.now());
		this.rounds.set(no, round);
		return round;
	}

	private dropOld(): void {
		const now = this.world.now();
		for (const [no, { sinceMs, isOpen }] of this.rounds) {
			if (now - sinceMs > (isOpen ? ROUND_MS : EARLY_MS)) this.rounds.delete(no);
		}
	}
}

/** @throws {Misconduct} */
function signerOf({ signature }: PBFTMessage, raw: PBFTMessageRaw): Uint8Array {
	try {
		return recoverAddress(sha256(PBFTMessageRaw.encode(raw)), signature);
	} catch (error) {
		if (error instanceof SignatureError)
			throw new Misconduct(Reason.BAD_PROTOCOL, `a vote: ${error.message}`);
		throw error;
	}
}

function roundName({ view_n, data_type }: Pick<PBFTMessageRaw, "view_n" | "data_type">): string {
	return `${view_n}_${data_type === Data.BLOCK ? "BLOCK" : "SRL"}`;
}

function voteName({ raw, signer }: Vote): string {
	return `${roundName(raw)}_${signer}_${raw.msg_type}`;
}

/** Confirmations kept from one peer: of blocks requested from it, and of cycles. */
const RECEIVED_BLOCKS = 100;
const RECEIVED_CYCLES = 4;
const RECEIVED_MS = 600_000;
/** The greatest quorum is 27, one per witness. */
const MAX_SIGNATURES = 54;
const SENT_CACHE = 200;
const SENT_MS = 3_600_000;

/** Stored confirmations sent to syncing peers (protocol/peers §11.4). */
export class PbftCommits {
	private readonly received = new Map<Peer, Received>();
	/** Epochs whose confirmation was sent to any peer. */
	private readonly sentEpochs: Recent;

	constructor(private readonly world: PeerWorld) {
		this.sentEpochs = new Recent(SENT_CACHE, SENT_MS, world.now);
	}

	/** Sends the stored confirmation of a block, and once an hour that of its cycle. */
	beforeBlock(peer: Peer, block: SignedBlock): void {
		const { chain } = this.world;
		if (!chain.allowPbft || peer.isSynced) return;
		const stored = chain.commit(`BLOCK${block.number}`);
		if (stored) this.world.send(peer, ApplicationType.PBFT_COMMIT_MSG, stored);
		const epoch = this.epochOf(block, stored && PBFTCommitResult.decode(stored));
		const cycle = this.sentEpochs.has(String(epoch)) ? undefined : chain.commit(`SRL${epoch}`);
		if (!cycle) return;
		this.sentEpochs.put(String(epoch), true);
		this.world.send(peer, ApplicationType.PBFT_COMMIT_MSG, cycle);
	}

	/**
	 * Keeps a peer's confirmation until its block is applied: it precedes a requested block; those of other
	 * blocks are discarded. @throws {DecodeError}
	 */
	receive(peer: Peer, payload: Uint8Array): void {
		const { chain, settings } = this.world;
		if (!chain.allowPbft) return;
		const commit = PBFTCommitResult.decode(payload);
		const { data_type, view_n } = readRaw(commit);
		const { length } = commit.signature;
		if (length < settings.quorum || length > MAX_SIGNATURES) return;
		const isBlock = data_type === PBFTMessageDataType.BLOCK;
		if (isBlock && ![...peer.requested.values()].some(({ block }) => block.number === view_n)) return;
		const received = this.received.get(peer) ?? new Received(this.world.now);
		this.received.set(peer, received);
		(isBlock ? received.blocks : received.cycles).renew(String(view_n), commit);
	}

	/** Discards what a departed peer sent and wasn't needed. */
	peerLeft(peer: Peer): void {
		this.received.delete(peer);
	}

	/** A synced block was applied: its confirmation is checked and stored. */
	afterBlock(block: SignedBlock): void {
		if (!this.world.chain.allowPbft) return;
		const number = String(block.number);
		for (const { blocks, cycles } of this.received.values()) {
			const commit = blocks.get(number);
			if (commit) {
				blocks.delete(number);
				this.store(commit);
			}
			// A peer without a confirmation of the block may have one of its cycle.
			const epoch = String(this.epochOf(block, commit));
			const cycle = cycles.get(epoch);
			if (!cycle) continue;
			cycles.delete(epoch);
			this.store(cycle);
		}
	}

	/** The epoch of a block: from its confirmation, else the end of its maintenance interval. */
	private epochOf({ timestampMs }: SignedBlock, commit: PBFTCommitResult | undefined): bigint {
		if (commit) return readRaw(commit).epoch;
		const interval = this.world.chain.maintenanceIntervalMs;
		return (timestampMs / interval + 1n) * interval;
	}

	private store(commit: PBFTCommitResult): void {
		const { chain } = this.world;
		const { data_type, view_n, epoch } = readRaw(commit);
		const key = data_type === PBFTMessageDataType.BLOCK ? `BLOCK${view_n}` : `SRL${epoch}`;
		if (!chain.commit(key) && this.isValid(commit)) chain.storeCommit(key, PBFTCommitResult.encode(commit));
	}

	/**
	 * Whether each signature is by a witness, and enough witnesses signed. The reference counts signatures, of which one
	 * witness can make many, and accepts a list without any (protocol/peers §11.4): what it would store is unconfirmed.
	 */
	private isValid({ data, signature }: PBFTCommitResult): boolean {
		const hash = sha256(data);
		const { activeWitnesses } = this.world.chain;
		const signers = new Set<string>();
		for (const each of signature) {
			try {
				const signer = recoverAddress(hash, each);
				if (!activeWitnesses.some((witness) => equalBytes(witness, signer))) return false;
				signers.add(toHex(signer));
			} catch (error) {
				if (error instanceof SignatureError) return false;
				throw error;
			}
		}
		return signers.size >= this.world.settings.quorum;
	}
}

/** What one peer sent. */
class Received {
	/** By block number. */
	readonly blocks: Recent<PBFTCommitResult>;
	/** By epoch, which is the view number of a cycle's confirmation. */
	readonly cycles: Recent<PBFTCommitResult>;

	constructor(now: () => number) {
		this.blocks = new Recent(RECEIVED_BLOCKS, RECEIVED_MS, now);
		this.cycles = new Recent(RECEIVED_CYCLES, RECEIVED_MS, now);
	}
}

function readRaw({ data }: PBFTCommitResult): PBFTMessageRaw {
	return PBFTMessageRaw.decode(data);
}
