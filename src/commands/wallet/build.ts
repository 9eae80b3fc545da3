import { readFile } from "node:fs/promises";
import { Args, Flags } from "@oclif/core";
import { equalBytes } from "../../protocol/bytes.js";
import { getField, type Message, type MessageType, setField } from "../../protocol/codec/descriptor.js";
import { contractTypeById, contractTypeByName, contractTypes } from "../../protocol/contract-types.js";
import { NamedError } from "../../protocol/json/exceptions.js";
import { decodeFields } from "../../protocol/json/field-decoder.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import type { OutputKind } from "../../terminal/base/coin-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { readStdin } from "../../terminal/input/stdin.js";
import { printJsonText } from "../../terminal/output/output.js";
import { Failure } from "../../wallet/failure.js";
import { parseOperation } from "../../wallet/permission/operations.js";

export default class WalletBuild extends ActingCommand {
	static override outputKind: OutputKind = "envelope";
	static override summary = "Build a transaction of any contract type";
	static override description =
		"The body is JSON by wire names, addresses in Base58 and texts as text. Without --data the fields of the type are printed.";
	static override examples = [
		`<%= config.bin %> wallet build TransferContract --data '{"to_address":"TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC","amount":1000000}'`,
	];
	static override args = {
		type: Args.string({ description: "contract type by name or number", required: true, ignoreStdin: true }),
	};
	static override flags = {
		...actingFlags,
		data: Flags.string({
			description: "the body: JSON, @file, or - for standard input",
			helpValue: "<json>",
		}),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(WalletBuild);
		const type = contractTypeByName(args.type) ?? contractTypeById(parseOperation(args.type));
		if (!type?.message) {
			const names = contractTypes.filter((row) => row.message).map((row) => row.name);
			throw new Failure("bad_value", `"${args.type}" can't be built; the types are ${names.join(", ")}`);
		}
		if (flags.data === undefined) return this.printFields(type.message);
		const body = await bodyText(flags.data);
		const parameter = bodyOf(type.message, body);
		const given = getField(parameter, type.owner) as Uint8Array;
		const context = await this.context(flags);
		if (given.length === 0) setField(parameter, type.owner, context.owner);
		else if (!equalBytes(given, context.owner)) {
			throw new Failure(
				"conflicting_flags",
				`the body's ${type.owner} is another account than the one that acts`,
				{
					hint: "leave it out, or name the account with --from",
				},
			);
		}
		await this.act(context, { ...flags, build: !flags.sign && !flags["dry-run"] }, { type, parameter });
	}

	private printFields(type: MessageType<Message>): void {
		const fields = type.fields.map((field) => ({
			name: field.name,
			type: field.message?.().typeName ?? field.enumeration?.typeName ?? field.kind,
			label: field.label,
		}));
		if (this.json) printJsonText(JSON.stringify(fields));
		else this.printList(fields, ["name", "type", "label"], "this type has no fields");
	}
}

async function bodyText(data: string): Promise<string> {
	if (data === "-") return readStdin("the contract body");
	return data.startsWith("@") ? readFile(data.slice(1), "utf8") : data;
}

function bodyOf(type: MessageType<Message>, text: string): Message {
	try {
		return decodeFields(type, text, true);
	} catch (error) {
		if (!(error instanceof NamedError)) throw error;
		// Only the parser's messages are meant for people; the others name classes of the reference node's runtime.
		const why = error.name === "JsonFormat$ParseException" ? `: ${error.message}` : "";
		throw new Failure(
			"bad_value",
			`the body is not of the type ${type.typeName.replace("protocol.", "")}${why}`,
			{
				hint: "one JSON object with the fields that the command prints without --data",
			},
		);
	}
}
