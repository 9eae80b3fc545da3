/** Generates docs/configuration.md from the table of settings. */

import { isIdle, type SettingRow } from "../src/node/config/setting.js";
import { allSettings, defaultText } from "../src/node/config/settings-table.js";
import { receiverRows } from "../src/node/events/receivers/table.js";

function boundsText({ bounds }: SettingRow): string {
	if (!bounds) return "";
	const [min, max] = "refuse" in bounds ? bounds.refuse : bounds.clamp;
	return `; ${min} to ${max}, ${"refuse" in bounds ? "else refused" : "else moved to the nearer"}`;
}

const cell = (text: string): string => text.replaceAll("|", "\\|");

export function configurationPage(): string {
	const acting = allSettings.flatMap(({ path, row }) => (isIdle(row) ? [] : [{ path, row }]));
	const idle = allSettings.flatMap(({ path, row }) => (isIdle(row) ? [{ path, row }] : []));
	return [
		"# Keys of a node's configuration",
		"",
		"Written by `npm run document` from the table of settings (`src/node/config/settings-table.ts`), which reading and",
		"`coin node check` are made of. Keys stand here in the neutral spelling; both are read. A wrong type stops the start,",
		"a key that neither table has is reported as unknown. `coin node config --show-defaults` prints what holds.",
		"[protocol/configuration.md](protocol/configuration.md) has the rules behind them.",
		"",
		"`[]` stands for the entries of a list, `.*` for every key below.",
		"",
		"| key | type | default | effect |",
		"| --- | --- | --- | --- |",
		...acting.map(
			({ path, row }) =>
				`| \`${path}\` | ${row.kind} | ${cell(defaultText(row))} | ${cell(row.effect + boundsText(row))} |`,
		),
		"",
		"## Keys without effect",
		"",
		"Files for the network's nodes carry them; their presence brings a warning.",
		"",
		"| key | why |",
		"| --- | --- |",
		...idle.map(({ path, row }) => `| \`${path}\` | ${cell(row.idle)} |`),
		"",
	].join("\n");
}

/** docs/events.md with its table of receivers, generated from theirs. */
export function withReceivers(page: string): string {
	const lines = [...receiverRows.values()].map(({ docs }) => `| ${docs.join(" | ")} |\n`);
	return page.replace(/(?<=^\| to \|.*\n\| --- .*\n)(?:\| .*\n)+/m, () => lines.join(""));
}
