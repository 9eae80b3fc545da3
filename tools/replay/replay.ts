/** Replays a recording line by line, and compares every answer of the node. */

import { isDeepStrictEqual } from "node:util";
import { SignedBlock } from "../../src/protocol/block.js";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import { DecodeError } from "../../src/protocol/codec/reader.js";
import { TransactionRet } from "../../src/protocol/messages.js";
import { type CallLine, inTurn, isGivenUp, isRefused, type Placed } from "./at-once.js";
import { clockOfGrpc, compareGrpc } from "./compare-grpc.js";
import { clockOf, compareHttp, hasBody, type Ids, type Outcome, toRequest } from "./compare-http.js";
import { compareStates, compareWrites, type EntryDifference } from "./compare-state.js";
import type { Finding } from "./finding.js";
import { HistoryCheck } from "./history-check.js";
import type {
	BlockLine,
	BlockRecord,
	GenesisLine,
	GrpcLine,
	HelloLine,
	KeptHead,
	PeerLine,
	PeerTransactionsLine,
	PushLine,
	RecordedState,
	RecordedWrites,
	Recording,
	RequestLine,
} from "./recording.js";
import {
	GIVEN_UP,
	NO_BODY,
	NO_DIRECTORY,
	NO_PARENT,
	NO_PERMIT,
	OTHER_HEIGHT,
	PUSH,
	sameText,
} from "./skips.js";
import type { Head, Refusal, ReplayTarget } from "./target.js";
import { compareTrees, type Difference, messageTree, type Tree } from "./tree.js";

export interface ReplayOptions {
	/** After a differing block, continues with the recorded state. */
	readonly heal: boolean;
	/** Compares only blocks, pushes and the final state; requests are still sent. */
	readonly onlyBlocks: boolean;
	/** Stops after the block at this height, without comparing the final state. */
	readonly until: number | undefined;
	/** Compares only requests whose path or JSON-RPC body contains this text. */
	readonly path: string | undefined;
	/** At the end, compares the state after each block with the history, which the target must have. */
	readonly history?: boolean;
	/** Also traces every contract transaction. */
	readonly trace?: boolean;
	/** The target compiles every contract program before it runs. */
	readonly compiled?: boolean;
	readonly report: (finding: Finding) => void;
}

interface Count {
	passed: number;
	failed: number;
}

/** Printed per recording. */
export interface SetResult {
	readonly set: string;
	readonly blocks: Count;
	readonly pushes: Count;
	readonly requests: Count & { skipped: number };
	readonly grpc: Count;
	/** Traced contract transactions; absent without tracing. */
	readonly traces?: Count;
	/** Whether the states before block 1 and at the end are as recorded; null if not compared. */
	state: boolean | null;
	/** Entries compared with the history after each block; absent without history. */
	history?: Count;
	/** How often something wasn't replayed or compared, by reason. */
	readonly ignored: Record<string, number>;
}

/** Replays a recording. */
export function replay(
	recording: Recording,
	target: ReplayTarget,
	options: ReplayOptions,
): Promise<SetResult> {
	return new Replay(recording, target, options).run();
}

/** Whether there are no differences. */
export function isClean(result: SetResult): boolean {
	const counts = [
		result.blocks,
		result.pushes,
		result.requests,
		result.grpc,
		...(result.traces ? [result.traces] : []),
		...(result.history ? [result.history] : []),
	];
	return result.state !== false && counts.every(({ failed }) => failed === 0);
}

type Where = Finding["where"];

const GENESIS: Where = [["state", "before block 1"]];
const FINAL: Where = [["state", "at the end"]];

class Replay {
	private readonly result: SetResult;
	private readonly ids: Ids = new Map();
	/** Set by a differing block: later lines can't match. */
	private lost = false;
	/** Whether the reference now moves token balances out of account records (protocol/tokens §8.3). */
	private movesTokens = false;
	/** Why later lines can't be replayed. */
	private unreachable: string | undefined;
	private line = 0;
	/** Height and id of the head according to the last line. */
	private head: { readonly number: number; readonly id: string } | undefined;
	private readonly history: HistoryCheck | undefined;

	constructor(
		private readonly recording: Recording,
		private readonly target: ReplayTarget,
		private readonly options: ReplayOptions,
	) {
		this.history = options.history ? new HistoryCheck(target) : undefined;
		this.result = {
			set: recording.name,
			blocks: { passed: 0, failed: 0 },
			pushes: { passed: 0, failed: 0 },
			requests: { passed: 0, failed: 0, skipped: 0 },
			grpc: { passed: 0, failed: 0 },
			...(options.trace ? { traces: { passed: 0, failed: 0 } } : {}),
			state: null,
			ignored: {},
		};
	}

	async run(): Promise<SetResult> {
		const { result, options } = this;
		for (const turn of inTurn(this.recording.lines())) {
			if ("atOnce" in turn) {
				await this.callsAtOnce(turn.atOnce);
				continue;
			}
			const [position, line] = turn.alone;
			this.line = position;
			if (this.unreachable !== undefined) this.ignore(this.unreachable);
			else if (line.t === "genesis") await this.genesis(line);
			else if (line.t === "block") {
				if (this.isBehindGap(line)) {
					this.unreachable = NO_PARENT;
					this.ignore(NO_PARENT);
					continue;
				}
				count(result.blocks, !this.lost && (await this.block(line)));
				if (options.until !== undefined && line.number >= options.until) return result;
			} else if (line.t === "push" || line.t === "peer")
				count(result.pushes, !this.lost && (await this.push(line)));
			else if (line.t === "peertx" || line.t === "hello")
				count(result.pushes, !this.lost && this.peerMessage(line));
			else if (line.t === "req") await this.request(line);
			else if (line.t === "grpc") await this.grpcCall(line);
			else if (line.t === "other") this.ignore(`lines of kind "${line.kind}"`);
		}
		this.readBack();
		await this.final();
		return result;
	}

	private async genesis(line: GenesisLine): Promise<void> {
		if ((heightOf(line.state) ?? 0) > 0) {
			this.unreachable = NO_DIRECTORY;
			return;
		}
		this.noteWrites(line.state);
		this.history?.begin(line.state);
		this.stateIs(compareStates(line.state, await this.target.genesisState(), this.movesTokens), GENESIS);
	}

	private async final(): Promise<void> {
		if (this.unreachable !== undefined) return;
		const expected = this.lost ? undefined : this.recording.finalState();
		if (this.lost) this.result.state = false;
		if (expected === undefined) return;
		const height = heightOf(expected);
		if (this.head !== undefined && height !== undefined && height !== this.head.number) {
			this.ignore(`state of block ${height}, after the last line (${OTHER_HEIGHT})`);
			return;
		}
		this.noteWrites(expected);
		this.stateIs(compareStates(expected, await this.target.finalState(), this.movesTokens), FINAL);
	}

	private readBack(): void {
		if (!this.history || this.lost) return;
		const { compared, differences } = this.history.compare(this.movesTokens);
		for (const difference of differences) {
			this.reportEntry([["state", `after block ${difference.number}, by the history`]], difference);
		}
		this.result.history = { passed: compared - differences.length, failed: differences.length };
	}

	/** Calls run one after the other here, so none is refused because another holds the permit. */
	private async callsAtOnce(placed: readonly Placed<CallLine>[]): Promise<void> {
		for (const [position, line] of placed) {
			this.line = position;
			if (isRefused(line)) this.ignore(NO_PERMIT);
			else if (line.t === "req") await this.request(line);
			else await this.grpcCall(line);
		}
	}

	private ignore(kind: string): void {
		this.result.ignored[kind] = (this.result.ignored[kind] ?? 0) + 1;
	}

	private stateIs(differences: readonly EntryDifference[], where: Where): void {
		for (const difference of differences) this.reportEntry(where, difference);
		this.result.state = this.result.state !== false && differences.length === 0;
	}

	/** Whether blocks between the head and this one are missing in the recording. */
	private isBehindGap(line: BlockLine): boolean {
		return !this.lost && this.head !== undefined && line.number > this.head.number + 1;
	}

	private async block(line: BlockLine): Promise<boolean> {
		const block = fromHex(line.block);
		this.setClock(block);
		const outcome = await this.target.applyBlock(block);
		const where = describeBlock(line);
		let right = true;
		const failed = (at: Where, difference: Difference) => {
			this.report(at, difference);
			right = false;
		};
		if ("error" in outcome) {
			failed(where, { path: "", expected: "(accepted)", got: outcome.error });
		} else {
			for (const found of compareHeads(line, outcome)) failed([...where, ...found.where], found.difference);
			if (line.writes !== undefined) {
				const read = (store: string, key: string) => this.target.read(store, key);
				for (const entry of compareWrites(line.writes, outcome.changes, read, this.movesTokens)) {
					this.reportEntry(where, entry);
					right = false;
				}
			}
		}
		if (!("error" in outcome)) await this.trace(line, where);
		this.noteWrites(line.writes ?? {});
		this.head = line;
		await this.history?.advance(line.number, line.writes);
		if (right) return true;
		await this.goOnFrom(line);
		return false;
	}

	/** Traces the block just applied. */
	private async trace(line: BlockLine, where: Where): Promise<void> {
		const { traces } = this.result;
		if (!traces) return;
		const traced = await this.target.trace();
		const differences: Difference[] = [];
		if ("error" in traced) differences.push({ path: "", expected: "(traced)", got: traced.error });
		else {
			const expected = infosTree(line.infos === null ? null : fromHex(line.infos));
			differences.push(...compareTrees(expected, infosTree(traced.infos), { sameText }));
			for (const got of traced.problems) differences.push({ path: "", expected: "(nothing odd)", got });
		}
		for (const difference of differences) this.report([...where, ["trace", ""]], difference);
		traces.failed += differences.length;
		if (!("error" in traced) && differences.length === 0) traces.passed += traced.contracts;
	}

	/** After a differing block, continues with the recorded state if requested and possible. */
	private async goOnFrom(record: BlockRecord): Promise<void> {
		this.lost =
			!this.options.heal || record.writes === undefined || !(await this.heal(record, record.writes));
	}

	private heal(line: BlockRecord, writes: RecordedWrites): Promise<boolean> {
		const bytes = new Map(
			Object.entries(writes).map(([store, entries]) => [
				store,
				new Map(Object.entries(entries).map(([key, value]) => [key, value === null ? null : fromHex(value)])),
			]),
		);
		return this.target.heal(fromHex(line.block), line.infos === null ? null : fromHex(line.infos), bytes);
	}

	private async push(line: PushLine | PeerLine): Promise<boolean> {
		const block = fromHex(line.block);
		const clock =
			"error" in line.answer ? /^P2pException: time:(\d+),/.exec(line.answer.error)?.[1] : undefined;
		if (clock === undefined) this.setClock(block);
		else this.setClockTo(BigInt(clock));
		const outcome = await (line.t === "peer" ? this.target.advertise(block) : this.target.push(block));
		const where: Where = [[line.t, describePush(block)]];
		if ("error" in line.answer) {
			const got = "error" in outcome ? outcome.error : `(accepted) head ${outcome.number} ${outcome.id}`;
			const { error } = line.answer;
			if (got === error || sameText(error, got, PUSH)) return true;
			this.report(where, { path: "", expected: error, got });
			return false;
		}
		if ("ok" in line.answer) return this.keptHead(line.answer, outcome, where);
		this.noteWrites(line.answer.writes ?? {});
		const moved = this.head?.id !== line.answer.id;
		const parent = readBlock(block)?.parentId;
		const isNext = parent !== undefined && toHex(parent) === this.head?.id;
		this.head = line.answer;
		if (moved && !("error" in outcome)) {
			await this.history?.advance(line.answer.number, line.answer.writes, isNext);
		}
		if ("error" in outcome) {
			const expected = `(accepted) head ${line.answer.number} ${line.answer.id}`;
			this.report(where, { path: "", expected, got: outcome.error });
			if (moved) await this.goOnFrom(line.answer);
			return false;
		}
		const found = compareHeads(line.answer, outcome);
		for (const one of found) this.report([...where, ...one.where], one.difference);
		return found.length === 0;
	}

	private peerMessage(line: PeerTransactionsLine | HelloLine): boolean {
		const got =
			line.t === "peertx"
				? this.target.peerTransactions(fromHex(line.transactions))
				: this.target.peerHello(fromHex(line.message));
		if (isDeepStrictEqual(got, line.answer)) return true;
		const [expected, found] = [line.answer, got].map((each) => JSON.stringify(each)) as [string, string];
		this.report([[line.t, ""]], { path: "", expected, got: found });
		return false;
	}

	private keptHead({ head, id }: KeptHead, outcome: Head | Refusal, where: Where): boolean {
		const expected = `(accepted) head ${head} ${id}`;
		const got = "error" in outcome ? outcome.error : `(accepted) head ${outcome.number} ${outcome.id}`;
		if (got === expected) return true;
		this.report(where, { path: "", expected, got });
		return false;
	}

	private async request(line: RequestLine): Promise<void> {
		const { requests } = this.result;
		if (!hasBody(line)) return this.ignore(NO_BODY);
		if (this.lost) {
			if (this.compares(`${line.path} ${line.body ?? ""}`)) requests.failed++;
			return;
		}
		this.setClockTo(clockOf(line.answer));
		const got = await this.target.http(toRequest(line, this.ids));
		const outcome = compareHttp(line, got, this.ids);
		if (!this.compares(`${line.path} ${line.body ?? ""}`)) return;
		if (outcome.kind === "skipped") requests.skipped++;
		else count(requests, outcome.kind === "passed");
		const sent = `${line.port} ${line.verb} ${line.path} ${line.body ?? ""}`.trim();
		this.reportOutcome(outcome, [
			["request", sent],
			["head", String(line.head)],
		]);
	}

	private async grpcCall(line: GrpcLine): Promise<void> {
		if (isGivenUp(line)) return this.ignore(GIVEN_UP);
		if (this.lost) {
			if (this.compares(line.path)) this.result.grpc.failed++;
			return;
		}
		this.setClockTo(clockOfGrpc(line));
		const { port, path, stream = false } = line;
		const got = await this.target.grpc({ port, path, request: fromHex(line.request), stream });
		if (!this.compares(line.path)) return;
		const outcome = compareGrpc(line, got, this.target.shieldedToken);
		if (outcome.kind === "skipped") return this.ignore(outcome.why);
		count(this.result.grpc, outcome.kind === "passed");
		this.reportOutcome(outcome, [
			["call", `${port} ${path} ${line.request}`],
			["head", String(line.head)],
		]);
	}

	private compares(text: string): boolean {
		if (this.options.onlyBlocks) return false;
		return this.options.path === undefined || text.toLowerCase().includes(this.options.path.toLowerCase());
	}

	/** Tracks the parameter that decides how account records are compared. */
	private noteWrites(writes: RecordedWrites | RecordedState): void {
		const value = writes[PROPERTIES]?.[ASSET_OPTIMIZATION];
		if (value !== undefined && value !== null) this.movesTokens = BigInt(`0x${value}`) !== 0n;
	}

	private setClock(block: Uint8Array): void {
		this.setClockTo(readBlock(block)?.timestampMs);
	}

	private setClockTo(ms: bigint | undefined): void {
		if (ms !== undefined) this.target.setClock(ms);
	}

	private reportOutcome(outcome: Outcome, where: Where): void {
		if (outcome.kind !== "failed") return;
		for (const difference of outcome.differences) this.report(where, difference);
	}

	private reportEntry(where: Where, { store, key, difference }: EntryDifference): void {
		this.report([...where, ["store", store], ["key", key]], difference);
	}

	private report(where: Where, difference: Difference): void {
		this.options.report({ set: this.recording.name, line: this.line, where, difference });
	}
}

const HEIGHT = toHex(Buffer.from("latest_block_header_number"));

/** Height of the block that a recorded state belongs to. */
function heightOf(state: RecordedState): number | undefined {
	const value = state[PROPERTIES]?.[HEIGHT];
	return value === undefined ? undefined : Number(BigInt(`0x${value}`));
}

const PROPERTIES = "properties";
const ASSET_OPTIMIZATION = toHex(Buffer.from("ALLOW_ASSET_OPTIMIZATION"));

function count(counter: Count, passed: boolean): void {
	if (passed) counter.passed++;
	else counter.failed++;
}

interface HeadDifference {
	readonly where: Where;
	readonly difference: Difference;
}

/** Number, id and receipts of a head. */
function compareHeads(expected: BlockRecord, got: Head): HeadDifference[] {
	const recorded = new Map<string, Tree>([
		["number", BigInt(expected.number)],
		["id", expected.id],
	]);
	const answered = new Map<string, Tree>([
		["number", BigInt(got.number)],
		["id", got.id],
	]);
	const heads = compareTrees(recorded, answered).map((difference) => ({ where: [], difference }));
	if ((expected.infos ?? "") === (got.infos === null ? "" : toHex(got.infos))) return heads;
	const differences = compareTrees(
		infosTree(expected.infos === null ? null : fromHex(expected.infos)),
		infosTree(got.infos),
		{ sameText },
	);
	const block = readBlock(fromHex(expected.block));
	return [
		...heads,
		...differences.map((difference) => ({ where: transactionAt(block, difference.path), difference })),
	];
}

function infosTree(bytes: Uint8Array | null): Tree {
	return bytes === null ? new Map() : messageTree(TransactionRet, TransactionRet.decode(bytes));
}

/** The transaction whose receipt a path refers to. */
function transactionAt(block: SignedBlock | undefined, path: string): Where {
	const index = /^transactioninfo\[(\d+)\]/.exec(path)?.[1];
	const transaction = index === undefined ? undefined : block?.transactions[Number(index)];
	if (transaction === undefined) return [];
	return [["transaction", `${index} ${transaction.idHex} ${transaction.type?.name ?? ""}`]];
}

function describeBlock(line: BlockLine): Where {
	const transactions = readBlock(fromHex(line.block))?.transactions ?? [];
	const types = transactions.map((transaction) => transaction.type?.name ?? "?").join(", ");
	return [["block", `${line.number} ${line.id}`], ...(types === "" ? [] : [["holds", types] as const])];
}

function describePush(bytes: Uint8Array): string {
	const block = readBlock(bytes);
	return block === undefined ? `${bytes.length} bytes that are no block` : `${block.number} ${block.idHex}`;
}

/** Decodes a block; undefined if it is invalid on purpose. */
function readBlock(bytes: Uint8Array): SignedBlock | undefined {
	try {
		return SignedBlock.decode(bytes);
	} catch (error) {
		if (error instanceof DecodeError) return undefined;
		throw error;
	}
}
