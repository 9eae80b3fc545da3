/**
 * Generates `src/protocol/generated/` from `proto/`: a file per schema file, a class per message.
 *
 * protobufjs only parses the schema. Generated code uses bigint for 64-bit fields, encodes canonically, and
 * has read-only nested values, so that copies are shallow; unknown fields are kept.
 */

import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";

const home = join(dirname(fileURLToPath(import.meta.url)), "..");
const protoDir = join(home, "proto");
const outDir = join(home, "src", "protocol", "generated");

function protoFiles(dir: string): string[] {
	return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
		const path = join(dir, entry.name);
		if (entry.isDirectory()) return protoFiles(path);
		return entry.name.endsWith(".proto") ? [relative(protoDir, path).replaceAll("\\", "/")] : [];
	});
}

const root = new protobuf.Root();
root.resolvePath = (_origin, target) =>
	target.startsWith("google/") ? join(home, "node_modules", "protobufjs", target) : join(protoDir, target);
root.loadSync(protoFiles(protoDir), { keepCase: true });
root.resolveAll();

/** `Transaction.Result.contractResult` -> `TransactionResultContractResult`. */
function className(type: protobuf.ReflectionObject): string {
	const path = type.fullName.replace(/^\.(protocol|google\.protobuf)\./, "");
	return path
		.split(".")
		.map((part) => part.charAt(0).toUpperCase() + part.slice(1))
		.join("");
}

/** Schema file of a type, as an extensionless path below the output folder. */
function moduleOf(type: protobuf.ReflectionObject): string {
	if (type.fullName.startsWith(".google.protobuf.")) return "google/any";
	for (let at: protobuf.ReflectionObject | null = type; at; at = at.parent) {
		if (at.filename)
			return relative(protoDir, at.filename)
				.replaceAll("\\", "/")
				.replace(/\.proto$/, "");
	}
	throw new Error(`no file for ${type.fullName}`);
}

/** Messages that a network has extended: clients know them by the name common to all networks. */
const SHARED_NAMES: Readonly<Record<string, string>> = {
	"protocol.PostQuantumDelegableRequest": "protocol.CanDelegatedMaxSizeRequestMessage",
};

const SCALARS: Record<string, { ts: string; zero: string; wire: number }> = {
	int32: { ts: "number", zero: "0", wire: 0 },
	int64: { ts: "bigint", zero: "0n", wire: 0 },
	bool: { ts: "boolean", zero: "false", wire: 0 },
	double: { ts: "number", zero: "0", wire: 1 },
	string: { ts: "string", zero: '""', wire: 2 },
	bytes: { ts: "Uint8Array", zero: "EMPTY_BYTES", wire: 2 },
};

interface Kind {
	kind: string;
	ts: string;
	zero: string;
	wire: number;
	ref?: string;
	read: string;
	write: (value: string) => string;
	present: (value: string) => string;
}

class Module {
	/** Emitted before the messages, whose descriptors refer to them. */
	readonly enums: string[] = [];
	readonly lines: string[] = [];
	readonly imports = new Map<string, Set<string>>();
	constructor(readonly path: string) {}

	use(type: protobuf.ReflectionObject, suffix = ""): string {
		const name = className(type) + suffix;
		const from = moduleOf(type);
		if (from !== this.path) {
			const names = this.imports.get(from) ?? new Set();
			names.add(name);
			this.imports.set(from, names);
		}
		return name;
	}

	kindOf(resolved: protobuf.ReflectionObject | null, type: string): Kind {
		if (resolved instanceof protobuf.Enum) {
			return {
				kind: "enum",
				ts: "number",
				zero: "0",
				wire: 0,
				ref: this.use(resolved, "Enum"),
				read: "r.int32()",
				write: (v) => `w.int32(${v})`,
				present: (v) => `${v} !== 0`,
			};
		}
		if (resolved instanceof protobuf.Type) {
			const name = this.use(resolved);
			return {
				kind: "message",
				ts: `Readonly<${name}>`,
				zero: "undefined",
				wire: 2,
				ref: name,
				read: `read${name}(r, new ${name}())`,
				write: (v) => `{ const end = w.length; write${name}(w, ${v}); w.uint(w.length - end); }`,
				present: (v) => `${v} !== undefined`,
			};
		}
		const scalar = SCALARS[type];
		if (!scalar) throw new Error(`unsupported type ${type}`);
		const present =
			type === "bytes" || type === "string"
				? (v: string) => `${v}.length !== 0`
				: type === "bool"
					? (v: string) => v
					: type === "double"
						? (v: string) => `(${v} !== 0 || Object.is(${v}, -0))`
						: (v: string) => `${v} !== ${scalar.zero}`;
		const write = type === "bool" ? (v: string) => `w.byte(${v} ? 1 : 0)` : (v: string) => `w.${type}(${v})`;
		return { kind: type, ...scalar, read: `r.${type}()`, write, present };
	}
}

function writeTag(number: number, wire: number): string {
	const tag = number * 8 + wire;
	return tag < 0x80 ? `w.byte(${tag});` : `w.uint(${tag});`;
}

function emitEnum(module: Module, type: protobuf.Enum): void {
	const name = className(type);
	const rows = Object.entries(type.values).map(([key, value]) => `\t${key}: ${value},`);
	module.enums.push(
		`export const ${name} = {\n${rows.join("\n")}\n} as const;`,
		`export const ${name}Enum = /* @__PURE__ */ enumeration("${type.fullName.slice(1)}", ${name});\n`,
	);
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the template of a class, in the order of its text
function emitMessage(module: Module, type: protobuf.Type): void {
	const name = className(type);
	const fields = [...type.fieldsArray].sort((a, b) => a.id - b.id);
	const declare: string[] = [];
	const copies: string[] = [];
	const cases: string[] = [];
	const writes: string[] = [];
	const descriptors: string[] = [];

	for (const field of fields) {
		field.resolve();
		const kind = module.kindOf(field.resolvedType, field.type);
		const at = `m.${field.name}`;
		const reference =
			kind.kind === "message"
				? `, message: () => ${kind.ref}`
				: kind.kind === "enum"
					? `, enumeration: ${kind.ref}`
					: "";
		const label = field instanceof protobuf.MapField ? "map" : field.repeated ? "repeated" : "singular";
		const keyKind = field instanceof protobuf.MapField ? `, keyKind: "${field.keyType}"` : "";
		descriptors.push(
			`\t\t{ name: "${field.name}", number: ${field.id}, label: "${label}", kind: "${kind.kind}"${keyKind}${reference} },`,
		);
		copies.push(`\t\tto.${field.name} = m.${field.name};`);

		if (field instanceof protobuf.MapField) {
			const key = module.kindOf(null, field.keyType);
			const zero = kind.kind === "message" ? `new ${kind.ref}()` : kind.zero;
			declare.push(`\t${field.name}: ReadonlyMap<${key.ts}, ${kind.ts}> = EMPTY_MAP;`);
			cases.push(
				`\t\t\tcase ${field.id * 8 + 2}: {`,
				`\t\t\t\tconst map = (${at} === EMPTY_MAP ? new Map() : ${at}) as Map<${key.ts}, ${kind.ts}>;`,
				`\t\t\t\tlet k: ${key.ts} = ${key.zero};`,
				`\t\t\t\tlet v: ${kind.ts} = ${zero};`,
				"\t\t\t\tconst outer = r.enter();",
				"\t\t\t\twhile (r.pos < r.end) {",
				"\t\t\t\t\tconst t = r.tag();",
				`\t\t\t\t\tif (t === ${8 + key.wire}) k = ${key.read};`,
				`\t\t\t\t\telse if (t === ${16 + kind.wire}) ${readEmbedded(kind, "v")}`,
				"\t\t\t\t\telse r.skip(t);",
				"\t\t\t\t}",
				"\t\t\t\tr.leave(outer);",
				"\t\t\t\tmap.set(k, v);",
				`\t\t\t\t${at} = map;`,
				"\t\t\t\tbreak;",
				"\t\t\t}",
			);
			writes.push(
				`\tif (${at}.size !== 0) {`,
				`\t\tconst entries = [...${at}];`,
				"\t\tfor (let i = entries.length - 1; i >= 0; i--) {",
				`\t\t\tconst [k, v] = entries[i] as [${key.ts}, ${kind.ts}];`,
				"\t\t\tconst end = w.length;",
				`\t\t\t${kind.kind === "message" ? kind.write("v") : `${kind.write("v")};`}`,
				`\t\t\tw.byte(${16 + kind.wire});`,
				`\t\t\t${key.write("k")};`,
				`\t\t\tw.byte(${8 + key.wire});`,
				"\t\t\tw.uint(w.length - end);",
				`\t\t\t${writeTag(field.id, 2)}`,
				"\t\t}",
				"\t}",
			);
			continue;
		}

		if (field.repeated) {
			declare.push(`\t${field.name}: readonly ${kind.ts.includes("<") ? kind.ts : kind.ts}[] = EMPTY_LIST;`);
			const push = `(${at} === EMPTY_LIST ? (${at} = []) : ${at}) as ${kind.ts}[]`;
			cases.push(`\t\t\tcase ${field.id * 8 + kind.wire}: {`, `\t\t\t\tconst list = ${push};`);
			if (kind.kind === "message") {
				cases.push(
					"\t\t\t\tconst outer = r.enter();",
					`\t\t\t\tlist.push(${kind.read});`,
					"\t\t\t\tr.leave(outer);",
				);
			} else cases.push("\t\t\t\tr.item();", `\t\t\t\tlist.push(${kind.read});`);
			cases.push("\t\t\t\tbreak;", "\t\t\t}");
			if (kind.wire !== 2) {
				cases.push(
					`\t\t\tcase ${field.id * 8 + 2}: {`,
					`\t\t\t\tconst list = ${push};`,
					"\t\t\t\tconst outer = r.enter();",
					"\t\t\t\twhile (r.pos < r.end) {",
					"\t\t\t\t\tr.item();",
					`\t\t\t\t\tlist.push(${kind.read});`,
					"\t\t\t\t}",
					"\t\t\t\tr.leave(outer);",
					"\t\t\t\tbreak;",
					"\t\t\t}",
				);
				writes.push(
					`\tif (${at}.length !== 0) {`,
					"\t\tconst end = w.length;",
					`\t\tfor (let i = ${at}.length - 1; i >= 0; i--) ${kind.write(`${at}[i] as ${kind.ts}`)};`,
					"\t\tw.uint(w.length - end);",
					`\t\t${writeTag(field.id, 2)}`,
					"\t}",
				);
			} else {
				const body = kind.write(`${at}[i] as ${kind.ts}`);
				writes.push(
					`\tfor (let i = ${at}.length - 1; i >= 0; i--) {`,
					`\t\t${kind.kind === "message" ? body : `${body};`}`,
					`\t\t${writeTag(field.id, 2)}`,
					"\t}",
				);
			}
			continue;
		}

		const tag = field.id * 8 + kind.wire;
		if (kind.kind === "message") {
			declare.push(`\t${field.name}: ${kind.ts} | undefined = undefined;`);
			cases.push(
				`\t\t\tcase ${tag}: {`,
				"\t\t\t\tconst outer = r.enter();",
				// A repeated occurrence of a singular message is merged into the first.
				`\t\t\t\t${at} = read${kind.ref}(r, (${at} as ${kind.ref} | undefined) ?? new ${kind.ref}());`,
				"\t\t\t\tr.leave(outer);",
				"\t\t\t\tbreak;",
				"\t\t\t}",
			);
			writes.push(
				`\tif (${at} !== undefined) {`,
				"\t\tconst end = w.length;",
				`\t\twrite${kind.ref}(w, ${at});`,
				"\t\tw.uint(w.length - end);",
				`\t\t${writeTag(field.id, 2)}`,
				"\t}",
			);
		} else {
			declare.push(`\t${field.name}: ${kind.ts} = ${kind.zero};`);
			cases.push(`\t\t\tcase ${tag}:`, `\t\t\t\t${at} = ${kind.read};`, "\t\t\t\tbreak;");
			writes.push(
				`\tif (${kind.present(at)}) {`,
				`\t\t${kind.write(at)};`,
				`\t\t${writeTag(field.id, kind.wire)}`,
				"\t}",
			);
		}
	}

	const reversed = regroup(writes).reverse().flat();
	module.lines.push(
		`export class ${name} {`,
		...declare,
		"\t$unknown?: UnknownFields | undefined = undefined;",
		"",
		`\tstatic readonly typeName: string = "${SHARED_NAMES[type.fullName.slice(1)] ?? type.fullName.slice(1)}";`,
		"\tstatic readonly fields: readonly FieldDescriptor[] = [",
		...descriptors,
		"\t];",
		"",
		`\tstatic decode(bytes: Uint8Array, budget?: DecodeBudget): ${name} {`,
		`\t\treturn read${name}(new Reader(bytes, budget), new ${name}());`,
		"\t}",
		"",
		`\tstatic encode(message: Readonly<${name}>): Uint8Array {`,
		"\t\tsharedWriter.reset();",
		`\t\twrite${name}(sharedWriter, message);`,
		"\t\treturn sharedWriter.finish();",
		"\t}",
		"",
		`\tstatic size(message: Readonly<${name}>): number {`,
		"\t\tsharedWriter.reset();",
		`\t\twrite${name}(sharedWriter, message);`,
		"\t\treturn sharedWriter.length;",
		"\t}",
		"",
		`\tstatic create(init?: Partial<${name}>): ${name} {`,
		`\t\tconst message = new ${name}();`,
		"\t\treturn init ? Object.assign(message, init) : message;",
		"\t}",
		"",
		`\tstatic copy(m: Readonly<${name}>): ${name} {`,
		`\t\tconst to = new ${name}();`,
		...copies,
		"\t\tto.$unknown = m.$unknown;",
		"\t\treturn to;",
		"\t}",
		"}",
		"",
		`export function read${name}(r: Reader, m: ${name}): ${name} {`,
		"\twhile (r.pos < r.end) {",
		"\t\tconst t = r.tag();",
		"\t\tswitch (t) {",
		...cases,
		"\t\t\tdefault:",
		"\t\t\t\tm.$unknown = keepUnknown(r, t, m.$unknown);",
		"\t\t}",
		"\t}",
		"\treturn m;",
		"}",
		"",
		`export function write${name}(w: Writer, m: Readonly<${name}>): void {`,
		"\tif (m.$unknown !== undefined) w.unknown(m.$unknown);",
		...reversed,
		"}",
		"",
	);
}

function readEmbedded(kind: Kind, target: string): string {
	if (kind.kind !== "message") return `${target} = ${kind.read};`;
	return `{ const inner = r.enter(); ${target} = ${kind.read}; r.leave(inner); }`;
}

/** Splits the emitted statements into one group per field; each group starts at one tab. */
function regroup(lines: string[]): string[][] {
	const groups: string[][] = [];
	let open = false;
	for (const line of lines) {
		if (!open) groups.push([]);
		(groups[groups.length - 1] as string[]).push(line);
		if (line.startsWith("\tif") || line.startsWith("\tfor")) open = true;
		if (line === "\t}") open = false;
	}
	return groups;
}

const modules = new Map<string, Module>();
const seen = new Map<string, string>();
const services: protobuf.Service[] = [];

function walk(object: protobuf.ReflectionObject): void {
	if (object instanceof protobuf.Service) {
		services.push(object);
		return;
	}
	if (object instanceof protobuf.Type || object instanceof protobuf.Enum) {
		const name = className(object);
		const clash = seen.get(name);
		if (clash) throw new Error(`${object.fullName} and ${clash} would share the class name ${name}`);
		seen.set(name, object.fullName);
		const path = moduleOf(object);
		const module = modules.get(path) ?? new Module(path);
		modules.set(path, module);
		if (object instanceof protobuf.Enum) emitEnum(module, object);
		else {
			for (const nested of object.nestedArray) walk(nested);
			emitMessage(module, object);
		}
		return;
	}
	if (object instanceof protobuf.Namespace) for (const nested of object.nestedArray) walk(nested);
}

for (const name of ["dns", "google", "protocol", "transport"]) {
	const namespace = root.lookup(name);
	if (!namespace) throw new Error(`schema has no package ${name}`);
	walk(namespace);
}

rmSync(outDir, { recursive: true, force: true });

function importPath(from: string, to: string): string {
	const path = relative(dirname(join(outDir, from)), join(outDir, to)).replaceAll("\\", "/");
	return `${path.startsWith(".") ? path : `./${path}`}.js`;
}

for (const module of modules.values()) {
	const body = [...module.enums, ...module.lines].join("\n");
	const used = (names: Iterable<string>) =>
		[...names].filter((name) => new RegExp(`\\b${name.replace("type ", "")}\\b(?!:)`).test(body)).sort();
	const importLine = (names: Iterable<string>, from: string) => {
		const list = used(names);
		return list.length === 0
			? []
			: [`import { ${list.join(", ")} } from "${importPath(module.path, from)}";`];
	};
	const text = [
		"// Generated from proto/ by scripts/generate-codec.ts. Do not edit.",
		...importLine(["enumeration", "type FieldDescriptor"], "../codec/descriptor"),
		...importLine(["EMPTY_LIST", "EMPTY_MAP"], "../codec/empty"),
		...importLine(["type DecodeBudget"], "../codec/budget"),
		...importLine(["EMPTY_BYTES", "Reader"], "../codec/reader"),
		...importLine(["keepUnknown", "type UnknownFields"], "../codec/unknown-fields"),
		...importLine(["sharedWriter", "type Writer"], "../codec/writer"),
		...[...module.imports].flatMap(([from, names]) =>
			importLine(
				[...names].flatMap((name) => [name, `read${name}`, `write${name}`]),
				from,
			),
		),
		"",
		body,
	].join("\n");
	const file = join(outDir, `${module.path}.ts`);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
}

const serviceModule = new Module("services");
const serviceLines = services.map((service) => {
	const rows = service.methodsArray.map((method) => {
		method.resolve();
		const request = serviceModule.use(method.resolvedRequestType as protobuf.Type);
		const response = serviceModule.use(method.resolvedResponseType as protobuf.Type);
		return `\t\t${method.name}: { request: ${request}, response: ${response} },`;
	});
	return `\t${service.name}: {\n${rows.join("\n")}\n\t},`;
});
writeFileSync(
	join(outDir, "services.ts"),
	[
		"// Generated from proto/ by scripts/generate-codec.ts. Do not edit.",
		...[...serviceModule.imports].map(
			([from, names]) => `import { ${[...names].sort().join(", ")} } from "${importPath("services", from)}";`,
		),
		"",
		"/** Every gRPC service of package `protocol`: method name to request and response message. */",
		"export const services = {",
		...serviceLines,
		"} as const;",
		"",
	].join("\n"),
);

const index = [...modules.keys()].sort().map((path) => `export * from "./generated/${path}.js";`);
writeFileSync(
	join(outDir, "..", "messages.ts"),
	["// Generated from proto/ by scripts/generate-codec.ts. Do not edit.", ...index, ""].join("\n"),
);
