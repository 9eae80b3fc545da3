/** The parts of the WebAssembly API used here, which Node.js's types lack. */

/** Just enough of memories, modules and instances. */
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

/** Undefined if WebAssembly is disabled. */
export const engine = (globalThis as unknown as { readonly WebAssembly?: Engine }).WebAssembly;
