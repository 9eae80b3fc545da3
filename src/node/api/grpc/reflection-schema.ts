/**
 * The schema of the reflection service itself, which it describes as well: grpc/reflection/v1alpha/reflection.proto, and
 * the same messages in the package of version 1.
 */

import type { DescribedField, DescribedMessage, DescribedService } from "./descriptor-files.js";

export type ReflectionVersion = "v1alpha" | "v1";

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

/** The service of a version. */
export function reflectionService(version: ReflectionVersion): DescribedService {
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
