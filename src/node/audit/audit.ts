/**
 * Compares two nodes block by block over their public HTTP APIs: ids, all receipts, and a sample of the
 * accounts and contracts that a block touched (docs/audit.md).
 */

import { createHash } from "node:crypto";
import type { Difference } from "../faults/bundle.js";
import { compareFacts, type FactRules, factsOf, RECEIPT_RULES, STATE_RULES } from "./facts.js";
import {
	type AskedState,
	type AuditView,
	type HttpNode,
	isObject,
	MAX_ANSWER_DEPTH,
	type NodeAnswer,
	NotServedError,
	UnansweredError,
} from "./http-node.js";

interface AuditOptions {
	readonly ours: HttpNode;
	readonly theirs: HttpNode;
	/** Share of a block's touched accounts and contracts to compare, from 0 to 1. */
	readonly sample: number;
	readonly sleep: (ms: number) => Promise<void>;
	readonly signal: AbortSignal;
	/** Called once per kind of data that can't be compared. */
	readonly onNotCompared: (reason: string) => void;
}

/** What was compared. */
export interface AuditCounts {
	blocks: number;
	transactions: number;
	/** Answers about accounts, contracts and witnesses. */
	state: number;
	/** Contract storage slots. */
	slots: number;
	/** Blocks without any comparable state. */
	blocksWithoutState: number;
}

/** The first difference of a block. */
export interface FoundDifference {
	readonly number: bigint;
	/** Id of our block, 64 hex digits. */
	readonly id: string;
	/** The block after which the state differs, if it was compared at a later common head. */
	readonly seenAt: bigint | undefined;
	readonly differences: readonly Difference[];
	/** The other node's receipts in transaction order; null where it has none. */
	readonly receipts: readonly NodeAnswer[];
}

/** Bound on listed differences. */
const MAX_LISTED_DIFFERENCES = 20;
/** Accounts and contracts per block whose state is compared. */
const MAX_SUBJECTS = 50;
const MAX_SLOTS = 50;
/** Each trace also re-executes the transactions before it. */
const MAX_TRACES = 3;
/** Attempts to find both nodes at the same head before and after reading the state. */
const MAX_TRIES = 5;
/** How often a state difference at a moving head must be seen. */
const CONFIRMATIONS = 3;
const POLL_MS = 1_000;

interface Head {
	readonly number: bigint;
	readonly id: string;
}

/** One state query and how its answers are compared. */
interface Question {
	readonly subject: string;
	readonly what: string;
	readonly ask: (node: HttpNode, view: AuditView, at: AskedState | undefined) => Promise<NodeAnswer>;
	readonly isSlot: boolean;
	/** Whether the solidified view serves it too. */
	readonly isIrreversible: boolean;
}

/** Whose state is compared. */
interface Subject {
	/** 42 hex digits. */
	readonly address: string;
	readonly isContract: boolean;
	/** Stands for the list of witnesses with votes instead of an account. */
	readonly isWitnessList: boolean;
}

/** JSON values of a block that are examined. */
const MAX_VALUES = 200_000;
const ADDRESS = /^41[0-9a-f]{40}$/i;
/** 20-byte addresses in receipts. */
const SHORT_ADDRESS = /^[0-9a-f]{40}$/i;

/**
 * The accounts and contracts that a block touched, according to its transactions and receipts.
 * @param receipts of its transactions
 */
export function touchedBy(block: NodeAnswer, receipts: NodeAnswer): Subject[] {
	const subjects = new Map<string, Subject>();
	let left = MAX_VALUES;
	const add = (address: string, isContract: boolean): void => {
		const key = address.toLowerCase();
		const known = subjects.get(key);
		subjects.set(key, {
			address: key,
			isContract: isContract || known?.isContract === true,
			isWitnessList: false,
		});
	};
	const walk = (value: NodeAnswer, name: string, depth: number): void => {
		if (left-- < 0 || depth > MAX_ANSWER_DEPTH) return;
		if (typeof value === "string") {
			if (ADDRESS.test(value)) add(value, name === "contract_address");
			else if (name === "address" && SHORT_ADDRESS.test(value)) add(`41${value}`, true);
			return;
		}
		if (Array.isArray(value)) for (const item of value) walk(item as NodeAnswer, name, depth + 1);
		else if (isObject(value))
			for (const [member, item] of Object.entries(value)) walk(item, member, depth + 1);
	};
	walk(block, "", 0);
	walk(receipts, "", 0);
	return [...subjects.values(), { address: "witnesses", isContract: false, isWitnessList: true }];
}

export class Audit {
	readonly counts: AuditCounts = { blocks: 0, transactions: 0, state: 0, slots: 0, blocksWithoutState: 0 };
	private readonly named = new Set<string>();
	/** Undefined until known. */
	private view: AuditView | undefined;
	private isExact: boolean | undefined;

	constructor(private readonly options: AuditOptions) {}

	/** The newest block that both nodes have and that can't be reverted. */
	async commonHead(): Promise<bigint> {
		const { ours, theirs } = this.options;
		const view = await this.viewOf();
		const [one, other] = await Promise.all([headOf(ours, view), headOf(theirs, view)]);
		return one.number < other.number ? one.number : other.number;
	}

	/** The solidified view if both nodes serve it. */
	private async viewOf(): Promise<AuditView> {
		if (this.view) return this.view;
		const { ours, theirs } = this.options;
		for (const node of [ours, theirs]) {
			try {
				await headOf(node, "solidity");
			} catch (error) {
				if (!(error instanceof NotServedError)) throw error;
				this.notComparedOnce(
					"irreversible",
					`${node.name} doesn't serve irreversible blocks (walletsolidity): heads are compared, which may still change`,
				);
				this.view = "full";
				return "full";
			}
		}
		this.view = "solidity";
		return "solidity";
	}

	/** @param kind deduplication key: other nodes may word their reasons differently each time */
	private notComparedOnce(kind: string, reason: string): void {
		if (this.named.has(kind)) return;
		this.named.add(kind);
		this.options.onNotCompared(reason);
	}

	/**
	 * Compares a block that both nodes have.
	 * @returns its first difference, if any
	 * @throws {UnansweredError} if a node doesn't answer
	 */
	async block(number: bigint): Promise<FoundDifference | undefined> {
		const { ours, theirs } = this.options;
		const num = Number(number);
		const view = await this.viewOf();
		const ask = (node: HttpNode, endpoint: string): Promise<NodeAnswer> => node.call(endpoint, { num }, view);
		const [block, id] = await Promise.all([ask(ours, "getblockbynum"), this.theirId(number, view)]);
		const ownId = idOf(block);
		if (ownId === undefined) throw new UnansweredError(`${ours.name} has no block ${number}`);
		const found = (
			differences: readonly Difference[],
			receipts: readonly NodeAnswer[],
			seenAt?: bigint,
		): FoundDifference => ({
			number,
			id: ownId,
			seenAt: seenAt === number ? undefined : seenAt,
			differences,
			receipts,
		});
		if (id === undefined) throw new UnansweredError(`${theirs.name} has no block ${number}`);
		if (id !== ownId) return found([{ subject: "", what: "blockID", ours: ownId, theirs: id }], []);
		this.counts.blocks++;
		const [receipts, other] = await Promise.all([
			ask(ours, "gettransactioninfobyblocknum"),
			ask(theirs, "gettransactioninfobyblocknum"),
		]);
		const transactions = idsIn(block);
		const [own, their] = [receipts, other].map((each) => receiptsOf(transactions, each)) as [
			readonly NodeAnswer[],
			readonly NodeAnswer[],
		];
		const differing = this.receipts(transactions, own, their);
		if (differing.length > 0) return found(differing, their);
		const state = await this.state({ number, id: ownId }, block, receipts);
		return state && found(state.differences, their, state.at);
	}

	/** A header is shorter than a block, if the node can omit the rest. */
	private async theirId(number: bigint, view: AuditView): Promise<string | undefined> {
		const { theirs } = this.options;
		try {
			return idOf(await theirs.call("getblock", { id_or_num: String(number), detail: false }, view));
		} catch (error) {
			if (!(error instanceof NotServedError)) throw error;
			return idOf(await theirs.call("getblockbynum", { num: Number(number) }, view));
		}
	}

	private receipts(
		transactions: readonly string[],
		ours: readonly NodeAnswer[],
		theirs: readonly NodeAnswer[],
	): Difference[] {
		if (transactions.length > 0 && theirs.every((each) => each === null)) {
			this.notComparedOnce(
				"receipts",
				`${this.options.theirs.name} keeps no receipts (storage.transHistory.switch)`,
			);
			return [];
		}
		const differences: Difference[] = [];
		for (const [at, id] of transactions.entries()) {
			this.counts.transactions++;
			const pair = [ours[at] ?? {}, theirs[at] ?? {}] as const;
			differences.push(
				...differencesOf(id, "", pair, RECEIPT_RULES, MAX_LISTED_DIFFERENCES - differences.length),
			);
			if (differences.length >= MAX_LISTED_DIFFERENCES) break;
		}
		return differences;
	}

	/** Compares sampled state of a block: after it if both nodes keep past states, else at a common head. */
	private async state(
		block: AskedState,
		answer: NodeAnswer,
		receipts: NodeAnswer,
	): Promise<{ readonly differences: readonly Difference[]; readonly at: bigint } | undefined> {
		const { sample } = this.options;
		if (sample <= 0) return undefined;
		const subjects = sampled(touchedBy(answer, receipts), block.id, sample).slice(0, MAX_SUBJECTS);
		const questions = [...subjects.flatMap(questionsOf), ...(await this.slots(answer, block.id))];
		if (this.isExact !== false) {
			try {
				const differences = await this.answers(questions, block, "full");
				this.isExact = true;
				return differences.length > 0 ? { differences, at: block.number } : undefined;
			} catch (error) {
				if (!(error instanceof NotServedError) || this.isExact) throw error;
				this.isExact = false;
				this.notComparedOnce(
					"past states",
					"not both keep the state after past blocks (node.history.state): accounts are compared at heads that both have",
				);
			}
		}
		const view = await this.viewOf();
		const [accounts, others] = [true, false].map((is) =>
			questions.filter(({ isIrreversible }) => isIrreversible === is),
		) as [Question[], Question[]];
		return (await this.stateNow(block, accounts, view)) ?? this.stateNow(block, others, "full");
	}

	private async stateNow(
		block: AskedState,
		questions: readonly Question[],
		view: AuditView,
	): Promise<{ readonly differences: readonly Difference[]; readonly at: bigint } | undefined> {
		const { sleep, signal } = this.options;
		if (questions.length === 0) return undefined;
		let seen = 0;
		for (let tries = 0; tries < MAX_TRIES; tries++) {
			const before = await this.sameHead(view);
			if (before && before.number >= block.number) {
				const differences = await this.answers(questions, undefined, view);
				const after = await this.sameHead(view);
				if (after?.id === before.id) {
					if (differences.length === 0) return undefined;
					// The solidified view has no pending transactions.
					if (view === "solidity" || ++seen >= CONFIRMATIONS) return { differences, at: before.number };
					tries--;
				}
			}
			await sleep(POLL_MS);
			signal.throwIfAborted();
		}
		this.counts.blocksWithoutState++;
		this.notComparedOnce(
			"moving heads",
			"the nodes were not at the same block for long enough to compare the state after some blocks",
		);
		return undefined;
	}

	/** The common head; undefined if the heads differ. */
	private async sameHead(view: AuditView): Promise<Head | undefined> {
		const { ours, theirs } = this.options;
		const [one, other] = await Promise.all([headOf(ours, view), headOf(theirs, view)]);
		return one.id === other.id ? one : undefined;
	}

	private async answers(
		questions: readonly Question[],
		at: AskedState | undefined,
		view: AuditView,
	): Promise<Difference[]> {
		const { ours, theirs } = this.options;
		const differences: Difference[] = [];
		for (const { subject, what, ask, isSlot } of questions) {
			let pair: readonly [NodeAnswer, NodeAnswer];
			try {
				pair = await Promise.all([ask(ours, view, at), ask(theirs, view, at)]);
			} catch (error) {
				// If a past state isn't served, it isn't for any question.
				if (!(error instanceof NotServedError) || (at && !isSlot)) throw error;
				this.notComparedOnce(isSlot ? "slot" : what, `${what} is not compared: ${error.message}`);
				continue;
			}
			if (isSlot) this.counts.slots++;
			else this.counts.state++;
			differences.push(...differencesOf(subject, what, pair, STATE_RULES, MAX_LISTED_DIFFERENCES));
			if (differences.length >= MAX_LISTED_DIFFERENCES) break;
		}
		return differences.slice(0, MAX_LISTED_DIFFERENCES);
	}

	/** The slots that a block's contracts wrote, according to our own trace. */
	private async slots(block: NodeAnswer, id: string): Promise<Question[]> {
		const { ours, theirs, sample } = this.options;
		if (!ours.hasJsonRpc || !theirs.hasJsonRpc) {
			this.notComparedOnce(
				"slots",
				"slots of contracts are not compared: they are asked for over JSON-RPC, of both nodes",
			);
			return [];
		}
		const questions: Question[] = [];
		for (const transaction of sampled(callsIn(block), id, sample).slice(0, MAX_TRACES)) {
			try {
				const options = { tracer: "prestateTracer", tracerConfig: { diffMode: true } };
				const trace = await ours.rpc("debug_traceTransaction", [`0x${transaction.address}`, options]);
				questions.push(...slotsIn(trace));
			} catch (error) {
				if (!(error instanceof NotServedError)) throw error;
				this.notComparedOnce(
					"slots",
					`slots of contracts are not compared: ${error.message} (node.jsonrpc.debug)`,
				);
				return [];
			}
			if (questions.length >= MAX_SLOTS) break;
		}
		return questions.slice(0, MAX_SLOTS);
	}
}

/** @throws {UnansweredError} */
async function headOf(node: HttpNode, view: AuditView): Promise<Head> {
	const block = await node.call("getnowblock", {}, view);
	const id = idOf(block);
	if (id === undefined) throw new UnansweredError(`${node.name} has no head block`);
	return { id, number: BigInt(`0x${id.slice(0, 16)}`) };
}

/** The id of a block, whose first eight bytes are its number. */
function idOf(block: NodeAnswer): string | undefined {
	const id = isObject(block) ? block["blockID"] : undefined;
	return typeof id === "string" && /^[0-9a-fA-F]{64}$/.test(id) ? id.toLowerCase() : undefined;
}

const listOf = (value: NodeAnswer | undefined): readonly NodeAnswer[] =>
	Array.isArray(value) ? (value as readonly NodeAnswer[]) : [];

function idsIn(block: NodeAnswer): string[] {
	const transactions = isObject(block) ? listOf(block["transactions"]) : [];
	return transactions.flatMap((each) =>
		isObject(each) && typeof each["txID"] === "string" ? [each["txID"].toLowerCase()] : [],
	);
}

/** Receipts in transaction order; null where missing. Receipts of other transactions are dropped. */
function receiptsOf(transactions: readonly string[], infos: NodeAnswer): readonly NodeAnswer[] {
	const byId = new Map<string, NodeAnswer>(transactions.map((id) => [id, null]));
	for (const info of listOf(infos)) {
		const id = isObject(info) ? info["id"] : undefined;
		if (typeof id === "string" && id.length === ID_DIGITS && byId.has(id.toLowerCase()))
			byId.set(id.toLowerCase(), info);
	}
	return transactions.map((id) => byId.get(id) ?? null);
}

const ID_DIGITS = 64;

/** Contract calls by transaction id. */
function callsIn(block: NodeAnswer): Subject[] {
	const transactions = isObject(block) ? listOf(block["transactions"]) : [];
	return transactions.flatMap((each) => {
		if (!isObject(each) || typeof each["txID"] !== "string") return [];
		const [contract] = isObject(each["raw_data"]) ? listOf(each["raw_data"]["contract"]) : [];
		const isCall = isObject(contract) && contract["type"] === "TriggerSmartContract";
		return isCall ? [{ address: each["txID"], isContract: true, isWitnessList: false }] : [];
	});
}

/** A share of the subjects, chosen by block id so that a repeated audit picks the same ones. */
function sampled(subjects: readonly Subject[], blockId: string, share: number): Subject[] {
	return subjects.filter(({ address }) => {
		const hash = createHash("sha256").update(`${blockId}${address}`).digest();
		return hash.readUInt32BE(0) / 2 ** 32 < share;
	});
}

function questionsOf({ address, isContract, isWitnessList }: Subject): Question[] {
	const of = (endpoint: string, request: Readonly<Record<string, string>>, subject = address): Question => ({
		subject,
		what: endpoint,
		isSlot: false,
		isIrreversible: endpoint !== "getcontractinfo",
		ask: (node, view, at) => node.call(endpoint, request, view, at),
	});
	if (isWitnessList) return [of("listwitnesses", {}, "witnesses")];
	return [of("getaccount", { address }), ...(isContract ? [of("getcontractinfo", { value: address })] : [])];
}

function slotsIn(trace: NodeAnswer): Question[] {
	const post = isObject(trace) ? trace["post"] : undefined;
	if (!isObject(post)) return [];
	return Object.entries(post).flatMap(([address, account]) => {
		const storage = isObject(account) ? account["storage"] : undefined;
		if (!isObject(storage) || !/^0x[0-9a-f]{40}$/.test(address)) return [];
		return Object.keys(storage).map((slot) => ({
			subject: address,
			what: `storage ${slot}`,
			isSlot: true,
			isIrreversible: false,
			ask: (node: HttpNode, _view: AuditView, at: AskedState | undefined) =>
				node.rpc("eth_getStorageAt", [address, slot, at ? `0x${at.number.toString(16)}` : "latest"]),
		}));
	});
}

function differencesOf(
	subject: string,
	what: string,
	[ours, theirs]: readonly [NodeAnswer, NodeAnswer],
	rules: FactRules,
	most: number,
): Difference[] {
	return compareFacts(factsOf(ours, rules), factsOf(theirs, rules), most).map((each) => ({
		subject,
		what: [what, each.what].filter((part) => part !== "").join(" "),
		ours: each.ours,
		theirs: each.theirs,
	}));
}
