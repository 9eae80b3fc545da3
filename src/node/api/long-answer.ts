/** Answers that may be very long, such as a hundred full blocks: made and sent piece by piece, a few at a time. */

/** An answer as pieces of text, each made when it is asked for. */
export class LongAnswer {
	constructor(readonly pieces: Iterable<string>) {}

	/** The whole text. */
	get text(): string {
		return [...this.pieces].join("");
	}
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

/** Long answers at a time: each holds about one block, and what its client hasn't read yet of it. */
const MAX_ANSWERS = 16;
const MAX_PER_ADDRESS = 4;

/** How long a client may take to read an answer that is held whole before others may begin. */
export const SENDING_MS = 30_000;

interface Waiting {
	readonly address: string;
	readonly admit: () => void;
}

/** Lets long answers begin: a few at a time, a part of them for each address, the others in the order of coming. */
export class LongAnswerGate {
	private open = 0;
	private readonly byAddress = new Map<string, number>();
	private waiting: Waiting[] = [];

	constructor(
		private readonly limit = MAX_ANSWERS,
		private readonly perAddress = MAX_PER_ADDRESS,
	) {}

	/** Resolves once an answer may begin, with what is to be called, once or more often, when it has ended. */
	async enter(address: string): Promise<() => void> {
		if (this.hasRoom(address)) this.take(address);
		else await new Promise<void>((resolve) => this.waiting.push({ address, admit: resolve }));
		let left = false;
		return () => {
			if (left) return;
			left = true;
			this.leave(address);
		};
	}

	private hasRoom(address: string): boolean {
		return this.open < this.limit && (this.byAddress.get(address) ?? 0) < this.perAddress;
	}

	private take(address: string): void {
		this.open++;
		this.byAddress.set(address, (this.byAddress.get(address) ?? 0) + 1);
	}

	private leave(address: string): void {
		this.open--;
		const left = (this.byAddress.get(address) ?? 0) - 1;
		if (left > 0) this.byAddress.set(address, left);
		else this.byAddress.delete(address);
		const next = this.waiting.findIndex((waiting) => this.hasRoom(waiting.address));
		const [admitted] = next < 0 ? [] : this.waiting.splice(next, 1);
		if (!admitted) return;
		this.take(admitted.address);
		admitted.admit();
	}
}
