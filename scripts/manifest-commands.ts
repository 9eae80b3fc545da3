/** Every command, loaded: what the framework reads the manifest from, named in package.json. The program itself loads one at a time. */

import { COMMANDS as TABLE } from "../src/commands/table.js";

const load = async ([id, command]: [string, (typeof TABLE)[string]]) => [id, await command()] as const;

export const COMMANDS = Object.fromEntries(await Promise.all(Object.entries(TABLE).map(load)));
