/**
 * The health service that load balancers and probes query (grpc/health/v1/health.proto). The network's
 * servers lack it, and it conflicts with none of theirs.
 */

import { type Server, type ServerUnaryCall, type ServerWritableStream, status } from "@grpc/grpc-js";
import { enumeration } from "../../../protocol/codec/descriptor.js";
import { DecodeError, Reader } from "../../../protocol/codec/reader.js";
import { Writer } from "../../../protocol/codec/writer.js";
import type { DescribedService } from "./descriptor-files.js";
import { UNREADABLE } from "./method.js";

const PREFIX = "grpc.health.v1.";
const SERVICE = 1;
const STATUS = 1;
const Serving = { SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 } as const;

const request = {
	typeName: `${PREFIX}HealthCheckRequest`,
	fields: [{ name: "service", number: SERVICE, kind: "string", label: "singular" }],
} as const;
const response = {
	typeName: `${PREFIX}HealthCheckResponse`,
	fields: [
		{
			name: "status",
			number: STATUS,
			kind: "enum",
			label: "singular",
			enumeration: enumeration(`${PREFIX}HealthCheckResponse.ServingStatus`, { UNKNOWN: 0, ...Serving }),
		},
	],
} as const;

/** The service schema. */
export const healthService: DescribedService = {
	name: `${PREFIX}Health`,
	methods: [
		{ name: "Check", request, response },
		{ name: "Watch", request, response, streams: "server" },
	],
};

type Watcher = ServerWritableStream<Buffer, Buffer>;

/** Health of a server and its services: serving until it closes. */
export class Health {
	private readonly watchers = new Set<Watcher>();
	private state: number = Serving.SERVING;

	/** @param offered full names of the server's services */
	constructor(
		server: Server,
		private readonly offered: ReadonlySet<string>,
		/** Whether a client may open another stream; the returned function is called when it ends. */
		private readonly admit: (peer: string) => (() => void) | undefined,
	) {
		const asIs = (bytes: Buffer): Buffer => bytes;
		server.register<Buffer, Buffer>(
			`/${healthService.name}/Check`,
			(call: ServerUnaryCall<Buffer, Buffer>, answer: (error: object | null, bytes?: Buffer) => void) => {
				const name = serviceName(call.request);
				if (name === undefined) answer({ code: status.UNKNOWN, details: UNREADABLE });
				else if (!this.knows(name)) answer({ code: status.NOT_FOUND, details: "unknown service" });
				else answer(null, statusMessage(this.state));
			},
			asIs,
			asIs,
			"unary",
		);
		server.register<Buffer, Buffer>(
			`/${healthService.name}/Watch`,
			(call: Watcher) => this.watch(call),
			asIs,
			asIs,
			"serverStream",
		);
	}

	/** Notifies all watchers and ends their streams. */
	close(): void {
		this.state = Serving.NOT_SERVING;
		for (const call of this.watchers) {
			call.write(statusMessage(this.state));
			call.end();
		}
		this.watchers.clear();
	}

	/** The empty name means the whole server. */
	private knows(name: string): boolean {
		return name === "" || this.offered.has(name);
	}

	/** Stays open so that a later status change can follow. */
	private watch(call: Watcher): void {
		const name = serviceName(call.request);
		if (name === undefined) {
			call.emit("error", { code: status.UNKNOWN, details: UNREADABLE });
			return;
		}
		const leave = this.admit(call.getPeer());
		if (!leave) {
			call.emit("error", { code: status.RESOURCE_EXHAUSTED, details: "too many streams" });
			return;
		}
		this.watchers.add(call);
		call.once("cancelled", () => this.watchers.delete(call));
		call.once("close", leave);
		call.once("cancelled", leave);
		call.write(statusMessage(this.knows(name) ? this.state : Serving.SERVICE_UNKNOWN));
	}
}

/** The requested service; undefined if unreadable. */
function serviceName(bytes: Uint8Array): string | undefined {
	try {
		const reader = new Reader(bytes);
		let name = "";
		while (reader.pos < reader.end) {
			const tag = reader.uint32();
			if (tag === SERVICE * 8 + 2) name = Buffer.from(reader.bytes()).toString("utf8");
			else if ((tag & 7) === 2) reader.bytes();
			else return undefined;
		}
		return name;
	} catch (error) {
		if (error instanceof DecodeError) return undefined;
		throw error;
	}
}

function statusMessage(value: number): Buffer {
	const writer = new Writer();
	writer.int32(value);
	writer.uint(STATUS * 8);
	return Buffer.from(writer.finish());
}
