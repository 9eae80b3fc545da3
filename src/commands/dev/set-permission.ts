import { Args } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import type { Permission } from "../../protocol/messages.js";
import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";
import { flagText } from "../../terminal/contract/contract-input.js";
import { Failure } from "../../wallet/failure.js";
import { type Json, readJson } from "../../wallet/json.js";
import { readPermissionDocument } from "../../wallet/permission/permission-set.js";
import { accountNamed } from "../../wallet/transaction/signing.js";

export default class DevSetPermission extends DevelopmentCommand {
	static override summary = "Replace the permissions of an account of a development chain";
	static override description =
		"Nobody signs and no fee is paid. The document is one as permission show prints it.";
	static override examples = [
		"<%= config.bin %> permission show alice --json | <%= config.bin %> dev set-permission bob -",
	];
	static override args = {
		account: Args.string({ description: "address or label", required: true, ignoreStdin: true }),
		document: Args.string({ description: "JSON, @file, or -", required: true, ignoreStdin: true }),
	};
	static override flags = developmentFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(DevSetPermission);
		const settings = await this.settings(flags);
		const document = read(await flagText(args.document, "the permissions"));
		const set = await readPermissionDocument(document, (text) => accountNamed(settings, text));
		const account = await this.account(flags, args.account);
		const permissions = {
			owner: sent(set.owner),
			...(set.witness ? { witness: sent(set.witness) } : {}),
			actives: set.actives.map(sent),
		};
		this.printDone(
			await this.change(flags, "dev_setPermission", [account, permissions]),
			`the permissions of ${args.account} are replaced`,
		);
	}
}

function read(text: string): Json {
	try {
		return readJson(text);
	} catch (error) {
		if (error instanceof SyntaxError) throw new Failure("bad_value", "the permissions are not JSON");
		throw error;
	}
}

/** A permission in the names of the network's messages. */
function sent({ permission_name, threshold, operations, keys }: Readonly<Permission>): object {
	return {
		permission_name,
		threshold,
		...(operations.length > 0 ? { operations: toHex(operations) } : {}),
		keys: keys.map(({ address, weight }) => ({ address: toBase58Check(address), weight })),
	};
}
