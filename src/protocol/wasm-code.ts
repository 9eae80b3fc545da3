/** Assembles WebAssembly modules from instructions (WebAssembly Core Specification 2.0 §5). */

/** The part of the WebAssembly API used here, which Node.js's types lack. */
interface Engine {
	readonly Module: new (bytes: Uint8Array) => object;
	readonly Instance: new (module: object) => { readonly exports: unknown };
}

/** A module that can be instantiated any number of times. */
export interface CompiledWasm {
	readonly engine: Engine;
	readonly module: object;
}

const VOID = 0x40;
export const I32 = 0x7f;
export const I64 = 0x7e;
export const V128 = 0x7b;
const FUNCTION = 0x60;

export const unsigned = (value: number): number[] =>
	value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
const signed = (value: number): number[] =>
	value >= -64 && value < 64 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
const list = (items: readonly (readonly number[])[]): number[] => [
	...unsigned(items.length),
	...items.flat(),
];
const sized = (bytes: readonly number[]): number[] => [...unsigned(bytes.length), ...bytes];
const section = (id: number, body: readonly number[]): number[] => [id, ...sized(body)];
const named = (name: string): number[] => sized([...Buffer.from(name)]);

export const get = (local: number): number[] => [0x20, ...unsigned(local)];
export const set = (local: number): number[] => [0x21, ...unsigned(local)];
export const tee = (local: number): number[] => [0x22, ...unsigned(local)];
export const i32 = (value: number): number[] => [0x41, ...signed(value)];
export const i64 = (value: number): number[] => [0x42, ...signed(value)];
export const [ADD_32, SUBTRACT_32, EQUAL_32, LESS_32, OR_32] = [
	[0x6a],
	[0x6b],
	[0x46],
	[0x49],
	[0x72],
] as const;
export const [LOOP, IF, BRANCH_IF, END] = [[0x03, VOID], [0x04, VOID], [0x0d, 0], [0x0b]] as const;

/** A function of a module, without results. */
export interface WasmFunction {
	/** Export name. */
	readonly name: string;
	/** Parameter types; parameters are the first locals. */
	readonly parameters: readonly number[];
	/** Count and type of each group of further locals. */
	readonly locals: readonly (readonly [count: number, type: number])[];
	readonly code: readonly number[];
}

interface WasmModule {
	/** Memory size in 64 KiB pages. */
	readonly pages: number;
	readonly functions: readonly WasmFunction[];
	/** Initial memory contents, by address. */
	readonly data: readonly (readonly [address: number, bytes: readonly number[]])[];
}

/** Encodes a module that exports its memory and all functions. */
export function wasmModule({ pages, functions, data }: WasmModule): Uint8Array {
	const types = functions.map(({ parameters }) => [
		...[FUNCTION, ...list(parameters.map((type) => [type]))],
		...list([]),
	]);
	const exported = functions.map(({ name }, at) => [...named(name), 0, ...unsigned(at)]);
	const bodies = functions.map(({ locals, code }) => {
		const counted = list(locals.map(([count, type]) => [...unsigned(count), type]));
		return sized([...counted, ...code, ...END]);
	});
	const segments = data.map(([address, bytes]) => [0, ...i32(address), ...END, ...sized(bytes)]);
	return Uint8Array.from([
		...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
		...section(1, list(types)),
		...section(3, list(functions.map((_, at) => unsigned(at)))),
		...section(5, list([[0, ...unsigned(pages)]])),
		...section(7, list([[...named("memory"), 2, 0], ...exported])),
		...section(10, list(bodies)),
		...section(11, list(segments)),
	]);
}

/** Compiles a module for {@link runWasm}. @returns undefined if WebAssembly is unavailable */
export function compileWasm(bytes: Uint8Array): CompiledWasm | undefined {
	const { WebAssembly } = globalThis as { readonly WebAssembly?: Engine };
	return WebAssembly && { engine: WebAssembly, module: new WebAssembly.Module(bytes) };
}

/** Instantiates a module with its own memory. @returns its exports */
export const runWasm = <Exports>({ engine, module }: CompiledWasm): Exports =>
	new engine.Instance(module).exports as Exports;
