/**
 * Parses the command line of `coin rpc`: since every endpoint has its own fields, this command parses its flags itself
 * (protocol/command-line §5.2).
 */

import { Failure } from "../../wallet/failure.js";

/** Flags with a value that belong to the command; every other flag is a field of the endpoint. */
const VALUE_FLAGS = new Set(["data", "node", "profile", "timeout", "config", "header"]);
const SWITCHES = new Set([
	"solidity",
	"pbft",
	"visible",
	"no-visible",
	"get",
	"post",
	"include",
	"table",
	"list",
	"no-fail",
	"force",
	"exact",
	"result",
	"raw",
	"grpc",
	"jsonrpc",
	"binary",
	"quiet",
	"no-color",
	"json",
	"text",
]);
const SHORT: Readonly<Record<string, string>> = { n: "node", F: "field", q: "quiet" };

/**
 * Matches names of gRPC methods, also as other tools write them (`protocol.Wallet/GetAccount`), but not Base58 addresses. Decides by the
 * name alone, since the table of methods would load the whole schema.
 */
export const GRPC_NAME =
	/^(?!T[1-9A-HJ-NP-Za-km-z]{33}$)(protocol\.)?[A-Z][A-Za-z0-9]{3,63}([/.][A-Za-z0-9]+)?$/;

/** Values of the command's own flags. */
interface RpcValues {
	readonly data?: string;
	readonly node?: string;
	readonly profile?: string;
	readonly timeout?: string;
	readonly config?: string;
}

export interface RpcWords {
	readonly name: string | undefined;
	/** Words after the name: a body, or the parameters of a JSON-RPC method. */
	readonly rest: readonly string[];
	readonly values: RpcValues;
	readonly switches: ReadonlySet<string>;
	/** Values of `--header`, `name=value`. */
	readonly headers: readonly string[];
	/** Fields in order; `free` ones come from `-F`. */
	readonly fields: readonly { readonly name: string; readonly value: string; readonly free: boolean }[];
}

/** @param isSwitchField whether a field of the endpoint is a boolean, so that it needs no value */
export function readRpcWords(
	words: readonly string[],
	isSwitchField: (endpoint: string, field: string) => boolean,
): RpcWords {
	const rest: string[] = [];
	const values: Record<string, string> = {};
	const switches = new Set<string>();
	const headers: string[] = [];
	const fields: { name: string; value: string; free: boolean }[] = [];
	for (let index = 0; index < words.length; index++) {
		const word = words[index] as string;
		if (word === "--") {
			rest.push(...words.slice(index + 1));
			break;
		}
		const flag = /^--([A-Za-z][\w.-]*)(?:=([\s\S]*))?$/.exec(word) ?? /^-([nFq])$/.exec(word);
		if (!flag?.[1]) {
			rest.push(word);
			continue;
		}
		const name = word.startsWith("--") ? flag[1] : (SHORT[flag[1]] as string);
		if (SWITCHES.has(name)) {
			switches.add(name);
			continue;
		}
		const negated = name.startsWith("no-") && isSwitchField(rest[0] ?? "", name.slice(3));
		if (
			negated ||
			(flag[2] === undefined &&
				isSwitchField(rest[0] ?? "", name) &&
				!/^(true|false)$/.test(words[index + 1] ?? ""))
		) {
			fields.push({ name: negated ? name.slice(3) : name, value: String(!negated), free: false });
			continue;
		}
		const value = flag[2] ?? words[++index];
		if (value === undefined) throw new Failure("usage", `--${name} needs a value`);
		if (name === "header") headers.push(value);
		else if (VALUE_FLAGS.has(name)) values[name] = value;
		else if (name === "field") {
			const at = value.indexOf("=");
			if (at <= 0) throw new Failure("usage", `-F "${value}": write name=value`);
			fields.push({ name: value.slice(0, at), value: value.slice(at + 1), free: true });
		} else if (name === "data-field") fields.push({ name: "data", value, free: false });
		else fields.push({ name, value, free: false });
	}
	return { name: rest[0], rest: rest.slice(1), values, switches, headers, fields };
}
