/** All commands, loaded; package.json names this file for the manifest. The program loads one at a time. */

import { COMMANDS as TABLE } from "../src/commands/table.js";

const load = async ([id, command]: [string, (typeof TABLE)[string]]) => [id, await command()] as const;

export const COMMANDS = Object.fromEntries(await Promise.all(Object.entries(TABLE).map(load)));
