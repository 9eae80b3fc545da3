import { Args } from "@oclif/core";
import { listKeystore } from "../../keystore/keystore.js";
import { equalBytes } from "../../protocol/bytes.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { keystoreFlags, nodeFlags } from "../../terminal/flags/flags.js";
import { type Labels, readLabels } from "../../wallet/configuration/labels.js";
import { existingAccount } from "../../wallet/node/chain-query.js";
import { NodeClient } from "../../wallet/node/node-client.js";
import {
	type PermissionView,
	permissionDocument,
	storedPermissions,
} from "../../wallet/permission/permission-set.js";
import { accountNamed, activeAccount } from "../../wallet/transaction/signing.js";

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
		const names = await readLabels(settings);
		const lines = (permission: PermissionView): string[] => permissionLines(permission, names);
		const document = permissionDocument(address, storedPermissions(account), isLocal);
		this.printRecord(document, [
			named(document.account, names),
			...lines(document.owner),
			...(document.witness ? lines(document.witness) : []),
			...document.actives.flatMap(lines),
		]);
	}
}

/** An address with what it is called here. */
function named(base58: string, names: Labels): string {
	const name = names.get(base58);
	return name === undefined ? base58 : `${base58} ${name}`;
}

function permissionLines(
	{ id, type, name, threshold, keys, operationNames }: PermissionView,
	names: Labels,
): string[] {
	const title =
		name === "" || name === type.toLowerCase() ? type.toLowerCase() : `${type.toLowerCase()} "${name}"`;
	return [
		`${title} (id ${id}), threshold ${threshold}`,
		...keys.map(
			(key) => `  ${named(key.address, names)}, weight ${key.weight}${key.local ? ", local key" : ""}`,
		),
		...(operationNames ? [`  may ${operationNames.join(", ")}`] : []),
	];
}
