/**
 * A calculation with a compiled (WebAssembly) and a portable implementation. The portable one is used until the compiled one
 * is loaded, or if it can't run. Loading starts only on first use, since most nodes never need it.
 */

export class LoadedLibrary<T> {
	private loading: Promise<T> | undefined;

	/** @param load loads the compiled library; throws if it can't run here */
	constructor(
		private present: T,
		private readonly load: () => Promise<T>,
	) {}

	/** The best one available now; the first call starts loading a better one. */
	best(): T {
		if (!this.loading) void this.loaded();
		return this.present;
	}

	/** Loads the compiled library if it can run here. @returns the library in use from now on */
	loaded(): Promise<T> {
		this.loading ??= this.load().then(
			(compiled) => {
				this.present = compiled;
				return compiled;
			},
			// Without WebAssembly, the portable library stays in use.
			() => this.present,
		);
		return this.loading;
	}
}
