/** Trace options, as in other networks' tools (protocol/json-rpc §14.2). */

import { isRawObject, JsonNumber, type RawObject, type RawValue } from "../json-reader.js";
import { invalidParams } from "../rpc-error.js";

export const TRACERS = [
	"callTracer",
	"flatCallTracer",
	"prestateTracer",
	"4byteTracer",
	"noopTracer",
] as const;
export type TracerName = (typeof TRACERS)[number];

export interface TraceOptions {
	/** Undefined for struct logs. */
	readonly tracer: TracerName | undefined;
	/** For struct logs. */
	readonly stack: boolean;
	readonly memory: boolean;
	readonly storage: boolean;
	readonly returnData: boolean;
	/** Maximum opcodes listed; Infinity: all. */
	readonly limit: number;
	/** For callTracer. */
	readonly onlyTopCall: boolean;
	readonly withLog: boolean;
	/** For prestateTracer. */
	readonly diffMode: boolean;
	readonly code: boolean;
	readonly slots: boolean;
	/** The client's timeout for the executions, in ms; undefined: the node's. */
	readonly timeoutMs: number | undefined;
}

/** Throws the error for an invalid member. */
function wrong(name: string, what: string): never {
	throw invalidParams(`invalid trace option ${name}: must be ${what}`);
}

function readFlag(object: RawObject, name: string): boolean {
	const value = object.get(name);
	if (value === undefined || value === null) return false;
	return typeof value === "boolean" ? value : wrong(name, "true or false");
}

function readObject(value: RawValue | undefined, name: string): RawObject {
	if (value === undefined || value === null) return new Map();
	return isRawObject(value) ? value : wrong(name, "an object");
}

/** A number of opcodes; 0 or absent: all. */
function readLimit(value: RawValue | undefined): number {
	if (value === undefined || value === null) return Number.POSITIVE_INFINITY;
	const limit = value instanceof JsonNumber && value.isInteger ? Number(value.text) : Number.NaN;
	if (!Number.isSafeInteger(limit) || limit < 0) return wrong("limit", "a number from 0 on");
	return limit === 0 ? Number.POSITIVE_INFINITY : limit;
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** A duration such as `300ms`, `5s` or `1m`. */
function readTimeout(value: RawValue | undefined): number | undefined {
	if (value === undefined || value === null) return undefined;
	const [, digits = "", unit = ""] =
		(typeof value === "string" && /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m)$/.exec(value)) || [];
	const unitMs = UNIT_MS[unit];
	return unitMs === undefined ? wrong("timeout", "a time such as 300ms or 5s") : Number(digits) * unitMs;
}

function readTracer(value: RawValue | undefined): TracerName | undefined {
	if (value === undefined || value === null || value === "") return undefined;
	const known = TRACERS.find((name) => name === value);
	return known ?? wrong("tracer", `one of ${TRACERS.join(", ")}, or absent`);
}

/** Reads options; members without a meaning here are ignored. @throws {RpcError} */
export function readTraceOptions(value: RawValue | undefined): TraceOptions {
	const options = readObject(value, "options");
	const config = readObject(options.get("tracerConfig"), "tracerConfig");
	return {
		tracer: readTracer(options.get("tracer")),
		stack: !readFlag(options, "disableStack"),
		memory: readFlag(options, "enableMemory"),
		storage: !readFlag(options, "disableStorage"),
		returnData: readFlag(options, "enableReturnData"),
		limit: readLimit(options.get("limit")),
		onlyTopCall: readFlag(config, "onlyTopCall"),
		withLog: readFlag(config, "withLog"),
		diffMode: readFlag(config, "diffMode"),
		code: !readFlag(config, "disableCode"),
		slots: !readFlag(config, "disableStorage"),
		timeoutMs: readTimeout(options.get("timeout")),
	};
}
