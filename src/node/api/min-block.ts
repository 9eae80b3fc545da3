/**
 * Reads with a minimum block. Several nodes may share one address, one of them a block behind: a client that
 * has read block N, or sent a transaction included in it, gives N in a header, and a node without it waits
 * for it, or refuses so that the next node is asked.
 */

import { budgetAddress } from "../listening/connection-gate.js";
import type { ApiNode, ServerKind } from "./context.js";
import type { HttpAnswer } from "./http-answer.js";
import type { HttpRequest } from "./plain-request.js";

const HEADER = "x-coin-min-block";
/** Two slots; a node further behind shouldn't be read from. */
const LONGEST_WAIT_MS = 6_000;
const POLL_MS = 50;
/** Waiting requests: of their bodies only what came with the head is in memory. */
const MAX_HELD = 1_000;
/** As for connections, one address has at most four fifths: it may be a proxy, behind which all clients are. */
const MAX_HELD_PER_ADDRESS = 800;

interface Waiting {
	readonly block: bigint;
	readonly address: string;
	readonly untilMs: number;
	readonly end: (isThere: boolean) => void;
}

interface MinBlockOptions {
	/** Number of the server's newest block. */
	readonly head: () => bigint;
	/** Milliseconds of a monotonic clock. */
	readonly now: () => number;
}

/** For one of a node's servers. */
export const minBlockOf = (node: ApiNode, kind: ServerKind): MinBlock =>
	new MinBlock({ head: () => node.view(kind).properties.headNumber, now: () => node.upMs });

/** PERF: checked on every request, so that those without the header cost nothing more. */
export const namesBlock = ({ headers }: HttpRequest): boolean => headers[HEADER] !== undefined;

export class MinBlock {
	private readonly waiting = new Set<Waiting>();
	private timer: NodeJS.Timeout | undefined;

	constructor(private readonly options: MinBlockOptions) {}

	/**
	 * Holds a request until the block in its header ({@link namesBlock}) has arrived.
	 * @param handle answers it; called at once where the block is there
	 */
	hold(request: HttpRequest, answer: HttpAnswer, handle: () => Promise<void> | void): Promise<void> | void {
		const named = request.headers[HEADER];
		if (typeof named !== "string" || !/^\d{1,19}$/.test(named))
			return refuse(answer, 400, `${HEADER} is the number of a block`);
		const block = BigInt(named);
		if (this.options.head() >= block) return handle();
		return this.wait(block, budgetAddress(request.socket)).then((isThere) =>
			isThere
				? handle()
				: refuse(answer, 503, `block ${block} is not here yet: the newest one is ${this.options.head()}`),
		);
	}

	private wait(block: bigint, address: string): Promise<boolean> {
		const own = [...this.waiting].filter((each) => each.address === address).length;
		if (this.waiting.size >= MAX_HELD || own >= MAX_HELD_PER_ADDRESS) return Promise.resolve(false);
		return new Promise((end) => {
			this.waiting.add({ block, address, untilMs: this.options.now() + LONGEST_WAIT_MS, end });
			this.timer ??= setInterval(() => this.look(), POLL_MS).unref();
		});
	}

	private look(): void {
		const head = this.options.head();
		const now = this.options.now();
		for (const each of this.waiting) {
			if (head < each.block && now < each.untilMs) continue;
			this.waiting.delete(each);
			each.end(head >= each.block);
		}
		if (this.waiting.size > 0) return;
		clearInterval(this.timer);
		this.timer = undefined;
	}

	/** Ends all waits. */
	close(): void {
		for (const { end } of this.waiting) end(false);
		this.waiting.clear();
		clearInterval(this.timer);
	}
}

function refuse(answer: HttpAnswer, status: 400 | 503, reason: string): void {
	const more = status === 503 ? { "Retry-After": "1" } : undefined;
	answer.send(status, "application/json", `${JSON.stringify({ Error: reason })}\n`, more);
}
