/**
 * The schema as file descriptors (google/protobuf/descriptor.proto), for clients that query it by reflection.
 * Derived from the codec's types and the service table, one file per package.
 */

import type { EnumDescriptor, FieldDescriptor } from "../../../protocol/codec/descriptor.js";
import { Writer } from "../../../protocol/codec/writer.js";

/** The part of a message type that a descriptor needs. */
export interface DescribedMessage {
	/** `protocol.Transaction.raw` */
	readonly typeName: string;
	readonly fields: readonly DescribedField[];
}

export type DescribedField = Omit<FieldDescriptor, "message"> & {
	readonly message?: () => DescribedMessage;
};

interface DescribedMethod {
	readonly name: string;
	readonly request: DescribedMessage;
	readonly response: DescribedMessage;
	/** Which side streams. */
	readonly streams?: "both" | "server";
}

export interface DescribedService {
	/** `protocol.Wallet` */
	readonly name: string;
	readonly methods: readonly DescribedMethod[];
}

export interface DescribedFile {
	/** `api/api.proto` */
	readonly name: string;
	readonly package: string;
	/** Dependencies: files whose types it uses. */
	readonly needs: readonly string[];
}

/** Spells an identifier for the client. */
type Spelling = (name: string) => string;

/** `FieldDescriptorProto.Type` numbers by value kind. */
const TYPES: Readonly<Record<FieldDescriptor["kind"], number>> = {
	double: 1,
	int64: 3,
	int32: 5,
	bool: 8,
	string: 9,
	message: 11,
	bytes: 12,
	enum: 14,
};

const OPTIONAL = 1;
const REPEATED = 3;

/** A message on the wire: field numbers with strings, numbers and nested messages. */
type Parts = readonly (readonly [number: number, value: string | number | Parts])[];

/** Types nested in a package or a message. */
interface Scope {
	readonly children: Map<string, Scope>;
	message: DescribedMessage | undefined;
	enumeration: EnumDescriptor | undefined;
}

const newScope = (): Scope => ({ children: new Map(), message: undefined, enumeration: undefined });

/** Descriptor files for a set of services, with the symbols each defines. */
export class DescriptorFiles {
	private readonly scopes = new Map<string, Scope>();
	/** File name by full name of a service, method, message, field or enum, as spelled for clients. */
	private readonly symbols = new Map<string, string>();
	private readonly encoded = new Map<string, Uint8Array>();

	constructor(
		private readonly files: readonly DescribedFile[],
		private readonly services: readonly DescribedService[],
		private readonly spelling: Spelling,
		/** Full names of fields, in neutral spelling. */
		private readonly deprecated: ReadonlySet<string> = new Set(),
	) {
		for (const file of files) this.scopes.set(file.package, newScope());
		for (const { name, methods } of services) {
			this.symbols.set(spelling(name), this.fileOf(name).name);
			for (const { name: method, request, response } of methods) {
				this.addSymbol(name, `${name}.${method}`);
				this.addMessage(request);
				this.addMessage(response);
			}
		}
	}

	/** Name of the file that defines a symbol. */
	fileOfSymbol(symbol: string): string | undefined {
		return this.symbols.get(symbol);
	}

	/** The encoded descriptors of a file and its dependencies; undefined if there is no such file. */
	withDependencies(name: string): readonly Uint8Array[] | undefined {
		const file = this.files.find((known) => known.name === name);
		if (!file) return undefined;
		return [this.encode(file), ...file.needs.flatMap((needed) => this.withDependencies(needed) ?? [])];
	}

	/** @param owner the service or message that defines it */
	private addSymbol(owner: string, fullName: string): void {
		this.symbols.set(this.spelling(fullName), this.fileOf(owner).name);
	}

	private fileOf(fullName: string): DescribedFile {
		const file = this.files.findLast(({ package: name }) => fullName.startsWith(`${name}.`));
		if (!file) throw new Error(`no file describes ${fullName}`);
		return file;
	}

	/** The scope of a full name, created if missing. */
	private scopeOf(fullName: string): Scope {
		const file = this.fileOf(fullName);
		let scope = this.scopes.get(file.package) as Scope;
		for (const part of fullName.slice(file.package.length + 1).split(".")) {
			const child = scope.children.get(part) ?? newScope();
			scope.children.set(part, child);
			scope = child;
		}
		this.symbols.set(this.spelling(fullName), file.name);
		return scope;
	}

	private addMessage(message: DescribedMessage): void {
		const scope = this.scopeOf(message.typeName);
		if (scope.message) return;
		scope.message = message;
		for (const { name, message: inner, enumeration } of message.fields) {
			this.addSymbol(message.typeName, `${message.typeName}.${name}`);
			if (inner) this.addMessage(inner());
			if (enumeration) this.scopeOf(enumeration.typeName).enumeration = enumeration;
		}
	}

	private encode(file: DescribedFile): Uint8Array {
		const known = this.encoded.get(file.name);
		if (known) return known;
		const writer = new Writer();
		writeParts(writer, this.fileParts(file));
		const bytes = writer.finish();
		this.encoded.set(file.name, bytes);
		return bytes;
	}

	private fileParts(file: DescribedFile): Parts {
		const { spelling } = this;
		const content = this.contentOf(this.scopes.get(file.package) as Scope, { message: 4, enumeration: 5 });
		const services = this.services
			.filter(({ name }) => this.fileOf(name) === file)
			.map(
				({ name, methods }) =>
					[
						[1, spelling(name.slice(file.package.length + 1))],
						...methods.map((method) => [2, this.methodParts(method)] as const),
					] as const,
			);
		return [
			[1, file.name],
			[2, file.package],
			...file.needs.map((name) => [3, name] as const),
			...content,
			...services.map((service) => [6, service] as const),
			[12, "proto3"],
		];
	}

	private methodParts({ name, request, response, streams }: DescribedMethod): Parts {
		const { spelling } = this;
		const parts: Parts = [
			[1, spelling(name)],
			[2, `.${spelling(request.typeName)}`],
			[3, `.${spelling(response.typeName)}`],
		];
		if (streams === undefined) return parts;
		return streams === "both" ? [...parts, [5, 1], [6, 1]] : [...parts, [6, 1]];
	}

	/** Messages and enums nested in a scope, under the field numbers of the enclosing descriptor. */
	private contentOf(
		scope: Scope,
		numbers: { readonly message: number; readonly enumeration: number },
	): Parts {
		return [...scope.children].map(([name, child]) => {
			const { enumeration } = child;
			return enumeration
				? [numbers.enumeration, this.enumParts(name, enumeration)]
				: [numbers.message, this.messageParts(name, child)];
		});
	}

	private messageParts(name: string, scope: Scope): Parts {
		const fields = scope.message?.fields ?? [];
		const path = scope.message?.typeName ?? "";
		return [
			[1, this.spelling(name)],
			...fields.map((field) => [2, this.fieldParts(field, path)] as const),
			...this.contentOf(scope, { message: 3, enumeration: 4 }),
			...fields.filter(({ label }) => label === "map").map((field) => [3, this.entryParts(field)] as const),
		];
	}

	private fieldParts(field: DescribedField, path: string): Parts {
		const parts: [number, string | number][] = [
			[1, this.spelling(field.name)],
			[3, field.number],
			[4, field.label === "singular" ? OPTIONAL : REPEATED],
		];
		if (field.label === "map") {
			return [
				...parts,
				[5, TYPES.message],
				[6, `.${this.spelling(path)}.${entryName(this.spelling(field.name))}`],
			];
		}
		const options: Parts = this.deprecated.has(`${path}.${field.name}`) ? [[8, [[3, 1]]]] : [];
		return [...parts, ...this.typeParts(field), ...options];
	}

	private typeParts({ kind, message, enumeration }: DescribedField): Parts {
		const typeName = message?.().typeName ?? enumeration?.typeName;
		return typeName === undefined
			? [[5, TYPES[kind]]]
			: [
					[5, TYPES[kind]],
					[6, `.${this.spelling(typeName)}`],
				];
	}

	/** The entry message of a map field. */
	private entryParts(field: DescribedField): Parts {
		const member = (name: string, number: number, type: Parts): Parts => [
			[1, name],
			[3, number],
			[4, OPTIONAL],
			...type,
		];
		return [
			[1, entryName(this.spelling(field.name))],
			[2, member("key", 1, [[5, TYPES[field.keyKind ?? "string"]]])],
			[2, member("value", 2, this.typeParts(field))],
			[7, [[7, 1]]],
		];
	}

	private enumParts(name: string, { values }: EnumDescriptor): Parts {
		const numbers = Object.values(values);
		const hasAliases = new Set(numbers).size < numbers.length;
		const parts: Parts = [
			[1, this.spelling(name)],
			...Object.entries(values).map(
				([value, number]) =>
					[
						2,
						[
							[1, this.spelling(value)],
							[2, number],
						],
					] as const,
			),
		];
		return hasAliases ? [...parts, [3, [[2, 1]]]] : parts;
	}
}

/** The name protobuf compilers give to a map's entry message. */
function entryName(field: string): string {
	const words = field.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
	return `${words.join("")}Entry`;
}

/** Writes a message back to front. */
function writeParts(writer: Writer, parts: Parts): void {
	for (const [number, value] of [...parts].reverse()) {
		if (typeof value === "number") {
			writer.int32(value);
			writer.uint(number * 8);
			continue;
		}
		if (typeof value === "string") writer.string(value);
		else {
			const before = writer.length;
			writeParts(writer, value);
			writer.uint(writer.length - before);
		}
		writer.uint(number * 8 + 2);
	}
}
