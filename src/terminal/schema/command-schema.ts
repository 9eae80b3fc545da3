/** The machine-readable description of a command: arguments, flags, result and errors as JSON Schema (protocol/command-line §1.2). */

import { FAILURE_KINDS } from "../../wallet/failure.js";
import { type ResultShape, schemaOf } from "./result-shape.js";

interface Argument {
	readonly name: string;
	readonly description?: string | undefined;
	readonly required?: boolean | undefined;
	readonly options?: readonly string[] | undefined;
}

interface Flag extends Argument {
	readonly type: "boolean" | "option";
	readonly multiple?: boolean | undefined;
	readonly env?: string | undefined;
	readonly default?: unknown;
	readonly hidden?: boolean | undefined;
}

/** A command as described by the framework. */
export interface DescribedCommand {
	readonly id: string;
	readonly summary?: string | undefined;
	readonly args: Readonly<Record<string, Argument>>;
	readonly flags: Readonly<Record<string, Flag>>;
	readonly strict?: boolean | undefined;
}

/** The schema of a command. @param result undefined for commands that print no JSON */
export function commandSchema(command: DescribedCommand, result: ResultShape | undefined): object {
	const args = Object.entries(command.args);
	const flags = Object.entries(command.flags).filter(([, flag]) => !flag.hidden);
	return {
		$schema: "https://json-schema.org/draft/2020-12/schema",
		title: `coin ${command.id.replaceAll(":", " ")}`,
		description: command.summary,
		type: "object",
		properties: {
			arguments: {
				type: "object",
				properties: Object.fromEntries(args.map(([name, argument]) => [name, wordSchema(argument)])),
				required: requiredOf(args),
				additionalProperties: command.strict === false,
			},
			flags: {
				type: "object",
				properties: Object.fromEntries(flags.map(([name, flag]) => [name, flagSchema(flag)])),
				required: requiredOf(flags),
				additionalProperties: false,
			},
			...(result ? { [result.lines ? "resultLine" : "result"]: schemaOf(result.shape) } : {}),
			error: ERROR_SCHEMA,
		},
	};
}

function requiredOf(entries: readonly (readonly [string, Argument])[]): string[] {
	return entries.filter(([, { required }]) => required).map(([name]) => name);
}

function wordSchema({ description, options }: Argument): object {
	return { type: "string", description, enum: options };
}

function flagSchema(flag: Flag): object {
	const { description, env, type, multiple, default: fallback } = flag;
	const value = type === "boolean" ? { type, description } : wordSchema(flag);
	const known = typeof fallback === "string" || typeof fallback === "number" ? { default: fallback } : {};
	return { ...(multiple ? { type: "array", items: value, description } : value), ...known, environment: env };
}

const ERROR_SCHEMA = {
	type: "object",
	properties: {
		code: {
			enum: Object.keys(FAILURE_KINDS),
			exitCodes: Object.fromEntries(Object.entries(FAILURE_KINDS).map(([code, { exit }]) => [code, exit])),
		},
		message: { type: "string" },
		hint: { type: "string" },
		retry: { enum: ["never", "same", "later", "changed", "wait"] },
		sent: { enum: [false, true, "unknown"] },
		txID: { type: "string" },
		node: { type: "object", properties: { code: { type: "string" }, message: { type: "string" } } },
		index: { type: "integer" },
		details: { type: "object" },
	},
	required: ["code", "message", "retry"],
};
