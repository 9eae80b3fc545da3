/** A node that answers exactly what a recording says, for tests of the replay itself. */

import { SignedBlock } from "../../src/protocol/block.js";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import type { Finding } from "../../tools/replay/finding.js";
import type {
	BlockRecord,
	Line,
	RecordedState,
	Recording,
	RequestLine,
} from "../../tools/replay/recording.js";
import { type ReplayOptions, replay, type SetResult } from "../../tools/replay/replay.js";
import type {
	AppliedBlock,
	Change,
	GrpcAnswer,
	Head,
	HttpAnswer,
	HttpRequest,
	Refusal,
	ReplayTarget,
	State,
	TracedBlock,
} from "../../tools/replay/target.js";

export class RecordedNode implements ReplayTarget {
	readonly shieldedToken = "";
	readonly clock: bigint[] = [];
	readonly sent: HttpRequest[] = [];
	readonly healed: string[] = [];
	/** Receipts of the last block. */
	private applied: Uint8Array | null = null;
	/** What traces come to instead of what was recorded. */
	traced: Partial<TracedBlock> | undefined;
	private readonly queues: { [K in Line["t"]]?: Line[] } = {};
	private readonly state = new Map<string, Map<string, string>>();
	/** What it was after each block. */
	private readonly past: State[] = [];

	constructor(
		lines: readonly Line[],
		private readonly end: RecordedState | undefined,
	) {
		for (const kind of ["genesis", "block", "push", "peer", "req", "grpc"] as const) {
			this.queues[kind] = lines.filter((line) => line.t === kind);
		}
	}

	private next<K extends Line["t"]>(kind: K): Extract<Line, { t: K }> {
		const line = this.queues[kind]?.shift();
		if (line === undefined) throw new Error(`the recording has no further ${kind}`);
		return line as Extract<Line, { t: K }>;
	}

	setClock(ms: bigint): void {
		this.clock.push(ms);
	}

	async genesisState(): Promise<State> {
		for (const [store, entries] of Object.entries(this.next("genesis").state)) {
			this.state.set(store, new Map(Object.entries(entries)));
		}
		this.past[0] = this.dump();
		return this.dump();
	}

	async applyBlock(block: Uint8Array): Promise<AppliedBlock | Refusal> {
		const line = this.next("block");
		if (line.block !== toHex(block)) return { error: "UnexpectedBlock: another block was recorded here" };
		const changes = new Map<string, Map<string, Change>>();
		for (const [store, entries] of Object.entries(line.writes ?? {})) {
			const stored = this.state.get(store) ?? new Map<string, string>();
			this.state.set(store, stored);
			const changed = new Map<string, Change>();
			for (const [key, value] of Object.entries(entries)) {
				const before = stored.get(key);
				if (value === null) stored.delete(key);
				else stored.set(key, value);
				changed.set(key, { before: bytesOf(before), after: bytesOf(value) });
			}
			changes.set(store, changed);
		}
		this.past[line.number] = this.dump();
		this.applied = bytesOf(line.infos);
		return { ...headOf(line), changes };
	}

	/** What the recording says of the last block. */
	async trace(): Promise<TracedBlock | Refusal> {
		return { contracts: 1, infos: this.applied, problems: [], ...this.traced };
	}

	async push(): Promise<Head | Refusal> {
		return this.offered("push");
	}

	peerTransactions(): { readonly ok: true } {
		return { ok: true };
	}

	peerHello(): { readonly valid: false } {
		return { valid: false };
	}

	async advertise(): Promise<Head | Refusal> {
		return this.offered("peer");
	}

	private offered(kind: "push" | "peer"): Head | Refusal {
		const { answer } = this.next(kind);
		if ("ok" in answer) return { number: answer.head, id: answer.id, infos: null };
		return "error" in answer ? answer : headOf(answer);
	}

	async http(request: HttpRequest): Promise<HttpAnswer> {
		this.sent.push(request);
		const line: RequestLine = this.next("req");
		return { status: line.status, type: line.type, allow: line.allow, body: line.answer };
	}

	async grpc(): Promise<GrpcAnswer> {
		const line = this.next("grpc");
		return line.error === undefined ? { answer: fromHex(line.answer ?? "") } : { error: line.error };
	}

	read(store: string, keyHex: string): Uint8Array | null {
		return bytesOf(this.state.get(store)?.get(keyHex));
	}

	readAt(number: number, store: string, keyHex: string): Uint8Array | null {
		return this.past[number]?.get(store)?.get(keyHex) ?? null;
	}

	settled(): number {
		return 0;
	}

	async flush(): Promise<void> {}

	async heal(block: Uint8Array): Promise<boolean> {
		this.healed.push(SignedBlock.decode(block).idHex);
		return true;
	}

	async finalState(): Promise<State> {
		if (this.end !== undefined) {
			this.state.clear();
			for (const [store, entries] of Object.entries(this.end))
				this.state.set(store, new Map(Object.entries(entries)));
		}
		return this.dump();
	}

	private dump(): State {
		return new Map(
			[...this.state].map(([store, entries]) => [
				store,
				new Map([...entries].map(([key, value]) => [key, fromHex(value)])),
			]),
		);
	}

	async close(): Promise<void> {}
}

function bytesOf(hex: string | null | undefined): Uint8Array | null {
	return hex === null || hex === undefined ? null : fromHex(hex);
}

function headOf(record: BlockRecord): Head {
	const { number, id, infos } = record;
	return { number, id, infos: bytesOf(infos) };
}

/** A recording of given lines. */
export function recordingOf(lines: readonly Line[], end?: RecordedState): Recording {
	return {
		name: "test",
		configFile: "none",
		release: "4.8.0",
		lines: () => lines.map((line, i) => [i + 1, line] as const),
		finalState: () => end,
	};
}

export const COMPARE_ALL = { heal: false, onlyBlocks: false, until: undefined, path: undefined } as const;

/** Replays lines into a node and gathers what differs. */
export async function replayInto(
	node: ReplayTarget,
	lines: readonly Line[],
	{ end, ...options }: Partial<ReplayOptions> & { end?: RecordedState | undefined } = {},
): Promise<{ result: SetResult; findings: Finding[] }> {
	const findings: Finding[] = [];
	const result = await replay(recordingOf(lines, end), node, {
		...COMPARE_ALL,
		...options,
		report: (finding) => void findings.push(finding),
	});
	return { result, findings };
}
