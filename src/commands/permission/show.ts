import { Args } from "@oclif/core";
import { listKeystore } from "../../keystore/keystore.js";
import { equalBytes } from "../../protocol/bytes.js";
import { CoinCommand } from "../../terminal/coin-command.js";
import { keystoreFlags, nodeFlags } from "../../terminal/flags.js";
import { existingAccount } from "../../wallet/chain-query.js";
import { NodeClient } from "../../wallet/node-client.js";
import { type PermissionView, permissionDocument, storedPermissions } from "../../wallet/permission-set.js";
import { accountNamed, activeAccount } from "../../wallet/signing.js";

export default class PermissionShow extends CoinCommand {
	static override summary = "Show who may sign what for an account";
	static override description = "With --json the output is valid input for permission update --file.";
	static override args = {
		account: Args.string({ description: "address or label (default: the active wallet)", ignoreStdin: true }),
	};
	static override flags = { ...nodeFlags, ...keystoreFlags };

	async run(): Promise<void> {
		const { args, flags } = await this.parse(PermissionShow);
		const settings = await this.settings(flags);
		const address =
			args.account === undefined ? await activeAccount(settings) : await accountNamed(settings, args.account);
		const account = await existingAccount(new NodeClient(settings), address);
		const { entries } = await listKeystore(settings.keystoreDirectory);
		const isLocal = (key: Uint8Array): boolean =>
			entries.some((entry) => entry.kind !== "watch" && equalBytes(entry.address, key));
		const document = permissionDocument(address, storedPermissions(account), isLocal);
		this.printRecord(document, [
			document.account,
			...permissionLines(document.owner),
			...(document.witness ? permissionLines(document.witness) : []),
			...document.actives.flatMap(permissionLines),
		]);
	}
}

function permissionLines({ id, type, name, threshold, keys, operationNames }: PermissionView): string[] {
	const title =
		name === "" || name === type.toLowerCase() ? type.toLowerCase() : `${type.toLowerCase()} "${name}"`;
	return [
		`${title} (id ${id}), threshold ${threshold}`,
		...keys.map((key) => `  ${key.address} weight ${key.weight}${key.local ? ", local key" : ""}`),
		...(operationNames ? [`  may ${operationNames.join(", ")}`] : []),
	];
}
