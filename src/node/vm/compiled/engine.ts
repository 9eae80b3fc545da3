/** What is used of WebAssembly, which the types of Node.js don't have. */

/** A memory, and what modules import and export of it and of functions. */
interface Engine {
	readonly Memory: new (size: {
		readonly initial: number;
		readonly maximum: number;
	}) => { readonly buffer: ArrayBuffer };
	readonly Module: new (bytes: Uint8Array) => object;
	readonly Instance: new (
		module: object,
		imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
	) => { readonly exports: Readonly<Record<string, unknown>> };
	readonly CompileError: new () => Error;
	compile(bytes: Uint8Array): Promise<object>;
}

/** Undefined where WebAssembly is switched off. */
export const engine = (globalThis as unknown as { readonly WebAssembly?: Engine }).WebAssembly;
