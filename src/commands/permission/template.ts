import { Args, Flags } from "@oclif/core";
import { Key, Permission, PermissionPermissionType } from "../../protocol/messages.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { keystoreFlags } from "../../terminal/flags/flags.js";
import { printJson } from "../../terminal/output/output.js";
import { Failure } from "../../wallet/failure.js";
import { DEFAULT_OPERATIONS, parseOperations } from "../../wallet/permission/operations.js";
import { FIRST_ACTIVE_ID, permissionDocument } from "../../wallet/permission/permission-set.js";
import { accountNamed, activeAccount } from "../../wallet/transaction/signing.js";

export default class PermissionTemplate extends CoinCommand {
	static override summary = "Write a permissions document for several keys";
	static override description =
		"The owner and one active permission with the same keys, one vote each, as input for permission update --file.";
	static override examples = [
		"<%= config.bin %> permission template 2of3 ann bob carol --account treasury | <%= config.bin %> permission update treasury --file -",
	];
	static override strict = false;
	static override usage = "permission template <m>of<n> <key>...";
	static override args = {
		shape: Args.string({ description: "such as 2of3", required: true, ignoreStdin: true }),
	};
	static override flags = {
		...keystoreFlags,
		account: Flags.string({
			description: "account the document is for (default: the active wallet)",
			helpValue: "<account>",
		}),
		"active-operations": Flags.string({
			description: "operations of the active permission",
			helpValue: "<list>",
		}),
	};

	async run(): Promise<void> {
		const { args, argv, flags } = await this.parse(PermissionTemplate);
		const shape = /^(\d)of(\d)$/.exec(args.shape);
		if (!shape) throw new Failure("bad_value", `"${args.shape}" is not a shape: write it like 2of3`);
		const [needed, count] = [Number(shape[1]), Number(shape[2])];
		const names = (argv as string[]).slice(1);
		if (names.length !== count)
			throw new Failure("usage", `${args.shape} takes ${count} keys, here are ${names.length}`);
		if (needed < 1 || needed > count || count > 5)
			throw new Failure("bad_value", `${args.shape}: at most 5 keys, and no more votes than keys`);
		const settings = await this.settings(flags);
		const keys = await Promise.all(
			names.map(async (name) => Key.create({ address: await accountNamed(settings, name), weight: 1n })),
		);
		const account =
			flags.account === undefined
				? await activeAccount(settings)
				: await accountNamed(settings, flags.account);
		const list = flags["active-operations"];
		const common = { threshold: BigInt(needed), keys };
		printJson(
			permissionDocument(account, {
				owner: Permission.create({
					...common,
					type: PermissionPermissionType.Owner,
					permission_name: "owner",
				}),
				witness: undefined,
				actives: [
					Permission.create({
						...common,
						type: PermissionPermissionType.Active,
						id: FIRST_ACTIVE_ID,
						permission_name: "active",
						operations: list === undefined ? DEFAULT_OPERATIONS : parseOperations(list),
					}),
				],
			}),
		);
	}
}
