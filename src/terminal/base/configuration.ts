/** Changes the user's configuration from a command. */

import { type ConfigurationEdit, editConfiguration } from "../../wallet/configuration/configuration-edit.js";
import { loadSettings, type Settings } from "../../wallet/configuration/settings.js";
import type { Terminal } from "./command-row.js";

/**
 * Changes keys of the configuration file, provided that the result is valid.
 * @param profile the one that must work afterwards; if undefined, the one in use
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
