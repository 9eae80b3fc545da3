/**
 * A server's subscriptions (protocol/json-rpc §15): who subscribed to what, and the notifications for each block. A reorg is
 * published once complete: logs of the reverted blocks as removed, newest block first, then the new blocks.
 */

import type { AbiView } from "../../../../abi/coder.js";
import { addressPrefix } from "../../../../protocol/address.js";
import type { SignedBlock } from "../../../../protocol/block.js";
import { concatBytes, fromKey, toKey } from "../../../../protocol/bytes.js";
import type { Account, TransactionInfo } from "../../../../protocol/messages.js";
import type { SignedTransaction } from "../../../../protocol/transaction.js";
import { blockByNumber } from "../../../chain/block-store.js";
import {
	type ChainObserver,
	type CommittedBlock,
	type ExecutedBlock,
	eachBlock,
} from "../../../chain/observers.js";
import type { Later } from "../../../scheduling/time-slice.js";
import { stores } from "../../../state/definition.js";
import type { StateView } from "../../../state/view.js";
import {
	Implementations,
	type InterfaceNode,
	knownInterfaces,
	readStoredEvent,
} from "../../queries/stored-events.js";
import { MAX_ITEMS, makeId } from "../filter-registry.js";
import { itemCount, type LogConditions, matchesLog } from "../log-filter.js";
import type { RpcValue } from "../method.js";
import { blockObject } from "../objects/block.js";
import { logObject, logsOfBlock, type PlacedLog } from "../objects/log.js";
import type { ObjectStyle } from "../objects/style.js";
import { pendingTransactionObject } from "../objects/transaction.js";
import { EXCEEDS_LIMIT, RpcError } from "../rpc-error.js";
import { SharedRoom } from "../shared-room.js";
import { addressData, data, quantity } from "../values.js";
import { EventPublisher } from "./event-publisher.js";
import { FanOut, type Outlet, Outlets, type Pipe } from "./outlet.js";

/** The topic of a subscription. */
export type Topic =
	| { readonly kind: "heads" | "solidBlocks" | "syncing" }
	| { readonly kind: "pending"; readonly whole: boolean }
	| { readonly kind: "logs" | "events"; readonly conditions: LogConditions }
	| { readonly kind: "accounts"; readonly addresses: readonly Uint8Array[] };

type Kind = Topic["kind"];

/** The method name of its notifications. */
export type Notification = "eth_subscription" | "coin_subscription";

const KINDS: readonly Kind[] = ["heads", "solidBlocks", "syncing", "pending", "logs", "events", "accounts"];
/** Limits on all subscriptions, and on those to every pool transaction. */
const MAX_SUBSCRIPTIONS = 20_000;
const MAX_PENDING_SUBSCRIPTIONS = 1_000;

/** Kinds of shared capacity that subscriptions use. */
const ROOMS = ["items", "pending", "all"] as const;
type RoomKind = (typeof ROOMS)[number];
const REFUSALS: Readonly<Record<RoomKind, string>> = {
	items: `exceed max addresses and topics of subscriptions: ${MAX_ITEMS}`,
	pending: `exceed max subscriptions: ${MAX_PENDING_SUBSCRIPTIONS}, try again later`,
	all: `exceed max subscriptions: ${MAX_SUBSCRIPTIONS}, try again later`,
};
/** Queued transactions; above this, their subscribers are closed. */
const MAX_PENDING_WAITING = 5_000;
/** Queued logs; above this, their subscribers are closed. */
const MAX_LOGS_WAITING = 50_000;

interface Subscription {
	readonly id: string;
	readonly notification: Notification;
	readonly topic: Topic;
	readonly items: number;
	readonly subscriber: Subscriber;
	readonly outlet: Outlet;
}

/** Converts objects before they are sent. */
interface Answered {
	head(header: RpcValue): RpcValue;
	transaction(transaction: RpcValue): RpcValue;
}

interface HubOptions {
	/** The state at the head, looked up on each call. */
	readonly state: () => StateView;
	readonly style: ObjectStyle;
	/** Converts objects to the form Ethereum libraries expect; absent: the network's form. */
	readonly answered?: Answered | undefined;
	/** The current answer of `eth_syncing`. */
	readonly syncing: () => RpcValue;
	/** Source of the ABIs that decode events. */
	readonly node: InterfaceNode;
	/** Subscriptions per client. */
	readonly maxPerClient: number;
	/** Schedules work; absent: in later event loop rounds. */
	readonly later?: Later | undefined;
}

/** One client and its subscriptions. */
export class Subscriber {
	private readonly own = new Map<string, Subscription>();

	constructor(
		private readonly hub: SubscriptionHub,
		private readonly outlet: Outlet,
		private readonly most: number,
		/** The client's address. */
		readonly client: string,
	) {}

	/** @returns the subscription's id @throws {RpcError} if there are too many */
	add(notification: Notification, topic: Topic): string {
		if (this.own.size >= this.most) {
			throw new RpcError(EXCEEDS_LIMIT, `exceed max subscriptions of a connection: ${this.most}`);
		}
		const id = `0x${makeId()}`;
		const { outlet } = this;
		const subscription = { id, notification, topic, items: itemsOf(topic), subscriber: this, outlet };
		this.hub.add(subscription);
		this.own.set(id, subscription);
		return id;
	}

	/** @returns whether there was one of this id */
	remove(id: string): boolean {
		const subscription = this.own.get(id);
		if (subscription) this.hub.delete(subscription);
		return this.own.delete(id);
	}

	/** The client has gone, or must go. @param reason told to it; undefined: it has gone itself */
	close(reason?: string): void {
		for (const subscription of this.own.values()) this.hub.delete(subscription);
		this.own.clear();
		this.outlet.close(reason);
		this.hub.forget(this);
	}

	/** Whether it has subscriptions that use a kind of capacity. */
	holds(room: RoomKind): boolean {
		for (const { topic, items } of this.own.values()) if (takes(topic, items, room) > 0) return true;
		return false;
	}
}

/** Members of a block object that its header lacks. */
const ONLY_OF_BLOCKS: ReadonlySet<string> = new Set(["size", "totalDifficulty", "transactions", "uncles"]);

/** A block's header: its object without the members that aren't in a header. */
function headerObject(state: StateView, block: SignedBlock, style: ObjectStyle): RpcValue {
	const object = blockObject(state, block, false, style) as Readonly<Record<string, RpcValue>>;
	return Object.fromEntries(Object.entries(object).filter(([name]) => !ONLY_OF_BLOCKS.has(name)));
}

/** An account's state after a block. @param account undefined: there is none any more */
function accountNotice(
	address: Uint8Array,
	account: Readonly<Account> | undefined,
	block: SignedBlock,
): RpcValue {
	return {
		address: addressData(address),
		blockNumber: quantity(block.number),
		blockHash: data(block.id),
		exists: account !== undefined,
		balance: quantity(account?.balance ?? 0n),
	};
}

/** A log with its event, decoded by the first ABI that knows it; `event` is null if none does. */
async function eventNotice(
	{ state, style, node }: HubOptions,
	placed: PlacedLog,
	block: SignedBlock,
	removed: boolean,
	behind: Implementations,
): Promise<RpcValue> {
	const object = logObject(placed, block, removed, style) as Readonly<Record<string, RpcValue>>;
	const contract = concatBytes(Uint8Array.of(addressPrefix()), placed.log.address);
	const { decoded } = readStoredEvent(knownInterfaces(node, state(), contract, behind), placed.log) ?? {};
	return {
		...object,
		event: decoded?.event ?? null,
		signature: decoded?.signature ?? null,
		args: decoded ? shownValues(decoded.args) : null,
	};
}

/** Integers as decimal text, since many exceed the range of JSON numbers. */
function shownValues(view: AbiView): RpcValue {
	if (typeof view === "bigint") return view.toString();
	if (typeof view === "boolean" || typeof view === "string") return view;
	if (Array.isArray(view)) return view.map(shownValues);
	return Object.fromEntries(
		Object.entries(view as Readonly<Record<string, AbiView>>).map(([name, value]) => [
			name,
			shownValues(value),
		]),
	);
}

export class SubscriptionHub {
	private readonly outlets: Outlets;
	private readonly fanOut: FanOut;
	private readonly byKind: Readonly<Record<Kind, Set<Subscription>>>;
	/** Subscriptions by account address. */
	private readonly watched = new Map<string, Set<Subscription>>();
	private readonly subscribers = new Set<Subscriber>();
	private readonly rooms: Readonly<Record<RoomKind, SharedRoom>> = {
		items: new SharedRoom(MAX_ITEMS),
		pending: new SharedRoom(MAX_PENDING_SUBSCRIPTIONS),
		all: new SharedRoom(MAX_SUBSCRIPTIONS),
	};
	private readonly events: EventPublisher<Subscription>;
	/** What has been looked up for the events of a block, by client. */
	private readonly lookedUp = new WeakMap<SignedBlock, Map<string | undefined, Implementations>>();
	private logsWaiting = 0;
	private lastSolid: bigint | undefined;
	private wasSyncing = false;
	/** Whether blocks were reverted, which may have changed any account. */
	private hasReverted = false;

	constructor(private readonly options: HubOptions) {
		this.outlets = new Outlets(options.later);
		this.fanOut = new FanOut(options.later);
		this.byKind = Object.fromEntries(KINDS.map((kind) => [kind, new Set<Subscription>()])) as Record<
			Kind,
			Set<Subscription>
		>;
		this.events = new EventPublisher<Subscription>({
			wants: (subscription, placed) => this.isKept(subscription) && matches(subscription, placed),
			read: (placed, block, removed, listeners) =>
				eventNotice(options, placed, block, removed, this.implementationsFor(block, listeners)),
			tell: (listeners, notice) => this.tell(listeners, notice),
			close: ({ outlet }) => outlet.close("there are more events than can be read"),
		});
	}

	/**
	 * What is behind contracts is asked for on behalf of a client that names them; for all others there is one budget. So
	 * strangers' contracts early in a block take nothing from those that somebody follows.
	 */
	private implementationsFor(block: SignedBlock, listeners: readonly Subscription[]): Implementations {
		const lookups = this.lookedUp.get(block) ?? new Map<string | undefined, Implementations>();
		this.lookedUp.set(block, lookups);
		const following = listeners
			.filter(({ topic }) => "conditions" in topic && topic.conditions.addresses.length > 0)
			.map(({ subscriber }) => subscriber.client);
		return (following.length > 0 ? following : [undefined])
			.map((client) => {
				const lookup = lookups.get(client) ?? new Implementations();
				lookups.set(client, lookup);
				return lookup;
			})
			.reduce((most, one) => (one.beaconsLeft > most.beaconsLeft ? one : most));
	}

	/** Makes a connection known. @param pipe what carries its notifications @param client whose it is */
	open(pipe: Pipe, client = ""): Subscriber {
		const outlet = this.outlets.open(pipe);
		const subscriber = new Subscriber(this, outlet, this.options.maxPerClient, client);
		this.subscribers.add(subscriber);
		return subscriber;
	}

	/** A connection has ended. */
	forget(subscriber: Subscriber): void {
		this.subscribers.delete(subscriber);
	}

	/** @throws {RpcError} if there are too many, or all together name too much */
	add(subscription: Subscription): void {
		const { topic, items, subscriber } = subscription;
		for (const kind of ROOMS) this.makeRoom(kind, subscriber.client, takes(topic, items, kind));
		for (const kind of ROOMS) this.rooms[kind].take(subscriber.client, takes(topic, items, kind));
		const alike = this.byKind[topic.kind];
		// The status wasn't tracked while nobody was subscribed.
		if (topic.kind === "syncing" && alike.size === 0) this.wasSyncing = this.options.syncing() !== false;
		alike.add(subscription);
		if (topic.kind === "accounts") for (const address of topic.addresses) this.watch(address, subscription);
		if (topic.kind === "solidBlocks") this.lastSolid ??= this.solidNumber;
	}

	delete(subscription: Subscription): void {
		const { topic } = subscription;
		if (!this.byKind[topic.kind].delete(subscription)) return;
		const { items, subscriber } = subscription;
		for (const kind of ROOMS) this.rooms[kind].giveBack(subscriber.client, takes(topic, items, kind));
		if (topic.kind !== "accounts") return;
		for (const address of topic.addresses) {
			const watchers = this.watched.get(toKey(address));
			watchers?.delete(subscription);
			if (watchers?.size === 0) this.watched.delete(toKey(address));
		}
	}

	/**
	 * A client below its fair share displaces the oldest connection of one above its own.
	 * @throws {RpcError}
	 */
	private makeRoom(kind: RoomKind, client: string, amount: number): void {
		const room = this.rooms[kind];
		while (!room.hasRoom(amount)) {
			const largest = room.givesWayTo(client, amount);
			const leaving =
				largest !== undefined &&
				[...this.subscribers].find((one) => one.client === largest && one.holds(kind));
			if (!leaving) throw new RpcError(EXCEEDS_LIMIT, REFUSALS[kind]);
			leaving.close("others wait for a subscription");
		}
	}

	private isKept(subscription: Subscription): boolean {
		return this.byKind[subscription.topic.kind].has(subscription);
	}

	private watch(address: Uint8Array, subscription: Subscription): void {
		const watchers = this.watched.get(toKey(address)) ?? new Set();
		watchers.add(subscription);
		this.watched.set(toKey(address), watchers);
	}

	/** Receives chain events. */
	get observer(): ChainObserver {
		return {
			...eachBlock({
				committed: (block) => this.committed(block),
				reverted: (block) => this.reverted(block),
			}),
			pending: (transaction) => this.pending(transaction),
		};
	}

	private get solidNumber(): bigint {
		return this.options.state().properties.get("LATEST_SOLIDIFIED_BLOCK_NUM");
	}

	private committed({ block, infos, change }: CommittedBlock): void {
		const { state, style } = this.options;
		const { heads, syncing } = this.byKind;
		if (heads.size > 0) this.tell(heads, this.answered("head", headerObject(state(), block, style)));
		this.tellLogs(block, infos, false);
		this.tellAccounts(block, change);
		this.tellSolid();
		if (syncing.size > 0) this.tellSyncing();
	}

	private reverted({ block, infos }: ExecutedBlock): void {
		this.hasReverted = true;
		this.tellLogs(block, infos, true);
	}

	private pending(transaction: SignedTransaction): void {
		const { pending } = this.byKind;
		if (pending.size === 0) return;
		if (this.fanOut.waitingOf("pending") >= MAX_PENDING_WAITING) {
			for (const { outlet } of pending) outlet.close("more transactions come than can be sent");
			return;
		}
		const wanted = [...pending].some(isWhole);
		const id = JSON.stringify(data(transaction.id));
		const { state, style } = this.options;
		const object = wanted
			? JSON.stringify(this.answered("transaction", pendingTransactionObject(state(), transaction, style)))
			: id;
		this.fanOut.tell("pending", pending, (one) => this.tellText(one, isWhole(one) ? object : id));
	}

	private answered(kind: keyof Answered, value: RpcValue): RpcValue {
		return this.options.answered?.[kind](value) ?? value;
	}

	private tellLogs(block: SignedBlock, infos: readonly Readonly<TransactionInfo>[], removed: boolean): void {
		const { logs, events } = this.byKind;
		if (logs.size + events.size === 0) return;
		const all = [...logsOfBlock(infos)];
		if (all.length === 0) return;
		if (events.size > 0) this.events.add(events, all, block, removed);
		if (logs.size === 0) return;
		if (this.logsWaiting > MAX_LOGS_WAITING) {
			for (const { outlet } of logs) outlet.close("more logs come than can be sent");
			return;
		}
		this.logsWaiting += all.length;
		const texts: string[] = [];
		const tell = (subscription: Subscription): void => {
			for (const [i, placed] of all.entries()) {
				if (!this.isKept(subscription)) return;
				if (!matches(subscription, placed)) continue;
				texts[i] ??= JSON.stringify(logObject(placed, block, removed, this.options.style));
				this.tellText(subscription, texts[i]);
			}
		};
		this.fanOut.tell("logs", logs, tell, () => {
			this.logsWaiting -= all.length;
		});
	}

	private tellAccounts(block: SignedBlock, change: CommittedBlock["change"]): void {
		const reverted = this.hasReverted;
		this.hasReverted = false;
		if (this.watched.size === 0) return;
		const after = new Map<string, Readonly<Account> | undefined>();
		for (const changed of change.entries[stores.account.index] ?? []) {
			const { key } = changed.entry;
			if (this.watched.has(key)) after.set(key, (changed.after as Readonly<Account> | null) ?? undefined);
		}
		for (const key of (reverted ? this.watched : after).keys()) {
			const address = fromKey(key);
			const account = after.has(key) ? after.get(key) : this.options.state().account.get(address);
			this.tell(this.watched.get(key) ?? [], accountNotice(address, account, block));
		}
	}

	private tellSolid(): void {
		if (this.lastSolid === undefined) return;
		const { state, style } = this.options;
		const { solidBlocks } = this.byKind;
		const solid = this.solidNumber;
		for (let number = this.lastSolid + 1n; number <= solid && solidBlocks.size > 0; number++) {
			const block = blockByNumber(state(), number);
			if (block) this.tell(solidBlocks, headerObject(state(), block, style));
		}
		this.lastSolid = solidBlocks.size > 0 ? solid : undefined;
	}

	private tellSyncing(): void {
		const status = this.options.syncing();
		const isSyncing = status !== false;
		// Progress changes with each block; subscribers only get the start and the end.
		if (isSyncing !== this.wasSyncing) {
			this.tell(this.byKind.syncing, isSyncing ? { syncing: true, status } : false);
		}
		this.wasSyncing = isSyncing;
	}

	private tell(subscriptions: Iterable<Subscription>, result: RpcValue): void {
		const text = JSON.stringify(result);
		this.fanOut.tell("all", subscriptions, (subscription) => this.tellText(subscription, text));
	}

	/** @param result as JSON */
	private tellText(subscription: Subscription, result: string): void {
		const { id, notification, outlet } = subscription;
		if (!this.isKept(subscription)) return;
		outlet.push(
			`{"jsonrpc":"2.0","method":"${notification}","params":{"subscription":"${id}","result":${result}}}`,
		);
	}
}

/** How much of a kind of capacity a subscription uses. */
function takes(topic: Topic, items: number, room: RoomKind): number {
	if (room === "items") return items;
	return room === "all" || topic.kind === "pending" ? 1 : 0;
}

function itemsOf(topic: Topic): number {
	if ("conditions" in topic) return itemCount(topic.conditions);
	return topic.kind === "accounts" ? topic.addresses.length : 0;
}

function matches({ topic }: Subscription, { log }: PlacedLog): boolean {
	return "conditions" in topic && matchesLog(topic.conditions, log);
}

function isWhole({ topic }: Subscription): boolean {
	return topic.kind === "pending" && topic.whole;
}
