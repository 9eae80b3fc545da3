/** Writes modules of WebAssembly in their binary form (WebAssembly 2.0 with SIMD, "Binary Format"). */

/** Maximum module size; a single block of a contract could otherwise ask for any length. */
export const MAX_MODULE_BYTES = 1 << 20;

/** The WebAssembly opcodes used here. */
export const Op = {
	BLOCK: 0x02,
	LOOP: 0x03,
	IF: 0x04,
	ELSE: 0x05,
	END: 0x0b,
	BR: 0x0c,
	BR_IF: 0x0d,
	BR_TABLE: 0x0e,
	RETURN: 0x0f,
	CALL: 0x10,
	CALL_INDIRECT: 0x11,
	SELECT: 0x1b,
	LOCAL_GET: 0x20,
	LOCAL_SET: 0x21,
	LOCAL_TEE: 0x22,
	I32_LOAD: 0x28,
	I64_LOAD: 0x29,
	I32_LOAD8_U: 0x2d,
	I64_LOAD32_U: 0x35,
	I32_STORE: 0x36,
	I64_STORE: 0x37,
	I32_STORE8: 0x3a,
	I64_STORE32: 0x3e,
	I32_CONST: 0x41,
	I64_CONST: 0x42,
	I32_EQZ: 0x45,
	I32_EQ: 0x46,
	I32_LT_S: 0x48,
	I32_GT_U: 0x4b,
	I32_GE_S: 0x4e,
	I64_EQZ: 0x50,
	I64_EQ: 0x51,
	I64_NE: 0x52,
	I64_LT_S: 0x53,
	I64_LT_U: 0x54,
	I64_GT_U: 0x56,
	I64_LE_U: 0x58,
	I64_GE_U: 0x5a,
	I32_ADD: 0x6a,
	I32_SUB: 0x6b,
	I32_MUL: 0x6c,
	I32_AND: 0x71,
	I32_OR: 0x72,
	I32_SHL: 0x74,
	I32_SHR_U: 0x76,
	I64_CLZ: 0x79,
	I64_ADD: 0x7c,
	I64_SUB: 0x7d,
	I64_MUL: 0x7e,
	I64_DIV_U: 0x80,
	I64_REM_U: 0x82,
	I64_AND: 0x83,
	I64_OR: 0x84,
	I64_XOR: 0x85,
	I64_SHL: 0x86,
	I64_SHR_S: 0x87,
	I64_SHR_U: 0x88,
	I64_ROTL: 0x89,
	I32_WRAP_I64: 0xa7,
	I64_EXTEND_I32_U: 0xad,
} as const;

/** Second byte of the instructions prefixed with {@link SIMD}. */
export const Simd = {
	LOAD: 0x00,
	STORE: 0x0b,
	SHUFFLE: 0x0d,
	SPLAT_I64: 0x12,
	EXTRACT_I64: 0x1d,
	REPLACE_I64: 0x1e,
} as const;

const SIMD = 0xfd;
const BULK = 0xfc;

/** Reverses a vector's bytes, for {@link Simd.SHUFFLE}. */
export const REVERSED = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0] as const;

const FUNCTION_TYPE = 0x60;
const FUNCTION_REFERENCE = 0x70;
/** Block type without parameters and results. */
const NOTHING = 0x40;

/** A growing byte buffer with the number encodings that instructions need. */
export class WasmWriter {
	private bytes = new Uint8Array(1024);
	length = 0;

	/** The bytes written so far; valid until the next write. */
	get written(): Uint8Array {
		return this.bytes.subarray(0, this.length);
	}

	private reserve(more: number): void {
		if (this.length + more <= this.bytes.length) return;
		if (this.length + more > MAX_MODULE_BYTES) throw new RangeError("the module is too large");
		const grown = new Uint8Array(Math.max(2 * this.bytes.length, this.length + more));
		grown.set(this.written);
		this.bytes = grown;
	}

	/** Writes raw bytes: instructions without operands, types. */
	op(...bytes: readonly number[]): this {
		this.reserve(bytes.length);
		for (const byte of bytes) this.bytes[this.length++] = byte;
		return this;
	}

	append(other: Uint8Array): this {
		this.reserve(other.length);
		this.bytes.set(other, this.length);
		this.length += other.length;
		return this;
	}

	/** Writes an unsigned number below 2^32 as LEB128. */
	unsigned(value: number): this {
		this.reserve(5);
		let rest = value;
		while (rest >= 0x80) {
			this.bytes[this.length++] = (rest & 0x7f) | 0x80;
			rest = Math.floor(rest / 0x80);
		}
		this.bytes[this.length++] = rest;
		return this;
	}

	text(text: string): this {
		return this.unsigned(text.length).append(Buffer.from(text));
	}

	get(local: number): this {
		return this.op(Op.LOCAL_GET).unsigned(local);
	}

	set(local: number): this {
		return this.op(Op.LOCAL_SET).unsigned(local);
	}

	tee(local: number): this {
		return this.op(Op.LOCAL_TEE).unsigned(local);
	}

	/** @param value from -2^31 to 2^31 - 1 */
	i32(value: number): this {
		this.reserve(6);
		this.bytes[this.length++] = Op.I32_CONST;
		for (let rest = value; ; rest >>= 7) {
			const isLast = (rest >= -64 && rest < 64) as boolean;
			this.bytes[this.length++] = (rest & 0x7f) | (isLast ? 0 : 0x80);
			if (isLast) return this;
		}
	}

	/** @param value any 64 bits, signed or not */
	i64(value: bigint): this {
		this.reserve(11);
		this.bytes[this.length++] = Op.I64_CONST;
		let rest = BigInt.asIntN(64, value);
		while (rest < -64n || rest >= 64n) {
			this.bytes[this.length++] = Number(rest & 0x7fn) | 0x80;
			rest >>= 7n;
		}
		this.bytes[this.length++] = Number(rest & 0x7fn);
		return this;
	}

	/** A load or store at a constant offset from the address on the stack. */
	access(op: number, offset: number): this {
		// Alignment is only a hint; 4 bytes is true of all stack addresses.
		return this.op(op, 2).unsigned(offset);
	}

	simd(op: number, ...operands: readonly number[]): this {
		return this.op(SIMD, op, ...operands);
	}

	simdAccess(op: number, offset: number): this {
		return this.op(SIMD, op, 0).unsigned(offset);
	}

	/** memory.copy: target, source and size are on the stack. */
	copy(): this {
		return this.op(BULK, 10, 0, 0);
	}

	/** memory.fill: target, byte and size are on the stack. */
	fill(): this {
		return this.op(BULK, 11, 0);
	}

	block(): this {
		return this.op(Op.BLOCK, NOTHING);
	}

	loop(): this {
		return this.op(Op.LOOP, NOTHING);
	}

	when(): this {
		return this.op(Op.IF, NOTHING);
	}

	end(): this {
		return this.op(Op.END);
	}

	br(depth: number): this {
		return this.op(Op.BR).unsigned(depth);
	}

	brIf(depth: number): this {
		return this.op(Op.BR_IF).unsigned(depth);
	}

	call(index: number): this {
		return this.op(Op.CALL).unsigned(index);
	}
}

export interface FunctionType {
	readonly takes: readonly number[];
	readonly gives: readonly number[];
}

export interface ImportedFunction {
	readonly name: string;
	readonly type: FunctionType;
}

export interface FunctionCode {
	readonly type: FunctionType;
	/** Locals after the parameters: runs of a type with their counts. */
	readonly locals: readonly (readonly [count: number, type: number])[];
	readonly body: WasmWriter;
	/** Export name. */
	readonly name?: string;
}

/** Imports come from the namespace "host"; so does its memory, `memory`, with exactly this many pages. */
interface ModuleCode {
	readonly memoryPages: number;
	readonly imports: readonly ImportedFunction[];
	/** Numbered after the imports. */
	readonly functions: readonly FunctionCode[];
	/** Function numbers for indirect calls, by table index. */
	readonly table: readonly number[];
}

/** Section ids. */
const Section = { TYPES: 1, IMPORTS: 2, FUNCTIONS: 3, TABLES: 4, EXPORTS: 7, ELEMENTS: 9, CODE: 10 } as const;

/** The distinct function types; a type's number is its index. */
export function typesOf({ imports, functions }: Pick<ModuleCode, "imports" | "functions">): FunctionType[] {
	return [...new Set([...imports, ...functions].map(({ type }) => type))];
}

/** The bytes of a module. */
export function writeModule(module: ModuleCode): Uint8Array {
	const { imports, functions, table, memoryPages } = module;
	const types = typesOf(module);
	const out = new WasmWriter().op(0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
	const section = (id: number, count: number, write: (to: WasmWriter) => void): void => {
		if (count === 0) return;
		const content = new WasmWriter().unsigned(count);
		write(content);
		out.op(id).unsigned(content.length).append(content.written);
	};
	section(Section.TYPES, types.length, (to) => {
		for (const { takes, gives } of types) {
			to.op(FUNCTION_TYPE)
				.unsigned(takes.length)
				.op(...takes)
				.unsigned(gives.length)
				.op(...gives);
		}
	});
	section(Section.IMPORTS, imports.length + 1, (to) => {
		to.text("host").text("memory").op(2, 1).unsigned(memoryPages).unsigned(memoryPages);
		for (const { name, type } of imports) to.text("host").text(name).op(0).unsigned(types.indexOf(type));
	});
	section(Section.FUNCTIONS, functions.length, (to) => {
		for (const { type } of functions) to.unsigned(types.indexOf(type));
	});
	section(Section.TABLES, Math.min(1, table.length), (to) =>
		to.op(FUNCTION_REFERENCE, 1).unsigned(table.length).unsigned(table.length),
	);
	const named = functions.flatMap(({ name }, i) =>
		name === undefined ? [] : [{ name, index: imports.length + i }],
	);
	section(Section.EXPORTS, named.length, (to) => {
		for (const { name, index } of named) to.text(name).op(0).unsigned(index);
	});
	section(Section.ELEMENTS, Math.min(1, table.length), (to) => {
		to.op(0).i32(0).end().unsigned(table.length);
		for (const index of table) to.unsigned(index);
	});
	section(Section.CODE, functions.length, (to) => {
		for (const { locals, body } of functions) {
			const head = new WasmWriter().unsigned(locals.length);
			for (const [count, type] of locals) head.unsigned(count).op(type);
			to.unsigned(head.length + body.length)
				.append(head.written)
				.append(body.written);
		}
	});
	return out.written.slice();
}
