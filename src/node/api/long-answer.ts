/** Answers that may be very long, such as a hundred full blocks: produced and sent piece by piece, only a few at a time. */

/** An answer as lazily produced pieces of text. */
export class LongAnswer {
	/**
	 * @param cost bytes of memory that making it takes, where that is much: it is admitted before its first piece is made;
	 * absent: once it has become long
	 * @param held bytes of it that stay while nothing is made, as its client doesn't read
	 */
	constructor(
		readonly pieces: Iterable<string>,
		readonly cost?: number,
		readonly held = 0,
	) {}
}

/** A list as text: `head`, the comma-separated items, `tail`. */
export function* listPieces<T>(
	head: string,
	items: Iterable<T>,
	write: (item: T) => string,
	tail: string,
): Generator<string> {
	let before = head;
	for (const item of items) {
		yield before + write(item);
		before = ",";
	}
	yield before === head ? head + tail : tail;
}

/** Memory of a long answer in progress: about one block, and what its client hasn't read yet. */
const ANSWER_BYTES = 2 << 20;
/** Memory budget of all long answers, and of one address; an answer that exceeds it runs alone. */
const MAX_BYTES = 16 * ANSWER_BYTES;
const MAX_BYTES_PER_ADDRESS = 4 * ANSWER_BYTES;

/** How long an address must wait after its answer was aborted. */
const PAUSE_MS = 1_000;

/** Total bytes held by answers whose clients aren't reading. */
const MAX_UNREAD_BYTES = 48 << 20;

interface Unread {
	readonly bytes: number;
	readonly breakOff: () => void;
}

/**
 * Answers waiting for their clients to read. They have given up their slots at a {@link LongAnswerGate}, so that a slow
 * reader keeps nobody waiting; their total size is bounded, beyond which the largest of several is aborted.
 */
export class UnreadAnswers {
	private readonly waiting = new Set<Unread>();
	private bytes = 0;

	constructor(private readonly limit = MAX_UNREAD_BYTES) {}

	/** @param breakOff called once if the answer holds too much @returns what ends the waiting, called once or more often */
	wait(bytes: number, breakOff: () => void): () => void {
		const unread: Unread = { bytes, breakOff };
		this.waiting.add(unread);
		this.bytes += bytes;
		while (this.bytes > this.limit && this.waiting.size > 1) {
			const largest = [...this.waiting].reduce((most, one) => (one.bytes > most.bytes ? one : most));
			this.end(largest);
			largest.breakOff();
		}
		return () => this.end(unread);
	}

	private end(unread: Unread): void {
		if (this.waiting.delete(unread)) this.bytes -= unread.bytes;
	}
}

interface Waiting {
	readonly address: string;
	readonly cost: number;
	/** An address's first waiting answer joins the current round, its others one per later round. */
	readonly round: number;
	readonly admit: () => void;
}

/**
 * Admits long answers: as many as fit in memory, with a share per address; the rest wait in rounds, one per
 * address in order of arrival. Costs are bytes, or 1 each where the limit is a number of answers.
 */
export class LongAnswerGate {
	private taken = 0;
	private readonly byAddress = new Map<string, number>();
	private readonly waiting: Waiting[] = [];
	/** The round of the last one admitted, and the last round of each waiting address. */
	private round = 0;
	private readonly lastRounds = new Map<string, number>();

	/** @param usualCost of an answer whose own isn't known */
	constructor(
		private readonly limit: number,
		private readonly perAddress: number,
		private readonly usualCost = 1,
	) {}

	/** For answers sent piece by piece. */
	static ofBytes(): LongAnswerGate {
		return new LongAnswerGate(MAX_BYTES, MAX_BYTES_PER_ADDRESS, ANSWER_BYTES);
	}

	/** Total cost of the admitted answers. */
	get held(): number {
		return this.taken;
	}

	/** Resolves once an answer may start, with a function to call when it has ended; repeated calls are harmless. */
	async enter(address: string, cost: number = this.usualCost): Promise<() => void> {
		await new Promise<void>((resolve) => {
			const last = this.lastRounds.get(address);
			const round = last === undefined ? this.round : Math.max(this.round, last + 1);
			this.lastRounds.set(address, round);
			const later = this.waiting.findIndex((other) => other.round > round);
			this.waiting.splice(later < 0 ? this.waiting.length : later, 0, {
				address,
				cost,
				round,
				admit: resolve,
			});
			this.admitWaiting();
		});
		let left = false;
		return () => {
			if (left) return;
			left = true;
			this.leave(address, cost);
		};
	}

	/** Skips answers whose address has used up its share; but one that needs more memory is not overtaken by cheaper ones. */
	private admitWaiting(): void {
		const { waiting } = this;
		for (let at = 0; at < waiting.length; ) {
			const { address, cost, round, admit } = waiting[at] as Waiting;
			const own = this.byAddress.get(address) ?? 0;
			if (own > 0 && own + cost > this.perAddress) {
				at++;
				continue;
			}
			if (this.taken > 0 && this.taken + cost > this.limit) return;
			waiting.splice(at, 1);
			if (this.lastRounds.get(address) === round) this.lastRounds.delete(address);
			this.round = Math.max(this.round, round);
			this.taken += cost;
			this.take(address, cost);
			admit();
		}
	}

	/** Admits no answers for an address for a while: an aborted one would just be requested again. */
	pause(address: string): void {
		this.take(address, this.perAddress);
		setTimeout(() => this.leave(address, 0, this.perAddress), PAUSE_MS).unref();
	}

	private take(address: string, share: number): void {
		const held = (this.byAddress.get(address) ?? 0) + share;
		if (held > 0) this.byAddress.set(address, held);
		else this.byAddress.delete(address);
	}

	private leave(address: string, cost: number, share = cost): void {
		this.taken -= cost;
		this.take(address, -share);
		this.admitWaiting();
	}
}
