/** Answers that may be very long, such as a hundred full blocks: made and sent piece by piece, a few at a time. */

/** An answer as pieces of text, each made when it is asked for. */
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

/** A list as text: `head`, then the items parted by commas, then `tail`. */
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

/** What a long answer takes while it is made and sent: about one block, and what its client hasn't read yet of it. */
const ANSWER_BYTES = 2 << 20;
/** Memory of all long answers together, and of those of one address; one that takes more comes alone. */
const MAX_BYTES = 16 * ANSWER_BYTES;
const MAX_BYTES_PER_ADDRESS = 4 * ANSWER_BYTES;

/** How long an address waits whose answer was broken off. */
const PAUSE_MS = 1_000;

/** Bytes that answers may hold together whose clients don't read. */
const MAX_UNREAD_BYTES = 48 << 20;

interface Unread {
	readonly bytes: number;
	readonly breakOff: () => void;
}

/**
 * Answers that wait for their clients to read. They have given back their places at a {@link LongAnswerGate}, so that whoever reads
 * slowly keeps nobody waiting; together they hold a bounded number of bytes, beyond which the largest of several is broken off.
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
	/** The first of an address comes in the round of the moment, its others one by one in the rounds after. */
	readonly round: number;
	readonly admit: () => void;
}

/**
 * Lets long answers begin: as many as there is memory for, a part of it for each address, the others in rounds, one of each
 * address in the order of coming. Costs are bytes, or 1 for each where a number of answers is the limit.
 */
export class LongAnswerGate {
	private taken = 0;
	private readonly byAddress = new Map<string, number>();
	private readonly waiting: Waiting[] = [];
	/** That of the last one that was let in, and the last of each address that waits. */
	private round = 0;
	private readonly lastRounds = new Map<string, number>();

	/** @param usualCost of an answer whose own isn't known */
	constructor(
		private readonly limit: number,
		private readonly perAddress: number,
		private readonly usualCost = 1,
	) {}

	/** One for answers that are sent piece by piece. */
	static ofBytes(): LongAnswerGate {
		return new LongAnswerGate(MAX_BYTES, MAX_BYTES_PER_ADDRESS, ANSWER_BYTES);
	}

	/** What answers that were let in take together. */
	get held(): number {
		return this.taken;
	}

	/** Resolves once an answer may begin, with what is to be called, once or more often, when it has ended. */
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

	/** An answer whose address has its share waits by itself; one that finds too little memory is not overtaken by lighter ones. */
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

	/** Lets no answer of an address begin for a time: one that was broken off would only be asked for again. */
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
