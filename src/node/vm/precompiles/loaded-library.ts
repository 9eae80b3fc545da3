/**
 * A calculation that has a compiled library (WebAssembly) and a portable one: the portable one answers until the compiled
 * one is loaded, and where it can't run. Nothing is loaded before a contract asks: most nodes that start never do.
 */

export class LoadedLibrary<T> {
	private loading: Promise<T> | undefined;

	/** @param load gives the compiled library, and throws where it can't run */
	constructor(
		private present: T,
		private readonly load: () => Promise<T>,
	) {}

	/** The best one there is now; the first question starts to load a better one. */
	best(): T {
		if (!this.loading) void this.loaded();
		return this.present;
	}

	/** Loads the compiled library if it can run here. @returns the one in use from now on */
	loaded(): Promise<T> {
		this.loading ??= this.load().then(
			(compiled) => {
				this.present = compiled;
				return compiled;
			},
			// Where WebAssembly can't run the portable library goes on.
			() => this.present,
		);
		return this.loading;
	}
}
