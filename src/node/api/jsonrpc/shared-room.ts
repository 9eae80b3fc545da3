/** Capacity shared by all clients: when it is used up, a client above its fair share gives way to one below. */

/** A client's guaranteed share is one part in this many. */
const SHARE = 10;

export class SharedRoom {
	private taken = 0;
	private readonly byClient = new Map<string, number>();

	/** @param most what there is; Infinity: any number */
	constructor(private readonly most: number) {}

	/** What a client uses. */
	takenBy(client: string): number {
		return this.byClient.get(client) ?? 0;
	}

	hasRoom(amount: number): boolean {
		return this.taken + amount <= this.most;
	}

	take(client: string, amount: number): void {
		this.taken += amount;
		this.set(client, this.takenBy(client) + amount);
	}

	giveBack(client: string, amount: number): void {
		this.taken -= amount;
		this.set(client, this.takenBy(client) - amount);
	}

	private set(client: string, amount: number): void {
		if (amount > 0) this.byClient.set(client, amount);
		else this.byClient.delete(client);
	}

	/** The client that must give way to another's request; undefined if none. */
	givesWayTo(client: string, amount: number): string | undefined {
		const part = Math.floor(this.most / SHARE);
		if (this.takenBy(client) + amount > part) return undefined;
		const [largest, most] = [...this.byClient].reduce((a, b) => (b[1] > a[1] ? b : a), ["", 0]);
		return most > part ? largest : undefined;
	}
}
