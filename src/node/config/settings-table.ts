/**
 * The table of settings: every configuration key with its type, its default, and its effect or why it has
 * none. Reading, checking, unknown-key detection and `docs/configuration.md` are derived from it.
 *
 * `[]` stands for any list entry, a trailing `.*` for anything below.
 */

import { receiverSettings } from "../events/receivers/table.js";
import { chainSettings } from "./chain-settings.js";
import { COMMITTEE_RULES, type CommitteeKey } from "./committee-rules.js";
import { developmentSettings } from "./development-keys.js";
import { nodeSectionSettings } from "./node-settings.js";
import { isIdle, type Setting, type SettingRow } from "./setting.js";

const committeeSettings = Object.fromEntries(
	Object.entries(COMMITTEE_RULES).map(([key, { absent }]) => [
		`committee.${key}`,
		{
			kind: "long",
			absent,
			effect: "value of the chain parameter where the state has none",
		} satisfies Setting<bigint>,
	]),
) as { readonly [K in CommitteeKey as `committee.${K}`]: Setting<bigint> };

export const settingsTable = {
	...chainSettings,
	...receiverSettings,
	...nodeSectionSettings,
	...committeeSettings,
	...developmentSettings,
};

type Table = typeof settingsTable;

/** Keys with an effect. */
export type SettingPath = { [P in keyof Table]: Table[P] extends Setting<unknown> ? P : never }[keyof Table];

/** The type read for a key. */
export type ValueOf<P extends SettingPath> = Table[P] extends Setting<infer T> ? T : never;

const rows: ReadonlyMap<string, SettingRow> = new Map(Object.entries(settingsTable));

/** Lists of objects, of which a file may have an empty one. */
const lists = new Map(
	[...rows].flatMap(([path, row]) =>
		path.includes("[].") ? [[path.slice(0, path.indexOf("[]")), row]] : [],
	),
);

/** A row with its key. */
interface KnownSetting {
	readonly path: string;
	readonly row: SettingRow;
}

export const allSettings: readonly KnownSetting[] = [...rows].map(([path, row]) => ({ path, row }));

/** The row of a key as written in a file; undefined if unknown. */
export function settingOf(path: string): KnownSetting | undefined {
	const general = path.replace(/\[\d+\]/g, "[]");
	for (let name = general; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) {
		const key = name === general ? general : `${name}.*`;
		const row = rows.get(key);
		if (row) return { path: key, row };
	}
	const list = lists.get(general);
	return list && { path: `${general}[]`, row: list };
}

/** A key's default as shown on pages. */
export function defaultText(row: SettingRow): string {
	if (isIdle(row)) return "";
	if (row.absentText !== undefined) return row.absentText;
	return row.absent === undefined ? "" : String(row.absent);
}
