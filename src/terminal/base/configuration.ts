/** Changing the user's configuration by a command. */

import { type ConfigurationEdit, editConfiguration } from "../../wallet/configuration/configuration-edit.js";
import { loadSettings, type Settings } from "../../wallet/configuration/settings.js";
import type { Terminal } from "./command-row.js";

/**
 * Changes keys of the configuration file, if the outcome still works.
 * @param profile the one that must work afterwards; undefined: the one in use
 * @returns the settings afterwards
 */
export async function editSettings(
	{ settings, note }: Pick<Terminal, "settings" | "note">,
	edits: readonly ConfigurationEdit[],
	profile?: string,
): Promise<Settings> {
	const { configurationFile } = await settings();
	return editConfiguration(configurationFile, edits, note, (outcome) =>
		loadSettings({ profile }, process.env, outcome),
	);
}
