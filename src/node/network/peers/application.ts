/** The application layer of the peer network: handshakes, message handling, and disconnects with a reason. */

import { Block, PBFTMessage } from "../../../protocol/messages.js";
import { admissionOf } from "../../rules/admission.js";
import type { ApplicationListener, PeerConnection, Transport } from "../connection.js";
import type { NodeAddress } from "../environment.js";
import {
	ApplicationType,
	applicationTypeName,
	decodeBlockChainInventory,
	decodeDisconnect,
	decodeInventory,
	decodeSyncBlockChain,
	type HelloMessage,
	InventoryKind,
	PING_PAYLOAD,
	Reason,
	readBlockId,
	reasonName,
} from "../wire/application-messages.js";
import {
	countTransactions,
	decodeBlock,
	hasImpossibleTransactions,
	readBlockHeader,
} from "../wire/block-messages.js";
import type { OversizeMessage } from "../wire/message-kinds.js";
import { Advertisement } from "./advertisement.js";
import { acceptHello, decodeHello, greet, oversizedHello } from "./handshake.js";
import { disconnectReason, errorKind, isPeersFault, Misconduct } from "./misconduct.js";
import { NewBlocks } from "./new-blocks.js";
import { PbftCommits, Voting } from "./pbft.js";
import { Peer } from "./peer.js";
import { EffectiveCheck, Resilience, StallCheck, StatusCheck } from "./peer-checks.js";
import type { PeerWorld } from "./peer-world.js";
import { filterMessage, filterTransactions } from "./proto-filter.js";
import { FastForwardRelay, RelayConnections } from "./relay.js";
import { SyncRequester } from "./sync-requester.js";
import { SyncResponder } from "./sync-responder.js";
import { readTransactions, TransactionIntake } from "./transactions.js";

/** How far ahead of our clock any block may be, in milliseconds. */
const MAX_AHEAD_MS = 3000n;

/** What the application leaves to its owner. */
interface ApplicationOptions {
	/** Nodes that are always dialed, not counting relay nodes. */
	readonly configured: () => readonly NodeAddress[];
	readonly relays: readonly NodeAddress[];
	/** Receives errors that are bugs of this program. */
	readonly report: (error: unknown, where: string) => void;
}

export class Application implements ApplicationListener {
	readonly advertisement: Advertisement;
	readonly requester: SyncRequester;
	private readonly responder: SyncResponder;
	private readonly transactions: TransactionIntake;
	private readonly blocks: NewBlocks;
	private readonly commits: PbftCommits;
	private readonly voting: Voting;
	private readonly status: StatusCheck;
	private readonly stall: StallCheck;
	private readonly resilience: Resilience;
	private readonly effective: EffectiveCheck;
	private readonly relays: RelayConnections;
	private readonly byConnection = new Map<PeerConnection, Peer>();
	private isStopped = false;
	private unobserve: (() => void) | undefined;

	constructor(
		readonly world: PeerWorld,
		private readonly transport: Transport,
		private readonly options: ApplicationOptions,
	) {
		this.advertisement = new Advertisement(world, () => this.transactions.isBusy());
		this.transactions = new TransactionIntake(world, this.advertisement);
		this.commits = new PbftCommits(world);
		this.voting = new Voting(world);
		this.requester = new SyncRequester(world, (block) => this.commits.afterBlock(block));
		this.responder = new SyncResponder(
			world,
			(id) => this.advertisement.findBlock(id),
			(peer, block) => this.commits.beforeBlock(peer, block),
		);
		this.blocks = new NewBlocks(world, this.advertisement, this.requester, new FastForwardRelay(world));
		this.status = new StatusCheck(world);
		this.stall = new StallCheck(world, transport);
		this.resilience = new Resilience(world);
		this.effective = new EffectiveCheck(world, transport);
		this.relays = new RelayConnections(world, transport, options.configured, options.relays);
	}

	start(): void {
		this.unobserve = this.world.chain.observe((block, inReorg) => {
			this.resilience.blockSaved();
			this.voting.blockApplied(block, inReorg);
		});
		for (const part of [this.status, this.stall, this.resilience, this.effective, this.relays]) part.start();
	}

	stop(): void {
		this.isStopped = true;
		this.unobserve?.();
		const parts = [
			this.status,
			this.stall,
			this.resilience,
			this.effective,
			this.relays,
			this.requester,
			this.blocks,
			this.advertisement,
			this.transactions,
		];
		for (const part of parts) part.stop();
	}

	/** To be called when the configured nodes changed. */
	configuredChanged(): void {
		this.relays.apply();
	}

	connected(connection: PeerConnection): void {
		const { chain, settings, now } = this.world;
		const peer = new Peer(connection, chain.genesis, now, settings);
		peer.isRelay = settings.relayHosts.has(connection.remote.host);
		this.byConnection.set(connection, peer);
		this.world.add(peer);
		greet(this.world, this.transport, peer);
	}

	received(connection: PeerConnection, type: number, payload: Uint8Array): void {
		const peer = this.byConnection.get(connection);
		if (!peer || peer.isLeaving) return;
		const { meter, now } = this.world;
		const startMs = now();
		try {
			const handle = this.handlers.get(type);
			if (!handle) throw new Misconduct(Reason.NO_SUCH_MESSAGE, "no such message");
			handle(peer, payload);
		} catch (error) {
			if (!isPeersFault(error))
				this.options.report(error, `a message ${applicationTypeName(type)} of ${peer.name}`);
			const reason = type === ApplicationType.PBFT_MSG ? Reason.BAD_PROTOCOL : disconnectReason(error);
			const why = error instanceof Error ? error.message : String(error);
			const mayBeHonest = error instanceof Misconduct && error.mayBeHonest;
			meter?.failed(errorKind(reason));
			this.world.disconnect(peer, reason, `${applicationTypeName(type)}: ${why}`, mayBeHonest);
		}
		meter?.processed(applicationTypeName(type), now() - startMs);
	}

	oversized(connection: PeerConnection, message: OversizeMessage): void {
		const peer = this.byConnection.get(connection);
		if (!peer) return;
		const { type } = message;
		const reason = type === ApplicationType.P2P_HELLO ? oversizedHello(this.world) : message.reason;
		this.world.meter?.failed(errorKind(reason));
		this.world.disconnect(peer, reason, `${applicationTypeName(type)} of ${message.message}`);
	}

	disconnected(connection: PeerConnection): void {
		const peer = this.byConnection.get(connection);
		if (!peer) return;
		this.byConnection.delete(connection);
		// A peer that we disconnected, or that gave a reason, is already logged; when we stop, all leave.
		if (!peer.isLeaving && !this.isStopped)
			this.world.log.info({ peer: peer.name }, "peer lost: the connection ended without a reason");
		this.world.remove(peer);
		this.requester.peerLeft(peer);
		this.responder.peerLeft(peer);
		this.transactions.peerLeft(peer);
		this.commits.peerLeft(peer);
		this.advertisement.peerLeft(peer);
	}

	/** Handlers by message type; all other types are refused. */
	private readonly handlers: ReadonlyMap<number, (peer: Peer, payload: Uint8Array) => void> = new Map([
		[
			ApplicationType.P2P_HELLO,
			(peer, payload) => this.receiveHello(peer, decodeHello(this.world.settings, payload)),
		],
		[ApplicationType.SYNC_BLOCK_CHAIN, (peer, payload) => this.receiveSummary(peer, payload)],
		[ApplicationType.BLOCK_CHAIN_INVENTORY, (peer, payload) => this.receiveList(peer, payload)],
		[
			ApplicationType.INVENTORY,
			(peer, payload) => this.advertisement.receiveInventory(peer, decodeInventory(payload)),
		],
		[ApplicationType.FETCH_INV_DATA, (peer, payload) => this.receiveFetch(peer, payload)],
		[ApplicationType.BLOCK, (peer, payload) => this.receiveBlock(peer, payload)],
		[ApplicationType.TXS, (peer, payload) => this.receiveTransactions(peer, payload)],
		[ApplicationType.PBFT_COMMIT_MSG, (peer, payload) => this.commits.receive(peer, payload)],
		[ApplicationType.PBFT_MSG, (peer, payload) => this.receiveVote(peer, payload)],
		[ApplicationType.P2P_PING, (peer) => this.world.send(peer, ApplicationType.P2P_PONG, PING_PAYLOAD)],
		[ApplicationType.P2P_PONG, () => {}],
		[ApplicationType.P2P_DISCONNECT, (peer, payload) => this.receiveDisconnect(peer, payload)],
	] as readonly [number, (peer: Peer, payload: Uint8Array) => void][]);

	private receiveSummary(peer: Peer, payload: Uint8Array): void {
		this.responder.answerSummary(peer, decodeSyncBlockChain(payload));
		peer.touch();
		this.advertisement.spreadStep();
	}

	private receiveList(peer: Peer, payload: Uint8Array): void {
		this.requester.expectList(peer, payload);
		this.requester.receiveList(peer, decodeBlockChainInventory(payload));
		peer.touch();
		this.advertisement.spreadStep();
	}

	private receiveDisconnect(peer: Peer, payload: Uint8Array): void {
		if (!peer.farewellRate.tryTake()) return;
		peer.remoteReason = reasonName(decodeDisconnect(payload));
		this.world.meter?.disconnected(peer.remoteReason);
		this.world.log.info({ peer: peer.name, reason: peer.remoteReason }, "peer leaves");
		peer.isLeaving = true;
		peer.connection.close();
	}

	private receiveHello(peer: Peer, hello: HelloMessage): void {
		if (!acceptHello(this.world, peer, hello, this.effective.isProbe(peer))) return;
		if (this.world.settings.isFastForward) this.transport.trust(peer.connection.remote.host);
		const head = readBlockId(hello.headBlockId).number;
		const info = { peer: peer.name, head: Number(head), outgoing: peer.connection.outgoing };
		this.world.log.info(info, "peer connected");
		if (head > peer.greetedAt) {
			peer.needSyncFromUs = false;
			this.requester.start(peer);
			return;
		}
		peer.needSyncFromPeer = false;
		if (head === peer.greetedAt) peer.needSyncFromUs = false;
		peer.state = "SYNC_COMPLETED";
		this.advertisement.spreadStep();
	}

	private receiveFetch(peer: Peer, payload: Uint8Array): void {
		const { kind, ids } = decodeInventory(payload);
		this.world.conduct.checkRepeated(ids, "FetchInvData");
		if (kind === InventoryKind.TX) {
			this.advertisement.serveTransactions(peer, ids);
			return;
		}
		if (kind !== InventoryKind.BLOCK)
			throw new Misconduct(Reason.BAD_PROTOCOL, `unknown inventory type: ${kind}`);
		if (this.advertisement.announcedAll(peer, kind, ids)) this.advertisement.serveBlocks(peer, ids);
		else this.responder.answerFetch(peer, ids);
		peer.touch();
	}

	private receiveBlock(peer: Peer, payload: Uint8Array): void {
		const { advertisement, requester, world } = this;
		const mayPush = world.settings.isFastForward || peer.isRelay;
		const { id, number, timestampMs } = readBlockHeader(payload);
		if (timestampMs - BigInt(Math.trunc(world.wallClock())) >= MAX_AHEAD_MS) {
			// Either clock may be wrong; if ours is, we must not lose all peers for an hour.
			throw new Misconduct(Reason.BAD_PROTOCOL, `block ${number} comes before its time`, true);
		}
		const isOfList = requester.awaits(peer, id);
		if (!mayPush && !isOfList && !advertisement.wasAsked(peer, InventoryKind.BLOCK, id)) {
			throw new Misconduct(Reason.BAD_PROTOCOL, `block ${number} was not asked for`);
		}
		if (hasImpossibleTransactions(payload)) {
			// A relaying peer only checks the header first, so it may not have known.
			if (isOfList) throw new Misconduct(Reason.BAD_BLOCK, `block ${number} has transactions that can't be`);
			advertisement.arrived(peer, InventoryKind.BLOCK, id);
			return;
		}
		const decoded = decodeBlock(payload);
		const { network } = world.settings;
		const block = admissionOf(world.settings).received(decoded, network);
		if (world.chain.filtersUnknownFields) {
			filterMessage(Block, decoded.message, payload.length, network);
			filterTransactions(block.transactions);
		}
		if (isOfList) this.requester.receiveBlock(peer, block, payload.length);
		else this.blocks.receive(peer, block);
		peer.touch();
	}

	private receiveTransactions(peer: Peer, payload: Uint8Array): void {
		const asked = peer.countAsked(InventoryKind.TX);
		if (countTransactions(payload) > asked) {
			throw new Misconduct(Reason.BAD_PROTOCOL, "transactions that were not asked for");
		}
		const transactions = readTransactions(this.world, payload);
		if (transactions === undefined) {
			// Perhaps valid and relayed in good faith, but not worth the memory: a block will include them, if any.
			this.advertisement.giveUp(peer, InventoryKind.TX);
			return;
		}
		this.transactions.receive(peer, transactions);
	}

	private receiveVote(peer: Peer, payload: Uint8Array): void {
		if (payload.length === 0) return;
		const message = PBFTMessage.decode(payload);
		if (this.world.chain.filtersUnknownFields) filterMessage(PBFTMessage, message, payload.length);
		this.voting.receive(peer, message);
	}
}
