import { readFile } from "node:fs/promises";
import { Args, Flags, type Interfaces } from "@oclif/core";
import { listKeystore } from "../../keystore/keystore.js";
import { toBase58Check } from "../../protocol/address.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import { contractType } from "../../protocol/contract-types.js";
import { AccountType } from "../../protocol/messages.js";
import { ActingCommand, type ActingContext } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { readStdin } from "../../terminal/input/stdin.js";
import { canAsk } from "../../terminal/prompt/controlling-terminal.js";
import { askText, askYesNo } from "../../terminal/prompt/prompts.js";
import { readContacts } from "../../wallet/configuration/contacts.js";
import { Failure } from "../../wallet/failure.js";
import { isRecord, type Json, member, readJson } from "../../wallet/json.js";
import { accountOf } from "../../wallet/node/chain-query.js";
import { schemesOff } from "../../wallet/node/post-quantum.js";
import {
	checkRules,
	differenceLines,
	type PermissionRemark,
	permissionRemarks,
	sameSet,
} from "../../wallet/permission/permission-check.js";
import { applyEdits, completed, EDITS, type EditName } from "../../wallet/permission/permission-edit.js";
import {
	numbered,
	type PermissionSet,
	permissionDocument,
	readPermissionDocument,
	storedPermissions,
	updateContract,
} from "../../wallet/permission/permission-set.js";
import { accountNamed } from "../../wallet/transaction/signing.js";

const edit = (description: string, helpValue: string) =>
	Flags.string({
		description,
		helpValue,
		multiple: true,
		multipleNonGreedy: true,
		exclusive: ["file"],
		helpGroup: "EDITS",
	});

export class PermissionUpdate extends ActingCommand {
	static override summary = "Change who may sign what for an account";
	static override description =
		"Edits are applied to the stored permissions in the order given, or --file replaces them all. The changes are shown " +
		"before anything is signed, and an update that locks the owner out needs to be forced.";
	static override examples = [
		"<%= config.bin %> permission update treasury --owner 2/ann,bob,carol",
		"<%= config.bin %> permission update --active 'ops=1/ann' --operations ops=Transfer,TriggerSmart",
		"<%= config.bin %> permission show --json | jq '.actives[0].threshold=\"2\"' | <%= config.bin %> permission update --file -",
	];
	static override args = {
		account: Args.string({
			description: "address or label (default: --from, the active wallet)",
			ignoreStdin: true,
		}),
	};
	static override flags = {
		...actingFlags,
		file: Flags.string({
			description: "permissions document: JSON, @file, or - for standard input",
			helpValue: "<json>",
		}),
		owner: edit("replace the owner's keys and threshold", "<threshold>/<key>[:<weight>],…"),
		witness: edit("replace the witness key", "1/<key>"),
		active: edit("replace or add an active permission", "<id or name>=<threshold>/<key>,…"),
		operations: edit("set operations: names, default, all, +Name, -Name", "<id or name>=<list>"),
		"add-key": edit("add a key", "<permission>=<key>[:<weight>]"),
		"remove-key": edit("remove a key", "<permission>=<key>"),
		threshold: edit("set a threshold", "<permission>=<n>"),
		rename: edit("rename a permission", "<permission>=<name>"),
		"remove-active": edit("remove an active permission", "<id or name>"),
		"expect-owner": Flags.string({
			description: "the keys that own the account now: refused if the node says otherwise",
			helpValue: "<key>,…",
		}),
		"allow-lockout": Flags.string({
			description: "force an update that locks the owner out: the last 6 characters of the account",
			helpValue: "<6 characters>",
		}),
	};

	async run(): Promise<void> {
		const { args, flags, raw } = await this.parse(PermissionUpdate);
		const edits = raw.flatMap((token) =>
			token.type === "flag" && token.flag in EDITS
				? [{ name: token.flag as EditName, value: token.input }]
				: [],
		);
		if (edits.length === 0 && flags.file === undefined) {
			throw new Failure("usage", "no change: name one, or a document with --file", { hint: "see --help" });
		}
		if (flags.offline)
			throw new Failure(
				"conflicting_flags",
				"permission update compares with the stored permissions and can't be offline",
			);
		if (args.account !== undefined && flags.from !== undefined && args.account !== flags.from) {
			throw new Failure("conflicting_flags", "the account is named twice, as an argument and by --from");
		}
		const context = await this.context({ ...flags, from: args.account ?? flags.from });
		const named = new Set([toHex(context.owner)]);
		const resolve = async (text: string): Promise<Uint8Array> => {
			const address = await accountNamed(context.settings, text);
			named.add(toHex(address));
			return address;
		};
		const before = storedPermissions(context.account);
		if (flags["expect-owner"] !== undefined)
			checkExpectedOwner(before, await Promise.all(flags["expect-owner"].split(",").map(resolve)));
		const wanted =
			flags.file === undefined
				? await applyEdits(before, edits, resolve)
				: // What a document says may be what the node said when it was made.
					await this.fromDocument(await readDocument(flags.file), context.owner, (text) =>
						accountNamed(context.settings, text),
					);
		// Accounts of a chain's first block store no permissions, and an update may not leave any out.
		const bare = flags.file === undefined && before.actives.length === 0;
		const after = numbered(bare ? completed(wanted, context.owner, context.account.is_witness) : wanted);
		if (sameSet(before, after))
			throw new Failure("usage", "nothing would change: the permissions are as wanted already");
		checkRules(after, context.account.is_witness);
		const remarks = await this.remarks(context, before, after, named);

		await this.act(context, flags, {
			type: contractType("AccountPermissionUpdateContract"),
			parameter: updateContract(context.owner, after),
			details: [...differenceLines(before, after).map((line) => `  ${line}`)],
			warnings: remarks.map(({ code, message }) => ({ code, message })),
			result: {
				before: permissionDocument(context.owner, before),
				after: permissionDocument(context.owner, after),
			},
			agree: (summary) => this.agree(context.owner, remarks, summary, flags),
			afterwards: () => this.compareStored(context, after),
		});
	}

	private async fromDocument(
		document: Json,
		owner: Uint8Array,
		resolve: (text: string) => Promise<Uint8Array>,
	): Promise<PermissionSet> {
		const account = isRecord(document) ? member(document, "account") : undefined;
		if (account !== undefined && !equalBytes(await resolve(String(account)), owner)) {
			throw new Failure(
				"conflicting_flags",
				`the document is for ${String(account)}, not for ${toBase58Check(owner)}`,
			);
		}
		return readPermissionDocument(document, resolve);
	}

	private async remarks(
		context: ActingContext,
		before: PermissionSet,
		after: PermissionSet,
		named: ReadonlySet<string>,
	): Promise<PermissionRemark[]> {
		const { keystoreDirectory, contactsFile } = context.settings;
		const [{ entries }, contacts] = await Promise.all([
			listKeystore(keystoreDirectory),
			readContacts(contactsFile),
		]);
		const known = new Set([...entries, ...contacts].map(({ address }) => toHex(address)));
		const off = await schemesOff(
			context.client,
			entries.flatMap(({ scheme }) => scheme ?? []),
		);
		// The chain would not take their signatures.
		const mute = entries.filter(({ scheme }) => scheme && off.includes(scheme));
		const unsignable = new Set(mute.map(({ address }) => toHex(address)));
		for (const { address } of after.owner.keys) {
			const isZero = address.subarray(1).every((byte) => byte === 0);
			if (isZero || (await accountOf(context.client, address))?.type === AccountType.Contract)
				unsignable.add(toHex(address));
		}
		return permissionRemarks(before, after, {
			isLocal: (address) =>
				entries.some((entry) => entry.kind !== "watch" && equalBytes(entry.address, address)),
			isUnsignable: (address) => unsignable.has(toHex(address)),
			isKnown: (address) => named.has(toHex(address)) || known.has(toHex(address)),
		});
	}

	/** Level 2 always; level 3, the last six characters of the account, where the owner would be locked out. */
	private async agree(
		owner: Uint8Array,
		remarks: readonly PermissionRemark[],
		summary: readonly string[],
		flags: Interfaces.InferredFlags<typeof PermissionUpdate.flags>,
	): Promise<void> {
		const lockout = remarks.find((remark) => remark.level === 3);
		const grave = remarks.filter((remark) => remark.level === 2);
		const base58 = toBase58Check(owner);
		const ending = base58.slice(-6);
		const forced = flags["allow-lockout"];
		const isForced = flags.yes && forced === ending;
		const refused = (remark: PermissionRemark): Failure =>
			new Failure("owner_lockout", `refused: ${remark.message}`, {
				details: { check: remark.code },
				hint: lockoutHint(ending),
			});
		if (lockout && !isForced && (!canAsk() || forced !== undefined)) throw refused(lockout);
		// What is only built is agreed to by signing it, unless it may hand the account to others.
		const unnamed = grave.filter((remark) => remark.unnamed);
		if (unnamed.length === 0 && (lockout ? isForced : flags.yes || (flags.build && grave.length === 0)))
			return;
		if (!canAsk() && unnamed.length > 0) {
			throw new Failure("confirmation_needed", unnamed.map(({ message }) => message).join("; "), {
				details: { checks: unnamed.map(({ code }) => code) },
				hint: "--yes isn't enough: name the owners with --expect-owner, or make those you know contacts (coin contact add)",
			});
		}
		if (!canAsk()) {
			const why = grave.map(({ message }) => `: ${message}`).join("");
			throw new Failure(
				"confirmation_needed",
				`changing permissions needs --yes without a terminal to ask on${why}`,
				{ details: { checks: grave.map(({ code }) => code) } },
			);
		}
		await this.show(summary);
		for (const address of new Set(unnamed.flatMap((remark) => remark.unnamed ?? []))) {
			const question = `Only the node says that ${address} has a key there. Type its last 6 characters if you know it:`;
			if (!(await typesEnd(question, address)))
				throw new Failure("confirmation_refused", `${address} is not confirmed; nothing was sent`);
		}
		if (lockout && !isForced) {
			const question = `${lockout.message}. Type the last 6 characters of ${base58} to do it all the same:`;
			if (!(await typesEnd(question, base58))) throw refused(lockout);
		} else if (!flags.yes && !(await askYesNo(`Change the permissions of ${base58}?`)))
			throw new Failure("confirmation_refused", "not confirmed; nothing was sent");
	}

	private async compareStored({ client, owner }: ActingContext, after: PermissionSet): Promise<void> {
		const stored = await accountOf(client, owner);
		if (stored && sameSet(storedPermissions(stored), after)) return;
		throw new Failure(
			"permission_postcheck_mismatch",
			"the chain stores other permissions than were asked for",
			{ sent: true },
		);
	}
}

/** Who types the end of an address has looked at it. */
async function typesEnd(question: string, address: string): Promise<boolean> {
	return (await askText(question)).trim() === address.slice(-6);
}

/** @throws {Failure} `permission_changed` where the node says that others own the account */
function checkExpectedOwner(before: PermissionSet, expected: readonly Uint8Array[]): void {
	const told = new Set(before.owner.keys.map(({ address }) => toBase58Check(address)));
	const wanted = new Set(expected.map(toBase58Check));
	const more = [...told].filter((key) => !wanted.has(key));
	const fewer = [...wanted].filter((key) => !told.has(key));
	if (more.length + fewer.length === 0) return;
	const words = [
		...(more.length > 0 ? [`${more.join(", ")} too`] : []),
		...(fewer.length > 0 ? [`not ${fewer.join(", ")}`] : []),
	];
	throw new Failure("permission_changed", `the node says that the owner's keys are ${words.join(", and ")}`, {
		sent: false,
	});
}

function lockoutHint(ending: string): string {
	return `keep a key of this keystore among the owner's keys, or force it with --yes --allow-lockout ${ending}`;
}

async function readDocument(source: string): Promise<Json> {
	const text =
		source === "-"
			? await readStdin("the permissions document")
			: source.startsWith("@") || !source.trim().startsWith("{")
				? await readFile(source.replace(/^@/, ""), "utf8")
				: source;
	if (text.trim() === "")
		throw new Failure("stdin_empty", "stdin was empty: did the command before it fail?");
	try {
		return readJson(text);
	} catch (error) {
		throw new Failure("bad_value", `the permissions document is not valid JSON: ${(error as Error).message}`);
	}
}
