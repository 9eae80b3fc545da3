/**
 * What was asked for at the console, one after the other: whoever forgets to wait for a payment must not pay from another account, or
 * read what was before it, or be told that nothing was sent.
 */

/** A promise that knows whether somebody waits for it, and so for its failure. */
class WatchedPromise<T> extends Promise<T> {
	static override get [Symbol.species](): PromiseConstructor {
		return Promise;
	}

	isAwaited = false;

	// biome-ignore lint/suspicious/noThenProperty: whoever waits for a promise calls this
	override then<A = T, B = never>(
		fulfilled?: ((value: T) => A | PromiseLike<A>) | null,
		rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
	): Promise<A | B> {
		this.isAwaited = true;
		return super.then(fulfilled, rejected);
	}
}

/** What a statement came to. */
interface Settled {
	/** Whether something was sent. */
	readonly hasActed: boolean;
	/** The failure that nobody waited for. */
	readonly failure: { readonly error: unknown } | undefined;
}

const nothing = (): void => undefined;

export class Operations {
	/** Rejects with the failure that nobody waited for, until {@link settle}. */
	private last: Promise<void> = Promise.resolve();
	private acted = false;

	/** Called with each transaction that was sent. */
	act(): void {
		this.acted = true;
	}

	/** Begins once what was asked for before has ended; not at all where that failed and nobody waited for it. */
	run<T>(work: () => Promise<T>): Promise<T> {
		const made = this.last.then(work);
		const watched = new WatchedPromise<T>((resolve, reject) => made.then(resolve, reject));
		this.last = made.then(nothing, (error) => {
			if (!watched.isAwaited) throw error;
		});
		this.last.catch(nothing);
		// Its failure is told by whoever waits, or by the end of the statement.
		Promise.prototype.then.call(watched, undefined, nothing);
		return watched;
	}

	/** A question or an action that runs behind those before it. */
	readonly inOrder =
		<A extends unknown[], T>(work: (...values: A) => Promise<T>) =>
		(...values: A): Promise<T> =>
			this.run(() => work(...values));

	/** Waits for all of a statement. */
	async settle(): Promise<Settled> {
		let failure: Settled["failure"];
		try {
			for (let seen: Promise<void> | undefined; seen !== this.last; ) {
				seen = this.last;
				await seen;
			}
		} catch (error) {
			failure = { error };
		}
		const settled = { hasActed: this.acted, failure };
		this.last = Promise.resolve();
		this.acted = false;
		return settled;
	}
}
