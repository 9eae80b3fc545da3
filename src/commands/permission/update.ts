import { readFile } from "node:fs/promises";
import { Flags, type Interfaces } from "@oclif/core";
import { listKeystore } from "../../keystore/keystore.js";
import { toBase58Check } from "../../protocol/address.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import { Key, type Permission, PermissionPermissionType } from "../../protocol/messages.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { optional } from "../../terminal/flags/flags.js";
import { givenStdin } from "../../terminal/input/stdin.js";
import { canAsk } from "../../terminal/prompt/controlling-terminal.js";
import { askText, askYesNo } from "../../terminal/prompt/prompts.js";
import { act, actorOf } from "../../terminal/sending/act.js";
import { nothingToDo, sending, sendsNow } from "../../terminal/sending/rows.js";
import { type Session, show } from "../../terminal/sending/session.js";
import { isUnchanged, permissionPlan } from "../../wallet/actions/permission.js";
import type { Actor } from "../../wallet/actions/plan.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import { givenJson, isRecord, type Json, member } from "../../wallet/json.js";
import { keyFacts } from "../../wallet/permission/key-facts.js";
import { samePermission } from "../../wallet/permission/permission.js";
import {
	type KeyFacts,
	type PermissionRemark,
	permissionRemarks,
} from "../../wallet/permission/permission-check.js";
import {
	applyEdits,
	completed,
	EDITS,
	type EditName,
	isStatedBy,
	parseKeyset,
} from "../../wallet/permission/permission-edit.js";
import {
	type PermissionSet,
	readPermissionDocument,
	storedPermissions,
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

const updateFlags = {
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
		description: "the keys that own the account now, and their threshold: refused if the node says otherwise",
		helpValue: "<threshold>/<key>[:<weight>],…",
	}),
	"trust-node": Flags.boolean({
		description: "with --yes: let permissions stay as the node says that they are",
	}),
	"allow-lockout": Flags.string({
		description: "force an update that locks the owner out: the last 6 characters of the account",
		helpValue: "<6 characters>",
	}),
};

export const PermissionUpdate = sending({
	outputKind: "acts",
	summary: "Change who may sign what for an account",
	description:
		"Edits are applied to the stored permissions in the order given, or --file replaces them all. The changes are shown " +
		"before anything is signed, and an update that locks the owner out needs to be forced.",
	examples: [
		"<%= config.bin %> permission update treasury --owner 2/ann,bob,carol",
		"<%= config.bin %> permission update --active 'ops=1/ann' --operations ops=Transfer,TriggerSmart",
		"<%= config.bin %> permission show --json | jq '.actives[0].threshold=\"2\"' | <%= config.bin %> permission update --file -",
	],
	args: {
		account: optional(
			"address or label (default: --from, the key that the document names, the active wallet)",
		),
	},
	flags: updateFlags,
	run: async ({ args, flags, raw, session, print }) => {
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
		// Typed arguments override the environment.
		const isFromTyped = raw.some((token) => token.type === "flag" && token.flag === "from");
		if (args.account !== undefined && isFromTyped && args.account !== flags.from) {
			throw new Failure("conflicting_flags", "the account is named twice, as an argument and by --from");
		}
		const document = flags.file === undefined ? undefined : await readDocument(flags.file);
		const typed = args.account ?? flags.from;
		const from = typed ?? (await ownAccount(document, await session.settings(flags)));
		const actor = await actorOf(session, { ...flags, from });
		const { owner, account, settings } = actor;
		const named = new Set([toHex(owner)]);
		const resolve = async (text: string): Promise<Uint8Array> => {
			const address = await accountNamed(settings, text);
			named.add(toHex(address));
			return address;
		};
		const before = storedPermissions(account);
		const expected =
			flags["expect-owner"] === undefined ? undefined : await readExpected(flags["expect-owner"], resolve);
		if (expected) checkExpectedOwner(before, expected);
		const isFromNode = isRecord(document) && member(document, "source") === "node";
		const wanted =
			document === undefined
				? await applyEdits(before, edits, resolve)
				: // The document may repeat what the node claimed when it was written.
					await fromDocument(document, owner, (text) => accountNamed(settings, text));
		// Genesis accounts store no permissions, and an update must include all of them; without changes it isn't
		// an update, although it would store them.
		const bare = flags.file === undefined && before.actives.length === 0 && !isUnchanged(account, wanted);
		const whole = bare ? completed(wanted, owner, account.is_witness) : wanted;
		if (sendsNow(flags) && isUnchanged(account, whole))
			return nothingToDo({ print }, "the permissions are as wanted already");
		const plan = permissionPlan(actor, whole);
		const remarks = await remarksOn(actor, before, plan.after, {
			named,
			isFromNode,
			isStated: (permission) => {
				const isOwner = permission.type === PermissionPermissionType.Owner;
				// It was compared with the present owner, not with a document's.
				if (isOwner && expected?.threshold !== undefined)
					return !isFromNode || samePermission(before.owner, permission);
				if (flags.file === undefined) return isStatedBy(edits, before, permission);
				// In a document, whatever differs from the present state is the author's, unless a node wrote it: that
				// node may have said something else then.
				if (isFromNode) return false;
				const told = isOwner ? [before.owner] : before.actives;
				return !told.some((one) => samePermission(one, permission));
			},
		});
		await act(session, actor, flags, {
			...plan,
			warnings: remarks.map(({ code, message }) => ({ code, message })),
			agree: (summary) => agreeTo(session, owner, remarks, summary, flags),
		});
	},
});

/** The account that a document names, if the keystore has it. */
async function ownAccount(
	document: Json | undefined,
	{ keystoreDirectory }: Settings,
): Promise<string | undefined> {
	const account = isRecord(document) ? member(document, "account") : undefined;
	const { entries } = await listKeystore(keystoreDirectory);
	return entries.find(({ name, base58 }) => account === base58 || account === name)?.base58;
}

async function fromDocument(
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

async function remarksOn(
	context: Actor,
	before: PermissionSet,
	after: PermissionSet,
	{ named, ...stated }: Pick<KeyFacts, "isStated" | "isFromNode"> & { readonly named: ReadonlySet<string> },
): Promise<PermissionRemark[]> {
	const facts = await keyFacts(context.settings, context.client, context.owner, after);
	return permissionRemarks(before, after, {
		...facts,
		isKnown: (address) => named.has(toHex(address)) || facts.isKnown(address),
		...stated,
	});
}

/** Confirms at level 2; if the owner would be locked out, requires the account's last six characters. */
async function agreeTo(
	session: Session,
	owner: Uint8Array,
	remarks: readonly PermissionRemark[],
	summary: readonly string[],
	flags: Interfaces.InferredFlags<typeof updateFlags>,
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
	// An unsigned build is confirmed when signing, unless it may hand the account to others.
	const unverified = grave.filter(
		({ unnamed, isNodesWord }) => unnamed || (isNodesWord && !flags["trust-node"]),
	);
	const toType = new Set(unverified.flatMap(({ unnamed = [] }) => unnamed));
	if (unverified.length === 0 && (lockout ? isForced : flags.yes || (flags.build && grave.length === 0)))
		return;
	if (!canAsk() && unverified.length > 0) {
		throw new Failure("confirmation_needed", unverified.map(({ message }) => message).join("; "), {
			details: { checks: unverified.map(({ code }) => code) },
			hint: `--yes isn't enough: ${remedies(unverified).join("; ")}`,
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
	await show(session, summary);
	for (const address of toType) {
		const question = `Only the node says that ${address} has a key there. Type its last 6 characters if you know it:`;
		if (!(await typesEnd(question, address)))
			throw new Failure("confirmation_refused", `${address} is not confirmed; nothing was sent`);
	}
	if (lockout && !isForced) {
		const question = `${lockout.message}. Type the last 6 characters of ${base58} to do it all the same:`;
		if (!(await typesEnd(question, base58))) throw refused(lockout);
	} else if (
		!(flags.yes && (toType.size > 0 || unverified.length === 0)) &&
		!(await askYesNo(`Change the permissions of ${base58}?`))
	)
		throw new Failure("confirmation_refused", "not confirmed; nothing was sent");
}

/** Flags that replace confirmation by a person. */
function remedies(unverified: readonly PermissionRemark[]): string[] {
	return [
		...(unverified.some(({ unnamed }) => unnamed)
			? ["name the owners with --expect-owner, or make those you know contacts (coin contact add)"]
			: []),
		...(unverified.some(({ isNodesWord }) => isNodesWord)
			? ["say how it should be (--expect-owner 2/ann,bob; --active with --operations), or add --trust-node"]
			: []),
	];
}

/** Asks for the end of an address, as evidence that the user has checked it. */
async function typesEnd(question: string, address: string): Promise<boolean> {
	return (await askText(question)).trim() === address.slice(-6);
}

type ExpectedOwner = Pick<Permission, "keys"> & { readonly threshold?: bigint };

/** Parses a key set with its threshold, or keys alone. @throws {Failure} `bad_value` */
async function readExpected(
	text: string,
	resolve: (text: string) => Promise<Uint8Array>,
): Promise<ExpectedOwner> {
	if (text.includes("/")) {
		const { threshold, keys } = await parseKeyset(text, resolve);
		return { threshold, keys: [...keys] };
	}
	const addresses = await Promise.all(text.split(",").map(resolve));
	return { keys: addresses.map((address) => Key.create({ address, weight: 1n })) };
}

/** @throws {Failure} `permission_changed` if the node reports other owners or weights */
function checkExpectedOwner({ owner }: PermissionSet, { threshold, keys }: ExpectedOwner): void {
	const shown = (some: Permission["keys"]): Set<string> =>
		new Set(
			some.map(
				({ address, weight }) =>
					`${toBase58Check(address)}${threshold === undefined || weight === 1n ? "" : `:${weight}`}`,
			),
		);
	const [stored, wanted] = [shown(owner.keys), shown(keys)];
	if (threshold !== undefined && threshold !== owner.threshold)
		throw new Failure(
			"permission_changed",
			`the node says that the owner's threshold is ${owner.threshold}`,
			{
				sent: false,
			},
		);
	const more = [...stored].filter((key) => !wanted.has(key));
	const fewer = [...wanted].filter((key) => !stored.has(key));
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
			? await givenStdin("the permissions document")
			: source.startsWith("@") || !source.trim().startsWith("{")
				? await readFile(source.replace(/^@/, ""), "utf8")
				: source;
	return givenJson(text, "the permissions document is not valid JSON");
}
