/** A configuration file, read according to the table of settings. */

import type { ConfigError, HoconObject } from "../../hocon/hocon.js";
import { type EffectiveSetting, Section, type SettingValue } from "../../hocon/section.js";
import { type IdleSetting, isIdle, type Setting } from "./setting.js";
import { allSettings, type SettingPath, settingOf, settingsTable, type ValueOf } from "./settings-table.js";
import type { StartOptions } from "./start-options.js";

/** A key of a file that isn't in the table. */
export interface UnknownKey {
	/** Dotted path in the neutral spelling. */
	readonly path: string;
	readonly line: number;
}

/** A key of a file, or everything below one, that has no effect. */
export interface IdleKey extends UnknownKey {
	readonly reason: string;
}

/** Paths of lists of objects: the part before `[]` in the table. */
type ListPath = SettingPath extends infer P ? (P extends `${infer L}[]${string}` ? L : never) : never;

export class Settings {
	private constructor(
		private readonly section: Section,
		/** Common prefix of the section's paths in the table. */
		private readonly prefix: string,
		private readonly flags: Pick<StartOptions, "over" | "instead">,
	) {}

	/** @throws {ConfigError} for a value in place of an object, or a wrong value of a key without effect */
	static root(
		object: HoconObject,
		file: string,
		flags: Pick<StartOptions, "over" | "instead"> = {},
	): Settings {
		const settings = new Settings(Section.root(object, file), "", flags);
		settings.checkGroups();
		settings.checkIdle();
		return settings;
	}

	/**
	 * The effective value of a key, by precedence: overriding flag, file, fallback flag, default.
	 * @param absent overrides the table's default
	 * @throws {ConfigError} for an invalid value in the file, even if a flag overrides it
	 */
	get<P extends SettingPath>(path: P, absent?: ValueOf<P>): ValueOf<P> {
		const row = settingsTable[path] as Setting<unknown>;
		const { over, instead } = this.flags;
		const value = this.read(path, row, instead?.get(path) ?? absent ?? row.absent);
		return (over?.get(path) ?? value) as ValueOf<P>;
	}

	/** Whether the file sets a key. */
	has(path: SettingPath): boolean {
		return this.section.has(this.own(path));
	}

	/** Whether a command line flag sets a key. */
	isFlag(path: SettingPath): boolean {
		return this.flags.over?.has(path) ?? false;
	}

	/** Whether a path has an object. @throws {ConfigError} if it has any other value */
	hasGroup(path: string): boolean {
		return this.section.optionalSection(path) !== undefined;
	}

	/** Whether a path that may also be a value is an object. */
	isGroup(path: string): boolean {
		return this.section.isObject(path);
	}

	/** The objects of a list. */
	items(list: ListPath): Settings[] {
		return this.section.sections(list).map((item) => new Settings(item, `${list}[].`, {}));
	}

	/** Records the effective value if it differs from the file's. */
	settle<T extends SettingValue>(path: SettingPath, value: T): T {
		return this.section.settle(this.own(path), value);
	}

	/** The error for an unacceptable value, for rules beyond its type. The reason must not repeat a secret. */
	refuse(path: string, reason: string): ConfigError {
		return this.section.refuse(this.own(path), reason);
	}

	/** @throws {ConfigError} if the path has no object */
	requireGroup(path: string): void {
		this.section.requiredSection(path);
	}

	/** @throws {ConfigError} if the object at a path, or one in a list there, lacks a member */
	requireMembers(path: string, names: readonly string[]): void {
		const groups = this.section.isObject(path) ? [this.section.section(path)] : this.section.sections(path);
		for (const group of groups) {
			for (const name of names) if (!group.has(name)) group.requiredText(name);
		}
	}

	/** Every value read from any part of the file, in reading order. */
	effective(): EffectiveSetting[] {
		return this.section.effective();
	}

	/** Keys of the file missing from the table, usually typos. */
	unknownKeys(): UnknownKey[] {
		return unknownOf(this.section);
	}

	/** The same for an otherwise invalid file. */
	static unknownIn(object: HoconObject, file: string): UnknownKey[] {
		return unknownOf(Section.root(object, file));
	}

	/** Keys of the file without effect, once per table row. */
	idleKeys(): IdleKey[] {
		const found = new Map<string, IdleKey>();
		for (const { path, line } of this.section.leaves()) {
			const known = settingOf(path);
			if (!known || !isIdle(known.row) || found.has(known.path)) continue;
			const name = known.path.includes("*") || known.path.includes("[]") ? openName(known.path) : path;
			found.set(known.path, { path: name, line, reason: known.row.idle });
		}
		return [...found.values()].sort((a, b) => a.line - b.line);
	}

	private own(path: string): string {
		return path.startsWith(this.prefix) ? path.slice(this.prefix.length) : path;
	}

	private read(path: string, { kind, bounds, isRequired }: Setting<unknown>, absent: unknown): unknown {
		const { section } = this;
		const own = this.own(path);
		switch (kind) {
			case "int":
				if (bounds && "refuse" in bounds) return section.intWithin(own, absent as number, ...bounds.refuse);
				if (bounds) return section.intClamped(own, absent as number, ...bounds.clamp);
				return section.int(own, absent as number);
			case "long":
				return isRequired ? section.requiredLong(own) : section.long(own, absent as bigint);
			case "double":
				return section.double(own, absent as number);
			case "boolean":
				return section.boolean(own, absent as boolean);
			case "text":
				if (isRequired) return section.requiredText(own);
				return absent === undefined ? section.optionalText(own) : section.text(own, absent as string);
			case "texts":
				return section.texts(own);
		}
	}

	/** A value in place of an object would hide every key below it. */
	private checkGroups(): void {
		const values = new Set(allSettings.map(({ path }) => path));
		for (const { path } of allSettings) {
			const [plain = ""] = path.replace(/\.\*$/, "").split("[]");
			for (let at = plain.indexOf("."); at > 0; at = plain.indexOf(".", at + 1)) {
				const group = plain.slice(0, at);
				if (!values.has(group)) this.section.optionalSection(group);
			}
		}
	}

	/** A wrong type stops the start even if the key has no effect, as on the network. */
	private checkIdle(): void {
		for (const { path, row } of allSettings) {
			if (isIdle(row) && row.kind !== undefined && this.section.has(path)) this.check(path, row);
		}
	}

	private check(path: string, { kind, bounds }: IdleSetting): void {
		if (kind === undefined) return;
		const absent = { int: 0, long: 0n, double: 0, boolean: false, text: "", texts: [] }[kind];
		this.read(path, { kind, bounds, absent, effect: "" }, absent);
	}
}

/** `a.b.*` and `a.b[].*` as named in messages: the parent object. */
function openName(path: string): string {
	return path.replace(/(\[\])?\.\*$/, "");
}

function unknownOf(section: Section): UnknownKey[] {
	return section.leaves().filter(({ path }) => settingOf(path) === undefined);
}
