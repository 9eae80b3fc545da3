/** `coin permission …`: who may sign what for an account. */

import { Flags } from "@oclif/core";
import { listKeystore } from "../../keystore/keystore.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import { Key, Permission, PermissionPermissionType } from "../../protocol/messages.js";
import { accountArgument, command } from "../../terminal/base/command-row.js";
import { keystoreFlags, nodeFlags, optional, required } from "../../terminal/flags/flags.js";
import { argumentOrStdin } from "../../terminal/input/stdin.js";
import { printJson } from "../../terminal/output/output.js";
import { type Labels, readLabels } from "../../wallet/configuration/labels.js";
import { Failure } from "../../wallet/failure.js";
import { existingAccount } from "../../wallet/node/chain-query.js";
import { NodeClient } from "../../wallet/node/node-client.js";
import {
	DEFAULT_OPERATIONS,
	operationIds,
	operationName,
	parseOperations,
} from "../../wallet/permission/operations.js";
import {
	FIRST_ACTIVE_ID,
	type PermissionView,
	permissionDocument,
	storedPermissions,
} from "../../wallet/permission/permission-set.js";
import { accountNamed, activeAccount } from "../../wallet/transaction/signing.js";

export const PermissionOperations = command({
	summary: "Convert operations between names and the 64 hex digits of the chain",
	examples: [
		"<%= config.bin %> permission operations Transfer,TriggerSmart",
		"<%= config.bin %> permission operations 7fff1fc0033ef30f000000000000000000000000000000000000000000000000",
		"<%= config.bin %> permission operations default,-VoteWitness",
	],
	args: {
		operations: optional("names, numbers, default, all, or 64 hex digits"),
	},
	run: async ({ args, print }) => {
		const input = await argumentOrStdin(args.operations, "the operations", true);
		if (!input)
			throw new Failure("usage", "no operations: give names or 64 hex digits", { hint: "see --help" });
		const operations = parseOperations(input.text);
		const ids = operationIds(operations);
		const isHex = /^(0x)?[0-9a-fA-F]{64}$/.test(input.text.trim());
		const hex = toHex(operations);
		const names = ids.map(operationName);
		print.record({ operations: hex, operationNames: names, ids }, [isHex ? names.join(",") : hex]);
	},
});

export const PermissionShow = command({
	summary: "Show who may sign what for an account",
	description: "With --json the output is valid input for permission update --file.",
	examples: ["<%= config.bin %> permission show ann"],
	args: accountArgument,
	flags: { ...nodeFlags, ...keystoreFlags },
	run: async ({ args, settings: load, print }) => {
		const settings = await load();
		const address =
			args.account === undefined ? await activeAccount(settings) : await accountNamed(settings, args.account);
		const account = await existingAccount(new NodeClient(settings), address);
		const { entries } = await listKeystore(settings.keystoreDirectory);
		const isLocal = (key: Uint8Array): boolean =>
			entries.some((entry) => entry.kind !== "watch" && equalBytes(entry.address, key));
		const names = await readLabels(settings);
		const lines = (permission: PermissionView): string[] => permissionLines(permission, names);
		const document = permissionDocument(address, storedPermissions(account), isLocal);
		// Marks what an update from this document would make true by the node's word alone.
		print.record({ source: "node", ...document }, [
			named(document.account, names),
			...lines(document.owner),
			...(document.witness ? lines(document.witness) : []),
			...document.actives.flatMap(lines),
		]);
	},
});

/** An address with its local name. */
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

export const PermissionTemplate = command({
	summary: "Write a permissions document for several keys",
	description:
		"The owner and one active permission with the same keys, one vote each, as input for permission update --file.",
	examples: [
		"<%= config.bin %> permission template 2of3 ann bob carol --account treasury | <%= config.bin %> permission update treasury --file -",
	],
	strict: false,
	usage: "permission template <m>of<n> <key>...",
	args: {
		shape: required("such as 2of3"),
	},
	flags: {
		...keystoreFlags,
		account: Flags.string({
			description: "account the document is for (default: the active wallet)",
			helpValue: "<account>",
		}),
		"active-operations": Flags.string({
			description: "operations of the active permission",
			helpValue: "<list>",
		}),
	},
	run: async ({ args, argv, flags, settings: load }) => {
		const shape = /^(\d)of(\d)$/.exec(args.shape);
		if (!shape) throw new Failure("bad_value", `"${args.shape}" is not a shape: write it like 2of3`);
		const [needed, count] = [Number(shape[1]), Number(shape[2])];
		const names = argv.slice(1);
		if (names.length !== count)
			throw new Failure("usage", `${args.shape} takes ${count} keys, here are ${names.length}`);
		if (needed < 1 || needed > count || count > 5)
			throw new Failure("bad_value", `${args.shape}: at most 5 keys, and no more votes than keys`);
		const settings = await load();
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
	},
});
