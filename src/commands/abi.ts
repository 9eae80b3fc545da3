/** `coin abi …`: encodes and decodes calls, results, events and errors, without a node. */

import { Flags } from "@oclif/core";
import { type AbiView, decodeValues, encodeCall, encodeValues, keyedValues } from "../abi/coder.js";
import { decodeEvent } from "../abi/log.js";
import { hashedSignature } from "../abi/parameter.js";
import { selectorOf, topicOf } from "../abi/selector.js";
import { equalBytes, toHex } from "../protocol/bytes.js";
import { command, type Terminal } from "../terminal/base/command-row.js";
import { abiFlag, flagText, interfaceFlag } from "../terminal/contract/contract-input.js";
import { keystoreFlags, optional, required } from "../terminal/flags/flags.js";
import { argumentOrStdin } from "../terminal/input/stdin.js";
import { printJson, printLine } from "../terminal/output/output.js";
import { lines, record } from "../terminal/schema/result-shape.js";
import { readArguments } from "../wallet/abi/argument.js";
import { findItem, itemBySelector } from "../wallet/abi/interface.js";
import { revertReason } from "../wallet/abi/revert.js";
import { isSignature, parseSignature } from "../wallet/abi/signature.js";
import {
	commonInterface,
	joinedInterfaces,
	readSignatureList,
	searchSignatures,
} from "../wallet/abi/signature-list.js";
import { ownInterfaces } from "../wallet/configuration/own-interfaces.js";
import { Failure } from "../wallet/failure.js";
import { accountNamed } from "../wallet/transaction/signing.js";
import { parseHexBytes } from "../wallet/values/bytes-text.js";
import { otherInterfaces } from "../wallet/view/contract-record.js";

export const Abi4byte = command({
	summary: "Find what a selector, a topic or a name means",
	description:
		"Searches the interfaces that you keep, and the list that comes with this program: tokens, ownership, roles, proxies, routers, votes. " +
		"A signature is answered with its selector. Different functions can have the same selector.",
	examples: [
		"<%= config.bin %> abi 4byte 0xa9059cbb",
		"<%= config.bin %> abi 4byte 'transfer(address,uint256)'",
		"<%= config.bin %> abi 4byte value --list Store.abi",
	],
	args: {
		subject: required("selector, call data or topic as 0x…, a signature, or a name"),
	},
	result: lines(record({ selector: "hex", kind: "text", signature: "text" })),
	flags: {
		list: Flags.string({
			description:
				"a list of your own, searched first: signatures a line, or an interface; - for standard input",
			helpValue: "<file>",
		}),
	},
	run: async ({ args, flags, settings, print }) => {
		const own =
			flags.list === undefined
				? []
				: readSignatureList(await flagText(flags.list === "-" ? "-" : `@${flags.list}`, "the list"));
		const kept = await ownInterfaces(await settings());
		const rows = searchSignatures(joinedInterfaces(own, kept, commonInterface()), args.subject);
		if (rows.length === 0) {
			throw new Failure(
				"not_found",
				`neither the interfaces that you keep nor any list here has ${args.subject.slice(0, 80)}`,
				{
					hint: "--list <file> searches a list of your own",
				},
			);
		}
		print.list(rows, ["selector", "kind", "signature"], "");
	},
});

export const AbiCalldataDecode = command({
	summary: "Decode a call: which function, and its arguments by name",
	examples: [
		"<%= config.bin %> abi calldata-decode --signature 'transfer(address to,uint256 value)' 0xa9059cbb0000000000000000000000007e5f4552091a69125d5dfcb7b8c2659029395bdf0000000000000000000000000000000000000000000000000000000000000005",
		"<%= config.bin %> abi calldata-decode --abi @Token.abi < call.hex",
	],
	args: {
		data: optional("call data: 0x…, - or none for standard input"),
	},
	flags: {
		...abiFlag,
		signature: Flags.string({ description: "the function", exclusive: ["abi"] }),
	},
	run: async ({ args, flags, settings: load, print }) => {
		const settings = await load();
		const items =
			flags.signature === undefined
				? ((await interfaceFlag(flags.abi, settings)) ?? (await otherInterfaces(settings)))
				: [parseSignature(flags.signature)];
		const data = await bytesArgument(args.data, "call data");
		const selector = data.subarray(0, 4);
		const item = itemBySelector(items, selector, "function");
		if (!item || !equalBytes(selector, selectorOf(item))) {
			throw new Failure("bad_value", `no function there has the selector 0x${toHex(selector)}`, {
				hint: "--abi gives the contract's interface, or --signature the function",
			});
		}
		const values = decodeValues(item.inputs, data.subarray(4));
		print.record({ signature: hashedSignature(item), arguments: keyedValues(item.inputs, values) });
	},
});

export const AbiDecode = command({
	summary: "Decode the arguments of a call, or with --output what it returned",
	examples: [
		"<%= config.bin %> abi decode '(uint256,address)' 0x00000000000000000000000000000000000000000000000000000000000000070000000000000000000000007e5f4552091a69125d5dfcb7b8c2659029395bdf",
		"<%= config.bin %> abi decode --output 'get() returns (uint256)' 0x0000000000000000000000000000000000000000000000000000000000000007",
	],
	args: {
		signature: required("function or list of types"),
		data: optional("0x…, - or none for standard input"),
	},
	flags: {
		output: Flags.boolean({ description: "the data is what the function returned" }),
	},
	run: async ({ args, flags, print }) => {
		const item = parseSignature(args.signature);
		const data = await bytesArgument(args.data, "data");
		if (flags.output) {
			if (!item.outputs) throw new Failure("usage", "the signature names no results: add returns (…)");
			return printValues(print, decodeValues(item.outputs, data));
		}
		const isCall = item.name !== "" && data.length % 32 === 4;
		if (isCall && !equalBytes(data.subarray(0, 4), selectorOf(item))) {
			throw new Failure("bad_value", "the data calls another function than the signature names");
		}
		printValues(print, decodeValues(item.inputs, isCall ? data.subarray(4) : data));
	},
});

export const AbiDisassemble = command({
	summary: "Print code as its operations",
	examples: ["<%= config.bin %> contract code store | <%= config.bin %> abi disassemble"],
	args: {
		code: optional("the code: 0x…, - or none for standard input"),
	},
	run: async ({ args, json }) => {
		const code = await bytesArgument(args.code, "code");
		const { disassemble } = await import("../node/vm/disassembler.js");
		for (const { pc, name, byte, operand } of disassemble(code)) {
			const op = name === "INVALID" ? `INVALID(0x${byte.toString(16).padStart(2, "0")})` : name;
			const shown = operand === undefined ? undefined : `0x${operand}`;
			if (json) printJson({ pc, op, operand: shown });
			else printLine(`${pc.toString(16).padStart(4, "0")}  ${op}${shown === undefined ? "" : ` ${shown}`}`);
		}
	},
});

export const AbiEncode = command({
	summary: "Encode the call of a function, or bare values",
	description:
		"A signature with a name gives call data, selector first; a list of types, such as (uint256,address), the values " +
		"alone. Arguments follow in order, or all of them as name=value. Without a node no token's decimals are known: write 5e18, " +
		"not 5@gold.",
	usage: "abi encode <signature> [<argument>...]",
	examples: [
		"<%= config.bin %> abi encode 'transfer(address,uint256)' TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC 5",
		"<%= config.bin %> abi encode '(uint256[],string)' '[1,2]' hello",
	],
	strict: false,
	args: {
		signature: required("function or list of types"),
	},
	flags: {
		...keystoreFlags,
		...abiFlag,
		"no-selector": Flags.boolean({ description: "the arguments alone" }),
	},
	run: async ({ args, argv, flags, settings: load, print }) => {
		const settings = await load();
		const item = findItem((await interfaceFlag(flags.abi, settings)) ?? [], args.signature, "function");
		const values = await readArguments(item.inputs, argv.slice(1), (text) => accountNamed(settings, text));
		const bare = item.name === "" || flags["no-selector"];
		const bytes = bare ? encodeValues(item.inputs, values) : encodeCall(item, values);
		print.scalar(`0x${toHex(bytes)}`);
	},
});

export const AbiError = command({
	summary: "Print the selector of an error, or say what a revert means",
	description: "By --abi, by all interfaces that you keep, and by the list that comes with this program.",
	examples: [
		"<%= config.bin %> abi error 'NotOwner(address)'",
		"<%= config.bin %> abi error 0x08c379a00000000000000000000000000000000000000000000000000000000000000020000000000000000000000000000000000000000000000000000000000000000b6e6f7420616c6c6f776564000000000000000000000000000000000000000000",
		"<%= config.bin %> abi error 'NotOwner(address caller)' 0x245aecd30000000000000000000000007e5f4552091a69125d5dfcb7b8c2659029395bdf",
	],
	args: {
		error: required("signature, or what a revert returned"),
		data: optional("what a revert returned"),
	},
	flags: abiFlag,
	run: async ({ args, flags, settings: load, json, print }) => {
		const signed = isSignature(args.error) ? parseSignature(args.error, "error") : undefined;
		if (signed && args.data === undefined) return print.scalar(`0x${toHex(selectorOf(signed))}`);
		const settings = await load();
		const given = (await interfaceFlag(flags.abi, settings)) ?? [];
		const items = [...given, ...(signed ? [signed] : []), ...(await otherInterfaces(settings))];
		const data = signed ? args.data : args.error;
		if (!signed && args.data !== undefined) throw new Failure("usage", `"${args.error}" is not a signature`);
		const bytes = parseHexBytes(data ?? "");
		const known = bytes.length === 4 ? itemBySelector(items, bytes, "error") : undefined;
		// A bare selector has no arguments to show.
		const bare = known && known.inputs.length > 0 ? hashedSignature(known) : undefined;
		if (bare !== undefined)
			return json ? print.record({ reason: bare, error: known?.name }) : print.scalar(bare);
		const reason = await revertReason(bytes, items);
		if (json) print.record(reason);
		else print.scalar(reason.reason);
	},
});

export const AbiEvent = command({
	summary: "Print the topic of an event, or decode a log of it",
	examples: [
		"<%= config.bin %> abi event 'Transfer(address indexed from,address indexed to,uint256 value)'",
		"<%= config.bin %> abi event 'Set(uint256 value)' --topic 0xdf7a95aebff315db1b7716215d602ab537373cdb769232aae6055c06e798425b --data 0x0000000000000000000000000000000000000000000000000000000000000007",
	],
	args: {
		signature: required("the event"),
	},
	flags: {
		topic: Flags.string({
			description: "topics of the log, the event's own first; repeatable",
			helpValue: "<0x…>",
			multiple: true,
			multipleNonGreedy: true,
		}),
		data: Flags.string({ description: "data of the log", helpValue: "<0x…>" }),
	},
	run: async ({ args, flags, print }) => {
		const event = parseSignature(args.signature, "event");
		if (flags.topic === undefined && flags.data === undefined) {
			return print.scalar(`0x${toHex(topicOf(event))}`);
		}
		const decoded = decodeEvent(event, {
			topics: (flags.topic ?? []).map(parseHexBytes),
			data: parseHexBytes(flags.data ?? ""),
		});
		if (!decoded) throw new Failure("bad_value", "the log doesn't fit the event");
		print.record(decoded);
	},
});

export const AbiSelector = command({
	summary: "Print the selector of a function",
	examples: ["<%= config.bin %> abi selector 'transfer(address,uint256)'"],
	args: {
		signature: required("the function"),
	},
	run: async ({ args, print }) => print.scalar(`0x${toHex(selectorOf(parseSignature(args.signature)))}`),
});

/** Bytes from an argument or standard input. @throws {Failure} */
async function bytesArgument(argument: string | undefined, purpose: string): Promise<Uint8Array> {
	const input = await argumentOrStdin(argument, purpose, true);
	if (!input) throw new Failure("usage", `no ${purpose}: give it as an argument or through a pipe`);
	return parseHexBytes(input.text);
}

/** A single value bare, several as a JSON list. */
function printValues(print: Terminal["print"], values: readonly AbiView[]): void {
	const [only] = values;
	if (values.length !== 1 || typeof only === "object") printJson(values.length === 1 ? only : values);
	else print.scalar(only as bigint | boolean | string);
}
