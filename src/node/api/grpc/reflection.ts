/**
 * Server reflection (grpc/reflection): lists the services and the schema describing them. The network's servers offer v1alpha
 * only (protocol/grpc §2.1), which answers like theirs here; current clients ask for v1 first.
 */

import { type Server, type ServerDuplexStream, status } from "@grpc/grpc-js";
import { DecodeError, EMPTY_BYTES, Reader } from "../../../protocol/codec/reader.js";
import { Writer } from "../../../protocol/codec/writer.js";
import { spell } from "../../../protocol/dialect.js";
import { services as schema } from "../../../protocol/generated/services.js";
import type { NodeConfig } from "../../config/config.js";
import type { Release } from "../../rules/release.js";
import { answersOf } from "../answers.js";
import {
	type DescribedField,
	type DescribedFile,
	type DescribedMessage,
	type DescribedService,
	DescriptorFiles,
} from "./descriptor-files.js";
import { healthService } from "./health.js";
import { UNREADABLE } from "./method.js";
import { type GrpcService, isOffered, PACKAGE } from "./service-table.js";

/**
 * The reflection service's own schema, which it describes as well: grpc/reflection/v1alpha/reflection.proto,
 * and the same messages in the v1 package.
 */
type ReflectionVersion = "v1alpha" | "v1";

const scalar = (number: number, name: string, kind: "string" | "bytes" | "int32"): DescribedField => ({
	name,
	number,
	kind,
	label: "singular",
});
const repeated = (field: DescribedField): DescribedField => ({ ...field, label: "repeated" });
const embedded = (number: number, name: string, type: DescribedMessage): DescribedField => ({
	name,
	number,
	kind: "message",
	label: "singular",
	message: () => type,
});

/** The service in a version. */
function reflectionService(version: ReflectionVersion): DescribedService {
	const prefix = `grpc.reflection.${version}.`;
	const message = (name: string, fields: readonly DescribedField[]): DescribedMessage => ({
		typeName: prefix + name,
		fields,
	});
	const extensionRequest = message("ExtensionRequest", [
		scalar(1, "containing_type", "string"),
		scalar(2, "extension_number", "int32"),
	]);
	const request = message("ServerReflectionRequest", [
		scalar(1, "host", "string"),
		scalar(3, "file_by_filename", "string"),
		scalar(4, "file_containing_symbol", "string"),
		embedded(5, "file_containing_extension", extensionRequest),
		scalar(6, "all_extension_numbers_of_type", "string"),
		scalar(7, "list_services", "string"),
	]);
	const response = message("ServerReflectionResponse", [
		scalar(1, "valid_host", "string"),
		embedded(2, "original_request", request),
		embedded(
			4,
			"file_descriptor_response",
			message("FileDescriptorResponse", [repeated(scalar(1, "file_descriptor_proto", "bytes"))]),
		),
		embedded(
			5,
			"all_extension_numbers_response",
			message("ExtensionNumberResponse", [
				scalar(1, "base_type_name", "string"),
				repeated(scalar(2, "extension_number", "int32")),
			]),
		),
		embedded(
			6,
			"list_services_response",
			message("ListServiceResponse", [
				repeated(embedded(1, "service", message("ServiceResponse", [scalar(1, "name", "string")]))),
			]),
		),
		embedded(
			7,
			"error_response",
			message("ErrorResponse", [scalar(1, "error_code", "int32"), scalar(2, "error_message", "string")]),
		),
	]);

	return {
		name: `${prefix}ServerReflection`,
		methods: [{ name: "ServerReflectionInfo", request, response, streams: "both" }],
	};
}

const FILES: readonly DescribedFile[] = [
	{ name: "google/protobuf/any.proto", package: "google.protobuf", needs: [] },
	{ name: "api/api.proto", package: PACKAGE, needs: ["google/protobuf/any.proto"] },
	{ name: "grpc/reflection/v1alpha/reflection.proto", package: "grpc.reflection.v1alpha", needs: [] },
	{ name: "grpc/reflection/v1/reflection.proto", package: "grpc.reflection.v1", needs: [] },
	{ name: "grpc/health/v1/health.proto", package: "grpc.health.v1", needs: [] },
];

/** Request fields; all but the host are in a oneof. */
const Ask = { host: 1, file: 3, symbol: 4, extension: 5, extensionNumbers: 6, services: 7 } as const;
/** Response fields; all but the first two are in a oneof. */
const Tell = { host: 1, request: 2, files: 4, services: 6, error: 7 } as const;

/**
 * Adds the reflection service to a server, in both versions.
 * @param admit whether a client may open one stream more; calls the function given when it has ended
 */
export function reflect(
	server: Server,
	offered: readonly GrpcService[],
	{ dialect, release }: Pick<NodeConfig["node"], "dialect" | "release">,
	admit: (peer: string) => (() => void) | undefined,
): void {
	const versions = { v1alpha: reflectionService("v1alpha"), v1: reflectionService("v1") };
	const network = offered.map(({ name }) => `${PACKAGE}.${name}`);
	const names: Readonly<Record<ReflectionVersion, readonly string[]>> = {
		v1alpha: [versions.v1alpha.name, ...network].sort(),
		v1: [versions.v1.name, versions.v1alpha.name, healthService.name, ...network].sort(),
	};
	let files: DescriptorFiles | undefined;
	const describe = (): DescriptorFiles => {
		files ??= new DescriptorFiles(
			FILES,
			[...describedServices(release), ...Object.values(versions), healthService],
			(name) => spell(name, dialect),
			answersOf({ release }).deprecated,
		);
		return files;
	};
	for (const version of ["v1alpha", "v1"] as const) {
		serve(server, versions[version].name, admit, (request) => answer(request, names[version], describe));
	}
}

/** Answers each message of a stream. */
function serve(
	server: Server,
	service: string,
	admit: (peer: string) => (() => void) | undefined,
	answer: (request: Buffer) => Buffer,
): void {
	const asIs = (bytes: Buffer): Buffer => bytes;
	server.register(
		`/${service}/ServerReflectionInfo`,
		(call: ServerDuplexStream<Buffer, Buffer>) => {
			const leave = admit(call.getPeer());
			if (!leave) {
				call.emit("error", { code: status.RESOURCE_EXHAUSTED, details: "too many streams" });
				return;
			}
			call.once("close", leave);
			call.once("cancelled", leave);
			call.on("data", (request: Buffer) => {
				try {
					// Backpressure: a client that doesn't read gets no further requests processed.
					if (call.write(answer(request))) return;
					call.pause();
					call.once("drain", () => call.resume());
				} catch (error) {
					if (!(error instanceof DecodeError)) throw error;
					call.emit("error", { code: status.UNKNOWN, details: UNREADABLE });
				}
			});
			call.on("end", () => call.end());
		},
		asIs,
		asIs,
		"bidi",
	);
}

/** All services of a release, whether or not a server offers them. */
function describedServices(release: Release): DescribedService[] {
	return Object.entries(schema).map(([name, methods]) => ({
		name: `${PACKAGE}.${name}`,
		methods: Object.entries(methods)
			.filter(([method]) => isOffered(method, release))
			.map(([method, types]) => ({ name: method, ...types })),
	}));
}

function answer(request: Uint8Array, names: readonly string[], describe: () => DescriptorFiles): Buffer {
	const { host, asked, text } = readRequest(request);
	const files = (name: string | undefined): readonly Uint8Array[] | undefined =>
		name === undefined ? undefined : describe().withDependencies(name);
	const writer = new Writer();
	switch (asked) {
		case Ask.services:
			embed(writer, Tell.services, () => {
				for (const name of [...names].reverse()) embed(writer, 1, () => putText(writer, 1, name));
			});
			break;
		case Ask.file:
			putFiles(writer, files(text), "File not found.");
			break;
		case Ask.symbol:
			putFiles(writer, files(describe().fileOfSymbol(text)), "Symbol not found.");
			break;
		case Ask.extension:
			putError(writer, status.NOT_FOUND, "Extension not found.");
			break;
		case Ask.extensionNumbers:
			putError(writer, status.NOT_FOUND, "Type not found.");
			break;
		default:
			putError(writer, status.UNIMPLEMENTED, "not implemented MESSAGEREQUEST_NOT_SET");
	}
	writer.bytes(request);
	writer.uint(Tell.request * 8 + 2);
	if (host !== "") putText(writer, Tell.host, host);
	return Buffer.from(writer.finish());
}

/** The last field of the oneof wins. */
function readRequest(request: Uint8Array): {
	readonly host: string;
	readonly asked: number;
	readonly text: string;
} {
	const reader = new Reader(request);
	let host = "";
	let asked = 0;
	let value: Uint8Array = EMPTY_BYTES;
	while (reader.pos < reader.end) {
		const tag = reader.uint32();
		if ((tag & 7) !== 2) break;
		const bytes = reader.bytes();
		if (tag >>> 3 === Ask.host) host = Buffer.from(bytes).toString("utf8");
		else [asked, value] = [tag >>> 3, bytes];
	}
	return { host, asked, text: Buffer.from(value).toString("utf8") };
}

function putFiles(writer: Writer, files: readonly Uint8Array[] | undefined, missing: string): void {
	if (!files) {
		putError(writer, status.NOT_FOUND, missing);
		return;
	}
	embed(writer, Tell.files, () => {
		for (const file of [...files].reverse()) {
			writer.bytes(file);
			writer.uint(1 * 8 + 2);
		}
	});
}

function putError(writer: Writer, code: number, message: string): void {
	embed(writer, Tell.error, () => {
		putText(writer, 2, message);
		writer.int32(code);
		writer.uint(1 * 8);
	});
}

function putText(writer: Writer, number: number, text: string): void {
	writer.string(text);
	writer.uint(number * 8 + 2);
}

function embed(writer: Writer, number: number, content: () => void): void {
	const before = writer.length;
	content();
	writer.uint(writer.length - before);
	writer.uint(number * 8 + 2);
}
