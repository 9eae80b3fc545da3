import { Args, Flags } from "@oclif/core";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { flagText } from "../../terminal/contract/contract-input.js";
import { lines, record } from "../../terminal/schema/result-shape.js";
import {
	commonInterface,
	joinedInterfaces,
	readSignatureList,
	searchSignatures,
} from "../../wallet/abi/signature-list.js";
import { Failure } from "../../wallet/failure.js";

export default class Abi4byte extends CoinCommand {
	static override summary = "Find what a selector, a topic or a name means";
	static override description =
		"Searches the list that comes with this program: tokens, ownership, roles, proxies, routers, votes. " +
		"A signature is answered with its selector. Different functions can have the same selector.";
	static override examples = [
		"<%= config.bin %> abi 4byte 0xa9059cbb",
		"<%= config.bin %> abi 4byte 'transfer(address,uint256)'",
		"<%= config.bin %> abi 4byte value --list Store.abi",
	];
	static override args = {
		subject: Args.string({
			description: "selector, call data or topic as 0x…, a signature, or a name",
			required: true,
			ignoreStdin: true,
		}),
	};
	static override result = lines(record({ selector: "hex", kind: "text", signature: "text" }));
	static override flags = {
		list: Flags.string({
			description:
				"a list of your own, searched first: signatures a line, or an interface; - for standard input",
			helpValue: "<file>",
		}),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(Abi4byte);
		const own =
			flags.list === undefined
				? []
				: readSignatureList(await flagText(flags.list === "-" ? "-" : `@${flags.list}`, "the list"));
		const rows = searchSignatures(joinedInterfaces(own, commonInterface()), args.subject);
		if (rows.length === 0) {
			throw new Failure("not_found", `no list here has ${args.subject.slice(0, 80)}`, {
				hint: "--list <file> searches a list of your own",
			});
		}
		this.printList(rows, ["selector", "kind", "signature"], "");
	}
}
