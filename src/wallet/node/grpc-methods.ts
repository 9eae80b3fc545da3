/** The gRPC methods of a node by the names that people type, in either spelling (protocol/command-line §5.1). */

import type { FieldDescriptor, Message, MessageType } from "../../protocol/codec/descriptor.js";
import { toNeutral } from "../../protocol/dialect.js";
import { services } from "../../protocol/generated/services.js";
import type { EndpointField } from "./raw-call.js";

/** A method as one service has it. */
export interface GrpcMethod {
	readonly service: string;
	readonly method: string;
	/** What people type: bare for the service Wallet, else with the service before it. */
	readonly name: string;
	readonly request: MessageType<Message>;
	readonly response: MessageType<Message>;
}

/** Services that nodes of the network serve; the others of the schema belong to other programs. */
const SERVED = ["Wallet", "WalletSolidity", "WalletExtension", "Database", "Monitor"] as const;

/** Every method, those of Wallet first. */
export const grpcMethods: readonly GrpcMethod[] = SERVED.flatMap((service) =>
	Object.entries(services[service]).map(([method, { request, response }]) => ({
		service,
		method,
		name: service === "Wallet" ? method : `${service}/${method}`,
		request,
		response,
	})),
);

/** @param service for bare names */
export function grpcMethodNamed(
	name: string,
	service: "Wallet" | "WalletSolidity" = "Wallet",
): GrpcMethod | undefined {
	const neutral = toNeutral(name);
	const full = neutral.includes("/") ? neutral : `${service}/${neutral}`;
	return grpcMethods.find((known) => `${known.service}/${known.method}` === full);
}

/** Fields of a method's request, with types as the table of endpoints names them. */
export function requestFields({ request }: GrpcMethod): EndpointField[] {
	return request.fields.map((field) => ({ name: field.name, type: typeOf(field) }));
}

function typeOf(field: FieldDescriptor): string {
	const type = field.message?.().typeName ?? field.enumeration?.typeName ?? field.kind;
	const short = type.replace(/^protocol\./, "");
	if (field.label === "map") return `map of ${short}`;
	return field.label === "repeated" ? `${short}[]` : short;
}
